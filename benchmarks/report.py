"""What the benchmarks share: the programs they run beside ours, and how they show what they measured."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Absent(Exception):
    """A side cannot take part here; the message says why."""


def program(path: str, option: str) -> str:
    """Where a program is, games' folders looked through too. Raises `Absent`; `option` is what would name another."""
    found = shutil.which(path) or shutil.which(path, path="/usr/games:/usr/local/bin:/opt/homebrew/bin")
    if not found:
        raise Absent(f"no program {path}; a package of most systems, or {option} PATH")
    return found


def processor() -> str:
    """The processor's name as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def where() -> dict[str, Any]:
    """The circumstances without which a figure means little."""
    return {"processor": processor(), "cpus": os.cpu_count(), "python": platform.python_version()}


def whole(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def three_digits(number: float | None) -> str:
    """A rate with three significant digits, written out."""
    return "" if number is None else f"{float(f'{number:.3g}'):,.0f}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Print rows under a title; columns named in `numbers` are set to the right."""
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
    drawn = Table(title=Text(title, "bold"), title_justify="left")
    for column in columns:
        drawn.add_column(column, justify="right" if column in numbers else "left", no_wrap=column in numbers)
    for row in rows:
        drawn.add_row(*map(Text, row))
    Console(width=None if sys.stdout.isatty() else 130).print(drawn)


def as_json(measured: dict[str, Any]) -> None:
    print(json.dumps({**where(), **measured}, indent=2))
