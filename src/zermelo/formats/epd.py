"""EPD: annotated chess positions; and files of FENs.

    1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";

An EPD has the first four fields of a FEN and operations, each a name, operands and a semicolon. The moves of `bm`,
`am`, `sm` and `pm` and the line of `pv` are parsed, and written in SAN. `hmvc` and `fmvn` are the last two fields of a
FEN. Lines with all six fields may have operations too, as in files of perft counts: `... 0 1 ;D1 20 ;D2 400`.

References
----------
S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), sections 16.1 and 16.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from zermelo.core.game import MIN, State
from zermelo.errors import FormatError, IllegalMove, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import OnError, shown
from zermelo.formats.record import MAX_OPERANDS, OPERATION, Record
from zermelo.games.chess import Chess, notation

#: Operations whose operands are moves of the position, and the one whose operands are a line.
MOVES = ("bm", "am", "sm", "pm")
LINE = "pv"
#: Operations whose operands are strings, written in quotes.
TEXTS = ("id", *(f"{letter}{number}" for letter in "cv" for number in range(10)))
CLOCK, NUMBER = "hmvc", "fmvn"
#: The largest fullmove number of a FEN.
MAX_NUMBER = 9_999

_OPERAND = re.compile(r'"([^"]*)"|([^\s";]+)')
_BLANKS = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s;]*")
# A position of six fields, or of four.
_FULL = re.compile(r"(?:\S+\s+){4}[0-9]+\s+[0-9]+(?=[\s;]|$)")
_FOUR = re.compile(r"(?:\S+\s+){3}[^\s;]+")


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the positions of an EPD file; call `on_error` for each that cannot be read."""
    yield from _read(lines, on_error, with_operations=True)


def read_fens(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the positions of a file of FENs; call `on_error` for each that cannot be read."""
    yield from _read(lines, on_error, with_operations=False)


def _read(lines: Iterable[TextLine], on_error: OnError, with_operations: bool) -> Iterator[Record]:
    count = 0
    for line in lines:
        text = line.text.strip()
        if (not text and not line.error) or text.startswith("#"):
            continue
        count += 1
        try:
            if line.error:
                raise FormatError(line.error)
            yield _parse(text, with_operations)
        except FormatError as error:
            on_error(FormatError(error.wrong, game=count, line=line.number, move=error.move))


def _parse(text: str, with_operations: bool) -> Record:
    found = _FULL.match(text) or (_FOUR.match(text) if with_operations else None)
    fen = found[0] if found else text
    if "/" not in fen.partition(" ")[0]:
        raise FormatError(f"{shown(text)} is not a position; {notation.EXAMPLE.partition(',')[0]}")
    operations: dict[str, list[str]] = {}
    if found and with_operations:
        operations = _parse_operations(text[found.end() :])
    elif found and found.end() < len(text):
        raise FormatError(f"{shown(text[found.end() :].strip())} after the position; expected nothing after six fields")
    fields = fen.split()
    if with_operations and len(fields) == 4:
        fields += [" ".join(operations.pop(name, [default])) or "-" for name, default in ((CLOCK, "0"), (NUMBER, "1"))]
    try:
        state = Chess.parse(" ".join(fields))
    except PositionError as error:
        raise FormatError(str(error)) from None
    _normalise_moves(state, operations)
    return Record(state, first_move_number=int(fields[5]) if len(fields) == 6 else 1, operations=operations)


def _parse_operations(text: str) -> dict[str, list[str]]:
    """Parse the operations after a position."""
    operations: dict[str, list[str]] = {}
    position = 0
    while True:
        position = _skip(_BETWEEN, text, position)
        if position == len(text):
            return operations
        found = OPERATION.match(text, position)
        if not found:
            raise FormatError(f"{shown(text[position:])}; expected an operation like bm Nf3;")
        name, operands = found[0], []
        position = found.end()
        if name in operations:
            raise FormatError(f"duplicate operation {name}")
        while True:
            before, position = position, _skip(_BLANKS, text, position)
            if position == len(text) or text[position] == ";":
                break
            operand = _OPERAND.match(text, position)
            if not operand or before == position:
                raise FormatError(
                    f"operation {name}: {shown(text[position:])}; expected operands separated by spaces, then ;"
                )
            operands.append(operand[1] if operand[2] is None else operand[2])
            if len(operands) > MAX_OPERANDS:
                raise FormatError(f"operation {name}: more than {MAX_OPERANDS} operands")
            position = operand.end()
        operations[name] = operands


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _normalise_moves(state: Chess, operations: dict[str, list[str]]) -> None:
    """Rewrite the moves among the operands in SAN. Raises `FormatError` for illegal or duplicate moves."""
    for name in (*MOVES, LINE):
        here: State = state
        known: set[int] = set()
        for index, text in enumerate(operations.get(name, ())):
            try:
                move = here.parse_move(text)
            except IllegalMove as error:
                raise FormatError(f"operation {name}: {error}", move=text) from None
            operations[name][index] = here.move_name(move)
            if name == LINE:
                here = here.play(move)
            elif move in known:
                raise FormatError(f"operation {name}: duplicate move {shown(text)}", move=text)
            known.add(move)


def write(record: Record) -> str:
    """Return the final position of a game, or a position with its operations, as a line of EPD."""
    state, number = final_position(record)
    operations: dict[str, list[str]] = {}
    if not record.line.steps:
        operations = {name: list(operands) for name, operands in record.operations.items()}
    for name, operands in operations.items():
        if not OPERATION.fullmatch(name) or name in (CLOCK, NUMBER) or len(operands) > MAX_OPERANDS:
            raise FormatError(
                f"operation {shown(name)} with {len(operands)} operands; expected a letter, then up to 14 letters, "
                f"digits and _, not {CLOCK} or {NUMBER}, and {MAX_OPERANDS} operands at most"
            )
    _normalise_moves(state, operations)
    if state.halfmove_clock:
        operations[CLOCK] = [str(state.halfmove_clock)]
    if number != 1:
        operations[NUMBER] = [str(number)]
    suffix = "".join(f" {' '.join([name, *_operands(name, operands)])};" for name, operands in operations.items())
    return checked(f"{notation.epd(state)}{suffix}\n")


def _operands(name: str, operands: list[str]) -> Iterator[str]:
    """Yield the operands as written: strings, and operands that are not a single word, in quotes."""
    for operand in operands:
        if '"' in operand:
            raise FormatError(f"operation {name}: {shown(operand)} contains a quote; expected none")
        word = _OPERAND.fullmatch(operand)
        if name not in TEXTS and word and word[2]:
            yield operand
        else:
            yield f'"{" ".join(operand.split())}"'


def write_fen(record: Record) -> str:
    """Return the final position of a game as a FEN."""
    return f"{notation.fen(*final_position(record))}\n"


def final_position(record: Record) -> tuple[Chess, int]:
    """Return the position after the last move and its fullmove number."""
    state = record.end()
    assert isinstance(state, Chess)
    number = record.first_move_number + (len(record.moves()) + (record.start.to_move() == MIN)) // 2
    if number > MAX_NUMBER:
        raise FormatError(f"fullmove number {number:,}; the largest in a FEN is {MAX_NUMBER:,}")
    return state, number
