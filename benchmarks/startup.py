"""Start-up time of the command line, compile times, and memory in addition to the transposition table.

    python benchmarks/startup.py [--runs N] [--games GAME,...] [--json]

Cold runs use an empty cache (ZERMELO_CACHE_DIR in a temporary folder). Memory is the peak resident set size of the
process. The pages of a table count only after their first access. Memory in addition to the table is therefore
measured with a large table and with one of 1 MiB, and the larger difference is reported.
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

import zermelo

GAMES = "tictactoe,pennies,connect4,othello"
HELP_SECONDS, WARM_SECONDS, COLD_SECONDS, EXTRA_MIB = 0.4, 1.5, 15.0, 150.0
MIB = 2**20
LARGE_TABLE = 256  # MiB, `--table 256M`


@dataclass
class Run:
    seconds: float
    peak_bytes: int


def program() -> list[str]:
    """Return the command of this Python environment, or the one on the PATH."""
    local = Path(sys.executable).with_name("zermelo")
    command = str(local) if local.exists() else shutil.which("zermelo")
    return [command] if command else [sys.executable, "-m", "zermelo"]


def run_command(*arguments: str, cache: str | None = None) -> Run:
    """Run `zermelo` with arguments; measure its wall-clock time and peak memory."""
    environment = {**os.environ, **({"ZERMELO_CACHE_DIR": cache} if cache else {})}
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        child = subprocess.Popen([*program(), *arguments], stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            errors.seek(0)
            message = errors.read().decode(errors="replace").strip()
            raise SystemExit(f"zermelo {' '.join(arguments)} failed ({child.returncode}): {message}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_maxrss * unit)


def row(label: str, value: float, unit: str, goal: float | None, **more: Any) -> dict[str, Any]:
    return {"label": label, "value": value, "unit": unit, "goal": goal, "met": goal is None or value < goal, **more}


def start_times(runs: int) -> list[dict[str, Any]]:
    rows = []
    for arguments, goal in ((("--help",), HELP_SECONDS), (("analyse", "othello", "--depth", "8"), WARM_SECONDS)):
        run_command(*arguments)  # warms Zermelo's cache and the file system cache
        times = [run_command(*arguments).seconds for _ in range(runs)]
        rows.append(row(f"zermelo {' '.join(arguments)}, warm", median(times), "s", goal, runs=times))
    return rows


def compile_times(games: list[str]) -> list[dict[str, Any]]:
    rows = []
    for game in games:
        with tempfile.TemporaryDirectory() as cache:
            cold = run_command("analyse", game, "--depth", "1", cache=cache)
            warm = run_command("analyse", game, "--depth", "1", cache=cache)
            size = sum(path.stat().st_size for path in Path(cache).rglob("*") if path.is_file())
        label = f"zermelo analyse {game} --depth 1, empty cache"
        rows.append(row(label, cold.seconds, "s", COLD_SECONDS, warm_seconds=warm.seconds, cache_bytes=size))
        rows.append(row("    the same, full cache", warm.seconds, "s", None))
    return rows


def memory() -> list[dict[str, Any]]:
    rows, extra = [], []
    for mebibytes in (LARGE_TABLE, 1):
        arguments = ("analyse", "othello", "--depth", "10", "--table", f"{mebibytes}M")
        peak = run_command(*arguments).peak_bytes
        extra.append((peak - mebibytes * MIB) / MIB)
        rows.append(row(f"zermelo {' '.join(arguments)}, peak memory", peak / MIB, "MiB", None))
    return [*rows, row("memory in addition to the table, larger of both", max(extra), "MiB", EXTRA_MIB)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7, help="runs of each command with a full cache (default 7)")
    parser.add_argument("--games", default=GAMES, help=f"games to compile with an empty cache (default {GAMES})")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    games = [name for name in options.games.split(",") if name]
    for name in games:
        zermelo.load(name)
    rows = [*start_times(options.runs), *compile_times(games), *memory()]
    if options.json:
        report.print_json({"measured": rows})
        return
    cells = [
        [
            each["label"],
            f"{each['value']:.2f} {each['unit']}" if each["unit"] == "s" else f"{each['value']:.0f} {each['unit']}",
            "" if each["goal"] is None else f"{each['goal']:g} {each['unit']}",
            "" if each["goal"] is None else "met" if each["met"] else "MISSED",
        ]
        for each in rows
    ]
    columns = ["command", "measured", "goal: less than", ""]
    report.print_table(f"Start-up, compilation and memory; {report.processor()}", columns, cells, numbers=columns[1:3])


if __name__ == "__main__":
    report.run(main)
