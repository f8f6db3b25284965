"""Parameters and memory of the selective search, `zermelo.search.kernel.selective`.

A selective search looks deeper where it expects the best line, and gives up early what looks bad. Its score may differ
from the minimax value of its depth. What it gives up, and when, is decided by a `Selective`: a value whose fields are
numbers that can be tuned. Scores of the evaluation are in its own unit.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from zermelo.core.evaluation import Evaluation, evaluation_name, resolve_evaluation
from zermelo.core.record import Record, Words, words
from zermelo.errors import LimitError
from zermelo.search.context import HISTORY_SIZE, PLIES
from zermelo.search.table import NO_MOVE

if TYPE_CHECKING:
    from zermelo.core.game import State
    from zermelo.search.limits import Limits

# Selectivity of a search that states no confidence; that of a search at a confidence of c % is 100 - c.
SELECTIVE = 100
#: Confidences in percent that searches can have, each with the number of standard deviations that contain this
#: percentage of a normal distribution. The percentages are those that Othello programs name.
CONFIDENCES = {73: 1.10, 87: 1.51, 95: 1.96, 98: 2.33, 99: 2.58}
# Rows and columns of the table of reductions: depth, number of the move.
REDUCTIONS = 64
# Reductions are kept in parts of a ply.
PLY = 1024
# Size of the table of continuation history, a power of two: half a megabyte, which stays in the processor's cache.
CONTINUATIONS = 1 << 16
# Size of the table of corrections of one side, a power of two.
CORRECTIONS = 1 << 13


# From this depth on ProbCut searches a node to a shallow depth first.
MIN_PROBCUT_DEPTH = 3


def shallow_depth(depth: int) -> int:
    """Return the depth of the search that predicts one of a depth: about half, with the same side to move at the end.

    An evaluation is mostly better for the side that moves next, or worse, so depths of the other parity differ more.
    """
    return 2 * (depth // 4) + depth % 2


@cache
def _reductions(base: int, divisor: int) -> tuple[int, ...]:
    """Late move reductions by depth and number of the move, in parts of a ply."""
    found = [0] * REDUCTIONS**2
    for depth in range(1, REDUCTIONS):
        for number in range(1, REDUCTIONS):
            plies = base / 100 + math.log(depth) * math.log(number) * 100 / divisor
            found[depth * REDUCTIONS + number] = int(plies * PLY)
    return tuple(found)


class Selective(Record):
    """What a selective search gives up. Margins are in units of the evaluation, depths in plies; depth 0: never.

    Parameters
    ----------
    changes : int
        New values of the fields, by name.

    Raises
    ------
    LimitError
        If a name is not that of a field.

    Examples
    --------
    >>> from zermelo.search.selective import Selective
    >>> Selective(null_move_depth=4).null_move_depth
    4
    """

    # Histories of moves are kept from one search of a game to the next, as the transposition table is.
    keep_history: bool = True
    # Confidence in percent, of parameters that were fitted to it; 0: none is stated.
    confidence: int = 0
    # Reverse futility: a node of at most this depth is left if its static score exceeds beta by the margin.
    reverse_futility_depth: int = 7
    reverse_futility_margin: int = 80  # for each ply
    # Correction history: the largest correction of a static score by the results of searches; 0: none.
    correction_limit: int = 32
    # Null move: the side to move passes; if that is still good enough, so is its best move.
    null_move_depth: int = 3  # from this depth on
    null_move_reduction: int = 3
    null_move_divisor: int = 4  # one more ply for this many plies of depth, and for each margin
    null_move_margin: int = 200  # of the static score above beta
    null_move_bonus: int = 3  # plies
    null_move_verification: int = 10  # from this depth on the cutoff is verified, since passing may be the best move
    # ProbCut: `probcut_margins[depth]` around the score of a search of `probcut_depths[depth]`; see `set_probcut`.
    probcut: bool = False
    # Internal iterative reduction: a node without a move of the table is searched a ply less, from this depth on.
    iterative_reduction_depth: int = 4
    # Singular extension: the table's move is searched deeper if all others fall short of its score by a margin.
    singular_depth: int = 0
    singular_margin: int = 2  # for each ply
    # Extensions.
    check_extension: bool = True
    single_reply_extension: bool = True  # where a check has one legal answer
    # Late move reductions: base + ln(depth) * ln(number of the move) / divisor plies, in hundredths.
    reduction_depth: int = 2
    reduction_base: int = 75
    reduction_divisor: int = 225
    reduction_history: int = 8192  # the history score that is worth a ply
    # Late move pruning: after `late_move_count` + depth * depth moves the quiet ones are left out.
    late_move_depth: int = 6
    late_move_count: int = 3
    # Futility: a quiet move cannot raise a static score that is further than this below alpha.
    futility_depth: int = 6
    futility_base: int = 100
    futility_margin: int = 80
    # Losing captures, by static exchange evaluation, worse than this for each ply.
    exchange_depth: int = 6
    exchange_margin: int = 90
    # Quiet moves that lose more than the margin times the square of the reduced depth, by static exchange evaluation.
    quiet_exchange_depth: int = 9  # only at reduced depths below this
    quiet_exchange_margin: int = 25
    # Quiescence: a capture must come within this of alpha.
    delta_margin: int = 150
    probcut_depths: Words = words(REDUCTIONS)
    probcut_margins: Words = words(REDUCTIONS)
    # Computed from `reduction_base` and `reduction_divisor`: by depth and number of the move, in parts of a ply.
    reductions: Words = words(REDUCTIONS * REDUCTIONS)

    def __init__(self, **changes: int) -> None:
        super().__init__()
        for name, value in changes.items():
            if name not in self.record_defaults:
                raise LimitError(
                    f"unknown parameter of the selective search: {name}; known: {', '.join(self.record_defaults)}"
                )
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("reduction_base", "reduction_divisor"):
            reductions = self.reductions
            for index, plies in enumerate(_reductions(self.reduction_base, max(self.reduction_divisor, 1))):
                reductions[index] = plies

    def set_probcut(self, depth: int, shallow: int, margin: int) -> Self:
        """Predict searches of a depth by shallow ones: cut where their score is outside the window by a margin."""
        self.probcut_depths[depth], self.probcut_margins[depth] = shallow, margin
        self.probcut = True
        return self

    @classmethod
    def at_confidence(cls, confidence: int, evaluation: Evaluation, state: State) -> Self:
        """Return the parameters of a search that gives up nodes by ProbCut alone, at a confidence.

        Parameters
        ----------
        confidence : int
            One of `CONFIDENCES`: the percentage of cutoffs that the search of the whole depth would confirm.
        evaluation : Evaluation
            The evaluation, which defines `search_error`.
        state : State
            The state that is searched; the errors are those about it.

        Raises
        ------
        LimitError
            If there is no such confidence, or the evaluation does not know its errors.
        """
        check_confidence(confidence)
        found = cls(
            confidence=confidence, correction_limit=0, reverse_futility_depth=0, iterative_reduction_depth=0,
            null_move_depth=0, reduction_depth=0, late_move_depth=0, futility_depth=0, exchange_depth=0,
            quiet_exchange_depth=0,
        )  # fmt: skip
        for depth in range(MIN_PROBCUT_DEPTH, REDUCTIONS):
            shallow = shallow_depth(depth)
            error = evaluation.search_error(state, depth, shallow)
            if error <= 0:
                raise LimitError(_without_errors(evaluation, state))
            found.set_probcut(depth, shallow, math.ceil(CONFIDENCES[confidence] * error))
        return found

    @property
    def content(self) -> tuple[Any, ...]:
        """All fields, for comparison."""
        return tuple(self._words)


class SelectiveContext(Record):
    """What one thread of a selective search keeps beside its `SearchContext`."""

    is_full: bool  # nothing is given up: the search proves a score
    root_depth: int  # depth of the root: lines of twice as many plies are not extended
    score: int  # of the last search of `null_window_tests`, from the mover's side
    is_cut: bool  # whether it decided the node
    extended: int  # the move that is extended
    passing_ply: int  # no null move above this ply, while one is verified
    in_check: Words = words(PLIES)  # whether the side to move is in check, by ply
    static_scores: Words = words(PLIES)  # static scores of the path, from MAX's side
    moves: Words = words(PLIES)  # moves of the path; the first one leads to ply 1
    excluded: Words = words(PLIES)  # a move that is not searched, by ply; `NO_MOVE`: none
    leaves_out_quiet: Words = words(PLIES)  # whether the quiet moves that are left are not searched, by ply
    may_defer: Words = words(PLIES)  # whether the move may be deferred (1) and is (2), by ply
    counter_moves: Words = words(2 * HISTORY_SIZE)  # the quiet move that refuted a move, by side
    history: Words = words(2 * HISTORY_SIZE)  # MAX's moves, then MIN's
    continuations: Words = words(CONTINUATIONS)
    corrections: Words = words(2 * CORRECTIONS)  # of static scores, by side to move

    def begin(self, keeps_history: bool = False) -> None:
        """Forget the path, and the histories of moves and scores unless they are kept."""
        self.fill("static_scores", 0)
        for name in ("moves", "excluded"):
            self.fill(name, NO_MOVE)
        if not keeps_history:
            for name in ("history", "continuations", "corrections"):
                self.fill(name, 0)
            self.fill("counter_moves", NO_MOVE)


def check_confidence(confidence: int | None) -> None:
    """Raise `LimitError` for a confidence that searches cannot have; None and 100 are those of exact searches."""
    if confidence not in (None, 100, *CONFIDENCES):
        known = ", ".join(map(str, CONFIDENCES))
        raise LimitError(f"confidence must be one of {known} or 100 percent (got {confidence})")


def evaluations_with_errors(game: type[State]) -> list[str]:
    """Return the names of the game's evaluations that know the errors of searches: those for a confidence."""
    known = game.evaluations
    listed = getattr(known, "kinds", None)  # of `EvaluationFiles`: it reads no weights
    kinds = listed() if listed else {name: type(each) for name, each in known.items()}
    return [name for name, kind in kinds.items() if kind.search_error is not Evaluation.search_error]


