"""Kuhn poker: three cards, one bet. The smallest game of poker, and of bluffing."""

from __future__ import annotations

from zermelo._util.text import quoted
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.errors import IllegalMove, PositionError

JACK = 1
KING = 3
CARDS = "-JQK"
CHECK = 0  # also to fold, where there is a bet
BET = 1  # also to call it
# What has been done since the deal, as in `Kuhn.actions`.
CHECKED = 0b10
OPENED = 0b11
CHECK_BET = 0b101
BET_FOLD = 0b110
BET_CALL = 0b111
CHECK_BET_FOLD = 0b1010
CHECK_BET_CALL = 0b1011
LONGEST = 200  # a text of more characters is no position


@game
class Kuhn(State):
    """Poker with three cards, an ante of 1 and one bet of 1. Neither player sees the other's card.

    H. W. Kuhn, A simplified two-person poker, Contributions to the Theory of Games I (1950). MAX acts first. Each
    player puts in a chip and is dealt one of jack, queen and king. Who acts may check or bet one more chip; after a
    bet the other folds or calls, and that is all. The higher card takes the chips, or whoever is not called.

    A deal is the number 4 * first card + second card. The other moves are `CHECK` (to fold, too) and `BET` (to call).
    """

    #: The cards of MAX and MIN: 1 jack, 2 queen, 3 king; 0 before the deal.
    first: int = 0
    second: int = 0
    #: What has been done since the deal: a 1, then a bit for each move, `CHECK` or `BET`.
    actions: int = 1

    max_utility = 2
    perfect_information = False

    def is_dealt(self):
        return self.first > 0

    def is_bet(self):
        """Whether there is a bet to be called."""
        return self.actions > 1 and self.actions & 1 == BET

    def to_move(self):
        if not self.is_dealt():
            return CHANCE
        return MIN if self.actions in (CHECKED, OPENED) else MAX

    def moves(self):
        yield CHECK
        yield BET

    def outcomes(self):
        for first in range(JACK, KING + 1):
            for second in range(JACK, KING + 1):
                if first != second:
                    yield 4 * first + second, 1

    def play(self, move):
        if not self.is_dealt():
            return Kuhn(move // 4, move % 4)
        return Kuhn(self.first, self.second, self.actions << 1 | move)

    def is_over(self):
        """After a bet and its answer, or two checks."""
        return self.actions > OPENED and self.actions != CHECK_BET

    def utility(self):
        won = MAX if self.first > self.second else MIN
        if self.actions in (BET_CALL, CHECK_BET_CALL):  # a bet was called
            return 2 * won
        if self.actions == BET_FOLD:
            return 1
        if self.actions == CHECK_BET_FOLD:
            return -1
        return won

    # ---- text ---------------------------------------------------------------------------------------------

    def information_state(self) -> str:
        """The mover's card, and what has been done: `Q`, `K bet`, `J check bet`."""
        card = self.first if self.to_move() == MAX else self.second
        return " ".join([CARDS[card] if self.is_dealt() else "no card", *self._done()])

    @classmethod
    def parse(cls, text: str) -> Kuhn:
        """The cards of the first and the second player, then what has been done: `JK`, `QK check bet`.

        An empty text or `start` is the game before the deal. Raises `PositionError`, naming the word that is wrong.
        """
        if len(text) > LONGEST:
            raise PositionError(f"Kuhn position: {len(text):,} characters; expected at most {LONGEST}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        cards = [CARDS.find(card) for card in words[0].upper()]
        if len(cards) != 2 or min(cards) < JACK or cards[0] == cards[1]:
            raise PositionError(f"Kuhn position: {quoted(words[0])} is no deal; expected two different cards like KJ")
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
        return " ".join([CARDS[self.first] + CARDS[self.second], *self._done()])

    def board(self) -> str:
        """Both cards, what has been done, and the chips in the pot."""
        if not self.is_dealt():
            return "no cards dealt yet\npot     2"
        bets = self.actions.bit_count() - 1
        done = ", ".join(self._done()) or "nothing yet"
        return f"first   {CARDS[self.first]}\nsecond  {CARDS[self.second]}\ndone    {done}\npot     {2 + bets}"

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the deal")

    def move_name(self, move: int) -> str:
        if not self.is_dealt():
            return CARDS[move // 4] + CARDS[move % 4]
        return ("fold", "call")[move] if self.is_bet() else ("check", "bet")[move]

    def _done(self) -> list[str]:
        """The names of what has been done."""
        names = []
        for place in range(self.actions.bit_length() - 2, -1, -1):
            before = Kuhn(self.first, self.second, self.actions >> place + 1)
            names.append(before.move_name(self.actions >> place & 1))
        return names
