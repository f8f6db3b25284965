"""Chess perft: leaves per second of Zermelo, python-chess and Stockfish, and Zermelo's time from a cold start.

    python benchmarks/perft.py [--depth N] [--rounds N] [--stockfish PATH] [--json]

One thread, from the start and from a position with more kinds of moves ("kiwipete"). Moves to the leaves are made
("made") or only counted ("counted", bulk counting); python-chess makes them, Stockfish counts them. All programs run
in turn in each round, each for at least half a second of CPU time. A rate is the median over the rounds, a ratio the
median of the rounds' ratios. python-chess and Stockfish run in separate processes.

The cold start is the wall-clock time of `zermelo perft chess 5` with an empty cache, and again with a full one.

Exit status 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import report
from report import Unavailable

from zermelo.games.chess import Chess
from zermelo.search.compiled_textbook import perft

# Chess Programming Wiki, "Perft Results".
POSITIONS = {
    "start": (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        (1, 20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860),
    ),
    "kiwipete": (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        (1, 48, 2_039, 97_862, 4_085_603, 193_690_690, 8_031_647_685),
    ),
}
OURS, PYTHON_CHESS, STOCKFISH = "Zermelo", "python-chess", "Stockfish"
MADE, COUNTED = "made", "counted"
GOALS = {MADE: 35e6, COUNTED: 120e6}  # leaves per second
SAMPLE_SECONDS = 0.5  # shortest sample: the CPU time of other processes has a resolution of 0.01 s
START_GOALS = {"cold": 10.0, "warm": 2.0}

WITH_PYTHON_CHESS = """
import sys, time
import chess

def count(board, depth):
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += 1 if depth == 1 else count(board, depth - 1)
        board.pop()
    return leaves

for line in sys.stdin:
    depth, repeats, position = line.rstrip().split(" ", 2)
    board = chess.Board(position)
    started = time.process_time()
    for _ in range(int(repeats)):
        leaves = count(board, int(depth))
    print(leaves, time.process_time() - started, flush=True)
"""


#: (position, depth, repeats) -> (leaves, CPU seconds of all repeats).
Count = Callable[[str, int, int], tuple[int, float]]


@dataclass
class Side:
    """A program and how it treats the moves to the leaves."""

    name: str
    last_move: str
    #: Plies by which the depth is reduced for a slow program.
    depth_reduction: int
    count: Count
    rates: dict[str, list[float]] = field(default_factory=dict)


class Program:
    """A program in a separate process that answers in lines."""

    def __init__(self, *command: str) -> None:
        self.name = Path(command[0]).name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )

    def ask(self, text: str, answer: str = "") -> str:
        """Send a text and return the first line that starts with `answer`. Raises `Unavailable` if it has exited."""
        assert self.process.stdin
        assert self.process.stdout
        with suppress(OSError):  # broken pipe: the loop below then reads nothing
            self.process.stdin.write(text)
        for line in self.process.stdout:
            if line.startswith(answer):
                return line
        raise Unavailable(f"{self.name} has exited with status {self.process.wait()}")


def ours(bulk: bool) -> Count:
    """Return the counting function of Zermelo."""

    def count(position: str, depth: int, repeats: int) -> tuple[int, float]:
        state = Chess.parse(position)
        started = time.process_time()
        for _ in range(repeats):
            leaves = perft(state, depth, bulk)
        return leaves, time.process_time() - started

    return count


def python_chess() -> Count:
    """Start python-chess and return its counting function."""
    completed = subprocess.run([sys.executable, "-c", "import chess"], capture_output=True, text=True)
    if completed.returncode != 0:
        raise Unavailable("not installed: python benchmarks/install.py")
    program = Program(sys.executable, "-c", WITH_PYTHON_CHESS)

    def count(position: str, depth: int, repeats: int) -> tuple[int, float]:
        leaves, seconds = program.ask(f"{depth} {repeats} {position}\n").split()
        return int(leaves), float(seconds)

    return count


def stockfish(path: str) -> tuple[str, Count]:
    """Start Stockfish and return its name and counting function."""
    program = Program(report.find_program(path, "--stockfish"))
    name = program.ask("").strip().partition(" by ")[0] or STOCKFISH

    def count(position: str, depth: int, repeats: int) -> tuple[int, float]:
        program.ask(f"position fen {position}\nisready\n", "readyok")
        started = cpu_seconds(program.process.pid)
        for _ in range(repeats):
            leaves = int(program.ask(f"go perft {depth}\n", "Nodes searched:").split()[-1])
        return leaves, cpu_seconds(program.process.pid) - started

    return name, count


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds of another process; without /proc the wall-clock time."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.perf_counter()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def gather(path: str) -> tuple[list[Side], dict[str, str]]:
    """Start all programs. Returns those that are available, and the reasons why others are not."""
    sides = [Side(OURS, MADE, 0, ours(False)), Side(OURS, COUNTED, 0, ours(True))]
    unavailable = {}
    try:
        sides.append(Side(PYTHON_CHESS, MADE, 2, python_chess()))
    except Unavailable as error:
        unavailable[PYTHON_CHESS] = str(error)
    try:
        name, count = stockfish(path)
        sides.append(Side(name, COUNTED, 0, count))
    except Unavailable as error:
        unavailable[STOCKFISH] = str(error)
    return sides, unavailable


def sample(side: Side, position: str, depth: int, repeats: dict[tuple[str, str], int]) -> tuple[int, float]:
    """Return the leaves of one count and the seconds of a sample, whose number of counts is stored in `repeats`."""
    key = side.name, side.last_move
    while True:
        leaves, seconds = side.count(position, depth, repeats.setdefault(key, 1))
        if seconds >= SAMPLE_SECONDS:
            return leaves, seconds
        repeats[key] = ceil(repeats[key] * min(100.0, 1.2 * SAMPLE_SECONDS / max(seconds, 1e-3)))


def measure(
    sides: list[Side], depth: int, rounds: int, unavailable: dict[str, str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Measure all programs. Returns the rates and the wrong counts; a program that fails is added to `unavailable`."""
    wrong = []
    for name, (position, leaves) in POSITIONS.items():
        repeats: dict[tuple[str, str], int] = {}
        for round_number in range(rounds + 1):  # round 0 compiles and determines the repeats; it is not counted
            for side in [each for each in sides if each.name not in unavailable]:
                side_depth = max(1, depth - (name != "start") - side.depth_reduction)
                try:
                    counted, seconds = sample(side, position, side_depth, repeats)
                except Unavailable as error:
                    unavailable[side.name] = str(error)
                    continue
                if counted != leaves[side_depth]:
                    what = f"{side.name} ({side.last_move}), {name}, depth {side_depth}"
                    wrong.append(f"{what}: {counted:,} leaves, expected {leaves[side_depth]:,}")
                if round_number:
                    side.rates.setdefault(name, []).append(counted * repeats[side.name, side.last_move] / seconds)
    sides = [side for side in sides if side.name not in unavailable]
    own = {side.last_move: side for side in sides if side.name == OURS}
    results = []
    for name in POSITIONS:
        for side in sides:
            pairs = zip(own[side.last_move].rates[name], side.rates[name], strict=True)
            results.append(
                {
                    "position": name,
                    "side": side.name,
                    "last_move": side.last_move,
                    "leaves_per_second": median(side.rates[name]),
                    "rounds": side.rates[name],
                    "ratio": median(ours / theirs for ours, theirs in pairs),
                    "goal": GOALS[side.last_move] if side.name == OURS else None,
                }
            )
    return results, wrong


