"""Evaluations of checkers, from black's side (MAX)."""

from __future__ import annotations

from zermelo.bitboard import Bitboard
from zermelo.evaluation import Evaluation, Weights, evaluation
from zermelo.games.checkers.squares import BOARD, FIRST_ROW, LAST_ROW, jumpers, steppers


@evaluation
class Material(Evaluation):
    """5 for each king and 1 for each man of black, minus the same of white."""

    def score(self, state):
        black = state.black.count() + 4 * (state.black & state.kings).count()
        white = state.white.count() + 4 * (state.white & state.kings).count()
        return black - white


# What `terms` counts, in its order.
TERMS = ("men", "kings", "rows", "guards", "centre", "roaming", "free", "hanging", "runaways", "trades")

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
    for _ in range(6):
        pieces |= (pieces >> 4 | pieces >> 5) & BOARD
    return pieces


def behind(pieces):
    """The squares from which a man that goes to lower numbers can still meet one of the pieces, and their own."""
    for _ in range(6):
        pieces |= (pieces << 4 | pieces << 5) & BOARD
    return pieces


def terms(state):
    """What each of `TERMS` counts for black less what it counts for white.

    - men, kings: how many there are.
    - rows: those that the men have gone. guards: men on the own back row, as long as the other side has men.
    - centre: pieces on the eight squares in the middle. roaming: kings that are not at the edge.
    - free: pieces that can step. hanging: pieces' chances to be taken, as many as enemies can jump.
    - runaways: men that no enemy stands before.
    - trades: with fewer pieces on the board a lead counts for more; the lead, a king for three halves of a man, times
      the pieces gone.
    """
    black, white, kings = state.black, state.white, state.kings
    empty = BOARD & ~(black | white)
    black_kings = black & kings
    white_kings = white & kings
    black_men = black ^ black_kings
    white_men = white ^ white_kings
    men = black_men.count() - white_men.count()
    more_kings = black_kings.count() - white_kings.count()
    guards = 0
    if white_men:
        guards += (black_men & FIRST_ROW).count()
    if black_men:
        guards -= (white_men & LAST_ROW).count()
    hanging = jumpers(white_kings, white, black, empty).count() - jumpers(black, black_kings, white, empty).count()
    return (
        men,
        more_kings,
        rows_gone(black_men, BLACK_ROWS) - rows_gone(white_men, WHITE_ROWS),
        guards,
        (black & CENTRE).count() - (white & CENTRE).count(),
        (black_kings & INNER).count() - (white_kings & INNER).count(),
        steppers(black, black_kings, empty).count() - steppers(white_kings, white, empty).count(),
        hanging,
        (black_men & ~before(white)).count() - (white_men & ~behind(black)).count(),
        (2 * men + 3 * more_kings) * (24 - (black | white).count()),
    )


@evaluation
class Linear(Evaluation):
    """The sum of `terms`, each times its weight."""

    weights: Weights

    def score(self, state):
        counts = terms(state)
        total = 0
        for index in range(len(counts)):
            total += self.weights[index] * counts[index]
        return total


# In hundredths of a man. First fitted by logistic regression to the results of 3,427 games of a search to depth 5
# against itself; then the terms that it left in doubt (all but men, kings, guards, free) changed one by one, and kept
# where the change won a match over 87 openings, both colours, to depth 6. Rows come out below 0: men are worth more at
# home.
FITTED = (100, 130, -3, 10, 3, 8, 4, -12, 8, 1)

EVALUATIONS = {"linear": Linear(FITTED), "material": Material()}
