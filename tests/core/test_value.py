"""Values: typed fields, immutable, compared by class and fields; wrong values are refused by the name of the field."""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import zermelo
from zermelo import MAX, MIN, Bitboard, GameError, Nothing, Weights, evaluation, game
from zermelo.core.game import State
from zermelo.core.value import Field

pytestmark = pytest.mark.quick


class Rules:
    """The required methods, for games whose fields are tested."""

    def to_move(self):
        return MAX

    def moves(self):
        yield 0

    def play(self, move):
        return self

    def is_over(self):
        return False

    def utility(self):
        return 0


@game
class All(Rules):
    squares: Bitboard
    count: int = 5
    flag: bool = False
    row: tuple[int, int, int] = (1, 2, 3)
    boards: tuple[(Bitboard,) * 2] = (0, 1)
    flags: tuple[bool, bool] = (True, False)
    SIZE: ClassVar[int] = 7
    WIDTH = 8


@game
class Similar(Rules):
    squares: Bitboard
    count: int = 5


@game
class Other(Rules):
    squares: Bitboard
    count: int = 5


@evaluation
class Weighed:
    weights: Weights
    bonus: int = 1

    def score(self, state):
        return self.weights[0] + self.bonus


def typed(value: Any) -> Any:
    return [typed(item) for item in value] if type(value) is tuple else (type(value), value)


def test_fields_and_their_types() -> None:
    assert All.fields == (
        Field("squares", Bitboard, 0),
        Field("count", int, 0),
        Field("flag", bool, 0),
        Field("row", int, 3),
        Field("boards", Bitboard, 2),
        Field("flags", bool, 2),
    )
    assert All.__match_args__ == ("squares", "count", "flag", "row", "boards", "flags")
    assert (All.SIZE, All.WIDTH, All(1).WIDTH) == (7, 8, 8)


def test_defaults_and_keywords() -> None:
    assert All(3) == All(squares=3, count=5, row=(1, 2, 3)) == All(3, 5, False, (1, 2, 3), (0, 1), (True, False))
    assert All(count=4, squares=3) == All(3, 4)
    for wrong in (
        lambda: All(),
        lambda: All(1, colour=3),
        lambda: All(1, 2, False, (1, 2, 3), (0, 1), (True, False), 7),
    ):
        with pytest.raises(TypeError, match=r"All\.__new__\(\)"):
            wrong()


