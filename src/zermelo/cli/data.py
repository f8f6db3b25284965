"""`zermelo data`: positions to learn evaluations from, labelled by a search and by how their games ended."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from zermelo.cli import arguments as given
from zermelo.cli import formatting as words
from zermelo.cli import screen
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Workers
from zermelo.errors import FileError, ZermeloError


def data(
    game: Game,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="FILE.jsonl, FILE.csv or FILE.parquet.")],
    games: Annotated[int, typer.Option(metavar="N", help="So many games.")] = 100,
    player: Annotated[str, typer.Option(metavar="TEXT", help="Who plays them, against itself.")] = "random",
    label: Annotated[
        str, typer.Option(metavar="LIMIT", help="The search that labels: depth=N or nodes=N.")
    ] = "depth=4",
    evaluation: EvaluationName = None,
    random_plies: Annotated[int, typer.Option(metavar="N", help="So many moves at first are random.")] = 8,
    mix: Annotated[float, typer.Option(metavar="P", help="Later moves are random with this probability.")] = 0.0,
    positions: Annotated[int, typer.Option(metavar="N", help="So many of a game's positions; 0: all of them.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same file.")] = 0,
    max_plies: Annotated[int, typer.Option(metavar="N", help="A game that goes on for so long is a draw.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Write FILE anew where there is one.")] = False,
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else on standard output.")] = False,
) -> None:
    """Games played and labelled: what evaluations are fitted to.

    Each row is a position with the score of a search for MAX, the move played, and the result of its game. What is
    interrupted goes on with the same command; a file that is finished is kept, unless --force is said.
    """
    from dataclasses import asdict

    from zermelo.arena.executors.executor import results_in_order
    from zermelo.arena.executors.row_files import RowFile
    from zermelo.arena.executors.training_data import COLUMNS, DataPlan

    if Path(out).is_file() and not (force or Path(f"{out}.part").exists()):  # what was begun anew goes on
        raise FileError(f"{out} is there already; --force writes it anew, and another --out leaves it")
    cls = given.load(game)
    plan = DataPlan(game, games, player, label, evaluation, random_plies, mix, positions, seed, max_plies)
    with given.blaming(cls):
        plan.check(cls)
    began = time.monotonic()
    with RowFile(out, asdict(plan), COLUMNS) as rows, screen.Progress("playing", quiet) as progress:
        first = rows.batches
        progress.begin("playing and labelling", first, games)
        try:
            with given.crew(workers, cluster, game) as crew:
                for outcome in results_in_order(crew, plan.tasks(first)):
                    if outcome.data is None:
                        raise ZermeloError(f"game {outcome.number}: {outcome.error}")
                    rows.add(outcome.data)
                    progress.at(f"game {rows.batches:,} of {games:,}", rows.batches, games)
        except KeyboardInterrupt:
            progress.say(f"{words.plural(rows.batches, 'game')} of {games:,} are there; the same command goes on")
            raise
        progress.begin("writing")
        rows.finish()
    seconds = time.monotonic() - began
    if as_json:
        told = {"game": game, "games": games, "positions": rows.count, "seconds": round(seconds, 3), "out": out}
        print(json.dumps(told))
        return
    speed = f"{words.rate(rows.count / seconds)} a second" if not first else f"{first:,} games were there"
    print(f"{words.plural(rows.count, 'position')} of {words.plural(games, 'game')} in {out}, {speed}")
