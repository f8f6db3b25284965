"""The contract of an evaluation: `Evaluation`, the decorator `evaluation`, and weighted sums (`Linear`, `Tapered`).

An evaluation is a value with a method `score(state)`, the static estimate of an unfinished state from MAX's side:

    @evaluation
    class Material:
        '''Discs of black minus discs of white.'''

        def score(self, state):
            return state.black.count() - state.white.count()

Weights are fields, so that one class serves many sets of them and a fit can produce new ones:

    @evaluation
    class WeightedSquares:
        weights: Weights

        def score(self, state): ...

A weighted sum of features, E(s) = w1 f1(s) + w2 f2(s) + ..., extends `Linear` and defines only what it counts. The
score and the terms that `zermelo explain` lists follow from that. `Tapered` has two weights for each term:

    @evaluation
    class Discs(Linear):
        names = ("discs", "corners")
        weights: Weights = (1, 10)

        def counts(self, state, side):
            own = state.black if side == MAX else state.white
            return own.count(), (own & CORNERS).count()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, cast, dataclass_transform

from zermelo._util.text import did_you_mean
from zermelo.core.bitboard import Bitboard
from zermelo.core.hooks import Returns, check_declarations, fact, facts_of, hook, hooks_of, interpreted
from zermelo.core.value import Value, is_weights, make_value
from zermelo.core.value import Weights as Weights
from zermelo.errors import GameError, UnknownGame

if TYPE_CHECKING:
    from fractions import Fraction

    from zermelo.core.game import State

# A score lies strictly between -LARGEST_SCORE and LARGEST_SCORE, so that every won game ranks above it (see
# `zermelo.search.scores`). The compiled search clamps scores outside.
LARGEST_SCORE = 1_000_000


# Memory of an accumulator: that of a network with two sides of 512 numbers.
ACCUMULATOR_BYTES = 2048


class Term(NamedTuple):
    """One term of a score that is a sum."""

    name: str
    #: The counts for MAX and for MIN; None for both in a term that counts nothing, such as a rounding.
    max: int | None
    min: int | None
    #: The weight of one more for MAX: one number, or one for each phase of the game.
    weights: tuple[int, ...]
    #: The contribution to the score, in the evaluation's unit; a fraction where the weights of two phases are mixed.
    points: int | Fraction


class Evaluation(Value):
    """Base of all classes made by `evaluation`. Compared and hashed by class and fields.

    An evaluation defines `score`; every other method and class attribute has the default shown here.
    """

    __slots__ = ()

    largest_score: ClassVar[int] = fact(
        LARGEST_SCORE,
        "Every score lies strictly between minus this and this. Set it above 1,000,000 only where wins need not rank "
        "above scores. In games of chance it bounds the value of every state: the tighter it is, the more Star1 and "
        "Star2 cut.",
        lowest=1,
    )
    unit: ClassVar[int] = fact(
        1,
        "In games of chance, where scores are averaged: the score that equals 1 of expected utility. With 1000, a "
        "score of 250 means a quarter of a win ahead on average.",
        lowest=1,
    )
    unit_name: ClassVar[str] = fact(
        "evaluation units",
        "The name of the unit of scores: `discs`. Results show `centipawns` in pawns, and `hundredths of a move` in "
        "moves.",
    )
    phase_names: ClassVar[tuple[str, str]] = fact(
        ("middle game", "endgame"), "The names of the two phases whose weights `mixture` interpolates."
    )

    accumulator_size: ClassVar[int] = fact(
        0, "The number of ints of the accumulator, with `start_accumulator`.", lowest=0, largest=ACCUMULATOR_BYTES // 2
    )
    accumulator_bits: ClassVar[int] = fact(
        32, "The bits of each int of the accumulator, 16 or 32.", lowest=16, largest=32
    )

    # Set by `evaluation` where a class defines `gain`, `start_accumulator`; constants of the compiled search.
    has_gain: ClassVar[bool] = False
    has_accumulator: ClassVar[bool] = False

    @hook(Returns.INT, required=True, compiled="search", largest="largest_score")
    def score(self, state: Any) -> int:
        """The static estimate of an unfinished state from MAX's side, strictly inside `largest_score`."""
        raise NotImplementedError

    @hook(Returns.INT, compiled="search", fact="has_gain", default="not used")
    def gain(self, state: Any, move: int) -> int:
        """Static score gain of a move for the side that makes it, for a move that does not end the game.

        Define it where the gain follows from the move alone, without playing it, and where the game defines
        `State.may_end`. The search then does not play the moves of the last ply.
        """
        return 0

    @hook(Returns.NOTHING, compiled="search", fact="has_accumulator", partner="update_accumulator", default="not used")
    def start_accumulator(self, state: Any, accumulator: Any) -> None:
        """Fill the accumulator, all zeros at first, for a state."""

    @hook(Returns.NOTHING, compiled="search", fact="has_accumulator", partner="accumulated_score", default="not used")
    def update_accumulator(self, accumulator: Any, parent: Any, move: int, child: Any) -> None:
        """Change the accumulator of a state, `parent`, to that of the state after a move, `child`.

        In games with `pass_turn`, `move` is -1 after a pass.
        """

    @hook(
        Returns.INT,
        compiled="search",
        fact="has_accumulator",
        partner="start_accumulator",
        largest="largest_score",
        default="not used",
    )
    def accumulated_score(self, state: Any, accumulator: Any) -> int:
        """The score of an unfinished state by its accumulator: what `score` returns."""
        return 0

    @hook(Returns.INT, compiled="search", default="0: not used")
    def endgame_order(self, state: Any) -> int:
        """How much a unit of the score counts in the order of a state's moves, in a search to the end of the game.

        The scores of the states after the moves, times this, are added to the game's `move_score`. That costs an
        evaluation for each move, which pays where the search of a move takes hundreds of nodes; 0 elsewhere.
        """
        return 0

    @hook(Returns.OTHER, default="0: not known")
    def search_error(self, state: Any, depth: int, shallow: int) -> float:
        """Standard deviation of the difference between the scores of searches to two depths, for states near a state.

        A search at a confidence (`Engine`) needs it: it cuts off a node if the score of a shallow search is outside the
        window by so much that few searches of the whole depth would disagree. `zermelo learn GAME probcut` measures it.
        """
        return 0.0

    @hook(Returns.OTHER, default="refused: not a sum of terms")
    def terms(self, state: Any) -> list[Term]:
        """The terms that the score is the sum of, in the order in which `zermelo explain` lists them.

        Raises
        ------
        GameError
            If the evaluation is not a sum of terms.
        """
        raise GameError(
            f"{type(self).__name__} does not list its terms; extend zermelo.core.evaluation.Linear, "
            "or define terms(self, state)"
        )

    @hook(Returns.TEXT, default="empty")
    def problem(self, state: Any) -> str:
        """What is wrong in how the evaluation reads a state, such as an index outside of its table, or an empty text.

        `check_game` asks for it in each position.
        """
        return ""

    @hook(Returns.OTHER, default="None: one weight for each term")
    def mixture(self, state: Any) -> tuple[int, int] | None:
        """How the weights of two phases are interpolated, as (n, total): n / total of the first phase's weight."""
        return None

    @interpreted
    def weight_arrays(self) -> dict[str, Any]:
        """The arrays that a weight file holds, by name: here all fields of weights."""
        return {field.name: item for field, item in zip(self.fields, self, strict=True) if is_weights(field.kind)}

    @classmethod
    def from_weight_arrays(cls, arrays: dict[str, Any]) -> Self:
        """Make an evaluation of the arrays of a weight file. Other fields have their defaults.

        Raises
        ------
        GameError
            If an array is missing, unknown, or of another type than the field.
        """
        kinds = {field.name: field.kind for field in cls.fields if is_weights(field.kind)}
        if set(kinds) != set(arrays):
            raise GameError(f"{cls.__name__} has the arrays {', '.join(kinds)} (got {', '.join(arrays)})")
        for name, kind in kinds.items():
            if str(arrays[name].dtype) != cast(Any, kind).dtype:
                raise GameError(f"{cls.__name__}.{name} must be an array of {cast(Any, kind).dtype}")
        return cls(**arrays)

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    @interpreted
    def _content(self) -> tuple[object, ...]:
        """The fields in a form that can be compared and hashed."""
        return tuple(
            (item.shape, item.tobytes()) if is_weights(field.kind) else item
            for field, item in zip(self.fields, self, strict=True)
        )