def test_arguments_are_converted_to_the_type_of_their_field() -> None:
    made = All(-1, np.int64(3), np.True_, [np.int32(1), 2, True], [3, Bitboard(4)], [np.False_, True])
    assert typed(made.squares) == (Bitboard, 2**64 - 1)
    assert typed(made.count) == (int, 3)
    assert typed(made.flag) == (bool, True)
    assert typed(made.row) == [(int, 1), (int, 2), (int, 1)]
    assert typed(made.boards) == [(Bitboard, 3), (Bitboard, 4)]
    assert typed(made.flags) == [(bool, False), (bool, True)]
    assert typed(All(0).boards) == [(Bitboard, 0), (Bitboard, 1)]  # a default too
    assert typed(Similar(1, True).count) == (int, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"squares": 1.0}, "All.squares must be a Bitboard, not 1.0 (float)"),
        ({"squares": None}, "All.squares must be a Bitboard, not None (NoneType)"),
        ({"count": 1.5}, "All.count must be an int, not 1.5 (float)"),
        ({"count": "5"}, "All.count must be an int, not '5' (str)"),
        ({"count": Bitboard(5)}, "All.count must be an int, not Bitboard(0x5) (Bitboard)"),
        ({"flag": 1}, "All.flag must be a bool, not 1 (int)"),
        ({"row": (1, 2)}, "All.row must be a tuple of 3 ints, not (1, 2) (tuple)"),
        ({"row": (1, 2, 3, 4)}, "All.row must be a tuple of 3 ints, not (1, 2, 3, 4) (tuple)"),
        ({"row": 5}, "All.row must be a tuple of 3 ints, not 5 (int)"),
        ({"row": (1, 2.5, 3)}, "All.row must be a tuple of 3 ints, not 2.5 (float)"),
        ({"boards": ("a", 1)}, "All.boards must be a tuple of 2 Bitboards, not 'a' (str)"),
        ({"flags": (True, 1)}, "All.flags must be a tuple of 2 bools, not 1 (int)"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as caught:
        All(**{"squares": 0, **arguments})
    assert str(caught.value) == message


def test_values_are_immutable() -> None:
    value = All(3)
    for name in ("count", "squares", "new", "WIDTH", "fields"):
        with pytest.raises(AttributeError, match=r"All is immutable: \w+ cannot be set"):
            setattr(value, name, 4)
    with pytest.raises(TypeError):
        value[0] = 4  # type: ignore[index]
    weights = Weighed([1, 2]).weights
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 5  # type: ignore[index]


def test_equality_and_hash_by_class_and_fields() -> None:
    assert Similar(3, 4) == Similar(Bitboard(3), 4)
    assert hash(Similar(3, 4)) == hash(Similar(3, 4))
    assert Similar(3, 4) != Similar(3, 5)
    assert Similar(3, 4) != Other(3, 4)
    assert Similar(3, 4) != (3, 4)
    assert (3, 4) != Similar(3, 4)  # noqa: SIM300
    assert len({Similar(3, 4), Similar(3, 4), Other(3, 4), Similar(4, 3)}) == 3
    assert bool(Similar(0, 0))


def test_evaluations_are_equal_if_their_weights_are() -> None:
    assert Weighed([1, 2]) == Weighed(np.array([1, 2], np.int8)) == Weighed((1, 2), 1)
    assert hash(Weighed([1, 2])) == hash(Weighed([1, 2]))
    assert Weighed([1, 2]) != Weighed([1, 3])
    assert Weighed([1, 2]) != Weighed([[1, 2]])
    assert Weighed([1, 2]) != Weighed([1, 2], 2)
    assert Weighed([1, 2]) != Similar(3, 4)


def test_weights_are_read_only_copies_of_any_shape() -> None:
    given = np.arange(6).reshape(2, 3)
    value = Weighed(given)
    given[:] = 0
    weights: Any = value.weights
    assert weights.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (weights.dtype, weights.flags.c_contiguous, weights.flags.writeable) == (np.int64, True, False)
    transposed: Any = Weighed(np.arange(6).reshape(2, 3).T).weights
    assert transposed.flags.c_contiguous
    assert Weighed([]).weights.shape == (0,)  # type: ignore[attr-defined]
    for wrong in ([1.5], ["a"], [[1], [2, 3]], None, [2**70], [2**63]):
        with pytest.raises(GameError, match=r"Weighed\.weights must be a Weights"):
            Weighed(wrong)


def test_repr_can_be_evaluated() -> None:
    assert repr(Similar(3)) == "Similar(squares=Bitboard(0x3), count=5)"
    assert eval(repr(Similar(3))) == Similar(3)


@pytest.mark.parametrize("value", [Similar(2**64 - 1, -5), All(3, flag=True), Weighed([[1, 2], [3, 4]], 7)])
def test_values_can_be_pickled(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType(type(value).__module__)
    vars(module)[type(value).__name__] = type(value)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert type(again) is type(value)


def test_a_class_in_a_function() -> None:
    width = 3

    @game
    class Local(Rules):
        row: tuple[int, int] = (width, width)

        def utility(self):
            return width

        def __str__(self):
            return "local " + super().__str__()

        @classmethod
        def start(cls):
            return super().start()

    assert str(Local.start()) == "local row=3,3"
    assert Local().row == (3, 3)
    assert Local().utility() == 3
    assert Local.__qualname__.endswith("test_a_class_in_a_function.<locals>.Local")


def test_a_class_may_name_its_base() -> None:
    @game
    class Typed(State):
        turn: int = MIN

        def to_move(self):
            return self.turn

        moves, play, is_over, utility = Rules.moves, Rules.play, Rules.is_over, Rules.utility

    assert issubclass(Typed, State)
    assert Typed.__mro__[1] is State
    assert Typed().turn == MIN


def test_a_game_may_extend_another() -> None:
    @game
    class Base(Rules):
        squares: Bitboard
        count: int = 5

    @game
    class Misere(Base):
        def utility(self):
            return -super().utility()

    @game
    class More(Base):
        count = 6
        more: int = 7

    assert Misere.fields == Base.fields
    assert (Misere(3).squares, Misere(3).count) == (3, 5)
    assert Misere(3) != Base(3)
    assert Misere(3).utility() == 0
    assert More(3) == More(3, 6, 7)
    assert [field.name for field in More.fields] == ["squares", "count", "more"]


class Score:
    def score(self, state: Any) -> int:
        return 0


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {}


def refused(message: str) -> Callable[[Callable[[], Any]], None]:
    def keep(definition: Callable[[], Any]) -> None:
        REFUSED[message] = (definition, message)

    return keep


@refused("Bad.x has type float; a field must have one of the types Bitboard, int, bool, Weights, or be a tuple")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: float


@refused("Bad.x has type str; a field")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: str = "a"


@refused("Bad.x has type Weights; a field")
def _() -> Any:
    @game
    class Bad(Rules):
        x: Weights


@refused("Bad.x: the annotation 'Nowhere' cannot be evaluated (name 'Nowhere' is not defined)")
def _() -> Any:
    @game
    class Bad(Rules):
        x: Nowhere  # type: ignore[name-defined]  # noqa: F821


@refused("Bad.x: the items of a tuple must all have one type")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: tuple[int, bool]


@refused("Bad.x has type tuple[int, ...]; a field")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: tuple[int, ...]


@refused("Bad.x has type list[int]; a field")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: list[int]


@refused("Bad.x has type int | None; a field")
def _() -> Any:
    @evaluation
    class Bad(Score):
        x: int | None


@refused("Bad.y has no default but follows a field that has one; give it a default or move it up")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 3
        y: int


@refused("Bad.x must be an int, not 'a' (str)")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = "a"  # type: ignore[assignment]


@refused("Bad.board: this name is taken by the contract (State.board); use another name for the field, such as cells")
def _() -> Any:
    @game
    class Bad(Rules):
        board: Bitboard


@refused("Bad.repetition_key: this name is taken by the contract (State.repetition_key); use another name")
def _() -> Any:
    @game
    class Bad(Rules):
        repetition_key: int = 0


@refused("Bad.max_utility: this name is taken by the contract; to set it, write max_utility = ...")
def _() -> Any:
    @game
    class Bad(Rules):
        max_utility: int = 3


@refused("Bad.unit: this name is taken by the contract; to set it, write unit = ... without an annotation")
def _() -> Any:
    @evaluation
    class Bad:
        unit: int = 3

        def score(self, state):
            return 0


@refused("Bad: remove @dataclass; the decorators game and evaluation make the fields and the constructor")
def _() -> Any:
    @game
    @dataclass
    class Bad(Rules):
        x: int = 0


@refused("Bad: remove @dataclass; the decorators game and evaluation make")
def _() -> Any:
    @dataclass(frozen=True)
    @game
    class Bad(Rules):
        x: int = 0


@refused("Bad is already a game or an evaluation; use the decorator once")
def _() -> Any:
    @game
    @game
    class Bad(Rules):
        x: int = 0


@refused("Bad has no fields; annotate what a position consists of, such as turn: int = MAX")
def _() -> Any:
    @game
    class Bad(Rules):
        x = 3


@refused("Bad.evaluations must be a dict of evaluations by name, such as {'material': Material()}")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        evaluations = [Nothing()]


@refused("Bad.strategies is {'first': 1}; expected a dict of functions by plain names, such as {'greedy': greedy_move}")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        strategies = {"first": 1}


@refused("Bad.evaluations['zero'] is a class; write Nothing()")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        evaluations = {"zero": Nothing}


@refused("Bad.evaluations['zero'] is 0; it must be a value of a class with @evaluation")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        evaluations = {"zero": 0}


@refused("Bad.selective_evaluation is 'one'; it must name an evaluation of the game: zero")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        evaluations = {"zero": Nothing()}
        selective_evaluation = "one"


@refused("Bad.selective_parameters must be a dict of parameters by name")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0
        selective_parameters = ("futility_margin", 2)


@refused("Bad.to_move must be an ordinary method, not <property")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int = 0

        @property
        def to_move(self):
            return 1


@refused("Bad.__init__ is not allowed: the constructor takes the fields; give them defaults")
def _() -> Any:
    @game
    class Bad(Rules):
        x: int

        def __init__(self, x: int = 3) -> None:
            self.x = x


@pytest.mark.parametrize("message", REFUSED)
def test_a_wrong_field_is_refused_where_it_is_defined(message: str) -> None:
    definition, _ = REFUSED[message]
    with pytest.raises(GameError) as caught:
        definition()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "dtype", "largest"),
    [("Int8Weights", "int8", 127), ("Int16Weights", "int16", 32767), ("Int32Weights", "int32", 2**31 - 1)],
)
def test_weights_of_other_sizes(kind, dtype, largest):
    members = {"__annotations__": {"table": getattr(zermelo, kind)}, "score": lambda self, state: int(self.table[1])}
    Small = evaluation(type("Small", (), members))

    small = Small([0, -largest - 1, largest])
    assert small.table.dtype == dtype
    assert small.score(None) == -largest - 1
    assert small == Small(small.table)
    assert Small(small.table).table is small.table
    with pytest.raises(GameError, match=rf"Small.table must be an {kind}, not"):
        Small([largest + 1])
    with pytest.raises(GameError, match=rf"Small.table must be an {kind}, not"):
        Small([0.5])


def test_weights_of_floats():
    @evaluation
    class Real:
        table: zermelo.Float32Weights

        def score(self, state):
            return int(self.table[0] * 4)

    assert Real([0.75]).score(None) == 3
    assert Real([2]).table.dtype == "float32"
    with pytest.raises(GameError, match=r"Real.table must be a Float32Weights, not"):
        Real([1e300])
