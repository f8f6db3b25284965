"""A search as a row of pictures: what each step changes in the one before.

A picture after k steps is the bare tree and the first k changes. What a node says in the end is the trace's own word
(`Trace.told`); on the way it is the same word said of the bounds as they are then.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX
from zermelo.teaching.tree.convention import NEGAMAX
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace, Window


class Change(NamedTuple):
    """What stands at a node after a step, and the arcs that the step crosses out."""

    node: int
    #: What the node knows of alpha and beta, in the convention's way.
    window: str
    #: Its value: `3`, before it is certain in a search without windows `≥ 3`, "" before anything is known.
    value: str
    #: Whether the node has given its value back.
    is_done: bool
    #: The children whose arcs are crossed out now, indices.
    crossed: tuple[int, ...] = ()
    #: The number of the cut that crosses them, from 1; else 0.
    cut: int = 0


def changes(trace: Trace, only: Container[int] | None = None) -> Iterator[Change]:
    """One `Change` for each of the trace's steps, in their order; or for each step at `only` these nodes."""
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
