"""Answers: reading what a student handed in, the correct answer, and the empty answer form.

    {"schema": "zermelo-answer/1", "exercise": "3f0c...", "student": "Ada",
     "values": {"A": 3, "B": 3, "C": null}, "windows": {"B": {"entry": ["-inf", "+inf"], "exit": ["-inf", 3]}},
     "cuts": ["c2", "c3"], "order": ["A", "B", "b1"], "best": "B"}

Keys that are null or missing are not answered. Numbers are JSON numbers or strings: 3, "7/3", "-inf", "∞".
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

#: Limits on answer files: size in bytes, nesting of brackets, length of a student's name.
MAX_BYTES, MAX_NESTING, MAX_NAME = 64 * 1024, 6, 200
#: Maximum number of remarks on entries that cannot be read.
MAX_REMARKS = 20

#: The index of a node and the kind of window: entry, exit, bound or interval.
WindowKey = tuple[int, str]


@dataclass
class Answer:
    """A student's answer, with node indices of the exercise's `searched_tree` and all values for MAX.

    Attributes
    ----------
    values : dict of int to number, or None
        The value of each inner node.
    windows : dict of (int, str) to (alpha, beta), or None
        The windows of each node, by index and kind.
    cuts : frozenset of int, or None
        The nodes whose arcs are crossed out.
    order : tuple of int, or None
        The visited nodes in order; -1 for a node that is not in the searched tree.
    best : int or None
        The child of the root that is the best move.
    student : str
        The student's name.
    remarks : list of str
        Entries that could not be read. They are left out of the other attributes.

    Notes
    -----
    A part that was not answered is None.
    """

    values: dict[int, Number] | None = None
    windows: dict[WindowKey, Window] | None = None
    cuts: frozenset[int] | None = None
    order: tuple[int, ...] | None = None
    best: int | None = None
    student: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether no part is answered."""
        return not (self.values or self.windows or self.order) and self.cuts is None and self.best is None


def correct_answer(exercise: Exercise) -> Answer:
    """Return the correct answer to all parts of an exercise.

    Raises
    ------
    TreeError
        If the search reads a leaf without a value.
    """
    return answer_from_trace(exercise, exercise.solution)


def answer_from_trace(exercise: Exercise, trace: Trace) -> Answer:
    """The answer that corresponds to a search of the exercise's tree."""
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
        windows = {
            (node.index, kind): solution_window(trace, node, kind) for node in inner for kind in exercise.window_kinds
        }
        answer.windows = {key: window for key, window in windows.items() if window is not None}
    if CUTS in exercise.marks:
        answer.cuts = frozenset(node.index for node in trace.pruned)
    if ORDER in exercise.marks:
        answer.order = tuple(node.index for node in trace.visited)
    if BEST in exercise.marks and nodes[0].player != CHANCE:
        answer.best = trace.best
    return answer


# ---- writing ----------------------------------------------------------------------------------------------------


def answer_template(exercise: Exercise) -> dict[str, Any]:
    """The empty answer form as plain data. It lists all inner nodes, so it does not reveal which are visited."""
    inner = [node for node in exercise.searched_tree if not node.is_leaf]
    form: dict[str, Any] = {"schema": SCHEMA, "exercise": exercise.id, "student": exercise.student}
    if VALUES in exercise.marks:
        form[VALUES] = {node.id: None for node in inner}
    if WINDOWS in exercise.marks:
        kinds = exercise.window_kinds
        form[WINDOWS] = {node.id: dict.fromkeys(kinds) for node in inner if node.player != CHANCE}
    return form | {part: None for part in (CUTS, ORDER, BEST) if part in exercise.marks}


def answer_as_json(exercise: Exercise, answer: Answer) -> dict[str, Any]:
    """An answer as plain data, in the format of an answer file."""
    nodes = exercise.searched_tree.nodes
    data = answer_template(exercise) | {"student": answer.student or exercise.student}
    for index, value in (answer.values or {}).items():
        data[VALUES][nodes[index].id] = as_json(exercise.convert_value(nodes[index], value))
    for (index, kind), window in (answer.windows or {}).items():
        data[WINDOWS][nodes[index].id][kind] = window_as_json(exercise, nodes[index], kind, window)
    if answer.cuts is not None:
        data[CUTS] = [nodes[index].id for index in sorted(answer.cuts)]
    if answer.order is not None:
        data[ORDER] = [nodes[index].id for index in answer.order]
    if answer.best is not None:
        data[BEST] = nodes[answer.best].id
    return data


