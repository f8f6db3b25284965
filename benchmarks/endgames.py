"""Exact Othello endgames FFO #40 to #49: score, best move, nodes and CPU seconds, beside published node counts.

    python benchmarks/endgames.py [--last N] [--threads N] [--evaluation NAME] [--first CONFIDENCES] [--json]

`--last 44` ends with position #44. `--first 73,95` searches each position to its end at confidences of 73 and 95 %
before, on the same table; nodes and seconds include these searches. Exit status 1 if a score or a best move is wrong.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import report

import zermelo

POSITIONS = Path(__file__).with_name("ffo40-49.tsv")
ZEBRA_NODES = 112_000_000  # positions #40 to #44, one thread, trained weights


def positions(last: int) -> list[dict[str, str]]:
    """Read the positions up to number `last`, with their published solutions and node counts."""
    lines = (line for line in POSITIONS.read_text().splitlines() if not line.startswith("#"))
    return [row for row in csv.DictReader(lines, delimiter="\t") if int(row["id"]) <= last]


def solve(row: dict[str, str], threads: int, evaluation: str, first: list[int]) -> dict[str, Any]:
    """Solve a position, after searches at the confidences `first`, and compare with the published solution."""
    state = zermelo.load("othello").parse(row["position"])
    started = time.process_time()
    nodes = 0
    with zermelo.Engine(threads=threads) as engine:
        for confidence in first:
            engine.selective = confidence
            nodes += engine.analyse(state, depth=int(row["empties"]), evaluation=evaluation).nodes
        engine.selective = False
        analysis = engine.analyse(state, exact=True, evaluation=evaluation)
    seconds = time.process_time() - started
    score = analysis.score.pov(state.to_move()).number  # published scores are for the side to move
    best = analysis.best or ""
    return {
        "id": int(row["id"]),
        "empties": int(row["empties"]),
        "score": score,
        "best": best,
        "nodes": nodes + analysis.nodes,
        "seconds": seconds,
        "edax": int(row["edax"]),
        "egaroucid": int(row["egaroucid"]),
        "right": score == int(row["score"]) and best in row["best"].split(","),
    }


def total(solved: list[dict[str, Any]]) -> dict[str, Any]:
    """The sums of several positions."""
    sums = {key: sum(each[key] for each in solved) for key in ("nodes", "seconds", "edax", "egaroucid")}
    return {"id": f"#{solved[0]['id']} to #{solved[-1]['id']}", **sums}


def cells(found: dict[str, Any]) -> list[str]:
    """A row of the table: a position, or a total, which has no score."""
    return [
        f"#{found['id']}" if "score" in found else found["id"],
        str(found.get("empties", "")),
        f"{found['score']:+d}" if "score" in found else "",
        found.get("best", ""),
        report.format_count(found["nodes"]),
        f"{found['seconds']:.2f}",
        report.format_rate(found["nodes"] / found["seconds"]),
        report.format_count(found["edax"]),
        report.format_count(found["egaroucid"]),
        "" if found.get("right", True) else "WRONG",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--last", type=int, default=49, metavar="N", help="last position, 40 to 49 (default 49)")
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
    rows = positions(options.last)
    solve(rows[0], options.threads, options.evaluation, options.first)  # compile before the measurement
    solved = [solve(row, options.threads, options.evaluation, options.first) for row in rows]
    wrong = [each["id"] for each in solved if not each["right"]]
    totals = [total(part) for part in (solved[:5], solved)[: 1 + (len(solved) > 5)]]
    if options.json:
        report.print_json({
            "threads": options.threads, "solved": solved, "totals": totals, "zebra_nodes": ZEBRA_NODES, "wrong": wrong,
        })  # fmt: skip
    else:
        columns = ["FFO", "empties", "score", "best", "nodes", "CPU s", "nodes/s", "Edax", "Egaroucid", ""]
        title = f"Exact endgames, {options.evaluation}, {options.threads} thread(s); {report.processor()}"
        report.print_table(title, columns, [cells(each) for each in solved + totals], columns[1:3] + columns[4:9])
        print(
            "Edax 4.5.2 and Egaroucid 7.5.0: nodes that they publish, with 32 and 42 threads. Zebra needs 112 million "
            "nodes for #40 to #44 with one thread. Scores are for the side to move."
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    report.run(main)
