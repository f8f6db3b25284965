"""Line-based pipe input with limits, and helpers to describe and kill processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

from zermelo._util.mailbox import Mailbox

#: Number of recent lines remembered for error messages, and the bytes kept of each.
RECENT_LINES, RECENT_LINE_BYTES = 20, 200


class LineReader:
    """Read the lines of a pipe on a thread; stop when they are too long or arrive too fast.

    Parameters
    ----------
    pipe : binary file
        Read end; the reader closes it.
    max_line : int
        Maximum line length in bytes.
    max_bytes : int
        Maximum number of unread bytes. Also the burst allowed after `reset_rate`; each second since then
        allows as many bytes again.
    on_flood : callable, optional
        For a pipe whose lines are not consumed (standard error): only the recent lines are kept, and
        this is called when a limit is exceeded.
    """

    def __init__(
        self, pipe: IO[bytes], max_line: int, max_bytes: int, on_flood: Callable[[], None] | None = None
    ) -> None:
        #: Which limit was exceeded, in words; None while none was.
        self.flood: str | None = None
        self._unfinished = b""
        self._recent: deque[tuple[float, bytes]] = deque(maxlen=RECENT_LINES)
        self._pipe = pipe
        self._max_line, self._max_bytes, self._on_flood = max_line, max_bytes, on_flood
        self._lines: Mailbox[bytes | None] = Mailbox()
        self._bytes_read = self._bytes_taken = self._bytes_at_reset = 0
        self._reset_time = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def reset_rate(self) -> None:
        """Start a new rate window: a request was just sent."""
        self._bytes_at_reset, self._reset_time = self._bytes_read, time.monotonic()

    def next_line(self, timeout: float) -> bytes | None:
        """Return the next line without its newline, or None at end of file.

        Raises
        ------
        queue.Empty
            No line arrived within `timeout` seconds.
        """
        line = self._lines.get(timeout)
        if line is None:
            self._lines.put(None)  # end of file stays visible to later calls
        else:
            self._bytes_taken += len(line) + 1
        return line

    def wake(self) -> None:
        """Make a waiting `next_line` return None."""
        self._lines.put(None)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while self.flood is None and (chunk := os.read(self._pipe.fileno(), 1 << 16)):
                self._bytes_read += len(chunk)
                self._split(chunk)
        if self._unfinished and self.flood is None:
            self._add(self._unfinished)
            self._unfinished = b""
        self._lines.put(None)
        if self._on_flood is not None and self.flood is not None:
            self._on_flood()

    def _split(self, chunk: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        for line in lines:
            if len(line) > self._max_line:
                self._unfinished = line
                break
            self._add(line)
        if len(self._unfinished) > self._max_line:
            self.flood = f"wrote a line of more than {self._max_line:,} bytes"
        elif self._on_flood is None and self._bytes_read - self._bytes_taken - len(self._unfinished) > self._max_bytes:
            self.flood = f"wrote more than {self._max_bytes:,} bytes without being asked"
        elif self._bytes_read - self._bytes_at_reset > self._max_bytes * (1 + time.monotonic() - self._reset_time):
            self.flood = f"wrote more than {self._max_bytes:,} bytes per second"

    def _add(self, line: bytes) -> None:
        self._recent.append((time.monotonic(), line[:RECENT_LINE_BYTES]))
        if self._on_flood is None:
            self._lines.put(line)

    @property
    def recent(self) -> list[tuple[float, str]]:
        """The most recent lines with their arrival times, an unfinished line included."""
        unfinished = self._unfinished[:RECENT_LINE_BYTES]
        lines = [*self._recent, (time.monotonic(), unfinished)] if unfinished else list(self._recent)
        return [(when, line.decode("utf-8", "replace").rstrip("\r")) for when, line in lines]

    def close(self, timeout: float = 0.2, quiet: float | None = None) -> None:
        """Wait for the reader to close the pipe. Call it after the process has exited.

        Parameters
        ----------
        timeout : float
            Seconds to wait at most.
        quiet : float, optional
            Seconds without input after which the wait ends: another process may hold the pipe open.
        """
        deadline = time.monotonic() + timeout
        bytes_read = -1
        while self._thread.is_alive() and bytes_read != self._bytes_read and time.monotonic() < deadline:
            bytes_read = self._bytes_read
            self._thread.join(timeout if quiet is None else quiet)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the process group that it leads."""
    if os.name == "posix":
        # The group may outlive its leader.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()


def describe_exit(code: int) -> str:
    """Describe an exit code in words: `exited with code 3`, `killed by signal 9 (SIGKILL)`."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


def exits_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a process exits within `seconds`.

    Where the system allows it the process is not reaped, so that its group number cannot be reused before
    `kill_group`.
    """
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
