"""Additional checks of two cases: rows of numbers, and orders of children."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from zermelo.teaching.lectures.cases import Case, tree_of
from zermelo.teaching.lectures.checks import Check, compared, misprinted
from zermelo.teaching.tree.parsing import read, to_dict
from zermelo.teaching.tree.trace import trace


def minimax_example2(case: Case) -> Iterator[Check]:
    """Check which of the printed rows follow from each other."""
    rows = case.data["rows"]
    low, high = rows["min_row"], rows["max_row"]
    triples = [max(low[place : place + 3]) for place in range(0, len(low), 3)]
    yield compared("third row from the second, in groups of 3", high, triples)
    for size in (2, 3):
        minima = [min(high[place : place + size]) for place in range(0, len(high), size)]
        yield misprinted(f"fourth row from the third, in groups of {size}", rows["min_row2_as_printed"], minima)
    unmatched = sorted(set(low) - set(rows["leaves_as_printed"]))
    yield misprinted("numbers of the second row that are not leaves", [], unmatched)
    yield compared("root from the fourth row", rows["root"], max(rows["min_row2_as_printed"]))


def orders(case: Case) -> Iterator[Check]:
    """Check the number of leaves below E that are read, for each order of its children."""
    best, intermediate, worst = (tree_of(f"liang_order_{order}") for order in ("LKM", "KLM", "KML"))
    found = {}
    for name, tree in (("best, L K M", best), ("intermediate, K L M", intermediate), ("worst, K M L", worst)):
        found[name] = _leaves_below(to_dict(tree))
    yield compared("leaves below E", {"best, L K M": 1, "intermediate, K L M": 3, "worst, K M L": 5}, found)

    data = to_dict(best)
    e = next(child for child in data["children"] if child["id"] == "E")
    every = {}
    for order in permutations(e["children"]):
        e["children"] = list(order)
        every[" ".join(child["id"] for child in order)] = _leaves_below(data)
    expected = {order: 1 + 2 * order.split().index("L") for order in every}
    yield compared("leaves below E in all six orders: 2 more for each child before L", expected, every)
    average = sum(every.values()) / len(every)
    yield compared(
        "average of all orders", found["intermediate, K L M"], average, note="the intermediate order is the average"
    )


def _leaves_below(data: dict[str, object]) -> int:
    tree = read(data)
    inside = {node.id for node in tree.subtree(tree["E"])}
    return sum(leaf.id in inside for leaf in trace(tree, "equal fail-hard").leaves)
