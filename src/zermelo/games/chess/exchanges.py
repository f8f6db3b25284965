"""Static exchange evaluation (SEE): the material result of a sequence of captures on one square.

Nothing is searched and no move is made. The attackers of the square are removed one by one, the least valuable first,
and sliders behind them join in (x-ray attacks). Pins are ignored, and recapturing pawns do not promote.

References
----------
"Static Exchange Evaluation", Chess Programming Wiki.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX
from zermelo.games.chess.attacks import bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks
from zermelo.games.chess.position import Position

# Piece values in centipawns, by kind. A king is never captured.
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
VALUES = (100, 300, 300, 500, 900, 10_000)


def kind_of(state: Position, piece: Bitboard) -> int:
    """Return the kind of a piece, `PAWN` .. `KING`."""
    if piece & state.pawns:
        return PAWN
    if piece & state.knights:
        return KNIGHT
    if piece & state.bishops:
        return BISHOP
    if piece & state.rooks:
        return ROOK
    return QUEEN if piece & state.queens else KING


def is_capture(state: Position, move: int) -> bool:
    """Return whether a move is a capture, en passant included."""
    target = Bitboard(1) << (move >> 6 & 63)
    if target & state.other():
        return True
    return bool(target & state.en_passant and (Bitboard(1) << (move & 63)) & state.pawns)


def attackers(state: Position, square: int, occupied: Bitboard) -> Bitboard:
    """Return the pieces of both sides that attack a square, given the occupied squares."""
    target = Bitboard(1) << square
    found = pawn_attacks(target, -1) & state.pawns & state.white
    found |= pawn_attacks(target, 1) & state.pawns & state.black
    found |= knight_attacks(square) & state.knights
    found |= king_attacks(square) & state.kings
    found |= bishop_attacks(square, occupied) & (state.bishops | state.queens)
    found |= rook_attacks(square, occupied) & (state.rooks | state.queens)
    return found & occupied


def see_at_least(state: Position, move: int, threshold: int) -> bool:
    """Return whether the static exchange evaluation of a move is at least `threshold` centipawns.

    Each recapture swaps roles: the side to capture reaches its goal if it needs no more material (it stops), fails if
    the piece on the square is worth less than it needs or if it has no attacker left, and otherwise captures, and
    then reaches its goal unless the other side gains the rest plus 1.
    """
    square = move >> 6 & 63
    piece = Bitboard(1) << (move & 63)
    target = Bitboard(1) << square
    own = state.own()
    if target & own:
        return threshold <= 0  # castling
    occupied = (state.white | state.black) ^ piece | target
    kind = kind_of(state, piece)
    gain = 0
    if target & state.other():
        gain = VALUES[kind_of(state, target)]
    elif kind == PAWN and target & state.en_passant:
        gain = VALUES[PAWN]
        occupied ^= target >> 8 if state.turn == MAX else target << 8
    if move >> 12:
        kind = move >> 12
        gain += VALUES[kind] - VALUES[PAWN]
    need = gain - threshold + 1
    on_square = VALUES[kind]
    result = False  # the answer for the move if the side to capture now reaches its goal
    if need <= 0 or need > on_square:
        return result if need <= 0 else not result
    straight = state.rooks | state.queens
    diagonal = state.bishops | state.queens
    left = attackers(state, square, occupied)
    side = state.other()
    while 0 < need <= on_square:
        mine = left & side
        if not mine:
            return not result
        if mine & state.pawns:
            kind = PAWN
            candidates = mine & state.pawns
        elif mine & state.knights:
            kind = KNIGHT
            candidates = mine & state.knights
        elif mine & state.bishops:
            kind = BISHOP
            candidates = mine & state.bishops
        elif mine & state.rooks:
            kind = ROOK
            candidates = mine & state.rooks
        elif mine & state.queens:
            kind = QUEEN
            candidates = mine & state.queens
        else:
            kind = KING
            candidates = mine
        occupied ^= candidates & -candidates
        if kind not in (KNIGHT, ROOK):
            left |= bishop_attacks(square, occupied) & diagonal
        if kind >= ROOK:
            left |= rook_attacks(square, occupied) & straight
        left &= occupied
        if kind == KING and left & ~side:
            return not result  # the king may not capture a protected piece
        side = ~side
        need = on_square - need + 1
        on_square = VALUES[kind]
        result = not result
    return result if need <= 0 else not result
