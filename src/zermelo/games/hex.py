"""Hex: connect two opposite sides of a rhombus of up to 11 x 11 hexagons."""

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
    Board = Bitboard[132]

LARGEST = 11
SMALLEST = 2
ROW = 12  # squares from one row to the next; the 12th is always empty, so that no cell has a neighbour in the next row
SWAP = ROW * LARGEST  # the move that takes over the first stone
#: The cells of the board of each size, its rows and its columns; row 0 is the top row, column 0 the left one.
BOARDS = grid.square_boards(ROW, LARGEST, Board)
TOP = tuple(Board((1 << size) - 1) for size in range(LARGEST + 1))
LEFT = tuple(Board(sum(1 << ROW * row for row in range(size))) for size in range(LARGEST + 1))
LETTERS = "abcdefghijk"


def neighbours(cells: Bitboard) -> Bitboard:
    """Return the cells next to any of the cells, on six sides; some lie outside the board."""
    return cells << 1 | cells >> 1 | cells << ROW | cells >> ROW | cells << (ROW - 1) | cells >> (ROW - 1)


def flood(reached: Bitboard, stones: Bitboard) -> Bitboard:
    """Return the cells, and the stones that chains of stones connect with them."""
    while True:
        grown = reached | neighbours(reached) & stones
        if grown == reached:
            return reached
        reached = grown


def is_connected(stones: Bitboard, first: Bitboard, last: Bitboard) -> bool:
    """Return whether a chain of the stones leads from the first edge to the last."""
    reached = stones & first
    while reached:
        if reached & last:
            return True
        grown = reached | neighbours(reached) & stones
        if grown == reached:
            return False
        reached = grown
    return False


def at_least_two(cells: Bitboard) -> Bitboard:
    """Return the cells with at least two neighbours among the cells; some lie outside the board."""
    once = cells << 1
    twice = once ^ once
    for step in (-1, ROW, -ROW, ROW - 1, 1 - ROW):
        shifted = cells << step
        twice |= once & shifted
        once |= shifted
    return twice


def two_distance(own: Bitboard, other: Bitboard, board: Bitboard, first: Bitboard, last: Bitboard) -> int:
    """Return the two-distance of the edges for a side: in how many moves it connects them if blocked once a move.

    An empty cell has distance 1 if it touches the first edge, or stones connected with it; and distance d + 1 if two
    of its neighbours have at most distance d. Stones have the distance of the cells that they touch. The result is the
    least distance of a cell at the last edge, 0 if the edges are connected, and `FAR` if there is none.
    """
    empty = board & ~(own | other)
    linked = flood(own & first, own)
    goal = last | neighbours(flood(own & last, own))
    if linked & last:
        return 0
    reached = (first | neighbours(linked)) & empty
    distance = 1
    while not reached & goal:
        conducting = flood(reached, own) | linked
        grown = reached | at_least_two(conducting) & empty
        if grown == reached:
            return FAR
        reached = grown
        distance += 1
    return distance


#: The two-distance of edges that no two cells connect any more.
FAR = 20

# Hundredths of a move: of the two directions each counts a half, and a move is worth half a distance.
DISTANCES = (
    TermRow("two-distance", (-50,), "counts", "two-distance between the own edges, from the first and from the last"),
    TermRow("to move", (50,), "counts", "1 for the side to move"),
)


@evaluation
class TwoDistance(Linear):
    """The two-distance of the other side's edges minus that of one's own, and half a move for the side to move.

    References
    ----------
    J. van Rijswijck, "Search and Evaluation in Hex", University of Alberta 2002: the two-distance of Queenbee. Here two
    cells on both sides of one chain of stones count as two neighbours for each stone that they touch.
    """

    unit_name = "hundredths of a move"  # at depth 2 on 7 x 7 it won 20 of 20 games against no evaluation

    table = DISTANCES
    names = term_table.names(DISTANCES)
    weights: Weights = term_table.weights(DISTANCES)

    def counts(self, state: Hex, side: int) -> tuple[int, int]:
        size = state.size
        board = BOARDS[size]
        own, other, first = state.black, state.white, TOP[size]
        last = first << ROW * (size - 1)
        if side == MIN:
            own, other, first = state.white, state.black, LEFT[size]
            last = first << (size - 1)
        distance = two_distance(own, other, board, first, last) + two_distance(own, other, board, last, first)
        return distance, int(state.turn == side)


