"""An exercise: a tree, the convention for searching it, and the questions with their marks.

The solution is not stored; `Exercise.solution` searches the tree when it is needed. docs/exercises.md describes the
JSON format.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, PATH
from zermelo.teaching.exercises.answer_notation import NodeNames
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.tree.convention import ALPHABETA, INHERITED, INTERVAL, NEGAMAX, OWN, STRICT, Convention
from zermelo.teaching.tree.node import Node, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Number, as_json, format_number, to_number
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.trace import Trace, Window

#: JSON schema versions. They change only when an older reader would misread the file.
SCHEMA, SET_SCHEMA = "zermelo-exercise/1", "zermelo-exercises/1"

VALUES, WINDOWS, CUTS, ORDER, BEST = PARTS = ("values", "windows", "cuts", "order", "best")
#: Default marks of each part, 20 in total.
DEFAULT_MARKS: Mapping[str, Number] = {VALUES: 5, WINDOWS: 5, CUTS: 5, ORDER: 3, BEST: 2}

#: Size limits of an exercise tree (nodes, plies): larger trees are impractical by hand and slow to grade.
MAX_NODES, MAX_DEPTH = 500, 30
#: Limits on the marks of one part and on the number of exercises in one file.
MAX_MARKS, MAX_VARIANTS = 1_000, 2_000


class ExerciseBase(ABC):
    """What exercises of all kinds have in common; subclasses are frozen dataclasses."""

    #: Name of the kind of exercise.
    kind: ClassVar[str]

    marks: Mapping[str, Number]
    title: str
    seed: int | None
    variant: int | None
    student: str

    @property
    @abstractmethod
    def id(self) -> str:
        """Identifier that answers refer to, a hash over everything an answer depends on."""

    @property
    @abstractmethod
    def statement(self) -> list[str]:
        """The instructions: every rule that an answer depends on, one item a line."""

    @property
    @abstractmethod
    def questions(self) -> list[tuple[str, str, Number]]:
        """The questions as (part, text, marks)."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """The exercise as plain data, without its solution."""

    @property
    def total_marks(self) -> Number:
        """Sum of the marks of all parts."""
        return sum(self.marks.values())

    @property
    def label(self) -> str:
        """Title, followed by the student or the variant."""
        who = self.student or ("" if self.variant is None else f"variant {self.variant}")
        return ", ".join(filter(None, (self.title or "Exercise", who)))

    def as_json_with_text(self) -> dict[str, Any]:
        """`as_json` plus the id and the wording: the content of an exercise file. The task itself comes last."""
        data = self.as_json()
        task = {name: data.pop(name) for name in ("tree",) if name in data}
        questions = [{"part": part, "marks": as_json(marks), "question": text} for part, text, marks in self.questions]
        return data | {"id": self.id, "statement": self.statement, "questions": questions} | task

    def set_for(self, *, seed: int | None, variant: int | None = None, student: str = "") -> Self:
        """The exercise with its seed, its number and the student that it is set for."""
        return replace(self, seed=seed, variant=variant, student=student)  # type: ignore[type-var]

    def check_id(self, id: object) -> None:
        """Raise `TreeError` if a stored id is not that of the content."""
        if id not in (None, self.id):
            raise TreeError(
                f"exercise {abbreviated(id)}: changed since it was set (its id is now {self.id}); "
                "restore the file, or remove the id"
            )


@dataclass(frozen=True)
class Exercise(ExerciseBase):
    """One exercise on a game tree.

    Parameters
    ----------
    tree : Tree
        The game tree, at most 500 nodes and 30 plies deep.
    convention : Convention
        The algorithm, its variant, the cutoff rule and the way of writing windows.
    marks : mapping of str to number
        Marks of each part that is asked for; keys are among ``values``, ``windows``, ``cuts``, ``order`` and ``best``.
    depth : int, optional
        Search depth in plies, at least 1. Inner nodes at that depth count as leaves with their evaluation. By default
        the search goes to the leaves.
    title : str
        Heading of the sheet.
    seed : int, optional
        Seed the tree was generated from.
    variant : int, optional
        Number of the variant, counted from 1.
    student : str
        The student the exercise is set for; empty if it is for everyone.
    first_of_equals : bool
        True if several root moves are equally good and the first one is the expected answer.

    Raises
    ------
    TreeError
        If the tree is too large, or if a part is asked for that the search does not have (windows in minimax, the best
        move at a chance root).

    Examples
    --------
    >>> from zermelo.teaching.exercises import Exercise
    >>> from zermelo.teaching.tree import read
    >>> from zermelo.teaching.tree.convention import Convention
    >>> exercise = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), {"values": 5, "best": 2})
    >>> exercise.solution.value, exercise.total_marks
    (3, 7)
    """

    tree: Tree
    convention: Convention
    marks: Mapping[str, Number]
    depth: int | None = None
    title: str = ""
    seed: int | None = None
    variant: int | None = None
    student: str = ""
    first_of_equals: bool = False

    kind: ClassVar[str] = "tree-search"

    def __post_init__(self) -> None:
        if len(self.tree) > MAX_NODES or self.tree.depth > MAX_DEPTH:
            raise TreeError(
                f"exercise: the tree is too large ({len(self.tree):,} nodes, depth {self.tree.depth}); the limits are "
                f"{MAX_NODES} nodes and depth {MAX_DEPTH}"
            )
        if self.tree.root.is_leaf:
            raise TreeError("exercise: the tree is a single leaf; there is nothing to search")
        if not self.marks:
            raise TreeError(f"exercise: no parts to answer; ask for at least one of {', '.join(PARTS)}")
        for part, marks in self.marks.items():
            if part not in PARTS:
                raise TreeError(f"exercise: unknown part {abbreviated(part)}; the parts are {', '.join(PARTS)}")
            if not 0 < marks <= MAX_MARKS:
                raise TreeError(
                    f"exercise: marks for {part} must be above 0 and at most {MAX_MARKS} (got {format_number(marks)})"
                )
            if part in (WINDOWS, CUTS) and not self.convention.prunes:
                raise TreeError(
                    f"exercise: {self.convention.algorithm} has no {part}; ask for other parts or use alphabeta"
                )
            if part in (WINDOWS, CUTS) and not any(node.player in (MAX, MIN) for node in self.tree):
                raise TreeError(f"exercise: the tree has only chance nodes, so there are no {part} to ask for")
        if BEST in self.marks and self.tree.root.player == CHANCE:
            raise TreeError("exercise: the root is a chance node, so there is no best move to ask for")
        if self.convention.enhancements or self.convention.has_star:
            word = (*self.convention.enhancements, self.convention.algorithm)[0]
            raise TreeError(f"exercise: {word} has no exercises; use alphabeta, minimax, negamax or expectiminimax")
        if self.depth is not None and self.depth < 1:
            raise TreeError(f"exercise: depth must be at least 1 (got {self.depth})")

    # ---- search -----------------------------------------------------------------------------------------------

    @cached_property
    def id(self) -> str:
        """Identifier that answers refer to: 12 hexadecimal digits of a hash over tree, convention, depth and marks."""
        content = {name: self.as_json()[name] for name in ("tree", "convention", "depth", "marks")}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def searched_tree(self) -> Tree:
        """The tree down to the search depth; inner nodes at that depth become leaves with their evaluation."""
        return self.tree if self.depth is None else truncate_at_depth(self.tree, self.depth)

    @cached_property
    def names(self) -> NodeNames:
        """The nodes of the searched tree by the names that answers give them."""
        return NodeNames(self.searched_tree, self.tree)

    @cached_property
    def search_convention(self) -> Convention:
        """The convention with all values for MAX: negamax becomes the equivalent fail-soft alpha-beta."""
        if self.convention.algorithm != NEGAMAX:
            return self.convention
        return replace(self.convention, algorithm=ALPHABETA)

    @cached_property
    def solution(self) -> Trace:
        """Trace of the correct search, all values for MAX. Raises `TreeError` if it reads a leaf without a value."""
        return Trace(self.searched_tree, self.search_convention)

    def convert_value(self, node: Node, value: Number) -> Number:
        """Convert a value between MAX's view and the convention's view at a node (its own inverse)."""
        return -value if self.convention.algorithm == NEGAMAX and node.player == MIN else value

    def convert_window(self, node: Node, window: Window) -> Window:
        """Convert a window between MAX's view and the convention's view at a node (its own inverse)."""
        flips = self.convention.algorithm == NEGAMAX and node.player == MIN
        return (-window[1], -window[0]) if flips else window

    @property
    def window_kinds(self) -> tuple[str, ...]:
        """The windows asked for at each node, from the convention's `show`: entry and exit, bound, or interval."""
        return {INHERITED: ("entry", "exit"), OWN: ("bound",), INTERVAL: ("interval",)}[self.convention.show]

    # ---- wording ----------------------------------------------------------------------------------------------

    @cached_property
    def statement(self) -> list[str]:
        """The instructions: every rule that an answer depends on, one item a line."""
        convention = self.convention
        players = {node.player for node in self.searched_tree}
        lines = [_ALGORITHMS[convention.algorithm] + ", children from left to right."]
        if CHANCE in players:
            lines.append("The value of a chance node is the probability-weighted mean of the children's values.")
            if convention.prunes:
                lines.append("Search each child of a chance node with the full window.")
        if self.depth is not None:
            plies = "1 ply" if self.depth == 1 else f"{self.depth} plies"
            lines.append(f"Search to a depth of {plies}. The value of a node at that depth is its static evaluation.")
        if convention.prunes:
            lines.append(CUT_BEYOND if convention.cut == STRICT else CUT_ON_EQUALITY)
            lines.append(RETURNED[convention.variant])
        if convention.algorithm == NEGAMAX:
            lines.append(
                "Write values and windows from the point of view of the side to move at the node; the values of the "
                "leaves are for MAX."
            )
        elif MIN in players and MAX in players:
            lines.append("All values are for MAX.")
        if BEST in self.marks or ORDER in self.marks:
            lines.append("If several moves have the same value, choose the first (leftmost) one.")
        return lines

    @cached_property
    def questions(self) -> list[tuple[str, str, Number]]:
        """The questions as (part, text, marks)."""
        texts = {
            VALUES: "Write the value that each inner node returns. Leave nodes that are not visited blank."
            if self.convention.prunes
            else "Write the value of each inner node.",
            WINDOWS: {
                INHERITED: "Write the window [alpha, beta] of each visited inner node: on entry, as passed down by its "
                "parent, and on exit, updated with the value of its last visited child (including one that causes a "
                "cutoff).",
                OWN: "Write the bound of each visited inner node: the best value returned by its children (alpha at "
                "MAX, beta at MIN).",
                INTERVAL: "Write the interval in which the value of each visited inner node is known to lie when the "
                "search leaves it. After a cutoff one end of the interval stays infinite.",
            }[self.convention.show],
            CUTS: "Cross out the arcs that are pruned. Cross out only the topmost arc of a pruned subtree.",
            ORDER: "List all visited nodes, inner nodes and leaves, in the order of their visits.",
            BEST: "Which child of the root is the best move?",
        }
        return [(part, texts[part], self.marks[part]) for part in PARTS if part in self.marks]

    # ---- JSON -------------------------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """The exercise as plain data, without its solution; `from_json` reads it."""
        convention = self.convention
        return {
            "schema": SCHEMA,
            "title": self.title,
            "seed": self.seed,
            "variant": self.variant,
            "student": self.student,
            "convention": {
                "algorithm": convention.algorithm,
                "variant": convention.variant,
                "cut": convention.cut,
                "show": convention.show,
            },
            "depth": self.depth,
            "first_of_equals": self.first_of_equals,
            "marks": {part: as_json(self.marks[part]) for part in PARTS if part in self.marks},
            "tree": to_dict(self.tree),
        }

    @classmethod
    def from_json(cls, data: Any) -> Exercise:
        """Read an exercise from plain data.

        Raises
        ------
        TreeError
            If the schema or a field is wrong, or if the content no longer matches the stored id.
        """
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            schema = data.get("schema") if isinstance(data, Mapping) else None
            raise TreeError(f'not an exercise: expected "schema": "{SCHEMA}", found {abbreviated(schema)}')
        convention = data.get("convention")
        if not isinstance(convention, Mapping) or not all(isinstance(word, str) for word in convention.values()):
            raise TreeError("exercise: convention must map algorithm, variant, cut and show to words")
        marks = data.get("marks")
        if not isinstance(marks, Mapping):
            raise TreeError(f"exercise: marks must map parts ({', '.join(PARTS)}) to numbers")
        if not isinstance(data.get("tree"), Mapping):
            raise TreeError("exercise: tree must be an object of nested nodes")
        exercise = cls(
            tree=read(data["tree"]),
            convention=Convention.of(" ".join(convention.values())),
            marks={str(part): to_number(value) for part, value in marks.items()},
            depth=optional_int(data, "depth"),
            title=optional_text(data, "title"),
            seed=optional_int(data, "seed"),
            variant=optional_int(data, "variant"),
            student=optional_text(data, "student"),
            first_of_equals=data.get("first_of_equals") is True,
        )
        exercise.check_id(data.get("id"))
        return exercise


