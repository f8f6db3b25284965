"""Move orders: the formulas of Knuth and Moore, and the leaves that alpha-beta evaluates."""

import random
from itertools import permutations, product

import pytest

from zermelo import alphabeta, load, minimax
from zermelo.errors import TreeError, UnknownGame
from zermelo.teaching.tree import game_tree, random_tree, read, trace
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.move_orders import (
    compare_orders,
    count_by_depth,
    effective_branching,
    minimal_leaves,
    minimal_nodes,
    minimal_proof_leaves,
    ordered,
    reordered,
    uniform_shape,
)

pytestmark = pytest.mark.quick

SHAPES = [(b, d) for b, d in product(range(1, 8), range(1, 9)) if b**d <= 3_000]


def uniform_tree(seed, branching, depth, *, ties):
    return random_tree(
        seed,
        branching=(branching, branching),
        depth=(depth, depth),
        values=(-3, 3) if ties else (-10_000, 10_000),
        ties=ties,
        root=("max", "min")[seed % 2],
    )


def best_first(tree):
    return reordered(tree, minimax_values(tree))


def worst_first(tree):
    return reordered(tree, [-value for value in minimax_values(tree)])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_best_first_evaluates_exactly_the_minimal_tree(branching, depth):
    """Knuth and Moore 1975, theorem 1 and its corollary, also with equal values."""
    for seed, ties in product(range(3), (True, False)):
        tree = uniform_tree(seed, branching, depth, ties=ties)
        for convention in ("alphabeta", "alphabeta fail-hard", "negamax"):
            found = trace(best_first(tree), convention)
            assert len(found.leaves) == minimal_leaves(branching, depth)
            assert len(found.visited) == minimal_nodes(branching, depth)
        assert minimal_proof_leaves(tree) == minimal_leaves(branching, depth)
        assert uniform_shape(tree) == (branching, depth)


def test_the_formula_by_hand():
    assert [minimal_leaves(3, depth) for depth in range(7)] == [1, 3, 5, 11, 17, 35, 53]
    assert minimal_leaves(35, 8) == 3_001_249
    assert minimal_nodes(3, 2) == 1 + 3 + 5


@pytest.mark.parametrize(("branching", "depth"), [shape for shape in SHAPES if shape[1] <= 3])
def test_worst_first_evaluates_all_leaves_of_shallow_trees_without_ties(branching, depth):
    for seed in range(4):
        tree = uniform_tree(seed, branching, depth, ties=False)
        assert len(trace(worst_first(tree)).leaves) == branching**depth


def test_worst_first_has_deep_cutoffs():
    """From depth 4 on, bounds of distant ancestors cause deep cutoffs in any order."""
    read_all = [len(trace(worst_first(uniform_tree(seed, 3, 4, ties=False))).leaves) == 3**4 for seed in range(60)]
    assert 0 < sum(read_all) < 60


def test_equal_values_cut_with_worst_first():
    tree = read("[[1,1],[1,1]]")
    assert len(trace(worst_first(tree)).leaves) == 3


def test_leaves_are_between_the_smallest_proof_and_all():
    for seed in range(80):
        tree = random_tree(seed, branching=(1, 4), depth=(2, 5), values=(-5, 5))
        found = compare_orders(tree, samples=5, seed=seed)
        assert found.proof is not None
        for result in found.results:
            assert found.proof <= result.min_leaves <= result.leaves <= result.max_leaves <= found.minimax.leaves
        assert found.value == trace(tree).value


def test_a_proof_in_a_tree_that_is_not_uniform_may_need_a_worse_child():
    """MIN refutes C by its second child with one leaf, by its best one with two."""
    tree = read("[[5,6],[[1,1,1],2,3]]")
    assert minimal_proof_leaves(tree) == 3
    assert len(trace(best_first(tree)).leaves) == 5
    smaller = [len(trace(shuffled).leaves) for shuffled in every_order(tree)]
    assert min(smaller) == 3


