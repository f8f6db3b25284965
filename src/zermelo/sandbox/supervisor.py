"""Supervise a program: start it, watch its resources, and end it with every process that it started.

`python -I -S supervisor.py LIFELINE STATUS PARENT MEMORY PROCESSOR PROGRAM ARGUMENT...`, standard library only.

The program inherits the supervisor's standard input and outputs; the supervisor itself closes them and relays nothing.
LIFELINE is a pipe that carries commands of one letter: `s` stops all processes of the program, `c` continues them. The
supervisor ends everything when LIFELINE is closed at its other end, when the process PARENT exits, when the program
exits, or when its processes together use more than MEMORY bytes or PROCESSOR seconds of CPU time. It writes what
happened to STATUS, one line each:

    started PROCESS        the program is running
    failed ERRNO           the program could not be started
    memory BYTES           it exceeded its memory limit
    processor SECONDS      it exceeded its CPU time limit
    ended CODE             it exited: its exit code, or the negative number of the signal that killed it

Three processes form a chain, so that the death of any of them ends the ones below:

    supervisor             watches and kills; adopts orphaned processes (Linux)
      launcher             starts the program and waits for it; where possible, the first process of a process
                           namespace: when it dies, the kernel kills everything in the namespace
        program            in a session of its own
"""

# ruff: noqa: SIM105  `contextlib` takes longer to load than everything else here

from __future__ import annotations

import os
import select
import sys
import time

TYPE_CHECKING = False  # as in `typing`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from zermelo.sandbox import namespaces
else:  # run as a script: importing the package `zermelo` would take longer than everything else here
    sys.path.insert(0, os.path.dirname(__file__))
    import namespaces

    del sys.path[0]

# From <linux/prctl.h>.
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
# Signal numbers: importing `signal` would take time as well. SIGSTOP and SIGCONT differ on BSD and macOS.
_SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
_SIGSTOP, _SIGCONT = (19, 18) if sys.platform == "linux" else (17, 19)

#: Seconds between two samples of the resource usage: the time to reach a limit from the current usage, within these.
_MIN_SAMPLE_INTERVAL, _MAX_SAMPLE_INTERVAL = 0.01, 0.2
#: Seconds between two checks whether all processes are gone.
_EXIT_POLL_INTERVAL = 0.001
#: Upper bound on the growth of a program's memory, in bytes per second.
_MAX_GROWTH = 4 << 30
#: Maximum number of processes that are stopped one by one.
_MAX_PROCESSES = 1 << 16


def main() -> NoReturn:
    """Start the program, watch it, and finally end all of its processes."""
    lifeline, status, parent, memory = map(int, sys.argv[1:5])
    processor, command = float(sys.argv[5]), sys.argv[6:]
    library = namespaces.c_library()
    if library is not None:
        library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    has_namespace = library is not None and namespaces.enter_process_namespace(library)
    events, event_sink = os.pipe()
    supervisor = os.getpid()
    launcher = os.fork()
    if launcher == 0:
        os.close(events)
        os.close(lifeline)
        os.close(status)
        _launch(command, event_sink, supervisor, memory, library, has_namespace)
    os.close(event_sink)
    namespaces.close_standard_streams()
    watch = _Watch(lifeline, status, parent, events, launcher, memory, processor, has_namespace)
    try:
        _run(watch)
    finally:
        _end(launcher, watch.group)
        os._exit(0)


# ---- launcher: starts the program and waits for it ----------------------------------------------------------------


def _launch(
    command: list[str], event_sink: int, supervisor: int, memory: int, library: Any, has_namespace: bool
) -> NoReturn:
    """Run the launcher process."""
    if library is not None:
        library.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        if os.getppid() != (0 if has_namespace else supervisor):
            os._exit(1)
    exec_error, exec_error_sink = os.pipe()
    program = os.fork()
    if program == 0:
        os.setsid()
        if library is not None:
            library.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
            library.signal(_SIGPIPE, 0)  # undo Python's changes
            library.signal(_SIGXFSZ, 0)
        _set_limits(memory)
        try:
            os.execv(command[0], command)
        except OSError as error:
            os.write(exec_error_sink, str(error.errno or 0).encode())
        os._exit(127)
    os.close(exec_error_sink)
    namespaces.close_standard_streams()
    errno = os.read(exec_error, 20)
    os.write(event_sink, b"failed %s\n" % errno if errno else b"started %d\n" % program)
    while True:
        process, code = os.wait()
        if process == program:
            os.write(event_sink, b"ended %d\n" % os.waitstatus_to_exitcode(code))
            os._exit(0)


