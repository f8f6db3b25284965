"""Reviewing a game: searches of each position, from the last to the first.

For each move of the main line:

1. The position is searched for its two best moves, within the limits.
2. If the move played is neither, it is searched alone to the same depth: scores of different depths cannot be compared.
3. The loss is the difference of the scores, from the view of the side that moved.
4. A mark is checked before it is given: the best move and the one played are searched again, only these two and with
   `CHECK` times the limit. A sacrifice that a short search takes for a blunder is then judged by a deeper one.

Each position has an engine of its own, so that its result depends on nothing but the position, the game before it and
the settings. Where a game with wins of different size has an evaluation (Othello), the searches first try to solve the
position; once that takes more than the limit, the earlier positions of the game are not tried.

With `selective`, or at a confidence, the searches are selective; attempts to solve a position are not, so proven values
stay proven.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.errors import GameError, LimitError
from zermelo.formats.record import Record
from zermelo.review import marks
from zermelo.review.expected_result import expected_result
from zermelo.review.results import BOOK, CHANCE_MOVE, FORCED, Candidate, MoveReview, utility_unit
from zermelo.search.analysis import Analysis, Line, Score
from zermelo.search.limits import MAX_DEPTH, MAX_NODES, Limits
from zermelo.search.selective import Selective, check_confidence, why_never_selective

if TYPE_CHECKING:
    from zermelo.search.searcher import Searcher

#: Nodes of a search, if no limit is given, and of a search that ends in playouts, because the game has no evaluation: a
#: second or less for most games.
DEFAULT_NODES, DEFAULT_PLAYOUTS = 200_000, 5_000
TABLE = "16M"
#: By how much the search that checks a mark is longer. Measured on five famous games of chess: with 2,000 nodes a move
#: 22 % of the marks differ from those of 200,000 nodes; with the check 13 %, for 1.9 times the nodes in all.
CHECK = 4
#: Reasons of searches that a limit ended in the middle of a depth.
_CUT_SHORT = ("nodes", "seconds")


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and options of a review; each limit applies to each search.

    Attributes
    ----------
    depth, seconds, nodes
        As in `zermelo.analysis`. None of them: see `with_default`.
    exact : bool
        Solve every position, which small games and endgames allow. Excludes the limits.
    evaluation : str, Evaluation or None
        An evaluation, or the name of one of the game. Default: its first.
    confidence : int or None
        Search at this confidence in percent, as `zermelo.search.engine.Engine` does: 73, 87, 95, 98 or 99. 100 or None:
        all moves are searched. Positions are still solved by searches of all moves where this is tried.
    selective : bool or Selective
        Whether the searches are selective, with the parameters of the game or with others: they go deeper, and their
        scores may differ from those of a search of all moves. Excludes `exact` and a confidence.
    weights : str
        Digest of the weight file that `evaluation` was read from; empty for an evaluation of the game. It tells
        reviews by different weights apart.

    Raises
    ------
    LimitError
        If a limit is out of range, the confidence is not one of these, or options are combined that exclude each other.
    """

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    exact: bool = False
    evaluation: str | Evaluation | None = None
    confidence: int | None = None
    weights: str = ""
    selective: bool | Selective = False

    def __post_init__(self) -> None:
        given = (self.depth, self.seconds, self.nodes) != (None, None, None)
        if self.exact and given:
            raise LimitError("exact excludes depth, seconds and nodes: an exact search goes to the end of the game")
        if self.exact and self.is_selective:
            raise LimitError(f"exact and {self._option} cannot be combined: an exact search proves its scores")
        if self.selective and self.confidence is not None:
            raise LimitError("selective and confidence cannot be combined")
        check_confidence(self.confidence)
        self.limits()

    @property
    def is_selective(self) -> bool:
        """Whether the searches may leave out moves."""
        return bool(self.selective) or self.confidence not in (None, 100)

    @property
    def _option(self) -> str:
        """Name of the option that makes the searches selective, for messages."""
        return "selective" if self.selective else "confidence"

    def evaluation_of(self, state: State) -> Evaluation:
        """Return the evaluation of the searches from a state. Raises `UnknownGame` if the game has none of its name."""
        return resolve_evaluation(state, self.evaluation, self.is_selective)

    def with_default(self, game: type[State]) -> Settings:
        """Return settings with a limit: 200,000 nodes if there is none, 5,000 in a game without an evaluation."""
        if self.exact or (self.depth, self.seconds, self.nodes) != (None, None, None):
            return self
        return replace(self, nodes=DEFAULT_NODES if game.evaluations or self.evaluation else DEFAULT_PLAYOUTS)

    def limits(self) -> Limits:
        """Return the limits of a search."""
        return Limits(self.depth, self.seconds, self.nodes, self.exact)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an evaluation that is not the game's by the name of its class."""
        data = {each.name: getattr(self, each.name) for each in fields(self)}
        data["confidence"] = None if self.selective else self.confidence or 100
        data["selective"] = repr(self.selective) if isinstance(self.selective, Selective) else self.selective
        if isinstance(self.evaluation, Evaluation):
            data["evaluation"] = type(self.evaluation).__name__
        return data


