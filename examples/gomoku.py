"""Gomoku, with boards of 225 squares: place stones in turn; five in a row, in any direction, win."""

from zermelo import MAX, Bitboard, game

SIZE = 15
Board = Bitboard[225]
NOT_LEFT = Board(sum(((1 << SIZE) - 2) << SIZE * row for row in range(SIZE)))
NOT_RIGHT = Board(sum(((1 << SIZE - 1) - 1) << SIZE * row for row in range(SIZE)))
FULL = Board((1 << SIZE * SIZE) - 1)
CENTRE = Board(1) << 112


def spread(stones):
    """The stones and all squares next to them."""
    row = stones | (stones & NOT_RIGHT) << 1 | (stones & NOT_LEFT) >> 1
    return row | row << SIZE | row >> SIZE


def has_five(stones):
    """Whether five stones stand in a row: each step keeps the stones that end a row one longer."""
    flat, up, rising, falling = stones, stones, stones, stones
    for _ in range(4):
        flat = stones & (flat & NOT_RIGHT) << 1
        up = stones & up << SIZE
        rising = stones & (rising & NOT_RIGHT) << SIZE + 1
        falling = stones & (falling & NOT_LEFT) << SIZE - 1
    return bool(flat | up | rising | falling)


@game
class Gomoku:
    """Freestyle gomoku on 15x15. Moves are the empty squares within two squares of a stone."""

    own: Board = Board(0)  # the stones of the side to move
    other: Board = Board(0)
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        stones = self.own | self.other
        near = spread(spread(stones)) & ~stones if stones else CENTRE
        for square in near:
            yield square

    def play(self, square):
        return Gomoku(self.other, self.own | Board(1) << square, -self.turn)

    def is_over(self):
        return has_five(self.other) or self.own | self.other == FULL

    def utility(self):
        return -self.turn if has_five(self.other) else 0

    def board(self):
        first, second = (self.own, self.other) if self.turn == MAX else (self.other, self.own)
        marks = [".xo"[(s in first) + 2 * (s in second)] for s in range(SIZE * SIZE)]
        return "\n".join(" ".join(marks[row : row + SIZE]) for row in range(0, SIZE * SIZE, SIZE))
