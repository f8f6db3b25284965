"""A simple rule for the card to play, of those that beginners learn: a player to compare searches with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.games.bridge.cards import HAND, NO_CARD, NO_TRUMP, in_suit, suit_of
from zermelo.games.bridge.tricks import beats, winner

if TYPE_CHECKING:
    from zermelo.games.bridge.play import BridgePlay


def simple_card(state: BridgePlay, random: int) -> int:
    """Return the card that a simple rule plays. It looks at the player's own cards and the current trick only.

    Lead the highest card of the longest suit, trumps last. Otherwise let partner's card win, or else win with the
    lowest card that does so. If none does, play the lowest card, trumps last. `random` is not used.
    """
    position = state.position
    playable = list(position.playable())
    trump = position.trump

    def cost(card: int) -> tuple[bool, int]:
        return suit_of(card) == trump, card % HAND

    lead = position.trick[0]
    if lead == NO_CARD:
        hand = position.hands[position.seat()]
        return max(
            playable,
            key=lambda card: (trump == NO_TRUMP or suit_of(card) != trump, in_suit(hand, suit_of(card)).count(), card),
        )
    cards = [card for card in position.trick if card != NO_CARD]
    first, second, third, fourth = [*cards, *[lead] * (4 - len(cards))]  # the card led does not beat itself
    place = winner(first, second, third, fourth, trump)
    if (len(cards) - place) % 2 == 1:  # an opponent's card wins the trick now
        winning = [card for card in playable if beats(card, cards[place], trump)]
        if winning:
            return min(winning, key=cost)
    return min(playable, key=cost)
