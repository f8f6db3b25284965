"""Checkers: the rules. How its texts are read and written stands in `notation`."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid
from zermelo.errors import IllegalMove
from zermelo.games.checkers import notation
from zermelo.games.checkers.evaluations import EVALUATIONS
from zermelo.games.checkers.picture import picture
from zermelo.games.checkers.squares import BOARD, ENDS, jumpers, next_to, steppers

# Forty moves of each side without a man moved or a piece taken. In tournaments a player has to show it to the referee;
# here it ends the game by itself, so that every game ends.
DRAWN = 80


@game
class Checkers(State):
    """English draughts on the 32 dark squares of 8 x 8. MAX plays black and moves first.

    Men go forward, black's to higher numbers, kings both ways, one square each; a man that reaches the last row becomes
    a king, which ends the move. Who can jump over an enemy to the empty square behind it must, and takes it; a piece
    goes on jumping until it no longer can. All jumps together are one move. Who cannot move loses. After 40 moves of
    each side without a man moved or a piece taken the game is drawn, and where a position comes up for the third time.

    The start, and the squares' numbers:

           b   b   b   b              1   2   3   4
         b   b   b   b              5   6   7   8
           b   b   b   b              9  10  11  12
         ·   ·   ·   ·             13  14  15  16
           ·   ·   ·   ·             17  18  19  20
         w   w   w   w             21  22  23  24
           w   w   w   w             25  26  27  28
         w   w   w   w             29  30  31  32

    A square's bit is its number less one, and one more for each two rows above it (`squares`). A move is a way to go:

        bits   0 .. 4    the square that it starts from, its number less one
        bits   5 ..      a 1, then two bits for each step or jump, the first one highest: 0 .. 3 as in `squares.WAYS`

    A piece can jump nine times at most (each of the nine places that a piece on its squares can jump over once), so a
    move has 5 + 1 + 18 bits.
    """

    black: Bitboard = Bitboard(0x1EFF)
    white: Bitboard = Bitboard(0x7FBC00000)
    kings: Bitboard = Bitboard(0)
    turn: int = MAX
    #: Moves since a man was moved or a piece taken, of both sides.
    plies_without_progress: int = 0

    evaluations = EVALUATIONS
    perft_ignores_game_over = True
    draw_at_reversible_plies = DRAWN
    draw_at_repetition = 3
    # A king of each side goes there and back.
    shortest_cycle = 4

    def to_move(self):
        return self.turn

    def own(self):
        """The pieces of the side to move."""
        return self.black if self.turn == MAX else self.white

    def other(self):
        """The pieces of the side not to move."""
        return self.white if self.turn == MAX else self.black

    def up(self):
        """The pieces of the side to move that go to higher numbers: black's, and kings."""
        return self.black if self.turn == MAX else self.white & self.kings

    def down(self):
        """The pieces of the side to move that go to lower numbers: white's, and kings."""
        return self.black & self.kings if self.turn == MAX else self.white

    def moves(self):
        """From the highest square to the lowest, to the highest and to the lowest."""
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
            empty ^= piece  # it leaves its square, and may come back to it
            path = 1
            way = first
            is_end = False
            # All ways on from a place are tried before the jump to it is taken back; `path` remembers the jumps.
            while way <= last or path > 1:
                if way <= last:
                    over = next_to(piece, way) & other
                    landing = next_to(over, way) & empty
                    if landing:
                        piece = landing
                        other ^= over
                        path = path << 2 | way
                        way = first
                        is_end = True
                    else:
                        way += 1
                else:
                    if is_end:
                        yield start | path << 5
                        is_end = False
                    back = 3 - (path & 3)
                    path >>= 2
                    over = next_to(piece, back)
                    piece = next_to(over, back)
                    other ^= over
                    way = 4 - back
            empty ^= piece

    def count_moves(self):
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

    def play(self, move):
        square = move & 31
        piece = Bitboard(1) << square + (square >> 3)
        other = self.other()
        path = move >> 5
        taken = Bitboard(0)
        to = piece
        place = Bitboard(path).last() - 2
        while place >= 0:
            way = path >> place & 3
            to = next_to(to, way)
            over = to & other
            if over:
                taken |= over
                to = next_to(to, way)
            place -= 2
        kings = self.kings & ~taken
        quiet = 0
        if piece & kings:
            kings = kings ^ piece | to
            if not taken:
                quiet = self.plies_without_progress + 1
        elif to & ENDS:
            kings |= to
        if self.turn == MAX:
            return Checkers(self.black ^ piece | to, self.white ^ taken, kings, MIN, quiet)
        return Checkers(self.black ^ taken, self.white ^ piece | to, kings, MAX, quiet)

    def can_move(self):
        """Whether the side to move has a move."""
        empty = BOARD & ~(self.black | self.white)
        if steppers(self.up(), self.down(), empty):
            return True
        return bool(jumpers(self.up(), self.down(), self.other(), empty))

    def is_over(self):
        return self.plies_without_progress >= DRAWN or not self.can_move()

    def utility(self):
        return 0 if self.can_move() else -self.turn

    def repetition_key(self):
        return Checkers(self.black, self.white, self.kings, self.turn, 0).key()

    def reversible_plies(self):
        return self.plies_without_progress

    def is_tactical(self, move):
        """Jumps. Where one can be made, nothing else can."""
        square = move & 31
        path = move >> 5
        way = path >> Bitboard(path).last() - 2 & 3
        return bool(next_to(Bitboard(1) << square + (square >> 3), way) & self.other())

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Checkers:
        """A position in the FEN of draughts, `B:W21-32:B1-12`, or the moves from the start, `11-15 23-19`.

        An empty text or `start` is the initial position. Raises `PositionError` for what is no position: which part
        of it is wrong, the square, the move, or what cannot be (a man where it would be a king, 13 pieces).
        """
        if len(text) > notation.LONGEST:
            raise notation.refused(f"{len(text):,} characters; expected at most {notation.LONGEST:,}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        if words[0][0] not in "0123456789":
            return cls(*notation.read(text, DRAWN))
        state = cls()
        for count, word in enumerate(words, 1):
            try:
                state = state.play(notation.read_move(state, word))
            except IllegalMove as error:
                raise notation.refused(f"move {count}: {error}") from None
        return state

    def __str__(self) -> str:
        return notation.write(self)

    def board(self) -> str:
        """The board with white below, b and w for men, B and W for kings, and the numbers of each row's squares."""
        return notation.draw(self)

    def picture(self) -> Grid:
        return picture(self)

    def player_name(self, player: int) -> str:
        return notation.NAMES.get(player, "chance")

    def termination(self) -> str:
        if self.can_move():
            return "40 moves without a capture or a man's move"
        return "blockade" if self.own() else "capture of all pieces"

    def move_name(self, move: int) -> str:
        return notation.name(self, move)

    def parse_move(self, text: str) -> int:
        """The legal move with those squares; those between the first and the last only where it would be in doubt."""
        return notation.read_move(self, text)
