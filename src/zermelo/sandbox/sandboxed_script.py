"""Run a Python script in a sandboxed process and exchange JSON messages with it.

    shapes = {"answer": (messages.number,)}                 # what it may send; anything else ends it
    with SandboxedScript(Path("script.py"), ScriptLimits(seconds=2), shapes) as script:
        script.send({"any": "data"})
        while (message := script.receive()) is not None:    # None: no more messages
            ...
    script.failure                                          # how it failed, in words; None if it exited with code 0

The script can exceed no limit and cannot block its caller. `limits.py` applies the limits inside the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self, cast

from zermelo._util import temporary
from zermelo.errors import LimitError, ZermeloError
from zermelo.sandbox.failure import Reason
from zermelo.sandbox.line_io import LineReader, describe_exit, exits_within, kill_group
from zermelo.sandbox.messages import InvalidMessage, Shapes, array, decode, text

_LIMITS_SCRIPT = Path(__file__).with_name("limits.py")
#: Maximum length of a message from the script, in bytes. Legitimate messages need less than a tenth of it.
MAX_MESSAGE = 4096
#: Maximum number of unread bytes from the script. A request-reply exchange never comes near it.
MAX_UNREAD = 64 << 10
#: The message of `limits.py` before the script runs: the restrictions in force.
_FIRST_MESSAGE: Shapes = {"limits": (array(text(40), 40),)}
#: Seconds allowed for the interpreter to start; not counted as the script's own time. Busy machines are slow.
STARTUP_SECONDS = 20.0


@dataclass(frozen=True)
class ScriptLimits:
    """Resource limits of a `SandboxedScript`.

    Parameters
    ----------
    seconds : float
        Wall-clock time, from 0.05 to 3600.
    memory : int
        Address space in bytes, from 64 MB to 1 TB; the interpreter itself takes about 30 MB.
    output : int
        Bytes of printed text that are kept; more is discarded as it arrives.
    require_sandbox : bool
        Run a program only if all restrictions of the sandbox hold in its process.

    Raises
    ------
    LimitError
        A limit is out of range.
    """

    seconds: float = 2.0
    memory: int = 256 << 20
    output: int = 64 << 10
    require_sandbox: bool = False

    def __post_init__(self) -> None:
        if not 0.05 <= self.seconds <= 3600:
            raise LimitError(f"seconds must be from 0.05 to 3600 (got {self.seconds:g})")
        if not 64 << 20 <= self.memory <= 1 << 40:
            raise LimitError(f"memory must be from 64M to 1T (got {self.memory:,} bytes)")


class SandboxedScript:
    """A Python script running under limits, in an empty folder with an empty environment.

    Use it as a context manager. `send` and `receive` never wait longer than the time limit. When the block ends
    or a limit is exceeded, the process and its group are killed.

    Parameters
    ----------
    script : Path
        Python file; it runs after the limits have been applied.
    limits : ScriptLimits
        Resource limits.
    shapes : dict
        The messages that it may send; see `messages.decode`.
    turns : int
        How often the time limit is granted: once, and again at each `restart_clock`.

    Attributes
    ----------
    failure : str or None
        How the script failed, in words; None if it exited with code 0.
    output : str
        Beginning of what the script printed.
    enforced : list of str
        Names of the restrictions in force on this system; see `limits.py`.
    seconds : float
        Wall-clock time used.
    """

    def __init__(self, script: Path, limits: ScriptLimits, shapes: Shapes, turns: int = 1) -> None:
        if not sys.executable:
            raise ZermeloError("cannot start a Python process: sys.executable is not set")
        self.limits = limits
        self.failure: str | None = None
        self.enforced: list[str] = []
        self.seconds = 0.0
        self._printed = bytearray()
        self._dropped = 0
        self._script, self._turns = script, turns
        self._message_shapes, self._shapes = shapes, _FIRST_MESSAGE
        self._is_over = False

    def __enter__(self) -> Self:
        self._folder = temporary.Folder()
        os.chmod(self._folder.name, 0o755)  # the script may run as another user
        limits = {"memory": self.limits.memory, "seconds": int(self._turns * self.limits.seconds) + 2}
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_LIMITS_SCRIPT)]
        self._process = subprocess.Popen(
            [*command, json.dumps(limits), str(self._script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder.name,
            env=_environment(),
            start_new_session=True,
        )
        self._pipes = [cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)]
        self._pipes.append(cast(IO[bytes], self._process.stderr))
        if os.name == "posix":
            os.set_blocking(self._pipes[0].fileno(), False)
        self._lines = LineReader(self._pipes[1], MAX_MESSAGE, MAX_UNREAD)
        self._reader = threading.Thread(target=self._read_output, args=[self._pipes[2]], daemon=True)
        self._reader.start()
        self._start_time = time.monotonic()
        self._deadline = self._start_time + STARTUP_SECONDS
        first = self.receive()
        self._start_time = time.monotonic()
        self._deadline = self._start_time + self.limits.seconds
        if first is not None:
            self.enforced = first[1]
            self._shapes = self._message_shapes
        else:
            output = self.output.strip().splitlines()
            self.close()
            raise ZermeloError(f"Python did not start: {output[-1][:200] if output else self.failure}")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def restart_clock(self) -> None:
        """Grant the time limit again, from now on."""
        self._deadline = time.monotonic() + self.limits.seconds

    # ---- messages ---------------------------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        """Send a message, encoded as JSON. A script that does not read its messages is killed."""
        self._lines.reset_rate()
        remaining = line = memoryview(json.dumps(message).encode() + b"\n")
        while remaining and not self._is_over:
            try:
                remaining = remaining[os.write(self._pipes[0].fileno(), remaining) :]
            except BlockingIOError:  # the pipe is full
                if len(line) <= MAX_MESSAGE or time.monotonic() > self._deadline:
                    self._kill("did not read the answers to its questions")
                    return
                time.sleep(0.001)
            except OSError:
                return  # the process has exited; `receive` reports it

    def receive(self) -> list[Any] | None:
        """Return the next message, which has one of the shapes, or None when there are no more."""
        if self._is_over:
            return None
        try:
            line = self._lines.next_line(self._deadline - time.monotonic())
        except queue.Empty:
            self._kill(f"exceeded the time limit of {self.limits.seconds:g} s")
            return None
        if line is None:
            if self._lines.flood is None:
                self.close()
            else:
                self._kill(f"{Reason.FLOOD}: {self._lines.flood}")
            return None
        try:
            return decode(line, self._shapes)
        except InvalidMessage:
            self._kill("wrote invalid data to the message channel")
            return None

    # ---- printed output ---------------------------------------------------------------------------------------

    def _read_output(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:  # closed here: `close` may no longer wait for the end of the output
            while chunk := os.read(pipe.fileno(), 1 << 16):
                head = chunk[: max(self.limits.output - len(self._printed), 0)]
                self._printed += head
                self._dropped += len(chunk) - len(head)

    @property
    def output(self) -> str:
        text = bytes(self._printed).decode("utf-8", "replace")
        return text + (f"\n... and {self._dropped:,} more bytes" if self._dropped else "")

    # ---- termination ------------------------------------------------------------------------------------------

    def _kill(self, why: str) -> None:
        self.failure = why
        self.close()

    def close(self) -> None:
        """Kill the process and its group, if they are still running, and set `failure`. Idempotent."""
        if self._is_over:
            return
        self._is_over = True
        self.seconds = time.monotonic() - self._start_time
        process = self._process
        if self.failure is None:
            # The script closed its end of the channel: it has exited, or soon will. On a busy machine that takes time.
            with contextlib.suppress(OSError):
                self._pipes[0].close()
            if not exits_within(process, max(min(self._deadline - time.monotonic(), 2.0), 0.2)):
                self.failure = "closed the message channel without an answer"
        kill_group(process)
        code = process.wait()
        if self.failure is None and code:
            self.failure = f"{describe_exit(code)} without an answer"
        with contextlib.suppress(OSError):
            self._pipes[0].close()
        self._lines.close()
        self._reader.join(timeout=0.2)
        self._folder.cleanup()


def _environment() -> dict[str, str]:
    """Return a minimal environment; Windows cannot start Python without SYSTEMROOT."""
    system = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**system, "LANG": "C.UTF-8"}
