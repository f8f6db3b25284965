"""Arguments and options shared by the commands: games, positions, moves, workers; errors in a game's code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo._util.terminal import print_line
from zermelo._util.user_files import read_input
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import preceding_states
from zermelo.errors import GameError, IllegalMove, LimitError, PositionError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.executors.executor import Executor
    from zermelo.core.evaluation import Evaluation
    from zermelo.search import selective as selective_search
    from zermelo.solve.books.book import Book

#: Maximum size of a position on standard input, in bytes.
MAX_POSITION_BYTES = 1_000_000


def _complete_game(incomplete: str) -> list[str]:
    from zermelo import registry

    return [name for name in registry.names() if name.startswith(incomplete)]


Game = Annotated[str, typer.Argument(metavar="GAME", hidden=True, autocompletion=_complete_game)]
Position = Annotated[str, typer.Argument(metavar="[POSITION]", hidden=True)]
Games = Annotated[list[str] | None, typer.Argument(metavar="[GAME...]", hidden=True, autocompletion=_complete_game)]
Moves = Annotated[str, typer.Option(metavar="MOVES", help='Moves to play from the position first: "f5 d6".')]
EvaluationName = Annotated[
    str | None,
    typer.Option(
        "--evaluation",
        metavar="NAME",
        help="Evaluation of the game, or `nothing` (always 0). Default: the game's first.",
    ),
]
GameEvaluation = Annotated[
    str | None,
    typer.Option(
        "--evaluation",
        metavar="NAME",
        help="Evaluation of the game, a weight file for one, or `nothing` (always 0). Default: the game's first.",
    ),
]
SearchEvaluation = Annotated[
    str | None,
    typer.Option(
        "--evaluation",
        metavar="NAME",
        help="Evaluation of the game, a weight file for one, or `nothing` (always 0). Default: the game's first, or "
        "its own for selective searches (chess: `network`, checkers: `patterns`); for mcts none: playouts to the end "
        "of the game.",
    ),
]

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="Worker processes; 0 uses this process. Default: one per processor.",
        rich_help_panel="Workers",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no notes.", rich_help_panel="Output")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.", rich_help_panel="Output")]


def _require_sandbox(is_set: bool) -> bool:
    if is_set:
        from zermelo.sandbox.restrictions import require_all

        require_all()
    return is_set


RequireSandbox = Annotated[
    bool,
    typer.Option(
        "--require-sandbox",
        callback=_require_sandbox,
        help="Run no Python programs unless all restrictions of the sandbox are in force (see `zermelo sandbox`).",
    ),
]
Threads = Annotated[int, typer.Option(metavar="N", help="Search threads.")]
LEVEL = "1 to 10, or to the largest of the game's own levels (see `zermelo games`)."
Selective = Annotated[
    bool | None,
    typer.Option(
        "--selective/--no-selective",
        help="Search promising moves deeper, and reduce and prune the others. Default: selective if time is the "
        "only limit and the game declares it.",
    ),
]
Parameters = Annotated[
    str,
    typer.Option(
        "--parameters",
        metavar="FILE",
        help="Search selectively with the parameters of FILE, made by `zermelo learn GAME tune`.",
    ),
]
Confidence = Annotated[
    int | None,
    typer.Option(
        "--confidence",
        metavar="P",
        help="ProbCut: prune nodes where a shallow search predicts a cutoff with this confidence in percent: 73, 87, "
        "95, 98, 99, or 100 for none. Needs an evaluation with measured search errors.",
    ),
]
Table = Annotated[str, typer.Option(metavar="SIZE", help="Transposition table size: 64M, 1G.")]
Cluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        metavar="WHERE",
        help="Dask cluster: local:N, or the scheduler at tcp://HOST:PORT.",
        rich_help_panel="Workers",
    ),
]


def worker_count(workers: int | None) -> int:
    """Number of worker processes; by default one per available processor. Raises `LimitError`."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 0:
        raise LimitError(f"--workers must be at least 0 (got {workers})")
    return workers


def executor(workers: int | None, cluster: str, game: str) -> Executor:
    """Executor for `--workers` and `--cluster`. Raises `ZermeloError`."""
    from zermelo.arena.executors.dask_executor import create_executor

    if cluster and workers is not None:
        raise LimitError("--workers and --cluster cannot be combined")
    return create_executor(cluster or None, worker_count(workers), game)


def load(name: str) -> type[State]:
    """Class of a game by name or file. Raises `UnknownGame` or `GameError`."""
    from zermelo import registry

    return registry.load(name)


def position(cls: type[State], text: str, moves: str = "") -> State:
    """State of a position text after the moves; `-` reads standard input, empty text is the initial position."""
    return game_so_far(cls, text, moves)[-1]


