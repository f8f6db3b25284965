"""Compiled calls on worker threads. The main thread only waits, so it can react to the clock and to Ctrl-C at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from zermelo.errors import LimitError
from zermelo.search.context import NO_ERROR, NO_LIMIT, NO_MOVES

# Seconds between two checks for an interrupt: the longest delay of Ctrl-C.
POLL_SECONDS = 0.05
# Seconds to wait for a stopped call to return. It takes a hundredth of that, unless a rule loops forever.
JOIN_SECONDS = 2.0


class Context(Protocol):
    """Counters, limits and flags of one call: the part of a search context that is used here."""

    nodes: int
    next_poll: int
    node_limit: int
    stop: bool
    stopped: bool
    error: int


class Stopped(Exception):
    """All workers were stopped before finishing.

    Attributes
    ----------
    reason : str
        "seconds", "interrupted", or "" if a stop flag or the node limit stopped them.
    """

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Overflow(Exception):
    """A line, or the moves on it, do not fit into the search context."""


class NoMoves(Exception):
    """A state that is not over had no moves."""


def run(
    calls: Sequence[Callable[[], Any]],
    contexts: Sequence[Context],
    deadline: float | None = None,
    nodes: int | None = None,
    interrupt: threading.Event | None = None,
    wait_for_all: bool = False,
) -> tuple[int, Any]:
    """Run each call on a thread of its own, and stop the others when one finishes.

    Parameters
    ----------
    calls : sequence of callable
        The compiled calls; each writes to the search context of the same index.
    contexts : sequence of Context
        A stop flag that is already set is obeyed.
    deadline : float or None
        Time on the clock of `time.perf_counter`.
    nodes : int or None
        Number of nodes that all calls together may still visit.
    interrupt : threading.Event or None
        Stops the calls when it is set; see `catching_interrupts`.
    wait_for_all : bool
        Let every call finish, because each has results of its own.

    Returns
    -------
    tuple of int and object
        Index and result of the first call that finished.

    Raises
    ------
    Stopped
        If no call finished.
    Overflow, NoMoves
        If a search stopped itself.
    LimitError
        If the system refuses a thread.
    Exception
        Raised by a call.
    """
    for ctx in contexts:
        ctx.stopped = False
        ctx.next_poll = 0
        ctx.error = NO_ERROR
        ctx.node_limit = NO_LIMIT if nodes is None else ctx.nodes + max(nodes, 0) // len(contexts)
    raised: list[BaseException] = []
    finished: list[tuple[int, Any]] = []
    ended: list[int] = []
    end = threading.Event()

    def work(index: int) -> None:
        try:
            value = calls[index]()
            if not contexts[index].stopped:
                finished.append((index, value))
        except BaseException as error:
            raised.append(error)
        ended.append(index)
        if raised or not wait_for_all or len(ended) == len(calls):
            end.set()

    workers = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(len(calls))]
    reason = ""
    try:
        _start(workers)
        reason = _wait(end, deadline, interrupt)
    finally:
        for ctx in contexts:
            ctx.stop = True
        for worker in workers:
            if worker.ident is not None:
                worker.join(JOIN_SECONDS)  # rules that never return are abandoned; daemon threads end with the process
    if raised:
        raise raised[0]
    if finished:
        return finished[0]
    error = max(ctx.error for ctx in contexts)
    if error:
        raise NoMoves if error == NO_MOVES else Overflow
    raise Stopped(reason)


def _start(workers: list[threading.Thread]) -> None:
    try:
        for worker in workers:
            worker.start()
    except RuntimeError:
        raise LimitError(
            f"cannot start search threads ({len(workers)}): out of memory, or too many processes (ulimit -v, ulimit -u)"
        ) from None


def _wait(end: threading.Event, deadline: float | None, interrupt: threading.Event | None) -> str:
    """Wait for the end of a call, the deadline or an interrupt. Returns the reason, "" for the end of a call."""
    while not end.is_set():
        if interrupt is not None and interrupt.is_set():
            return "interrupted"
        left = POLL_SECONDS if deadline is None else min(deadline - time.perf_counter(), POLL_SECONDS)
        if left <= 0:
            return "seconds"
        end.wait(left)
    return ""


@contextmanager
def catching_interrupts(interrupt: threading.Event, raises: bool = True) -> Iterator[None]:
    """Context manager in which Ctrl-C sets the event instead of raising `KeyboardInterrupt`.

    A second Ctrl-C raises it. Only the main thread receives signals; in other threads nothing changes.

    Parameters
    ----------
    interrupt : threading.Event
        Set by Ctrl-C.
    raises : bool
        Raise `KeyboardInterrupt` at the end if the event is set, whatever the block did: it may have finished, or
        failed, before it looked at the event. False: the caller looks at the event afterwards.
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
        if raises and interrupt.is_set():
            raise KeyboardInterrupt from None
