"""PDN: checkers games, written like PGN, with game type 21 (English draughts).

Results are `1-0` if black, who moves first, has won; the PDN results `2-0`, `1-1` and `0-2` are read as well.

References
----------
W. Grimminck, E. Ketting, "Portable Draughts Notation" (PDN 3.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from zermelo.errors import FormatError, PositionError
from zermelo.formats import movetext
from zermelo.formats.line_reader import TextLine
from zermelo.formats.movetext import OnError, ParsedGame, shown, tag
from zermelo.formats.record import Record, resolve_moves
from zermelo.games.checkers import Checkers

RESULTS = {**movetext.RESULTS, "2-0": "1-0", "1-1": "1/2-1/2", "0-2": "0-1"}
#: The tags that are written first, and the PDN game type of English draughts.
FIRST = ("Event", "Site", "Date", "Round", "Black", "White")
GAME_TYPE = "21"
_DERIVED = ("Result", "FEN", "SetUp", "GameType")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the games of a PDN file; call `on_error` for each that cannot be read."""
    return movetext.records(lines, on_error, _to_record, RESULTS)


def _to_record(parsed: ParsedGame) -> Record:
    tags = parsed.tags
    kind = tags.get("GameType", GAME_TYPE)
    if kind.partition(",")[0].strip() != GAME_TYPE:
        raise FormatError(f"tag GameType {shown(kind)}; expected {GAME_TYPE}, English draughts")
    try:
        start = Checkers.parse(tags["FEN"]) if "FEN" in tags else Checkers.start()
    except PositionError as error:
        raise FormatError(f"tag FEN: {error}") from None
    record = Record(start, parsed.line, result=parsed.known_result(RESULTS))
    record.tags = {name: value for name, value in tags.items() if name not in _DERIVED}
    resolve_moves(start, record.line)
    return record


def write(record: Record) -> str:
    """Return a game as PDN. Raises `FormatError` if it cannot be represented."""
    tags = dict(record.tags)
    head = "".join(tag(name, tags.pop(name)) for name in FIRST if name in tags) + tag("Result", record.result)
    tags["GameType"] = GAME_TYPE
    if record.start != Checkers.start():
        tags |= {"SetUp": "1", "FEN": str(record.start)}
    return movetext.write_game(head, tags, record, _DERIVED)
