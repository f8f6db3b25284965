"""The chess board as a picture."""

from __future__ import annotations

from zermelo.core.picture import CHESS_PIECES, Grid, Piece
from zermelo.games.chess.position import Position


def picture(state: Position) -> Grid:
    """Return the board seen from white's side."""
    pieces = [
        Piece(square % 8, 7 - square // 8, kind, "white" if square in state.white else "black")
        for kind in CHESS_PIECES
        for square in getattr(state, f"{kind}s")
    ]
    return Grid(8, 8, "chequered", tuple(pieces), column_labels=tuple("abcdefgh"), row_labels=tuple("87654321"))
