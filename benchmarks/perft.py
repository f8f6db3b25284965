"""Chess perft: lines counted a second by Zermelo, python-chess and Stockfish, and by Zermelo from a cold start.

    python benchmarks/perft.py [--depth N] [--rounds N] [--stockfish PATH] [--json]

One thread, the start and a position with more to do ("kiwipete"). The last move of each line is played ("made"), or
only counted ("counted"); python-chess plays it, and Stockfish counts. All sides count in turn, round after round, each
as often as lasts half a second at least; a rate is the median of its rounds, a ratio the median of the rounds' ratios;
seconds are those of the processor. python-chess and Stockfish run as programs of their own.

The cold start is `zermelo perft chess 5` with an empty cache and then with a full one, in seconds on the clock.

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
from report import Absent

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
GOALS = {MADE: 35e6, COUNTED: 120e6}  # lines a second
LEAST = 0.5  # seconds that a sample lasts: the system tells those of other processes in hundredths
SECONDS = {"cold": 10.0, "warm": 2.0}

WITH_PYTHON_CHESS = """
import sys, time
import chess

def count(board, depth):
    lines = 0
    for move in board.legal_moves:
        board.push(move)
        lines += 1 if depth == 1 else count(board, depth - 1)
        board.pop()
    return lines

for line in sys.stdin:
    depth, times, position = line.rstrip().split(" ", 2)
    board = chess.Board(position)
    began = time.process_time()
    for _ in range(int(times)):
        lines = count(board, int(depth))
    print(lines, time.process_time() - began, flush=True)
"""


#: (position, depth, times) -> lines, and the seconds of counting them so many times.
Count = Callable[[str, int, int], tuple[int, float]]


@dataclass
class Side:
    name: str
    last_move: str
    #: Plies less than asked for: a slow side counts a smaller tree.
    less: int
    count: Count
    rates: dict[str, list[float]] = field(default_factory=dict)


class Program:
    """A side that runs as a program of its own and answers in lines."""

    def __init__(self, *command: str) -> None:
        self.name = Path(command[0]).name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )

    def ask(self, text: str, answer: str = "") -> str:
        """The first line that it says to a text and that begins with the answer. Raises `Absent` if it has ended."""
        assert self.process.stdin
        assert self.process.stdout
        with suppress(OSError):  # a pipe that is broken has nothing to read either
            self.process.stdin.write(text)
        for line in self.process.stdout:
            if line.startswith(answer):
                return line
        raise Absent(f"{self.name} has ended with {self.process.wait()}")


def ours(bulk: bool) -> Count:
    def count(position: str, depth: int, times: int) -> tuple[int, float]:
        state = Chess.parse(position)
        began = time.process_time()
        for _ in range(times):
            lines = perft(state, depth, bulk)
        return lines, time.process_time() - began

    return count


def python_chess() -> Count:
    tried = subprocess.run([sys.executable, "-c", "import chess"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise Absent("not installed: python benchmarks/install.py")
    program = Program(sys.executable, "-c", WITH_PYTHON_CHESS)

    def count(position: str, depth: int, times: int) -> tuple[int, float]:
        lines, seconds = program.ask(f"{depth} {times} {position}\n").split()
        return int(lines), float(seconds)

    return count


def stockfish(path: str) -> tuple[str, Count]:
    program = Program(report.program(path, "--stockfish"))
    name = program.ask("").strip().partition(" by ")[0] or STOCKFISH

    def count(position: str, depth: int, times: int) -> tuple[int, float]:
        program.ask(f"position fen {position}\nisready\n", "readyok")
        began = seconds_of(program.process.pid)
        for _ in range(times):
            lines = int(program.ask(f"go perft {depth}\n", "Nodes searched:").split()[-1])
        return lines, seconds_of(program.process.pid) - began

    return name, count


def seconds_of(process: int) -> float:
    """The processor's seconds that another process has used, in hundredths; where there is no telling, the clock's."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.perf_counter()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def gather(path: str) -> tuple[list[Side], dict[str, str]]:
    sides = [Side(OURS, MADE, 0, ours(False)), Side(OURS, COUNTED, 0, ours(True))]
    absent = {}
    try:
        sides.append(Side(PYTHON_CHESS, MADE, 2, python_chess()))
    except Absent as error:
        absent[PYTHON_CHESS] = str(error)
    try:
        name, count = stockfish(path)
        sides.append(Side(name, COUNTED, 0, count))
    except Absent as error:
        absent[STOCKFISH] = str(error)
    return sides, absent


