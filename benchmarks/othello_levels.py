"""Nodes of Othello searches at the levels of Othello programs, and the general levels of about as many nodes.

    python benchmarks/othello_levels.py [--levels 16] [--json]

The mean of 10 positions, each after 16 random plies, with the default evaluation.
"""

from __future__ import annotations

import argparse
import json
import math
import random

from zermelo.games.othello import Othello
from zermelo.games.othello.levels import solved_from
from zermelo.search.engine import Engine
from zermelo.search.levels import LEVELS

POSITIONS = 10
PLIES = 16


def positions() -> list[Othello]:
    """Return positions of random games."""
    found = []
    for seed in range(POSITIONS):
        source, state = random.Random(seed), Othello()
        for _ in range(PLIES):
            state = state.play(source.choice(state.legal_moves()))
        found.append(state)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--levels", type=int, default=16, help="the highest level (default 16)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = []
    for number in range(1, options.levels + 1):
        level = Othello().search_level(number)
        nodes = 0
        for state in positions():
            with Engine("64M", selective=level.confidence) as engine:
                nodes += engine.analyse(state, depth=level.depth).nodes
        mean = nodes // POSITIONS
        nearest = min(LEVELS, key=lambda each: abs(math.log(LEVELS[each].nodes / mean)))
        rows.append({"level": number, "confidence": level.confidence, "solved": solved_from(number), "nodes": mean,
                     "general": nearest})  # fmt: skip
    if options.json:
        print(json.dumps(rows))
        return 0
    print("| level | confidence | solved from | nodes | general level |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row['level']} | {row['confidence']} % | {row['solved']} | {row['nodes']:,} | {row['general']} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
