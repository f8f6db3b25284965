"""A searched tree for Graphviz: text in the DOT language, for `dot -Tsvg`, `dot -Tpdf` and whatever reads DOT.

Players differ in shape (MAX a house that points up, MIN one that points down, chance an ellipse, leaves boxes); what
was never looked at is dashed and grey, its values in parentheses; arcs that are cut off end in a bar and carry a cross;
the reason of a cut stands at the node that makes it, and as a tooltip on the arcs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo.drawing.options import Options
from zermelo.drawing.style import COLOURS
from zermelo.teaching.diagrams.folding import Fold, fold
from zermelo.teaching.diagrams.labels import Label, Labels, plural
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.trace import Trace

SHAPES = {"max": "house", "min": "invhouse", "chance": "ellipse", "leaf": "box"}
CROSS = "╳"
#: With more nodes the reasons of cuts stand below the tree and in tooltips only.
REASONS_UP_TO = 80
#: So many cuts are told below the tree.
MOST_CUTS = 40

# What XML cannot hold, so that no SVG made from the text could be read.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def dot(drawn: Tree | Trace, options: Options | None = None) -> str:
    """The tree, and what a search did on it, as a graph in DOT, ending with a line's end."""
    labels = Labels(drawn, options)
    return "\n".join(_lines(labels)) + "\n"


def quoted(text: str, *, left: bool = False) -> str:
    r"""A text as a quoted string of DOT that means just this text: no `\N` or `\n` in it is obeyed, nor an entity.

    Lines are centred, or stand at the left.

    >>> quoted('say "A\\N"')
    '"say \\"A\\\\N\\""'
    """
    text = _UNWRITABLE.sub("�", text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    lines = text.splitlines()
    return '"' + ("".join(f"{line}\\l" for line in lines) if left and len(lines) > 1 else "\\n".join(lines)) + '"'


def _tip(text: str) -> str:
    """A tooltip. Graphviz obeys what follows a backslash in it twice over, so another sign stands for that."""
    return quoted(text.replace("\\", "∖"))


def _lines(labels: Labels) -> Iterator[str]:
    folded = fold(labels)
    options = labels.options
    grey, red = COLOURS["grey"][0], COLOURS["cut"][0]
    with_reasons = len(folded.items) <= REASONS_UP_TO if options.reasons is None else options.reasons
    yield f"digraph {quoted(labels.tree.name or 'tree')} {{"
    yield f"  graph [ordering=out, ranksep=0.4, nodesep=0.2, forcelabels=true, tooltip={_tip(labels.title)}];"
    font = 'fontname="Helvetica,Arial,sans-serif"'
    yield f'  node [{font}, fontsize=12, style=filled, fillcolor=white, margin="0.06,0.04"];'
    yield f"  edge [{font}, fontsize=11, arrowhead=none];"
    if options.legend and labels.trace is not None:
        cuts = [f"{CROSS} {number}  {cut}" for number, cut in enumerate(labels.cuts, 1)]
        if len(cuts) > MOST_CUTS:
            cuts[MOST_CUTS:] = [f"and {plural(len(cuts) - MOST_CUTS, 'more cut')}"]
        below = quoted("\n".join([" ", _found(labels), *cuts]), left=True)
        yield f"  label={below}; labeljust=l; {font}; fontsize=12;"
    for place, item in enumerate(folded.items):
        if isinstance(item, Fold):
            said = f"… {plural(item.nodes, 'node')}"
            said += f"\n{item.pruned:,} cut off" if 0 < item.pruned < item.nodes else ""
            yield f"  n{place} [label={quoted(said)}, shape=box3d, style=dashed, color={quoted(grey)}];"
            crossed = item.crossed if item.crossed <= labels.cut_count else 0
            label = None
        else:
            label = labels.at(item)
            yield f"  n{place} [{', '.join(_node(labels, label, item, with_reasons))}];"
            crossed = label.crossed
        if folded.parents[place] >= 0:
            arc = _arc(labels, label, crossed, grey, red)
            yield f"  n{folded.parents[place]} -> n{place}" + (f" [{', '.join(arc)}];" if arc else ";")
    yield "}"


def _found(labels: Labels) -> str:
    from zermelo.teaching.tree.numbers import format_number

    trace, step = labels.trace, labels.options.step
    assert trace is not None
    if step is not None and step < len(trace.steps):
        return f"After step {step:,} of {len(trace.steps):,}"
    return f"Value {format_number(trace.value)}. {trace.convention}"


def _node(labels: Labels, label: Label, index: int, with_reasons: bool) -> Iterator[str]:
    was_searched = labels.trace is not None
    value = f"({label.value})" if label.value and was_searched and not label.is_visited else label.value
    order = f"#{label.order}" if label.order else ""
    # A label outside of the shape (xlabel) would lie across the arcs.
    reason = label.reason.rpartition(" at ")[0] if with_reasons else ""
    said = [label.name, value, label.window, reason, order, *label.state.splitlines(), label.transposition]
    yield f"label={quoted(chr(10).join(filter(None, said)) or ' ')}"
    yield f"shape={SHAPES[label.kind]}"
    node = labels.tree.nodes[index]
    told = [
        node.id if label.kind == "leaf" else f"{node.id}: {label.kind.upper() if label.kind != 'chance' else 'chance'}"
    ]
    told += ["never looked at"] if label.is_pruned else []
    yield f"tooltip={_tip(', '.join([*told, *filter(None, [label.reason])]))}"
    if label.is_pruned:
        yield f'style="filled,dashed", color={quoted(COLOURS["grey"][0])}, fontcolor={quoted(COLOURS["grey"][0])}'
    elif label.kind != "leaf":
        yield f"fillcolor={quoted(COLOURS[label.kind][0])}"
    if label.is_current:
        yield "peripheries=2, penwidth=2"
    elif label.is_on_line:
        yield "penwidth=2"


def _arc(labels: Labels, label: Label | None, crossed: int, grey: str, red: str) -> list[str]:
    """The attributes of an arc: what it is called, and whether it is crossed out."""
    said = [label.arc] if label and label.arc else []
    attributes = []
    if crossed and labels.trace is not None:
        said.append(f"{CROSS} {crossed}")
        reason = _tip(labels.trace.cuts[crossed - 1].reason)
        attributes += [f"style=dashed, color={quoted(grey)}, arrowhead=tee, fontcolor={quoted(red)}"]
        attributes += [f"tooltip={reason}, labeltooltip={reason}"]
    elif label and label.is_pruned:
        attributes.append(f"style=dashed, color={quoted(grey)}")
    elif label and label.is_on_line:
        attributes.append("penwidth=2.5")
    if said:
        attributes.insert(0, f"label={quoted(chr(10).join(said))}")
    return attributes
