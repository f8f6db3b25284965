"""Checkers evaluations from black's side (MAX)."""

from __future__ import annotations

from pathlib import Path

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Weights, evaluation
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.game import MAX
from zermelo.games import term_table
from zermelo.games.checkers.patterns import MenPatterns
from zermelo.games.checkers.piece_counts import piece_counts
from zermelo.games.checkers.position import Position
from zermelo.games.checkers.squares import BOARD, FIRST_ROW, LAST_ROW
from zermelo.games.term_table import TermRow

MATERIAL = (
    TermRow("kings", (5,), "counts", "kings"),
    TermRow("men", (1,), "counts", "men"),
)


@evaluation
class Material(Linear):
    """Material: 5 for each king and 1 for each man."""

    unit_name = "men"
    table = MATERIAL
    names = term_table.names(MATERIAL)
    weights: Weights = term_table.weights(MATERIAL)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        own = state.black if side == MAX else state.white
        kings = own & state.kings
        return kings.count(), (own ^ kings).count()


# Weights in hundredths of a man. First fitted by logistic regression to the results of 3,427 games of a depth-5 search
# against itself. Then all terms but men, kings, guards and free were varied one by one; a change was kept if it won a
# match over 87 openings, both colours, at depth 6. Rows is negative: men are worth more at home.
POSITIONAL_TERMS = (
    TermRow("men", (100,), "counts", "men"),
    TermRow("kings", (130,), "counts", "kings"),
    TermRow("rows", (-3,), "rows_advanced", "rows that the men have advanced, summed"),
    TermRow("guards", (10,), "counts", "men on the own back row while the other side has men"),
    TermRow("centre", (3,), "counts", "pieces on the eight centre squares"),
    TermRow("roaming", (8,), "counts", "kings away from the edge"),
    TermRow("free", (4,), "counts", "pieces that can step"),
    TermRow("hanging", (-12,), "counts", "enemy pieces that could jump now"),
    TermRow("runaways", (8,), "counts", "men that no enemy piece can stop"),
    TermRow("trades", (1,), "counts", "2 for a man and 3 for a king, times the pieces captured so far"),
)

CENTRE = Bitboard(0x198CC00)  # 10, 11, 14, 15, 18, 19, 22, 23
# The squares from the second row on, from the third, ... from the seventh, in black's direction.
BLACK_ROWS = tuple(BOARD & -(Bitboard(1) << first) for first in (4, 9, 13, 18, 22, 27))
# The same in white's direction.
WHITE_ROWS = tuple(BOARD & (Bitboard(1) << end) - 1 for end in (31, 27, 22, 18, 13, 9))


def rows_advanced(men: Bitboard, rows: tuple[Bitboard, ...]) -> int:
    """Return the number of rows that men have advanced, summed."""
    total = 0
    for from_row in rows:
        total += (men & from_row).count()
    return total


@evaluation
class Positional(Linear):
    """Material, advancement, centre, mobility, threats and trades; `POSITIONAL_TERMS` lists the terms."""

    table = POSITIONAL_TERMS
    names = term_table.names(POSITIONAL_TERMS)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        if side == MAX:
            own, other, advanced, home = state.black, state.white, BLACK_ROWS, FIRST_ROW
        else:
            own, other, advanced, home = state.white, state.black, WHITE_ROWS, LAST_ROW
        men = own & ~state.kings
        count = men.count()
        kings, roaming, free, hanging, runaways = piece_counts(state, side)
        return (
            count,
            kings,
            rows_advanced(men, advanced),
            (men & home).count() if other & ~state.kings else 0,
            (own & CENTRE).count(),
            roaming,
            free,
            hanging,
            runaways,
            (2 * count + 3 * kings) * (24 - (own | other).count()),
        )


EVALUATIONS = EvaluationFiles(
    {"linear": Positional(term_table.weights(POSITIONAL_TERMS)), "material": Material()},
    patterns=(MenPatterns, Path(__file__).with_name("patterns.weights")),
)
