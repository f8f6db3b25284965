"""What it costs to speak with programs behind limits, beside the same started bare, and to play with Python agents.

    python benchmarks/outside.py [--starts N] [--lines N] [--json]

Start: from nothing to the first answer of `cat`, kept and bare, in turn. Line: a line there and back. Agent: the moves
of a game by a function behind walls, which takes the first legal move, less the same function's in this process.
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
from zermelo.registry import load
from zermelo.sandbox.program import Program

GAMES = ("connect4", "othello", "chess")


def kept(lines: int) -> tuple[float, float]:
    """Seconds from nothing to the first answer, and for a line there and back: behind limits."""
    began = time.perf_counter()
    with Program(["cat"]) as cat:
        cat.send("first")
        cat.receive(60)
        start = time.perf_counter() - began
        each = []
        for _ in range(lines):
            began = time.perf_counter()
            cat.send("a line")
            cat.receive(60)
            each.append(time.perf_counter() - began)
    return start, median(each)


def bare(lines: int) -> tuple[float, float]:
    """The same with nothing between."""
    began = time.perf_counter()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        cat.stdin.write(b"first\n")
        cat.stdout.readline()
        start = time.perf_counter() - began
        each = []
        for _ in range(lines):
            began = time.perf_counter()
            cat.stdin.write(b"a line\n")
            cat.stdout.read(1 << 16)
            each.append(time.perf_counter() - began)
    return start, median(each)


def agent(game: str, plies: int = 40) -> tuple[float, float]:
    """Seconds until an agent has been loaded, and for a move of its beyond the function's own."""
    cls = load(game)
    starts, moves = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.py"
        path.write_text("def choose(state):\n    return next(state.moves())\n")
        player = PythonPlayer(cls, str(path))
        clock = Clock.of(TimeControl())
        for _ in range(3):
            state, history, played = cls.start(), [], []
            began = time.perf_counter()
            player.new_game(GameSetup(state, 1, 0))
            starts.append(time.perf_counter() - began)
            while len(played) < plies and not state.is_over():
                began = time.perf_counter()
                move = player.choose(Turn(state, history, played, clock)).move
                asked = time.perf_counter()
                assert move == next(state.moves())
                moves.append(asked - began - (time.perf_counter() - asked))
                history.append(state)
                played.append(move)
                state = state.play(move)
            player.game_over()
    return median(starts), median(moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    pairs = [(kept(given.lines), bare(given.lines)) for _ in range(given.starts)]
    found: dict[str, Any] = {
        name: {
            "kept": median(kept[place] for kept, _ in pairs),
            "bare": median(bare[place] for _, bare in pairs),
            "ratio": median(kept[place] / bare[place] for kept, bare in pairs),
        }
        for place, name in enumerate(("start", "line"))
    }
    found["agents"] = {game: dict(zip(("start", "move"), agent(game), strict=True)) for game in GAMES}
    if given.json:
        report.as_json(found)
        return
    rows = [
        [name, *(f"{found[key][side] * factor:.1f}" for side in ("kept", "bare")), report.times(found[key]["ratio"])]
        for key, name, factor in (("start", "first answer, ms", 1e3), ("line", "line there and back, µs", 1e6))
    ]
    title = f"cat, medians of {given.starts} starts; {report.processor()}"
    report.table(title, ["", "kept", "bare", "ratio"], rows, numbers=["kept", "bare", "ratio"])
    rows = [[game, f"{each['start'] * 1e3:.0f}", f"{each['move'] * 1e6:.0f}"] for game, each in found["agents"].items()]
    columns = ["agent", "loaded in ms", "µs a move beside its own"]
    report.table("Python agents", columns, rows, numbers=columns[1:])


if __name__ == "__main__":
    main()
