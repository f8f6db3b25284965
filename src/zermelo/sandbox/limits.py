"""Runs a script behind walls: `python -I -S walls.py LIMITS SCRIPT`, LIMITS as JSON. The standard library only.

The walls are built in the very process that then runs the script, from outside in, each as far as the system has it;
the first message on the wire tells which stand. The script's standard input is empty, and both its outputs go to
standard error; the wire to the parent is what standard input and output were before. A program that has to load
something first imports this module instead, and calls `open_channel` and `build` when it is ready.

    user         as root only: a user number of its own, so that it reaches no file and no process of ours
    network      its own network, which has no way out, and no sockets (Linux: namespaces, or the filter of calls)
    signals      a filter of system calls: no signals, no debugging, no other program (Linux)
    memory       RLIMIT_AS
    processes    RLIMIT_NPROC 0: it starts neither processes nor threads, so that nothing outlives it
    files        RLIMIT_FSIZE 0: it writes no files
    deleting     the filter: it makes, empties, renames and deletes none either, and opens them to read only (Linux)
    with parent  it ends when the parent does (Linux)

Nothing of Zermelo is imported here: the script that runs behind the walls could import it as well.
"""

from __future__ import annotations

import json
import os
import struct
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all the rest
if TYPE_CHECKING:
    from typing import Any

# From <linux/sched.h>, <linux/prctl.h> and <linux/capability.h>.
_NEW_IPC, _NEW_USER, _NEW_NET = 0x08000000, 0x10000000, 0x40000000
_DIES_WITH_PARENT, _KEEP_RIGHTS, _NO_NEW_PRIVILEGES = 1, 8, 38
_READ_ALL, _SET_GROUP, _SET_USER = 1 << 2, 1 << 6, 1 << 7
_CAPABILITIES_VERSION = 0x20080522

# The filter of system calls: from <linux/seccomp.h>, <linux/filter.h>, and each machine's table of calls.
_FILTER_CALLS, _BY_PROGRAM = 22, 2
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000
_AGAIN, _NOT_PERMITTED, _READ_ONLY = 11, 1, 30
#: Where the words of a call stand in what the filter is given: its number, the machine, the arguments' lower halves.
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, (16, 24, 32)
#: O_WRONLY, O_RDWR, O_CREAT, O_TRUNC: the same on both machines.
_TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000
# For each machine: its number; then the calls that are refused.
# - Those that start processes and threads.
# - Those that reach other processes, programs and machines, and memory that no limit counts: execve execveat, kill
#   tkill tgkill and their kin, ptrace and reading others' memory, pidfd_open and its kin, setpriority
#   sched_setaffinity, socket, io_uring_setup, unshare setns, prlimit64, shmget.
# - Those that change what lies on a disk, but for `open`: unlink rmdir rename truncate mkdir mknod link symlink chmod
#   chown utime setxattr removexattr and their kin, fallocate, creat, openat2, open_by_handle_at, mount.
# - Those that open files, if it is to write: each with the number of the argument that says so.
_CALLS = {
    "x86_64": (
        0xC000003E,
        (56, 57, 58, 435),
        (59, 322, 62, 200, 234, 129, 297, 101, 310, 311, 424, 434, 438, 141, 203, 41, 425, 272, 308, 302, 29),
        (
            87,
            263,
            84,
            82,
            264,
            316,
            76,
            77,
            83,
            258,
            133,
            259,
            86,
            265,
            88,
            266,
            90,
            91,
            268,
            452,
            92,
            93,
            94,
            260,
            132,
            235,
            261,
            280,
            188,
            189,
            190,
            463,
            197,
            198,
            199,
            466,
            285,
            85,
            437,
            304,
            165,
        ),
        ((2, 1), (257, 2)),
    ),
    "aarch64": (
        0xC00000B7,
        (220, 435),
        (221, 281, 129, 130, 131, 138, 240, 117, 270, 271, 424, 434, 438, 140, 122, 198, 425, 97, 268, 261, 194),
        (35, 38, 276, 45, 46, 34, 33, 37, 36, 52, 53, 452, 54, 55, 88, 5, 6, 7, 463, 14, 15, 16, 466, 47, 437, 265, 40),
        ((56, 2),),
    ),
}
_OTHER_TABLES = 0x40000000  # numbers from here on are calls of x32, which the filter does not know

