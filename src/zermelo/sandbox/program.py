"""A program that is not ours, spoken to in lines, behind limits: it can fail, but not keep us waiting nor outlive us.

with Program(["stockfish"], ProgramLimits()) as program:
    program.send("uci")
    line = program.receive(seconds=5)       # raises ProgramFailure: NO_START, CRASH, HANG, FLOOD, MEMORY, PROCESSOR
program.last_lines                          # what it wrote last, for whoever has to find out why

program.pause()                             # until it is sent the next line: it cannot think on another's time

Its pipes are our own; who watches it is `keeper.py`, a process between us and it.
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
from zermelo.sandbox.line_io import Lines, ended, ends_within, kill_group

_KEEPER = Path(__file__).with_name("supervisor.py")
#: How long is waited for the keeper to have ended everything, in seconds, before it is killed itself.
_GRACE = 5.0
#: So many of the last lines are told in a failure, and so many letters of each.
_TOLD, _LONG = 3, 100


@dataclass(frozen=True)
class ProgramLimits:
    """What a program may use, with all that it starts. Raises `LimitError`."""

    #: Seconds until its first answer.
    start: float = 10.0
    #: Bytes of memory in use.
    memory: int = 2 << 30
    #: Seconds of processor time for the whole of its life.
    processor: float = 3600.0
    #: Bytes that may lie unread; so many it may also write at once after it was sent a line, and in each second since.
    output: int = 1 << 20
    longest_line: int = 1 << 16
    #: Whether it may run on where it is paused.
    ponders: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.start <= 3600 or not 0 < self.processor <= 1e9:
            raise LimitError("a program has up to 3600 seconds to start, and up to 1e9 seconds of processor time")
        if not 1 << 20 <= self.memory <= 1 << 50 or not 0 < self.longest_line <= self.output <= 1 << 30:
            raise LimitError("a program has 1 MB of memory at least, and writes at most 1 GB before it is asked")


class Program:
    """Started with `with`; ended, with every process that it has started, when the `with` ends or this process does.

    `folder` is the one it starts in (ours, if none is given), `environment` its environment (ours), `name` what errors
    call it (the program's). `speaks`: whether its lines are for people; if not, errors tell its error output only.
    Starting it raises `ProgramFailure` (NO_START) where there is no such program or it cannot be run.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: ProgramLimits | None = None,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        name: str | None = None,
        *,
        speaks: bool = True,
    ) -> None:
        self.command = list(command)
        self.limits = ProgramLimits() if limits is None else limits
        #: What it is called in errors.
        self.name = name or (os.path.basename(self.command[0]) if self.command else "")
        self._speaks = speaks
        self._folder, self._environment = folder, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._readers: list[Lines] = []
        self._is_over = self._has_spoken = self._is_paused = False
        self._failure: ProgramFailure | None = None
        #: What the keeper said and we have not yet looked at; our ends of its pipes.
        self._said = b""
        self._status = self._lifeline = -1

    def __enter__(self) -> Self:
        command = [_found(self.command), *self.command[1:]]
        self._began = time.monotonic()
        try:
            if os.name == "posix" and sys.executable:
                self._start_kept(command)
            else:
                self._start_alone(command)
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
            self._lines = Lines(out, limits.longest_line, limits.output)
            self._readers.append(self._lines)
            self._errors = Lines(errors, limits.output, limits.output, over=self._lines.wake)
            self._readers.append(self._errors)
            self._await_start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the start --------------------------------------------------------------------------------------------

    def _start_kept(self, command: list[str]) -> None:
        lifeline, self._lifeline = os.pipe()
        self._status, status = os.pipe()
        limits = self.limits
        numbers = [lifeline, status, os.getpid(), limits.memory, limits.processor]
        try:
            self._popen(
                [sys.executable, "-I", "-S", "-B", str(_KEEPER), *map(str, numbers), *command],
                pass_fds=(lifeline, status),
                start_new_session=True,
            )
        except BaseException:
            self._close_keeper()
            raise
        finally:
            os.close(lifeline)
            os.close(status)

    def _start_alone(self, command: list[str]) -> None:
        self._popen(command, start_new_session=os.name == "posix")

    def _popen(self, command: list[str], **how: object) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,
            env=None if self._environment is None else dict(self._environment),
            **how,  # type: ignore[call-overload]
        )

    def _await_start(self) -> None:
        if self._status < 0:
            return
        word, _, number = self._heard(self.limits.start).partition(" ")
        if word == "started":
            return
        if word == "failed":
            raise ProgramFailure(Reason.NO_START, f"{self.name}: {os.strerror(int(number))}")
        raise ProgramFailure(Reason.NO_START, self._told(f"it was not started in {self.limits.start:g} s"))

    def _heard(self, seconds: float) -> str:
        """The next line of the keeper's; nothing if none comes in time."""
        import select

        deadline = time.monotonic() + seconds
        while b"\n" not in self._said:
            waited = select.poll()
            waited.register(self._status, select.POLLIN)
            if not waited.poll(max(deadline - time.monotonic(), 0) * 1000):
                return ""
            read = os.read(self._status, 1 << 10)
            if not read:
                return ""
            self._said += read
        line, _, self._said = self._said.partition(b"\n")
        return line.decode("ascii", "replace")

    # ---- the wire ---------------------------------------------------------------------------------------------

    def send(self, line: str, seconds: float = 5.0) -> None:
        """Send a line. Raises `ProgramFailure` where it has ended, or does not read for so many seconds (HANG)."""
        self._check()
        self.go_on()
        self._lines.asked()
        self._errors.asked()
        left = memoryview(line.encode("utf-8", "replace") + b"\n")
        deadline = time.monotonic() + seconds
        while left:
            try:
                left = left[os.write(self._in.fileno(), left) :]
            except BlockingIOError:
                self._check()
                if time.monotonic() > deadline:
                    raise self._failed(Reason.HANG, f"it has not read what it was sent for {seconds:g} s") from None
                time.sleep(0.001)
            except OSError:  # nobody reads at the other end
                raise self._gone() from None

    def receive(self, seconds: float) -> str:
        """The next line it writes, without its end. Raises `ProgramFailure`; HANG after so many seconds.

        Whatever goes wrong before its first line is a start that failed: NO_START. After a HANG it can still be spoken
        to; after all else it has ended.
        """
        self._check()
        self.go_on()
        try:
            line = self._lines.take(seconds)
        except queue.Empty:
            raise self._failed(Reason.HANG, f"no answer in {seconds:.3g} s") from None
        if line is None:
            self._check()
            raise self._gone()
        self._has_spoken = True
        return line.decode("utf-8", "replace").rstrip("\r")

    def pause(self) -> None:
        """Stop it, with all that it has started, until it is sent a line or asked for one.

        Its keeper does it; nothing waits for that. Where the system cannot stop it, and where its limits say that it
        ponders, it runs on.
        """
        if not self.limits.ponders and not self._is_paused:
            self._is_paused = self._tell_keeper(b"s")

    def go_on(self) -> None:
        """Let it run again, if it is paused."""
        if self._is_paused:
            self._is_paused = False
            self._tell_keeper(b"c")

    def _tell_keeper(self, letter: bytes) -> bool:
        if self._lifeline < 0:
            return False
        try:
            return os.write(self._lifeline, letter) == 1
        except OSError:  # it has ended, and all with it
            return False

    def _check(self) -> None:
        """Raise what has gone wrong, if anything has."""
        if self._failure is not None:
            raise self._failure
        if self._is_over or self._process is None:
            raise ProgramFailure(Reason.CRASH, f"{self.name}: it has been ended")
        flood = self._lines.flood or self._errors.flood
        if flood is not None:
            raise self._end_with(Reason.FLOOD, flood)

    def _gone(self) -> ProgramFailure:
        """Why it answers no more: it has ended, or was ended, or has closed its output."""
        reason, why = Reason.CRASH, "it closed its output"
        if self._status >= 0:
            word, _, number = self._heard(1.0).partition(" ")
            if word == "ended":
                why = ended(int(number))
            elif word == "memory":
                reason = Reason.MEMORY
                why = f"it used {_size(int(number))}; it may use {_size(self.limits.memory)}"
            elif word == "processor":
                reason = Reason.CPU_TIME
                why = f"it used {float(number):.3g} s of processor time; it may use {self.limits.processor:g} s"
        elif self._process is not None and ends_within(self._process, 1.0):
            kill_group(self._process)  # what it has left behind
            why = ended(self._process.wait())
        return self._end_with(reason, why)

    def _end_with(self, reason: Reason, why: str) -> ProgramFailure:
        self.close()
        self._failure = self._failed(reason, why)
        return self._failure

    def _failed(self, reason: Reason, why: str) -> ProgramFailure:
        if not self._has_spoken and reason in (Reason.CRASH, Reason.HANG):
            reason = Reason.NO_START
        return ProgramFailure(reason, self._told(why))

    def _told(self, why: str) -> str:
        told = in_one(self.last_lines if self._speaks else self.last_errors)
        return f"{self.name}: {why}" + (f"; its last lines: {told}" if told else "")

    @property
    def last_lines(self) -> list[str]:
        """The last lines it wrote, on either output."""
        last = [line for lines in self._readers for line in lines.last]
        return [line for _, line in sorted(last, key=itemgetter(0))]

    @property
    def last_errors(self) -> list[str]:
        """The last lines it wrote on its error output."""
        return [line for lines in self._readers[1:] for _, line in lines.last]

    # ---- the end ----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End it and all it has started, at once. May be called twice."""
        process = self._process
        if self._is_over or process is None:
            return
        self._is_over = True
        is_kept = self._lifeline >= 0
        if is_kept:
            os.close(self._lifeline)
            self._lifeline = -1
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_GRACE)
        if process.returncode is None:  # else its number may be another's by now
            kill_group(process)
            process.wait()
        self._close_keeper()
        with contextlib.suppress(OSError):
            self._in.close()
        for lines in self._readers:
            lines.close(_GRACE if is_kept else 0.2)  # where something may be left, it may hold the pipe

    def _close_keeper(self) -> None:
        for end in (self._lifeline, self._status):
            if end >= 0:
                os.close(end)
        self._lifeline = self._status = -1


def _found(command: list[str]) -> str:
    """Where a program is, by its name or path. Raises `ProgramFailure`."""
    if not command or not command[0]:
        raise ProgramFailure(Reason.NO_START, "no program is named")
    found = shutil.which(os.path.expanduser(command[0]))
    if found is None:
        name = command[0] if len(command[0]) <= 80 else command[0][:77] + "..."
        is_there = os.path.isfile(os.path.expanduser(command[0]))
        raise ProgramFailure(Reason.NO_START, f"{name}: " + ("it cannot be run" if is_there else "no such program"))
    return os.path.abspath(found)


def in_one(lines: Sequence[str]) -> str:
    """The last of some lines, as errors tell them: in one line, without what no terminal should get."""
    told = [single_line(line) for line in lines]
    return " | ".join([line if len(line) <= _LONG else line[: _LONG - 3] + "..." for line in told if line][-_TOLD:])


def _size(number: int) -> str:
    return f"{number / (1 << 20):,.0f} MB"
