"""Notation: deals in PBN, cards such as `SA` and `HT`, and the diagram of the four hands.

A position is a deal as in a PBN Deal tag: the seat of the first hand and the hands clockwise, each with its spades,
hearts, diamonds and clubs. Optional words follow in this order: the strain (`S`, `H`, `D`, `C`, `NT`), the seat of the
leader (`N`, `E`, `S`, `W`), the tricks of North-South and East-West (`3-2`), and the cards of the trick so far:

    N:KQ3.AJ84.K52.A93 AJ85.Q6.QT84.KT4 T742.K93.A973.Q6 96.T752.J6.J8752 NT W 0-0

References
----------
T. Hommels and H. Staveren, "Portable Bridge Notation", version 2.1, 2004.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.errors import PositionError
from zermelo.games.bridge.cards import (
    HAND,
    NO_CARD,
    NO_TRUMP,
    RANKS,
    SEAT_NAMES,
    SEATS,
    STRAINS,
    SUITS,
    card_name,
    in_suit,
    suit_of,
)

if TYPE_CHECKING:
    from zermelo.games.bridge.rules import Bridge

#: The fields of a `Bridge` state.
Fields = tuple[tuple[Bitboard, Bitboard, Bitboard, Bitboard], int, int, tuple[int, int, int], int, int]
SYMBOLS = "♠♥♦♣"
MAX_LENGTH = 400  # longest text that is parsed, in characters
_FORM = "SEAT:HAND HAND HAND HAND [STRAIN LEADER TRICKS CARDS...], as in 'N:KQ3.AJ84.K52.A93 ... NT W 0-0 SA'"


def parse(text: str) -> Fields:
    """Parse a position; raises `PositionError` with the hand, card or word that is wrong."""
    if len(text) > MAX_LENGTH:
        raise PositionError(f"Bridge position: {len(text):,} characters; expected at most {MAX_LENGTH}")
    words = text.split()
    if len(words) < 4 or words[0][1:2] != ":" or words[0][0].upper() not in SEATS:
        raise PositionError(f"Bridge position: {quoted(text)} is not a deal; expected {_FORM}")
    first = SEATS.index(words[0][0].upper())
    hands = [Bitboard(0)] * 4
    holders: dict[int, int] = {}
    for place, word in enumerate([words[0][2:], *words[1:4]]):
        seat = (first + place) % 4
        hands[seat] = _parse_hand(word, seat, holders)
    strain, leader, taken, trick = _parse_play(words[4:], hands, holders)
    north, east, south, west = hands
    return (north, east, south, west), strain, leader, trick, *taken


def _parse_hand(word: str, seat: int, holders: dict[int, int]) -> Bitboard:
    """Parse a hand such as `KQ3.AJ84.K52.A93`, and record who holds its cards."""
    name = SEAT_NAMES[seat]
    suits = word.upper().replace("10", "T").split(".")
    if len(suits) != 4 and word != "-":
        raise PositionError(
            f"Bridge position: {name}'s hand {quoted(word)} has {len(suits)} suits; expected spades, hearts, diamonds "
            "and clubs with a point between them, as in KQ3.AJ84.K52.A93"
        )
    hand = Bitboard(0)
    for suit, ranks in enumerate(suits if word != "-" else ()):
        for rank in ranks:
            if rank not in RANKS:
                raise PositionError(
                    f"Bridge position: {quoted(rank)} in {name}'s hand {quoted(word)} is not a card; "
                    f"expected {RANKS[::-1]}"
                )
            card = HAND * suit + RANKS.index(rank)
            if card in holders:
                where = f"twice in {name}'s hand" if holders[card] == seat else (
                    f"in the hands of {SEAT_NAMES[holders[card]]} and {name}"
                )  # fmt: skip
                raise PositionError(f"Bridge position: {card_name(card)} is {where}")
            holders[card] = seat
            hand |= Bitboard(1) << card
    if hand.count() > HAND:
        raise PositionError(f"Bridge position: {name} has {hand.count()} cards; expected at most {HAND}")
    return hand


def _parse_play(
    words: list[str], hands: list[Bitboard], holders: dict[int, int]
) -> tuple[int, int, tuple[int, int], tuple[int, int, int]]:
    """Parse strain, leader, tricks and the cards of the trick, each of which may be missing."""
    strain, leader, taken = NO_TRUMP, 3, (0, 0)
    words = [word.upper() for word in words]
    if words:
        name = "NT" if words[0] == "N" else words[0]
        if name not in STRAINS:
            raise PositionError(f"Bridge position: {quoted(words[0])} is not a strain; expected S, H, D, C or NT")
        strain = STRAINS.index(name)
    if len(words) > 1:
        if len(words[1]) != 1 or words[1] not in SEATS:
            raise PositionError(f"Bridge position: {quoted(words[1])} is not the leader's seat; expected N, E, S or W")
        leader = SEATS.index(words[1])
    rest = words[2:]
    if rest and re.fullmatch("[0-9]{1,2}-[0-9]{1,2}", rest[0]):
        north_south, _, east_west = rest.pop(0).partition("-")
        taken = int(north_south), int(east_west)
    cards = [_parse_card(word.replace("10", "T")) for word in rest]
    if len(cards) > 3:
        raise PositionError(f"Bridge position: {len(cards)} cards in the current trick; expected at most 3")
    for place, card in enumerate(cards):
        if card in holders:
            raise PositionError(
                f"Bridge position: {card_name(card)} is in the current trick and in {SEAT_NAMES[holders[card]]}'s hand"
            )
        holders[card] = (leader + place) % 4
    _check_counts(hands, leader, taken, cards)
    trick = [*cards, NO_CARD, NO_CARD, NO_CARD]
    return strain, leader, taken, (trick[0], trick[1], trick[2])


def _parse_card(word: str) -> int:
    if len(word) != 2 or word[0] not in SUITS or word[1] not in RANKS:
        raise PositionError(
            f"Bridge position: {quoted(word)} is not a card; expected a suit and a rank, as in SA or HT"
        )
    return HAND * SUITS.index(word[0]) + RANKS.index(word[1])


def _check_counts(hands: list[Bitboard], leader: int, taken: tuple[int, int], cards: list[int]) -> None:
    """Check that all have equally many cards, that tricks and cards fit, and that the trick followed suit."""
    last = hands[(leader + 3) % 4].count()
    for seat in range(4):
        played = (seat - leader) % 4 < len(cards)
        expected = last - played
        if hands[seat].count() != expected:
            counts = ", ".join(f"{SEAT_NAMES[each]} {hands[each].count()}" for each in range(4))
            what = f" after {len(cards)} cards of a trick that {SEAT_NAMES[leader]} led" if cards else ""
            raise PositionError(f"Bridge position: the hands have {counts} cards; expected equally many{what}")
    if last + sum(taken) > HAND:
        raise PositionError(
            f"Bridge position: {taken[0]}-{taken[1]} tricks and {last} cards in a hand; expected at most {HAND} in all"
        )
    for place, card in enumerate(cards):
        seat = (leader + place) % 4
        if suit_of(card) != suit_of(cards[0]) and in_suit(hands[seat], suit_of(cards[0])):
            raise PositionError(
                f"Bridge position: {SEAT_NAMES[seat]} played {card_name(card)} and still has "
                f"{SUITS[suit_of(cards[0])]}; expected a card that follows suit"
            )


def hand_text(hand: Bitboard) -> str:
    """Return a hand in PBN: `KQ3.AJ84.K52.A93`."""
    return ".".join(suit_text(hand, suit) for suit in range(4))


def suit_text(hand: Bitboard, suit: int) -> str:
    """Return the ranks of a suit, the highest first."""
    return _ranks_text(in_suit(hand, suit))


@cache
def _ranks_text(ranks: Bitboard) -> str:
    return "".join(RANKS[rank] for rank in reversed(list(ranks)))


def deal_text(hands: tuple[Bitboard, ...]) -> str:
    """Return a deal in PBN, North's hand first."""
    return "N:" + " ".join(map(hand_text, hands))


