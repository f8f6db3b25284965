"""Limits of a search: depth, time, nodes."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from zermelo.errors import LimitError

# Plies. Quiescence searches and extensions beyond it still fit into the longest path of a search context.
MAX_DEPTH = 200
MAX_NODES = 10**18  # far more than any search visits, and sums of it still fit into 64 bits
DEFAULT_SECONDS = 5.0  # for calls that return one result, if no limit is given


@dataclass(frozen=True)
class Limits:
    """What ends a search: the first limit that is reached. Without one the search goes on until the game is solved.

    Attributes
    ----------
    depth : int or None
        Maximum depth in plies, 1 to 200.
    seconds : float or None
        Maximum wall-clock time.
    nodes : int or None
        Maximum number of states visited by all threads together, 1 to 10^18.
    exact : bool
        Search to the end of the game. Excludes `depth`.
    soft_seconds : float or None
        Time after which no further depth is begun. With a single legal move, no depth beyond the first is begun.
        For game clocks, see `zermelo.search.timing`.

    Raises
    ------
    LimitError
        If a limit is out of range.
    """

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    exact: bool = False
    soft_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, kind in (("depth", Integral), ("nodes", Integral), ("seconds", Real), ("soft_seconds", Real)):
            value = getattr(self, name)
            if not (value is None or isinstance(value, kind)):
                wanted = "an integer" if kind is Integral else "a number"
                raise LimitError(f"{name} must be {wanted} (got {value!r:.60})")
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise LimitError(f"depth must be between 1 and {MAX_DEPTH} plies (got {self.depth})")
        for seconds in (self.seconds, self.soft_seconds):
            if seconds is not None and not 0 < seconds < 1e9:
                raise LimitError(f"seconds must be above 0 and finite (got {seconds})")
        if self.nodes is not None and self.nodes < 1:
            raise LimitError(f"nodes must be at least 1 (got {self.nodes})")
        if self.nodes is not None and self.nodes > MAX_NODES:
            raise LimitError("nodes must be at most 10^18")
        if self.exact and self.depth is not None:
            raise LimitError("exact and depth exclude each other: an exact search goes to the end of the game")

    @property
    def only_time(self) -> bool:
        """Whether nothing but time ends the search, if anything does before the game is solved."""
        return (self.depth, self.nodes, self.exact) == (None, None, False)


def limits_or_default(depth: int | None, seconds: float | None, nodes: int | None, exact: bool) -> Limits:
    """Return the limits of a call that returns one result: 5 seconds if none is given."""
    if not exact and depth is None and nodes is None and seconds is None:
        seconds = DEFAULT_SECONDS
    return Limits(depth, seconds, nodes, exact)
