"""Try each sandbox limit from inside: a limit is reported only if it refused what it must refuse."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_AF_INET, _SOCK_DGRAM, _EPERM = 2, 2, 1
_PR_GET_PDEATHSIG, _SIGKILL = 2, 9


def sees_only_its_namespace() -> bool:
    """Return whether this process, known under another number outside, cannot be signalled under that number.

    Call it before the system call filter, which refuses all signals.
    """
    try:
        outside = int(os.readlink("/proc/self"))
        os.kill(outside, 0)
    except ProcessLookupError:
        return outside != os.getpid()
    except (OSError, ValueError):
        pass
    return False


def ends_with_parent(library: Any) -> bool:
    """Return whether the kernel kills this process when its parent exits. Call it before the system call filter."""
    import ctypes

    signal = ctypes.c_int(0)
    return library.prctl(_PR_GET_PDEATHSIG, ctypes.byref(signal), 0, 0, 0) == 0 and signal.value == _SIGKILL


def write_probe() -> int:
    """Open a new file in the working folder to try to write to; -1 if the folder is not writable.

    Root's file stays: another user must not be able to read it. The folder is removed with the sandbox.
    """
    try:
        file = os.open("probe", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if not hasattr(os, "geteuid") or os.geteuid() != 0:
            os.unlink("probe")
    except OSError:
        return -1
    return file


def refused(candidates: Sequence[str], memory: int, probe: int, library: Any) -> list[str]:
    """Return the candidates that refuse a try.

    Parameters
    ----------
    candidates : sequence of str
        Names of limits that were applied, see `zermelo.sandbox.limits`.
    memory : int
        The memory limit in bytes.
    probe : int
        File descriptor from `write_probe`, closed here.
    library : ctypes.CDLL or None
        The C library, on Linux.
    """
    tries: dict[str, Callable[[], object]] = {
        "user": _act_as_root,
        "memory": lambda: bytearray(memory),
        "processes": _fork,
        "files": lambda: os.write(probe, b"x") if probe >= 0 else os.close(os.open("probe", os.O_WRONLY | os.O_CREAT)),
        "network": lambda: _reach_network(library),
        "signals": lambda: os.kill(os.getpid(), 0),
        "deleting": lambda: _permitted(lambda: os.unlink("no such file")),
        "calls": lambda: os.getpgid(0),
    }
    found = [name for name in candidates if name != "reading" and (name not in tries or _is_refused(tries[name]))]
    if "reading" in candidates and all(map(_is_refused, _READS)):
        found.append("reading")
    if probe >= 0:
        os.close(probe)
    return found


#: Reads that no program in the sandbox needs: the root folder, the temporary folder, processes, accounts.
_READS: tuple[Callable[[], object], ...] = tuple(
    lambda path=path: os.close(os.open(path, os.O_RDONLY))  # type: ignore[misc]
    for path in ("/", "/proc/self/stat", "/etc/passwd", ".", "..")
)


def _is_refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except (OSError, MemoryError):
        return True
    return False


def _permitted(action: Callable[[], object]) -> None:
    """Raise the error of an action only if it was not permitted: a missing file is no refusal."""
    try:
        action()
    except OSError as error:
        if error.errno == _EPERM:
            raise


def _act_as_root() -> None:
    """Become root, or read a file of root. Raise `PermissionError` if neither is permitted."""
    try:
        os.setuid(0)
    except PermissionError:
        try:
            os.close(os.open("probe", os.O_RDONLY))
        except FileNotFoundError:  # the read was not tried
            return


def _fork() -> None:
    if not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _reach_network(library: Any) -> None:
    """Send a datagram to a documentation address (RFC 5737)."""
    if library is None:
        return
    file = library.socket(_AF_INET, _SOCK_DGRAM, 0)
    if file < 0:
        raise OSError("no sockets")
    address = _AF_INET.to_bytes(2, sys.byteorder) + (9).to_bytes(2, "big") + bytes((192, 0, 2, 1)) + bytes(8)
    sent = library.sendto(file, b"", 0, 0, address, len(address))
    os.close(file)
    if sent < 0:
        raise OSError("no network")
