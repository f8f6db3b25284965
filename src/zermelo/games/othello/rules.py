"""Rules and notation of Othello."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Piece
from zermelo.errors import PositionError
from zermelo.games import grid
from zermelo.games.othello import endgame
from zermelo.games.othello.evaluations import EVALUATIONS, PASS, fastest_first_score
from zermelo.games.othello.flips import (
    flipped_discs,
    has_legal_square,
    legal_squares,
    may_end,
    rotated,
    transposed,
)  # fmt: skip
from zermelo.games.othello.stability import highest_score

SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]


@game
class Othello(State):
    """Othello (Reversi) on 8 x 8 squares. MAX plays black and moves first.

    A move places a disc and flips the other side's discs that it encloses. A side without such a move passes, which is
    the move `PASS`. The game ends when neither side can move; empty squares then count for the winner.

    Notes
    -----
    A move is its square, 0 to 63, or `PASS`. Squares are also the bits of a board:

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
    largest_move = 64
    perft_counts_finished_games = True
    evaluations = EVALUATIONS

    def to_move(self) -> int:
        return self.turn

    def own(self) -> Bitboard:
        """Return the discs of the side to move."""
        return self.black if self.turn == MAX else self.white

    def other(self) -> Bitboard:
        """Return the discs of the side not to move."""
        return self.white if self.turn == MAX else self.black

    def moves(self) -> Iterator[int]:
        squares = legal_squares(self.own(), self.other())
        if not squares:
            yield PASS
        while squares:
            yield squares.first()
            squares = squares.rest()

    def play(self, move: int) -> Othello:
        if move == PASS:
            return Othello(self.black, self.white, -self.turn)
        disc = Bitboard(1) << move
        flips = flipped_discs(move, self.own(), self.other())
        if self.turn == MAX:
            return Othello(self.black | flips | disc, self.white ^ flips, MIN)
        return Othello(self.black ^ flips, self.white | flips | disc, MAX)

    def is_over(self) -> bool:
        return not has_legal_square(self.own(), self.other()) and not has_legal_square(self.other(), self.own())

    def utility(self) -> int:
        return endgame.final_score(self.black, self.white)

    def move_score(self, move: int) -> int:
        """Score a move for ordering, fastest first: few replies (corners count double), then good squares."""
        return fastest_first_score(self.play(move), move)

    def symmetries(self) -> Iterator[Othello]:
        """Yield the seven rotations and mirror images."""
        black, white = self.black, self.white
        for turns in range(4):
            if turns:
                yield Othello(black, white, self.turn)
            yield Othello(transposed(black), transposed(white), self.turn)
            black, white = rotated(black), rotated(white)

    def may_end(self) -> bool:
        return may_end(self.own(), self.other())

    def bounds(self) -> tuple[int, int]:
        """Return the results that remain possible, by the stable discs of both sides."""
        return -highest_score(self.white, self.black), highest_score(self.black, self.white)

    def is_endgame(self) -> bool:
        return (self.black | self.white).count() >= 64 - endgame.MAX_EMPTY

    def solve_endgame(self, alpha: int, beta: int) -> tuple[int, int]:
        if self.turn == MAX:
            return endgame.solve(self.black, self.white, alpha, beta, False)
        score, nodes = endgame.solve(self.white, self.black, -beta, -alpha, False)
        return -score, nodes

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Othello:
        """Parse 64 squares and the side to move, or moves from the initial position.

        Parameters
        ----------
        text : str
            The squares a1 to h8 row by row: X, * or B for black, O or W for white, - or . for empty; spaces and / are
            ignored. Then the side to move: X, O, B, W, black or white. Or moves such as `f5d6c3`, with passes omitted
            or written `pa`. An empty text or `start` is the initial position.

        Raises
        ------
        PositionError
            With the part that is wrong.
        """
        words = text.replace("/", " ").split()
        if not words or words == ["start"]:
            return cls()
        if _looks_like_moves(words[0]):
            return cls._parse_moves("".join(words))
        return cls._parse_board(words)

    @classmethod
    def _parse_board(cls, words: list[str]) -> Othello:
        *rows, side = words if len(words) > 1 else (*words, "")
        squares = "".join(rows).upper()
        for place, letter in enumerate(squares):
            if letter not in _DISCS:
                raise PositionError(
                    f"Othello position: {letter!r} at square {place + 1} of 64"
                    + (f" ({SQUARES[place]})" if place < 64 else "")
                    + "; expected X (black), O (white) or - (empty)"
                )
        if len(squares) != 64:
            raise PositionError(f"Othello position: {len(squares)} squares; expected 64, from a1 to h8 row by row")
        if side.upper() not in _SIDES:
            raise PositionError(f"Othello position: side to move {quoted(side)}; expected X (black) or O (white)")
        black = Bitboard(sum(1 << place for place, letter in enumerate(squares) if _DISCS[letter] == MAX))
        white = Bitboard(sum(1 << place for place, letter in enumerate(squares) if _DISCS[letter] == MIN))
        return cls(black, white, _SIDES[side.upper()])

    @classmethod
    def _parse_moves(cls, text: str) -> Othello:
        state = cls()
        for place in range(0, len(text), 2):
            name = text[place : place + 2].lower()
            if name not in SQUARES and name not in ("pa", "--"):
                raise PositionError(
                    f"Othello position: {text[place : place + 2]!r} at character {place + 1} is not a square; "
                    "expected moves like f5d6c3, or 64 squares and the side to move"
                )
            move = PASS if name in ("pa", "--") else SQUARES.index(name)
            legal = state.legal_moves()
            if legal == [PASS] and move != PASS:
                state = state.play(PASS)
                legal = state.legal_moves()
            if move not in legal:
                names = " ".join(map(state.move_name, legal)) or "none, the game is over"
                raise PositionError(f"Othello position: {name} at character {place + 1} is not legal; legal: {names}")
            state = state.play(move)
        return state

    def __str__(self) -> str:
        squares = "".join("X" if place in self.black else "O" if place in self.white else "-" for place in range(64))
        return f"{squares} {'X' if self.turn == MAX else 'O'}"

    def board(self) -> str:
        """Draw the board: ● black, ○ white, · legal squares; with disc counts."""
        legal = set() if self.is_over() else set(self.moves())
        lines = ["    a b c d e f g h"]
        for row in range(8):
            cells = []
            for square in range(8 * row, 8 * row + 8):
                cell = "●" if square in self.black else "○" if square in self.white else "·"
                cells.append(cell if cell != "·" or square in legal else " ")
            lines.append(f"  {row + 1} {' '.join(cells)} {row + 1}".rstrip())
        lines.append("    a b c d e f g h")
        lines.append(f"  ● {self.black.count()}  ○ {self.white.count()}")
        return "\n".join(lines)

    def picture(self) -> Grid:
        """Return the board with dots on legal squares and the disc counts."""
        pieces = [
            Piece(square % 8, square // 8, "disc", "black" if square in self.black else "white")
            for square in self.black | self.white
        ]
        dotted = [] if self.is_over() else [divmod(square, 8)[::-1] for square in self.moves() if square != PASS]
        counts = (f"black {self.black.count()}, white {self.white.count()}",)
        return Grid(
            8, 8, "felt", tuple(pieces), tuple("abcdefgh"), tuple("12345678"), dotted=tuple(dotted), captions=counts
        )

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return grid.DISCS

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Othello:
        black, white = grid.stones(pieces, grid.DISCS[0], [range(first, first + 8) for first in range(0, 64, 8)])
        return self.replace(black=black, white=white, turn=side)

    def player_name(self, player: int) -> str:
        return {MAX: "black", MIN: "white"}.get(player, "chance")

    def move_name(self, move: int) -> str:
        return "pass" if move == PASS else SQUARES[move]


_DISCS = {"X": MAX, "*": MAX, "B": MAX, "O": MIN, "W": MIN, "-": 0, ".": 0}
_SIDES = {"X": MAX, "*": MAX, "B": MAX, "BLACK": MAX, "O": MIN, "W": MIN, "WHITE": MIN}


def _looks_like_moves(word: str) -> bool:
    return len(word) > 1 and word[0].lower() in "abcdefgh" and word[1] in "12345678"
