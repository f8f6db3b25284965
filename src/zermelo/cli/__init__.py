"""The command line: one module per command. Imports that a command needs happen when it is called.

`main` is the program `zermelo`. For scripts it guarantees:

- results go to standard output, everything else (progress, notes, errors) to standard error;
- bad input is reported in one line, `zermelo: what is wrong`, with exit code 2 and without a traceback;
- Ctrl-C exits with code 130; a reader that closes the pipe (`zermelo games | head -1`) is not an error.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence

from zermelo._util.machine_limits import avoid_library_threads
from zermelo._util.terminal import guarded_streams, print_block, print_line
from zermelo._util.text import single_line
from zermelo.cli.interrupts import note_interrupts, repeat_interrupt, was_interrupted

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
_INTERNAL = "internal error (please report it)"
# A pipe that nobody reads, a full disk, a closed stream, a file at its size limit, a quota.
OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EBADF, errno.EFBIG, errno.EDQUOT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the process's own arguments by default. Returns the exit code."""
    is_program = arguments is None and threading.current_thread() is threading.main_thread()
    try:
        code = _prepare_and_run(arguments, is_program)
        _prepare_exit(is_program)
    except KeyboardInterrupt:  # at any moment, also while the streams are prepared
        _prepare_exit(is_program)
        print_line("zermelo: interrupted", error=True)
        code = INTERRUPTED
    return code


def _prepare_and_run(arguments: Sequence[str] | None, is_program: bool) -> int:
    note_interrupts()
    if is_program:
        sys.unraisablehook = repeat_interrupt
        avoid_library_threads()
    from zermelo.cli.encoding import make_printable
    from zermelo.cli.streams import drop_invalid_sizes, open_closed_streams

    open_closed_streams()
    drop_invalid_sizes()
    make_printable(sys.stdout, sys.stderr)
    with guarded_streams():
        return _run_and_flush(list(sys.argv[1:] if arguments is None else arguments))


def _prepare_exit(is_program: bool) -> None:
    """Let Ctrl-C end the program at once from now on, instead of a traceback from the interpreter's cleanup."""
    if not is_program:
        return
    if callable(signal.getsignal(signal.SIGINT)):  # not ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()  # else the garbage collector runs over all objects at exit: tenths of a second with Numba


def _run_and_flush(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes standard output again at exit, which must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = report_output_error(error)
    return code


def report_output_error(error: OSError) -> int:
    """Report that standard output cannot be written, and return the exit code."""
    if not isinstance(error, BrokenPipeError):  # a closed pipe is not an error
        reason = "closed" if error.errno == errno.EBADF else error.strerror
        print_line(f"zermelo: standard output: {reason}", error=True)
    return FAILED


def _run(arguments: list[str]) -> int:
    import typer

    from zermelo.cli.app import command
    from zermelo.errors import FileError, ZermeloError

    try:
        with command.make_context("zermelo", arguments) as context:
            command.invoke(context)
        return 0
    except ZermeloError as error:
        if was_interrupted():  # a library reported Ctrl-C as an error, or the partial result could not be saved
            if isinstance(error, FileError):
                _refuse(str(error))
            raise KeyboardInterrupt from None
        for note in getattr(error, "__notes__", ()):  # what a store from elsewhere would run, in full
            print_block(single_line(note, sys.maxsize), error=True)
        return _refuse(str(error))
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OUTPUT_ERRORS and error.filename is None:
            raise  # standard output, which has no file name
        # Typer's usage errors have no public class in all versions, but they have this method.
        if hasattr(error, "format_message"):
            return _refuse(_usage(error))
        if os.environ.get("ZERMELO_TRACE"):
            _print_trace()
        else:
            print_fault(describe_fault(error))
        return FAILED


def describe_fault(error: Exception) -> str:
    """Describe an exception in one line: bad input, a fault of the machine such as a full disk, or an internal error.

    For commands that go on with their other items. With ZERMELO_TRACE, an internal error's traceback is printed.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C was pressed, and a library reported it as an error of its own.
    """
    from zermelo.errors import ZermeloError

    if was_interrupted():  # during an import, which then fails with its own error
        raise KeyboardInterrupt from None
    if isinstance(error, ZermeloError):
        return str(error)
    if fault := _machine_fault(error):
        return fault
    if os.environ.get("ZERMELO_TRACE"):
        _print_trace()
    return single_line(f"{_INTERNAL}: {type(error).__name__}: {error} ({_innermost(error)})")


def print_fault(text: str) -> None:
    """Report an error; of an internal one, say how to get the traceback."""
    hint = "; set ZERMELO_TRACE=1 for a traceback" if _INTERNAL in text else ""
    print_line(f"zermelo: {text}{hint}", error=True)


def _print_trace() -> None:
    """Print the traceback of the exception that is handled."""
    import traceback

    print_block(traceback.format_exc().rstrip("\n"), error=True)


def _machine_fault(error: Exception) -> str:
    """Describe what the machine lacks, if that is why a command failed: memory, a file, a thread; empty otherwise."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "cannot start a thread: out of memory, or too many processes"
    if isinstance(error, ImportError | OSError) and any(words in str(error) for words in _LOADER_FAULTS):
        return f"cannot load a library (out of memory, or an incomplete installation): {str(error)[:200]}"
    return ""


# Words of the system's loader, and of llvmlite, when memory or file descriptors are missing.
_LOADER_FAULTS = ("failed to map segment", "annot allocate memory", "cannot open shared object", "load shared object")


def _refuse(text: str) -> int:
    print_line(f"zermelo: {text.strip()}", error=True)
    return BAD_INPUT


_TWO_PLAYERS = "a match has two players; for more, use zermelo tournament"


def _usage(error: Exception) -> str:
    """One-line message of a usage error, with the command whose --help to read."""
    text = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    if text.startswith("Got unexpected extra argument"):
        is_match = context is not None and context.info_name == "match"
        text += f" ({_TWO_PLAYERS if is_match else 'quote a position that contains spaces'})"
    path = context.command_path if context is not None else "zermelo"
    return f"{text[:1].lower()}{text[1:]} (see {path} --help)"


def _innermost(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "nowhere"
    code = trace.tb_frame.f_code
    return f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}, {code.co_name}"
