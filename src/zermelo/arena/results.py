"""The results of a store by game number, read from the file on demand.

Only the numbers are held in memory, so memory does not grow with the results.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from zermelo.arena.game_record import GameResult
from zermelo.arena.store import Store


class StoredResults(Mapping[int, GameResult]):
    """The results of a store; games that are `add`ed later come last in iteration order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = array("q")
        self._known = bytearray()  # a flag per number: numbers are dense from 0
        for number in store.numbers():
            self.add(number)

    def add(self, number: int) -> None:
        """Register a game that was added to the store."""
        if number >= len(self._known):
            self._known.extend(bytes(number + 1 - len(self._known)))
        self._known[number] = 1
        self._numbers.append(number)

    def __getitem__(self, number: int) -> GameResult:
        if number not in self:
            raise KeyError(number)
        return self._store.result(number)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 0 <= number < len(self._known) and self._known[number] == 1

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __reversed__(self) -> Iterator[int]:
        return reversed(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
