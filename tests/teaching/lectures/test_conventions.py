"""The pseudocode of the lectures, transcribed, compared with our traces on the lectures' trees."""

from math import inf

import pytest

from zermelo.core.game import MAX
from zermelo.teaching.lectures.cases import case_of, names
from zermelo.teaching.lectures.conventions import holds
from zermelo.teaching.tree.trace import trace

pytestmark = pytest.mark.quick

KNOWN = [name for name in names() if not case_of(name).data.get("unknown")]


class Transcribed:
    """Base of the transcribed algorithms: records the returned values and the leaves read."""

    def __init__(self, tree):
        self.tree = tree
        self.returned = {}
        self.leaves = []

    def visit(self, node, alpha, beta):
        if node.is_leaf:
            self.leaves.append(node.id)
            return node.value
        value = self.inner(node, alpha, beta)
        self.returned[node.id] = value
        return value


class Liang(Transcribed):
    """Lecture 002, slides 4 and 5; lecture 003, slide 45, is the same."""

    def inner(self, node, alpha, beta):
        if node.player == MAX:
            for child in self.tree.children(node):
                alpha = max(alpha, self.visit(child, alpha, beta))
                if alpha >= beta:
                    return beta
            return alpha
        for child in self.tree.children(node):
            beta = min(beta, self.visit(child, alpha, beta))
            if alpha >= beta:
                return alpha
        return beta


class PooleMackworth(Transcribed):
    """Lecture 004, figure 11.6."""

    def inner(self, node, alpha, beta):
        if node.player == MAX:
            for child in self.tree.children(node):
                score = self.visit(child, alpha, beta)
                if score >= beta:
                    return score
                if score > alpha:
                    alpha = score
            return alpha
        for child in self.tree.children(node):
            score = self.visit(child, alpha, beta)
            if score <= alpha:
                return score
            if score < beta:
                beta = score
        return beta


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("printed", "words"), [(Liang, "equal fail-hard"), (PooleMackworth, "equal path")])
def test_printed_algorithm_and_trace_agree(name, printed, words):
    tree = case_of(name).tree
    algorithm = printed(tree)
    value = algorithm.visit(tree.root, -inf, inf)
    found = trace(tree, words)
    assert found.value == value
    assert [leaf.id for leaf in found.leaves] == algorithm.leaves
    returned = {node.id: found.record(node).returned for node in found.visited if not node.is_leaf}
    assert returned == algorithm.returned


@pytest.mark.parametrize("words", ["equal fail-soft", "equal fail-hard", "equal path", "strict fail-soft"])
def test_guarantees_hold_on_all_trees(words):
    for name in KNOWN:
        tree = case_of(name).tree
        searched, minimax = trace(tree, words), trace(tree, "minimax")
        assert all(holds(searched, minimax, node.index) for node in searched.visited if not node.is_leaf), name


def test_violated_guarantee_is_detected():
    tree = case_of("skrentny").tree
    minimax = trace(tree, "minimax")
    for words, node in (("equal fail-soft", "O"), ("equal fail-hard", "J"), ("equal path", "E")):
        searched = trace(tree, words)
        index = tree[node].index
        assert holds(searched, minimax, index)
        for wrong in (-100, 100):
            searched.records[index].returned = wrong
            assert not holds(searched, minimax, index), (words, wrong)


def test_all_variants_choose_the_same_root_move():
    for name in KNOWN:
        tree = case_of(name).tree
        words = ("minimax", "equal fail-soft", "equal fail-hard", "equal path", "strict fail-soft", "strict fail-hard")
        assert len({trace(tree, each).best for each in words}) == 1, name
