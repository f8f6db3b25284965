"""What every wire to a process has: lines read as they come, within limits; how a process ended; its group killed."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

#: So many of the last lines are kept, and so many letters of each.
LAST_LINES, LAST_LETTERS = 20, 200


class Lines:
    """The lines that come out of a pipe, read by a thread of its own; it stops where they are too long or too many.

    `longest`: bytes of the longest line. `most`: bytes that may lie unread, and that may come before it is `asked` for
    more, and as many again for each second since. `over`: for a pipe whose lines nobody takes, of which only the last
    are remembered; called when there were too many.
    """

    def __init__(self, pipe: IO[bytes], longest: int, most: int, over: Callable[[], None] | None = None) -> None:
        #: Why nothing more is read, where that is not the end of it.
        self.flood: str | None = None
        self._unfinished = b""
        self._last: deque[tuple[float, bytes]] = deque(maxlen=LAST_LINES)
        self._pipe = pipe
        self._longest, self._most, self._over = longest, most, over
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._read = self._taken = self._before = 0
        self._asked = time.monotonic()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def asked(self) -> None:
        """From here on what comes is counted anew."""
        self._before, self._asked = self._read, time.monotonic()

    def take(self, seconds: float) -> bytes | None:
        """The next line; None when none will come. Raises `queue.Empty` after so many seconds."""
        line = self._lines.get(timeout=seconds) if seconds > 0 else self._lines.get_nowait()
        if line is None:
            self._lines.put(None)  # for whoever asks once more
        else:
            self._taken += len(line) + 1
        return line

    def wake(self) -> None:
        """End the waiting of whoever takes lines."""
        self._lines.put(None)

    def _work(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while self.flood is None and (read := os.read(self._pipe.fileno(), 1 << 16)):
                self._read += len(read)
                self._sort(read)
        if self._unfinished and self.flood is None:
            self._keep(self._unfinished)
            self._unfinished = b""
        self._lines.put(None)
        if self._over is not None and self.flood is not None:
            self._over()

    def _sort(self, read: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + read).split(b"\n")
        for line in lines:
            if len(line) > self._longest:
                self._unfinished = line
                break
            self._keep(line)
        if len(self._unfinished) > self._longest:
            self.flood = f"a line of more than {self._longest:,} bytes"
        elif self._over is None and self._read - self._taken - len(self._unfinished) > self._most:
            self.flood = f"more than {self._most:,} bytes that nobody had asked for"
        elif self._read - self._before > self._most * (1 + time.monotonic() - self._asked):
            self.flood = f"more than {self._most:,} bytes a second"

    def _keep(self, line: bytes) -> None:
        self._last.append((time.monotonic(), line[:LAST_LETTERS]))
        if self._over is None:
            self._lines.put(line)

    @property
    def last(self) -> list[tuple[float, str]]:
        """The last lines, and what has no end yet, each with the time when it came."""
        unfinished = self._unfinished[:LAST_LETTERS]
        lines = [*self._last, (time.monotonic(), unfinished)] if unfinished else list(self._last)
        return [(when, line.decode("utf-8", "replace").rstrip("\r")) for when, line in lines]

    def close(self, seconds: float = 0.2) -> None:
        """Wait until the reader has closed the pipe, for so many seconds at most: its process must have ended."""
        self._thread.join(timeout=seconds)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and all of the group."""
    if os.name == "posix":
        # The group may outlive its leader.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()


def ended(code: int, by_itself: str = "it ended") -> str:
    """How a process ended, in words, by its exit code: where negative, the signal's number."""
    if code >= 0:
        return f"{by_itself} (exit code {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"it was ended by the system ({name})"


def ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends in a short time. It is not reaped where that can be, so its group is still its own."""
    deadline = time.monotonic() + seconds
    if hasattr(os, "waitid"):
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.0005)
        return True
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
