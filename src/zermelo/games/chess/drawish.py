"""Drawish endgames of chess: one side has more material, but most games are drawn."""

from __future__ import annotations

from zermelo.core.game import MAX
from zermelo.core.hints import inline
from zermelo.games.chess.attacks import LIGHT_SQUARES
from zermelo.games.chess.position import Position

# Piece values in pawns. A queen counts 10: it wins against a knight and a bishop, so it must be ahead by more than one.
_MINOR, _ROOK, _QUEEN = 3, 5, 10


@inline
def drawish_divisor(state: Position, side: int) -> int:
    """Return the divisor of the score of a position: 1, or more in a drawish endgame.

    - 8 with one bishop each, on squares of opposite colours, no other pieces, and at most two pawns more; 2 with three.
    - 4 if the better side has no pawns and is ahead by at most a knight or bishop, or has only two knights.
    - 4 if it has a knight or bishop and one pawn, and the other side has a piece that it can sacrifice for the pawn.

    Two bishops against a knight count as drawish, because the win often takes more than 50 moves. Bishops that do not
    control the promotion square of a rook's pawn are not considered.

    Parameters
    ----------
    state : Position
    side : int
        The better side according to the score, MAX or MIN.

    Returns
    -------
    int
        1, 2, 4 or 8.
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
