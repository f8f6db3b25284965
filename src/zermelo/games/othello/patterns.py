"""The pattern evaluation of Othello: edges, corners, lines and diagonals, with weights by the number of discs."""

from __future__ import annotations

import math

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import evaluation
from zermelo.core.game import MAX
from zermelo.core.patterns import CountedPatterns, Pattern, symmetric
from zermelo.games.othello.position import Position

# The 46 features, in 12 families, of Edax; the last pattern has no squares: a constant for each stage.
_SQUARES = (
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a1 b1 c1 d1 e1 a2 b2 a3 a4 a5",
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "a2 b3 c4 d5 e6 f7 g8",
    "a3 b4 c5 d6 e7 f8",
    "a4 b5 c6 d7 e8",
    "a5 b6 c7 d8",
    "",
)
PATTERNS: tuple[Pattern, ...] = tuple(symmetric(8, 8, squares) for squares in _SQUARES)

# A disc counts an eighth of a reply in the order of moves of an exact search; with this many empty squares or more.
ENDGAME_ORDER = 8
MIN_ORDERED_EMPTY = 10

# Logarithm of the standard deviation between deep and shallow searches, in discs: a constant, and slopes by stage,
# depth and shallow depth. Fitted by `zermelo learn othello probcut`; docs/games/othello.md has the command.
SEARCH_ERROR = (0.4132, 0.0848, 0.1231, -0.2299)


@evaluation
class DiscPatterns(CountedPatterns):
    """Patterns of discs and numbers of legal moves for 15 stages of four discs each, in discs.

    The number of discs modulo 4 has weights too: a stage is also fitted to positions of its neighbours, and has to tell
    its four numbers of discs apart.

    The weights were learned from the program's own games; their file holds the command that made them.

    References
    ----------
    R. Delorme, Edax, https://github.com/abulmo/edax-reversi: the shapes of the patterns.
    """

    patterns = PATTERNS
    # Own legal moves, the other side's, discs modulo 4. Positions with more than 31 legal moves are too rare to fit.
    count_limits = (32, 32, 4)
    stages = 15
    unit_name = "discs"
    largest_score = 65

    def endgame_order(self, state: Position) -> int:
        return ENDGAME_ORDER if (state.black | state.white).count() <= 64 - MIN_ORDERED_EMPTY else 0

    def search_error(self, state: Position, depth: int, shallow: int) -> float:
        constant, by_stage, by_depth, by_shallow = SEARCH_ERROR
        return math.exp(constant + by_stage * self.stage(state) + by_depth * depth + by_shallow * shallow)

    def planes(self, state: Position) -> tuple[Bitboard, Bitboard]:
        return state.black, state.white

    def counts(self, state: Position, side: int) -> tuple[int, int, int]:
        own, other = (state.black, state.white) if side == MAX else (state.white, state.black)
        mine, theirs = state.legal_squares(own, other), state.legal_squares(other, own)
        return mine.count(), theirs.count(), (own | other).count() % 4

    def stage(self, state: Position) -> int:
        return min(max((state.black | state.white).count() - 4, 0) // 4, 14)
