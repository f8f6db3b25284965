"""Evaluations of Othello, from black's side (MAX)."""

from __future__ import annotations

from zermelo.bitboard import Bitboard
from zermelo.evaluation import Weights, evaluation
from zermelo.games.othello.flips import playable

CORNERS = Bitboard(0x8100000000000081)


@evaluation
class DiscDifference:
    """Discs of black minus discs of white."""

    def score(self, state):
        return state.black.count() - state.white.count()


# One quadrant; the others are its mirror images. Norvig, Paradigms of AI Programming (1992), chapter 18.
_QUADRANT = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))
NORVIG = tuple(_QUADRANT[min(r, 7 - r)][min(c, 7 - c)] for r in range(8) for c in range(8))


@evaluation
class WeightedSquares:
    """The sum of weights of black's squares minus that of white's: 64 weights, a1 to h8 row by row."""

    weights: Weights

    def score(self, state):
        total = 0
        for square in state.black:
            total += self.weights[square]
        for square in state.white:
            total -= self.weights[square]
        return total
EVALUATIONS = {"diff": DiscDifference(), "wdiff": WeightedSquares(NORVIG)}
