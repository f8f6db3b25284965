"""Correct answers to exercises on enhancements, against programs that follow the sheets' statements word by word."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import pytest

from zermelo.core.game import CHANCE, MAX
from zermelo.errors import TreeError
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.kinds import KindOptions, kind_of_name
from zermelo.teaching.exercises.kinds.traced import TracedExercise
from zermelo.teaching.tree import read
from zermelo.teaching.tree.node import Node

pytestmark = pytest.mark.quick


def exercises(kind: str, seed: int = 5, count: int = 6, **options: Any) -> list[Any]:
    return generate_exercises(kind_of_name(kind).spec(KindOptions(**options)), seed, variants=count).exercises


class Search:
    """Fail-soft alpha-beta that cuts on equality, by plain recursion; subclasses change one rule each."""

    def __init__(self, exercise: TracedExercise) -> None:
        self.tree = exercise.tree
        self.visits = 0
        self.values: dict[str, Any] = {}
        self.best: dict[str, str] = {}

    def visit(self, node: Node, alpha: Any, beta: Any, depth: float = inf) -> Any:
        self.visits += 1
        if node.is_leaf:
            return node.value
        if depth == 0:
            return node.evaluation
        known = self.lookup(node, alpha, beta)
        if known is not None:
            self.values[node.id] = known
            return known
        if node.player == CHANCE:
            value = self.mean(node, alpha, beta)
        else:
            value = self.decide(node, alpha, beta, depth)
        self.values[node.id] = value
        return value

    def decide(self, node: Node, alpha: Any, beta: Any, depth: float) -> Any:
        is_max = node.player == MAX
        original, found = (alpha, beta), None
        for number, child in enumerate(self.ordered(node)):
            value = self.child(node, number, child, alpha, beta, depth)
            if found is None or (value > found if is_max else value < found):
                found, self.best[node.id] = value, child.id
            if value >= beta if is_max else value <= alpha:
                break
            alpha, beta = (max(alpha, value), beta) if is_max else (alpha, min(beta, value))
        self.store(node, found, *original)
        return found

    def child(self, node: Node, number: int, child: Node, alpha: Any, beta: Any, depth: float) -> Any:
        return self.visit(child, alpha, beta, depth - 1)

    def ordered(self, node: Node) -> list[Node]:
        return self.tree.children(node)

    def lookup(self, node: Node, alpha: Any, beta: Any) -> Any:
        return None

    def store(self, node: Node, value: Any, alpha: Any, beta: Any) -> None:
        pass

    def mean(self, node: Node, alpha: Any, beta: Any) -> Any:
        raise AssertionError


class Deepening(Search):
    def ordered(self, node: Node) -> list[Node]:
        children = self.tree.children(node)
        return sorted(children, key=lambda child: child.id != self.best.get(node.id))


class Pvs(Search):
    def __init__(self, exercise: TracedExercise) -> None:
        super().__init__(exercise)
        self.null_windows: dict[str, list[Any]] = {}
        self.again: set[str] = set()

    def child(self, node: Node, number: int, child: Node, alpha: Any, beta: Any, depth: float) -> Any:
        if number == 0 or beta - alpha == 1:
            return self.visit(child, alpha, beta)
        window = [alpha, alpha + 1] if node.player == MAX else [beta - 1, beta]
        self.null_windows.setdefault(child.id, window)
        value = self.visit(child, *window)
        if alpha < value < beta:
            self.again.add(child.id)
            value = self.visit(child, alpha, beta)
        return value


class Transpositions(Search):
    def __init__(self, exercise: TracedExercise) -> None:
        super().__init__(exercise)
        self.table: dict[int, tuple[str, Any, int]] = {}
        self.hits: list[str] = []

    def lookup(self, node: Node, alpha: Any, beta: Any) -> Any:
        kind, value, _ = self.table.get(node.transposition_of, ("", 0, 0))
        if kind == "exact" or (kind == "lower" and value >= beta) or (kind == "upper" and value <= alpha):
            self.hits.append(node.id)
            return value
        return None

    def ordered(self, node: Node) -> list[Node]:
        children = self.tree.children(node)
        _, _, first = self.table.get(node.transposition_of, ("", 0, -1))
        return sorted(children, key=lambda child: node.children.index(child.index) != first)

    def store(self, node: Node, value: Any, alpha: Any, beta: Any) -> None:
        kind = "lower" if value >= beta else "upper" if value <= alpha else "exact"
        best = node.children.index(self.tree[self.best[node.id]].index)
        self.table[node.transposition_of] = kind, value, best


class Star1(Search):
    def __init__(self, exercise: Any) -> None:
        super().__init__(exercise)
        self.low, self.high = exercise.bounds
        self.windows: dict[str, list[Any]] = {}
        self.pruned: list[str] = []

    def mean(self, node: Node, alpha: Any, beta: Any) -> Any:
        total, left, children = Fraction(0), Fraction(1), self.tree.children(node)
        for number, child in enumerate(children):
            p = Fraction(node.weights[number], sum(node.weights))
            rest = left - p
            low = max(self.low, (alpha - total - self.high * rest) / p)
            high = min(self.high, (beta - total - self.low * rest) / p)
            self.windows[child.id] = [low, high]
            total, left = total + p * self.visit(child, low, high), rest
            for bound, stops in ((total + self.high * left, -1), (total + self.low * left, 1)):
                if left and (bound <= alpha if stops < 0 else bound >= beta):
                    self.pruned += [other.id for other in children[number + 1 :]]
                    return bound
        return total

    def decide(self, node: Node, alpha: Any, beta: Any, depth: float) -> Any:
        before = self.visits
        found = super().decide(node, alpha, beta, depth)
        assert self.visits > before
        return found


def test_iterative_deepening() -> None:
    for exercise in exercises("iterative-deepening"):
        search, answer = Deepening(exercise), exercise.correct_answer()
        for depth in range(1, exercise.tree.depth + 1):
            search.visits = 0
            order = [child.id for child in search.ordered(exercise.tree.root)]
            assert answer["values"][str(depth)] == search.visit(exercise.tree.root, -inf, inf, depth)
            assert answer["best"][str(depth)] == search.best[exercise.tree.root.id]
            assert answer["order"][str(depth)] == order
            assert answer["nodes"][str(depth)] == search.visits


def test_principal_variation_search() -> None:
    for exercise in exercises("pvs"):
        search, answer = Pvs(exercise), exercise.correct_answer()
        search.visit(exercise.tree.root, -inf, inf)
        assert {node: window for node, window in answer["null_windows"].items() if window} == search.null_windows
        assert set(answer["searched_again"]) == search.again
        assert (answer["nodes"], answer["best"]) == (search.visits, search.best[exercise.tree.root.id])


def test_transpositions() -> None:
    for exercise in exercises("transpositions"):
        search, answer = Transpositions(exercise), exercise.correct_answer()
        search.visit(exercise.tree.root, -inf, inf)
        assert answer["hits"] == sorted(search.hits, key=lambda id: exercise.tree[id].index)
        assert {node: value for node, value in answer["values"].items() if value is not None} == search.values
        assert answer["nodes"] == search.visits
        repeated = [node for node in exercise.tree if node.transposition_of != node.index]
        for node in repeated:
            first = exercise.tree.nodes[node.transposition_of]
            leaves = [[leaf.value for leaf in exercise.tree.subtree(each) if leaf.is_leaf] for each in (first, node)]
            assert leaves[0] == leaves[1]


def test_star1() -> None:
    for exercise in exercises("star1", count=3):
        search, answer = Star1(exercise), exercise.correct_answer()
        assert exercise.solution.value == search.visit(exercise.tree.root, -inf, inf)
        windows = {part.name: part for part in exercise.parts}["windows"].correct
        assert {node: list(window) for node, window in windows.items()} == search.windows
        values = {part.name: part for part in exercise.parts}["values"].correct
        assert values == search.values
        assert set(search.pruned) <= set(answer["cuts"])
        assert answer["best"] == search.best[exercise.tree.root.id]


def test_unsuitable_trees_are_refused() -> None:
    for kind, tree, message in (
        ("iterative-deepening", "[[1,2],[3,4]]", "node 'B' has no evaluation"),
        ("star1", "[[1,2],[3,4]]", "no chance node"),
        ("pvs", "[[1.5,2],[3,4]]", "whole values"),
        ("transpositions", "3", "single leaf"),
    ):
        with pytest.raises(TreeError, match=message):
            generate_exercises(kind_of_name(kind).spec(KindOptions(tree=read(tree))), 0)


@pytest.mark.parametrize("kind", ["iterative-deepening", "pvs", "transpositions", "star1"])
def test_guessing_earns_little(kind: str) -> None:
    (exercise,) = exercises(kind, count=1)
    for part in exercise.parts:
        if part.shape != "set":
            continue
        everything = [node.id for node in exercise.tree]
        answer = exercise.answer_form() | {part.name: everything}
        assert exercise.grade(answer).marks == 0
