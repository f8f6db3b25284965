"""PDN: games of checkers, written like PGN. Source: the PDN standard (Grimminck and Ketting), game type 21.

A result is `1-0` where black, who moves first, has won; the numbers of PDN (`2-0`, `1-1`, `0-2`) are read as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from zermelo.errors import FormatError, PositionError
from zermelo.formats import movetext
from zermelo.formats.line_reader import TextLine
from zermelo.formats.movetext import OnError, Written, shown, tag
from zermelo.formats.record import Record, resolve_moves
from zermelo.games.checkers import Checkers

RESULTS = {**movetext.RESULTS, "2-0": "1-0", "1-1": "1/2-1/2", "0-2": "0-1"}
#: The tags that come first, and the kind of game that checkers is among draughts.
FIRST = ("Event", "Site", "Date", "Round", "Black", "White")
GAME_TYPE = "21"
_ELSEWHERE = ("Result", "FEN", "SetUp", "GameType")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The games of a PDN file; `on_error` is called for each that cannot be read: its number, the line, the move."""
    return movetext.records(lines, on_error, _record, RESULTS)


def _record(written: Written) -> Record:
    tags = written.tags
    kind = tags.get("GameType", GAME_TYPE)
    if kind.partition(",")[0].strip() != GAME_TYPE:
        raise FormatError(f"tag GameType {shown(kind)}; expected {GAME_TYPE}, English draughts")
    try:
        start = Checkers.parse(tags["FEN"]) if "FEN" in tags else Checkers.start()
    except PositionError as error:
        raise FormatError(f"tag FEN: {error}") from None
    record = Record(start, written.line, result=written.known_result(RESULTS))
    record.tags = {name: value for name, value in tags.items() if name not in _ELSEWHERE}
    resolve_moves(start, record.line)
    return record


def write(record: Record) -> str:
    """A game as PDN. Raises `FormatError` for what it cannot tell."""
    tags = dict(record.tags)
    head = "".join(tag(name, tags.pop(name)) for name in FIRST if name in tags) + tag("Result", record.result)
    tags["GameType"] = GAME_TYPE
    if record.start != Checkers.start():
        tags |= {"SetUp": "1", "FEN": str(record.start)}
    return movetext.whole(head, tags, record, _ELSEWHERE)
