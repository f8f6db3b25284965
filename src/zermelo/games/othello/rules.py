"""Othello's rules and notation."""

from __future__ import annotations

from zermelo.bitboard import Bitboard
from zermelo.errors import IllegalMove, PositionError
from zermelo.game import MAX, MIN, State, game
from zermelo.games.othello import endgame
from zermelo.games.othello.evaluations import EVALUATIONS
from zermelo.games.othello.flips import playable, turned

PASS = 64
SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]


@game
class Othello(State):
    """Othello (Reversi) on 8 x 8 squares. MAX plays black and moves first.

    A move places a disc and turns the other side's discs enclosed by it. Who cannot, passes (`PASS`, a move of
    its own); when neither side can move, the game is over. Empty squares then count for the winner.

    Squares, and so moves, and so the bits of a board (a1 is 0, h8 is 63):

          a  b  c  d  e  f  g  h
       1  0  1  2  3  4  5  6  7
       2  8  9 10 11 12 13 14 15
       3 16 ..
       8 56 57 58 59 60 61 62 63
    """

    black: Bitboard = Bitboard(0x0000000810000000)
    white: Bitboard = Bitboard(0x0000001008000000)
    turn: int = MAX

    max_utility = 64
    perft_counts_ended = True
    evaluations = EVALUATIONS

    def to_move(self):
        return self.turn

    def own(self):
        """The discs of the side to move."""
        return self.black if self.turn == MAX else self.white

    def other(self):
        """The discs of the side not to move."""
        return self.white if self.turn == MAX else self.black

    def moves(self):
        squares = playable(self.own(), self.other())
        if not squares:
            yield PASS
        while squares:
            yield squares.first()
            squares = squares.rest()

    def play(self, move):
        if move == PASS:
            return Othello(self.black, self.white, -self.turn)
        disc = Bitboard(1) << move
        turns = turned(disc, self.own(), self.other())
        if self.turn == MAX:
            return Othello(self.black | turns | disc, self.white ^ turns, MIN)
        return Othello(self.black ^ turns, self.white | turns | disc, MAX)

    def is_over(self):
        return not playable(self.own(), self.other()) and not playable(self.other(), self.own())

    def utility(self):
        return endgame.final_difference(self.black, self.white)
