"""`zermelo nboard`: Zermelo as an engine of NBoard."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo._util.terminal import print_block
from zermelo.cli import arguments, report_output_error
from zermelo.cli.analyse import TABLE
from zermelo.cli.uci import conversation_log, input_lines
from zermelo.core.game import State
from zermelo.errors import FormatError

if TYPE_CHECKING:
    from typing import NoReturn


def nboard(
    evaluation: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Evaluation of Othello, or a weight file for one. Default: the first."),
    ] = None,
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the conversation to FILE: > received, < sent.")
    ] = None,
) -> None:
    """Run as an NBoard engine of Othello on standard input and output.

    Ends with `quit`, after the last search at the end of input, or with exit code 1 when its output is closed or full.
    """
    from zermelo.core.weight_file import chosen_evaluation
    from zermelo.protocols.nboard_server import NBoardServer
    from zermelo.search.engine import Engine

    chosen = chosen_evaluation(arguments.load("othello"), evaluation)
    with ExitStack() as stack:
        note = conversation_log(stack, log)

        def say(line: str) -> None:
            note("<", line)
            try:
                print_block(line)
                sys.stdout.flush()
            except OSError as error:
                # Also on the thread of a search, while the main thread waits for input that may never come.
                os._exit(report_output_error(error))

        engine = stack.enter_context(Engine(table, threads))
        server = NBoardServer(engine, say, last_position, chosen)
        for line in input_lines(getattr(sys.stdin, "buffer", sys.stdin)):
            note(">", line)
            if not server.command(line):
                break
        server.wait()


def last_position(text: str) -> State:
    """Return the last position of a game in GGF. Raises `FormatError`."""
    from zermelo.formats import ggf
    from zermelo.formats.line_reader import TextLine

    def refuse(error: FormatError) -> NoReturn:
        raise error

    record = next(ggf.read([TextLine(1, text)], refuse), None)
    if record is None:
        raise FormatError("set game: expected a game in GGF, like (;GM[Othello]B[f5];)")
    return record.end()
