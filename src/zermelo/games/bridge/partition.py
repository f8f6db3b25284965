"""Which cards a result rests on: winning ranks.

Features are the holders of the cards, by rank among the cards left where the trick began: of each suit, bit 12 of its
13 bits is the highest card left, bit 11 the next. The holder's seat is two bits, one in each word. A mask has the
highest cards of each suit that matter; of the others only the number in each hand does, which the key holds.

References
----------
- M. L. Ginsberg, "Partition Search", AAAI 1996.
- B. Haglund and S. Hein, "Search Algorithms for a Bridge Double Dummy Solver", 2014, section 3.6.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import hash_combine
from zermelo.games.bridge.cards import HAND, SUIT, in_suit
from zermelo.games.bridge.tricks import winner

Hands = tuple[Bitboard, Bitboard, Bitboard, Bitboard]


def lengths_key(hands: Hands, trump: int, leader: int) -> Bitboard:
    """Return a key of strain, leader, and the number of cards of each suit in each hand. It is never 0."""
    lengths = Bitboard(0)
    for hand in hands:
        for suit in range(4):
            lengths = lengths << 4 | in_suit(hand, suit).count()
    mixed = hash_combine(lengths * 0x9E3779B97F4A7C15, 8 * trump + leader + 1)
    return (mixed * 0xD6E8FEB86659FD93 ^ mixed >> 31) | 1 << 63


def holders(hands: Hands) -> tuple[Bitboard, Bitboard]:
    """Return the two words of the features."""
    north, east, south, west = hands
    cards, low, high = north | east | south | west, east | west, south | west
    first = second = Bitboard(0)
    for suit in range(4):
        left, bit = in_suit(cards, suit), Bitboard(1) << (HAND * suit + HAND - 1)
        lows, highs = in_suit(low, suit), in_suit(high, suit)
        while left:
            rank = left.last()
            card = Bitboard(1) << rank
            left ^= card
            if lows & card:
                first |= bit
            if highs & card:
                second |= bit
            bit >>= 1
    return first, second


def top(count: int) -> Bitboard:
    """Return the mask of the highest `count` cards of a suit."""
    return SUIT & SUIT << (HAND - count)


def before_trick(
    hands: Hands, first: int, second: int, third: int, fourth: int, trump: int, below: Bitboard
) -> Bitboard:
    """Convert a mask after a trick to one before it, with the card that won the trick by its rank."""
    north, east, south, west = hands
    after = (north | east | south | west) & ~(Bitboard(1) << fourth)
    before = after | Bitboard(1) << first | Bitboard(1) << second | Bitboard(1) << third | Bitboard(1) << fourth
    place = winner(first, second, third, fourth, trump)
    card = first if place == 0 else second if place == 1 else third if place == 2 else fourth
    taken = card // HAND
    same = int(first // HAND == taken) + int(second // HAND == taken) + int(third // HAND == taken)
    same += int(fourth // HAND == taken)
    mask = Bitboard(0)
    for suit in range(4):
        count = 0
        relevant = in_suit(below, suit)
        if relevant:
            left = in_suit(after, suit)
            for _ in range(relevant.count() - 1):
                left ^= Bitboard(1) << left.last()
            count = (in_suit(before, suit) >> left.last()).count()
        if suit == taken and same > 1:
            count = max(count, (in_suit(before, suit) >> (card % HAND)).count())
        mask |= top(count) << (HAND * suit)
    return mask


def with_equals(hands: Hands, first: int, second: int, third: int, seat: int, mask: Bitboard) -> Bitboard:
    """Extend a mask that ends among equal cards of the seat, of which the highest is searched for all.

    The proof covers the lower ones because they are equal to the highest. In a deal in which they are not, playing one
    of them is another move, unless a lower card has been searched: low cards are all the same.
    """
    cards = hands[0] | hands[1] | hands[2] | hands[3]
    for played in (first, second, third):
        if played >= 0:
            cards |= Bitboard(1) << played
    hand = hands[seat]
    suits = mask
    if first >= 0:
        led = SUIT << (HAND * (first // HAND))
        if hand & led:
            suits &= led
    for suit in range(4):
        matters = in_suit(suits, suit)
        if not matters:
            continue
        own, left = in_suit(hand, suit), in_suit(cards, suit)
        if not own:
            continue
        lowest = own.first()
        # The rank at which the mask ends.
        end = left
        for _ in range(matters.count() - 1):
            end ^= Bitboard(1) << end.last()
        if end.last() > lowest:
            between = (Bitboard(1) << (end.last() + 1)) - (Bitboard(1) << lowest)
            if not between & left & ~own:
                mask |= top((left >> lowest).count()) << (HAND * suit)
    return mask
