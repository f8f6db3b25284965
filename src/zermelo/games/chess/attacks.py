"""Attack generation: the squares that pieces attack, on 64-bit boards. Shared by rules and evaluations.

Squares are numbered rank by rank: a1 is 0, b1 is 1, a2 is 8, h8 is 63. White pawns move to higher numbers.

Slider attacks along one line use the obstruction difference: the nearest blocker below the square is the highest bit
of the line below it, the nearest blocker above is the lowest bit above it. Subtracting the lower one from all blockers
above changes the bits between the two, so both directions of a line take one subtraction.

References
----------
"Obstruction Difference", Chess Programming Wiki.
"""

from __future__ import annotations

import numpy as np

from zermelo.core.bitboard import Bitboard

ONE = Bitboard(1)
FILE_A = Bitboard(0x0101010101010101)
FILE_H = FILE_A << 7
RANK_1 = Bitboard(0xFF)
RANK_8 = RANK_1 << 56
RANK_3 = RANK_1 << 16
RANK_6 = RANK_1 << 40
LIGHT_SQUARES = Bitboard(0x55AA55AA55AA55AA)

# The four lines through a square, as the second index of `LINES`: its rank, its file, the diagonal (a1-h8 direction)
# and the anti-diagonal (a8-h1 direction).
RANK, FILE, DIAGONAL, ANTIDIAGONAL = range(4)


def _reachable(square: int, steps: tuple[tuple[int, int], ...], most_steps: int) -> int:
    """Return the squares reached by 1 to `most_steps` equal steps of (columns, rows) on an empty board."""
    reached = 0
    for columns, rows in steps:
        for times in range(1, most_steps + 1):
            column, row = square % 8 + times * columns, square // 8 + times * rows
            if 0 <= column < 8 and 0 <= row < 8:
                reached |= 1 << (8 * row + column)
    return reached


_LINE_STEPS = (((1, 0), (-1, 0)), ((0, 1), (0, -1)), ((1, 1), (-1, -1)), ((-1, 1), (1, -1)))
_KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
# The four lines through each square, without the square itself; those of a rook together, and those of a bishop; the
# squares that knights and kings attack from it.
LINES = np.array([[_reachable(square, steps, 7) for steps in _LINE_STEPS] for square in range(64)], np.uint64)
STRAIGHT = LINES[:, RANK] | LINES[:, FILE]
DIAGONALS = LINES[:, DIAGONAL] | LINES[:, ANTIDIAGONAL]
KNIGHT = np.array([_reachable(square, _KNIGHT_STEPS, 1) for square in range(64)], np.uint64)
KING = np.array([_reachable(square, sum(_LINE_STEPS, ()), 1) for square in range(64)], np.uint64)


def line_mask(square: int, line: int) -> Bitboard:
    """Return the squares of one of the four lines through a square, without the square."""
    return Bitboard(LINES[square, line])


def queen_mask(square: int) -> Bitboard:
    """Return the squares that a queen attacks on an empty board."""
    return Bitboard(STRAIGHT[square]) | Bitboard(DIAGONALS[square])


def knight_attacks(square: int) -> Bitboard:
    """Return the squares that a knight attacks."""
    return Bitboard(KNIGHT[square])


def king_attacks(square: int) -> Bitboard:
    """Return the squares that a king attacks."""
    return Bitboard(KING[square])


def line_attacks(square: int, line: int, occupied: Bitboard) -> Bitboard:
    """Return the squares that a slider attacks on one line, the first blocker in each direction included."""
    squares = Bitboard(LINES[square, line])
    pieces = squares & occupied
    below = pieces & (ONE << square) - 1
    above = pieces ^ below
    nearest_below = ONE << (below | 1).last()
    return squares & (above ^ above - nearest_below)


def rook_attacks(square: int, occupied: Bitboard) -> Bitboard:
    """Return the squares that a rook attacks."""
    return line_attacks(square, RANK, occupied) | line_attacks(square, FILE, occupied)


def bishop_attacks(square: int, occupied: Bitboard) -> Bitboard:
    """Return the squares that a bishop attacks."""
    return line_attacks(square, DIAGONAL, occupied) | line_attacks(square, ANTIDIAGONAL, occupied)


def pawn_attacks(pawns: Bitboard, forward: int) -> Bitboard:
    """Return the squares that pawns attack; `forward` is 1 for white pawns and -1 for black ones."""
    if forward > 0:
        return (pawns & ~FILE_A) << 7 | (pawns & ~FILE_H) << 9
    return (pawns & ~FILE_A) >> 9 | (pawns & ~FILE_H) >> 7


def knights_attacks(knights: Bitboard) -> Bitboard:
    """Return the squares that a set of knights attacks."""
    one = (knights & ~FILE_H) << 1 | (knights & ~FILE_A) >> 1
    inner = knights & ~(FILE_H | FILE_H >> 1)
    two = inner << 2
    inner = knights & ~(FILE_A | FILE_A << 1)
    two |= inner >> 2
    return one << 16 | one >> 16 | two << 8 | two >> 8


def attacked_by_sliders(square: int, occupied: Bitboard, straight: Bitboard, diagonal: Bitboard) -> bool:
    """Return whether a slider attacks a square: `straight` on ranks and files, `diagonal` on diagonals."""
    # Mostly no slider stands on a line through the square, which is quick to see.
    if Bitboard(DIAGONALS[square]) & diagonal and bishop_attacks(square, occupied) & diagonal:
        return True
    return bool(Bitboard(STRAIGHT[square]) & straight and rook_attacks(square, occupied) & straight)


def line_checks_and_pins(
    square: int, line: int, own: Bitboard, occupied: Bitboard, sliders: Bitboard
) -> tuple[Bitboard, Bitboard]:
    """Return, on one line through the king's square, the sliders that give check and the own pieces that are pinned."""
    if not Bitboard(LINES[square, line]) & sliders:
        return Bitboard(0), Bitboard(0)
    seen = line_attacks(square, line, occupied)
    blockers = seen & own
    behind = line_attacks(square, line, occupied ^ blockers) & ~seen & sliders  # x-ray through the own blockers
    pinned = Bitboard(0)
    below = (Bitboard(1) << square) - 1
    if behind & below:
        pinned |= blockers & below
    if behind & ~below:
        pinned |= blockers & ~below
    return seen & sliders, pinned


def between(square: int, other: int) -> Bitboard:
    """Return the squares strictly between two squares of one line; empty if they are not on one line."""
    found = Bitboard(0)
    for line in range(4):
        if other in Bitboard(LINES[square, line]):
            found = line_attacks(square, line, Bitboard(1) << other) & line_attacks(other, line, Bitboard(1) << square)
    return found


def common_line(square: int, other: int) -> Bitboard:
    """Return the line through two squares, without the first; empty if they are not on one line."""
    found = Bitboard(0)
    for line in range(4):
        if other in Bitboard(LINES[square, line]):
            found = Bitboard(LINES[square, line])
    return found
