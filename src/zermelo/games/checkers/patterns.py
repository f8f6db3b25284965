"""The pattern evaluation of checkers: men on groups of eight squares, and numbers of kings and threats."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import evaluation
from zermelo.core.patterns import CountedPatterns, Pattern
from zermelo.games.checkers.piece_counts import piece_counts
from zermelo.games.checkers.position import Position
from zermelo.games.checkers.squares import LAST_SQUARE

ROWS, COLUMNS = 8, 4


def bit(row: int, column: int) -> int:
    """Return the bit of a square by its row, 0 on black's side, and its place in the row."""
    number = COLUMNS * row + column
    return number + number // 8


def block(row: int, column: int, rows: int, columns: int) -> Pattern:
    """Return a pattern of one image: the squares of a block of rows and places."""
    return (tuple(bit(row + r, column + c) for r in range(rows) for c in range(columns)),)


# Blocks of two whole rows, and of four rows with half their squares. Each is the turned image of another one or itself.
PATTERNS: tuple[Pattern, ...] = (
    *(block(row, 0, 2, 4) for row in range(7)),
    *(block(row, column, 4, 2) for row in (0, 2, 4) for column in (0, 1, 2)),
)
#: The most pieces on the board in each stage after the first one.
STAGES = (20, 16, 12, 8)


@evaluation
class MenPatterns(CountedPatterns):
    """Patterns of men, and numbers of kings, mobility and threats, for five stages by the number of pieces.

    The weights were learned from the program's own games; their file holds the command that made them.

    References
    ----------
    - J. Schaeffer and others, "Temporal Difference Learning Applied to a High-Performance Game-Playing Program", 2001.
    - F. Letouzey, Scan, https://github.com/rhalbersma/scan: patterns of men for draughts, by logistic regression.
    """

    patterns = PATTERNS
    squares = LAST_SQUARE + 1
    turned = tuple(range(LAST_SQUARE, -1, -1))
    stages = len(STAGES) + 1
    # Kings, kings away from the edge, pieces that can step, enemy pieces that could jump now, men that no enemy piece
    # can stop: each of one's own, then the other side's.
    count_limits = (9, 9, 6, 6, 13, 13, 5, 5, 5, 5)

    def planes(self, state: Position) -> tuple[Bitboard, Bitboard]:
        men = ~state.kings
        return state.black & men, state.white & men

    def stage(self, state: Position) -> int:
        pieces = (state.black | state.white).count()
        stage = 0
        for most in STAGES:
            stage += int(pieces <= most)
        return stage

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        own, other = piece_counts(state, side), piece_counts(state, -side)
        return own[0], other[0], own[1], other[1], own[2], other[2], own[3], other[3], own[4], other[4]
