"""`Bitboard` compiled against `Bitboard` interpreted: the same results of the same types for all operands."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.errors import TypingError

from zermelo import Bitboard
from zermelo.compiled import native
from zermelo.core.bitboard import FULL

EDGES = (0, 1, 2, 0x80, 0xFFFF_FFFF, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, FULL - 1, FULL)
SIGNED = (0, 1, -1, 63, 64, -64, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63))
UNSIGNED = tuple(map(np.uint64, (5, 1 << 63, (1 << 63) + 1, FULL - 1, FULL)))
boards = st.one_of(st.sampled_from(EDGES), st.integers(0, FULL)).map(Bitboard)
plain = st.one_of(st.sampled_from(SIGNED), st.integers(-(1 << 63), (1 << 63) - 1))


def typed(value: Any) -> Any:
    """A result together with its types: True is not 1, and a Bitboard not an int."""
    return [typed(item) for item in value] if isinstance(value, tuple) else (type(value), value)


def assert_same(function: Callable[..., Any], *arguments: Any) -> None:
    interpreted = function(*(int(n) if isinstance(n, np.uint64) else n for n in arguments))
    assert typed(native(function, *arguments)(*arguments)) == typed(interpreted), (function, arguments)


# ---- every operator, for every kind of operand -----------------------------------------------------------


def binary(a, b):
    return a & b, a | b, a ^ b, a + b, a - b, a * b


def in_place(a, b):
    c = d = e = f = g = h = a
    c &= b
    d |= b
    e ^= b
    f += b
    g -= b
    h *= b
    return c, d, e, f, g, h


def compared(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


def unary(a):
    return ~a, -a, bool(a), not a, a.count(), a.first(), a.last(), a.rest(), Bitboard(a), 1 if a else 2


def shifted(a, n):
    left = right = a
    left <<= n
    right >>= n
    return a << n, a >> n, left, right, n in a, n not in a


def chosen(a, b):
    return a and b, a or b, a if a > b else b, (a, b)[1], (a, b) == (b, a), a in (b, a), (a & b).count() + 1


OPERATIONS = (binary, in_place, compared)


@pytest.mark.parametrize("operation", [*OPERATIONS, chosen])
@settings(deadline=None)
@given(boards, boards)
def test_two_boards(operation: Callable[..., Any], a: Bitboard, b: Bitboard) -> None:
    assert_same(operation, a, b)


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(deadline=None)
@given(boards, plain)
def test_a_board_and_a_number(operation: Callable[..., Any], a: Bitboard, n: int) -> None:
    assert_same(operation, a, n)
    if operation is not in_place:  # a name that is first an int and then a Bitboard has two types
        assert_same(operation, n, a)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_board_and_a_number_of_64_bits(operation: Callable[..., Any]) -> None:
    for a in map(Bitboard, EDGES):
        for n in UNSIGNED:
            assert_same(operation, a, n)
            if operation is not in_place:
                assert_same(operation, n, a)


@settings(deadline=None)
@given(boards)
def test_one_board(a: Bitboard) -> None:
    assert_same(unary, a)


def test_shifts_by_every_distance() -> None:
    for a in map(Bitboard, (*EDGES, 0x9E37_79B9_7F4A_7C15)):
        for n in (*range(-130, 131), *SIGNED):
            assert_same(shifted, a, n)
    assert_same(shifted, Bitboard(FULL), np.uint64(FULL))


def literals(a):
    return (
        a & 0xFFFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000 | a, a ^ -1, -2 & a, a + 0xFFFF_FFFF_FFFF_FFFF, 1 - a, a * -1,
        a == 0xFFFF_FFFF_FFFF_FFFF, a == -1, a < 0x8000_0000_0000_0000, a > -1, a != 0,
        a << 1, a >> 63, a << 64, a >> 64, a << -8, a >> -8, a << -64, a << 1000, 63 in a, 64 in a, -1 in a,
        Bitboard(0x8000_0000_0000_0001), Bitboard(-1), Bitboard(), Bitboard(word=5), Bitboard(1) << 63,
    )  # fmt: skip


def test_literals() -> None:
    for a in map(Bitboard, EDGES):
        assert_same(literals, a)


def constructed(n):
    return Bitboard(n), Bitboard(word=n), Bitboard(Bitboard(n)), Bitboard(n > 5), Bitboard(True)


@settings(deadline=None)
@given(plain)
def test_construction(n: int) -> None:
    assert_same(constructed, n)
    assert_same(constructed, np.uint64(n & FULL))


# ---- iteration, constants, arrays ------------------------------------------------------------------------


def walked(a):
    order = Bitboard(0)
    seen = 0
    for square in a:
        order = order * 67 + square
        seen += 1
        if square == 60:
            break
    for one in a:  # two at once: each loop has its own place
        for other in a & (Bitboard(0) - (Bitboard(1) << one)):
            order = (order ^ other) * 3
    nothing = a
    while nothing:
        seen += nothing.first()
        nothing = nothing.rest()
    return order, seen


@settings(deadline=None)
@given(boards)
def test_iteration(a: Bitboard) -> None:
    assert_same(walked, a)


def squares_of(a):
    for square in a:
        yield square


def through_a_generator(a):
    total = 0
    for square in squares_of(a):
        total = total * 3 + square
    return total


def test_iteration_inside_a_generator() -> None:
    for word in (0, 1, 0x8000_0000_0000_0001, 0xFF00):
        assert_same(through_a_generator, Bitboard(word))


EDGE = Bitboard(0xFF81_8181_8181_81FF)
LINES = (Bitboard(0x7), Bitboard(0x8000_0000_0000_0000), Bitboard(FULL))
GRID = ((Bitboard(1), Bitboard(2)), (Bitboard(4), Bitboard(1 << 63)))


def with_constants(a, n):
    found = a & EDGE
    for line in LINES:
        if a & line == line:
            found |= line
    return found, LINES[n], GRID[n][1 - n], len(LINES), (EDGE, n)


def test_constants_of_a_module() -> None:
    for word in EDGES:
        assert_same(with_constants, Bitboard(word), 0)
        assert_same(with_constants, Bitboard(word), 1)


def looked_up(array, a):
    array[int(a & 7)] = a
    array[1] += a
    return array[int(a & 7)], int(a & 0xFFFF), array.sum()


def test_words_in_arrays() -> None:
    for word in (3, FULL, 1 << 63):
        compiled, interpreted = np.zeros(8, np.uint64), np.zeros(8, np.uint64)
        a = Bitboard(word)
        with np.errstate(over="ignore"):
            expected = looked_up(interpreted, a)
        assert native(looked_up, compiled, a)(compiled, a) == expected
        assert (compiled == interpreted).all()


def as_number(a):
    return int(a)


def test_int_of_a_board() -> None:
    for word in EDGES:
        if word < 1 << 63:
            assert_same(as_number, Bitboard(word))
        else:
            with pytest.raises(OverflowError, match="above"):
                native(as_number, Bitboard(word))(Bitboard(word))


# ---- operations refused in plain Python are refused compiled -------------------------------------------------


REFUSED = (
    lambda a: a / 2, lambda a: a // 2, lambda a: a % 2, lambda a: divmod(a, 2), lambda a: a**2,
    lambda a: 2 / a, lambda a: 2 // a, lambda a: 2 % a, lambda a: 2**a, lambda a: abs(a), lambda a: +a,
    lambda a: 1 << a, lambda a: 1 >> a, lambda a: a << a, lambda a: a >> a, lambda a: a + 1.5, lambda a: a & 1.5,
    lambda a: len(a), lambda a: a[0],
)  # fmt: skip


@pytest.mark.parametrize("refused", REFUSED)
def test_refusals(refused: Callable[[Bitboard], Any]) -> None:
    with pytest.raises(TypeError):
        refused(Bitboard(3))
    with pytest.raises(TypingError, match="No implementation of function"):
        native(refused, Bitboard(3))


# ---- long sequences of operations ----------------------------------------------------------------------------


def churned(seed, rounds):
    """Apply n operations, each chosen by the word itself; return the word and a sum of counts."""
    a, b, total = seed, ~seed, 0
    for step in range(rounds):
        a = a ^ (a << 13)
        a = a ^ (a >> 7)
        a = a ^ (a << 17)
        kind = int(a & 15)
        n = int((a >> 8) & 255) - 128
        if kind == 0:
            b = b & a
        elif kind == 1:
            b = b | a
        elif kind == 2:
            b = b ^ a
        elif kind == 3:
            b = b + a
        elif kind == 4:
            b = b - a
        elif kind == 5:
            b = b * (a | 1)
        elif kind == 6:
            b = (b << n) ^ a
        elif kind == 7:
            b = (b >> n) ^ a
        elif kind == 8:
            b = ~b + n
        elif kind == 9:
            b = n - b
        elif kind == 10:
            b = b.rest() * n
        elif kind == 11:
            b = b ^ b.count() ^ a.first()
        elif kind == 12:
            b = b + b.last() - step
        elif kind == 13:
            b = -b if a < b else b ^ n
        elif kind == 14:
            b = b ^ a if n in b else b | n
        else:
            total += b.count() if b else 1
    return a, b, total


def churned_numbers(a: int, rounds: int) -> tuple[int, int, int]:
    """The same with plain ints."""
    b, total = a ^ FULL, 0
    for step in range(rounds):
        a ^= a << 13 & FULL
        a ^= a >> 7
        a ^= a << 17 & FULL
        kind, n = a & 15, (a >> 8 & 255) - 128
        if kind == 0:
            b &= a
        elif kind == 1:
            b |= a
        elif kind == 2:
            b ^= a
        elif kind == 3:
            b += a
        elif kind == 4:
            b -= a
        elif kind == 5:
            b *= a | 1
        elif kind == 6:
            b = ((b << n) & FULL if n >= 0 else b >> -n) ^ a
        elif kind == 7:
            b = (b >> n if n >= 0 else (b << -n) & FULL) ^ a
        elif kind == 8:
            b = FULL - b + n
        elif kind == 9:
            b = n - b
        elif kind == 10:
            b = (b & (b - 1) if b else 0) * n
        elif kind == 11:
            b ^= bin(b).count("1") ^ ((a & -a).bit_length() - 1)
        elif kind == 12:
            b += b.bit_length() - 1 - step
        elif kind == 13:
            b = -b if a < b else b ^ (n & FULL)
        elif kind == 14:
            b = b ^ a if 0 <= n < 64 and b >> n & 1 else b | (n & FULL)
        else:
            total += bin(b).count("1") if b else 1
        b &= FULL
    return a, b, total


@pytest.mark.quick
def test_long_sequences_of_operations_interpreted() -> None:
    assert churned(Bitboard(0x9E37_79B9_7F4A_7C15), 20_000) == churned_numbers(0x9E37_79B9_7F4A_7C15, 20_000)


def test_a_million_operations_compiled() -> None:
    seeds = random.Random(1)
    for _ in range(10):
        seed = seeds.getrandbits(64) | 1
        compiled = native(churned, Bitboard(seed), 100_000)(Bitboard(seed), 100_000)
        assert compiled == churned_numbers(seed, 100_000)


@pytest.mark.nightly
def test_ten_million_operations_compiled() -> None:
    seeds = random.Random(2)
    for _ in range(100):
        seed = seeds.getrandbits(64) | 1
        compiled = native(churned, Bitboard(seed), 100_000)(Bitboard(seed), 100_000)
        assert compiled == churned_numbers(seed, 100_000)
