r"""The 32 squares of a draughts board as bits, and the ways that pieces go: shared by the rules and evaluations.

The squares are numbered as in all books, 1 to 32 from black's side. A row of four begins a bit later every second
time, and the bit left out is a square beside the board: so every way that a piece can go is one shift, the same from
all squares, and who leaves the board comes to a bit that holds no square.

        square                   bit                    ways, from square 18

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

# All 32 squares: bits 8, 17 and 26 lie beside the board.
BOARD = Bitboard(0x7FBFDFEFF)
# The first row and the last: where men become kings.
FIRST_ROW = Bitboard(0xF)
LAST_ROW = Bitboard(0xF) << 31
ENDS = FIRST_ROW | LAST_ROW
# The four ways, from the highest number to be reached to the lowest: 0 and 1 are black's forward, 2 and 3 white's.
WAYS = (5, 4, -4, -5)


def next_to(piece, way):
    """The square next to a piece on a way (0 .. 3); a set of pieces goes all at once."""
    if way < 2:
        return piece << 5 - way
    return piece >> 2 + way


def steppers(up, down, empty):
    """The pieces that can step to an empty square, `up` towards higher numbers and `down` towards lower ones."""
    return up & (empty >> 5 | empty >> 4) | down & (empty << 4 | empty << 5)


def jumpers(up, down, other, empty):
    """The pieces that can jump over one of `other` to an empty square."""
    forward = other >> 5 & empty >> 10 | other >> 4 & empty >> 8
    backward = other << 5 & empty << 10 | other << 4 & empty << 8
    return up & forward | down & backward
