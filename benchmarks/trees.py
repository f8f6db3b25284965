"""Trees: seconds to generate, read, trace, describe and draw them, compared with goals.

    python benchmarks/trees.py [--large] [--json]

Seconds are processor time. A ratio is the goal divided by the seconds: above 1 the goal is met. `--large` adds a tree
of a million leaves and 8 MB of brackets.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import report

from zermelo.teaching.tree import game_tree, random_tree, read, to_brackets, to_dict, trace
from zermelo.teaching.tree.move_orders import compare_orders
from zermelo.teaching.tree.narration import describe_step

#: Goals in seconds per `NODES` nodes.
TRACE_GOAL, DRAW_GOAL = 2.0, 3.0
NODES = 100_000


def medium_tree() -> Any:
    """Return a random tree of 88,573 nodes: branching factor 3, depth 10."""
    return random_tree(1, branching=(3, 3), depth=(10, 10), values=(-999, 999))


def measure_all(large: bool) -> list[dict[str, Any]]:
    """Run all measurements."""
    tree = medium_tree()
    rows: list[dict[str, Any]] = []

    def measure(label: str, nodes: int, work: Callable[[], Any], goal: float | None = None, repeats: int = 3) -> Any:
        """Measure the best of several runs; `goal` is for 100,000 nodes."""
        seconds, result = float("inf"), None
        for _ in range(repeats):
            result = None
            gc.collect()
            started = time.process_time()
            result = work()
            seconds = min(seconds, time.process_time() - started)
        scaled = seconds * NODES / nodes
        ratio = None if goal is None else goal / scaled
        rows.append(
            {"label": label, "nodes": nodes, "seconds": seconds, "per_100000": scaled, "goal": goal, "ratio": ratio}
        )
        return result

    measure("generate", len(tree), medium_tree)
    for convention in ("minimax", "alphabeta", "negamax"):
        # Alpha-beta visits fewer nodes; its goal is for the whole tree too.
        measure(f"trace, {convention}", len(tree), partial(trace, tree, convention), TRACE_GOAL)
    search = trace(tree, "minimax")
    measure("describe each step", len(tree), lambda: [describe_step(search, step) for step in search.steps])
    measure("trace as JSON", len(tree), lambda: json.dumps(search.as_json()))
    measure("compare move orders", len(tree), lambda: compare_orders(tree, samples=1), repeats=1)
    text, data = to_brackets(tree), json.dumps(to_dict(tree))
    measure(f"read {len(text) / 1e6:.1f} MB of brackets", len(tree), lambda: read(text))
    measure(f"read {len(data) / 1e6:.1f} MB of JSON", len(tree), lambda: read(data))
    measure("game tree, Othello to depth 6", len(othello_tree()), othello_tree, repeats=1)
    try:
        from zermelo.drawing.drawing import draw
    except ImportError as error:
        print(f"drawing skipped: {error}")
    else:
        measure("draw as SVG, collapsed", len(tree), lambda: draw(search).svg(), DRAW_GOAL, repeats=1)
    if large:
        measure_large(measure)
    return rows


def othello_tree() -> Any:
    """Return the game tree of Othello to depth 6."""
    import zermelo

    return game_tree(zermelo.load("othello").start(), 6, "mobility")


def measure_large(measure: Callable[..., Any]) -> None:
    """Measure a tree of a million leaves and its text of 8 MB, without goals."""

    def large_tree() -> Any:
        return random_tree(1, branching=(10, 10), depth=(6, 6), values=(-(10**6), 10**6), ties=False)

    tree = measure("generate a million leaves", 1_111_111, large_tree, repeats=1)
    for convention in ("minimax", "alphabeta"):
        measure(f"trace, {convention}, a million leaves", len(tree), partial(trace, tree, convention), repeats=1)
    text = to_brackets(tree)
    measure(f"read {len(text) / 1e6:.0f} MB of brackets", len(tree), lambda: read(text), repeats=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--large", action="store_true", help="also measure a tree of a million leaves (takes a minute)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = measure_all(options.large)
    missed = [row["label"] for row in rows if row["ratio"] is not None and row["ratio"] < 1]
    if options.json:
        report.print_json({"measured": rows, "met": not missed})
        return
    columns = ["task", "nodes", "seconds", "per 100,000", "goal", "ratio"]
    table = [
        [
            row["label"],
            report.format_count(row["nodes"]),
            f"{row['seconds']:.2f}",
            f"{row['per_100000']:.2f}",
            "" if row["goal"] is None else f"{row['goal']:.0f}",
            report.format_ratio(row["ratio"]),
        ]
        for row in rows
    ]
    report.print_table(f"Trees; {report.processor()}", columns, table, numbers=columns[1:])
    print(f"goals missed: {', '.join(missed)}" if missed else "all goals met")


if __name__ == "__main__":
    main()
