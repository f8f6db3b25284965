"""`zermelo analyse`: the best move of a position, by the engine or a textbook algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo._util.text import did_you_mean
from zermelo.api import DEFAULT_SECONDS
from zermelo.cli import INTERRUPTED, arguments, screen, tables, textbook
from zermelo.cli.arguments import Cluster, Game, Moves, Position, SearchEvaluation, Workers
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError, UnknownGame

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.analysis import Analysis
    from zermelo.search.limits import Limits
    from zermelo.search.searcher import Searcher

TABLE = "64M"
#: Moves whose scores stand in one row.
SCORES_IN_ROW = 12
ALGORITHMS = ["engine", "mcts", *textbook.TEXTBOOK]


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
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Search as the engine does at a level, {arguments.LEVEL}",
            rich_help_panel="Search limits",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Search to the end of the game and prove the value.", rich_help_panel="Search limits"
        ),
    ] = False,
    selective: arguments.Selective = None,
    confidence: arguments.Confidence = None,
    parameters: arguments.Parameters = "",
    evaluation: SearchEvaluation = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}. Default: engine; if the game "
            "has no evaluation, engine and then mcts.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the playouts of mcts. Default: 0.")] = None,
    lines: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Show the K best moves, each with its score and line (multi-PV). Default: 1; all moves of one "
            "position in games with scores of solved positions, if the engine searches it.",
        ),
    ] = None,
    threads: arguments.Threads = 1,
    table: arguments.Table = TABLE,
    book: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Look the position up in this opening book first; none: no book. Default: the book of the "
            "package, if the game has one, and no limit but --exact is given.",
        ),
    ] = "",
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
            help="Run mcts or a textbook algorithm compiled or interpreted. Default: compiled if possible.",
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

    Without a limit the search takes 5 seconds. A textbook algorithm searches to --depth, or to the end of the
    game.
    """
    cls = arguments.load(game)
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise UnknownGame(f"unknown algorithm {algorithm!r}; {did_you_mean(algorithm, ALGORITHMS)}")
    if level is not None:
        _refuse_with_level(
            depth=depth, seconds=seconds, nodes=nodes, exact=exact or None, selective=selective, confidence=confidence,
            parameters=parameters or None, positions=positions or None,
        )  # fmt: skip
    selectivity = arguments.selectivity(cls, selective, confidence, parameters, exact=exact, algorithm=algorithm or "")
    from zermelo.core.weight_file import chosen_evaluation

    chosen = chosen_evaluation(cls, evaluation)
    if confidence not in (None, 100) and not quiet:
        arguments.note_other_weights(game, cls, chosen, evaluation, confidence)
    if positions:
        if position or moves or algorithm is not None or order is not None or compiled is not None:
            raise LimitError(
                "--positions cannot be combined with POSITION, --moves, --algorithm, --order or --compiled"
            )
        from zermelo.arena.executors.parallel_analysis import AnalysisOptions
        from zermelo.cli.batch import analyse_all
        from zermelo.search.selective import Selective

        if depth is None and seconds is None and nodes is None and not exact:
            seconds = DEFAULT_SECONDS
        how = selectivity.changes() if isinstance(selectivity, Selective) else selectivity
        search = AnalysisOptions(
            depth, seconds, nodes, exact, evaluation, 1 if lines is None else lines, threads, table, how
        )
        return analyse_all(game, cls, positions, search, workers, cluster, quiet)
    if workers is not None or cluster:
        raise LimitError("--workers and --cluster need --positions; use --threads for a single position")
    *history, state = arguments.game_so_far(cls, position, moves)
    from zermelo.search.default import default_algorithm, make_searcher
    from zermelo.search.levels import Strength
    from zermelo.search.limits import Limits, limits_or_default

    extra: dict[str, Any] = {}
    with arguments.blaming(cls):
        if lines is not None and lines > 1 and not state.is_over() and state.to_move() == CHANCE:
            raise LimitError(
                f"--lines {lines}: the next move is made by chance ({formatting.side(state)}), not by a player"
            )
        if algorithm in (None, "engine", "mcts"):
            limits = limits_or_default(depth, seconds, nodes, exact)
            used = algorithm or default_algorithm(cls, limits, chosen)
            if level is not None:
                strength = Strength(level, game=cls if used == "engine" else None)
                if not state.is_over():
                    limits = strength.limits(Limits(), used == "mcts", state)
                    selectivity = strength.confidence(state, chosen)
            _refuse_seed(seed, used)
            if algorithm == "mcts" and order is not None:
                raise LimitError("--order needs a textbook --algorithm, not mcts")
            if algorithm != "mcts" and (order is not None or compiled is not None):
                raise LimitError("--order and --compiled need a textbook --algorithm, not the engine")
            options = (algorithm, evaluation, depth, seconds, nodes, level, selectivity)
            has_options = any(each is not None for each in options)
            if lines is None:
                lines = max(len(state.legal_moves()), 1) if cls.has_solved_score and used == "engine" else 1
            known = _in_book(cls, book or ("none" if has_options else ""), state, history, limits, lines)
            if known is not None:
                found = known
                if book and has_options and not quiet:
                    print_line("note: the position is in the opening book; search options have no effect", error=True)
            else:
                if limits.depth is None:
                    tables.ensure(state, quiet)
                engine = make_searcher(
                    algorithm, table, threads, seed=seed or 0, compiled=compiled is not False, catch_interrupts=True,
                    selective=selectivity,
                )  # fmt: skip
                found = _searched(engine, state, history, limits, chosen, lines, quiet)
        else:
            _refuse_seed(seed, algorithm)
            alien: dict[str, tuple[object, object]] = {
                "seconds": (seconds, None), "nodes": (nodes, None), "lines": (1 if lines is None else lines, 1),
                "threads": (threads, 1),
                "level": (level, None), "selective": (selective, None), "confidence": (confidence, None),
            }  # fmt: skip
            for option, (value, default) in {**alien, "table": (table, TABLE)}.items():
                if value != default:
                    raise LimitError(f"--{option} needs the engine; {algorithm} takes --depth only")
            if exact and depth is not None:
                raise LimitError("--exact and --depth cannot be combined: an exact search goes to the end of the game")
            found, extra = textbook.search(state, depth, chosen, algorithm, order, compiled, quiet, history)
        if as_json:
            print_json({**found.as_dict(), "game": game, **extra})
        else:
            is_default_time = seconds is None and found.reason == "seconds"
            _print(
                found, history, extra, "; use --seconds, --depth or --exact to search longer" if is_default_time else ""
            )
    if found.reason == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _refuse_with_level(**others: object) -> None:
    for name, value in others.items():
        if value is not None:
            raise LimitError(f"--level cannot be combined with --{name}")


