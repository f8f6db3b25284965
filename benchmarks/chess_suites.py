"""Chess test suites (EPD): positions solved in a given time, by evaluation, and nodes per second.

    python benchmarks/chess_suites.py FILE.epd [--seconds S] [--evaluation NAME ...] [--only KIND] [--first N] [--json]

Each line of the file is a position in EPD: four fields, then `bm` (best moves) or `am` (moves to avoid) and an `id`.
A position is solved if the search returns a best move, or avoids the moves to avoid, when its time is up. Time is CPU
time, so that the load of the machine does not change the result. The transposition table is empty at each position.
If `gnuchess` is installed it is measured too, in wall-clock time, which it counts in whole seconds.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import report

import zermelo
from zermelo._util.user_files import open_input
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import State
from zermelo.errors import FormatError, LimitError
from zermelo.formats import epd
from zermelo.formats.line_reader import read_lines
from zermelo.search.engine import Engine, Limits

TABLE = "64M"


class Test(NamedTuple):
    """A position of a test suite."""

    name: str
    state: State
    best: frozenset[int]
    avoid: frozenset[int]

    def solved_by(self, move: int | None) -> bool:
        return move is not None and (move in self.best if self.best else move not in self.avoid)


def tests(path: Path) -> list[Test]:
    """Read an EPD file.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it has no positions, or a wrong one, or one with neither `bm` nor `am`.
    """

    def refuse(error: FormatError) -> None:
        raise FormatError(f"{path}: {error}")

    with open_input(str(path)) as file:
        records = list(epd.read(read_lines(file), on_error=refuse))
    if not records:
        raise FormatError(f"{path}: no positions")
    suite = []
    for number, record in enumerate(records, 1):
        name = " ".join(record.operations.get("id", [str(number)]))
        best, avoid = (frozenset(map(record.start.parse_move, record.operations.get(key, ()))) for key in ("bm", "am"))
        if not best and not avoid:
            raise FormatError(f"{path}: position {name} has neither bm nor am, the moves that solve it")
        suite.append(Test(name, record.start, best, avoid))
    return suite


def search(test: Test, evaluation: str, seconds: float, selective: bool, nodes: int | None = None) -> dict[str, Any]:
    """Search a position for the given CPU time, and at most so many nodes."""
    engine = Engine(TABLE, selective=selective)
    started = time.process_time()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            if time.process_time() - started >= seconds:
                engine.stop()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    for analysis in engine.analysis(test.state, Limits(nodes=nodes), evaluation=evaluation):
        last = analysis
    done.set()
    watcher.join()
    elapsed = time.process_time() - started
    return {
        "id": test.name,
        "move": last.best,
        "solved": test.solved_by(last.move),
        "depth": last.depth,
        "nodes": last.nodes,
        "seconds": round(elapsed, 3),
    }


def gnuchess(test: Test, seconds: float) -> dict[str, Any]:
    """Search a position with GNU Chess for the given wall-clock time."""
    fen = f"{test.state}"
    commands = f"xboard\npost\nsetboard {fen}\nst {max(seconds, 1):g}\ngo\n"
    completed = subprocess.run(
        ["gnuchess", "-x"], input=commands, capture_output=True, text=True, timeout=30 + 10 * seconds
    )
    played = re.search(r"My move is *: *(\S+)|^move (\S+)", completed.stdout, re.MULTILINE)
    move = test.state.parse_move(played[1] or played[2]) if played else None
    return {"id": test.name, "move": played and (played[1] or played[2]), "solved": test.solved_by(move)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, help="test suite in EPD")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time per position (default 0.5)")
    parser.add_argument("--evaluation", action="append", help="evaluation of chess, repeatable (default all)")
    parser.add_argument("--nodes", type=int, help="nodes per position, in addition")
    parser.add_argument("--only", choices=("selective", "exact"), help="one search (default: both, and GNU Chess)")
    parser.add_argument("--first", type=int, metavar="N", help="use only the first N positions")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    if options.first is not None and options.first < 1:
        raise LimitError(f"--first must be at least 1 (got {options.first})")
    Limits(seconds=options.seconds, nodes=options.nodes)  # checks them
    suite = tests(options.file)[: options.first]
    names = options.evaluation or list(zermelo.load("chess").evaluations)
    for name in names:
        resolve_evaluation(suite[0].state, name)
    rows: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        for kind in (options.only,) if options.only else ("selective", "exact"):
            selective = kind == "selective"
            zermelo.analyse(suite[0].state, depth=1, evaluation=name, selective=selective)  # compiles
            rows[f"{name}, {kind}"] = [search(test, name, options.seconds, selective, options.nodes) for test in suite]
    if shutil.which("gnuchess") and not options.only:
        rows["gnuchess"] = [gnuchess(test, options.seconds) for test in suite]
    summaries = {name: _summarize(each) for name, each in rows.items()}
    if options.json:
        report.print_json(
            {"file": options.file.name, "seconds": options.seconds, "sides": summaries, "positions": rows}
        )
        return 0
    cells = [
        [
            name,
            f"{row['solved']} of {row['positions']}",
            f"{row['depth']:.1f}" if row["depth"] else "",
            report.format_rate(row["nodes_per_second"]) if row["nodes_per_second"] else "",
        ]
        for name, row in summaries.items()
    ]
    title = f"{options.file.name}, {options.seconds:g} s per position; {report.processor()}"
    report.print_table(title, ["search", "solved", "depth", "nodes/s"], cells, numbers=["depth", "nodes/s"])
    return 0


def _summarize(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarize the results of all positions."""
    seconds = sum(row.get("seconds", 0) for row in rows)
    nodes = sum(row.get("nodes", 0) for row in rows)
    return {
        "solved": sum(row["solved"] for row in rows),
        "positions": len(rows),
        "depth": sum(row.get("depth", 0) for row in rows) / len(rows),
        "nodes_per_second": nodes / seconds if seconds else 0,
    }


if __name__ == "__main__":
    report.run(main)
