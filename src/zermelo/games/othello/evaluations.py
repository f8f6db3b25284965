"""Othello evaluations from black's side (MAX), and the move-ordering score."""

from __future__ import annotations

from pathlib import Path

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Term, Weights, evaluation
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.game import MAX
from zermelo.games import term_table
from zermelo.games.othello.flips import QUADRANTS, flipped_discs
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
        if move == state.PASS:
            return 0
        return int(self.weights[0] * (1 + 2 * state.flipped_discs(move).count()))


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
        return state.legal_squares(own, other).count(), (own & state.corners()).count(), own.count()


# The bonus for moving into a quadrant with an odd number of empty squares.
PARITY = 24
# Tie-breaks among moves that leave equally many replies, 0 .. 18: corners first, squares next to them last. One
# quadrant of a board of up to 10 x 10; the others are its mirror images.
_SQUARE_ORDER = ((18, 4, 16, 12, 12), (4, 2, 6, 8, 8), (16, 6, 14, 10, 10), (12, 8, 10, 0, 0), (12, 8, 10, 0, 0))


def square_order(size: int, row: int, corner: int, count: int) -> tuple[int, ...]:
    """Return the tie-breaks of `count` squares: a board of a size whose first square is `corner`, `row` bits a row."""
    order = [0] * count
    for r in range(size):
        for c in range(size):
            order[corner + row * r + c] = _SQUARE_ORDER[min(r, size - 1 - r)][min(c, size - 1 - c)]
    return tuple(order)


def fastest_first_score(after: Position, move: int) -> int:
    """Score a move for ordering by the state after it: few replies, none of them a corner, then a good square."""
    if move == after.PASS:
        return 0
    replies = after.legal_squares(after.own(), after.other())
    return -(replies.count() + (replies & after.corners()).count()) * 64 + after.SQUARE_ORDER[move]


def parity_score(after: Position, move: int) -> int:
    """Return the bonus of a move for ordering, by the state after it, on a board of 64 bits."""
    if move == after.PASS:
        return 0
    empty = after.board_squares() & ~(after.black | after.white)
    quadrant = QUADRANTS[(move >> 5) * 2 + (move >> 2 & 1)]
    return PARITY if (empty & quadrant).count() % 2 == 0 else 0  # it was odd before the move


EVALUATIONS = EvaluationFiles(
    {"mobility": Mobility(), "diff": DiscDifference(), "wdiff": WeightedSquares(NORVIG)},
    first="patterns",
    patterns=(DiscPatterns, Path(__file__).with_name("patterns.weights")),
)
