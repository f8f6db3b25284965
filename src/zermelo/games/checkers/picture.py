"""The checkers board as a picture."""

from __future__ import annotations

from zermelo.core.picture import Grid, Piece
from zermelo.games.checkers.position import Position


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


def coordinates(square: int) -> tuple[int, int]:
    """Return the column and row of a square, given its number less 1: four in a row, on the dark squares."""
    row, step = divmod(square, 4)
    return 2 * step + (row + 1) % 2, row
