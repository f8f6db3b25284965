"""Move ordering: which card is tried first.

The weights were tuned on random deals: a change was kept if the four results of a strain took fewer nodes.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.bridge.cards import HAND, NO_TRUMP, in_suit
from zermelo.games.bridge.tricks import beats

Hands = tuple[Bitboard, Bitboard, Bitboard, Bitboard]


def lead_score(hands: Hands, trump: int, seat: int, card: int) -> int:
    """Return the ordering score of a lead: suits that partner wins or ruffs first, those that opponents ruff last."""
    suit, rank = card // HAND, card % HAND
    left_hand, partners_hand, right_hand = hands[(seat + 1) & 3], hands[(seat + 2) & 3], hands[(seat + 3) & 3]
    left, right = in_suit(left_hand, suit), in_suit(right_hand, suit)
    own, partner = in_suit(hands[seat], suit), in_suit(partners_hand, suit)
    opponents = left | right
    best = opponents.last()
    score = partner.count() - own.count() + right.count()
    if trump != NO_TRUMP and suit != trump:
        if not left and in_suit(left_hand, trump):
            score -= 46
        elif not right and in_suit(right_hand, trump):
            score -= 40
        elif not partner and in_suit(partners_hand, trump):
            score += 20
    if rank > best:
        # Winners that settle the deal are counted without a search.
        score += 6 if trump == NO_TRUMP else 10
        return score if opponents else score - 20
    if partner.last() > best:
        return score + 39 - 4 * rank
    score -= rank
    if right.last() == best:
        score -= 10
    second = (opponents ^ Bitboard(1) << best).last()
    if partner.last() > second:
        return score + 12
    return score + 3 if own.last() > second else score


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
    """Return the ordering score of a card that is not led: the cheapest winner, or else the lowest card.

    Discards come from long suits in which partner is short.
    """
    best, place = first, 0
    if played > 1 and beats(second, best, trump):
        best, place = second, 1
    if played > 2 and beats(third, best, trump):
        best, place = third, 2
    is_partner_winning = (played - place) == 2
    rank, suit, led = card % HAND, card // HAND, first // HAND
    wins = beats(card, best, trump)
    low = 80 - 2 * rank
    if suit != led:
        if suit == trump:
            low -= 16
        else:
            low += 4 * in_suit(hands[seat], suit).count() - 3 * in_suit(hands[(seat + 2) & 3], suit).count()
    cheapest_winner = 120 - 2 * rank
    if played == 3:
        if is_partner_winning:
            return low - 40 if wins else low
        return cheapest_winner if wins else low
    following = hands[(seat + 1) & 3]
    if played == 2 and is_partner_winning and not can_beat(following, best, led, trump):
        return low - 40 if wins else low
    if not wins:
        return low
    if not can_beat(following, card, led, trump):
        return cheapest_winner
    return 70 - 2 * rank if played == 2 else 42 - rank
