"""Othello on the usual board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MAX, game
from zermelo.core.search_level import SearchLevel
from zermelo.games.othello import endgame, flips, levels
from zermelo.games.othello.evaluations import EVALUATIONS, PASS, fastest_first_score, parity_score, square_order
from zermelo.games.othello.reversi import Reversi
from zermelo.games.othello.stability import highest_score


@game
class Othello(Reversi):
    """Othello (Reversi) on 8 x 8 squares. MAX plays black and moves first.

    Notes
    -----
    A move is its square, 0 to 63, or `PASS`. Squares are also the bits of a board:

          a  b  c  d  e  f  g  h
       1  0  1  2  3  4  5  6  7
       2  8  9 10 11 12 13 14 15
       3 16 ..
       8 56 57 58 59 60 61 62 63
    """

    ROW = 8
    SIZES: ClassVar[tuple[int, ...]] = (8,)
    size = 8
    PASS = PASS
    confidence_on_clock = 95
    ONE = Bitboard(1)
    SQUARE_ORDER = square_order(8, 8, 0, 64)

    black: Bitboard = Bitboard(0x0000000810000000)
    white: Bitboard = Bitboard(0x0000001008000000)
    turn: int = MAX

    max_utility = 64
    largest_move = 64
    max_level = levels.MAX_LEVEL
    evaluations: ClassVar[Mapping[str, Evaluation]] = EVALUATIONS

    def board_squares(self) -> Bitboard:
        """Return all squares of the board."""
        return ~Bitboard(0)

    def corners(self) -> Bitboard:
        """Return the corners of the board."""
        return flips.CORNERS

    def legal_squares(self, own: Bitboard, other: Bitboard) -> Bitboard:
        """Return the squares where a disc of `own` flips discs of `other`."""
        return flips.legal_squares(own, other) & self.board_squares()

    def flipped_discs(self, move: int) -> Bitboard:
        """Return the discs that a move flips."""
        return flips.flipped_discs(move, self.own(), self.other())

    def move_score(self, move: int) -> int:
        """Score a move for ordering, fastest first: few replies (corners count double), then good squares."""
        after = self.play(move)
        return fastest_first_score(after, move) + parity_score(after, move)

    def search_level(self, level: int) -> SearchLevel:
        """Return the depth and the confidence of an Othello program's level, or an exact search near the end."""
        return levels.search_level(level, 64 - (self.black | self.white).count())

    def symmetries(self) -> Iterator[Self]:
        """Yield the seven rotations and mirror images."""
        black, white = self.black, self.white
        for turns in range(4):
            if turns:
                yield self.replace(black=black, white=white)
            yield self.replace(black=flips.transposed(black), white=flips.transposed(white))
            black, white = flips.rotated(black), flips.rotated(white)

    def may_end(self) -> bool:
        return flips.may_end(self.own(), self.other(), self.board_squares())

    def bounds(self) -> tuple[int, int]:
        """Return the results that remain possible, by the stable discs of both sides."""
        walls = ~self.board_squares()
        return -highest_score(self.white, self.black, walls), highest_score(self.black, self.white, walls)

    def is_endgame(self) -> bool:
        return (self.black | self.white).count() >= self.size * self.size - endgame.MAX_EMPTY

    def solve_endgame(self, alpha: int, beta: int) -> tuple[int, int]:
        walls = ~self.board_squares()
        if self.turn == MAX:
            return endgame.solve(self.black, self.white, walls, alpha, beta, False)
        score, nodes = endgame.solve(self.white, self.black, walls, -beta, -alpha, False)
        return -score, nodes

    @classmethod
    def squares_of(cls, size: int) -> list[int]:
        return list(range(64))
