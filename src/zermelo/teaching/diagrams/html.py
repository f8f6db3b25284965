"""`html`: a trace as an HTML page that steps through the search; one file with the picture, the steps and a script.

The page needs no server and no network, and its Content-Security-Policy allows none. docs/stepping.md describes its use
and its data. The template and the script are in `zermelo.teaching.pages`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from zermelo.drawing.options import AUTO, Options
from zermelo.drawing.svg import svg
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.folding import Fold, Folded, fold
from zermelo.teaching.diagrams.labels import Labels, plural
from zermelo.teaching.diagrams.pseudocode import Pseudocode
from zermelo.teaching.diagrams.scene_builder import build_scene
from zermelo.teaching.diagrams.step_data import cut_list, search_steps
from zermelo.teaching.pages.bundle import render_page
from zermelo.teaching.tree.convention import INTERVAL, OWN
from zermelo.teaching.tree.narration import describe_step
from zermelo.teaching.tree.node import PLAYER_NAMES
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.trace import Trace

#: Version of the data in the page; it changes when a script for the old version would fail.
SCHEMA = "zermelo-steps/2"

_SYMBOLS = {"MAX": "△ MAX to move", "MIN": "▽ MIN to move", "chance": "○ chance node"}


def html(trace: Trace, options: Options | None = None) -> str:
    """Render a trace as an HTML page that steps through the search.

    Parameters
    ----------
    trace : Trace
    options : Options, optional
        The page opens at `options.step`, by default before the first step. Of a large tree, the page shows the steps
        at the nodes that are drawn.

    Raises
    ------
    TreeError
        If `options.step` is beyond the last step.
    """
    start = options.step if options else None
    if start is not None and start > len(trace.steps):
        raise TreeError(f"step {start}: the search has {len(trace.steps):,} steps")
    pseudocode = Pseudocode(trace)
    return page(
        lambda chosen: Labels(trace, chosen),
        options,
        lambda labels, folded: _data(labels, trace, folded, pseudocode) | {"start": start or 0},
        heading=trace.tree.name or "Game tree",
        summary=lambda folded: _summary(trace, folded),
        bounds_heading=_bounds_heading(trace) if trace.convention.prunes else "",
        code=pseudocode.lines,
        legend=_legend(trace),
        has_order=trace.visits == len(trace.visited),  # else a node may have several numbers
    )


def page(
    labels_of: Callable[[Options], Labels],
    options: Options | None,
    data_of: Callable[[Labels, Folded], dict[str, Any]],
    *,
    heading: str,
    summary: Callable[[Folded], str],
    bounds_heading: str,
    code: Sequence[str],
    legend: Sequence[str],
    has_cuts: bool = True,
    has_order: bool = True,
) -> str:
    """Render the page of any search: its picture, and the data of its steps that the script displays.

    Parameters
    ----------
    labels_of : callable
        Returns the labels of the tree for options.
    options : Options or None
    data_of : callable
        Returns the data of the script, described in docs/stepping.md, for what is drawn.
    heading, bounds_heading : str
        Heading of the page, and of the column of bounds; without the latter there is none.
    summary : callable
        Returns the sentence below the heading, for what is drawn.
    code, legend : sequence of str
        Lines of pseudocode and of the legend.
    has_cuts : bool
        Whether the page has a list of cutoffs.
    has_order : bool
        Whether nodes have the numbers of their visits.
    """
    # The picture reserves space for what changes from step to step; everything else is beside the picture.
    chosen = replace(
        options or Options(), interactive=True, order=has_order, theme=AUTO, standalone=False, legend=False, prefix="",
        step=None, fit=None,
    )  # fmt: skip
    labels = labels_of(chosen)
    folded = fold(labels)
    data = data_of(labels, folded)
    return render_page(
        "steps.html",
        "steps",
        data,
        title=labels.title,
        heading=heading,
        summary=summary(folded),
        svg=Markup(svg(build_scene(labels), theme=AUTO, standalone=False)),
        bounds_heading=bounds_heading,
        code=code,
        cuts=data["cuts"],
        has_cuts=has_cuts,
        legend=legend,
    )


def _summary(trace: Trace, folded: Folded) -> str:
    """The convention, and how many nodes are collapsed."""
    text = str(trace.convention)
    text = f"{text[:1].upper()}{text[1:]}."
    if folded.folds:
        hidden = sum(item.nodes for item in folded.folds)
        text += (
            f" {hidden:,} of {plural(len(trace.tree), 'node')} are collapsed; only the values that they return appear."
        )
    return text


def _bounds_heading(trace: Trace) -> str:
    return {OWN: "own bound", INTERVAL: "value in"}.get(trace.convention.show, "window")


def _legend(trace: Trace) -> list[str]:
    players = {PLAYER_NAMES[node.player] for node in trace.tree if node.player is not None}
    lines = [meaning for name, meaning in _SYMBOLS.items() if name in players]
    lines += ["1. 2. 3. order of visits"] if trace.visits == len(trace.visited) else []
    lines += ["frame: current node", "thick: path to it; at the end, principal variation"]
    return lines + (["╳ and dashed: pruned"] if trace.convention.prunes else [])


# ---- data --------------------------------------------------------------------------------------------------------


def _data(labels: Labels, trace: Trace, folded: Folded, pseudocode: Pseudocode) -> dict[str, Any]:
    """The data of the script, described in docs/stepping.md. Nodes are referred to by index."""
    nodes, folds = drawn_nodes(labels, folded)
    steps = [
        entry | {"sentence": describe_step(trace, trace.steps[entry["number"] - 1])}
        for entry in search_steps(trace, pseudocode, nodes)
    ]
    return {
        "schema": SCHEMA,
        "hasWindows": trace.convention.prunes,
        "before": f"Before the search: {plural(len(trace.steps), 'step')} to come.",
        "nodes": nodes,
        "folds": folds,
        "cuts": cut_list(labels, trace, steps),
        "steps": steps,
    }


def drawn_nodes(labels: Labels, folded: Folded) -> tuple[dict[int, dict[str, Any]], dict[int, int]]:
    """The drawn nodes for the script, and the collapsed groups, each with the index of its parent."""
    nodes: dict[int, dict[str, Any]] = {}
    folds: dict[int, int] = {}  # first node of each group -> its parent
    for place, item in enumerate(folded.items):
        above = folded.items[folded.parents[place]] if place else None
        assert not isinstance(above, Fold)
        if isinstance(item, Fold):
            assert above is not None
            folds[item.children[0]] = above
            continue
        node = labels.tree.nodes[item]
        entry: dict[str, Any] = {"id": node.id}
        if above is not None:
            entry["parent"] = above
        if node.player is None:
            entry["value"] = format_number(node.value)
        else:
            entry["player"] = PLAYER_NAMES[node.player]
        if item in labels.line:
            entry["line"] = True
        nodes[item] = entry
    return nodes, folds
