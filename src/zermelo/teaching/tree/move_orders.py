"""Effect of move ordering on alpha-beta: one tree in several orders, and a game depth by depth.

All counts come from the textbook search of a tree with reordered children (`reordered`), or of the game itself. They
are compared with bounds that hold for every order [1]_:

- minimax evaluates every leaf: b^d in a uniform tree with branching b and depth d;
- a proof of the value needs at least the leaves of the minimal tree: b^ceil(d/2) + b^floor(d/2) - 1 in a uniform tree.
  Alpha-beta evaluates exactly these if the best child always comes first. `minimal_proof_leaves` counts them for any
  tree. In a tree that is not uniform, even the best order may need more, because a worse child may have a smaller
  subtree.

References
----------
.. [1] Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import TreeError
from zermelo.search import textbook
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.game_trees import DEFAULT_NODE_LIMIT, game_tree
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.rules import TreeGame
from zermelo.teaching.tree.trace import searched

GIVEN, BEST, WORST, RANDOM, EVALUATION = "as given", "best first", "worst first", "random", "by evaluation"
#: The order of the engine's move scores, for `ordered`.
MOVE_SCORES = "by move score"

#: Default number of random orders; for large trees limited to `MAX_SHUFFLED_NODES` nodes in all, but at least
#: `MIN_SAMPLES` orders.
SAMPLES = 100
MAX_SHUFFLED_NODES, MIN_SAMPLES = 2_000_000, 5

#: Sort key of each node, by index: MAX prefers large keys, MIN small ones.
SortKeys = list[Any]


# ---- the bounds -------------------------------------------------------------------------------------------------


def minimal_leaves(branching: int, depth: int) -> int:
    """Leaves of the minimal tree of a uniform tree: b^ceil(d/2) + b^floor(d/2) - 1 (Knuth and Moore 1975)."""
    return int(branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1)


def minimal_nodes(branching: int, depth: int) -> int:
    """Nodes of the minimal tree of a uniform tree: the sum of `minimal_leaves` over all depths."""
    return sum(minimal_leaves(branching, ply) for ply in range(depth + 1))


def uniform_shape(tree: Tree) -> tuple[int, int] | None:
    """Branching and depth of a uniform tree; None if the tree is not uniform."""
    branching = {len(node.children) for node in tree if not node.is_leaf}
    depths = {node.depth for node in tree.leaves}
    return (branching.pop(), depths.pop()) if len(branching) == len(depths) == 1 else None


def minimal_proof_leaves(tree: Tree) -> int | None:
    """The minimum number of leaves in a proof of the root's value; None with chance nodes or unknown leaf values.

    A proof consists of a strategy for MAX that guarantees at least the value, and one for MIN that guarantees at most
    the value. Each contains one child of its own player's nodes and all children of the opponent's; the two share
    exactly one leaf.
    """
    values = minimax_values(tree)
    value = values[0]
    if value is None or any(node.player == CHANCE for node in tree):
        return None
    total = 0
    for side in (1, -1):
        needed: list[int | None] = [None] * len(
            tree
        )  # leaves of the smallest strategy below each node; None if there is none
        for node in reversed(tree.nodes):
            if node.is_leaf:
                assert node.value is not None
                needed[node.index] = 1 if side * node.value >= side * value else None
                continue
            below = [needed[child] for child in node.children]
            possible = [count for count in below if count is not None]
            if node.player == side:
                needed[node.index] = min(possible, default=None)
            elif len(possible) == len(below):
                needed[node.index] = sum(possible)
        total += needed[0] or 0
    return total - 1


def effective_branching(nodes: float, depth: int) -> float:
    """The effective branching factor b* of AIMA: nodes = 1 + b* + b*^2 + ... + b*^depth; 0 for a single node."""
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
    """The tree with the children of each node sorted by keys, the best for the player to move first.

    Parameters
    ----------
    tree : Tree
    keys : list
        A number for each node, by index, from the view of MAX. The sort is stable, and children of chance nodes keep
        their order.

    Returns
    -------
    Tree
        The nodes keep their names.
    """
    nodes = tree.nodes
    new_index = [0] * len(nodes)  # new index of each node
    order: list[int] = []  # old indices in the new order
    sorted_children: list[Any] = [()] * len(nodes)
    stack = [0]
    while stack:
        index = stack.pop()
        new_index[index] = len(order)
        order.append(index)
        children = nodes[index].children
        if children:
            player = nodes[index].player
            if player != CHANCE:
                children = tuple(sorted(children, key=keys.__getitem__, reverse=player == MAX))
            sorted_children[index] = children
            stack.extend(reversed(children))
    moved = []
    first: dict[int, int] = {}  # new first node of each set of equal positions, by its old first node
    for place, index in enumerate(order):
        node = nodes[index]
        moved.append(
            node._replace(
                index=place,
                parent=new_index[node.parent] if node.parent >= 0 else -1,
                children=tuple([new_index[child] for child in sorted_children[index]]),
                transposition_of=first.setdefault(node.transposition_of, place),
            )
        )
    return tree.with_nodes(moved, [tree.positions[index] for index in order] if tree.positions else ())


def ordered(tree: Tree, order: str) -> Tree:
    """The tree in an order of children.

    Parameters
    ----------
    tree : Tree
    order : {"as given", "best first", "worst first", "by evaluation", "by move score"}
        The last one is that of the engine before it has searched anything: the game's `move_score`.

    Raises
    ------
    TreeError
        If the nodes lack what the order needs.

    Examples
    --------
    >>> from zermelo.teaching.tree.parsing import read
    >>> [node.id for node in ordered(read("[[3,12,8],[2,4,6],[14,5,2]]"), "worst first")][:4]
    ['A', 'C', 'c3', 'c2']
    """
    if order == GIVEN:
        return tree
    if order in (BEST, WORST):
        values = minimax_values(tree)
        if None in values:
            raise TreeError(f"{order}: a leaf has no value")
        return reordered(tree, values if order == BEST else [-value for value in values if value is not None])
    if order == EVALUATION:
        if not any(node.evaluation is not None for node in tree if not node.is_leaf):
            raise TreeError(f"{order}: the inner nodes have no evaluations")
        return reordered(tree, [(node.value if node.is_leaf else node.evaluation) or 0 for node in tree])
    if order == MOVE_SCORES:
        return reordered(tree, _move_scores(tree))
    raise TreeError(f"order must be one of {', '.join((GIVEN, BEST, WORST, EVALUATION, MOVE_SCORES))} (got {order!r})")


def _move_scores(tree: Tree) -> SortKeys:
    """The move score of the move to each node, negated where MIN moves."""
    if not tree.positions or not tree.positions[0].has_move_score:
        raise TreeError(f"{MOVE_SCORES}: the nodes have no move scores; only games with `move_score` have them")
    keys = [0] * len(tree)
    for node in tree:
        if node.player not in (MAX, MIN):
            continue
        state = tree.positions[node.index]
        scores = {state.move_name(move): state.move_score(move) for move in state.legal_moves()}
        for child in node.children:
            keys[child] = node.player * scores[tree.nodes[child].move]
    return keys


@dataclass(frozen=True)
class OrderResult:
    """Nodes and leaves of a search in an order: means over `samples` orders, and the range of their leaves."""

    order: str
    nodes: float
    leaves: float
    min_leaves: int
    max_leaves: int
    samples: int = 1


@dataclass(frozen=True)
class Comparison:
    """A tree searched in several orders, as returned by `compare_orders`. It shows itself as a table in notebooks.

    Attributes
    ----------
    tree : Tree
    convention : Convention
    value : int or Fraction
        Minimax value of the root.
    minimax : OrderResult
        The search without pruning, the same in every order.
    proof : int or None
        Minimum number of leaves that prove the value; see `minimal_proof_leaves`.
    shape : (int, int) or None
        Branching and depth if the tree is uniform.
    results : tuple of OrderResult
        One for each order. The order by evaluation is included if inner nodes have evaluations.
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
        """The result of one of the orders. Raises `KeyError`."""
        return {reading.order: reading for reading in self.results}[order]


