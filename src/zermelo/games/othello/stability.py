"""Stable discs: those that can never be flipped. They bound the result of a game.

A disc is flipped along a line, between two discs of the other side. So it is stable if in each of its four lines no
square is empty, or a neighbour is missing (the edge of the board) or is a stable disc of its own side: that one would
be flipped together with it. Stable discs spread from the corners and from full lines.

References
----------
M. Buro, "Techniken für die Bewertung von Spielsituationen anhand von Beispielen", 1994, section 5.5.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.othello.flips import CORNERS

_LEFT = Bitboard(0xFEFEFEFEFEFEFEFE)  # all columns but a: what a step to the right reaches
_RIGHT = Bitboard(0x7F7F7F7F7F7F7F7F)
_SIDES = Bitboard(0x8181818181818181)  # columns a and h
_ENDS = Bitboard(0xFF000000000000FF)  # rows 1 and 8


def open_squares(empty: Bitboard, step: int, ahead: Bitboard, back: Bitboard) -> Bitboard:
    """Return the squares of the lines with an empty square, in direction `step`.

    `ahead` and `back` are the squares that a step, and a step back, can reach.
    """
    up = empty | empty << step & ahead
    down = empty | empty >> step & back
    ahead &= ahead << step
    back &= back >> step
    up |= up << 2 * step & ahead
    down |= down >> 2 * step & back
    ahead &= ahead << 2 * step
    back &= back >> 2 * step
    return up | up << 4 * step & ahead | down | down >> 4 * step & back


def stable_discs(own: Bitboard, other: Bitboard, walls: Bitboard) -> Bitboard:
    """Return discs of `own` that are stable, not necessarily all; `walls` are squares outside a smaller board."""
    empty = ~(own | other | walls)
    full = ~Bitboard(0)
    rows = ~open_squares(empty, 1, _LEFT, _RIGHT) | _SIDES | walls << 1 | walls >> 1
    columns = ~open_squares(empty, 8, full, full) | _ENDS | walls << 8 | walls >> 8
    falling = ~open_squares(empty, 9, _LEFT, _RIGHT) | _SIDES | _ENDS | walls << 9 | walls >> 9
    rising = ~open_squares(empty, 7, _RIGHT, _LEFT) | _SIDES | _ENDS | walls << 7 | walls >> 7
    stable = Bitboard(0)
    more = own & rows & columns & falling & rising
    while more:
        stable |= more
        more = (
            own
            & ~stable
            & (rows | (stable << 1 & _LEFT) | (stable >> 1 & _RIGHT))
            & (columns | stable << 8 | stable >> 8)
            & (falling | (stable << 9 & _LEFT) | (stable >> 9 & _RIGHT))
            & (rising | (stable << 7 & _RIGHT) | (stable >> 7 & _LEFT))
        )
    return stable


def highest_score(own: Bitboard, other: Bitboard, walls: Bitboard) -> int:
    """Return a bound on the result for `own`: all squares but the stable discs of the other side.

    Without a corner the other side has hardly any. `walls` are squares outside a smaller board.
    """
    squares = 64 - walls.count()
    if not other & CORNERS and not walls:
        return squares
    return squares - 2 * stable_discs(other, own, walls).count()
