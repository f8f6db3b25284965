"""What a user waits for and what it takes: start from the shell, compile times, memory beyond the table.

    python benchmarks/startup.py [--runs N] [--games GAME,...] [--json]

Cold runs use an empty cache of their own (ZERMELO_CACHE_DIR in a folder that is removed afterwards). Memory is the
process's largest resident set. A table's pages count only once they are touched, so memory beyond the table is
taken with a table of 1 MiB too, and the larger of the two differences is what counts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import report

GAMES = "tictactoe,pennies,connect4,othello"
HELP_SECONDS, WARM_SECONDS, COLD_SECONDS, BEYOND_MB = 0.4, 1.5, 15.0, 150.0
MIB = 2**20
LARGE_TABLE = 256  # MiB, `--table 256M`


@dataclass
class Run:
    seconds: float
    peak_bytes: int


def program() -> list[str]:
    """The command installed beside this Python, or the one on the path."""
    beside = Path(sys.executable).with_name("zermelo")
    found = str(beside) if beside.exists() else shutil.which("zermelo")
    return [found] if found else [sys.executable, "-m", "zermelo"]


def run(*arguments: str, cache: str | None = None) -> Run:
    environment = {**os.environ, **({"ZERMELO_CACHE_DIR": cache} if cache else {})}
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        child = subprocess.Popen([*program(), *arguments], stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
            raise SystemExit(f"zermelo {' '.join(arguments)} failed ({child.returncode}): {said}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_maxrss * unit)


def row(what: str, got: float, unit: str, goal: float | None, **more: Any) -> dict[str, Any]:
    return {"what": what, "got": got, "unit": unit, "goal": goal, "met": goal is None or got < goal, **more}


def start_times(runs: int) -> list[dict[str, Any]]:
    rows = []
    for arguments, goal in ((("--help",), HELP_SECONDS), (("analyse", "othello", "--depth", "8"), WARM_SECONDS)):
        run(*arguments)  # warms the caches, the disk's too
        times = [run(*arguments).seconds for _ in range(runs)]
        rows.append(row(f"zermelo {' '.join(arguments)}, warm", median(times), "s", goal, runs=times))
    return rows


def compile_times(games: list[str]) -> list[dict[str, Any]]:
    rows = []
    for game in games:
        with tempfile.TemporaryDirectory() as cache:
            cold = run("analyse", game, "--depth", "1", cache=cache)
            warm = run("analyse", game, "--depth", "1", cache=cache)
            size = sum(path.stat().st_size for path in Path(cache).rglob("*") if path.is_file())
        what = f"zermelo analyse {game} --depth 1, empty cache"
        rows.append(row(what, cold.seconds, "s", COLD_SECONDS, warm_seconds=warm.seconds, cache_bytes=size))
        rows.append(row("    the same again", warm.seconds, "s", None))
    return rows


def memory() -> list[dict[str, Any]]:
    rows, beyond = [], []
    for mebibytes in (LARGE_TABLE, 1):
        arguments = ("analyse", "othello", "--depth", "10", "--table", f"{mebibytes}M")
        peak = run(*arguments).peak_bytes
        beyond.append((peak - mebibytes * MIB) / MIB)
        rows.append(row(f"zermelo {' '.join(arguments)}, peak memory", peak / MIB, "MiB", None))
    return [*rows, row("memory beyond the table, the larger difference", max(beyond), "MiB", BEYOND_MB)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7, help="runs of each warm command (default 7)")
    parser.add_argument("--games", default=GAMES, help=f"compiled from an empty cache (default {GAMES})")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = [*start_times(options.runs), *compile_times([g for g in options.games.split(",") if g]), *memory()]
    if options.json:
        report.as_json({"measured": rows})
        return
    shown = [
        [
            each["what"],
            f"{each['got']:.2f} {each['unit']}" if each["unit"] == "s" else f"{each['got']:.0f} {each['unit']}",
            "" if each["goal"] is None else f"{each['goal']:g} {each['unit']}",
            "" if each["goal"] is None else "met" if each["met"] else "MISSED",
        ]
        for each in rows
    ]
    columns = ["from the shell", "measured", "goal under", ""]
    report.table(f"Start, compiling, memory; {report.processor()}", columns, shown, numbers=columns[1:3])


if __name__ == "__main__":
    main()
