"""Exercises on searching a tree: `ExerciseSpec` draws random trees and says which are suitable.

A suitable tree has a single best move that does not look tied with another one, and, if cutoffs are asked for, at least
one at MIN and one at MAX.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_SOFT
from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, MAX_DEPTH, MAX_NODES, PARTS, Exercise
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.variants import Bound
from zermelo.teaching.exercises.wrong_solvers import shallow_cuts
from zermelo.teaching.tree import random_tree
from zermelo.teaching.tree.convention import ALPHABETA, CHOICES, Convention
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace

#: The least depth of a tree with a deep cutoff.
DEPTH_OF_DEEP_CUTOFFS = 4


@dataclass(frozen=True)
class ExerciseSpec:
    """What exercises to generate: the shape of the tree, how it is searched, and what is asked for.

    Parameters
    ----------
    convention : Convention
        The algorithm, its variant, the cutoff rule and the way of writing windows.
    marks : mapping of str to number
        Marks of each part that is asked for, among ``values``, ``windows``, ``cuts``, ``order`` and ``best``.
    tree : Tree, optional
        A given tree. It is used as it is, or, for variants, with the values of its leaves shuffled. The shape
        parameters below are then ignored.
    branching, depth, values : (int, int)
        Inclusive ranges of the number of children, the depth in plies and the leaf values.
    ties : bool
        Whether leaves may have equal values.
    root : {'max', 'min', 'chance'}
        The player at the root.
    chance : float
        Fraction of inner nodes that are chance nodes, 0 to 1.
    search_depth : int, optional
        Search depth in plies; by default the search goes to the leaves.
    deep_cut : bool
        Whether the exercise must contain a deep cutoff, one caused by a bound from above the parent.
    allow_ties : bool
        Whether several root moves may be equally good. The first one is then the answer, and the sheet says so.
    title : str
        Heading of the sheet.
    bounds : mapping of str to (number, number)
        Bounds on measures of `Exercise.measures`, both ends included. By default a single exercise has none, and
        variants have bounds around a typical exercise.

    Raises
    ------
    TreeError
        If trees of this shape are too large for an exercise.
    """

    convention: Convention
    marks: Mapping[str, Number]
    tree: Tree | None = None
    branching: tuple[int, int] = (2, 3)
    depth: tuple[int, int] = (3, 3)
    values: tuple[int, int] = (-9, 9)
    ties: bool = True
    root: str = "max"
    chance: float = 0.0
    search_depth: int | None = None
    deep_cut: bool = False
    allow_ties: bool = False
    title: str = ""
    bounds: Mapping[str, Bound] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a shape whose trees are nearly always too large, before one is generated."""
        if self.tree is not None:
            return
        mean, row, expected = (self.branching[0] + self.branching[1]) / 2, 1.0, 1.0
        for _ in range(min(self.depth[0], MAX_DEPTH + 1)):
            row *= mean
            expected += row
            if expected > 2 * MAX_NODES:
                break
        if expected > 2 * MAX_NODES or self.depth[0] > MAX_DEPTH:
            raise TreeError(
                f"trees of this shape are too large for an exercise; the limits are {MAX_NODES} nodes and depth "
                f"{MAX_DEPTH}"
            )

    def given(self) -> Exercise | None:
        """The exercise on the given tree. Raises `Unsuitable` if it has several best moves."""
        if self.tree is None:
            return None
        exercise = self._exercise(self.tree)
        if not self.allow_ties and (problem := _tied_moves(exercise)):
            raise Unsuitable(
                f"{problem}; change the tree, do not ask for the best move, or allow ties (the first best move then "
                "counts)"
            )
        return self.checked(exercise)[0]

    def draw(self, seed: int) -> Exercise:
        """An exercise on a random tree, or on the given tree with its values shuffled."""
        if self.tree is not None:
            return self._exercise(shuffle_leaf_values(self.tree, seed))
        tree = random_tree(
            seed,
            branching=self.branching,
            depth=self.depth,
            values=self.values,
            ties=self.ties,
            root=self.root,
            chance=self.chance,
        )
        if len(tree) > MAX_NODES:
            raise Unsuitable(f"the tree has {len(tree)} nodes (at most {MAX_NODES})")
        if self.search_depth is None:
            # Without a depth limit the evaluations of inner nodes are not needed and would only confuse.
            tree = Tree([node._replace(evaluation=None) for node in tree])
        return self._exercise(Tree(tree.nodes))

    def _exercise(self, tree: Tree) -> Exercise:
        return Exercise(tree, self.convention, self.marks, depth=self.search_depth, title=self.title)

    def checked(self, exercise: Exercise) -> tuple[Exercise, list[str]]:
        """The exercise, marked if its best move is not unique, and the kinds of cutoff that it lacks.

        Raises `Unsuitable` for several best moves that are not allowed, and for a missing deep cutoff.
        """
        exercise.solution  # noqa: B018 - raise now, not when grading, if a leaf has no value
        problem = _tied_moves(exercise)
        if problem and not self.allow_ties:
            raise Unsuitable(problem)
        if self.deep_cut and not deep_cutoffs(exercise):
            raise Unsuitable(f"there is no deep cutoff (one needs a tree of depth {DEPTH_OF_DEEP_CUTOFFS} or more)")
        missing = [] if self.tree is not None else _missing_cuts(exercise)
        return replace(exercise, first_of_equals=bool(problem)), missing

    @property
    def has_chance(self) -> bool:
        """Whether trees may have chance nodes."""
        given = self.tree is not None and any(node.player == CHANCE for node in self.tree)
        return given or self.chance > 0 or self.root == "chance"

    def measures(self, exercise: Exercise) -> Iterator[tuple[str, Number]]:
        """The size of the tree and, for searches that prune, the number and depth of the cutoffs."""
        tree = exercise.searched_tree
        yield "nodes", len(tree)
        yield "inner_nodes", sum(not node.is_leaf for node in tree)
        if self.has_chance:
            yield "chance_nodes", sum(node.player == CHANCE for node in tree)
        if exercise.convention.prunes:
            cuts = exercise.solution.cuts
            yield "visited", len(exercise.solution.visited)
            yield "cutoffs", len(cuts)
            yield "pruned", len(exercise.solution.pruned)
            yield "mean_cut_depth", Fraction(sum(tree.nodes[cut.node].depth for cut in cuts), max(len(cuts), 1))
            yield "deep_cutoffs", deep_cutoffs(exercise)

    def solution_key(self, exercise: Exercise) -> str:
        """The correct answer as text; equal for two exercises only if all answers are."""
        answer = answer_as_json(exercise, correct_answer(exercise))
        return json.dumps([answer.get(part) for part in PARTS])


