"""Pairs of players who may meet, as many as there can be: maximum matching in a graph.

Source: Edmonds, Paths, Trees, and Flowers, 1965: free players are joined by paths on which pairs and others alternate;
an odd circle on the way (a blossom) is taken for one player.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence


class Matching:
    """Pairs among players 0 .. n-1. `mate[one]` is whom one is paired with, or -1."""

    def __init__(self, neighbours: Sequence[Collection[int]]) -> None:
        self.neighbours = neighbours
        self.mate = [-1] * len(neighbours)
        self._gone = [False] * len(neighbours)
        for one, others in enumerate(neighbours):  # greedily first: few are left over
            if self.mate[one] < 0:
                other = next((other for other in others if self.mate[other] < 0), -1)
                if other >= 0:
                    self.mate[one], self.mate[other] = other, one
        for one in range(len(neighbours)):
            if self.mate[one] < 0:
                self._augment(one)

    @property
    def is_perfect(self) -> bool:
        """Whether everybody has a partner."""
        return all(mate >= 0 or gone for mate, gone in zip(self.mate, self._gone, strict=True))

    def fix(self, one: int, other: int) -> bool:
        """Pair these two for good and take them out, if all others can have partners then; else nothing changes."""
        before = list(self.mate)
        left = [mate for mate in (self.mate[one], self.mate[other]) if mate not in (one, other)]
        self._gone[one] = self._gone[other] = True
        for each in left:
            self.mate[each] = -1
        if not left or self._augment(left[0]):
            self.mate[one], self.mate[other] = other, one
            return True
        self.mate = before
        self._gone[one] = self._gone[other] = False
        return False

    def _augment(self, root: int) -> bool:
        """Find a partner for one who has none, others changing theirs; whether there was one."""
        count = len(self.mate)
        mate, gone = self.mate, self._gone
        parent, base = [-1] * count, list(range(count))
        reached = [False] * count
        reached[root] = True
        waiting = deque([root])
        while waiting:
            here = waiting.popleft()
            for there in self.neighbours[here]:
                if gone[there] or base[here] == base[there] or mate[here] == there:
                    continue
                if there == root or (mate[there] >= 0 and parent[mate[there]] >= 0):
                    _contract(here, there, mate, parent, base, reached, waiting)
                elif parent[there] < 0:
                    parent[there] = here
                    if mate[there] < 0:
                        _turn(there, mate, parent)
                        return True
                    reached[mate[there]] = True
                    waiting.append(mate[there])
        return False


def _turn(end: int, mate: list[int], parent: list[int]) -> None:
    """Along the path to its end, who was not a pair becomes one."""
    while end >= 0:
        one = parent[end]
        following = mate[one]
        mate[end], mate[one] = one, end
        end = following


def _contract(
    here: int, there: int, mate: list[int], parent: list[int], base: list[int], reached: list[bool], waiting: deque[int]
) -> None:
    """The odd circle that closes between these two is taken for one player from now on."""
    top = _meeting_point(here, there, mate, parent, base)
    inside = [False] * len(mate)
    for one, child in ((here, there), (there, here)):
        while base[one] != top:
            inside[base[one]] = inside[base[mate[one]]] = True
            parent[one] = child
            child = mate[one]
            one = parent[mate[one]]
    for each in range(len(mate)):
        if inside[base[each]]:
            base[each] = top
            if not reached[each]:
                reached[each] = True
                waiting.append(each)


def _meeting_point(one: int, other: int, mate: list[int], parent: list[int], base: list[int]) -> int:
    """Where the ways of two players back to the root come together."""
    passed = set()
    while True:
        one = base[one]
        passed.add(one)
        if mate[one] < 0:
            break
        one = parent[mate[one]]
    other = base[other]
    while other not in passed:
        other = base[parent[mate[other]]]
    return other


def pairs_by_rank(
    players: Sequence[int],
    may_meet: Sequence[Sequence[bool]],
    preferred: Callable[[Sequence[int]], list[int]],
) -> list[tuple[int, int]] | None:
    """Everybody in a pair that may meet, the first in rank served first; None where that cannot be.

    `preferred`: of the players that are left, in rank, the partners of the first, the best first.
    """
    place = {player: number for number, player in enumerate(players)}
    matching = Matching(
        [[place[other] for other in players if other != one and may_meet[one][other]] for one in players]
    )
    if not matching.is_perfect:
        return None
    left, pairs = list(players), []
    while left:
        first = left[0]
        for other in preferred(left):
            if may_meet[first][other] and matching.fix(place[first], place[other]):
                break
        else:
            raise AssertionError("a perfect matching has a partner for everybody")
        pairs.append((first, other))
        left.remove(first)
        left.remove(other)
    return pairs
