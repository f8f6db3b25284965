"""Collapsing of large trees: which nodes are drawn, and which are collapsed into groups.

A `Fold` stands for consecutive children of one node with their subtrees. Nodes are expanded one by one until the
picture is full: first the principal variation, then the visited nodes level by level (those with cutoffs below them
first), pruned nodes last.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

from zermelo.teaching.diagrams.labels import Labels

#: Minimum number of children drawn of a node that has too many for the picture.
FIRST_CHILDREN = 4


class Fold(NamedTuple):
    """Consecutive children of a node, collapsed with their subtrees."""

    #: Indices of the collapsed children.
    children: tuple[int, ...]
    #: Number of collapsed nodes, and of the pruned ones among them.
    nodes: int
    pruned: int
    #: The number of the cutoff that pruned all of the children, 0 for none. Pruned and other children never mix.
    crossed: int


@dataclass
class Folded:
    """What is drawn of a tree, in preorder.

    The lists are parallel; `parents` and `children` hold positions in them, not indices of the tree.
    """

    items: list[int | Fold] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    @property
    def folds(self) -> list[Fold]:
        return [item for item in self.items if isinstance(item, Fold)]

    def add(self, item: int | Fold, parent: int) -> int:
        place = len(self.items)
        self.items.append(item)
        self.parents.append(parent)
        self.children.append([])
        self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        if parent >= 0:
            self.children[parent].append(place)
        return place


def fold(labels: Labels, max_nodes: int | None = None) -> Folded:
    """Select what is drawn: the whole tree, or at most `max_nodes` (`labels.options.max_nodes`) nodes and groups."""
    nodes = labels.tree.nodes
    most = labels.options.max_nodes if max_nodes is None else max_nodes
    parts: dict[int, list[int | Fold]] | None = None
    if len(nodes) > most:
        parts = _Expansion(labels, most).parts
    drawn = Folded()
    stack: list[tuple[int | Fold, int]] = [(0, -1)]
    while stack:
        item, parent = stack.pop()
        place = drawn.add(item, parent)
        if isinstance(item, int):
            below: tuple[int, ...] | list[int | Fold] = nodes[item].children if parts is None else parts.get(item, [])
            stack.extend((child, place) for child in reversed(below))
    return drawn


class _Expansion:
    """Expands the most important nodes first; `parts` has what is drawn below each drawn node."""

    def __init__(self, labels: Labels, max_nodes: int) -> None:
        self.labels = labels
        self.tree = labels.tree
        self.line = frozenset(node.index for node in labels.trace.line) if labels.trace else frozenset()
        self.cuts_before = self._cuts_before()
        self.parts: dict[int, list[int | Fold]] = {}
        room = max_nodes - 1
        waiting = [self._rank(0)]
        room -= self._close(0)
        # Some space stays unused if every remaining node is too large for it.
        while waiting and room > 0:
            *_, index = heapq.heappop(waiting)
            gain = room + len(self.parts[index])
            parts = self._expanded(index, gain, has_others=bool(waiting))
            cost = sum(1 + (isinstance(part, int) and self._closed_size(part)) for part in parts)
            if cost > gain:
                continue
            self.parts[index] = parts
            room = gain - cost
            for part in parts:
                if isinstance(part, int) and self.tree.nodes[part].children:
                    self._close(part)
                    heapq.heappush(waiting, self._rank(part))

    def _cuts_before(self) -> list[int]:
        from itertools import accumulate

        trace = self.labels.trace
        at = {cut.node for cut in trace.cuts} if trace else set()
        return list(accumulate((node.index in at for node in self.tree), initial=0))

    def _rank(self, index: int) -> tuple[bool, float, bool, int, int]:
        """Sort key: nodes with smaller keys are expanded first."""
        node, trace = self.tree.nodes[index], self.labels.trace
        is_pruned = trace is not None and trace.records[index].cut is not None
        has_cuts = self.cuts_before[self.tree.subtree_end[index]] > self.cuts_before[index]
        # A long principal variation must not use up all the space, so it only goes four times as deep as the rest.
        depth = node.depth / 4 if index in self.line else float(node.depth)
        return (is_pruned, depth, not has_cuts, index, index)

    def _crossed(self, index: int) -> int:
        return self.labels.final_crossed.get(index, 0)

    def _close(self, index: int) -> int:
        """Collapse all children of a node; return the number of groups and single leaves."""
        self.parts[index] = self._folded(list(self.tree.nodes[index].children))
        return len(self.parts[index])

    def _closed_size(self, index: int) -> int:
        children = self.tree.nodes[index].children
        return 0 if not children else 1 + (self._crossed(children[0]) != self._crossed(children[-1]))

    def _folded(self, children: list[int]) -> list[int | Fold]:
        """Collapse consecutive children, pruned ones apart from the others; a single leaf stays a leaf."""
        runs: list[list[int]] = []
        for child in children:
            if runs and self._crossed(runs[-1][0]) == self._crossed(child):
                runs[-1].append(child)
            else:
                runs.append([child])
        ends, pruned = self.tree.subtree_end, self.labels.pruned_before
        parts: list[int | Fold] = []
        for run in runs:
            first, end = run[0], ends[run[-1]]
            if end - first == 1:
                parts.append(first)
            else:
                parts.append(Fold(tuple(run), end - first, pruned[end] - pruned[first], self._crossed(first)))
        return parts

    def _expanded(self, index: int, room: int, has_others: bool) -> list[int | Fold]:
        """The children of an expanded node; of very many only some, including those on the principal variation.

        If nothing but leaves is left to draw, they get all of the room, otherwise an eighth of it.
        """
        children = list(self.tree.nodes[index].children)
        sizes = [1 + self._closed_size(child) for child in children]
        if sum(sizes) <= room:
            return list(children)
        selected = self.line & set(children)
        # A selected child far from the first ones takes room for itself and for a group before it; one group is last.
        is_last = not has_others and sum(sizes) == len(sizes)
        left = room - 2 * len(selected) - 1 if is_last else room // 8
        for number, (child, size) in enumerate(zip(children, sizes, strict=True)):
            left -= size
            if left < 0 and number >= FIRST_CHILDREN:
                break
            selected = selected | {child}
        parts: list[int | Fold] = []
        run: list[int] = []
        for child in children:
            if child in selected:
                parts += self._folded(run)
                parts.append(child)
                run = []
            else:
                run.append(child)
        return parts + self._folded(run)
