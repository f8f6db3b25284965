"""The chess board as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.picture import CHESSMEN, Grid, Piece

if TYPE_CHECKING:
    from zermelo.games.chess.rules import Chess


def picture(state: Chess) -> Grid:
    """The board from white's side."""
    pieces = [
        Piece(square % 8, 7 - square // 8, kind, "white" if square in state.white else "black")
        for kind in CHESSMEN
        for square in getattr(state, f"{kind}s")
    ]
    return Grid(8, 8, "chequered", tuple(pieces), below=tuple("abcdefgh"), left=tuple("87654321"))