#: Makes a context manager in which the argument, the `stop` of an engine, may be called from another thread.
Stopping = Callable[[Callable[[], None]], AbstractContextManager[None]]
#: The moves of an opening book in a state that a move led to (None at the start).
Book = Callable[[State, Any], Collection[Any]]


def check_reviewable(game: type[State], settings: Settings) -> None:
    """Raise `ZermeloError` for a game that cannot be reviewed, or not with this evaluation and confidence."""
    if not game.perfect_information:
        raise GameError(
            f"{game.__name__} has hidden information: whether a move was good depends on what the player could not see"
        )
    start = game.start()
    evaluation = settings.evaluation_of(start)
    if settings.is_selective:
        if reason := why_never_selective(game):
            raise LimitError(f"{settings._option}: {reason}")
        if settings.selective:
            Selective.of_game(game)  # raises for wrong parameters
        else:
            Selective.at_confidence(settings.confidence or 100, evaluation, start)


def review_moves(
    record: Record,
    settings: Settings,
    known: Collection[MoveReview] = (),
    book: Book | None = None,
    stopping: Stopping | None = None,
) -> Iterator[MoveReview]:
    """Review the moves of a game's main line, from the last to the first.

    Parameters
    ----------
    record : Record
        The game.
    settings : Settings
        Limits and options of the searches.
    known : collection of MoveReview
        Moves that have been reviewed before with the same settings; they are left out.
    book : callable, optional
        `book(state, last_move)` returns the moves of an opening book. These moves are not judged.
    stopping : callable, optional
        `stopping(engine.stop)` makes a context manager around the searches of a move. Who ends them must call `stop`
        until the move is done, and not use its review.

    Yields
    ------
    MoveReview
        One for each move that is not known. Doubling and other actions outside the rules have none.

    Raises
    ------
    GameError
        If the game has hidden information, or breaks the contract.
    KeyboardInterrupt
        On Ctrl-C.
    """
    check_reviewable(type(record.start), settings)
    settings = settings.with_default(type(record.start))
    states, moves = [record.start], record.moves()
    for move in moves:
        states.append(states[-1].play(move))
    plies = [ply for ply, step in enumerate(record.line.steps) if step.move is not None]
    found = {review.ply: review for review in known}
    reviewer = _Reviewer(record, settings, book, moves, states, stopping)
    tries_to_solve = reviewer.can_solve
    for index in reversed(range(len(moves))):
        ply = plies[index]
        if ply not in found:
            found[ply] = reviewer.review(index, ply, tries_to_solve)
            yield found[ply]
        tries_to_solve = tries_to_solve and found[ply].best.score.is_proven


