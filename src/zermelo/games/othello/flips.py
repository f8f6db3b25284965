"""Disc flipping on 64-bit boards. Shared by the rules, the evaluations and the endgame solver.

Squares are numbered row by row: a1 is 0, b1 is 1, a2 is 8, h8 is 63.

Legal squares are found for the whole board at once, by shifting it along each line. Horizontal and diagonal shifts are
limited to the inner columns (`INNER`), so that lines do not wrap into the next row. A run of up to six discs takes
three steps, because runs of one are joined to pairs (parallel prefix, Kogge-Stone).

The discs that a move flips are found along each of its eight rays (`UP`, `DOWN`): the nearest square that does not hold
a disc of the other side decides. If it holds an own disc, all discs before it are flipped. On rays towards higher
squares the nearest one is the lowest bit, on the others the highest. The four lines are done at once, in `Lanes`.

References
----------
"Kogge-Stone Algorithm" and "Fill by Subtraction", Chess Programming Wiki.
"""

from __future__ import annotations

import numpy as np

from zermelo.core.bitboard import Bitboard
from zermelo.core.lanes import Lanes, lanes_at, spread

INNER = Bitboard(0x7E7E7E7E7E7E7E7E)  # columns b to g
CORNERS = Bitboard(0x8100000000000081)
# The four quadrants of the board: a1 to d4, e1 to h4, a5 to d8, e5 to h8.
QUADRANTS = (
    Bitboard(0x000000000F0F0F0F),
    Bitboard(0x00000000F0F0F0F0),
    Bitboard(0x0F0F0F0F00000000),
    Bitboard(0xF0F0F0F000000000),
)


# The four lines through a square, a lane each: its row, its column and the two diagonals.
STEPS = Lanes(1, 8, 9, 7)
TWO_STEPS = Lanes(2, 16, 18, 14)
FOUR_STEPS = Lanes(4, 32, 36, 28)
ONES = Lanes(1, 1, 1, 1)
# Where a disc of the other side can be enclosed on each line: a run on column a or h would continue in another row.
WITHIN = Lanes(INNER, ~0, INNER, INNER)


def _rays(sign: int) -> np.ndarray:
    """Return the squares towards higher (`sign` 1) or lower (-1) numbers, by square and line."""
    rays = np.zeros((64, 4), np.uint64)
    for square in range(64):
        for line, (columns, rows) in enumerate(((1, 0), (0, 1), (1, 1), (-1, 1))):
            column, row = square % 8 + sign * columns, square // 8 + sign * rows
            while 0 <= column < 8 and 0 <= row < 8:
                rays[square, line] |= np.uint64(1 << (8 * row + column))
                column, row = column + sign * columns, row + sign * rows
    return rays


UP = _rays(1)
DOWN = _rays(-1)


def rotated(discs: Bitboard) -> Bitboard:
    """Return the discs after a quarter turn of the board: the rows of the transposed board, in reverse order."""
    turned = transposed(discs)
    turned = turned >> 8 & 0x00FF00FF00FF00FF | (turned & 0x00FF00FF00FF00FF) << 8
    turned = turned >> 16 & 0x0000FFFF0000FFFF | (turned & 0x0000FFFF0000FFFF) << 16
    return turned >> 32 | turned << 32


def transposed(discs: Bitboard) -> Bitboard:
    """Return the discs mirrored at the diagonal from a1 to h8, by three delta swaps: of squares, pairs and quadrants.

    References
    ----------
    "Flipping Mirroring and Rotating", Chess Programming Wiki.
    """
    for mask, step in ((0x00AA00AA00AA00AA, 7), (0x0000CCCC0000CCCC, 14), (0x00000000F0F0F0F0, 28)):
        changed = (discs ^ discs >> step) & mask
        discs ^= changed | changed << step
    return discs


def run_of(start: Bitboard, discs: Bitboard, step: int) -> Bitboard:
    """Return the squares of `discs` reached from `start` without a gap, `step` squares at a time."""
    run = discs & (start << step)
    run |= discs & (run << step)
    pairs = discs & (discs << step)
    run |= pairs & (run << 2 * step)
    run |= pairs & (run << 2 * step)
    return run


