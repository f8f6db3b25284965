"""OBF, Othello board files: positions with the scores of their moves, one per line.

    --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6; % FFO 1

A field ends with a semicolon: the board and the side to move, then moves with their scores in discs for the side to
move. A field may be a score alone, which is that of the position. What follows `%` is a comment. In a `Record` the
fields are operations, named by the move or `score`.

References
----------
R. Delorme, Edax 4.4, "obftest.c", 2017.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from zermelo.errors import FormatError, IllegalMove, PositionError
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import OnError, shown
from zermelo.formats.record import Line, Record
from zermelo.games.othello import Othello

#: Name of the operation that is the score of the position.
SCORE = "score"
_PASSES = ("pa", "ps", "pass", "--")
_NUMBER = re.compile(r"[+-]?[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file says of a position: scores in discs for the side to move."""

    score: int
    #: The scores of moves by their names; there may be none.
    moves: Mapping[str, int]


def expected(record: Record) -> Expected | None:
    """Return the scores of a position, or None if the file has none."""
    scores = {name: int(operands[0]) for name, operands in record.operations.items()}
    if not scores:
        return None
    best = scores.pop(SCORE, None)
    return Expected(max(scores.values()) if best is None else best, scores)


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the positions of a file; call `on_error` for each that cannot be read."""
    count = 0
    for line in lines:
        text, _, comment = line.text.partition("%")
        if not text.strip() and not line.error:
            continue
        count += 1
        try:
            if line.error:
                raise FormatError(line.error)
            yield _parse(text, comment.strip())
        except FormatError as error:
            on_error(FormatError(error.wrong, game=count, line=line.number, move=error.move))


def _parse(text: str, comment: str) -> Record:
    board, *fields = (field.strip() for field in text.split(";"))
    try:
        state = Othello.parse(board)
    except PositionError as error:
        raise FormatError(str(error)) from None
    operations: dict[str, list[str]] = {}
    for field in filter(None, fields):
        move, colon, score = field.rpartition(":")
        name = _name(state, move.strip().lower()) if colon else SCORE
        if name in operations:
            raise FormatError(f"two scores of {name}; expected one", move=name)
        operations[name] = [score.strip()]
    _check(state, operations)
    return Record(state, Line(comments=[comment] if comment else []), operations=operations)


def _name(state: Othello, text: str) -> str:
    """Return a legal move's name. Raises `FormatError`."""
    try:
        return state.move_name(state.parse_move("pass" if text in _PASSES else text))
    except IllegalMove as error:
        raise FormatError(str(error), move=text) from None


def _check(state: Othello, operations: Mapping[str, Sequence[str]]) -> None:
    """Raise `FormatError` unless each operation is the score of a legal move or of the position, once."""
    for name, operands in operations.items():
        if name != SCORE and _name(state, name) != name:
            raise FormatError(f"operation {shown(name)}; expected a move or {SCORE}", move=name)
        if len(operands) != 1:
            raise FormatError(f"{len(operands)} scores of {name}; expected one", move=name)
        if not _NUMBER.fullmatch(operands[0]) or abs(int(operands[0])) > 64:
            raise FormatError(f"score {shown(operands[0])} of {name}; expected discs from -64 to +64", move=name)


def write(record: Record) -> str:
    """Return the final position of a game, or a position with its scores, as a line of OBF."""
    state = record.end()
    assert isinstance(state, Othello)
    operations = {} if record.line.steps else record.operations
    _check(state, operations)
    fields = [str(state)]
    for name, (score,) in operations.items():
        text = f"{int(score):+d}"
        fields.append(text if name == SCORE else f"{name.upper()}:{text}")
    comment = " ".join(" ".join([] if record.line.steps else record.line.comments).split())
    return checked(f"{'; '.join(fields)};{' % ' if comment else ''}{comment}\n")
