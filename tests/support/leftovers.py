"""Processes that a test may have left behind: found by a word in their command lines."""

from __future__ import annotations

import os
import sys
import time
from itertools import count
from pathlib import Path

_numbers = count()


def mark() -> str:
    """A word that no other process has: an argument for a program whose processes are looked for."""
    return f"mark-{os.getpid()}-{next(_numbers)}-"  # none is the beginning of another


def alive(word: str) -> dict[int, str]:
    """The processes with a word in their command line, each with that line; our own apart. Of Linux alone."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in line and int(folder.name) != os.getpid():
            found[int(folder.name)] = line.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def left(word: str, seconds: float = 20.0) -> dict[int, str]:
    """What is still alive when none is left, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while (found := alive(word)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found
