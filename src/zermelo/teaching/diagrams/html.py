"""`html`: a trace as an HTML page that steps through the search; one file with the picture, the steps and a script.

The page needs no server and no network, and its Content-Security-Policy allows none. docs/stepping.md describes its use
and its data. The template, the style sheet and the script are in `templates/`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from zermelo.drawing.options import AUTO, Options
from zermelo.drawing.svg import svg
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.folding import Fold, Folded, fold
from zermelo.teaching.diagrams.labels import Labels, listed, plural
from zermelo.teaching.diagrams.pseudocode import Pseudocode
from zermelo.teaching.diagrams.scene_builder import build_scene
from zermelo.teaching.diagrams.step_changes import changes
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
    # The picture reserves space for what changes from step to step; everything else is beside the picture.
    chosen = replace(
        options or Options(), interactive=True, order=True, theme=AUTO, standalone=False, legend=False, prefix="",
        step=None,
    )  # fmt: skip
    if start is not None and start > len(trace.steps):
        raise TreeError(f"step {start}: the search has {len(trace.steps):,} steps")
    labels = Labels(trace, chosen)
    folded = fold(labels)
    pseudocode = Pseudocode(trace)
    data = _data(labels, trace, folded, pseudocode) | {"start": start or 0}
    environment = _environment()
    # The policy allows exactly this script, by the hash of the text between its tags.
    script = "\n" + environment.get_template("steps.js").render()
    return environment.get_template("steps.html").render(
        script_hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=labels.title,
        heading=trace.tree.name or "Game tree",
        summary=_summary(trace, folded),
        css=Markup(environment.get_template("steps.css").render()),
        svg=Markup(svg(build_scene(labels), theme=AUTO, standalone=False)),
        bounds_heading=_bounds_heading(trace) if trace.convention.prunes else "",
        code=pseudocode.lines,
        cuts=data["cuts"],
        legend=_legend(trace),
        data=Markup(_json_for_script(data)),
        script=Markup(script),
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("zermelo.teaching.diagrams"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _json_for_script(data: dict[str, Any]) -> str:
    """JSON for a script element: without `<`, so that no text in it can end the element or start a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\x7f", "\\u007f")


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
    lines += ["1. 2. 3. order of visits", "frame: current node", "thick: path to it; at the end, principal variation"]
    return lines + (["╳ and dashed: pruned"] if trace.convention.prunes else [])


# ---- data --------------------------------------------------------------------------------------------------------


def _data(labels: Labels, trace: Trace, folded: Folded, pseudocode: Pseudocode) -> dict[str, Any]:
    """The data of the script, described in docs/stepping.md. Nodes are referred to by index."""
    nodes: dict[int, dict[str, Any]] = {}
    folds: dict[int, int] = {}  # first node of each group -> its parent
    for place, item in enumerate(folded.items):
        above = folded.items[folded.parents[place]] if place else None
        assert not isinstance(above, Fold)
        if isinstance(item, Fold):
            assert above is not None
            folds[item.children[0]] = above
            continue
        node = trace.tree.nodes[item]
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
    steps, cuts = _steps(trace, nodes, pseudocode)
    return {
        "schema": SCHEMA,
        "hasWindows": trace.convention.prunes,
        "before": f"Before the search: {plural(len(trace.steps), 'step')} to come.",
        "nodes": nodes,
        "folds": folds,
        "cuts": cuts,
        "steps": steps,
    }


def _steps(
    trace: Trace, nodes: dict[int, dict[str, Any]], pseudocode: Pseudocode
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The steps at the drawn nodes, and their cutoffs. A value of a collapsed child appears if it changes something."""
    steps: list[dict[str, Any]] = []
    cuts: list[dict[str, Any]] = []
    current: dict[int, tuple[str, str]] = {}  # window and value of each node after the steps so far
    drawn = ((number, step) for number, step in enumerate(trace.steps, 1) if step.node in nodes)
    for (number, step), change in zip(drawn, changes(trace, nodes), strict=True):
        index = step.node
        window = "" if change.window == change.value else change.window
        before = current.get(index, ("", ""))
        if step.kind == "value" and step.child not in nodes and before == (window, change.value):
            continue
        current[index] = (window, change.value)
        entry: dict[str, Any] = {"number": number, "kind": step.kind, "node": index}
        entry["sentence"] = describe_step(trace, step)
        if window != before[0]:
            entry["window"] = window
        if change.value != before[1]:
            entry["value"] = change.value
        line = pseudocode.line_of(step)
        if line is not None:
            entry["line"] = line
        if change.cut:
            cut = trace.cuts[change.cut - 1]
            entry |= {"skipped": list(cut.pruned), "cut": len(cuts)}
            names = listed([trace.tree.nodes[child].id for child in cut.pruned])
            cuts.append({"step": number, "pruned": names, "reason": cut.reason})
        steps.append(entry)
    return steps, cuts
