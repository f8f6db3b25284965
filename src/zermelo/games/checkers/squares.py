r"""The 32 dark squares of a checkers board as bits, and the directions of moves. Shared by rules and evaluations.

Squares are numbered 1 to 32 from black's side, as in the literature. Every second row of four is followed by a bit that
is not a square (bits 8, 17 and 26). Each direction is then one shift, the same from all squares, and a piece that
leaves the board lands on a bit outside `BOARD`.

        square                   bit                    directions, from square 18

           1   2   3   4            0   1   2   3              14      15
         5   6   7   8            4   5   6   7              -5  \    /  -4
           9  10  11  12            9  10  11  12                  18
        13  14  15  16           13  14  15  16              +4  /    \  +5
          17  18  19  20           18  19  20  21              22      23
        21  22  23  24           22  23  24  25
          25  26  27  28           27  28  29  30
        29  30  31  32           31  32  33  34
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard

BOARD = Bitboard(0x7FBFDFEFF)
LAST_SQUARE = 34
# All squares away from the edge of the board.
INNER = Bitboard(0x3B9DCEE0)
# The first and the last row, where men are crowned.
FIRST_ROW = Bitboard(0xF)
LAST_ROW = Bitboard(0xF) << 31
ENDS = FIRST_ROW | LAST_ROW
# The four directions as shifts: 0 and 1 are forward for black, 2 and 3 forward for white.
DIRECTIONS = (5, 4, -4, -5)


def neighbour(pieces: Bitboard, direction: int) -> Bitboard:
    """Return the squares next to one or several pieces in a direction (0 .. 3)."""
    if direction < 2:
        return pieces << 5 - direction
    return pieces >> 2 + direction


def steppers(up: Bitboard, down: Bitboard, empty: Bitboard) -> Bitboard:
    """Return the pieces that can step to an empty square: `up` to higher numbers, `down` to lower ones."""
    return up & (empty >> 5 | empty >> 4) | down & (empty << 4 | empty << 5)


def jumpers(up: Bitboard, down: Bitboard, other: Bitboard, empty: Bitboard) -> Bitboard:
    """Return the pieces that can jump over one of `other` to an empty square."""
    forward = other >> 5 & empty >> 10 | other >> 4 & empty >> 8
    backward = other << 5 & empty << 10 | other << 4 & empty << 8
    return up & forward | down & backward


def cone_below(pieces: Bitboard) -> Bitboard:
    """Return the squares from which a man that moves to higher numbers can still meet one of the pieces."""
    for _ in range(7):
        pieces |= (pieces >> 4 | pieces >> 5) & BOARD
    return pieces


def cone_above(pieces: Bitboard) -> Bitboard:
    """Return the squares from which a man that moves to lower numbers can still meet one of the pieces."""
    for _ in range(7):
        pieces |= (pieces << 4 | pieces << 5) & BOARD
    return pieces
