"""A game record: what a file of any format says about a game.

    record.tags["White"]                tags, named as in PGN
    for step in record.line.steps:      the moves of the main line
        step.move                       the move number in the rules; None for actions outside the rules (doubling)
        step.comments, step.nags        comments and annotation glyphs after the move
        step.variations                 alternative lines that replace the move
    record.result                       "1-0", "0-1", "1/2-1/2" or "*" (unknown)

Variations can be nested to any depth; `walk` visits them without recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from zermelo._util.notebooks import ShowsWidget
from zermelo.core.game import State
from zermelo.errors import FormatError, IllegalMove

UNKNOWN = "*"
#: Names of EPD operations, and their maximum number of operands: no chess position has more than 218 legal moves.
OPERATION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
MAX_OPERANDS = 218


@dataclass(slots=True)
class Step:
    """One move of a line with its annotations."""

    #: The move as written in the file, or in the game's notation.
    text: str
    #: The move in the rules; None before `resolve_moves`, and for actions outside the rules.
    move: int | None = None
    #: Numeric annotation glyphs (NAG), 0 to 255: 1 is !, 2 ?, 3 !!, 4 ??, 5 !?, 6 ?!.
    nags: list[int] = field(default_factory=list)
    #: Comments after the move.
    comments: list[str] = field(default_factory=list)
    #: Comments before the move, after the variations of the previous move.
    comments_before: list[str] = field(default_factory=list)
    #: Alternative lines that replace this move and those after it.
    variations: list[Line] = field(default_factory=list)
    #: The line of the file, from 1; 0 without a file.
    line_number: int = field(default=0, compare=False)


@dataclass(slots=True)
class Line:
    """A sequence of moves: the main line or a variation."""

    steps: list[Step] = field(default_factory=list)
    #: Comments before the first move.
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Record(ShowsWidget):
    """A game, or an annotated position (a game without moves)."""

    #: The position before the first move.
    start: State
    line: Line = field(default_factory=Line)
    #: Tag names and values, in the order of the file.
    tags: dict[str, str] = field(default_factory=dict)
    result: str = UNKNOWN
    #: The fullmove number of the first move.
    first_move_number: int = 1
    #: EPD operations of the position with their operands: `bm`, `id`, ...
    operations: dict[str, list[str]] = field(default_factory=dict)

    def end(self) -> State:
        """Return the position after the last move."""
        state = self.start
        for step in self.line.steps:
            if step.move is not None:
                state = state.play(step.move)
        return state

    def moves(self) -> list[int]:
        """Return the moves of the main line."""
        return [step.move for step in self.line.steps if step.move is not None]


def walk(start: State, line: Line) -> Iterator[tuple[State, Step]]:
    """Yield all steps of a line and of its variations with the positions before them, the line itself first.

    `step.move` is read after the step was yielded, so the caller may set it.
    """
    stack = [(start, line)]
    while stack:
        state, steps = stack.pop()
        for step in steps.steps:
            stack.extend((state, variation) for variation in reversed(step.variations))
            yield state, step
            if step.move is not None:
                state = state.play(step.move)


def resolve_moves(start: State, line: Line) -> None:
    """Set `step.move` of all steps, variations included, by parsing `step.text`.

    Steps that are match events of the game (`match_events`, such as doubling in backgammon) keep None. Raises
    `FormatError` for the first move that is not legal.
    """
    for state, step in walk(start, line):
        resolve_move(state, step)


def resolve_move(state: State, step: Step) -> None:
    """Set `step.move` in a position, as `resolve_moves` does."""
    if step.text in getattr(state, "match_events", ()):
        return
    try:
        step.move = state.parse_move(step.text)
    except IllegalMove as error:
        raise FormatError(str(error), line=step.line_number, move=step.text) from None


def record_from_texts(start: State, texts: Iterable[str]) -> Record:
    """Return the record of a game, given its moves as texts.

    Each is resolved before the next is looked at, so that a long text of no moves is refused at once. Raises
    `FormatError` for the first move that is not legal.
    """
    record = Record(start)
    state = start
    for text in texts:
        step = Step(text)
        resolve_move(state, step)
        record.line.steps.append(step)
        if step.move is not None:
            state = state.play(step.move)
    return record


def record_from_moves(start: State, moves: list[int]) -> Record:
    """Return the record of a game, given its moves."""
    record = Record(start)
    state = start
    for move in moves:
        record.line.steps.append(Step(state.move_name(move), move))
        state = state.play(move)
    return record
