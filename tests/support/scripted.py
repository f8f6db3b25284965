"""A stand-in for `Program` without a process: a function returns the replies to each line."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import ProgramLimits


class Scripted:
    """Replaces a `Program`. Without a reply it raises HANG at once, so that no test waits."""

    def __init__(self, replies: Callable[[str], Iterable[str]]) -> None:
        self.name = "scripted"
        self.limits = ProgramLimits(start=5.0)
        #: Lines sent to it.
        self.sent: list[str] = []
        self._replies = replies
        self._lines: deque[str] = deque()

    def send(self, line: str, timeout: float = 5.0) -> None:
        assert "\n" not in line
        self.sent.append(line)
        self._lines.extend(self._replies(line))

    def receive(self, timeout: float) -> str:
        if not self._lines:
            raise ProgramFailure(Reason.HANG, "no reply")
        line = self._lines.popleft()
        if line == "<crash>":
            self._lines.appendleft(line)
            raise ProgramFailure(Reason.CRASH, "exited with code 0")
        return line


def damaged(lines: Iterable[str], rng: random.Random, pieces: Sequence[str]) -> list[str]:
    """Cut, change, repeat, drop and sometimes reorder lines; `pieces` are inserted at random places."""
    found = []
    for line in lines:
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            text = line
            for _ in range(rng.randrange(4)):
                index = rng.randrange(len(text) + 1)
                piece = rng.choice(pieces) if rng.randrange(3) else ""
                text = text[:index] + piece + text[index + rng.randrange(4) :]
            found.append(text)
    if rng.random() < 0.2:
        rng.shuffle(found)
    return found


def check_message(text: str) -> None:
    """An error message is one line of limited length."""
    assert len(text) < 700
    assert text.isprintable()
