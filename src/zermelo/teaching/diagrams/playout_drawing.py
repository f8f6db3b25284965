"""Drawings of Monte Carlo tree searches: the labels of their nodes, and the page that steps through them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from zermelo.drawing.drawing import FORMATS
from zermelo.drawing.options import Options
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.html import SCHEMA, drawn_nodes, page
from zermelo.teaching.diagrams.labels import Label, Labels, plural
from zermelo.teaching.diagrams.step_data import PLAYOUT_CODE, playout_steps
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.diagrams.tree_drawing import SearchDrawing
from zermelo.teaching.tree.playouts import PlayoutTrace

_LEGEND = [
    "3.5/6: results for MAX / playouts",
    "= +1: proven result",
    "△ MAX to move",
    "▽ MIN to move",
    "frame: current node",
]


class PlayoutLabels(Labels):
    """The labels of a Monte Carlo tree search, at its end or after `options.step` steps.

    Raises
    ------
    TreeError
        If `options.step` is beyond the last step.
    """

    def __init__(self, trace: PlayoutTrace, options: Options | None = None) -> None:
        chosen = options or Options()
        super().__init__(trace.tree, replace(chosen, step=None))
        self.options = chosen
        self.playouts = trace
        step = len(trace.steps) if chosen.step is None else chosen.step
        if step > len(trace.steps):
            raise TreeError(f"step {step}: the search has {len(trace.steps):,} steps")
        self._texts = trace.texts_after(step)
        self._last = trace.texts_after(len(trace.steps))
        self._now = trace.steps[step - 1].node if step and chosen.step is not None else -1
        best = [node.index for node in trace.tree if node.parent == 0 and node.id == trace.best]
        self.line = frozenset([0, *best]) if step == len(trace.steps) and best else frozenset()

    def at(self, index: int) -> Label:
        value, proven = self._texts.get(index, ("", ""))
        return self._labelled(index, value, proven)

    def widest(self, index: int) -> Label:
        value, proven = self._last.get(index, ("", ""))
        return self._labelled(index, value, proven)

    def _labelled(self, index: int, value: str, proven: str) -> Label:
        label = super().at(index)
        is_leaf = label.kind == "leaf"
        return label._replace(
            value=label.value if is_leaf else value,
            window="" if is_leaf else proven,
            is_visited=index in self._texts,
            is_current=index == self._now,
        )

    @property
    def window_key(self) -> tuple[str, str]:
        return "3.5/6", "results for MAX / playouts"

    @property
    def title(self) -> str:
        step = self.options.step
        counted = plural(self.playouts.simulations, "simulation")
        now = "" if step is None else f", after step {step}"
        return f"Monte Carlo tree search, {self.tree.name}, {counted}{now}"


class PlayoutDrawing(SearchDrawing):
    """A Monte Carlo tree search."""

    formats: ClassVar[tuple[str, ...]] = tuple(each for each in FORMATS if each != "dot")
    _kind: ClassVar[str] = "a Monte Carlo tree search"
    subject: PlayoutTrace

    def _labels(self, options: Options) -> Labels:
        return PlayoutLabels(self.subject, options)

    def _step_count(self) -> int:
        return len(self.subject.steps)

    def text(self, width: int | None = None) -> str:
        trace = self.subject
        step = self.options.step
        lines = text(PlayoutLabels(trace, self.options), self.options, width)
        if step is None or step == len(trace.steps):
            best = f"Most visited move {trace.best}. " if trace.best else ""
            caption = f"{best}{plural(trace.simulations, 'simulation')}; results for MAX / playouts."
        else:
            caption = trace.steps[step - 1].sentence if step else "Before the search."
        return f"{lines}\n\n{caption}" if self.options.legend else lines

    def html(self) -> str:
        trace = self.subject
        start = self.options.step
        if start is not None and start > len(trace.steps):
            raise TreeError(f"step {start}: the search has {len(trace.steps):,} steps")
        options = replace(self.options, step=None)
        caption = f"{plural(trace.simulations, 'simulation')}, {plural(len(trace.tree), 'node')}"
        return page(
            lambda chosen: PlayoutLabels(trace, chosen),
            options,
            lambda labels, folded: self._data(labels, folded) | {"start": start or 0},
            heading=f"Monte Carlo tree search: {trace.tree.name}",
            summary=lambda folded: f"{caption}. Results are for MAX.",
            bounds_heading="proven",
            code=PLAYOUT_CODE,
            legend=_LEGEND,
            has_cuts=False,
            has_order=False,
        )

    def _data(self, labels: Labels, folded: Any) -> dict[str, Any]:
        """The data of the page's script; `window` holds the proven result."""
        trace = self.subject
        nodes, folds = drawn_nodes(labels, folded)
        steps = [
            entry | {"sentence": trace.steps[entry["number"] - 1].sentence} for entry in playout_steps(trace, nodes)
        ]
        return {
            "schema": SCHEMA,
            "hasWindows": True,
            "before": f"Before the search: {plural(len(trace.steps), 'step')} to come.",
            "nodes": nodes,
            "folds": folds,
            "cuts": [],
            "steps": steps,
        }