def sample(side: Side, position: str, depth: int, times: dict[tuple[str, str], int]) -> tuple[int, float]:
    """The lines of one count, and the seconds of as many as last `LEAST` together; `times` keeps how many that are."""
    key = side.name, side.last_move
    while True:
        lines, seconds = side.count(position, depth, times.setdefault(key, 1))
        if seconds >= LEAST:
            return lines, seconds
        times[key] = ceil(times[key] * min(100.0, 1.2 * LEAST / max(seconds, 1e-3)))


def measure(
    sides: list[Side], depth: int, rounds: int, absent: dict[str, str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """What each side has made, and the counts that are wrong. A side that fails on the way goes to those absent."""
    wrong = []
    for name, (position, lines) in POSITIONS.items():
        times: dict[tuple[str, str], int] = {}
        for turn in range(rounds + 1):  # the first one compiles and finds out how often; it is not counted
            for side in [each for each in sides if each.name not in absent]:
                to = max(1, depth - (name != "start") - side.less)
                try:
                    counted, seconds = sample(side, position, to, times)
                except Absent as error:
                    absent[side.name] = str(error)
                    continue
                if counted != lines[to]:
                    wrong.append(f"{side.name} ({side.last_move}), {name}, depth {to}: {counted:,}, not {lines[to]:,}")
                if turn:
                    side.rates.setdefault(name, []).append(counted * times[side.name, side.last_move] / seconds)
    sides = [side for side in sides if side.name not in absent]
    mine = {side.last_move: side for side in sides if side.name == OURS}
    found = []
    for name in POSITIONS:
        for side in sides:
            pairs = zip(mine[side.last_move].rates[name], side.rates[name], strict=True)
            found.append(
                {
                    "position": name,
                    "side": side.name,
                    "last_move": side.last_move,
                    "lines_a_second": median(side.rates[name]),
                    "rounds": side.rates[name],
                    "ours_to_it": median(our / its for our, its in pairs),
                    "goal": GOALS[side.last_move] if side.name == OURS else None,
                }
            )
    return found, wrong


def starts() -> dict[str, float]:
    """Seconds from the shell, `zermelo perft chess 5`: with nothing compiled, and the median of five with all of it."""
    command = [sys.executable, "-m", "zermelo", "perft", "chess", "5", "--json"]
    with tempfile.TemporaryDirectory() as cache:

        def timed() -> float:
            began = time.perf_counter()
            environment = {**os.environ, "ZERMELO_CACHE_DIR": cache}
            made = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            assert json.loads(made.stdout)["nodes"] == 4_865_609
            return time.perf_counter() - began

        return {"cold": timed(), "warm": median(timed() for _ in range(5))}


def show(found: list[dict[str, Any]], absent: dict[str, str], seconds: dict[str, float], rounds: int) -> None:
    columns = ["position", "side", "last move", "lines/s", f"{OURS} / side", "goal", ""]
    rows = [
        [
            each["position"],
            each["side"],
            each["last_move"],
            report.three_digits(each["lines_a_second"]),
            report.times(each["ours_to_it"]) if each["side"] != OURS else "",
            report.whole(each["goal"]),
            "" if not each["goal"] else "met" if each["lines_a_second"] >= each["goal"] else "MISSED",
        ]
        for each in found
    ]
    title = f"Chess perft, one thread; medians of {rounds} rounds; {report.processor()}"
    report.table(title, columns, rows, numbers=columns[3:6])
    for name, why in absent.items():
        print(f"{name} is left out: {why}")
    for how, limit in SECONDS.items():
        verdict = "met" if seconds[how] < limit else "MISSED"
        print(f"zermelo perft chess 5, {how}: {seconds[how]:.2f} s (goal {limit:g}, {verdict})")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--depth", type=int, default=6, choices=range(5, 8), help="plies from the start (default 6)")
    parser.add_argument("--rounds", type=int, default=5, help="samples of each side, taken in turn (default 5)")
    parser.add_argument("--stockfish", default="stockfish", help="the program (default: stockfish)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    sides, absent = gather(options.stockfish)
    found, wrong = measure(sides, options.depth, max(1, options.rounds), absent)
    seconds = starts()
    if options.json:
        report.as_json({"measured": found, "absent": absent, "seconds": seconds, "wrong": wrong})
    else:
        show(found, absent, seconds, options.rounds)
    for line in wrong:
        print(f"WRONG COUNT: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
