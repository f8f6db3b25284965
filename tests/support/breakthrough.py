"""Breakthrough on 8 x 8 squares, without an evaluation (D. Troyka, 2000)."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo import MAX, MIN, Bitboard, game

FIRST_RANKS = Bitboard(0xFFFF)
LAST_RANKS = Bitboard(0xFFFF << 48)
A_FILE = Bitboard(0x0101010101010101)
H_FILE = Bitboard(0x8080808080808080)


@game
class Breakthrough:
    """MAX moves up, MIN down: one square straight or diagonally; captures are diagonal.

    The first side that reaches the far rank, or captures everything, wins. Square 0 is a1, 63 is h8. A move is
    4 * square + direction, where directions 0, 1, 2 are left, straight and right.
    """

    white: Bitboard = FIRST_RANKS
    black: Bitboard = LAST_RANKS
    turn: int = MAX

    def to_move(self) -> int:
        return self.turn

    def moves(self) -> Iterator[int]:
        own = self.white if self.turn == MAX else self.black
        occupied = self.white | self.black
        for direction in range(3):
            movable = own
            if direction == 0:
                movable &= ~A_FILE
            if direction == 2:
                movable &= ~H_FILE
            step = 8 * self.turn + direction - 1
            blocked = occupied if direction == 1 else own
            for square in movable & ~(blocked << -step):
                if 0 <= square + step < 64:
                    yield 4 * square + direction

    def play(self, move: int) -> Breakthrough:
        square = move >> 2
        origin = Bitboard(1) << square
        target = Bitboard(1) << (square + 8 * self.turn + (move & 3) - 1)
        if self.turn == MAX:
            return Breakthrough(self.white ^ origin | target, self.black & ~target, MIN)
        return Breakthrough(self.white & ~target, self.black ^ origin | target, MAX)

    def is_over(self) -> bool:
        if self.turn == MIN:
            return bool(self.white >> 56) or not self.black
        return bool(self.black & Bitboard(0xFF)) or not self.white

    def utility(self) -> int:
        return -self.turn
