"""The steps of a search as data for scripts: entries of a page of one file, or columns for trees of any size.

An entry is described in docs/stepping.md. Columns hold the same in lists, with texts by their number, because a search
of 100,000 nodes has hundreds of thousands of steps.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import Any

from zermelo.teaching.diagrams.labels import Labels, listed, short
from zermelo.teaching.diagrams.pseudocode import Pseudocode
from zermelo.teaching.diagrams.step_changes import changes
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.playouts import PlayoutTrace
from zermelo.teaching.tree.trace import Trace

#: The steps of Monte Carlo tree search, as pages print them, and their lines.
PLAYOUT_CODE = (
    "repeat",
    "  select: go down by the highest upper confidence bound",
    "  expand: add a child that was never visited",
    "  simulate: play random moves to the end of the game",
    "  back up: count the result in all nodes of the path",
    "play the most visited move",
)
_PLAYOUT_LINES = {"select": 1, "expand": 2, "simulate": 3, "back up": 4}
#: The number of a leaf in the column `player`, beside MAX (1), MIN (-1) and CHANCE (0).
LEAF = 2

Entry = dict[str, Any]


def search_steps(trace: Trace, pseudocode: Pseudocode, drawn: Container[int] | None = None) -> Iterator[Entry]:
    """Yield the entries of the steps at the drawn nodes, by default all, without their sentences.

    The value of a collapsed child appears if it changes something.
    """
    current: dict[int, tuple[str, str]] = {}  # window and value of each node after the steps so far
    steps = ((number, step) for number, step in enumerate(trace.steps, 1) if drawn is None or step.node in drawn)
    cuts = 0
    for (number, step), change in zip(steps, changes(trace, drawn), strict=True):
        index = step.node
        for below in change.cleared if current else ():
            current.pop(below, None)
        window = "" if change.window == change.value else change.window
        before = current.get(index, ("", ""))
        is_hidden = drawn is not None and step.child not in drawn
        if step.kind == "value" and is_hidden and before == (window, change.value):
            continue
        current[index] = (window, change.value)
        entry: Entry = {"number": number, "kind": step.kind, "node": index}
        if window != before[0]:
            entry["window"] = window
        if change.value != before[1]:
            entry["value"] = change.value
        if change.cleared:
            entry["clears"] = [change.cleared.start, change.cleared.stop]
        line = pseudocode.line_of(step)
        if line is not None:
            entry["line"] = line
        if change.cut:
            entry |= {"skipped": list(trace.cuts[change.cut - 1].pruned), "cut": cuts}
            cuts += 1
        yield entry


def cut_list(labels: Labels, trace: Trace, entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """The cutoffs among entries, in their order: the number of the step, the pruned nodes and the reason."""
    by_step = {cut.step + 1: cut for cut in trace.cuts}
    cuts = [by_step[entry["number"]] for entry in entries if "cut" in entry]
    return [
        {
            "step": cut.step + 1,
            "pruned": listed([trace.tree.nodes[child].id for child in cut.pruned]),
            "reason": labels.condition(cut),
        }
        for cut in cuts
    ]


def playout_steps(trace: PlayoutTrace, drawn: Container[int] | None = None) -> Iterator[Entry]:
    """Yield the entries of a Monte Carlo tree search, without their sentences; `window` is the proven result."""
    before: dict[int, tuple[str, str]] = {}
    for number, step in enumerate(trace.steps, 1):
        if drawn is not None and step.node not in drawn:
            continue
        entry: Entry = {"number": number, "kind": step.kind, "node": step.node, "line": _PLAYOUT_LINES[step.kind]}
        value, proven = before.get(step.node, ("", ""))
        if step.value != value:
            entry["value"] = step.value
        if step.proven != proven and trace.tree.nodes[step.node].player is not None:
            entry["window"] = step.proven
        before[step.node] = (step.value, step.proven)
        yield entry


# ---- columns ----------------------------------------------------------------------------------------------------


class Texts:
    """Texts by number; text 0 is empty. New ones are sent along with the columns that use them first."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}
        self._sent = 0

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def new(self) -> list[str]:
        """The texts that were not returned before."""
        begin, self._sent = self._sent, len(self._numbers)
        return list(islice(self._numbers, begin, None))


def node_columns(tree: Tree, texts: Texts, *, labels: Labels) -> dict[str, Any]:
    """The nodes of a tree in preorder, as lists.

    Returns
    -------
    dict
        `parent`: index or -1; `player`: 1, -1, 0 for chance, 2 for a leaf; `name`, `arc`, `value`: numbers of texts;
        `same`: for nodes with the position of an earlier node, by index, the number of the text that says so.
    """
    number = texts.number
    names, arcs, values = [], [], []
    for node in tree:
        names.append(number(labels.name(node)))
        arcs.append(number(labels.arc(node)))
        values.append(number(format_number(node.value)) if node.player is None else 0)
    return {
        "parent": [node.parent for node in tree],
        "player": [LEAF if node.player is None else node.player for node in tree],
        "name": names,
        "arc": arcs,
        "value": values,
        "same": {
            node.index: number(f"= {short(tree.nodes[node.transposition_of].id)}")
            for node in tree
            if node.transposition_of != node.index
        },
    }


def step_columns(entries: Iterable[Entry], texts: Texts, kinds: Texts, size: int) -> Iterator[dict[str, Any]]:
    """Yield the steps in tables of at most `size` rows.

    Yields
    ------
    dict
        `kind`, `window` and `value`: numbers of texts, -1 where a text does not change; `node`; `line`: -1 for none;
        `rest`: by row the rare keys `skipped`, `cut` and `clears`.
    """
    rows = iter(entries)
    while chunk := list(islice(rows, size)):
        table: dict[str, Any] = {
            "kind": [kinds.number(entry["kind"]) for entry in chunk],
            "node": [entry["node"] for entry in chunk],
            "window": [texts.number(entry["window"]) if "window" in entry else -1 for entry in chunk],
            "value": [texts.number(entry["value"]) if "value" in entry else -1 for entry in chunk],
            "line": [entry.get("line", -1) for entry in chunk],
            "rest": {
                row: {key: entry[key] for key in ("skipped", "cut", "clears") if key in entry}
                for row, entry in enumerate(chunk)
                if "cut" in entry or "clears" in entry
            },
        }
        yield table | {"kinds": kinds.new(), "texts": texts.new()}
