"""The store: what it takes to keep a game, beside appending the same text to a file and forcing that to the disk.

    python benchmarks/store.py [--games N] [--rounds N] [--folder FOLDER] [--json]

Games of 60 plies. Both sides take turns, some hundred games each, so that a busy disk troubles both; what counts is the
median of a game. Then all results, and all games, are read. The folder decides on which disk (by default where
temporary files are, which may be memory).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import report

from zermelo.arena.game_record import BY_RULES, GameJob, GameRecord, MoveReport
from zermelo.arena.store import Store

GOAL = 0.002


def game(number: int) -> GameRecord:
    """A game of 60 plies that nobody has played."""
    random = Random(number % 100)
    said = tuple(MoveReport(ply % 2, random.random(), random.randrange(10**6), 5, ply - 30) for ply in range(60))
    moves = tuple(random.randrange(64) for _ in said)
    job = GameJob(number, "othello", ("wdiff:5", "diff:5"), ("wdiff:5", "diff:5"), seed=number, game_pair=number // 2)
    return GameRecord(
        job, moves, 1.0, 12, BY_RULES, reports=said, versions=("zermelo", "zermelo"), started_at=1e9, seconds=9.5
    )


def timed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def measure(games: int, rounds: int, folder: str | None) -> dict[str, Any]:
    kept: list[float] = []
    appended: list[float] = []
    first = game(0)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "games.zermelo"
        with Store.create(path, {"game": "othello"}) as store, open(Path(place) / "lines", "wb") as lines:

            def append(played: GameRecord) -> None:
                lines.write(played.to_json().encode() + b"\n")
                lines.flush()
                os.fsync(lines.fileno())

            each = max(games // rounds, 1)
            for start in range(0, games, each):
                some = [
                    replace(first, job=replace(first.job, number=number, seed=number))
                    for number in range(start, min(start + each, games))
                ]
                kept += [timed(lambda played=played: store.add(played)) for played in some]  # type: ignore[misc]
                appended += [timed(lambda played=played: append(played)) for played in some]  # type: ignore[misc]
            results = timed(lambda: sum(1 for _ in store.results()))
            whole = timed(lambda: sum(1 for _ in store.games()))
        size = path.stat().st_size
    keep, append_only = median(kept), median(appended)
    return {
        "games": games, "keep": keep, "keep_mean": sum(kept) / games, "append": append_only,
        "ratio": keep / append_only, "results": results, "read": whole, "bytes_a_game": size // games,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=10_000, help="games to be kept (default 10,000)")
    parser.add_argument("--rounds", type=int, default=50, help="turns of each side (default 50)")
    parser.add_argument("--folder", help="where to write; by default where temporary files are")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    found = measure(options.games, options.rounds, options.folder)
    if options.json:
        report.as_json(found)
        return
    rows = [
        ["keep a game, median", f"{found['keep'] * 1e3:.2f} ms"],
        ["keep a game, mean", f"{found['keep_mean'] * 1e3:.2f} ms"],
        ["append its text to a file and force it to the disk, median", f"{found['append'] * 1e3:.2f} ms"],
        ["keeping takes so many times as long", report.times(found["ratio"])],
        ["read all results", f"{found['results']:.2f} s"],
        ["read all games", f"{found['read']:.2f} s"],
        ["bytes a game", report.whole(found["bytes_a_game"])],
    ]
    report.table(f"{found['games']:,} games of 60 plies; to keep one, under {GOAL * 1e3:g} ms", ["what", "took"], rows)


if __name__ == "__main__":
    main()
