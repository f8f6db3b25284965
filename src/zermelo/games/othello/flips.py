"""Which discs turn: the geometry of Othello on 64-bit boards, shared by the rules and the endgame.

Square 0 is a1, then along the rows (b1 is 1, a2 is 8, h8 is 63). A line of discs is followed in both directions
at once by shifting; on the way to the left or right the edge columns stop it (`INNER`), so that it cannot
wrap into the next row.

"Doubling" follows up to six discs in three steps instead of six: after one disc and the next, pairs of
discs are joined (the parallel prefix of Kogge and Stone).
"""

from zermelo.bitboard import Bitboard

INNER = Bitboard(0x7E7E7E7E7E7E7E7E)  # columns b to g


def run_of(start, discs, step):
    """The discs reached from `start` without a gap in one direction (`step` squares up, negative: down)."""
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


def turned_along(disc, own, discs, step):
    """The discs of a line that a new disc turns: runs from it that end at an own disc, both ways."""
    up = run_of(disc, discs, step)
    down = run_of(disc, discs, -step)
    if not own & (up << step):
        up = Bitboard(0)
    if not own & (down << -step):
        down = Bitboard(0)
    return up | down


def turned(disc, own, other):
    """The discs of `other` that a new disc (a set of one square) of `own` turns."""
    inner = other & INNER
    return (
        turned_along(disc, own, inner, 1)
        | turned_along(disc, own, other, 8)
        | turned_along(disc, own, inner, 7)
        | turned_along(disc, own, inner, 9)
    )
