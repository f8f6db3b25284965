"""Leduc hold'em: six cards, two rounds of betting and a public card; the usual test game of poker research."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid
from zermelo.core.random_numbers import random_below
from zermelo.errors import IllegalMove, PositionError

JACK = 1
KING = 3
CARDS = "?JQK"
SUITS = 2  # cards of each rank
FOLD = 0
CALL = 1  # without a bet: check
RAISE = 2
ANTE = 1
RAISES = (2, 4)  # chips of a raise in the first and in the second round
MOST_RAISES = 2  # in a round
EMPTY = 1  # the actions of a round that has not begun
# The bit of each action that is set for a raise.
RAISE_BITS = Bitboard(0xAAAAAAAAAAAAAAAA)
MAX_LENGTH = 200  # longest text that is parsed, in characters


def raises_in(actions: int) -> int:
    """Return the number of raises in a round."""
    return (Bitboard(actions) & RAISE_BITS).count()


def is_complete(actions: int) -> bool:
    """Return whether a round has ended by a call or by two checks."""
    return actions & 3 == CALL and actions > (EMPTY << 2 | CALL)


def is_fold(actions: int) -> bool:
    """Return whether a round has ended by a fold."""
    return actions > EMPTY and actions & 3 == FOLD


def first_moves(actions: int) -> bool:
    """Return whether the first player moves next in a round: after an even number of actions."""
    return actions in (0b1, 0b1_0110, 0b1_1010)


@game
class Leduc(State):
    """Leduc hold'em: jacks, queens and kings, two of each; a card for each player and a public card.

    Each player antes one chip and is dealt a card. In a round of betting, MAX first, a player checks or raises; facing
    a raise, a player folds, calls or raises again. There are at most two raises in a round, of 2 chips in the first and
    4 in the second. Between the rounds a public card is dealt. At the end a pair with the public card wins the pot,
    else the higher card does; equal cards split it.

    Notes
    -----
    The deal is the move 4 * first card + second card, the public card its rank; cards are 1 (jack) to 3 (king). The
    other moves are `FOLD`, `CALL` (or check) and `RAISE`. The actions of a round are a 1, then two bits for each.

    References
    ----------
    F. Southey, M. Bowling, B. Larson, C. Piccione, N. Burch, D. Billings, C. Rayner, "Bayes' Bluff: Opponent Modelling
    in Poker", UAI 2005.
    """

    #: The cards of MAX and MIN, and the public card; 0 before they are dealt, or where they are hidden in a view.
    first: int = 0
    second: int = 0
    public: int = 0
    #: The actions of both rounds.
    opening: int = EMPTY
    closing: int = EMPTY

    max_utility = 13
    largest_move = RAISE
    perfect_information = False

    def is_dealt(self) -> bool:
        return self.first + self.second > 0  # in a player's view one of them is hidden

    def betting(self) -> int:
        """Return the actions of the current round."""
        return self.closing if self.public > 0 else self.opening

    def to_move(self) -> int:
        if not self.is_dealt() or (self.public == 0 and is_complete(self.opening)):
            return CHANCE
        return MAX if first_moves(self.betting()) else MIN

    def moves(self) -> Iterator[int]:
        raises = raises_in(self.betting())
        if raises > 0:
            yield FOLD
        yield CALL
        if raises < MOST_RAISES:
            yield RAISE

    def cards_left(self, rank: int) -> int:
        """Return how many cards of a rank neither player holds."""
        return SUITS - (self.first == rank) - (self.second == rank)

    def outcomes(self) -> Iterator[tuple[int, int]]:
        if self.is_dealt():
            for rank in range(JACK, KING + 1):
                if self.cards_left(rank) > 0:
                    yield rank, self.cards_left(rank)
        else:
            for first in range(JACK, KING + 1):
                for second in range(JACK, KING + 1):
                    yield 4 * first + second, SUITS * (SUITS - (first == second))

    def play(self, move: int) -> Leduc:
        if not self.is_dealt():
            return Leduc(move // 4, move % 4)
        if self.public > 0:
            return self.replace(closing=self.closing << 2 | move)
        if is_complete(self.opening):
            return self.replace(public=move)
        return self.replace(opening=self.opening << 2 | move)

    def is_over(self) -> bool:
        return is_fold(self.opening) or is_fold(self.closing) or is_complete(self.closing)

    def stakes(self) -> int:
        """Return the chips that both players have paid: without the last raise where it was not answered."""
        raised = raises_in(self.opening) * RAISES[0] + raises_in(self.closing) * RAISES[1]
        if raises_in(self.betting()) > 0 and self.betting() & 3 != CALL:
            raised -= RAISES[1] if self.public > 0 else RAISES[0]
        return ANTE + raised

    def utility(self) -> int:
        if is_fold(self.betting()):
            return self.stakes() * (MIN if first_moves(self.betting() >> 2) else MAX)
        if self.first == self.second:
            return 0
        if self.first == self.public or (self.second != self.public and self.first > self.second):
            return self.stakes()
        return -self.stakes()

    # ---- hidden information -------------------------------------------------------------------------------

    def card(self, player: int) -> int:
        """Return the card of a player; 0 before the deal."""
        return self.first if player == MAX else self.second

    def information_key(self, player: int) -> Bitboard:
        """Return the actions, the public card and the player's card, packed."""
        return Bitboard((self.opening << 10 | self.closing) << 4 | self.public << 2 | self.card(player))

    def resample(self, player: int, random: int) -> Leduc:
        """Draw the other player's card from those that are left."""
        own = self.card(player)
        if own == 0:
            return self
        left = SUITS * KING - 1 - (self.public > 0)
        index = random_below(left, random)
        other = JACK
        for rank in range(JACK, KING + 1):
            index -= SUITS - (rank == own) - (rank == self.public)
            if index < 0:
                other = rank
                break
        return self.replace(second=other) if player == MAX else self.replace(first=other)

    def information_state(self, player: int) -> str:
        """Return the player's card, the actions and the public card so far: `Q`, `K raise call J check`."""
        return " ".join([CARDS[self.card(player)] if self.is_dealt() else "no card", *self._course()])

    def view(self, player: int) -> Leduc:
        """Return the state without the other player's card."""
        return self.replace(second=0) if player == MAX else self.replace(first=0)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Leduc:
        """Parse the cards of both players, the actions and the public card so far: `JK`, `QK raise call Q check`.

        An empty text or `start` is the state before the deal. Raises `PositionError` with the word that is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Leduc position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        cards = [CARDS.find(card) for card in words[0].upper()]
        if len(cards) != 2 or min(cards) < JACK:
            raise PositionError(f"Leduc position: {quoted(words[0])} is not a deal; expected two cards like KJ")
        state = cls(*cards)
        for word in words[1:]:
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"Leduc position: {error}") from None
        return state

    def __str__(self) -> str:
        if not self.is_dealt():
            return "start"
        return " ".join([CARDS[self.first] + CARDS[self.second], *self._course()])

    def board(self) -> str:
        """Draw the cards, the actions so far, and the chips in the pot."""
        if not self.is_dealt():
            return f"no cards dealt yet\npot     {self.pot()}"
        public = CARDS[self.public] if self.public else "-"
        done = " ".join(self._course()) or "nothing yet"
        return (
            f"first   {CARDS[self.first]}\nsecond  {CARDS[self.second]}\npublic  {public}\n"
            f"done    {done}\npot     {self.pot()}"
        )

    def picture(self) -> Grid:
        """Return the three cards side by side, with the actions and the pot below."""
        cards = []
        if self.is_dealt():
            cards = [(0, 0, CARDS[self.first]), (2, 0, CARDS[self.second])]
        if self.public:
            cards.append((1, 0, CARDS[self.public]))
        return Grid(
            columns=3,
            rows=1,
            column_labels=("first", "public", "second"),
            corner_labels=tuple(cards),
            captions=(" ".join(self._course()) or "no actions yet", f"pot {self.pot()}"),
        )

    def pot(self) -> int:
        """Return the chips in the pot: an unanswered raise included."""
        raised = raises_in(self.opening) * RAISES[0] + raises_in(self.closing) * RAISES[1]
        return self.stakes() + ANTE + raised

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the deal")

    def move_name(self, move: int) -> str:
        if not self.is_dealt():
            return CARDS[move // 4] + CARDS[move % 4]
        if self.to_move() == CHANCE:
            return CARDS[move]
        return ("fold", "call" if raises_in(self.betting()) else "check", "raise")[move]

    def _course(self) -> list[str]:
        """Return the names of the actions, and the public card between the rounds."""
        names = _action_names(self.opening)
        if self.public:
            names += [CARDS[self.public], *_action_names(self.closing)]
        return names


def _action_names(actions: int) -> list[str]:
    """Return the names of the actions of a round."""
    names: list[str] = []
    for index in range(actions.bit_length() - 3, -1, -2):
        calls = "call" if "raise" in names else "check"
        names.append(("fold", calls, "raise")[actions >> index & 3])
    return names
