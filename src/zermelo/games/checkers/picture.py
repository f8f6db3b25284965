"""The checkers board as a picture."""

from __future__ import annotations

from collections.abc import Iterable

from zermelo.core.bitboard import Bitboard
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import PositionError
from zermelo.games.checkers.notation import squares_of
from zermelo.games.checkers.position import Position

PIECES = tuple(Piece(0, 0, kind, colour) for colour in ("black", "white") for kind in ("disc", "crowned"))


def picture(state: Position) -> Grid:
    """Return the board with white at the bottom and the numbers of the squares."""
    pieces = [
        Piece(
            *coordinates(bit - bit // 9),
            "crowned" if bit in state.kings else "disc",
            "black" if bit in state.black else "white",
        )
        for bit in state.black | state.white
    ]
    labels = tuple((*coordinates(square), str(square + 1)) for square in range(32))
    return Grid(8, 8, "chequered", tuple(pieces), corner_labels=labels)


def move_path(state: Position, move: int) -> Path:
    """Return all squares that a move visits."""
    return tuple(coordinates(number - 1) for number in squares_of(state, move))


def coordinates(square: int) -> tuple[int, int]:
    """Return the column and row of a square, given its number less 1: four in a row, on the dark squares."""
    row, step = divmod(square, 4)
    return 2 * step + (row + 1) % 2, row


def bits_of(pieces: Iterable[Piece]) -> dict[str, Bitboard]:
    """Return the fields `black`, `white` and `kings` for some pieces. Raises `PositionError` for a light square."""
    fields = {name: Bitboard(0) for name in ("black", "white", "kings")}
    for piece in pieces:
        square = 4 * piece.row + piece.column // 2
        if coordinates(square) != (piece.column, piece.row):
            raise PositionError(
                f"Checkers position: column {piece.column + 1} of row {piece.row + 1} from the top is a light square; "
                "expected pieces on dark squares"
            )
        bit = Bitboard(1) << (square + square // 8)
        fields[piece.colour] |= bit
        if piece.kind == "crowned":
            fields["kings"] |= bit
    return fields
