"""Process and mount namespaces (Linux).

Processes in a process namespace cannot see or signal those outside, and end with the first of them. A mount namespace
gives a process a view of the file system of its own.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

# From <linux/sched.h>, <linux/prctl.h> and <linux/mount.h>.
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9


def c_library() -> Any:
    """Return the C library, for calls that Python does not wrap; None except on Linux."""
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        return ctypes.CDLL(None)
    except (ImportError, OSError):
        return None


def enter_process_namespace(library: Any) -> bool:
    """Make the next child the first process of a new process namespace. Return whether that succeeded."""
    if os.geteuid() == 0:
        return bool(library.unshare(_CLONE_NEWPID) == 0)
    user, group = os.geteuid(), os.getegid()
    if library.unshare(_CLONE_NEWUSER | _CLONE_NEWPID) != 0:
        return False
    # Map the user to itself: no additional rights.
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError:
            continue
    return True


def close_standard_streams() -> None:
    """Point standard input and outputs to the null device: only the program shall hold the pipes."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)


def exit_like(child: int, library: Any) -> NoReturn:
    """Wait for a child and exit as it did; the kernel kills this process when its own parent exits."""
    import resource

    library.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    close_standard_streams()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        library.signal(-code, 0)  # undo Python's changes
        os.kill(os.getpid(), -code)
    os._exit(abs(code))


def make_reachable(library: Any, paths: Iterable[str]) -> None:
    """As root, let all users reach files and folders that lie in folders closed to them, such as root's home.

    In a mount namespace of this process, each closed folder is replaced by an empty one that holds these paths only.
    Otherwise the sandbox would need the capability to read all files. Nothing changes where that is not allowed.
    """
    closed: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        folder = _closed_folder(path)
        if folder and not any(path.startswith(other + "/") for other in closed.get(folder, ())):
            closed.setdefault(folder, []).append(path)
    if not closed or library.unshare(_CLONE_NEWNS) != 0:
        return
    if library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:
        return
    for folder, inside in closed.items():
        files = [os.open(path, os.O_PATH) for path in inside]
        if library.mount(b"none", os.fsencode(folder), b"tmpfs", 0, b"mode=755") == 0:
            for path, file in zip(inside, files, strict=True):
                _bind(library, file, path)
        for file in files:
            os.close(file)


def _closed_folder(path: str) -> str:
    """Return the first folder on the way to an existing path that others may not enter; empty if there is none."""
    if not os.path.exists(path):
        return ""
    folder = ""
    for name in path.split("/")[1:-1]:
        folder += "/" + name
        if not os.stat(folder).st_mode & 0o001:
            return folder
    return ""


def _bind(library: Any, file: int, path: str) -> None:
    """Mount an open file or folder at a path that is made for it."""
    source = f"/proc/self/fd/{file}"
    if os.path.isdir(source):
        os.makedirs(path)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))
    library.mount(source.encode(), os.fsencode(path), None, _MS_BIND, None)
