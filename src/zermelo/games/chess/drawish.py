"""Endings of chess that are mostly drawn although one side has more material."""

from __future__ import annotations

from zermelo.core.game import MAX
from zermelo.core.hints import inline
from zermelo.games.chess.attacks import LIGHT_SQUARES
from zermelo.games.chess.position import Position

# Values of pieces by which an advantage is at most a knight or bishop.
_MINOR, _ROOK, _QUEEN = 3, 5, 9


@inline
def drawish_divisor(state: Position, side: int) -> int:
    """By how much to divide the score of a position that is better for a side: 1, or more if it mostly ends in a draw.

    It is 8 with a bishop each on squares of opposite colours and no other pieces but pawns. It is 4 if the better side
    has no pawns and is ahead by at most a knight or bishop, or has one of these and a pawn, which the other side can
    take for its last piece.
    """
    own, other = (state.white, state.black) if side == MAX else (state.black, state.white)
    bishops, heavy = state.bishops, state.rooks | state.queens
    minor = state.knights | bishops
    pawns = own & state.pawns
    if not pawns.rest():
        ahead = _MINOR * ((minor & own).count() - (minor & other).count())
        ahead += _ROOK * ((state.rooks & own).count() - (state.rooks & other).count())
        ahead += _QUEEN * ((state.queens & own).count() - (state.queens & other).count())
        if not pawns:
            return 4 if ahead <= _MINOR else 1
        if not heavy & own and (minor & own).count() == 1 and (minor | heavy) & other:
            return 4
    if heavy | state.knights or bishops.count() != 2 or (bishops & own).count() != 1:
        return 1
    return 8 if (bishops & LIGHT_SQUARES).count() == 1 else 1
