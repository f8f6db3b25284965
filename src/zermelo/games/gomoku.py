"""Gomoku: five in a row on a square board of up to 15 x 15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Weights, evaluation
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import PositionError
from zermelo.games import grid, term_table
from zermelo.games.term_table import TermRow

if TYPE_CHECKING:
    Board = Bitboard
else:
    Board = Bitboard[240]

LARGEST = 15
SMALLEST = 5
ROW = 16  # squares from one row to the next; the 16th is always empty, so that lines do not continue in the next row
# The steps to the neighbours of a square: right, up, and along the two diagonals.
STEPS = (1, ROW, ROW + 1, ROW - 1)
#: The squares of the board of each size; the board lies in the lower left corner.
BOARDS = grid.square_boards(ROW, LARGEST, Board)
LETTERS = "abcdefghijklmno"
#: The marked squares of the board of 15 x 15, as (column, row).
STARS = ((3, 3), (11, 3), (7, 7), (3, 11), (11, 11))


def fives(stones: Bitboard, exact: bool) -> Bitboard:
    """Return the lowest squares of the rows of five: in any longer row too, unless `exact`."""
    found = stones ^ stones
    for step in STEPS:
        pairs = stones & (stones >> step)
        row = pairs & (pairs >> 2 * step) & (stones >> 4 * step)
        if exact:
            row &= ~(stones << step | stones >> 5 * step)
        found |= row
    return found


def has_five(stones: Bitboard, exact: bool) -> bool:
    """Return whether the stones contain five in a row."""
    return bool(fives(stones, exact))


def neighbours(squares: Bitboard) -> Bitboard:
    """Return the squares at a distance of at most one from any of the squares; some lie outside the board."""
    wide = squares | squares << 1 | squares >> 1
    return wide | wide << ROW | wide >> ROW


def lines_by_stones(own: Bitboard, other: Bitboard, board: Bitboard) -> tuple[int, int, int, int]:
    """Count the lines of five without enemy stones that hold one, two, three and four own stones.

    All lines of a direction are counted together: a line is the bit of its lowest square. The stones in its five
    squares are added bit by bit: `low`, `middle` and `high` are the binary digits of their number.
    """
    ones = 0
    twos = 0
    threes = 0
    fours = 0
    free = board & ~other
    for step in STEPS:
        pairs = free & (free >> step)
        lines = pairs & (pairs >> 2 * step) & (free >> 4 * step)
        low = own
        middle = own ^ own
        high = own ^ own
        for place in range(1, 5):
            stones = own >> place * step
            carry = low & stones
            low ^= stones
            high |= middle & carry
            middle ^= carry
        ones += (lines & low & ~middle & ~high).count()
        twos += (lines & middle & ~low).count()
        threes += (lines & middle & low).count()
        fours += (lines & high & ~low).count()
    return ones, twos, threes, fours


# Learned from games against itself, from weights of 0, by the command in docs/games/gomoku.md; 100 evaluation units are
# a logit of the probability of a win. A line of one stone turned out to be worth nothing.
THREATS = (
    TermRow("lines with one stone", (0,), "counts", "lines of five without enemy stones, with one own stone"),
    TermRow("lines with two stones", (4,), "counts", "the same with two own stones"),
    TermRow("lines with three stones", (13,), "counts", "the same with three own stones"),
    TermRow("lines with four stones", (82,), "counts", "the same with four own stones"),
    TermRow("four on the move", (58,), "counts", "whether the side to move can complete a line"),
    TermRow("three on the move", (27,), "counts", "lines with three stones of the side to move"),
)


@evaluation
class Threats(Linear):
    """Lines of five that can still be completed, weighted by their stones, and the threats of the side to move."""

    table = THREATS
    names = term_table.names(THREATS)
    weights: Weights = term_table.weights(THREATS)

    def counts(self, state: Gomoku, side: int) -> tuple[int, ...]:
        own = state.black if side == MAX else state.white
        other = state.white if side == MAX else state.black
        ones, twos, threes, fours = lines_by_stones(own, other, BOARDS[state.size])
        moves_now = 1 if state.to_move() == side else 0
        return ones, twos, threes, fours, min(fours, 1) * moves_now, threes * moves_now


@game
class Gomoku(State):
    """Five in a row on 15 x 15, or a smaller board. MAX plays black (X in text) and moves first.

    Notes
    -----
    A move is its square, 16 * row + column, named by column and row, `h8`. Row 1 is the lowest. A board has 16 bits for
    each row:

        240-16 = 224 ... 238 (239)
        ...
         16  17  18  ...  30  (31)
          0   1   2  ...  14  (15)

    With `exact` only a row of exactly five wins; otherwise (freestyle) a longer one does too.
    """

    black: Board = Board(0)
    white: Board = Board(0)
    size: int = LARGEST
    exact: bool = False

    largest_move = ROW * (LARGEST - 1) + LARGEST - 1
    moves_in_any_order = ROW * LARGEST
    evaluations = {"threats": Threats()}

    def to_move(self) -> int:
        return MIN if (self.black | self.white).count() % 2 else MAX

    def moves(self) -> Iterator[int]:
        """Yield the squares next to a stone first, then the others; on an empty board the centre first."""
        filled = self.black | self.white
        empty = BOARDS[self.size] & ~filled
        near = neighbours(filled) & empty
        if not filled:
            near = Board(1) << ROW * (self.size // 2) + self.size // 2
        for square in near:
            yield square
        for square in empty & ~near:
            yield square

    def play(self, move: int) -> Gomoku:
        stone = Board(1) << move
        if self.to_move() == MAX:
            return self.replace(black=self.black | stone)
        return self.replace(white=self.white | stone)

    def last_mover(self) -> Bitboard:
        """Return the stones of the side that moved last, the only side that can have five in a row."""
        return self.white if self.to_move() == MAX else self.black

    def is_over(self) -> bool:
        if has_five(self.last_mover(), self.exact):
            return True
        return (self.black | self.white).count() == self.size * self.size

    def utility(self) -> int:
        return -self.to_move() if has_five(self.last_mover(), self.exact) else 0

    def is_tactical(self, move: int) -> bool:
        """Whether a move makes a five, stops one, or makes a four in a row of free squares that has room for five."""
        own, other = (self.black, self.white) if self.to_move() == MAX else (self.white, self.black)
        free = BOARDS[self.size] & ~other
        for step in STEPS:
            joined = run_through(own, move, step)
            if joined == 4 or run_through(other, move, step) == 4:
                return True
            if joined == 3 and run_through(free, move, step) == 4:
                return True
        return False

    def tactical_moves(self) -> Iterator[int]:
        own, other = (self.black, self.white) if self.to_move() == MAX else (self.white, self.black)
        empty = BOARDS[self.size] & ~(own | other)
        for square in (joining(own, 3) | joining(other, 4)) & empty:
            yield square

    def move_score(self, move: int) -> int:
        """Score a square by the lines of stones that it extends, and those of the other side that it stops."""
        own, other = (self.black, self.white) if self.to_move() == MAX else (self.white, self.black)
        score = 0
        for step in STEPS:
            score += 3 << 2 * run_through(own, move, step)
            score += 2 << 2 * run_through(other, move, step)
        return score

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Gomoku:
        """Parse the squares row by row from the top: `X`, `O`, and `-` or `.`; or an empty board, `9x9`.

        An empty text or `start` is the empty board of 15 x 15. The size follows from the number of squares. A first
        word `exact` chooses that rule. `/` and spaces are ignored. Raises `PositionError` with what is wrong.
        """
        words = text.split()
        exact = words[:1] == ["exact"]
        squares = " ".join(words[exact:])
        size, is_empty = grid.parse_size("Gomoku", squares, SMALLEST, LARGEST)
        if is_empty:
            return cls(size=size or LARGEST, exact=exact)
        black, white = grid.parse("Gomoku", squares, rows(size), Board)
        state = cls(black, white, size, exact)
        if has_five(state.black if state.to_move() == MAX else state.white, exact):
            mover, other = "XO" if state.to_move() == MAX else "OX"
            raise PositionError(
                f"Gomoku position: {mover} has five in a row, which ends the game, but {other} has moved after it"
            )
        return state

    def __str__(self) -> str:
        written = grid.write(self.black, self.white, rows(self.size))
        return f"exact {written}" if self.exact else written

    def board(self) -> str:
        labels = [str(row) for row in range(self.size, 0, -1)]
        return grid.draw(self.black, self.white, rows(self.size), LETTERS[: self.size], labels)

    def picture(self) -> Grid:
        pieces = [
            Piece(square % ROW, self.size - 1 - square // ROW, "disc", "black" if square in self.black else "white")
            for square in self.black | self.white
        ]
        labels = tuple(str(row) for row in range(self.size, 0, -1))
        columns = tuple(LETTERS[: self.size])
        stars = STARS if self.size == LARGEST else ()
        return Grid(self.size, self.size, "crossings", tuple(pieces), columns, labels, dotted=stars)

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return grid.DISCS

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Gomoku:
        black, white = grid.stones(pieces, grid.DISCS[0], rows(self.size), Board)
        return self.replace(black=black, white=white)

    def move_path(self, move: int) -> Path:
        return ((move % ROW, self.size - 1 - move // ROW),)

    def player_name(self, player: int) -> str:
        return "X (black)" if player == MAX else "O (white)"

    def move_name(self, move: int) -> str:
        return f"{LETTERS[move % ROW]}{move // ROW + 1}"


def run_through(stones: Bitboard, square: int, step: int) -> int:
    """Return the number of stones in a row, at most four on each side, that a stone on the square would join."""
    count = 0
    for direction in (step, -step):
        place = square + direction
        while count < 8 and place in stones:
            count += 1
            place += direction
    return min(count, 4)


def joining(stones: Bitboard, count: int) -> Bitboard:
    """Return the squares where a stone would join at least `count` stones in a row; some lie outside the board."""
    found = stones ^ stones
    for step in STEPS:
        for before in range(count + 1):
            row = ~(stones ^ stones)
            for place in range(1, before + 1):
                row &= stones << place * step
            for place in range(1, count - before + 1):
                row &= stones >> place * step
            found |= row
    return found


def rows(size: int) -> list[range]:
    """Return the squares of a board row by row, the top row first."""
    return [range(ROW * row, ROW * row + size) for row in reversed(range(size))]
