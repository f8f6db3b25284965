"""Othello's midgame: seconds to depth 14 at 95 %, and how far the pattern evaluation is from deep and exact searches.

    python benchmarks/othello_midgame.py [--positions N] [--json]

The positions come from games of its own, one from each game: eight random moves, then searches to depth 6. Three sets
of N positions:

    depth 14        20 to 40 empty squares   CPU seconds of a search at 95 %, with an empty table
    depth 16        27 to 40                 mean absolute difference of the evaluation and a search at 99 %
    exact           20 to 26                 mean absolute difference of the evaluation and the result with best play

`zermelo learn othello report FILE.wtb` shows the error on positions of recorded games.
"""

from __future__ import annotations

import argparse
import random
import time

import report

from zermelo import Engine
from zermelo.core.evaluation import Evaluation
from zermelo.errors import LimitError
from zermelo.games.othello import Othello

RANDOM_PLIES, DEPTH = 8, 6
#: Most CPU seconds to depth 14 on average; largest errors in discs.
SECONDS_GOAL, DEEP_GOAL, EXACT_GOAL = 1.0, 5.0, 4.5


def positions(count: int, fewest: int, most: int, seed: int) -> list[Othello]:
    """A position of each of `count` games, with `fewest` to `most` empty squares."""
    chosen = random.Random(seed)
    found: list[Othello] = []
    with Engine("16M", selective=False) as engine:
        while len(found) < count:
            state = Othello.start()
            for _ in range(RANDOM_PLIES):
                state = state.play(chosen.choice(state.legal_moves()))
            empty = chosen.randint(fewest, most)
            while not state.is_over() and (64 - (state.black | state.white).count() > empty or is_pass(state)):
                state = state.play(engine.analyse(state, depth=DEPTH, evaluation="patterns").move)
            if not state.is_over():
                found.append(state)
    return found


def is_pass(state: Othello) -> bool:
    """Whether the side to move has to pass."""
    return state.legal_moves() == [state.PASS]


def error(states: list[Othello], used: Evaluation, **limits: object) -> float:
    """The mean absolute difference of the evaluation and a search, in discs."""
    total = 0
    for state in states:
        with Engine("64M", selective=99 if "depth" in limits else False) as engine:
            score = engine.analyse(state, evaluation="patterns", **limits).score
        total += abs(used.score(state) - max(-64, min(score.number, 64)))
    return total / len(states)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--positions", type=int, default=20, metavar="N", help="positions of each set (default 20)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    if options.positions < 1:
        raise LimitError(f"--positions must be at least 1 (got {options.positions})")
    used = Othello.evaluations["patterns"]
    rows: list[tuple[str, int, float, float, str]] = []
    with Engine("64M", selective=95) as engine:  # compile before the measurement
        engine.analyse(Othello.start(), depth=2, evaluation="patterns")
    seconds = 0.0
    for state in positions(options.positions, 20, 40, seed=1):
        with Engine("64M", selective=95) as engine:
            began = time.process_time()
            engine.analyse(state, depth=14, evaluation="patterns")
            seconds += time.process_time() - began
    rows.append(("depth 14 at 95 %", options.positions, seconds / options.positions, SECONDS_GOAL, "CPU s"))
    states = positions(options.positions, 27, 40, seed=2)
    rows.append(("error, 27 to 40 empty", len(states), error(states, used, depth=16), DEEP_GOAL, "discs"))
    states = positions(options.positions, 20, 26, seed=3)
    rows.append(("error, 20 to 26 empty", len(states), error(states, used, exact=True), EXACT_GOAL, "discs"))
    if options.json:
        names = ("measured", "positions", "mean", "goal", "unit")
        report.print_json({"rows": [dict(zip(names, row, strict=True)) for row in rows]})
        return
    cells = [[name, str(count), f"{mean:.2f} {unit}", f"{goal:g}"] for name, count, mean, goal, unit in rows]
    title = f"Othello's midgame, patterns, one thread; {report.processor()}"
    report.print_table(title, ["measured", "positions", "mean", "goal"], cells, ["positions", "mean", "goal"])


if __name__ == "__main__":
    report.run(main)