def window_as_json(exercise: Exercise, node: Node, kind: str, window: Window) -> Any:
    """A window as a list of two numbers, or as one number if it is a bound."""
    if kind == "bound":
        bound = window[0]
        return as_json(bound if isinstance(bound, float) else exercise.convert_value(node, bound))
    return [as_json(end) for end in exercise.convert_window(node, window)]


# ---- reading ----------------------------------------------------------------------------------------------------


def load_answer(path: Path) -> dict[str, Any]:
    """Read an answer file and check its schema.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If it is too large, nested too deeply, or not an answer.
    """
    data = parse_json(read_limited(path, MAX_BYTES), MAX_NESTING)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = abbreviated(data.get("schema") if isinstance(data, dict) else data)
        raise TreeError(f'not an answer: expected an object with "schema": "{SCHEMA}", found {found}')
    if not isinstance(data.get("exercise"), str):
        raise TreeError(f"exercise must be the id of an exercise (got {abbreviated(data.get('exercise'))})")
    return data


def student_name(data: Mapping[str, Any]) -> str:
    """The student's name in an answer, "" if it is missing, too long or not printable."""
    name = data.get("student")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or len(name) > MAX_NAME or not name.isprintable():
        return ""
    return name.strip()


def parse_answer(exercise: Exercise, data: Mapping[str, Any]) -> Answer:
    """Read an answer to an exercise from plain data.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.
    data : mapping
        The JSON object of an answer. Entries that cannot be read are left out and listed in `Answer.remarks`.

    Returns
    -------
    Answer
        The answer, by node index and with all values for MAX.

    Raises
    ------
    TreeError
        If a whole part has the wrong type.
    """
    return _Reader(exercise).answer(data)


