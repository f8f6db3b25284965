"""A written-out tree as a game: so that the searches of `zermelo.search.textbook` walk it like any other.

A state is the index of a node, a move the number of a child. The scores of a search are ints; a tree's numbers need
not be. So each tree has a `scale`: all its values, and all means at its chance nodes, are whole numbers of 1/scale,
and the search goes through the values times the scale. What it finds, divided by the scale, is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from zermelo.core.evaluation import evaluation
from zermelo.core.game import State, game
from zermelo.errors import TreeError
from zermelo.search.textbook import INFINITY
from zermelo.teaching.tree.numbers import LARGEST, Number, quoted

if TYPE_CHECKING:
    from zermelo.teaching.tree.node import Tree


class TreeGame:
    """A tree, its scale, and the class of its states; `bounds` are other numbers that the scale shall make whole."""

    def __init__(self, tree: Tree, bounds: Iterable[Number] = ()) -> None:
        self.tree = tree
        self.scale = scale_of(tree, bounds)
        nodes, scale = tree.nodes, self.scale

        @game
        class TreeState(State):
            """A node of a written-out tree. Interpreted only: compiled code knows no such rows of nodes."""

            node: int = 0

            def to_move(self):  # type: ignore[no-untyped-def]
                return nodes[self.node].player

            def moves(self):  # type: ignore[no-untyped-def]
                yield from range(len(nodes[self.node].children))

            def play(self, move):  # type: ignore[no-untyped-def]
                return TreeState(nodes[self.node].children[move])

            def is_over(self):  # type: ignore[no-untyped-def]
                return nodes[self.node].player is None

            def utility(self):  # type: ignore[no-untyped-def]
                node = nodes[self.node]
                if node.value is None:
                    raise TreeError(
                        f"leaf {quoted(node.id)} has no value, and this search reads it: give it one, or search so "
                        "that it is pruned"
                    )
                return int(node.value * scale)

            def outcomes(self):  # type: ignore[no-untyped-def]
                yield from enumerate(nodes[self.node].weights)

            def move_name(self, move):  # type: ignore[no-untyped-def]
                return tree.move_name(nodes[nodes[self.node].children[move]])

            def __str__(self) -> str:
                return nodes[self.node].id

        # The limit of utilities is for compiled tables' entries: no tree needs it. With `outcomes` declared, utilities
        # and evaluations are on one scale (`zermelo.search.scores.ranked`), as the numbers of a tree are.
        TreeState.max_utility = int(LARGEST * scale)
        self.State = TreeState

        @evaluation
        class Static:
            """What stands at the nodes: an inner node's evaluation, 0 where it has none, and a leaf's value."""

            def score(self, state):  # type: ignore[no-untyped-def]
                node = nodes[state.node]
                said = node.value if node.player is None else node.evaluation
                return int((said or 0) * scale)

        Static.largest_score = INFINITY  # type: ignore[attr-defined]
        self.Static = Static

    def start(self) -> State:
        """The state at the root."""
        return self.State(0)

    def number(self, score: int) -> Number:
        """The tree's number that a finite score of a search stands for."""
        if self.scale == 1:
            return score
        value = Fraction(score, self.scale)
        return value.numerator if value.denominator == 1 else value


def scale_of(tree: Tree, bounds: Iterable[Number] = ()) -> int:
    """The smallest usual number by which all values and means become whole, and the bounds of a window with them.

    Raises `TreeError` where the values times it would be too large for a search.
    """
    scale = 1
    largest: Number = 1
    for bound in bounds:
        scale = lcm(scale, bound.denominator)
        largest = max(largest, bound, -bound)
    for node in tree:
        for said in (node.value, node.evaluation):
            if said is not None and not -largest <= said <= largest:
                largest = max(said, -said)
    spread = [1] * len(tree)  # by how much the chance nodes above a node divide its value
    for node in tree:
        for said in (node.value, node.evaluation):
            if said is not None and (spread[node.index] > 1 or isinstance(said, Fraction)):
                scale = lcm(scale, spread[node.index] * Fraction(said).denominator)
        if node.children:
            below = spread[node.index] * (sum(node.weights) if node.weights else 1)
            for child in node.children:
                spread[child] = below
        if scale * largest >= INFINITY >> 2:
            reason = "the weights above it divide the values" if spread[node.index] > 1 else "the values are"
            raise TreeError(
                f"node {quoted(node.id)}: {reason} finer than can be kept exactly; use rounder numbers"
                + (" or fewer chance nodes" if spread[node.index] > 1 else "")
            )
    return scale
