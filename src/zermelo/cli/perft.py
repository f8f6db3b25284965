"""`zermelo perft`: counts move sequences, the usual test of move generators."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo._util.text import quoted
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Cluster, Game, Moves
from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError

DIGITS = 20  # longest depth accepted, in digits


def perft(
    game: Game,
    rest: Annotated[list[str], typer.Argument(metavar="[POSITION] DEPTH", hidden=True)],
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count of each first move.")] = False,
    play_all: Annotated[
        bool,
        typer.Option("--play-all", help="Play the last move of each line instead of counting it (no bulk counting)."),
    ] = False,
    workers: Annotated[int, typer.Option(metavar="N", help="Worker processes; 0 uses this process.")] = 0,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Count the move sequences of exactly DEPTH plies (perft).

    Whether a game that ends earlier counts as a sequence follows the published counts of the game.
    """
    *texts, last = rest
    if len(texts) > 1:
        raise LimitError(
            f"perft takes [POSITION] DEPTH (got {len(rest)} arguments; quote a position that contains spaces)"
        )
    if not last.isascii() or not last.removeprefix("-").isdigit():
        raise LimitError(f"perft: DEPTH must be a whole number (got {quoted(last)}): zermelo perft {game} 6")
    cls = arguments.load(game)
    state = arguments.position(cls, texts[0] if texts else "", moves)
    with arguments.blaming(cls), screen.Progress("counting", quiet) as progress:
        from zermelo.search import compiled_textbook as plain
        from zermelo.search.context import MAX_PLY

        # Checked before compiling; int() refuses thousands of digits.
        if len(last) > DIGITS or not 0 <= int(last) <= MAX_PLY:
            given_depth = last if len(last) <= DIGITS else quoted(last)
            raise LimitError(f"perft: DEPTH must be in 0 .. {MAX_PLY} (got {given_depth})")
        depth = int(last)
        plain.perft(state, 0)  # compile before the clock starts
        progress.begin("counting")
        began = time.perf_counter()
        if workers or cluster:
            found, leaves, began = _by_many(game, state, depth, not play_all, workers, cluster, progress)
            parts = {state.move_name(move): count for move, count in found.items()} if divide else {}
        elif divide and depth > 0 and not state.is_over():
            parts = {state.move_name(move): count for move, count in plain.divide(state, depth, not play_all).items()}
            leaves = sum(parts.values())
        else:
            parts = {}
            leaves = plain.perft(state, depth, not play_all)
        took = time.perf_counter() - began
    if as_json:
        report = {
            "game": game,
            "position": str(state),
            "depth": depth,
            "nodes": leaves,
            "seconds": round(took, 6),
            "nodes_per_second": round(leaves / took) if took > 0 else 0,
        }
        print_json({**report, "divide": parts} if divide else report)
        return
    for name, count in parts.items():
        print_line(f"{name}  {formatting.count(count)}")
    lines = formatting.plural(leaves, "line")
    print_line(
        f"{lines} of {formatting.plural(depth, 'move')} in {formatting.seconds(took)}, "
        f"{formatting.rate(leaves / took)} a second"
    )


def _by_many(
    game: str, state: State, depth: int, bulk: bool, workers: int, cluster: str, progress: screen.Progress
) -> tuple[dict[int, int], int, float]:
    """Count with workers: per first move, total, and the time when the workers were ready."""
    from zermelo.arena.executors.executor import results_in_order
    from zermelo.arena.executors.parallel_perft import PerftSplit

    counts: dict[int, int] = {}
    with arguments.executor(workers or None, cluster, game) as executor:
        began = time.perf_counter()
        split = PerftSplit.of(state, depth, bulk)
        progress.steps = (0, len(split.parts))
        for outcome in results_in_order(executor, split.tasks(game)):
            if outcome.data is None:
                raise ZermeloError(f"from {split.parts[outcome.number][0]}: {outcome.error}")
            counts[outcome.number] = json.loads(outcome.data)
            progress.at("counting", len(counts), len(split.parts))
    return split.totals(counts), split.total(counts), began
