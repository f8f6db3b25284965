"""What every node of a tree is worth: the leaves' values backed up, all of them, as one does it on paper."""

from __future__ import annotations

from fractions import Fraction

from zermelo.core.game import MAX
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number


def minimax_values(tree: Tree) -> list[Number | None]:
    """The minimax value of each node, by its index; the mean where chance moves; None where a leaf's is not known.

    One pass over the nodes, children first. It reads every leaf, so it is not a search; `tree.trace` with the
    convention `minimax` finds the same values and shows how.
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
