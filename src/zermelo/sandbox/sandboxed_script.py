"""A process behind walls, and the wire to it: what runs in it costs its limits at most, and cannot keep us waiting.

    with SandboxedScript(Path("script.py"), ScriptLimits(seconds=2)) as box:
        box.send({"any": "data"})
        while (message := box.receive()) is not None:       # a line of JSON, or None when nothing more comes
            ...
    box.failure                                              # how it ended, in words, if not by itself and well

The walls themselves are built by `walls.py`, in the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self, cast

from zermelo.errors import LimitError, ZermeloError
from zermelo.sandbox.line_io import Lines, ended, ends_within, kill_group

#: The longest line that the process may send, in bytes: no question or answer needs a tenth of it.
LONGEST_LINE = 4096
#: So many bytes it may be ahead of who reads: nobody with one question at a time gets so far.
MOST_AHEAD = 64 << 10
#: How long the interpreter may take to start, apart from the process's own time. Machines with much to do are slow.
START = 20.0


@dataclass(frozen=True)
class ScriptLimits:
    """What a process may use. Raises `LimitError` for less than it takes to start, and for more than makes sense."""

    #: By the clock, for one case.
    seconds: float = 2.0
    #: Bytes of address space, the interpreter's own 30 MB included.
    memory: int = 256 << 20
    #: Bytes of printed text that are kept; what is more is thrown away as it comes.
    output: int = 64 << 10

    def __post_init__(self) -> None:
        if not 0.05 <= self.seconds <= 3600:
            raise LimitError(f"{self.seconds:g} seconds; a case may take from 0.05 to 3600")
        if not 64 << 20 <= self.memory <= 1 << 40:
            raise LimitError(f"{self.memory:,} bytes of memory; a program needs 64 MB at least, and gets 1 TB at most")


class SandboxedScript:
    """A script that runs as a process of its own, in an empty folder, with nothing of our environment.

    `receive` and `send` never wait longer than the limits say. When the `with` ends, or a limit is passed, the process
    and its group are killed; then `ending` says how it went (None: it ended by itself with code 0), and `output` holds
    the beginning of what it printed.
    """

    def __init__(self, script: Path, limits: ScriptLimits) -> None:
        if not sys.executable:
            raise ZermeloError("this Python does not know its own program (sys.executable), which a check starts anew")
        self.limits = limits
        self.failure: str | None = None
        #: The names of the walls that stand: see `walls.py`.
        self.enforced: list[str] = []
        self.seconds = 0.0
        self._printed = bytearray()
        self._dropped = 0
        self._script = script
        self._is_over = False

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="zermelo-", ignore_cleanup_errors=True)
        os.chmod(self._folder.name, 0o755)  # its own user may be another
        rooms = {"memory": self.limits.memory, "seconds": int(self.limits.seconds) + 2}
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(Path(__file__).with_name("limits.py"))]
        self._process = subprocess.Popen(
            [*command, json.dumps(rooms), str(self._script)],
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
        self._lines = Lines(self._pipes[1], LONGEST_LINE, MOST_AHEAD)
        self._reader = threading.Thread(target=self._read_output, args=[self._pipes[2]], daemon=True)
        self._reader.start()
        self._began = time.monotonic()
        self._deadline = self._began + START
        first = self.receive()
        self._began = time.monotonic()
        self._deadline = self._began + self.limits.seconds
        if isinstance(first, list) and first[:1] == ["limits"]:
            self.enforced = first[1]
        else:
            output = self.output.strip().splitlines()
            self.close()
            raise ZermeloError(f"Python did not start: {output[-1][:200] if output else self.failure}")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the wire ---------------------------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        """Send a message, if the process still listens. One that asks without reading the answers is killed."""
        self._lines.asked()
        left = line = memoryview(json.dumps(message).encode() + b"\n")
        while left and not self._is_over:
            try:
                left = left[os.write(self._pipes[0].fileno(), left) :]
            except BlockingIOError:  # its pipe is full
                if len(line) <= LONGEST_LINE or time.monotonic() > self._deadline:
                    self._kill("it did not read the answers to its questions")
                    return
                time.sleep(0.001)
            except OSError:
                return  # it has ended, which `receive` will find

    def receive(self) -> Any:
        """The next message; None when none will come."""
        if self._is_over:
            return None
        try:
            line = self._lines.take(self._deadline - time.monotonic())
        except queue.Empty:
            self._kill(f"it was stopped after {self.limits.seconds:g} s, the limit")
            return None
        if line is None and self._lines.flood is None:
            self.close()
            return None
        try:
            return json.loads(line or b"")
        except (ValueError, RecursionError):
            self._kill("it wrote on the wire that is not its own")
            return None

    # ---- what it prints ---------------------------------------------------------------------------------------

    def _read_output(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while read := os.read(pipe.fileno(), 1 << 16):
                kept = read[: max(self.limits.output - len(self._printed), 0)]
                self._printed += kept
                self._dropped += len(read) - len(kept)

    @property
    def output(self) -> str:
        """The beginning of what it printed, as text."""
        text = bytes(self._printed).decode("utf-8", "replace")
        return text + (f"\n... and {self._dropped:,} bytes more" if self._dropped else "")

    # ---- the end ----------------------------------------------------------------------------------------------

    def _kill(self, why: str) -> None:
        self.failure = why
        self.close()

    def close(self) -> None:
        """End the process and all of its group, if it has not ended; tell how it did."""
        if self._is_over:
            return
        self._is_over = True
        self.seconds = time.monotonic() - self._began
        process = self._process
        if self.failure is None:
            # Its end of the wire is closed: it has ended, or soon does.
            with contextlib.suppress(OSError):
                self._pipes[0].close()
            if not ends_within(process, 0.2):
                self.failure = "it hung up without an answer"
        kill_group(process)
        code = process.wait()
        if self.failure is None and code:
            self.failure = ended(code, "it ended without an answer")
        with contextlib.suppress(OSError):
            self._pipes[0].close()
        self._lines.close()
        self._reader.join(timeout=0.2)
        if not self._reader.is_alive():
            self._pipes[2].close()
        with contextlib.suppress(RecursionError):  # folders within folders, where it may make them
            self._folder.cleanup()


def _environment() -> dict[str, str]:
    """Nothing of ours; Windows cannot start Python without its own folder."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "LANG": "C.UTF-8"}
