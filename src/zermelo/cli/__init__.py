"""The command line: one module a command group. What a command needs is imported when it is called.

`main` is the program `zermelo`. Its promises to whoever calls it from a script:

- results on standard output, everything else (progress, notes, errors) on standard error;
- bad input is told in one line, `zermelo: what was wrong`, and ends with code 2; never a trace;
- Ctrl-C ends with code 130; a reader that goes away (`zermelo games | head -1`) is no error worth a word.
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
        # Python flushes once more as it ends, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
        if not isinstance(error, BrokenPipeError):  # that is only nobody who reads on
            print(f"zermelo: standard output: {error.strerror}", file=sys.stderr)
    return code


_interrupted: list[int] = []


def _note_interrupts() -> None:
    """Have Ctrl-C noted as well as raised."""
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
            raise  # of standard output, which has no name
        # Typer's errors of usage have no public class of their own in all of its versions, but this method.
        if hasattr(error, "format_message"):
            return _refuse(_usage(error))
        if os.environ.get("ZERMELO_TRACE"):
            raise
        if _interrupted:  # in the middle of loading a library, which then says that it is broken
            raise KeyboardInterrupt from None
        place = _innermost(error)
        print(
            f"zermelo: a mistake of Zermelo's own, please report it: {type(error).__name__}: {_one_line(str(error))}"
            f" ({place}); with ZERMELO_TRACE=1 in the environment it shows where",
            file=sys.stderr,
        )
        return 1


def _refuse(text: str) -> int:
    print(f"zermelo: {_one_line(text)}", file=sys.stderr)
    return BAD_INPUT


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _usage(error: Exception) -> str:
    """A wrong use of the command line, and where the right one is told."""
    text = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    if text.startswith("Got unexpected extra argument"):
        text += " - a position of several words goes in quotes"
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
