"""Exercises on expectiminimax: trees in which the probabilities decide the best move.

The exercise is one on searching a tree. The trees are such that all values are short decimals, and that a student who
ignores the probabilities, or treats chance as a player, chooses another move.

References
----------
D. Michie, "Game-Playing and Game-Learning Automata", 1966.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.teaching.exercises.exercise import BEST, Exercise
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.kinds.chance_trees import SHORT_DECIMALS, chance_tree
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number


@dataclass(frozen=True)
class ExpectiminimaxSpec(ExerciseSpec):
    """Exercises on expectiminimax. Below the root, every second level is chance: MAX, chance, MIN, chance, ...

    The fields are those of `ExerciseSpec`, of which `root`, `chance` and `deep_cut` are not used.
    """

    @property
    def has_chance(self) -> bool:
        return True

    def draw(self, seed: int) -> Exercise:
        if self.tree is not None:
            return super().draw(seed)
        return self._exercise(chance_tree(seed, branching=self.branching, depth=self.depth, values=self.values))

    def checked(self, exercise: Exercise) -> tuple[Exercise, list[str]]:
        exercise, lacks = super().checked(exercise)
        tree = exercise.searched_tree
        values = minimax_values(tree)
        if any(value is not None and Fraction(value).denominator not in SHORT_DECIMALS for value in values):
            raise Unsuitable("a mean is not a short decimal")
        if BEST in exercise.marks and self.tree is None:
            best = _best(tree, values)
            for name, combine in MISTAKES.items():
                if best == _best(tree, _values(tree, combine)):
                    raise Unsuitable(f"the best move is the same {name}")
        return exercise, lacks


#: Ways to get the value of a chance node wrong: how its children's values are combined.
MISTAKES: dict[str, Callable[[Sequence[Number]], Number]] = {
    "if the probabilities are ignored": lambda values: Fraction(mean(map(Fraction, values))),
    "if chance is taken for MIN": min,
}


def _values(tree: Tree, combine: Callable[[Sequence[Number]], Number]) -> list[Number]:
    """The value of each node if chance nodes combine their children's values in another way."""
    values: list[Number] = [node.value or 0 for node in tree]
    rules: dict[int, Callable[[Sequence[Number]], Number]] = {MAX: max, MIN: min, CHANCE: combine}
    for node in reversed(tree.nodes):
        if node.player is not None:
            values[node.index] = rules[node.player]([values[child] for child in node.children])
    return values


def _best(tree: Tree, values: Sequence[Number | None]) -> int:
    """The child of the root with the best value for MAX."""
    known = {child: values[child] for child in tree.root.children}
    return max(known, key=lambda child: known[child] or 0)