class _Reviewer:
    """Reviews single moves of a game."""

    def __init__(
        self,
        record: Record,
        settings: Settings,
        book: Book | None,
        moves: Sequence[Any],
        states: Sequence[State],
        stopping: Stopping | None,
    ) -> None:
        self._settings, self._book, self._moves, self._states = settings, book, moves, states
        self._stopping: Stopping = stopping or (lambda stop: nullcontext())
        start = record.start
        self._game = type(start)
        self._evaluation: Evaluation = settings.evaluation_of(start)
        is_bounded = settings.nodes is not None or settings.seconds is not None
        #: Whether an attempt to solve a position differs from a search of it, and ends.
        self.can_solve = (
            start.max_utility > 1 and not start.has_chance and bool(start.evaluations) and is_bounded
        )  # fmt: skip

    def review(self, index: int, ply: int, tries_to_solve: bool) -> MoveReview:
        """Review the move with an index among the moves."""
        state, move = self._states[index], self._moves[index]
        side, text = state.to_move(), state.move_name(move)
        if side == CHANCE:
            return self._chance_move(index, ply, text)
        with self._new_engine() as engine, self._stopping(engine.stop):
            legal = state.legal_moves()
            searches = _Searches(engine, state, self._states[:index], self._settings.evaluation)
            lines = min(2, len(legal))
            found = searches.solve(self._settings, lines) if tries_to_solve else None
            was_solved = found is not None
            if found is None:
                found = searches.search(self._settings.limits(), lines)
            played = next((line for line in found.lines if line.move == move), None)
            if played is None:
                played = self._search_played(searches, move, found, was_solved)
            best, depth = found.lines[0], found.depth
            if found.algorithm == "engine" and not was_solved and self._would_be_marked(best, played, side):
                best, played, depth = self._checked(searches, best, played, depth)
            nodes = searches.nodes
        second = next((line for line in found.lines if line.move not in (best.move, move)), None)
        if self._is_better(played.score, best.score, side):  # by the check, or the searches disagree
            best, second = played, best
        review = MoveReview(
            ply,
            text,
            side,
            self._candidate(best),
            self._candidate(played),
            None if second is None else self._candidate(second),
            depth=depth,
            nodes=nodes,
        )
        if len(legal) == 1:
            return replace(review, not_judged=FORCED)
        if self._book is not None and move in self._book(state, self._moves[index - 1] if index else None):
            return replace(review, not_judged=BOOK)
        return self._judged(review)

    def _new_engine(self) -> Searcher:
        """Return an engine with an empty table."""
        from zermelo.search.default import make_searcher  # loads the compiler, which the web server does not need

        # Scores of several searches to one depth are compared, so all of them are selective or none is.
        return make_searcher(table=TABLE, selective=self._settings.selective or self._settings.confidence or False)

    def _search_played(self, searches: _Searches, move: Any, found: Analysis, was_solved: bool) -> Line:
        """Search the move played as deep as the best moves, or to the end if they are proven."""
        settings = self._settings
        if was_solved:
            line = searches.solve(settings, 1, [move])
            if line is not None:
                return line.lines[0]
        if found.algorithm == "mcts" or settings.exact:
            return searches.search(settings.limits(), 1, [move]).lines[0]
        if found.lines[0].score.is_proven and settings.depth is None:
            return searches.search(Limits(None, settings.seconds, settings.nodes), 1, [move]).lines[0]
        return searches.search(Limits(max(found.depth, 1)), 1, [move]).lines[0]

    def _would_be_marked(self, best: Line, played: Line, side: int) -> bool:
        """Whether the scores of two lines, of which one at least is an estimate, make the second one a marked move."""
        if best.score.is_proven and played.score.is_proven:
            return False
        return marks.mark_of(self._game, max(self._result_loss(best.score, played.score, side), 0.0)) != ""

    def _checked(self, searches: _Searches, best: Line, played: Line, depth: int) -> tuple[Line, Line, int]:
        """Search two moves together and longer, by nodes or seconds; returns their lines and the depth."""
        settings = self._settings
        if settings.nodes is None and settings.seconds is None:
            return best, played, depth
        limits = Limits(
            settings.depth,
            None if settings.seconds is None else min(CHECK * settings.seconds, 999_999_999),
            None if settings.nodes is None else min(CHECK * settings.nodes, MAX_NODES),
        )
        found = searches.search(limits, 2, [best.move, played.move])
        lines = {line.move: line for line in found.lines}
        if len(lines) < 2 or found.depth < depth:
            return best, played, depth
        return lines[best.move], lines[played.move], found.depth

    def _is_better(self, first: Score, second: Score, side: int) -> bool:
        """Whether a score is better for a side than another one."""
        return self._result_loss(first, second, side) > 0 or (self._loss(first, second, side)[0] or 0) > 0

    def _candidate(self, line: Line) -> Candidate:
        return Candidate(line.score, line.moves, line.names, self._result(line.score), self._confidence(line.score))

    def _confidence(self, score: Score) -> int | None:
        """Return how certain a score is that of a search of all moves, in percent; None: nothing is known of that."""
        if score.is_proven:
            return 100
        if score.expected is not None and not self._game.has_chance:
            return None  # of playouts
        return None if self._settings.selective else self._settings.confidence or 100

    def _result(self, score: Score) -> float:
        return expected_result(score, self._states[0], self._evaluation)

    def _result_loss(self, best: Score, played: Score, side: int) -> float:
        return side * (self._result(best) - self._result(played))

    def _loss(self, best: Score, played: Score, side: int) -> tuple[int | float | None, str]:
        """Return the loss of a side with its unit; None if the scores have no common unit."""
        if best.expected is not None and played.expected is not None and not self._states[0].has_chance:
            return None, ""  # of playouts: winning chances
        if best.expected is not None and played.expected is not None:
            return side * (best.expected - played.expected), utility_unit(self._game)
        if best.value is not None and played.value is not None:
            return side * (best.value - played.value), utility_unit(self._game)
        largest = 999_999
        if best.estimate is None or played.estimate is None or largest <= max(abs(best.number), abs(played.number)):
            return None, ""
        return side * (best.estimate - played.estimate), best.unit

    def _judged(self, review: MoveReview) -> MoveReview:
        """Return a review with the loss and the marks."""
        best, played, side = review.best.score, review.played.score, review.side
        result_loss = max(self._result_loss(best, played, side), 0.0)
        loss, unit = self._loss(best, played, side)
        if loss is not None:
            loss = max(loss, 0)
        is_exact = best.is_proven and played.is_proven
        mark = marks.mark_of(self._game, result_loss, float(loss) if is_exact and loss is not None else None)
        wins, still_wins = (
            score.is_proven and (score.value or 0) * side > 0 and score.expected is None for score in (best, played)
        )
        only_move = review.played is review.best or (result_loss == 0 and not loss)
        if only_move:
            gap = 0.0 if review.second is None else self._result_loss(best, review.second.score, side)
            exact_gap = None
            if review.second is not None and is_exact and review.second.score.is_proven:
                exact_gap = float(self._loss(best, review.second.score, side)[0] or 0)
            only_move = marks.mark_of(self._game, gap, exact_gap) in (marks.MISTAKE, marks.BLUNDER)
        return replace(
            review,
            loss=loss,
            unit=unit,
            result_loss=result_loss,
            mark=mark,
            only_move=only_move,
            missed_win=wins and not still_wins and mark != "",
        )

    def _chance_move(self, index: int, ply: int, text: str) -> MoveReview:
        """Return the luck of a roll: the value after it less the value before it, from searches of the same leaves."""
        before, after = self._states[index], self._states[index + 1]
        evaluation = self._settings.evaluation
        with self._new_engine() as engine, self._stopping(engine.stop):
            searches = _Searches(engine, before, self._states[:index], evaluation)
            limits = self._settings.limits()
            if limits.depth is not None:  # to the leaves of the searches of the players' moves
                limits = replace(limits, depth=min(limits.depth + 1, MAX_DEPTH))
            found = searches.search(limits, 1)
            nodes, depth, luck = searches.nodes, found.depth, None
            following: Score | None = None
            if after.is_over():
                following = Score(float(after.utility()), expected=float(after.utility()))
            elif depth > 1 or found.score.is_proven:
                searches = _Searches(engine, after, self._states[: index + 1], evaluation)
                limits = self._settings.limits() if found.score.is_proven else Limits(depth - 1)
                following = searches.search(limits, 1).score
                nodes += searches.nodes
        side = CHANCE if after.is_over() else after.to_move()
        if following is not None and side != CHANCE:
            luck = side * ((following.expected or 0.0) - (found.score.expected or 0.0))
        played = found.score if following is None else following
        return MoveReview(
            ply,
            text,
            CHANCE,
            Candidate(found.score, (), (), self._result(found.score), self._confidence(found.score)),
            Candidate(played, (), (), self._result(played), self._confidence(played)),
            not_judged=CHANCE_MOVE,
            luck=luck,
            depth=depth,
            nodes=nodes,
        )


