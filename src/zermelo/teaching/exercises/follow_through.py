"""Follow-through credit: what would be correct given the student's own entries, node by node.

The exit window, the cutoffs, the value and the best move of a node depend only on its entry window and on the values of
its children; the entry window of a child depends on the same data and on its earlier siblings. So each node is searched
alone: its children become leaves with the values that the student wrote, and the window is the one that the student
wrote. The result is what the student should have written next.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, lcm
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX
from zermelo.errors import ZermeloError
from zermelo.teaching.exercises.answers import Answer
from zermelo.teaching.exercises.exercise import CUTS, VALUES, WINDOWS, Exercise, window_of_kind
from zermelo.teaching.tree.convention import STRICT, Convention
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Node, TreeBuilder
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, Window

FULL: Window = (-inf, inf)


class PlyResult(NamedTuple):
    """Result of searching one node with its children as leaves. Children are numbered from 0."""

    #: The entry window of each visited child; None in minimax.
    entries: tuple[Window | None, ...]
    exit: Window | None
    #: Best value of the visited children.
    own: Number | None
    returned: Number
    best: int | None
    #: Number of visited children; the others are pruned.
    visited: int


class OnePlySearcher:
    """One-ply searches of single nodes by one convention, with a cache of the results."""

    def __init__(self, convention: Convention) -> None:
        self.convention = convention
        self._results: dict[object, PlyResult | None] = {}

    def search(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        """Search a node whose children return these values.

        Returns None if that is impossible: the window is empty, there are no children, or a value that is read is
        unknown.
        """
        key = (node.player, node.weights, window, values)
        if key not in self._results:
            try:
                self._results[key] = self._search(node, window, values)
            except ZermeloError:
                self._results[key] = None
        return self._results[key]

    def store(self, node: Node, window: Window | None, values: tuple[Number | None, ...], result: PlyResult) -> None:
        """Store a known result. Most of what students write is correct, so this saves most searches."""
        self._results[node.player, node.weights, window, values] = result

    def without_cuts(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        """Search a node as `search` does, but visit all children even after a cutoff."""
        result = self.search(node, window, values)
        if result is None or result.visited == len(values) or node.player == CHANCE:
            return result
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return self.search(node, window, (max(known) if node.player == MAX else min(known),))

    def _search(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        if not values or (node.weights and len(values) != len(node.weights)):
            return None
        prunes = self.convention.prunes
        ends: Window = window if prunes and window is not None else FULL
        # A student's numbers may be fractions; the search runs on integers, scaled by the common denominator.
        scale = lcm(*(Fraction(value).denominator for value in (*values, *ends) if isinstance(value, Fraction)))
        low, high = ends
        is_point = low == high and self.convention.cut == STRICT
        if is_point:
            # With strict cutoffs alpha may equal beta, but a search cannot start with an empty window. Double all
            # values and move both bounds outwards by one: they become odd, and the same values lie outside them.
            scale *= 2

        def scaled(value: Bound, offset: int = 0) -> Bound:
            return value if isinstance(value, float) else int(value * scale) + offset * is_point

        def unscaled(value: Number) -> Number:
            if is_point and value % 2:
                value += 1 if value < scaled(low) else -1
            fraction = Fraction(value, scale)
            return fraction.numerator if fraction.denominator == 1 else fraction

        def unscaled_window(window: Window | None) -> Window | None:
            if window is None:
                return None
            alpha, beta = (end if isinstance(end, float) else unscaled(end) for end in window)
            return alpha, beta

        draft = TreeBuilder()
        draft.add(-1, node.player, weights=node.weights)
        for value in values:
            draft.add(0, None, value=None if value is None else int(value * scale))
        trace = Trace(draft.build(), self.convention, window=(scaled(low, -1), scaled(high, 1)) if prunes else FULL)
        root = trace.records[0]
        assert root.returned is not None
        return PlyResult(
            entries=tuple(unscaled_window(trace.records[leaf.index].entry) for leaf in trace.leaves),
            exit=unscaled_window(root.exit),
            own=None if root.own is None else unscaled(root.own),
            returned=unscaled(root.returned),
            best=None if root.best is None else root.best - 1,
            visited=len(trace.leaves),
        )


@dataclass
class Consequences:
    """The entries that are consistent with a student's own earlier entries, by node index.

    `values` and `windows` may hold several acceptable entries for one node, the correct ones included.
    """

    #: Nodes visited by the student's search, in order.
    visited: list[int] = field(default_factory=list)
    values: dict[int, set[Number]] = field(default_factory=dict)
    windows: dict[tuple[int, str], set[Window]] = field(default_factory=dict)
    #: Arcs pruned by the student's own numbers.
    cuts: set[int] = field(default_factory=set)
    best: int | None = None


class FollowThrough:
    """Computes the consequences of answers to one exercise."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.solution = exercise.solution
        self.one_ply = OnePlySearcher(exercise.search_convention)
        self.pruned = frozenset(node.index for node in self.solution.pruned)
        self.unvisited = frozenset(i for i, record in enumerate(self.solution.records) if not record.is_visited)
        #: The value of each node: what it returns in the correct search, or its minimax value if it is not visited.
        self.correct_values = [
            record.returned if record.is_visited else value
            for record, value in zip(self.solution.records, minimax_values(self.tree), strict=True)
        ]
        for node in self.solution.visited:
            self._store_solution(node)

    def _store_solution(self, node: Node) -> None:
        """Store the correct search of a node as a one-ply result."""
        records, record = self.solution.records, self.solution.records[node.index]
        if node.is_leaf or record.returned is None:
            return
        visited = [child for child in node.children if records[child].is_visited]
        result = PlyResult(
            entries=tuple(records[child].entry for child in visited),
            exit=record.exit,
            own=record.own,
            returned=record.returned,
            best=None if record.best is None else node.children.index(record.best),
            visited=len(visited),
        )
        for children in (node.children, visited):
            self.one_ply.store(node, record.entry, tuple(self.correct_values[child] for child in children), result)

    def consequences(self, answer: Answer, trusted: frozenset[str]) -> Consequences:
        """Compute what follows from an answer; parts that are not `trusted` are replaced by the correct entries."""
        written = replace(
            answer,
            values=answer.values if VALUES in trusted else None,
            windows=answer.windows if WINDOWS in trusted else None,
            cuts=answer.cuts if answer.cuts is None or CUTS in trusted else answer.cuts & self.unvisited,
        )
        result = Consequences()
        values = self._values(written)
        entries: dict[int, Window | None] = {0: self.solution.records[0].entry}
        reached = {0}
        for node in self.tree:
            if node.index not in reached:
                continue
            result.visited.append(node.index)
            if node.is_leaf:
                continue
            entry = entries.get(node.index, FULL if self.exercise.search_convention.prunes else None)
            visited = self._search(node, written, values, entry, result)
            reached.update(visited)
            self._pass_windows_down(node, visited, written, values, entry, entries, result)
        return result

    def _pass_windows_down(
        self,
        node: Node,
        visited: tuple[int, ...],
        written: Answer,
        values: list[Number | None],
        entry: Window | None,
        entries: dict[int, Window | None],
        result: Consequences,
    ) -> None:
        """Add the entry windows of the visited children, and fill `entries` with those that the student uses."""
        ply = self.one_ply.search(node, entry, tuple(values[child] for child in visited))
        # Where the student wrote another entry window for a child than the one passed down, the next entry window may
        # also follow from the window that was written.
        updated: Window | None = None
        for number, child in enumerate(visited):
            if updated is not None:
                result.windows.setdefault((child, "entry"), set()).add(updated)
            if ply is not None and number < len(ply.entries):
                passed_down = ply.entries[number]
                if passed_down is not None:
                    result.windows.setdefault((child, "entry"), set()).add(passed_down)
                entries[child] = self._entry(written, child, passed_down)
                updated = None
                if entries[child] != passed_down and node.player != CHANCE:
                    last = self.one_ply.search(node, entries[child], (values[child],))
                    updated = None if last is None else last.exit
        if updated is not None and "exit" in self.exercise.window_kinds:
            result.windows.setdefault((node.index, "exit"), set()).add(updated)

    def _search(
        self, node: Node, written: Answer, values: list[Number | None], entry: Window | None, result: Consequences
    ) -> tuple[int, ...]:
        """Add the consequences at one node to `result`. Returns the children that the student visits."""
        children = node.children
        all_children = self.one_ply.search(node, entry, tuple(values[child] for child in children))
        if all_children is not None:
            result.cuts.update(children[all_children.visited :])
        if written.cuts is not None:
            visited = tuple(child for child in children if child not in written.cuts)
        else:
            visited = children if all_children is None else children[: all_children.visited]
        returned = tuple(values[child] for child in visited)
        for ply in (self.one_ply.search(node, entry, returned), self.one_ply.without_cuts(node, entry, returned)):
            if ply is None:
                continue
            result.values.setdefault(node.index, set()).add(ply.returned)
            is_cut = len(visited) < len(children) or ply.visited < len(visited)
            for kind in self.exercise.window_kinds[-1:]:  # all but the entry window, which depends on the parent
                window = window_of_kind(kind, node, entry, ply.exit, ply.own, is_cut=is_cut)
                if window is not None:
                    result.windows.setdefault((node.index, kind), set()).add(window)
            if node.index == 0 and ply.best is not None and ply.visited == len(visited):
                result.best = visited[ply.best]
        if written.windows is not None:
            value = self._value_from_window(node, written, self._entry(written, node.index, entry))
            if value is not None:
                result.values.setdefault(node.index, set()).add(value)
        return visited

    def _values(self, written: Answer) -> list[Number | None]:
        """The value of each node for the student: as written, else as the windows imply, else the correct value."""
        values = list(self.correct_values)
        for node in self.tree:
            if node.is_leaf:
                continue
            if written.values is not None:
                values[node.index] = written.values.get(node.index, values[node.index])
            elif written.windows is not None:
                implied = self._value_from_window(node, written, self._entry(written, node.index, None))
                values[node.index] = values[node.index] if implied is None else implied
        return values

    def _entry(self, written: Answer, index: int, passed_down: Window | None) -> Window | None:
        """The entry window of a node for the student: as written if it is not empty, else as passed down."""
        entry = (written.windows or {}).get((index, "entry"))
        strict = self.exercise.search_convention.cut == STRICT
        if entry is not None and (entry[0] < entry[1] or (entry[0] == entry[1] and strict)):
            return entry
        return self.solution.records[index].entry if passed_down is None else passed_down

    def _value_from_window(self, node: Node, written: Answer, entry: Window | None) -> Number | None:
        """The value that the student's exit window (or bound, or interval) of a node implies; None if none."""
        kind = self.exercise.window_kinds[-1]
        window = (written.windows or {}).get((node.index, kind))
        if window is None or node.player == CHANCE:
            return None
        end = window[0] if node.player == MAX else window[1]
        before = None if kind != "exit" or entry is None else entry[0] if node.player == MAX else entry[1]
        if isinstance(end, float) or end == before:
            return None
        ply = self.one_ply.search(node, entry, (end,))
        return None if ply is None else ply.returned
