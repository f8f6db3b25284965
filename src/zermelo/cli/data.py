"""`zermelo data`: training positions, labelled by a search and by the result of their game."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Workers
from zermelo.errors import LimitError


def data(
    game: Game,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Output file: .jsonl, .csv or .parquet.")],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 100,
    player: Annotated[str, typer.Option(metavar="TEXT", help="Player of both sides, as in `match`.")] = "random",
    label: Annotated[
        str, typer.Option(metavar="LIMIT", help="Limit of the labelling search: depth=N, nodes=N or both.")
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
    """Generate labelled positions for fitting evaluations.

    Each row is a position with its search score for MAX, the move played and the result of the game. Repeat the command
    to continue after an interruption. A finished file is not overwritten without --force.
    """
    from zermelo.arena.data_generation import generate_training_data

    if cluster and workers is not None:
        raise LimitError("--workers and --cluster cannot be combined")
    started = time.monotonic()
    done = 0
    with screen.Progress("playing", quiet) as progress, arguments.blaming(arguments.load(game)):

        def on_progress(finished: int, total: int) -> None:
            nonlocal done
            if not done:
                progress.begin("playing and labelling", finished, total)
            done = finished
            progress.at(f"game {finished:,} of {total:,}", finished, total)

        try:
            summary = generate_training_data(
                game,
                out,
                games=games,
                player=player,
                label=label,
                evaluation=evaluation,
                random_plies=random_plies,
                mix=mix,
                positions=positions,
                seed=seed,
                max_plies=max_plies,
                overwrite=force,
                workers=arguments.worker_count(workers),
                cluster=cluster or None,
                on_progress=on_progress,
            )
        except KeyboardInterrupt:
            progress.say(
                f"interrupted after {done:,} of {formatting.plural(games, 'game')}; repeat the command to continue"
            )
            raise
    seconds = time.monotonic() - started
    if as_json:
        data = {"game": game, "games": games, "positions": summary.positions, "seconds": round(seconds, 3), "out": out}
        print_json(data)
        return
    speed = f"{formatting.rate(summary.positions / seconds)} per second"
    if summary.resumed_games:
        speed = f"{summary.resumed_games:,} games were finished before"
    print_line(
        f"{formatting.plural(summary.positions, 'position')} of {formatting.plural(games, 'game')} in {out}, {speed}"
    )
