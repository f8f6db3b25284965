"""Position files: labelled positions of a game as arrays, for fitting evaluations.

The form is that of `zermelo.core.array_file`, with the magic "ZERMELOP" and version 1. The header has the texts "game"
and "fingerprint", which covers the fields of the game's class, "evaluation", that of the labelling search, and the
provenance. The arrays have a row for each position, the games in order and each game's positions in order:

    states   int64, (n, words)   the fields of the state, as `zermelo.core.accumulator.store_state` writes them
    score    int32               label from MAX's side, in units of the evaluation; the utility where `exact`
    exact    int8                1: `score` is the utility with best play
    result   int32               utility of the end of the game; from the first solved position on, with best play
    ply      int16               plies since the game's first position, chance events included
    game     int32               number of the game
    depth    int16               depth of the labelling search; 0: none, or to the end of the game
    best     int32               best move of the search; -1: none
    played   int32               move played in the game; -1: none
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np

from zermelo._util import atomic_files
from zermelo._util.row_files import WRITERS
from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.accumulator import load_state, store_state, words_of
from zermelo.core.array_file import UNKNOWN, Kind, Provenance, described, pack, unpack
from zermelo.core.game import State
from zermelo.errors import FormatError, GameError
from zermelo.formats.position_lines import read_position_lines

Array: TypeAlias = "np.ndarray[Any, Any]"

#: The evaluation of positions whose labels are the results of games; their scores are the results too.
RESULTS = "results of games"
#: Suffix of position files.
SUFFIX = ".positions"
POSITIONS = Kind(b"ZERMELOP", 1, "position file", ("game", "fingerprint", "evaluation", "command", "data"))
#: The largest file that is read: about a hundred million positions of Othello.
MAX_BYTES = 1 << 32
#: The arrays but `states`, with their types.
COLUMNS = {
    "score": np.int32, "exact": np.int8, "result": np.int32, "ply": np.int16, "game": np.int32, "depth": np.int16,
    "best": np.int32, "played": np.int32,
}  # fmt: skip


@dataclass(frozen=True)
class Positions:
    """Labelled positions. The arrays are those of the file; see the module's description."""

    states: Array
    score: Array
    exact: Array
    result: Array
    ply: Array
    game: Array
    depth: Array
    best: Array
    played: Array
    #: Name of the evaluation of the labelling search.
    evaluation: str = ""
    made: Provenance = UNKNOWN

    def __len__(self) -> int:
        return len(self.states)

    def state(self, index: int, cls: type[State]) -> State:
        """The state of a row."""
        return state_of_words(self.states[index], cls)

    def chosen(self, rows: Array) -> Positions:
        """Some of the positions, by their numbers or a mask."""
        arrays = {name: getattr(self, name)[rows] for name in ("states", *COLUMNS)}
        return Positions(**arrays, evaluation=self.evaluation, made=self.made)

    def digest(self) -> str:
        """A digest of the positions and labels, for the provenance of what is fitted to them."""
        content = hashlib.blake2b(digest_size=16)
        for name in ("states", *COLUMNS):
            content.update(np.ascontiguousarray(getattr(self, name)).data)
        return content.hexdigest()


class _Row:
    """The record that `store_state` and `load_state` take."""

    def __init__(self, states: Any) -> None:
        self.states = states


def state_words(cls: type[State]) -> int:
    """The number of 64-bit words of a state.

    Raises
    ------
    GameError
        If the game's states are not made of ints, bools and bitboards.
    """
    if not cls.is_compiled:
        why = getattr(cls, "why_interpreted", "") or "declared with @game(compiled=False)"
        raise GameError(f"{cls.__name__} cannot be learned, because it is not compiled: {why}")
    return sum(map(words_of, cls.fields))


def words_of_state(state: State) -> list[int]:
    """The words of a state."""
    row = _Row([0] * state_words(type(state)))
    store_state(row, 0, state)
    return row.states  # type: ignore[no-any-return]


def state_of_words(words: Any, cls: type[State]) -> State:
    """The state of the words that `words_of_state` returns."""
    return load_state(_Row(np.asarray(words, np.int64)), 0, cls.start())


def joined(parts: list[Positions]) -> Positions:
    """Several sets of positions as one; games keep apart. The evaluation is "" if they have different ones."""
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("states", *COLUMNS)
    }
    first, games = 0, []
    for part in parts:
        games.append(part.game + first)
        first = int(games[-1].max(initial=first - 1)) + 1
    arrays["game"] = np.concatenate(games)
    if len(parts) == 1:
        return Positions(**arrays, evaluation=parts[0].evaluation, made=parts[0].made)
    names = {part.evaluation for part in parts}
    return Positions(**arrays, evaluation=names.pop() if len(names) == 1 else "")


