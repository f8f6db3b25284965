"""Indices of chess positions with three and four men, for endgame tables.

The sides are exchanged so that white has more pieces, or the stronger one of two; where both have the same piece, so
that white is to move. Without pawns the board is rotated and mirrored so that the white king stands in the triangle a1,
d1, d4, with pawns it is mirrored so that the king stands on the files a to d. A number is then, from the highest digit
on: the slice (pieces), the side to move, the square of the white king, and those of the black king and the one or two
other pieces, with 64 values each.

A pawn that can be captured en passant is put on its own first rank, where no pawn can stand, as in other tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.bitboard import Bitboard
from zermelo.core.endgame_slice import TableSlice
from zermelo.core.game import MAX
from zermelo.games.chess.attacks import RANK_1, RANK_8

if TYPE_CHECKING:
    from zermelo.games.chess.rules import Chess

# Pieces by strength.
LETTERS = "PNBRQ"
PAWN = 0
# Squares of the white king, without pawns and with them.
TRIANGLE, HALF_BOARD = 10, 32
# How the two pieces beside the kings belong together: a piece alone, two of white, one of each side.
ALONE, SAME_SIDE, BOTH_SIDES = 0, 1, 2


def _slices() -> list[tuple[int, int, int]]:
    """All slices, (how, stronger piece, weaker piece), so that captures and promotions lead to earlier ones.

    A bishop or a knight alone is missing: these positions are finished.
    """
    alone = [(ALONE, piece, 0) for piece in (3, 4, PAWN)]
    pairs = [(first, second) for first in range(5) for second in range(first + 1)]
    pairs.sort(key=lambda pair: (pair.count(PAWN), pair))
    return alone + [(how, *pair) for how in (SAME_SIDE, BOTH_SIDES) for pair in pairs]


def _part_size(how: int, first: int, second: int) -> int:
    has_pawn = PAWN in ((first,) if how == ALONE else (first, second))
    return (HALF_BOARD if has_pawn else TRIANGLE) * (64**2 if how == ALONE else 64**3)


def _parts(how: int, first: int, second: int) -> int:
    return 1 if how == BOTH_SIDES and first == second else 2


SLICES = _slices()
HOW = tuple(each[0] for each in SLICES)
FIRST = tuple(each[1] for each in SLICES)
SECOND = tuple(each[2] for each in SLICES)
SIZES = tuple(_part_size(*each) for each in SLICES)
_TOTALS = [_part_size(*each) * _parts(*each) for each in SLICES]
# The first number of each slice, and the number after the last.
STARTS = tuple(sum(_TOTALS[:place]) for place in range(len(SLICES) + 1))
# The slice by how, stronger and weaker piece, in base 5; -1: none.
SLICE_OF = tuple(
    SLICES.index((how, first, second)) if (how, first, second) in SLICES else -1
    for how in range(3) for first in range(5) for second in range(5)
)  # fmt: skip


def table_slices(men: int) -> tuple[TableSlice, ...]:
    """The slices of the tables with exactly this number of men."""
    found = []
    for how, first, second in SLICES:
        if men == (3 if how == ALONE else 4):
            pieces = LETTERS[first] if how == ALONE else LETTERS[first] + LETTERS[second]
            name = f"K{pieces[0]}K{pieces[1]}" if how == BOTH_SIDES else f"K{pieces}K"
            sides = ("white to move", "black to move")[: _parts(how, first, second)]
            found.append(TableSlice(name, tuple((side, _part_size(how, first, second)) for side in sides)))
    return tuple(found)


def piece_at(state: Chess, square: int) -> int:
    """The piece on a square, as a place in `LETTERS`."""
    if square in state.pawns:
        return PAWN
    if square in state.knights:
        return 1
    if square in state.bishops:
        return 2
    return 3 if square in state.rooks else 4


def coded_square(state: Chess, square: int) -> int:
    """The square of a piece; of a pawn that can be captured en passant that on its first rank."""
    passed = state.en_passant.first()
    if passed < 64 and (square - passed == 8 or passed - square == 8):
        return square & 7 if square < 32 else 56 | square & 7
    return square


def transposed(square: int) -> int:
    """The square mirrored at the diagonal a1-h8."""
    return (square & 7) << 3 | square >> 3


def placed(king: int, other: int, first: int, second: int, how: int, alike: bool, has_pawn: bool) -> int:
    """The digits of the squares as one number, that of the white king first."""
    if how == SAME_SIDE and alike and first > second:
        first, second = second, first
    rank, file = king >> 3, king & 7
    number = (4 * rank + file if has_pawn else file * (file + 1) // 2 + rank) * 64 + other
    number = number * 64 + first
    return number if how == ALONE else number * 64 + second


def index(state: Chess) -> int:
    """The number of a position with three or four men; -1: none."""
    white, black = state.white & ~state.kings, state.black & ~state.kings
    count = white.count() + black.count()
    if not 1 <= count <= 2 or state.castling_rights:
        return -1
    exchanged = black.count() > white.count()
    how = ALONE if count == 1 else SAME_SIDE
    if white and black:
        how = BOTH_SIDES
        own, other = piece_at(state, white.first()), piece_at(state, black.first())
        exchanged = other > own or (other == own and state.turn != MAX)
    strong = state.black if exchanged else state.white
    king, other_king = (state.kings & strong).first(), (state.kings & ~strong).first()
    pieces = strong & ~state.kings
    one, two = pieces.first(), pieces.last()
    if how == BOTH_SIDES:
        two = ((white | black) & ~strong).first()
    first, second = piece_at(state, one), piece_at(state, two)
    if first < second:
        one, two = two, one
        first, second = second, first
    place = SLICE_OF[25 * how + 5 * first + (0 if how == ALONE else second)]
    if place < 0:
        return -1
    one, two = coded_square(state, one), coded_square(state, two)
    flip = 56 if exchanged else 0
    has_pawn = bool(state.pawns)
    if king & 7 > 3:
        flip ^= 7
    if not has_pawn and (king ^ flip) >> 3 > 3:
        flip ^= 56
    king, other_king, one, two = king ^ flip, other_king ^ flip, one ^ flip, two ^ flip
    alike = first == second
    if has_pawn or king & 7 > king >> 3:
        number = placed(king, other_king, one, two, how, alike, has_pawn)
    else:
        number = placed(
            transposed(king), transposed(other_king), transposed(one), transposed(two), how, alike, has_pawn
        )
        if king & 7 == king >> 3:  # two images have the king in the triangle
            number = min(number, placed(king, other_king, one, two, how, alike, has_pawn))
    is_second = (state.turn == MAX) == exchanged
    return STARTS[place] + (SIZES[place] if is_second else 0) + number


def place_of(number: int) -> int:
    """The slice of a number."""
    place = 0
    while STARTS[place + 1] <= number:
        place += 1
    return place


def squares(number: int) -> tuple[int, int, int, int, int, int, int]:
    """The parts of a number: slice, side to move, squares of the kings and of the two pieces, en passant square.

    The second piece of a slice with one has the square 64, and so has en passant if it is not possible. The slice is
    -1 if the number is not in use, as far as the squares tell.
    """
    place = place_of(number)
    number -= STARTS[place]
    side = number // SIZES[place]
    number %= SIZES[place]
    how, first, second = HOW[place], FIRST[place], SECOND[place]
    two = 64
    if how != ALONE:
        two = number % 64
        number //= 64
    one, other_king, corner = number % 64, number // 64 % 64, number // 4096
    passed = 64
    if first == PAWN or (second == PAWN and how != ALONE):
        king = corner % 4 + corner // 4 * 8
    else:
        file = 0
        while (file + 1) * (file + 2) // 2 <= corner:
            file += 1
        king = file + 8 * (corner - file * (file + 1) // 2)
    # White is to move where both sides have a pawn, so black's has made the last move.
    if first == PAWN and second == PAWN and how == BOTH_SIDES and two >= 56:
        passed = two - 16
        two -= 24
        if passed in (king, other_king) or passed + 8 == king or passed + 8 == other_king:
            place = -1
        if passed == one or passed + 8 == one:
            place = -1
    pawns = Bitboard(0)
    if first == PAWN:
        pawns |= Bitboard(1) << one
    if second == PAWN and how != ALONE:
        pawns |= Bitboard(1) << two
    occupied = Bitboard(1) << king | Bitboard(1) << other_king | Bitboard(1) << one
    if two < 64:
        occupied |= Bitboard(1) << two
    if occupied.count() != (3 if how == ALONE else 4) or pawns & (RANK_1 | RANK_8):
        place = -1
    return place, side, king, other_king, one, two, passed


def bit_if(square: int, condition: bool) -> Bitboard:
    """The square as a set, if a condition holds; else no square."""
    return Bitboard(1) << square if condition else Bitboard(0)
