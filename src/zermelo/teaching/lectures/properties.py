"""Check the properties of minimax that the lectures state: completeness, optimality, space, relative values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

from zermelo.core.game import MAX, State, game
from zermelo.games.tictactoe import TicTacToe
from zermelo.search.textbook import minimax
from zermelo.teaching.lectures.cases import Case, names, tree_of
from zermelo.teaching.lectures.checks import Check, claimed, compared
from zermelo.teaching.lectures.claims import SHAPES, uniform
from zermelo.teaching.lectures.positions import backwards, children
from zermelo.teaching.lectures.tictactoe import solved
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, as_json, format_number
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.random_trees import random_tree
from zermelo.teaching.tree.trace import Trace, trace

#: Number of random trees in each comparison.
RANDOM_TREES = 40
#: The first move is best against the best replies, the second against random ones.
WEAK_TREE = "[:min[3, 3, 3], :min[2, 100, 99]]"
#: AIMA's example of chance nodes (section 5.5.1), and its values in another unit with the same order.
CHANCE_TREE = "[:chance[9/10*2, 1/10*3], :chance[9/10*1, 1/10*4]]"
OTHER_UNIT = {1: 1, 2: 20, 3: 30, 4: 400}


@game(compiled=False)
class Endless(State):
    """A piece that moves to and fro. The game never ends, so its tree is infinite."""

    turn: int = MAX

    def to_move(self):  # type: ignore[no-untyped-def]
        return self.turn

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0

    def play(self, move):  # type: ignore[no-untyped-def]
        return Endless(-self.turn)

    def is_over(self):  # type: ignore[no-untyped-def]
        return False

    def utility(self):  # type: ignore[no-untyped-def]
        return 0


def minimax_properties(case: Case) -> Iterator[Check]:
    """Check completeness, optimality, play against weaker opponents, space, and that pruning keeps the result."""
    values = solved()
    yield compared("complete in a finite tree: tic-tac-toe, positions with a value", 5478, len(values))
    endless = [minimax(Endless.start(), depth) for depth in (10, 100, 1000)]
    yield compared(
        "complete in an infinite tree: nodes of a game that never ends, to depth 10, 100 and 1,000",
        [11, 101, 1001],
        [result.nodes for result in endless],
        note="without a depth limit the search would never end",
    )

    own = [state for state in values if not state.is_over() and state.to_move() == MAX]
    worst, best = against_all()
    yield compared(
        "optimal: positions in which minimax gets the value against the best replies",
        len(own),
        sum(worst[state] == values[state] for state in own),
    )
    yield compared(
        "positions in which a reply makes it less than the value",
        0,
        sum(worst[state] < values[state] for state in own),
        note="no reply does worse to it than the optimal one",
    )
    more = sum(best[state] > values[state] for state in own)
    yield claimed(
        "against an opponent who is not optimal: even better",
        "more than the value",
        f"more in {more:,} of {len(own):,} positions, if the opponent errs as much as possible",
        more > 0,
        "right: more or the same, never less",
    )
    cautious, exploiting = against_random()
    less = sum(cautious[state] < exploiting[state] for state in own)
    yield claimed(
        "but not the most possible: mean result in tic-tac-toe against random moves",
        "less than the best possible in some positions",
        f"less in {less:,} of {len(own):,} positions",
        less > 0,
        "minimax does not use the mistakes that it could provoke",
    )
    yield compared(
        f"best move of {WEAK_TREE}, MIN optimal, and MIN at random",
        ["first, 3", "second, 67"],
        [_best(read(WEAK_TREE)), _best(read(WEAK_TREE.replace(":min", ":chance")))],
        note="to play for mistakes one needs a model of the opponent",
    )

    stored = {shape: stored_nodes(trace(uniform(*shape, worst=True), "minimax")) for shape in SHAPES}
    yield claimed(
        "space O(bm), if all successors of a node are generated at once",
        "bm",
        f"at most 1 + bm nodes in all of {len(SHAPES)} trees",
        all(together == 1 + b * m for (b, m), (together, _) in stored.items()),
        "right",
    )
    yield claimed(
        "space O(m), if successors are generated one at a time",
        "m",
        f"at most 1 + m nodes in all of {len(SHAPES)} trees",
        all(path == 1 + m for (_, m), (_, path) in stored.items()),
        "right",
    )
    yield compared(
        f"pruning keeps value and move, {RANDOM_TREES} random trees",
        RANDOM_TREES,
        sum(_result(trace(tree, "minimax")) == _result(trace(tree)) for tree in _random_trees()),
    )


def stored_nodes(search: Trace) -> tuple[int, int]:
    """The largest number of nodes that a depth-first search of a tree keeps at a time.

    First with all successors of the nodes on the path, then with the nodes on the path only.
    """
    nodes = search.tree.nodes
    generated = [1] * len(nodes)
    for node in nodes[1:]:
        generated[node.index] = generated[node.parent] + len(nodes[node.parent].children)
    return max(generated[node.index] for node in search.visited), 1 + max(node.depth for node in search.visited)


@cache
def against_all() -> tuple[dict[State, int], dict[State, int]]:
    """The least and the largest result of MAX in tic-tac-toe, if it plays minimax and MIN plays anything."""
    worst: dict[State, int] = {}
    best: dict[State, int] = {}
    for state in backwards(TicTacToe.start()):
        below: list[State] = list(children(state))
        if not below:
            worst[state] = best[state] = state.utility()
        elif state.to_move() == MAX:
            chosen = _choice(below)
            worst[state], best[state] = worst[chosen], best[chosen]
        else:
            worst[state] = min(worst[child] for child in below)
            best[state] = max(best[child] for child in below)
    return worst, best


@cache
def against_random() -> tuple[dict[State, Fraction], dict[State, Fraction]]:
    """The mean result of MAX in tic-tac-toe against random moves: of minimax, and the best possible one."""
    cautious: dict[State, Fraction] = {}
    exploiting: dict[State, Fraction] = {}
    for state in backwards(TicTacToe.start()):
        below: list[State] = list(children(state))
        if not below:
            cautious[state] = exploiting[state] = Fraction(state.utility())
        elif state.to_move() == MAX:
            cautious[state] = cautious[_choice(below)]
            exploiting[state] = max(exploiting[child] for child in below)
        else:
            for means in (cautious, exploiting):
                means[state] = sum((means[child] for child in below), Fraction(0)) / len(below)
    return cautious, exploiting


def _choice(below: list[State]) -> State:
    """The successor that minimax chooses for MAX: the first one with the largest value."""
    return max(below, key=solved().__getitem__)


def _result(search: Trace) -> tuple[Number, int | None]:
    return search.value, search.best


def _random_trees(chance: float = 0.0) -> Iterator[Tree]:
    for seed in range(RANDOM_TREES):
        yield random_tree(seed, branching=(2, 3), depth=(2, 4), values=(-9, 9), chance=chance)


# ---- only relative values matter ----------------------------------------------------------------------------------


def relative_values(case: Case) -> Iterator[Check]:
    """Check that changes of all values which keep their order keep the search, and that chance nodes need more."""
    trees = [tree_of(name) for name in names()]
    trees += _random_trees()
    for title, change in (("x -> x^3", _cubed), ("x -> 2x + 10", _linear), ("x -> rank of x", None)):
        kept = sum(_is_kept(tree, change or _rank(tree)) for tree in trees)
        yield compared(
            f"order kept by {title}: same move, same nodes visited", f"{len(trees)} trees", f"{kept} trees",
            note=f"{len(names())} trees of the lectures and {RANDOM_TREES} random ones",
        )  # fmt: skip
    small = trace(read(CHANCE_TREE), "minimax")
    large = trace(changed(read(CHANCE_TREE), lambda value: OTHER_UNIT[int(value)]), "minimax")
    yield compared(
        "with chance nodes, 1 2 3 4 -> 1 20 30 400: best move and means",
        ["first", ["2.1", "1.3"], "second", ["21", "40.9"]],
        [*_choice_and_means(small), *_choice_and_means(large)],
        note="the order is kept, the best move is not",
    )
    chance_trees = list(_random_trees(chance=0.4))
    kept = sum(trace(tree).best == trace(changed(tree, _linear)).best for tree in chance_trees)
    yield compared(
        "with chance nodes, x -> 2x + 10: same move", f"{len(chance_trees)} trees", f"{kept} trees",
        note="a mean follows a linear change with a positive factor",
    )  # fmt: skip


def _best(tree: Tree) -> str:
    """The best move at the root, and its value."""
    search = trace(tree, "minimax")
    return f"{_place(search)}, {format_number(search.value)}"


def _place(search: Trace) -> str:
    return ("first", "second")[search.tree.root.children.index(search.best or 0)]


def _choice_and_means(search: Trace) -> list[object]:
    means = [search.records[child].returned for child in search.tree.root.children]
    return [_place(search), [f"{float(mean or 0):g}" for mean in means]]


def _cubed(value: Number) -> Number:
    return value * value * value


def _linear(value: Number) -> Number:
    return 2 * value + 10


def _rank(tree: Tree) -> Callable[[Number], Number]:
    ranks = {
        value: rank for rank, value in enumerate(sorted({leaf.value for leaf in tree.leaves if leaf.value is not None}))
    }
    return ranks.__getitem__


def changed(tree: Tree, change: Callable[[Number], Number]) -> Tree:
    """The tree with other values at its leaves; unknown ones stay unknown."""
    data = to_dict(tree)
    stack = [data]
    while stack:
        node = stack.pop()
        if node.get("value") is not None:
            value = change(tree[node["id"]].value)  # type: ignore[arg-type]
            node["value"] = as_json(value)
        stack += node.get("children", ())
    return read(data)


def _is_kept(tree: Tree, change: Callable[[Number], Number]) -> bool:
    """Whether alpha-beta visits the same nodes of the changed tree, and finds the same move and the changed value."""
    before, after = trace(tree), trace(changed(tree, change))
    return _visits(before) == _visits(after) and before.best == after.best and change(before.value) == after.value


def _visits(search: Trace) -> list[str]:
    return [node.id for node in search.visited]
