"""The draughts board as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.picture import Grid, Piece

if TYPE_CHECKING:
    from zermelo.games.checkers.rules import Checkers


def picture(state: Checkers) -> Grid:
    """The board with white below, and the numbers of the squares."""
    pieces = [
        Piece(
            *place(bit - bit // 9),
            "crowned" if bit in state.kings else "disc",
            "black" if bit in state.black else "white",
        )
        for bit in state.black | state.white
    ]
    notes = tuple((*place(square), str(square + 1)) for square in range(32))
    return Grid(8, 8, "chequered", tuple(pieces), corner_labels=notes)


def place(square: int) -> tuple[int, int]:
    """Column and row of a square, its number less one: four in a row, on the dark squares."""
    row, step = divmod(square, 4)
    return 2 * step + (row + 1) % 2, row
