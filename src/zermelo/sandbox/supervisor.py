"""Keeps a program: starts it, watches what it uses, and ends it with all that it has started, come what may.

`python -I -S keeper.py LIFELINE STATUS PARENT MEMORY PROCESSOR PROGRAM ARGUMENT...`, the standard library only. The
program has the keeper's standard input and outputs, which the keeper itself lets go of: nothing is relayed. What comes
by the pipe LIFELINE is told in letters: `s`, all its processes are stopped, and `c`, they go on. The keeper ends
everything when that pipe is closed at its other end, when the process PARENT is no more, when the program
itself has ended, and when all its processes together use more than MEMORY bytes or PROCESSOR seconds. What happened
is written on STATUS, a line each:

    started PROCESS        the program runs
    failed ERRNO           it could not be started
    memory BYTES           it used more memory than it may
    processor SECONDS      it used more processor time than it may
    ended CODE             it ended by itself: its exit code, or the signal that ended it, negative

Three processes stand in a row, so that whichever dies, the rest is ended:

    keeper                 watches and kills; takes in what loses its parent (Linux)
      first                starts the program and waits for it; where the system allows it, the first process of a
                           namespace of its own: with it, the kernel ends whatever is in there
        program            in a session of its own
"""

# ruff: noqa: SIM105  `contextlib` takes longer to load than all the rest

from __future__ import annotations

import os
import select
import sys
import time

TYPE_CHECKING = False  # as in `typing`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

# From <linux/prctl.h> and <linux/sched.h>.
_DIES_WITH_PARENT, _TAKES_ORPHANS_IN = 1, 36
_NEW_USER, _NEW_PROCESSES = 0x10000000, 0x20000000
# Signals: `signal` would take its time to load, too. Those to stop and to go on have other numbers on BSD and macOS.
_KILL, _PIPE, _FILE_SIZE = 9, 13, 25
_STOP, _GO_ON = (19, 18) if sys.platform == "linux" else (17, 19)

#: Seconds between two looks at what the program uses: as far from its limit as it is, it takes so long to get there.
_SHORTEST_LOOK, _LONGEST_LOOK = 0.01, 0.2
#: Seconds between two looks at whether all is gone.
_SHORTEST_WAIT = 0.001
#: Bytes that a program can take into use in a second.
_GROWTH = 4 << 30


def main() -> NoReturn:
    """Start the program, watch it, and end everything when it is time."""
    lifeline, status, parent, memory = map(int, sys.argv[1:5])
    processor, command = float(sys.argv[5]), sys.argv[6:]
    library = _library()
    if library is not None:
        library.prctl(_TAKES_ORPHANS_IN, 1, 0, 0, 0)
    has_namespace = library is not None and _enter_namespace(library)
    told, tell = os.pipe()
    keeper = os.getpid()
    first = os.fork()
    if first == 0:
        os.close(told)
        os.close(lifeline)
        os.close(status)
        _start(command, tell, keeper, memory, library, has_namespace)
    os.close(tell)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    watched = _Watched(lifeline, status, parent, told, first, memory, processor, has_namespace)
    try:
        _watch(watched)
    finally:
        _end(first, watched.group)
        os._exit(0)


def _library() -> Any:
    """The C library, for what Python has no names for; only Linux has it."""
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        return ctypes.CDLL(None)
    except (ImportError, OSError):
        return None


def _enter_namespace(library: Any) -> bool:
    """Whether the next process that is started is the first of a namespace: then it takes all others with it."""
    if os.geteuid() == 0:
        return bool(library.unshare(_NEW_PROCESSES) == 0)
    user, group = os.geteuid(), os.getegid()
    if library.unshare(_NEW_USER | _NEW_PROCESSES) != 0:
        return False
    # The same user as outside, with no more rights.
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError:
            continue
    return True


# ---- the first process: starts the program, takes in the orphans, waits -----------------------------------------


