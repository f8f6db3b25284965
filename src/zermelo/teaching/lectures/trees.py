"""A case's tree under every convention that its data have: values, windows, cuts, the order of visits."""

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

#: What of a trace is compared, in the keys of `Trace.as_json`.
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
)


def checks(case: Case) -> Iterator[Check]:
    """Minimax; each convention of the data; the bounds and values that stand on the slides."""
    tree = case.tree
    traced = cache(lambda convention: trace(tree, convention))
    yield from _minimax(case, tree)
    for convention, expected in case.data.get("expected", {}).items():
        if "refused" in expected:
            yield _refused(tree, convention, expected["refused"])
            continue
        found = told(traced(convention))
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
        true = as_json(traced("minimax").record(id).returned)
        yield misprinted(f"{id} on the slide", value, true, "minimax")


def _in_order_of(expected: Any, found: Any) -> Any:
    """What stands under the same keys in the same order, so that both read alike; other keys come after."""
    if not isinstance(expected, dict):
        return found
    return {key: found[key] for key in expected if key in found} | found


def told(trace: Trace) -> dict[str, Any]:
    """What is compared of a trace; of a cut, what the cases know of it."""
    found = trace.as_json(steps=False)
    keys = ("at", "after", "kind", "alpha", "beta", "pruned_children")
    return {key: found[key] for key in KEYS} | {"cuts": [{key: cut[key] for key in keys} for cut in found["cuts"]]}


def _minimax(case: Case, tree: Tree) -> Iterator[Check]:
    """The minimax value of every node below which all leaves are known; where one is not, minimax must refuse."""
    unknown = case.data.get("unknown", [])
    if unknown:
        yield _refused(tree, "minimax", unknown[0])
    if "minimax" not in case.data:
        return
    expected = case.data["minimax"]
    if unknown:
        found = {id: as_json(trace(subtree(tree, tree[id]), "minimax").value) for id in expected}
    else:
        whole = trace(tree, "minimax")
        found = {id: as_json(whole.record(id).returned) for id in expected}
    yield compared("values", expected, found, "minimax")


def subtree(tree: Tree, node: Node) -> Tree:
    """A node and all below it as a tree of its own."""
    told = [to_dict(tree)]
    while told:
        said = told.pop()
        if said["id"] == node.id:
            return read(said)
        told += said.get("children", ())
    raise TreeError(f"the tree has no node {node.id!r}")


def _refused(tree: Tree, convention: str, leaf: str) -> Check:
    """The search must stop at the first leaf that it needs and nobody knows."""
    said = f"leaf {leaf!r} has no value"
    try:
        found = f"value {trace(tree, convention).value}"
    except TreeError as error:
        found = str(error).partition(",")[0]
    return compared("refused", said, found, convention)


def bounds_shown(trace: Trace, shown: list[dict[str, Any]]) -> Check:
    """Whether the bounds on the slides come up in the search, in the slides' order.

    Found are the same rows; one that does not come up after the one before it is None.
    """
    happens = list(moved_windows(trace))
    found: list[dict[str, Any] | None] = []
    place = 0
    for row in shown:
        wanted = {key: row[key] for key in ("node", "alpha", "beta") if key in row}
        at = next((n for n in range(place, len(happens)) if wanted.items() <= happens[n].items()), None)
        found.append(None if at is None else row)
        place = place if at is None else at + 1
    words = f"{trace.convention.cut} {trace.convention.variant}"
    return compared("bounds on the slides, in order", shown, found, words)


def moved_windows(trace: Trace) -> Iterator[dict[str, Any]]:
    """The windows as a lecturer writes them beside the nodes: each as it is given, and as each value moves it."""
    for step in trace.steps:
        node = trace.tree.nodes[step.node]
        alpha, beta = step.alpha, step.beta
        if step.kind == "value" and step.value is not None:
            alpha, beta = (max(alpha, step.value), beta) if node.player == MAX else (alpha, min(beta, step.value))
        elif step.kind != "enter":
            continue
        yield {"node": node.id, "alpha": as_json(alpha), "beta": as_json(beta)}
