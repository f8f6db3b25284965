"""Cards, suits and seats as numbers, and sets of cards as bitboards.

card = 13 * suit + rank      suits: 0 spades, 1 hearts, 2 diamonds, 3 clubs      ranks: 0 two ... 12 ace
bits  0 .. 12 spades | 13 .. 25 hearts | 26 .. 38 diamonds | 39 .. 51 clubs
seats: 0 North, 1 East, 2 South, 3 West, clockwise; partners differ by 2
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard

NO_TRUMP = 4
SUITS = "SHDC"
#: Strains in the order of double-dummy tables.
STRAINS = ("S", "H", "D", "C", "NT")
SEATS = "NESW"
SEAT_NAMES = ("North", "East", "South", "West")
RANKS = "23456789TJQKA"
HAND = 13  # cards in a suit, and in a hand at the start
DECK = 52
NO_CARD = -1
SUIT = Bitboard((1 << HAND) - 1)


def suit_of(card: int) -> int:
    """Return the suit of a card, 0 to 3."""
    return card // HAND


def in_suit(cards: Bitboard, suit: int) -> Bitboard:
    """Return the cards of a suit as a set of ranks, bits 0 to 12."""
    return cards >> (HAND * suit) & SUIT


def card_name(card: int) -> str:
    """Return the name of a card: `SA`, `HT`."""
    return SUITS[card // HAND] + RANKS[card % HAND]
