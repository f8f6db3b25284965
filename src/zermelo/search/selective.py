"""Parameters and memory of the selective search, `zermelo.search.kernel.selective`.

A selective search looks deeper where it expects the best line, and gives up early what looks bad. Its score may differ
from the minimax value of its depth. What it gives up, and when, is decided by a `Selective`: a value whose fields are
numbers that can be tuned. Scores of the evaluation are in its own unit.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from zermelo.core.evaluation import Evaluation, evaluation_name, resolve_evaluation
from zermelo.core.record import Record, Words, words
from zermelo.errors import GameError, LimitError
from zermelo.search.context import HISTORY_SIZE, PLIES
from zermelo.search.limits import MAX_DEPTH
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
# Estimates lie below this, so a larger margin prunes nothing more or less.
LARGEST_MARGIN = 1_000_000


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


class Field(int):
    """A parameter of the selective search: its default value, with its range and its meaning.

    Attributes
    ----------
    name : str
    lowest, highest : int
        The range of its values.
    meaning : str
        What it does, as a sentence.
    tuned : tuple of int or None
        The range within which `zermelo learn GAME tune` moves it; None if it cannot be tuned.
    """

    name: str
    lowest: int
    highest: int
    meaning: str
    tuned: tuple[int, int] | None

    def __new__(
        cls, default: int, lowest: int, highest: int, meaning: str, tuned: tuple[int, int] | None = None
    ) -> Self:
        made = super().__new__(cls, default)
        made.lowest, made.highest, made.meaning, made.tuned = lowest, highest, meaning, tuned
        return made

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        FIELDS[name] = self

    def check(self, value: object) -> int:
        """Return a value of the field as an integer. Raises `LimitError` if it is not one, or out of range."""
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            number = self.lowest - 1
        if not self.lowest <= number <= self.highest:
            raise LimitError(
                f"{self.name} must be an integer from {self.lowest:,} to {self.highest:,} (got {value!r:.60})"
            )
        return number


#: The parameters of the selective search that are numbers, by name.
FIELDS: dict[str, Field] = {}


def _field(default: int, lowest: int, highest: int, meaning: str, tuned: tuple[int, int] | None = None) -> Any:
    """Declare a parameter in the body of `Selective`."""
    return Field(default, lowest, highest, meaning, tuned)


def _switch(default: bool, meaning: str) -> Any:
    return Field(default, 0, 1, meaning)


def _depth(default: int, meaning: str) -> Any:
    return Field(default, 0, MAX_DEPTH, meaning)


def _margin(default: int, meaning: str, tuned: tuple[int, int] | None = None, lowest: int = 0) -> Any:
    """Declare a margin in units of the evaluation: centipawns in chess."""
    return Field(default, lowest, LARGEST_MARGIN, meaning, tuned)


class Selective(Record):
    """Parameters of a selective search: what it prunes, reduces and extends. An immutable value.

    Margins are in units of the evaluation. The defaults are those of chess, in centipawns; a game declares its own as
    `selective_parameters`, see `of_game`. Depths are in plies.

    Raises
    ------
    LimitError
        If a name is not that of a parameter, or a value is not an integer in its range.

    Examples
    --------
    >>> from zermelo.search.selective import Selective
    >>> Selective(null_move_depth=4).null_move_depth
    4
    >>> Selective(null_move_depth=4, futility_base=100)
    Selective(null_move_depth=4)
    >>> Selective(null_move_depth=3) == Selective()
    True
    """

    keep_history: bool = _switch(True, "Keep the histories of moves from one search of a game to the next.")
    killer_moves: bool = _switch(True, "Search killer moves and counter moves before other quiet moves.")
    continuation_history: bool = _switch(
        True, "Continuation history: order quiet moves by how well they did after the two moves before them."
    )
    capture_history: bool = _switch(
        True, "Capture history: order tactical moves of equal value by the cutoffs that they caused before."
    )
    improving: bool = _switch(
        True, "Improving: prune and reduce less where the static score is better than two plies before."
    )
    aspiration_window: int = _margin(
        16, "Aspiration window: half its width, around the score of the depth before; 0: the full window.", (4, 100)
    )
    confidence: int = _field(
        0, 0, 99, "Confidence in percent that results state, of margins that were fitted to it; 0: none is stated."
    )
    reverse_futility_depth: int = _field(
        7, 0, MAX_DEPTH, "Reverse futility: cut off nodes of at most this depth; 0: never.", (1, 12)
    )
    reverse_futility_margin: int = _margin(
        80, "Reverse futility: margin for each ply by which the static score must exceed beta.", (10, 300)
    )
    correction_limit: int = _field(
        32, 0, 10_000, "Correction history: largest correction of a static score; 0: none.", (1, 200)
    )
    null_move_depth: int = _depth(3, "Null move: try it from this depth on; 0: never.")
    null_move_reduction: int = _field(
        3, 0, MAX_DEPTH, "Null move: plies by which the search after it is reduced.", (1, 6)
    )
    null_move_divisor: int = _field(
        4, 1, MAX_DEPTH, "Null move: reduce by one more ply for each of these plies of depth."
    )
    null_move_margin: int = _margin(
        200, "Null move: reduce by one more ply for each of these margins of the static score above beta.", (50, 600), 1
    )
    null_move_bonus: int = _depth(3, "Null move: most plies that `null_move_margin` adds.")
    null_move_verification: int = _depth(
        10, "Null move: verify the cutoff by a search without null moves, from this depth on, against zugzwang."
    )
    probcut: bool = _switch(False, "ProbCut, with the margins of `with_probcut`.")
    iterative_reduction_depth: int = _depth(
        4, "Internal iterative reduction: search a node without a table move a ply less, from this depth on; 0: never."
    )
    singular_depth: int = _depth(
        0, "Singular extension: extend the table move if all others score less by a margin, from this depth; 0: never."
    )
    singular_margin: int = _margin(2, "Singular extension: margin below the table move, for each ply of depth.")
    check_extension: bool = _switch(True, "Search a move that gives check a ply deeper.")
    single_reply_extension: bool = _switch(True, "Search the only legal answer to a check a ply deeper.")
    reduction_depth: int = _depth(2, "Late move reductions: from this depth on; 0: never.")
    reduction_base: int = _field(
        75, 0, 10_000, "Late move reductions: hundredths of a ply for each reduced move.", (0, 250)
    )
    reduction_divisor: int = _field(
        225, 1, 1_000_000,
        "Late move reductions: add ln(depth) ln(number of the move) plies, divided by hundredths of this.", (80, 600),
    )  # fmt: skip
    reduction_history: int = _field(
        8192, 1, 1_000_000, "Late move reductions: history score that counts for a ply.", (1000, 30_000)
    )
    late_move_depth: int = _depth(6, "Late move pruning: at most at this depth; 0: never.")
    late_move_count: int = _field(
        3, 0, 10_000, "Late move pruning: skip quiet moves after this number of moves and the square of the depth.",
        (1, 15),
    )  # fmt: skip
    futility_depth: int = _depth(6, "Futility pruning: skip quiet moves of at most this reduced depth; 0: never.")
    futility_base: int = _margin(
        100, "Futility pruning: distance of the static score below alpha at which a quiet move is skipped.", (0, 400)
    )
    futility_margin: int = _margin(80, "Futility pruning: what each ply of the reduced depth adds to it.", (10, 300))
    exchange_depth: int = _depth(
        6, "Pruning by exchanges: skip captures that lose too much, at most at this depth; 0: never."
    )
    exchange_margin: int = _margin(90, "Pruning by exchanges: what a capture may lose for each ply.", (10, 300))
    quiet_exchange_depth: int = _depth(
        9, "Pruning by exchanges: skip quiet moves that lose too much, at reduced depths below this; 0: never."
    )
    quiet_exchange_margin: int = _margin(
        25, "Pruning by exchanges: what a quiet move may lose, times the square of the reduced depth.", (5, 100)
    )
    delta_margin: int = _margin(
        150, "Delta pruning: in quiescence search a capture must come within this of alpha.", (20, 500)
    )
    probcut_depths: Words = words(REDUCTIONS)
    probcut_margins: Words = words(REDUCTIONS)
    # Computed from `reduction_base` and `reduction_divisor`: by depth and number of the move, in parts of a ply.
    reductions: Words = words(REDUCTIONS * REDUCTIONS)

    def __init__(self, **parameters: int) -> None:
        super().__init__()
        for name, value in parameters.items():
            if name not in FIELDS:
                raise LimitError(f"unknown parameter of the selective search: {name}; known: {', '.join(FIELDS)}")
            setattr(self, name, FIELDS[name].check(value))
        # At once, not word by word: most searches make these parameters anew, also those of a few milliseconds.
        reductions = self.record_fields["reductions"]
        end = reductions.offset + reductions.length
        self._memory[reductions.offset : end] = _reductions(self.reduction_base, self.reduction_divisor)
        self._is_made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_is_made" in vars(self):
            raise AttributeError(f"Selective is immutable: {name} cannot be set")
        super().__setattr__(name, value)

    @classmethod
    def of_game(cls, game: State | type[State], **parameters: int) -> Self:
        """Return the parameters of a game's selective searches: the defaults, changed by its `selective_parameters`.

        Parameters
        ----------
        game : State or type of State
        parameters : int
            Further changes, by name.

        Raises
        ------
        GameError
            If the game declares a wrong name or value.
        LimitError
            If `parameters` has one.
        """
        declared = dict(game.selective_parameters)
        try:
            made = cls(**declared)
        except (LimitError, TypeError) as error:  # TypeError: a name that is not a text
            name = game.__name__ if isinstance(game, type) else type(game).__name__
            raise GameError(f"{name}.selective_parameters: {error}") from None
        return cls(**{**declared, **parameters}) if parameters else made

    def with_probcut(self, margins: Mapping[int, tuple[int, int]]) -> Self:
        """Return these parameters with ProbCut.

        Parameters
        ----------
        margins : mapping of int to tuple of int
            By depth, 1 to 63: the depth of the shallow search that predicts the score, and the margin: nodes are cut
            off if its score is outside the window by this.

        Raises
        ------
        LimitError
            If a depth or margin is out of range.
        """
        made = type(self)(**{**self.changes(), "probcut": True})
        for depth, (shallow, margin) in margins.items():
            if not 0 < shallow < depth < REDUCTIONS or not 0 <= margin <= LARGEST_MARGIN:
                raise LimitError(
                    f"ProbCut at depth {depth} by depth {shallow} with a margin of {margin}: depths must be from 1 to "
                    f"{REDUCTIONS - 1}, the shallow one smaller, the margin from 0 to {LARGEST_MARGIN:,}"
                )
            made.probcut_depths[depth], made.probcut_margins[depth] = shallow, margin
        return made

    def changes(self) -> dict[str, int]:
        """Return the parameters that differ from the defaults, by name."""
        return {name: getattr(self, name) for name, field in FIELDS.items() if getattr(self, name) != field}

    def _margins(self) -> dict[int, tuple[int, int]]:
        """The margins of ProbCut as `with_probcut` takes them."""
        depths = zip(self.probcut_depths, self.probcut_margins, strict=True)
        return {depth: (shallow, margin) for depth, (shallow, margin) in enumerate(depths) if shallow}

    @classmethod
    def _restored(cls, changed: dict[str, int], margins: dict[int, tuple[int, int]]) -> Self:
        made = cls(**changed)
        return made.with_probcut(margins) if margins else made

    def __reduce__(self) -> tuple[Any, ...]:
        return self._restored, (self.changes(), self._margins())

    def __repr__(self) -> str:
        changed = ", ".join(f"{name}={value}" for name, value in self.changes().items() if name != "probcut")
        return f"Selective({changed})" + (f".with_probcut({self._margins()})" if self.probcut else "")

    def __eq__(self, other: object) -> bool:
        return bool(self._words == other._words) if isinstance(other, Selective) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._words.tobytes())

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
        margins = {}
        for depth in range(MIN_PROBCUT_DEPTH, REDUCTIONS):
            shallow = shallow_depth(depth)
            error = evaluation.search_error(state, depth, shallow)
            if error <= 0:
                raise LimitError(_without_errors(evaluation, state))
            margins[depth] = shallow, math.ceil(CONFIDENCES[confidence] * error)
        return found.with_probcut(margins)


def _described(name: str, field: Field) -> str:
    """The entry of a parameter in the docstring of `Selective`."""
    kind = "bool" if (is_bool := Selective.record_fields[name].kind is bool) else "int"
    default = bool(field) if is_bool else f"{field:,}"
    between = "" if is_bool else f", {field.lowest:,} to {field.highest:,}"
    tuned = f" Tuned from {field.tuned[0]:,} to {field.tuned[1]:,}." if field.tuned else ""
    return f"    {name} : {kind}{between}, default {default}\n        {field.meaning}{tuned}\n"


if Selective.__doc__:  # not under python -OO
    _parameters = "".join(_described(*each) for each in FIELDS.items())
    Selective.__doc__ = Selective.__doc__.replace(
        "    Raises\n", f"    Parameters\n    ----------\n{_parameters}\n    Raises\n", 1
    )


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
    keeps_material: Words = words(PLIES)  # whether the move is tactical and known to lose no material, by ply
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


def check_confidence_on_clock(game: type[State]) -> None:
    """Raise `GameError` if searches cannot have the game's `confidence_on_clock`."""
    try:
        check_confidence(game.confidence_on_clock)
    except LimitError as error:
        raise GameError(f"{game.__name__}.confidence_on_clock: {error}") from None
    if game.confidence_on_clock != 100 and not evaluations_with_errors(game):
        raise GameError(f"{game.__name__}.confidence_on_clock: no evaluation of the game defines search_error")


