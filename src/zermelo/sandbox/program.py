"""Run an external program behind limits and exchange lines of text with it.

with Program(["stockfish"], ProgramLimits()) as program:
    program.send("uci")
    line = program.receive(timeout=5)       # raises ProgramFailure: NO_START, CRASH, HANG, FLOOD, MEMORY, CPU_TIME
    program.pause()                         # stopped until the next line is sent: no thinking on the opponent's time
program.last_lines                          # its most recent output, for error messages

A program can fail, but it cannot block its caller or outlive it. The pipes connect directly to the program;
`supervisor.py`, a process between this one and the program, watches its resources and ends it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import IO, Self, cast

from zermelo._util.text import single_line
from zermelo.errors import LimitError
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.line_io import LineReader, describe_exit, exits_within, kill_group

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
#: Seconds the supervisor may take to end all processes before it is killed itself.
_SHUTDOWN_SECONDS = 5.0
#: Number of recent lines quoted in an error message, and the maximum length of each.
_QUOTED_LINES, _QUOTED_LENGTH = 3, 100


@dataclass(frozen=True)
class ProgramLimits:
    """Resource limits of a `Program`, over all processes that it starts.

    Parameters
    ----------
    start : float
        Seconds until its first reply, up to 3600.
    memory : int
        Memory in use in bytes, at least 1 MB.
    processor : float
        CPU time in seconds over its lifetime.
    output : int
        Bytes of output that may be unread. Also the burst allowed after a line was sent; each second since then
        allows as many bytes again. At most 1 GB.
    longest_line : int
        Maximum line length in bytes, at most `output`.
    ponders : bool
        If True, `pause` has no effect.

    Raises
    ------
    LimitError
        A limit is out of range.
    """

    start: float = 10.0
    memory: int = 2 << 30
    processor: float = 3600.0
    output: int = 1 << 20
    longest_line: int = 1 << 16
    ponders: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.start <= 3600:
            raise LimitError(f"start must be above 0 and at most 3600 seconds (got {self.start:g})")
        if not 0 < self.processor <= 1e9:
            raise LimitError(f"processor must be above 0 and at most 1e9 seconds (got {self.processor:g})")
        if not 1 << 20 <= self.memory <= 1 << 50:
            raise LimitError(f"memory must be at least 1M (got {self.memory:,} bytes)")
        if not 0 < self.longest_line <= self.output <= 1 << 30:
            raise LimitError("longest_line must be above 0 and at most output, output at most 1G")


class Program:
    """An external program, started and ended as a context manager.

    When the block ends, or this process dies, the program and every process that it started are killed.

    Parameters
    ----------
    command : sequence of str
        Program (a path, or a name found on PATH) and its arguments.
    limits : ProgramLimits, optional
        Resource limits.
    folder : str, optional
        Working directory; by default the current one.
    environment : mapping, optional
        Environment variables; by default those of this process.
    name : str, optional
        Name used in error messages; by default the file name of the program.
    text_output : bool, default True
        Whether standard output is readable text. If False, error messages quote standard error only.

    Raises
    ------
    ProgramFailure
        On entering the block, with reason NO_START: the program was not found or could not be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: ProgramLimits | None = None,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        name: str | None = None,
        *,
        text_output: bool = True,
    ) -> None:
        self.command = list(command)
        self.limits = ProgramLimits() if limits is None else limits
        self.name = name or (os.path.basename(self.command[0]) if self.command else "")
        self._text_output = text_output
        self._folder, self._environment = folder, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._readers: list[LineReader] = []
        self._is_over = self._has_replied = self._is_paused = False
        self._failure: ProgramFailure | None = None
        #: Unparsed status output of the supervisor, and this side's ends of its two pipes.
        self._status_buffer = b""
        self._status = self._lifeline = -1

    def __enter__(self) -> Self:
        command = [_resolve(self.command), *self.command[1:]]
        try:
            if os.name == "posix" and sys.executable:
                self._start_supervised(command)
            else:
                self._start_unsupervised(command)
        except OSError as error:
            raise ProgramFailure(Reason.NO_START, f"{self.name}: {error.strerror or error}") from None
        process = self._process
        assert process is not None
        self._in = cast(IO[bytes], process.stdin)
        if os.name == "posix":
            os.set_blocking(self._in.fileno(), False)
        limits = self.limits
        out, errors = cast(IO[bytes], process.stdout), cast(IO[bytes], process.stderr)
        try:
            self._lines = LineReader(out, limits.longest_line, limits.output)
            self._readers.append(self._lines)
            self._errors = LineReader(errors, limits.output, limits.output, on_flood=self._lines.wake)
            self._readers.append(self._errors)
            self._await_start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- start ------------------------------------------------------------------------------------------------

    def _start_supervised(self, command: list[str]) -> None:
        lifeline, self._lifeline = os.pipe()
        self._status, status = os.pipe()
        limits = self.limits
        arguments = [lifeline, status, os.getpid(), limits.memory, limits.processor]
        try:
            self._popen(
                [sys.executable, "-I", "-S", "-B", str(_SUPERVISOR), *map(str, arguments), *command],
                pass_fds=(lifeline, status),
                start_new_session=True,
            )
        except BaseException:
            self._close_supervisor()
            raise
        finally:
            os.close(lifeline)
            os.close(status)

    def _start_unsupervised(self, command: list[str]) -> None:
        self._popen(command, start_new_session=os.name == "posix")

    def _popen(self, command: list[str], **options: object) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,
            env=None if self._environment is None else dict(self._environment),
            **options,  # type: ignore[call-overload]
        )

    def _await_start(self) -> None:
        if self._status < 0:
            return
        word, _, number = self._read_status(self.limits.start).partition(" ")
        if word == "started":
            return
        if word == "failed":
            raise ProgramFailure(Reason.NO_START, f"{self.name}: {os.strerror(int(number))}")
        raise ProgramFailure(Reason.NO_START, self._describe(f"not started within {self.limits.start:g} s"))

    def _read_status(self, seconds: float) -> str:
        """Return the next line of the supervisor's status, or an empty string if none arrives in time."""
        import select

        deadline = time.monotonic() + seconds
        while b"\n" not in self._status_buffer:
            poller = select.poll()
            poller.register(self._status, select.POLLIN)
            if not poller.poll(max(deadline - time.monotonic(), 0) * 1000):
                return ""
            chunk = os.read(self._status, 1 << 10)
            if not chunk:
                return ""
            self._status_buffer += chunk
        line, _, self._status_buffer = self._status_buffer.partition(b"\n")
        return line.decode("ascii", "replace")

    # ---- lines ------------------------------------------------------------------------------------------------

    def send(self, line: str, timeout: float = 5.0) -> None:
        """Send a line, without its newline. Resumes a paused program.

        Raises
        ------
        ProgramFailure
            The program has exited, or (HANG) does not read its input for `timeout` seconds.
        """
        self._check()
        self.resume()
        self._lines.reset_rate()
        self._errors.reset_rate()
        remaining = memoryview(line.encode("utf-8", "replace") + b"\n")
        deadline = time.monotonic() + timeout
        while remaining:
            try:
                remaining = remaining[os.write(self._in.fileno(), remaining) :]
            except BlockingIOError:
                self._check()
                if time.monotonic() > deadline:
                    raise self._make_failure(Reason.HANG, f"did not read its input for {timeout:g} s") from None
                time.sleep(0.001)
            except OSError:  # the other end of the pipe is closed
                raise self._exit_failure() from None

    def receive(self, timeout: float) -> str:
        """Return the next line of standard output, without its newline. Resumes a paused program.

        Raises
        ------
        ProgramFailure
            HANG after `timeout` seconds; the program can still be used. After any other failure it has been ended.
            A crash or hang before the first line is reported as NO_START.
        """
        self._check()
        self.resume()
        try:
            line = self._lines.next_line(timeout)
        except queue.Empty:
            raise self._make_failure(Reason.HANG, f"no reply within {timeout:.3g} s") from None
        self._check()  # a program whose flooded pipe was closed may still report that as a fault of its own
        if line is None:
            raise self._exit_failure()
        self._has_replied = True
        return line.decode("utf-8", "replace").rstrip("\r")

    def pause(self) -> None:
        """Stop the program and all its processes until the next `send` or `receive`.

        The supervisor does it in the background. Nothing happens where the system cannot stop a program, and
        where its limits allow it to ponder.
        """
        if not self.limits.ponders and not self._is_paused:
            self._is_paused = self._signal_supervisor(b"s")

    def resume(self) -> None:
        """Let a paused program run again."""
        if self._is_paused:
            self._is_paused = False
            self._signal_supervisor(b"c")

    def _signal_supervisor(self, letter: bytes) -> bool:
        if self._lifeline < 0:
            return False
        try:
            return os.write(self._lifeline, letter) == 1
        except OSError:  # the supervisor has exited, and the program with it
            return False

    def _check(self) -> None:
        """Raise the failure of the program, if it has failed."""
        if self._failure is not None:
            raise self._failure
        if self._is_over or self._process is None:
            raise ProgramFailure(Reason.CRASH, f"{self.name}: already terminated")
        if self._flood is not None:
            raise self.fail(Reason.FLOOD, self._flood)

    @property
    def _flood(self) -> str | None:
        """Which output limit was exceeded, in words; None while none was."""
        return next((reader.flood for reader in self._readers if reader.flood is not None), None)

    def _exit_failure(self) -> ProgramFailure:
        """Return why the program no longer replies: it exited, exceeded a limit, or closed its output."""
        reason, why = Reason.CRASH, "closed its output"
        if self._status >= 0:
            word, _, number = self._read_status(1.0).partition(" ")
            if word == "ended":
                why = describe_exit(int(number))
            elif word == "memory":
                reason = Reason.MEMORY
                why = f"exceeded the memory limit of {_size(self.limits.memory)} (used {_size(int(number))})"
            elif word == "processor":
                reason = Reason.CPU_TIME
                why = f"exceeded the CPU time limit of {self.limits.processor:g} s (used {float(number):.3g} s)"
        elif self._process is not None and exits_within(self._process, 1.0):
            kill_group(self._process)  # processes that it left behind
            why = describe_exit(self._process.wait())
        return self.fail(reason, why)

    def fail(self, reason: Reason, why: str) -> ProgramFailure:
        """End the program and return its failure, for the caller to raise.

        Whether there was too much output is known only when all of it has been read. Then that is the reason: an exit,
        or an exception in the program, is usually its consequence.
        """
        self.close()
        self._failure = self._make_failure(*((reason, why) if self._flood is None else (Reason.FLOOD, self._flood)))
        return self._failure

    def _make_failure(self, reason: Reason, why: str) -> ProgramFailure:
        if not self._has_replied and reason in (Reason.CRASH, Reason.HANG):
            reason = Reason.NO_START
        return ProgramFailure(reason, self._describe(why))

    def _describe(self, why: str) -> str:
        recent = join_lines(self.last_lines if self._text_output else self.last_errors)
        return f"{self.name}: {why}" + (f"; last output: {recent}" if recent else "")

    @property
    def last_lines(self) -> list[str]:
        """The most recent lines of standard output and standard error, in order of time."""
        recent = [line for reader in self._readers for line in reader.recent]
        return [line for _, line in sorted(recent, key=itemgetter(0))]

    @property
    def last_errors(self) -> list[str]:
        """The most recent lines of standard error."""
        return [line for reader in self._readers[1:] for _, line in reader.recent]

    # ---- termination ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Kill the program and every process that it started. Idempotent."""
        process = self._process
        if self._is_over or process is None:
            return
        self._is_over = True
        is_supervised = self._lifeline >= 0
        if is_supervised:
            os.close(self._lifeline)
            self._lifeline = -1
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_SHUTDOWN_SECONDS)
        if process.returncode is None:  # once reaped, its process id may be reused
            kill_group(process)
            process.wait()
        self._close_supervisor()
        with contextlib.suppress(OSError):
            self._in.close()
        for reader in self._readers:
            # An unsupervised program may have left processes that hold the pipe open.
            reader.close(_SHUTDOWN_SECONDS, quiet=None if is_supervised else 0.5)

    def _close_supervisor(self) -> None:
        for end in (self._lifeline, self._status):
            if end >= 0:
                os.close(end)
        self._lifeline = self._status = -1


def _resolve(command: list[str]) -> str:
    """Return the absolute path of a program given by name or path. Raises `ProgramFailure`."""
    if not command or not command[0]:
        raise ProgramFailure(Reason.NO_START, "the command is empty")
    path = shutil.which(os.path.expanduser(command[0]))
    if path is None:
        name = command[0] if len(command[0]) <= 80 else command[0][:77] + "..."
        is_file = os.path.isfile(os.path.expanduser(command[0]))
        raise ProgramFailure(Reason.NO_START, f"{name}: {'not an executable file' if is_file else 'program not found'}")
    return os.path.abspath(path)


def join_lines(lines: Sequence[str]) -> str:
    """Join the last few lines into one for an error message, with visible control characters."""
    cleaned = [single_line(line.strip()) for line in lines if line.strip()]
    shortened = [line if len(line) <= _QUOTED_LENGTH else line[: _QUOTED_LENGTH - 3] + "..." for line in cleaned]
    return " | ".join(shortened[-_QUOTED_LINES:])


def _size(number: int) -> str:
    return f"{number / (1 << 20):,.0f} MB"
