"""Answers: what a student wrote, read from a file that nobody vouches for; the right answer; and the empty form.

    {"schema": "zermelo-answer/1", "exercise": "3f0c...", "student": "Ada",
     "values": {"A": 3, "B": 3, "C": null}, "windows": {"B": {"entry": ["-inf", "+inf"], "exit": ["-inf", 3]}},
     "cuts": ["c2", "c3"], "order": ["A", "B", "b1"], "best": "B"}

What is null, or left out, is not answered. Numbers are JSON numbers or texts: 3, "7/3", "-inf", "∞".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, PARTS, VALUES, WINDOWS, Exercise, solution_window
from zermelo.teaching.exercises.input_limits import abbreviated, parse_json, read_limited
from zermelo.teaching.tree.node import Node
from zermelo.teaching.tree.numbers import Number, as_json, to_bound, to_number
from zermelo.teaching.tree.trace import Trace, Window

SCHEMA = "zermelo-answer/1"

#: The longest file, in bytes; the deepest brackets in it; the longest name of a student.
LONGEST, DEEPEST, LONGEST_NAME = 64 * 1024, 6, 200
#: Remarks on entries that cannot be read: more of them help nobody.
MOST_REMARKS = 20

#: A window that is asked for: the node's index, and which of its windows.
Place = tuple[int, str]


@dataclass
class Answer:
    """What was written, by indices of the exercise's `searched` tree and with every number for MAX.

    A part is None if it was not answered. Nodes below the depth of the search, and entries that could not be read, are
    left out; `remarks` tells of them.
    """

    values: dict[int, Number] | None = None
    windows: dict[Place, Window] | None = None
    cuts: frozenset[int] | None = None
    #: -1 stands for a node that is not in the searched tree.
    order: tuple[int, ...] | None = None
    best: int | None = None
    student: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.values or self.windows or self.order) and self.cuts is None and self.best is None


def correct_answer(exercise: Exercise) -> Answer:
    """The right answer to all that is asked."""
    return answer_from_trace(exercise, exercise.solution)


def answer_from_trace(exercise: Exercise, trace: Trace) -> Answer:
    """What a search of the exercise's tree answers to all that is asked."""
    nodes = trace.tree.nodes
    inner = [node for node in trace.visited if node.player is not None]
    answer = Answer()
    if VALUES in exercise.marks:
        answer.values = {}
        for node in inner:
            returned = trace.records[node.index].returned
            if returned is not None:
                answer.values[node.index] = returned
    if WINDOWS in exercise.marks:
        told = {
            (node.index, kind): solution_window(trace, node, kind) for node in inner for kind in exercise.window_kinds
        }
        answer.windows = {place: window for place, window in told.items() if window is not None}
    if CUTS in exercise.marks:
        answer.cuts = frozenset(node.index for node in trace.pruned)
    if ORDER in exercise.marks:
        answer.order = tuple(node.index for node in trace.visited)
    if BEST in exercise.marks and nodes[0].player != CHANCE:
        answer.best = trace.best
    return answer


# ---- written ----------------------------------------------------------------------------------------------------


def template(exercise: Exercise) -> dict[str, Any]:
    """The empty form for an answer: every inner node, also those never visited, so that it gives nothing away."""
    inner = [node for node in exercise.searched_tree if not node.is_leaf]
    told: dict[str, Any] = {"schema": SCHEMA, "exercise": exercise.id, "student": exercise.student}
    if VALUES in exercise.marks:
        told[VALUES] = {node.id: None for node in inner}
    if WINDOWS in exercise.marks:
        kinds = exercise.window_kinds
        told[WINDOWS] = {node.id: dict.fromkeys(kinds) for node in inner if node.player != CHANCE}
    return told | {part: None for part in (CUTS, ORDER, BEST) if part in exercise.marks}


