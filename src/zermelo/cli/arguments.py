"""What the user gives: a game, a position, moves; and who is to blame when a game's own code fails."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo.core.game import State
from zermelo.core.history import preceding_states
from zermelo.errors import GameError, LimitError, PositionError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.executors.executor import Executor

Game = Annotated[str, typer.Argument(metavar="GAME", hidden=True)]
Position = Annotated[str, typer.Argument(metavar="[POSITION]", hidden=True)]
Games = Annotated[list[str] | None, typer.Argument(metavar="[GAME...]", hidden=True)]
Moves = Annotated[str, typer.Option(metavar="MOVES", help='Play these moves from the position first: "f5 d6".')]
EvaluationName = Annotated[
    str | None, typer.Option("--evaluation", metavar="NAME", help="One of the game's evaluations, or `nothing`.")
]

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", help="Processes of this machine that work; 0: this one. [default: the processors]"
    ),
]
Cluster = Annotated[
    str, typer.Option("--cluster", metavar="WHERE", help="Dask workers: local:N, or the scheduler's tcp://HOST:PORT.")
]


def worker_count(workers: int | None) -> int:
    """How many processes are to work: as many as were asked for, or as this process may use processors.

    Raises `LimitError`.
    """
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 0:
        raise LimitError(f"--workers {workers}: a number of processes, or 0 for this one")
    return workers


def crew(workers: int | None, cluster: str, game: str) -> Executor:
    """Who does the work that `--workers` and `--cluster` ask for. Raises `ZermeloError`."""
    from zermelo.arena.executors.dask_executor import create_executor

    if cluster and workers is not None:
        raise LimitError("--workers and --cluster: workers of this machine, or of a cluster")
    return create_executor(cluster or None, worker_count(workers), game)


def load(name: str) -> type[State]:
    """The class of a game. Raises `UnknownGame` or `GameError`."""
    from zermelo import registry

    return registry.load(name)


def position(cls: type[State], text: str, moves: str = "") -> State:
    """The state that a text stands for, after the moves; `-` reads the text, an empty one is the start."""
    return game_so_far(cls, text, moves)[-1]


def game_so_far(cls: type[State], text: str, moves: str = "") -> list[State]:
    """The states that the moves lead through, from the one that a text stands for: the last is where the game is."""
    if text == "-":
        text = sys.stdin.read()
        if not text.strip():
            raise PositionError(f"{cls.__name__} position: nothing came on standard input, where - reads it from")
    text = text.strip()
    with blaming(cls):
        start = cls.parse(text) if text else cls.start()
        states = [*preceding_states(start, text), *start.through(moves)]
        # What will be printed at the end is tried now, so that a mistake in it costs nobody a search.
        state = states[-1]
        str(state), state.board(), [state.move_name(move) for move in state.legal_moves()]
        return states


@contextmanager
def blaming(cls: type[State]) -> Iterator[None]:
    """An exception out of the game's own code becomes a `GameError` of one line: file, line, method and exception."""
    try:
        yield
    except (ZermeloError, typer.Exit, typer.Abort):
        raise
    except Exception as error:
        home = os.path.dirname(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")
        theirs = [
            (frame.f_code, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if home and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == os.path.abspath(home)
        ]
        if not theirs:
            raise
        code, line = theirs[-1]
        file = _shown(Path(code.co_filename))
        raise GameError(f"{file}:{line}: {code.co_qualname} raised {type(error).__name__}: {error}") from error


def _shown(path: Path) -> str:
    """A path as short as it can be said."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
