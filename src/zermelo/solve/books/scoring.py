"""The searches that score the positions of a book."""

from __future__ import annotations

from typing import Self

from zermelo._util.text import quoted
from zermelo.core.game import State
from zermelo.errors import LimitError
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.search.scores import finished_score, ranked
from zermelo.search.selective import selective_default
from zermelo.search.solving import Solver
from zermelo.search.table import NO_MOVE
from zermelo.solve.books.book import Entry, entry_of


class Scorer:
    """Scores positions one after another by an engine, which keeps its table. Use it as a context manager.

    Parameters
    ----------
    limits : str
        The limit of each search: "exact", or "depth=N", "nodes=N" or "seconds=S", joined by commas.
    table : str or int
        Size of the transposition table in bytes, for example "1G".
    threads : int
        Search threads.

    Raises
    ------
    LimitError
        If a limit or a size is out of range.
    """

    def __init__(self, limits: str, table: str | int = "64M", threads: int = 1) -> None:
        self._limits = parse_limits(limits)
        self._engine = Engine(table, threads)
        self._solver = Solver(table) if self._limits.exact else None
        #: States visited so far.
        self.nodes = 0

    def __call__(self, state: State) -> Entry:
        """Return the entry of a position that represents itself."""
        if self._solver is not None and state.has_ranked_bounds:
            entry = self._solved(state, self._solver)
            if entry.move != NO_MOVE:
                return entry
        *_, found = self._engine.analysis(state, self._limits)
        self.nodes += found.nodes
        return entry_of(found, ranked(state))

    def _solved(self, state: State, solver: Solver) -> Entry:
        """The entry of a position by null windows alone, whose table serves the next position as well.

        It has no move where the bounds of the position already are its result.
        """
        before = solver.nodes
        value, plies = solver.distance(state)
        self.nodes += solver.nodes - before
        move = NO_MOVE if solver.best_move is None else solver.best_move
        return Entry(finished_score(value, plies or 0, *ranked(state)), move, 0, True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()
        if self._solver is not None:
            self._solver.close()


def parse_limits(text: str) -> Limits:
    """Return the limits of a text as in `Scorer`. Raises `LimitError`."""
    if text == "exact":
        return Limits(exact=True)
    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if name not in ("depth", "nodes", "seconds") or name in given:
            raise _wrong(text)
        try:
            given[name] = float(number) if name == "seconds" else int(number)
        except ValueError:
            raise _wrong(text) from None
    depth, nodes = given.get("depth"), given.get("nodes")
    return Limits(
        depth=None if depth is None else int(depth), seconds=given.get("seconds"),
        nodes=None if nodes is None else int(nodes),
    )  # fmt: skip


def scores_selectively(text: str, game: type[State]) -> bool:
    """Return whether searches with a limit as in `Scorer` are selective, so that their scores are estimates."""
    try:
        return bool(selective_default(game, parse_limits(text)))
    except LimitError:  # the text of a file may be any
        return False


def _wrong(text: str) -> LimitError:
    return LimitError(f"the limit of a search must be exact, depth=N, nodes=N or seconds=S (got {quoted(text)})")
