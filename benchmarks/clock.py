"""Chess by the game's clock: whether `zermelo uci` ever runs out of time, and how soon it stops.

    python benchmarks/clock.py [--games N] [--base S] [--increment S] [--stops N] [--json]

Two processes of `zermelo uci` play against each other at 1 s for the game and 0.01 s for each move, with no margin; the
clock is that of whoever waits for the moves, wire included. Each opening of 8 random plies is played once by each.
Then one of them is sent `go infinite` and, at a random moment, `stop`. The machine's load stands beside the figures:
where several programs wait for each processor, a move can be late though it was found in time.

Exit status 1 if a flag fell.
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

from report import where

from zermelo.games.chess import Chess, notation

OPENING = 8  # plies
PROGRAM = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())", "uci", "--table", "16M"]


class Engine:
    """A program that speaks UCI, and is trusted."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.ask("uci", "uciok")
        self.ask("isready", "readyok")

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def ask(self, line: str, end: str) -> str:
        """The answer that begins with `end`."""
        self.tell(line)
        assert self._process.stdout is not None
        for said in self._process.stdout:
            if said.startswith(end):
                return said
        raise RuntimeError("the program ended")

    def close(self) -> None:
        with self._process:
            self.tell("quit")


def game(white: Engine, black: Engine, opening: list[str], base: float, increment: float) -> dict[str, Any]:
    """A game from an opening: who ran out of time, if anybody did, and what was left on the clocks."""
    state: Any = Chess()
    for move in opening:
        state = state.play(state.parse_move(move))
    moves, left, seen, longest = list(opening), [base, base], dict[int, int](), 0.0
    for engine in (white, black):
        engine.tell("ucinewgame")
        engine.ask("isready", "readyok")
    while not state.is_over() and state.halfmove_clock < Chess.draw_at_reversible_plies:
        here = int(state.repetition_key())
        seen[here] = seen.get(here, 0) + 1
        if seen[here] == Chess.draw_at_repetition:
            break
        side = len(moves) % 2
        engine = (white, black)[side]
        began = time.perf_counter()
        engine.tell(f"position startpos moves {' '.join(moves)}")
        times = [int(1000 * each) for each in (*left, increment, increment)]
        said = engine.ask("go wtime {} btime {} winc {} binc {}".format(*times), "bestmove")
        took = time.perf_counter() - began
        longest = max(longest, took)
        left[side] -= took
        if left[side] < 0:
            return {"fell": True, "left": min(left), "plies": len(moves), "longest": longest}
        left[side] += increment
        moves.append(said.split()[1])
        state = state.play(state.parse_move(moves[-1]))
    return {"fell": False, "left": min(left), "plies": len(moves), "longest": longest}


def openings(games: int) -> list[list[str]]:
    """Random lines, each twice."""
    dice = random.Random(1)
    found: list[list[str]] = []
    while len(found) < games:
        state: Any = Chess()
        line: list[str] = []
        for _ in range(OPENING):
            move = dice.choice(state.legal_moves())
            line.append(notation.uci(state, move))
            state = state.play(move)
        if not state.is_over():
            found += [line, line]
    return found[:games]


def stops(engine: Engine, count: int) -> list[float]:
    """Seconds from `stop` to the best move, sorted."""
    dice = random.Random(2)
    found = []
    engine.tell("position startpos")
    for _ in range(count):
        engine.tell("go infinite")
        time.sleep(dice.uniform(0.005, 0.05))
        began = time.perf_counter()
        engine.ask("stop", "bestmove")
        found.append(time.perf_counter() - began)
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="games to be played [1000]")
    parser.add_argument("--base", type=float, default=1.0, help="seconds for a game [1]")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds for each move made [0.01]")
    parser.add_argument("--stops", type=int, default=300, help="searches to be stopped [300]")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    first, second = Engine(), Engine()
    games = []
    for number, opening in enumerate(openings(given.games)):
        pair = (first, second) if number % 2 == 0 else (second, first)
        games.append(game(*pair, opening, given.base, given.increment))
        if (number + 1) % 20 == 0:
            print(f"{number + 1} games, {sum(each['fell'] for each in games)} falls", file=sys.stderr)
    late = stops(first, given.stops)
    for engine in (first, second):
        engine.close()
    told: dict[str, Any] = {"games": len(games)}
    if games:
        told |= {
            "falls": sum(each["fell"] for each in games),
            "plies": sum(each["plies"] - OPENING for each in games),
            "left_median": round(median(each["left"] for each in games), 3),
            "left_least": round(min(each["left"] for each in games), 3),
            "longest_move": round(max(each["longest"] for each in games), 3),
        }
    if late:
        told |= {"stop_median": round(median(late), 4), "stop_p99": round(late[int(0.99 * (len(late) - 1))], 4)}
    told["load"] = round(os.getloadavg()[0], 1)
    if given.json:
        print(json.dumps({**told, "where": where()}))
    else:
        for name, value in told.items():
            print(f"{name:<14} {value}")
    return 1 if told.get("falls") else 0


if __name__ == "__main__":
    sys.exit(main())
