"""`TreeGame`: a tree as a game, so that `zermelo.search.textbook` can search it.

A state is the index of a node, a move the number of a child. Scores of a search are ints, values of a tree need not be.
Each tree therefore has a `scale`, a common denominator of all its values and of all means at its chance nodes. The
search works on values times the scale, and its results divided by the scale are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar

from zermelo.core.evaluation import evaluation
from zermelo.core.game import State, game
from zermelo.errors import TreeError
from zermelo.search.textbook import INFINITY
from zermelo.teaching.tree.numbers import MAX_MAGNITUDE, Number, quote_value

if TYPE_CHECKING:
    from zermelo.teaching.tree.node import Tree


@game
class TreeState(State):
    """A node of a tree. Interpreted only: compiled code has no access to the list of nodes.

    `TreeGame` makes a subclass for each tree, with the tree as class attributes. To make a whole game of each tree
    would take longer than to search a small one.
    """

    node: int = 0

    nodes: ClassVar[Any] = ()
    tree: ClassVar[Any]
    scale: ClassVar[int] = 1

    def to_move(self):  # type: ignore[no-untyped-def]
        return self.nodes[self.node].player

    def moves(self):  # type: ignore[no-untyped-def]
        yield from range(len(self.nodes[self.node].children))

    def play(self, move):  # type: ignore[no-untyped-def]
        return self.__class__(self.nodes[self.node].children[move])

    def is_over(self):  # type: ignore[no-untyped-def]
        return self.nodes[self.node].player is None

    def utility(self):  # type: ignore[no-untyped-def]
        node = self.nodes[self.node]
        if node.value is None:
            raise TreeError(
                f"leaf {quote_value(node.id)} has no value, but the search evaluates it: give it a value, or "
                "change the order so that it is pruned"
            )
        return int(node.value * self.scale)

    def outcomes(self):  # type: ignore[no-untyped-def]
        yield from enumerate(self.nodes[self.node].weights)

    def is_tactical(self, move):  # type: ignore[no-untyped-def]
        return self.nodes[self.nodes[self.node].children[move]].is_tactical

    def in_check(self):  # type: ignore[no-untyped-def]
        return self.nodes[self.node].in_check

    def move_name(self, move):  # type: ignore[no-untyped-def]
        return self.tree.move_name(self.nodes[self.nodes[self.node].children[move]])

    def __str__(self) -> str:
        return str(self.nodes[self.node].id)


@evaluation
class StaticEvaluation:
    """The evaluation of an inner node, 0 if it has none, and the value of a leaf."""

    largest_score = INFINITY

    def score(self, state):  # type: ignore[no-untyped-def]
        node = state.nodes[state.node]
        value = node.value if node.player is None else node.evaluation
        return int((value or 0) * state.scale)


class TreeGame:
    """The states of a tree as a game. The scale also covers `bounds`, the bounds of a root window.

    With `divides_windows`, it also covers the windows that Star1 and Star2 pass through chance nodes, which are divided
    by the weights.
    """

    def __init__(self, tree: Tree, bounds: Iterable[Number] = (), *, divides_windows: bool = False) -> None:
        self.tree = tree
        self.scale = scale_of(tree, bounds, divides_windows)
        # The limit of utilities applies to compiled transposition tables only. Since `outcomes` is declared, utilities
        # and evaluations share one scale (`zermelo.search.scores.ranked`), like the numbers of a tree.
        attributes = {"tree": tree, "nodes": tree.nodes, "scale": self.scale}
        attributes |= {"max_utility": int(MAX_MAGNITUDE * self.scale), "__slots__": (), "__module__": __name__}
        made: Any = type(TreeState)
        self.State: type[TreeState] = made("TreeState", (TreeState,), attributes)
        self.Static = StaticEvaluation

    def key(self, state: Any) -> int:
        """What a transposition table takes for the same state: the same position with the same subtree."""
        return self._classes[int(state.node)]

    @cached_property
    def _classes(self) -> list[int]:
        """For each node a number, the same for nodes with the same position and equal subtrees.

        Equal subtrees make sure that they have the same value: a tree may end at a depth, or draws by repetition may
        depend on the moves before a position.
        """
        classes = [0] * len(self.tree)
        numbers: dict[object, int] = {}
        for node in reversed(self.tree.nodes):
            children = tuple(classes[child] for child in node.children)
            contents: tuple[object, ...] = (node.value,)
            if children:
                contents = (node.transposition_of, node.player, node.evaluation, node.weights, children)
            classes[node.index] = numbers.setdefault(contents, len(numbers))
        return classes

    def move_key(self, state: Any, move: int) -> str | int:
        """What identifies a move in other states: its name, or the number of the child if moves have no names."""
        return self.tree.nodes[self.tree.nodes[state.node].children[move]].move or move

    def start(self) -> State:
        """The state at the root."""
        return self.State(0)

    def number(self, score: int) -> Number:
        """Convert a finite score of a search to a number of the tree."""
        if self.scale == 1:
            return score
        value = Fraction(score, self.scale)
        return value.numerator if value.denominator == 1 else value


def scale_of(tree: Tree, bounds: Iterable[Number] = (), divides_windows: bool = False) -> int:
    """A common denominator of all values, means and bounds, with `divides_windows` also of the windows of Star1.

    Raises `TreeError` if scaled values would be too large.
    """
    scale = 1
    largest: Number = 1
    for bound in bounds:
        scale = lcm(scale, bound.denominator)
        largest = max(largest, bound, -bound)
    for node in tree:
        for value in (node.value, node.evaluation):
            if value is not None and not -largest <= value <= largest:
                largest = max(value, -value)
    # Product of the weight sums of the chance nodes above each node, and of the weights by which windows are divided.
    divisors = [1] * len(tree)
    window_divisors = [1] * len(tree)
    windows = 1
    for node in tree:
        for value in (node.value, node.evaluation):
            if value is not None and (divisors[node.index] > 1 or isinstance(value, Fraction)):
                scale = lcm(scale, divisors[node.index] * Fraction(value).denominator)
        if node.children:
            below = divisors[node.index] * (sum(node.weights) if node.weights else 1)
            below_windows = window_divisors[node.index] * (lcm(*node.weights) if divides_windows else 1)
            windows = lcm(windows, below_windows)
            for child in node.children:
                divisors[child], window_divisors[child] = below, below_windows
        if scale * windows * largest >= INFINITY >> 2:
            cause, hint = "its value needs", ""
            if divisors[node.index] > 1:
                cause, hint = "the weights above it need", " or fewer chance nodes"
            raise TreeError(
                f"node {quote_value(node.id)}: {cause} a denominator too large for exact values; "
                f"use simpler numbers{hint}"
            )
    return scale * windows