#: The contract's methods and class attributes, by name.
HOOKS = hooks_of(Evaluation)
FACTS = facts_of(Evaluation)

C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True)
def evaluation(cls: C) -> C:
    """Make an evaluation of a plain class: its annotated names become the fields.

    The class becomes a subclass of `Evaluation`.

    Raises
    ------
    GameError
        If `score` is missing, a method has wrong parameters, a field has a wrong type or a name of the contract, or a
        fact is out of range.
    """
    made: Any = make_value(cls, Evaluation, (Bitboard, int, bool, Weights), GameError)
    check_declarations(made, Evaluation)
    _check_accumulator(made)
    return cast(C, made)


def _check_accumulator(made: type[Evaluation]) -> None:
    name, size, bits = made.__name__, made.accumulator_size, made.accumulator_bits
    if bits not in (16, 32):
        raise GameError(f"{name}.accumulator_bits is {bits}; it must be 16 or 32")
    if size * bits // 8 > ACCUMULATOR_BYTES:
        largest = ACCUMULATOR_BYTES * 8 // bits
        raise GameError(f"{name}.accumulator_size is {size}; it must be at most {largest} with {bits} bits")
    if made.has_accumulator and not size:
        raise GameError(f"{name} has start_accumulator but no accumulator_size; set it, without an annotation")


