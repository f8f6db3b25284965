"""Trees sown at random from a seed: the same seed and the same wishes give the same tree, everywhere and always.

Chance comes from `random.Random(seed).random()` alone, the one method whose numbers Python promises to keep from
version to version, in this order: the shape, node by node (a parent, then its subtrees, left first); the leaves'
values, from left to right; the guesses of the inner nodes' values, in the order of the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import DEEPEST, MOST_NODES, PLAYERS, Tree, TreeBuilder, whole_weights
from zermelo.teaching.tree.numbers import LARGEST, quoted
from zermelo.teaching.tree.rules import scale_of
from zermelo.teaching.tree.values import minimax_values

Span = tuple[int, int]

#: The most children of a sown node: enough for any game, and for any picture.
WIDEST = 1_000
#: A chance node's weights are drawn from 1 to this, before common factors are taken out.
HEAVIEST = 3
#: How far a guess may be from the value, as a share of the range of the leaves' values.
NOISE = 0.25

_SPAN = re.compile(r"\s*([-−]?\d{1,15})\s*(?:(?:\.\.|…)\s*([-−]?\d{1,15})\s*)?", re.ASCII)


def parse_range(name: str, text: str) -> Span:
    """The range that a text stands for, both ends included: `3`, `2..4`, `-9..9`. Raises `TreeError`.

    >>> parse_range("depth", "2..4")
    (2, 4)
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        raise TreeError(f"{name}: {text[:40]!r} is neither a whole number, 3, nor a range of them, 2..4")
    low = int(found[1].replace("−", "-"))
    return low, low if found[2] is None else int(found[2].replace("−", "-"))


def random_tree(
    seed: int,
    *,
    branching: int | Span = 3,
    depth: int | Span = 3,
    values: int | Span = (-9, 9),
    ties: bool = True,
    root: str = "max",
    chance: float = 0.0,
) -> Tree:
    """A random tree.

    `branching`, `depth` and `values` are ranges with both ends, or one number: how many children an inner node has, how
    many moves below the root the leaves are, what they are worth. Where the depth is a range, each of its depths is
    equally likely for a leaf. Without `ties` no two leaves have the same value. `root` says who moves first, max, min
    or chance; players then take turns, and at a share `chance` of the other inner nodes chance moves instead.

    Each inner node has an `evaluation`, as a static evaluation would make it: its true value, off by up to a quarter
    of the range of values either way, rounded, and within the range.

    Raises `TreeError` for ranges that are empty or out of bounds, and for a tree that would be too large.
    """
    branching, depth = _range("branching", branching), _range("depth", depth)
    values = _range("values", values)
    _check(seed, branching, depth, values, root, chance)
    with gc_paused():
        return _sown(seed, branching, depth, values, ties, root, chance)


def _sown(seed: int, branching: Span, depth: Span, values: Span, ties: bool, root: str, chance: float) -> Tree:
    chances = Random(seed).random
    draft = TreeBuilder()
    leaves = _draw_shape(draft, _Dice(chances), branching, depth, PLAYERS[root], chance)
    low, high = values
    if not ties and leaves > high - low + 1:
        raise TreeError(
            f"values: {low}..{high} are {high - low + 1:,} values, too few for {leaves:,} leaves without ties"
        )
    draw = (
        iter(lambda: low + int(chances() * (high - low + 1)), None) if ties else _without_ties(_Dice(chances), values)
    )
    for index, player in enumerate(draft.players):
        if player is None:
            draft.values[index] = next(draw)
    tree = draft.build(f"seed {seed}")
    if chance or root == "chance":
        scale_of(tree)  # refuses what no search could keep exactly
    return _guessed(tree, _Dice(chances), values)


class _Dice:
    """Whole numbers by chance, from numbers in 0 .. 1."""

    def __init__(self, chances: Callable[[], float]) -> None:
        self.chances = chances

    def below(self, end: int) -> int:
        """0, 1, ... or end - 1."""
        return int(self.chances() * end)

    def within(self, ends: Span) -> int:
        low, high = ends
        return low if low == high else low + self.below(high - low + 1)


