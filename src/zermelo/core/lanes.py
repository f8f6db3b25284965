"""Four sets of squares side by side: the four lines through a square, or a board shifted along each of them.

In compiled code (`zermelo.compiled.lanes`) a `Lanes` is a vector of four 64-bit words, and an operator is one
instruction where the processor has such vectors (AVX2); here it is a tuple of four ints. The results are the same.

    STEPS = Lanes(1, 8, 7, 9)                      # from a square to the next one on each line
    neighbours = (spread(board) << STEPS).union()
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, and_, lshift, or_, rshift, sub
from typing import Any, Self

from zermelo.core.bitboard import FULL, Bitboard

_new = tuple.__new__


def _binary(operation: Callable[[int, int], int]) -> Callable[[Lanes, Lanes], Lanes]:
    """An operator of `Lanes`. Other operands are refused: iterating a `Bitboard` would yield its squares."""

    def operate(self: Lanes, other: Lanes) -> Lanes:
        if type(other) is not Lanes:
            return NotImplemented  # type: ignore[no-any-return]
        return _new(Lanes, [word & FULL for word in map(operation, self, other)])

    return operate


class Lanes(tuple[int, int, int, int]):
    """Four 64-bit words with unsigned arithmetic, as in `Bitboard`.

    - `a & b`, `a | b`, `~a`, `a + b`, `a - b`, `-a`: on each lane, modulo 2**64. Both operands are `Lanes`.
    - `a << b`, `a >> b`: each lane by the distance in the same lane of `b`, from 0 to 63.
    - `nonempty()`: all squares in the lanes that have any. `union()`: the squares of all lanes, a `Bitboard`.

    Parameters
    ----------
    first, second, third, fourth : Bitboard or int
        The words, taken modulo 2**64.

    >>> steps = Lanes(1, 8, 7, 9)
    >>> (spread(Bitboard(1) << 27) << steps).union() == Bitboard(1 << 28 | 1 << 35 | 1 << 34 | 1 << 36)
    True
    """

    __slots__ = ()

    def __new__(cls, first: int, second: int, third: int, fourth: int) -> Self:
        return _new(cls, [int(word) & FULL for word in (first, second, third, fourth)])

    def __getnewargs__(self) -> tuple[int, ...]:
        return tuple(self)

    __and__ = _binary(and_)
    __or__ = _binary(or_)
    __add__ = _binary(add)  # type: ignore[assignment]
    __sub__ = _binary(sub)
    __lshift__ = _binary(lshift)
    __rshift__ = _binary(rshift)

    def __invert__(self) -> Lanes:
        return _new(Lanes, [word ^ FULL for word in self])

    def __neg__(self) -> Lanes:
        return _new(Lanes, [-word & FULL for word in self])

    def __bool__(self) -> bool:
        raise TypeError("the truth of Lanes is ambiguous; use union()")

    def nonempty(self) -> Lanes:
        """Return all 64 squares in each lane that has a square, none in the others."""
        return _new(Lanes, [FULL if word else 0 for word in self])

    def union(self) -> Bitboard:
        """Return the squares of all lanes."""
        first, second, third, fourth = self
        return Bitboard(first | second | third | fourth)


def spread(board: Bitboard) -> Lanes:
    """Return the same squares in all four lanes."""
    return _new(Lanes, (int(board),) * 4)


def lanes_at(table: Any, index: int) -> Lanes:
    """Return a row of a table of squares, an array of `uint64` with four columns."""
    return _new(Lanes, map(int, table[index]))
