"""Results of a search: `Analysis`, its `Line`s and their `Score`s."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import total_ordering
from typing import TYPE_CHECKING, Any

from zermelo._util.notebooks import ShowsWidget
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.scores import Scale
    from zermelo.search.solved_scores import MoveScore


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score from MAX's side: either a proven value or an estimate by an evaluation.

    Attributes
    ----------
    value : int or float or None
        Utility with best play by both sides, proven: no evaluation took part in it. None if it is not proven.
        In games of chance the expected utility, a float.
    plies : int or None
        Plies to the end of the game. Known for proven wins and losses of games whose wins are all worth the same
        (`max_utility` 1); None otherwise.
    estimate : int or None
        Score in units of the evaluation, None if `value` is known. Estimates lie strictly between -1,000,000 and
        1,000,000. Two estimates stand for more: in games whose wins differ in size, 1,000,000 + 1,000 * u is a
        certain win by at least u; and 999,999 is a win seen by the quiescence search, which is not proven.
    unit : str
        Name of the evaluation's unit (`Evaluation.unit_name`), for example "centipawns" or "discs".
    expected : float or None
        Expected utility, in games of chance and from the playouts of Monte Carlo tree search; None otherwise.
    number : int
        The score as one integer, as stores and training data keep it: the value if it is proven, else the estimate;
        in games of chance always in units of the evaluation.

    Notes
    -----
    Scores of one search are ordered as the search orders them: losses (nearer ones first), estimates and draws,
    wins (nearer or larger ones last). Scores of different units cannot be compared meaningfully.

    Examples
    --------
    >>> from zermelo import MAX, MIN, Score
    >>> win = Score(value=1, plies=5)
    >>> print(win, win.is_proven)
    +1 in 5 plies True
    >>> print(win.pov(MIN), Score(estimate=-34, unit="centipawns"))
    -1 in 5 plies -34 centipawns
    >>> Score(estimate=900) < win < Score(value=1, plies=3)
    True
    """

    value: int | float | None = None
    plies: int | None = None
    estimate: int | None = None
    unit: str = "evaluation units"
    expected: float | None = None
    number: int = field(default=0, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.expected is None:
            number = self.value if self.value is not None else self.estimate
            object.__setattr__(self, "number", int(number or 0))

    @property
    def is_proven(self) -> bool:
        """Whether `value` is known."""
        return self.value is not None

    def pov(self, side: int) -> Score:
        """Return the score from a side's point of view.

        Parameters
        ----------
        side : int
            `MAX` or `MIN`.

        Raises
        ------
        InputError
            If `side` is neither.
        """
        if side == MAX:
            return self
        if side != MIN:
            raise InputError(f"side must be MAX (1) or MIN (-1) (got {side!r})")
        return Score(
            None if self.value is None else -self.value,
            self.plies,
            None if self.estimate is None else -self.estimate,
            self.unit,
            None if self.expected is None else -self.expected,
            -self.number,
        )

    def __str__(self) -> str:
        if self.expected is not None:
            return f"{self.expected:+.4f} expected" + ("" if self.is_proven else f" ({self.number:+d} {self.unit})")
        if self.value is None:
            return f"{self.estimate or 0:+d} {self.unit}"
        value = f"{self.value:+d}" if self.value else "0"
        return value if self.plies is None else f"{value} in {self.plies} {'ply' if self.plies == 1 else 'plies'}"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self._rank() < other._rank()

    def _rank(self) -> tuple[float, float, int]:
        if self.expected is not None:
            return 0, self.expected, 0
        if self.value:
            sign = 1 if self.value > 0 else -1
            return sign, self.value, -sign * (self.plies or 0)
        return 0, self.estimate or 0, 0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields `value`, `plies`, `estimate`, `unit` and `expected` for JSON."""
        return {name: getattr(self, name) for name in ("value", "plies", "estimate", "unit", "expected")}


def make_score(state: State, score: int, scale: Scale, evaluation: Evaluation, proven: bool) -> Score:
    """Make a `Score` of the search's integer: `score` on `scale`, estimated by `evaluation` unless it is proven."""
    from zermelo.search.scores import expected_of, plies_of, points_of, utility_of

    unit = evaluation.unit_name
    if state.has_chance:
        expected, number = expected_of(state, score, scale), points_of(score, scale, evaluation)
        return Score(expected if proven else None, None, None if proven else number, unit, expected, number)
    if proven:
        return Score(utility_of(score, scale), plies_of(score, scale), unit=unit)
    return Score(estimate=score, unit=unit)


@dataclass(frozen=True)
class Line:
    """One root move with its score and principal variation.

    Attributes
    ----------
    move : int
        The root move.
    moves : tuple of int
        Principal variation from the root on; `move` is the first.
    names : tuple of str
        The same moves in the game's notation.
    score : Score
        From MAX's side.
    visits : int or None
        Monte Carlo tree search: the playouts of the move; None in other searches.
    win_rate : float or None
        Monte Carlo tree search: the mean result of these playouts for the side to move, 0 to 1; a draw counts 0.5, and
        in games with graded wins the largest win 1. None in other searches.
    """

    move: int
    moves: tuple[int, ...]
    names: tuple[str, ...]
    score: Score
    visits: int | None = None
    win_rate: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; `visits` and `win_rate` of Monte Carlo tree search only."""
        counted = {"visits": self.visits, "win_rate": self.win_rate} if self.visits is not None else {}
        return {"best": self.names[0], **self.score.as_dict(), **counted, "line": list(self.names)}


@dataclass(frozen=True)
class Analysis(ShowsWidget):
    """Result of a search.

    Attributes
    ----------
    state : State
        The state that was searched.
    game, position : str
        Class of the game, and the state as text.
    to_move : str
        Side to move: "MAX", "MIN", "CHANCE", or "none" if the game is over.
    player : str
        The game's name for that side.
    best : str or None
        Best move in the game's notation; None if the game is over or chance moves.
    move : int or None
        The same move as an int for `state.play`.
    score : Score
        From MAX's side. `score.pov(state.to_move())` is the mover's view.
    line : tuple of str
        Principal variation, `best` first.
    lines : tuple of Line
        The best moves with their scores, best for the mover first, as many as were asked for.
    depth : int
        Plies to which every line was searched; in a search to the end of the game the length of the principal
        variation, in Monte Carlo tree search of the longest path in the tree. 0 if not even depth 1 was finished.
    nodes : int
        States visited by all threads; in Monte Carlo tree search the playouts.
    seconds : float
        Wall-clock time of the search, without compiling.
    reason : str
        Why the search ended: "depth", "seconds", "nodes", "exact" (solved), "stopped" (by `Engine.stop`),
        "interrupted" (Ctrl-C on the command line), "game over", "rounded" (searched to the end, but means over
        chance were rounded to integers), "book" (looked up in an opening book), "table" (in an endgame table), or
        "searching" if it goes on.
    evaluation, algorithm : str
        Names of the evaluation and the algorithm.
    threads : int
        Threads that searched together.
    confidence : int or None
        How certain the scores are those of a search of all moves to this depth, in percent: 100 for an exact search
        and if every line is proven; less for a selective search whose margins were fitted to it. None: nothing is known
        of that, as in other selective searches and in Monte Carlo tree search.
    is_selective : bool
        Whether moves that matter may have been left out: the score of a line is neither exact nor proven.
    selectivity : str
        The same as text: "selective", "selective, confidence 95 %", or an empty text if the search was not selective,
        and for what is looked up or from Monte Carlo tree search.

    Notes
    -----
    A search that is stopped in the middle of a depth may already have found a better move there. Then the first line,
    and with it `best` and `score`, belongs to depth + 1. If that line has a single move, the score is a lower bound
    from the mover's side.
    """

    state: State = field(repr=False)
    game: str
    position: str
    to_move: str
    player: str
    best: str | None
    move: int | None
    score: Score
    line: tuple[str, ...]
    lines: tuple[Line, ...]
    depth: int
    nodes: int
    seconds: float
    reason: str
    evaluation: str
    algorithm: str
    threads: int
    confidence: int | None = None

    def __post_init__(self) -> None:
        if all(each.score.is_proven for each in self.lines or (self,)):
            object.__setattr__(self, "confidence", 100)

    @property
    def is_selective(self) -> bool:
        return self.confidence != 100

    @property
    def selectivity(self) -> str:
        if self.algorithm != "engine" or not self.is_selective or not self.depth:  # 0: from a book or a table
            return ""
        return "selective" if self.confidence is None else f"selective, confidence {self.confidence} %"

    @property
    def move_scores(self) -> tuple[MoveScore, ...]:
        """Solved scores of all moves for the side to move, as solvers of the game print them.

        Empty if the game has no such scores, or if one line of several was asked for.
        """
        from zermelo.search.solved_scores import has_solved_scores, move_scores

        if not self.lines or not has_solved_scores(self.state):
            return ()
        if len(self.lines) == 1 < len(self.state.legal_moves()):
            return ()
        proven = [line for line in self.lines if line.score.value is not None]
        return move_scores(
            self.state, {line.names[0]: (int(line.score.value or 0), line.score.plies) for line in proven}
        )

    @property
    def nodes_per_second(self) -> float:
        """States visited per second; 0 if no time was measured."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        from zermelo._util.html import table

        if len(self.lines) > 1:
            rows = [(line.names[0], line.score, " ".join(line.names)) for line in self.lines]
            found = [f"depth {self.depth}", self.selectivity, f"{self.nodes:,} nodes"]
            return table(("best", "score", "line"), rows, ", ".join([self.game, *filter(None, found)]))
        facts = {
            "to move": self.player,
            "best": self.best or "-",
            "score": self.score,
            "line": " ".join(self.line) or "-",
            "depth": f"{self.depth} ({self.reason})",
            "nodes": f"{self.nodes:,} in {self.seconds:.2f} s",
            **({"search": self.selectivity} if self.selectivity else {}),
        }
        return table((), facts.items(), self.game)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: all fields but the state. Scores are from MAX's side.

        `move_scores`, which are from the side to move, are there if the analysis has any.
        """
        scores = self.move_scores
        return {
            "game": self.game,
            "position": self.position,
            "to_move": self.to_move,
            "player": self.player,
            "best": self.best,
            **self.score.as_dict(),
            "line": list(self.line),
            "lines": [line.as_dict() for line in self.lines],
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "nodes_per_second": round(self.nodes_per_second),
            "reason": self.reason,
            "evaluation": self.evaluation,
            "algorithm": self.algorithm,
            "threads": self.threads,
            "confidence": self.confidence,
            **({"move_scores": [each._asdict() for each in scores]} if scores else {}),
        }


SIDES = {MAX: "MAX", MIN: "MIN", CHANCE: "CHANCE"}


def line_names(state: State, moves: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of moves played one after another from a state."""
    names = []
    for move in moves:
        names.append(state.move_name(move))
        state = state.play(move)
    return tuple(names)


def side_names(state: State) -> tuple[str, str]:
    """Return the side to move as `Analysis.to_move` and `Analysis.player` name it."""
    if state.is_over():
        return "none", "none"
    return SIDES[state.to_move()], state.player_name(state.to_move())
