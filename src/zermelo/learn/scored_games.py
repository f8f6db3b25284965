"""Positions of recorded games with their values by best play: what learned evaluations are measured on.

WTHOR files of Othello hold the value of each game's position with 24 empty squares.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.array_file import UNKNOWN
from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.formats import wthor
from zermelo.formats.record import Record
from zermelo.games.othello import Othello
from zermelo.learn.position_file import MAX_BYTES, Positions, batch_bytes, from_batches, state_words, words_of_state

#: Suffix of the files of games that are read.
SUFFIX = ".wtb"
SQUARES = 64


def load_scored_games(path: str | os.PathLike[str], cls: type[State]) -> Positions:
    """Read the positions of a file of games whose values with best play are in the file.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a WTHOR file of games, a game in it is wrong (named, with its move), or the game is not Othello.
    """
    name = shown_path(path)
    if cls is not Othello:
        raise FormatError(f"{name}: a WTHOR file has games of Othello, not of {cls.__name__}")

    def refuse(error: FormatError) -> None:
        raise error

    try:
        records = list(wthor.read(read_bytes(path, MAX_BYTES), refuse))
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    rows = [row for number, record in enumerate(records) for row in _row(number, record)]
    return Positions(**from_batches(batch_bytes(rows), state_words(cls)), evaluation="", made=UNKNOWN)


def _row(number: int, record: Record) -> Iterator[tuple[list[int], tuple[int, ...]]]:
    """The words and columns of the position of a game whose value is known; nothing if the game ended before."""
    empties = int(record.tags["TheoreticalEmpties"])
    value, result = (2 * int(record.tags[tag]) - SQUARES for tag in ("TheoreticalDiscs", "BlackDiscs"))
    state = Othello.start()
    for ply, move in enumerate(step.move for step in record.line.steps if step.move is not None):
        if (state.black | state.white).count() == SQUARES - empties:
            yield words_of_state(state), (value, 1, result, ply, number, 0, -1, move)
            return
        state = state.play(move)
