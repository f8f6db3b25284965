"""`changes`: what each step of a search changes in the picture.

The picture after k steps is the tree with the first k changes applied. Bounds are formatted as `Trace.bounds_text`
formats the final ones.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX
from zermelo.teaching.tree.convention import NEGAMAX
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace, Window


class Change(NamedTuple):
    """The texts of a node after a step, and the arcs that the step crosses out."""

    node: int
    #: The bounds of the node, in the form that the convention shows.
    window: str
    #: Its value `3`; in a search without windows a bound `≥ 3` before the value is known; "" before that.
    value: str
    #: Whether the node has returned.
    is_done: bool
    #: Indices of the children whose arcs are crossed out by this step.
    crossed: tuple[int, ...] = ()
    #: The number of the cutoff, from 1; 0 for none.
    cut: int = 0
    #: The indices of the nodes whose texts and crossed arcs the step clears, because the node is searched again.
    cleared: range = range(0)


def changes(trace: Trace, only: Container[int] | None = None) -> Iterator[Change]:
    """Yield one `Change` per step, or per step at the nodes in `only`."""
    windows: dict[int, Window] = {}  # the window that is shown
    updated: dict[int, Window] = {}  # the window, updated with the last value
    own: dict[int, Number] = {}
    visited: set[int] = set()
    cuts = 0
    prunes, ends = trace.convention.prunes, trace.tree.subtree_end
    for step in trace.steps:
        if only is not None and step.node not in only:
            cuts += step.kind == "cut"
            continue
        index, node = step.node, trace.tree.nodes[step.node]
        is_max = node.player == MAX or trace.convention.algorithm == NEGAMAX
        if step.kind in ("leaf", "leave", "table-hit"):
            if step.kind != "leave" and step.value is not None:
                own[index] = step.value
            shown = updated.get(index) if node.player != CHANCE else windows.get(index)
            window = trace.format_bounds(index, shown, own.get(index), is_done=True)
            yield Change(index, window, format_number(step.value), True)
            continue
        crossed: tuple[int, ...] = ()
        cleared = range(0)
        if step.kind == "enter":
            own.pop(index, None)
            if index in visited:
                cleared = range(index, ends[index])
            visited.add(index)
            if prunes:
                updated[index] = windows[index] = (step.alpha, step.beta)
        elif step.kind in ("value", "stand-pat") and step.value is not None and node.player != CHANCE:
            best = own.get(index)
            if best is None or (step.value > best if is_max else step.value < best):
                own[index] = step.value
            if prunes:
                alpha, beta = windows[index] = (step.alpha, step.beta)
                updated[index] = (max(alpha, step.value), beta) if is_max else (alpha, min(beta, step.value))
        if step.kind == "stand-pat" and index in updated:
            windows[index] = updated[index]
        elif step.kind == "cut":
            cut = trace.cuts[cuts]
            windows[index] = (cut.alpha, cut.beta)
            crossed, cuts = cut.pruned, cuts + 1
        elif step.kind == "bound":
            windows[index] = (step.alpha, step.beta)
        if step.kind in ("iteration", "widen"):
            yield Change(index, "", "", False, cleared=range(ends[0]))
            continue
        window = trace.format_bounds(index, windows.get(index), own.get(index), is_done=False)
        value = ""
        if not prunes and index in own:
            value = f"{'≥' if is_max else '≤'} {format_number(own[index])}"
        yield Change(index, window, value, False, crossed, cuts if crossed else 0, cleared)
