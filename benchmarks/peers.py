"""Search speed of Zermelo, other libraries and hand-written C: nodes, nodes per second and ratios.

One thread, no table. All sides search in turn in each round, so that a change of the machine's speed affects all
alike. A rate is the median over the rounds, a ratio the median of the rounds' ratios. Rates are those of whole calls.
Nodes are counted in a separate run where counting would slow a side down. The column "tree" says "plain" where a side
visits exactly the nodes of plain alpha-beta (or minimax) in the order of the squares.

    python benchmarks/peers.py [--rounds N] [--only SIDE] [--json]

Exit status 1 if a side that should search the plain tree visits other nodes.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
import warnings
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import report
from sides.benchmark import CONNECT4, OTHELLO, OTHELLO_DEEPER, TICTACTOE_MINIMAX, WORKLOADS, Benchmark

SIDES = {
    "ours": "Zermelo",
    "c": "C",
    "openspiel": "OpenSpiel",
    "easyai": "easyAI",
    "aima": "aima-python",
    "rust_reversi": "rust-reversi",
}
OURS, C = SIDES["ours"], SIDES["c"]
SAMPLE_SECONDS = 0.2  # shorter searches are repeated until a sample lasts this long
GOALS = {TICTACTOE_MINIMAX: 20e6, CONNECT4: 20e6, OTHELLO: 25e6}  # nodes per second of Zermelo
C_RATIO_GOAL = 1.3  # Othello: C may be at most this many times as fast


@dataclass
class Measurement:
    """Rates of one benchmark, in nodes per second, one per round."""

    benchmark: Benchmark
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return median(self.rates)

    def ratio_to(self, other: Measurement) -> float:
        """Return the ratio of this rate to another, as the median over the rounds."""
        return median(mine / theirs for mine, theirs in zip(self.rates, other.rates, strict=True))


def gather(only: list[str]) -> tuple[list[Benchmark], dict[str, str]]:
    """Return the benchmarks of all available sides, and the reasons why others are unavailable."""
    benchmarks: list[Benchmark] = []
    unavailable: dict[str, str] = {}
    for module, name in SIDES.items():
        if only and module not in only:
            continue
        progress(f"{name}: counting nodes")
        try:
            benchmarks += importlib.import_module(f"sides.{module}").benchmarks()
        except report.Unavailable as error:
            unavailable[name] = str(error)
        except ImportError as error:
            unavailable[name] = f"not installed ({error})"
        except Exception as error:  # an error in another library must not end the run
            unavailable[name] = f"failed ({type(error).__name__}: {error})"
    return benchmarks, unavailable


def sample(benchmark: Benchmark) -> float:
    """Measure nodes per second over at least SAMPLE_SECONDS of searches.

    If a result reports its own seconds, these count, so that the cost of the call from Python is left out.
    """
    searches = 1
    while True:
        seconds = 0.0
        for _ in range(searches):
            started = time.perf_counter()
            result = benchmark.run()
            seconds += getattr(result, "seconds", time.perf_counter() - started)
        if seconds >= SAMPLE_SECONDS:
            return benchmark.nodes * searches / seconds
        searches = max(searches + 1, math.ceil(searches * 1.2 * SAMPLE_SECONDS / max(seconds, 1e-6)))


def measure(benchmarks: list[Benchmark], rounds: int) -> list[Measurement]:
    measured = [
        Measurement(benchmark) for workload in WORKLOADS for benchmark in benchmarks if benchmark.workload == workload
    ]
    for workload in WORKLOADS:
        for turn in range(rounds):
            progress(f"{workload}: round {turn + 1} of {rounds}")
            for each in measured:
                if each.benchmark.workload == workload:
                    each.rates.append(sample(each.benchmark))
    progress("")
    return measured


def progress(text: str) -> None:
    """Show progress on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def ours_for(workload: str, measured: list[Measurement]) -> Measurement | None:
    """Return the measurement of Zermelo's compiled search."""
    return next(
        (each for each in measured if each.benchmark.workload == workload and each.benchmark.side == OURS), None
    )


def wrong_counts(measured: list[Measurement]) -> list[str]:
    """List the benchmarks whose node count is not that of the plain tree."""
    return [
        f"{each.benchmark.side}, {each.benchmark.workload} ({each.benchmark.search}): "
        f"{each.benchmark.nodes:,} nodes, expected {each.benchmark.expected:,}"
        for each in measured
        if each.benchmark.expected is not None and each.benchmark.nodes != each.benchmark.expected
    ]


