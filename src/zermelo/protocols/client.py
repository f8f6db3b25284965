"""Common parts of the UCI and GTP clients: reading lines up to a deadline, and failures at startup."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: Longer lines are cut to this length; no line of either protocol is longer.
MAX_LINE = 8_192


class ProtocolClient:
    """Base of the clients: sends commands to an engine and reads its replies."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def next_line(self, deadline: float) -> str:
        """Return the next line, unprintable characters replaced by spaces.

        Parameters
        ----------
        deadline : float
            Time of `time.monotonic`.

        Raises
        ------
        ProgramFailure
            HANG at the deadline, even if the engine keeps writing.
        """
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise ProgramFailure(Reason.HANG, "no reply in time")
        line = self.program.receive(remaining)[:MAX_LINE]
        if not line.isprintable():
            line = "".join(letter if letter.isprintable() else " " for letter in line)
        return line.strip()

    def send(self, line: str) -> None:
        """Send a line. Raises `ProgramFailure`."""
        self.program.send(line)


@contextmanager
def startup() -> Iterator[None]:
    """Report a crash or a missing reply within the block as NO_START."""
    try:
        yield
    except ProgramFailure as failure:
        if failure.reason in (Reason.CRASH, Reason.HANG):
            raise ProgramFailure(Reason.NO_START, failure.detail) from None
        raise
