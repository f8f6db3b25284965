"""Endings of chess that are mostly drawn although one side has more material."""

from __future__ import annotations

from zermelo.core.game import MAX
from zermelo.core.hints import inline
from zermelo.games.chess.attacks import LIGHT_SQUARES
from zermelo.games.chess.position import Position

# Values of pieces by which an advantage is at most a knight or bishop. A queen wins against two of these.
_MINOR, _ROOK, _QUEEN = 3, 5, 10


@inline
def drawish_divisor(state: Position, side: int) -> int:
    """Divisor of the score of a position that is better for a side: 1, or more in a drawish ending.

    - 8 with a bishop each on squares of opposite colours, no other pieces, and at most two pawns more; 2 with three.
    - 4 if the better side has no pawns and is ahead by at most a knight or bishop, or has two knights alone.
    - 4 if it has a knight or bishop and a pawn, and the other side has a piece, which it can give for the pawn.

    Two bishops against a knight count as drawish: the win often takes more than 50 moves. Bishops that do not control
    the square on which a rook's pawn promotes are not considered.
    """
    own, other = (state.white, state.black) if side == MAX else (state.black, state.white)
    knights, bishops, heavy = state.knights, state.bishops, state.rooks | state.queens
    minor, pawns = knights | bishops, own & state.pawns
    are_opposite = bishops.count() == 2 and (bishops & own).count() == (bishops & LIGHT_SQUARES).count() == 1
    if are_opposite and not heavy | knights:
        more = pawns.count() - (other & state.pawns).count()
        return 8 if more <= 2 else 2 if more == 3 else 1
    if not pawns:
        ahead = _MINOR * ((minor & own).count() - (minor & other).count())
        ahead += _ROOK * ((state.rooks & own).count() - (state.rooks & other).count())
        ahead += _QUEEN * ((state.queens & own).count() - (state.queens & other).count())
        has_two_knights = not (heavy | bishops) & own and (knights & own).count() == 2
        return 4 if ahead <= _MINOR or has_two_knights else 1
    is_last_pawn = not pawns.rest() and not heavy & own and (minor & own).count() == 1
    return 4 if is_last_pawn and (minor | heavy) & other else 1
