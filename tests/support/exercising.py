"""Random exercises, and an independent alpha-beta solver that can make errors on purpose."""

from __future__ import annotations

import random
from math import inf
from typing import Any

from zermelo.core.game import CHANCE, MAX
from zermelo.errors import TreeError
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.tree import random_tree
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Node, Tree

CONVENTIONS = [
    "", "strict", "fail-hard", "strict fail-hard", "path", "strict path", "own", "path own", "interval",
    "strict interval", "negamax", "negamax strict", "negamax own", "negamax interval", "minimax", "expectiminimax",
]  # fmt: skip


def exercise(
    seed: int,
    words: str,
    *,
    branching: tuple[int, int] = (2, 3),
    depth: tuple[int, int] = (3, 3),
    chance: float = 0.0,
    plies: int | None = None,
) -> Exercise:
    """A random exercise with all parts, not checked for a unique best move."""
    root = random.Random(seed).choice(["max", "min"])
    for attempt in range(100):
        tree = random_tree(seed + 7919 * attempt, branching=branching, depth=depth, root=root, chance=chance)
        convention = Convention.of(words)
        parts = [part for part in PARTS if convention.prunes or part not in ("windows", "cuts")]
        try:
            return Exercise(tree, convention, allocate_marks(parts, {}), depth=plies)
        except TreeError:  # too large, or only chance nodes
            continue
    raise AssertionError("no exercise with a tree of this shape")


class Student:
    """An alpha-beta search (fail-soft, fail-hard or path) that records its answer, all values for MAX.

    `slips` are errors added to the values of nodes; the search continues with the wrong values. At the node `forgets`
    no cutoff is made; at the node `invents` the search stops after the first child without reason.
    """

    def __init__(
        self, tree: Tree, words: str, slips: dict[str, int] | None = None, forgets: str = "", invents: str = ""
    ) -> None:
        self.tree, self.words = tree, words.split()
        self.slips, self.forgets, self.invents = slips or {}, forgets, invents
        self.values: dict[str, Any] = {}
        self.windows: dict[str, dict[str, list[Any]]] = {}
        self.cuts: list[str] = []
        self.order: list[str] = []
        self.best: dict[str, str] = {}
        self.visit(tree.root, -inf, inf)

    def visit(self, node: Node, alpha: Any, beta: Any) -> Any:
        self.order.append(node.id)
        if node.is_leaf:
            return node.value
        entry = [alpha, beta]
        children = self.tree.children(node)
        found: Any = None
        for place, child in enumerate(children):
            assert node.player != CHANCE
            value = self.visit(child, alpha, beta)
            if node.player == MAX:
                if found is None or value > found:
                    found, self.best[node.id] = value, child.id
                alpha = max(alpha, value)
                cuts = value > beta if "strict" in self.words else value >= beta
            else:
                if found is None or value < found:
                    found, self.best[node.id] = value, child.id
                beta = min(beta, value)
                cuts = value < alpha if "strict" in self.words else value <= alpha
            if (cuts and node.id != self.forgets) or node.id == self.invents:
                self.cuts += [other.id for other in children[place + 1 :]]
                break
        self.windows[node.id] = {"entry": [_end(end) for end in entry], "exit": [_end(alpha), _end(beta)]}
        if "fail-hard" in self.words:
            found = max(entry[0], min(found, entry[1]))
        if "path" in self.words:
            found = max(found, entry[0]) if node.player == MAX else min(found, entry[1])
        self.values[node.id] = found + self.slips.get(node.id, 0)
        return self.values[node.id]

    def answer(self, exercise: Exercise) -> dict[str, Any]:
        parts = {
            "values": self.values,
            "windows": self.windows,
            "cuts": self.cuts,
            "order": self.order,
            "best": self.best[self.tree.root.id],
        }
        head = {"schema": "zermelo-answer/1", "exercise": exercise.id, "student": "Ada"}
        return head | {part: parts[part] for part in exercise.marks}


def _end(bound: Any) -> Any:
    return bound if abs(bound) != inf else "+inf" if bound > 0 else "-inf"