def every_order(tree):
    """All orders of the children of each node of a small tree."""
    inner = [node for node in tree if not node.is_leaf]
    for orders in product(*(list(permutations(range(len(node.children)))) for node in inner)):
        promise = [0] * len(tree)
        for node, order in zip(inner, orders, strict=True):
            for place, child in zip(order, node.children, strict=True):
                promise[child] = -place if node.player == 1 else place
        yield reordered(tree, promise)


def test_the_best_of_all_orders_reaches_the_smallest_proof():
    for seed in range(25):
        tree = random_tree(seed, branching=(1, 3), depth=(1, 3), values=(-2, 2))
        if len(tree) <= 14:
            assert min(len(trace(shuffled).leaves) for shuffled in every_order(tree)) == minimal_proof_leaves(tree)


def test_reordered_trees_have_the_same_nodes():
    for seed in range(30):
        tree = random_tree(seed, branching=(1, 4), depth=(1, 4), chance=0.2)
        chances = random.Random(seed)
        other = reordered(tree, [chances.random() for _ in tree])
        assert {node.id for node in other} == {node.id for node in tree}
        for index, node in enumerate(other):
            old = tree[node.id]
            assert node.index == index
            assert {other.nodes[child].id for child in node.children} == {
                tree.nodes[child].id for child in old.children
            }
            assert (node.value, node.player, node.depth, node.weights) == (
                old.value,
                old.player,
                old.depth,
                old.weights,
            )
            assert node.parent == (-1 if index == 0 else other[tree.nodes[old.parent].id].index)
            if node.weights:
                assert [other.nodes[child].id for child in node.children] == [tree.nodes[c].id for c in old.children]
        # Preorder: parents first, each subtree contiguous.
        assert all(other.nodes[child].parent == node.index < child for node in other for child in node.children)
        assert trace(other, "expectiminimax").value == trace(tree, "expectiminimax").value
        promised = reordered(tree, [0] * len(tree))
        assert promised == tree


def test_transpositions_refer_to_the_new_first_node():
    tree = game_tree(load("tictactoe").start(), 3)
    other = reordered(tree, [node.index if node.depth % 2 else -node.index for node in tree])
    for node in other:
        assert other.nodes[node.transposition_of].state == node.state
        assert node.transposition_of <= node.index
        assert other.nodes[node.transposition_of].transposition_of == node.transposition_of


def test_a_comparison_by_hand():
    found = compare_orders(read("[[3,12,8],[2,4,6],[14,5,2]]"), seed=1)
    assert [(result.order, result.leaves) for result in found.results if result.samples == 1] == [
        ("as given", 7),
        ("best first", 5),
        ("worst first", 9),
    ]
    assert (found.proof, found.shape, found.minimax.nodes) == (5, (3, 2), 13)
    chance = found.result("random")
    assert chance.samples == 100
    assert 5 <= chance.min_leaves < chance.leaves < chance.max_leaves <= 9
    assert compare_orders(read("[[3,12,8],[2,4,6],[14,5,2]]"), seed=1) == found
    assert compare_orders(read("[[3,12,8],[2,4,6],[14,5,2]]"), seed=2).result("random") != chance


def test_evaluations_order_better_than_random_and_worse_than_values():
    found = compare_orders(random_tree(1, branching=(4, 4), depth=(5, 5), values=(-99, 99)), samples=20)
    leaves = {result.order: result.leaves for result in found.results}
    assert leaves["best first"] < leaves["by evaluation"] < leaves["random"] < leaves["worst first"]


def test_strict_evaluates_more_leaves_with_equal_values():
    tree = random_tree(1, branching=(3, 3), depth=(4, 4), values=(0, 2))
    assert compare_orders(tree, "strict", samples=1).result("best first").leaves > compare_orders(tree, samples=1).proof


