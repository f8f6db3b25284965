"""EPD: positions of chess with what is known of them, and files of FENs. Source: the PGN standard, sections 16.1, 16.2.

    1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";

Four fields of a FEN, then operations: a name, operands, a semicolon. `bm`, `am`, `sm` and `pm` name moves of the
position and `pv` a line from it; they are read, and written in SAN. `hmvc` and `fmvn` are the FEN's last two fields.
A line with all six fields may have operations too, as files of perft counts do: `... 0 1 ;D1 20 ;D2 400`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from zermelo.core.game import MIN, State
from zermelo.errors import FormatError, IllegalMove, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import OnError, shown
from zermelo.formats.record import MOST_OPERANDS, OPERATION, Record
from zermelo.games.chess import Chess, notation

#: Operations whose operands are moves of the position; `pv` is a line.
MOVES = ("bm", "am", "sm", "pm")
LINE = "pv"
#: Operations whose operands are texts, written in quotes.
TEXTS = ("id", *(f"{letter}{number}" for letter in "cv" for number in range(10)))
QUIET, NUMBER = "hmvc", "fmvn"
#: The largest number of a move in a FEN.
MOST_NUMBER = 9_999

_OPERAND = re.compile(r'"([^"]*)"|([^\s";]+)')
_BLANKS = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s;]*")
# A position of six fields, or of four.
_FULL = re.compile(r"(?:\S+\s+){4}[0-9]+\s+[0-9]+(?=[\s;]|$)")
_FOUR = re.compile(r"(?:\S+\s+){3}[^\s;]+")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The positions of an EPD file, one a line; `on_error` is called for each that cannot be read."""
    yield from _read(lines, on_error, operations=True)


def read_fens(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The positions of a file of FENs, one a line."""
    yield from _read(lines, on_error, operations=False)


def _read(lines: Iterable[TextLine], on_error: OnError, operations: bool) -> Iterator[Record]:
    count = 0
    for line in lines:
        text = line.text.strip()
        if (not text and not line.wrong) or text.startswith("#"):
            continue
        count += 1
        try:
            if line.wrong:
                raise FormatError(line.wrong)
            yield _record(text, operations)
        except FormatError as error:
            on_error(FormatError(error.wrong, game=count, line=line.number, move=error.move))


def _record(text: str, operations: bool) -> Record:
    found = _FULL.match(text) or (_FOUR.match(text) if operations else None)
    fen = found[0] if found else text
    if "/" not in fen.partition(" ")[0]:
        raise FormatError(f"{shown(text)} is no position; {notation.EXAMPLE.partition(',')[0]}")
    told = {}
    if found and operations:
        told = _operations(text[found.end() :])
    elif found and found.end() < len(text):
        raise FormatError(f"{shown(text[found.end() :].strip())} after the position; expected six fields and no more")
    fields = fen.split()
    if operations and len(fields) == 4:
        fields += [" ".join(told.pop(name, [default])) or "-" for name, default in ((QUIET, "0"), (NUMBER, "1"))]
    try:
        state = Chess.parse(" ".join(fields))
    except PositionError as error:
        raise FormatError(str(error)) from None
    _look_up(state, told)
    return Record(state, number=int(fields[5]) if len(fields) == 6 else 1, operations=told)


def _operations(text: str) -> dict[str, list[str]]:
    """The operations after a position."""
    told: dict[str, list[str]] = {}
    place = 0
    while True:
        place = _end(_BETWEEN, text, place)
        if place == len(text):
            return told
        found = OPERATION.match(text, place)
        if not found:
            raise FormatError(f"{shown(text[place:])} where an operation was expected, like bm Nf3;")
        name, operands = found[0], []
        place = found.end()
        if name in told:
            raise FormatError(f"operation {name} stands twice; expected each once")
        while True:
            before, place = place, _end(_BLANKS, text, place)
            if place == len(text) or text[place] == ";":
                break
            operand = _OPERAND.match(text, place)
            if not operand or before == place:
                raise FormatError(
                    f"operation {name}: {shown(text[place:])}; expected operands divided by blanks, then ;"
                )
            operands.append(operand[1] if operand[2] is None else operand[2])
            if len(operands) > MOST_OPERANDS:
                raise FormatError(f"operation {name}: more than {MOST_OPERANDS} operands")
            place = operand.end()
        told[name] = operands


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _look_up(state: Chess, told: dict[str, list[str]]) -> None:
    """Write the moves among the operands in SAN. Raises `FormatError` for one that is not legal, or stands twice."""
    for name in (*MOVES, LINE):
        here: State = state
        known: set[int] = set()
        for place, text in enumerate(told.get(name, ())):
            try:
                move = here.parse_move(text)
            except IllegalMove as error:
                raise FormatError(f"operation {name}: {error}", move=text) from None
            told[name][place] = here.move_name(move)
            if name == LINE:
                here = here.play(move)
            elif move in known:
                raise FormatError(f"operation {name}: {shown(text)} stands twice; expected each move once", move=text)
            known.add(move)


def write(record: Record) -> str:
    """The position at the end of a game, or a position with its operations, as a line of EPD."""
    state, number = end_of(record)
    told = {name: list(operands) for name, operands in record.operations.items()} if not record.line.steps else {}
    for name, operands in told.items():
        if not OPERATION.fullmatch(name) or name in (QUIET, NUMBER) or len(operands) > MOST_OPERANDS:
            raise FormatError(
                f"operation {shown(name)} with {len(operands)} operands; expected a letter, then up to 14 letters, "
                f"digits and _, not {QUIET} or {NUMBER}, and {MOST_OPERANDS} operands at most"
            )
    _look_up(state, told)
    if state.halfmove_clock:
        told[QUIET] = [str(state.halfmove_clock)]
    if number != 1:
        told[NUMBER] = [str(number)]
    operations = "".join(f" {' '.join([name, *_operands(name, operands)])};" for name, operands in told.items())
    return checked(f"{notation.epd(state)}{operations}\n")


def _operands(name: str, operands: list[str]) -> Iterator[str]:
    """Operands as they are written: texts, and what is no single word, in quotes (that cannot stand in a text)."""
    for operand in operands:
        if '"' in operand:
            raise FormatError(f"operation {name}: {shown(operand)} has a quote in it; expected none")
        word = _OPERAND.fullmatch(operand)
        if name not in TEXTS and word and word[2]:
            yield operand
        else:
            yield f'"{" ".join(operand.split())}"'


def write_fen(record: Record) -> str:
    """The position at the end of a game as a FEN."""
    return f"{notation.fen(*end_of(record))}\n"


def end_of(record: Record) -> tuple[Chess, int]:
    """The position after the last move, and the number of the move that comes next."""
    state = record.end()
    assert isinstance(state, Chess)
    number = record.number + (len(record.moves()) + (record.start.to_move() == MIN)) // 2
    if number > MOST_NUMBER:
        raise FormatError(f"move {number:,}; a FEN counts to {MOST_NUMBER:,}")
    return state, number
