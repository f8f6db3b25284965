"""Which discs turn: the geometry of Othello on 64-bit boards, shared by the rules, evaluations and the endgame.

Square 0 is a1, then along the rows (b1 is 1, a2 is 8, h8 is 63).

*Where can a disc be placed?* All lines are followed at once, by shifting the whole board. On the way to the left
or right the edge columns stop it (`INNER`), so that it cannot wrap into the next row. A line of up to six discs
is followed in three steps: after one disc and the next, discs are joined to pairs (Kogge and Stone).

*Which discs does a disc on one square turn?* Along each of its eight rays (`UP`, `DOWN`), the nearest square that
does not hold a disc of the other side decides: if it is an own disc, all between are turned. On a ray towards
higher squares the nearest is the lowest bit, on the others the highest.
"""

from __future__ import annotations

import numpy as np

from zermelo.core.bitboard import Bitboard

INNER = Bitboard(0x7E7E7E7E7E7E7E7E)  # columns b to g
# The four quarters of the board: a1 to d4, e1 to h4, a5 to d8, e5 to h8.
QUADRANTS = (
    Bitboard(0x000000000F0F0F0F),
    Bitboard(0x00000000F0F0F0F0),
    Bitboard(0x0F0F0F0F00000000),
    Bitboard(0xF0F0F0F000000000),
)


def _rays(sign: int) -> np.ndarray:
    """For each square and each of the four lines, the squares on it towards higher (lower) numbers."""
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


def run_of(start, discs, step):
    """The squares of `discs` reached from `start` without a gap, in steps of `step` squares (negative: down)."""
    run = discs & (start << step)
    run |= discs & (run << step)
    pairs = discs & (discs << step)
    run |= pairs & (run << 2 * step)
    run |= pairs & (run << 2 * step)
    return run


def ends_of(own, discs, step):
    """The squares just beyond a run of `discs` that starts beside `own`, both ways along a line."""
    return run_of(own, discs, step) << step | run_of(own, discs, -step) << -step


def playable(own, other):
    """The empty squares where `own` can place a disc that turns at least one of `other`."""
    inner = other & INNER
    reached = ends_of(own, inner, 1) | ends_of(own, other, 8) | ends_of(own, inner, 7) | ends_of(own, inner, 9)
    return reached & ~(own | other)


def can_play(own, other):
    """Whether `own` has a square to place a disc on: line by line, since the first mostly shows one."""
    empty = ~(own | other)
    inner = other & INNER
    if ends_of(own, other, 8) & empty:
        return True
    if ends_of(own, inner, 1) & empty:
        return True
    return bool((ends_of(own, inner, 7) | ends_of(own, inner, 9)) & empty)


def turned(square, own, other):
    """The discs of `other` that a new disc of `own` on an empty square turns; empty if it cannot be placed."""
    discs = Bitboard(0)
    for line in range(4):
        ray = Bitboard(UP[square, line])
        stop = ray & ~other
        stop &= -stop  # the nearest square that does not hold a disc of the other side
        stop &= own
        if stop:
            discs |= ray & (stop - 1)
        ray = Bitboard(DOWN[square, line])
        stop = ray & ~other
        if stop:
            stop = Bitboard(1) << stop.last()
            if stop & own:
                discs |= ray & -(stop << 1)
    return discs


STEPS = (1, -1, 8, -8, 7, -7, 9, -9)


def may_end(own, other):
    """Whether a disc of `own` may end the game, as far as can be told without turning discs; False promises not.

    A square stays playable for `own`, whatever is placed elsewhere, unless that turns the disc next to it that leads
    to it, in every direction. It stays playable for `other` if none of the discs that it starts from can be turned.
    """
    squares = playable(own, other)
    if not squares:
        return False  # a pass ends no game that is not over
    empty = ~(own | other)
    once = Bitboard(0)  # the discs that some move turns, and those that several do
    twice = Bitboard(0)
    for step in STEPS:
        run = bracketed(own, other, empty, step)
        twice |= once & run
        once |= run
    safe = playable(other & ~once, own) & empty
    if safe & ~squares:
        return False
    for step in STEPS:
        safe |= (bracketed(own, other, empty, step) & ~twice) << step & empty
    if safe.count() >= 2:  # no move takes both
        return False
    while squares:
        square = squares.first()
        squares = squares.rest()
        left = other & ~turned(square, own, other)
        free = empty & ~(Bitboard(1) << square)
        safe = playable(left, own) & free
        for step in STEPS:
            safe |= (bracketed(own, other, empty, step) & left) << step & free
        if not safe:
            return True
    return False


def bracketed(own, other, empty, step):
    """The discs of `other` that lie without a gap between an own disc and, `step` by `step`, an empty square."""
    discs = other if step == 8 or step == -8 else other & INNER
    return run_of(own, discs, step) & run_of(empty, discs, -step)
