"""Exact Othello endgames FFO #40 to #44: score, best move, nodes and seconds, compared with Zebra's node count.

    python benchmarks/endgames.py [--threads N] [--evaluation NAME] [--first CONFIDENCES] [--json]

`--first 73,95` searches each position to its end at confidences of 73 and 95 % before, on the same table; nodes and
seconds include these searches. Exit status 1 if a score or a best move is wrong.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any

import report

import zermelo

POSITIONS = Path(__file__).with_name("ffo40-44.tsv")
ZEBRA_NODES = 112_000_000  # all five positions, one thread, trained weights


def positions() -> list[dict[str, str]]:
    """Read the positions and their published solutions."""
    lines = (line for line in POSITIONS.read_text().splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t"))


def solve(row: dict[str, str], threads: int, evaluation: str, first: list[int]) -> dict[str, Any]:
    """Solve a position, after searches at the confidences `first`, and compare with the published solution."""
    state = zermelo.load("othello").parse(row["position"])
    started = time.perf_counter()
    nodes = 0
    with zermelo.Engine(threads=threads) as engine:
        for confidence in first:
            engine.selective = confidence
            nodes += engine.analyse(state, depth=int(row["empties"]), evaluation=evaluation).nodes
        engine.selective = False
        analysis = engine.analyse(state, exact=True, evaluation=evaluation)
    seconds = time.perf_counter() - started
    score = analysis.score.pov(state.to_move()).number  # published scores are for the side to move
    best = analysis.best or ""
    return {
        "id": int(row["id"]),
        "empties": int(row["empties"]),
        "score": score,
        "best": best,
        "nodes": nodes + analysis.nodes,
        "seconds": seconds,
        "right": score == int(row["score"]) and best in row["best"].split(","),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="search threads (default 1)")
    parser.add_argument("--evaluation", default="patterns", help="evaluation that orders moves (default patterns)")
    parser.add_argument(
        "--first",
        type=lambda text: [int(each) for each in text.split(",")],
        default=[],
        metavar="CONFIDENCES",
        help="confidences of searches before, in percent (default none)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = positions()
    solve(rows[0], options.threads, options.evaluation, options.first)  # compile before the measurement
    solved = [solve(row, options.threads, options.evaluation, options.first) for row in rows]
    nodes, seconds = sum(each["nodes"] for each in solved), sum(each["seconds"] for each in solved)
    wrong = [each["id"] for each in solved if not each["right"]]
    if options.json:
        total = {"nodes": nodes, "seconds": seconds, "zebra_nodes": ZEBRA_NODES}
        report.print_json({"threads": options.threads, "solved": solved, "total": total, "wrong": wrong})
    else:
        cells = [
            [
                f"#{each['id']}",
                str(each["empties"]),
                f"{each['score']:+d}",
                each["best"],
                report.format_count(each["nodes"]),
                f"{each['seconds']:.2f}",
                report.format_rate(each["nodes"] / each["seconds"]),
                "" if each["right"] else "WRONG",
            ]
            for each in solved
        ]
        rate = report.format_rate(nodes / seconds)
        cells.append(["total", "", "", "", report.format_count(nodes), f"{seconds:.2f}", rate, ""])
        columns = ["FFO", "empties", "score", "best", "nodes", "seconds", "nodes/s", ""]
        title = f"Exact endgames, {options.evaluation}, {options.threads} thread(s); {report.processor()}"
        report.print_table(title, columns, cells, numbers=columns[1:3] + columns[4:7])
        print("Zebra needs 112 million nodes for all five. Scores are for the side to move.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
