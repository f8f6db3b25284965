"""The results of a store by game number, read from the file on demand.

Only the numbers are held in memory, so memory does not grow with the results.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from zermelo.arena.game_record import GameResult
from zermelo.arena.store import Store

# Numbers per bit set: a word of the machine.
_BLOCK = 64


class StoredResults(Mapping[int, GameResult]):
    """The results of a store; games that are `add`ed later come last in iteration order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = array("q")
        #: Bit sets of the numbers, by block of numbers: a store may hold one game with a huge number.
        self._known: dict[int, int] = {}
        for number in store.numbers():
            self.add(number)

    def add(self, number: int) -> None:
        """Register a game that was added to the store."""
        block, bit = divmod(number, _BLOCK)
        self._known[block] = self._known.get(block, 0) | 1 << bit
        self._numbers.append(number)

    def __getitem__(self, number: int) -> GameResult:
        if number not in self:
            raise KeyError(number)
        return self._store.result(number)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        block, bit = divmod(number, _BLOCK)
        return bool(self._known.get(block, 0) >> bit & 1)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __reversed__(self) -> Iterator[int]:
        return reversed(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
