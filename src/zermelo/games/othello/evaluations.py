"""Othello evaluations from black's side (MAX), and the move-ordering score."""

from __future__ import annotations

from pathlib import Path

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Term, Weights, evaluation
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.game import MAX
from zermelo.games import term_table
from zermelo.games.othello.flips import CORNERS, QUADRANTS, flipped_discs, legal_squares
from zermelo.games.othello.patterns import DiscPatterns
from zermelo.games.othello.position import Position
from zermelo.games.term_table import TermRow

PASS = 64  # the move that is not a square

DISCS = (TermRow("discs", (1,), "counts", "discs"),)


@evaluation
class DiscDifference(Linear):
    """Disc difference."""

    unit_name = "discs"
    table = DISCS
    names = term_table.names(DISCS)
    weights: Weights = term_table.weights(DISCS)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        return ((state.black if side == MAX else state.white).count(),)

    def gain(self, state: Position, move: int) -> int:
        if move == PASS:
            return 0
        return int(self.weights[0] * (1 + 2 * flipped_discs(move, state.own(), state.other()).count()))


# One quadrant; the others are its mirror images. P. Norvig, Paradigms of Artificial Intelligence Programming (1992),
# chapter 18.
_NORVIG_QUADRANT = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))
NORVIG = tuple(_NORVIG_QUADRANT[min(r, 7 - r)][min(c, 7 - c)] for r in range(8) for c in range(8))


@evaluation
class WeightedSquares(Evaluation):
    """The sum of the weights of black's squares minus that of white's.

    Parameters
    ----------
    weights : Weights, shape (64,)
        The weights of the squares a1 to h8, row by row.
    """

    weights: Weights

    def score(self, state: Position) -> int:
        total = 0
        for square in state.black:
            total += self.weights[square]
        for square in state.white:
            total -= self.weights[square]
        return total

    def gain(self, state: Position, move: int) -> int:
        if move == PASS:
            return 0
        total: int = self.weights[move]
        for square in flipped_discs(move, state.own(), state.other()):
            total += 2 * self.weights[square]
        return total

    def terms(self, state: Position) -> list[Term]:
        """Return one term for each distinct weight, largest first."""
        listed = []
        for weight in sorted(set(self.weights.tolist()), reverse=True):
            squares = Bitboard(sum(1 << square for square in range(64) if self.weights[square] == weight))
            black, white = (state.black & squares).count(), (state.white & squares).count()
            listed.append(Term(f"squares of {weight}", black, white, (weight,), weight * (black - white)))
        return listed


MOBILITY = (
    TermRow("moves", (4,), "counts", "legal squares"),
    TermRow("corners", (24,), "counts", "discs on corners"),
    TermRow("discs", (-1,), "counts", "all on the board; few discs leave the other side few moves"),
)


@evaluation
class Mobility(Linear):
    """Mobility, corners and few discs: a simple form of the evaluation of Iago.

    References
    ----------
    P. S. Rosenbloom, "A World-Championship-Level Othello Program", Artificial Intelligence 19 (1982).
    """

    table = MOBILITY
    names = term_table.names(MOBILITY)
    weights: Weights = term_table.weights(MOBILITY)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        own = state.black if side == MAX else state.white
        other = state.white if side == MAX else state.black
        return legal_squares(own, other).count(), (own & CORNERS).count(), own.count()


# The bonus for moving into a quadrant with an odd number of empty squares.
PARITY = 24
# Tie-breaks among moves that leave equally many replies, 0 .. 18: corners first, squares next to them last. One
# quadrant; the others are its mirror images.
_SQUARE_ORDER = ((18, 4, 16, 12), (4, 2, 6, 8), (16, 6, 14, 10), (12, 8, 10, 0))
SQUARE_ORDER = tuple(_SQUARE_ORDER[min(r, 7 - r)][min(c, 7 - c)] for r in range(8) for c in range(8))


def fastest_first_score(after: Position, move: int) -> int:
    """Score a move for ordering by the state after it: few replies, none of them a corner, then a good square."""
    if move == PASS:
        return 0
    replies = legal_squares(after.own(), after.other())
    value = -(replies.count() + (replies & CORNERS).count()) * 64 + SQUARE_ORDER[move]
    empty = ~(after.black | after.white)
    quadrant = QUADRANTS[(move >> 5) * 2 + (move >> 2 & 1)]
    if (empty & quadrant).count() % 2 == 0:  # it was odd before the move
        value += PARITY
    return value


EVALUATIONS = EvaluationFiles(
    {"mobility": Mobility(), "diff": DiscDifference(), "wdiff": WeightedSquares(NORVIG)},
    first="patterns",
    patterns=(DiscPatterns, Path(__file__).with_name("patterns.weights")),
)
