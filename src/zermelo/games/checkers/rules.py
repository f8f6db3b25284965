"""Rules of checkers (English draughts)."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.endgame_slice import TableSlice
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import IllegalMove
from zermelo.games.checkers import notation
from zermelo.games.checkers.endgames import index, squares, table_slices
from zermelo.games.checkers.evaluations import EVALUATIONS
from zermelo.games.checkers.picture import PIECES, bits_of, move_path, picture
from zermelo.games.checkers.squares import BOARD, ENDS, jumpers, neighbour, steppers

# The 40-move rule: a draw after 80 plies without a capture or a man's move. In tournaments a player has to claim it;
# here it ends the game, so that every game ends.
MAX_PLIES_WITHOUT_PROGRESS = 80


@game
class Checkers(State):
    """Checkers (English draughts) on the 32 dark squares of an 8 x 8 board. MAX plays black and moves first.

    Men move one square forward, black's to higher numbers; kings move one square in all diagonal directions. A man that
    reaches the last row is crowned, which ends the move. Jumps over an enemy piece to the empty square behind it
    capture it; they are mandatory, and a piece continues to jump until it cannot. All its jumps are one move. A side
    that cannot move loses. The game is drawn after 40 moves of each side without progress, and at the third occurrence
    of a position.

    Notes
    -----
    The initial position, and the numbers of the squares:

           b   b   b   b              1   2   3   4
         b   b   b   b              5   6   7   8
           b   b   b   b              9  10  11  12
         ·   ·   ·   ·             13  14  15  16
           ·   ·   ·   ·             17  18  19  20
         w   w   w   w             21  22  23  24
           w   w   w   w             25  26  27  28
         w   w   w   w             29  30  31  32

    Bits of squares are described in `squares`. A move is an integer:

        bits   0 .. 4    the origin, its number less one
        bits   5 ..      a 1, then two bits for each step or jump, the first highest: 0 .. 3 as in `squares.DIRECTIONS`

    A piece can jump at most nine times, over each of the nine squares that pieces on its colour of rows can jump over,
    so a move has at most 5 + 1 + 18 bits.
    """

    black: Bitboard = Bitboard(0x1EFF)
    white: Bitboard = Bitboard(0x7FBC00000)
    kings: Bitboard = Bitboard(0)
    turn: int = MAX
    #: Plies since the last capture or man's move.
    plies_without_progress: int = 0

    evaluations = EVALUATIONS
    perft_ignores_game_over = True
    draw_at_reversible_plies = MAX_PLIES_WITHOUT_PROGRESS
    draw_at_repetition = 3
    # A king of each side moves there and back.
    shortest_cycle = 4
    table_men = 4
    selective_on_clock = True
    selective_evaluation = "patterns"

    def to_move(self) -> int:
        return self.turn

    def own(self) -> Bitboard:
        """Return the pieces of the side to move."""
        return self.black if self.turn == MAX else self.white

    def other(self) -> Bitboard:
        """Return the pieces of the side not to move."""
        return self.white if self.turn == MAX else self.black

    def up(self) -> Bitboard:
        """Return the pieces of the side to move that can move to higher numbers: all of black's, white's kings."""
        return self.black if self.turn == MAX else self.white & self.kings

    def down(self) -> Bitboard:
        """Return the pieces of the side to move that can move to lower numbers: black's kings, all of white's."""
        return self.black & self.kings if self.turn == MAX else self.white

    def moves(self) -> Iterator[int]:
        """Yield the legal moves by descending origin, and for each origin by descending target."""
        up = self.up()
        down = self.down()
        other = self.other()
        empty = BOARD & ~(self.black | self.white)
        jumping = jumpers(up, down, other, empty)
        if not jumping:
            movers = steppers(up, down, empty)
            while movers:
                square = movers.last()
                piece = Bitboard(1) << square
                movers ^= piece
                start = square - square // 9
                if piece & up:
                    if piece << 5 & empty:
                        yield start | 4 << 5
                    if piece << 4 & empty:
                        yield start | 5 << 5
                if piece & down:
                    if piece >> 4 & empty:
                        yield start | 6 << 5
                    if piece >> 5 & empty:
                        yield start | 7 << 5
            return
        while jumping:
            square = jumping.last()
            piece = Bitboard(1) << square
            jumping ^= piece
            start = square - square // 9
            first = 0 if piece & up else 2
            last = 3 if piece & down else 1
            empty ^= piece  # the origin is empty while the piece jumps, and it may return there
            path = 1
            direction = first
            is_end = False
            # Depth-first search over jumps without recursion: `path` is the stack of their directions.
            while direction <= last or path > 1:
                if direction <= last:
                    over = neighbour(piece, direction) & other
                    landing = neighbour(over, direction) & empty
                    if landing:
                        piece = landing
                        other ^= over
                        path = path << 2 | direction
                        direction = first
                        is_end = True
                    else:
                        direction += 1
                else:
                    if is_end:
                        yield start | path << 5
                        is_end = False
                    back = 3 - (path & 3)
                    path >>= 2
                    over = neighbour(piece, back)
                    piece = neighbour(over, back)
                    other ^= over
                    direction = 4 - back
            empty ^= piece

    def tactical_moves(self) -> Iterator[int]:
        """Yield the jumps: all moves, or none."""
        if jumpers(self.up(), self.down(), self.other(), BOARD & ~(self.black | self.white)):
            for move in self.moves():
                yield move

    def count_moves(self) -> int:
        up = self.up()
        down = self.down()
        empty = BOARD & ~(self.black | self.white)
        if jumpers(up, down, self.other(), empty):
            count = 0
            for _ in self.moves():
                count += 1
            return count
        forward = (up << 5 & empty).count() + (up << 4 & empty).count()
        return forward + (down >> 5 & empty).count() + (down >> 4 & empty).count()

    def play(self, move: int) -> Checkers:
        square = move & 31
        piece = Bitboard(1) << square + (square >> 3)
        other = self.other()
        path = move >> 5
        captured = Bitboard(0)
        to = piece
        shift = Bitboard(path).last() - 2
        while shift >= 0:
            direction = path >> shift & 3
            to = neighbour(to, direction)
            over = to & other
            if over:
                captured |= over
                to = neighbour(to, direction)
            shift -= 2
        kings = self.kings & ~captured
        plies = 0
        if piece & kings:
            kings = kings ^ piece | to
            if not captured:
                plies = self.plies_without_progress + 1
        elif to & ENDS:
            kings |= to
        if self.turn == MAX:
            return Checkers(self.black ^ piece | to, self.white ^ captured, kings, MIN, plies)
        return Checkers(self.black ^ captured, self.white ^ piece | to, kings, MAX, plies)

    def can_move(self) -> bool:
        """Return whether the side to move has a move."""
        empty = BOARD & ~(self.black | self.white)
        if steppers(self.up(), self.down(), empty):
            return True
        return bool(jumpers(self.up(), self.down(), self.other(), empty))

    def is_over(self) -> bool:
        return self.plies_without_progress >= MAX_PLIES_WITHOUT_PROGRESS or not self.can_move()

    def utility(self) -> int:
        return 0 if self.can_move() else -self.turn

    def repetition_key(self) -> Bitboard:
        return Checkers(self.black, self.white, self.kings, self.turn, 0).key()

    def reversible_plies(self) -> int:
        return self.plies_without_progress

    def is_tactical(self, move: int) -> bool:
        """Return whether a move is a jump. Jumps are mandatory, so either all moves of a state are jumps or none."""
        square = move & 31
        path = move >> 5
        direction = path >> Bitboard(path).last() - 2 & 3
        return bool(neighbour(Bitboard(1) << square + (square >> 3), direction) & self.other())

    def men(self) -> int:
        return (self.black | self.white).count()

    def index(self) -> int:  # type: ignore[override]
        return index(self)

    def unindex(self, index: int) -> Checkers:
        black, white, kings = squares(index)
        return Checkers(black, white, kings, MAX, 0)

    @classmethod
    def table_slices(cls, men: int) -> tuple[TableSlice, ...]:
        return table_slices(men)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Checkers:
        """Parse a draughts FEN, `B:W21-32:B1-12`, or moves from the initial position, `11-15 23-19`.

        An empty text or `start` is the initial position. Raises `PositionError` with the part that is wrong.
        """
        if len(text) > notation.MAX_LENGTH:
            raise notation.position_error(f"{len(text):,} characters; expected at most {notation.MAX_LENGTH:,}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        if words[0][0] not in "0123456789":
            return cls(*notation.parse_fen(text, MAX_PLIES_WITHOUT_PROGRESS))
        state = cls()
        for count, word in enumerate(words, 1):
            try:
                state = state.play(notation.parse_move(state, word))
            except IllegalMove as error:
                raise notation.position_error(f"move {count}: {error}") from None
        return state

    def __str__(self) -> str:
        return notation.fen(self)

    def board(self) -> str:
        """Draw the board with white at the bottom: b and w for men, B and W for kings, with square numbers."""
        return notation.draw(self)

    def picture(self) -> Grid:
        return picture(self)

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return PIECES

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Checkers:
        return self.replace(**bits_of(pieces), turn=side, plies_without_progress=0)

    def move_path(self, move: int) -> Path:
        return move_path(self, move)

    def player_name(self, player: int) -> str:
        return notation.NAMES.get(player, "chance")

    def termination(self) -> str:
        if self.can_move():
            return "40-move rule"
        return "blockade" if self.own() else "capture of all pieces"

    def move_name(self, move: int) -> str:
        return notation.move_name(self, move)

    def parse_move(self, text: str) -> int:
        """Parse a legal move by its squares; intermediate squares are needed only if the move is ambiguous."""
        return notation.parse_move(self, text)
