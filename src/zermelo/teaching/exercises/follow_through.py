"""What follows from a student's own numbers: each node searched alone, as a tree of one ply, by the textbook's search.

A node's exit window, its cuts, its value and its best move depend only on its entry window and on what its children
return; a child's entry window depends on the same, and on its elder siblings. So a node with its children as leaves,
worth what the student wrote there, within the window that the student wrote, tells what should have come next.
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
from zermelo.teaching.tree.node import Node, TreeBuilder
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, Window
from zermelo.teaching.tree.values import minimax_values

FULL: Window = (-inf, inf)


class PlyResult(NamedTuple):
    """A node searched alone. Children are numbered from 0."""

    #: The window that each visited child is given; nothing in minimax.
    entries: tuple[Window | None, ...]
    exit: Window | None
    own: Number | None
    returned: Number
    best: int | None
    #: How many children are visited: those after them are cut off.
    visited: int


class OnePlySearcher:
    """Searches of single nodes by one convention, each made once."""

    def __init__(self, rules: Convention) -> None:
        self.rules = rules
        self._known: dict[object, PlyResult | None] = {}

    def search(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        """A node whose children return these values, within a window. None where that cannot be searched: an empty
        window, no child, a value that is needed and not known.
        """
        key = (node.player, node.weights, window, values)
        if key not in self._known:
            try:
                self._known[key] = self._search(node, window, values)
            except ZermeloError:
                self._known[key] = None
        return self._known[key]

    def know(self, node: Node, window: Window | None, values: tuple[Number | None, ...], ply: PlyResult) -> None:
        """What a search would find, from one that was made: most of what students write is right."""
        self._known[node.player, node.weights, window, values] = ply

    def without_cuts(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        """The same of somebody who looks at all these children, and then returns what the convention says."""
        whole = self.search(node, window, values)
        if whole is None or whole.visited == len(values) or node.player == CHANCE:
            return whole
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return self.search(node, window, (max(known) if node.player == MAX else min(known),))

    def _search(self, node: Node, window: Window | None, values: tuple[Number | None, ...]) -> PlyResult | None:
        if not values or (node.weights and len(values) != len(node.weights)):
            return None
        prunes = self.rules.prunes
        ends: Window = window if prunes and window is not None else FULL
        # A student's numbers may be finer than the tree's: everything is searched as whole numbers.
        finest = lcm(*(Fraction(said).denominator for said in (*values, *ends) if isinstance(said, Fraction)))
        low, high = ends
        is_point = low == high and self.rules.cut == STRICT
        if is_point:
            # Where only a value beyond the bound cuts, alpha and beta may meet; a search may not begin so. With all
            # values doubled and the bounds one further out, the same values are beyond them, and the bounds are odd.
            finest *= 2

        def times(said: Bound, further: int = 0) -> Bound:
            return said if isinstance(said, float) else int(said * finest) + further * is_point

        def back(said: Number) -> Number:
            if is_point and said % 2:
                said += 1 if said < times(low) else -1
            value = Fraction(said, finest)
            return value.numerator if value.denominator == 1 else value

        def window_back(said: Window | None) -> Window | None:
            if said is None:
                return None
            alpha, beta = (end if isinstance(end, float) else back(end) for end in said)
            return alpha, beta

        draft = TreeBuilder()
        draft.add(-1, node.player, weights=node.weights)
        for value in values:
            draft.add(0, None, value=None if value is None else int(value * finest))
        trace = Trace(draft.build(), self.rules, window=(times(low, -1), times(high, 1)) if prunes else FULL)
        root = trace.records[0]
        assert root.returned is not None
        return PlyResult(
            entries=tuple(window_back(trace.records[leaf.index].entry) for leaf in trace.leaves),
            exit=window_back(root.exit),
            own=None if root.own is None else back(root.own),
            returned=back(root.returned),
            best=None if root.best is None else root.best - 1,
            visited=len(trace.leaves),
        )


@dataclass
class Consequences:
    """The search as a student's own numbers make it: what could rightly have been written, given what was written above
    and to the left. `values` and `windows` hold the numbers that follow, beside the right ones.
    """

    #: The nodes that are visited in it, in order.
    visited: list[int] = field(default_factory=list)
    values: dict[int, set[Number]] = field(default_factory=dict)
    windows: dict[tuple[int, str], set[Window]] = field(default_factory=dict)
    #: The arcs that the student's own numbers cut off.
    cuts: set[int] = field(default_factory=set)
    best: int | None = None


class FollowThrough:
    """Makes the worlds of answers to one exercise."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.right = exercise.solution
        self.one_ply = OnePlySearcher(exercise.rules)
        self.pruned = frozenset(node.index for node in self.right.pruned)
        self.unvisited = frozenset(i for i, picture in enumerate(self.right.records) if not picture.is_visited)
        #: What each node returns in the right search; what is never visited there is worth its minimax value.
        self.truth = [
            record.returned if record.is_visited else value
            for record, value in zip(self.right.records, minimax_values(self.tree), strict=True)
        ]

        for node in self.right.visited:
            self._know_right(node)

    def _know_right(self, node: Node) -> None:
        """The right search of a node, as a search of one ply."""
        records, record = self.right.records, self.right.records[node.index]
        if node.is_leaf or record.returned is None:
            return
        visited = [child for child in node.children if records[child].is_visited]
        ply = PlyResult(
            entries=tuple(records[child].entry for child in visited),
            exit=record.exit,
            own=record.own,
            returned=record.returned,
            best=None if record.best is None else node.children.index(record.best),
            visited=len(visited),
        )
        for children in (node.children, visited):
            self.one_ply.know(node, record.entry, tuple(self.truth[child] for child in children), ply)

    def world(self, answer: Answer, trusted: frozenset[str]) -> Consequences:
        """What follows from an answer. From a part not `trusted` nothing does: the right answer stands for it."""
        written = replace(
            answer,
            values=answer.values if VALUES in trusted else None,
            windows=answer.windows if WINDOWS in trusted else None,
            cuts=answer.cuts if answer.cuts is None or CUTS in trusted else answer.cuts & self.unvisited,
        )
        world = Consequences()
        values = self._values(written)
        entries: dict[int, Window | None] = {0: self.right.records[0].entry}
        reached = {0}
        for node in self.tree:
            if node.index not in reached:
                continue
            world.visited.append(node.index)
            if node.is_leaf:
                continue
            entry = entries.get(node.index, FULL if self.exercise.rules.prunes else None)
            kept = self._search(node, written, values, entry, world)
            told = tuple(values[child] for child in kept)
            ply = self.one_ply.search(node, entry, told)
            moved: Window | None = None  # by the elder brother, within the window that he was written
            for place, child in enumerate(kept):
                reached.add(child)
                if moved is not None:
                    world.windows.setdefault((child, "entry"), set()).add(moved)
                if ply is not None and place < len(ply.entries):
                    handed = ply.entries[place]
                    if handed is not None:
                        world.windows.setdefault((child, "entry"), set()).add(handed)
                    entries[child] = self._entry(written, child, handed)
                    moved = None
                    if entries[child] != handed and node.player != CHANCE:
                        last = self.one_ply.search(node, entries[child], (values[child],))
                        moved = None if last is None else last.exit
            if moved is not None and "exit" in self.exercise.window_kinds:
                world.windows.setdefault((node.index, "exit"), set()).add(moved)
        return world

    def _search(
        self, node: Node, written: Answer, values: list[Number | None], entry: Window | None, world: Consequences
    ) -> tuple[int, ...]:
        """Take one node in: what follows at it. Returns the children that are visited."""
        children = node.children
        whole = self.one_ply.search(node, entry, tuple(values[child] for child in children))
        if whole is not None:
            world.cuts.update(children[whole.visited :])
        if written.cuts is not None:
            kept = tuple(child for child in children if child not in written.cuts)
        else:
            kept = children if whole is None else children[: whole.visited]
        told = tuple(values[child] for child in kept)
        for ply in (self.one_ply.search(node, entry, told), self.one_ply.without_cuts(node, entry, told)):
            if ply is None:
                continue
            world.values.setdefault(node.index, set()).add(ply.returned)
            is_cut = len(kept) < len(children) or ply.visited < len(kept)
            for kind in self.exercise.window_kinds[-1:]:  # all but the entry, which the parent tells
                window = window_of_kind(kind, node, entry, ply.exit, ply.own, is_cut=is_cut)
                if window is not None:
                    world.windows.setdefault((node.index, kind), set()).add(window)
            if node.index == 0 and ply.best is not None and ply.visited == len(kept):
                world.best = kept[ply.best]
        if written.windows is not None:
            shown = self._from_exit(node, written, self._entry(written, node.index, entry))
            if shown is not None:
                world.values.setdefault(node.index, set()).add(shown)
        return kept

    def _values(self, written: Answer) -> list[Number | None]:
        """What each node returns, as the student has it: as written; else as its windows show; else the right value."""
        values = list(self.truth)
        for node in self.tree:
            if node.is_leaf:
                continue
            if written.values is not None:
                values[node.index] = written.values.get(node.index, values[node.index])
            elif written.windows is not None:
                shown = self._from_exit(node, written, self._entry(written, node.index, None))
                values[node.index] = values[node.index] if shown is None else shown
        return values

    def _entry(self, written: Answer, index: int, handed: Window | None) -> Window | None:
        """The window that a node is given, as the student has it; what is handed down if nothing sound is written."""
        entry = (written.windows or {}).get((index, "entry"))
        if entry is not None and (entry[0] < entry[1] or (entry[0] == entry[1] and self.exercise.rules.cut == STRICT)):
            return entry
        return self.right.records[index].entry if handed is None else handed

    def _from_exit(self, node: Node, written: Answer, entry: Window | None) -> Number | None:
        """The value that a node's last written window shows it to return, None if it shows none."""
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
