"""The board of the property game as a picture: a ring of squares, with the owner of each."""

from __future__ import annotations

from zermelo.core.game import MAX, MIN
from zermelo.core.picture import Grid, Piece
from zermelo.games.property import notation
from zermelo.games.property.position import Position, level_of, seat
from zermelo.games.property.squares import GO, NAMES, PARKING, SQUARES, TO_JAIL, VISIT

SIDE = 11  # squares of an edge


def cell_of(square: int) -> tuple[int, int]:
    """Return the column and row of a square: the first square is at the lower right, and play goes clockwise."""
    edge, step = divmod(square, SIDE - 1)
    return (
        (SIDE - 1 - step, SIDE - 1),
        (0, SIDE - 1 - step),
        (step, 0),
        (SIDE - 1, step),
    )[edge]


def inside(square: int) -> tuple[int, int]:
    """Return the cell next to a square towards the middle."""
    column, row = cell_of(square)
    return min(max(column, 1), SIDE - 2), min(max(row, 1), SIDE - 2)


def picture(state: Position) -> Grid:
    """Return the board: a white disc is the first player, a black one the second, inside the ring if both are there.

    A square is labelled by its name, shortened, and its owner: `1` or `2`, with `+` and the houses, or `*` for a
    mortgage.
    """
    labels = []
    for square in range(SQUARES):
        mark = ""
        for player, number in ((MAX, "1"), (MIN, "2")):
            if state.owned[seat(player)] >> square & 1:
                level = level_of(state.houses, square)
                mark = f" {number}" + (f"+{level}" if level else "*" if state.mortgaged >> square & 1 else "")
        labels.append((*cell_of(square), short_name(square) + mark))
    first, second = state.place
    second_cell = inside(second) if first == second else cell_of(second)
    return Grid(
        columns=SIDE,
        rows=SIDE,
        background="lines",
        pieces=(
            Piece(*cell_of(first), "disc", "white"),
            Piece(*second_cell, "disc", "black"),
        ),
        corner_labels=tuple(labels),
        captions=tuple(notation.board(state).splitlines()),
    )


def short_name(square: int) -> str:
    """Return a name of at most three letters and a number."""
    corners = {GO: "go", VISIT: "jail", PARKING: "park", TO_JAIL: "to jail"}
    name = NAMES[square]
    if square in corners:
        return corners[square]
    number = name[-1] if name[-1].isdigit() else ""
    return name.rstrip("1234")[:3] + number
