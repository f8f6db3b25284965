"""`zermelo analyse`: the best move of a position, by the engine or a textbook algorithm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.text import did_you_mean
from zermelo.api import DEFAULT_SECONDS
from zermelo.cli import INTERRUPTED, arguments, formatting, screen, textbook
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Moves, Position, Workers
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError, UnknownGame

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis

TABLE = "64M"
ALGORITHMS = ["engine", *textbook.TEXTBOOK]


def analyse(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    depth: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum search depth in plies.", rich_help_panel="Search limits")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Time limit in seconds.", rich_help_panel="Search limits")
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Node limit.", rich_help_panel="Search limits")] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Search to the end of the game and prove the value.", rich_help_panel="Search limits"
        ),
    ] = False,
    evaluation: EvaluationName = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}.")
    ] = "engine",
    lines: Annotated[
        int, typer.Option(metavar="K", help="Show the K best moves, each with its score and line (multi-PV).")
    ] = 1,
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Order children by this evaluation, best first.", rich_help_panel="Textbook algorithms"
        ),
    ] = None,
    compiled: Annotated[
        bool | None,
        typer.Option(
            "--compiled/--no-compiled",
            help="Run compiled or interpreted. Default: compiled if possible.",
            rich_help_panel="Textbook algorithms",
        ),
    ] = None,
    positions: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Analyse the positions of a file, one per line (-: standard input); prints JSON Lines.",
            rich_help_panel="Many positions",
        ),
    ] = "",
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Find the best move, its score and the line that follows.

    Without a limit the engine searches for 5 seconds. A textbook algorithm searches to --depth, or to the end of the
    game.
    """
    cls = arguments.load(game)
    if algorithm not in ALGORITHMS:
        raise UnknownGame(f"unknown algorithm {algorithm!r}; {did_you_mean(algorithm, ALGORITHMS)}")
    if positions:
        if position or moves or algorithm != "engine" or order is not None or compiled is not None:
            raise LimitError(
                "--positions cannot be combined with POSITION, --moves, --algorithm, --order or --compiled"
            )
        from zermelo.arena.executors.parallel_analysis import AnalysisOptions
        from zermelo.cli.batch import analyse_all

        if depth is None and seconds is None and nodes is None and not exact:
            seconds = DEFAULT_SECONDS
        search = AnalysisOptions(depth, seconds, nodes, exact, evaluation, lines, threads, table)
        return analyse_all(game, cls, positions, search, workers, cluster, quiet)
    if workers is not None or cluster:
        raise LimitError("--workers and --cluster need --positions; use --threads for a single position")
    *history, state = arguments.game_so_far(cls, position, moves)
    with arguments.blaming(cls):
        if lines > 1 and not state.is_over() and state.to_move() == CHANCE:
            raise LimitError(
                f"--lines {lines}: the next move is made by chance ({formatting.side(state)}), not by a player"
            )
        if algorithm == "engine":
            if order is not None or compiled is not None:
                raise LimitError("--order and --compiled need a textbook --algorithm, not the engine")
            found = _engine(state, history, depth, seconds, nodes, exact, evaluation, lines, threads, table, quiet)
            extra: dict[str, Any] = {}
        else:
            alien = {"seconds": (seconds, None), "nodes": (nodes, None), "lines": (lines, 1), "threads": (threads, 1)}
            for option, (value, default) in {**alien, "table": (table, TABLE)}.items():
                if value != default:
                    raise LimitError(f"--{option} needs the engine; {algorithm} takes --depth only")
            if exact and depth is not None:
                raise LimitError("--exact and --depth cannot be combined: an exact search goes to the end of the game")
            found, extra = textbook.search(state, depth, evaluation, algorithm, order, compiled, quiet, history)
        if as_json:
            print(json.dumps({**found.as_dict(), "game": game, **extra}))
        else:
            is_default_time = seconds is None and found.reason == "seconds"
            _print(
                found, history, extra, "; use --seconds, --depth or --exact to search longer" if is_default_time else ""
            )
    if found.reason == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _engine(
    state: State,
    history: list[State],
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    exact: bool,
    evaluation: str | None,
    lines: int,
    threads: int,
    table: str,
    quiet: bool,
) -> Analysis:
    from zermelo.search.engine import Engine, Limits

    if depth is None and seconds is None and nodes is None and not exact:
        seconds = DEFAULT_SECONDS
    engine, limits = Engine(table, threads, catch_interrupts=True), Limits(depth, seconds, nodes, exact)
    return follow(
        partial(engine.analysis, state, limits, evaluation=evaluation, lines=lines, history=history), quiet, seconds
    )


def follow(search: Callable[[], Iterator[Analysis]], quiet: bool, seconds: float | None) -> Analysis:
    """Run an engine search with live progress; returns its last result.

    Ctrl-C ends the search with the result so far. Raises `KeyboardInterrupt` if there is none yet.
    """
    known: Analysis | None = None
    try:
        with screen.Progress("searching", quiet, seconds) as progress:
            for known in search():
                progress.show(known)
    except KeyboardInterrupt:  # raised while the display was drawn, not in the search
        if known is None:
            raise
        known = replace(known, reason="interrupted")
    assert known is not None
    return known


def _print(found: Analysis, history: list[State], extra: dict[str, Any], hint: str) -> None:
    """Print the board, the result, and how it was found."""
    out = screen.console()
    state = found.state
    out.print(state.board())
    out.print()
    if state.is_over():
        out.print(f"  {formatting.ended(state)}")
        return
    none = "none: chance moves" if state.to_move() == CHANCE else "-"
    rows = [("to move", formatting.side(state)), ("best", found.best or none), ("score", formatting.score(found))]
    if found.line:
        rows.append(("line", " ".join(found.line)))
    if claims := formatting.claims(state, PositionHistory([*history, state]).occurrences[-1]):
        rows.append(("draw", claims))
    depth = formatting.plural(found.depth, "ply") if found.depth else "to the end" if found.score.is_proven else "-"
    rows.append(("depth", f"{depth}: {formatting.REASONS.get(found.reason, found.reason)}{hint}"))
    if found.nodes:
        speed = f"{formatting.rate(found.nodes_per_second)} a second"
        rows.append(("nodes", f"{formatting.count(found.nodes)} in {formatting.seconds(found.seconds)}, {speed}"))
    if found.algorithm != "engine":
        rows.append(("search", ", ".join([found.algorithm, *textbook.describe_extra(extra)])))
    screen.facts(out, rows, bold="best")
    if len(found.lines) > 1:
        out.print()
        _print_lines(out, found)


def _print_lines(out: Any, found: Analysis) -> None:
    """Print all lines with their scores."""
    rows = [("", "best", "score", "line")]
    for rank, line in enumerate(found.lines, 1):
        rows.append((str(rank), line.names[0], formatting.line_score(found, line), " ".join(line.names)))
    screen.table(out, rows)
