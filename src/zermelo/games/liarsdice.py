"""Liar's dice for two players: hidden dice, rising bids, and a challenge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid, Piece
from zermelo.errors import IllegalMove, PositionError

LIAR = 0  # the move that challenges the last bid
TEN = 10  # dice and bids are written in decimal digits
HAND = 1000  # a deal is HAND * first hand + second hand
MOST_DICE = 3  # of a player
MOST_FACES = 6
MAX_LENGTH = 400  # longest text that is parsed, in characters


def sorted_hand(roll: int, dice: int, faces: int) -> int:
    """Return dice, given as digits to the base `faces`, as decimal digits 1 .. faces, the largest first."""
    hand = 0
    for face in range(faces, 0, -1):
        rest = roll
        for _ in range(dice):
            if rest % faces + 1 == face:
                hand = TEN * hand + face
            rest //= faces
    return hand


def count_in(hand: int, face: int) -> int:
    """Return how many dice of a hand show a face."""
    count = 0
    while hand > 0:
        count += hand % TEN == face
        hand //= TEN
    return count


@game
class LiarsDice(State):
    """Liar's dice: raise the last bid, or call the bidder a liar if you do not believe it.

    Each player rolls dice that the other does not see. A bid says how many dice of all show a face, at least; the
    highest face is wild and counts as any. MAX begins. Each bid is higher than the last: a larger number, or the same
    number of a higher face. After `liar` all dice are shown: the bidder wins if the bid holds, else the other player.

    Notes
    -----
    A bid is the move 10 * number + face. A hand is its dice as decimal digits, the largest first.

    References
    ----------
    OpenSpiel's `liars_dice`; C. P. Ferguson, T. S. Ferguson, "Models for the Game of Liar's Dice", Stochastic Games and
    Related Topics (1991).
    """

    #: Dice of each player, 1 to 3, and their faces, 2 to 6.
    dice: int = 1
    faces: int = 6
    #: The hands; 0 before the roll, or where they are hidden in a view.
    first: int = 0
    second: int = 0
    #: The bids so far: the bit of a bid is faces * (number - 1) + face - 1.
    bids: Bitboard = Bitboard(0)
    is_called: bool = False

    largest_move = TEN * 2 * MOST_DICE + MOST_FACES
    perfect_information = False

    def is_rolled(self) -> bool:
        return self.first + self.second > 0  # in a player's view one of them is hidden

    def to_move(self) -> int:
        if not self.is_rolled():
            return CHANCE
        return MAX if self.bids.count() % 2 == 0 else MIN

    def moves(self) -> Iterator[int]:
        if self.bids:
            yield LIAR
        lowest = self.bids.last() + 1 if self.bids else 0
        for bid in range(lowest, 2 * self.dice * self.faces):
            yield TEN * (bid // self.faces + 1) + bid % self.faces + 1

    def outcomes(self) -> Iterator[tuple[int, int]]:
        rolls = self.faces**self.dice
        for first in range(rolls):
            if self.is_first_roll(first):
                for second in range(rolls):
                    if self.is_first_roll(second):
                        weight = self.rolls_of(first) * self.rolls_of(second)
                        hand = sorted_hand(second, self.dice, self.faces)
                        yield HAND * sorted_hand(first, self.dice, self.faces) + hand, weight

    def is_first_roll(self, roll: int) -> bool:
        """Return whether the digits of a roll do not fall, so that each hand has one of its rolls."""
        rest = roll
        last = 0
        for _ in range(self.dice):
            if rest % self.faces < last:
                return False
            last = rest % self.faces
            rest //= self.faces
        return True

    def rolls_of(self, roll: int) -> int:
        """Return how many rolls give the same hand: the number of orders of the dice."""
        hand = sorted_hand(roll, self.dice, self.faces)
        orders = 1
        for number in range(2, self.dice + 1):
            orders *= number
        for face in range(1, self.faces + 1):
            for number in range(2, count_in(hand, face) + 1):
                orders //= number
        return orders

    def play(self, move: int) -> LiarsDice:
        if not self.is_rolled():
            return self.replace(first=move // HAND, second=move % HAND)
        if move == LIAR:
            return self.replace(is_called=True)
        bid = self.faces * (move // TEN - 1) + move % TEN - 1
        return self.replace(bids=self.bids | Bitboard(1) << bid)

    def is_over(self) -> bool:
        return self.is_called

    def utility(self) -> int:
        bid = self.bids.last()
        face = bid % self.faces + 1
        shown = count_in(self.first, face) + count_in(self.second, face)
        if face != self.faces:
            shown += count_in(self.first, self.faces) + count_in(self.second, self.faces)
        bidder = MAX if self.bids.count() % 2 == 1 else MIN
        return bidder if shown > bid // self.faces else -bidder

    # ---- hidden information -------------------------------------------------------------------------------

    def hand(self, player: int) -> int:
        """Return the hand of a player; 0 before the roll."""
        return self.first if player == MAX else self.second

    def information_key(self, player: int) -> Bitboard:
        """Return the bids and the player's hand, packed."""
        return (self.bids << 10 | Bitboard(self.hand(player))) << 1 | Bitboard(int(self.is_called))

    def resample(self, player: int, random: int) -> LiarsDice:
        """Roll the other player's dice again."""
        if self.hand(player) == 0:
            return self
        other = sorted_hand(random % self.faces**self.dice, self.dice, self.faces)
        return self.replace(second=other) if player == MAX else self.replace(first=other)

    def information_state(self, player: int) -> str:
        """Return the player's dice and the bids so far: `4 1x5 2x5`."""
        hand = self.hand(player)
        return " ".join([str(hand) if hand else "no dice", *self._calls()])

    def view(self, player: int) -> LiarsDice:
        """Return the state without the other player's dice."""
        return self.replace(second=0) if player == MAX else self.replace(first=0)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> LiarsDice:
        """Parse dice and faces, both hands and the bids so far: `1d6`, `2d6 41 65 1x5 2x5 liar`.

        An empty text is one die of six faces each. Raises `PositionError` with the word that is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Liar's dice position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.split() or ["1d6"]
        found = re.fullmatch(r"([0-9])d([0-9])", words[0])
        if not found or not 1 <= int(found[1]) <= MOST_DICE or not 2 <= int(found[2]) <= MOST_FACES:
            raise PositionError(
                f"Liar's dice position: {quoted(words[0])} is not a number of dice and faces; expected 1d6, with 1 to "
                f"{MOST_DICE} dice of 2 to {MOST_FACES} faces"
            )
        state = cls(int(found[1]), int(found[2]))
        if len(words) == 1:
            return state
        try:
            state = state.play(state.parse_move(",".join(words[1:3])))
            for word in words[3:]:
                state = state.play(state.parse_move(word))
        except IllegalMove as error:
            raise PositionError(f"Liar's dice position: {error}") from None
        return state

    def parse_move(self, text: str) -> int:
        """Parse a bid, `liar`, or a roll: both hands with a comma, dice in any order."""
        if not self.is_over() and not self.is_rolled():
            ordered = ",".join("".join(sorted(hand, reverse=True)) for hand in text.strip()[:80].split(","))
            return super().parse_move(ordered)
        return super().parse_move(text)

    def __str__(self) -> str:
        size = f"{self.dice}d{self.faces}"
        if not self.is_rolled():
            return size
        return " ".join([size, str(self.first or "?"), str(self.second or "?"), *self._calls()])

    def board(self) -> str:
        """Draw both hands and the bids so far."""
        if not self.is_rolled():
            return f"{self.dice}d{self.faces} each, not rolled yet"
        calls = " ".join(self._calls()) or "none yet"
        return f"first   {self.first or '?'}\nsecond  {self.second or '?'}\nbids    {calls}"

    def picture(self) -> Grid:
        """Return both hands as rows of dice, with the bids below."""
        rows = [str(hand) if hand else "?" * self.dice for hand in (self.first, self.second)]
        dice = tuple(
            Piece(column, row, "tile", letter=face) for row, hand in enumerate(rows) for column, face in enumerate(hand)
        )
        return Grid(
            columns=self.dice,
            rows=2,
            row_labels=("first", "second"),
            pieces=dice if self.is_rolled() else (),
            captions=(
                " ".join(self._calls())
                or f"no bids yet; 1x1 bids at least one 1 among all dice ({self.faces} is wild)",
            ),
        )

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the dice")

    def move_name(self, move: int) -> str:
        if not self.is_rolled():
            return f"{move // HAND},{move % HAND}"
        return "liar" if move == LIAR else f"{move // TEN}x{move % TEN}"

    def _calls(self) -> list[str]:
        """Return the bids and the challenge."""
        bids = [f"{bid // self.faces + 1}x{bid % self.faces + 1}" for bid in self.bids]
        return [*bids, "liar"] if self.is_called else bids
