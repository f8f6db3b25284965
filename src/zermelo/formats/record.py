"""A game as it was played, whatever file it comes from: its tags, where it began, the moves and all said of them.

    record.tags["White"]                what is known of the game, by the names of PGN
    for step in record.line.steps:      the moves
        step.move                       as the rules know it, a number; None for what is no move of the rules (doubling)
        step.comments, step.nags        what is said after it
        step.variations                 other lines that begin instead of it
    record.result                       "1-0", "0-1", "1/2-1/2" or "*" (not known)

Variations may hold variations. Whoever walks through them does so without recursion (`walk`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from zermelo.core.game import State
from zermelo.errors import FormatError, IllegalMove

UNKNOWN = "*"
#: Names of operations, and how many operands one has at most: no position of chess has more than 218 legal moves.
OPERATION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
MOST_OPERANDS = 218


@dataclass(slots=True)
class Step:
    """One move of a line, and what is said of it."""

    #: The move as it was written, or in the game's notation.
    text: str
    #: The move's number for the rules; None before it was looked up, or where the rules know no such move.
    move: int | None = None
    #: Numeric annotation glyphs: 1 is !, 2 is ?, 3 !!, 4 ??, 5 !?, 6 ?!, and so on to 255.
    nags: list[int] = field(default_factory=list)
    #: What is said after the move.
    comments: list[str] = field(default_factory=list)
    #: What is said before it, after the variations of the move before.
    before: list[str] = field(default_factory=list)
    #: Lines that could have been played instead of this move and those after it.
    variations: list[Line] = field(default_factory=list)
    #: The line of the file where it stood, from 1; 0 where there is no file.
    at: int = field(default=0, compare=False)


@dataclass(slots=True)
class Line:
    """Moves after each other: a game's, or a variation's."""

    steps: list[Step] = field(default_factory=list)
    #: What is said before the first move.
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Record:
    """A game as it was played, or a position with what is known of it (a game without moves)."""

    #: The position before the first move.
    start: State
    line: Line = field(default_factory=Line)
    #: Names and values, in the order of the file.
    tags: dict[str, str] = field(default_factory=dict)
    result: str = UNKNOWN
    #: The number that the first move has in the game's own counting.
    number: int = 1
    #: What an EPD says of the position: `bm`, `id`, ..., each with its operands.
    operations: dict[str, list[str]] = field(default_factory=dict)

    def end(self) -> State:
        """The position after the last move."""
        state = self.start
        for step in self.line.steps:
            if step.move is not None:
                state = state.play(step.move)
        return state

    def moves(self) -> list[int]:
        """The moves of the game, variations left out."""
        return [step.move for step in self.line.steps if step.move is not None]


def walk(start: State, line: Line) -> Iterator[tuple[State, Step]]:
    """Every step of a line and of all variations within it, with the position before it; the line itself comes first.

    The step's `move` is read after it was handed out, so that whoever walks may look it up on the way.
    """
    waiting = [(start, line)]
    while waiting:
        state, steps = waiting.pop()
        for step in steps.steps:
            waiting.extend((state, variation) for variation in reversed(step.variations))
            yield state, step
            if step.move is not None:
                state = state.play(step.move)


def resolve_moves(start: State, line: Line) -> None:
    """Find the number of every move, in the variations too. Raises `FormatError` for the first that is not legal.

    What a game's matches know beside its rules (`match_events`: doubling in backgammon) stays without a number.
    """
    events = getattr(start, "match_events", ())
    for state, step in walk(start, line):
        if step.text in events:
            continue
        try:
            step.move = state.parse_move(step.text)
        except IllegalMove as error:
            raise FormatError(str(error), line=step.at, move=step.text) from None


def record_from_moves(start: State, moves: list[int]) -> Record:
    """A game that was played by the rules alone, the moves named in the game's notation."""
    record = Record(start)
    state = start
    for move in moves:
        record.line.steps.append(Step(state.move_name(move), move))
        state = state.play(move)
    return record
