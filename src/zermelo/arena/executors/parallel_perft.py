"""Parallel perft: play the lines of the first plies here, and count the rest in tasks.

split = PerftSplit.of(state, depth)     enough parts for every worker, few enough to enumerate here
split.tasks(game)                       one task for each distinct state, however many lines reach it
split.totals(counts)                    perft of each first move, from the counts of the tasks
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from zermelo.arena.executors.executor import Task
from zermelo.core.game import State

#: Minimum number of parts, where the position has as many: then no worker is idle for long.
MIN_PARTS = 200


@dataclass(frozen=True)
class PerftSplit:
    """A perft count split into parts.

    Parameters
    ----------
    parts : tuple of (State, int)
        The states to count from, each with its remaining depth in plies.
    lines : mapping of int to tuple of (int, int)
        For each first move, the indices of the parts it leads to, each with the number of lines that lead there.
    bulk : bool
        Whether moves of the last ply are counted without being played.
    """

    parts: tuple[tuple[State, int], ...]
    lines: Mapping[int, tuple[tuple[int, int], ...]]
    bulk: bool = True

    @classmethod
    def of(cls, state: State, depth: int, bulk: bool = True, min_parts: int = MIN_PARTS) -> PerftSplit:
        """Split perft of `depth` plies into at least `min_parts` parts, if possible."""
        reached: dict[int, Counter[State]] = {move: Counter({state.play(move): 1}) for move in _moves(state, depth)}
        left = max(depth - 1, 0)
        if not reached:
            return cls(((state, depth),), {}, bulk)
        # Lines that end early are parts as well: whether they count depends on the rules.
        finished: dict[int, Counter[tuple[State, int]]] = {move: Counter() for move in reached}
        while left > 1 and 0 < len({state for states in reached.values() for state in states}) < min_parts:
            following: dict[int, Counter[State]] = {}
            for first, states in reached.items():
                following[first] = Counter()
                for before, times in states.items():
                    moves = _moves(before, left)
                    if not moves:
                        finished[first][before, left] += times
                    for move in moves:
                        following[first][before.play(move)] += times
            reached, left = following, left - 1
        indices: dict[tuple[State, int], int] = {}
        lines = {}
        for first, states in reached.items():
            counts = Counter({(state, left): times for state, times in states.items()}) + finished[first]
            lines[first] = tuple((indices.setdefault(part, len(indices)), times) for part, times in counts.items())
        return cls(tuple(indices), lines, bulk)

    def tasks(self, game: str) -> Iterator[Task]:
        """Yield a task for each part, numbered by its index."""
        for number, (state, depth) in enumerate(self.parts):
            data = {"game": game, "position": str(state), "depth": depth, "bulk": self.bulk}
            yield Task(number, "perft", json.dumps(data))

    def total(self, counts: Mapping[int, int]) -> int:
        """Return the total count from the counts of the parts."""
        return sum(self.totals(counts).values()) if self.lines else counts[0]

    def totals(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Return the count of each first move from the counts of the parts."""
        return {move: sum(times * counts[index] for index, times in parts) for move, parts in self.lines.items()}


def _moves(state: State, depth: int) -> list[int]:
    """Return the moves to count from a state with `depth` plies left."""
    if depth < 1:
        return []
    return list(state.moves()) if state.perft_ignores_game_over else state.legal_moves()


def run_perft(data: str) -> str:
    """Perform a perft task; returns the count as JSON."""
    from zermelo import registry
    from zermelo.search import compiled_textbook

    part = json.loads(data)
    state = registry.load(part["game"]).parse(part["position"])
    return json.dumps(compiled_textbook.perft(state, part["depth"], part["bulk"]))
