"""`zermelo data`: training positions, labelled by a search and by the result of their game."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from zermelo.cli import arguments, formatting, screen
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Workers
from zermelo.errors import FileError, ZermeloError


def data(
    game: Game,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Output file: .jsonl, .csv or .parquet.")],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 100,
    player: Annotated[str, typer.Option(metavar="TEXT", help="Player that plays them against itself.")] = "random",
    label: Annotated[
        str, typer.Option(metavar="LIMIT", help="Limit of the labelling search: depth=N or nodes=N.")
    ] = "depth=4",
    evaluation: EvaluationName = None,
    random_plies: Annotated[int, typer.Option(metavar="N", help="Number of random moves at the start of a game.")] = 8,
    mix: Annotated[float, typer.Option(metavar="P", help="Probability of a random move later, 0 to 1.")] = 0.0,
    positions: Annotated[int, typer.Option(metavar="N", help="Positions to keep per game; 0 keeps all.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same file.")] = 0,
    max_plies: Annotated[int, typer.Option(metavar="N", help="Adjudicate a draw after N plies.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Generate labelled positions to fit evaluations to.

    Each row is a position with its search score for MAX, the move played and the result of the game. Repeat the command
    to continue after an interruption. A finished file is not overwritten without --force.
    """
    from dataclasses import asdict

    from zermelo.arena.executors.executor import results_in_order
    from zermelo.arena.executors.row_files import RowFile
    from zermelo.arena.executors.training_data import COLUMNS, DataPlan

    if Path(out).is_file() and not (
        force or Path(f"{out}.part").exists()
    ):  # an overwrite that was interrupted continues
        raise FileError(f"file exists: {out} (use --force to overwrite it)")
    cls = arguments.load(game)
    plan = DataPlan(game, games, player, label, evaluation, random_plies, mix, positions, seed, max_plies)
    with arguments.blaming(cls):
        plan.check(cls)
    began = time.monotonic()
    with RowFile(out, asdict(plan), COLUMNS) as rows, screen.Progress("playing", quiet) as progress:
        first = rows.batches
        progress.begin("playing and labelling", first, games)
        try:
            with arguments.executor(workers, cluster, game) as executor:
                for outcome in results_in_order(executor, plan.tasks(first)):
                    if outcome.data is None:
                        raise ZermeloError(f"game {outcome.number}: {outcome.error}")
                    rows.add(outcome.data)
                    progress.at(f"game {rows.batches:,} of {games:,}", rows.batches, games)
        except KeyboardInterrupt:
            progress.say(f"{formatting.plural(rows.batches, 'game')} of {games:,} are there; the same command goes on")
            raise
        progress.begin("writing")
        rows.finish()
    seconds = time.monotonic() - began
    if as_json:
        report = {"game": game, "games": games, "positions": rows.count, "seconds": round(seconds, 3), "out": out}
        print(json.dumps(report))
        return
    speed = f"{formatting.rate(rows.count / seconds)} a second" if not first else f"{first:,} games were there"
    print(f"{formatting.plural(rows.count, 'position')} of {formatting.plural(games, 'game')} in {out}, {speed}")