def _start(command: list[str], tell: int, keeper: int, memory: int, library: Any, has_namespace: bool) -> NoReturn:
    if library is not None:
        library.prctl(_DIES_WITH_PARENT, _KILL, 0, 0, 0)
        if os.getppid() != (0 if has_namespace else keeper):
            os._exit(1)
    failed, fails = os.pipe()
    program = os.fork()
    if program == 0:
        os.setsid()
        if library is not None:
            library.prctl(_DIES_WITH_PARENT, _KILL, 0, 0, 0)
            library.signal(_PIPE, 0)  # as they were before Python changed them
            library.signal(_FILE_SIZE, 0)
        _limit(memory)
        try:
            os.execv(command[0], command)
        except OSError as error:
            os.write(fails, str(error.errno or 0).encode())
        os._exit(127)
    os.close(fails)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    errno = os.read(failed, 20)
    os.write(tell, b"failed %s\n" % errno if errno else b"started %d\n" % program)
    while True:
        ended, code = os.wait()
        if ended == program:
            os.write(tell, b"ended %d\n" % os.waitstatus_to_exitcode(code))
            os._exit(0)


def _limit(memory: int) -> None:
    """What stands behind the watch, for a process that grows between two looks."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # where the machine itself has none left, this is whom it takes it from
    except OSError:
        pass
    try:
        import resource

        # Not the address space: engines, and whatever has a collector, reserve much more of it than they use.
        resource.setrlimit(resource.RLIMIT_DATA, (2 * memory, 2 * memory))
    except (ImportError, OSError, ValueError):
        pass
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (NameError, OSError, ValueError):
        pass


# ---- the keeper: watches ----------------------------------------------------------------------------------------


class _Watched:
    """What is watched, and where it is told."""

    def __init__(
        self,
        lifeline: int,
        status: int,
        parent: int,
        told: int,
        first: int,
        memory: int,
        processor: float,
        has_namespace: bool,
    ) -> None:
        self.lifeline = lifeline
        self.status = status
        self.parent = parent
        self.told = told
        self.first = first
        self.memory = memory
        self.processor = processor
        self.has_namespace = has_namespace
        #: The program's group, where its number is known; 0: it is not.
        self.group = 0
        #: Those that are stopped, while the program is, parents before their children.
        self.stopped: dict[int, None] | None = None

    def say(self, line: str) -> None:
        try:
            os.write(self.status, line.encode() + b"\n")
        except OSError:
            pass


def _watch(watched: _Watched) -> None:
    """Come back when everything is to be ended."""
    waited = select.poll()
    waited.register(watched.lifeline, select.POLLIN)
    waited.register(watched.told, select.POLLIN)
    try:
        # The parent's end closes the lifeline, but for where a process that it has forked holds it open.
        waited.register(os.pidfd_open(watched.parent), select.POLLIN)
    except (AttributeError, OSError):
        pass
    look = time.monotonic() + _SHORTEST_LOOK
    while os.getppid() == watched.parent:
        for number, _ in waited.poll(max(look - time.monotonic(), 0) * 1000):
            if number == watched.lifeline and (letters := os.read(watched.lifeline, 1 << 10)):
                _obey(watched, letters[-1:])
                continue
            if number != watched.told:
                return
            said = os.read(watched.told, 1 << 10)
            if said:
                os.write(watched.status, said)
            if not said.startswith(b"started") or b"ended" in said:
                return
            # In a namespace the number that the first told is another one out here.
            watched.group = 0 if watched.has_namespace else int(said.split()[1])
        if time.monotonic() < look:
            continue
        if watched.stopped is not None:
            _stop(watched.first, watched.stopped)  # what was just being started when the rest was stopped
        used, seconds = _used(watched.first, watched.memory)
        if used > watched.memory:
            watched.say(f"memory {used}")
            return
        if seconds > watched.processor:
            watched.say(f"processor {seconds:.1f}")
            return
        room = min((watched.memory - used) / _GROWTH, (watched.processor - seconds) / (os.cpu_count() or 1))
        look = time.monotonic() + min(max(room, _SHORTEST_LOOK), _LONGEST_LOOK)


def _obey(watched: _Watched, letter: bytes) -> None:
    """Stop the program or let it go on; twice is as good as once. Only the last of several letters counts."""
    if letter == b"s" and watched.stopped is None:
        watched.stopped = {}
        _send_group(watched.group, _STOP)
        _stop(watched.first, watched.stopped)
    elif letter == b"c":
        # Children before their parents, who so never find one stopped. First those that are known, since a clock runs.
        for process in reversed(watched.stopped or {}):
            _send(process, _GO_ON)
        _send_group(watched.group, _GO_ON)
        for process in _descendants():
            _send(process, _GO_ON)
        watched.stopped = None


def _used(first: int, memory: int) -> tuple[int, float]:
    """Bytes in use, and seconds of processor time, of all processes of the program together.

    Below the limit the bytes may be too many.
    """
    processes = [process for process in _descendants() if process != first]
    resident = sum(map(_resident, processes))
    if resident > memory:  # what they share was counted for each
        resident = sum(map(_proportional, processes))
    ticks = _ticks(first) + sum(map(_ticks, processes))
    reaped = os.times()
    return resident, ticks / _TICKS + reaped.children_user + reaped.children_system


_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def _read(path: str) -> bytes:
    """A file of /proc; nothing where there is none any more."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(file)


