"""Time management of `zermelo uci`: games lost on time, and the response time to `stop`.

    python benchmarks/clock.py [--games N] [--base S] [--increment S] [--stops N] [--json]

Two processes of `zermelo uci` play chess against each other with 1 s per game plus 0.01 s per move and no margin. The
clock is measured here, so it includes the communication. Each opening of 8 random plies is played twice, with sides
swapped. Then one process gets `go infinite` and, after a random delay, `stop`. The load average is reported too: on
an overloaded machine a move can arrive late although it was found in time.

Exit status 1 if a game was lost on time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from statistics import median
from typing import Any

from report import machine

from zermelo.games.chess import Chess, notation

OPENING = 8  # plies
PROGRAM = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())", "uci", "--table", "16M"]


class Engine:
    """A `zermelo uci` process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.ask("uci", "uciok")
        self.ask("isready", "readyok")

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def ask(self, line: str, end: str) -> str:
        """Send a line and return the first answer that starts with `end`."""
        self.send(line)
        assert self._process.stdout is not None
        for answer in self._process.stdout:
            if answer.startswith(end):
                return answer
        raise RuntimeError("the engine has exited")

    def close(self) -> None:
        with self._process:
            self.send("quit")


def game(white: Engine, black: Engine, opening: list[str], base: float, increment: float) -> dict[str, Any]:
    """Play a game from an opening. Returns whether it was lost on time, the least time left and the longest move."""
    state: Any = Chess()
    for move in opening:
        state = state.play(state.parse_move(move))
    moves, remaining, seen, longest = list(opening), [base, base], dict[int, int](), 0.0
    for engine in (white, black):
        engine.send("ucinewgame")
        engine.ask("isready", "readyok")
    while not state.is_over() and state.halfmove_clock < Chess.draw_at_reversible_plies:
        key = int(state.repetition_key())
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == Chess.draw_at_repetition:
            break
        side = len(moves) % 2
        engine = (white, black)[side]
        started = time.perf_counter()
        engine.send(f"position startpos moves {' '.join(moves)}")
        times = [int(1000 * each) for each in (*remaining, increment, increment)]
        answer = engine.ask("go wtime {} btime {} winc {} binc {}".format(*times), "bestmove")
        elapsed = time.perf_counter() - started
        longest = max(longest, elapsed)
        remaining[side] -= elapsed
        if remaining[side] < 0:
            return {"lost_on_time": True, "time_left": min(remaining), "plies": len(moves), "longest": longest}
        remaining[side] += increment
        moves.append(answer.split()[1])
        state = state.play(state.parse_move(moves[-1]))
    return {"lost_on_time": False, "time_left": min(remaining), "plies": len(moves), "longest": longest}


def random_openings(games: int) -> list[list[str]]:
    """Random openings, each twice in a row."""
    rng = random.Random(1)
    openings: list[list[str]] = []
    while len(openings) < games:
        state: Any = Chess()
        line: list[str] = []
        for _ in range(OPENING):
            move = rng.choice(state.legal_moves())
            line.append(notation.uci(state, move))
            state = state.play(move)
        if not state.is_over():
            openings += [line, line]
    return openings[:games]


def stop_times(engine: Engine, count: int) -> list[float]:
    """Measure the seconds from `stop` to `bestmove`, sorted."""
    rng = random.Random(2)
    times = []
    engine.send("position startpos")
    for _ in range(count):
        engine.send("go infinite")
        time.sleep(rng.uniform(0.005, 0.05))
        started = time.perf_counter()
        engine.ask("stop", "bestmove")
        times.append(time.perf_counter() - started)
    return sorted(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="number of games (default 1000)")
    parser.add_argument("--base", type=float, default=1.0, help="seconds per game and player (default 1)")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds added per move (default 0.01)")
    parser.add_argument("--stops", type=int, default=300, help="number of searches to stop (default 300)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the list")
    options = parser.parse_args()
    first, second = Engine(), Engine()
    games = []
    for number, opening in enumerate(random_openings(options.games)):
        pair = (first, second) if number % 2 == 0 else (second, first)
        games.append(game(*pair, opening, options.base, options.increment))
        if (number + 1) % 20 == 0:
            print(f"{number + 1} games, {sum(each['lost_on_time'] for each in games)} lost on time", file=sys.stderr)
    delays = stop_times(first, options.stops)
    for engine in (first, second):
        engine.close()
    results: dict[str, Any] = {"games": len(games)}
    if games:
        results |= {
            "lost_on_time": sum(each["lost_on_time"] for each in games),
            "plies": sum(each["plies"] - OPENING for each in games),
            "time_left_median": round(median(each["time_left"] for each in games), 3),
            "time_left_min": round(min(each["time_left"] for each in games), 3),
            "longest_move": round(max(each["longest"] for each in games), 3),
        }
    if delays:
        results |= {
            "stop_median": round(median(delays), 4),
            "stop_p99": round(delays[int(0.99 * (len(delays) - 1))], 4),
        }
    results["load"] = round(os.getloadavg()[0], 1)
    if options.json:
        print(json.dumps({**results, "machine": machine()}))
    else:
        for name, value in results.items():
            print(f"{name:<14} {value}")
    return 1 if results.get("lost_on_time") else 0


if __name__ == "__main__":
    sys.exit(main())
