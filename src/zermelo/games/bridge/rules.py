"""The play of the cards, with all hands open (double dummy)."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.rows import replaced
from zermelo.games.bridge import bounds as proven
from zermelo.games.bridge import notation, partition
from zermelo.games.bridge.cards import HAND, NO_CARD, NO_TRUMP, card_name, suit_of
from zermelo.games.bridge.ordering import follow_score, lead_score
from zermelo.games.bridge.tricks import winner

START = "N:KQ3.AJ84.K52.A93 AJ85.Q6.QT84.KT4 T742.K93.A973.Q6 96.T752.J6.J8752"


@game
class Bridge(State):
    """Bridge, the play of the cards with all hands open. MAX plays North and South, MIN East and West.

    Four hands of equally many cards, 13 at the start. The leader plays a card; the others play clockwise and must
    follow suit if they can. The highest trump wins the trick, or else the highest card of the suit led; its
    player leads next. The utility is the tricks of North and South less those of East and West.

    Notes
    -----
    A move is its card, 13 * suit + rank: see `zermelo.games.bridge.cards`.

    References
    ----------
    - B. Haglund and S. Hein, "Search Algorithms for a Bridge Double Dummy Solver", 2014.
    - M. L. Ginsberg, "GIB: Imperfect Information in a Computationally Challenging Game", JAIR 14, 2001.
    """

    #: The cards that North, East, South and West still hold.
    hands: tuple[Bitboard, Bitboard, Bitboard, Bitboard]
    #: 0 spades, 1 hearts, 2 diamonds, 3 clubs, 4 no trump.
    trump: int = NO_TRUMP
    #: Who leads, or led, to the current trick: 0 North, 1 East, 2 South, 3 West.
    leader: int = 3
    #: The first three cards of the current trick, `NO_CARD` where none is played yet.
    trick: tuple[int, int, int] = (NO_CARD, NO_CARD, NO_CARD)
    #: Tricks taken by North and South, and by East and West.
    north_south: int = 0
    east_west: int = 0

    max_utility = HAND
    largest_move = 51
    cheap_move_scores = True

    def played(self) -> int:
        """Return the number of cards in the current trick, 0 to 3."""
        first, second, third = self.trick
        return int(first >= 0) + int(second >= 0) + int(third >= 0)

    def seat(self) -> int:
        """Return who plays the next card: 0 North, 1 East, 2 South, 3 West."""
        return (self.leader + self.played()) & 3

    def playable(self) -> Bitboard:
        """Return the cards that may be played."""
        hand = self.hands[self.seat()]
        lead = self.trick[0]
        if lead >= 0:
            suit = Bitboard(0x1FFF) << (HAND * suit_of(lead))
            if hand & suit:
                return hand & suit
        return hand

    def to_move(self) -> int:
        return MAX if self.seat() & 1 == 0 else MIN

    def moves(self) -> Iterator[int]:
        for card in self.playable():
            yield card

    def play(self, move: int) -> Bridge:
        played = self.played()
        seat = (self.leader + played) & 3
        hands = replaced(self.hands, seat, self.hands[seat] ^ Bitboard(1) << move)
        first, second, third = self.trick
        north, east, south, west = hands
        if played == 0:
            return self.replace(hands=hands, trick=(move, second, third))
        if played == 1:
            return self.replace(hands=hands, trick=(first, move, third))
        if played == 2:
            return self.replace(hands=hands, trick=(first, second, move))
        taker = (self.leader + winner(first, second, third, move, self.trump)) & 3
        return Bridge(
            (north, east, south, west), self.trump, taker, (NO_CARD, NO_CARD, NO_CARD),
            self.north_south + (taker + 1 & 1), self.east_west + (taker & 1),
        )  # fmt: skip

    def is_over(self) -> bool:
        return not self.hands[(self.leader + 3) & 3]  # the last to play has no card left

    def utility(self) -> int:
        return self.north_south - self.east_west

    # ---- search -----------------------------------------------------------------------------------------------

    def bounds(self) -> tuple[int, int]:
        """Return what both sides have, plus the sure tricks of each (`zermelo.games.bridge.bounds`)."""
        left = self.hands[(self.leader + 3) & 3].count()
        settled = self.north_south - self.east_west
        least, most = 0, left  # further tricks of North and South
        if self.trick[0] == NO_CARD:
            sure, lost = proven.sure_tricks(self.hands, self.trump, self.leader)
            least, most = (sure, left - lost) if self.leader & 1 == 0 else (lost, left - sure)
        return settled + 2 * least - left, settled + 2 * most - left

    def candidates(self) -> Iterator[int]:
        """Yield the playable cards, of equal cards (no card left between them) the highest only.

        The highest is the one whose trick rests on the fewest ranks.
        """
        playable = self.playable()
        north, east, south, west = self.hands
        others = north | east | south | west
        for card in self.trick:
            if card >= 0:
                others |= Bitboard(1) << card
        others ^= self.hands[self.seat()]
        for card in playable:
            higher = playable & Bitboard(0x1FFF) << (HAND * suit_of(card)) & ~((Bitboard(2) << card) - 1)
            if higher:
                between = (Bitboard(1) << higher.first()) - (Bitboard(1) << card)
                if not between & others:
                    continue
            yield card

    def settled(self) -> int:
        return self.north_south - self.east_west

    def partition_key(self) -> Bitboard:
        """Return a key of strain, leader and the lengths of the suits where a trick begins; 0 within a trick."""
        if self.trick[0] != NO_CARD:
            return Bitboard(0)
        return partition.lengths_key(self.hands, self.trump, self.leader)

    def features(self) -> tuple[Bitboard, Bitboard]:
        """Return who holds each card, by its rank among the cards left (`zermelo.games.bridge.partition`)."""
        return partition.holders(self.hands)

    def relevance(self, move: int, below: int, searched: Bitboard, is_cutoff: bool) -> Bitboard:
        first, second, third = self.trick
        mask = Bitboard(below)  # ranks are counted among the cards left before the trick
        if third != NO_CARD:
            mask = partition.before_trick(self.hands, first, second, third, move, self.trump, mask)
        if is_cutoff:
            return mask
        return partition.with_equals(self.hands, first, second, third, self.seat(), mask | searched)

    def bounds_relevance(self, alpha: int, beta: int) -> Bitboard:
        left = self.hands[(self.leader + 3) & 3].count()
        settled = self.north_south - self.east_west
        if self.trick[0] != NO_CARD or settled - left >= beta or settled + left <= alpha:
            return Bitboard(0)
        # The tricks with which the leader's side reaches its end of the window.
        wanted = (beta - settled + left + 1) // 2 if self.leader & 1 == 0 else (settled + left - alpha + 1) // 2
        return proven.relevance(self.hands, self.trump, self.leader, wanted)

    def move_score(self, move: int) -> int:
        """Return how promising a card is: see `zermelo.games.bridge.ordering`."""
        played = self.played()
        seat = (self.leader + played) & 3
        if played == 0:
            return lead_score(self.hands, self.trump, seat, move)
        first, second, third = self.trick
        return follow_score(self.hands, self.trump, seat, played, first, second, third, move)

    # ---- text and picture -----------------------------------------------------------------------------------

    @classmethod
    def start(cls) -> Bridge:
        """Return a deal drawn at random, in no trump with West to lead."""
        return cls.parse(START)

    @classmethod
    def parse(cls, text: str) -> Bridge:
        """Parse a deal in PBN with strain, leader, tricks and the cards of the current trick: see `notation`."""
        return cls(*notation.parse(text))

    def __str__(self) -> str:
        return notation.position_text(self)

    def board(self) -> str:
        return notation.diagram(self)

    def player_name(self, player: int) -> str:
        return {MAX: "North-South", MIN: "East-West", CHANCE: "the deal"}[player]

    def move_name(self, move: int) -> str:
        return card_name(move)

    def parse_move(self, text: str) -> int:
        """Parse a legal card: `SA`, `sa`, `S10`; raises `IllegalMove` with the legal cards."""
        return State.parse_move(self, text.strip().upper().replace("10", "T"))