@evaluation
class Nothing(Evaluation):
    """Every unfinished state scores 0, so that only results of finished games count."""

    largest_score = 1

    def score(self, state: State) -> int:
        return 0

    def terms(self, state: State) -> list[Term]:
        return []


@evaluation
class Linear(Evaluation):
    """A weighted sum of features: (count for MAX - count for MIN) * weight, summed over the terms.

    A subclass sets `names`, defines `counts`, and may give `weights` a default.

    References
    ----------
    C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41 (1950).
    """

    #: The names of the terms, in the order of `counts` and `weights`.
    names: ClassVar[tuple[str, ...]] = ()

    weights: Weights

    def counts(self, state: Any, side: int) -> tuple[int, ...]:
        """The count of each term for one side, MAX or MIN: a tuple of ints, as long as `names`."""
        return (0,)

    def score(self, state: Any) -> int:
        ours = self.counts(state, 1)
        theirs = self.counts(state, -1)
        total = 0
        for index in range(len(ours)):
            total += self.weights[index] * (ours[index] - theirs[index])
        return int(total)

    @classmethod
    def kept_terms(cls) -> tuple[str, ...]:
        """The names of terms whose weights learning leaves as they are.

        A bonus for the side to move is one: in games with blunders the side to move can often win material, so a large
        bonus is learned. It misleads quiescence search, which compares positions with different sides to move.

        A method, since constants of the class are part of the fingerprints of weight files.
        """
        return ()

    def read_inputs(self, state: Any, row: Any) -> tuple[int, int]:
        """Fill a row with the differences of the counts, for learning; return the stage, 0, and their side, MAX."""
        ours = self.counts(state, 1)
        theirs = self.counts(state, -1)
        for index in range(len(ours)):
            row[index] = ours[index] - theirs[index]
        return 0, 1

    def problem(self, state: Any) -> str:
        for side in (1, -1):
            lengths = len(self.counts(state, side)), len(self.names), self.weights.shape[-1]
            if len(set(lengths)) > 1:
                return (
                    "counts, names and weights must have one item for each feature; "
                    f"their lengths are {', '.join(map(str, lengths))}"
                )
        if unknown := [name for name in self.kept_terms() if name not in self.names]:
            return f"kept_terms has {unknown[0]!r}, which is not one of names"
        return ""

    def terms(self, state: Any) -> list[Term]:
        rows = zip(self.names, *self._counted(state), self.weights.tolist(), strict=True)
        return [Term(name, ours, theirs, (weight,), weight * (ours - theirs)) for name, ours, theirs, weight in rows]

    @interpreted
    def _counted(self, state: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The counts for MAX and for MIN as plain ints."""
        return tuple(map(int, self.counts(state, 1))), tuple(map(int, self.counts(state, -1)))


@evaluation
class Tapered(Linear):
    """A weighted sum with two rows of weights, interpolated by the phase of the game (tapered evaluation).

    A subclass also sets `PHASES` and defines `phase`. The score is rounded once, to the nearest int with halves away
    from 0; `terms` lists the exact fractions, and the rounding as the last term.

    References
    ----------
    https://www.chessprogramming.org/Tapered_Eval
    """

    #: The value of `phase` where only the first row of weights counts.
    PHASES = 24

    def phase(self, state: Any) -> int:
        """The phase of the game: `PHASES` in the middle game, 0 in the endgame."""
        return 0

    def score(self, state: Any) -> int:
        ours = self.counts(state, 1)
        theirs = self.counts(state, -1)
        middle = 0
        ending = 0
        for index in range(len(ours)):
            count = ours[index] - theirs[index]
            middle += self.weights[0, index] * count
            ending += self.weights[1, index] * count
        phase = self.phase(state)
        return rounded_div(int(middle * phase + ending * (self.PHASES - phase)), self.PHASES)

    def read_inputs(self, state: Any, row: Any) -> tuple[int, int]:
        """The differences of the counts times `phase`, then times the rest of `PHASES`."""
        ours = self.counts(state, 1)
        theirs = self.counts(state, -1)
        phase = self.phase(state)
        for index in range(len(ours)):
            count = ours[index] - theirs[index]
            row[index] = count * phase
            row[len(ours) + index] = count * (self.PHASES - phase)
        return 0, 1

    def terms(self, state: Any) -> list[Term]:
        from fractions import Fraction

        phase = self.phase(state)
        listed = []
        rows = zip(self.names, *self._counted(state), self.weights.T.tolist(), strict=True)
        for name, ours, theirs, (middle, ending) in rows:
            mixed = (middle * phase + ending * (self.PHASES - phase)) * (ours - theirs)
            listed.append(Term(name, ours, theirs, (middle, ending), Fraction(mixed, self.PHASES)))
        rounding = self.score(state) - sum(term.points for term in listed)
        return [*listed, Term("rounding", None, None, (), rounding)] if rounding else listed

    def mixture(self, state: Any) -> tuple[int, int] | None:
        return self.phase(state), self.PHASES


def rounded_div(total: int, parts: int) -> int:
    """Divide and round to the nearest int, halves away from 0, so that the results of n and -n mirror each other."""
    if total >= 0:
        return (2 * total + parts) // (2 * parts)
    return -((2 * -total + parts) // (2 * parts))


def checked_score(evaluation: Evaluation, state: State) -> int:
    """Score a state and check the result.

    Raises
    ------
    GameError
        If the score is not an int strictly inside `Evaluation.largest_score`.
    """
    score = evaluation.score(state)
    if isinstance(score, bool) or not hasattr(score, "__index__"):
        raise GameError(
            f"{type(evaluation).__name__}.score returned {score!r} ({type(score).__name__}); it must return an int"
        )
    largest = evaluation.largest_score
    if abs(score) >= largest:
        raise GameError(
            f"{type(evaluation).__name__}.score returned {score}; it must lie strictly between -{largest} and {largest}"
        )
    return int(score)


def resolve_evaluation(
    state: State | type[State], name: str | Evaluation | None, selective: bool = False
) -> Evaluation:
    """Find an evaluation of a state's game.

    Parameters
    ----------
    state
        Any state of the game, or the game.
    name
        A name in `State.evaluations`; "nothing" for `Nothing`; None for the game's default; an `Evaluation` is
        returned as it is.
    selective
        Whether the default is that of selective searches, `State.selective_evaluation`, instead of the first.

    Raises
    ------
    UnknownGame
        If the game has no evaluation of that name; lists the names.
    """
    if isinstance(name, Evaluation):
        return name
    known = state.evaluations
    if name is None and selective:
        name = state.selective_evaluation or None
    if name is None:
        return next(iter(known.values()), Nothing())
    if name == "nothing":
        return Nothing()
    if name not in known:
        names = [*known, "nothing"]
        meant = did_you_mean(name, names, "")
        game = state if isinstance(state, type) else type(state)
        has = f"{game.__name__} has no evaluation {name!r}; it has {', '.join(names)}"
        raise UnknownGame(f"{has}; {meant}" if meant else has)
    return known[name]


def evaluation_name(state: State, evaluation: Evaluation) -> str:
    """Return the game's name of the evaluation; with other weights, that of the one of its class.

    It is the name of the class in lower case if the game has no evaluation of this class, or several.
    """
    for name, known in state.evaluations.items():
        if known is evaluation or known == evaluation:  # comparing large weights takes milliseconds
            return name
    kinds = {name: type(known) for name, known in state.evaluations.items()}
    return class_evaluation_name(kinds, type(evaluation).__name__) or type(evaluation).__name__.lower()


def class_evaluation_name(kinds: Mapping[str, type[Evaluation]], class_name: str) -> str:
    """Return the name of the only evaluation of a class; "" if there is none, or several."""
    names = [name for name, kind in kinds.items() if kind.__name__ == class_name]
    return names[0] if len(names) == 1 else ""


def search_evaluation(state: State, name: str | Evaluation | None, has_horizon: bool) -> Evaluation | None:
    """Choose the evaluation of a search: by default the game's first.

    Returns None where no evaluation is needed: the search goes to the end of the game (`has_horizon` is False), or the
    game has none, and none is given. Values are utilities then. Raises `UnknownGame` as `resolve_evaluation`.
    """
    if name is None and not (has_horizon and state.evaluations):
        return None
    return resolve_evaluation(state, name)
