"""PGN: games of chess. Sources: the PGN standard (Edwards 1994); its tags for chess960 as programs write them.

Read leniently (what the standard calls import), written strictly (export): seven tags first, SAN, lines of at most 79
characters. Text is written in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError
from zermelo.formats import movetext
from zermelo.formats import text_formats as texts
from zermelo.formats.line_reader import TextLine
from zermelo.formats.movetext import OnError, Written, shown, tag
from zermelo.formats.record import Record, resolve_moves
from zermelo.games.chess import Chess, notation

#: The tags that each game has, in their order, and what stands for what is not known.
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
#: Tags that say what a record has in other places.
_ELSEWHERE = ("Result", "FEN", "SetUp")
VARIANTS = ("", "standard", "chess", "normal", "fromposition", "chess960", "fischerandom", "fischerrandom", "freestyle")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The games of a PGN file; `on_error` is called for each that cannot be read: its number, the line, the move."""
    return movetext.records(lines, on_error, _record)


def _record(written: Written) -> Record:
    tags = written.tags
    _check_variant(tags)
    if tags.get("SetUp") == "1" and "FEN" not in tags:
        raise FormatError("tag SetUp says that there is a tag FEN, and there is none")
    start, number = start_of(tags["FEN"]) if "FEN" in tags else (Chess.start(), 1)
    record = Record(start, written.line, number=number, result=written.known_result())
    record.tags = {name: value for name, value in tags.items() if name not in _ELSEWHERE}
    resolve_moves(start, record.line)
    return record


def _check_variant(tags: dict[str, str]) -> None:
    variant = tags.get("Variant", "")
    if "".join(variant.split()).casefold().replace("-", "") not in VARIANTS:
        raise FormatError(f"tag Variant {shown(variant)}; expected chess or Chess960")


def start_of(fen: str) -> tuple[Chess, int]:
    """The position of a FEN, and the number of its move. Raises `FormatError`."""
    try:
        state = Chess.parse(fen)
    except PositionError as error:
        raise FormatError(f"tag FEN: {error}") from None
    fields = fen.split()
    return state, int(fields[5]) if len(fields) == 6 else 1


def write(record: Record) -> str:
    """A game in PGN's export format. Raises `FormatError` for what it cannot tell."""
    _check_variant(record.tags)
    tags = {**ROSTER, **record.tags}
    start = record.start
    assert isinstance(start, Chess)
    if start != Chess.start() or record.number != 1:
        tags |= {"SetUp": "1", "FEN": notation.fen(start, record.number)}
        if not is_ordinary(start):
            tags.setdefault("Variant", "Chess960")
    head = "".join(tag(name, tags.pop(name)) for name in ROSTER) + tag("Result", record.result)
    return movetext.whole(head, tags, record, _ELSEWHERE)


def is_ordinary(state: Chess) -> bool:
    """Whether whoever may castle stands as in ordinary chess."""
    corners, middle = 0x8100000000000081, 0x1000000000000010
    castlers = [own for own in (state.white, state.black) if state.castling_rights & own]
    return not state.castling_rights & ~corners and all(state.kings & own & middle for own in castlers)


def write_uci(record: Record) -> str:
    """A game as a line of moves as engines are told them; from a position of chess960 castling is king takes rook."""
    start = record.start
    assert isinstance(start, Chess)
    chess960 = not is_ordinary(start)

    def name(state: State, move: int) -> str:
        assert isinstance(state, Chess)
        return notation.uci(state, move, chess960)

    return texts.write_moves(record, name)
