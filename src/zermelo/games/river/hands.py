"""Poker hands: cards, and the strength of the best five of up to seven cards.

A card is a number, 13 * suit + rank: suits are clubs, diamonds, hearts, spades, ranks 0 (two) to 12 (ace). A set of
cards is an int with bit `card` for each, so 13 bits in a row are a suit.
"""

from __future__ import annotations

from collections.abc import Iterable

from zermelo.errors import PositionError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = 52
SUIT_BITS = (1 << 13) - 1
#: The categories of hands, weakest first.
CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
(HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH) = range(len(CATEGORIES))
# The five ranks of each straight, the highest first. In the last one the ace counts as one.
STRAIGHTS = (*(0b11111 << low for low in range(8, -1, -1)), 1 << 12 | 0b1111)


def card_name(card: int) -> str:
    """Return the name of a card: `Ah` is the ace of hearts."""
    return RANKS[card % 13] + SUITS[card // 13]


def parse_card(text: str) -> int:
    """Parse a card: a rank and a suit, in any case. Raises `PositionError`."""
    if len(text) == 2:
        rank, suit = RANKS.find(text[0].upper()), SUITS.find(text[1].lower())
        if min(rank, suit) >= 0:
            return 13 * suit + rank
    raise PositionError(f"{text[:10]!r} is not a card; expected a rank of {RANKS} and a suit of {SUITS}, like Ah")


def card_set(cards: Iterable[int]) -> int:
    """Return a set of cards."""
    found = 0
    for card in cards:
        found |= 1 << card
    return found


def strength(cards: int) -> int:
    """Return the strength of the best five of a set of five to seven cards; a stronger hand has a larger number.

    Notes
    -----
    The number is 2**26 * category + 2**13 * the ranks of the pairs, triples or quadruples + the ranks of the other
    cards, where ranks are a set of bits. Sets of the same size compare as poker compares them, highest rank first. A
    full house has its triple before its pair, and a straight its highest rank alone.
    """
    # Ranks of which there are at least 1, 2, 3 and 4 cards.
    one = two = three = four = 0
    flush = 0
    for suit in range(4):
        ranks = cards >> 13 * suit & SUIT_BITS
        four |= three & ranks
        three |= two & ranks
        two |= one & ranks
        one |= ranks
        if ranks.bit_count() >= 5:
            flush = ranks
    straight = highest_straight(flush) if flush else 0
    if straight:
        return _packed(STRAIGHT_FLUSH, straight, 0)
    if four:
        return _packed(FOUR, four, highest(one & ~four, 1))
    if three and two.bit_count() > 1:
        triple = highest(three, 1)
        return _packed(FULL_HOUSE, triple, highest(two & ~triple, 1))
    if flush:
        return _packed(FLUSH, 0, highest(flush, 5))
    straight = highest_straight(one)
    if straight:
        return _packed(STRAIGHT, straight, 0)
    if three:
        return _packed(THREE, three, highest(one & ~three, 2))
    pairs = highest(two, 2)
    category = (HIGH_CARD, PAIR, TWO_PAIR)[pairs.bit_count()]
    return _packed(category, pairs, highest(one & ~pairs, 5 - 2 * pairs.bit_count()))


def category_of(hand_strength: int) -> int:
    """Return the category of a strength, an index of `CATEGORIES`."""
    return hand_strength >> 26


def highest(ranks: int, count: int) -> int:
    """Return the highest ranks of a set, at most `count`."""
    while ranks.bit_count() > count:
        ranks &= ranks - 1
    return ranks


def highest_straight(ranks: int) -> int:
    """Return the highest rank of the best straight in a set of ranks; 0 if there is none."""
    for place, straight in enumerate(STRAIGHTS):
        if ranks & straight == straight:
            return 1 << 12 - place
    return 0


def _packed(category: int, groups: int, others: int) -> int:
    return category << 26 | groups << 13 | others
