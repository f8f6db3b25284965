"""The play of the cards with hidden hands: a contract, a deal, and four players of whom three see two hands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.rows import replaced
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.bridge.cards import DECK, HAND, NO_CARD, NO_TRUMP, SEAT_NAMES, SEATS, STRAINS, card_name, suit_of
from zermelo.games.bridge.notation import MAX_LENGTH, deal_text, diagram, hand_text
from zermelo.games.bridge.rules import Bridge
from zermelo.games.bridge.simple import simple_card

SOUTH = 2
BOOK = 6  # tricks that a contract takes besides its level
ALL_CARDS = (1 << DECK) - 1
CARDS = {card_name(card): card for card in range(DECK)}
_FORM = "expected a contract such as 3NT or 4S, and optionally the declarer's seat, a deal and the cards played"


@game(compiled=False)
class BridgePlay(State):
    """Bridge, the play of the cards with hidden hands. MAX plays North and South, MIN East and West.

    The contract is given; there is no auction. The player on the declarer's left leads. Then the declarer's partner,
    the dummy, lays down its cards, and the declarer plays both hands. Each defender sees its own cards and dummy's. The
    rules and the utility are those of `Bridge`.

    Notes
    -----
    East and West know different things, so MIN (in a contract of East or West: MAX) has no perfect recall.

    The default contract is 3NT by South, with a deal drawn by chance.
    """

    #: The level of the contract, 1 to 7.
    level: int = 3
    #: 0 North, 1 East, 2 South, 3 West.
    declarer: int = SOUTH
    #: The position with open hands.
    position: Bridge = Bridge((Bitboard(0), Bitboard(0), Bitboard(0), Bitboard(0)), NO_TRUMP, SOUTH + 1)
    #: The cards that are not dealt yet. Cards are dealt one at a time, clockwise, the first one to North.
    deck: Bitboard = Bitboard(ALL_CARDS)
    #: The seats and cards of the play so far, in order.
    played: tuple = ()  # type: ignore[type-arg]
    #: In a view of an unfinished state: the seats whose cards are not shown.
    hidden: tuple = ()  # type: ignore[type-arg]

    max_utility = HAND
    largest_move = DECK - 1
    perfect_information = False
    perfect_recall = False
    strategies = {"simple": simple_card}

    def to_move(self) -> int:
        return CHANCE if self.deck else self.position.to_move()

    def moves(self) -> Iterator[int]:
        return self.position.moves()

    def outcomes(self) -> Iterator[tuple[int, int]]:
        for card in self.deck:
            yield card, 1

    def play(self, move: int) -> BridgePlay:
        if not self.deck:
            return self.replace(position=self.position.play(move), played=(*self.played, (self.position.seat(), move)))
        card = Bitboard(1) << move
        seat = self._dealt() % 4
        hands = replaced(self.position.hands, seat, self.position.hands[seat] | card)
        return self.replace(position=self.position.replace(hands=hands), deck=self.deck ^ card)

    def is_over(self) -> bool:
        return not self.deck and self.position.is_over()

    def utility(self) -> int:
        return self.position.utility()

    # ---- hidden information ----

    def open_state(self) -> Bridge:
        """Return the position with open hands."""
        return self.position

    def member(self, player: int) -> int:
        """Return the seat whose knowledge a side has: the declarer, or the defender who plays now or next."""
        if player == _side(self.declarer):
            return self.declarer
        seat = self.position.seat()
        return seat if _side(seat) == player else (seat + 1) % 4

    def seen(self, player: int) -> tuple[int, ...]:
        """Return the seats whose cards a side sees: its member's, and dummy's after the opening lead."""
        if self.deck:
            return ()
        dummy = (self.declarer + 2) % 4
        return (self.member(player), dummy) if self.played else (self.member(player),)

    def unseen(self, player: int) -> tuple[int, ...]:
        """Return the other seats."""
        seen = self.seen(player)
        return tuple(seat for seat in range(4) if seat not in seen)

    def information_state(self, player: int) -> str:
        """Return the contract, the hands that the side sees, and the cards played.

        Before the deal is complete, the number of cards dealt.
        """
        if self.deck:
            return f"{self.contract()} | {self._dealt()} cards dealt"
        hands = [f"{SEATS[seat]}:{hand_text(self.position.hands[seat])}" for seat in self.seen(player)]
        cards = " ".join(card_name(card) for _, card in self.played)
        return " | ".join([self.contract(), *hands, cards or "-"])

    def voids(self) -> list[set[int]]:
        """Return the suits that each seat does not hold any more, because it did not follow suit."""
        found: list[set[int]] = [set() for _ in SEATS]
        for index, (seat, card) in enumerate(self.played):
            led = suit_of(self.played[index - index % 4][1])
            if suit_of(card) != led:
                found[seat].add(led)
        return found

    def resample(self, player: int, random: int) -> BridgePlay:
        """Deal the cards that the side does not see at random, with the lengths of the hands and the known voids.

        All such deals are equally likely. Voids are known only after the opening lead, and then two hands are hidden:
        a card of a suit that one of them does not hold is in the other, and the rest is dealt evenly.
        """
        source = Random(random)
        if self.deck:
            cards = list(range(DECK))
            source.shuffle(cards)
            dealt, rest = cards[: self._dealt()], cards[self._dealt() :]
            hands = [_hand(dealt[seat::4]) for seat in range(4)]
            return self.replace(position=self._with_hands(hands), deck=_hand(rest))
        seats, voids = self.unseen(player), self.voids()
        hands = list(self.position.hands)
        unseen = [card for seat in seats for card in hands[seat]]
        forced = {
            seat: {card for card in unseen if all(suit_of(card) in voids[other] for other in seats if other != seat)}
            for seat in seats
        }
        free = sorted(set(unseen).difference(*forced.values()))
        source.shuffle(free)
        for seat in seats:
            count = hands[seat].count() - len(forced[seat])
            hands[seat] = _hand([*forced[seat], *free[:count]])
            free = free[count:]
        return self.replace(position=self._with_hands(hands))

    def view(self, player: int) -> BridgePlay:
        """Return the state without the hands that the side does not see."""
        if self.is_over():
            return self
        hidden = self.unseen(player)
        hands = [Bitboard(0) if seat in hidden else hand for seat, hand in enumerate(self.position.hands)]
        deck = Bitboard((1 << self.deck.count()) - 1)
        return self.replace(position=self._with_hands(hands), deck=deck, hidden=hidden)

    def _with_hands(self, hands: list[Bitboard]) -> Bridge:
        north, east, south, west = hands
        return self.position.replace(hands=(north, east, south, west))

    def _dealt(self) -> int:
        return DECK - self.deck.count()

    # ---- text ----

    def contract(self) -> str:
        """Return the contract and its declarer: `3NT S`."""
        return f"{self.level}{STRAINS[self.position.trump]} {SEATS[self.declarer]}"

    def result(self) -> str:
        """Return the tricks that the declarer needs, or the result: `made`, `made with 1 overtrick`, `down 2`.

        Empty for a deal of fewer than 13 cards a hand.
        """
        shown = next((seat for seat in range(4) if seat not in self.hidden), None)
        if shown is not None and not self.deck:
            cards = self.position.hands[shown].count() + sum(seat == shown for seat, _ in self.played)
            if cards < HAND:
                return ""
        needed = BOOK + self.level
        if self.hidden or not self.is_over():
            return f"{needed} tricks to take"
        taken = self.position.north_south if _side(self.declarer) == MAX else self.position.east_west
        if taken < needed:
            return f"down {needed - taken}"
        over = taken - needed
        return f"made with {over} overtrick{'s' * (over > 1)}" if over else "made"

    @classmethod
    def parse(cls, text: str) -> BridgePlay:
        """Parse a contract, the declarer, a deal in PBN and the cards played: `4S W N:AK... ... HA H2`.

        The declarer is South unless stated. Without a deal the cards after the declarer are those that were dealt. An
        empty text or `start` is `3NT S`. Raises `PositionError` with what is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"Bridge position: {len(text):,} characters; expected at most {MAX_LENGTH}")
        words = text.upper().split()
        if words in ([], ["START"]):
            return cls()
        contract = re.fullmatch(r"([1-7])(S|H|D|C|NT?)", words.pop(0))
        if not contract:
            raise PositionError(f"Bridge position: {quoted(text.split()[0])} is not a contract; {_FORM}")
        strain = contract[2] if contract[2] != "N" else "NT"
        declarer = SEATS.index(words.pop(0)) if words and words[0] in list(SEATS) else SOUTH
        leader = (declarer + 1) % 4
        state = cls(int(contract[1]), declarer, cls().position.replace(trump=STRAINS.index(strain), leader=leader))
        if words and ":" in words[0]:
            deal, words = " ".join(words[:4]), words[4:]
            state = state.replace(position=Bridge.parse(f"{deal} {strain} {SEATS[leader]}"), deck=Bitboard(0))
        for word in words:
            try:
                state = state.play(state.parse_move(word))
            except IllegalMove as error:
                raise PositionError(f"Bridge position: {error}") from None
        return state

    def __str__(self) -> str:
        hands = list(self.position.hands)
        if self.deck:
            dealt = [list(hand) for hand in hands]
            names = [card_name(dealt[number % 4][number // 4]) for number in range(self._dealt())]
            return " ".join([self.contract(), *names])
        for seat, card in self.played:
            hands[seat] |= Bitboard(1) << card
        return " ".join([self.contract(), deal_text(tuple(hands)), *(card_name(card) for _, card in self.played)])

    def board(self) -> str:
        """Draw the hands around the table, without those that are hidden; state the last trick and the contract."""
        lines = [diagram(self.position, self.hidden)]
        complete = len(self.played) // 4 * 4
        if complete:
            cards = (f"{SEAT_NAMES[seat]} {card_name(card)}" for seat, card in self.played[complete - 4 : complete])
            lines.append(f"last trick: {', '.join(cards)}")
        contract, result = f"{self.contract().split()[0]} by {SEAT_NAMES[self.declarer]}", self.result()
        return "\n".join([*lines, f"{contract}: {result}" if result else contract])

    def player_name(self, player: int) -> str:
        return self.position.player_name(player)

    def move_name(self, move: int) -> str:
        return card_name(move)

    def parse_move(self, text: str) -> int:
        """Parse a legal card: `SA`, `sa`, `S10`; raises `IllegalMove` with the legal cards."""
        name = text.strip().upper().replace("10", "T")
        card = CARDS.get(name, NO_CARD)
        if card in self.deck:  # quick, since the text of a deal has 52 cards
            return card
        return State.parse_move(self, name)


def _side(seat: int) -> int:
    return MAX if seat % 2 == 0 else MIN


def _hand(cards: list[int]) -> Bitboard:
    return Bitboard(sum(1 << card for card in cards))
