"""What pieces attack: the geometry of chess on 64-bit boards, shared by the rules and evaluations.

Square 0 is a1, then along the ranks (b1 is 1, a2 is 8, h8 is 63). White's pawns go to higher numbers.

*How far does a slider go along a line?* The nearest piece on the line below its square is the highest bit there, the
nearest above it the lowest. Subtract the one from twice the other, and all bits from the one to the other are set: both
ways along a line in one subtraction ("obstruction difference").
"""

from __future__ import annotations

import numpy as np

from zermelo.core.bitboard import Bitboard

FILE_A = Bitboard(0x0101010101010101)
FILE_H = FILE_A << 7
RANK_1 = Bitboard(0xFF)
RANK_8 = RANK_1 << 56
RANK_3 = RANK_1 << 16
RANK_6 = RANK_1 << 40
LIGHT = Bitboard(0x55AA55AA55AA55AA)

# The four lines through a square: `LINES[square, RISE]` goes from lower left to upper right.
RANK, FILE, RISE, FALL = range(4)


def _board(square: int, steps: tuple[tuple[int, int], ...], furthest: int) -> int:
    """The squares reached from a square by up to `furthest` equal steps of (columns, rows)."""
    reached = 0
    for columns, rows in steps:
        for times in range(1, furthest + 1):
            column, row = square % 8 + times * columns, square // 8 + times * rows
            if 0 <= column < 8 and 0 <= row < 8:
                reached |= 1 << (8 * row + column)
    return reached


_WAYS = (((1, 0), (-1, 0)), ((0, 1), (0, -1)), ((1, 1), (-1, -1)), ((-1, 1), (1, -1)))
_LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
# The lines through each square without the square itself; where knights and kings go from it.
LINES = np.array([[_board(square, ways, 7) for ways in _WAYS] for square in range(64)], np.uint64)
KNIGHT = np.array([_board(square, _LEAPS, 1) for square in range(64)], np.uint64)
KING = np.array([_board(square, sum(_WAYS, ()), 1) for square in range(64)], np.uint64)


def line_through(square, line):
    """The squares of one of the four lines through a square, without it."""
    return Bitboard(LINES[square, line])


def lines_through(square):
    """The squares of all four lines through a square, without it: those that a queen reaches on an empty board."""
    straight = Bitboard(LINES[square, RANK]) | Bitboard(LINES[square, FILE])
    return straight | Bitboard(LINES[square, RISE]) | Bitboard(LINES[square, FALL])


def knight_attacks(square):
    """Where a knight goes."""
    return Bitboard(KNIGHT[square])


def king_attacks(square):
    """Where a king goes."""
    return Bitboard(KING[square])


def along(square, line, occupied):
    """The squares that a slider attacks on one line: up to the first piece each way, that one included."""
    squares = Bitboard(LINES[square, line])
    pieces = squares & occupied
    below = (Bitboard(1) << square) - 1
    nearest_below = Bitboard(1) << (pieces & below | 1).last()
    above = pieces & ~below
    nearest_above = above & -above
    return squares & (nearest_above + nearest_above - nearest_below)


def rook_attacks(square, occupied):
    """The squares that a rook attacks."""
    return along(square, RANK, occupied) | along(square, FILE, occupied)


def bishop_attacks(square, occupied):
    """The squares that a bishop attacks."""
    return along(square, RISE, occupied) | along(square, FALL, occupied)


def pawn_attacks(pawns, forward):
    """The squares that pawns attack; `forward` is 1 for white's and -1 for black's."""
    if forward > 0:
        return (pawns & ~FILE_A) << 7 | (pawns & ~FILE_H) << 9
    return (pawns & ~FILE_A) >> 9 | (pawns & ~FILE_H) >> 7


def knights_attacks(knights):
    """The squares that several knights attack."""
    one = (knights & ~FILE_H) << 1 | (knights & ~FILE_A) >> 1
    inner = knights & ~(FILE_H | FILE_H >> 1)
    two = inner << 2
    inner = knights & ~(FILE_A | FILE_A << 1)
    two |= inner >> 2
    return one << 16 | one >> 16 | two << 8 | two >> 8


def is_slid_upon(square, occupied, straight, diagonal):
    """Whether one of the sliders, along ranks and files or along diagonals, attacks a square."""
    if (along(square, RISE, occupied) | along(square, FALL, occupied)) & diagonal:
        return True
    return bool((along(square, RANK, occupied) | along(square, FILE, occupied)) & straight)


def checks_along(square, line, own, occupied, sliders):
    """On one line through a king's square: the sliders that check it, and the king's pieces that are pinned."""
    if not Bitboard(LINES[square, line]) & sliders:
        return Bitboard(0), Bitboard(0)
    seen = along(square, line, occupied)
    screens = seen & own
    behind = along(square, line, occupied ^ screens) & ~seen & sliders
    pinned = Bitboard(0)
    below = (Bitboard(1) << square) - 1
    if behind & below:
        pinned |= screens & below
    if behind & ~below:
        pinned |= screens & ~below
    return seen & sliders, pinned


def between(square, other):
    """The squares between two squares of one line; empty where they share none."""
    found = Bitboard(0)
    for line in range(4):
        if other in Bitboard(LINES[square, line]):
            found = along(square, line, Bitboard(1) << other) & along(other, line, Bitboard(1) << square)
    return found


def line_of(square, other):
    """The whole line through two squares, but for the first one; empty where they share none."""
    found = Bitboard(0)
    for line in range(4):
        if other in Bitboard(LINES[square, line]):
            found = Bitboard(LINES[square, line])
    return found
