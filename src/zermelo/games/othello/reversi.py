"""Rules and notation of Othello on a board of any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State
from zermelo.core.picture import Grid, Piece
from zermelo.errors import PositionError
from zermelo.games import grid
from zermelo.games.othello import endgame, notation


class Reversi(State):
    """Othello on a board of any size. The games add fields, constants and sets of squares.

    A move places a disc and flips the other side's discs that it encloses. A side without such a move passes, which is
    the move `PASS`. The game ends when neither side can move; empty squares then count for the winner.
    """

    ROW: int  # from one row to the next
    SIZES: ClassVar[tuple[int, ...]]  # of the boards, the usual one first
    PASS: int
    ONE: Bitboard  # the first square
    SQUARE_ORDER: tuple[int, ...]  # move-ordering scores of the squares

    if TYPE_CHECKING:  # fields of the games, `size` also as a constant
        black: Bitboard
        white: Bitboard
        turn: int
        size: int

    perft_counts_finished_games = True

    def to_move(self) -> int:
        return self.turn

    def own(self) -> Bitboard:
        """Return the discs of the side to move."""
        return self.black if self.turn == MAX else self.white

    def other(self) -> Bitboard:
        """Return the discs of the side not to move."""
        return self.white if self.turn == MAX else self.black

    # ---- sets of squares ----

    def board_squares(self) -> Bitboard:
        """Return all squares of the board."""
        raise NotImplementedError

    def corners(self) -> Bitboard:
        """Return the corners of the board."""
        raise NotImplementedError

    def legal_squares(self, own: Bitboard, other: Bitboard) -> Bitboard:
        """Return the squares where a disc of `own` flips discs of `other`."""
        raise NotImplementedError

    def has_legal_square(self, own: Bitboard, other: Bitboard) -> bool:
        """Return whether `legal_squares` is not empty."""
        return bool(self.legal_squares(own, other))

    def flipped_discs(self, move: int) -> Bitboard:
        """Return the discs that a move flips."""
        raise NotImplementedError

    # ---- the contract ----

    def moves(self) -> Iterator[int]:
        squares = self.legal_squares(self.own(), self.other())
        if not squares:
            yield self.PASS
        while squares:
            yield squares.first()
            squares = squares.rest()

    def play(self, move: int) -> Self:
        if move == self.PASS:
            return self.replace(turn=-self.turn)
        disc = self.ONE << move
        flipped = self.flipped_discs(move)
        if self.turn == MAX:
            return self.replace(black=self.black | flipped | disc, white=self.white ^ flipped, turn=MIN)
        return self.replace(black=self.black ^ flipped, white=self.white | flipped | disc, turn=MAX)

    def is_over(self) -> bool:
        own, other = self.own(), self.other()
        return not self.has_legal_square(own, other) and not self.has_legal_square(other, own)

    def utility(self) -> int:
        return endgame.final_score(self.black, self.white, self.size * self.size)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the squares of a board and the side to move, or moves from the initial position.

        Parameters
        ----------
        text : str
            The squares row by row, a1 first: X, * or B for black, O or W for white, - or . for empty; spaces and / are
            ignored. Then the side to move: X, O, B, W, black or white. Or moves such as `f5d6c3`, with passes omitted
            or written `pa`. An empty text or `start` is the initial position, `6x6` that of a board of this size.

        Raises
        ------
        PositionError
            With the part that is wrong.
        """
        words = text.replace("/", " ").split()
        size = notation.named_size(words, cls.SIZES)
        if size:
            return cls._empty_game(size)
        if notation.looks_like_moves(words[0]):
            return cls._parse_moves("".join(words))
        return cls._parse_board(words)

    @classmethod
    def _empty_game(cls, size: int) -> Self:
        """The initial position of a board."""
        return cls()

    @classmethod
    def squares_of(cls, size: int) -> list[int]:
        """Return the numbers of the squares of a board row by row, a1 first."""
        raise NotImplementedError

    def _squares(self) -> list[int]:
        return self.squares_of(self.size)

    @classmethod
    def _parse_board(cls, words: list[str]) -> Self:
        size, discs, turn = notation.parse_board(words, cls.SIZES)
        black = white = cls.ONE ^ cls.ONE
        for square, side in zip(cls.squares_of(size), discs, strict=True):
            if side == MAX:
                black |= cls.ONE << square
            elif side == MIN:
                white |= cls.ONE << square
        return cls._empty_game(size).replace(black=black, white=white, turn=turn)

    @classmethod
    def _parse_moves(cls, text: str) -> Self:
        state = cls()
        names = notation.square_names(state.size)
        for place, name in notation.moves_of(text):
            if name not in names and name not in notation.PASSES:
                raise PositionError(
                    f"Othello position: {text[place : place + len(name)]!r} at character {place + 1} is not a square; "
                    f"expected moves like f5d6c3, or {len(names)} squares and the side to move"
                )
            move = cls.PASS if name in notation.PASSES else state._squares()[names.index(name)]
            legal = state.legal_moves()
            if legal == [cls.PASS] and move != cls.PASS:
                state = state.play(cls.PASS)
                legal = state.legal_moves()
            if move not in legal:
                listed = " ".join(map(state.move_name, legal)) or "none, the game is over"
                raise PositionError(f"Othello position: {name} at character {place + 1} is not legal; legal: {listed}")
            state = state.play(move)
        return state

    def __str__(self) -> str:
        squares = "".join(grid.letter(place, self.black, self.white) for place in self._squares())
        return f"{squares} {'X' if self.turn == MAX else 'O'}"

    def board(self) -> str:
        """Draw the board: ● black, ○ white, · legal squares; with disc counts."""
        legal = set() if self.is_over() else set(self.moves())
        columns = " ".join(notation.COLUMNS[: self.size])
        margin = len(str(self.size))
        lines = [f"{'':{margin}}   {columns}"]
        for row, squares in enumerate(self._rows(), 1):
            cells = []
            for square in squares:
                cell = "●" if square in self.black else "○" if square in self.white else "·"
                cells.append(cell if cell != "·" or square in legal else " ")
            lines.append(f"  {row:{margin}} {' '.join(cells)} {row}".rstrip())
        lines.append(f"{'':{margin}}   {columns}")
        lines.append(f"  ● {self.black.count()}  ○ {self.white.count()}")
        return "\n".join(lines)

    def _rows(self) -> list[list[int]]:
        squares = self._squares()
        return [squares[first : first + self.size] for first in range(0, len(squares), self.size)]

    def picture(self) -> Grid:
        """Return the board with dots on legal squares and the disc counts."""
        places = {square: divmod(place, self.size)[::-1] for place, square in enumerate(self._squares())}
        pieces = [
            Piece(*places[square], "disc", "black" if square in self.black else "white")
            for square in self.black | self.white
        ]
        dotted = [] if self.is_over() else [places[square] for square in self.moves() if square != self.PASS]
        counts = (f"black {self.black.count()}, white {self.white.count()}",)
        columns, rows = notation.COLUMNS[: self.size], map(str, range(1, self.size + 1))
        return Grid(
            self.size, self.size, "felt", tuple(pieces), tuple(columns), tuple(rows), dotted=tuple(dotted),
            captions=counts,
        )  # fmt: skip

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return grid.DISCS

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Self:
        black, white = grid.stones(pieces, grid.DISCS[0], self._rows(), type(self.ONE))
        return self.replace(black=black, white=white, turn=side)

    def player_name(self, player: int) -> str:
        return {MAX: "black", MIN: "white"}.get(player, "chance")

    def move_name(self, move: int) -> str:
        return "pass" if move == self.PASS else notation.square_names(self.size)[self._squares().index(move)]