def _refuse_seed(seed: int | None, algorithm: str) -> None:
    if seed is not None and algorithm != "mcts":
        raise LimitError("--seed needs --algorithm mcts: the other searches make no random choices")


def _in_book(
    cls: type[State], name: str, state: State, history: list[State], limits: Limits, lines: int
) -> Analysis | None:
    """What an opening book knows of a position: without --lines all its moves if possible, as they cost nothing."""
    from zermelo.search.request import SearchRequest

    book = arguments.opening_book(cls, name)
    if book is None or state.is_over():
        return None
    for wanted in (lines if lines > 1 else max(lines, len(state.legal_moves())), lines):
        known = book.answer(SearchRequest(state, limits, lines=wanted, history=history))
        if known is not None:
            return known
    return None


def _searched(
    engine: Searcher,
    state: State,
    history: list[State],
    limits: Limits,
    evaluation: str | Evaluation | None,
    lines: int,
    quiet: bool,
) -> Analysis:
    search = partial(engine.analysis, state, limits, evaluation=evaluation, lines=lines, history=history)
    return follow(search, quiet, limits.seconds)


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
    out.block(state.board())
    out.print()
    if state.is_over():
        out.print(f"  {formatting.ended(state)}")
        return
    none = "none: chance moves" if state.to_move() == CHANCE else "-"
    score = formatting.score(found)
    if found.algorithm == "engine" and not found.score.is_proven and not state.evaluations:
        score += "; the game has no evaluation, --algorithm mcts estimates by playouts"
    rows = [("to move", formatting.side(state)), ("best", found.best or none), ("score", score)]
    if found.line:
        rows.append(("line", " ".join(found.line)))
    if claims := formatting.claims(state, PositionHistory([*history, state]).occurrences[-1]):
        rows.append(("draw", claims))
    depth = formatting.plural(found.depth, "ply") if found.depth else "to the end" if found.score.is_proven else "-"
    rows.append(("depth", f"{depth}: {formatting.REASONS.get(found.reason, found.reason)}{hint}"))
    if found.nodes:
        speed = f"{formatting.rate(found.nodes_per_second)} a second"
        counted = "playouts" if found.algorithm == "mcts" else "nodes"
        rows.append((counted, f"{formatting.count(found.nodes)} in {formatting.seconds(found.seconds)}, {speed}"))
    if found.lines and found.lines[0].visits:
        best = found.lines[0]
        rows.append(("visits", f"{formatting.count(best.visits or 0)}, win rate {formatting.win_rate(best)}"))
    if found.selectivity:
        rows.append(("search", found.selectivity))
    if found.algorithm not in ("engine", "mcts"):
        rows.append(("search", ", ".join([found.algorithm, *textbook.describe_extra(extra)])))
    screen.facts(out, rows, bold="best")
    _print_move_scores(out, found)
    if len(found.lines) > 1:
        out.print()
        _print_lines(out, found)


def _print_move_scores(out: Any, found: Analysis) -> None:
    """Print the solved scores of all moves side by side, if one is known, or if the engine of such a game looked."""
    scores = found.move_scores
    is_expected = found.state.has_solved_score and found.algorithm == "engine"
    if not is_expected and all(each.score is None for each in scores):
        return
    unknown = False
    for start in range(0, len(scores), SCORES_IN_ROW):
        part = scores[start : start + SCORES_IN_ROW]
        shown = [
            "-" if not each.is_legal else "?" if each.score is None else formatting.signed(each.score, "")
            for each in part
        ]
        unknown |= "?" in shown
        out.print()
        screen.table(out, [("solved", *(each.move for each in part)), (f"for {formatting.side(found.state)}", *shown)])
    if unknown:
        out.print("  ?: not solved within the limits; use --exact, more --seconds or more --lines")


def _print_lines(out: Any, found: Analysis) -> None:
    """Print all lines with their scores."""
    counts = ("visits", "win rate") if found.algorithm == "mcts" else ()
    rows: list[tuple[str, ...]] = [("", "best", *counts, "score", "line")]
    for rank, line in enumerate(found.lines, 1):
        counted = () if line.visits is None else (formatting.count(line.visits), formatting.win_rate(line) or "-")
        rows.append((str(rank), line.names[0], *counted, formatting.line_score(found, line), " ".join(line.names)))
    screen.table(out, rows)
