"""Evaluations of checkers, from black's side (MAX)."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Weights, evaluation
from zermelo.core.game import MAX
from zermelo.games.checkers.squares import BOARD, FIRST_ROW, LAST_ROW, jumpers, steppers


@evaluation
class Material(Linear):
    """5 for each king and 1 for each man of black, minus the same of white."""

    unit_name = "men"
    names = ("kings", "men")
    weights: Weights = (5, 1)

    def counts(self, state, side):
        own = state.black if side == MAX else state.white
        kings = own & state.kings
        return kings.count(), (own ^ kings).count()


CENTRE = Bitboard(0x198CC00)  # 10, 11, 14, 15, 18, 19, 22, 23
INNER = Bitboard(0x3B9DCEE0)  # all squares that are not at the edge of the board
# The squares from the second row on, the third on, ... the seventh, as black's men go.
BLACK_ROWS = tuple(BOARD & -(Bitboard(1) << first) for first in (4, 9, 13, 18, 22, 27))
# The same as white's go.
WHITE_ROWS = tuple(BOARD & (Bitboard(1) << end) - 1 for end in (31, 27, 22, 18, 13, 9))


def rows_gone(men, rows):
    """How many rows men have gone, all together."""
    total = 0
    for beyond in rows:
        total += (men & beyond).count()
    return total


def before(pieces):
    """The squares from which a man that goes to higher numbers can still meet one of the pieces, and their own."""
    for _ in range(7):
        pieces |= (pieces >> 4 | pieces >> 5) & BOARD
    return pieces


def behind(pieces):
    """The squares from which a man that goes to lower numbers can still meet one of the pieces, and their own."""
    for _ in range(7):
        pieces |= (pieces << 4 | pieces << 5) & BOARD
    return pieces


@evaluation
class Positional(Linear):
    """The pieces and where they stand.

    - men, kings: how many there are.
    - rows: those that the men have gone. guards: men on the own back row, as long as the other side has men.
    - centre: pieces on the eight squares in the middle. roaming: kings that are not at the edge.
    - free: pieces that can step. hanging: how many of the other side's pieces could jump now.
    - runaways: men that no enemy stands before.
    - trades: with fewer pieces on the board a lead counts for more; the own pieces, a king for three halves of a man,
      times the pieces gone.
    """

    names = ("men", "kings", "rows", "guards", "centre", "roaming", "free", "hanging", "runaways", "trades")

    def counts(self, state, side):
        all_kings = state.kings
        empty = BOARD & ~(state.black | state.white)
        if side == MAX:
            own = state.black
            other = state.white
            kings = own & all_kings
            men = own ^ kings
            rows = rows_gone(men, BLACK_ROWS)
            home = FIRST_ROW
            free = steppers(own, kings, empty)
            hanging = jumpers(other & all_kings, other, own, empty)
            runaways = men & ~before(other)
        else:
            own = state.white
            other = state.black
            kings = own & all_kings
            men = own ^ kings
            rows = rows_gone(men, WHITE_ROWS)
            home = LAST_ROW
            free = steppers(kings, own, empty)
            hanging = jumpers(other, other & all_kings, own, empty)
            runaways = men & ~behind(other)
        return (
            men.count(),
            kings.count(),
            rows,
            (men & home).count() if other & ~all_kings else 0,
            (own & CENTRE).count(),
            (kings & INNER).count(),
            free.count(),
            hanging.count(),
            runaways.count(),
            (2 * men.count() + 3 * kings.count()) * (24 - (own | other).count()),
        )


# In hundredths of a man. First fitted by logistic regression to the results of 3,427 games of a search to depth 5
# against itself; then the terms that it left in doubt (all but men, kings, guards and free) changed one by one, and
# kept where the change won a match over 87 openings, both colours, to depth 6. Rows come out below 0: men are worth
# more at home.
FITTED = (100, 130, -3, 10, 3, 8, 4, -12, 8, 1)

EVALUATIONS = {"linear": Positional(FITTED), "material": Material()}