_ALGORITHMS = {
    "alphabeta": "Search the tree with alpha-beta pruning",
    "minimax": "Search the whole tree with minimax",
    "expectiminimax": "Search the whole tree with expectiminimax",
    "negamax": "Search the tree with negamax and alpha-beta pruning",
}
#: The rules as sheets state them: cutoffs, and the value that each variant returns.
CUT_ON_EQUALITY = "Prune the remaining children as soon as alpha >= beta (a value equal to the bound causes a cutoff)."
CUT_BEYOND = "Prune the remaining children as soon as alpha > beta (a value equal to the bound causes no cutoff)."
RETURNED = {
    FAIL_SOFT: "A node returns the best value found, even if it lies outside its window (fail-soft).",
    FAIL_HARD: "A node returns the best value found, clamped to its window: alpha if the value is lower, beta if it is "
    "higher (fail-hard). Leaves are not clamped.",
    PATH: "A node that does not improve on the bound of its player (alpha at MAX, beta at MIN) returns that bound; "
    "otherwise it returns the best value found (Poole and Mackworth).",
}


def truncate_at_depth(tree: Tree, depth: int) -> Tree:
    """Turn inner nodes at `depth` into leaves with their evaluation. Raises `TreeError` if one has no evaluation."""
    draft, new_index = TreeBuilder(), {-1: -1}
    for node in tree:
        if node.depth > depth:
            continue
        at_end = node.depth == depth and not node.is_leaf
        if at_end and node.evaluation is None:
            raise TreeError(f"exercise: node {node.id!r} is at the search depth but has no evaluation; add one")
        new_index[node.index] = draft.add(
            new_index[node.parent],
            None if at_end else node.player,
            id=node.id,
            value=node.evaluation if at_end else node.value,
            weights=() if at_end else node.weights,
            move=node.move,
            evaluation=None if at_end else node.evaluation,
            state=node.state,
        )
    return draft.build(tree.name)


