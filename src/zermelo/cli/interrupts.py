"""Ctrl-C ends each command: `KeyboardInterrupt` is raised only where it is not ignored."""

from __future__ import annotations

import _thread
import builtins
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

# Signals since `note_interrupts`.
_seen: list[int] = []
# After this time an interrupt that could not be raised is sent again: short for a person, long for the interpreter.
_REPEAT_SECONDS = 0.01
# An import of the user's own code is interrupted after this time: it may never end. A library's import ends by itself.
_LONGEST_WAIT = 0.5
_LONGEST_WAIT_FOR_LIBRARY = 10.0
# Files and functions of the Python code that compiled code calls to construct its results.
MAKERS = {
    ("serialize.py", "_numba_unpickle"), ("values.py", "__call__"), ("bitboard.py", "__new__"),
    ("wide_bitboards.py", "__call__"),
}  # fmt: skip


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed since `note_interrupts`, also if a library reported it as an error of its own."""
    return bool(_seen)


def note_interrupts() -> None:
    """Record Ctrl-C, and raise KeyboardInterrupt as soon as it is not ignored.

    In two places it would be. If it is raised while an extension module imports NumPy, the module prints it and raises
    ImportError, which code that imports an optional module catches. And compiled code goes on if the construction of
    its result fails. KeyboardInterrupt is therefore raised after these, or after the longest time to wait for them.
    """
    _seen.clear()
    waiting: list[float] = []

    def handle(number: int, frame: FrameType | None) -> None:
        _seen.append(number)
        _keep_modules()
        if longest := _longest_wait(frame):
            if not waiting:
                _raise_at_next_import(waiting)
            waiting.append(time.monotonic())
            if waiting[-1] - waiting[0] < longest:
                return _interrupt_later(lambda: bool(waiting))
        waiting.clear()
        signal.default_int_handler(number, frame)

    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is (
        signal.default_int_handler
    ):
        signal.signal(signal.SIGINT, handle)


def _keep_modules() -> None:
    """Call `zermelo.compiled._numba.keep_modules` if it has been imported; a signal handler must not import it."""
    if keep_modules := getattr(sys.modules.get("zermelo.compiled._numba"), "keep_modules", None):
        keep_modules()


def repeat_interrupt(lost: sys.UnraisableHookArgs) -> None:
    """Repeat Ctrl-C that was raised in a finalizer or a callback, which Python ignores. A `sys.unraisablehook`.

    After Ctrl-C, other errors there are not shown: they come from objects whose constructor was interrupted.
    """
    if lost.exc_type is KeyboardInterrupt:
        _interrupt_later()
    elif not _seen:
        sys.__unraisablehook__(lost)


def _is_unsafe(frame: FrameType) -> bool:
    """Whether a frame is an import, the construction of a result of compiled code, or the hook of this module."""
    code = frame.f_code
    if code is repeat_interrupt.__code__ or code.co_filename.startswith("<frozen importlib"):
        return True
    return (os.path.basename(code.co_filename), code.co_name) in MAKERS


def _longest_wait(frame: FrameType | None) -> float:
    """Return for how many seconds to wait until a frame has ended; 0 if it may be interrupted."""
    longest = _LONGEST_WAIT_FOR_LIBRARY
    while frame is not None:
        if _is_unsafe(frame):
            return longest
        if not frame.f_code.co_filename.startswith(("<frozen ", sys.prefix, sys.base_prefix)):
            longest = _LONGEST_WAIT
        frame = frame.f_back
    return 0.0


def _raise_at_next_import(waiting: list[float]) -> None:
    """Raise KeyboardInterrupt at the main thread's next import that is not part of one that runs already.

    Between two imports there is so little time that signals, sent again and again, come during imports only. Other
    threads import too, such as the one that draws progress: there the interrupt would end the thread and be lost.
    """
    importer, main = builtins.__import__, threading.main_thread()

    def checked(*arguments: Any, **named: Any) -> Any:
        if threading.current_thread() is main and not _longest_wait(sys._getframe(1)):
            builtins.__import__ = importer
            if waiting:
                waiting.clear()
                raise KeyboardInterrupt
        return importer(*arguments, **named)

    builtins.__import__ = checked


def _interrupt_later(is_wanted: Callable[[], bool] = lambda: True) -> None:
    """Send Ctrl-C from another thread, when the caller has returned: here it would be ignored again."""

    def interrupt() -> None:
        time.sleep(_REPEAT_SECONDS)
        if not is_wanted():
            return
        if hasattr(signal, "pthread_kill"):  # unlike `interrupt_main`, it wakes the thread from a system call
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()

    _thread.start_new_thread(interrupt, ())
