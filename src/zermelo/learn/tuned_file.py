"""Files of tuned parameters of the selective search, made by `zermelo learn GAME tune`.

A file of arrays (`zermelo.core.array_file` has the layout) with the magic "ZERMELOS" and version 1. Its header has the
texts "game", "parameters" (their names, separated by blanks), "options" and "command", and the int "pairs", the planned
number of pairs of games. The float32 array "history" has a row for each pair that was played: the parameters after it.
"""

from __future__ import annotations

import os
from os import PathLike
from typing import NamedTuple

from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.array_file import Kind, pack, unpack
from zermelo.core.game import State
from zermelo.errors import FormatError, LimitError
from zermelo.search.selective import FIELDS, Selective

KIND = Kind(b"ZERMELOS", 1, "parameter file", ("game", "parameters", "options", "command"))
#: The largest file that is read.
MAX_BYTES = 1 << 28


class TunedFile(NamedTuple):
    """What a file of tuned parameters holds.

    Attributes
    ----------
    game : str
        The class of the game.
    parameters : tuple of str
        Names of fields of `Selective`.
    history : tuple of tuple of float
        Their values after each pair of games.
    pairs : int
        The planned number of pairs of games.
    options : str
        What else decides the games.
    command : str
        The command that made the file.
    """

    game: str
    parameters: tuple[str, ...]
    history: tuple[tuple[float, ...], ...]
    pairs: int
    options: str
    command: str

    @property
    def values(self) -> dict[str, int]:
        """The parameters after the last pair of games."""
        return {name: round(value) for name, value in zip(self.parameters, self.history[-1], strict=True)}


def tuned_bytes(found: TunedFile) -> bytes:
    """The content of a file."""
    import numpy as np

    header = {
        "game": found.game, "parameters": " ".join(found.parameters), "options": found.options,
        "command": found.command, "pairs": found.pairs, "seed": None,
    }  # fmt: skip
    history = np.array(found.history, np.float32).reshape(-1, len(found.parameters))
    return pack(KIND, header, {"history": history})


def load_tuned(path: str | PathLike[str], game: str) -> TunedFile:
    """Read a file of tuned parameters.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is another kind of file, damaged, of another version or of another game, or a parameter is out of its
        range. Nothing of it is used then.
    """
    import numpy as np

    name = shown_path(os.fspath(path))
    header, arrays = unpack(KIND, read_bytes(path, MAX_BYTES), name)
    if header["game"] != game:
        raise FormatError(f"{name}: these parameters are for the game {quoted(header['game'])}, not {game}")
    parameters = tuple(header["parameters"].split())
    history = arrays.get("history")
    valid = bool(parameters) and set(parameters) <= set(FIELDS) and type(header.get("pairs")) is int
    if valid and set(arrays) == {"history"} and history is not None:
        valid = str(history.dtype) == "float32" and history.shape[1:] == (len(parameters),)
        valid = valid and bool(np.isfinite(history).all())
    if not valid or history is None:
        raise FormatError(f"{name}: the parameter file has a wrong header")
    rows = tuple(tuple(map(float, row)) for row in history.tolist())
    for parameter, values in zip(parameters, zip(*rows, strict=True), strict=False):
        for value in (min(values), max(values)):
            try:
                FIELDS[parameter].check(round(value))
            except LimitError as error:
                raise FormatError(f"{name}: {error}") from None
    return TunedFile(game, parameters, rows, header["pairs"], header["options"], header["command"])


def load_parameters(path: str | PathLike[str], game: type[State]) -> Selective:
    """Return the parameters of a file, for an engine; the others are the game's. Raises as `load_tuned`."""
    found = load_tuned(path, game.__name__)
    if not found.history:
        raise FormatError(f"{shown_path(os.fspath(path))}: no games have been played")
    return Selective.of_game(game, **found.values)
