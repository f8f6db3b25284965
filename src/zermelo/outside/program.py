"""A program that is not ours, spoken to in lines, behind limits: it can fail, but not keep us waiting nor outlive us.

with Program(["stockfish"], Limits()) as program:
    program.send("uci")
    line = program.receive(seconds=5)       # raises Failure: CRASH, HANG, FLOOD, MEMORY, PROCESSOR
program.last_lines                          # what it wrote last, for whoever has to find out why
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Limits:
    """What a program may use, with all that it starts."""

    #: Seconds until its first answer.
    start: float = 10.0
    #: Bytes of memory in use.
    memory: int = 2 << 30
    #: Seconds of processor time for the whole of its life.
    processor: float = 3600.0
    #: Bytes that it may write before it is asked for the next line; and the longest line.
    output: int = 1 << 20
    longest_line: int = 1 << 16


class Program:
    """Started with `with`; ended, with every process that it has started, when the `with` ends or this process does."""

    def __init__(self, command: Sequence[str], limits: Limits, folder: str | None = None) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(self, *_: object) -> None:
        raise NotImplementedError

    def send(self, line: str) -> None:
        """Send a line. Raises `Failure` where it does not read any more."""

    def receive(self, seconds: float) -> str:
        """The next line it writes, without its end. Raises `Failure`; HANG after so many seconds."""
        raise NotImplementedError

    def close(self) -> None:
        """End it and all it has started, at once."""

    @property
    def last_lines(self) -> list[str]:
        """The last lines it wrote, on either output."""
        raise NotImplementedError
