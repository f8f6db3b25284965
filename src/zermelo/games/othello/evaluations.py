"""Evaluations of Othello, from black's side (MAX)."""

from __future__ import annotations

from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Term, Weights, evaluation
from zermelo.core.game import MAX
from zermelo.games.othello.flips import QUADRANTS, playable, turned

PASS = 64  # the move that is no square
CORNERS = Bitboard(0x8100000000000081)


@evaluation
class DiscDifference(Linear):
    """Discs of black minus discs of white."""

    unit_name = "discs"
    names = ("discs",)
    weights: Weights = (1,)

    def counts(self, state, side):
        return ((state.black if side == MAX else state.white).count(),)

    def gain(self, state, move):
        if move == PASS:
            return 0
        return int(self.weights[0] * (1 + 2 * turned(move, state.own(), state.other()).count()))


# One quadrant; the others are its mirror images. Norvig, Paradigms of AI Programming (1992), chapter 18.
_QUADRANT = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))
NORVIG = tuple(_QUADRANT[min(r, 7 - r)][min(c, 7 - c)] for r in range(8) for c in range(8))


@evaluation
class WeightedSquares(Evaluation):
    """The sum of weights of black's squares minus that of white's: 64 weights, a1 to h8 row by row."""

    weights: Weights

    def score(self, state):
        total = 0
        for square in state.black:
            total += self.weights[square]
        for square in state.white:
            total -= self.weights[square]
        return total

    def gain(self, state, move):
        if move == PASS:
            return 0
        total = self.weights[move]
        for square in turned(move, state.own(), state.other()):
            total += 2 * self.weights[square]
        return total

    def terms(self, state: Any) -> list[Term]:
        """Squares of one weight together, those of the largest first."""
        listed = []
        for weight in sorted(set(self.weights.tolist()), reverse=True):
            squares = Bitboard(sum(1 << square for square in range(64) if self.weights[square] == weight))
            black, white = (state.black & squares).count(), (state.white & squares).count()
            listed.append(Term(f"squares of {weight}", black, white, (weight,), weight * (black - white)))
        return listed


@evaluation
class Mobility(Linear):
    """Squares that a side can move to, and corners: what Rosenbloom's Iago (1982) played by, in its simplest form.

    Score: 4 for each square black can move to, 24 for each of its corners, minus the same for white, minus the
    difference in discs (few discs leave the other side few moves).
    """

    names = ("moves", "corners", "discs")
    # What a corner is worth beside one square to move to, and a disc beside an empty square that is lost to it.
    weights: Weights = (4, 24, -1)

    def counts(self, state, side):
        own = state.black if side == MAX else state.white
        other = state.white if side == MAX else state.black
        return playable(own, other).count(), (own & CORNERS).count(), own.count()


def mobility_hint(after, move):
    """How good a move looks by the state after it: few answers, none of them a corner, from a good square."""
    if move == PASS:
        return 0
    answers = playable(after.own(), after.other())
    value = -(answers.count() + (answers & CORNERS).count()) * 64 + SQUARE_HINT[move]
    empty = ~(after.black | after.white)
    quadrant = QUADRANTS[(move >> 5) * 2 + (move >> 2 & 1)]
    if (empty & quadrant).count() % 2 == 0:  # it was odd before the move
        value += PARITY
    return value


# What it is worth to move into a quadrant with an odd number of empty squares.
PARITY = 24


# How early a square is tried among moves that leave equally many answers, 0 .. 18; corners first, squares
# next to them last. One quadrant, mirrored.
_HINTS = ((18, 4, 16, 12), (4, 2, 6, 8), (16, 6, 14, 10), (12, 8, 10, 0))
SQUARE_HINT = tuple(_HINTS[min(r, 7 - r)][min(c, 7 - c)] for r in range(8) for c in range(8))

EVALUATIONS = {"mobility": Mobility(), "diff": DiscDifference(), "wdiff": WeightedSquares(NORVIG)}
