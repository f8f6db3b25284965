"""The results of a run by the games' numbers, read from the store when they are asked for.

In memory are the numbers alone, so a run of any length takes no more than it began with.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from zermelo.arena.game_record import GameResult
from zermelo.arena.store import Store


class Results(Mapping[int, GameResult]):
    """What a store has by now, and what is `add`ed to it; the numbers come in that order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = array("q")
        self._is_there = bytearray()  # a byte for each number: they are dense from 0
        for number in store.numbers():
            self.add(number)

    def add(self, number: int) -> None:
        """A game was kept."""
        if number >= len(self._is_there):
            self._is_there.extend(bytes(number + 1 - len(self._is_there)))
        self._is_there[number] = 1
        self._numbers.append(number)

    def __getitem__(self, number: int) -> GameResult:
        if number not in self:
            raise KeyError(number)
        return self._store.result(number)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 0 <= number < len(self._is_there) and self._is_there[number] == 1

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __reversed__(self) -> Iterator[int]:
        return reversed(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
