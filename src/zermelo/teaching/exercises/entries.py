"""The entries of an answer in one form, so that two answers can be compared entry by entry.

Each part is a mapping: values by node; windows by node and kind; the topmost crossed arcs; for the order, each node's
predecessor in the list and the end of the list; the best move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from zermelo.teaching.exercises.answers import Answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, PARTS, VALUES, WINDOWS
from zermelo.teaching.tree.node import Tree

#: Keys and entries that are not nodes: no arc is crossed out; the end of the order; before its first node; repeated.
NOTHING_PRUNED, END, START, REPEATED = -2, -3, -4, -5

#: For each part the entries by key. A part that is not answered has none.
Entries = Mapping[str, Mapping[Any, Any]]


def entries_of(tree: Tree, answer: Answer) -> Entries:
    """The entries of an answer by part and key.

    Parameters
    ----------
    tree : Tree
        The searched tree of the exercise.
    answer : Answer
        The answer.

    Returns
    -------
    mapping of str to mapping
        For each part in `PARTS` its entries. Arcs below a crossed arc are left out: they need not be crossed out.
    """
    return {
        VALUES: answer.values or {},
        WINDOWS: answer.windows or {},
        CUTS: {} if answer.cuts is None else dict.fromkeys(_topmost(tree, answer.cuts) or (NOTHING_PRUNED,), True),
        ORDER: _predecessors(answer.order or ()),
        BEST: {} if answer.best is None else {0: answer.best},
    }


def _topmost(tree: Tree, arcs: frozenset[int]) -> list[int]:
    """The arcs that are not below another one, in order."""
    found: list[int] = []
    end = 0
    for index in sorted(arcs):
        if index >= end:
            found.append(index)
            end = tree.subtree_end[index]
    return found


def _predecessors(order: tuple[int, ...]) -> dict[int, int]:
    if not order:
        return {}
    found: dict[int, int] = {}
    before = START
    for index in order:
        if index >= 0:
            found[index] = REPEATED if index in found else before
        before = index
    found[END] = before
    return found


def keys_that_differ(one: Entries, other: Entries) -> Iterator[tuple[str, Any]]:
    """The (part, key) of the entries that differ, or that are in one of the two only, in the parts of the first."""
    for part in PARTS:
        ours, theirs = one[part], other[part]
        if ours:
            for key in ours.keys() | theirs.keys():
                if ours.get(key) != theirs.get(key):
                    yield part, key


def is_given(written: Entries, entries: Entries) -> bool:
    """Whether a search gives every entry of the parts that are answered."""
    return all(not written[part] or written[part] == entries[part] for part in PARTS)


def time_of(tree: Tree, part: str, key: Any) -> tuple[int, int, int]:
    """Sort key of an entry: when the search knows it, on entering or on leaving a node."""
    if part == ORDER:
        return (len(tree), 0, 0) if key == END else (key, 0, 0)
    if part == BEST or key == NOTHING_PRUNED:
        return len(tree), 1, 0
    node = key
    if part == WINDOWS:
        node, kind = key
        if kind == "entry":
            return node, 0, 0
    if part == CUTS:
        node = tree.nodes[key].parent
    return tree.subtree_end[node] - 1, 1, -node


def node_of(tree: Tree, part: str, key: Any) -> str:
    """The id of the node that an entry is about; "" for an entry that is about none."""
    index = key[0] if part == WINDOWS else key
    return tree.nodes[index].id if index >= 0 else ""
