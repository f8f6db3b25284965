"""Games that people play, in files: saved in any format of the game, and loaded from any."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from zermelo.core.game import State
from zermelo.errors import FormatError

if TYPE_CHECKING:
    from zermelo.formats.record import Record
    from zermelo.formats.registry import Format


def move_between(before: State, after: State) -> int:
    """The move that leads from one state to the next."""
    return next(move for move in before.legal_moves() if before.play(move) == after)


def save(path: str, states: list[State]) -> None:
    """Write a game, from its first state to its last, in the format of the file's extension.

    Raises
    ------
    FormatError
        If the extension is not one of a format, or the format cannot express the game.
    FileError
        If the file cannot be written. An existing file then remains as it was.
    """
    from zermelo._util.atomic_files import write
    from zermelo.formats.registry import files_by_path

    form = _format(type(states[0]), path)
    record = record_of(states)
    if form.binary is None:
        write(path, form.text(record))
        return
    writer = form.binary.writer()
    writer.add(record)
    for each, content in files_by_path(writer, path).items():
        write(each, content)


def record_of(states: list[State]) -> Record:
    """Return the record of a game, from its first state to its last."""
    from zermelo.formats.record import record_from_moves
    from zermelo.formats.text_formats import result_of

    record = record_from_moves(states[0], [move_between(before, after) for before, after in pairwise(states)])
    record.result = result_of(states[-1])
    return record


def load(cls: type[State], path: str) -> list[State]:
    """Read the first game of a file, in the format of the file's extension; returns its states, the last one last.

    Raises
    ------
    FormatError
        If the extension is not one of a format, the first game cannot be read, or there is none.
    FileError
        If the file cannot be read.
    """
    from zermelo._util.user_files import open_file, shown_path

    form = _format(cls, path)

    def refuse(error: FormatError) -> None:
        raise FormatError(f"{shown_path(path)}: {error}")

    with open_file(path) as file:
        record = next(form.read_file(file, refuse, path), None)
    if record is None:
        raise FormatError(f"{shown_path(path)}: contains no game; is it {form.name}?")
    states = [record.start]
    for move in record.moves():
        states.append(states[-1].play(move))
    return states


def _format(cls: type[State], path: str) -> Format:
    from zermelo._util.user_files import shown_path
    from zermelo.formats.registry import format_for_file, formats_of

    found = format_for_file(cls, path)
    if found is None:
        known = dict.fromkeys(suffix for each in formats_of(cls).values() for suffix in each.suffixes)
        raise FormatError(f"{shown_path(path)}: the file name must end in {' or '.join(known)}")
    return found
