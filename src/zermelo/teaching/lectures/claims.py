"""Check the claims of the lectures about the cost of search: claim, computed result, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial, log10, sqrt

from zermelo.core.game import State
from zermelo.games.tictactoe import TicTacToe
from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import SKIPPED, Check, claimed
from zermelo.teaching.lectures.positions import backwards, children
from zermelo.teaching.tree.move_orders import minimal_leaves
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.trace import trace

#: Branching factor and depth of the trees that are searched.
SHAPES = tuple((branching, depth) for branching in (2, 3, 4, 5) for depth in (1, 2, 3, 4, 5) if branching**depth <= 700)


def uniform(branching: int, depth: int, *, worst: bool) -> Tree:
    """A uniform tree in which alpha-beta reads the fewest leaves, or all of them.

    Best case: all leaves are equal, so every order is perfect. Worst case: each move is better for its player than all
    earlier siblings, regardless of later play, so no cutoff occurs.
    """
    rows: list[object] = [0] * branching**depth
    if worst:
        for leaf in range(len(rows)):
            digits = [leaf // branching**place % branching for place in reversed(range(depth))]
            rows[leaf] = sum(
                (digit if ply % 2 == 0 else branching - 1 - digit) * branching ** (depth - 1 - ply)
                for ply, digit in enumerate(digits)
            )
    for _ in range(depth):
        rows = [rows[place : place + branching] for place in range(0, len(rows), branching)]
    return read(rows[0])  # type: ignore[arg-type]


def tic_tac_toe() -> tuple[int, int, int]:
    """The numbers of games, tree nodes and positions, computed backwards over the positions."""
    games: dict[State, int] = {}
    nodes: dict[State, int] = {}
    start: State = TicTacToe.start()
    for state in backwards(start):
        below = children(state)
        games[state] = sum(games[child] for child in below) if below else 1
        nodes[state] = 1 + sum(nodes[child] for child in below)
    return games[start], nodes[start], len(nodes)


def complexity(case: Case) -> Iterator[Check]:
    """Check each claim; the text names its lecture and slide."""
    size = log10(35) * 100
    yield claimed(
        "000: 5, 001, 003: 24. Chess: 35^100 nodes", "about 10^154", f"10^{size:.1f}", round(size) == 154, "right"
    )
    yield Check(
        '003: 24. Chess has "actually only" 10^40 positions', "10^40", None, SKIPPED,
        note="not computed here; the published estimate of legal positions is about 4.8 * 10^44 (Tromp), still far "
        "below 35^100",
    )  # fmt: skip
    yield claimed(
        "001. Tic-tac-toe: 9^9 = 387 million", 387, f"{9**9:,}", 9**9 // 10**6 == 387, "right, as a loose upper bound"
    )
    found = factorial(9), *tic_tac_toe()
    yield claimed(
        "001. Tic-tac-toe, how loose: orders of nine moves, games, nodes of the tree, positions",
        [362880, 255168, 549946, 5478],
        list(found),
        list(found) == [362880, 255168, 549946, 5478],
        f"the bound is {9**9 // found[2]} times the nodes of the tree",
    )
    counts = {shape: trace(uniform(*shape, worst=True), "minimax") for shape in SHAPES}
    is_whole = all(len(t.visited) == sum(b**ply for ply in range(d + 1)) for (b, d), t in counts.items())
    yield claimed(
        "000: 22, 001, 003: 24. Minimax takes time O(b^m)", "b^m leaves",
        f"1 + b + ... + b^m nodes in all of {len(SHAPES)} trees", is_whole, "right",
    )  # fmt: skip
    worst = all(len(trace(uniform(*shape, worst=True)).leaves) == shape[0] ** shape[1] for shape in SHAPES)
    yield claimed(
        "002: 51, 003: 47. Worst case: no pruning at all", "b^d leaves",
        f"b^d leaves in {len(SHAPES)} worst-case trees" if worst else "fewer", worst, "right",
    )  # fmt: skip
    best = all(len(trace(uniform(*shape, worst=False)).leaves) == minimal_leaves(*shape) for shape in SHAPES)
    yield claimed(
        "000: 47, 002: 51, 003: 42 and 47. Best case: O(b^(d/2)) leaves",
        "b^(d/2)",
        f"b^ceil(d/2) + b^floor(d/2) - 1 in {len(SHAPES)} trees" if best else "more",
        best,
        "right in order; about twice that number (Knuth and Moore 1975)",
    )
    ratio = minimal_leaves(35, 8) / 35**4
    yield claimed(
        "000: 47, 003: 42. Perfect ordering doubles the depth", "8 plies for 4",
        f"b = 35: {minimal_leaves(35, 8):,} leaves for 8 plies, {35**4:,} for 4 without pruning", 1.9 < ratio < 2.1,
        "right, for twice the leaves",
    )  # fmt: skip
    roots = sqrt(35), sqrt(40)
    yield claimed(
        "002: 51, 003: 47. Deep Blue: branching about 6 instead of 35 to 40", 6,
        f"sqrt(35) = {roots[0]:.2f}, sqrt(40) = {roots[1]:.2f}", all(round(root) == 6 for root in roots),
        "what perfect ordering gives at best",
    )  # fmt: skip
