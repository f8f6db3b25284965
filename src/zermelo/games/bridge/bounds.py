"""Sure tricks: how many tricks a side takes at least, without a search.

The side on lead takes its *quick tricks* before it loses the lead. The leader cashes its winners. If it can then lead a
card of some suit that partner wins, partner's winners follow:

    spades     leader AQ5    partner K832       leader 2, partner 2: A and Q, then the 5 to the K, and the 8
    hearts     leader 7      partner A4         partner 1

The other side takes its *later tricks*: its highest trumps, a guarded king behind the ace, and without trumps one trick
if the side on lead runs out of suits of which it holds the highest card.

Against opponents with trumps a suit is counted only for as many rounds as each of them must follow.

Each count comes with its *relevance*, the mask of the ranks that it rests on (`zermelo.games.bridge.partition`).

References
----------
B. Haglund and S. Hein, "Search Algorithms for a Bridge Double Dummy Solver", 2014, sections 3.3 and 3.4.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.bridge.cards import HAND, NO_TRUMP, in_suit
from zermelo.games.bridge.partition import before_trick, top
from zermelo.games.bridge.tricks import winner

Hands = tuple[Bitboard, Bitboard, Bitboard, Bitboard]


def cashing(mine: Bitboard, theirs: Bitboard, left: Bitboard, right: Bitboard) -> tuple[int, int, int, int]:
    """Count the winners of a suit: first the leader's, then partner's.

    Returns
    -------
    tuple of int
        How many rounds the leader wins with its highest cards, and the lowest rank that this rests on; how many rounds
        partner wins afterwards, and the lowest rank that both rest on.
    """
    opponents = left | right
    best = opponents.last()
    longest = max(left.count(), right.count())
    own, lowest = 0, HAND
    rest, partners = mine, theirs
    while rest:
        rank = rest.last()
        if rank < best or (partners and partners.first() > rank):
            break
        own += 1
        lowest = rank
        rest ^= Bitboard(1) << rank
        partners = partners.rest()
    if own >= longest and not partners:
        own, rest = mine.count(), Bitboard(0)
    after, both = 0, lowest
    others = partners
    while others and others.last() > best:
        rank = others.last()
        after += 1
        both = min(both, rank)
        others ^= Bitboard(1) << rank
    if after > 0 and own + after >= longest and mine.count() <= own + after:
        after = partners.count()
    return own, lowest, after, both


def ranks_from(suit: int, rank: int, cards: Bitboard) -> Bitboard:
    """Return the mask of the ranks of a suit from one of its cards up."""
    return top((cards >> rank).count()) << (HAND * suit)


def quick_tricks(hands: Hands, trump: int, leader: int, enough: int) -> tuple[int, Bitboard]:
    """Return the tricks that the leader's side takes at least before it loses the lead, and their relevance.

    Parameters
    ----------
    hands : tuple of Bitboard
        The cards of North, East, South and West, equally many.
    trump : int
        0 to 3, or 4 for no trump.
    leader : int
        Who leads: 0 North, 1 East, 2 South, 3 West.
    enough : int
        Suits are counted until this number of tricks is reached.
    """
    own, left_hand = hands[leader], hands[(leader + 1) & 3]
    partner, right_hand = hands[(leader + 2) & 3], hands[(leader + 3) & 3]
    cards = own.count()
    mask = partners_mask = Bitboard(0)
    quick = partners = 0
    has_entry = has_left_trumps = has_right_trumps = False
    discards = leaders_discards = HAND  # cards other than trumps that partner and the leader can play
    if trump != NO_TRUMP:
        left_trumps, right_trumps = in_suit(left_hand, trump), in_suit(right_hand, trump)
        has_left_trumps, has_right_trumps = left_trumps.count() > 0, right_trumps.count() > 0
        if has_left_trumps or has_right_trumps:
            mine, theirs = in_suit(own, trump), in_suit(partner, trump)
            discards, leaders_discards = cards - theirs.count(), cards - mine.count()
            tricks, lowest, after, both = cashing(mine, theirs, left_trumps, right_trumps)
            if tricks > 0:
                quick = tricks
                discards += min(tricks, theirs.count())
                mask = ranks_from(trump, lowest, mine | theirs | left_trumps | right_trumps)
                if tricks >= max(left_trumps.count(), right_trumps.count()):
                    has_left_trumps = has_right_trumps = False
                    discards = leaders_discards = HAND
            if after > 0:
                partners = after
                partners_mask = ranks_from(trump, both, mine | theirs | left_trumps | right_trumps)
                has_entry = mine.count() > tricks
            if quick >= enough:
                return quick, mask
        else:
            trump = NO_TRUMP
    for suit in range(4):
        if suit == trump:
            continue
        mine, theirs = in_suit(own, suit), in_suit(partner, suit)
        left, right = in_suit(left_hand, suit), in_suit(right_hand, suit)
        rounds = HAND
        if has_left_trumps:
            rounds = left.count()
        if has_right_trumps:
            rounds = min(rounds, right.count())
        if rounds == 0 or (not mine and not theirs):
            continue
        tricks, lowest, after, both = cashing(mine, theirs, left, right)
        tricks = min(tricks, rounds)
        after = min(after, rounds - tricks)
        if tricks > 0:
            quick += tricks
            mask |= ranks_from(suit, lowest, mine | theirs | left | right)
            if quick >= enough and discards >= enough:
                return quick, mask
        if after > 0:
            partners += after
            partners_mask |= ranks_from(suit, both, mine | theirs | left | right)
            if mine.count() > tricks:
                has_entry = True
    if quick > discards:
        return discards, mask
    if has_entry and quick < enough:
        quick += min(partners, max(leaders_discards - quick, 0))
        mask |= partners_mask
    return min(quick, cards), mask


def later_tricks(hands: Hands, trump: int, leader: int, enough: int) -> tuple[int, Bitboard]:
    """Return the tricks that the side not on lead takes at least, and their relevance; parameters as above."""
    own, left_hand = hands[leader], hands[(leader + 1) & 3]
    partner, right_hand = hands[(leader + 2) & 3], hands[(leader + 3) & 3]
    if trump != NO_TRUMP:
        mine, theirs = in_suit(own, trump), in_suit(partner, trump)
        left, right = in_suit(left_hand, trump), in_suit(right_hand, trump)
        ours, opponents = mine | theirs, left | right
        if opponents:
            best = ours.last()
            winners = opponents >> (best + 1) if best >= 0 else opponents
            count = min(winners.count(), max(left.count(), right.count()))
            if count > 0:
                return count, top(min(winners.count(), enough) if best >= 0 else 0) << (HAND * trump)
            # A guarded second-best card behind the best one.
            second = (ours ^ Bitboard(1) << best).last()
            rank = opponents.last()
            if rank > second:
                is_left = rank in left
                guarded = left.count() > 1 if is_left else right.count() > 1
                # The player before the left-hand opponent is the leader, the one before the other is partner.
                if guarded and (best in mine) == is_left:
                    return 1, top(2) << (HAND * trump)
            return 0, Bitboard(0)
        if ours:
            return 0, Bitboard(0)
    sum_of_lengths = 0
    mask = Bitboard(0)
    for suit in range(4):
        mine, theirs = in_suit(own, suit), in_suit(partner, suit)
        opponents = in_suit(left_hand, suit) | in_suit(right_hand, suit)
        if (mine | theirs).last() > opponents.last():
            sum_of_lengths += max(mine.count(), theirs.count())
        elif mine or theirs:
            mask |= top(1) << (HAND * suit)
    return (1, mask) if sum_of_lengths < own.count() else (0, mask)


def last_trick(hands: Hands, trump: int, leader: int) -> tuple[bool, Bitboard]:
    """Return whether the leader's side takes the last trick, and the relevance."""
    first, second = hands[leader].last(), hands[(leader + 1) & 3].last()
    third, fourth = hands[(leader + 2) & 3].last(), hands[(leader + 3) & 3].last()
    place = winner(first, second, third, fourth, trump)
    none = (Bitboard(0), Bitboard(0), Bitboard(0), Bitboard(0))
    return place & 1 == 0, before_trick(none, first, second, third, fourth, trump, Bitboard(0))


def sure_tricks(hands: Hands, trump: int, leader: int) -> tuple[int, int]:
    """Return the tricks that the leader's side and the other side take at least, where a trick begins."""
    if hands[leader].count() == 1:
        takes, _ = last_trick(hands, trump, leader)
        return (1, 0) if takes else (0, 1)
    quick, _ = quick_tricks(hands, trump, leader, HAND)
    later, _ = later_tricks(hands, trump, leader, HAND)
    return quick, later


def relevance(hands: Hands, trump: int, leader: int, wanted: int) -> Bitboard:
    """Return the relevance of the proof that the leader's side takes `wanted` tricks, or that it does not."""
    if hands[leader].count() == 1:
        _, mask = last_trick(hands, trump, leader)
        return mask
    quick, mask = quick_tricks(hands, trump, leader, wanted)
    if quick >= wanted:
        return mask
    _, mask = later_tricks(hands, trump, leader, hands[leader].count() - wanted + 1)
    return mask
