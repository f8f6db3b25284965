"""What a level of a game's own searches in a position."""

from __future__ import annotations

from typing import NamedTuple


class SearchLevel(NamedTuple):
    """The search of a position at a level, as `State.search_level` returns it.

    Attributes
    ----------
    depth : int or None
        Plies of the search; None: the position is solved exactly.
    confidence : int
        Confidence of the search in percent: 73, 87, 95, 98, 99, or 100, which searches all moves. With an evaluation
        that does not know the errors of shallow searches it is 100.
    """

    depth: int | None
    confidence: int = 100