def shuffle_leaf_values(tree: Tree, seed: int) -> Tree:
    """Shuffle the values of the leaves, and separately the evaluations of the inner nodes."""
    random = Random(seed).random

    def shuffled(values: list[Number | None]) -> Iterator[Number | None]:
        # Fisher-Yates over random() only, whose sequence Python guarantees across versions.
        for index in range(len(values) - 1, 0, -1):
            other = int(random() * (index + 1))
            values[index], values[other] = values[other], values[index]
        return iter(values)

    leaf_values = shuffled([node.value for node in tree.leaves])
    evaluations = shuffled([node.evaluation for node in tree if not node.is_leaf])
    return Tree(
        [
            node._replace(value=next(leaf_values), state="", move="")
            if node.is_leaf
            else node._replace(evaluation=next(evaluations))
            for node in tree
        ],
        tree.name,
    )


# ---- suitability ------------------------------------------------------------------------------------------------


def _tied_moves(exercise: Exercise) -> str:
    """Describe why the best move is not unique, or return "" if it is unique or not asked for.

    One child of the root must be best by minimax, and fail-soft alpha-beta must return a worse value for the others
    under both cutoff rules: a returned bound that equals the best value looks like a second best move.
    """
    if BEST not in exercise.marks:
        return ""
    tree = exercise.searched_tree
    # Minimax cannot be computed where leaves have no value because alpha-beta prunes them.
    values = minimax_values(tree)
    if None not in values:
        tied = _equal_to_best(tree, values[0], values)
        if tied:
            return f"{tied} have the value {format_number(values[0])}"
    if exercise.search_convention.prunes:
        for convention in (Convention(ALPHABETA, FAIL_SOFT, cut) for cut in CHOICES["cut"]):
            is_asked = replace(convention, show=exercise.search_convention.show) == exercise.search_convention
            trace = exercise.solution if is_asked else Trace(tree, convention)
            tied = _equal_to_best(tree, trace.value, [record.returned for record in trace.records])
            if tied:
                return f"{tied} return {format_number(trace.value)}"
    return ""


def _equal_to_best(tree: Tree, best: Number | None, values: Sequence[Number | None]) -> str:
    """Name the children of the root that have the best value: `B and C, children of the root, both`; "" if one has."""
    tied = [node.id for node in tree.children(tree.root) if values[node.index] == best]
    if len(tied) < 2:
        return ""
    names = " and ".join(tied) if len(tied) == 2 else f"{', '.join(tied[:-1])} and {tied[-1]}"
    return f"{names}, children of the root, {'both' if len(tied) == 2 else 'all'}"


def _missing_cuts(exercise: Exercise) -> list[str]:
    """The kinds of cutoff (at MIN, at MAX) that the shape of the tree allows but that do not occur in it."""
    if CUTS not in exercise.marks:
        return []
    nodes = exercise.searched_tree.nodes
    present = {nodes[cut.node].player for cut in exercise.solution.cuts}
    names = {MIN: "alpha cutoff (at MIN)", MAX: "beta cutoff (at MAX)"}
    return [
        name for player, name in names.items() if player not in present and _may_cut(exercise.searched_tree, player)
    ]


def _may_cut(tree: Tree, player: int) -> bool:
    """Whether the shape of the tree allows a cutoff at a node of this player.

    Such a node has at least two children and, above it, an ancestor of the opponent with an earlier child and no
    chance node in between.
    """
    bounded = [False] * len(tree)
    for node in tree.nodes[1:]:
        parent = tree.nodes[node.parent]
        is_bound = parent.player == -player and node.index != parent.children[0]
        bounded[node.index] = parent.player != CHANCE and (bounded[node.parent] or is_bound)
        if node.player == player and len(node.children) > 1 and bounded[node.index]:
            return True
    return False


def deep_cutoffs(exercise: Exercise) -> int:
    """The number of cutoffs that a search which passes down only the parent's bound misses."""
    if not exercise.search_convention.prunes or exercise.searched_tree.depth < DEPTH_OF_DEEP_CUTOFFS:
        return 0
    shallow = shallow_cuts(exercise)
    return sum(not shallow.issuperset(cut.pruned) for cut in exercise.solution.cuts)