def compare_orders(
    tree: Tree,
    convention: Convention | str = "",
    *,
    seed: int = 0,
    samples: int | None = None,
    watch: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Search a tree in several orders of children: as given, best first, worst first, random, by evaluation.

    Parameters
    ----------
    tree : Tree
    convention : Convention or str
        Must prune: alphabeta or negamax.
    seed : int, default 0
        Seed of the random orders.
    samples : int, optional
        Number of random orders; by default 100, fewer for large trees.
    watch : callable, optional
        Progress callback `(order, done, total)`; `done` and `total` count random orders.

    Returns
    -------
    Comparison

    Raises
    ------
    TreeError
        If a leaf has no value, `samples` is less than 1, or the convention does not prune.

    Examples
    --------
    >>> from zermelo.teaching.tree.parsing import read
    >>> compare_orders(read("[[3,12,8],[2,4,6],[14,5,2]]")).result("best first").leaves
    5
    """
    chosen = Convention.of(convention) if isinstance(convention, str) else convention
    if not chosen.prunes:
        raise TreeError(f"{chosen.algorithm} does not prune: use alphabeta or negamax")
    if samples is not None and samples < 1:
        raise TreeError(f"samples must be at least 1 (got {samples})")
    report = watch or (lambda order, done, total: None)
    values = minimax_values(tree)
    unknown = next((leaf.id for leaf in tree.leaves if leaf.value is None), None)
    value = values[0]
    if unknown is not None or value is None:
        raise TreeError(f"leaf {unknown!r} has no value: comparing orders needs all leaf values")
    with gc_paused():
        results = []
        for order, keys in _orders(tree, values):
            report(order, 0, 0)
            results.append(_search(tree if keys is None else reordered(tree, keys), chosen, order))
        count = samples or max(MIN_SAMPLES, min(SAMPLES, MAX_SHUFFLED_NODES // len(tree)))
        results.insert(3, _search_random_orders(tree, chosen, Random(seed), count, report))
        unpruned = OrderResult("minimax", len(tree), len(tree.leaves), len(tree.leaves), len(tree.leaves))
    return Comparison(tree, chosen, value, unpruned, minimal_proof_leaves(tree), uniform_shape(tree), tuple(results))


def _orders(tree: Tree, values: list[Number | None]) -> Iterator[tuple[str, SortKeys | None]]:
    yield GIVEN, None
    yield BEST, values
    yield WORST, [-value for value in values if value is not None]
    estimates = [node.value if node.is_leaf else node.evaluation for node in tree]
    if any(node.evaluation is not None for node in tree if not node.is_leaf):
        yield EVALUATION, [estimate or 0 for estimate in estimates]


def _search(tree: Tree, convention: Convention, order: str) -> OrderResult:
    found = searched(TreeGame(tree), convention)
    return OrderResult(order, found.nodes, found.leaves, found.leaves, found.leaves)


def _search_random_orders(
    tree: Tree, convention: Convention, random: Random, samples: int, report: Callable[[str, int, int], None]
) -> OrderResult:
    nodes, leaves = [], []
    for sample in range(samples):
        report(RANDOM, sample, samples)
        found = searched(TreeGame(reordered(tree, [random.random() for _ in tree.nodes])), convention)
        nodes.append(found.nodes)
        leaves.append(found.leaves)
    return OrderResult(RANDOM, sum(nodes) / samples, sum(leaves) / samples, min(leaves), max(leaves), samples)


# ---- a game, depth by depth -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SearchCount:
    """Nodes visited by a search, and leaves evaluated."""

    nodes: int
    leaves: int

    def branching(self, depth: int) -> float:
        """The effective branching factor leaves^(1/depth); `effective_branching` is the one of AIMA."""
        return float(self.leaves ** (1 / depth)) if depth else 0.0


@dataclass(frozen=True)
class DepthCounts:
    """Searches of a game to one depth: minimax, and alpha-beta in several orders.

    Attributes
    ----------
    depth : int
        Depth in plies.
    minimax, given, evaluation : SearchCount
        Minimax; alpha-beta in the game's order, and sorted by evaluation.
    best_first : SearchCount or None
        Alpha-beta with the best child first; None if the tree is too large.
    proof : int or None
        Minimum number of leaves that prove the value; None if the tree is too large.
    """

    depth: int
    minimax: SearchCount
    given: SearchCount
    evaluation: SearchCount
    best_first: SearchCount | None
    proof: int | None

    @property
    def minimal(self) -> float:
        """Leaves of the minimal tree of a uniform tree with the same leaves and depth as the game's."""
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
    """Count nodes and leaves of a game's searches depth by depth.

    Parameters
    ----------
    state : State
    depths : iterable of int
        Depths in plies.
    evaluation : str or Evaluation, optional
        Evaluation of the states at the depth, also used for sorting; by default the game's first.
    limit : int, default 200,000
        Trees of up to this many nodes are also searched with the best child first.
    watch : callable, optional
        Progress callback `(depth, search)`.

    Yields
    ------
    DepthCounts
        As soon as the searches of a depth are finished.

    Raises
    ------
    LimitError, GameError
        As the searches do.
    """
    scored = resolve_evaluation(state, evaluation)
    report = watch or (lambda depth, search: None)
    for depth in depths:
        report(depth, "minimax")
        unpruned = _counted(textbook.minimax(state, depth, "nothing"))  # its counts do not depend on the evaluation
        report(depth, "alpha-beta")
        given = _counted(textbook.alphabeta(state, depth, scored))
        report(depth, "alpha-beta by evaluation")
        sorted_ = _counted(textbook.alphabeta(state, depth, scored, order=scored))
        best: SearchCount | None = None
        proof: int | None = None
        if unpruned.nodes <= limit and not state.has_chance:
            report(depth, "alpha-beta best first")
            tree = game_tree(state, depth, scored, limit=limit)
            with gc_paused():
                best = _counted(searched(TreeGame(reordered(tree, minimax_values(tree))), Convention()))
            proof = minimal_proof_leaves(tree)
        yield DepthCounts(depth, unpruned, given, sorted_, best, proof)


def _counted(found: textbook.Result) -> SearchCount:
    return SearchCount(found.nodes, found.leaves)
