"""PGN: chess and chess960 games.

Reading is lenient (import format), writing is strict (export format): the seven tag roster first, SAN, lines of at most
79 characters, UTF-8.

References
----------
S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError
from zermelo.formats import movetext, text_formats
from zermelo.formats.line_reader import TextLine
from zermelo.formats.movetext import OnError, ParsedGame, shown, tag
from zermelo.formats.record import Record, resolve_moves
from zermelo.games.chess import Chess, notation

#: The seven tag roster without Result, with the values for unknown data.
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
#: Tags that are derived from other parts of a record.
_DERIVED = ("Result", "FEN", "SetUp")
VARIANTS = ("", "standard", "chess", "normal", "fromposition", "chess960", "fischerandom", "fischerrandom", "freestyle")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the games of a PGN file; call `on_error` for each that cannot be read."""
    return movetext.records(lines, on_error, _to_record)


def _to_record(parsed: ParsedGame) -> Record:
    tags = parsed.tags
    _check_variant(tags)
    if tags.get("SetUp") == "1" and "FEN" not in tags:
        raise FormatError("tag SetUp is 1, but there is no tag FEN")
    start, number = parse_start(tags["FEN"]) if "FEN" in tags else (Chess.start(), 1)
    record = Record(start, parsed.line, first_move_number=number, result=parsed.known_result())
    record.tags = {name: value for name, value in tags.items() if name not in _DERIVED}
    resolve_moves(start, record.line)
    return record


def _check_variant(tags: dict[str, str]) -> None:
    variant = tags.get("Variant", "")
    if "".join(variant.split()).casefold().replace("-", "") not in VARIANTS:
        raise FormatError(f"tag Variant {shown(variant)}; expected chess or Chess960")


def parse_start(fen: str) -> tuple[Chess, int]:
    """Parse the FEN tag to a position and its fullmove number. Raises `FormatError`."""
    try:
        state = Chess.parse(fen)
    except PositionError as error:
        raise FormatError(f"tag FEN: {error}") from None
    fields = fen.split()
    return state, int(fields[5]) if len(fields) == 6 else 1


def write(record: Record) -> str:
    """Return a game in PGN export format. Raises `FormatError` if it cannot be represented."""
    _check_variant(record.tags)
    tags = {**ROSTER, **record.tags}
    start = record.start
    assert isinstance(start, Chess)
    if start != Chess.start() or record.first_move_number != 1:
        tags |= {"SetUp": "1", "FEN": notation.fen(start, record.first_move_number)}
        if not has_ordinary_castling(start):
            tags.setdefault("Variant", "Chess960")
    head = "".join(tag(name, tags.pop(name)) for name in ROSTER) + tag("Result", record.result)
    return movetext.write_game(head, tags, record, _DERIVED)


def has_ordinary_castling(state: Chess) -> bool:
    """Return whether all kings and rooks that may castle stand as in ordinary chess, not as in chess960."""
    corners, middle = 0x8100000000000081, 0x1000000000000010
    sides = [own for own in (state.white, state.black) if state.castling_rights & own]
    return not state.castling_rights & ~corners and all(state.kings & own & middle for own in sides)


def write_uci(record: Record) -> str:
    """Return a game as a line of UCI moves; in chess960 positions castling is written as king takes rook."""
    start = record.start
    assert isinstance(start, Chess)
    chess960 = not has_ordinary_castling(start)

    def name(state: State, move: int) -> str:
        assert isinstance(state, Chess)
        return notation.uci(state, move, chess960)

    return text_formats.write_moves(record, name)