class _Searches:
    """The searches of one position, with their nodes."""

    def __init__(
        self, engine: Searcher, state: State, history: Sequence[State], evaluation: str | Evaluation | None
    ) -> None:
        self._engine, self._state, self._history, self._evaluation = engine, state, history, evaluation
        self.nodes = 0

    def search(self, limits: Limits, lines: int, moves: Collection[Any] = ()) -> Analysis:
        """Search within limits; the result is that of a complete depth."""
        found = self._run(limits, lines, moves)
        if found.algorithm == "engine" and not found.depth and not found.score.is_proven:
            found = self._run(Limits(1), lines, moves)  # the limit does not suffice for depth 1
        return found

    def solve(self, settings: Settings, lines: int, moves: Collection[Any] = ()) -> Analysis | None:
        """Solve the position; None if the limit does not suffice."""
        found = self._run(Limits(None, settings.seconds, settings.nodes, True), lines, moves)
        return found if all(line.score.is_proven for line in found.lines) and found.lines else None

    def _run(self, limits: Limits, lines: int, moves: Collection[Any]) -> Analysis:
        from zermelo.solve import endgames

        if limits.depth is None:
            endgames.ensure(self._state)
        analyses = self._engine.analysis(
            self._state, limits, evaluation=self._evaluation, lines=lines, history=self._history, moves=moves
        )
        results = list(analyses)
        found = results[-1]
        self.nodes += found.nodes
        if found.algorithm == "engine" and found.reason in _CUT_SHORT and len(results) > 1:
            return results[-2]  # lines of an unfinished depth mix two depths
        return found
