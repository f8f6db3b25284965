"""Trees written out: sown, read, traced, searched, told in words, drawn; each against its goal.

    python benchmarks/trees.py [--large] [--json]

A ratio is the goal's seconds over those taken: above 1 the goal is met. `--large` adds a million leaves, and 8 MB of
brackets.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from typing import Any

import report

from zermelo.teaching.tree import game_tree, random_tree, read, to_brackets, to_dict, trace
from zermelo.teaching.tree.move_orders import compare_orders
from zermelo.teaching.tree.narration import describe_step

TRACED, DRAWN = 2.0, 3.0  # seconds for 100,000 nodes
NODES = 100_000


def hundred_thousand() -> Any:
    """88,573 nodes: three children a node, ten moves deep; what it takes is told for 100,000."""
    return random_tree(1, branching=(3, 3), depth=(10, 10), values=(-999, 999))


def measured(large: bool) -> list[dict[str, Any]]:
    tree = hundred_thousand()
    rows: list[dict[str, Any]] = []

    def measure(doing: str, nodes: int, work: Callable[[], Any], goal: float | None = None, repeats: int = 3) -> Any:
        """The best of a few; the goal is for 100,000 nodes, if there is one."""
        taken, result = float("inf"), None
        for _ in range(repeats):
            result = None
            gc.collect()
            began = time.perf_counter()
            result = work()
            taken = min(taken, time.perf_counter() - began)
        each = taken * NODES / nodes
        ratio = None if goal is None else goal / each
        rows.append(
            {"doing": doing, "nodes": nodes, "seconds": taken, "per_100000": each, "goal": goal, "ratio": ratio}
        )
        return result

    measure("sown", len(tree), hundred_thousand)
    for convention in ("minimax", "alphabeta", "negamax"):
        # Alpha-beta visits few of them: its goal is the same, for the whole tree.
        measure(f"traced, {convention}", len(tree), lambda convention=convention: trace(tree, convention), TRACED)
    told = trace(tree, "minimax")
    measure("each step in words", len(tree), lambda: [describe_step(told, step) for step in told.steps])
    measure("trace as JSON", len(tree), lambda: json.dumps(told.as_json()))
    measure("orders compared", len(tree), lambda: compare_orders(tree, samples=1), repeats=1)
    text, data = to_brackets(tree), json.dumps(to_dict(tree))
    measure(f"read, {len(text) / 1e6:.1f} MB of brackets", len(tree), lambda: read(text))
    measure(f"read, {len(data) / 1e6:.1f} MB of JSON", len(tree), lambda: read(data))
    othello = grown_othello()
    measure("grown, Othello to depth 6", len(othello), grown_othello, repeats=1)
    try:
        from zermelo.drawing.svg import svg
    except ImportError as error:
        print(f"not drawn: {error}")
    else:
        measure("drawn as SVG, folded", len(tree), lambda: svg(told), DRAWN, repeats=1)
    if large:
        measure_large(measure)
    return rows


def grown_othello() -> Any:
    import zermelo

    return game_tree(zermelo.load("othello").start(), 6, "mobility")


def measure_large(measure: Callable[..., Any]) -> None:
    """A million leaves, and texts of 10 MB; no goal but that they are done."""

    def million() -> Any:
        return random_tree(1, branching=(10, 10), depth=(6, 6), values=(-(10**6), 10**6), ties=False)

    tree = measure("sown, a million leaves", 1_111_111, million, repeats=1)
    for convention in ("minimax", "alphabeta"):
        measure(f"traced, {convention}, a million leaves", len(tree), lambda c=convention: trace(tree, c), repeats=1)
    text = to_brackets(tree)
    measure(f"read, {len(text) / 1e6:.0f} MB of brackets", len(tree), lambda: read(text), repeats=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--large", action="store_true", help="also a million leaves (a minute)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = measured(options.large)
    missed = [row["doing"] for row in rows if row["ratio"] is not None and row["ratio"] < 1]
    if options.json:
        report.as_json({"measured": rows, "met": not missed})
        return
    columns = ["what", "nodes", "seconds", "for 100,000", "goal", "ratio"]
    table = [
        [
            row["doing"],
            report.whole(row["nodes"]),
            f"{row['seconds']:.2f}",
            f"{row['per_100000']:.2f}",
            "" if row["goal"] is None else f"{row['goal']:.0f}",
            report.times(row["ratio"]),
        ]
        for row in rows
    ]
    report.table(f"Trees; {report.processor()}", columns, table, numbers=columns[1:])
    print(f"goals missed: {', '.join(missed)}" if missed else "goals met")


if __name__ == "__main__":
    main()
