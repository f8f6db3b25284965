"""`zermelo learn`: labelled positions, and evaluations fitted to them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Workers
from zermelo.errors import LimitError, ZermeloError

Weights = Annotated[
    str | None, typer.Option("--weights", metavar="FILE", help="Weight file for the evaluation of the searches.")
]


class GameFirst(TyperGroup):
    """A group whose first argument is a game, `zermelo learn GAME ACTION`, which the command gets as its argument."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if len(args) > 1 and args[0] not in self.commands and args[1] in self.commands:
            args = [args[1], args[0], *args[2:]]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["GAME ACTION [OPTIONS]"]


def positions(
    game: Game,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Output file: .positions, or as text .jsonl, .csv, .parquet.")
    ],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 100,
    evaluation: EvaluationName = None,
    weights: Weights = None,
    depth: Annotated[
        str, typer.Option(metavar="N,...", help="Depths of the searches in plies; each game has one of them.")
    ] = "4",
    random_plies: Annotated[
        str, typer.Option(metavar="N or A-B", help="Number of random moves at the start of a game.")
    ] = "8",
    mix: Annotated[float, typer.Option(metavar="P", help="Probability of a random move later, 0 to 1.")] = 0.0,
    solve_plies: Annotated[int, typer.Option(metavar="N", help="Solve the last N positions of each game exactly.")] = 0,
    solve_nodes: Annotated[
        int, typer.Option(metavar="N", help="Nodes for each of these; earlier positions are then not solved.")
    ] = 1_000_000,
    positions: Annotated[int, typer.Option(metavar="N", help="Positions to keep per game; 0 keeps all.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same file.")] = 0,
    max_plies: Annotated[int, typer.Option(metavar="N", help="Adjudicate a draw after N plies.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Generate labelled positions by self-play, for fitting evaluations.

    The searches that play the games label the positions. Repeat the command to continue after an interruption. A
    finished file is not overwritten without --force.
    """
    from zermelo.arena.executors.executor import Task, results_in_order
    from zermelo.learn import generate_positions

    started = time.monotonic()
    done = 0
    with screen.Progress("playing", quiet) as progress, arguments.blaming(arguments.load(game)):

        def on_progress(finished: int, total: int) -> None:
            nonlocal done
            if not done:
                progress.begin("playing and labelling", finished, total)
            done = finished
            progress.at(f"game {finished:,} of {total:,}", finished, total)

        def run(tasks: Iterable[str]) -> Iterator[str]:
            with arguments.executor(workers, cluster, game) as executor:
                numbered = (Task(number, "positions", data) for number, data in enumerate(tasks))
                for outcome in results_in_order(executor, numbered):
                    if outcome.data is None:
                        raise ZermeloError(outcome.error or "a task failed")
                    yield outcome.data

        try:
            summary = generate_positions(
                game,
                out,
                overwrite=force,
                run=run,
                on_progress=on_progress,
                games=games,
                evaluation=evaluation,
                weights=None if weights is None else str(Path(weights).resolve()),
                depths=numbers(depth, "--depth"),
                random_plies=span(random_plies, "--random-plies"),
                mix=mix,
                solve_plies=solve_plies,
                solve_nodes=solve_nodes,
                positions=positions,
                seed=seed,
                max_plies=max_plies,
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


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Read numbers separated by commas. Raises `LimitError`."""
    if not re.fullmatch(r"\d{1,6}(,\d{1,6})*", text):
        raise LimitError(f"{option} must be numbers separated by commas (got {text!r})")
    return tuple(map(int, text.split(",")))


def span(text: str, option: str) -> tuple[int, int]:
    """Read one number, or two as A-B. Raises `LimitError`."""
    if not re.fullmatch(r"\d{1,6}(-\d{1,6})?", text):
        raise LimitError(f"{option} must be a number, or two as 4-12 (got {text!r})")
    ends = [int(each) for each in text.split("-")]
    return ends[0], ends[-1]
