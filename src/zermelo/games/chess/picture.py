"""The chess board as a picture."""

from __future__ import annotations

from collections.abc import Iterable

from zermelo.core.bitboard import Bitboard
from zermelo.core.picture import CHESS_PIECES, Grid, Path, Piece
from zermelo.games.chess.position import Position

PIECES = tuple(Piece(0, 0, kind, colour) for colour in ("white", "black") for kind in CHESS_PIECES)


def picture(state: Position) -> Grid:
    """Return the board seen from white's side."""
    pieces = [
        Piece(square % 8, 7 - square // 8, kind, "white" if square in state.white else "black")
        for kind in CHESS_PIECES
        for square in getattr(state, f"{kind}s")
    ]
    return Grid(8, 8, "chequered", tuple(pieces), column_labels=tuple("abcdefgh"), row_labels=tuple("87654321"))


def bits_of(pieces: Iterable[Piece]) -> dict[str, Bitboard]:
    """Return the fields of a position that hold its pieces: the squares of each kind and of each colour."""
    fields = {name: Bitboard(0) for name in (*(f"{kind}s" for kind in CHESS_PIECES), "white", "black")}
    for piece in pieces:
        bit = Bitboard(1) << (8 * (7 - piece.row) + piece.column)
        fields[f"{piece.kind}s"] |= bit
        fields[piece.colour] |= bit
    return fields


def rights_left(rights: Bitboard, placed: dict[str, Bitboard]) -> Bitboard:
    """Return the castling rights that remain with other pieces on the board: king and rook are on their first rank."""
    left = Bitboard(0)
    for own, rank in ((placed["white"], Bitboard(0xFF)), (placed["black"], Bitboard(0xFF) << 56)):
        if placed["kings"] & own & rank:
            left |= rights & placed["rooks"] & own & rank
    return left


def move_path(state: Position, move: int) -> Path:
    """Return the origin and the target of a move.

    Castling is the king's move, or in chess960, where that may be another move, the king's onto the rook.
    """
    start, end = move & 63, move >> 6 & 63
    if end in state.white | state.black and (start in state.white) == (end in state.white):
        is_standard = start % 8 == 4 and end % 8 in (0, 7)
        end = start + (2 if end > start else -2) if is_standard else end
    return (start % 8, 7 - start // 8), (end % 8, 7 - end // 8)
