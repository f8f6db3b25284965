"""Lock of the process that writes to a store: STORE.lock, which ends with the process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from zermelo.arena.store.database import shown
from zermelo.errors import StoreError


class WriterLock:
    """The lock of a store, held from the call until `release`. Raises `StoreError` if another process holds it."""

    def __init__(self, path: Path, holder: str = "another process") -> None:
        self._lock = FileLock(f"{path}.lock", thread_local=False)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise StoreError(f"{shown(path)}: in use by {holder}; only one process can write") from None
        except OSError as error:
            raise StoreError(f"{shown(path)}: cannot be written: {error.strerror or error}") from None

    def release(self) -> None:
        """Remove the lock file while it is held: a process waiting for the removed file notices and opens a new one."""
        with suppress(OSError):
            os.unlink(self._lock.lock_file)
        self._lock.release()
