"""What the clients of both protocols share: the next line, by when; a program that fails before it has begun."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: No line of either protocol is longer; of a longer one this much is read.
LONGEST = 8_192


class Client:
    """One who asks a program, and waits for what it says."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def next_line(self, until: float) -> str:
        """The next line, with a blank for whatever cannot be printed, by a time of `time.monotonic`.

        Raises `ProgramFailure`: HANG at that time, even where the program goes on talking.
        """
        left = until - time.monotonic()
        if left <= 0:
            raise ProgramFailure(Reason.HANG, "no answer in time")
        line = self.program.receive(left)[:LONGEST]
        if not line.isprintable():
            line = "".join(letter if letter.isprintable() else " " for letter in line)
        return line.strip()

    def send(self, line: str) -> None:
        """Send a line. Raises `ProgramFailure`."""
        self.program.send(line)


@contextmanager
def starting() -> Iterator[None]:
    """Within it, who ends or does not answer has not started."""
    try:
        yield
    except ProgramFailure as failure:
        if failure.reason in (Reason.CRASH, Reason.HANG):
            raise ProgramFailure(Reason.NO_START, failure.detail) from None
        raise
