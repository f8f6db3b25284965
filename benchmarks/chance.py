"""Nodes that Star1 and Star2 save against expectiminimax, at the same depth and with the same value.

    python benchmarks/chance.py [--deep] [--json]

The three compiled, without a table, moves in the order of the rules; the engine, whose table and order come on top, at
the same depth, all the depths before it included. Pig to 100 is the file of the tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import report

import zermelo

PIG = str(Path(__file__).parents[1] / "tests" / "support" / "pig.py")
#: A game, a position and the moves from there, a depth in plies.
WORK = [
    (PIG, "target=100", "", 9),
    (PIG, "first=60 second=75 gained=12 target=100", "", 9),
    (PIG, "first=14 second=12 gained=4 target=20", "", 9),
    ("backgammon", "", "31", 3),
    ("backgammon", "", "65", 3),
]
DEEP = [("backgammon", "", "31", 4)]
ALGORITHMS = (None, "star1", "star2")


def measured(deep: bool) -> list[dict[str, Any]]:
    rows = []
    for game, text, moves, depth in WORK + (DEEP if deep else []):
        cls = zermelo.load(game)
        state = (cls.parse(text) if text else cls.start()).after(moves)
        evaluation = next(iter(cls.evaluations))
        found = [
            zermelo.expectiminimax(state, depth, evaluation, pruning=pruning, compiled=True) for pruning in ALGORITHMS
        ]
        if len({each.value for each in found}) > 1:
            raise SystemExit(f"{game} {text or moves}: {[each.value for each in found]} should be equal")
        engine = zermelo.analyse(state, depth=depth)
        row = {"game": cls.__name__, "position": text or moves, "depth": depth, "expected": found[0].expected}
        for pruning, each in zip(("expectiminimax", *ALGORITHMS[1:]), found, strict=True):
            row[pruning] = each.nodes
            row[f"{pruning}_seconds"] = each.seconds
        row["star1_saved"] = 1 - found[1].nodes / found[0].nodes
        row["star2_saved"] = 1 - found[2].nodes / found[0].nodes
        row["engine"] = engine.nodes
        row["engine_seconds"] = engine.seconds
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deep", action="store_true", help="also backgammon one roll deeper (minutes)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = measured(options.deep)
    if options.json:
        report.as_json({"measured": rows})
        return
    columns = ["game", "position", "depth", "expectiminimax", "star1", "saved", "star2", "saved", "engine"]
    table = [
        [
            row["game"],
            row["position"],
            str(row["depth"]),
            report.whole(row["expectiminimax"]),
            report.whole(row["star1"]),
            f"{row['star1_saved']:.0%}",
            report.whole(row["star2"]),
            f"{row['star2_saved']:.0%}",
            report.whole(row["engine"]),
        ]
        for row in rows
    ]
    report.table(f"Nodes where chance moves; {report.processor()}", columns, table, numbers=columns[2:])


if __name__ == "__main__":
    main()