def test_invalid_comparisons():
    with pytest.raises(TreeError, match="leaf 'b2' has no value"):
        compare_orders(read("[[1,?],2]"))
    with pytest.raises(TreeError, match="minimax does not prune"):
        compare_orders(read("[1,2]"), "minimax")
    with pytest.raises(TreeError, match="samples must be at least 1"):
        compare_orders(read("[1,2]"), samples=0)
    assert minimal_proof_leaves(read(":chance[1,2]")) is None
    assert compare_orders(read("[:chance[1,2],0]")).proof is None


def test_effective_branching_is_that_of_a_uniform_tree():
    for branching, depth in SHAPES:
        nodes = sum(branching**ply for ply in range(depth + 1))
        assert effective_branching(nodes, depth) == pytest.approx(branching)
    assert effective_branching(53, 5) == pytest.approx(1.92, abs=0.01)  # AIMA, section 3.6.1
    assert effective_branching(1, 5) == effective_branching(1, 0) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "depth"), [("tictactoe", 4), ("connect4", 3), ("othello", 4), ("pennies", 5)])
def test_counts_by_depth_agree_with_the_textbook(name, depth):
    state = load(name).start()
    evaluation = next(iter(state.evaluations), "nothing")
    rows = list(count_by_depth(state, range(1, depth + 1)))
    assert [row.depth for row in rows] == list(range(1, depth + 1))
    for row in rows:
        plain = minimax(state, row.depth, evaluation)
        pruned = alphabeta(state, row.depth, evaluation)
        assert (row.minimax.nodes, row.minimax.leaves) == (plain.nodes, plain.leaves)
        assert (row.given.nodes, row.given.leaves) == (pruned.nodes, pruned.leaves)
        assert row.best_first is not None
        assert row.proof <= row.best_first.leaves <= row.given.leaves <= row.minimax.leaves
    if name == "tictactoe":
        assert [row.minimax.leaves for row in rows] == [9, 72, 504, 3024]
        # 9 and 8 moves: 9 + 8 - 1.
        assert rows[1].best_first.leaves == rows[1].proof == 16


def test_large_game_trees_are_not_built():
    row = next(count_by_depth(load("othello").start(), [3], limit=50))
    assert row.best_first is None
    assert row.proof is None
    with pytest.raises(UnknownGame):
        next(count_by_depth(load("othello").start(), [3], "x"))


def test_orders_by_name():
    tree = game_tree(load("tictactoe").parse("XO-/-X-/--O"), 3)
    visits = {}
    for order in ("as given", "best first", "worst first", "by evaluation", "by move score"):
        sorted_ = ordered(tree, order)
        searched = trace(sorted_)
        assert searched.value == trace(tree).value
        assert type(sorted_) is type(tree)
        # The names of the game remain.
        assert sorted_.player_names == tree.player_names
        assert sorted_.search_score(sorted_.win_value) == tree.search_score(tree.win_value)
        visits[order] = len(searched.visited)
        for node in sorted_:
            assert sorted_.positions[node.index] == tree.positions[tree[node.id].index]
    assert visits["best first"] < visits["as given"] < visits["worst first"]


def test_the_order_by_move_score_sorts_by_the_game_s_scores():
    tree = ordered(game_tree(load("tictactoe").parse("XO-/-X-/--O"), 2), "by move score")
    for node in tree:
        state = tree.positions[node.index]
        scores = {state.move_name(move): state.move_score(move) for move in state.legal_moves()}
        found = [scores[tree.nodes[child].move] for child in node.children]
        assert found == sorted(found, reverse=True)


def test_orders_that_a_tree_lacks():
    for order in ("by evaluation", "by move score", "upside down"):
        with pytest.raises(TreeError, match=order):
            ordered(read("[[3,12],[2,4]]"), order)
    with pytest.raises(TreeError, match="a leaf has no value"):
        ordered(read("[[3,?],[2,4]]"), "best first")