def _set_limits(memory: int) -> None:
    """Set kernel limits as a safety net, for a process that grows between two samples."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # the first victim if the machine runs out of memory
    except OSError:
        pass
    try:
        import resource

        # Not RLIMIT_AS: engines and garbage-collected runtimes reserve far more address space than they use.
        resource.setrlimit(resource.RLIMIT_DATA, (2 * memory, 2 * memory))
    except (ImportError, OSError, ValueError):
        pass
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (NameError, OSError, ValueError):
        pass


# ---- supervisor -------------------------------------------------------------------------------------------------


class _Watch:
    """State of the supervisor."""

    def __init__(
        self,
        lifeline: int,
        status: int,
        parent: int,
        events: int,
        launcher: int,
        memory: int,
        processor: float,
        has_namespace: bool,
    ) -> None:
        self.lifeline = lifeline
        self.status = status
        self.parent = parent
        #: Pipe from the launcher.
        self.events = events
        self.launcher = launcher
        self.memory = memory
        self.processor = processor
        self.has_namespace = has_namespace
        #: Process group of the program; 0 if unknown.
        self.group = 0
        #: Stopped processes, parents before their children; None while the program is running.
        self.stopped: dict[int, None] | None = None

    def report(self, line: str) -> None:
        """Write a line to STATUS."""
        try:
            os.write(self.status, line.encode() + b"\n")
        except OSError:
            pass


def _run(watch: _Watch) -> None:
    """Watch the program; return when everything is to be ended."""
    poller = select.poll()
    poller.register(watch.lifeline, select.POLLIN)
    poller.register(watch.events, select.POLLIN)
    try:
        # The lifeline closes when the parent exits, unless a process forked by the parent holds it open.
        poller.register(os.pidfd_open(watch.parent), select.POLLIN)
    except (AttributeError, OSError):
        pass
    next_sample = time.monotonic() + _MIN_SAMPLE_INTERVAL
    while os.getppid() == watch.parent:
        for number, _ in poller.poll(max(next_sample - time.monotonic(), 0) * 1000):
            if number == watch.lifeline and (letters := os.read(watch.lifeline, 1 << 10)):
                _pause_or_continue(watch, letters[-1:])
                continue
            if number != watch.events:
                return
            event = os.read(watch.events, 1 << 10)
            if event:
                os.write(watch.status, event)
            if not event.startswith(b"started") or b"ended" in event:
                return
            # Inside a namespace the launcher sees other process ids than this process does.
            watch.group = 0 if watch.has_namespace else int(event.split()[1])
        if time.monotonic() < next_sample:
            continue
        if watch.stopped is not None:
            _stop(watch.launcher, watch.stopped)  # processes that were just starting when the others were stopped
        used, seconds = _usage(watch.launcher, watch.memory)
        if used > watch.memory:
            watch.report(f"memory {used}")
            return
        if seconds > watch.processor:
            watch.report(f"processor {seconds:.1f}")
            return
        time_left = min((watch.memory - used) / _MAX_GROWTH, (watch.processor - seconds) / (os.cpu_count() or 1))
        next_sample = time.monotonic() + min(max(time_left, _MIN_SAMPLE_INTERVAL), _MAX_SAMPLE_INTERVAL)


def _pause_or_continue(watch: _Watch, letter: bytes) -> None:
    """Stop or continue the program; repeating a command has no effect. Only the last of several letters counts."""
    if letter == b"s" and watch.stopped is None:
        watch.stopped = {}
        _send_group(watch.group, _SIGSTOP)
        _stop(watch.launcher, watch.stopped)
    elif letter == b"c":
        # Children before their parents, which therefore never find one stopped. Known processes first: a clock runs.
        for process in reversed(watch.stopped or {}):
            _send(process, _SIGCONT)
        _send_group(watch.group, _SIGCONT)
        for process in _descendants():
            _send(process, _SIGCONT)
        watch.stopped = None


def _usage(launcher: int, memory: int) -> tuple[int, float]:
    """Return the memory in use in bytes and the CPU time in seconds of all processes of the program.

    Below the limit the memory may be overestimated: pages shared by several processes are counted for each.
    """
    processes = [process for process in _descendants() if process != launcher]
    resident = sum(map(_resident, processes))
    if resident > memory:  # count shared pages once
        resident = sum(map(_proportional, processes))
    ticks = _ticks(launcher) + sum(map(_ticks, processes))
    reaped = os.times()
    return resident, ticks / _TICKS_PER_SECOND + reaped.children_user + reaped.children_system


_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def _read(path: str) -> bytes:
    """Return the contents of a file in /proc; empty if the process has exited."""
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
    """Return the resident set size in bytes."""
    words = _read(f"/proc/{process}/statm").split()
    return int(words[1]) * _PAGE_SIZE if len(words) > 1 else 0


def _proportional(process: int) -> int:
    """Return the proportional set size in bytes: shared pages count in parts."""
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) << 10
    return _resident(process)


def _ticks(process: int) -> int:
    """Return the CPU time in clock ticks, including that of the children it has waited for."""
    words = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
    return sum(map(int, words[11:15])) if len(words) > 14 else 0


def _descendants() -> list[int]:
    """Return all descendants of this process, parents first."""
    children = _children if _LISTS_CHILDREN else _children_by_search()
    found = [os.getpid()]
    for process in found:
        found += children(process)
    return found[1:]


_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(process: int) -> list[int]:
    """Return the children of a process as the kernel lists them."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{process}/task/{thread}/children").split()]


def _children_by_search() -> Callable[[int], list[int]]:
    """Return a replacement of `_children` for kernels that do not list them: search the parents of all processes."""
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


# ---- shutdown ---------------------------------------------------------------------------------------------------


def _end(launcher: int, group: int) -> None:
    """Kill all processes of the program and wait until they are gone."""
    _send_group(group, _SIGKILL)  # the only way on systems without /proc
    # Stop them first, so that none starts another one meanwhile. In a namespace, killing the launcher is enough.
    stopped = _stop(0, {})
    for process in [launcher, *stopped]:
        _send(process, _SIGKILL)
    while True:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except OSError:  # no more children
            return
        if not process:
            for process in _descendants():
                _send(process, _SIGKILL)
            select.select([], [], [], _EXIT_POLL_INTERVAL)


def _stop(excluded: int, stopped: dict[int, None]) -> dict[int, None]:
    """Stop all processes of the program except one, and add them to `stopped`."""
    while new := [process for process in _descendants() if process not in stopped and process != excluded]:
        for process in new:
            _send(process, _SIGSTOP)
        stopped.update(dict.fromkeys(new))
        if len(stopped) > _MAX_PROCESSES:
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