def goals(measured: list[Measurement]) -> list[dict[str, Any]]:
    """Compare the measurements with the goals."""
    comparisons: list[dict[str, Any]] = []
    for workload, goal in GOALS.items():
        ours = ours_for(workload, measured)
        if ours:
            comparisons.append(
                {"label": f"{workload}: nodes/s", "goal": goal, "value": ours.rate, "met": ours.rate > goal}
            )
    for each in measured:
        benchmark, ours = each.benchmark, ours_for(each.benchmark.workload, measured)
        if ours and benchmark.workload in (OTHELLO, OTHELLO_DEEPER) and benchmark.side.startswith(C):
            value = each.ratio_to(ours)
            label = f"{benchmark.workload}: {benchmark.side} / {OURS}"
            if benchmark.side == C:  # the same algorithm as the rules in Python; the vectorized C has no goal
                comparisons.append({"label": label, "goal": C_RATIO_GOAL, "value": value, "met": value <= C_RATIO_GOAL})
            else:
                comparisons.append({"label": label, "goal": None, "value": value, "met": None})
    return comparisons


def notes(measured: list[Measurement]) -> list[str]:
    """Return the module docstrings of the measured sides, which describe their particularities."""
    present = {each.benchmark.side for each in measured}
    texts = []
    for module, name in SIDES.items():
        if any(side.startswith(name) for side in present):
            texts.append((importlib.import_module(f"sides.{module}").__doc__ or "").strip())
    return texts


def show(measured: list[Measurement], unavailable: dict[str, str], rounds: int) -> None:
    """Print a table per workload, the goals and the notes."""
    print(f"One thread, no table; medians of {rounds} rounds; {report.processor()}")
    columns = ["side", "search", "tree", "nodes", "seconds", "nodes/s", f"{OURS} / side"]
    for workload in WORKLOADS:
        ours = ours_for(workload, measured)
        rows = []
        for each in measured:
            benchmark = each.benchmark
            if benchmark.workload != workload:
                continue
            tree = "plain" if benchmark.nodes == benchmark.expected else "WRONG" if benchmark.expected else "own"
            nodes = report.format_count(benchmark.nodes)
            ratio = ours.ratio_to(each) if ours and ours is not each else None
            cells = [benchmark.side, benchmark.search, tree, nodes, f"{benchmark.nodes / each.rate:.2g}"]
            rows.append([*cells, report.format_rate(each.rate), report.format_ratio(ratio)])
        if rows:
            report.print_table(workload, columns, rows, numbers=columns[3:])
    for name, reason in unavailable.items():
        print(f"{name}: {reason}")
    for row in goals(measured):
        value, goal = (f"{n:,.0f}" if n and n > 1000 else f"{n or 0:.2f}" for n in (row["value"], row["goal"]))
        verdict = "no goal" if row["goal"] is None else "goal met" if row["met"] else "goal MISSED"
        print(f"{verdict}: {row['label']} {value}" + (f" (goal {goal})" if row["goal"] else ""))
    if measured:
        print("\nNotes")
    for text in notes(measured):
        print("- " + text.replace("\n\n", "\n").replace("\n", "\n  "))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="samples of each search (default 7)")
    parser.add_argument(
        "--only", action="append", default=[], choices=SIDES, help="measure only this side (repeatable)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # deprecation warnings of other libraries
    benchmarks, unavailable = gather(options.only)
    measured = measure(benchmarks, max(1, options.rounds))
    wrong = wrong_counts(measured)
    if options.json:
        entries = []
        for each in measured:
            benchmark, ours = each.benchmark, ours_for(each.benchmark.workload, measured)
            entries.append(
                {
                    "workload": benchmark.workload,
                    "side": benchmark.side,
                    "search": benchmark.search,
                    "nodes": benchmark.nodes,
                    "counted": benchmark.counted,
                    "expected_nodes": benchmark.expected,
                    "nodes_per_second": each.rate,
                    "rounds": each.rates,
                    "ratio": ours.ratio_to(each) if ours else None,
                }
            )
        report.print_json(
            {"measured": entries, "unavailable": unavailable, "goals": goals(measured), "wrong_node_counts": wrong}
        )
    else:
        show(measured, unavailable, options.rounds)
    for line in wrong:
        print(f"WRONG NODE COUNT: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
