"""Minimax values of all nodes of a tree, computed bottom-up."""

from __future__ import annotations

from fractions import Fraction

from zermelo.core.game import MAX
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number


def minimax_values(tree: Tree) -> list[Number | None]:
    """The minimax value of each node, by index; at chance nodes the mean, None where a leaf below has no value.

    One pass over the nodes, children first. It evaluates every leaf; `tree.trace` with the convention `minimax` finds
    the same values and records the steps.
    """
    nodes = tree.nodes
    values: list[Number | None] = [node.value for node in nodes]
    for node in reversed(nodes):
        if node.player is None:
            continue
        below = [values[child] for child in node.children]
        known: list[Number] = [value for value in below if value is not None]
        if len(known) < len(below):
            values[node.index] = None
        elif node.weights:
            mean = Fraction(
                sum(map(Fraction.__mul__, map(Fraction, node.weights), map(Fraction, known))), sum(node.weights)
            )
            values[node.index] = mean.numerator if mean.denominator == 1 else mean
        else:
            values[node.index] = max(known) if node.player == MAX else min(known)
    return values
