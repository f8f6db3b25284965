"""`Bitboard` in plain Python, compared with sets of squares and with ints modulo 2**64."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo import Bitboard
from zermelo.core.bitboard import EMPTY, FULL

pytestmark = pytest.mark.quick

EDGES = (0, 1, 2, 0x80, 0xFFFF_FFFF, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, FULL - 1, FULL)
words = st.one_of(st.sampled_from(EDGES), st.integers(0, FULL))
numbers = st.one_of(words, words.map(operator.neg), st.integers(-(1 << 80), 1 << 80))
squares = st.sets(st.integers(0, 63))

MODULO = (operator.and_, operator.or_, operator.xor, operator.add, operator.sub, operator.mul)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def board_of(squares: set[int]) -> Bitboard:
    return Bitboard(sum(1 << square for square in squares))


def assert_is(found: Any, word: int) -> None:
    assert type(found) is Bitboard
    assert int(found) == word


@given(words, numbers)
def test_operators_are_modulo_2_to_the_64(word: int, number: int) -> None:
    board = Bitboard(word)
    for op in MODULO:
        assert_is(op(board, number), op(word, number) & FULL)
        assert_is(op(number, board), op(number, word) & FULL)
        assert_is(op(board, Bitboard(number)), op(word, number & FULL) & FULL)
    for op in COMPARISONS:
        assert op(board, number) is op(word, number)
        assert op(number, board) is op(number, word)


@given(words, st.integers(-130, 130))
def test_a_shift_moves_every_square_or_drops_it(word: int, distance: int) -> None:
    board = Bitboard(word)
    assert_is(board << distance, board_of({s + distance for s in board if 0 <= s + distance < 64}))
    assert_is(board >> distance, board_of({s - distance for s in board if 0 <= s - distance < 64}))


@given(squares, squares)
def test_bitboards_are_sets(one: set[int], other: set[int]) -> None:
    a, b = board_of(one), board_of(other)
    assert set(a & b) == one & other
    assert set(a | b) == one | other
    assert set(a ^ b) == one ^ other
    assert set(a & ~b) == one - other
    assert set(~a) == set(range(64)) - one
    assert list(a) == sorted(one)
    assert a.count() == len(one)
    assert a.first() == min(one, default=64)
    assert a.last() == max(one, default=-1)
    assert list(a.rest()) == sorted(one)[1:]
    assert bool(a) is bool(one)
    assert [square in a for square in range(-2, 67)] == [square in one for square in range(-2, 67)]
    assert {type(n) for n in (a.count(), a.first(), a.last(), *a)} == {int}


@given(words)
def test_complement_and_negation_stay_in_64_bits(word: int) -> None:
    assert_is(~Bitboard(word), FULL - word)
    assert_is(-Bitboard(word), -word & FULL)


@given(numbers)
def test_ints_are_taken_modulo_2_to_the_64(number: int) -> None:
    assert_is(Bitboard(number), number & FULL)
    assert Bitboard() == EMPTY == Bitboard(word=0)


@given(words)
def test_bitboards_are_ints(word: int) -> None:
    board = Bitboard(word)
    assert type(int(board)) is int
    assert board == word
    assert hash(board) == hash(word)
    assert eval(repr(board)) == board
    assert str(board) == repr(board)
    for again in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board)):
        assert_is(again, word)


@pytest.mark.parametrize(
    "refused",
    [
        lambda a: a / 2, lambda a: a // 2, lambda a: a % 2, lambda a: divmod(a, 2), lambda a: a**2,
        lambda a: pow(a, 2, 5),
        lambda a: 2 / a, lambda a: 2 // a, lambda a: 2 % a, lambda a: divmod(2, a), lambda a: 2**a,
        lambda a: abs(a), lambda a: +a,
    ],
)  # fmt: skip
def test_other_operations_are_refused(refused: Callable[[Bitboard], Any]) -> None:
    with pytest.raises(TypeError, match="no division, power, abs or unary plus"):
        refused(Bitboard(7))


@pytest.mark.parametrize("shifted", [lambda a: 1 << a, lambda a: 1 >> a, lambda a: a << a, lambda a: a >> a])
def test_a_shift_by_a_bitboard_is_refused(shifted: Callable[[Bitboard], Any]) -> None:
    with pytest.raises(TypeError, match="shift by a plain int, not by a Bitboard"):
        shifted(Bitboard(3))


@pytest.mark.parametrize("op", MODULO)
def test_floats_are_refused(op: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(TypeError):
        op(Bitboard(1), 1.5)
