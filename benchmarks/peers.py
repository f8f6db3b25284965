"""Zermelo beside its peers, and beside C: nodes, nodes a second and ratios, both sides in one go.

One thread, no table. Every side searches in turn, round after round, so that a change of the machine's pace meets
all alike; a rate is the median of its rounds, a ratio the median of the rounds' ratios. Rates are of whole calls,
as a user makes them. Nodes are counted beforehand, in a run of their own where counting would slow the peer down.
A tree is "plain" where a side visits exactly the nodes of alpha-beta (minimax) in the order of the squares.

    python benchmarks/peers.py [--rounds N] [--only SIDE] [--json]

Exit status 1 if a side that searches the plain tree does not visit exactly its nodes.
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
from sides.contest import CONNECT4, OTHELLO, OTHELLO_DEEPER, TICTACTOE_MINIMAX, WORKLOADS, Contest

SIDES = {
    "ours": "Zermelo",
    "c": "C",
    "openspiel": "OpenSpiel",
    "easyai": "easyAI",
    "aima": "aima-python",
    "rust_reversi": "rust-reversi",
}
OURS, C = SIDES["ours"], SIDES["c"]
SAMPLE_SECONDS = 0.2  # a search that takes less is repeated until a sample lasts this long
GOALS = {TICTACTOE_MINIMAX: 20e6, CONNECT4: 20e6, OTHELLO: 25e6}  # our nodes a second
LIMIT = 1.3  # and at most so many times slower than C in Othello


@dataclass
class Measured:
    contest: Contest
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return median(self.rates)

    def ratio_to(self, other: Measured) -> float:
        """How many times the other's rate this one's is."""
        return median(mine / theirs for mine, theirs in zip(self.rates, other.rates, strict=True))


def gather(only: list[str]) -> tuple[list[Contest], dict[str, str]]:
    """All contests of the sides that are here, and why the others are not."""
    contests: list[Contest] = []
    absent: dict[str, str] = {}
    for module, name in SIDES.items():
        if only and module not in only:
            continue
        progress(f"{name}: counting nodes")
        try:
            contests += importlib.import_module(f"sides.{module}").contests()
        except report.Absent as error:
            absent[name] = str(error)
        except ImportError as error:
            absent[name] = f"not installed ({error})"
        except Exception as error:  # a peer that fails is a line in the table, not the end of it
            absent[name] = f"failed ({type(error).__name__}: {error})"
    return contests, absent


def sample(contest: Contest) -> float:
    """Nodes a second over searches that last together at least SAMPLE_SECONDS.

    Where a search tells its own seconds, these count: what it costs to call it from Python is another matter.
    """
    searches = 1
    while True:
        seconds = 0.0
        for _ in range(searches):
            began = time.perf_counter()
            result = contest.run()
            seconds += getattr(result, "seconds", time.perf_counter() - began)
        if seconds >= SAMPLE_SECONDS:
            return contest.nodes * searches / seconds
        searches = max(searches + 1, math.ceil(searches * 1.2 * SAMPLE_SECONDS / max(seconds, 1e-6)))


def measure(contests: list[Contest], rounds: int) -> list[Measured]:
    measured = [Measured(contest) for workload in WORKLOADS for contest in contests if contest.workload == workload]
    for workload in WORKLOADS:
        for turn in range(rounds):
            progress(f"{workload}: round {turn + 1} of {rounds}")
            for each in measured:
                if each.contest.workload == workload:
                    each.rates.append(sample(each.contest))
    progress("")
    return measured


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def ours_for(workload: str, measured: list[Measured]) -> Measured | None:
    return next((each for each in measured if each.contest.workload == workload and each.contest.side == OURS), None)


def wrong_counts(measured: list[Measured]) -> list[str]:
    return [
        f"{each.contest.side}, {each.contest.workload} ({each.contest.search}): "
        f"{each.contest.nodes:,} nodes where the plain tree has {each.contest.expected:,}"
        for each in measured
        if each.contest.expected is not None and each.contest.nodes != each.contest.expected
    ]


def goals(measured: list[Measured]) -> list[dict[str, Any]]:
    """What was promised, beside what was measured."""
    kept: list[dict[str, Any]] = []
    for workload, goal in GOALS.items():
        ours = ours_for(workload, measured)
        if ours:
            kept.append({"what": f"{workload}: nodes/s", "goal": goal, "got": ours.rate, "met": ours.rate > goal})
    for each in measured:
        contest, ours = each.contest, ours_for(each.contest.workload, measured)
        if ours and contest.workload in (OTHELLO, OTHELLO_DEEPER) and contest.side.startswith(C):
            got = each.ratio_to(ours)
            what = f"{contest.workload}: {contest.side} / {OURS}"
            if contest.side == C:  # what the rules in Python say, said in C; the other shows what is left
                kept.append({"what": what, "goal": LIMIT, "got": got, "met": got <= LIMIT})
            else:
                kept.append({"what": what, "goal": None, "got": got, "met": None})
    return kept


def notes(measured: list[Measured]) -> list[str]:
    """Each side's module says in its first lines what is particular about it."""
    present = {each.contest.side for each in measured}
    texts = []
    for module, name in SIDES.items():
        if any(side.startswith(name) for side in present):
            texts.append((importlib.import_module(f"sides.{module}").__doc__ or "").strip())
    return texts


