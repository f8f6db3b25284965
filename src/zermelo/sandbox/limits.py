"""Apply sandbox limits to this process, then run a script: `python -I -S limits.py LIMITS SCRIPT`.

LIMITS is JSON, see `apply`. Only the standard library is imported: the script runs in the same process and shares its
modules.

Each limit is applied as far as the operating system supports it, and then tried; the first message to the parent lists
those that refused what they must refuse. Standard input of the script is empty, and both of its outputs go to standard
error; the original standard input and output become the message channel to the parent. A program that must load
something first imports this module and calls `open_channel` and `apply` when it is ready.

    reading      only the standard library and files named in LIMITS are readable, nothing is writable (Linux 5.13+)
    calls        only the system calls that computing needs, see `system_calls.py` (Linux)
    namespace    a process namespace, with no processes outside; the program's starter makes it (Linux)
    user         root only: switch to an unused user number, which owns no files and no other processes
    network      no sockets: a network namespace of its own, or the system call filter (Linux)
    signals      system call filter: no signals, debugging, or execution of programs (Linux)
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

if TYPE_CHECKING or __package__:
    from zermelo.sandbox import landlock, namespaces, self_test, system_calls
else:  # run as a script: importing the package `zermelo` would take longer than everything else here
    sys.path.insert(0, os.path.dirname(__file__))
    import landlock
    import namespaces
    import self_test
    import system_calls

    del sys.path[0]

# From <linux/sched.h>, <linux/prctl.h> and <linux/capability.h>.
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 1, 8, 38
_CAP_DAC_READ_SEARCH, _CAP_SETGID, _CAP_SETUID = 1 << 2, 1 << 6, 1 << 7
_CAPABILITY_VERSION_3 = 0x20080522

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2

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
    limits["user"] = os.getpid()
    library = namespaces.c_library()
    if library is not None and namespaces.enter_process_namespace(library) and (child := os.fork()):
        namespaces.exit_like(child, library)
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
    # Line 0: the file cannot be decoded.
    line = (getattr(error, "lineno", 0) or None) if isinstance(error, SyntaxError) and error.filename == file else None
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


def apply(limits: dict[str, Any]) -> list[str]:
    """Apply all limits that this system supports to the current process, and try them.

    Parameters
    ----------
    limits : dict
        `memory`: address space in bytes. `seconds`: CPU time. `user`: a number unique among running sandboxes, from
        which the user number is chosen. `readable` (optional): files and folders that stay readable, besides the
        standard library.

    Returns
    -------
    list of str
        Names of the limits in force; see the module docstring.
    """
    parent = os.getppid()
    system = _System() if sys.platform == "linux" else None
    applied = []
    probe = self_test.write_probe()
    ruleset = -1
    if system is not None:
        folders = landlock.library_folders()
        readable = [os.path.realpath(path) for path in limits.get("readable", ())]
        if os.geteuid() == 0:
            namespaces.make_reachable(system.library, [*folders, *readable])
        ruleset = landlock.make_ruleset(
            system.library.syscall, [*landlock.library_files(folders), *readable], folders[:1]
        )
        namespace = _CLONE_NEWIPC | _CLONE_NEWNET | (_CLONE_NEWUSER if os.geteuid() else 0)
        if system.call("unshare", namespace):
            applied.append("network")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and _drop_root(system, limits["user"]):
        applied.append("user")
    elif system is not None:
        system.keep_capabilities(0, 0)  # a new user namespace grants all of them
    applied += _set_resource_limits(limits)
    if system is not None:
        system.call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Last of all: a change of user or capabilities resets it.
        system.call("prctl", _PR_SET_PDEATHSIG, 9, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        if self_test.ends_with_parent(system.library):
            applied.append("with parent")
        if self_test.sees_only_its_namespace():
            applied.append("namespace")
        if ruleset >= 0 and landlock.restrict(system.library.syscall, ruleset):
            applied.append("reading")
        if system.filter_calls():
            applied += ["calls", "signals", "deleting"] + ["network"] * ("network" not in applied)
    return self_test.refused([*applied, "processes"], limits["memory"], probe, system and system.library)


class _System:
    """Linux system calls that Python does not wrap."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        self.library = ctypes.CDLL(None)
        self._word = ctypes.c_uint32

    def call(self, name: str, *arguments: int) -> bool:
        return bool(getattr(self.library, name)(*arguments) == 0)

    def keep_capabilities(self, effective: int, permitted: int) -> bool:
        """Drop all capabilities but these."""
        header = (self._word * 2)(_CAPABILITY_VERSION_3, 0)
        low, high = (1 << 32) - 1, 32
        words = (effective & low, permitted & low, 0, effective >> high, permitted >> high, 0)
        return bool(self.library.capset(header, (self._word * 6)(*words)) == 0)

    def filter_calls(self) -> bool:
        """Install the seccomp filter, which cannot be removed again. Return whether that succeeded."""
        machine = os.uname().machine
        if machine not in system_calls.ARCHITECTURES or sys.maxsize < 1 << 32:
            return False
        instructions = system_calls.bpf(machine)
        program = self._ctypes.create_string_buffer(system_calls.packed(instructions))
        head = struct.pack("HxxxxxxQ", len(instructions), self._ctypes.addressof(program))
        none = self._ctypes.c_ulong(0)
        kind, mode = self._ctypes.c_int(_PR_SET_SECCOMP), self._ctypes.c_ulong(_SECCOMP_MODE_FILTER)
        return bool(self.library.prctl(kind, mode, head, none, none) == 0)


def _drop_root(system: _System | None, user: int) -> bool:
    """Switch from root to an unused user number chosen by `user`. Return whether that succeeded.

    The standard library must stay readable. Where it lies in root's home folder and `make_reachable` was not allowed,
    the capability to read every file is kept: Landlock binds it as well, and the filter has no calls by file handle.
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
            _become_root()
            continue
        _become_root()
        if system is not None and capabilities:
            system.call("prctl", _PR_SET_KEEPCAPS, 1, 0, 0, 0)
        try:
            os.setgid(number)
            os.setuid(number)
        except OSError:
            return False
        if system is not None:
            system.keep_capabilities(capabilities, capabilities)
        return True
    return False


def _become_root() -> None:
    """Take the effective user and group of root again, where they have changed."""
    if os.geteuid() != 0:
        os.seteuid(0)
    if os.getegid() != 0:
        os.setegid(0)


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


if __name__ == "__main__":
    main()
