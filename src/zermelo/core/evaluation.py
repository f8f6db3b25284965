"""What an evaluation is: a value with a method `score(state)`, the estimate of a state that is not over.

    @evaluation
    class Material:
        '''Discs of black minus discs of white.'''

        def score(self, state):
            return state.black.count() - state.white.count()

Numbers to be tuned are fields, so that one class serves many sets of them and a fit can produce new ones:

    @evaluation
    class WeightedSquares:
        weights: Weights

        def score(self, state): ...

A weighted sum of features, the lectures' E(s) = w1 f1(s) + w2 f2(s) + ..., says what it counts. The rest follows from
that: its score, and the terms that `zermelo explain` lists (`Linear`; `Tapered` has two weights for each term):

    @evaluation
    class Discs(Linear):
        names = ("discs", "corners")
        weights: Weights = (1, 10)

        def counts(self, state, side):
            own = state.black if side == MAX else state.white
            return own.count(), (own & CORNERS).count()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, cast, dataclass_transform

from zermelo.core.bitboard import Bitboard
from zermelo.core.value import Value, make_value
from zermelo.core.value import Weights as Weights
from zermelo.errors import GameError, UnknownGame

if TYPE_CHECKING:
    from fractions import Fraction

    from zermelo.core.game import State

# An evaluation's score lies strictly between -LARGEST_SCORE and LARGEST_SCORE: every finished game that is
# won ranks above it (see `zermelo.search.scores`). The compiled search clamps what lies beyond.
LARGEST_SCORE = 1_000_000


class Term(NamedTuple):
    """One of the terms that a score is the sum of."""

    name: str
    #: What it counts for MAX and what for MIN; None for both where it is not counted, like a rounding.
    max: int | None
    min: int | None
    #: What one more for MAX is worth: one number, or one for each phase of the game.
    weights: tuple[int, ...]
    #: What it adds to the score: an int, or a fraction where weights of two phases are mixed.
    points: int | Fraction


class Evaluation(Value):
    """Base of the classes made by `evaluation`. Compared and hashed by class and fields."""

    __slots__ = ()

    #: A score must lie strictly between minus this and this. Larger only where no win has to rank above it.
    #: In games of chance it bounds the value of every state, and the closer it is, the more Star1 and Star2 cut.
    largest_score = LARGEST_SCORE
    #: In games of chance, whose scores are averaged: so many points of the evaluation are worth 1 of utility, and a
    #: score is the expected utility in them. With 1000, 250 says: a quarter of a win ahead on average.
    unit = 1
    #: Name of the unit of scores, as results print it: "centipawns", "discs".
    unit_name: ClassVar[str] = "evaluation units"
    #: Whether the class declares `gain`; set by `evaluation`, read by the search.
    has_gain: ClassVar[bool] = False
    #: What the two phases are called whose weights `mixture` mixes.
    phase_names: ClassVar[tuple[str, str]] = ("middle game", "ending")

    if TYPE_CHECKING:

        def score(self, state: Any) -> int: ...

    def gain(self, state: Any, move: int) -> int:
        """By how much the move raises the score for the side that makes it, as long as it does not end the game.

        Declared where that can be told from the move alone, without making it, and the game says which moves cannot
        end it (`State.may_end`). Then the engine makes fewer states, and none of the last ones.
        """
        return 0

    def terms(self, state: Any) -> list[Term]:
        """The terms that a score is the sum of, in the order to be shown; `zermelo explain` lists them.

        Interpreted only. Raises `GameError` where the evaluation is no such sum.
        """
        raise GameError(
            f"{type(self).__name__} is no sum of terms that could be listed; "
            "an evaluation with counts and weights is (zermelo.core.evaluation.Linear), or one with terms(self, state)"
        )

    def mixture(self, state: Any) -> tuple[int, int] | None:
        """How the two weights of its terms are mixed: parts of the first, of so many; None where there is but one.

        Interpreted only.
        """
        return None

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[object, ...]:
        return tuple(
            (item.shape, item.tobytes()) if field.kind is Weights else item
            for field, item in zip(self.fields, self, strict=True)
        )


C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True)
def evaluation(cls: C) -> C:
    """Make an evaluation out of a plain class: annotated names become fields, `score(self, state)` its estimate.

    `score` returns an int from MAX's side, strictly between -`LARGEST_SCORE` and `LARGEST_SCORE`.
    Raises `GameError` when `score` is missing or a field has a wrong type.
    """
    made: Any = make_value(cls, Evaluation, (Bitboard, int, bool, Weights), GameError)
    score = getattr(made, "score", None)
    if not callable(score) or score.__code__.co_argcount != 2:
        raise GameError(f"{cls.__name__}: score(self, state) must return an estimate for MAX, an int")
    made.has_gain = made.gain is not Evaluation.gain
    if made.has_gain and (not callable(made.gain) or made.gain.__code__.co_argcount != 3):
        raise GameError(f"{cls.__name__}: gain(self, state, move) must return what the move adds for its side, an int")
    if min(made.unit, made.largest_score) < 1:
        raise GameError(
            f"{cls.__name__}: unit is {made.unit} and largest_score is {made.largest_score}; both must be at least 1"
        )
    return cast(C, made)


@evaluation
class Nothing(Evaluation):
    """Every unfinished state is worth 0: the lectures' "stupid" evaluation (win, loss, otherwise nothing)."""

    largest_score = 1

    def score(self, state: State) -> int:
        return 0

    def terms(self, state: State) -> list[Term]:
        return []