def position_text(state: Bridge) -> str:
    """Return a position as `parse` reads it."""
    cards = [card_name(card) for card in state.trick if card != NO_CARD]
    words = [deal_text(state.hands), STRAINS[state.trump], SEATS[state.leader]]
    return " ".join([*words, f"{state.north_south}-{state.east_west}", *cards])


def diagram(state: Bridge, hidden: tuple[int, ...] = ()) -> str:
    """Return the four hands around the table, blank for hidden seats, the trick in the middle, and the tricks taken."""
    blocks = [
        [SEAT_NAMES[seat], *(_shown_suit(hand, suit, seat in hidden) for suit in range(4))]
        for seat, hand in enumerate(state.hands)
    ]
    north, east, south, west = blocks
    width, indent = 18, " " * 18
    middle = _table(state, is_over=not hidden and state.is_over())
    lines = [indent + line for line in north]
    lines += [f"{west[row]:{width}}{middle[row]:{width}}{east[row]}" for row in range(5)]
    lines += [indent + line for line in south]
    strain = "no trump" if state.trump == NO_TRUMP else f"{SYMBOLS[state.trump]} trumps"
    lines.append(f"{strain}; tricks: North-South {state.north_south}, East-West {state.east_west}")
    return "\n".join(line.rstrip() for line in lines)


def _shown_suit(hand: Bitboard, suit: int, hidden: bool) -> str:
    return "" if hidden else f"{SYMBOLS[suit]} {suit_text(hand, suit) or '-'}"


def _table(state: Bridge, is_over: bool) -> list[str]:
    """Return the five lines of the table: the cards of the trick at their seats, and who plays."""
    cards = ["", "", "", ""]
    for place, card in enumerate(state.trick):
        if card != NO_CARD:
            cards[(state.leader + place) % 4] = SYMBOLS[suit_of(card)] + RANKS[card % HAND]
    if not is_over:
        cards[state.seat()] = "?"
    north, east, south, west = cards
    return ["", f"   {north}", f"{west:6}{east}", f"   {south}", ""]
