"""A search as a page that is stepped through: one file with the picture, the steps and a small script of ours.

The page needs no network and no server, and its policy allows none. docs/stepping.md tells how it is used and what
data is in it. The parts that stand beside this file: page.html, page.css and page.js.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

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

#: The version of the data in the page; it changes when a script for the old one would go wrong.
SCHEMA = "zermelo-steps/1"

_SIGNS = {"MAX": "△ MAX moves", "MIN": "▽ MIN moves", "chance": "○ chance moves"}


def html(trace: Trace, options: Options | None = None) -> str:
    """The page of a search. It opens at its beginning, or at `options.step`.

    Of a large tree that is folded, the steps at the nodes drawn are there.
    Raises `TreeError` for a tree that was not searched, and for a step that there is not.
    """
    start = options.step if options else None
    # What the page shows from step to step it needs room for; what holds for every step stands beside the picture.
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
    script = "\n" + _asset("page.js")
    return Template(_asset("page.html")).substitute(
        script_hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=escape(labels.title),
        heading=escape(trace.tree.name or "Game tree"),
        convention=escape(_convention(trace, folded)),
        css=_asset("page.css"),
        svg=svg(build_scene(labels), theme=AUTO, standalone=False),
        window_head=f'<th scope="col">{_window_head(trace)}</th>' if trace.convention.prunes else "",
        code="".join(f"<li>{escape(line)}</li>\n" for line in pseudocode.lines),
        cuts=_cuts(data["cuts"]),
        legend="".join(f"<li>{escape(line)}</li>" for line in _legend(trace)),
        data=_in_script(data),
        script=script,
    )


def _asset(name: str) -> str:
    return files("zermelo.teaching.diagrams").joinpath(name).read_text("utf-8")


def _in_script(data: dict[str, Any]) -> str:
    """JSON that may stand in a page: no end of a script, no comment, can begin within it."""
    return (
        json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    )


def _convention(trace: Trace, folded: Folded) -> str:
    said = str(trace.convention)
    said = f"{said[:1].upper()}{said[1:]}."
    if folded.folds:
        hidden = sum(item.nodes for item in folded.folds)
        said += f" {plural(hidden, 'node')} of {len(trace.tree):,} are folded; what comes back from them is told."
    return said


def _window_head(trace: Trace) -> str:
    return {OWN: "own bound", INTERVAL: "value within"}.get(trace.convention.show, "window")


def _legend(trace: Trace) -> list[str]:
    players = {PLAYER_NAMES[node.player] for node in trace.tree if node.player is not None}
    signs = [meaning for name, meaning in _SIGNS.items() if name in players]
    signs += [
        "1. 2. 3. order of visits",
        "a frame: here the search is",
        "thick: the way to it; at the end, the best line",
    ]
    return signs + (["╳ cut off; dashed: never looked at"] if trace.convention.prunes else [])


def _cuts(cuts: list[dict[str, Any]]) -> str:
    items = "".join(
        f'<li><button type="button"><b>{escape(cut["pruned"])}</b> cut off: {escape(cut["reason"])}</button></li>\n'
        for cut in cuts
    )
    return f'<p id="no-cuts"{" hidden" if cuts else ""}>None so far.</p>\n<ol id="cuts">\n{items}</ol>'


# ---- the data ----------------------------------------------------------------------------------------------------


def _data(labels: Labels, trace: Trace, folded: Folded, pseudocode: Pseudocode) -> dict[str, Any]:
    """What the script needs, by the nodes' indices: as docs/stepping.md has it."""
    nodes: dict[int, dict[str, Any]] = {}
    folds: dict[int, int] = {}  # the first node of each, and the node above it
    for place, item in enumerate(folded.items):
        above = folded.items[folded.parents[place]] if place else None
        assert not isinstance(above, Fold)
        if isinstance(item, Fold):
            assert above is not None
            folds[item.children[0]] = above
            continue
        node = trace.tree.nodes[item]
        told: dict[str, Any] = {"id": node.id}
        if above is not None:
            told["parent"] = above
        if node.player is None:
            told["value"] = format_number(node.value)
        else:
            told["moves"] = PLAYER_NAMES[node.player]
        if item in labels.line:
            told["line"] = True
        nodes[item] = told
    steps, cuts = _steps(trace, nodes, pseudocode)
    return {
        "schema": SCHEMA,
        "hasWindows": trace.convention.prunes,
        "before": f"The search has not begun. {plural(len(trace.steps), 'step')} follow.",
        "nodes": nodes,
        "folds": folds,
        "cuts": cuts,
        "steps": steps,
    }


def _steps(
    trace: Trace, nodes: dict[int, dict[str, Any]], pseudocode: Pseudocode
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The steps at the nodes drawn, and their cuts. Of a child that is folded away is told what it changes."""
    steps: list[dict[str, Any]] = []
    cuts: list[dict[str, Any]] = []
    stands: dict[int, tuple[str, str]] = {}  # the window and the value that stand at a node
    drawn = ((number, step) for number, step in enumerate(trace.steps, 1) if step.node in nodes)
    for (number, step), change in zip(drawn, changes(trace, nodes), strict=True):
        index = step.node
        window = "" if change.window == change.value else change.window
        before = stands.get(index, ("", ""))
        if step.kind == "value" and step.child not in nodes and before == (window, change.value):
            continue
        stands[index] = (window, change.value)
        told: dict[str, Any] = {"number": number, "kind": step.kind, "node": index, "say": describe_step(trace, step)}
        if window != before[0]:
            told["window"] = window
        if change.value != before[1]:
            told["value"] = change.value
        line = pseudocode.line_of(step)
        if line is not None:
            told["line"] = line
        if change.cut:
            cut = trace.cuts[change.cut - 1]
            told |= {"skipped": list(cut.pruned), "cut": len(cuts)}
            names = listed([trace.tree.nodes[child].id for child in cut.pruned])
            cuts.append({"step": number, "pruned": names, "reason": cut.reason})
        steps.append(told)
    return steps, cuts
