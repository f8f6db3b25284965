"""An exercise: a tree, the convention it is searched by, and what is asked for how many marks.

It holds no solution: whoever needs one (the sheet with solution, the grading) searches the tree again, by `solution`.
Its JSON is described in docs/exercises.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, PATH
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.tree.convention import ALPHABETA, INHERITED, INTERVAL, NEGAMAX, OWN, STRICT, Convention
from zermelo.teaching.tree.node import Node, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Number, as_json, format_number, to_number
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.trace import Trace, Window

#: The versions of the JSON; they change when a reader of the old one would go wrong.
SCHEMA, SET_SCHEMA = "zermelo-exercise/1", "zermelo-exercises/1"

VALUES, WINDOWS, CUTS, ORDER, BEST = PARTS = ("values", "windows", "cuts", "order", "best")
#: What the parts are worth unless it is said: 20 in all.
DEFAULT_MARKS: Mapping[str, Number] = {VALUES: 5, WINDOWS: 5, CUTS: 5, ORDER: 3, BEST: 2}

#: The largest tree that is set, and the deepest: nobody works out more by hand, and grading stays quick.
MAX_NODES, DEEPEST = 500, 30
#: The most marks that a part can be worth, and the most exercises in one file.
MAX_MARKS, MAX_VARIANTS = 1_000, 2_000


@dataclass(frozen=True)
class Exercise:
    """One exercise. Raises `TreeError` for one that cannot be set: too large, or asking what its search has not."""

    tree: Tree
    convention: Convention
    #: The parts that are asked, each with its marks.
    marks: Mapping[str, Number]
    #: How many plies are searched; None: to the leaves. At that depth a node is worth its evaluation.
    depth: int | None = None
    title: str = ""
    #: What it was sown from, and the number of the variant, from 1; None if it was not sown or has no variants.
    seed: int | None = None
    variant: int | None = None
    #: Whose it is, "" if everybody's.
    student: str = ""
    #: Whether several moves at the root are equally good, and the first of them is the answer.
    first_of_equals: bool = False

    def __post_init__(self) -> None:
        if len(self.tree) > MAX_NODES or self.tree.depth > DEEPEST:
            raise TreeError(
                f"exercise: {len(self.tree):,} nodes, {self.tree.depth} moves deep; at most {MAX_NODES} nodes and "
                f"{DEEPEST} moves are set as an exercise"
            )
        if self.tree.root.is_leaf:
            raise TreeError("exercise: the tree is a single leaf; there is nothing to search")
        if not self.marks:
            raise TreeError(f"exercise: nothing is asked; ask for some of {', '.join(PARTS)}")
        for part, worth in self.marks.items():
            if part not in PARTS:
                raise TreeError(f"exercise: {abbreviated(part)} cannot be asked; what can is {', '.join(PARTS)}")
            if not 0 < worth <= MAX_MARKS:
                raise TreeError(
                    f"exercise: {format_number(worth)} marks for {part}; a part is worth more than 0, "
                    f"at most {MAX_MARKS}"
                )
            if part in (WINDOWS, CUTS) and not self.convention.prunes:
                raise TreeError(f"exercise: {self.convention.algorithm} has no {part} to ask for; alphabeta has")
            if part in (WINDOWS, CUTS) and not any(node.player in (MAX, MIN) for node in self.tree):
                raise TreeError(f"exercise: only chance moves in this tree, so there are no {part} to ask for")
        if BEST in self.marks and self.tree.root.player == CHANCE:
            raise TreeError("exercise: chance moves at the root, so there is no best move to ask for")
        if self.depth is not None and self.depth < 1:
            raise TreeError(f"exercise: a search of {self.depth} plies; at least 1")

    # ---- what is searched -------------------------------------------------------------------------------------

    @cached_property
    def id(self) -> str:
        """Twelve letters that stand for this exercise: an answer names them. Titles and names change nothing."""
        told = {name: self.as_json()[name] for name in ("tree", "convention", "depth", "marks")}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def searched_tree(self) -> Tree:
        """The tree as deep as it is searched: what lies at the depth is a leaf, worth its evaluation."""
        return self.tree if self.depth is None else truncate_at_depth(self.tree, self.depth)

    @cached_property
    def rules(self) -> Convention:
        """The convention with every number for MAX: negamax is fail-soft alpha-beta told from the other side."""
        if self.convention.algorithm != NEGAMAX:
            return self.convention
        return replace(self.convention, algorithm=ALPHABETA)

    @cached_property
    def solution(self) -> Trace:
        """The correct search of `searched_tree`, all values for MAX. Raises `TreeError` for a leaf without a value."""
        return Trace(self.searched_tree, self.rules)

    def convert_value(self, node: Node, value: Number) -> Number:
        """A value for MAX as the convention tells it at a node; and the other way round."""
        return -value if self.convention.algorithm == NEGAMAX and node.player == MIN else value

    def convert_window(self, node: Node, window: Window) -> Window:
        """A window for MAX as the convention tells it at a node; and the other way round."""
        flips = self.convention.algorithm == NEGAMAX and node.player == MIN
        return (-window[1], -window[0]) if flips else window

    @property
    def window_kinds(self) -> tuple[str, ...]:
        """What of a node's window is asked for, by the convention's `show`."""
        return {INHERITED: ("entry", "exit"), OWN: ("bound",), INTERVAL: ("interval",)}[self.convention.show]

    @property
    def total(self) -> Number:
        """All marks together."""
        return sum(self.marks.values())

    @property
    def label(self) -> str:
        """What it is called: its title, the student or the variant."""
        who = self.student or ("" if self.variant is None else f"variant {self.variant}")
        return ", ".join(filter(None, (self.title or "Exercise", who)))

    # ---- in words ---------------------------------------------------------------------------------------------

    @cached_property
    def statement(self) -> list[str]:
        """The convention in words, a sentence or two a line: everything that an answer depends on."""
        said = self.convention
        players = {node.player for node in self.searched_tree}
        lines = [_ALGORITHMS[said.algorithm] + " Children are searched from left to right."]
        if CHANCE in players:
            lines.append("At a chance node the value is the mean of the children's values by their probabilities.")
            if said.prunes:
                lines.append("Below a chance node each child is searched with the full window.")
        if self.depth is not None:
            plies = "1 move" if self.depth == 1 else f"{self.depth} moves"
            lines.append(
                f"The search goes {plies} deep; a node at that depth is worth the evaluation that stands at it."
            )
        if said.prunes:
            lines.append(_STRICT if said.cut == STRICT else _EQUAL)
            lines.append(_VARIANTS[said.variant])
        if said.algorithm == NEGAMAX:
            lines.append(
                "Values and windows are written for the side that moves at the node; the leaves' values are for MAX."
            )
        elif MIN in players and MAX in players:
            lines.append("All values are for MAX.")
        if BEST in self.marks or ORDER in self.marks:
            lines.append("Of moves with equal values the first, the leftmost, counts.")
        return lines

    @cached_property
    def questions(self) -> list[tuple[str, str, Number]]:
        """What is asked: the part, the question, its marks."""
        asked = {
            VALUES: "Write the value that each inner node returns; leave nodes blank that are never visited."
            if self.convention.prunes
            else "Write the value of each inner node.",
            WINDOWS: {
                INHERITED: "Write the window (alpha, beta) of each inner node that is visited: on entry, as it is "
                "handed down, and on exit, after its last visited child, the value that cut included.",
                OWN: "Write the bound of each inner node that is visited: the best value that came back from its "
                "children (alpha at MAX, beta at MIN).",
                INTERVAL: "Write for each inner node that is visited what is known of its value in the end, as an "
                "interval: a node where a cut happened keeps an open end.",
            }[self.convention.show],
            CUTS: "Cross out the arcs that are cut off, each at its top: nothing needs to be crossed below.",
            ORDER: "List the nodes in the order in which they are visited, inner nodes and leaves, the root first.",
            BEST: "Which child of the root is the best move?",
        }
        return [(part, asked[part], self.marks[part]) for part in PARTS if part in self.marks]

    # ---- as data ----------------------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """The exercise as plain data, without its solution; `of` reads it."""
        said = self.convention
        told: dict[str, Any] = {
            "schema": SCHEMA,
            "title": self.title,
            "seed": self.seed,
            "variant": self.variant,
            "student": self.student,
            "convention": {"algorithm": said.algorithm, "variant": said.variant, "cut": said.cut, "show": said.show},
            "depth": self.depth,
            "first_of_equals": self.first_of_equals,
            "marks": {part: as_json(self.marks[part]) for part in PARTS if part in self.marks},
            "tree": to_dict(self.tree),
        }
        return told

    def as_json_with_text(self) -> dict[str, Any]:
        """`as_json` with the identifier and the wording: what is written into files."""
        told = self.as_json()
        tree = told.pop("tree")
        asked = [{"part": part, "marks": as_json(marks), "question": text} for part, text, marks in self.questions]
        return told | {"id": self.id, "statement": self.statement, "questions": asked, "tree": tree}

    @classmethod
    def from_json(cls, data: Any) -> Exercise:
        """The exercise that plain data stand for. Raises `TreeError`, which says what is wrong."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            said = data.get("schema") if isinstance(data, Mapping) else None
            raise TreeError(f'exercise: schema {abbreviated(said)}; an exercise has "schema": "{SCHEMA}"')
        given = data.get("convention")
        if not isinstance(given, Mapping) or not all(isinstance(word, str) for word in given.values()):
            raise TreeError("exercise: convention: its words by algorithm, variant, cut and show")
        marks = data.get("marks")
        if not isinstance(marks, Mapping):
            raise TreeError(f"exercise: marks: the parts asked, of {', '.join(PARTS)}, each with its marks")
        if not isinstance(data.get("tree"), Mapping):
            raise TreeError("exercise: tree: the tree, nodes within nodes")
        exercise = cls(
            tree=read(data["tree"]),
            convention=Convention.of(" ".join(given.values())),
            marks={str(part): to_number(worth) for part, worth in marks.items()},
            depth=_whole(data, "depth"),
            title=_text(data, "title"),
            seed=_whole(data, "seed"),
            variant=_whole(data, "variant"),
            student=_text(data, "student"),
            first_of_equals=data.get("first_of_equals") is True,
        )
        if data.get("id") not in (None, exercise.id):
            raise TreeError(
                f"exercise {abbreviated(data['id'])}: changed since it was set (its id is now {exercise.id}); "
                "set it anew, or take out its id"
            )
        return exercise


