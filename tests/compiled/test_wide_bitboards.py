"""`Bitboard[n]` compiled against `Bitboard[n]` interpreted: the same results of the same types."""

from __future__ import annotations

import random
from typing import Any

import pytest

from zermelo import MAX, Bitboard, GameError, game
from zermelo.compiled import native
from zermelo.core.bitboard import wide_bitboard
from zermelo.testing import check_game

Small = Bitboard[81]
Board = Bitboard[225]
Other = Bitboard[100]
EDGE = Board(1 << 224 | 1 << 64 | 1)
LINES = (Board(7), Board(1 << 200))


def typed(value: Any) -> Any:
    return [typed(item) for item in value] if isinstance(value, tuple) else (type(value), value)


def assert_same(function: Any, *arguments: Any) -> None:
    expected = typed(function(*arguments))
    assert typed(native(function, *arguments)(*arguments)) == expected, (function, arguments)


def combined(a, b, n):
    return a & b, a | b, a ^ b, a + b, a - b, a * b, a & n, n | a, a ^ n, n + a, a - n, n - a, a * n


def in_place(a, b, n):
    c = d = e = f = g = h = i = j = a
    c &= b
    d |= n
    e ^= b
    f += n
    g -= b
    h *= b
    i <<= n
    j >>= 3
    return c, d, e, f, g, h, i, j


def unary(a, b, n):
    return ~a, -a, bool(a), not a, a.count(), a.first(), a.last(), a.rest(), a << n, a >> n, n in a, n not in a


def compared(a, b, n):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a == n, a != n, a < n, n <= a, a > n, n >= a


def literals(a, b, n):
    return (
        a << 1, a << 15, a << 64, a << 65, a << 80, a << 400, a >> 1, a >> 64, a >> 130, a >> -3, a << -70, a << 0,
        a & 0xFFFF_FFFF_FFFF_FFFF, a ^ -1, a + 1, a > -1,
    )  # fmt: skip


def converted(a, b, n):
    return (
        a and b, a or b, a if a > b else b, Bitboard(a), Bitboard(a >> 64), Small(a), Board(a), Other(a), Small(n),
        Board(word=n), Board(), Board(n > 3), Board(1) << n, Small(Bitboard(5)),
    )  # fmt: skip


OPERATIONS = (combined, in_place, unary, compared, literals, converted)


def walked(a):
    total = 0
    for one in a:
        for other in a & (a - (a ^ a | 1)):
            total = (total * 3 + one * 7 + other) & 0xFFFFFFFF
    for square in squares_of(a):
        total = (total * 5 + square) & 0xFFFFFFFF
    return total


def squares_of(a):
    for square in a:
        yield square


def with_constants(a, n):
    found = a & EDGE
    for line in LINES:
        if a & line == line:
            found |= line
    return found, LINES[n], int(a & 0xFFFF)


def boards(size: int, count: int) -> list[Any]:
    """Edge cases and random sets."""
    cls, numbers = wide_bitboard(size), random.Random(size)
    words = [0, 1, (1 << size) - 1, 1 << size - 1, (1 << 64) - 1, 1 << 63, 1 << 64]
    words += [numbers.getrandbits(size) for _ in range(count)]
    words += [numbers.getrandbits(size) & numbers.getrandbits(size) & numbers.getrandbits(size) for _ in range(count)]
    return [cls(word) for word in words]


def compare_all(size: int, count: int) -> None:
    numbers = random.Random(1)
    distances = (0, 1, -1, 63, 64, -64, 65, size - 1, size, -size, 1 - size, 5000, (1 << 63) - 1, -(1 << 63))
    for a in boards(size, count):
        assert_same(walked, a)
        for b in boards(size, 2):
            for operation in OPERATIONS:
                assert_same(operation, a, b, numbers.choice(distances))
                assert_same(operation, a, b, numbers.randrange(-size, size))


@pytest.mark.long
def test_every_operation() -> None:
    compare_all(225, 20)
    for a in boards(225, 3):
        assert_same(with_constants, a, 0)
        assert_same(with_constants, a, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("size", [65, 81, 100, 128, 256, 361])
def test_every_operation_of_other_sizes(size: int) -> None:
    compare_all(size, 300)


def as_number(a):
    return int(a)


def test_int_of_a_set() -> None:
    assert_same(as_number, Small((1 << 63) - 1))
    with pytest.raises(OverflowError, match="above"):
        native(as_number, Small(1))(Small(1 << 70))


@game
class Rows:
    """Three in a row on 10 x 10 wins; a state holds single sets and a tuple of them."""

    sides: tuple[Bitboard[100], Bitboard[100]] = (0, 0)
    last: Bitboard[100] = 0
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        for square in ~(self.sides[0] | self.sides[1]):
            if square % 7 == 0:
                yield square

    def play(self, move):
        stone = Other(1) << move
        if self.turn == MAX:
            return Rows((self.sides[0] | stone, self.sides[1]), stone, -self.turn)
        return Rows((self.sides[0], self.sides[1] | stone), stone, -self.turn)

    def is_over(self):
        for side in self.sides:
            if side & (side >> 7) & (side >> 14):
                return True
        return (self.sides[0] | self.sides[1]).count() > 10

    def utility(self):
        side = self.sides[0]
        return 1 if side & (side >> 7) & (side >> 14) else 0


@pytest.mark.long
def test_a_game() -> None:
    check_game(Rows, games=20)


def mixed(a):
    return a & Other(1)


def shifted_by_itself(a):
    return a << a


def divided(a):
    return a // 2


@game
class Literal(Rows):
    def play(self, move):
        return self

    def is_over(self):
        return self.last & 0x2_0000_0000_0000_0000_0000 != 0


def over(state):
    return state.is_over()


def test_what_is_refused() -> None:
    from numba.core.errors import TypingError

    with pytest.raises(TypingError, match=r"Bitboard\[81\] with Bitboard\[100\]; convert one of them"):
        native(mixed, Small(1))
    for function in (shifted_by_itself, divided):
        with pytest.raises(TypingError, match="No implementation of function"):
            native(function, Small(1))
    with pytest.raises(GameError, match=r"more than 64 bits; make a Bitboard\[n\]\(\.\.\.\) of it above"):
        native(over, Literal())