def game_fingerprint(cls: type[State]) -> str:
    """Hash what gives the words of states their meaning, as 32 hexadecimal digits."""
    content = json.dumps([cls.__name__, described(cls)])
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def save_positions(path: str | os.PathLike[str], cls: type[State], positions: Positions) -> None:
    """Write a position file. The same positions give the same bytes.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    atomic_files.write(os.fspath(path), to_bytes(cls, positions))


def to_bytes(cls: type[State], positions: Positions) -> bytes:
    """The content of a position file."""
    header = {
        "game": cls.__name__,
        "fingerprint": game_fingerprint(cls),
        "evaluation": positions.evaluation,
        **positions.made._asdict(),
    }
    return pack(POSITIONS, header, {name: getattr(positions, name) for name in ("states", *COLUMNS)})


def load_positions(path: str | os.PathLike[str], cls: type[State]) -> Positions:
    """Read a position file.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a position file, is damaged, or was made for another game. Nothing of the file is used then.
    """
    return from_bytes(read_bytes(path, MAX_BYTES), cls, shown_path(path))


def read_states(path: str | os.PathLike[str], cls: type[State]) -> Array:
    """Return the words of the states of a position file, or of text with a position in each line.

    Raises
    ------
    FileError, FormatError
        As `load_positions`.
    PositionError
        If a line is not a position.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix == SUFFIX:
        return load_positions(path, cls).states
    if suffix in WRITERS:
        raise FormatError(
            f"{shown_path(path)}: exported positions cannot be read back; expected a {SUFFIX} file, or text with a "
            "position in each line"
        )
    with BytesIO(read_bytes(path, MAX_BYTES)) as file:
        rows = [words_of_state(state) for _, state in read_position_lines(file, cls, shown_path(path))]
    return np.array(rows, np.int64).reshape(len(rows), state_words(cls))


def from_bytes(content: bytes, cls: type[State], name: str) -> Positions:
    """Read the content of a position file; messages call it `name`."""
    header, arrays = unpack(POSITIONS, content, name)
    if header["game"] != cls.__name__:
        raise FormatError(f"{name}: these positions are of the game {quoted(header['game'])}, not {cls.__name__}")
    if header["fingerprint"] != game_fingerprint(cls):
        raise FormatError(f"{name}: {cls.__name__} has been changed since these positions were made; make them again")
    expected = {"states": np.dtype(np.int64), **{column: np.dtype(kind) for column, kind in COLUMNS.items()}}
    rows = arrays["states"].shape[:1] if "states" in arrays else (0,)
    shapes = {"states": (*rows, state_words(cls)), **dict.fromkeys(COLUMNS, rows)}
    if {key: (array.dtype, array.shape) for key, array in arrays.items()} != {
        key: (expected[key], shapes[key]) for key in expected
    }:
        raise FormatError(f"{name}: the position file has wrong arrays")
    made = Provenance(header["command"], header["seed"], header["data"])
    return Positions(**arrays, evaluation=header["evaluation"], made=made)


def batch_bytes(rows: list[tuple[list[int], tuple[int, ...]]]) -> bytes:
    """Rows of words and columns as bytes, all numbers of 64 bits: for temporary files and messages of workers."""
    return np.array([[*words, *columns] for words, columns in rows], "<i8").tobytes()


def from_batches(content: bytes, words: int) -> dict[str, Array]:
    """The arrays of what `batch_bytes` made."""
    table = np.frombuffer(content, "<i8").reshape(-1, words + len(COLUMNS))
    columns = {name: table[:, words + place].astype(kind) for place, (name, kind) in enumerate(COLUMNS.items())}
    return {"states": table[:, :words].astype(np.int64), **columns}


#: Columns of exported text, with their types.
TEXT_COLUMNS: dict[str, type] = {
    "game": int, "ply": int, "position": str, "to_move": int, "score": int, "exact": bool, "depth": int, "best": str,
    "played": str, "result": int,
}  # fmt: skip


def text_rows(cls: type[State], positions: Positions) -> Iterator[list[Any]]:
    """Yield the positions as rows of `TEXT_COLUMNS`."""
    for index in range(len(positions)):
        state = positions.state(index, cls)
        best, played = int(positions.best[index]), int(positions.played[index])
        yield [
            int(positions.game[index]), int(positions.ply[index]), str(state), state.to_move(),
            int(positions.score[index]), bool(positions.exact[index]), int(positions.depth[index]),
            "" if best < 0 else state.move_name(best), "" if played < 0 else state.move_name(played),
            int(positions.result[index]),
        ]  # fmt: skip
