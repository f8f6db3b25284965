"""Lock of the process that writes to a store: STORE.lock, an empty file, which ends with the process.

A file of this name can be of another program: `poetry.lock` beside a store named `poetry`. It is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from zermelo._util.user_files import check_regular
from zermelo.arena.store.database import shown
from zermelo.errors import FileError, StoreError


def lock_path(path: Path) -> Path:
    """The lock file of a store."""
    return Path(f"{path}.lock")


def check_lock_file(path: Path) -> None:
    """Raise `StoreError` if the lock file of a store exists and belongs to something else."""
    lock = lock_path(path)
    if not os.path.lexists(lock):
        return
    try:
        status = check_regular(lock, label="", follow_links=False)
        if status.st_size:
            raise FileError("not empty, so not the lock of a store")
        if status.st_nlink > 1:
            raise FileError("a file with several names (hard links)")
    except FileError as error:
        if os.path.lexists(lock):  # otherwise its process has just finished
            raise StoreError(f"{shown(lock)}: {error}; rename the store, or move this file away") from None


class WriterLock:
    """The lock of a store, held from the call until `release`.

    Raises `StoreError` if another process holds it, which `holder` names, or the lock file belongs to something else.
    """

    def __init__(self, path: Path, holder: Callable[[Path], str] = lambda _: "another process") -> None:
        check_lock_file(path)
        self._path = lock_path(path)
        self._lock = FileLock(self._path, thread_local=False)
        try:
            self._lock.acquire(blocking=False)
            self._status = os.lstat(self._path)
        except Timeout:
            raise StoreError(f"{shown(path)}: in use by {holder(path)}; only one process can write") from None
        except OSError as error:
            self._lock.release()
            raise StoreError(f"{shown(path)}: cannot be written: {error.strerror or error}") from None

    def release(self) -> None:
        """Remove the lock file while it is held: a process waiting for the removed file notices and opens a new one.

        A file that somebody put in its place is left alone.
        """
        with suppress(OSError):
            if os.path.samestat(os.lstat(self._path), self._status):
                os.unlink(self._path)
        self._lock.release()
