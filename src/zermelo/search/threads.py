"""Compiled calls on threads beside a main thread that only waits: so the clock and Ctrl-C work at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from zermelo.search.context import NO_ERROR, NO_LIMIT, NO_MOVES, SearchContext

# Seconds between two looks at the interrupt: what Ctrl-C has to wait at most.
PATIENCE = 0.05
# Seconds that a stopped call has to come back: a hundred times what it takes, unless a rule loops for ever.
GRACE = 2.0


class Stopped(Exception):
    """No call came to its end. `reason`: seconds, interrupted, or empty where a flag or the nodes ended it."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Overflow(Exception):
    """A path was longer, or the moves on it more, than a desk has room for."""


class NoMoves(Exception):
    """A state that is not over had no moves."""


def run(
    calls: Sequence[Callable[[], Any]],
    contexts: list[SearchContext],
    deadline: float | None = None,
    nodes: int | None = None,
    interrupt: threading.Event | None = None,
) -> tuple[int, Any]:
    """Run each call on a thread of its own, the others being stopped when one comes to its end.

    `deadline` by `time.perf_counter()`; `nodes` that all desks together may still count. Returns the index and
    the result of the first that finished. Raises `Stopped` or `Overflow`, and what a call raised. A stop flag that
    is already up on a desk is obeyed, and so is `interrupt` (see `catching_interrupts`).
    """
    for ctx in contexts:
        ctx.stopped = False
        ctx.next_poll = 0
        ctx.error = NO_ERROR
        ctx.node_limit = NO_LIMIT if nodes is None else ctx.nodes + max(nodes, 0) // len(contexts)
    raised: list[BaseException] = []
    finished: list[tuple[int, Any]] = []
    first_end = threading.Event()

    def work(index: int) -> None:
        try:
            value = calls[index]()
            if not contexts[index].stopped:
                finished.append((index, value))
        except BaseException as error:
            raised.append(error)
        first_end.set()

    workers = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(len(calls))]
    reason = ""
    try:
        for worker in workers:
            worker.start()
        reason = _wait(first_end, deadline, interrupt)
    finally:
        for ctx in contexts:
            ctx.stop = True
        for worker in workers:
            if worker.ident is not None:
                worker.join(GRACE)  # rules that never return are left behind: a daemon thread ends with the process
    if raised:
        raise raised[0]
    if finished:
        return finished[0]
    error = max(ctx.error for ctx in contexts)
    if error:
        raise NoMoves if error == NO_MOVES else Overflow
    raise Stopped(reason)


def _wait(end: threading.Event, deadline: float | None, interrupt: threading.Event | None) -> str:
    """Until the end of a call, the deadline or the interrupt; returns why it was not the end of a call."""
    while not end.is_set():
        if interrupt is not None and interrupt.is_set():
            return "interrupted"
        left = PATIENCE if deadline is None else min(deadline - time.perf_counter(), PATIENCE)
        if left <= 0:
            return "seconds"
        end.wait(left)
    return ""


@contextmanager
def catching_interrupts(interrupt: threading.Event) -> Iterator[None]:
    """While it lasts, Ctrl-C sets the event instead of raising `KeyboardInterrupt` wherever Python happens to be.

    A second Ctrl-C raises it after all. Only the main thread receives signals; on another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: object) -> None:
        if interrupt.is_set():
            raise KeyboardInterrupt
        interrupt.set()

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if previous is None else previous)
