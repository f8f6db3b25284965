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

`Bitboard[n]` is the same for boards of more than 64 squares:

    Board = Bitboard[81]            # a class; the same one for equal n
    centre = Board(1) << 40

In compiled code (`zermelo.compiled.wide_bitboards`) it is one integer of as many 64-bit words as it needs, on the stack
and in registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, NoReturn

WORD = 64
FULL = (1 << WORD) - 1
# Interpreted rules spend most of their time in these.
_new = int.__new__
_and, _or, _xor, _lshift, _rshift = int.__and__, int.__or__, int.__xor__, int.__lshift__, int.__rshift__
_add, _sub, _rsub, _mul, _neg = int.__add__, int.__sub__, int.__rsub__, int.__mul__, int.__neg__
# Larger boards take longer to compile than to search.
MOST_SQUARES = 1024
# An int of compiled code: any of these is taken modulo 2**n.
_LEAST = -(1 << 63)


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

    def __class_getitem__(cls, size: int) -> type[Bitboard]:
        """`Bitboard[n]`: the class of sets of n squares, 65 to 1024; see `WideBitboard`."""
        return wide_bitboard(size)

    def __new__(cls, word: int = 0) -> Bitboard:
        return _new(cls, word & FULL)

    def __and__(self, other: int) -> Bitboard:
        return _new(Bitboard, _and(self, other))

    def __or__(self, other: int) -> Bitboard:
        return _new(Bitboard, _or(self, other) if type(other) is Bitboard else _or(self, other) & FULL)

    def __xor__(self, other: int) -> Bitboard:
        return _new(Bitboard, _xor(self, other) if type(other) is Bitboard else _xor(self, other) & FULL)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> Bitboard:
        return _new(Bitboard, _xor(self, FULL))

    def __lshift__(self, squares: int) -> Bitboard:
        if type(squares) is Bitboard:
            self._refuse_shift(squares)
        if squares < 0:
            return self >> -squares
        return _new(Bitboard, _lshift(self, squares) & FULL) if squares < WORD else EMPTY

    def __rshift__(self, squares: int) -> Bitboard:
        if type(squares) is Bitboard:
            self._refuse_shift(squares)
        if squares < 0:
            return self << -squares
        return _new(Bitboard, _rshift(self, squares))

    def __add__(self, other: int) -> Bitboard:
        return _new(Bitboard, _add(self, other) & FULL)

    def __sub__(self, other: int) -> Bitboard:
        return _new(Bitboard, _sub(self, other) & FULL)

    def __rsub__(self, other: int) -> Bitboard:
        return _new(Bitboard, _rsub(self, other) & FULL)

    def __mul__(self, other: int) -> Bitboard:
        return _new(Bitboard, _mul(self, other) & FULL)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Bitboard:
        return _new(Bitboard, _neg(self) & FULL)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the squares of the set, lowest first."""
        word = int(self)
        while word:
            lowest = word & -word
            yield lowest.bit_length() - 1
            word ^= lowest

    def __contains__(self, square: int) -> bool:
        """Whether the set contains `square`; False for a square outside 0 .. 63."""
        return 0 <= square < WORD and bool(_and(self, 1 << square))

    def count(self) -> int:
        """The number of squares in the set, 0 .. 64."""
        return int.bit_count(self)

    def first(self) -> int:
        """The lowest square of the set, 0 .. 63; 64 if the set is empty."""
        return int.bit_length(_and(self, _neg(self))) - 1 if self else WORD

    def last(self) -> int:
        """The highest square of the set, 0 .. 63; -1 if the set is empty."""
        return int.bit_length(self) - 1

    def rest(self) -> Bitboard:
        """The set without its lowest square; empty if it was empty."""
        return _new(Bitboard, _and(self, _sub(self, 1))) if self else self

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


# ---- boards of more than 64 squares -------------------------------------------------------------------------


class WideBitboard(Bitboard):
    """A set of up to n squares: an immutable word of n bits with unsigned arithmetic. Base of all `Bitboard[n]`.

    Operations are those of `Bitboard`, modulo 2**n. Both operands have the same width, or one is a plain `int` in
    -2**63 .. 2**n - 1. `Bitboard[m](a)` converts between widths, and drops the squares from m on.
    """

    __slots__ = ()
    #: The number of squares.
    size: ClassVar[int] = 0
    #: All squares, as an int.
    full: ClassVar[int] = 0

    def __new__(cls, word: int = 0) -> WideBitboard:
        if type(word) is int and 0 <= word <= cls.full:
            return _new(cls, word)
        return _new(cls, int(word) & cls.full if isinstance(word, Bitboard) else cls._checked(word))

    @classmethod
    def _checked(cls, word: int) -> int:
        """An operand as a number in 0 .. 2**n - 1."""
        if type(word) is cls:
            return int(word)
        if isinstance(word, Bitboard):
            raise TypeError(f"{type(word).__name__} with {cls.__name__}; convert one of them, as in {cls.__name__}(a)")
        if not _LEAST <= word <= cls.full:
            shown = hex(word) if word.bit_length() <= 256 else f"an int of {word.bit_length()} bits"
            raise ValueError(f"{shown} is not in the {cls.size} squares of {cls.__name__}")
        return word & cls.full

    def __and__(self, other: int) -> WideBitboard:
        cls = type(self)
        return _new(cls, _and(self, other if type(other) is cls else cls._checked(other)))

    def __or__(self, other: int) -> WideBitboard:
        cls = type(self)
        return _new(cls, _or(self, other if type(other) is cls else cls._checked(other)))

    def __xor__(self, other: int) -> WideBitboard:
        cls = type(self)
        return _new(cls, _xor(self, other if type(other) is cls else cls._checked(other)))

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> WideBitboard:
        return _new(type(self), _xor(self, self.full))

    def __lshift__(self, squares: int) -> WideBitboard:
        if isinstance(squares, Bitboard):
            self._refuse_shift(squares)
        if squares < 0:
            return self >> -squares
        cls = type(self)
        return _new(cls, _lshift(self, squares) & cls.full if squares < cls.size else 0)

    def __rshift__(self, squares: int) -> WideBitboard:
        if isinstance(squares, Bitboard):
            self._refuse_shift(squares)
        return self << -squares if squares < 0 else _new(type(self), _rshift(self, squares))

    def __add__(self, other: int) -> WideBitboard:
        return _new(type(self), (int(self) + self._checked(other)) & self.full)

    def __sub__(self, other: int) -> WideBitboard:
        return _new(type(self), (int(self) - self._checked(other)) & self.full)

    def __rsub__(self, other: int) -> WideBitboard:
        return _new(type(self), (self._checked(other) - int(self)) & self.full)

    def __mul__(self, other: int) -> WideBitboard:
        return _new(type(self), (int(self) * self._checked(other)) & self.full)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> WideBitboard:
        return _new(type(self), -int(self) & self.full)

    def __contains__(self, square: int) -> bool:
        """Whether the set contains `square`; False for a square outside 0 .. n - 1."""
        return 0 <= square < self.size and bool(int(self) >> square & 1)

    def first(self) -> int:
        """The lowest square of the set; n if the set is empty."""
        return super().first() if self else self.size

    def rest(self) -> WideBitboard:
        """The set without its lowest square; empty if it was empty."""
        return _new(type(self), int(self) & (int(self) - 1)) if self else self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self):#x})"

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.size, int(self))


@cache
def wide_bitboard(size: int) -> type[Bitboard]:
    """The class `Bitboard[size]`; `Bitboard` itself for 64 squares.

    Raises
    ------
    TypeError
        If the size is not an int in 64 .. 1024.
    """
    if type(size) is not int or not WORD <= size <= MOST_SQUARES:
        raise TypeError(f"Bitboard[{size!r}]: the number of squares must be an int in {WORD} .. {MOST_SQUARES}")
    if size == WORD:
        return Bitboard
    name = f"Bitboard[{size}]"
    return type(name, (WideBitboard,), {"__slots__": (), "size": size, "full": (1 << size) - 1, "__module__": __name__})


def _restored(size: int, word: int) -> Bitboard:
    return wide_bitboard(size)(word)
