"""`TreeGame`: a tree as a game, so that `zermelo.search.textbook` can search it.

A state is the index of a node, a move the number of a child. Scores of a search are ints, values of a tree need not be.
Each tree therefore has a `scale`, a common denominator of all its values and of all means at its chance nodes. The
search works on values times the scale, and its results divided by the scale are exact.
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
from zermelo.teaching.tree.numbers import MAX_MAGNITUDE, Number, quote_value

if TYPE_CHECKING:
    from zermelo.teaching.tree.node import Tree


class TreeGame:
    """The states and the evaluation of a tree. The scale also covers `bounds`, the bounds of a root window."""

    def __init__(self, tree: Tree, bounds: Iterable[Number] = ()) -> None:
        self.tree = tree
        self.scale = scale_of(tree, bounds)
        nodes, scale = tree.nodes, self.scale

        @game
        class TreeState(State):
            """A node of a tree. Interpreted only: compiled code has no access to the list of nodes."""

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
                        f"leaf {quote_value(node.id)} has no value, but the search evaluates it: give it a value, or "
                        "change the order so that it is pruned"
                    )
                return int(node.value * scale)

            def outcomes(self):  # type: ignore[no-untyped-def]
                yield from enumerate(nodes[self.node].weights)

            def move_name(self, move):  # type: ignore[no-untyped-def]
                return tree.move_name(nodes[nodes[self.node].children[move]])

            def __str__(self) -> str:
                return nodes[self.node].id

        # The limit of utilities applies to compiled transposition tables only. Since `outcomes` is declared, utilities
        # and evaluations share one scale (`zermelo.search.scores.ranked`), like the numbers of a tree.
        TreeState.max_utility = int(MAX_MAGNITUDE * scale)
        self.State = TreeState

        @evaluation
        class Static:
            """The evaluation of an inner node, 0 if it has none, and the value of a leaf."""

            def score(self, state):  # type: ignore[no-untyped-def]
                node = nodes[state.node]
                value = node.value if node.player is None else node.evaluation
                return int((value or 0) * scale)

        Static.largest_score = INFINITY  # type: ignore[attr-defined]
        self.Static = Static

    def start(self) -> State:
        """The state at the root."""
        return self.State(0)

    def number(self, score: int) -> Number:
        """Convert a finite score of a search to a number of the tree."""
        if self.scale == 1:
            return score
        value = Fraction(score, self.scale)
        return value.numerator if value.denominator == 1 else value


def scale_of(tree: Tree, bounds: Iterable[Number] = ()) -> int:
    """A common denominator of all values, means and bounds. Raises `TreeError` if scaled values would be too large."""
    scale = 1
    largest: Number = 1
    for bound in bounds:
        scale = lcm(scale, bound.denominator)
        largest = max(largest, bound, -bound)
    for node in tree:
        for value in (node.value, node.evaluation):
            if value is not None and not -largest <= value <= largest:
                largest = max(value, -value)
    divisors = [1] * len(tree)  # product of the weight sums of the chance nodes above each node
    for node in tree:
        for value in (node.value, node.evaluation):
            if value is not None and (divisors[node.index] > 1 or isinstance(value, Fraction)):
                scale = lcm(scale, divisors[node.index] * Fraction(value).denominator)
        if node.children:
            below = divisors[node.index] * (sum(node.weights) if node.weights else 1)
            for child in node.children:
                divisors[child] = below
        if scale * largest >= INFINITY >> 2:
            cause, hint = "its value needs", ""
            if divisors[node.index] > 1:
                cause, hint = "the weights above it need", " or fewer chance nodes"
            raise TreeError(
                f"node {quote_value(node.id)}: {cause} a denominator too large for exact values; "
                f"use simpler numbers{hint}"
            )
    return scale