@game
class Hex(State):
    """Hex on 11 x 11, or a smaller board. MAX plays black (X in text), moves first and connects top and bottom.

    Notes
    -----
    A move is its cell, 12 * row + column, named by column and row, `f6`; a1 is in the upper left corner. A board has 12
    bits for each row, and each row is half a cell further right than the one above:

         0   1   2  ...  10  (11)
          12  13  14  ...  22  (23)
            ...
              120 121 122 ... 130 (131)

    With `swap`, white may take over the first stone instead of a move (move `swap`): it becomes white and is mirrored,
    so that it is worth the same between white's edges. A draw is not possible.
    """

    black: Board = Board(0)
    white: Board = Board(0)
    turn: int = MAX
    size: int = LARGEST
    swap: bool = False

    largest_move = SWAP
    moves_in_any_order = SWAP
    evaluations = {"two-distance": TwoDistance()}

    def to_move(self) -> int:
        return self.turn

    def moves(self) -> Iterator[int]:
        for cell in BOARDS[self.size] & ~(self.black | self.white):
            yield cell
        if self.can_swap():
            yield SWAP

    def can_swap(self) -> bool:
        """Return whether the side to move may take over the first stone."""
        return self.swap and self.turn == MIN and not self.white and self.black.count() == 1

    def play(self, move: int) -> Hex:
        if move == SWAP:
            cell = self.black.first()
            mirrored = Board(1) << ROW * (cell % ROW) + cell // ROW
            return self.replace(black=Board(0), white=mirrored, turn=MAX)
        stone = Board(1) << move
        if self.turn == MAX:
            return self.replace(black=self.black | stone, turn=MIN)
        return self.replace(white=self.white | stone, turn=MAX)

    def is_over(self) -> bool:
        """Return whether the side that moved last has connected its edges."""
        size = self.size
        if self.turn == MIN:
            return is_connected(self.black, TOP[size], TOP[size] << ROW * (size - 1))
        return is_connected(self.white, LEFT[size], LEFT[size] << (size - 1))

    def utility(self) -> int:
        return -self.turn

    def move_score(self, move: int) -> int:
        """Score the cells near the centre higher, and those next to stones."""
        if move == SWAP:
            return 0
        stones = self.black | self.white
        touched = (neighbours(Board(1) << move) & stones).count()
        middle = self.size - 1
        row, column = move // ROW, move % ROW
        return 100 - 4 * (abs(2 * row - middle) + abs(2 * column - middle)) + 3 * min(touched, 3)

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Hex:
        """Parse the cells row by row from the top, `X`, `O`, and `-` or `.`; or an empty board, `7x7`.

        An empty text or `start` is the empty board of 11 x 11. The size follows from the number of cells. After the
        cells stands the side to move, `X` or `O`, unless it follows from their numbers. A first word `swap` allows that
        move. `/` and spaces are ignored. Raises `PositionError` with what is wrong.
        """
        words = text.split()
        swap = words[:1] == ["swap"]
        cells = " ".join(words[swap:])
        size, is_empty = grid.parse_size("Hex", cells, SMALLEST, LARGEST)
        if is_empty:
            return cls(size=size or LARGEST, swap=swap)
        black, white, side, side_label = grid.parse_squares("Hex", cells, rows(size), Board)
        more = black.count() - white.count()
        allowed = {0: "X", 1: "O"} | ({0: "XO" if black else "X", -1: "X"} if swap else {})
        if more not in allowed:
            raise PositionError(
                f"Hex position has {black.count()} X and {white.count()} O; expected as many X as O, or one X more"
                + (", or after swap one O more" if swap else "")
            )
        if side is not None and side not in allowed[more]:
            raise PositionError(f"{side_label} names {side} as the side to move; expected {allowed[more]}")
        turn = MAX if (side or allowed[more][0]) == "X" else MIN
        state = cls(black, white, turn, size, swap)
        if state.replace(turn=-turn).is_over():
            mover, other = "XO" if turn == MAX else "OX"
            raise PositionError(
                f"Hex position: {mover} has connected its edges, which ends the game, but {other} has moved after it"
            )
        return state

    def __str__(self) -> str:
        written = f"{grid.write(self.black, self.white, rows(self.size))} {'X' if self.turn == MAX else 'O'}"
        return f"swap {written}" if self.swap else written

    def board(self) -> str:
        lines = ["   " + " ".join(LETTERS[: self.size])]
        for number, row in enumerate(rows(self.size), 1):
            cells = " ".join(grid.letter(cell, self.black, self.white, ".") for cell in row)
            lines.append(f"{' ' * (number - 1)}{number:>2} {cells}")
        return "\n".join(lines)

    def picture(self) -> Grid:
        """Return the board of hexagons."""
        pieces = tuple(
            Piece(cell % ROW, cell // ROW, "disc", "black" if cell in self.black else "white")
            for cell in self.black | self.white
        )
        labels = tuple(str(row) for row in range(1, self.size + 1))
        captions = ("black connects top and bottom, white left and right",)
        return Grid(self.size, self.size, "hexagons", pieces, tuple(LETTERS[: self.size]), labels, captions=captions)

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return grid.DISCS

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Hex:
        black, white = grid.stones(pieces, grid.DISCS[0], rows(self.size), Board)
        return self.replace(black=black, white=white, turn=side)

    def move_path(self, move: int) -> Path:
        return () if move == SWAP else ((move % ROW, move // ROW),)

    def player_name(self, player: int) -> str:
        return "X (black)" if player == MAX else "O (white)"

    def move_name(self, move: int) -> str:
        return "swap" if move == SWAP else f"{LETTERS[move % ROW]}{move // ROW + 1}"


def rows(size: int) -> list[range]:
    """Return the cells of a board row by row, the top row first."""
    return [range(ROW * row, ROW * row + size) for row in range(size)]