@evaluation
class Linear(Evaluation):
    """A weighted sum: what each term counts for MAX, less what it counts for MIN, times the term's weight.

    A class that extends it has `names`, a default for `weights` or none, and `counts`.
    """

    #: The terms' names, in the order of `counts` and `weights`.
    names: ClassVar[tuple[str, ...]] = ()

    weights: Weights

    def counts(self, state: Any, side: int) -> tuple[int, ...]:
        """What each term counts for a side, MAX or MIN: a tuple of ints."""
        return (0,)

    def score(self, state: Any) -> int:
        ours = self.counts(state, 1)
        theirs = self.counts(state, -1)
        total = 0
        for index in range(len(ours)):
            total += self.weights[index] * (ours[index] - theirs[index])
        return int(total)

    def terms(self, state: Any) -> list[Term]:
        rows = zip(self.names, *self._counted(state), self.weights.tolist(), strict=True)
        return [Term(name, ours, theirs, (weight,), weight * (ours - theirs)) for name, ours, theirs, weight in rows]

    def _counted(self, state: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The counts for MAX and for MIN as plain ints."""
        return tuple(map(int, self.counts(state, 1))), tuple(map(int, self.counts(state, -1)))


@evaluation
class Tapered(Linear):
    """A weighted sum with two rows of weights, the middle game's and the ending's, mixed as the game goes on.

    A class that extends it also has `PHASES` and `phase`. The score is rounded to the nearest int, halves away from 0,
    once, at the end; `terms` lists the exact fractions, and the rounding as the last term.
    """

    #: What `phase` returns as long as only the first row of weights counts.
    PHASES = 24

    def phase(self, state: Any) -> int:
        """How much of the middle game is left: `PHASES` at its height, 0 in the ending."""
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
    """A number of so many parts of a whole as the nearest whole number; halves away from 0, so mirrored ones mirror."""
    if total >= 0:
        return (2 * total + parts) // (2 * parts)
    return -((2 * -total + parts) // (2 * parts))


def checked_score(evaluation: Evaluation, state: State) -> int:
    """The evaluation's score of a state. Raises `GameError` if it is not an int inside its `largest_score`."""
    score = evaluation.score(state)
    if isinstance(score, bool) or not hasattr(score, "__index__"):
        raise GameError(
            f"{type(evaluation).__name__}.score returned {score!r} ({type(score).__name__}); it must return an int"
        )
    largest = evaluation.largest_score
    if abs(score) >= largest:
        raise GameError(
            f"{type(evaluation).__name__}.score returned {score}; it must lie between -{largest} and {largest}"
        )
    return int(score)


def resolve_evaluation(state: State, name: str | Evaluation | None) -> Evaluation:
    """The evaluation of a state's game by name; the usual one of the game for None; an `Evaluation` as it is.

    `"nothing"` names `Nothing` in every game. Raises `UnknownGame` with the names there are.
    """
    if isinstance(name, Evaluation):
        return name
    known = state.evaluations
    if name is None:
        return next(iter(known.values()), Nothing())
    if name == "nothing":
        return Nothing()
    if name not in known:
        raise UnknownGame(f"{type(state).__name__} has no evaluation {name!r}; it has {', '.join([*known, 'nothing'])}")
    return known[name]