def as_data(exercise: Exercise, answer: Answer) -> dict[str, Any]:
    """An answer as a student would hand it in."""
    nodes = exercise.searched_tree.nodes
    told = template(exercise) | {"student": answer.student or exercise.student}
    for index, value in (answer.values or {}).items():
        told[VALUES][nodes[index].id] = as_json(exercise.convert_value(nodes[index], value))
    for (index, kind), window in (answer.windows or {}).items():
        told[WINDOWS][nodes[index].id][kind] = window_as_json(exercise, nodes[index], kind, window)
    if answer.cuts is not None:
        told[CUTS] = [nodes[index].id for index in sorted(answer.cuts)]
    if answer.order is not None:
        told[ORDER] = [nodes[index].id for index in answer.order]
    if answer.best is not None:
        told[BEST] = nodes[answer.best].id
    return told


def window_as_json(exercise: Exercise, node: Node, kind: str, window: Window) -> Any:
    """A window as it is written: two numbers, of a `bound` the one."""
    if kind == "bound":
        bound = window[0]
        return as_json(bound if isinstance(bound, float) else exercise.convert_value(node, bound))
    return [as_json(end) for end in exercise.convert_window(node, window)]


# ---- read -------------------------------------------------------------------------------------------------------


def load(path: Path) -> dict[str, Any]:
    """The data of an answer's file. Raises `TreeError` for one too large or too deep, and for what is no answer."""
    data = parse_json(read_limited(path, LONGEST), DEEPEST)
    if not isinstance(data, dict):
        raise TreeError(f"no answer: {abbreviated(data)}; an answer is a mapping with the key schema: {SCHEMA}")
    if data.get("schema") != SCHEMA:
        raise TreeError(f"no answer: schema {abbreviated(data.get('schema'))}; an answer has the schema {SCHEMA}")
    if not isinstance(data.get("exercise"), str):
        raise TreeError(f"exercise: the id of the exercise that is answered, not {abbreviated(data.get('exercise'))}")
    return data


def student_name(data: Mapping[str, Any]) -> str:
    """The name that an answer gives, "" if none that can be shown."""
    said = data.get("student")
    if isinstance(said, int) and not isinstance(said, bool):
        said = str(said)
    if not isinstance(said, str) or len(said) > LONGEST_NAME or not said.isprintable():
        return ""
    return said.strip()


def parse_answer(exercise: Exercise, data: Mapping[str, Any]) -> Answer:
    """The answer that data stand for. What cannot be read is left out and told in `remarks`.

    Raises `TreeError` where a whole part has another shape than it must have.
    """
    return _Reader(exercise).answer(data)


