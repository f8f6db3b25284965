"""A side's checkers as two 64-bit words, with operations on them. Shared by rules and evaluations.

Points are numbered as seen by the side that owns the checkers: it moves from 24 down to 1, its home is 1 to 6, the bar
is 25, and checkers borne off are not stored. The other side's point 25 - p is the same place as the own point p. A set
of points is a `Bitboard` with bit p for point p; bits 0 and 26 to 31 are never set.

The number of checkers on each point, 0 to 15, is stored bit-sliced: each binary digit is a set of points.

    low    bits  0 .. 31   points whose number has a 1        high   bits  0 .. 31   ... a 4
           bits 32 .. 63   ... a 2                                   bits 32 .. 63   ... an 8

One operation on a word therefore works on all points at once, and one shift moves all checkers by a die:
`occupied(low, high) >> 3` are the points that they reach with a 3.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard

CHECKERS = 15
BAR = 25
LANE = Bitboard(0xFFFFFFFF)  # one set of points: half of a word
# The points of the board without the bar; the own home; the other side's home with the bar.
BOARD = Bitboard(0x1FFFFFE)
HOME = Bitboard(0x7E)
AWAY = Bitboard(0x3F80000)
# The points of the board in both halves of a word.
BOARDS = BOARD | BOARD << 32
ON_BAR = Bitboard(1) << BAR


def occupied(low: Bitboard, high: Bitboard) -> Bitboard:
    """Return the points (and the bar) with at least one checker."""
    some = low | high
    return (some | some >> 32) & LANE


def made_points(low: Bitboard, high: Bitboard) -> Bitboard:
    """Return the points (and the bar) with at least two checkers, on which the other side cannot land."""
    return (low >> 32 | high | high >> 32) & LANE


def checkers_on(low: Bitboard, high: Bitboard, point: int) -> int:
    """Return the number of checkers on a point."""
    one = low >> point & 1
    two = low >> point + 32 & 1
    four = high >> point & 1
    eight = high >> point + 32 & 1
    return one.count() + 2 * two.count() + 4 * four.count() + 8 * eight.count()


def checkers_in(low: Bitboard, high: Bitboard, points: Bitboard) -> int:
    """Return the number of checkers on a set of points."""
    few = (low & points).count() + 2 * (low >> 32 & points).count()
    return few + 4 * (high & points).count() + 8 * (high >> 32 & points).count()


def borne_off(low: Bitboard, high: Bitboard) -> int:
    """Return the number of checkers borne off, 0 .. 15."""
    return CHECKERS - checkers_in(low, high, LANE)


# The points whose number has a 1, 2, 4, 8 or 16 in binary: the pip count adds checkers by these.
_ONES, _TWOS, _FOURS, _EIGHTS, _SIXTEENS = (
    Bitboard(sum(1 << point for point in range(1, 26) if point >> digit & 1)) for digit in range(5)
)


def pip_count(low: Bitboard, high: Bitboard) -> int:
    """Return the pip count: the pips needed to bear off all checkers, 167 at the start. The bar counts 25."""
    total = checkers_in(low, high, _ONES) + 2 * checkers_in(low, high, _TWOS) + 4 * checkers_in(low, high, _FOURS)
    return total + 8 * checkers_in(low, high, _EIGHTS) + 16 * checkers_in(low, high, _SIXTEENS)


def count_behind(low: Bitboard, high: Bitboard, point: int) -> tuple[int, int]:
    """Return the number of checkers behind a point, the bar included, and the pips to move them to it."""
    points = LANE & -(Bitboard(2) << point)
    count = checkers_in(low, high, points)
    both = points | points << 32
    return count, pip_count(low & both, high & both) - point * count


def brought_home(low: Bitboard, high: Bitboard) -> tuple[Bitboard, Bitboard, int]:
    """Return the words with all outer checkers moved to point 6, and the pips of these moves."""
    count, pips = count_behind(low, high, 6)
    low &= HOME | HOME << 32
    high &= HOME | HOME << 32
    for _ in range(count):
        low, high = add_checker(low, high, Bitboard(1) << 6)
    return low, high, pips


def flip(points: Bitboard) -> Bitboard:
    """Return a set of points as numbered by the other side: bit p becomes bit 25 - p. The bar is dropped."""
    return flip_both(points & BOARD)


def flip_both(points: Bitboard) -> Bitboard:
    """Return two sets of points (the second 32 bits higher), without the bar, as numbered by the other side."""
    points = points >> 1 & 0x5555555555555555 | (points & 0x5555555555555555) << 1
    points = points >> 2 & 0x3333333333333333 | (points & 0x3333333333333333) << 2
    points = points >> 4 & 0x0F0F0F0F0F0F0F0F | (points & 0x0F0F0F0F0F0F0F0F) << 4
    points = points >> 8 & 0x00FF00FF00FF00FF | (points & 0x00FF00FF00FF00FF) << 8
    points = points >> 16 & 0x0000FFFF0000FFFF | (points & 0x0000FFFF0000FFFF) << 16
    return points >> 6 & BOARDS


def add_checker(low: Bitboard, high: Bitboard, checker: Bitboard) -> tuple[Bitboard, Bitboard]:
    """Return the words with one more checker on the point whose bit is given; unchanged for an empty set."""
    carry = (low & checker) << 32
    low ^= checker
    more = (low & carry) >> 32
    low ^= carry
    carry = (high & more) << 32
    return low, high ^ more ^ carry


def remove_checker(low: Bitboard, high: Bitboard, checker: Bitboard) -> tuple[Bitboard, Bitboard]:
    """Return the words with one checker less on the point whose bit is given."""
    low ^= checker
    borrow = (low & checker) << 32
    low ^= borrow
    less = (low & borrow) >> 32
    high ^= less
    return low, high ^ (high & less) << 32


def move_checker(low: Bitboard, high: Bitboard, point: int, die: int) -> tuple[Bitboard, Bitboard]:
    """Return the words after a checker has moved from a point by a die, possibly off the board."""
    checker = Bitboard(1) << point
    low, high = remove_checker(low, high, checker)
    return add_checker(low, high, checker >> die & BOARD)


def movable(points: Bitboard, die: int, closed: Bitboard) -> Bitboard:
    """Return the points from which a checker can move by a die.

    `points` are the occupied points, `closed` those that the other side holds. Checkers on the bar enter first. With
    all checkers at home, one can be borne off from the die's point, or from the highest point if that is lower.
    """
    if points & ON_BAR:
        return ON_BAR & ~(closed << die)
    found = points & ~(closed << die) & -(Bitboard(2) << die)
    if not points & ~HOME:
        if points >> die:
            found |= points & Bitboard(1) << die
        else:
            found |= Bitboard(1) << points.last()
    return found


# ---- interpreted only, for notation ------------------------------------------------------------------------------


def checker_counts(low: Bitboard, high: Bitboard) -> list[int]:
    """Return the numbers of checkers borne off (index 0), on points 1 to 24 and on the bar (25)."""
    low_word, high_word = int(low), int(high)
    numbers = [0]
    for point in range(1, BAR + 1):
        two, eight = low_word >> point + 32 & 1, high_word >> point + 32 & 1
        numbers.append((low_word >> point & 1) + 2 * two + 4 * (high_word >> point & 1) + 8 * eight)
    numbers[0] = CHECKERS - sum(numbers)
    return numbers


def pack_counts(numbers: list[int]) -> tuple[Bitboard, Bitboard]:
    """Return the words for the numbers of checkers on each point: the inverse of `checker_counts`."""
    digits = [sum((numbers[point] >> digit & 1) << point for point in range(1, BAR + 1)) for digit in range(4)]
    return Bitboard(digits[0] | digits[1] << 32), Bitboard(digits[2] | digits[3] << 32)
