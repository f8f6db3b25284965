"""Tic-tac-toe: three in a row on a 3 x 3 board."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Weights, evaluation
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Piece
from zermelo.errors import PositionError
from zermelo.games import grid, term_table
from zermelo.games.term_table import TermRow

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
NAMES = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
NUMBERS = "123456789"  # other names of the squares
FULL = Bitboard(0b111_111_111)
PIECES = (Piece(0, 0, "cross"), Piece(0, 0, "nought"))
LINES = (
    Bitboard(0b000_000_111), Bitboard(0b000_111_000), Bitboard(0b111_000_000),
    Bitboard(0b001_001_001), Bitboard(0b010_010_010), Bitboard(0b100_100_100),
    Bitboard(0b100_010_001), Bitboard(0b001_010_100),
)  # fmt: skip


def has_line(stones: Bitboard) -> bool:
    """Return whether the stones fill a row, a column or a diagonal."""
    for line in LINES:
        if stones & line == line:
            return True
    return False


def lines_without(stones: Bitboard) -> int:
    """Return the number of rows, columns and diagonals without any of the stones."""
    count = 0
    for line in LINES:
        if not stones & line:
            count += 1
    return count


def rotated(stones: Bitboard) -> Bitboard:
    """Return the stones after a quarter turn of the board: the rows of the transposed board, in reverse order."""
    turned = transposed(stones)
    return (turned & 0b111) << 6 | turned & 0b111_000 | turned >> 6


def transposed(stones: Bitboard) -> Bitboard:
    """Return the stones mirrored at the diagonal from a1 to c3."""
    above = Bitboard(0b000_100_010)  # b1 and c2, two squares before a2 and b3
    image = stones & 0b100_010_001 | (stones & above) << 2 | stones >> 2 & above
    return image | (stones & 0b100) << 4 | stones >> 4 & 0b100


OPEN_LINES = (TermRow("open lines", (1,), "lines_without", "lines without enemy stones"),)


def square_name(text: str) -> str:
    """Return the name of a square given by its number, 1 to 9; any other text is returned unchanged."""
    number = text.strip()
    return NAMES[NUMBERS.index(number)] if len(number) == 1 and number in NUMBERS else text


@evaluation
class OpenLines(Linear):
    """Lines still open for crosses minus lines still open for noughts, -8 to 8.

    References
    ----------
    M. Jarrar, Birzeit University, lecture notes on adversarial search, chapter 6, slides 60 to 62: E(s).
    """

    unit_name = "open lines"
    table = OPEN_LINES
    names = term_table.names(OPEN_LINES)
    weights: Weights = term_table.weights(OPEN_LINES)

    def counts(self, state: TicTacToe, side: int) -> tuple[int, ...]:
        return (lines_without(state.noughts if side == MAX else state.crosses),)


@game
class TicTacToe(State):
    """Three in a row on a 3 x 3 board. MAX plays crosses and moves first.

    Notes
    -----
    A move is its square, 0 to 8. Squares are also the bits of a board; people may number them 1 to 9:

           a b c
        1  0 1 2
        2  3 4 5
        3  6 7 8
    """

    crosses: Bitboard = Bitboard(0)
    noughts: Bitboard = Bitboard(0)

    largest_move = 8
    evaluations = {"lines": OpenLines()}

    def to_move(self) -> int:
        return MAX if self.crosses.count() == self.noughts.count() else MIN

    def moves(self) -> Iterator[int]:
        for square in FULL & ~(self.crosses | self.noughts):
            yield square

    def play(self, move: int) -> TicTacToe:
        stone = Bitboard(1) << move
        if self.to_move() == MAX:
            return TicTacToe(self.crosses | stone, self.noughts)
        return TicTacToe(self.crosses, self.noughts | stone)

    def is_over(self) -> bool:
        return has_line(self.crosses) or has_line(self.noughts) or self.crosses | self.noughts == FULL

    def utility(self) -> int:
        if has_line(self.crosses):
            return 1
        if has_line(self.noughts):
            return -1
        return 0

    def move_score(self, move: int) -> int:
        """Score a square by the lines through it: centre 4, corners 3, edges 2."""
        return 4 if move == 4 else 3 - move % 2

    def symmetries(self) -> Iterator[TicTacToe]:
        """Yield the seven rotations and mirror images."""
        crosses, noughts = self.crosses, self.noughts
        for turns in range(4):
            if turns:
                yield TicTacToe(crosses, noughts)
            yield TicTacToe(transposed(crosses), transposed(noughts))
            crosses, noughts = rotated(crosses), rotated(noughts)

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> TicTacToe:
        """Parse nine squares row by row: `X`, `O`, and `-` or `.` for an empty one, as in `X-O/-X-/--O`.

        `/` and spaces are ignored. The side to move follows from the numbers of X and O. Raises `PositionError` with
        the character or the count that is wrong.
        """
        state = cls(*grid.parse("TicTacToe", text, ROWS))
        max_moves = state.to_move() == MAX
        if has_line(state.crosses if max_moves else state.noughts):
            mover, other = "XO" if max_moves else "OX"
            raise PositionError(
                f"TicTacToe position: {mover} has three in a row, which ends the game, but {other} has moved after it"
            )
        return state

    def __str__(self) -> str:
        return grid.write(self.crosses, self.noughts, ROWS)

    def board(self) -> str:
        return grid.draw(self.crosses, self.noughts, ROWS, "abc", "123", NUMBERS)

    def picture(self) -> Grid:
        pieces = [
            Piece(square % 3, square // 3, "cross" if square in self.crosses else "nought")
            for square in self.crosses | self.noughts
        ]
        return Grid(3, 3, "lines", tuple(pieces), tuple("abc"), tuple("123"))

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return PIECES

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> TicTacToe:
        return TicTacToe(*grid.stones(pieces, PIECES[0], ROWS))

    def player_name(self, player: int) -> str:
        return "crosses" if player == MAX else "noughts"

    def move_name(self, move: int) -> str:
        return NAMES[move]

    def parse_move(self, text: str) -> int:
        """Parse a legal move: `b1`, or its number on the board, 1 to 9 row by row."""
        return super().parse_move(square_name(text))