def _resident(process: int) -> int:
    words = _read(f"/proc/{process}/statm").split()
    return int(words[1]) * _PAGE if len(words) > 1 else 0


def _proportional(process: int) -> int:
    """Bytes in use, pages that several processes share counted in parts."""
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) << 10
    return _resident(process)


def _ticks(process: int) -> int:
    """Processor time: its own, and that of those of its children whose end it has seen."""
    words = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
    return sum(map(int, words[11:15])) if len(words) > 14 else 0


def _descendants() -> list[int]:
    """All processes below this one."""
    children = _children if _TELLS_CHILDREN else _searched()
    found = [os.getpid()]
    for process in found:
        found += children(process)
    return found[1:]


_TELLS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(process: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{process}/task/{thread}/children").split()]


def _searched() -> Callable[[int], list[int]]:
    """The same for kernels that do not list children: from the parents of all processes there are."""
    children: dict[int, list[int]] = {}
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:  # no /proc at all
        processes = []
    for process in processes:
        words = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        if len(words) > 1:
            children.setdefault(int(words[1]), []).append(process)
    return lambda process: children.get(process, [])


# ---- the end ----------------------------------------------------------------------------------------------------


def _end(first: int, group: int) -> None:
    """Kill everything, and wait until it is gone."""
    _send_group(group, _KILL)  # all there is where no /proc tells who belongs to whom
    # First all are stopped, so that none starts another while it is killed. In a namespace the first takes the rest.
    stopped = _stop(0, {})
    for process in [first, *stopped]:
        _send(process, _KILL)
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except OSError:  # there is no child any more
            return
        if not ended:
            for process in _descendants():
                _send(process, _KILL)
            select.select([], [], [], _SHORTEST_WAIT)


def _stop(but: int, stopped: dict[int, None]) -> dict[int, None]:
    """Stop all processes of the program but one, and but those that are stopped: they are added there."""
    while new := [process for process in _descendants() if process not in stopped and process != but]:
        for process in new:
            _send(process, _STOP)
        stopped.update(dict.fromkeys(new))
        if len(stopped) > 1 << 16:
            break
    return stopped


def _send_group(group: int, signal: int) -> None:
    if group:
        try:
            os.killpg(group, signal)
        except OSError:
            pass


def _send(process: int, signal: int) -> None:
    try:
        os.kill(process, signal)
    except OSError:
        pass


if __name__ == "__main__":
    main()
