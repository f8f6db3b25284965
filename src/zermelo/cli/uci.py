"""`zermelo uci`: Zermelo as a chess program for graphical interfaces and for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from zermelo.errors import FileError

# No command is longer: the longest game there can be does not come near it.
LONGEST_LINE = 1 << 17


def uci(
    table: Annotated[str, typer.Option(metavar="SIZE", help="Hash: memory for what was searched: 64M, 1G.")] = "64M",
    threads: Annotated[int, typer.Option(metavar="N", help="Threads that search together.")] = 1,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what is said to the end of FILE: > to it, < by it.")
    ] = None,
) -> None:
    """A chess program for graphical interfaces: the Universal Chess Interface on standard input and output.

    Zermelo's own evaluation and search, with pondering, several lines (MultiPV) and chess960. The options set what
    Hash and Threads are until the interface sets them. It ends with `quit`, or when its input does.
    """
    from zermelo.protocols.uci_server import UciServer
    from zermelo.search.table import parse_size

    with ExitStack() as stack:
        note = _log(stack, log)

        def say(line: str) -> None:
            note("<", line)
            with suppress(OSError):  # whoever listened is gone; the input ends as well, then
                sys.stdout.write(line + "\n")
                sys.stdout.flush()

        server = UciServer(say, parse_size(table, "--table"), threads)
        try:
            for line in _lines(getattr(sys.stdin, "buffer", sys.stdin)):
                note(">", line)
                if not server.command(line):
                    break
        finally:
            server.close()
    if server.is_busy:  # nobody waits for that any more, and no interpreter ends well in the midst of it
        sys.stdout.flush()
        os._exit(0)


def _lines(stream: Any) -> Iterator[str]:
    """What comes on a stream of bytes or text, line by line; of a longer one than any command only the beginning."""
    begun = True
    while piece := stream.readline(LONGEST_LINE):
        line = piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
        if begun:
            yield line.rstrip("\r\n")
        begun = line.endswith("\n")


def _log(stack: ExitStack, path: Path | None) -> Callable[[str, str], None]:
    """What writes a line to the file, by whom it was said before it."""
    if path is None:
        return lambda who, line: None
    try:
        file = stack.enter_context(path.open("a", encoding="utf-8", errors="replace"))
    except OSError as error:
        raise FileError(f"--log {path}: {error.strerror}") from None

    def note(who: str, line: str) -> None:
        with suppress(OSError):  # a full disk ends the log, not the game
            file.write(f"{who} {line}\n")
            file.flush()

    return note
