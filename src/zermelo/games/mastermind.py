"""Mastermind: one player hides a code of coloured pegs, the other guesses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game, hash_combine
from zermelo.core.random_numbers import below, next_word
from zermelo.core.rows import replaced
from zermelo.errors import IllegalMove, PositionError

GUESSES = 10  # the codebreaker has no more
MOST_PEGS = 6
MOST_COLOURS = 9
MOST_CODES = 4096  # a sampler looks at all of them
MAX_LENGTH = 200  # longest text that is parsed, in characters
# A reply is WHITE * (pegs of the right colour in the right place) + pegs of a right colour in a wrong place.
WHITE = 10
BITS = 3  # of the number of pegs of a colour


def reply_to(pegs: int, colours: int, guess: int, secret: int) -> int:
    """Return the reply to a guess: `WHITE` times the black key pegs, plus the white ones."""
    black = 0
    guessed = 0  # for each colour the number of pegs left over, in BITS bits
    hidden = 0
    for _ in range(pegs):
        first, second = guess % colours, secret % colours
        if first == second:
            black += 1
        else:
            guessed += 1 << BITS * first
            hidden += 1 << BITS * second
        guess //= colours
        secret //= colours
    white = 0
    for colour in range(colours):
        white += min(guessed >> BITS * colour & 7, hidden >> BITS * colour & 7)
    return WHITE * black + white


@game
class Mastermind(State):
    """Guess a hidden code of 4 pegs in 6 colours. MAX breaks the code, which MIN makes.

    Each guess is answered by the numbers of pegs of the right colour in the right place (black), and of right colours
    in wrong places (white). MAX wins 10 for a first guess that is right, 9 for the second, and so on to 1 for the
    tenth, and loses 10 if that one is wrong too. `Mastermind(pegs=3, colours=5)` is a smaller game.

    Notes
    -----
    A move is a code as a number in base `colours`, its first peg the highest digit.
    """

    pegs: int = 4
    colours: int = 6
    #: The code; -1 before it is made, and in the codebreaker's view.
    secret: int = -1
    guesses: tuple[int, int, int, int, int, int, int, int, int, int] = (-1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
    replies: tuple[int, int, int, int, int, int, int, int, int, int] = (-1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
    #: Number of guesses.
    made: int = 0

    max_utility = GUESSES
    perfect_information = False

    def to_move(self) -> int:
        return MIN if self.secret < 0 else MAX

    def moves(self) -> Iterator[int]:
        for code in range(self.colours**self.pegs):
            yield code

    def count_moves(self) -> int:
        return int(self.colours**self.pegs)

    def play(self, move: int) -> Mastermind:
        if self.secret < 0:
            return self.replace(secret=move)
        guesses, replies = self.guesses, self.replies
        reply = reply_to(self.pegs, self.colours, move, self.secret)
        return self.replace(
            guesses=replaced(guesses, self.made, move), replies=replaced(replies, self.made, reply),
            made=self.made + 1,
        )  # fmt: skip

    def is_found(self) -> bool:
        """Return whether the last guess was right."""
        return self.made > 0 and self.replies[self.made - 1] == WHITE * self.pegs

    def is_over(self) -> bool:
        return self.is_found() or self.made == GUESSES

    def utility(self) -> int:
        return GUESSES + 1 - self.made if self.is_found() else -GUESSES

    # ---- hidden information ----

    def is_consistent(self, code: int) -> bool:
        """Return whether a code explains all replies so far."""
        for index in range(self.made):
            if reply_to(self.pegs, self.colours, self.guesses[index], code) != self.replies[index]:
                return False
        return True

    def information_key(self, player: int) -> Bitboard:
        """Return a hash of the guesses and replies; for the codemaker also of the code."""
        key = Bitboard(self.pegs * MOST_COLOURS + self.colours)
        if player == MIN:
            key = hash_combine(key, self.secret + 1)
        for index in range(self.made):
            key = hash_combine(key, self.guesses[index] << 8 | self.replies[index])
        return key

    def resample(self, player: int, random: int) -> Mastermind:
        """Draw a code that explains all replies, each with the same probability."""
        if player == MIN or self.secret < 0:
            return self
        count = 0
        for code in range(self.colours**self.pegs):
            if self.is_consistent(code):
                count += 1
        left = below(next_word(Bitboard(random)), count)
        for code in range(self.colours**self.pegs):
            if self.is_consistent(code):
                if left == 0:
                    return self.replace(secret=code)
                left -= 1
        return self

    def information_state(self, player: int) -> str:
        """Return the guesses with their replies, `1122:1-0 1344:0-2`; for the codemaker after the code."""
        words = [
            f"{self.move_name(guess)}:{reply // WHITE}-{reply % WHITE}"
            for guess, reply in zip(self.guesses[: self.made], self.replies, strict=False)
        ]
        if player == MIN and self.secret >= 0:
            words.insert(0, self.move_name(self.secret))
        return " ".join([f"{self.pegs}x{self.colours}", *words])

    def view(self, player: int) -> Mastermind:
        """Return the state; for the codebreaker without the code, unless it is found."""
        return self if player == MIN or self.is_found() else self.replace(secret=-1)

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Mastermind:
        """Parse the numbers of pegs and colours, the code and the guesses so far: `4x6 3632 1122`.

        An empty text or `start` is `4x6`, before the code is made. Raises `PositionError` with the word that is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Mastermind position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.split()
        if words in ([], ["start"]):
            return cls()
        size = re.fullmatch(r"([1-9])x([1-9])", words[0])
        pegs, colours = (int(size[1]), int(size[2])) if size else (0, 0)
        if not size or pegs > MOST_PEGS or colours < 2 or colours**pegs > MOST_CODES:
            raise PositionError(
                f"Mastermind position: {words[0][:40]!r} is not a game; expected pegs and colours like 4x6: 1 to "
                f"{MOST_PEGS} pegs, 2 to {MOST_COLOURS} colours, at most {MOST_CODES:,} codes"
            )
        state = cls(pegs, colours)
        for word in words[1:]:
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"Mastermind position: {error}") from None
        return state

    def __str__(self) -> str:
        codes = [*([self.secret] if self.secret >= 0 else []), *self.guesses[: self.made]]
        return " ".join([f"{self.pegs}x{self.colours}", *map(self.move_name, codes)])

    def board(self) -> str:
        """Draw the code, hidden as question marks, and the guesses with their key pegs: ● black, ○ white."""
        code = self.move_name(self.secret) if self.secret >= 0 else "?" * self.pegs
        lines = [f"code  {' '.join(code)}"]
        for number in range(self.made):
            black, white = divmod(self.replies[number], WHITE)
            keys = "●" * black + "○" * white
            lines.append(f"{number + 1:>4}  {' '.join(self.move_name(self.guesses[number]))}  {keys}".rstrip())
        return "\n".join(lines)

    def player_name(self, player: int) -> str:
        return "codebreaker" if player == MAX else "codemaker"

    def move_name(self, move: int) -> str:
        """Return the colours of the pegs, from 1: `1122`."""
        digits = []
        for _ in range(self.pegs):
            digits.append(str(move % self.colours + 1))
            move //= self.colours
        return "".join(reversed(digits))

    def parse_move(self, text: str) -> int:
        """Parse the colours of the pegs. Raises `IllegalMove`."""
        name = text.strip()
        if self.is_over():
            raise IllegalMove(f"{name[:40]!r} cannot be played: the game is over")
        if len(name) != self.pegs or not all("1" <= digit <= str(self.colours) for digit in name):
            raise IllegalMove(
                f"{name[:40]!r} is not a code; expected {self.pegs} colours from 1 to {self.colours}, such as "
                f"{self.move_name(7 % self.colours**self.pegs)}"
            )
        code = 0
        for digit in name:
            code = code * self.colours + int(digit) - 1
        return code
