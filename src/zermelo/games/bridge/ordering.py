"""Move ordering: which card is tried first."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.bridge.cards import HAND, NO_TRUMP, in_suit
from zermelo.games.bridge.tricks import beats

Hands = tuple[Bitboard, Bitboard, Bitboard, Bitboard]


def lead_score(hands: Hands, trump: int, seat: int, card: int) -> int:
    """Return the ordering score of a lead: a sure winner, then suits that partner wins."""
    suit, rank = card // HAND, card % HAND
    left_hand, right_hand = hands[(seat + 1) & 3], hands[(seat + 3) & 3]
    left, right = in_suit(left_hand, suit), in_suit(right_hand, suit)
    partner = in_suit(hands[(seat + 2) & 3], suit)
    opponents = left | right
    best = opponents.last() if opponents else -1
    score = 20 + in_suit(hands[seat], suit).count() + partner.count()
    if trump != NO_TRUMP and suit != trump:
        left_trumps, right_trumps = in_suit(left_hand, trump), in_suit(right_hand, trump)
        if (not left and left_trumps) or (not right and right_trumps):
            score -= 15
        elif not partner and in_suit(hands[(seat + 2) & 3], trump):
            score += 10
    if rank > best:
        # Winners that settle the deal are counted without a search; without trumps, leading others first gains.
        score += 0 if trump == NO_TRUMP else 10
    elif partner and partner.last() > best:
        score += 18 - rank
    else:
        score -= rank
        if right.last() == best:
            score -= 5
    return score


def can_beat(hand: Bitboard, best: int, led: int, trump: int) -> bool:
    """Return whether a hand can beat the best card of a trick, of which the suit `led` was led."""
    following = in_suit(hand, led)
    if following:
        return best // HAND == led and following.last() > best % HAND
    if trump == NO_TRUMP:
        return False
    trumps = in_suit(hand, trump)
    if best // HAND == trump:
        return trumps.last() > best % HAND
    return trumps.count() > 0


def follow_score(
    hands: Hands, trump: int, seat: int, played: int, first: int, second: int, third: int, card: int
) -> int:
    """Return the ordering score of a card that is not led: the cheapest winner, or else the lowest card."""
    best, place = first, 0
    if played > 1 and beats(second, best, trump):
        best, place = second, 1
    if played > 2 and beats(third, best, trump):
        best, place = third, 2
    is_partner_winning = (played - place) == 2
    rank, suit, led = card % HAND, card // HAND, first // HAND
    wins = beats(card, best, trump)
    low = 40 - rank
    if suit != led and suit != trump:
        low += in_suit(hands[seat], suit).count()
    if played == 3:
        if is_partner_winning:
            return low - 20 if wins else low
        return 60 - rank if wins else low
    following = hands[(seat + 1) & 3]
    if played == 2 and is_partner_winning and not can_beat(following, best, led, trump):
        return low - 20 if wins else low
    if not wins:
        return low
    if not can_beat(following, card, led, trump):
        return 60 - rank
    return 35 - rank if played == 2 else 30 + rank - HAND
