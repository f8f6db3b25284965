"""Chess positions with a known best move: how many are solved in a given time, by which evaluation, and nodes a second.

    python benchmarks/chess_suites.py FILE.epd [--seconds 0.5] [--evaluation NAME ...] [--first N] [--json]

A file has a position a line, in EPD: four fields, then `bm` (best moves) or `am` (moves to be avoided) and an `id`. It
is solved if the search would play the move when the time is up. Seconds are those of the processor, so that a busy
machine does not change what is solved; the table is empty at each position. If `gnuchess` is installed it is asked too,
by the clock on the wall, which it counts in whole seconds.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import report

import zermelo
from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.formats import epd
from zermelo.formats.line_reader import read_lines
from zermelo.search.engine import Engine, Limits

TABLE = "64M"


class Test(NamedTuple):
    name: str
    state: State
    best: frozenset[int]
    avoid: frozenset[int]

    def solved_by(self, move: int | None) -> bool:
        return move is not None and (move in self.best if self.best else move not in self.avoid)


def tests(path: Path) -> list[Test]:
    """The positions of an EPD file."""
    with path.open("rb") as file:
        records = list(epd.read(read_lines(file), on_error=_refused))
    read = []
    for number, record in enumerate(records, 1):
        best, avoid = (frozenset(map(record.start.parse_move, record.operations.get(key, ()))) for key in ("bm", "am"))
        read.append(Test(" ".join(record.operations.get("id", [str(number)])), record.start, best, avoid))
    return read


def _refused(error: FormatError) -> None:
    raise error


def searched(test: Test, evaluation: str, seconds: float) -> dict[str, Any]:
    """What the engine plays after so many seconds of the processor."""
    engine = Engine(TABLE)
    began = time.process_time()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            if time.process_time() - began >= seconds:
                engine.stop()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    for found in engine.analysis(test.state, Limits(), evaluation=evaluation):
        last = found
    done.set()
    watcher.join()
    took = time.process_time() - began
    return {
        "id": test.name,
        "played": last.best,
        "solved": test.solved_by(last.move),
        "depth": last.depth,
        "nodes": last.nodes,
        "seconds": round(took, 3),
    }


def gnuchess(test: Test, seconds: float) -> dict[str, Any]:
    """What GNU Chess plays after so many seconds of the clock."""
    fen = f"{test.state}"
    commands = f"xboard\npost\nsetboard {fen}\nst {max(seconds, 1):g}\ngo\n"
    ended = subprocess.run(
        ["gnuchess", "-x"], input=commands, capture_output=True, text=True, timeout=30 + 10 * seconds
    )
    played = re.search(r"My move is *: *(\S+)|^move (\S+)", ended.stdout, re.MULTILINE)
    move = test.state.parse_move(played[1] or played[2]) if played else None
    return {"id": test.name, "played": played and (played[1] or played[2]), "solved": test.solved_by(move)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=0.5, help="of the processor, for each position")
    parser.add_argument("--evaluation", action="append", help="one of chess's evaluations; without it, all")
    parser.add_argument("--first", type=int, help="only the first so many positions")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    suite = tests(options.file)[: options.first]
    names = options.evaluation or list(zermelo.load("chess").evaluations)
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        zermelo.analyse(suite[0].state, depth=1, evaluation=name)  # compiling is not searching
        rows[name] = [searched(test, name, options.seconds) for test in suite]
    if shutil.which("gnuchess"):
        rows["gnuchess"] = [gnuchess(test, options.seconds) for test in suite]
    told = {name: _summed(each) for name, each in rows.items()}
    if options.json:
        report.as_json({"file": options.file.name, "seconds": options.seconds, "sides": told, "positions": rows})
        return 0
    shown = [
        [
            name,
            f"{row['solved']} of {row['positions']}",
            f"{row['depth']:.1f}" if row["depth"] else "",
            report.three_digits(row["nodes_per_second"]) if row["nodes_per_second"] else "",
        ]
        for name, row in told.items()
    ]
    title = f"{options.file.name}, {options.seconds:g} s a position; {report.processor()}"
    report.table(title, ["search", "solved", "depth", "nodes/s"], shown, numbers=["depth", "nodes/s"])
    return 0


def _summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = sum(row.get("seconds", 0) for row in rows)
    nodes = sum(row.get("nodes", 0) for row in rows)
    return {
        "solved": sum(row["solved"] for row in rows),
        "positions": len(rows),
        "depth": sum(row.get("depth", 0) for row in rows) / len(rows),
        "nodes_per_second": nodes / seconds if seconds else 0,
    }


if __name__ == "__main__":
    sys.exit(main())
