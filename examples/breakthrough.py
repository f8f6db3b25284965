"""Breakthrough, with bitboards: pawns step forward or diagonally forward and capture diagonally; the last row wins."""

from zermelo import MAX, Bitboard, game


@game
class Breakthrough:
    """Breakthrough on an 8x8 board. White is MAX and starts on squares 0-15. A move is 64 * from + to."""

    white: Bitboard = Bitboard(0xFFFF)
    black: Bitboard = Bitboard(0xFFFF << 48)
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        own, other = (self.white, self.black) if self.turn == MAX else (self.black, self.white)
        step = 8 * self.turn
        for square in own:
            column = square % 8
            for side in range(-1, 2):
                to = square + step + side
                if 0 <= column + side < 8 and to not in own and (side != 0 or to not in other):
                    yield 64 * square + to

    def play(self, move):
        start, end = Bitboard(1) << move // 64, Bitboard(1) << move % 64
        if self.turn == MAX:
            return Breakthrough(self.white ^ start ^ end, self.black & ~end, -self.turn)
        return Breakthrough(self.white & ~end, self.black ^ start ^ end, -self.turn)

    def is_over(self):
        return bool(self.white >> 56 or self.black & 0xFF) or not (self.white and self.black)

    def utility(self):
        return -self.turn  # the side that moved last has won

    def move_name(self, move):
        return f"{square_name(move // 64)}{square_name(move % 64)}"

    def player_name(self, player):
        return "white" if player == MAX else "black"

    def board(self):
        rows = [[".wb"[(s in self.white) + 2 * (s in self.black)] for s in range(r, r + 8)] for r in range(56, -8, -8)]
        return "\n".join(f"{8 - i} {' '.join(row)}" for i, row in enumerate(rows)) + "\n  a b c d e f g h"


def square_name(square):
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"
