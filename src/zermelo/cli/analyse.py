"""`zermelo analyse`: the best move of a position, by the engine or by a textbook's algorithm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.text import did_you_mean
from zermelo.api import DEFAULT_SECONDS
from zermelo.cli import INTERRUPTED, screen
from zermelo.cli import arguments as given
from zermelo.cli import formatting as words
from zermelo.cli import textbook as book
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Moves, Position, Workers
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError, UnknownGame

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis

TABLE = "64M"
ALGORITHMS = ["engine", *book.TEXTBOOK]


def analyse(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    depth: Annotated[int | None, typer.Option(metavar="N", help="To N plies.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="As deep as S seconds allow.")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="As deep as N positions allow.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="To the end of the game: the proven value.")] = False,
    evaluation: EvaluationName = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}.")
    ] = "engine",
    lines: Annotated[int, typer.Option(metavar="K", help="The K best moves, each with its own score and line.")] = 1,
    threads: Annotated[int, typer.Option(metavar="N", help="Threads that search together.")] = 1,
    table: Annotated[str, typer.Option(metavar="SIZE", help="Memory for what was searched: 64M, 1G.")] = TABLE,
    order: Annotated[
        str | None, typer.Option(metavar="NAME", help="Textbook: best children first, by this evaluation.")
    ] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compiled/--no-compiled", help="Textbook: compiled, or interpreted.")
    ] = None,
    positions: Annotated[
        str, typer.Option(metavar="FILE", help="Many positions, one a line (- reads standard input): JSON Lines.")
    ] = "",
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else on standard output.")] = False,
) -> None:
    """The best move, its score and line, and how they were found.

    Without any limit the engine takes 5 seconds. A textbook algorithm searches to --depth, or without one to the
    end of the game. It runs compiled where it has a compiled twin (minimax, alphabeta) and no --order is asked for,
    else interpreted.
    """
    cls = given.load(game)
    if algorithm not in ALGORITHMS:
        raise UnknownGame(f"unknown algorithm {algorithm!r}; {did_you_mean(algorithm, ALGORITHMS)}")
    if positions:
        if position or moves or algorithm != "engine" or order is not None or compiled is not None:
            raise LimitError("--positions names all positions, and the engine analyses them: no other goes with it")
        from zermelo.arena.executors.parallel_analysis import AnalysisOptions
        from zermelo.cli.batch import analyse_all

        if depth is None and seconds is None and nodes is None and not exact:
            seconds = DEFAULT_SECONDS
        search = AnalysisOptions(depth, seconds, nodes, exact, evaluation, lines, threads, table)
        return analyse_all(game, cls, positions, search, workers, cluster, quiet)
    if workers is not None or cluster:
        raise LimitError("--workers and --cluster go with --positions; a single position is searched by --threads")
    *history, state = given.game_so_far(cls, position, moves)
    with given.blaming(cls):
        if lines > 1 and not state.is_over() and state.to_move() == CHANCE:
            raise LimitError(
                f"--lines {lines}: the next move is chance's ({words.side(state)}), not a player's to choose"
            )
        if algorithm == "engine":
            if order is not None or compiled is not None:
                raise LimitError("--order and --compiled go with a textbook algorithm; the engine orders by itself")
            found = _engine(state, history, depth, seconds, nodes, exact, evaluation, lines, threads, table, quiet)
            extra: dict[str, Any] = {}
        else:
            alien = {"seconds": (seconds, None), "nodes": (nodes, None), "lines": (lines, 1), "threads": (threads, 1)}
            for option, (value, default) in {**alien, "table": (table, TABLE)}.items():
                if value != default:
                    raise LimitError(f"--{option} goes with the engine; {algorithm} knows --depth, or the game's end")
            if exact and depth is not None:
                raise LimitError("an exact search goes to the end of the game: leave out the depth, or exact")
            found, extra = book.search(state, depth, evaluation, algorithm, order, compiled, quiet, history)
        if as_json:
            print(json.dumps({**found.as_dict(), "game": game, **extra}))
        else:
            usual_time = seconds is None and found.reason == "seconds"
            _print(found, history, extra, "; --seconds, --depth or --exact ask for more" if usual_time else "")
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
    engine, limits = Engine(table, threads), Limits(depth, seconds, nodes, exact)
    return follow(partial(engine.search, state, limits, evaluation, lines, history), quiet, seconds)


def follow(search: Callable[[], Iterator[Analysis]], quiet: bool, seconds: float | None) -> Analysis:
    """The last result of an engine's search, which is begun here, compiling included, and shown as it goes on.

    Ctrl-C ends the search with what it has. Raises `KeyboardInterrupt` where it has nothing yet.
    """
    known: Analysis | None = None
    try:
        with screen.Progress("searching", quiet, seconds) as progress:
            for known in search():
                progress.show(known)
    except KeyboardInterrupt:  # not seen by the search: it came while the display was drawn
        if known is None:
            raise
        known = replace(known, reason="interrupted")
    assert known is not None
    return known


def _print(found: Analysis, history: list[State], extra: dict[str, Any], hint: str) -> None:
    """The position drawn, the result, and how it came about."""
    out = screen.console()
    state = found.state
    out.print(state.board())
    out.print()
    if state.is_over():
        out.print(f"  {words.ended(state)}")
        return
    none = "none: chance moves" if state.to_move() == CHANCE else "-"
    rows = [("to move", words.side(state)), ("best", found.best or none), ("score", words.score(found))]
    if found.line:
        rows.append(("line", " ".join(found.line)))
    if claims := words.claims(state, PositionHistory([*history, state]).occurrences[-1]):
        rows.append(("draw", claims))
    depth = words.plural(found.depth, "ply") if found.depth else "to the end" if found.exact else "-"
    rows.append(("depth", f"{depth}: {words.REASONS.get(found.reason, found.reason)}{hint}"))
    if found.nodes:
        speed = f"{words.rate(found.nodes_per_second)} a second"
        rows.append(("nodes", f"{words.count(found.nodes)} in {words.seconds(found.seconds)}, {speed}"))
    if found.algorithm != "engine":
        rows.append(("search", ", ".join([found.algorithm, *book.said(extra)])))
    screen.facts(out, rows, bold="best")
    if len(found.lines) > 1:
        out.print()
        _print_lines(out, found)


def _print_lines(out: Any, found: Analysis) -> None:
    """All the lines, each with its score."""
    rows = [("", "best", "score", "line")]
    for rank, line in enumerate(found.lines, 1):
        rows.append((str(rank), line.names[0], words.line_score(found, line), " ".join(line.names)))
    screen.table(out, rows)
