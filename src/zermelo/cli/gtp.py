"""`zermelo gtp`: Zermelo as a GTP engine."""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from zermelo._util.terminal import print_block
from zermelo._util.user_files import open_file
from zermelo.cli import arguments
from zermelo.cli.analyse import TABLE
from zermelo.cli.arguments import Game, SearchEvaluation
from zermelo.cli.uci import conversation_log, input_lines
from zermelo.core.game import State
from zermelo.errors import FormatError, UnknownGame
from zermelo.interactive.opponents import new_searcher

SECONDS = 1.0  # default time per move


def gtp(
    game: Game,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Seconds per move until the controller sends time_settings.")
    ] = SECONDS,
    algorithm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="engine or mcts. Default: engine; mcts for games without an evaluation."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of random choices.")] = None,
    evaluation: SearchEvaluation = None,
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the conversation to FILE: > received, < sent.")
    ] = None,
) -> None:
    """Run as a GTP engine on standard input and output.

    Plays one game: go (all sizes to 19 x 19 by boardsize) or another game with a board, without chance and hidden
    information. Ends with `quit` or at the end of input.
    """
    from zermelo.core.weight_file import chosen_evaluation
    from zermelo.protocols.gtp_server import GtpServer
    from zermelo.search.default import default_algorithm
    from zermelo.search.limits import Limits

    cls = arguments.load(game)
    if cls.has_chance or not cls.perfect_information:
        what = "hidden information" if not cls.perfect_information else "chance"
        raise UnknownGame(f"gtp: {cls.__name__} is a game with {what}, which GTP has no commands for")
    limits, chosen = Limits(seconds=seconds), chosen_evaluation(cls, evaluation)
    if algorithm is None:
        algorithm = default_algorithm(cls, limits, chosen)
    with ExitStack() as stack:
        note = conversation_log(stack, log)
        searcher = stack.enter_context(new_searcher(algorithm, table, threads, random.Random(seed)))
        server = GtpServer(game, cls, searcher, limits, chosen, read_sgf)
        for line in input_lines(getattr(sys.stdin, "buffer", sys.stdin)):
            note(">", line)
            response = server.command(line)
            if response:
                note("<", response.rstrip("\n"))
                print_block(response.removesuffix("\n"))
                sys.stdout.flush()
            if server.has_quit:
                break


def read_sgf(file: str) -> list[State]:
    """Return the positions of the first game of an SGF file, for `loadsgf`. Raises `ZermeloError`."""
    from zermelo.formats import sgf
    from zermelo.formats.line_reader import read_lines

    errors: list[FormatError] = []
    with open_file(file) as lines:
        record = next(sgf.read(None, read_lines(lines), errors.append), None)
    if record is None:
        raise errors[0] if errors else FormatError(f"{file}: contains no game")
    states = [record.start]
    for move in record.moves():
        states.append(states[-1].play(move))
    return states
