"""Othello on boards of other sizes: 4 x 4, 6 x 6 and 10 x 10.

A smaller board lies in the middle of the 64 bits of the usual one. The squares around it never hold a disc, so
that lines end there: flips, stable discs and symmetries are found as on 8 x 8.

The larger board has 11 bits for each row. The last one is always empty, so that no line continues in the next row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, game
from zermelo.games.othello.evaluations import DiscDifference, Mobility, fastest_first_score, square_order
from zermelo.games.othello.reversi import Reversi
from zermelo.games.othello.rules import Othello

if TYPE_CHECKING:
    Board = Bitboard
else:
    Board = Bitboard[110]


def _squares(size: int, row: int, first: int) -> list[int]:
    return [first + row * line + column for line in range(size) for column in range(size)]


def _first(size: int) -> int:
    """The number of a1 on a board in the middle of the usual one."""
    return (8 - size) // 2 * 9


def _boards(corners: bool) -> tuple[Bitboard, ...]:
    """The squares, or the corners, of the boards of 0 x 0 to 6 x 6."""
    boards = []
    for size in range(7):
        squares = _squares(size, 8, _first(size))
        found = {squares[0], squares[size - 1], squares[-size], squares[-1]} if corners and size else squares
        boards.append(Bitboard(sum(1 << square for square in found)))
    return tuple(boards)


BOARDS = _boards(corners=False)
CORNERS = _boards(corners=True)

WIDE = 10
WIDE_ROW = 11
WIDE_BOARD = Board(sum(1 << square for square in _squares(WIDE, WIDE_ROW, 0)))
WIDE_CORNERS = Board(1 | 1 << 9 | 1 << 99 | 1 << 108)
# Along the rows, the columns and the two diagonals.
WIDE_STEPS = (1, -1, WIDE_ROW, -WIDE_ROW, WIDE_ROW + 1, -WIDE_ROW - 1, WIDE_ROW - 1, 1 - WIDE_ROW)


@game
class Othello6(Othello):
    """Othello on 6 x 6, or on 4 x 4. MAX plays black and moves first.

    Rules are those of `Othello`. A move is its square among those of the usual board, in whose middle the board lies:

             a  b  c  d  e  f
          1  9 10 11 12 13 14
          2 17 18 19 20 21 22
          ..
          6 49 50 51 52 53 54
    """

    SIZES: ClassVar[tuple[int, ...]] = (6, 4)
    SQUARE_ORDER = square_order(6, 8, 9, 64)

    size: int = 6

    max_utility = 36
    max_level = 0
    confidence_on_clock = 100
    evaluations = {"mobility": Mobility(), "diff": DiscDifference()}

    def board_squares(self) -> Bitboard:
        return BOARDS[self.size]

    def corners(self) -> Bitboard:
        return CORNERS[self.size]

    @classmethod
    def _empty_game(cls, size: int) -> Self:
        return cls(size=size)

    @classmethod
    def squares_of(cls, size: int) -> list[int]:
        return _squares(size, cls.ROW, _first(size))


@game
class Othello10(Reversi):
    """Othello on 10 x 10. MAX plays black and moves first.

    A move is its square, 11 * row + column:

             a  b  c  d  e  f  g  h  i  j
          1  0  1  2  3  4  5  6  7  8  9 (10)
          2 11 12 13 ...
         10 99 100 ...             107 108 (109)
    """

    ROW = WIDE_ROW
    SIZES = (WIDE,)
    size = WIDE
    PASS = 110
    ONE = Board(1)
    SQUARE_ORDER = square_order(WIDE, WIDE_ROW, 0, 110)

    black: Board = Board(1 << 49 | 1 << 59)
    white: Board = Board(1 << 48 | 1 << 60)
    turn: int = MAX

    max_utility = 100
    largest_move = 110
    evaluations = {"mobility": Mobility(), "diff": DiscDifference()}

    def board_squares(self) -> Bitboard:
        return WIDE_BOARD

    def corners(self) -> Bitboard:
        return WIDE_CORNERS

    def legal_squares(self, own: Bitboard, other: Bitboard) -> Bitboard:
        legal = own ^ own
        for step in WIDE_STEPS:
            run = other & own << step
            for _ in range(WIDE - 3):
                run |= other & run << step
            legal |= run << step
        return legal & WIDE_BOARD & ~(own | other)

    def flipped_discs(self, move: int) -> Bitboard:
        own, other = self.own(), self.other()
        flipped = own ^ own
        for step in WIDE_STEPS:
            run = own ^ own
            next_disc = self.ONE << move << step
            while next_disc & other:
                run |= next_disc
                next_disc = next_disc << step
            if next_disc & own:
                flipped |= run
        return flipped

    def move_score(self, move: int) -> int:
        return fastest_first_score(self.play(move), move)

    def symmetries(self) -> Iterator[Self]:
        """Yield the seven rotations and mirror images."""
        for image in range(1, 8):
            black, white = self.ONE ^ self.ONE, self.ONE ^ self.ONE
            for square in self.black | self.white:
                row, column = divmod(square, WIDE_ROW)
                if image & 1:
                    row, column = column, row
                if image & 2:
                    row = WIDE - 1 - row
                if image & 4:
                    column = WIDE - 1 - column
                disc = self.ONE << WIDE_ROW * row + column
                if square in self.black:
                    black |= disc
                else:
                    white |= disc
            yield self.replace(black=black, white=white)

    @classmethod
    def squares_of(cls, size: int) -> list[int]:
        return _squares(size, cls.ROW, 0)
