"""The chess board as a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.core.picture import CHESS_PIECES, Grid, Path, Piece, SetupOption
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


def setup_options(state: Any) -> tuple[SetupOption, ...]:
    """Return the castling rights and the en passant squares that the pieces of a position allow."""
    rights, passed = _rights(state), _en_passant_squares(state)
    return (
        *(SetupOption(name, bool(state.castling_rights & square)) for name, square in rights.items()),
        *(SetupOption(name, state.en_passant == square, "en passant") for name, square in passed.items()),
    )


def with_setup_options(state: Any, names: tuple[str, ...]) -> Any:
    """Return the position with the named castling rights and en passant square only."""
    castling = Bitboard(0)
    for name, square in _rights(state).items():
        if name in names:
            castling |= square
    chosen = (square for name, square in _en_passant_squares(state).items() if name in names)
    return state.replace(castling_rights=castling, en_passant=next(chosen, Bitboard(0)))


def _rights(state: Position) -> dict[str, Bitboard]:
    """Castling rights by their names, as squares of rooks: the ordinary ones, and those of chess960 that are there."""
    found = {}
    for side, own, first in (("White", state.white, 0), ("Black", state.black, 56)):
        rank = Bitboard(0xFF) << first
        king = state.kings & own & rank
        for square in state.rooks & own & rank if king and not king.rest() else ():
            is_ordinary = king.first() % 8 == 4 and square % 8 in (0, 7)
            if is_ordinary or square in state.castling_rights:
                with_rook = f"with the rook on {'abcdefgh'[square % 8]}{square // 8 + 1}"
                how = ("O-O" if square % 8 else "O-O-O") if is_ordinary else with_rook
                found[f"{side} can castle {how}"] = Bitboard(1) << square
    return found


def _en_passant_squares(state: Any) -> dict[str, Bitboard]:
    """Squares, by their names, on which a pawn of the side to move can capture en passant."""
    found = {}
    king = state.kings & state.own()
    first = 40 if state.turn > 0 else 16  # of the rank that the pawn has passed
    for square in range(first, first + 8) if king and not king.rest() else ():
        passed = Bitboard(1) << square
        start, end = (passed << 8, passed >> 8) if state.turn > 0 else (passed >> 8, passed << 8)
        is_free = not (passed | start) & (state.white | state.black)
        if is_free and end & state.pawns & state.other() and state.replace(en_passant=passed).en_passant_capturers():
            found[f"En passant on {'abcdefgh'[square % 8]}{square // 8 + 1}"] = passed
    return found


def move_path(state: Position, move: int) -> Path:
    """Return the origin and the target of a move.

    Castling is the king's move, or in chess960, where that may be another move, the king's onto the rook.
    """
    start, end = move & 63, move >> 6 & 63
    if end in state.white | state.black and (start in state.white) == (end in state.white):
        is_standard = start % 8 == 4 and end % 8 in (0, 7)
        end = start + (2 if end > start else -2) if is_standard else end
    return (start % 8, 7 - start // 8), (end % 8, 7 - end // 8)
