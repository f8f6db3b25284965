"""Games that compiled code cannot hold: strings, dicts, lists with a key of their own, chance."""

from __future__ import annotations

from typing import Any

import zermelo
from zermelo import CHANCE, MAX, MIN


@zermelo.game
class Prefixes:
    """Players add a letter in turn; who completes a word loses, and so does who leaves the prefixes."""

    word: str = ""
    turn: int = MAX

    WORDS = ("anchor", "angle", "ant", "bear", "bell", "belt", "best")

    def to_move(self):
        return self.turn

    def moves(self):
        known = sorted({each[len(self.word)] for each in self.WORDS if each.startswith(self.word)})
        return known

    def play(self, move):
        return Prefixes(self.word + move, -self.turn)

    def is_over(self):
        return self.word in self.WORDS

    def utility(self):
        return self.turn


@zermelo.game
class Heaps:
    """Nim with named heaps in a dict; the last stone wins. Moves are pairs (heap, stones left)."""

    heaps: dict[str, int] = {"a": 1, "b": 2, "c": 3}
    turn: int = MAX

    def key(self):
        return tuple(sorted(self.heaps.items())), self.turn

    def to_move(self):
        return self.turn

    def moves(self):
        for name, stones in sorted(self.heaps.items()):
            for left in range(stones):
                yield name, left

    def play(self, move):
        name, left = move
        return Heaps({**self.heaps, name: left}, -self.turn)

    def is_over(self):
        return not any(self.heaps.values())

    def utility(self):
        return -self.turn


@zermelo.game(compiled=False)
class Race:
    """A race to 6: the mover stops at no cost or rolls a die of two faces; chance decides how far it goes."""

    places: tuple[Any, ...] = (0, 0)
    turn: int = MAX
    rolling: bool = False

    def to_move(self):
        return CHANCE if self.rolling else self.turn

    def moves(self):
        yield "roll"
        yield "rest"

    def outcomes(self):
        yield ("one", 2)
        yield ("three", 1)

    def play(self, move):
        if move == "roll":
            return Race(self.places, self.turn, True)
        steps = {"one": 1, "three": 3, "rest": 1}[move]
        index = 0 if self.turn == MAX else 1
        places = tuple(place + steps if at == index else place for at, place in enumerate(self.places))
        return Race(places, -self.turn, False)

    def is_over(self):
        return max(self.places) >= 4

    def utility(self):
        return MAX if self.places[0] >= 4 else MIN
