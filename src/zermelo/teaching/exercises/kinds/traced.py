"""Exercises on enhancements of alpha-beta: iterative deepening, principal variation search, transpositions, Star1.

The correct entries are read from the trace of the search (`zermelo.teaching.tree.trace`).

References
----------
- D. J. Slate and L. R. Atkin, "CHESS 4.5: The Northwestern University Chess Program", 1977 (iterative deepening,
  transposition table).
- T. A. Marsland and M. Campbell, "Parallel Search of Strongly Ordered Game Trees", Computing Surveys 14, 1982
  (principal variation search).
- B. W. Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes", Artificial Intelligence 21, 1983.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_SOFT
from zermelo.teaching.exercises.answer_notation import NodeNames
from zermelo.teaching.exercises.exercise import CUT_ON_EQUALITY, MAX_DEPTH, MAX_NODES, RETURNED
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.kinds.chance_trees import SHORT_DECIMALS, chance_tree
from zermelo.teaching.exercises.kinds.item_marking import Entries, Rival
from zermelo.teaching.exercises.kinds.items import (
    NUMBER,
    SET,
    SINGLE,
    TABLE,
    WINDOW,
    EntryType,
    ItemExercise,
    ItemSpec,
    Part,
    names_type,
)
from zermelo.teaching.exercises.kinds.tree_search import shuffle_leaf_values
from zermelo.teaching.tree import random_tree
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Number, as_json, format_number, to_number
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.trace import Step, Trace, Window, value_range

NODES, VALUES, BEST, ORDER, HITS = "nodes", "values", "best", "order", "hits"
WINDOWS, CUTS, NULL_WINDOWS, SEARCHED_AGAIN = "windows", "cuts", "null_windows", "searched_again"


@dataclass(frozen=True, kw_only=True)
class TracedExercise(ItemExercise):
    """An exercise on a search of a tree, whose correct entries come from its trace.

    Parameters
    ----------
    tree : Tree
        The game tree, at most 500 nodes and 30 plies deep.

    Raises
    ------
    TreeError
        If the tree is too large.
    """

    tree: Tree

    convention: ClassVar[Convention]

    def __post_init__(self) -> None:
        self.check_marks()
        if len(self.tree) > MAX_NODES or self.tree.depth > MAX_DEPTH:
            raise TreeError(
                f"exercise: the tree is too large ({len(self.tree):,} nodes, depth {self.tree.depth}); the limits are "
                f"{MAX_NODES} nodes and depth {MAX_DEPTH}"
            )
        if self.tree.root.is_leaf:
            raise TreeError("exercise: the tree is a single leaf; there is nothing to search")

    @cached_property
    def solution(self) -> Trace:
        """The trace of the search."""
        return self.search(self.tree)

    @cached_property
    def names(self) -> NodeNames:
        """The nodes by name, as students write them."""
        return NodeNames(self.tree, self.tree)

    def read_node(self, written: Any) -> str:
        """The name of a node that a student has written. Raises `TreeError`."""
        return self.names.find(written).id

    @property
    def node_type(self) -> EntryType:
        """The type of entries that are a node."""
        return EntryType(self.read_node, str, str)

    def steps_of(self, kind: str) -> list[Step]:
        """The steps of one kind, in order."""
        return [step for step in self.solution.steps if step.kind == kind]

    def id_of(self, index: int) -> str:
        """The name of a node."""
        return self.tree.nodes[index].id

    def table(self, name: str, question: str, entry: EntryType, correct: Mapping[str, Any], keys: list[str]) -> Part:
        """A part with entries for some of the nodes `keys`."""
        return Part(name, question, TABLE, entry, correct, {}, False, self.read_node, tuple(keys))

    def set_of_nodes(self, name: str, question: str, indices: list[int]) -> Part:
        """A part that asks for a set of nodes."""
        found = dict.fromkeys(map(self.id_of, indices), "")
        return Part(name, question, SET, NUMBER, found, {}, False, self.read_node)

    def with_value(self, index: int, value: Number) -> tuple[Trace, dict[str, Any]]:
        """The search that goes on from a wrong value of a node: the node is a leaf with that value.

        Returns
        -------
        Trace
            The search of the tree with the leaf.
        dict
            The records of all nodes by name; those below the leaf are of the correct search.
        """
        end, nodes = self.tree.subtree_end[index], self.tree.nodes

        def moved(at: int) -> int:
            return at if at <= index else at - (end - index - 1)

        kept = [
            node._replace(
                index=moved(node.index),
                parent=moved(node.parent),
                children=tuple(map(moved, node.children)),
                transposition_of=moved(node.transposition_of),
            )
            for node in (*nodes[: index + 1], *nodes[end:])
        ]
        kept[index] = kept[index]._replace(player=None, children=(), weights=(), value=value, evaluation=None)
        trace = self.search(Tree(kept))
        records = {node.id: trace.records[node.index] for node in trace.tree}
        below = {node.id: self.solution.records[node.index] for node in nodes[index + 1 : end]}
        return trace, records | below

    def search(self, tree: Tree) -> Trace:
        """Search a tree by the exercise's rules."""
        return Trace(tree, self.convention)

    def _with_values(self, trace: Trace, records: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        """The values and the best move after a wrong value."""
        inner = [node.id for node in self.tree if not node.is_leaf]
        returned = {id: records[id].returned for id in inner}
        best = "" if trace.best is None else trace.tree.nodes[trace.best].id
        return {VALUES: {id: value for id, value in returned.items() if value is not None}, BEST: {"": best}}

    def returned_by(self, convention: str) -> dict[str, Any]:
        """The values that another search of the tree returns, by node."""
        trace = Trace(self.tree, Convention.of(convention))
        found = {node.id: trace.records[node.index].returned for node in self.tree if not node.is_leaf}
        return {id: value for id, value in found.items() if value is not None}

    def hint(self, part: str, key: str) -> str:
        if part == BEST:
            side, which = ("MAX", "largest") if self.tree.root.player == MAX else ("MIN", "smallest")
            return f"{side} moves at the root: the best move is the first child with the {which} value."
        if part == NODES:
            return "Count every visit of every node, leaves and the root included; pruned nodes are not visited."
        node = self.names.find(key) if key else None
        if part != VALUES or node is None:
            return ""
        if node.player == CHANCE:
            return f"{key} is a chance node: add the probability times the value of each child that is visited."
        side, which = ("MAX", "largest") if node.player == MAX else ("MIN", "smallest")
        return f"{key} is a {side} node: it returns the {which} value of the children that are visited."

    def values_part(self) -> Part:
        """The part that asks for the values that inner nodes return."""
        inner = [node for node in self.tree if not node.is_leaf]
        returned = {node.id: self.solution.records[node.index].returned for node in inner}
        correct = {id: value for id, value in returned.items() if value is not None}
        question = "Write the value that each inner node returns. Leave nodes that are not visited blank."
        return self.table(VALUES, question, NUMBER, correct, [node.id for node in inner])

    def best_part(self) -> Part:
        """The part that asks for the best move."""
        best = {"": self.id_of(self.solution.best)} if self.solution.best is not None else {"": ""}
        return Part(BEST, "Which child of the root is the best move?", SINGLE, self.node_type, best)

    def count_part(self, question: str) -> Part:
        """The part that asks for the number of visits."""
        return Part(NODES, question, SINGLE, NUMBER, {"": self.solution.visits})

    def drawn(self, *, solution: bool) -> Tree | Trace:
        return self.solution if solution else self.tree

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield "nodes", len(self.tree)
        yield "inner_nodes", sum(not node.is_leaf for node in self.tree)
        yield "visits", self.solution.visits

    def task_as_json(self) -> dict[str, Any]:
        return {"tree": to_dict(self.tree)}

    @classmethod
    def task_from_json(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(data.get("tree"), Mapping):
            raise TreeError("exercise: tree must be an object of nested nodes")
        return {"tree": read(data["tree"])}


TracedE = TypeVar("TracedE", bound=TracedExercise)


@dataclass(frozen=True, kw_only=True)
class TracedSpec(ItemSpec[TracedE], Generic[TracedE]):
    """Exercises on the search of random trees, or of a given one.

    Parameters
    ----------
    tree : Tree, optional
        A given tree. It is used as it is, or, for variants, with the values of its leaves shuffled.
    branching, depth, values : (int, int)
        Inclusive ranges of the number of children, the depth in plies and the leaf values.
    """

    tree: Tree | None = None
    branching: tuple[int, int] = (2, 3)
    depth: tuple[int, int] = (3, 3)
    values: tuple[int, int] = (-9, 9)

    @abstractmethod
    def exercise(self, tree: Tree) -> TracedE:
        """The exercise on a tree."""

    def random_tree(self, seed: int) -> Tree:
        """A random tree of the spec's shape."""
        tree = random_tree(seed, branching=self.branching, depth=self.depth, values=self.values)
        return Tree([node._replace(evaluation=None) for node in tree])

    def given(self) -> TracedE | None:
        if self.tree is None:
            return None
        exercise = self.exercise(self.tree)
        exercise.solution  # noqa: B018 - raise now, not when grading, if a leaf has no value
        return exercise

    def draw(self, seed: int) -> TracedE:
        tree = self.random_tree(seed) if self.tree is None else shuffle_leaf_values(self.tree, seed)
        if len(tree) > MAX_NODES:
            raise Unsuitable(f"the tree has {len(tree)} nodes (at most {MAX_NODES})")
        return self.exercise(tree)


# ---- iterative deepening ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DeepeningExercise(TracedExercise):
    """Iterative deepening: the best move of each node is tried first in the next iteration."""

    kind: ClassVar[str] = "iterative-deepening"
    convention: ClassVar[Convention] = Convention.of("deepening table")
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {VALUES: 5, BEST: 5, ORDER: 5, NODES: 5}
    DEFAULT_TITLE: ClassVar[str] = "Iterative deepening"
    key_name: ClassVar[str] = "iteration"

    def __post_init__(self) -> None:
        super().__post_init__()
        missing = [node.id for node in self.tree if not node.is_leaf and node.parent >= 0 and node.evaluation is None]
        if missing:
            raise TreeError(f"exercise: node {missing[0]!r} has no evaluation, which an iteration needs; add one")

    @property
    def statement(self) -> list[str]:
        evaluations = [
            f"{node.id} {format_number(node.evaluation)}" for node in self.tree if node.parent >= 0 and not node.is_leaf
        ]
        return [
            f"Search the tree with alpha-beta pruning and iterative deepening to the depths 1 to {self.tree.depth}.",
            "A node at the depth of the iteration has its static evaluation as value; its children are not visited. "
            f"The evaluations: {', '.join(evaluations)}.",
            "At each inner node, the move that was best when the node was last searched (in an earlier iteration) is "
            "tried first; the other moves follow from left to right.",
            CUT_ON_EQUALITY,
            RETURNED[FAIL_SOFT],
            "If several moves have the same value, the one tried first is the best. All values are for MAX.",
        ]

    def all_parts(self) -> list[Part]:
        iterations = {str(iteration.depth): iteration for iteration in self.solution.iterations}
        values = {depth: iteration.value for depth, iteration in iterations.items()}
        best = {depth: self.id_of(each.best) for depth, each in iterations.items() if each.best is not None}
        counts = {depth: iteration.visits for depth, iteration in iterations.items()}
        ordered = names_type(self.read_node, ordered=True)
        return [
            Part(VALUES, "Write the value of the root after each iteration.", TABLE, NUMBER, values),
            Part(BEST, "Which child of the root is the best move after each iteration?", TABLE, self.node_type, best),
            Part(ORDER, "List the children of the root in the order of their visits.", TABLE, ordered, self.orders),
            Part(NODES, "How many nodes does each iteration visit, the root included?", TABLE, NUMBER, counts),
        ]

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """The order of an iteration follows from the best move of the one before."""
        later = str(int(key) + 1)
        children = [self.id_of(child) for child in self.tree.root.children]
        if part != BEST or later not in self.orders or entry not in children:
            return None
        return {ORDER: {**self.orders, later: (entry, *(child for child in children if child != entry))}}

    def rivals(self) -> Iterator[Rival]:
        unordered = Trace(self.tree, Convention.of("deepening"))
        counts = {str(iteration.depth): iteration.visits for iteration in unordered.iterations}
        first = self.orders["1"]
        yield Rival("move ordering", {ORDER: dict.fromkeys(self.orders, first), NODES: counts})

    def hint(self, part: str, key: str) -> str:
        if part == ORDER:
            before = f"iteration {int(key) - 1}" if key not in ("", "1") else ""
            return (
                f"The best move of {before} comes first, the others from left to right."
                if before
                else "The first iteration visits the children from left to right."
            )
        if part == VALUES:
            return f"Search to depth {key}: nodes at that depth have their static evaluations, and leaves their values."
        return super().hint(part, "")

    @cached_property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The children of the root in the order of their visits, by iteration."""
        steps = self.solution.steps
        begins = [*(iteration.step for iteration in self.solution.iterations), len(steps)]
        return {
            str(iteration.depth): tuple(
                self.id_of(step.child) for step in steps[begin:end] if step.kind == "value" and step.node == 0
            )
            for iteration, (begin, end) in zip(self.solution.iterations, pairwise(begins), strict=True)
        }

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield from super().measures()
        yield "orders", len(set(self.orders.values()))


@dataclass(frozen=True, kw_only=True)
class DeepeningSpec(TracedSpec[DeepeningExercise]):
    """Exercises on iterative deepening in which the order of the moves changes."""

    def exercise(self, tree: Tree) -> DeepeningExercise:
        return DeepeningExercise(marks=self.marks, title=self.title, tree=tree)

    def random_tree(self, seed: int) -> Tree:
        tree = random_tree(seed, branching=self.branching, depth=self.depth, values=self.values)
        return Tree([node._replace(evaluation=None) if node.parent < 0 else node for node in tree])

    def checked(self, exercise: DeepeningExercise) -> tuple[DeepeningExercise, list[str]]:
        if len(set(exercise.orders.values())) < 2:
            raise Unsuitable("all iterations try the moves in the same order")
        return exercise, []


# ---- principal variation search -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PvsExercise(TracedExercise):
    """Principal variation search: null windows and re-searches."""

    kind: ClassVar[str] = "pvs"
    convention: ClassVar[Convention] = Convention.of("pvs")
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {NULL_WINDOWS: 8, SEARCHED_AGAIN: 6, NODES: 4, BEST: 2}
    DEFAULT_TITLE: ClassVar[str] = "Principal variation search"

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(node.value is not None and node.value.denominator > 1 for node in self.tree):
            raise TreeError("exercise: null windows need whole values; multiply the values of the tree")

    @property
    def statement(self) -> list[str]:
        return [
            "Search the tree with principal variation search, children from left to right.",
            "A node searches its first child with its own window [alpha, beta]. It searches every other child, leaves "
            "included, with a null window: [alpha, alpha + 1] at MAX, [beta - 1, beta] at MIN. If the value that the "
            "child returns lies strictly between alpha and beta, the child is searched again with [alpha, beta].",
            "A node whose own window is a null window searches all its children with it.",
            CUT_ON_EQUALITY,
            RETURNED[FAIL_SOFT],
            "All values are for MAX.",
        ]

    def rivals(self) -> Iterator[Rival]:
        plain = Trace(self.tree, Convention())
        yield Rival("null windows", {NULL_WINDOWS: {}, SEARCHED_AGAIN: {}, NODES: {"": plain.visits}})
        yield Rival("re-searches", {SEARCHED_AGAIN: {}})

    def hint(self, part: str, key: str) -> str:
        if part == SEARCHED_AGAIN:
            return "A child is searched again if its value lies strictly between alpha and beta of its parent."
        if part != NULL_WINDOWS or not key:
            return super().hint(part, key)
        parent = self.tree.nodes[self.names.find(key).parent]
        form = "[alpha, alpha + 1]" if parent.player == MAX else "[beta - 1, beta]"
        side, bound = ("MAX", "alpha") if parent.player == MAX else ("MIN", "beta")
        return (
            f"The parent of {key}, {parent.id}, is a {side} node and makes {form}, with its {bound} after the children "
            f"before {key}; it makes none if its own window is a null window, or if it stops before {key}."
        )

    @cached_property
    def null_windows(self) -> dict[str, Window]:
        """The first null window of each node that its parent searches with one of its own."""
        windows: dict[str, Window] = {}
        for step in self.steps_of("null-window"):
            windows.setdefault(self.id_of(step.child), (step.alpha, step.beta))
        return windows

    def all_parts(self) -> list[Part]:
        later = [self.id_of(child) for node in self.tree for child in node.children[1:]]
        again = sorted({step.child for step in self.steps_of("re-search")})
        return [
            self.table(
                NULL_WINDOWS,
                "Write the null window that a parent makes for a child, the first time it does. Leave the other nodes "
                "blank.",
                WINDOW,
                self.null_windows,
                later,
            ),
            self.set_of_nodes(SEARCHED_AGAIN, "Which nodes are searched again with a wider window?", again),
            self.count_part("How many visits of nodes are there? Count every visit, the root included."),
            self.best_part(),
        ]

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield from super().measures()
        yield "null_windows", len(self.null_windows)
        yield "searched_again", len(self.steps_of("re-search"))


@dataclass(frozen=True, kw_only=True)
class PvsSpec(TracedSpec[PvsExercise]):
    """Exercises on principal variation search with re-searches and with null windows that suffice."""

    def exercise(self, tree: Tree) -> PvsExercise:
        return PvsExercise(marks=self.marks, title=self.title, tree=tree)

    def checked(self, exercise: PvsExercise) -> tuple[PvsExercise, list[str]]:
        again = {step.child for step in exercise.steps_of("re-search")}
        if not again:
            raise Unsuitable("no node is searched again")
        if len(again) == len(exercise.null_windows):
            raise Unsuitable("every null-window search is repeated")
        return exercise, []


# ---- transpositions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TranspositionsExercise(TracedExercise):
    """Alpha-beta with a transposition table: which nodes need not be searched."""

    kind: ClassVar[str] = "transpositions"
    convention: ClassVar[Convention] = Convention.of("table")
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {HITS: 8, VALUES: 8, NODES: 4}
    DEFAULT_TITLE: ClassVar[str] = "Transpositions"

    @property
    def statement(self) -> list[str]:
        repeated = [
            f"{node.id} = {self.id_of(node.transposition_of)}"
            for node in self.tree
            if node.transposition_of != node.index
        ]
        return [
            "Search the tree with alpha-beta pruning and a transposition table, children from left to right.",
            f"Nodes with the same position: {', '.join(repeated)}.",
            "When an inner node returns, its position is stored with its value: as exact if the value is inside the "
            "window (alpha, beta) of the node on entry, as a lower bound if it is at least beta, as an upper bound if "
            "it is at most alpha.",
            "A node whose position is stored returns the stored value at once (a hit) if that is exact, a lower bound "
            "of at least beta, or an upper bound of at most alpha. Otherwise it is searched, the stored best move "
            "first.",
            CUT_ON_EQUALITY,
            RETURNED[FAIL_SOFT],
            "All values are for MAX.",
        ]

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """What follows from the value of a node whose position, and those below it, occur nowhere else.

        Otherwise the table would answer other nodes by the wrong value, with a bound that the answer does not name.
        """
        if part != VALUES:
            return None
        index = self.names.find(key).index
        inside = range(index, self.tree.subtree_end[index])
        if any(
            node.transposition_of != node.index and (node.index in inside or node.transposition_of in inside)
            for node in self.tree
        ):
            return None
        trace, records = self.with_value(index, entry)
        below = sum(self.solution.records[at].is_visited for at in inside[1:])
        hits = {trace.tree.nodes[step.node].id: "" for step in trace.steps if step.kind == "table-hit"}
        return {VALUES: self._with_values(trace, records)[VALUES], HITS: hits, NODES: {"": trace.visits + below}}

    def rivals(self) -> Iterator[Rival]:
        plain = Trace(self.tree, Convention())
        yield Rival("the table", {HITS: {}, VALUES: self.returned_by("alphabeta"), NODES: {"": plain.visits}})
        visited = {node.index for node in self.solution.visited}
        repeated = [node.id for node in self.tree if node.transposition_of != node.index and node.index in visited]
        yield Rival("bounds in the table", {HITS: dict.fromkeys(repeated, "")})

    def hint(self, part: str, key: str) -> str:
        if part == HITS:
            return (
                "For each node whose position occurred before, compare the stored value with alpha and beta: "
                "an exact value always suffices, a bound does not."
            )
        return super().hint(part, key)

    @cached_property
    def hits(self) -> list[int]:
        """The nodes that are answered from the table."""
        return sorted({step.node for step in self.steps_of("table-hit")})

    def all_parts(self) -> list[Part]:
        return [
            self.set_of_nodes(HITS, "Which nodes are answered from the table?", self.hits),
            self.values_part(),
            self.count_part("How many nodes are visited, the root and the hits included?"),
        ]

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield from super().measures()
        yield "repeated", sum(node.transposition_of != node.index for node in self.tree)
        yield "hits", len(self.hits)


@dataclass(frozen=True, kw_only=True)
class TranspositionsSpec(TracedSpec[TranspositionsExercise]):
    """Exercises on trees in which positions repeat, some of them with a bound that does not suffice."""

    def exercise(self, tree: Tree) -> TranspositionsExercise:
        return TranspositionsExercise(marks=self.marks, title=self.title, tree=tree)

    def random_tree(self, seed: int) -> Tree:
        """Unfold a random graph: each node's children are drawn among the positions of the next level."""
        random = Random(seed).random

        def within(limits: tuple[int, int]) -> int:
            low, high = limits
            return low + int(random() * (high - low + 1))

        depth, least, largest = within(self.depth), *self.values
        width = self.branching[1] + 1
        # children[level][position]: positions of the next level, distinct, in random order.
        children: list[list[list[int]]] = []
        for level in range(depth):
            rows = []
            for _ in range(width if level else 1):
                pool = list(range(width))
                rows.append([pool.pop(int(random() * len(pool))) for _ in range(within(self.branching))])
            children.append(rows)
        draft = TreeBuilder()
        first: dict[tuple[int, int], int] = {}
        values: dict[tuple[int, int], int] = {}

        def unfold(parent: int, level: int, position: int, child: int) -> None:
            if level == depth:
                value = values.setdefault((position, child), least + int(random() * (largest - least + 1)))
                draft.add(parent, None, value=value)
                return
            index = draft.add(parent, MAX if level % 2 == 0 else MIN, transposition_of=first.get((level, position), -1))
            first.setdefault((level, position), index)
            for number, below in enumerate(children[level][position]):
                if level + 1 == depth:
                    unfold(index, depth, position, number)
                else:
                    unfold(index, level + 1, below, number)

        unfold(-1, 0, 0, 0)
        return draft.build()

    def checked(self, exercise: TranspositionsExercise) -> tuple[TranspositionsExercise, list[str]]:
        visited = {node.index for node in exercise.solution.visited}
        repeated = {node.index for node in exercise.tree if node.transposition_of != node.index}
        if not exercise.hits:
            raise Unsuitable("the table has no hit")
        if not (visited & repeated) - set(exercise.hits):
            raise Unsuitable("every repeated position that is visited is a hit")
        return exercise, []


# ---- Star1 --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Star1Exercise(TracedExercise):
    """Star1: windows of the children of chance nodes, and cutoffs at chance nodes.

    Parameters
    ----------
    bounds : (number, number)
        The least and the largest value of any state, which the search knows in advance.
    """

    bounds: tuple[Number, Number] = (-9, 9)

    kind: ClassVar[str] = "star1"
    convention: ClassVar[Convention] = Convention.of("star1")
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {WINDOWS: 8, CUTS: 6, VALUES: 4, BEST: 2}
    DEFAULT_TITLE: ClassVar[str] = "Star1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(node.player == CHANCE for node in self.tree):
            raise TreeError("exercise: the tree has no chance node; Star1 needs one")
        low, high = value_range(self.tree, None)
        if not self.bounds[0] <= low <= high <= self.bounds[1]:
            given = ", ".join(map(format_number, self.bounds))
            raise TreeError(
                f"exercise: the bounds [{given}] must include all values of the tree, {format_number(low)} to "
                f"{format_number(high)}"
            )
        if self.tree.root.player == CHANCE and BEST in self.marks:
            raise TreeError("exercise: the root is a chance node, so there is no best move to ask for")

    def search(self, tree: Tree) -> Trace:
        return Trace(tree, self.convention, bounds=self.bounds)

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """Windows, cutoffs and values after a node follow from its value."""
        index = self.names.find(key).index if part == VALUES else 0
        if not index or not self.bounds[0] <= entry <= self.bounds[1]:
            return None
        trace, records = self.with_value(index, entry)
        windows = {id: records[id].entry for id in self._of_chance if records[id].entry is not None}
        end = self.tree.subtree_end[index]
        pruned = [trace.tree.nodes[node.index].id for node in trace.pruned]
        pruned += [node.id for node in self.solution.pruned if index < node.index < end]
        return {WINDOWS: windows, CUTS: dict.fromkeys(pruned, ""), **self._with_values(trace, records)}

    def rivals(self) -> Iterator[Rival]:
        yield Rival("cutoffs", {CUTS: {}, VALUES: self.returned_by("expectiminimax")})
        yield Rival("windows", {WINDOWS: dict.fromkeys(self._of_chance, self.bounds)})

    def hint(self, part: str, key: str) -> str:
        if part == CUTS:
            return (
                "After each child of a chance node, compare S plus the least and the most that the children left can "
                "add with its window. MAX and MIN nodes prune as in alpha-beta."
            )
        if part != WINDOWS or not key:
            return super().hint(part, key)
        parent = self.tree.nodes[self.names.find(key).parent]
        before = [self.id_of(child) for child in parent.children if child < self.names.find(key).index]
        known = f" and the values of {', '.join(before)}" if before else ", S = 0"
        return f"{key}: use the window of {parent.id}{known}; it is blank if {parent.id} stops before {key}."

    @cached_property
    def _of_chance(self) -> list[str]:
        """The children of chance nodes."""
        return [self.id_of(child) for node in self.tree if node.player == CHANCE for child in node.children]

    @property
    def statement(self) -> list[str]:
        low, high = map(format_number, self.bounds)
        return [
            f"Search the tree with Star1, children from left to right. All values are known to lie from L = {low} to "
            f"U = {high}.",
            "MAX and MIN nodes search as in alpha-beta. At a chance node with the window [alpha, beta], let S be the "
            "sum of p * v over the children searched so far, and R the sum of the probabilities of the children after "
            "the next one. The next child, of probability p, gets the window from max(L, (alpha - S - U * R) / p) to "
            "min(U, (beta - S - L * R) / p).",
            "A chance node stops as soon as its value cannot be inside its window: when S + U * (the probabilities of "
            "the children left) <= alpha, or S + L * (the same) >= beta. It then returns that sum.",
            CUT_ON_EQUALITY,
            RETURNED[FAIL_SOFT],
            "All values are for MAX.",
        ]

    def all_parts(self) -> list[Part]:
        entries = {id: self.solution.records[self.names.find(id).index].entry for id in self._of_chance}
        windows = {id: window for id, window in entries.items() if window is not None}
        parts = [
            self.table(
                WINDOWS,
                "Write the window that each child of a chance node gets. Leave nodes that are not visited blank.",
                WINDOW,
                windows,
                self._of_chance,
            ),
            self.set_of_nodes(
                CUTS,
                "Which nodes are pruned? Name only the topmost node of a pruned subtree.",
                [node.index for node in self.solution.pruned],
            ),
            self.values_part(),
        ]
        return parts if self.tree.root.player == CHANCE else [*parts, self.best_part()]

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield from super().measures()
        yield "pruned", len(self.solution.pruned)
        yield "chance_cutoffs", sum(self.tree.nodes[cut.node].player == CHANCE for cut in self.solution.cuts)

    def task_as_json(self) -> dict[str, Any]:
        return {"bounds": list(map(as_json, self.bounds)), **super().task_as_json()}

    @classmethod
    def task_from_json(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        bounds = data.get("bounds")
        if not isinstance(bounds, list) or len(bounds) != 2:
            raise TreeError(f"exercise: bounds must be two numbers (got {abbreviated(bounds)})")
        return {"bounds": (to_number(bounds[0]), to_number(bounds[1])), **super().task_from_json(data)}


@dataclass(frozen=True, kw_only=True)
class Star1Spec(TracedSpec[Star1Exercise]):
    """Exercises on Star1 with a cutoff at a chance node, and windows that are short decimals."""

    def exercise(self, tree: Tree) -> Star1Exercise:
        bounds: tuple[Number, Number] = self.values if self.tree is None else value_range(tree, None)
        return Star1Exercise(marks=self.marks, title=self.title, tree=tree, bounds=bounds)

    def random_tree(self, seed: int) -> Tree:
        return chance_tree(seed, branching=self.branching, depth=self.depth, values=self.values)

    def checked(self, exercise: Star1Exercise) -> tuple[Star1Exercise, list[str]]:
        if self.tree is None:
            numbers = [end for record in exercise.solution.records for end in record.entry or ()]
            numbers += [record.returned for record in exercise.solution.records if record.returned is not None]
            if any(isinstance(end, Fraction) and end.denominator not in SHORT_DECIMALS for end in numbers):
                raise Unsuitable("a window or a value is not a short decimal")
        if not any(exercise.tree.nodes[cut.node].player == CHANCE for cut in exercise.solution.cuts):
            raise Unsuitable("there is no cutoff at a chance node")
        return exercise, []
