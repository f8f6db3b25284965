"""Compiled calls on threads beside a main thread that only waits: so the clock and Ctrl-C work at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from zermelo.search.desk import NO_LIMIT, NODE_LIMIT, NODES, OVERFLOW, POLL_AT, STOP, STOPPED


class Stopped(Exception):
    """No call came to its end. `reason`: seconds, interrupted, or empty where a flag or the nodes ended it."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Overflow(Exception):
    """A path was longer, or the moves on it more, than a desk has room for."""


def run(
    calls: list[Callable[[], Any]],
    desks: list[np.ndarray],
    deadline: float | None = None,
    nodes: int | None = None,
) -> tuple[int, Any]:
    """Run each call on a thread of its own, the others being stopped when one comes to its end.

    `deadline` by `time.perf_counter()`; `nodes` that all desks together may still count. Returns the index and
    the result of the first that finished. Raises `Stopped` or `Overflow`, and what a call raised. A stop flag that
    is already up on a desk is obeyed.
    """
    for desk in desks:
        desk[STOPPED] = desk[POLL_AT] = desk[OVERFLOW] = 0
        desk[NODE_LIMIT] = NO_LIMIT if nodes is None else desk[NODES] + max(nodes, 0) // len(desks)
    raised: list[BaseException] = []
    finished: list[tuple[int, Any]] = []
    first_end = threading.Event()

    def work(index: int) -> None:
        try:
            value = calls[index]()
            if desks[index][STOPPED] == 0:
                finished.append((index, value))
        except BaseException as error:
            raised.append(error)
        first_end.set()

    workers = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(len(calls))]
    reason = ""
    for worker in workers:
        worker.start()
    try:
        reason = _wait(first_end, deadline)
    finally:
        for desk in desks:
            desk[STOP] = 1
        for worker in workers:
            worker.join()
    if raised:
        raise raised[0]
    if finished:
        return finished[0]
    if any(desk[OVERFLOW] for desk in desks):
        raise Overflow
    raise Stopped(reason)


def _wait(event: threading.Event, deadline: float | None) -> str:
    """Until the event, the deadline or Ctrl-C; returns why it was not the event."""
    try:
        while not event.is_set():
            left = None if deadline is None else deadline - time.perf_counter()
            if left is not None and left <= 0:
                return "seconds"
            event.wait(0.1 if left is None else min(left, 0.1))  # short waits: Ctrl-C is seen on every system
    except KeyboardInterrupt:
        return "interrupted"
    return ""
