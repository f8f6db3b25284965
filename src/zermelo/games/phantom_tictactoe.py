"""Phantom tic-tac-toe: tic-tac-toe in which neither player sees the other's stones."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Path
from zermelo.core.random_numbers import below, item, next_word
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.tictactoe import FULL, NAMES, TicTacToe, has_line, square_name

MAX_LENGTH = 200  # longest text that is parsed, in characters
BITS = 4  # of a try in a list of tries
TRY = 15


def squares_tried(tries: int) -> Bitboard:
    """Return the squares in a list of tries."""
    found = Bitboard(0)
    while tries:
        found |= Bitboard(1) << (tries & TRY) - 1
        tries >>= BITS
    return found


def with_try(tries: int, square: int) -> int:
    """Append a square to a list of tries."""
    return tries << BITS | square + 1


@game
class PhantomTicTacToe(State):
    """Tic-tac-toe in which players do not see the other's stones. A try of an occupied square is refused.

    A refused player learns that the square is occupied, and tries again. MAX plays crosses and moves first.

    Notes
    -----
    A move is a square, 0 to 8, as in tic-tac-toe. A list of tries is an int: four bits for each, its square plus 1, the
    first try in the highest. A try was refused if the player has no stone on its square.
    """

    crosses: Bitboard = Bitboard(0)
    noughts: Bitboard = Bitboard(0)
    #: The squares tried by crosses and by noughts, in order.
    cross_tries: int = 0
    nought_tries: int = 0

    largest_move = 8
    perfect_information = False

    def to_move(self) -> int:
        return self.as_tictactoe().to_move()

    def as_tictactoe(self) -> TicTacToe:
        """Return the stones of both players, as a position of tic-tac-toe."""
        return TicTacToe(self.crosses, self.noughts)

    def stones(self, player: int) -> Bitboard:
        """Return the squares of a player's stones."""
        return self.crosses if player == MAX else self.noughts

    def tries(self, player: int) -> int:
        """Return a player's tries, in order."""
        return self.cross_tries if player == MAX else self.nought_tries

    def moves(self) -> Iterator[int]:
        """Yield the squares that the player has not tried yet."""
        for square in FULL & ~squares_tried(self.tries(self.to_move())):
            yield square

    def play(self, move: int) -> PhantomTicTacToe:
        stone = Bitboard(1) << move
        if self.to_move() == MAX:
            tries = with_try(self.cross_tries, move)
            return PhantomTicTacToe(self.crosses | stone & ~self.noughts, self.noughts, tries, self.nought_tries)
        tries = with_try(self.nought_tries, move)
        return PhantomTicTacToe(self.crosses, self.noughts | stone & ~self.crosses, self.cross_tries, tries)

    def is_over(self) -> bool:
        return self.as_tictactoe().is_over()

    def utility(self) -> int:
        return self.as_tictactoe().utility()

    # ---- hidden information ----

    def information_key(self, player: int) -> Bitboard:
        """Return the player's tries and stones, packed."""
        return self.stones(player) << 9 * BITS | Bitboard(self.tries(player))

    def resample(self, player: int, random: int) -> PhantomTicTacToe:
        """Draw the other player's stones and tries, as if it tried unknown squares at random.

        Its stones were placed in a random order on squares that the player does not have. Draws are repeated until each
        square where the player was refused was occupied by then, and there is no line.
        """
        own = self.stones(player)
        count = self.stones(-player).count()
        word = Bitboard(random)
        stones = Bitboard(0)
        order = 0  # of the stones, a list like that of tries
        while True:
            stones = Bitboard(0)
            order = 0
            for _ in range(count):
                word = next_word(word)
                square = item(word, FULL & ~(own | stones))
                stones |= Bitboard(1) << square
                order = with_try(order, square)
            if not has_line(stones) and self.explains(player, order, count):
                break
        tries = 0
        tried = Bitboard(0)
        for turn in range(count + 1):
            # Its turn number `turn`: the player has placed `turn` stones, or one more if it moves first.
            before = self.first_stones(player, turn + 1 if player == MAX else turn)
            empty = 9 - before.count() - turn
            while turn < count or self.to_move() == -player:
                known = before & ~tried
                word = next_word(word)
                if below(word, empty + known.count()) < empty:
                    break
                word = next_word(word)
                square = item(word, known)
                tried |= Bitboard(1) << square
                tries = with_try(tries, square)
            if turn < count:
                tries = with_try(tries, (order >> BITS * (count - 1 - turn) & TRY) - 1)
        if player == MAX:
            return PhantomTicTacToe(self.crosses, stones, self.cross_tries, tries)
        return PhantomTicTacToe(stones, self.noughts, tries, self.nought_tries)

    def explains(self, player: int, order: int, count: int) -> bool:
        """Return whether stones of the other player, in this order, refused exactly what the player was refused."""
        own = self.stones(player)
        tries = self.tries(player)
        length = 0
        while tries >> BITS * length:
            length += 1
        placed = 0  # own stones so far
        for index in range(length - 1, -1, -1):
            square = (tries >> BITS * index & TRY) - 1
            if square in own:
                placed += 1
                continue
            there = placed if player == MAX else placed + 1  # stones of the other player at that time
            if square not in squares_tried(order >> BITS * (count - min(there, count))):
                return False
        return True

    def first_stones(self, player: int, count: int) -> Bitboard:
        """Return the squares of a player's first stones, at most `count`."""
        own = self.stones(player)
        tries = self.tries(player)
        left = own.count() - count  # stones placed later
        while tries and left > 0:
            square = (tries & TRY) - 1
            if square in own:
                own &= ~(Bitboard(1) << square)
                left -= 1
            tries >>= BITS
        return own

    def information_state(self, player: int) -> str:
        """Return the player's tries in order, those refused in parentheses: `b2 (a1) c3`."""
        own = self.stones(player)
        words = [NAMES[square] if square in own else f"({NAMES[square]})" for square in _listed(self.tries(player))]
        return " ".join(words) or "no moves"

    def view(self, player: int) -> PhantomTicTacToe:
        """Return the player's stones, and those of the other player that refused a try."""
        own, tries = self.stones(player), self.tries(player)
        known = squares_tried(tries) & ~own
        return PhantomTicTacToe(own, known, tries) if player == MAX else PhantomTicTacToe(known, own, 0, tries)

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> PhantomTicTacToe:
        """Parse all tries from the start of the game, in order: `b2 b2 a1`.

        An empty text or `start` is the empty board. Raises `PositionError` with the word that is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"PhantomTicTacToe position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        state = cls()
        for word in text.split() if text.strip() != "start" else ():
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"PhantomTicTacToe position: {error}") from None
        return state

    def __str__(self) -> str:
        words, state = [], PhantomTicTacToe()
        waiting = {player: _listed(self.tries(player)) for player in (MAX, MIN)}
        while waiting[state.to_move()]:
            move = waiting[state.to_move()].pop(0)
            words.append(NAMES[move])
            state = state.play(move)
        return " ".join(words) or "start"

    def board(self) -> str:
        return self.as_tictactoe().board()

    def picture(self) -> Grid:
        return self.as_tictactoe().picture()

    def move_path(self, move: int) -> Path:
        return ((move % 3, move // 3),)

    def player_name(self, player: int) -> str:
        return self.as_tictactoe().player_name(player)

    def move_name(self, move: int) -> str:
        return NAMES[move]

    def parse_move(self, text: str) -> int:
        """Parse a legal move: `b1`, or its number on the board, 1 to 9 row by row."""
        return super().parse_move(square_name(text))


def _listed(tries: int) -> list[int]:
    """Return the squares of a list of tries, the first one first."""
    found: list[int] = []
    while tries:
        found.insert(0, (tries & TRY) - 1)
        tries >>= BITS
    return found
