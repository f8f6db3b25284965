"""A side's checkers in two words, and what can be asked of them: shared by the rules and evaluations.

A side counts the points from its own side: it moves from 24 down to 1, its home is 1 to 6, the bar is 25, and what is
borne off is nowhere. The other side's point 25 - p is the same place as the own point p. A set of points is a
`Bitboard` with bit p for point p; bits 0 and 26 to 31 are never set.

How many checkers stand on a point, 0 to 15, is a number in base two, each digit a set of points of its own:

    low    bits  0 .. 31   the points whose number has a one      high   bits  0 .. 31   ... a four
           bits 32 .. 63   ... a two                                     bits 32 .. 63   ... an eight

So one operation on a word does the same for all points at once, and a die moves all checkers by one shift:
`occupied(low, high) >> 3` is where they would come to with a three.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard

CHECKERS = 15
BAR = 25
LANE = Bitboard(0xFFFFFFFF)
# The points of the board, without the bar; the own home; the points of the other's home, with the bar.
BOARD = Bitboard(0x1FFFFFE)
HOME = Bitboard(0x7E)
AWAY = Bitboard(0x3F80000)
# Both lanes: the points of the board twice.
BOARDS = BOARD | BOARD << 32
ON_BAR = Bitboard(1) << BAR


def occupied(low, high):
    """The points (and the bar) with one checker or more."""
    some = low | high
    return (some | some >> 32) & LANE


def held(low, high):
    """The points (and the bar) with two checkers or more; on the board these are closed to the other side."""
    return (low >> 32 | high | high >> 32) & LANE


def checkers_on(low, high, point):
    """How many checkers stand on a point."""
    one = low >> point & 1
    two = low >> point + 32 & 1
    four = high >> point & 1
    eight = high >> point + 32 & 1
    return one.count() + 2 * two.count() + 4 * four.count() + 8 * eight.count()


def checkers_in(low, high, points):
    """How many checkers stand on a set of points, all together."""
    few = (low & points).count() + 2 * (low >> 32 & points).count()
    return few + 4 * (high & points).count() + 8 * (high >> 32 & points).count()


def borne_off(low, high):
    """How many checkers are off the board, 0 .. 15."""
    return CHECKERS - checkers_in(low, high, LANE)


# The points whose number has a one, a two, a four, an eight, a sixteen.
_ONES, _TWOS, _FOURS, _EIGHTS, _SIXTEENS = (
    Bitboard(sum(1 << point for point in range(1, 26) if point >> digit & 1)) for digit in range(5)
)


def pips(low, high):
    """How many pips a side has to go until all is borne off (167 at the start); the bar is 25 away."""
    total = checkers_in(low, high, _ONES) + 2 * checkers_in(low, high, _TWOS) + 4 * checkers_in(low, high, _FOURS)
    return total + 8 * checkers_in(low, high, _EIGHTS) + 16 * checkers_in(low, high, _SIXTEENS)


def mirrored(points):
    """A set of points of the board as the other side counts them: bit p becomes bit 25 - p. The bar falls away."""
    return turned(points & BOARD)


def turned(points):
    """Two sets of points (the second 32 bits up) as the other side counts them. Neither has the bar."""
    points = points >> 1 & 0x5555555555555555 | (points & 0x5555555555555555) << 1
    points = points >> 2 & 0x3333333333333333 | (points & 0x3333333333333333) << 2
    points = points >> 4 & 0x0F0F0F0F0F0F0F0F | (points & 0x0F0F0F0F0F0F0F0F) << 4
    points = points >> 8 & 0x00FF00FF00FF00FF | (points & 0x00FF00FF00FF00FF) << 8
    points = points >> 16 & 0x0000FFFF0000FFFF | (points & 0x0000FFFF0000FFFF) << 16
    return points >> 6 & BOARDS


def added(low, high, checker):
    """The two words with one more checker on the point whose bit is given; as they are for no bit."""
    carry = (low & checker) << 32
    low ^= checker
    more = (low & carry) >> 32
    low ^= carry
    carry = (high & more) << 32
    return low, high ^ more ^ carry


def taken(low, high, checker):
    """The two words with one checker less on the point whose bit is given."""
    low ^= checker
    borrow = (low & checker) << 32
    low ^= borrow
    less = (low & borrow) >> 32
    high ^= less
    return low, high ^ (high & less) << 32


def moved(low, high, point, die):
    """The two words after a checker has moved from a point by a die, off the board or not."""
    checker = Bitboard(1) << point
    low, high = taken(low, high, checker)
    return added(low, high, checker >> die & BOARD)


def movers(places, die, closed):
    """From which points a checker can move by a die.

    `places` are the occupied points, `closed` those that the other side holds. Who is on the bar has to come in first.
    All at home, checkers are borne off: from the point of the die, or from the highest one if that is lower.
    """
    if places & ON_BAR:
        return ON_BAR & ~(closed << die)
    found = places & ~(closed << die) & -(Bitboard(2) << die)
    if not places & ~HOME:
        if places >> die:
            found |= places & Bitboard(1) << die
        else:
            found |= Bitboard(1) << places.last()
    return found


# ---- interpreted only: for texts ------------------------------------------------------------------------------


def counts(low: Bitboard, high: Bitboard) -> list[int]:
    """How many checkers are off (0), on each point (1 to 24) and on the bar (25)."""
    few, many = int(low), int(high)
    numbers = [0]
    for point in range(1, BAR + 1):
        two, eight = few >> point + 32 & 1, many >> point + 32 & 1
        numbers.append((few >> point & 1) + 2 * two + 4 * (many >> point & 1) + 8 * eight)
    numbers[0] = CHECKERS - sum(numbers)
    return numbers


def words(numbers: list[int]) -> tuple[Bitboard, Bitboard]:
    """The two words of a side with so many checkers on each point; the inverse of `counts`, what is off not asked."""
    digits = [sum((numbers[point] >> digit & 1) << point for point in range(1, BAR + 1)) for digit in range(4)]
    return Bitboard(digits[0] | digits[1] << 32), Bitboard(digits[2] | digits[3] << 32)