def _range(name: str, given: int | Span) -> Span:
    """A range as it is given, or of one number. Raises `TreeError`."""
    ends = (given, given) if type(given) is int else given
    if not isinstance(ends, (tuple, list)) or len(ends) != 2 or any(type(end) is not int for end in ends):
        raise TreeError(f"{name}: {quoted(given)} is neither a whole number nor a range of two, (2, 4)")
    return ends[0], ends[1]


def _check(seed: int, branching: Span, depth: Span, values: Span, root: str, chance: float) -> None:
    """Refuse what cannot be sown, before anything is."""
    if type(seed) is not int or not 0 <= seed < 1 << 128:
        raise TreeError(f"seed: {str(seed)[:40]} is not a whole number from 0 up")
    for name, given, least, most in (
        ("branching", branching, 1, WIDEST), ("depth", depth, 1, DEEPEST), ("values", values, -LARGEST, LARGEST),
    ):  # fmt: skip
        low, high = given
        if low > high:
            raise TreeError(f"{name}: the range {low}..{high} is empty; the smaller end comes first")
        if low < least or high > most:
            raise TreeError(f"{name}: {low}..{high} is not within {least}..{most}")
    if root not in PLAYERS:
        raise TreeError(f"root: {quoted(root)} does not move; max, min or chance does")
    if not 0 <= chance <= 1:
        raise TreeError(f"chance: {chance} is not between 0 and 1, the share of the nodes where chance moves")
    expected = 1.0
    row = 1.0
    for ply in range(depth[1]):
        row *= (1 - _stops(ply, depth)) * (branching[0] + branching[1]) / 2
        expected += row
        if expected > MOST_NODES:
            raise TreeError(
                f"branching {_told(branching)} to depth {_told(depth)}: more than {MOST_NODES:,} nodes are to be "
                "expected, the most a tree may have"
            )


def _told(ends: Span) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}..{ends[1]}"


def _stops(ply: int, depth: Span) -> float:
    """How likely a node at a depth is a leaf, so that all depths of the range are equally likely for one."""
    return 0 if ply < depth[0] else 1 / (depth[1] - ply + 1)


def _draw_shape(draft: TreeBuilder, dice: _Dice, branching: Span, depth: Span, root: int, chance: float) -> int:
    """Draw the nodes, without values. Returns how many are leaves."""
    leaves = 0
    stops = [_stops(ply, depth) for ply in range(depth[1] + 1)]
    within, chances, add = dice.within, dice.chances, draft.add
    stack = [(-1, 0, root)]  # nodes to come: parent, depth, who moves there if a player does
    while stack:
        parent, ply, mover = stack.pop()
        stop = stops[ply]
        if stop and (stop == 1 or chances() < stop):
            add(parent, None)
            leaves += 1
            continue
        player = mover
        if parent >= 0 and chance and chances() < chance:
            player = CHANCE
        children = within(branching)
        weights: tuple[int, ...] = ()
        if player == CHANCE:
            weights = whole_weights([1 + dice.below(HEAVIEST) for _ in range(children)])
        index = add(parent, player, weights=weights)
        # After chance the turn stays with whom it was; MAX begins where chance does at the root.
        turn = -player if player != CHANCE else mover or PLAYERS["max"]
        stack += [(index, ply + 1, turn)] * children
    return leaves


def _without_ties(dice: _Dice, values: Span) -> Iterator[int]:
    """The numbers of a range in random order, each once: a shuffle of which only what was moved is remembered."""
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


def _guessed(tree: Tree, dice: _Dice, values: Span) -> Tree:
    """The tree with a guess of its value at each inner node."""
    low, high = values
    reach = int((high - low) * NOISE)
    nodes = []
    for node, value in zip(tree.nodes, minimax_values(tree), strict=True):
        if node.player is not None:
            assert value is not None
            guess = round(value) + dice.within((-reach, reach))
            node = node._replace(evaluation=max(low, min(high, guess)))
        nodes.append(node)
    return Tree(nodes, tree.name)
