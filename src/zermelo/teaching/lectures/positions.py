"""All positions of a small game by number of moves, for counting and for retrograde computation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from zermelo.core.game import State

S = TypeVar("S", bound=State)


def rows(start: S) -> list[dict[S, None]]:
    """The distinct positions after 0, 1, 2, ... moves, until no moves are left."""
    found: list[dict[S, None]] = []
    row: dict[S, None] = {start: None}
    while row:
        found.append(row)
        row = dict.fromkeys(child for state in row for child in children(state))
    return found


def children(state: S) -> list[S]:
    """The successors of a position; empty if the game is over."""
    return [] if state.is_over() else [state.play(move) for move in state.moves()]


def backwards(start: S) -> Iterator[S]:
    """The positions in reverse order of moves, successors before their predecessors."""
    for row in reversed(rows(start)):
        yield from row