def show(measured: list[Measured], absent: dict[str, str], rounds: int) -> None:
    print(f"One thread, no table; medians of {rounds} rounds; {report.processor()}")
    columns = ["side", "search", "tree", "nodes", "seconds", "nodes/s", f"{OURS} / side"]
    for workload in WORKLOADS:
        ours = ours_for(workload, measured)
        rows = []
        for each in measured:
            contest = each.contest
            if contest.workload != workload:
                continue
            tree = "plain" if contest.nodes == contest.expected else "WRONG" if contest.expected else "own"
            nodes = report.whole(contest.nodes)
            ratio = ours.ratio_to(each) if ours and ours is not each else None
            cells = [contest.side, contest.search, tree, nodes, f"{contest.nodes / each.rate:.2g}"]
            rows.append([*cells, report.three_digits(each.rate), report.times(ratio)])
        if rows:
            report.table(workload, columns, rows, numbers=columns[3:])
    for name, why in absent.items():
        print(f"{name}: {why}")
    for kept in goals(measured):
        got, goal = (f"{n:,.0f}" if n and n > 1000 else f"{n or 0:.2f}" for n in (kept["got"], kept["goal"]))
        verdict = "no goal" if kept["goal"] is None else "goal met" if kept["met"] else "goal MISSED"
        print(f"{verdict}: {kept['what']} {got}" + (f" (goal {goal})" if kept["goal"] else ""))
    if measured:
        print("\nNotes")
    for text in notes(measured):
        print("- " + text.replace("\n\n", "\n").replace("\n", "\n  "))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="samples of each search, taken in turn (default 7)")
    parser.add_argument("--only", action="append", default=[], choices=SIDES, help="only this side (repeatable)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' own deprecations
    contests, absent = gather(options.only)
    measured = measure(contests, max(1, options.rounds))
    wrong = wrong_counts(measured)
    if options.json:
        entries = []
        for each in measured:
            contest, ours = each.contest, ours_for(each.contest.workload, measured)
            entries.append(
                {
                    "workload": contest.workload,
                    "side": contest.side,
                    "search": contest.search,
                    "nodes": contest.nodes,
                    "counted": contest.counted,
                    "expected_nodes": contest.expected,
                    "nodes_per_second": each.rate,
                    "rounds": each.rates,
                    "ours_to_side": ours.ratio_to(each) if ours else None,
                }
            )
        report.as_json({"measured": entries, "absent": absent, "goals": goals(measured), "wrong_node_counts": wrong})
    else:
        show(measured, absent, options.rounds)
    for line in wrong:
        print(f"WRONG NODE COUNT: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
