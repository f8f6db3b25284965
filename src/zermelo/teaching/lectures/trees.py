"""Check the tree of a case under every convention in its data: values, windows, cuts and order of visits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from zermelo.core.game import MAX
from zermelo.errors import TreeError
from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import Check, compared, misprinted
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import as_json
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.trace import Trace, trace

#: The keys of `Trace.as_json` that are compared.
KEYS = (
    "value",
    "visit_order",
    "leaves_evaluated",
    "leaf_count",
    "entry_window",
    "exit_window",
    "returned",
    "cuts",
    "pruned_subtrees",
    "paths",
)


def checks(case: Case) -> Iterator[Check]:
    """Check minimax values, each convention in the data, and the bounds and values on the slides."""
    tree = case.tree
    traced = cache(lambda convention: trace(tree, convention))
    yield from _minimax(case, tree)
    for convention, expected in case.data.get("expected", {}).items():
        if "refused" in expected:
            yield _refused(tree, convention, expected["refused"])
            continue
        found = comparable(traced(convention))
        for key in KEYS:
            if key in expected:
                yield compared(key, expected[key], _in_order_of(expected[key], found[key]), convention)
    if "shown" in case.data:
        yield bounds_shown(traced(case.convention), case.data["shown"])
    if "printed" in case.data:
        under, values = case.data["printed"]["under"], case.data["printed"]["values"]
        returned = {id: as_json(traced(under).record(id).returned) for id in values}
        yield compared("values on the slide", values, returned, under)
    for id, value in case.data.get("misprinted", {}).items():
        correct = as_json(traced("minimax").record(id).returned)
        yield misprinted(f"{id} on the slide", value, correct, "minimax")


def _in_order_of(expected: Any, found: Any) -> Any:
    """Order the keys as in `expected`, so that both are easy to compare; other keys follow."""
    if not isinstance(expected, dict):
        return found
    return {key: found[key] for key in expected if key in found} | found


def comparable(trace: Trace) -> dict[str, Any]:
    """The results of a trace that are compared with the data."""
    found = trace.as_json(steps=False)
    keys = ("at", "after", "kind", "alpha", "beta", "pruned_children")
    cuts = [{key: cut[key] for key in keys} for cut in found["cuts"]]
    return found | {"cuts": cuts, "paths": {id: returned_path(trace, trace.tree[id]) for id in found["returned"]}}


def returned_path(trace: Trace, node: Node) -> list[str]:
    """The path that a node returns with its value: its best child, the path of that child, and so on.

    In the variant `path`, it is empty after a cutoff and where no child improves on the bound: `None` in figure 11.6 of
    Poole and Mackworth.
    """
    path: list[str] = []
    best = trace.record(node).best
    while best is not None:
        path.append(trace.tree.nodes[best].id)
        best = trace.records[best].best
    return path


def _minimax(case: Case, tree: Tree) -> Iterator[Check]:
    """Check the minimax values. If a leaf is unknown, minimax must refuse the whole tree."""
    unknown = case.data.get("unknown", [])
    if unknown:
        yield _refused(tree, "minimax", unknown[0])
    if "minimax" not in case.data:
        return
    expected = case.data["minimax"]
    if unknown:
        found = {id: as_json(trace(subtree(tree, tree[id]), "minimax").value) for id in expected}
    else:
        minimax = trace(tree, "minimax")
        found = {id: as_json(minimax.record(id).returned) for id in expected}
    yield compared("values", expected, found, "minimax")


def subtree(tree: Tree, node: Node) -> Tree:
    """The subtree of a node as a tree."""
    stack = [to_dict(tree)]
    while stack:
        data = stack.pop()
        if data["id"] == node.id:
            return read(data)
        stack += data.get("children", ())
    raise TreeError(f"the tree has no node {node.id!r}")


def _refused(tree: Tree, convention: str, leaf: str) -> Check:
    """Check that the search refuses the tree because of this unknown leaf."""
    expected = f"leaf {leaf!r} has no value"
    try:
        found = f"value {trace(tree, convention).value}"
    except TreeError as error:
        found = str(error).partition(",")[0]
    return compared("refused", expected, found, convention)


def bounds_shown(trace: Trace, shown: list[dict[str, Any]]) -> Check:
    """Check that the bounds on the slides occur in the search in the same order.

    The found rows are the same; a row that does not occur after the previous one is None.
    """
    windows = list(updated_windows(trace))
    found: list[dict[str, Any] | None] = []
    start = 0
    for row in shown:
        bounds = {key: row[key] for key in ("node", "alpha", "beta") if key in row}
        at = next((n for n in range(start, len(windows)) if bounds.items() <= windows[n].items()), None)
        found.append(None if at is None else row)
        start = start if at is None else at + 1
    convention = f"{trace.convention.cut} {trace.convention.variant}"
    return compared("bounds on the slides, in order", shown, found, convention)


def updated_windows(trace: Trace) -> Iterator[dict[str, Any]]:
    """The windows that a lecturer writes beside the nodes: on entry, and after each returned value."""
    for step in trace.steps:
        node = trace.tree.nodes[step.node]
        alpha, beta = step.alpha, step.beta
        if step.kind == "value" and step.value is not None:
            alpha, beta = (max(alpha, step.value), beta) if node.player == MAX else (alpha, min(beta, step.value))
        elif step.kind != "enter":
            continue
        yield {"node": node.id, "alpha": as_json(alpha), "beta": as_json(beta)}
