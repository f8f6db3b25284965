"""A queue between threads whose `get` returns in time even if signals are handled meanwhile.

`queue.SimpleQueue.get` of CPython 3.11 and 3.12 does not: if a signal handler returns after the end of the timeout, it
waits forever. On a busy machine the handler of Ctrl-C is that slow.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """First-in, first-out queue. Any thread may put items; one thread gets them."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        # A binary semaphore: unlocked by `put`, locked by a `get` that has waited. Locks handle signals correctly.
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
