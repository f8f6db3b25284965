"""The store: seconds to save a game, compared with appending the same text to a file and syncing it to disk.

    python benchmarks/store.py [--games N] [--rounds N] [--folder FOLDER] [--json]

Games have 60 plies. Both methods take turns, so that load on the disk affects both; the result is the median per
game. Then the store is opened for reading and for writing, which checks it, and all results and all games are read: the
least of some runs. Seconds of the processor are shown beside those of the clock: a busy machine changes them less.
`--folder` chooses the disk; the default is the folder of temporary files, which may be in memory.
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
from typing import Any, NamedTuple

import report

from zermelo.arena.game_record import BY_RULES, GameJob, GameRecord, MoveReport
from zermelo.arena.plans.entrants import Entrant
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store

PLAN = Plan("othello", (Entrant("wdiff:5", "wdiff:5"), Entrant("diff:5", "diff:5")), is_checked=True)
# Seconds to save a game, and to open and check a store of 10,000 games for writing.
GOAL, GOAL_OPEN = 0.002, 0.3
RUNS = 5


def game(number: int) -> GameRecord:
    """Make a random record of 60 plies."""
    rng = Random(number % 100)
    reports = tuple(MoveReport(ply % 2, rng.random(), rng.randrange(10**6), 5, ply - 30) for ply in range(60))
    moves = tuple(rng.randrange(64) for _ in reports)
    job = GameJob(number, "othello", ("wdiff:5", "diff:5"), ("wdiff:5", "diff:5"), seed=number, game_pair=number // 2)
    return GameRecord(
        job, moves, 1.0, 12, BY_RULES, reports=reports, versions=("zermelo", "zermelo"), started_at=1e9, seconds=9.5
    )


class Cost(NamedTuple):
    """Seconds of the processor and of the clock. The smaller of two took the processor less."""

    cpu: float
    wall: float


def timed(function: Callable[[], object]) -> Cost:
    """Measure a call."""
    began, cpu = time.perf_counter(), time.process_time()
    function()
    return Cost(time.process_time() - cpu, time.perf_counter() - began)


def least(function: Callable[[], object]) -> Cost:
    """Measure the cheapest of some calls."""
    return min(timed(function) for _ in range(RUNS))


def measure(games: int, rounds: int, folder: str | None) -> dict[str, Any]:
    """Save and read games."""
    saved: list[Cost] = []
    appended: list[Cost] = []
    first = game(0)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        path = Path(temporary) / "games.zermelo"
        with Store.create(path, PLAN.as_dict()) as store, open(Path(temporary) / "lines", "wb") as lines:

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
            saving = Cost(*(median(times) for times in zip(*saved, strict=True)))
            appending = Cost(*(median(times) for times in zip(*appended, strict=True)))
            results = least(lambda: sum(1 for _ in store.results()))
            read = least(lambda: sum(1 for _ in store.games()))
        costs = {
            "save": saving,
            "append": appending,
            "open": least(lambda: Store.open(path).close()),
            "open_for_writing": least(lambda: Store.open(path, write=True).close()),
            "results": results,
            "read": read,
        }
        size = path.stat().st_size
    return {
        "games": games,
        **{name: cost._asdict() for name, cost in costs.items()},
        "ratio": saving.wall / appending.wall,
        "bytes_per_game": size // games,
    }


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
    tasks = {
        "save": "save a game, median",
        "append": "append its text to a file and sync, median",
        "open": "open for reading",
        "open_for_writing": "open for writing: checks the file",
        "results": "read all results",
        "read": "read all games",
    }
    rows = [[task, *(f"{result[name][clock] * 1e3:.2f}" for clock in ("cpu", "wall"))] for name, task in tasks.items()]
    title = (
        f"{result['games']:,} games of 60 plies, {report.format_count(result['bytes_per_game'])} bytes each; "
        f"goals: save a game in {GOAL * 1e3:g} ms, open 10,000 games for writing in {GOAL_OPEN * 1e3:g} ms"
    )
    columns = ["task", "processor, ms", "clock, ms"]
    report.print_table(title, columns, rows, numbers=columns[1:])


if __name__ == "__main__":
    main()
