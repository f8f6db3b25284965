"""`random_tree`: random trees, reproducible from a seed on every platform and Python version.

Random numbers come only from `random.Random(seed).random()`, the one method whose output Python guarantees to keep.
They are drawn in this order: the shape, node by node in preorder; the values of the leaves, from left to right; the
evaluations of the inner nodes, in preorder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import MAX_DEPTH, MAX_NODES, PLAYERS, Tree, TreeBuilder, integer_weights
from zermelo.teaching.tree.numbers import MAX_MAGNITUDE, quote_value
from zermelo.teaching.tree.rules import scale_of

Range = tuple[int, int]

#: Maximum branching.
MAX_BRANCHING = 1_000
#: Weights of chance nodes are drawn from 1 to this, then reduced by common factors.
MAX_WEIGHT = 3
#: Maximum error of an evaluation, as a fraction of the range of leaf values.
NOISE = 0.25

_RANGE = re.compile(r"\s*([-−]?\d{1,15})\s*(?:(?:\.\.|…)\s*([-−]?\d{1,15})\s*)?", re.ASCII)


def parse_range(name: str, text: str) -> Range:
    """Parse a range with both ends included: `3`, `2..4`, `-9..9`. Raises `TreeError`.

    Examples
    --------
    >>> parse_range("depth", "2..4")
    (2, 4)
    """
    found = _RANGE.fullmatch(text)
    if found is None:
        raise TreeError(f"{name} must be an integer such as 3, or a range such as 2..4 (got {text[:40]!r})")
    low = int(found[1].replace("−", "-"))
    return low, low if found[2] is None else int(found[2].replace("−", "-"))


def random_tree(
    seed: int,
    *,
    branching: int | Range = 3,
    depth: int | Range = 3,
    values: int | Range = (-9, 9),
    ties: bool = True,
    root: str = "max",
    chance: float = 0.0,
) -> Tree:
    """Generate a random tree.

    Parameters
    ----------
    seed : int
        Random seed, at least 0. The same arguments give the same tree.
    branching : int or (int, int), default 3
        Number of children of an inner node, as a number or an inclusive range.
    depth : int or (int, int), default 3
        Depth of the leaves in moves. In a range, each depth is equally likely for a leaf.
    values : int or (int, int), default (-9, 9)
        Range of the leaf values.
    ties : bool, default True
        Allow equal leaf values.
    root : {"max", "min", "chance"}, default "max"
        The player at the root. MAX and MIN alternate below.
    chance : float, default 0.0
        Probability that another inner node is a chance node.

    Returns
    -------
    Tree
        Each inner node has an `evaluation`: its minimax value with a random error of up to a quarter of the range of
        values, rounded and within the range.

    Raises
    ------
    TreeError
        If a range is empty or out of bounds, or the tree would be too large.

    Examples
    --------
    >>> random_tree(7, branching=(2, 3), depth=2)
    <Tree seed 7: 8 nodes, 5 leaves>
    """
    branching, depth = _as_range("branching", branching), _as_range("depth", depth)
    values = _as_range("values", values)
    _check(seed, branching, depth, values, root, chance)
    with gc_paused():
        return _build(seed, branching, depth, values, ties, root, chance)


def _build(seed: int, branching: Range, depth: Range, values: Range, ties: bool, root: str, chance: float) -> Tree:
    random = Random(seed).random
    builder = TreeBuilder()
    leaves = _draw_shape(builder, _Dice(random), branching, depth, PLAYERS[root], chance)
    low, high = values
    if not ties and leaves > high - low + 1:
        raise TreeError(
            f"values: {low}..{high} has {high - low + 1:,} values, too few for {leaves:,} leaves without ties"
        )
    draw = iter(lambda: low + int(random() * (high - low + 1)), None) if ties else _without_ties(_Dice(random), values)
    for index, player in enumerate(builder.players):
        if player is None:
            builder.values[index] = next(draw)
    tree = builder.build(f"seed {seed}")
    if chance or root == "chance":
        scale_of(tree)  # refuses trees whose means cannot be exact
    return _with_evaluations(tree, _Dice(random), values)


class _Dice:
    """Random integers from random floats in [0, 1)."""

    def __init__(self, random: Callable[[], float]) -> None:
        self.random = random

    def below(self, end: int) -> int:
        """A random integer in [0, end)."""
        return int(self.random() * end)

    def within(self, limits: Range) -> int:
        low, high = limits
        return low if low == high else low + self.below(high - low + 1)


def _as_range(name: str, given: int | Range) -> Range:
    """Convert an int or a pair of ints to a range. Raises `TreeError`."""
    ends = (given, given) if type(given) is int else given
    if not isinstance(ends, (tuple, list)) or len(ends) != 2 or any(type(end) is not int for end in ends):
        raise TreeError(f"{name} must be an int or a pair of ints such as (2, 4) (got {quote_value(given)})")
    return ends[0], ends[1]


def _check(seed: int, branching: Range, depth: Range, values: Range, root: str, chance: float) -> None:
    """Check the arguments and the expected size."""
    if type(seed) is not int or not 0 <= seed < 1 << 128:
        raise TreeError(f"seed must be an int from 0 to 2^128 - 1 (got {str(seed)[:40]})")
    for name, given, least, most in (
        ("branching", branching, 1, MAX_BRANCHING),
        ("depth", depth, 1, MAX_DEPTH),
        ("values", values, -MAX_MAGNITUDE, MAX_MAGNITUDE),
    ):  # fmt: skip
        low, high = given
        if low > high:
            raise TreeError(f"{name}: the range {low}..{high} is empty; the lower end comes first")
        if low < least or high > most:
            raise TreeError(f"{name} must be within {least}..{most} (got {low}..{high})")
    if root not in PLAYERS:
        raise TreeError(f"root must be max, min or chance (got {quote_value(root)})")
    if not 0 <= chance <= 1:
        raise TreeError(f"chance must be between 0 and 1 (got {chance})")
    expected = 1.0
    level = 1.0
    for ply in range(depth[1]):
        level *= (1 - _stops(ply, depth)) * (branching[0] + branching[1]) / 2
        expected += level
        if expected > MAX_NODES:
            raise TreeError(
                f"branching {_format_range(branching)} to depth {_format_range(depth)}: more than {MAX_NODES:,} nodes "
                "expected, the maximum of a tree"
            )


def _format_range(ends: Range) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}..{ends[1]}"


def _stops(ply: int, depth: Range) -> float:
    """Probability that a node at a depth is a leaf, so that all depths of the range are equally likely for leaves."""
    return 0 if ply < depth[0] else 1 / (depth[1] - ply + 1)


def _draw_shape(builder: TreeBuilder, dice: _Dice, branching: Range, depth: Range, root: int, chance: float) -> int:
    """Draw the nodes without values; return the number of leaves."""
    leaves = 0
    stops = [_stops(ply, depth) for ply in range(depth[1] + 1)]
    within, random, add = dice.within, dice.random, builder.add
    stack = [(-1, 0, root)]  # nodes to come: parent, depth, player unless it is a chance node
    while stack:
        parent, ply, mover = stack.pop()
        stop = stops[ply]
        if stop and (stop == 1 or random() < stop):
            add(parent, None)
            leaves += 1
            continue
        player = mover
        if parent >= 0 and chance and random() < chance:
            player = CHANCE
        children = within(branching)
        weights: tuple[int, ...] = ()
        if player == CHANCE:
            weights = integer_weights([1 + dice.below(MAX_WEIGHT) for _ in range(children)])
        index = add(parent, player, weights=weights)
        # A chance node does not change the turn; below a chance node at the root MAX starts.
        turn = -player if player != CHANCE else mover or PLAYERS["max"]
        stack += [(index, ply + 1, turn)] * children
    return leaves


def _without_ties(dice: _Dice, values: Range) -> Iterator[int]:
    """Yield the numbers of a range in random order: a Fisher-Yates shuffle that stores only moved elements."""
    low, high = values
    moved: dict[int, int] = {}
    for place in range(high - low + 1):
        other = place + dice.below(high - low + 1 - place)
        here = moved.pop(place, place)
        if other == place:
            yield low + here
        else:
            yield low + moved.get(other, other)
            moved[other] = here


def _with_evaluations(tree: Tree, dice: _Dice, values: Range) -> Tree:
    """The tree with a noisy evaluation at each inner node."""
    low, high = values
    error = int((high - low) * NOISE)
    nodes = []
    for node, value in zip(tree.nodes, minimax_values(tree), strict=True):
        if node.player is not None:
            assert value is not None
            estimate = round(value) + dice.within((-error, error))
            node = node._replace(evaluation=max(low, min(high, estimate)))
        nodes.append(node)
    return Tree(nodes, tree.name)