def _without_errors(evaluation: Evaluation, state: State) -> str:
    name = evaluation_name(state, evaluation)
    known = evaluations_with_errors(type(state))
    others = f"choose {' or '.join(known)}" if known else f"no evaluation of {type(state).__name__} does"
    return f"confidence: the evaluation {name} does not define search_error, the errors of its searches; {others}"


def selective_default(state: State | type[State], limits: Limits) -> bool:
    """Return whether a search is selective by default: with no limit but time, in games that declare it."""
    has_time = limits.seconds is not None or limits.soft_seconds is not None
    others = (limits.depth, limits.nodes, limits.exact)
    return state.selective_on_clock and has_time and others == (None, None, False)


def parameters_for(
    state: State, limits: Limits, wanted: Selective | bool | int | None, evaluation: str | Evaluation | None = None
) -> Selective | None:
    """Return the parameters of a search, None if it is exact.

    Parameters
    ----------
    state : State
        The state to search.
    limits : Limits
        Its limits.
    wanted : Selective, bool, int or None
        The parameters; or whether it is selective; or its confidence in percent; None leaves this to
        `selective_default`.
    evaluation : str or Evaluation, optional
        Its evaluation; by default that of the game's selective searches.

    Raises
    ------
    LimitError
        If the search cannot have this confidence.
    """
    if limits.exact or state.has_chance or not state.is_compiled:
        return None
    if wanted is None:
        wanted = selective_default(state, limits)
    if not isinstance(wanted, int | Selective):
        raise LimitError(f"selective must be True, False, a confidence in percent or a Selective (got {wanted!r:.60})")
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        resolved = resolve_evaluation(state, evaluation, selective=True)
        return None if wanted == 100 else Selective.at_confidence(wanted, resolved, state)
    return Selective() if wanted is True else wanted or None
