"""Slices of endgame tables: the unit in which they are computed and listed."""

from __future__ import annotations

from typing import NamedTuple

#: The most men that a table is looked for.
MOST_MEN = 32


class TableSlice(NamedTuple):
    """A slice of a game's endgame tables, such as king and queen against king.

    Its positions have consecutive numbers (`State.index`), part by part. The parts are listed one by one, and computed
    together: moves may lead from each to the others.
    """

    name: str
    #: The names and sizes of the parts, such as ("white to move", 40960).
    parts: tuple[tuple[str, int], ...]

    @property
    def size(self) -> int:
        """How many numbers the slice has; not all need be in use."""
        return sum(size for _, size in self.parts)
