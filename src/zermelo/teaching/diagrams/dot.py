"""DOT back end, for Graphviz: `dot -Tsvg`, `dot -Tpdf`.

Players differ in shape: MAX is a house pointing up, MIN one pointing down, chance an ellipse, a leaf a box. Pruned
nodes are dashed and grey, with values in parentheses; pruned arcs end in a bar and carry a cross. The reason of a
cutoff is written at its node and is the tooltip of the arcs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo.drawing.options import Options
from zermelo.drawing.style import COLOURS
from zermelo.teaching.diagrams.folding import Fold, fold
from zermelo.teaching.diagrams.labels import Label, Labels, plural
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.trace import Trace

SHAPES = {"max": "house", "min": "invhouse", "chance": "ellipse", "leaf": "box"}
CROSS = "╳"
#: With more nodes, the reasons of cutoffs are in the legend and in tooltips only.
MAX_NODES_WITH_REASONS = 80
#: Maximum number of cutoffs in the legend.
MAX_CUTS = 40

# Characters that XML cannot contain: SVG made from the graph would be invalid.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def dot(drawn: Tree | Trace, options: Options | None = None) -> str:
    """Render a tree or a trace as a DOT graph, with a final newline."""
    labels = Labels(drawn, options)
    return "\n".join(_lines(labels)) + "\n"


def quoted(text: str, *, left: bool = False) -> str:
    r"""Quote a text for DOT so that it is shown verbatim: escapes such as `\N` and entities have no effect.

    Lines are centred, or left-aligned with `left`.

    >>> quoted('say "A\\N"')
    '"say \\"A\\\\N\\""'
    """
    text = _UNWRITABLE.sub("�", text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    lines = text.splitlines()
    return '"' + ("".join(f"{line}\\l" for line in lines) if left and len(lines) > 1 else "\\n".join(lines)) + '"'


def _tip(text: str) -> str:
    """A tooltip. Graphviz interprets backslashes in it twice, so another character replaces them."""
    return quoted(text.replace("\\", "∖"))


def _lines(labels: Labels) -> Iterator[str]:
    folded = fold(labels)
    options = labels.options
    grey, red = COLOURS["grey"][0], COLOURS["cut"][0]
    with_reasons = len(folded.items) <= MAX_NODES_WITH_REASONS if options.reasons is None else options.reasons
    yield f"digraph {quoted(labels.tree.name or 'tree')} {{"
    yield f"  graph [ordering=out, ranksep=0.4, nodesep=0.2, forcelabels=true, tooltip={_tip(labels.title)}];"
    font = 'fontname="Helvetica,Arial,sans-serif"'
    yield f'  node [{font}, fontsize=12, style=filled, fillcolor=white, margin="0.06,0.04"];'
    yield f"  edge [{font}, fontsize=11, arrowhead=none];"
    if options.legend and labels.trace is not None:
        cuts = [f"{CROSS} {number}  {cut}" for number, cut in labels.conditions.items()]
        if len(cuts) > MAX_CUTS:
            cuts[MAX_CUTS:] = [f"and {plural(len(cuts) - MAX_CUTS, 'more cutoff')}"]
        below = quoted("\n".join([" ", _result(labels), *cuts]), left=True)
        yield f"  label={below}; labeljust=l; {font}; fontsize=12;"
    for place, item in enumerate(folded.items):
        if isinstance(item, Fold):
            text = f"… {plural(item.nodes, 'node')}"
            text += f"\n{item.pruned:,} pruned" if 0 < item.pruned < item.nodes else ""
            yield f"  n{place} [label={quoted(text)}, shape=box3d, style=dashed, color={quoted(grey)}];"
            crossed = item.crossed if item.crossed in labels.shown_cuts else 0
            label = None
        else:
            label = labels.at(item)
            yield f"  n{place} [{', '.join(_node(labels, label, item, with_reasons))}];"
            crossed = label.crossed
        if folded.parents[place] >= 0:
            arc = _arc(labels, label, crossed, grey, red)
            yield f"  n{folded.parents[place]} -> n{place}" + (f" [{', '.join(arc)}];" if arc else ";")
    yield "}"


def _result(labels: Labels) -> str:
    trace, step = labels.trace, labels.options.step
    assert trace is not None
    if step is not None and step < len(trace.steps):
        return f"After step {step:,} of {len(trace.steps):,}"
    return f"Value {format_number(trace.value)}. {trace.convention}"


def _node(labels: Labels, label: Label, index: int, with_reasons: bool) -> Iterator[str]:
    was_searched = labels.trace is not None
    value = f"({label.value})" if label.value and was_searched and not label.is_visited else label.value
    order = f"#{label.order}" if label.order else ""
    # Part of the label: an xlabel outside of the shape would overlap the arcs.
    reason = label.reason if with_reasons else ""
    lines = [label.name, value, label.window, reason, order, *label.state.splitlines(), label.transposition]
    yield f"label={quoted(chr(10).join(filter(None, lines)) or ' ')}"
    yield f"shape={SHAPES[label.kind]}"
    node = labels.tree.nodes[index]
    tooltip = [
        node.id if label.kind == "leaf" else f"{node.id}: {label.kind.upper() if label.kind != 'chance' else 'chance'}"
    ]
    tooltip += ["pruned"] if label.is_pruned else []
    yield f"tooltip={_tip(', '.join([*tooltip, *filter(None, [label.reason])]))}"
    if label.is_pruned:
        yield f'style="filled,dashed", color={quoted(COLOURS["grey"][0])}, fontcolor={quoted(COLOURS["grey"][0])}'
    elif label.kind != "leaf":
        yield f"fillcolor={quoted(COLOURS[label.kind][0])}"
    if label.is_current:
        yield "peripheries=2, penwidth=2"
    elif label.is_on_line:
        yield "penwidth=2"


def _arc(labels: Labels, label: Label | None, crossed: int, grey: str, red: str) -> list[str]:
    """The attributes of an arc: its label, and whether it is crossed out."""
    texts = [label.arc] if label and label.arc else []
    attributes = []
    if crossed and labels.trace is not None:
        texts.append(f"{CROSS} {crossed}")
        cut = labels.trace.cuts[crossed - 1]
        reason = _tip(f"{labels.tree.nodes[cut.node].id}: {labels.condition(cut)}")
        attributes += [f"style=dashed, color={quoted(grey)}, arrowhead=tee, fontcolor={quoted(red)}"]
        attributes += [f"tooltip={reason}, labeltooltip={reason}"]
    elif label and label.is_pruned:
        attributes.append(f"style=dashed, color={quoted(grey)}")
    elif label and label.is_on_line:
        attributes.append("penwidth=2.5")
    if texts:
        attributes.insert(0, f"label={quoted(chr(10).join(texts))}")
    return attributes
