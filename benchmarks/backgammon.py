"""Backgammon: positions per second evaluated one roll ahead, compared with GNU Backgammon and its networks.

    python benchmarks/backgammon.py [--rounds N] [--gnubg PATH] [--json]

The value of a position is the mean over all 21 rolls of the best play's value, with every play evaluated:
expectiminimax to depth 2 with `phases`, and with `network`, in Zermelo, a 1-ply evaluation in GNU Backgammon. There is
no pruning, no table and no cache of these positions. GNU Backgammon (`--gnubg`) can preselect plays with smaller
networks; it is measured with and without. One thread, CPU time. All programs evaluate the same 64 positions in turn in
each round. A rate is the median over the rounds, a ratio the median of the rounds' ratios. The other programs run in
separate processes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import report
from report import Unavailable

from zermelo.compiled import native
from zermelo.games.backgammon import Backgammon
from zermelo.search.context import SearchContext
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import Minimax
from zermelo.search.scores import LIMIT, ranked
from zermelo.search.table import new_table

# From self-play games of GNU Backgammon with some random plays.
POSITIONS = [
    "1rwhAyBm2xwAQQ",
    "2+YBAEC3ewUAAA",
    "m7sBKQDYPgDARw",
    "mnc7AABtbcAIBg",
    "AQAA/DuAiAIAAA",
    "2NbIATCM5+ABUA",
    "4PPCAQNmzowBMA",
    "93IDAMC7bQggAA",
    "Sp/BARLQOngCWA",
    "ZjvBoQAjH+EAOA",
    "zE7kASjg8+ABUA",
    "wfPCASjgc8wBYA",
    "sGfJQQQzGzCAbA",
    "4O3ggDDgecMIIg",
    "tm0HBgBvewAAAA",
    "Nr4FAwjCeXDAMA",
    "/UMAEPB7DQAABg",
    "4HPwAyDgc/ARIA",
    "sA84bCBsO8gkQA",
    "zXYZAAbfNwEAAA",
    "2XOGECBmWxMgSA",
    "Nj7gJQCY62DAYA",
    "Y+YZEAV7GADyFA",
    "2E3wADGMz8IDIA",
    "53YDAgJm3gYATA",
    "0OfBAQnCZ/ABQg",
    "b70DAIDW3QQAMA",
    "Yj/gAwhlHfABIg",
    "tLs9AADgT5kAWA",
    "Z9sABBzPbwZAAA",
    "bXsDEAgbN7ABYA",
    "bQx4AjScvRMAAw",
    "9vEHAABsdwMCGA",
    "M07wATDgc+IBYA",
    "4DnlADHgc+EBKA",
    "bwAAgD1zIBQCAA",
    "bLsNAAzYtgcDQA",
    "mCf4ADhwz8EBKA",
    "cG8HADi2uxECIA",
    "3+YFAIAHAAAAAA",
    "xuYAygw4jxsjAA",
    "hc9lBgCDt8EHAA",
    "sNfgATDg8+ABJA",
    "bTPgwQBcng0DQA",
    "tq0jADDezR0AAA",
    "uwUwCiVwNwA8cA",
    "jK8HCQEfAAAAAA",
    "bFuKESCwZ3AAZg",
    "N9uVAABq9wEHAA",
    "4DlmAjLg5+AgSA",
    "tm2CCRCz3QwAUA",
    "29wCOADDnYMHAA",
    "lwcAAP5aACQYAA",
    "M87BYCCYz+CABQ",
    "s22QAwjYZvAAcA",
    "jK+JASHgz8EHAA",
    "Z26eAABh58EABw",
    "F+8HAIABAAAAAA",
    "g9tjBgCYM3iEBQ",
    "5rYNCCC2swCAMw",
    "bObgATAaz+ABMA",
    "Rs/BATDEd4MBMA",
    "y3aIAQXgPDiAcQ",
    "G0BuQiaeHDAwYg",
]
OURS, NETWORKS = "Zermelo", "gnubg-nn"
GOAL = 1_000  # positions per second of Zermelo

WITH_GNUBG = """
import json, os, time
import gnubg
for line in ("set automatic game off", "set automatic roll off", "set player 0 human", "set player 1 human",
             "set threads 1", "new session"):
    gnubg.command(line)
cube = dict(gnubg.cubeinfo())
context = dict(cubeful=0, plies=1, deterministic=1, noise=0.0, prune=int(os.environ["ZERMELO_PRUNE"]))
boards = [gnubg.positionfromid(position) for position in os.environ["ZERMELO_POSITIONS"].split()]
gnubg.evaluate(gnubg.positionfromid("4HPwATDgc/ABMA"), cube, context)
started = time.process_time()
for board in boards:
    gnubg.evaluate(board, cube, context)
seconds = time.process_time() - started
with open(os.environ["ZERMELO_SECONDS"], "w") as file:
    file.write(str(seconds))
