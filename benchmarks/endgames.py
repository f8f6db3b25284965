"""Exact Othello endings, FFO #40 to #44: score, best move, nodes and seconds, and the sum beside Zebra's.

    python benchmarks/endgames.py [--threads N] [--json]

Exit status 1 if a score or a best move is wrong.
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
ZEBRA_NODES = 112_000_000  # for the five, one thread, with its learnt weights


def positions() -> list[dict[str, str]]:
    lines = (line for line in POSITIONS.read_text().splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t"))


def solve(row: dict[str, str], threads: int) -> dict[str, Any]:
    state = zermelo.load("othello").parse(row["position"])
    began = time.perf_counter()
    found = zermelo.analyse(state, exact=True, threads=threads)
    seconds = time.perf_counter() - began
    score = found.score.number * state.to_move()  # published scores are the mover's, ours are MAX's
    best = found.best if isinstance(found.best, str) else state.move_name(found.best)
    return {
        "id": int(row["id"]),
        "empties": int(row["empties"]),
        "score": score,
        "best": best,
        "nodes": found.nodes,
        "seconds": seconds,
        "right": score == int(row["score"]) and best in row["best"].split(","),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = positions()
    zermelo.analyse(zermelo.load("othello").parse(rows[0]["position"]), depth=1)  # compiles what both searches share
    solve(rows[0], options.threads)  # and the exact search: this first one is not counted
    solved = [solve(row, options.threads) for row in rows]
    nodes, seconds = sum(each["nodes"] for each in solved), sum(each["seconds"] for each in solved)
    wrong = [each["id"] for each in solved if not each["right"]]
    if options.json:
        total = {"nodes": nodes, "seconds": seconds, "zebra_nodes": ZEBRA_NODES}
        report.as_json({"threads": options.threads, "solved": solved, "total": total, "wrong": wrong})
    else:
        shown = [
            [
                f"#{each['id']}",
                str(each["empties"]),
                f"{each['score']:+d}",
                each["best"],
                report.whole(each["nodes"]),
                f"{each['seconds']:.2f}",
                report.three_digits(each["nodes"] / each["seconds"]),
                "" if each["right"] else "WRONG",
            ]
            for each in solved
        ]
        rate = report.three_digits(nodes / seconds)
        shown.append(["sum", "", "", "", report.whole(nodes), f"{seconds:.2f}", rate, ""])
        columns = ["FFO", "empties", "score", "best", "nodes", "seconds", "nodes/s", ""]
        title = f"Exact endings, {options.threads} thread(s); {report.processor()}"
        report.table(title, columns, shown, numbers=columns[1:3] + columns[4:7])
        print("Zebra: 112 million nodes for the five. Scores are for the side to move.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
