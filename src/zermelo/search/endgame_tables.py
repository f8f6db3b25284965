"""Endgame tables in searches: where they are kept, and what they prove.

A table holds the results of all positions of a game with at most N men (`zermelo.core.endgame_entries`). The files
are in the folder of `ZERMELO_TABLES_DIR`, or in the user's cache folder: `chess-3.table`. They are files of arrays
(`zermelo.core.array_file` has the layout) with the magic "ZERMELOE" and version 1. The header has the texts "game",
"fingerprint" (of the rules' code) and "command", and the int "men"; the only array, "entries", has items of 8 or 16
bits.

What an entry proves
--------------------
A position does not include the history of the game, so a table ignores draws by the number of reversible plies and by
repetition. These only ever add draws:

- A draw stays a draw: neither side can be made to lose.
- A win in d plies stays one if the rules do not end the game before: if the reversible plies r so far and d together do
  not exceed `draw_at_reversible_plies`, and if no position of these r plies would be drawn at its next occurrence.
  The distance decreases with each ply, so the winning line repeats no position.
- Otherwise a win proves that the winner has at least a draw.

References
----------
C. E. Nalimov, G. McC. Haworth and E. A. Heinz, "Space-Efficient Indexing of Chess Endgame Tables", ICGA Journal 23,
2000.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import platformdirs

from zermelo._util import atomic_files
from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes
from zermelo._util.user_folders import user_folder
from zermelo.compiled.cache import announce
from zermelo.compiled.fingerprint import fingerprint
from zermelo.core.array_file import Kind, pack, unpack
from zermelo.core.endgame_entries import MOST_PLIES, plies_in, unused
from zermelo.core.endgame_slice import MOST_MEN
from zermelo.core.evaluation import evaluation_name, resolve_evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, repeats_to_draw
from zermelo.errors import FileError, FormatError
from zermelo.search.analysis import Analysis, Line, Score, line_names, side_names

if TYPE_CHECKING:
    import numpy as np

    from zermelo.search.request import SearchRequest

KIND = Kind(b"ZERMELOE", 1, "endgame table", ("game", "fingerprint", "command"))
#: The largest file that is read.
MAX_BYTES = 1 << 31
# A search loads a table if its root has at most this many men more: a longer series of captures is rarely searched.
REACH = 4


class EndgameTable(NamedTuple):
    """The results of all positions of a game with at most `men` men."""

    game: type[State]
    men: int
    #: The entries, 8 or 16 bits each, by `State.index`.
    entries: np.ndarray[Any, Any]

    def entry(self, state: State) -> int | None:
        """The entry of an unfinished position; None if the table leaves it out."""
        if state.men() > self.men:
            return None
        number = state.index()
        entry = int(self.entries[number]) if number >= 0 else self.unused
        return None if entry == self.unused else entry

    @property
    def unused(self) -> int:
        """The entry of numbers that are not in use."""
        return unused(self.entries.itemsize)

    def value(self, state: State) -> tuple[int, int] | None:
        """The result for MAX and the plies to the end, without draws by the number of plies or repetition."""
        if state.is_over():
            return state.utility(), 0
        entry = self.entry(state)
        if entry is None:
            return None
        return ((entry > 0) - (entry < 0)) * state.to_move(), plies_in(entry) if entry else 0

    def proven(self, state: State, history: PositionHistory) -> tuple[int, int] | None:
        """The same where it is proven under all rules of the game, after the positions before; None where it is not."""
        found = self.value(state)
        if found is None or found[0] == 0 or state.is_over():
            return found
        limit, reversible = state.draw_at_reversible_plies, state.reversible_plies()
        if limit and reversible + found[1] > limit:
            return None
        return None if repeats_to_draw(state, history) else found


def is_off() -> bool:
    """Whether tables are neither used nor built."""
    return os.environ.get("ZERMELO_TABLES_DIR") == "none"


# ---- files ---------------------------------------------------------------------------------------------------


def folder() -> Path:
    """The folder of the tables: `$ZERMELO_TABLES_DIR`, or a folder in the user's cache folder.

    Raises
    ------
    FileError
        There is neither, or tables are switched off: the variable is "none".
    """
    if is_off():
        raise FileError("endgame tables are switched off by ZERMELO_TABLES_DIR=none")
    return user_folder("ZERMELO_TABLES_DIR", lambda: os.path.join(platformdirs.user_cache_dir("zermelo"), "tables"))


def path_of(game: type[State], men: int) -> Path:
    """The file of a table."""
    return folder() / f"{game.__name__.lower()}-{men}.table"


def rules_fingerprint(game: type[State]) -> str:
    """Hash the code that gives entries their numbers and values, as 16 hexadecimal digits."""
    if game not in _fingerprints:
        methods = (game.index, game.unindex, game.to_move, game.moves, game.play, game.is_over, game.utility)
        _fingerprints[game] = fingerprint(*methods)
    return _fingerprints[game]


_fingerprints: WeakKeyDictionary[type[State], str] = WeakKeyDictionary()


def save(table: EndgameTable, command: str = "") -> Path:
    """Write a table to its file, completely or not at all. Returns the path.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    path = path_of(table.game, table.men)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path.parent}: {error.strerror or error}") from None
    header = {
        "game": table.game.__name__, "fingerprint": rules_fingerprint(table.game), "men": table.men, "command": command,
        "seed": None,
    }  # fmt: skip
    atomic_files.write(path, pack(KIND, header, {"entries": table.entries}))
    return path