"""

WITH_NETWORKS = """
import os, time
import gnubg_nn
boards = [gnubg_nn.board_from_position_id(position) for position in os.environ["ZERMELO_POSITIONS"].split()]
gnubg_nn.probabilities(gnubg_nn.board_from_position_id("4HPwATDgc/ABMA"), 1)
started = time.process_time()
for board in boards:
    gnubg_nn.probabilities(board, 1)
seconds = time.process_time() - started
with open(os.environ["ZERMELO_SECONDS"], "w") as file:
    file.write(str(seconds))
"""


def ours(name: str = "phases") -> tuple[float, int]:
    """Measure Zermelo with an evaluation. Returns the CPU seconds for all positions and the visited states."""
    evaluation = Backgammon.evaluations[name]
    states = [Backgammon.parse(position) for position in POSITIONS]
    ctx, table = SearchContext(), new_table(1)
    ctx.set_scale(states[0], ranked(states[0], evaluation), evaluation)
    ctx.buckets = 1
    fixed = (evaluation, Minimax(), 2, -LIMIT, LIMIT, 0, 0, ctx, table)
    call = native(run_search, states[0], *fixed)
    call(states[0], *fixed)
    before = ctx.nodes
    started = time.process_time()
    for state in states:
        ctx.begin([])
        call(state, *fixed)
    return time.process_time() - started, ctx.nodes - before


def run_script(command: Callable[[str], list[str]], script: str, **settings: str) -> float:
    """Run a script in another program. Returns the CPU seconds that it reports."""
    with tempfile.TemporaryDirectory() as folder:
        file, answer = Path(folder, "script.py"), Path(folder, "seconds")
        file.write_text(script)
        environment = {**os.environ, "ZERMELO_POSITIONS": " ".join(POSITIONS), "ZERMELO_SECONDS": str(answer)}
        completed = subprocess.run(
            command(str(file)),
            env={**environment, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )
        if not answer.exists():
            raise Unavailable(f"exited with status {completed.returncode} without a result")
        return float(answer.read_text())


def networks() -> float:
    """Measure the networks of GNU Backgammon in the package gnubg-nn."""
    if subprocess.run([sys.executable, "-c", "import gnubg_nn"], capture_output=True).returncode != 0:
        raise Unavailable("not installed: python benchmarks/install.py")
    return run_script(lambda file: [sys.executable, file], WITH_NETWORKS)


def gnubg(path: str, prunes: bool) -> float:
    """Measure GNU Backgammon, with or without preselection of plays."""
    program = report.find_program(path, "--gnubg")
    return run_script(lambda file: [program, "-t", "-q", "-p", file], WITH_GNUBG, ZERMELO_PRUNE=str(int(prunes)))


def measure(sides: dict[str, Callable[[], float]], rounds: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Measure all programs. Returns the rates, and the reasons why programs are unavailable."""
    unavailable: dict[str, str] = {}
    rates: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, side in sides.items():
            if name not in unavailable:
                try:
                    rates.setdefault(name, []).append(len(POSITIONS) / side())
                except Unavailable as error:
                    unavailable[name] = str(error)
                    rates.pop(name, None)
    results = [
        {
            "side": name,
            "positions_per_second": median(rates[name]),
            "rounds": rates[name],
            "ratio": median(ours / theirs for ours, theirs in zip(rates[OURS], rates[name], strict=True)),
            "goal": GOAL if name == OURS else None,
        }
        for name in rates
    ]
    return results, unavailable


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="samples of each program (default 5)")
    parser.add_argument("--gnubg", default="gnubg", help="path of GNU Backgammon (default gnubg)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    states = ours()[1]  # compile before the measurement
    ours("network")
    sides = {
        OURS: lambda: ours()[0],
        f"{OURS}, network": lambda: ours("network")[0],
        "gnubg, all plays": lambda: gnubg(options.gnubg, False),
        "gnubg, preselected plays": lambda: gnubg(options.gnubg, True),
        NETWORKS: networks,
    }
    results, unavailable = measure(sides, max(1, options.rounds))
    if options.json:
        report.print_json(
            {"positions": len(POSITIONS), "states": states, "measured": results, "unavailable": unavailable}
        )
        return
    columns = ["side", "positions/s", f"{OURS} / side", "goal", ""]
    rows = [
        [
            each["side"],
            report.format_rate(each["positions_per_second"]),
            report.format_ratio(each["ratio"]) if each["side"] != OURS else "",
            report.format_count(each["goal"]),
            "" if not each["goal"] else "met" if each["positions_per_second"] >= each["goal"] else "MISSED",
        ]
        for each in results
    ]
    title = f"Backgammon, all plays of all 21 rolls; {len(POSITIONS)} positions, {report.format_count(states)} states"
    report.print_table(f"{title}; {report.processor()}", columns, rows, numbers=columns[1:4])
    for name, reason in unavailable.items():
        print(f"{name} skipped: {reason}")


if __name__ == "__main__":
    main()
