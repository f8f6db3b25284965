"""Exchanges on one square: what a capture gains when both sides go on taking there, the least valuable piece first.

Nothing is searched and no move is made: the pieces that attack the square are taken off the board one by one, and those
behind them come in ("static exchange evaluation"). Pins are not seen, and no pawn promotes while it takes back.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX
from zermelo.games.chess.attacks import bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks

# What the pieces count in an exchange: pawn, knight, bishop, rook, queen, king. A king is never lost.
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
VALUES = (100, 300, 300, 500, 900, 10_000)


def kind_of(state, piece):
    """The kind of a piece: `PAWN` .. `KING`."""
    if piece & state.pawns:
        return PAWN
    if piece & state.knights:
        return KNIGHT
    if piece & state.bishops:
        return BISHOP
    if piece & state.rooks:
        return ROOK
    return QUEEN if piece & state.queens else KING


def is_capture(state, move):
    """Whether a move takes something, in passing too."""
    target = Bitboard(1) << (move >> 6 & 63)
    if target & state.other():
        return True
    return bool(target & state.en_passant and (Bitboard(1) << (move & 63)) & state.pawns)


def attackers(state, square, occupied):
    """The pieces of both sides that attack a square, with the board occupied as given."""
    target = Bitboard(1) << square
    found = pawn_attacks(target, -1) & state.pawns & state.white
    found |= pawn_attacks(target, 1) & state.pawns & state.black
    found |= knight_attacks(square) & state.knights
    found |= king_attacks(square) & state.kings
    found |= bishop_attacks(square, occupied) & (state.bishops | state.queens)
    found |= rook_attacks(square, occupied) & (state.rooks | state.queens)
    return found & occupied


def gains(state, move, least):
    """Whether the exchange that a move begins gains its side at least so much.

    At each step the side to take asks whether it gets what it needs. It does if it needs nothing: it stops. It does not
    if even the piece on the square is too little, or it has nothing to take it with. If it takes, then it does unless
    the other side gets what is left and 1 more: the same question again, turned round.
    """
    square = move >> 6 & 63
    piece = Bitboard(1) << (move & 63)
    target = Bitboard(1) << square
    own = state.own()
    if target & own:
        return least <= 0  # castling
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
    need = gain - least + 1
    on_square = VALUES[kind]
    answer = False  # to the question whether the move gains as much, if the side to take now gets what it needs
    if need <= 0 or need > on_square:
        return answer if need <= 0 else not answer
    straight = state.rooks | state.queens
    diagonal = state.bishops | state.queens
    left = attackers(state, square, occupied)
    side = state.other()
    while 0 < need <= on_square:
        mine = left & side
        if not mine:
            return not answer
        if mine & state.pawns:
            kind = PAWN
            taker = mine & state.pawns
        elif mine & state.knights:
            kind = KNIGHT
            taker = mine & state.knights
        elif mine & state.bishops:
            kind = BISHOP
            taker = mine & state.bishops
        elif mine & state.rooks:
            kind = ROOK
            taker = mine & state.rooks
        elif mine & state.queens:
            kind = QUEEN
            taker = mine & state.queens
        else:
            kind = KING
            taker = mine
        occupied ^= taker & -taker
        if kind not in (KNIGHT, ROOK):
            left |= bishop_attacks(square, occupied) & diagonal
        if kind >= ROOK:
            left |= rook_attacks(square, occupied) & straight
        left &= occupied
        if kind == KING and left & ~side:
            return not answer  # it does not step where it could be taken
        side = ~side
        need = on_square - need + 1
        on_square = VALUES[kind]
        answer = not answer
    return answer if need <= 0 else not answer
