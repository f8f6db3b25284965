"""Programs from outside without a process: what they are sent is answered by a function, line by line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import ProgramLimits


class Scripted:
    """Stands for a `Program`. Where it has nothing more to say it hangs, at once, as no test waits for it."""

    def __init__(self, answers: Callable[[str], Iterable[str]]) -> None:
        self.name = "scripted"
        self.limits = ProgramLimits(start=5.0)
        #: What it was sent.
        self.heard: list[str] = []
        self._answers = answers
        self._lines: deque[str] = deque()

    def send(self, line: str, seconds: float = 5.0) -> None:
        assert "\n" not in line
        self.heard.append(line)
        self._lines.extend(self._answers(line))

    def receive(self, seconds: float) -> str:
        if not self._lines:
            raise ProgramFailure(Reason.HANG, "no answer")
        line = self._lines.popleft()
        if line == "<crash>":
            self._lines.appendleft(line)
            raise ProgramFailure(Reason.CRASH, "it ended")
        return line
