"""The command line: one module per command. Imports that a command needs happen when it is called.

`main` is the program `zermelo`. For scripts it guarantees:

- results go to standard output, everything else (progress, notes, errors) to standard error;
- bad input is reported in one line, `zermelo: what is wrong`, with exit code 2 and without a traceback;
- Ctrl-C exits with code 130; a reader that closes the pipe (`zermelo games | head -1`) is not an error.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the process's own arguments by default. Returns the exit code."""
    from zermelo.cli.encoding import make_printable

    make_printable(sys.stdout, sys.stderr)
    _note_interrupts()
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("zermelo: interrupted", file=sys.stderr)
        code = INTERRUPTED
    except OSError as error:
        # Python flushes standard output again at exit, which must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
        if not isinstance(error, BrokenPipeError):  # a closed pipe is not an error
            print(f"zermelo: standard output: {error.strerror}", file=sys.stderr)
    return code


_interrupted: list[int] = []


def _note_interrupts() -> None:
    """Record Ctrl-C in addition to raising KeyboardInterrupt."""
    _interrupted.clear()

    def handle(number: int, frame: FrameType | None) -> None:
        _interrupted.append(number)
        signal.default_int_handler(number, frame)

    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is (
        signal.default_int_handler
    ):
        signal.signal(signal.SIGINT, handle)


def _run(arguments: list[str]) -> int:
    import typer

    from zermelo.cli.app import app
    from zermelo.errors import ZermeloError

    command = typer.main.get_command(app)
    try:
        with command.make_context("zermelo", arguments) as context:
            command.invoke(context)
        return 0
    except ZermeloError as error:
        return _refuse(str(error))
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ENOSPC) and error.filename is None:
            raise  # standard output, which has no file name
        # Typer's usage errors have no public class in all versions, but they have this method.
        if hasattr(error, "format_message"):
            return _refuse(_usage(error))
        if os.environ.get("ZERMELO_TRACE"):
            raise
        if _interrupted:  # during an import, which then fails with its own error
            raise KeyboardInterrupt from None
        text = f"{type(error).__name__}: {_one_line(str(error))} ({_innermost(error)})"
        print(
            f"zermelo: internal error (please report it): {text}; set ZERMELO_TRACE=1 for a traceback", file=sys.stderr
        )
        return 1


def _refuse(text: str) -> int:
    print(f"zermelo: {_one_line(text)}", file=sys.stderr)
    return BAD_INPUT


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _usage(error: Exception) -> str:
    """One-line message of a usage error, with the command whose --help to read."""
    text = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    if text.startswith("Got unexpected extra argument"):
        text += " (quote a position that contains spaces)"
    context = getattr(error, "ctx", None)
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
