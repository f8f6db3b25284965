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
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

from zermelo.bitboard import Bitboard
from zermelo.errors import GameError, UnknownGame
from zermelo.value import Value, make_value
from zermelo.value import Weights as Weights

if TYPE_CHECKING:
    from zermelo.game import State

# An evaluation's score lies strictly between -LARGEST_SCORE and LARGEST_SCORE: every finished game that is
# won ranks above it (see `zermelo.search.scores`). The compiled search clamps what lies beyond.
LARGEST_SCORE = 1_000_000


class Evaluation(Value):
    """Base of the classes made by `evaluation`. Compared and hashed by class and fields."""

    __slots__ = ()

    #: A score must lie strictly between minus this and this. Larger only where no win has to rank above it.
    largest_score = LARGEST_SCORE

    if TYPE_CHECKING:

        def score(self, state: Any) -> int: ...

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
    return cast(C, made)


@evaluation
class Nothing(Evaluation):
    """Every unfinished state is worth 0: the lectures' "stupid" evaluation (win, loss, otherwise nothing)."""

    def score(self, state: State) -> int:
        return 0


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


def named(state: State, name: str | Evaluation | None) -> Evaluation:
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
