"""Sets of squares as 64-bit words, with the same operations in plain Python and in compiled code.

Square 0 is the lowest bit. Each game defines its own layout and draws it beside its fields. The usual 8 x 8 layout:

     0  1  2  3  4  5  6  7
     8  9 10 11 12 13 14 15
    ..
    56 57 58 59 60 61 62 63

In compiled code (`zermelo.compiled.bitboards`) a `Bitboard` is one unsigned machine word; here it is an `int` in
0 .. 2**64 - 1. The operations below give the same results in both, and division and powers are refused in both.
Other operations of `int` (`min`, `hash`, comparison with a float) are not supported in compiled code, and there
`int(a)` raises `OverflowError` from 2**63 up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

WORD = 64
FULL = (1 << WORD) - 1


class Bitboard(int):
    """A set of up to 64 squares: an immutable 64-bit word with unsigned arithmetic as in C.

    - `a & b`, `a | b`, `a ^ b`, `~a`: intersection, union, symmetric difference, complement (in 64 bits).
    - `a << n`, `a >> n`: move every square by `n`. Squares that leave the word are dropped, so a shift by 64 or more is
      empty. A negative `n` shifts the other way: `a << -8` is `a >> 8`.
    - `a + b`, `a - b`, `a * b`, `-a`: modulo 2**64 (carry tricks, multiplicative hashing).
    - `while a:` is true for a set that is not empty; `for square in a:` iterates from the lowest square up;
      `square in a` tests one square; see also `count`, `first`, `last` and `rest`.

    The other operand may be a plain `int`, which is taken modulo 2**64.

    >>> corners = Bitboard(0x8100000000000081)
    >>> list(corners), corners.count(), 63 in corners
    ([0, 7, 56, 63], 4, True)
    >>> corners << 1
    Bitboard(0x200000000000102)
    """

    __slots__ = ()

    def __new__(cls, word: int = 0) -> Bitboard:
        return int.__new__(cls, word & FULL)

    def __and__(self, other: int) -> Bitboard:
        return Bitboard(int.__and__(self, other))

    def __or__(self, other: int) -> Bitboard:
        return Bitboard(int.__or__(self, other & FULL))

    def __xor__(self, other: int) -> Bitboard:
        return Bitboard(int.__xor__(self, other & FULL))

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> Bitboard:
        return Bitboard(int.__xor__(self, FULL))

    def __lshift__(self, squares: int) -> Bitboard:
        if type(squares) is Bitboard:
            self._refuse_shift(squares)
        if squares < 0:
            return self >> -squares
        return Bitboard(int.__lshift__(self, squares)) if squares < WORD else EMPTY

    def __rshift__(self, squares: int) -> Bitboard:
        if type(squares) is Bitboard:
            self._refuse_shift(squares)
        if squares < 0:
            return self << -squares
        return Bitboard(int.__rshift__(self, squares)) if squares < WORD else EMPTY

    def __add__(self, other: int) -> Bitboard:
        return Bitboard(int.__add__(self, other))

    def __sub__(self, other: int) -> Bitboard:
        return Bitboard(int.__sub__(self, other))

    def __rsub__(self, other: int) -> Bitboard:
        return Bitboard(int.__rsub__(self, other))

    def __mul__(self, other: int) -> Bitboard:
        return Bitboard(int.__mul__(self, other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Bitboard:
        return Bitboard(int.__neg__(self))

    def __iter__(self) -> Iterator[int]:
        """Iterate over the squares of the set, lowest first."""
        word = int(self)
        while word:
            lowest = word & -word
            yield lowest.bit_length() - 1
            word ^= lowest

    def __contains__(self, square: int) -> bool:
        """Whether the set contains `square`; False for a square outside 0 .. 63."""
        return 0 <= square < WORD and bool(int.__and__(self, 1 << square))

    def count(self) -> int:
        """The number of squares in the set, 0 .. 64."""
        return int.bit_count(self)

    def first(self) -> int:
        """The lowest square of the set, 0 .. 63; 64 if the set is empty."""
        return int.bit_length(int.__and__(self, int.__neg__(self))) - 1 if self else WORD

    def last(self) -> int:
        """The highest square of the set, 0 .. 63; -1 if the set is empty."""
        return int.bit_length(self) - 1

    def rest(self) -> Bitboard:
        """The set without its lowest square; empty if it was empty."""
        return Bitboard(int.__and__(self, int.__sub__(self, 1))) if self else self

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("a Bitboard has no division, power, abs or unary plus; it is a set of squares")

    __truediv__ = __floordiv__ = __mod__ = __divmod__ = __pow__ = _refuse
    __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _refuse
    __abs__ = __pos__ = _refuse

    def _refuse_shift(self, _: int) -> NoReturn:
        raise TypeError("shift by a plain int, not by a Bitboard: write Bitboard(1) << square")

    __rlshift__ = __rrshift__ = _refuse_shift

    def __repr__(self) -> str:
        return f"Bitboard({int(self):#x})"

    __str__ = __repr__


EMPTY = Bitboard(0)
