"""Results of a class of students: written and reported also if some of them failed, or Ctrl-C ended the command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from zermelo import formatting
from zermelo._util.terminal import print_line
from zermelo._util.user_files import list_folder, shown_path
from zermelo.cli import BAD_INPUT, FAILED, INTERRUPTED, print_fault
from zermelo.cli.convert import MAX_REPORTED
from zermelo.errors import FileError


def list_class(folder: Path, *suffixes: str) -> list[Path]:
    """Return the files of a folder that can be answers; a line on standard error names those with hidden names."""
    note_unread(folder, "hidden file", "the name begins with a dot", list_folder(folder, *suffixes, hidden=True))
    return list_folder(folder, *suffixes)


def note_unread(folder: Path, kind: str, why: str, paths: Sequence[Path]) -> None:
    """Print a line on standard error about files of a folder that are not read, if there are any."""
    if not paths:
        return
    names = ", ".join(shown_path(path.name) for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
    print_line(f"{shown_path(folder)}: {formatting.plural(len(paths), kind)} not read ({why}): {names}", error=True)


def write_files(files: Iterable[tuple[str, str]]) -> list[str]:
    """Write files, given as paths and contents, and return the errors of those that cannot be written."""
    from zermelo._util.atomic_files import write

    errors = []
    for path, content in files:
        try:
            write(path, content)
        except FileError as error:
            errors.append(str(error))
    return errors


def end_class(faults: Sequence[str], unwritten: Sequence[str], left: str = "") -> None:
    """Report what went wrong; then raise `typer.Exit` if something did.

    Parameters
    ----------
    faults : sequence of str
        Internal errors.
    unwritten : sequence of str
        Errors of files that could not be written.
    left : str
        What Ctrl-C left undone; empty if the command was not interrupted.
    """
    lines = [*faults, *unwritten]
    for line in lines[:MAX_REPORTED]:
        print_fault(line)
    if len(lines) > MAX_REPORTED:
        print_line(f"zermelo: {len(lines) - MAX_REPORTED:,} more errors", error=True)
    if left:
        print_line(f"zermelo: interrupted; {left}", error=True)
        raise typer.Exit(INTERRUPTED)
    if unwritten:
        raise typer.Exit(BAD_INPUT)
    if faults:
        raise typer.Exit(FAILED)
