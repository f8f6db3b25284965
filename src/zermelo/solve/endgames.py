"""Building endgame tables: computed, verified, and written where searches find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from zermelo.compiled.cache import announce, lock
from zermelo.core.endgame_entries import UNUSED, unused
from zermelo.core.endgame_slice import MOST_MEN
from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError
from zermelo.search.endgame_tables import EndgameTable, is_off, load, path_of, save, table_for
from zermelo.solve.endgame_check import verify
from zermelo.solve.retrograde import Progress, check_supported, generate, slices_up_to

if TYPE_CHECKING:
    import numpy as np


class Step(NamedTuple):
    """The current step and its progress."""

    doing: str
    done: int
    total: int


class Counts(NamedTuple):
    """What a part of a table holds."""

    slice: str
    part: str
    wins: int
    draws: int
    losses: int
    #: The plies of the longest win or loss.
    longest: int


def build(game: type[State], men: int, command: str = "") -> Iterator[Step | EndgameTable]:
    """Compute a table, verify it, and write it to its file.

    Yields
    ------
    Step or EndgameTable
        Progress reports, then the table. Nothing is written before it is verified.

    Raises
    ------
    LimitError
        If the game has no table for this number of men, or it does not fit into memory.
    GameError
        If the game breaks the contract.
    FileError
        If the file cannot be written.
    """
    try:
        for found in generate(game, men):
            if isinstance(found, Progress):
                yield Step(f"computing {found.slice}", found.done, found.total)
                continue
            table = EndgameTable(game, men, _packed(found))
    except MemoryError:
        raise LimitError(f"the endgame tables of {men} men do not fit into this machine's memory") from None
    total = len(table.entries)
    for done in verify(table):
        yield Step("verifying", done, total)
    save(table, command)
    yield table


def _packed(entries: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The entries in 8 bits, if the longest distance fits."""
    import numpy as np

    used = entries[entries != UNUSED]
    if len(used) and max(-int(used.min()), int(used.max())) >= -unused(1):
        return entries
    packed = entries.astype(np.int8)
    packed[entries == UNUSED] = unused(1)
    return packed


def is_missing(state: State) -> bool:
    """Whether a position that is to be searched has few enough men for a table that is built at once, and has none."""
    if not state.has_index or not 0 < state.men() <= state.table_men or is_off():
        return False
    table = table_for(state)
    return table is None or table.men < state.men()


def prepare(game: type[State], show: Callable[[Step], None] = lambda step: None) -> None:
    """Build the small table of a game unless it is built, so that searches find it.

    Where it cannot be built or written, searches go without it, and this process does not try again. Of several
    processes, one builds it.
    """
    if not game.has_index or game.table_men == 0 or is_off() or _is_built(game):
        return
    with lock(f"{game.__name__}-endgames"), suppress(ZermeloError):
        path = str(path_of(game, game.table_men))
        if path not in _failed and not _is_built(game):
            _failed.add(path)
            check_supported(game, game.table_men)
            announce(f"zermelo: computing the endgame table of {game.__name__} to {game.table_men} men, once ...")
            for step in build(game, game.table_men):
                if isinstance(step, Step):
                    show(step)
            _failed.remove(path)


# Files of small tables that could not be built or written.
_failed: set[str] = set()


def ensure(state: State, show: Callable[[Step], None] = lambda step: None) -> None:
    """Build the small table of a game, as `prepare` does, if a position that is to be searched is in it.

    Programs call this before a search begins and its time runs. A table takes seconds to build, once on each machine.
    """
    if is_missing(state):
        prepare(type(state), show)


def _is_built(game: type[State]) -> bool:
    try:
        return load(game, game.table_men) is not None
    except ZermeloError:
        return False


def counts(table: EndgameTable) -> list[Counts]:
    """Count the results of each part of a table."""
    found, first = [], 0
    for each in slices_up_to(table.game, table.men):
        for name, size in each.parts:
            entries = table.entries[first : first + size]
            used = entries[entries != table.unused]
            wins, losses = int((used > 0).sum()), int((used < 0).sum())
            longest = max(-int(used.min()), int(used.max()), 1) - 1 if len(used) else 0
            found.append(Counts(each.name, name, wins, len(used) - wins - losses, losses, longest))
            first += size
    return found


def available(game: type[State]) -> list[tuple[int, str]]:
    """The sizes of the game's tables, in men, and the status of each file: "" (none), "built", or what is wrong."""
    found = []
    for men in range(1, MOST_MEN + 1):
        if not game.table_slices(men):
            continue
        status = ""
        if path_of(game, men).exists():
            try:
                load(game, men)
                status = "built"
            except ZermeloError as error:
                status = str(error)
        found.append((men, status))
    return found
