"""How much processor time the processes of a program have had, and whether they are stopped: from Linux's /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

from leftovers import alive


def processor_time(word: str) -> float:
    """Seconds that the processes with a word in their command line have had, their keepers apart."""
    return sum(int(ticks) for words in _told(word) for ticks in words[11:13]) / os.sysconf("SC_CLK_TCK")


def burns(word: str, seconds: float = 60.0) -> bool:
    """Whether they get more of it, as soon as they do."""
    before, deadline = processor_time(word), time.monotonic() + seconds
    while processor_time(word) <= before + 0.1:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def stops(word: str, seconds: float = 60.0) -> bool:
    """Whether they are all stopped, as soon as they are."""
    deadline = time.monotonic() + seconds
    while not (states := {words[0] for words in _told(word)}) or states != {"T"}:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _told(word: str) -> list[list[str]]:
    told = []
    for number, line in alive(word).items():
        if "supervisor.py" not in line:
            try:
                told.append(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split())
            except OSError:
                continue
    return told