_ALGORITHMS = {
    "alphabeta": "Search the tree with alpha-beta pruning.",
    "minimax": "Search the whole tree with minimax.",
    "expectiminimax": "Search the whole tree with expectiminimax.",
    "negamax": "Search the tree with negamax and alpha-beta pruning.",
}
_EQUAL = "The remaining children of a node are cut off as soon as alpha >= beta: a value that equals the bound cuts."
_STRICT = (
    "The remaining children of a node are cut off as soon as alpha > beta: a value that equals the bound does not."
)
_VARIANTS = {
    FAIL_SOFT: "A node returns the best value that it has found, also where that lies outside its window (fail-soft).",
    FAIL_HARD: "A node returns a value within the window it was given: alpha where it has found less, beta where it "
    "has found more (fail-hard). A leaf is worth what it is worth.",
    PATH: "A node with nothing better than what its mover already has returns that bound (alpha at MAX, beta at MIN), "
    "else the best value that it has found (Poole and Mackworth).",
}


def truncate_at_depth(tree: Tree, depth: int) -> Tree:
    """The tree to a depth; inner nodes there become leaves, worth their evaluation. Raises `TreeError` without one."""
    draft, places = TreeBuilder(), {-1: -1}
    for node in tree:
        if node.depth > depth:
            continue
        at_end = node.depth == depth and not node.is_leaf
        if at_end and node.evaluation is None:
            raise TreeError(f"exercise: the search ends at node {node.id!r}, which has no evaluation; give it one")
        places[node.index] = draft.add(
            places[node.parent],
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
    """The window of a node as the exercise asks for it: on `entry`, on `exit`, its own `bound`, or the `interval`."""
    picture = right.records[node.index]
    is_cut = any(cut.node == node.index for cut in right.cuts)
    return window_of_kind(kind, node, picture.entry, picture.exit or picture.entry, picture.own, is_cut=is_cut)


def window_of_kind(
    kind: str, node: Node, entry: Window | None, exit: Window | None, own: Number | None, *, is_cut: bool
) -> Window | None:
    """As `solution_window`, from what is known of the node. A `bound` is told as a window of that one number."""
    if node.player not in (MAX, MIN):
        return None
    if kind in ("entry", "exit"):
        return entry if kind == "entry" else exit
    if own is None:
        return None
    if kind == "bound" or not is_cut:
        return own, own
    return (own, float("inf")) if node.player == MAX else (float("-inf"), own)


def allocate_marks(asked: Sequence[str], said: Mapping[str, Number]) -> dict[str, Number]:
    """The parts asked with their marks, the usual ones where nothing is said. Raises `TreeError` for other parts."""
    for part in (*asked, *said):
        if part not in PARTS:
            raise TreeError(f"exercise: {abbreviated(part)} cannot be asked; what can is {', '.join(PARTS)}")
    for part in said:
        if part not in asked:
            raise TreeError(f"exercise: marks for {part}, which is not asked; asked is {', '.join(asked)}")
    return {part: said.get(part, DEFAULT_MARKS[part]) for part in PARTS if part in asked}


def format_marks(marks: Number) -> str:
    """Marks as people read them: to two decimals, none where they are whole."""
    return f"{float(round(Fraction(marks), 2)):.2f}".rstrip("0").rstrip(".")


def _whole(data: Mapping[str, Any], key: str) -> int | None:
    said = data.get(key)
    if said is None:
        return None
    if type(said) is not int or not 0 <= said < 1 << 128:
        raise TreeError(f"exercise: {key}: a whole number from 0 up or null, not {abbreviated(said)}")
    return said


def _text(data: Mapping[str, Any], key: str) -> str:
    said = data.get(key)
    if said is None:
        return ""
    if not isinstance(said, str) or len(said) > 200:
        raise TreeError(f"exercise: {key}: a text of at most 200 characters, not {abbreviated(said)}")
    return said
