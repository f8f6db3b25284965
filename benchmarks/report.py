"""Helpers of all benchmarks: run a script, read its files, find programs, describe the machine, print tables."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from zermelo._util.user_files import read_text
from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError, ZermeloError

#: Largest file of positions that is read, in bytes.
MAX_BYTES = 1 << 28


class Unavailable(Exception):
    """A program or library to compare with is not available; the message says why."""


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run the main function of a script. Bad input ends it with one line and exit code 2, Ctrl-C with 130."""
    try:
        sys.exit(main())
    except (ZermeloError, Unavailable) as error:
        print(f"{Path(sys.argv[0]).name}: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"{Path(sys.argv[0]).name}: interrupted", file=sys.stderr)
        sys.exit(130)


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a text file that are not empty and do not start with `#`.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If there is no line.
    """
    lines = [line.strip() for line in read_text(path, MAX_BYTES).splitlines()]
    found = [line for line in lines if line and not line.startswith("#")]
    if not found:
        raise FormatError(f"{path}: no positions")
    return found


def read_positions(cls: type[State], path: str | Path) -> list[State]:
    """Read the positions of a file, one per line. Raises as `read_lines`, and `PositionError`."""
    found = []
    for line in read_lines(path):
        try:
            found.append(cls.parse(line))
        except PositionError as error:
            raise PositionError(f"{path}: {error}") from None
    return found


def find_program(path: str, option: str) -> str:
    """Find a program on the PATH or in the usual folders of games. `option` is the option that sets another path."""
    location = shutil.which(path) or shutil.which(path, path="/usr/games:/usr/local/bin:/opt/homebrew/bin")
    if not location:
        raise Unavailable(f"program not found on PATH: {path} (install its package or pass {option} PATH)")
    return location


def processor() -> str:
    """Return the name of the CPU."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Describe the machine and the Python version."""
    return {"processor": processor(), "cpus": os.cpu_count(), "python": platform.python_version()}


def best_times(variants: Mapping[str, Callable[[], Any]], runs: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Call functions in turn, `runs` times each; return the least CPU time of each in seconds, and what it returned."""
    times = dict.fromkeys(variants, float("inf"))
    results = {}
    for _ in range(runs):
        for name, function in variants.items():
            began = time.process_time()
            results[name] = function()
            times[name] = min(times[name], time.process_time() - began)
    return times, results


def format_count(number: float | None) -> str:
    """Format an integer with thousands separators; None as an empty text."""
    return "" if number is None else f"{number:,.0f}"


def format_rate(number: float | None) -> str:
    """Format a rate with three significant digits and thousands separators."""
    return "" if number is None else f"{float(f'{number:.3g}'):,.0f}"


def format_ratio(ratio: float | None) -> str:
    """Format a ratio with three significant digits."""
    if ratio is None:
        return ""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Print rows under a title. Columns named in `numbers` are right-aligned."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
        print(f"\n{title}")
        for row in [columns, *rows]:
            cells = (
                cell.rjust(width) if column in numbers else cell.ljust(width)
                for cell, width, column in zip(row, widths, columns, strict=True)
            )
            print("  ".join(cells).rstrip())
        return
    output = Table(title=Text(title, "bold"), title_justify="left")
    for column in columns:
        output.add_column(column, justify="right" if column in numbers else "left", no_wrap=column in numbers)
    for row in rows:
        output.add_row(*map(Text, row))
    Console(width=None if sys.stdout.isatty() else 130).print(output)


def print_json(results: dict[str, Any]) -> None:
    """Print results and the machine they were measured on."""
    print(json.dumps({**machine(), **results}, indent=2))