def solution_window(right: Trace, node: Node, kind: str) -> Window | None:
    """The window of a node in the correct search; `kind` is one of entry, exit, bound and interval."""
    record = right.records[node.index]
    is_cut = any(cut.node == node.index for cut in right.cuts)
    return window_of_kind(kind, node, record.entry, record.exit or record.entry, record.own, is_cut=is_cut)


def window_of_kind(
    kind: str, node: Node, entry: Window | None, exit: Window | None, own: Number | None, *, is_cut: bool
) -> Window | None:
    """Select a window of one kind from the results at a node; a bound is returned as [bound, bound]."""
    if node.player not in (MAX, MIN):
        return None
    if kind in ("entry", "exit"):
        return entry if kind == "entry" else exit
    if own is None:
        return None
    if kind == "bound" or not is_cut:
        return own, own
    return (own, float("inf")) if node.player == MAX else (float("-inf"), own)


def allocate_marks(parts: Sequence[str], marks: Mapping[str, Number]) -> dict[str, Number]:
    """Return the marks of the given parts, with `DEFAULT_MARKS` for those not in `marks`.

    Raises
    ------
    TreeError
        If a part is unknown, or if `marks` names a part that is not asked for.
    """
    for part in (*parts, *marks):
        if part not in PARTS:
            raise TreeError(f"exercise: unknown part {abbreviated(part)}; the parts are {', '.join(PARTS)}")
    for part in marks:
        if part not in parts:
            raise TreeError(f"exercise: marks given for {part}, which is not asked for (asked: {', '.join(parts)})")
    return {part: marks.get(part, DEFAULT_MARKS[part]) for part in PARTS if part in parts}


def format_marks(marks: Number) -> str:
    """Format marks with at most two decimals."""
    return f"{float(round(Fraction(marks), 2)):.2f}".rstrip("0").rstrip(".")


def optional_int(data: Mapping[str, Any], key: str) -> int | None:
    """A non-negative integer of an exercise file, or None. Raises `TreeError`."""
    value = data.get(key)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 1 << 128:
        raise TreeError(f"exercise: {key} must be a non-negative integer or null (got {abbreviated(value)})")
    return value


def optional_text(data: Mapping[str, Any], key: str) -> str:
    """A text of an exercise file, "" if it is missing. Raises `TreeError`."""
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 200:
        raise TreeError(f"exercise: {key} must be a string of at most 200 characters (got {abbreviated(value)})")
    return value