def legal_squares(own: Bitboard, other: Bitboard) -> Bitboard:
    """Return the empty squares where a disc of `own` flips at least one disc of `other`."""
    mine = spread(own)
    discs = spread(other) & WITHIN
    up = discs & mine << STEPS
    down = discs & mine >> STEPS
    up |= discs & up << STEPS
    down |= discs & down >> STEPS
    pairs = discs & discs << STEPS
    up |= pairs & up << TWO_STEPS
    up |= pairs & up << TWO_STEPS
    pairs >>= STEPS
    down |= pairs & down >> TWO_STEPS
    down |= pairs & down >> TWO_STEPS
    return (up << STEPS | down >> STEPS).union() & ~(own | other)


def flipped_discs(square: int, own: Bitboard, other: Bitboard) -> Bitboard:
    """Return the discs of `other` that a disc of `own` on an empty square flips; empty if the move is not legal."""
    mine, others = spread(own), ~spread(other)
    ray = lanes_at(UP, square)
    stop = ray & others
    stop &= -stop & mine
    discs = ray & stop + stop.nonempty()
    ray = lanes_at(DOWN, square)
    stop = ray & others
    behind = stop | stop >> STEPS
    behind |= behind >> TWO_STEPS
    behind |= behind >> FOUR_STEPS
    stop &= ~(behind >> STEPS) & mine
    return (discs | ray & -(stop << ONES)).union()


def _flip_counts() -> np.ndarray:
    """Return the number of flips in a full line of eight squares, by the place of the move and the own discs."""
    counts = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for own in range(256):
            for step in (1, -1):
                run = 0
                at = place + step
                while 0 <= at < 8 and not own >> at & 1:
                    run, at = run + 1, at + step
                counts[place, own] += run if 0 <= at < 8 else 0
    return counts


# The squares of the two diagonals through each square: first the one towards h8.
DIAGONALS = UP[:, 2:] | DOWN[:, 2:] | np.uint64(1) << np.arange(64, dtype=np.uint64)[:, None]
FLIP_COUNTS = _flip_counts()
COLUMN = 0x0101010101010101


def last_flips(square: int, own: Bitboard) -> int:
    """Return the number of discs that a disc of `own` on the last empty square flips.

    All other squares are the other side's, so a line is a byte that selects a number in a table. Multiplications gather
    the squares of a column and of a diagonal in the highest byte ("Kindergarten Bitboards", Chess Programming Wiki).
    """
    row = square >> 3
    column = square & 7
    count = FLIP_COUNTS[column, int(own >> (square & 56) & 255)]
    count += FLIP_COUNTS[row, int((own >> column & COLUMN) * 0x0102040810204080 >> 56)]
    count += FLIP_COUNTS[column, int((own & Bitboard(DIAGONALS[square, 0])) * COLUMN >> 56)]
    count += FLIP_COUNTS[column, int((own & Bitboard(DIAGONALS[square, 1])) * COLUMN >> 56)]
    return int(count)


DIRECTIONS = (1, -1, 8, -8, 7, -7, 9, -9)


def may_end(own: Bitboard, other: Bitboard, board: Bitboard) -> bool:
    """Return whether some move of `own` may end the game; False guarantees that none does.

    The test is conservative: a square stays legal for `own` after a move elsewhere unless the move flips the discs next
    to it in every direction that makes it legal. It stays legal for `other` if no disc that makes it legal can be
    flipped.
    """
    squares = legal_squares(own, other) & board
    if not squares:
        return False  # a pass does not end a game that is not over
    empty = board & ~(own | other)
    once = Bitboard(0)  # the discs that at least one move flips, and those that several moves flip
    twice = Bitboard(0)
    for step in DIRECTIONS:
        run = bracketed(own, other, empty, step)
        twice |= once & run
        once |= run
    safe = legal_squares(other & ~once, own) & empty
    if safe & ~squares:
        return False
    for step in DIRECTIONS:
        safe |= (bracketed(own, other, empty, step) & ~twice) << step & empty
    if safe.count() >= 2:  # no move occupies both
        return False
    while squares:
        square = squares.first()
        squares = squares.rest()
        left = other & ~flipped_discs(square, own, other)
        free = empty & ~(Bitboard(1) << square)
        safe = legal_squares(left, own) & free
        for step in DIRECTIONS:
            safe |= (bracketed(own, other, empty, step) & left) << step & free
        if not safe:
            return True
    return False


def bracketed(own: Bitboard, other: Bitboard, empty: Bitboard, step: int) -> Bitboard:
    """Return the discs of `other` in runs between an own disc and an empty square, in direction `step`."""
    discs = other if step == 8 or step == -8 else other & INNER
    return run_of(own, discs, step) & run_of(empty, discs, -step)