class _Reader:
    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        if len(self.remarks) < MOST_REMARKS:
            self.remarks.append(text)
        elif len(self.remarks) == MOST_REMARKS:
            self.remarks.append("... and more of the kind")

    def answer(self, data: Mapping[str, Any]) -> Answer:
        answer = Answer(student=student_name(data), remarks=self.remarks)
        for key in data:
            if key not in ("schema", "exercise", "student", *PARTS):
                self.remark(f"the key {abbreviated(key)} has no meaning in an answer")
        for part in PARTS:
            said = data.get(part)
            if said is None:
                continue
            if part not in self.exercise.marks:
                self.remark(f"{part}: not asked")
                continue
            setattr(answer, part, getattr(self, part)(said))
        return answer

    # ---- the parts

    def values(self, said: Any) -> dict[int, Number] | None:
        if not isinstance(said, dict):
            raise TreeError(f'values: the inner nodes with their values, {{"A": 3}}, not {abbreviated(said)}')
        values: dict[int, Number] = {}
        for id, written in said.items():
            node = None if _is_blank(written) else self.inner(VALUES, id)
            if node is None:
                continue
            value = self.read(to_number, written, f"values, {id}")
            if value is not None:
                values[node.index] = self.exercise.convert_value(node, value)
        return values or None

    def windows(self, said: Any) -> dict[Place, Window] | None:
        kinds = self.exercise.window_kinds
        if not isinstance(said, dict):
            raise TreeError(f"windows: the inner nodes, each with {' and '.join(kinds)}, not {abbreviated(said)}")
        windows: dict[Place, Window] = {}
        for id, written in said.items():
            node = None if written is None else self.inner(WINDOWS, id)
            if node is None or node.player == CHANCE:
                continue
            if not isinstance(written, dict):
                self.remark(
                    f"windows, {abbreviated(id)}: a mapping with {' and '.join(kinds)}, not {abbreviated(written)}"
                )
                continue
            for kind, ends in written.items():
                if kind not in kinds:
                    self.remark(
                        f"windows, {abbreviated(id)}: unknown window {abbreviated(kind)}; use {' and '.join(kinds)}"
                    )
                elif not _is_blank(ends):
                    window = self.window(node, kind, ends)
                    if window is not None:
                        windows[node.index, kind] = window
        return windows or None

    def window(self, node: Node, kind: str, ends: Any) -> Window | None:
        where = f"windows, {node.id}, {kind}"
        if kind == "bound" or (kind == "interval" and not isinstance(ends, list)):
            bound = self.read(to_bound, ends, where)
            if bound is None or isinstance(bound, float):
                return None if bound is None else (bound, bound)
            told = self.exercise.convert_value(node, bound)
            return told, told
        if not isinstance(ends, list) or len(ends) != 2:
            self.remark(f"{where}: two numbers, [alpha, beta], not {abbreviated(ends)}")
            return None
        low, high = (self.read(to_bound, end, where) for end in ends)
        return None if low is None or high is None else self.exercise.convert_window(node, (low, high))

    def cuts(self, said: Any) -> frozenset[int] | None:
        indices = self.nodes(CUTS, said, "the nodes whose arcs are crossed out")
        if 0 in indices:
            self.remark("cuts: no arc leads to the root")
        return frozenset(index for index in indices if index > 0)

    def order(self, said: Any) -> tuple[int, ...] | None:
        indices = self.nodes(ORDER, said, "the nodes in the order of their visit")
        return tuple(indices) or None

    def best(self, said: Any) -> int | None:
        if _is_blank(said):
            return None
        if not isinstance(said, str):
            raise TreeError(f"best: the name of a child of the root, not {abbreviated(said)}")
        for child in self.tree.root.children:
            node = self.tree.nodes[child]
            if said in (node.id, node.move):
                return child
        ids = ", ".join(self.tree.nodes[child].id for child in self.tree.root.children)
        self.remark(f"best: {abbreviated(said)} is no child of the root; those are {abbreviated(ids)}")
        return None

    # ---- their pieces

    def nodes(self, part: str, said: Any, what: str) -> list[int]:
        if not isinstance(said, list):
            raise TreeError(f'{part}: a list of {what}, ["B", "C"], not {abbreviated(said)}')
        indices: list[int] = []
        for id in said:
            if not isinstance(id, str):
                self.remark(f"{part}: {abbreviated(id)} is no node's name")
            elif id in self.tree:
                indices.append(self.tree[id].index)
            elif part == ORDER:
                indices.append(-1)
                self.remark(f"{part}: {self.stranger(id)}")
            else:
                self.remark(f"{part}: {self.stranger(id)}")
        return indices

    def inner(self, part: str, id: Any) -> Node | None:
        if id not in self.tree:
            self.remark(f"{part}: {self.stranger(id)}")
            return None
        node = self.tree[id]
        return None if node.is_leaf else node

    def stranger(self, id: str) -> str:
        if id in self.exercise.tree:
            return f"node {abbreviated(id)} lies deeper than the search goes"
        return f"the tree has no node {abbreviated(id)}"

    def read(self, convert: Callable[[Any], Any], said: Any, where: str) -> Any:
        """A number or a bound, None if it is none."""
        try:
            return convert(said)
        except (TreeError, OverflowError) as error:
            self.remark(f"{abbreviated(where)[1:-1]}: {error}")
            return None


def _is_blank(said: object) -> bool:
    """Whether this is how one writes nothing: null, or a dash."""
    return said is None or (isinstance(said, str) and said.strip() in ("", "-", "–", "—"))


def longest_common_subsequence(written: tuple[int, ...], order: tuple[int, ...]) -> int:
    """How many of the written ones stand in the right order: the longest common subsequence.

    `order` names each node once, so that is a longest rising run of places, found as in patience sorting.
    """
    places = {index: place for place, index in enumerate(order)}
    ends: list[int] = []
    for index in written:
        place = places.get(index)
        if place is None:
            continue
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)
