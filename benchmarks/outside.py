"""Cost of the sandbox: start-up and round trips of a program with and without it, and moves of Python agents.

    python benchmarks/outside.py [--starts N] [--lines N] [--json]

Start: seconds from launching `cat` to its first answer, with and without sandbox in turn. Round trip: seconds from
sending a line to receiving it. Agent: seconds per move of a function in the sandbox that plays the first legal move,
minus the seconds of the same function in this process.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import report

from zermelo.arena.players.agents import PythonPlayer
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.core.game import State
from zermelo.registry import load
from zermelo.sandbox.program import Program

GAMES = ("connect4", "othello", "chess")


def sandboxed(lines: int) -> tuple[float, float]:
    """Measure start-up and median round trip of `cat` in the sandbox, in seconds."""
    started = time.perf_counter()
    with Program(["cat"]) as cat:
        cat.send("first")
        cat.receive(60)
        start = time.perf_counter() - started
        times = []
        for _ in range(lines):
            started = time.perf_counter()
            cat.send("a line")
            cat.receive(60)
            times.append(time.perf_counter() - started)
    return start, median(times)


def direct(lines: int) -> tuple[float, float]:
    """Measure start-up and median round trip of `cat` without sandbox, in seconds."""
    started = time.perf_counter()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        cat.stdin.write(b"first\n")
        cat.stdout.readline()
        start = time.perf_counter() - started
        times = []
        for _ in range(lines):
            started = time.perf_counter()
            cat.stdin.write(b"a line\n")
            cat.stdout.read(1 << 16)
            times.append(time.perf_counter() - started)
    return start, median(times)


def agent(game: str, plies: int = 40) -> tuple[float, float]:
    """Measure the seconds to load an agent, and per move in addition to the function itself."""
    cls = load(game)
    starts, moves = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.py"
        path.write_text("def choose(state):\n    return next(state.moves())\n")
        player = PythonPlayer(cls, str(path))
        clock = Clock.of(TimeControl())
        for _ in range(3):
            state: State = cls.start()
            history: list[State] = []
            played: list[int] = []
            started = time.perf_counter()
            player.new_game(GameSetup(state, 1, 0))
            starts.append(time.perf_counter() - started)
            while len(played) < plies and not state.is_over():
                started = time.perf_counter()
                move = player.choose(Turn(state, history, played, clock)).move
                answered = time.perf_counter()
                assert move == next(state.moves())
                moves.append(answered - started - (time.perf_counter() - answered))
                history.append(state)
                played.append(move)
                state = state.play(move)
            player.game_over()
    return median(starts), median(moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=15, help="processes to start (default 15)")
    parser.add_argument("--lines", type=int, default=5000, help="round trips per process (default 5000)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    options = parser.parse_args()
    pairs = [(sandboxed(options.lines), direct(options.lines)) for _ in range(options.starts)]
    results: dict[str, Any] = {
        name: {
            "sandbox": median(sandbox[index] for sandbox, _ in pairs),
            "direct": median(direct[index] for _, direct in pairs),
            "ratio": median(sandbox[index] / direct[index] for sandbox, direct in pairs),
        }
        for index, name in enumerate(("start", "round_trip"))
    }
    results["agents"] = {game: dict(zip(("start", "move"), agent(game), strict=True)) for game in GAMES}
    if options.json:
        report.print_json(results)
        return
    rows = [
        [
            name,
            *(f"{results[key][side] * factor:.1f}" for side in ("sandbox", "direct")),
            report.format_ratio(results[key]["ratio"]),
        ]
        for key, name, factor in (("start", "start to first answer, ms", 1e3), ("round_trip", "round trip, µs", 1e6))
    ]
    title = f"cat, medians of {options.starts} starts; {report.processor()}"
    report.print_table(title, ["", "sandbox", "direct", "ratio"], rows, numbers=["sandbox", "direct", "ratio"])
    rows = [
        [game, f"{each['start'] * 1e3:.0f}", f"{each['move'] * 1e6:.0f}"] for game, each in results["agents"].items()
    ]
    columns = ["game", "start, ms", "overhead per move, µs"]
    report.print_table("Python agents", columns, rows, numbers=columns[1:])


if __name__ == "__main__":
    main()