def start_times() -> dict[str, float]:
    """Measure `zermelo perft chess 5` with an empty cache, and the median of five runs with a full cache."""
    command = [sys.executable, "-m", "zermelo", "perft", "chess", "5", "--json"]
    with tempfile.TemporaryDirectory() as cache:

        def timed() -> float:
            started = time.perf_counter()
            environment = {**os.environ, "ZERMELO_CACHE_DIR": cache}
            completed = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            assert json.loads(completed.stdout)["nodes"] == 4_865_609
            return time.perf_counter() - started

        return {"cold": timed(), "warm": median(timed() for _ in range(5))}


def show(results: list[dict[str, Any]], unavailable: dict[str, str], seconds: dict[str, float], rounds: int) -> None:
    """Print the results."""
    columns = ["position", "side", "last move", "leaves/s", f"{OURS} / side", "goal", ""]
    rows = [
        [
            each["position"],
            each["side"],
            each["last_move"],
            report.format_rate(each["leaves_per_second"]),
            report.format_ratio(each["ratio"]) if each["side"] != OURS else "",
            report.format_count(each["goal"]),
            "" if not each["goal"] else "met" if each["leaves_per_second"] >= each["goal"] else "MISSED",
        ]
        for each in results
    ]
    title = f"Chess perft, one thread; medians of {rounds} rounds; {report.processor()}"
    report.print_table(title, columns, rows, numbers=columns[3:6])
    for name, reason in unavailable.items():
        print(f"{name} skipped: {reason}")
    for state, goal in START_GOALS.items():
        verdict = "met" if seconds[state] < goal else "MISSED"
        print(f"zermelo perft chess 5, {state} start: {seconds[state]:.2f} s (goal {goal:g} s, {verdict})")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--depth", type=int, default=6, choices=range(5, 8), help="perft depth from the start (default 6)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="samples of each program (default 5)")
    parser.add_argument("--stockfish", default="stockfish", help="path of Stockfish (default stockfish)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    sides, unavailable = gather(options.stockfish)
    results, wrong = measure(sides, options.depth, max(1, options.rounds), unavailable)
    seconds = start_times()
    if options.json:
        report.print_json({"measured": results, "unavailable": unavailable, "seconds": seconds, "wrong": wrong})
    else:
        show(results, unavailable, seconds, options.rounds)
    for line in wrong:
        print(f"WRONG COUNT: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    report.run(main)
