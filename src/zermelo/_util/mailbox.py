"""A queue between threads whose `get` keeps to its timeout, whatever signals come.

`queue.SimpleQueue` of CPython 3.11 and 3.12 does not: if the handler of a signal is still running when the time is up,
its `get` waits for ever. The handler of Ctrl-C takes that long on a busy machine.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Items in the order in which any threads have put them, for one thread that gets them."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        # Locked while a waiting thread has nothing to look for.
        self._arrival = threading.Lock()
        self._arrival.acquire()

    def put(self, item: T) -> None:
        """Add an item."""
        self._items.append(item)
        try:  # noqa: SIM105 - `suppress` takes a microsecond, as long as the rest
            self._arrival.release()
        except RuntimeError:  # unlocked already
            pass

    def get(self, timeout: float) -> T:
        """Return the first item and remove it.

        Parameters
        ----------
        timeout : float
            Seconds to wait for one; 0 or less: do not wait.

        Raises
        ------
        queue.Empty
            No item came in time.
        """
        end = time.monotonic() + timeout
        while not self._items:
            left = end - time.monotonic()
            if left <= 0 or not (self._arrival.acquire(timeout=left) or self._items):
                raise queue.Empty
        return self._items.popleft()
