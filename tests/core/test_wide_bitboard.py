"""`Bitboard[n]` in plain Python, compared with sets of squares and with ints modulo 2**n."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo import Bitboard, GameError, game
from zermelo.core.bitboard import wide_bitboard

pytestmark = pytest.mark.quick

SIZES = (65, 81, 100, 128, 225, 361)
MODULO = (operator.and_, operator.or_, operator.xor, operator.add, operator.sub, operator.mul)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
sizes = st.sampled_from(SIZES)
seeds = st.integers(0, (1 << 400) - 1)
numbers = st.one_of(st.integers(-(1 << 63), (1 << 64)), st.sampled_from((0, 1, -1, (1 << 63), -(1 << 63))))


def assert_is(found: Any, cls: type, word: int) -> None:
    assert type(found) is cls
    assert int(found) == word


@given(sizes, seeds, seeds, numbers)
def test_operators_are_modulo_2_to_the_n(size: int, seed: int, other: int, number: int) -> None:
    cls, full = wide_bitboard(size), (1 << size) - 1
    a, b = seed & full, other & full
    for op in MODULO:
        assert_is(op(cls(a), cls(b)), cls, op(a, b) & full)
        assert_is(op(cls(a), number), cls, op(a, number) & full)
        assert_is(op(number, cls(a)), cls, op(number, a) & full)
    for op in COMPARISONS:
        assert op(cls(a), cls(b)) is op(a, b)
        assert op(cls(a), number) is op(a, number)
    assert_is(~cls(a), cls, full - a)
    assert_is(-cls(a), cls, -a & full)


@given(sizes, seeds, st.integers(-400, 400))
def test_a_shift_moves_every_square_or_drops_it(size: int, seed: int, distance: int) -> None:
    cls = wide_bitboard(size)
    board = cls(seed & (1 << size) - 1)
    assert set(board << distance) == {s + distance for s in board if 0 <= s + distance < size}
    assert set(board >> distance) == {s - distance for s in board if 0 <= s - distance < size}


@given(sizes, st.sets(st.integers(0, 64)))
def test_they_are_sets(size: int, low: set[int]) -> None:
    squares = {size - 1 - square for square in low}
    board = wide_bitboard(size)(sum(1 << square for square in squares))
    assert list(board) == sorted(squares)
    assert board.count() == len(squares)
    assert board.first() == min(squares, default=size)
    assert board.last() == max(squares, default=-1)
    assert list(board.rest()) == sorted(squares)[1:]
    assert bool(board) is bool(squares)
    assert all((square in board) is (square in squares) for square in range(-2, size + 3))


def test_one_class_for_each_size() -> None:
    nine = Bitboard[81]
    assert nine is Bitboard[81]
    assert Bitboard[64] is Bitboard
    assert issubclass(nine, Bitboard)
    assert pickle.loads(pickle.dumps(nine(5))) == nine(5)
    assert repr(nine(1) << 80) == "Bitboard[81](0x100000000000000000000)"
    assert_is(Bitboard(nine(3) << 63), Bitboard, 1 << 63)
    assert_is(nine(Bitboard[100]((1 << 99) + 7)), nine, 7)


@pytest.mark.parametrize("size", [0, 63, 1025, "9", 81.0])
def test_sizes_that_are_refused(size: Any) -> None:
    with pytest.raises(TypeError, match=r"the number of squares must be an int in 64 \.\. 1024"):
        Bitboard[size]


def test_other_refusals() -> None:
    nine = Bitboard[81]
    with pytest.raises(ValueError, match=r"^0x200000000000000000000 is not in the 81 squares of Bitboard\[81\]$"):
        nine(1 << 81)
    with pytest.raises(ValueError, match=r"an int of 1001 bits is not in the 81 squares"):
        nine(0) | 1 << 1000
    for mixed in (lambda: nine(1) & Bitboard[100](1), lambda: Bitboard(1) | nine(1), lambda: nine(1) ^ Bitboard(1)):
        with pytest.raises(TypeError, match=r"convert one of them, as in Bitboard\[81\]\(a\)|Bitboard\[100\]"):
            mixed()
    for refused in (lambda: nine(4) / 2, lambda: 1 << nine(1), lambda: nine(1) << nine(1), lambda: nine(2) ** 2):
        with pytest.raises(TypeError):
            refused()


def test_fields() -> None:
    @game
    class Wide:
        stones: Bitboard[81] = 0
        two: tuple[Bitboard[100], Bitboard[100]] = (0, 1 << 99)

        def to_move(self):
            return 1

        def moves(self):
            yield 0

        def play(self, move):
            return self

        def is_over(self):
            return False

        def utility(self):
            return 0

    state = Wide(1 << 80)
    assert type(state.stones) is Bitboard[81]
    assert str(state) == "stones=0x100000000000000000000 two=0x0,0x8000000000000000000000000"
    assert Wide.parse(str(state)) == state
    assert len({Wide(1 << square).key() for square in range(81)}) == 81
    for wrong in (1 << 81, Bitboard[100](1), Bitboard(1), "x"):
        with pytest.raises(GameError, match=r"Wide\.stones must be a Bitboard\[81\], not"):
            Wide(wrong)