class _Reader:
    """Reads the parts of one answer and collects remarks on unreadable entries."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        if len(self.remarks) < MAX_REMARKS:
            self.remarks.append(text)
        elif len(self.remarks) == MAX_REMARKS:
            self.remarks.append("... and more entries that cannot be read")

    def answer(self, data: Mapping[str, Any]) -> Answer:
        answer = Answer(student=student_name(data), remarks=self.remarks)
        for key in data:
            if key not in ("schema", "exercise", "student", *PARTS):
                self.remark(f"unknown key {abbreviated(key)}")
        for part in PARTS:
            written = data.get(part)
            if written is None:
                continue
            if part not in self.exercise.marks:
                self.remark(f"{part}: not asked for")
                continue
            setattr(answer, part, getattr(self, part)(written))
        return answer

    # ---- parts; each is called by its name

    def values(self, written: Any) -> dict[int, Number] | None:
        if not isinstance(written, dict):
            raise TreeError(f'values must map inner nodes to values, {{"A": 3}} (got {abbreviated(written)})')
        values: dict[int, Number] = {}
        for id, entry in written.items():
            node = None if _is_blank(entry) else self.inner_node(VALUES, id)
            if node is None:
                continue
            value = self.convert(to_number, entry, f"values, {id}")
            if value is not None:
                values[node.index] = self.exercise.convert_value(node, value)
        return values or None

    def windows(self, written: Any) -> dict[WindowKey, Window] | None:
        kinds = " and ".join(self.exercise.window_kinds)
        if not isinstance(written, dict):
            raise TreeError(f"windows must map inner nodes to objects with {kinds} (got {abbreviated(written)})")
        windows: dict[WindowKey, Window] = {}
        for id, entry in written.items():
            node = None if entry is None else self.inner_node(WINDOWS, id)
            if node is None or node.player == CHANCE:
                continue
            where = f"windows, {abbreviated(id)}"
            if not isinstance(entry, dict):
                self.remark(f"{where}: expected an object with {kinds}, found {abbreviated(entry)}")
                continue
            for kind, ends in entry.items():
                if kind not in self.exercise.window_kinds:
                    self.remark(f"{where}: unknown key {abbreviated(kind)}; expected {kinds}")
                elif not _is_blank(ends):
                    window = self.window(node, kind, ends)
                    if window is not None:
                        windows[node.index, kind] = window
        return windows or None

    def window(self, node: Node, kind: str, ends: Any) -> Window | None:
        where = f"windows, {node.id}, {kind}"
        if kind == "bound" or (kind == "interval" and not isinstance(ends, list)):
            bound = self.convert(to_bound, ends, where)
            if bound is None or isinstance(bound, float):
                return None if bound is None else (bound, bound)
            value = self.exercise.convert_value(node, bound)
            return value, value
        if not isinstance(ends, list) or len(ends) != 2:
            self.remark(f"{where}: expected two numbers, [alpha, beta], found {abbreviated(ends)}")
            return None
        low, high = (self.convert(to_bound, end, where) for end in ends)
        return None if low is None or high is None else self.exercise.convert_window(node, (low, high))

    def cuts(self, written: Any) -> frozenset[int] | None:
        indices = self.node_list(CUTS, written)
        if 0 in indices:
            self.remark("cuts: the root has no incoming arc")
        return frozenset(index for index in indices if index > 0)

    def order(self, written: Any) -> tuple[int, ...] | None:
        return tuple(self.node_list(ORDER, written)) or None

    def best(self, written: Any) -> int | None:
        if _is_blank(written):
            return None
        if not isinstance(written, str):
            raise TreeError(f"best must be the name of a child of the root (got {abbreviated(written)})")
        children = [self.tree.nodes[child] for child in self.tree.root.children]
        for node in children:
            if written in (node.id, node.move):
                return node.index
        ids = ", ".join(node.id for node in children)
        self.remark(f"best: {abbreviated(written)} is not a child of the root; the children are {abbreviated(ids)}")
        return None

    # ---- entries

    def node_list(self, part: str, written: Any) -> list[int]:
        """The indices of a list of nodes. In an order, an unknown node still takes a place, as -1."""
        if not isinstance(written, list):
            raise TreeError(f'{part} must be a list of nodes, ["B", "C"] (got {abbreviated(written)})')
        indices: list[int] = []
        for id in written:
            if not isinstance(id, str):
                self.remark(f"{part}: {abbreviated(id)} is not the name of a node")
            elif id in self.tree:
                indices.append(self.tree[id].index)
            else:
                if part == ORDER:
                    indices.append(-1)
                self.remark(f"{part}: {self.unknown_node(id)}")
        return indices

    def inner_node(self, part: str, id: Any) -> Node | None:
        if id not in self.tree:
            self.remark(f"{part}: {self.unknown_node(id)}")
            return None
        node = self.tree[id]
        return None if node.is_leaf else node

    def unknown_node(self, id: str) -> str:
        if id in self.exercise.tree:
            return f"node {abbreviated(id)} is below the search depth"
        return f"unknown node {abbreviated(id)}"

    def convert(self, converter: Callable[[Any], Any], entry: Any, where: str) -> Any:
        """Convert an entry to a number or bound; add a remark and return None if that fails."""
        try:
            return converter(entry)
        except (TreeError, OverflowError) as error:
            self.remark(f"{abbreviated(where)[1:-1]}: {error}")
            return None


def _is_blank(entry: object) -> bool:
    """Whether an entry is left blank: null, an empty string or a dash."""
    return entry is None or (isinstance(entry, str) and entry.strip() in ("", "-", "–", "—"))


def longest_common_subsequence(written: tuple[int, ...], order: tuple[int, ...]) -> int:
    """Length of the longest common subsequence of `written` and `order`, where `order` has no repetitions.

    Since `order` has no repetitions, this is a longest increasing subsequence, found by patience sorting in
    O(n log n).
    """
    positions = {index: position for position, index in enumerate(order)}
    tails: list[int] = []
    for index in written:
        position = positions.get(index)
        if position is None:
            continue
        at = bisect_left(tails, position)
        tails[at : at + 1] = [position]
    return len(tails)
