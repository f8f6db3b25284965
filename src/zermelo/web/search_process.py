"""A worker process of the server: it calls functions of the package, one at a time. It ends when the server does.

    in     (number, function, arguments)      call a function; a generator's items are sent one by one
           (number,)                          stop that call
    out    (number, "begun", None)            the function's module is imported, and the call begins
           (number, "item", value)            yielded by a generator
           (number, "report", value)          an item from another thread of the call
           (number, "note", text)             a message of the compiler
           (number, "result", value)          the end of the call
           (number, "error", exception)

Messages are pickles, each after its length. Both ends are processes of this package: nothing that a client sends is
unpickled.
"""

from __future__ import annotations

import ctypes
import inspect
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from zermelo.errors import ZermeloError

#: Length of a message.
_LENGTH = struct.Struct(">I")
#: Seconds between two requests to stop: a search that is just beginning clears them.
_STOP_INTERVAL = 0.02
#: Added to the niceness of a worker, so that the server answers while all processors search.
_NICENESS = 5
# From <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1


def write_message(stream: IO[bytes], message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Read a message; None at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    data = stream.read(_LENGTH.unpack(head)[0])
    return pickle.loads(data) if len(data) == _LENGTH.unpack(head)[0] else None


class _Process:
    """This process, if it is a worker."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = -1  # of the call that runs
        self.stopped = -1  # number of the last call that was asked to stop, perhaps before it began
        self.callbacks: list[Callable[[], None]] = []
        self.send: Callable[..., None] = lambda number, kind, value: None

    @property
    def is_stopped(self) -> bool:
        """Whether the call that runs was asked to stop."""
        return self.number == self.stopped

    def begin(self, number: int) -> None:
        with self.lock:
            self.number = number
        if self.is_stopped:
            self.stop(number)

    def end(self) -> None:
        with self.lock:
            self.number = -1

    def stop(self, number: int) -> None:
        """Ask the call of this number to stop, from a thread of its own, until it does."""
        self.stopped = number
        threading.Thread(target=self._repeat, args=(number,), daemon=True).start()

    def _repeat(self, number: int) -> None:
        while True:
            with self.lock:
                if self.number != number:
                    return
                callbacks = list(self.callbacks)
            for callback in callbacks:
                callback()
            time.sleep(_STOP_INTERVAL)


_process = _Process()


@contextmanager
def stopping(callback: Callable[[], None]) -> Iterator[None]:
    """Context manager in which `callback` is called, from another thread, when the client has left: `engine.stop`.

    A generator also ends at its next item. Code that does not stop within `STOP_SECONDS` is ended with the process.
    """
    with _process.lock:
        _process.callbacks.append(callback)
    try:
        yield
    finally:
        with _process.lock:
            _process.callbacks.remove(callback)


def report(item: object) -> None:
    """Send an item of the call that runs from another thread of a worker; in other processes it is dropped."""
    _process.send(_process.number, "report", item)


def main(parent: str) -> None:
    """Call functions until the server ends.

    Parameters
    ----------
    parent : str
        Process number of the server.
    """
    from zermelo.arena.executors.subprocesses import parent_streams
    from zermelo.compiled import cache

    source, sink = parent_streams()
    _end_with(int(parent))
    calls: queue.SimpleQueue[tuple[int, Callable[..., Any], tuple[Any, ...]]] = queue.SimpleQueue()
    writing = threading.Lock()

    def send(*message: object) -> None:
        with writing:
            write_message(sink, message)

    def listen() -> None:
        while (message := read_message(source)) is not None:
            if len(message) == 1:
                _process.stop(*message)
            else:
                calls.put(message)
        os._exit(1)  # the server has ended: abandon the call

    _process.send = send
    threading.Thread(target=listen, daemon=True).start()
    cache.listener = lambda text: send(_process.number, "note", text.removeprefix("zermelo: "))
    while True:
        number, function, arguments = calls.get()
        _process.begin(number)
        send(number, "begun", None)
        try:
            result = function(*arguments)
            if inspect.isgenerator(result):
                for item in result:
                    send(number, "item", item)
                    if _process.is_stopped:
                        result.close()
                        break
                result = None
            _process.end()
            send(number, "result", result)
        except Exception as error:
            _process.end()
            send(number, "error", _sendable(error))


class InternalError(Exception):
    """An error that is not the game's or the client's, with its traceback as text."""


def _sendable(error: Exception) -> Exception:
    """An exception that the server can unpickle. What a game's own code raises is a `GameError`."""
    if not isinstance(error, ZermeloError):
        return InternalError("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ZermeloError(str(error))
    return error


def _end_with(parent: int) -> None:
    """Give way to the server, and end when it does, even while the compiler holds the interpreter."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
