"""Limits that the system sets for this process: address space (`ulimit -v`) and processes (`ulimit -u`)."""

from __future__ import annotations

import os

# Threads count as processes. OpenBLAS starts one for each core, up to 128.
FEW_PROCESSES = 1_000


def free_address_space() -> int | None:
    """Return how many bytes this process may still map; None if there is no limit, or the system does not say."""
    limit = _soft_limit("RLIMIT_AS")
    if limit is None:
        return None
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except OSError:  # not Linux; macOS accepts the limit and does not enforce it
        return None
    return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)


def avoid_library_threads() -> None:
    """Let OpenBLAS start no threads where threads or address space are limited. Call it before NumPy is imported.

    OpenBLAS interrupts the process, as Ctrl-C does, if it cannot start its threads. Zermelo gains nothing from them.
    """
    processes = _soft_limit("RLIMIT_NPROC")
    if _soft_limit("RLIMIT_AS") is not None or (processes is not None and processes < FEW_PROCESSES):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _soft_limit(name: str) -> int | None:
    """Return a limit of the process; None if there is none, or the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    try:
        limit = resource.getrlimit(getattr(resource, name))[0]
    except OSError:  # some containers refuse the call
        return None
    return None if limit == resource.RLIM_INFINITY else limit