def evaluations_with_errors(game: type[State]) -> list[str]:
    """Return the names of the game's evaluations that know the errors of searches: those for a confidence."""
    known = game.evaluations
    listed = getattr(known, "kinds", None)  # of `EvaluationFiles`: it reads no weights
    kinds = listed() if listed else {name: type(each) for name, each in known.items()}
    return [name for name, kind in kinds.items() if _knows_errors(kind)]


def _without_errors(evaluation: Evaluation, state: State) -> str:
    name = evaluation_name(state, evaluation)
    known = evaluations_with_errors(type(state))
    others = f"choose {' or '.join(known)}" if known else f"no evaluation of {type(state).__name__} does"
    return f"confidence: the evaluation {name} does not define search_error, the errors of its searches; {others}"


def selective_default(
    state: State | type[State], limits: Limits, evaluation: str | Evaluation | None = None
) -> bool | int:
    """Return whether a search is selective by default, or its confidence in percent.

    Only with no limit but time, in games that declare it, and at a confidence only with an evaluation that knows the
    errors of searches. `evaluation` is that of the search; None: the game's.
    """
    has_time = limits.seconds is not None or limits.soft_seconds is not None
    if not (has_time and limits.only_time):
        return False
    confidence = state.confidence_on_clock
    if confidence != 100 and _knows_errors(type(resolve_evaluation(state, evaluation, selective=True))):
        return confidence
    return state.selective_on_clock


