"""Nodes of Star1 and Star2 compared with expectiminimax, at the same depth and with the same value.

    python benchmarks/chance.py [--deep] [--json]

All three are compiled, without table, and search moves in the order of the rules. The engine adds the table, move
ordering and iterative deepening; its nodes include all smaller depths. The game of Pig comes from the tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import report

import zermelo

PIG = str(Path(__file__).parents[1] / "tests" / "support" / "pig.py")
#: Game, position, moves from there, depth in plies.
WORK = [
    (PIG, "target=100", "", 9),
    (PIG, "first=60 second=75 gained=12 target=100", "", 9),
    (PIG, "first=14 second=12 gained=4 target=20", "", 9),
    ("backgammon", "", "31", 3),
    ("backgammon", "", "65", 3),
]
DEEP = [("backgammon", "", "31", 4)]
ALGORITHMS = (None, "star1", "star2")


def measure(deep: bool) -> list[dict[str, Any]]:
    """Search all positions with all algorithms."""
    rows = []
    for game, text, moves, depth in WORK + (DEEP if deep else []):
        cls = zermelo.load(game)
        state = (cls.parse(text) if text else cls.start()).after(moves)
        evaluation = next(iter(cls.evaluations))
        results = [
            zermelo.expectiminimax(state, depth, evaluation, pruning=pruning, compiled=True) for pruning in ALGORITHMS
        ]
        if len({each.value for each in results}) > 1:
            raise SystemExit(f"{game} {text or moves}: {[each.value for each in results]} must be equal")
        engine = zermelo.analyse(state, depth=depth)
        row = {"game": cls.__name__, "position": text or moves, "depth": depth, "expected": results[0].expected}
        for pruning, each in zip(("expectiminimax", *ALGORITHMS[1:]), results, strict=True):
            row[pruning] = each.nodes
            row[f"{pruning}_seconds"] = each.seconds
        row["star1_saved"] = 1 - results[1].nodes / results[0].nodes
        row["star2_saved"] = 1 - results[2].nodes / results[0].nodes
        row["engine"] = engine.nodes
        row["engine_seconds"] = engine.seconds
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deep", action="store_true", help="also search backgammon one roll deeper (takes minutes)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = measure(options.deep)
    if options.json:
        report.print_json({"measured": rows})
        return
    columns = ["game", "position", "depth", "expectiminimax", "star1", "saved", "star2", "saved", "engine"]
    table = [
        [
            row["game"],
            row["position"],
            str(row["depth"]),
            report.format_count(row["expectiminimax"]),
            report.format_count(row["star1"]),
            f"{row['star1_saved']:.0%}",
            report.format_count(row["star2"]),
            f"{row['star2_saved']:.0%}",
            report.format_count(row["engine"]),
        ]
        for row in rows
    ]
    report.print_table(f"Nodes in games of chance; {report.processor()}", columns, table, numbers=columns[2:])


if __name__ == "__main__":
    main()
