"""The network of chess: each piece on each square, seen by both sides, and the number of pieces.

It does not recognise drawish endgames, so its scores there are divided. Explanations divide the score without a piece
by the divisor of the whole position.
"""

from __future__ import annotations

from zermelo.core.accumulator import Accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.core.network import Network
from zermelo.games.chess.drawish import drawish_divisor
from zermelo.games.chess.position import Position

_KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")


@evaluation
class PieceNetwork(Network):
    """Two views of 768 inputs with 128 hidden units each, and output weights for 8 stages of the game."""

    unit_name = "centipawns"
    plane_count = 12
    hidden = 128
    flip = 56
    mirror = 7  # but for castling
    most_inputs = 32
    stages = 8
    move_bonus = 12
    plane_names = _KINDS + _KINDS
    permanent_planes = (5, 11)

    def planes(self, state: Position) -> tuple[Bitboard, ...]:
        white, black = state.white, state.black
        return (
            state.pawns & white, state.knights & white, state.bishops & white,
            state.rooks & white, state.queens & white, state.kings & white,
            state.pawns & black, state.knights & black, state.bishops & black,
            state.rooks & black, state.queens & black, state.kings & black,
        )  # fmt: skip

    def stage(self, state: Position) -> int:
        """Eighths of the pieces of the initial position: 0 with 1 to 4 pieces, 7 with 29 to 32."""
        return (min((state.white | state.black).count(), 32) - 1) // 4

    def accumulated_score(self, state: Position, accumulator: Accumulator) -> int:
        side = self.side(state)
        score = self.side_score(state, accumulator, side)
        if side == MIN:
            score = -score
        divisor = drawish_divisor(state, MAX if score > 0 else MIN)
        return score if divisor == 1 else rounded_div(score, divisor)
