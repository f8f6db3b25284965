"""`zermelo uci`: Zermelo as a UCI chess engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_block
from zermelo._util.user_files import open_to_append, shown_path
from zermelo.cli import arguments, report_output_error

if TYPE_CHECKING:
    from zermelo.protocols.uci_server import UciServer

# Maximum length of a command line in bytes; far above a `position` command with the longest possible game.
LONGEST_LINE = 1 << 17


def uci(
    table: arguments.Table = "64M",
    threads: arguments.Threads = 1,
    evaluation: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Evaluation of chess, or a weight file for one. Default: network."),
    ] = None,
    parameters: arguments.Parameters = "",
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the conversation to FILE: > received, < sent.")
    ] = None,
) -> None:
    """Run as a UCI chess engine on standard input and output.

    Supports pondering, MultiPV and chess960. --table, --threads and --evaluation are the initial values of Hash,
    Threads and Evaluation; --parameters are those of all selective searches. Ends with `quit`, at the end of input, or
    with exit code 1 when its output is closed or full.
    """
    from zermelo.compiled import cache
    from zermelo.games.chess import Chess
    from zermelo.learn.tuned_file import load_parameters
    from zermelo.protocols.uci_server import UciServer
    from zermelo.protocols.uci_strength import EVALUATION
    from zermelo.search.table import parse_size
    from zermelo.solve.endgames import prepare

    chosen, _ = arguments.evaluation_of(Chess, evaluation)
    tuned = load_parameters(parameters, Chess) if parameters else None
    with ExitStack() as stack:
        note = conversation_log(stack, log)

        def say(line: str) -> None:
            note("<", line)
            try:
                print_block(line)
                sys.stdout.flush()
            except OSError as error:
                # On any thread, while the main thread waits for input that may never come: nobody hears this engine.
                os._exit(report_output_error(error))

        size = parse_size(table, "--table")
        server = UciServer(say, size, threads, lambda: prepare(Chess), chosen or EVALUATION, tuned)
        stack.callback(setattr, cache, "listener", cache.listener)
        cache.listener = partial(_pass_on, server, cache.listener)
        try:
            for line in input_lines(getattr(sys.stdin, "buffer", sys.stdin)):
                note(">", line)
                if not server.command(line):
                    break
            else:
                server.wait_until_ready()
        finally:
            server.close()
    if server.is_busy:  # a search thread still runs; a normal exit would wait for it
        sys.stdout.flush()
        os._exit(0)


def _pass_on(server: UciServer, listener: Callable[[str], None], text: str) -> None:
    """Send a note to the GUI; what announces work, which ends in `...`, goes to standard error as in other commands."""
    if text.endswith("..."):
        listener(text)
    else:
        server.send_info(text.removeprefix("zermelo: "))


def input_lines(stream: Any) -> Iterator[str]:
    """Lines of a byte or text stream; longer lines are cut to `LONGEST_LINE`."""
    begun = True
    while piece := stream.readline(LONGEST_LINE):
        line = piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
        if begun:
            yield line.rstrip("\r\n")
        begun = line.endswith("\n")


def conversation_log(stack: ExitStack, path: Path | None) -> Callable[[str, str], None]:
    """Function that appends a line to the log, with its direction."""
    if path is None:
        return lambda who, line: None
    # Without a buffer, since closing the file would write the buffer again, which may fail as the first time.
    file = stack.enter_context(open_to_append(path, label=f"--log {shown_path(path)}"))

    def note(who: str, line: str) -> None:
        with suppress(OSError):  # a full disk must not end the game
            file.write(f"{who} {line}\n".encode("utf-8", "replace"))

    return note