def _knows_errors(kind: type[Evaluation]) -> bool:
    """Whether an evaluation knows the errors of searches, which a confidence needs."""
    return kind.search_error is not Evaluation.search_error


def why_never_selective(game: State | type[State], exact: bool = False) -> str:
    """Return why a search cannot be selective; an empty text if it can.

    Parameters
    ----------
    game : State or type of State
    exact : bool
        Whether it searches to the end of the game.
    """
    cls = game if isinstance(game, type) else type(game)
    if exact:
        return "an exact search proves its score"
    if game.has_chance:
        return f"games of chance such as {cls.__name__} are always searched exactly"
    if not game.perfect_information:
        return f"games with hidden information such as {cls.__name__} have no selective search"
    return "" if game.is_compiled else f"{cls.__name__} is interpreted, and interpreted games are searched exactly"


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
        The parameters; or whether it is selective, with the parameters of the game; or its confidence in percent; None
        leaves this to `selective_default`.
    evaluation : str or Evaluation, optional
        Its evaluation; by default that of the game's selective searches.

    Raises
    ------
    LimitError
        If the search cannot have this confidence.
    GameError
        If the game declares wrong parameters.
    """
    if why_never_selective(state, limits.exact):
        return None
    if wanted is None:
        wanted = selective_default(state, limits, evaluation)
    if not isinstance(wanted, int | Selective):
        raise LimitError(f"selective must be True, False, a confidence in percent or a Selective (got {wanted!r:.60})")
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        resolved = resolve_evaluation(state, evaluation, selective=True)
        return None if wanted == 100 else Selective.at_confidence(wanted, resolved, state)
    return Selective.of_game(state) if wanted is True else wanted or None
