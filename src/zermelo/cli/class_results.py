"""The end of a command for a class of students: one bad item, or Ctrl-C, costs nobody else's results."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from zermelo._util.terminal import print_line
from zermelo.cli import FAILED, print_fault
from zermelo.cli.convert import MAX_REPORTED


def end_with(faults: Sequence[str]) -> None:
    """Report internal errors, one line each, and end the command if there are any. Raises `typer.Exit`."""
    _print_errors(faults)
    if faults:
        raise typer.Exit(FAILED)


def _print_errors(lines: Sequence[str]) -> None:
    for line in lines[:MAX_REPORTED]:
        print_fault(line)
    if len(lines) > MAX_REPORTED:
        print_line(f"zermelo: {len(lines) - MAX_REPORTED:,} more errors", error=True)
