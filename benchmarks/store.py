"""The store: seconds to save a game, compared with appending the same text to a file and syncing it to disk.

    python benchmarks/store.py [--games N] [--rounds N] [--folder FOLDER] [--json]

Games have 60 plies. Both methods take turns, so that load on the disk affects both; the result is the median per
game. Then all results and all games are read. `--folder` chooses the disk; the default is the folder of temporary
files, which may be in memory.
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

GOAL = 0.002  # seconds to save a game


def game(number: int) -> GameRecord:
    """Make a random record of 60 plies."""
    rng = Random(number % 100)
    reports = tuple(MoveReport(ply % 2, rng.random(), rng.randrange(10**6), 5, ply - 30) for ply in range(60))
    moves = tuple(rng.randrange(64) for _ in reports)
    job = GameJob(number, "othello", ("wdiff:5", "diff:5"), ("wdiff:5", "diff:5"), seed=number, game_pair=number // 2)
    return GameRecord(
        job, moves, 1.0, 12, BY_RULES, reports=reports, versions=("zermelo", "zermelo"), started_at=1e9, seconds=9.5
    )


def timed(function: Callable[[], object]) -> float:
    """Measure the seconds of a call."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def measure(games: int, rounds: int, folder: str | None) -> dict[str, Any]:
    """Save and read games."""
    saved: list[float] = []
    appended: list[float] = []
    first = game(0)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        path = Path(temporary) / "games.zermelo"
        with Store.create(path, {"game": "othello"}) as store, open(Path(temporary) / "lines", "wb") as lines:

            def append(record: GameRecord) -> None:
                lines.write(record.to_json().encode() + b"\n")
                lines.flush()
                os.fsync(lines.fileno())

            batch_size = max(games // rounds, 1)
            for start in range(0, games, batch_size):
                batch = [
                    replace(first, job=replace(first.job, number=number, seed=number))
                    for number in range(start, min(start + batch_size, games))
                ]
                saved += [timed(lambda record=record: store.add(record)) for record in batch]  # type: ignore[misc]
                appended += [timed(lambda record=record: append(record)) for record in batch]  # type: ignore[misc]
            results = timed(lambda: sum(1 for _ in store.results()))
            read = timed(lambda: sum(1 for _ in store.games()))
        size = path.stat().st_size
    save, append_only = median(saved), median(appended)
    return {
        "games": games, "save": save, "save_mean": sum(saved) / games, "append": append_only,
        "ratio": save / append_only, "results": results, "read": read, "bytes_per_game": size // games,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=10_000, help="games to save (default 10,000)")
    parser.add_argument("--rounds", type=int, default=50, help="turns of each method (default 50)")
    parser.add_argument("--folder", help="folder to write to (default: temporary files)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    result = measure(options.games, options.rounds, options.folder)
    if options.json:
        report.print_json(result)
        return
    rows = [
        ["save a game, median", f"{result['save'] * 1e3:.2f} ms"],
        ["save a game, mean", f"{result['save_mean'] * 1e3:.2f} ms"],
        ["append its text to a file and sync, median", f"{result['append'] * 1e3:.2f} ms"],
        ["ratio of the medians", report.format_ratio(result["ratio"])],
        ["read all results", f"{result['results']:.2f} s"],
        ["read all games", f"{result['read']:.2f} s"],
        ["bytes per game", report.format_count(result["bytes_per_game"])],
    ]
    title = f"{result['games']:,} games of 60 plies; goal: save a game in less than {GOAL * 1e3:g} ms"
    report.print_table(title, ["task", "result"], rows)


if __name__ == "__main__":
    main()
