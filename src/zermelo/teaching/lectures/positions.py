"""All positions of a small game, row by row: for counting, and for values worked out from the last moves back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from zermelo.core.game import State

S = TypeVar("S", bound=State)


def rows(start: S) -> list[dict[S, None]]:
    """The positions after 0, 1, 2, ... moves, each once in its row; the last row has no moves left."""
    found: list[dict[S, None]] = []
    row: dict[S, None] = {start: None}
    while row:
        found.append(row)
        row = dict.fromkeys(child for state in row for child in children(state))
    return found


def children(state: S) -> list[S]:
    """What the moves of a position lead to; nothing where the game is over."""
    return [] if state.is_over() else [state.play(move) for move in state.moves()]


def backwards(start: S) -> Iterator[S]:
    """The positions from the last row to the first, so that what a position leads to comes before it."""
    for row in reversed(rows(start)):
        yield from row
