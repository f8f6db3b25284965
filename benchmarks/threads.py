"""Speedup of two threads over one: the same fixed-depth Othello analysis, measured in pairs.

    python benchmarks/threads.py [--depth D] [--pairs N] [--threads N] [--table SIZE] [--json]

A ratio is the seconds of one thread divided by the seconds of several threads in the same pair. The result is the
median ratio.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

import report

import zermelo

GOAL = 1.6  # with two threads

# Games 1, 101, 201 and 401 of the French Othello Federation's WTHOR file for 2024, each after 20 moves.
POSITIONS = [
    "------------------XO-OX--OOOOO----OOOOO--OXXXXX----XXO-------X-- X",
    "-----X-----OXX----OOOXXX-OOOOXX---OXXO-----XOO------O----------- X",
    "----------OXO---X-OXX----OOXXO--OOXXXO--O-XXXO-----X------------ X",
    "---X-X----XXX----OXXO---OOXOOO---OOOXX---OOOO------------------- X",
]


def analyse(text: str, depth: int, threads: int, table: str) -> Any:
    """Analyse a position with an empty transposition table."""
    return zermelo.analyse(
        zermelo.load("othello").parse(text), depth=depth, evaluation="mobility", threads=threads, table=table
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--depth", type=int, default=13, help="search depth in plies (default 13: a few seconds with one thread)"
    )
    parser.add_argument("--pairs", type=int, default=3, help="pairs of measurements per position (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="threads to compare with one (default 2)")
    parser.add_argument("--table", default="64M", help="size of the transposition table (default 64M)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    for threads in (1, options.threads):
        analyse(POSITIONS[0], 2, threads, options.table)  # compile before the measurement
    measured: list[dict[str, Any]] = []
    for text in POSITIONS:
        for pair in range(options.pairs):
            order = (1, options.threads) if pair % 2 == 0 else (options.threads, 1)
            analyses = {threads: analyse(text, options.depth, threads, options.table) for threads in order}
            one, many = analyses[1], analyses[options.threads]
            measured.append(
                {
                    "position": text,
                    "seconds": [one.seconds, many.seconds],
                    "nodes": [one.nodes, many.nodes],
                    "scores": [one.score.number, many.score.number],
                    "ratio": one.seconds / many.seconds,
                }
            )
    overall = median(each["ratio"] for each in measured)
    if options.json:
        settings = {"depth": options.depth, "threads": options.threads, "table": options.table}
        goal = {"goal": GOAL, "met": overall >= GOAL} if options.threads == 2 else {}
        report.print_json({**settings, "measured": measured, "median_ratio": overall, **goal})
        return
    rows = []
    for number, text in enumerate(POSITIONS, 1):
        pairs = [each for each in measured if each["position"] == text]
        cells = [str(number)]
        for side in (0, 1):
            cells.append(report.format_count(median(each["nodes"][side] for each in pairs)))
            cells.append(f"{median(each['seconds'][side] for each in pairs):.2f}")
        rows.append([*cells, f"{median(each['ratio'] for each in pairs):.2f}"])
    many_name = f"{options.threads} threads"
    columns = ["position", "1 thread: nodes", "seconds", f"{many_name}: nodes", "seconds ", "ratio"]
    title = f"Othello to depth {options.depth}, table {options.table}, medians of {options.pairs} pairs"
    report.print_table(f"{title}; {report.processor()}", columns, rows, numbers=columns[1:])
    goal_text = f" (goal {GOAL}: {'met' if overall >= GOAL else 'MISSED'})" if options.threads == 2 else ""
    print(f"median ratio {overall:.2f}{goal_text}")


if __name__ == "__main__":
    main()
