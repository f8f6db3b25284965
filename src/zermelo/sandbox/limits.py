"""Apply sandbox limits to this process, then run a script: `python -I -S limits.py LIMITS SCRIPT`.

LIMITS is JSON, see `apply`. Only the standard library is imported: the script runs in the same process and shares its
modules.

Each limit is applied as far as the operating system supports it; the first message to the parent lists those in
force. Standard input of the script is empty, and both of its outputs go to standard error; the original standard
input and output become the message channel to the parent. A program that must load something first imports this
module and calls `open_channel` and `apply` when it is ready.

    user         root only: switch to an unused user number, which owns no files and no other processes
    network      no sockets: a network namespace of its own, or the system call filter (Linux)
    signals      system call filter: no signals, no debugging, no execution of other programs (Linux)
    memory       RLIMIT_AS
    processes    RLIMIT_NPROC 0: no processes and no threads, so that nothing outlives the script
    files        RLIMIT_FSIZE 0: no file can be written
    deleting     system call filter: no file is created, truncated, renamed or deleted, and opened only to read (Linux)
    with parent  the process is killed when its parent exits (Linux)
"""

from __future__ import annotations

import json
import os
import struct
import sys

TYPE_CHECKING = False  # not imported from `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any

# From <linux/sched.h>, <linux/prctl.h> and <linux/capability.h>.
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 1, 8, 38
_CAP_DAC_READ_SEARCH, _CAP_SETGID, _CAP_SETUID = 1 << 2, 1 << 6, 1 << 7
_CAPABILITY_VERSION_3 = 0x20080522

# Seccomp filter: constants from <linux/seccomp.h> and <linux/filter.h>, system call numbers from each machine's table.
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_BPF_LOAD, _BPF_JUMP_EQUAL, _BPF_JUMP_GREATER_EQUAL, _BPF_JUMP_ANY_BIT, _BPF_RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_SECCOMP_ALLOW, _SECCOMP_ERRNO = 0x7FFF0000, 0x00050000
_EAGAIN, _EPERM, _EROFS = 11, 1, 30
#: Offsets in `struct seccomp_data`: system call number, architecture, lower halves of the arguments 0 to 2.
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENT_OFFSETS = 0, 4, (16, 24, 32)
#: O_WRONLY | O_RDWR | O_CREAT | O_TRUNC: the same on both machines.
_WRITE_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000
# For each machine: its architecture number, then the refused system calls in three groups and the checked ones.
# - Start processes and threads: clone fork vfork clone3.
# - Reach other processes, programs and machines, or memory that no limit counts: execve execveat, kill tkill tgkill and
#   variants, ptrace and process_vm_*, pidfd_open and variants, setpriority sched_setaffinity, socket, io_uring_setup,
#   unshare setns, prlimit64, shmget.
# - Change the file system: unlink rmdir rename truncate mkdir mknod link symlink chmod chown utime setxattr removexattr
#   and variants, fallocate, creat, openat2, open_by_handle_at, mount.
# - Open files, refused when opening to write: each with the index of its flags argument.
# fmt: off
_CALLS = {
    "x86_64": (
        0xC000003E,
        (56, 57, 58, 435),
        (59, 322, 62, 200, 234, 129, 297, 101, 310, 311, 424, 434, 438, 141, 203, 41, 425, 272, 308, 302, 29),
        (87, 263, 84, 82, 264, 316, 76, 77, 83, 258, 133, 259, 86, 265, 88, 266, 90, 91, 268, 452, 92, 93, 94, 260,
         132, 235, 261, 280, 188, 189, 190, 463, 197, 198, 199, 466, 285, 85, 437, 304, 165),
        ((2, 1), (257, 2)),
    ),
    "aarch64": (
        0xC00000B7,
        (220, 435),
        (221, 281, 129, 130, 131, 138, 240, 117, 270, 271, 424, 434, 438, 140, 122, 198, 425, 97, 268, 261, 194),
        (35, 38, 276, 45, 46, 34, 33, 37, 36, 52, 53, 452, 54, 55, 88, 5, 6, 7, 463, 14, 15, 16, 466, 47, 437, 265,
         40),
        ((56, 2),),
    ),
}
# fmt: on
_X32_CALLS = 0x40000000  # system calls of the x32 ABI start here; the filter does not know their numbers