def load(game: type[State], men: int) -> EndgameTable:
    """Read a table from its file.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not an endgame table, is damaged, has another version, or was made for another game or other rules.
    """
    path = path_of(game, men)
    name = str(path)
    header, arrays = unpack(KIND, read_bytes(path, MAX_BYTES), name)
    if header["game"] != game.__name__:
        raise FormatError(f"{name}: this table is for the game {quoted(header['game'])}, not {game.__name__}")
    if header["fingerprint"] != rules_fingerprint(game):
        raise FormatError(f"{name}: the rules of {game.__name__} have been changed since this endgame table was made")
    size = sum(each.size for count in range(men + 1) for each in game.table_slices(count))
    entries = arrays.get("entries")
    if header.get("men") != men or entries is None or entries.shape != (size,) or entries.itemsize > 2:
        raise FormatError(f"{name}: the endgame table has a wrong header")
    return EndgameTable(game, men, entries)


# Tables in memory, by path, each with the time and size of its file; None for a file that cannot be used.
_loaded: dict[str, tuple[tuple[int, int], EndgameTable | None]] = {}
_loading = threading.Lock()


def table_for(state: State) -> EndgameTable | None:
    """The table that a search of this state uses: the smallest that has it, else the largest within reach; or None.

    Searches go without a file that cannot be used. Each process reports this once.
    """
    if not state.has_index:
        return None
    found, game, men = None, type(state), state.men()
    for size in range(max(men - REACH, 1), MOST_MEN + 1):
        if game.table_slices(size) and (table := _load_known(game, size)) is not None:
            found = table
            if size >= men:
                break
    return found


def _load_known(game: type[State], men: int) -> EndgameTable | None:
    """The table, from memory if its file has not been changed; None if there is none that can be used."""
    try:
        path = path_of(game, men)
        status = os.stat(path)
    except (OSError, FileError):
        return None
    stamp = status.st_mtime_ns, status.st_size
    with _loading:
        known = _loaded.get(str(path))
        if known is None or known[0] != stamp or (known[1] is not None and known[1].game is not game):
            try:
                known = stamp, load(game, men)
            except (FileError, FormatError) as error:
                known = stamp, None
                announce(f"zermelo: {error}; searches do not use it (zermelo tables GAME --men {men} builds it again)")
            _loaded[str(path)] = known
    return known[1]


def proven_alone(state: State) -> tuple[int, int] | None:
    """What a table proves of a state with nothing before it: the result for MAX and the plies to the end, or None."""
    table = table_for(state)
    return None if table is None else table.proven(state, PositionHistory())


# ---- answers -------------------------------------------------------------------------------------------------


def answer(request: SearchRequest) -> Analysis | None:
    """What an endgame table proves in answer to a request for a search; None if the position must be searched.

    That is so for searches to a depth, whose scores are those of that depth, and where a score that is asked for is not
    proven.
    """
    start, seconds, state = time.perf_counter(), request.limits.seconds, request.state
    if request.limits.depth is not None or not state.has_index or state.is_over():
        return None
    table = table_for(state)
    if table is None or state.men() > table.men:
        return None
    moves, _ = request.root_moves(None)
    before = request.history if isinstance(request.history, PositionHistory) else PositionHistory(request.history)
    history = before.copy()
    history.push(state)
    found = []
    for move in moves:
        value = table.value(state.play(move))
        if value is None:
            return None
        found.append((_rank(*value) * state.to_move(), value, move))
    found.sort(key=lambda each: -each[0])
    own = table.value(state)
    for place, (rank, value, move) in enumerate(found):
        # A loss that is not proven may be a draw, and better than what comes before it; a win only worse.
        if place < request.lines or rank < 0:
            # The state itself does not occur again if it is farther from the end.
            past = before if own is not None and 0 < value[1] < own[1] else history
            if table.proven(state.play(move), past) is None:
                return None
    unit = resolve_evaluation(state, request.evaluation).unit_name
    lines = list[Line]()
    for _, (result, plies), move in found[: request.lines]:
        line: tuple[int, ...] = (move,)
        # A line to the mate takes milliseconds. There may be one for each move, so only the first is worth the time.
        if not lines or seconds is None or time.perf_counter() - start < seconds:
            line += tuple(_best_line(table, state.play(move), plies if result else 0))
        lines.append(Line(move, line, line_names(state, line), Score(result, plies + 1 if result else None, unit=unit)))
    best, (to_move, player) = lines[0], side_names(state)
    return Analysis(
        state=state, game=type(state).__name__, position=str(state), to_move=to_move, player=player,
        best=best.names[0], move=best.move, score=best.score, line=best.names, lines=tuple(lines), depth=0, nodes=0,
        seconds=0.0, reason="table", evaluation=evaluation_name(state, resolve_evaluation(state, request.evaluation)),
        algorithm="engine", threads=1,
    )  # fmt: skip


def completed(table: EndgameTable, state: State, moves: tuple[int, ...], plies: int) -> tuple[int, ...]:
    """The line of a win or loss in `plies` plies, with the table's moves added where the search took its score."""
    for move in moves:
        state = state.play(move)
    left = plies - len(moves)
    if left <= 0 or state.is_over():
        return moves
    found = table.value(state)
    if found is None or found[0] == 0 or found[1] != left:
        return moves
    return (*moves, *_best_line(table, state, left))


def _rank(result: int, plies: int) -> int:
    """Order results for MAX: sooner wins and later losses are higher."""
    return result * (MOST_PLIES + 1 - plies)


def _best_line(table: EndgameTable, state: State, plies: int) -> Iterator[int]:
    """The moves of best play to the end of the game, of a win or loss."""
    for left in range(plies, 0, -1):
        for move in state.legal_moves():
            found = table.value(state.play(move))
            if found is not None and found[0] and found[1] == left - 1:
                yield move
                state = state.play(move)
                break