def game_so_far(cls: type[State], text: str, moves: str = "") -> list[State]:
    """States of the game up to the position after the moves; the last one is the current state."""
    if text == "-":
        text = read_input(MAX_POSITION_BYTES)
        if not text.strip():
            raise PositionError(f"{cls.__name__} position: standard input is empty")
    text = text.strip()
    with blaming(cls):
        start = cls.parse(text) if text else cls.start()
        states = [*preceding_states(start, text), *_through(start, moves)]
        # Call what is printed after the search now, so that an error in it does not cost a search.
        state = states[-1]
        str(state), state.board(), [state.move_name(move) for move in state.legal_moves()]
        return states


def _through(start: State, moves: str) -> Iterator[State]:
    """Yield the states after the moves; an error about a list with move numbers says how moves are written."""
    try:
        yield from start.through(moves)
    except IllegalMove as error:
        try:  # a list of moves such as 1. e4 e5, which is read as a position
            type(start).parse(moves)
        except PositionError:
            raise error from None
        raise IllegalMove(f"{error}; expected moves with spaces between them, without numbers") from None


def evaluation_of(cls: type[State], name: str | None) -> tuple[str | Evaluation | None, str]:
    """The evaluation of `--evaluation`, and the digest of its weight file, empty for one of the game's."""
    from zermelo.core.weight_file import chosen_evaluation, file_digest

    chosen = chosen_evaluation(cls, name)
    return chosen, file_digest(name) if name is not None and chosen is not name else ""


def selectivity(
    cls: type[State],
    selective: bool | None,
    confidence: int | None = None,
    parameters: str = "",
    *,
    exact: bool = False,
    algorithm: str = "",
) -> selective_search.Selective | bool | int | None:
    """The value of `Engine(selective=)` that `--selective`, `--confidence` or `--parameters` asks for.

    Raises `LimitError` if they exclude each other, or a selective search is asked for that does not exist.
    """
    from zermelo.search.selective import why_never_selective

    if confidence is not None and (parameters or selective is not None):
        other = "--parameters" if parameters else "--selective" if selective else "--no-selective"
        raise LimitError(f"--confidence and {other} cannot be combined")
    if parameters and selective is False:
        raise LimitError("--parameters and --no-selective cannot be combined")
    option, wanted = ("--selective", selective) if confidence is None else ("--confidence", confidence)
    if parameters:
        option, wanted = "--parameters", True
    if wanted in (None, False, 100):
        return wanted
    if exact:
        raise LimitError(f"--exact and {option} cannot be combined: {why_never_selective(cls, exact)}")
    if reason := why_never_selective(cls):
        raise LimitError(f"{option}: {reason}")
    if algorithm not in ("", "engine"):
        raise LimitError(f"{option} needs the engine, not {algorithm}")
    if not parameters:
        return wanted
    from zermelo.learn.tuned_file import load_parameters

    return load_parameters(parameters, cls)


def note_other_weights(
    game: str, cls: type[State], evaluation: str | Evaluation | None, name: str | None, confidence: int | None
) -> None:
    """Say on standard error that the search errors were measured for other weights than those of a weight file."""
    from zermelo.core.evaluation import Evaluation

    if not isinstance(evaluation, Evaluation) or type(evaluation).search_error is Evaluation.search_error:
        return
    if all(evaluation != each for each in cls.evaluations.values()):
        print_line(
            f"note: --confidence {confidence}: the search errors were measured for the weights of the package, not for "
            f"{name}; `zermelo learn {game} probcut` measures them",
            error=True,
        )


def opening_book(cls: type[State], name: str) -> Book | None:
    """The opening book of a file; none for "none", that of the package, if it has one, without a name."""
    from zermelo.solve.books.book_file import load_book, shipped_book

    read = None if name == "none" else load_book(name, cls) if name else shipped_book(cls)
    return None if read is None else read[0]


def player(state: State, text: str, option: str, others: Sequence[str] = ()) -> int | None:
    """Player of an option: max, min or the player's name. None for one of `others`. Raises `LimitError`."""
    known = {state.player_name(each).casefold(): each for each in (MAX, MIN)} | {"max": MAX, "min": MIN}
    folded = text.casefold()
    if folded in known and folded not in others:
        return known[folded]
    if folded not in others:
        names = [*("max", "min"), *others, *(name for name in known if name not in ("max", "min"))]
        raise LimitError(f"{option} must be one of {', '.join(names)} (got {text!r})")
    return None


@contextmanager
def blaming(cls: type[State]) -> Iterator[None]:
    """Turn an exception from the game's own code into a one-line `GameError` with file, line and method."""
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
    """Path relative to the current folder where possible."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
