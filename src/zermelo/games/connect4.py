"""Connect Four: four in a row on a board of seven columns and six rows."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Weights, evaluation
from zermelo.core.game import MAX, MIN, State, game, win_in
from zermelo.core.picture import Grid, Piece
from zermelo.errors import PositionError
from zermelo.games import grid, term_table
from zermelo.games.term_table import TermRow

BOTTOM = Bitboard(0x0040810204081)  # the lowest square of each column
COLUMN = Bitboard(0b0111111)  # the six squares of the leftmost column
TOP = BOTTOM << 5
BOARD = BOTTOM * COLUMN
# The steps to the neighbours of a square: up, right, and along the two diagonals.
STEPS = (1, 7, 6, 8)
ROWS = tuple(tuple(range(row, 49, 7)) for row in reversed(range(6)))
PIECES = (Piece(0, 0, "disc", "yellow"), Piece(0, 0, "disc", "red"))
# Stones up to which mirror images are searched once. With more of them, few positions meet their image.
MOST_MIRRORED = 12
# Stones up to which lines order moves. With more of them, counting lines takes more time than the better order saves.
MOST_COUNTED = 27
_SPREAD = 0x9E3779B97F4A7C15  # 2**64 / golden ratio, for multiplicative hashing; odd, so the product is injective


def has_four(stones: Bitboard) -> bool:
    """Return whether the stones contain four in a row: two adjacent pairs."""
    for step in STEPS:
        pairs = stones & (stones >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


def winning_squares(own: Bitboard, filled: Bitboard) -> Bitboard:
    """Return the empty squares, reachable or not, that complete four in a row of the stones."""
    found = own << 1 & own << 2 & own << 3  # a column has no empty square below its stones
    for step in (6, 7, 8):
        above = own << step & own << 2 * step
        below = own >> step & own >> 2 * step
        found |= above & (own << 3 * step | own >> step) | below & (own << step | own >> 3 * step)
    return found & BOARD & ~filled


def lines_by_stones(own: Bitboard, other: Bitboard) -> tuple[int, int, int]:
    """Count the lines of four without enemy stones that hold one, two and three own stones.

    All lines of a direction are counted together: a line is the bit of its lowest square, and `a`, `b`, `c`, `d` are
    the lines whose first, second, third and fourth square holds an own stone.
    """
    ones = 0
    twos = 0
    threes = 0
    free = BOARD & ~other
    for step in STEPS:
        pairs = free & (free >> step)
        lines = pairs & (pairs >> 2 * step)
        a, b, c, d = own, own >> step, own >> 2 * step, own >> 3 * step
        ones += (lines & (a | b | c | d)).count()
        twos += (lines & ((a | b) & (c | d) | a & b | c & d)).count()
        threes += (lines & (a & b & (c | d) | (a | b) & c & d)).count()
    return ones - twos, twos - threes, threes


# Weights fitted by least squares to the known results of 3,000 positions (the test sets of Pascal Pons).
LINES = (
    TermRow("lines with one stone", (1,), "lines_by_stones", "lines of four without enemy stones, with one own stone"),
    TermRow("lines with two stones", (4,), "lines_by_stones", "the same with two own stones"),
    TermRow("lines with three stones", (8,), "lines_by_stones", "the same with three own stones"),
)


@evaluation
class Lines(Linear):
    """Lines of four that can still be completed, weighted by the stones that they hold."""

    table = LINES
    names = term_table.names(LINES)
    weights: Weights = term_table.weights(LINES)

    def counts(self, state: ConnectFour, side: int) -> tuple[int, ...]:
        if side == MAX:
            return lines_by_stones(state.yellow, state.red)
        return lines_by_stones(state.red, state.yellow)


@game
class ConnectFour(State):
    """Four in a row on seven columns and six rows. MAX plays yellow (X in text) and moves first.

    Notes
    -----
    A move is a column, 0 to 6, named 1 to 7. A board has seven bits for each column; the seventh is always empty, so
    that lines do not continue in the next column:

        .  .  .  .  .  .  .
        5 12 19 26 33 40 47
        4 11 18 25 32 39 46
        3 10 17 24 31 38 45
        2  9 16 23 30 37 44
        1  8 15 22 29 36 43
        0  7 14 21 28 35 42
    """

    yellow: Bitboard = Bitboard(0)
    red: Bitboard = Bitboard(0)

    largest_move = 6
    evaluations = {"lines": Lines()}

    def to_move(self) -> int:
        return MIN if (self.yellow | self.red).count() % 2 else MAX

    def moves(self) -> Iterator[int]:
        for square in TOP & ~(self.yellow | self.red):
            yield square // 7

    def play(self, move: int) -> ConnectFour:
        filled = self.yellow | self.red
        # Adding 1 at the bottom of the column carries to its lowest empty square.
        stone = (filled + (Bitboard(1) << 7 * move)) & (COLUMN << 7 * move)
        if self.to_move() == MAX:
            return ConnectFour(self.yellow | stone, self.red)
        return ConnectFour(self.yellow, self.red | stone)

    def last_mover(self) -> Bitboard:
        """Return the stones of the side that moved last, the only side that can have four in a row."""
        return self.red if self.to_move() == MAX else self.yellow

    def is_over(self) -> bool:
        return has_four(self.last_mover()) or self.yellow | self.red == BOARD

    def utility(self) -> int:
        return -self.to_move() if has_four(self.last_mover()) else 0

    def mover(self) -> Bitboard:
        """Return the stones of the side to move."""
        return self.yellow if self.to_move() == MAX else self.red

    def safe_squares(self) -> Bitboard:
        """Return the squares of the moves after which the other side cannot win at once."""
        filled = self.yellow | self.red
        threats = winning_squares(self.last_mover(), filled)
        reachable = (filled + BOTTOM) & BOARD
        forced = reachable & threats
        if forced:
            reachable = Bitboard(0) if forced.rest() else forced
        return reachable & ~(threats >> 1)

    def ranked_bounds(self) -> tuple[int, int]:
        """Find a win in one ply and a loss in two; otherwise the sides win in 3 and 4 plies at the earliest."""
        side = self.to_move()
        filled = self.yellow | self.red
        if winning_squares(self.mover(), filled) & (filled + BOTTOM):
            return side * win_in(1), side * win_in(1)
        if not self.safe_squares():
            return -side * win_in(2), -side * win_in(2)
        left = 42 - filled.count()
        best = win_in(3) if left >= 3 else 0
        worst = -win_in(4) if left >= 4 else 0
        return (worst, best) if side == MAX else (-best, -worst)

    def candidates(self) -> Iterator[int]:
        """Yield the winning moves; without one, the moves that do not lose at once; without these, all."""
        filled = self.yellow | self.red
        reachable = (filled + BOTTOM) & BOARD
        squares = winning_squares(self.mover(), filled) & reachable
        if not squares:
            squares = self.safe_squares()
        if not squares:
            squares = reachable
        for square in squares:
            yield square // 7

    def move_score(self, move: int) -> int:
        """Score central columns higher: more lines pass through them."""
        return 3 - abs(3 - move)

    def candidate_score(self, move: int) -> int:
        """Score the squares that then complete four in a row, reachable or not; among equals central columns and lines.

        These are the lines with two own stones and no others. They count until `MOST_COUNTED` stones lie on the board.
        """
        filled = self.yellow | self.red
        stone = (filled + (Bitboard(1) << 7 * move)) & (COLUMN << 7 * move)
        own = self.mover() | stone
        score = 12 * winning_squares(own, filled | stone).count() + 2 * self.move_score(move)
        if filled.count() <= MOST_COUNTED:
            score += lines_by_stones(own, self.last_mover())[1]
        return score

    def canonical(self) -> ConnectFour:
        """Return the position or its mirror image, the smaller one, as long as few stones lie on the board."""
        if (self.yellow | self.red).count() > MOST_MIRRORED:
            return self
        yellow = mirrored(self.yellow)
        red = mirrored(self.red)
        if yellow < self.yellow or (yellow == self.yellow and red < self.red):
            return ConnectFour(yellow, red)
        return self

    def symmetries(self) -> Iterator[ConnectFour]:
        """Yield the mirror image, left and right exchanged."""
        yield ConnectFour(mirrored(self.yellow), mirrored(self.red))

    def key(self) -> Bitboard:
        """Return a unique key: in each column yellow's stones and a bit above the top stone."""
        exact = (self.yellow + (self.yellow | self.red) + BOTTOM) * _SPREAD
        return exact ^ (exact >> 32)

    def solved_score(self, value: int, plies: int) -> int:
        """Return Pons' score: 22 minus the stones that the winner has placed at the end of the game.

        References
        ----------
        P. Pons, "Solving Connect 4: how to build a perfect AI", http://blog.gamesolver.org/solving-connect-four/.
        """
        stones = (self.yellow | self.red).count() + plies
        return value * (22 - (stones + 1) // 2)

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> ConnectFour:
        """Parse the columns played, `4453`, or the 42 squares row by row from the top: `X`, `O`, and `-` or `.`.

        An empty text or `start` is the empty board. `/` and spaces are ignored. The side to move follows from the
        number of stones. Raises `PositionError` with the move or the square that is wrong.
        """
        squares = "".join(text.split())
        if squares in ("", "start"):
            return cls()
        return cls._parse_moves(text) if squares[0].isdigit() else cls._parse_squares(text)

    @classmethod
    def _parse_moves(cls, text: str) -> ConnectFour:
        state = cls()
        for index, character in enumerate(text, 1):
            if character.isspace():
                continue
            what = f"ConnectFour position: character {index} ({character!r})"
            if character not in "1234567":
                raise PositionError(f"{what} is not a column; expected 1 to 7")
            if state.is_over():
                raise PositionError(f"{what} is a move after the end of the game; expected no further moves")
            if int(character) - 1 not in state.legal_moves():
                open_columns = " ".join(map(state.move_name, state.legal_moves()))
                raise PositionError(f"{what}: the column is full; expected one of {open_columns}")
            state = state.play(int(character) - 1)
        return state

    @classmethod
    def _parse_squares(cls, text: str) -> ConnectFour:
        state = cls(*grid.parse("ConnectFour", text, ROWS))
        filled = state.yellow | state.red
        for square in filled & ~(filled << 1 | BOTTOM):
            column, row = divmod(square, 7)
            sign = grid.letter(square, *state)
            raise PositionError(
                f"ConnectFour position: column {column + 1} has {sign} in row {row + 1} from the bottom "
                "above an empty square; expected a stone below it"
            )
        max_moves = state.to_move() == MAX
        if has_four(state.yellow if max_moves else state.red):
            mover, other = "XO" if max_moves else "OX"
            raise PositionError(
                f"ConnectFour position: {mover} has four in a row, which ends the game, but {other} has moved after it"
            )
        return state

    def __str__(self) -> str:
        return grid.write(self.yellow, self.red, ROWS)

    def board(self) -> str:
        return grid.draw(self.yellow, self.red, ROWS, "1234567")

    def picture(self) -> Grid:
        pieces = [
            Piece(square // 7, 5 - square % 7, "disc", "yellow" if square in self.yellow else "red")
            for square in self.yellow | self.red
        ]
        return Grid(7, 6, "frame", tuple(pieces), column_labels=tuple("1234567"))

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return PIECES

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> ConnectFour:
        return ConnectFour(*grid.stones(pieces, PIECES[0], ROWS))

    def player_name(self, player: int) -> str:
        return "X (yellow)" if player == MAX else "O (red)"

    def move_name(self, move: int) -> str:
        return str(move + 1)


def mirrored(stones: Bitboard) -> Bitboard:
    """Return the stones with the order of the columns reversed."""
    image = stones & COLUMN << 21
    for column in range(3):
        far = 7 * (6 - 2 * column)
        image |= (stones & COLUMN << 7 * column) << far | (stones >> far) & (COLUMN << 7 * column)
    return image
