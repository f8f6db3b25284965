"""Ranges of hold'em: sets of hands in the usual notation.

    AA  AKs  AKo  AK   a pair, suited, offsuit, both
    TT+  ATs+          and all higher pairs; and all with a higher second card
    99-66  A5s-A2s     from one to the other
    AhKd               one hand
    any                all hands

A hand is a pair of cards (`zermelo.games.river.hands`), the higher rank first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations

from zermelo.errors import PositionError
from zermelo.games.river.hands import CARDS, RANKS, SUITS, card_name, parse_card

ANY = "any"


def hand_of(cards: Iterable[int]) -> tuple[int, int]:
    """Return two cards as a hand: the higher rank first, of a pair the higher suit."""
    first, second = sorted(cards, key=lambda card: (card % 13, card), reverse=True)
    return first, second


def hand_name(hand: tuple[int, int]) -> str:
    """Return the name of a hand: `AhKd`."""
    return card_name(hand[0]) + card_name(hand[1])


def class_name(hand: tuple[int, int]) -> str:
    """Return the class of a hand: `AA`, `AKs` (suited) or `AKo` (offsuit)."""
    first, second = hand
    suffix = "" if first % 13 == second % 13 else "s" if first // 13 == second // 13 else "o"
    return RANKS[first % 13] + RANKS[second % 13] + suffix


@cache
def classes() -> dict[str, tuple[tuple[int, int], ...]]:
    """Return the hands of the 169 classes, the highest ranks first."""
    found: dict[str, list[tuple[int, int]]] = {}
    hands = (hand_of(pair) for pair in combinations(range(CARDS), 2))
    for hand in sorted(hands, key=lambda hand: (hand[0] % 13, hand[1] % 13, hand), reverse=True):
        found.setdefault(class_name(hand), []).append(hand)
    return {name: tuple(each) for name, each in found.items()}


def parse_range(text: str, board: frozenset[int]) -> tuple[tuple[int, int], ...]:
    """Parse a range; hands of a class that use a card of the board are left out.

    Raises
    ------
    PositionError
        If a part is not in the notation, names a hand with a card of the board, or has no hand without one.
    """
    found: set[tuple[int, int]] = set()
    for part in text.split(","):
        hands = _hands_of(part)
        free = [hand for hand in hands if board.isdisjoint(hand)]
        if not free:
            blocked = " ".join(card_name(card) for card in sorted(board & {card for hand in hands for card in hand}))
            raise PositionError(f"the range {text[:40]!r} overlaps the board: {part} needs {blocked}")
        found.update(free)
    return tuple(hand for each in classes().values() for hand in each if hand in found)


def range_name(hands: tuple[tuple[int, int], ...], board: frozenset[int]) -> str:
    """Return a range in the notation that `parse_range` reads: whole classes, single hands, or `any`."""
    chosen = set(hands)
    words: list[str] = []
    is_any = True
    for name, members in classes().items():
        free = [hand for hand in members if board.isdisjoint(hand)]
        own = [hand for hand in free if hand in chosen]
        is_any = is_any and len(own) == len(free)
        if own:
            words += [name] if len(own) == len(free) else [hand_name(hand) for hand in own]
    return ANY if is_any else ",".join(words)


def _hands_of(part: str) -> list[tuple[int, int]]:
    """Return the hands of a part of a range."""
    if part.casefold() == ANY:
        return [hand for each in classes().values() for hand in each]
    if len(part) == 4 and part[1].lower() in SUITS and part[3].lower() in SUITS:
        cards = [parse_card(part[:2]), parse_card(part[2:])]
        if cards[0] == cards[1]:
            raise PositionError(f"{part!r} has the same card twice")
        return [hand_of(cards)]
    first, dash, last = part.partition("-")
    is_open = not dash and part.endswith("+")
    high, low, suffix = _class_of(first.removesuffix("+") if is_open else first, part)
    lows = [low]
    if is_open:
        lows = [*range(low, 13 if high == low else high)]
    elif dash:
        other_high, other_low, other_suffix = _class_of(last, part)
        is_pairs = high == low and other_high == other_low
        if not is_pairs and (other_high != high or other_suffix != suffix or high in (low, other_low)):
            raise PositionError(f"{part!r} is not a range of hands; its ends are pairs, or differ in the second card")
        lows = [*range(min(low, other_low), max(low, other_low) + 1)]
    hands: list[tuple[int, int]] = []
    for rank in lows:
        name = RANKS[rank if high == low else high] + RANKS[rank]
        for kind in (suffix,) if suffix or high == low else ("s", "o"):
            hands += classes()[name + kind]
    return hands


def _class_of(text: str, part: str) -> tuple[int, int, str]:
    """Return the ranks of a class of hands, the higher first, and its suffix, `s`, `o` or nothing."""
    ranks = [RANKS.find(letter) for letter in text[:2].upper()]
    suffix = text[2:].lower()
    if len(ranks) != 2 or min(ranks) < 0 or suffix not in ("", "s", "o") or (suffix and ranks[0] == ranks[1]):
        raise PositionError(
            f"{part[:20]!r} is not a part of a range; expected hands like AA, AKs, AKo, AK, TT+, ATs+, 99-66, AhKd or "
            "any, with commas"
        )
    return max(ranks), min(ranks), suffix
