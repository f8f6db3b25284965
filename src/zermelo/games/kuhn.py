"""Kuhn poker: three cards and one bet, the smallest poker with bluffing."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.errors import IllegalMove, PositionError

JACK = 1
KING = 3
CARDS = "-JQK"
CHECK = 0  # facing a bet: fold
BET = 1  # facing a bet: call
# Values of `Kuhn.actions`.
CHECKED = 0b10
OPENED = 0b11
CHECK_BET = 0b101
BET_FOLD = 0b110
BET_CALL = 0b111
CHECK_BET_FOLD = 0b1010
CHECK_BET_CALL = 0b1011
MAX_LENGTH = 200  # longest text that is parsed, in characters


@game
class Kuhn(State):
    """Poker with three cards, an ante of 1 and one bet of 1. Neither player sees the other's card.

    Each player antes one chip and is dealt one of jack, queen and king. MAX acts first. A player may check or bet one
    chip; facing a bet, a player folds or calls. After two checks or a call the higher card wins the pot; after a fold
    the other player does.

    Notes
    -----
    A deal is the move 4 * first card + second card. The other moves are `CHECK` (or fold) and `BET` (or call).

    References
    ----------
    H. W. Kuhn, "A Simplified Two-Person Poker", Contributions to the Theory of Games I (1950).
    """

    #: The cards of MAX and MIN: 1 jack, 2 queen, 3 king; 0 before the deal.
    first: int = 0
    second: int = 0
    #: The actions since the deal: a 1, then a bit for each, `CHECK` or `BET`.
    actions: int = 1

    max_utility = 2
    largest_move = BET
    perfect_information = False

    def is_dealt(self) -> bool:
        return self.first + self.second > 0  # in a player's view one of them is hidden

    def is_bet(self) -> bool:
        """Return whether the player to move faces a bet."""
        return self.actions > 1 and self.actions & 1 == BET

    def to_move(self) -> int:
        if not self.is_dealt():
            return CHANCE
        return MIN if self.actions in (CHECKED, OPENED) else MAX

    def moves(self) -> Iterator[int]:
        yield CHECK
        yield BET

    def outcomes(self) -> Iterator[tuple[int, int]]:
        for first in range(JACK, KING + 1):
            for second in range(JACK, KING + 1):
                if first != second:
                    yield 4 * first + second, 1

    def play(self, move: int) -> Kuhn:
        if not self.is_dealt():
            return Kuhn(move // 4, move % 4)
        return Kuhn(self.first, self.second, self.actions << 1 | move)

    def is_over(self) -> bool:
        """Return whether two checks, or a bet and its answer, have been made."""
        return self.actions > OPENED and self.actions != CHECK_BET

    def utility(self) -> int:
        won = MAX if self.first > self.second else MIN
        if self.actions in (BET_CALL, CHECK_BET_CALL):  # a bet was called
            return 2 * won
        if self.actions == BET_FOLD:
            return 1
        if self.actions == CHECK_BET_FOLD:
            return -1
        return won

    # ---- hidden information -------------------------------------------------------------------------------

    def card(self, player: int) -> int:
        """Return the card of a player; 0 before the deal."""
        return self.first if player == MAX else self.second

    def information_key(self, player: int) -> Bitboard:
        """Return the actions and the player's card, packed."""
        return Bitboard(self.actions) << 2 | Bitboard(self.card(player))

    def resample(self, player: int, random: int) -> Kuhn:
        """Draw the other player's card."""
        own = self.card(player)
        if own == 0:
            return self
        other = 1 + (random & 1)
        if other >= own:
            other += 1
        if player == MAX:
            return Kuhn(own, other, self.actions)
        return Kuhn(other, own, self.actions)

    def information_state(self, player: int) -> str:
        """Return the player's card and the actions so far: `Q`, `K bet`, `J check bet`."""
        return " ".join([CARDS[self.card(player)] if self.is_dealt() else "no card", *self._action_names()])

    def view(self, player: int) -> Kuhn:
        """Return the state without the other player's card."""
        return self.replace(second=0) if player == MAX else self.replace(first=0)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Kuhn:
        """Parse the cards of the first and the second player and the actions so far: `JK`, `QK check bet`.

        An empty text or `start` is the state before the deal. Raises `PositionError` with the word that is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Kuhn position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        cards = [CARDS.find(card) for card in words[0].upper()]
        if len(cards) != 2 or min(cards) < JACK or cards[0] == cards[1]:
            raise PositionError(f"Kuhn position: {quoted(words[0])} is not a deal; expected two cards like KJ")
        state = cls(*cards)
        for word in words[1:]:
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"Kuhn position: {error}") from None
        return state

    def __str__(self) -> str:
        if not self.is_dealt():
            return "start"
        return " ".join([CARDS[self.first] + CARDS[self.second], *self._action_names()])

    def board(self) -> str:
        """Draw both cards, the actions so far, and the chips in the pot."""
        if not self.is_dealt():
            return "no cards dealt yet\npot     2"
        bets = self.actions.bit_count() - 1
        done = ", ".join(self._action_names()) or "nothing yet"
        first, second = (CARDS[card].replace("-", "?") for card in (self.first, self.second))
        return f"first   {first}\nsecond  {second}\ndone    {done}\npot     {2 + bets}"

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the deal")

    def move_name(self, move: int) -> str:
        if not self.is_dealt():
            return CARDS[move // 4] + CARDS[move % 4]
        return ("fold", "call")[move] if self.is_bet() else ("check", "bet")[move]

    def _action_names(self) -> list[str]:
        """Return the names of the actions so far."""
        names = []
        for index in range(self.actions.bit_length() - 2, -1, -1):
            before = Kuhn(self.first, self.second, self.actions >> index + 1)
            names.append(before.move_name(self.actions >> index & 1))
        return names