# First user number and count of ranges that no real user has; containers often have only the second one (systemd's
# dynamic users).
_UNUSED_USERS = (2_000_000_000, 1 << 16), (61_184, 4_000)


#: Message channel of the script, which imports it from `__main__`.
channel: Channel


def main() -> None:
    """Open the channel, apply the limits, report which are in force, and run the script."""
    global channel
    limits = json.loads(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        script = compile(file.read(), sys.argv[2], "exec")
    channel = open_channel()
    channel.send("limits", apply(limits))
    sys.argv = [sys.argv[2]]
    exec(script, {"__name__": "__main__"})


# ---- for scripts that run in the sandbox ----------------------------------------------------------------------------


class Channel:
    """Messages to and from the parent process, one line of JSON each."""

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._sink = source, sink
        self._unread = b""

    def send(self, *message: Any) -> None:
        """Send a message."""
        line = json.dumps(message).encode() + b"\n"
        while line:
            line = line[os.write(self._sink, line) :]

    def receive(self) -> Any:
        """Return the next message; exit the process if the parent closed the channel."""
        while b"\n" not in self._unread:
            chunk = os.read(self._source, 1 << 16)
            if not chunk:
                os._exit(0)
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return json.loads(line)


def take_standard_streams() -> tuple[int, int]:
    """Return duplicates of standard input and output; from now on input is empty and output goes to standard error."""
    streams = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return streams


def open_channel() -> Channel:
    """Turn standard input and output into the message channel; printed text goes to standard error from now on."""
    return Channel(*take_standard_streams())


def describe_exception(error: BaseException, file: str, doing: str) -> dict[str, Any]:
    """Describe an exception for the parent, with the last line of the program's own `file` in its traceback."""
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


# ---- limits --------------------------------------------------------------------------------------------------------


def apply(limits: dict[str, int]) -> list[str]:
    """Apply all limits that this system supports to the current process.

    Parameters
    ----------
    limits : dict
        `memory`: address space in bytes. `seconds`: CPU time. `user` (optional): a number unique among running
        sandboxes, from which the user number is chosen; by default the process id, which is useless inside a
        process namespace.

    Returns
    -------
    list of str
        Names of the limits in force; see the module docstring.
    """
    parent = os.getppid()
    system = _System() if sys.platform == "linux" else None
    enforced = []
    if system is not None:
        namespaces = _CLONE_NEWIPC | _CLONE_NEWNET | (_CLONE_NEWUSER if os.geteuid() else 0)
        if system.call("unshare", namespaces):
            enforced.append("network")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and _drop_root(system, limits.get("user", os.getpid())):
        enforced.append("user")
    elif system is not None and "network" in enforced and os.geteuid():
        system.keep_capabilities(0, 0)  # a new user namespace grants all of them
    enforced += _set_resource_limits(limits)
    if system is not None:
        system.call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Last of all: a change of user or capabilities resets it.
        if system.call("prctl", _PR_SET_PDEATHSIG, 9, 0, 0, 0):
            enforced.append("with parent")
        if os.getppid() != parent:
            os._exit(1)
        if system.filter_calls():
            enforced += ["signals", "deleting"] if "network" in enforced else ["signals", "deleting", "network"]
    if _cannot_fork():
        enforced.append("processes")
    return enforced


class _System:
    """Linux system calls that Python does not wrap."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        self._libc = ctypes.CDLL(None)
        self._word = ctypes.c_uint32

    def call(self, name: str, *arguments: int) -> bool:
        return bool(getattr(self._libc, name)(*arguments) == 0)

    def keep_capabilities(self, effective: int, permitted: int) -> bool:
        """Drop all capabilities but these."""
        header = (self._word * 2)(_CAPABILITY_VERSION_3, 0)
        low, high = (1 << 32) - 1, 32
        words = (effective & low, permitted & low, 0, effective >> high, permitted >> high, 0)
        return bool(self._libc.capset(header, (self._word * 6)(*words)) == 0)

    def filter_calls(self) -> bool:
        """Install the seccomp filter, which cannot be removed again. Return whether that succeeded."""
        machine = os.uname().machine
        if machine not in _CALLS or sys.maxsize < 1 << 32:
            return False
        architecture, starting, reaching, changing, opening = _CALLS[machine]
        instructions = [
            (_BPF_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
            (_BPF_JUMP_EQUAL, 1, 0, architecture),
            (_BPF_RETURN, 0, 0, _SECCOMP_ERRNO | _EPERM),
        ]
        instructions += [(_BPF_LOAD, 0, 0, _NUMBER_OFFSET), (_BPF_JUMP_GREATER_EQUAL, 0, 1, _X32_CALLS)]
        instructions += [(_BPF_RETURN, 0, 0, _SECCOMP_ERRNO | _EPERM)]
        for calls, error in ((starting, _EAGAIN), (reaching, _EPERM), (changing, _EROFS)):
            for call in calls:
                instructions += [(_BPF_JUMP_EQUAL, 0, 1, call), (_BPF_RETURN, 0, 0, _SECCOMP_ERRNO | error)]
        for call, argument in opening:
            instructions += [
                (_BPF_JUMP_EQUAL, 0, 4, call),
                (_BPF_LOAD, 0, 0, _ARGUMENT_OFFSETS[argument]),
                (_BPF_JUMP_ANY_BIT, 0, 1, _WRITE_FLAGS),
            ]
            instructions += [(_BPF_RETURN, 0, 0, _SECCOMP_ERRNO | _EROFS), (_BPF_RETURN, 0, 0, _SECCOMP_ALLOW)]
        instructions.append((_BPF_RETURN, 0, 0, _SECCOMP_ALLOW))
        program = self._ctypes.create_string_buffer(
            b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
        )
        head = struct.pack("HxxxxxxQ", len(instructions), self._ctypes.addressof(program))
        none = self._ctypes.c_ulong(0)
        kind, mode = self._ctypes.c_int(_PR_SET_SECCOMP), self._ctypes.c_ulong(_SECCOMP_MODE_FILTER)
        return bool(self._libc.prctl(kind, mode, head, none, none) == 0)


def _drop_root(system: _System | None, user: int) -> bool:
    """Switch from root to an unused user number chosen by `user`. Return whether that succeeded.

    The standard library must stay readable. Where it lies in root's home folder, the capability to read every file is
    kept, which root has anyway.
    """
    for first, count in _UNUSED_USERS:
        number = first + user % count
        capabilities = 0
        try:
            os.setgroups([])
            os.setegid(number)
            os.seteuid(number)
            try:
                os.listdir(os.path.dirname(os.__file__))
            except PermissionError:
                capabilities = _CAP_DAC_READ_SEARCH
                if system is None or not system.keep_capabilities(
                    capabilities, capabilities | _CAP_SETUID | _CAP_SETGID
                ):
                    raise
                os.listdir(os.path.dirname(os.__file__))
        except (OSError, OverflowError):
            os.seteuid(0)
            os.setegid(0)
            continue
        os.seteuid(0)
        os.setegid(0)
        if system is not None:
            system.call("prctl", _PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setgid(number)
        os.setuid(number)
        if system is not None:
            system.keep_capabilities(capabilities, capabilities)
        return True
    return False


def _set_resource_limits(limits: dict[str, int]) -> list[str]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    resource_limits = {
        "memory": ("RLIMIT_AS", limits["memory"]),
        "seconds": ("RLIMIT_CPU", limits["seconds"]),
        "files": ("RLIMIT_FSIZE", 0),
        "": ("RLIMIT_CORE", 0),
        "open": ("RLIMIT_NOFILE", 64),
        "fork": ("RLIMIT_NPROC", 0),
    }
    enforced = []
    for name, (limit, number) in resource_limits.items():
        try:
            resource.setrlimit(getattr(resource, limit), (number, number))
        except (AttributeError, ValueError, OSError):
            continue
        if name in ("memory", "files"):
            enforced.append(name)
    return enforced


def _cannot_fork() -> bool:
    """Return whether starting a process fails: RLIMIT_NPROC does not hold for root."""
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