# User numbers that belong to nobody; the second range is within what a container has (systemd's dynamic users).
_NOBODYS = (2_000_000_000, 1 << 16), (61_184, 4_000)


#: The script's, which imports it.
channel: Channel


def main() -> None:
    """Lay the wire, build the walls, say which stand, and run the script."""
    global channel
    limits = json.loads(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        script = compile(file.read(), sys.argv[2], "exec")
    channel = open_channel()
    channel.send("limits", apply(limits))
    sys.argv = [sys.argv[2]]
    exec(script, {"__name__": "__main__"})


# ---- for whoever runs behind them ------------------------------------------------------------------------------------


class Channel:
    """The way to the parent: messages, a line of JSON each."""

    def __init__(self, comes: int, goes: int) -> None:
        self._comes, self._goes = comes, goes
        self._unread = b""

    def send(self, *message: Any) -> None:
        """Send a message."""
        line = json.dumps(message).encode() + b"\n"
        while line:
            line = line[os.write(self._goes, line) :]

    def receive(self) -> Any:
        """The next message; the process ends where none will come."""
        while b"\n" not in self._unread:
            read = os.read(self._comes, 1 << 16)
            if not read:
                os._exit(0)  # the parent wants no more
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\n")
        return json.loads(line)


def take_standard_streams() -> tuple[int, int]:
    """What standard input and output were: nothing comes in by the one any more, and the other is standard error."""
    ends = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return ends


def open_channel() -> Channel:
    """Where messages come in and go out; whatever is printed from now on goes to standard error."""
    return Channel(*take_standard_streams())


def describe_exception(error: BaseException, file: str, doing: str) -> dict[str, Any]:
    """An exception, with the last line of the program's own file that it came through."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) and error.filename == file else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:
        text = ""
    return {"doing": doing, "line": line, "type": type(error).__name__[:80], "text": str(text)[:300]}


# ---- the walls ----------------------------------------------------------------------------------------------------


def apply(limits: dict[str, int]) -> list[str]:
    """Build the walls; the names of those that stand.

    `limits`: bytes of `memory`, `seconds` of processor time; `user`: a number that no other program has now (that of
    the process, if none is given, which is of no use in a namespace of its own).
    """
    parent = os.getppid()
    system = _System() if sys.platform == "linux" else None
    standing = []
    if system is not None:
        apart = _NEW_IPC | _NEW_NET | (_NEW_USER if os.geteuid() else 0)
        if system.call("unshare", apart):
            standing.append("network")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and _become_nobody(system, limits.get("user", os.getpid())):
        standing.append("user")
    elif system is not None and "network" in standing and os.geteuid():
        system.keep(0, 0)  # what one may do in a namespace of one's own
    standing += _limit(limits)
    if system is not None:
        system.call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        # Last of all, because a change of rights takes it back.
        if system.call("prctl", _DIES_WITH_PARENT, 9, 0, 0, 0):
            standing.append("with parent")
        if os.getppid() != parent:
            os._exit(1)
        if system.filter_calls():
            standing += ["signals", "deleting"] if "network" in standing else ["signals", "deleting", "network"]
    if _cannot_fork():
        standing.append("processes")
    return standing


class _System:
    """Calls of Linux that Python has no names for."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        self._libc = ctypes.CDLL(None)
        self._word = ctypes.c_uint32

    def call(self, name: str, *arguments: int) -> bool:
        return bool(getattr(self._libc, name)(*arguments) == 0)

    def keep(self, effective: int, permitted: int) -> bool:
        """Give up all capabilities but these."""
        header = (self._word * 2)(_CAPABILITIES_VERSION, 0)
        low, high = (1 << 32) - 1, 32
        words = (effective & low, permitted & low, 0, effective >> high, permitted >> high, 0)
        return bool(self._libc.capset(header, (self._word * 6)(*words)) == 0)

    def filter_calls(self) -> bool:
        """Have the kernel refuse what no search needs; a program has no way back."""
        machine = os.uname().machine
        if machine not in _CALLS or sys.maxsize < 1 << 32:
            return False
        number, starting, reaching, changing, opening = _CALLS[machine]
        steps = [(_LOAD, 0, 0, _MACHINE), (_IF_EQUAL, 1, 0, number), (_RETURN, 0, 0, _REFUSED | _NOT_PERMITTED)]
        steps += [(_LOAD, 0, 0, _NUMBER), (_IF_AT_LEAST, 0, 1, _OTHER_TABLES)]
        steps += [(_RETURN, 0, 0, _REFUSED | _NOT_PERMITTED)]
        for calls, error in ((starting, _AGAIN), (reaching, _NOT_PERMITTED), (changing, _READ_ONLY)):
            for call in calls:
                steps += [(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, _REFUSED | error)]
        for call, argument in opening:
            steps += [(_IF_EQUAL, 0, 4, call), (_LOAD, 0, 0, _ARGUMENTS[argument]), (_IF_ANY_BIT, 0, 1, _TO_WRITE)]
            steps += [(_RETURN, 0, 0, _REFUSED | _READ_ONLY), (_RETURN, 0, 0, _ALLOWED)]
        steps.append((_RETURN, 0, 0, _ALLOWED))
        program = self._ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        head = struct.pack("HxxxxxxQ", len(steps), self._ctypes.addressof(program))
        none = self._ctypes.c_ulong(0)
        kind, mode = self._ctypes.c_int(_FILTER_CALLS), self._ctypes.c_ulong(_BY_PROGRAM)
        return bool(self._libc.prctl(kind, mode, head, none, none) == 0)


def _become_nobody(system: _System | None, user: int) -> bool:
    """Give up root for a user number of its own, where that can be; which one, follows from `user`.

    The standard library must be readable still. Where it lies in root's own folder, the right to read every file is
    kept, which root has anyway.
    """
    for first, count in _NOBODYS:
        number = first + user % count
        rights = 0
        try:
            os.setgroups([])
            os.setegid(number)
            os.seteuid(number)
            try:
                os.listdir(os.path.dirname(os.__file__))
            except PermissionError:
                rights = _READ_ALL
                if system is None or not system.keep(rights, rights | _SET_USER | _SET_GROUP):
                    raise
                os.listdir(os.path.dirname(os.__file__))
        except (OSError, OverflowError):
            os.seteuid(0)
            os.setegid(0)
            continue
        os.seteuid(0)
        os.setegid(0)
        if system is not None:
            system.call("prctl", _KEEP_RIGHTS, 1, 0, 0, 0)
        os.setgid(number)
        os.setuid(number)
        if system is not None:
            system.keep(rights, rights)
        return True
    return False


def _limit(limits: dict[str, int]) -> list[str]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    wanted = {
        "memory": ("RLIMIT_AS", limits["memory"]),
        "seconds": ("RLIMIT_CPU", limits["seconds"]),
        "files": ("RLIMIT_FSIZE", 0),
        "": ("RLIMIT_CORE", 0),
        "open": ("RLIMIT_NOFILE", 64),
        "fork": ("RLIMIT_NPROC", 0),
    }
    standing = []
    for name, (limit, number) in wanted.items():
        try:
            resource.setrlimit(getattr(resource, limit), (number, number))
        except (AttributeError, ValueError, OSError):
            continue
        if name in ("memory", "files"):
            standing.append(name)
    return standing


def _cannot_fork() -> bool:
    if not hasattr(os, "fork"):
        return False
    try:
        child = os.fork()
    except OSError:
        return True
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return False


if __name__ == "__main__":
    main()
