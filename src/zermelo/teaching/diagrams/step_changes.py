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


def changes(trace: Trace, only: Container[int] | None = None) -> Iterator[Change]:
    """Yield one `Change` per step, or per step at the nodes in `only`."""
    windows: dict[int, Window | None] = {}
    own: dict[int, Number] = {}
    cuts = 0
    prunes = trace.convention.prunes
    for step in trace.steps:
        if only is not None and step.node not in only:
            cuts += step.kind == "cut"
            continue
        index, node = step.node, trace.tree.nodes[step.node]
        if step.kind in ("leaf", "leave"):
            yield Change(index, trace.bounds_text(index), format_number(trace.records[index].returned), True)
            continue
        crossed: tuple[int, ...] = ()
        if step.kind == "value" and step.value is not None and node.player != CHANCE:
            is_max = node.player == MAX or trace.convention.algorithm == NEGAMAX
            best = own.get(index)
            if best is None or (step.value > best if is_max else step.value < best):
                own[index] = step.value
        elif step.kind == "cut":
            cut = trace.cuts[cuts]
            windows[index] = (cut.alpha, cut.beta)
            crossed, cuts = cut.pruned, cuts + 1
        elif prunes:
            windows[index] = (step.alpha, step.beta)
        window = trace.format_bounds(index, windows.get(index), own.get(index), is_done=False)
        value = ""
        if not prunes and index in own:
            is_max = node.player == MAX or trace.convention.algorithm == NEGAMAX
            value = f"{'≥' if is_max else '≤'} {format_number(own[index])}"
        yield Change(index, window, value, False, crossed, cuts if crossed else 0)
