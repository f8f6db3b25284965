"""Answers: reading what a student handed in, the correct answer, and the empty answer form.

    {"schema": "zermelo-answer/1", "exercise": "3f0c...", "student": "Ada",
     "values": {"A": 3, "B": 3, "C": null}, "windows": {"B": {"entry": ["-inf", "+inf"], "exit": ["-inf", 3]}},
     "cuts": ["c2", "c3"], "order": ["A", "B", "b1"], "best": "B"}

Keys that are null or missing are not answered. Parts may also be written as text: "A=3, B=3", "c2 c3", "A-B-b1".
`answer_notation` reads numbers, windows and names, `answer_files` reads files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.teaching.exercises.answer_notation import (
    is_blank,
    normalized,
    read_bound,
    read_interval,
    read_number,
    read_window,
)
from zermelo.teaching.exercises.exercise import (
    BEST,
    CUTS,
    ORDER,
    PARTS,
    VALUES,
    WINDOWS,
    Exercise,
    ExerciseBase,
    solution_window,
)
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.tree.node import Node
from zermelo.teaching.tree.numbers import Number, as_json
from zermelo.teaching.tree.trace import Trace, Window

SCHEMA = "zermelo-answer/1"

#: Maximum length of a student's name.
MAX_NAME = 200
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


@singledispatch
def answer_template(exercise: ExerciseBase) -> dict[str, Any]:
    """The empty answer form as plain data. Each kind of exercise registers its own."""
    raise NotImplementedError


@answer_template.register
def _(exercise: Exercise) -> dict[str, Any]:
    # The form lists all inner nodes, so it does not reveal which are visited.
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

#: Other names of the keys, in lower case.
SYNONYMS: Mapping[str, str] = {
    "value": VALUES, "window": WINDOWS, "cut": CUTS, "pruned": CUTS, "pruned arcs": CUTS, "visits": ORDER,
    "order of visits": ORDER, "visit order": ORDER, "best move": BEST, "move": BEST, "name": "student",
}  # fmt: skip
#: What the parts with entries for nodes look like, for messages.
EXAMPLES = {VALUES: "A=3", WINDOWS: "A: entry [-inf, 3] exit [2, 3]"}
#: Texts that say that no arc is crossed out.
_NOTHING = ("none", "nothing", "no cuts", "no arcs", "nothing is pruned", "∅", "[]", "{}", "()")
_NUMBERING = re.compile(r"\d+[.)]")


@dataclass(frozen=True)
class Conflict:
    """Two different entries where one is expected. Neither counts."""

    first: Any
    second: Any

    def __repr__(self) -> str:
        return "two different entries"


def conflicting(first: Any, second: Any) -> Any:
    """The entry of a key that a file contains twice."""
    return first if first == second else Conflict(first, second)


def part_name(key: str) -> str:
    """The key of an answer that a key or heading stands for: lower case, without synonyms."""
    name = " ".join(key.replace("_", " ").casefold().split())
    return SYNONYMS.get(name, name)


def student_name(data: Mapping[str, Any]) -> str:
    """The student's name in an answer, "" if it is missing, too long or not printable."""
    name = next((entry for key, entry in data.items() if part_name(key) == "student"), None)
    if isinstance(name, int) and not isinstance(name, bool) and abs(name) < 10**30:
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
        The content of an answer file. Parts may be lists, mappings or texts; `answer_notation` describes the notation
        of numbers, windows and nodes. What cannot be read is left out and listed in `Answer.remarks`.

    Returns
    -------
    Answer
        The answer, by node index and with all values for MAX.
    """
    return _Reader(exercise).answer(data)


class _Reader:
    """Reads the parts of one answer and collects remarks on unreadable entries."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.names = exercise.names
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        if len(self.remarks) < MAX_REMARKS:
            self.remarks.append(text)
        elif len(self.remarks) == MAX_REMARKS:
            self.remarks.append("... and more entries that cannot be read")

    def answer(self, data: Mapping[str, Any]) -> Answer:
        answer = Answer(student=student_name(data), remarks=self.remarks)
        parts: dict[str, Any] = {}
        for key, written in data.items():
            name = part_name(key)
            if name in PARTS:
                self.put(parts, name, written, name)
            elif name not in ("schema", "exercise", "student"):
                self.remark(f"unknown key {abbreviated(key)}")
        for part in PARTS:
            written = parts.get(part)
            if written is None or isinstance(written, Conflict):
                continue
            if part not in self.exercise.marks:
                self.remark(f"{part}: not asked for")
                continue
            try:
                setattr(answer, part, getattr(self, part)(written))
            except TreeError as error:
                self.remark(f"{part}: {error}")
        return answer

    # ---- parts; each is called by its name

    def values(self, written: Any) -> dict[int, Number] | None:
        values: dict[int, Number] = {}
        for name, entry in self.node_entries(VALUES, written, (VALUES,)):
            node = self.inner_node(VALUES, name)
            if node is None:
                continue
            where = f"values, {node.id}"
            for each in dict.fromkeys(text for _, text in entry) if isinstance(entry, tuple) else [entry]:
                value = None if is_blank(each) else self.convert(read_number, each, where)
                if value is not None:
                    self.put(values, node.index, self.exercise.convert_value(node, value), where)
        return _without_conflicts(values)

    def windows(self, written: Any) -> dict[WindowKey, Window] | None:
        kinds = self.exercise.window_kinds
        windows: dict[WindowKey, Window] = {}
        for name, entry in self.node_entries(WINDOWS, written, kinds):
            node = self.inner_node(WINDOWS, name)
            if node is None or node.player == CHANCE or is_blank(entry) or entry == (("", ""),):
                continue
            for kind, ends in self.window_entries(f"windows, {node.id}", entry):
                where = f"windows, {node.id}, {kind}"
                window = None if is_blank(ends) else self.window(node, kind, ends, where)
                if window is not None:
                    self.put(windows, (node.index, kind), window, where)
        return _without_conflicts(windows)

    def window_entries(self, where: str, entry: Any) -> Iterator[tuple[str, Any]]:
        """The (kind, entry) of the windows of a node. Windows without a kind are all of them, in order."""
        kinds = self.exercise.window_kinds
        expected = f"{where}: expected an object with {' and '.join(kinds)}, found {abbreviated(entry)}"
        if isinstance(entry, dict) and (len(kinds) > 1 or any(key.casefold() in kinds for key in entry)):
            for key, ends in entry.items():
                if (kind := key.strip().casefold()) in kinds:
                    yield kind, ends
                else:
                    self.remark(f"{where}: unknown key {abbreviated(key)}; expected {' and '.join(kinds)}")
            return
        if len(kinds) == 1 and not isinstance(entry, tuple):
            entry = ((kinds[0], entry),)
        elif isinstance(entry, str):
            found = [(name, kind, ends) for name, kind, ends in self.names.entries(entry, kinds, name="-")]
            entry = tuple((kind, ends) if name == "-" else ("", name) for name, kind, ends in found)
        elif isinstance(entry, list) and all(map(_is_window, entry)):
            entry = tuple(("", ends) for ends in entry)
        without = [ends for kind, ends in entry if not kind] if isinstance(entry, tuple) else []
        if not isinstance(entry, tuple) or len(without) not in (0, len(kinds)):
            self.remark(expected)
            return
        yield from ((kind, ends) for kind, ends in entry if kind)
        yield from zip(kinds, without, strict=False)

    def window(self, node: Node, kind: str, ends: Any, where: str) -> Window | None:
        if kind == "bound":
            bound = self.convert(read_bound, ends, where)
            if bound is None or isinstance(bound, float):
                return None if bound is None else (bound, bound)
            value = self.exercise.convert_value(node, bound)
            return value, value
        window = self.convert(read_interval if kind == "interval" else read_window, ends, where)
        return None if window is None else self.exercise.convert_window(node, window)

    def cuts(self, written: Any) -> frozenset[int] | None:
        if isinstance(written, str) and normalized(written).casefold() in _NOTHING:
            return frozenset()
        if is_blank(written):
            return None
        indices = set()
        for name in self.node_list(CUTS, written):
            node = self.convert(self.names.find, name, CUTS)
            if node is not None and node.index == 0:
                self.remark("cuts: the root has no incoming arc")
            elif node is not None:
                indices.add(node.index)
        return frozenset(indices)

    def order(self, written: Any) -> tuple[int, ...] | None:
        """The visits. A name that is not a node of the tree still takes a place, as -1."""
        indices: list[int] = []
        for name in [] if is_blank(written) else self.node_list(ORDER, written):
            if isinstance(name, str) and not _NUMBERING.fullmatch(name):
                nodes = self.convert(self.names.chain, name, ORDER)
                indices += [-1] if nodes is None else [node.index for node in nodes]
            elif not isinstance(name, str) and (node := self.convert(self.names.find, name, ORDER)) is not None:
                indices.append(node.index)
        return tuple(indices) or None

    def best(self, written: Any) -> int | None:
        if is_blank(written):
            return None
        root = self.exercise.searched_tree.root
        node = self.convert(lambda entry: self.names.child(root, entry), written, BEST)
        return None if node is None else node.index

    # ---- entries

    def node_entries(self, part: str, written: Any, kinds: Sequence[str]) -> Iterator[tuple[Any, Any]]:
        """The (name, entry) of a part with entries for nodes: a mapping, a text, or a list of pairs and texts.

        The entry of a name in a text is a tuple of (kind, entry).
        """
        if isinstance(written, dict):
            for name, entry in written.items():
                if isinstance(entry, Conflict):
                    self.remark(f"{part}, {abbreviated(name)[1:-1]}: two different entries; write one")
                else:
                    yield name, entry
        elif isinstance(written, str):
            grouped: dict[str, list[tuple[str, str]]] = {}
            for name, kind, entry in self.names.entries(written, kinds):
                grouped.setdefault(name, []).append((kind, entry))
            for name, entries in grouped.items():
                yield name, tuple(entries)
        elif isinstance(written, list):
            for item in written:
                if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
                    yield item[0], item[1]
                elif isinstance(item, (dict, str)):
                    yield from self.node_entries(part, item, kinds)
                else:
                    self.remark(f"{part}: {abbreviated(item)} names no node")
        else:
            raise TreeError(f"expected {part} of nodes, {EXAMPLES[part]}, found {abbreviated(written)}")

    def node_list(self, part: str, written: Any) -> list[Any]:
        """The names in a list of nodes: a list, a text, or a mapping from nodes to positions or yes and no."""
        if isinstance(written, str):
            return list(self.names.split(written))
        if isinstance(written, dict) and part == CUTS and all(type(mark) is bool for mark in written.values()):
            return [name for name, is_cut in written.items() if is_cut]
        if isinstance(written, dict) and part == ORDER:
            positions = {name: place for name, place in written.items() if not is_blank(place)}
            if all(type(place) is int for place in positions.values()) and len({*positions.values()}) == len(positions):
                return sorted(positions, key=positions.__getitem__)
        if not isinstance(written, list):
            raise TreeError(f'expected a list of nodes, ["B", "C"], found {abbreviated(written)}')
        return written

    def inner_node(self, part: str, name: Any) -> Node | None:
        node: Node | None = self.convert(self.names.find, name, part)
        return None if node is None or node.is_leaf else node

    def put(self, entries: dict[Any, Any], key: Any, entry: Any, where: str) -> None:
        """Add an entry. Two different ones are a conflict, and neither counts."""
        if isinstance(entry, Conflict) or entries.get(key) not in (None, entry):
            self.remark(f"{where}: two different entries; write one")
            entry = Conflict(entries.get(key), entry)
        entries[key] = entry

    def convert(self, converter: Callable[[Any], Any], entry: Any, where: str) -> Any:
        """Convert an entry; add a remark and return None if that fails."""
        try:
            if isinstance(entry, Conflict):
                raise TreeError("two different entries; write one")
            return converter(entry)
        except (TreeError, OverflowError) as error:
            self.remark(f"{abbreviated(where)[1:-1]}: {error}")
            return None


def _without_conflicts(entries: dict[Any, Any]) -> dict[Any, Any] | None:
    return {key: entry for key, entry in entries.items() if not isinstance(entry, Conflict)} or None


def _is_window(entry: object) -> bool:
    try:
        read_window(entry)
    except TreeError:
        return False
    return True
