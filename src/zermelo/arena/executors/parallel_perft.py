"""Perft by many workers: the lines of the first plies are played here, and those that go on from there counted there.

split = PerftSplit.of(state, depth)          few enough to be played at once, many enough for every worker
split.tasks(game)                       one for each state that is reached, however many lines reach it
split.totals(counts)                    for each first move, as `plain.divide` tells them
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from zermelo.arena.executors.executor import Task
from zermelo.core.game import State

#: So many states at least are to be counted from, where there are as many: then no worker is idle for long.
ENOUGH = 200


@dataclass(frozen=True)
class PerftSplit:
    """A count in parts."""

    #: The states to be counted from, each with its depth, and how often each first move leads there.
    parts: tuple[tuple[State, int], ...]
    lines: Mapping[int, tuple[tuple[int, int], ...]]
    #: Whether the last move of each line is only counted, as in `plain.perft`.
    bulk: bool = True

    @classmethod
    def of(cls, state: State, depth: int, bulk: bool = True, enough: int = ENOUGH) -> PerftSplit:
        """Split the count of so many plies. Lines that end early are parts as well: what they count, the rules say."""
        first: dict[int, Counter[State]] = {move: Counter({state.play(move): 1}) for move in _moves(state, depth)}
        left = max(depth - 1, 0)
        if not first:
            return cls(((state, depth),), {}, bulk)
        ended: dict[int, Counter[tuple[State, int]]] = {move: Counter() for move in first}
        while left > 1 and 0 < len({state for reached in first.values() for state in reached}) < enough:
            after: dict[int, Counter[State]] = {}
            for move, reached in first.items():
                after[move] = Counter()
                for before, times in reached.items():
                    moves = _moves(before, left)
                    if not moves:
                        ended[move][before, left] += times
                    for follow in moves:
                        after[move][before.play(follow)] += times
            first, left = after, left - 1
        places: dict[tuple[State, int], int] = {}
        lines = {}
        for move, reached in first.items():
            counts = Counter({(state, left): times for state, times in reached.items()}) + ended[move]
            lines[move] = tuple((places.setdefault(part, len(places)), times) for part, times in counts.items())
        return cls(tuple(places), lines, bulk)

    def tasks(self, game: str) -> Iterator[Task]:
        """Each part as a task, by its place."""
        for number, (state, depth) in enumerate(self.parts):
            data = {"game": game, "position": str(state), "depth": depth, "bulk": self.bulk}
            yield Task(number, "perft", json.dumps(data))

    def total(self, counts: Mapping[int, int]) -> int:
        """The whole count, from those of the parts."""
        return sum(self.totals(counts).values()) if self.lines else counts[0]

    def totals(self, counts: Mapping[int, int]) -> dict[int, int]:
        """The count of each first move, from those of the parts."""
        return {move: sum(times * counts[place] for place, times in parts) for move, parts in self.lines.items()}


def _moves(state: State, depth: int) -> list[int]:
    """What can be played in a state of which so many plies are to be counted."""
    if depth < 1:
        return []
    return list(state.moves()) if state.perft_ignores_game_over else state.legal_moves()


def count(data: str) -> str:
    """A part, counted: the lines from its state on."""
    from zermelo import registry
    from zermelo.search import compiled_textbook as plain

    part = json.loads(data)
    state = registry.load(part["game"]).parse(part["position"])
    return json.dumps(plain.perft(state, part["depth"], part["bulk"]))
