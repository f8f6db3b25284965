"""Openings from a file: positions or move lines, one per line, or games in any format of the game.

    file:openings.txt                   # starts a comment; empty lines are skipped
    file:games.pgn,plies=8              the first 8 moves of each game
    file:games.pgn,order=random         in random order, by the tournament's seed

In a file of unknown format each line is a position in the game's notation or a line of moves from the start (or from
another position: `fen POSITION moves MOVES`). Openings that lead to the same position count once. A finished game is
not an opening.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from zermelo._util.text import quoted
from zermelo._util.user_files import open_file, shown_path
from zermelo.arena.game_course import seed_of
from zermelo.arena.plans.opening import Opening, parse_settings, shuffle
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, utility_by_rule
from zermelo.core.move_numbers import number_of
from zermelo.errors import FileError, FormatError, IllegalMove, LimitError, PositionError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.formats.line_reader import TextLine
    from zermelo.formats.movetext import OnError
    from zermelo.formats.record import Record

#: Maximum number of openings that are shuffled; all of them are read for that.
MAX_SHUFFLED = 100_000
#: Maximum size of a file, in bytes. It is read line by line, so it takes no memory, only time.
MAX_BYTES = 1_000_000_000
ORDERS = ("file", "random")


@dataclass(frozen=True)
class OpeningFile:
    """A file of openings.

    Attributes
    ----------
    path : Path
        The file.
    plies : int
        Maximum number of plies of each opening; 0: all.
    order : str
        "file": in the order of the file; "random": shuffled by the tournament's seed.
    """

    path: Path
    plies: int = 0
    order: str = "file"

    @classmethod
    def parse(cls, text: str) -> OpeningFile:
        """Parse `PATH[,plies=N][,order=ORDER]`. Raises `LimitError`."""
        path, plies, order = parse_settings("file", text)
        order = "file" if order is None else order
        if order not in ORDERS:
            raise LimitError(f"openings file:{path}: order must be {' or '.join(ORDERS)} (got {order})")
        return cls(Path(path), plies, order)

    @property
    def label(self) -> str:
        """How messages name the file."""
        return f"openings file {shown_path(self.path)}"

    def stream(self) -> BinaryIO:
        """Open the file. Raises `FileError`."""
        return open_file(self.path, label=self.label, max_bytes=MAX_BYTES)


def read_opening_file(plan: Plan, count: int) -> list[Opening]:
    """Read the openings of a plan's file, at most `count`.

    Raises
    ------
    FileError
        The file cannot be read.
    FormatError
        A position or move is invalid, or there is no opening. The message has the file, opening and line.
    """
    from zermelo import registry

    source = OpeningFile.parse(plan.openings.removeprefix("file:"))
    cls = registry.load(plan.game)
    most = count if source.order == "file" else MAX_SHUFFLED + 1
    openings: dict[State, Opening] = {}
    label = source.label
    try:
        with source.stream() as file:
            for place, record in _records(cls, source.path, file):
                for opening, end in _opening(record, source.plies, place):
                    openings.setdefault(end, opening)
                if len(openings) >= most:
                    break
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{label}: {error.strerror or error}") from None
    except FormatError as error:
        raise FormatError(f"{label}: {error}") from None
    if not openings:
        raise FormatError(f"{label}: no openings found")
    rows = list(openings.values())
    if source.order == "file":
        return rows
    if len(rows) > MAX_SHUFFLED:
        raise FormatError(
            f"{label}: order=random takes at most {MAX_SHUFFLED:,} openings; order=file reads the first ones"
        )
    indices = list(range(len(rows)))
    shuffle(indices, seed_of("openings", plan.seed))
    return [rows[index] for index in indices[:count]]


def _opening(record: Record, plies: int, place: str) -> Iterator[tuple[Opening, State]]:
    """Yield the opening of a game and its final state; nothing if the game ends within the opening."""
    moves: list[int] = []
    history = PositionHistory([record.start])
    state, drawn = record.start, False
    for step in record.line.steps:
        if step.move is None or (plies and len(moves) == plies):
            break
        moves.append(number_of(state, step.move))
        state = state.play(step.move)
        drawn = utility_by_rule(state, history.push(state)) is not None
    if not state.is_over() and not drawn:
        start = "" if record.start == type(record.start).start() else str(record.start)
        yield Opening(start, tuple(moves)), state
    elif not plies:
        raise FormatError(f"{place}: the game is over in {state}, so it is not an opening; plies=N cuts games short")


def _records(cls: type[State], path: Path, file: BinaryIO) -> Iterator[tuple[str, Record]]:
    """Yield the records of a file with their places. Raises `FormatError` for the first invalid one."""
    from zermelo.formats.line_reader import read_lines
    from zermelo.formats.registry import format_for_file

    def on_error(error: FormatError) -> None:
        raise error

    known = format_for_file(cls, path.name)
    if known is not None and known.binary:  # the names of the players do not matter
        for number, record in enumerate(known.read_file(file, on_error), 1):
            yield f"opening {number:,}", record
        return
    read = partial(_positions_or_moves, cls) if known is None else known.read
    line_number: list[int] = [0]
    for number, record in enumerate(read(_counted(read_lines(file), line_number), on_error), 1):
        yield f"opening {number:,}, line {line_number[0]:,}", record


def _counted(lines: Iterable[TextLine], line_number: list[int]) -> Iterator[TextLine]:
    """Pass lines through and store the number of the last one in `line_number[0]`."""
    for line in lines:
        line_number[0] = line.number
        yield line


def _positions_or_moves(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Read positions and move lines, one per line; `#` starts a comment."""
    from zermelo.formats.record import Record
    from zermelo.formats.text_formats import read_moves

    for line in lines:
        text = line.text.partition("#")[0].strip()
        if not text and not line.error:
            continue
        if line.error or _is_move_line(cls, text):
            yield from read_moves(cls, [line._replace(text=text)], _raise)
            continue
        try:
            yield Record(cls.parse(text))
        except PositionError as error:
            raise FormatError(
                f"{quoted(text)} is neither a line of moves nor a position: {error}", line=line.number
            ) from None


def _raise(error: FormatError) -> None:
    raise FormatError(error.wrong, line=error.line, move=error.move)


def _is_move_line(cls: type[State], text: str) -> bool:
    """Return whether a text is meant as moves: by its keyword, or because its first word is a legal move."""
    first = text.split()[0]
    if first in ("startpos", "fen", "position") or "moves" in text.split():
        return True
    try:
        cls.start().through(first)
    except IllegalMove:
        return False
    return True
