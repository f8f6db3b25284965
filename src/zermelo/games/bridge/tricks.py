"""Who wins a trick."""

from __future__ import annotations

from zermelo.games.bridge.cards import HAND


def winner(first: int, second: int, third: int, fourth: int, trump: int) -> int:
    """Return which card of a trick wins it, 0 to 3."""
    best, place = first, 0
    if beats(second, best, trump):
        best, place = second, 1
    if beats(third, best, trump):
        best, place = third, 2
    if beats(fourth, best, trump):
        place = 3
    return place


def beats(card: int, best: int, trump: int) -> bool:
    """Return whether a card played later beats the best card of a trick."""
    if card // HAND == best // HAND:
        return card > best
    return card // HAND == trump
