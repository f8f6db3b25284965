"""`tidy`: x coordinates of the nodes of a tree, in linear time.

Children keep their order, a parent is centred above its first and last child, boxes of one row do not overlap, equal
subtrees are drawn alike, and the drawing is narrow. The algorithm is iterative and supports boxes of any width.

References
----------
.. [1] Reingold and Tilford, "Tidier Drawings of Trees", IEEE Transactions on Software Engineering 7, 1981.
.. [2] Walker, "A Node-positioning Algorithm for General Trees", Software: Practice and Experience 20, 1990.
.. [3] Buchheim, Juenger and Leipert, "Improving Walker's Algorithm to Run in Linear Time", Graph Drawing 2002.
"""

from __future__ import annotations

from collections.abc import Sequence


def tidy(
    children: Sequence[Sequence[int]],
    left: Sequence[float],
    right: Sequence[float],
    *,
    between: float,
    apart: float,
) -> list[float]:
    """Compute the x coordinate of each node; the leftmost box starts at 0.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each node. Node 0 is the root, and parents come before their children.
    left, right : sequence of float
        How far the box of each node extends to either side of its x coordinate.
    between, apart : float
        Minimum gap between boxes of one row with the same parent, and with different parents.
    """
    return _Tidy(children, left, right, between, apart).places()


class _Tidy:
    """The algorithm of [3]_, with its names: prelim, mod, shift, change, thread, ancestor."""

    def __init__(
        self,
        children: Sequence[Sequence[int]],
        left: Sequence[float],
        right: Sequence[float],
        between: float,
        apart: float,
    ) -> None:
        size = len(children)
        self.children, self.left, self.right = children, left, right
        self.between, self.apart = between, apart
        self.prelim, self.mod = [0.0] * size, [0.0] * size
        self.shift, self.change = [0.0] * size, [0.0] * size
        self.thread = [-1] * size
        self.ancestor = list(range(size))
        self.parent, self.number = [-1] * size, [0] * size
        for node, below in enumerate(children):
            for number, child in enumerate(below):
                self.parent[child], self.number[child] = node, number

    def places(self) -> list[float]:
        default_ancestor = [below[0] if below else -1 for below in self.children]
        for node in self._children_first():
            self._place(node)
            parent = self.parent[node]
            if parent >= 0:
                default_ancestor[parent] = self._apportion(node, default_ancestor[parent])
        # Second walk: add up the modifiers of the ancestors.
        places, added = [0.0] * len(self.children), [0.0] * len(self.children)
        for node, parent in enumerate(self.parent):
            if parent >= 0:
                added[node] = added[parent] + self.mod[parent]
            places[node] = self.prelim[node] + added[node]
        start = min(place - reach for place, reach in zip(places, self.left, strict=True))
        return [place - start for place in places]

    def _children_first(self) -> list[int]:
        """The nodes in postorder."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(self.children[node])
        order.reverse()
        return order

    def _place(self, node: int) -> None:
        """Set the preliminary coordinate of a node: beside its left sibling and above its children."""
        below = self.children[node]
        beside = 0.0
        if self.number[node]:
            sibling = self.children[self.parent[node]][self.number[node] - 1]
            beside = self.prelim[sibling] + self._distance(sibling, node)
        if not below:
            self.prelim[node] = beside
            return
        self._execute_shifts(node)
        middle = (self.prelim[below[0]] + self.prelim[below[-1]]) / 2
        if self.number[node]:
            self.prelim[node] = beside
            self.mod[node] = beside - middle
        else:
            self.prelim[node] = middle

    def _distance(self, one: int, other: int) -> float:
        gap = self.between if self.parent[one] == self.parent[other] else self.apart
        return self.right[one] + gap + self.left[other]

    def _next_left(self, node: int) -> int:
        return self.children[node][0] if self.children[node] else self.thread[node]

    def _next_right(self, node: int) -> int:
        return self.children[node][-1] if self.children[node] else self.thread[node]

    def _apportion(self, node: int, default_ancestor: int) -> int:
        """Move a subtree right until it is clear of the subtrees to its left, comparing contours level by level."""
        if not self.number[node]:
            return default_ancestor
        siblings = self.children[self.parent[node]]
        inner_right = outer_right = node
        inner_left, outer_left = siblings[self.number[node] - 1], siblings[0]
        add_inner_right = add_outer_right = self.mod[node]
        add_inner_left, add_outer_left = self.mod[inner_left], self.mod[outer_left]
        while (left := self._next_right(inner_left)) >= 0 and (right := self._next_left(inner_right)) >= 0:
            inner_left, inner_right = left, right
            outer_left, outer_right = self._next_left(outer_left), self._next_right(outer_right)
            self.ancestor[outer_right] = node
            shift = (self.prelim[inner_left] + add_inner_left) - (self.prelim[inner_right] + add_inner_right)
            shift += self._distance(inner_left, inner_right)
            if shift > 0:
                ancestor = self.ancestor[inner_left]
                if self.parent[ancestor] != self.parent[node]:
                    ancestor = default_ancestor
                self._move_subtree(ancestor, node, shift)
                add_inner_right += shift
                add_outer_right += shift
            add_inner_left += self.mod[inner_left]
            add_inner_right += self.mod[inner_right]
            add_outer_left += self.mod[outer_left]
            add_outer_right += self.mod[outer_right]
        if self._next_right(inner_left) >= 0 and self._next_right(outer_right) < 0:
            self.thread[outer_right] = self._next_right(inner_left)
            self.mod[outer_right] += add_inner_left - add_outer_right
        if self._next_left(inner_right) >= 0 and self._next_left(outer_left) < 0:
            self.thread[outer_left] = self._next_left(inner_right)
            self.mod[outer_left] += add_inner_right - add_outer_left
            default_ancestor = node
        return default_ancestor

    def _move_subtree(self, left: int, right: int, shift: float) -> None:
        """Move a subtree; the subtrees in between are spread evenly later."""
        subtrees = self.number[right] - self.number[left]
        self.change[right] -= shift / subtrees
        self.shift[right] += shift
        self.change[left] += shift / subtrees
        self.prelim[right] += shift
        self.mod[right] += shift

    def _execute_shifts(self, node: int) -> None:
        shift = change = 0.0
        for child in reversed(self.children[node]):
            self.prelim[child] += shift
            self.mod[child] += shift
            change += self.change[child]
            shift += self.shift[child] + change
