"""Find processes that a test left behind, by a unique word in their command lines or working directories."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

import pytest

_numbers = count()


def unique_mark() -> str:
    """Return a word for a program's command line or folder that no other process has."""
    return f"mark-{os.getpid()}-{next(_numbers)}-"  # the dash at the end: no mark is a prefix of another


def mark_temporary_folders(monkeypatch: pytest.MonkeyPatch, parent: Path, word: str) -> None:
    """Let temporary folders, in which agents run, have a word in their paths."""
    (parent / f"temporary-{word}").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(parent / f"temporary-{word}"))


def alive(word: str) -> dict[int, str]:
    """Return the processes with a word in their command line or working directory, except this one. Linux only."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        try:
            line = (folder / "cmdline").read_bytes() + b"\0in " + os.fsencode(os.readlink(folder / "cwd"))
        except OSError:
            continue
        if word.encode() in line and int(folder.name) != os.getpid():
            found[int(folder.name)] = line.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def remaining(word: str, timeout: float = 120.0) -> dict[int, str]:
    """Wait until no process with this word is alive; return those still alive after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while (found := alive(word)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found
