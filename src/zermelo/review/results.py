"""What a review finds: `Candidate`, `MoveReview`, and `GameReview` with the figures of each side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from zermelo import formatting
from zermelo._util.notebooks import ShowsWidget
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.formats.record import Record
from zermelo.review import marks
from zermelo.review.expected_result import result_of_end
from zermelo.search.analysis import Score

#: Units of utility, for proven scores; other games count in `utility`.
_UTILITIES = {
    "zermelo.games.othello.rules.Othello": "discs",
    "zermelo.games.othello.boards.Othello6": "discs",
    "zermelo.games.othello.boards.Othello10": "discs",
    "zermelo.games.backgammon.rules.Backgammon": "points",
    "zermelo.games.bridge.rules.Bridge": "tricks",
}

#: Why a move is not judged: its only legal move, a move of the opening book, a roll of the dice.
FORCED, BOOK, CHANCE_MOVE = "forced", "book", "chance"


def utility_unit(game: type[State]) -> str:
    """Return what a game counts its utilities in."""
    return _UTILITIES.get(f"{game.__module__}.{game.__qualname__}", "utility")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move with its score.

    Attributes
    ----------
    score : Score
        From MAX's side.
    moves, names : tuple
        The line, the move itself first, as moves and in the game's notation.
    result : float
        Expected result for MAX, 0 to 1.
    confidence : int or None
        How certain the score is that of a search of all moves, in percent: 100 if it is, or if the score is proven.
        None: nothing is known of that, as after playouts and selective searches that state none.
    """

    score: Score
    moves: tuple[Any, ...]
    names: tuple[str, ...]
    result: float
    confidence: int | None = 100

    @property
    def is_selective(self) -> bool:
        """Whether the score is that of a selective search, and not proven. Playouts have an expected utility."""
        return self.confidence != 100 and self.score.expected is None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {**self.score.as_dict(), "confidence": self.confidence, "selective": self.is_selective}
        return {**data, "result": self.result, "line": list(self.names)}


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A move of a game, compared with the best one.

    Attributes
    ----------
    ply : int
        Index of the move among the steps of the main line, from 0.
    text : str
        The move in the game's notation.
    side : int
        Who made it: MAX, MIN or CHANCE.
    best, played : Candidate
        The best move and the move played, from searches of the same depth. Where chance moves, `best` is the position
        before the move and `played` the one after it.
    second : Candidate or None
        The second best move, if it is known.
    not_judged : str
        Why the move has no loss and no mark: "forced", "book" or "chance"; empty if it has.
    loss : float or None
        The loss of the side that moved, in `unit`; None where the two scores have no common unit.
    unit : str
        The unit of the loss: that of the evaluation, or of utilities if both scores are proven.
    result_loss : float
        The loss of expected result, 0 to 1.
    mark : str
        "inaccuracy", "mistake", "blunder" or empty.
    only_move : bool
        The move is the best, and every other legal move would be a mistake or a blunder.
    missed_win : bool
        The best move is proven to win, and this one gives the win away.
    luck : float or None
        Where chance moves: gain of expected utility for the side that moves next.
    depth : int
        Depth of the searches in plies; 0 of searches that have none.
    nodes : int
        States visited by the searches of this move.
    """

    ply: int
    text: str
    side: int
    best: Candidate
    played: Candidate
    second: Candidate | None = None
    not_judged: str = ""
    loss: float | None = None
    unit: str = ""
    result_loss: float = 0.0
    mark: str = ""
    only_move: bool = False
    missed_win: bool = False
    luck: float | None = None
    depth: int = 0
    nodes: int = 0

    @property
    def is_judged(self) -> bool:
        """Whether the move has a loss."""
        return not self.not_judged

    @property
    def is_exact(self) -> bool:
        """Whether both scores are proven, and so the loss is."""
        return self.best.score.is_proven and self.played.score.is_proven

    @property
    def confidence(self) -> int | None:
        """The lower `Candidate.confidence` of the best move and the move played; None if one is not known."""
        found = [each.confidence for each in (self.best, self.played)]
        return None if None in found else min(each or 0 for each in found)

    @property
    def is_selective(self) -> bool:
        """Whether the score of the best move or of the move played is that of a selective search."""
        return self.best.is_selective or self.played.is_selective

    @property
    def is_best(self) -> bool:
        """Whether no move is better."""
        return self.is_judged and self.result_loss == 0 and not self.loss

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; `review_file` reads it back."""
        data = {
            "ply": self.ply,
            "move": self.text,
            "side": {MAX: "max", MIN: "min", CHANCE: "chance"}[self.side],
            "best": self.best.as_dict(),
            "played": self.played.as_dict(),
            "second": None if self.second is None else self.second.as_dict(),
            "not_judged": self.not_judged,
            "loss": self.loss,
            "unit": self.unit,
            "result_loss": self.result_loss,
            "mark": self.mark,
            "exact": self.is_exact,
            "only_move": self.only_move,
            "missed_win": self.missed_win,
            "depth": self.depth,
            "nodes": self.nodes,
        }
        return data if self.luck is None else {**data, "luck": self.luck}


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one side.

    Attributes
    ----------
    player : str
        The game's name for the side.
    name : str
        The name of who played it, from the file; empty if it has none.
    accuracy : float or None
        In percent; None if no move was judged.
    judged : int
        Number of moves that were judged.
    marks : dict
        Number of inaccuracies, mistakes and blunders.
    missed_wins, only_moves : int
    mean_loss : dict
        Mean loss of the moves whose loss has the unit, by unit.
    luck : float or None
        Sum of the luck of the rolls, in games of chance.
    """

    player: str
    name: str
    accuracy: float | None
    judged: int
    marks: dict[str, int]
    missed_wins: int
    only_moves: int
    mean_loss: dict[str, float]
    luck: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "player": self.player,
            "name": self.name,
            "accuracy": self.accuracy,
            "judged": self.judged,
            "marks": self.marks,
            "missed_wins": self.missed_wins,
            "only_moves": self.only_moves,
            "mean_loss": self.mean_loss,
            "luck": self.luck,
        }


@dataclass(slots=True)
class GameReview(ShowsWidget):
    """The review of a game, complete or not: `moves` by ply."""

    record: Record
    moves: dict[int, MoveReview] = field(default_factory=dict)

    def add(self, move: MoveReview) -> None:
        """Add the review of a move."""
        self.moves[move.ply] = move

    def in_order(self) -> list[MoveReview]:
        """Return the moves reviewed so far in the order of the game."""
        return [self.moves[ply] for ply in sorted(self.moves)]

    @property
    def is_complete(self) -> bool:
        """Whether all moves of the main line have been reviewed."""
        return all(ply in self.moves for ply, step in enumerate(self.record.line.steps) if step.move is not None)

    def summary(self, side: int) -> Summary:
        """Return the figures of a side, `MAX` or `MIN`."""
        judged = [move for move in self.in_order() if move.side == side and move.is_judged]
        counts = Counter(move.mark for move in judged)
        losses: dict[str, list[float]] = {}
        for move in judged:
            if move.loss is not None:
                losses.setdefault(move.unit, []).append(move.loss)
        state = self.record.start
        return Summary(
            state.player_name(side),
            player_tag(self.record, side),
            marks.accuracy([move.result_loss for move in judged]),
            len(judged),
            {mark: counts[mark] for mark in marks.MARKS},
            sum(move.missed_win for move in judged),
            sum(move.only_move for move in judged),
            {unit: sum(each) / len(each) for unit, each in losses.items()},
            self._luck(side) if state.has_chance else None,
        )

    def _luck(self, side: int) -> float:
        """Return the luck of the rolls that a side played."""
        total, state = 0.0, self.record.start
        for ply, step in enumerate(self.record.line.steps):
            if step.move is None:
                continue
            after = state.play(step.move)
            found = self.moves.get(ply)
            if found is not None and found.luck is not None and not after.is_over() and after.to_move() == side:
                total += found.luck
            state = after
        return total

    def curve(self) -> list[float | None]:
        """Return the expected result for MAX before each step and at the end; None where it is not known yet."""
        results: list[float | None] = []
        for ply in range(len(self.record.line.steps)):
            found = self.moves.get(ply)
            results.append(None if found is None else found.best.result)
        last = self.moves.get(len(results) - 1)
        estimate = None if last is None else last.played.result
        ended = result_of_end(self.record.end())
        return [*results, estimate if ended is None else ended]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "tags": self.record.tags,
            "result": self.record.result,
            "start": str(self.record.start),
            "complete": self.is_complete,
            "sides": {"max": self.summary(MAX).as_dict(), "min": self.summary(MIN).as_dict()},
            "curve": self.curve(),
            "moves": [move.as_dict() for move in self.in_order()],
        }


def player_tag(record: Record, side: int) -> str:
    """Return the name of who played a side, from the tags of the file; empty if there is none."""
    name = record.start.player_name(side)
    return record.tags.get(name, record.tags.get(name.capitalize(), ""))


def move_label(record: Record, ply: int) -> str:
    """Return the number of a move as game files write it: `12.` for MAX, `12...` for MIN."""
    number, state = record.first_move_number, record.start
    for step in record.line.steps[:ply]:
        number += state.to_move() == MIN
        if step.move is not None:
            state = state.play(step.move)
    return f"{number}{'...' if state.to_move() == MIN else '.'}"


def loss_text(move: MoveReview) -> str:
    """Return the loss of a move with its unit; of moves without a unit the loss of winning chances."""
    if move.loss is None:
        return f"{100 * move.result_loss:.0f} % winning chances"
    return formatting.with_unit(move.loss, move.unit)
