"""CPU time and stopped state of the processes of a program, from Linux's /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

from leftovers import alive


def cpu_time(word: str) -> float:
    """CPU seconds used by the processes with a word in their command line, except their supervisors."""
    return sum(int(ticks) for fields in _stat_fields(word) for ticks in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def uses_cpu(word: str, timeout: float = 120.0) -> bool:
    """Wait until they use more CPU time; False if they do not within `timeout` seconds."""
    before, deadline = cpu_time(word), time.monotonic() + timeout
    while cpu_time(word) <= before + 0.1:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def becomes_stopped(word: str, timeout: float = 120.0) -> bool:
    """Wait until all of them are stopped; False if they are not within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not (states := {fields[0] for fields in _stat_fields(word)}) or states != {"T"}:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _stat_fields(word: str) -> list[list[str]]:
    found = []
    for number, line in alive(word).items():
        if "supervisor.py" not in line:
            try:
                found.append(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split())
            except OSError:
                continue
    return found
