"""How much alpha-beta reads, by the order in which children are looked at: the same tree, and a game depth by depth.

Every count comes from the textbook's search of a tree whose children were put into another order (`reordered`), or of
the game itself. Beside them stand the bounds that hold for all orders (Knuth and Moore, An analysis of alpha-beta
pruning, 1975):

- minimax reads every leaf: b^d in a uniform tree of b children a node, d moves deep;
- no algorithm proves the value with fewer leaves than the minimal tree has: b^ceil(d/2) + b^floor(d/2) - 1 in a uniform
  tree, and alpha-beta reads exactly those if the best child always comes first. `proof_leaves` counts them for any
  tree. In one that is not uniform even the best child first may read more: a worse one may have less below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, State
from zermelo.errors import TreeError
from zermelo.search import textbook
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.game_trees import DEFAULT_NODE_LIMIT, game_tree
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.rules import TreeGame
from zermelo.teaching.tree.trace import searched
from zermelo.teaching.tree.values import minimax_values

GIVEN, BEST, WORST, RANDOM, EVALUATION = "as given", "best first", "worst first", "random", "by evaluation"

#: So many random orders are tried, of large trees only as many as have `MOST_SHUFFLED` nodes together, but a few.
SAMPLES = 100
MOST_SHUFFLED, FEWEST_SAMPLES = 2_000_000, 5

#: What each child is sorted by, by the nodes' indices: large for MAX, small for MIN.
SortKeys = list[Any]


# ---- the bounds -------------------------------------------------------------------------------------------------


def minimal_leaves(branching: int, depth: int) -> int:
    """The leaves of the minimal tree of a uniform one: b^ceil(d/2) + b^floor(d/2) - 1 (Knuth and Moore 1975)."""
    return int(branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1)


def minimal_nodes(branching: int, depth: int) -> int:
    """All nodes of the minimal tree: the same sum for each depth down to the leaves."""
    return sum(minimal_leaves(branching, ply) for ply in range(depth + 1))


def uniform_shape(tree: Tree) -> tuple[int, int] | None:
    """Branching and depth of a tree whose inner nodes all have so many children and whose leaves lie so deep."""
    branching = {len(node.children) for node in tree if not node.is_leaf}
    depths = {node.depth for node in tree.leaves}
    return (branching.pop(), depths.pop()) if len(branching) == len(depths) == 1 else None


def proof_leaves(tree: Tree) -> int | None:
    """The min_leaves leaves that prove what the root is worth; None where chance moves, or a leaf is not known.

    A proof has a strategy of MAX that is worth at least the value against every answer, and one of MIN that holds it to
    the value. Each needs one child of its own side's nodes and all of the other's; they meet in exactly one leaf.
    """
    values = minimax_values(tree)
    value = values[0]
    if value is None or any(node.player == CHANCE for node in tree):
        return None
    min_leaves = 0
    for side in (1, -1):
        needed: list[int | None] = [None] * len(tree)  # leaves of a strategy below a node, None: there is none
        for node in reversed(tree.nodes):
            if node.is_leaf:
                assert node.value is not None
                needed[node.index] = 1 if side * node.value >= side * value else None
                continue
            below = [needed[child] for child in node.children]
            there_are = [count for count in below if count is not None]
            if node.player == side:
                needed[node.index] = min(there_are, default=None)
            elif len(there_are) == len(below):
                needed[node.index] = sum(there_are)
        min_leaves += needed[0] or 0
    return min_leaves - 1


def effective_branching(nodes: float, depth: int) -> float:
    """The b* of a uniform tree with so many nodes, root included: nodes = 1 + b* + b*^2 + ... + b*^d (AIMA).

    0 for a tree of the root alone.
    """
    low, high = 0.0, max(nodes, 1.0)
    if depth < 1 or nodes <= 1:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        total = 1.0
        for _ in range(depth):
            total = total * middle + 1
            if total > nodes:
                break
        low, high = (low, middle) if total > nodes else (middle, high)
    return low


# ---- orders of a tree -------------------------------------------------------------------------------------------


def reordered(tree: Tree, keys: SortKeys) -> Tree:
    """The tree with the children of each node in another order, those first that keys most to who moves there.

    `keys` has a number for each node by its index, for MAX. Equal ones stay in their order, and so do the children
    of chance nodes. The nodes keep their names.
    """
    nodes = tree.nodes
    places = [0] * len(nodes)  # where each node comes to stand
    way: list[int] = []  # the old indices in the new order
    sorted_children: list[Any] = [()] * len(nodes)
    stack = [0]
    while stack:
        index = stack.pop()
        places[index] = len(way)
        way.append(index)
        children = nodes[index].children
        if children:
            player = nodes[index].player
            if player != CHANCE:
                children = tuple(sorted(children, key=keys.__getitem__, reverse=player == MAX))
            sorted_children[index] = children
            stack.extend(reversed(children))
    moved = []
    first: dict[int, int] = {}  # of equal positions the one that now comes first, by the old twin
    for place, index in enumerate(way):
        node = nodes[index]
        moved.append(
            node._replace(
                index=place,
                parent=places[node.parent] if node.parent >= 0 else -1,
                children=tuple([places[child] for child in sorted_children[index]]),
                transposition_of=first.setdefault(node.transposition_of, place),
            )
        )
    return Tree(moved, tree.name)


@dataclass(frozen=True)
class OrderResult:
    """What a search reads of a tree in some order: a mean over `samples` orders, and the range of their leaves."""

    order: str
    nodes: float
    leaves: float
    min_leaves: int
    max_leaves: int
    samples: int = 1


@dataclass(frozen=True)
class Comparison:
    """A tree under several orders.

    `minimax` is what minimax reads, whatever the order. `proof` is the min_leaves leaves that prove the value (see
    `proof_leaves`); `shape` is branching and depth of a uniform tree. An order is left out where it means nothing:
    by evaluation, if no inner node has one.
    """

    tree: Tree
    convention: Convention
    value: Number
    minimax: OrderResult
    proof: int | None
    shape: tuple[int, int] | None
    results: tuple[OrderResult, ...]

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        from zermelo._util.html import table

        rows = [(each.order, f"{each.nodes:,.10g}", f"{each.leaves:,.10g}") for each in (self.minimax, *self.results)]
        return table(
            ("order", "nodes", "leaves"), rows, f"{self.convention.algorithm}, value {format_number(self.value)}"
        )

    def result(self, order: str) -> OrderResult:
        """What is read in one of the orders. Raises `KeyError`."""
        return {reading.order: reading for reading in self.results}[order]


def compare_orders(
    tree: Tree,
    convention: Convention | str = "",
    *,
    seed: int = 0,
    samples: int | None = None,
    watch: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Search a tree in each order: as given, best first, worst first, at random, by the nodes' evaluations.

    Best and worst first sort by the true values. `seed` and `samples` are the random orders'; None: 100, of large trees
    fewer. `watch`, if given, is called with the order that is searched next, and for random ones with how many were and
    how many there are. Raises `TreeError` where a leaf's value is not known, for fewer than 1 sample, and for
    a convention that does not prune.
    """
    chosen = Convention.of(convention) if isinstance(convention, str) else convention
    if not chosen.prunes:
        raise TreeError(f"{chosen.algorithm} reads every leaf in any order; alphabeta and negamax can be compared")
    if samples is not None and samples < 1:
        raise TreeError(f"samples: {samples}; at least 1 random order is needed")
    tell = watch or (lambda order, done, steps: None)
    values = minimax_values(tree)
    unknown = next((leaf.id for leaf in tree.leaves if leaf.value is None), None)
    value = values[0]
    if unknown is not None or value is None:
        raise TreeError(f"leaf {unknown!r} has no value; to compare orders all are needed")
    with gc_paused():
        results = []
        for order, keys in _orders(tree, values):
            tell(order, 0, 0)
            results.append(_read(tree if keys is None else reordered(tree, keys), chosen, order))
        count = samples or max(FEWEST_SAMPLES, min(SAMPLES, MOST_SHUFFLED // len(tree)))
        results.insert(3, _read_at_random(tree, chosen, Random(seed), count, tell))
        everything = OrderResult("minimax", len(tree), len(tree.leaves), len(tree.leaves), len(tree.leaves))
    return Comparison(tree, chosen, value, everything, proof_leaves(tree), uniform_shape(tree), tuple(results))


def _orders(tree: Tree, values: list[Number | None]) -> Iterator[tuple[str, SortKeys | None]]:
    yield GIVEN, None
    yield BEST, values
    yield WORST, [-value for value in values if value is not None]
    guesses = [node.value if node.is_leaf else node.evaluation for node in tree]
    if any(node.evaluation is not None for node in tree if not node.is_leaf):
        yield EVALUATION, [guess or 0 for guess in guesses]


def _read(tree: Tree, convention: Convention, order: str) -> OrderResult:
    found = searched(TreeGame(tree), convention)
    return OrderResult(order, found.nodes, found.leaves, found.leaves, found.leaves)


def _read_at_random(
    tree: Tree, convention: Convention, chances: Random, samples: int, tell: Callable[[str, int, int], None]
) -> OrderResult:
    nodes, leaves = [], []
    for sample in range(samples):
        tell(RANDOM, sample, samples)
        found = searched(TreeGame(reordered(tree, [chances.random() for _ in tree.nodes])), convention)
        nodes.append(found.nodes)
        leaves.append(found.leaves)
    return OrderResult(RANDOM, sum(nodes) / samples, sum(leaves) / samples, min(leaves), max(leaves), samples)


# ---- a game, depth by depth -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SearchCount:
    """What one search visited: states, and those of them that were not searched further."""

    nodes: int
    leaves: int

    def branching(self, depth: int) -> float:
        """The effective branching factor leaves^(1/depth); see `effective_branching` for the other one in use."""
        return float(self.leaves ** (1 / depth)) if depth else 0.0


@dataclass(frozen=True)
class DepthCounts:
    """A game's searches to one depth: minimax, and alpha-beta in several orders.

    `best_first` and `proof` (the min_leaves leaves that prove the value) are None where the whole tree is too large.
    """

    depth: int
    minimax: SearchCount
    given: SearchCount
    evaluation: SearchCount
    best_first: SearchCount | None
    proof: int | None

    @property
    def minimal(self) -> float:
        """The leaves of the minimal tree, as if the game's tree were uniform: minimax's branching in the formula."""
        branching = self.minimax.branching(self.depth)
        return branching ** ((self.depth + 1) // 2) + branching ** (self.depth // 2) - 1


def count_by_depth(
    state: State,
    depths: Iterable[int],
    evaluation: str | Evaluation | None = None,
    *,
    limit: int = DEFAULT_NODE_LIMIT,
    watch: Callable[[int, str], None] | None = None,
) -> Iterator[DepthCounts]:
    """Count a game's searches depth by depth, each as soon as it is done.

    The states at the depth are worth what `evaluation` says (a name of the game's, or a value; None: the game's usual
    one), and children are also sorted by it. Trees of up to `limit` nodes are written out and searched best first too.
    `watch`, if given, is called with the depth and what is searched next. Raises `LimitError` and `GameError` as the
    searches do.
    """
    scored = resolve_evaluation(state, evaluation)
    tell = watch or (lambda depth, doing: None)
    for depth in depths:
        tell(depth, "minimax")
        everything = _counted(textbook.minimax(state, depth, "nothing"))  # whose count no evaluation changes
        tell(depth, "alpha-beta")
        given = _counted(textbook.alphabeta(state, depth, scored))
        tell(depth, "alpha-beta by evaluation")
        sorted_ = _counted(textbook.alphabeta(state, depth, scored, order=scored))
        best: SearchCount | None = None
        proof: int | None = None
        if everything.nodes <= limit and not state.has_chance:
            tell(depth, "alpha-beta best first")
            tree = game_tree(state, depth, scored, limit=limit)
            with gc_paused():
                best = _counted(searched(TreeGame(reordered(tree, minimax_values(tree))), Convention()))
            proof = proof_leaves(tree)
        yield DepthCounts(depth, everything, given, sorted_, best, proof)


def _counted(found: textbook.Result) -> SearchCount:
    return SearchCount(found.nodes, found.leaves)
