"""Openings from a file: positions or lines of moves, one a line, or games in any format that the game has.

    file:openings.txt                   # a comment, empty lines
    file:games.pgn,plies=8              of each game the first 8 moves
    file:games.pgn,order=random         in an order by the tournament's seed

In a file of no known format each line is a position in the game's notation, or a line of moves from the start (or from
another position: `fen POSITION moves MOVES`). No opening comes twice, and a game that is over is no opening.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.errors import FileError, FormatError, IllegalMove, LimitError, PositionError

if TYPE_CHECKING:
    from zermelo.arena.plans.openings import Opening
    from zermelo.arena.plans.plan import Plan
    from zermelo.formats.line_reader import TextLine
    from zermelo.formats.movetext import OnError
    from zermelo.formats.record import Record

#: The most openings of a file that are put in another order: all of them are read for that.
MOST_SHUFFLED = 100_000
ORDERS = ("file", "random")
_SETTING = re.compile(r"(.*),(plies|order)=([^,/]*)", re.DOTALL)


@dataclass(frozen=True)
class FromFile:
    """A file of openings: so many plies of each at most (0: all), in the order of the file or by the seed."""

    path: Path
    plies: int = 0
    order: str = "file"


def parse_file(text: str) -> FromFile:
    """What `PATH,plies=8,order=random` stands for. Raises `LimitError`."""
    path, plies, order = parse_settings("file", text)
    order = "file" if order is None else order
    if order not in ORDERS:
        raise LimitError(f"openings file:{path}: order={order}; expected {' or '.join(ORDERS)}")
    return FromFile(Path(path), plies, order)


def parse_settings(kind: str, text: str) -> tuple[str, int, str | None]:
    """A path, and the plies (0: nothing said) and order (None) that stand after it. Raises `LimitError`."""
    given: dict[str, str] = {}
    path = text
    while found := _SETTING.fullmatch(path):
        path, name, value = found[1], found[2], found[3]
        if name in given:
            raise LimitError(f"openings {kind}:{text}: {name}= is there twice")
        given[name] = value
    plies = given.get("plies", "0")
    if not re.fullmatch(r"\d{1,4}", plies) or ("plies" in given and int(plies) == 0):
        raise LimitError(f"openings {kind}:{path}: plies={plies}; expected a number from 1 to 9,999")
    if not path:
        raise LimitError(f"openings {kind}: a path is missing, as in {kind}:PATH or {kind}:PATH,plies=8")
    return path, int(plies), given.get("order")


def read_file(plan: Plan, needed: int) -> list[Opening]:
    """The openings of a plan's file, no more than are needed. Raises `FormatError`, with the file and the line."""
    from zermelo import registry
    from zermelo.arena.plans.openings import shuffle
    from zermelo.arena.referee import seed_of
    from zermelo.formats.line_reader import read_lines

    given = parse_file(plan.openings.removeprefix("file:"))
    cls = registry.load(plan.game)
    most = needed if given.order == "file" else MOST_SHUFFLED + 1
    openings: dict[State, Opening] = {}
    try:
        with given.path.open("rb") as file:
            for place, record in _records(cls, given.path, read_lines(file)):
                for opening, end in _opening(record, given.plies, place):
                    openings.setdefault(end, opening)
                if len(openings) >= most:
                    break
    except OSError as error:
        raise FileError(f"openings file {given.path}: {error.strerror or error}") from None
    except FormatError as error:
        raise FormatError(f"openings file {given.path}: {error}") from None
    if not openings:
        raise FormatError(f"openings file {given.path}: there are no openings in it")
    if given.order == "file":
        return list(openings.values())
    if len(openings) > MOST_SHUFFLED:
        raise FormatError(f"openings file {given.path}: more than {MOST_SHUFFLED:,}; order=file takes the first ones")
    places = list(range(len(openings)))
    shuffle(places, seed_of("openings", plan.seed))
    rows = list(openings.values())
    return [rows[place] for place in places[:needed]]


def _opening(record: Record, plies: int, place: str) -> Iterator[tuple[Opening, State]]:
    """The opening that a game begins with, and where it leads; none where the game ends before."""
    moves: list[int] = []
    past = PositionHistory([record.start])
    state, drawn = record.start, False
    for step in record.line.steps:
        if step.move is None or (plies and len(moves) == plies):
            break
        moves.append(step.move)
        state = state.play(step.move)
        drawn = can_claim_draw(state, past.push(state))
    if not state.is_over() and not drawn:
        start = "" if record.start == type(record.start).start() else str(record.start)
        yield (start, tuple(moves)), state
    elif not plies:
        raise FormatError(f"{place}: the game is over in {state}; expected an opening (plies=N cuts games short)")


def _records(cls: type[State], path: Path, lines: Iterable[TextLine]) -> Iterator[tuple[str, Record]]:
    """What is in a file, each with its place. Raises `FormatError` for the first that cannot be read."""
    from zermelo.formats.registry import format_for_file

    def lost(error: FormatError) -> None:
        raise error

    known = format_for_file(cls, path.name)
    read = partial(_positions_or_moves, cls) if known is None else known.read
    at: list[int] = [0]
    for number, record in enumerate(read(_followed(lines, at), lost), 1):
        yield f"opening {number:,}, line {at[0]:,}", record


def _followed(lines: Iterable[TextLine], at: list[int]) -> Iterator[TextLine]:
    """The same lines; `at` is the number of the one that was read last."""
    for line in lines:
        at[0] = line.number
        yield line


def _positions_or_moves(cls: type[State], lines: Iterable[TextLine], lost: OnError) -> Iterator[Record]:
    """Positions and lines of moves, one a line, with comments after a #."""
    from zermelo.formats.record import Record
    from zermelo.formats.text_formats import read_moves

    for line in lines:
        text = line.text.partition("#")[0].strip()
        if not text and not line.wrong:
            continue
        if line.wrong or _is_line_of_moves(cls, text):
            yield from read_moves(cls, [line._replace(text=text)], _raise)
            continue
        try:
            yield Record(cls.parse(text))
        except PositionError as error:
            raise FormatError(
                f"{quoted(text)} is no line of moves, and no position: {error}", line=line.number
            ) from None


def _raise(error: FormatError) -> None:
    raise FormatError(error.wrong, line=error.line, move=error.move)


def _is_line_of_moves(cls: type[State], text: str) -> bool:
    """Whether a text is meant as moves: it says so, or its first word can be played."""
    first = text.split()[0]
    if first in ("startpos", "fen", "position") or "moves" in text.split():
        return True
    try:
        cls.start().through(first)
    except IllegalMove:
        return False
    return True
