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
from zermelo.core.lanes import Lanes, spread
from zermelo.games.othello.flips import CORNERS, FOUR_STEPS, STEPS, TWO_STEPS

_LEFT = Bitboard(0xFEFEFEFEFEFEFEFE)  # all columns but a: what a step to the right reaches
_RIGHT = Bitboard(0x7F7F7F7F7F7F7F7F)
_SIDES = Bitboard(0x8181818181818181)  # columns a and h
_ENDS = Bitboard(0xFF000000000000FF)  # rows 1 and 8
# By line: what a step to a higher number reaches, and a step to a lower one; the squares at an end of their line.
_AHEAD = Lanes(_LEFT, ~0, _LEFT, _RIGHT)
_BACK = Lanes(_RIGHT, ~0, _RIGHT, _LEFT)
_EDGES = Lanes(_SIDES, _ENDS, _SIDES | _ENDS, _SIDES | _ENDS)


def open_lines(empty: Bitboard) -> Lanes:
    """Return, for each direction of lines, the squares whose line has an empty square."""
    ahead, back = _AHEAD, _BACK
    up = down = spread(empty)
    up |= up << STEPS & ahead
    down |= down >> STEPS & back
    ahead &= ahead << STEPS
    back &= back >> STEPS
    up |= up << TWO_STEPS & ahead
    down |= down >> TWO_STEPS & back
    ahead &= ahead << TWO_STEPS
    back &= back >> TWO_STEPS
    return up | up << FOUR_STEPS & ahead | down | down >> FOUR_STEPS & back


def stable_discs(own: Bitboard, other: Bitboard, walls: Bitboard) -> Bitboard:
    """Return discs of `own` that are stable, not necessarily all; `walls` are squares outside a smaller board."""
    outside = spread(walls)
    safe = ~open_lines(~(own | other | walls)) | _EDGES | outside << STEPS | outside >> STEPS
    stable = Bitboard(0)
    more = own & ~(~safe).union()
    while more:
        stable |= more
        held = spread(stable)
        more = own & ~stable & ~(~(safe | held << STEPS & _AHEAD | held >> STEPS & _BACK)).union()
    return stable


def highest_score(own: Bitboard, other: Bitboard, walls: Bitboard) -> int:
    """Return a bound on the result for `own`: all squares but the stable discs of the other side.

    Without a corner the other side has hardly any. `walls` are squares outside a smaller board.
    """
    squares = 64 - walls.count()
    if not other & CORNERS and not walls:
        return squares
    return squares - 2 * stable_discs(other, own, walls).count()
