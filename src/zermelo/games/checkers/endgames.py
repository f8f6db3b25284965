"""Indices of checkers positions with few pieces, for endgame tables.

The sides are exchanged, and the board is rotated, so that black is to move. A number is then, from the highest digit
on: the part, which is how many men and kings each side has, and for each of these four groups the number of its set of
squares among all sets of that size (the combinatorial number system). A man has 28 squares, a king 32; numbers where
two groups share a square are not in use.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from zermelo.core.bitboard import Bitboard
from zermelo.core.endgame_slice import TableSlice
from zermelo.core.game import MAX

if TYPE_CHECKING:
    from zermelo.games.checkers.rules import Checkers

# The most pieces that there are numbers for: 139.5 million positions.
MOST_PIECES = 5
# Squares of men and of kings.
MEN, KINGS = 28, 32
# What one side may have, (men, kings), in the order of `code`.
SIDES = [(total - kings, kings) for total in range(1, MOST_PIECES) for kings in range(total + 1)]


def _slices() -> list[tuple[int, int]]:
    """All pairs of codes of the two sides, so that captures and crownings lead to earlier ones."""
    pairs = [(one, two) for one in range(len(SIDES)) for two in range(one + 1)]
    pairs = [(one, two) for one, two in pairs if sum(SIDES[one] + SIDES[two]) <= MOST_PIECES]
    return sorted(pairs, key=lambda pair: (sum(SIDES[pair[0]] + SIDES[pair[1]]), SIDES[pair[0]][0] + SIDES[pair[1]][0]))


def _part_size(own: int, other: int) -> int:
    sizes = [comb(MEN, SIDES[side][0]) * comb(KINGS, SIDES[side][1]) for side in (own, other)]
    return sizes[0] * sizes[1]


def _name(side: int) -> str:
    return "K" * SIDES[side][1] + "M" * SIDES[side][0]


SLICES = _slices()
# The parts: the codes of the side to move and of the other one.
PARTS = [part for one, two in SLICES for part in dict.fromkeys(((one, two), (two, one)))]
OWN, OTHER = tuple(part[0] for part in PARTS), tuple(part[1] for part in PARTS)
# The first number of each part, and the number after the last.
STARTS = tuple(sum(_part_size(*part) for part in PARTS[:place]) for place in range(len(PARTS) + 1))
# The part by the codes of both sides; -1: none.
PART_OF = tuple(
    PARTS.index((own, other)) if (own, other) in PARTS else -1
    for own in range(len(SIDES)) for other in range(len(SIDES))
)  # fmt: skip
CODES = len(SIDES)
MEN_OF, KINGS_OF = tuple(men for men, _ in SIDES), tuple(kings for _, kings in SIDES)


def table_slices(men: int) -> tuple[TableSlice, ...]:
    """The slices of the tables with exactly this number of pieces: K is a king, M a man."""
    found = []
    for one, two in SLICES:
        if sum(SIDES[one] + SIDES[two]) == men:
            parts = dict.fromkeys(((one, two), (two, one)))
            named = tuple((f"{_name(own)} to move", _part_size(own, other)) for own, other in parts)
            found.append(TableSlice(f"{_name(one)} v {_name(two)}", named))
    return tuple(found)


def code(men: int, kings: int) -> int:
    """The place in `SIDES` of what a side has."""
    total = men + kings
    return total * (total + 1) // 2 - 1 + kings


def choose(items: int, chosen: int) -> int:
    """The number of ways to choose some of the items."""
    ways = 1
    for place in range(chosen):
        ways = ways * (items - place) // (place + 1)
    return ways


def set_number(pieces: Bitboard, is_rotated: bool, first: int) -> int:
    """The number of a set of squares among the sets of its size; the squares count from `first` on."""
    number = 0
    count = 0
    while pieces:
        count += 1
        if is_rotated:
            square = pieces.last()
            pieces ^= Bitboard(1) << square
            number += choose(31 - (square - square // 9) - first, count)
        else:
            square = pieces.first()
            pieces = pieces.rest()
            number += choose(square - square // 9 - first, count)
    return number


def numbered_set(number: int, count: int, first: int) -> Bitboard:
    """The inverse of `set_number`, not rotated."""
    pieces = Bitboard(0)
    square = 31 - first
    while count > 0:
        while choose(square, count) > number:
            square -= 1
        number -= choose(square, count)
        pieces |= Bitboard(1) << square + first + (square + first >> 3)
        count -= 1
    return pieces


def index(state: Checkers) -> int:
    """The number of a position with few pieces; -1: none."""
    own, other = state.own(), state.other()
    count, other_count = own.count(), other.count()
    if count == 0 or other_count == 0 or count + other_count > MOST_PIECES:
        return -1
    is_rotated = state.turn != MAX
    kings, other_kings = own & state.kings, other & state.kings
    men, other_men = own ^ kings, other ^ other_kings
    codes = code(men.count(), kings.count()) * CODES + code(other_men.count(), other_kings.count())
    number = set_number(men, is_rotated, 0)
    number = number * choose(KINGS, kings.count()) + set_number(kings, is_rotated, 0)
    number = number * choose(MEN, other_men.count()) + set_number(other_men, is_rotated, 4)
    number = number * choose(KINGS, other_kings.count()) + set_number(other_kings, is_rotated, 0)
    return STARTS[PART_OF[codes]] + number


def squares(number: int) -> tuple[Bitboard, Bitboard, Bitboard]:
    """The black pieces, the white ones, and all kings of a number; empty if it is not in use. Black is to move."""
    low, high = 0, len(OWN)
    while high - low > 1:
        middle = (low + high) // 2
        if STARTS[middle] <= number:
            low = middle
        else:
            high = middle
    number -= STARTS[low]
    men, kings = MEN_OF[OWN[low]], KINGS_OF[OWN[low]]
    other_men, other_kings = MEN_OF[OTHER[low]], KINGS_OF[OTHER[low]]
    ways = choose(KINGS, other_kings)
    white_kings = numbered_set(number % ways, other_kings, 0)
    number //= ways
    ways = choose(MEN, other_men)
    white_men = numbered_set(number % ways, other_men, 4)
    number //= ways
    ways = choose(KINGS, kings)
    black_kings = numbered_set(number % ways, kings, 0)
    black_men = numbered_set(number // ways, men, 0)
    black, white = black_men | black_kings, white_men | white_kings
    if (black | white).count() != men + kings + other_men + other_kings:
        return Bitboard(0), Bitboard(0), Bitboard(0)
    return black, white, black_kings | white_kings
