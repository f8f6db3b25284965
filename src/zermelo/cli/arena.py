"""`zermelo match`, `zermelo tournament` and `zermelo resume`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_block, print_json, print_line
from zermelo._util.user_files import shown_path
from zermelo.cli import INTERRUPTED, arguments, screen
from zermelo.cli.arguments import Cluster, Workers
from zermelo.errors import FileError, LimitError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from zermelo.arena.executors.executor import Executor
    from zermelo.arena.game_record import GameRecord
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.store import Store
    from zermelo.arena.tournament import Tournament

#: Maximum number of unplayable games to list.
MOST_LISTED = 20
#: Name of the preset tournament of lecture 004.
LECTURE = "lecture-othello"

GameName = Annotated[str, typer.Argument(metavar="GAME", hidden=True)]
PlayerText = Annotated[str, typer.Argument(metavar="PLAYER", hidden=True)]
Games = Annotated[int | None, typer.Option(metavar="N", help="Games per pair of players. Default: 10.")]
Openings = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Openings: plies=N (random moves), chess960, file:PATH, book:PATH or start. Default: plies=4, or start "
        "in games with dice.",
    ),
]
Control = Annotated[
    str,
    typer.Option(
        metavar="LIMIT",
        help="Limit of each player: depth=N, nodes=N, seconds=S per move or clock=60+0.6 per game. Default: no limit.",
    ),
]
Adjudicate = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Rules that end games early: exact, agreed:score=500,plies=8, draw:score=10,plies=16. Default: never.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Random seed of openings, dice and players. Default: 0; random if external programs play.",
    ),
]
MaxPlies = Annotated[int, typer.Option(metavar="N", help="Adjudicate a draw after N plies.")]
StoreFile = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Save the games in FILE, which must not exist. Default: a file in the user's data folder.",
    ),
]
Chart = Annotated[str, typer.Option(metavar="FILE", help="Write a chart of the ratings: .svg, .png or .pdf.")]
AsJson = arguments.Json
Quiet = arguments.Quiet


def match(
    game: GameName,
    first: PlayerText,
    second: PlayerText,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of games, even or 1. Default: 10; with --sprt at most 20,000."),
    ] = None,
    openings: Openings = None,
    control: Control = "",
    sprt: Annotated[
        str, typer.Option(metavar="TEST", help="Stop the match by SPRT: elo0=0,elo1=10,alpha=0.05,beta=0.05.")
    ] = "",
    adjudicate: Adjudicate = "",
    seed: Seed = None,
    max_plies: MaxPlies = 1000,
    store: StoreFile = "",
    workers: Workers = None,
    cluster: Cluster = "",
    chart: Chart = "",
    require_sandbox: arguments.RequireSandbox = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Play two players against each other.

    Each opening is played twice, with sides swapped. Games are saved as they finish. Continue an interrupted match with
    `zermelo resume`.
    """
    from zermelo.arena.plans.entrants import choose_seed
    from zermelo.arena.plans.plan import Plan

    entrants = _entrants([first, second])
    plan = Plan(
        game=game,
        entrants=entrants,
        format="match",
        games=games if games is not None else 20_000 if sprt else 10,
        openings=openings_of(openings),
        control=control,
        adjudication=adjudicate,
        seed=choose_seed(seed, entrants),
        max_plies=max_plies,
        sprt=sprt,
    )
    RunCommand(plan, quiet, as_json, chart, require_sandbox).begin(store, workers, cluster)


#: Options of `tournament` that override a key of the tournament file, with the key.
_OF_PLANS = {
    "kind": "format",
    "games": "games",
    "rounds": "rounds",
    "openings": "openings",
    "control": "control",
    "adjudicate": "adjudication",
    "seed": "seed",
    "max_plies": "max_plies",
}


def tournament(
    context: typer.Context,
    game: Annotated[str, typer.Argument(metavar="FILE|GAME|lecture-othello", hidden=True)],
    players: Annotated[list[str] | None, typer.Argument(metavar="[PLAYER...]", hidden=True)] = None,
    kind: Annotated[
        str, typer.Option("--format", metavar="KIND", help="round-robin, gauntlet, knock-out or swiss.")
    ] = "round-robin",
    games: Games = None,
    rounds: Annotated[
        int, typer.Option(metavar="N", help="Rounds of a Swiss tournament; 0 for log2(players) + 1, rounded up.")
    ] = 0,
    openings: Openings = None,
    control: Control = "",
    adjudicate: Adjudicate = "",
    seed: Seed = None,
    max_plies: MaxPlies = 1000,
    pruning: Annotated[
        bool, typer.Option("--pruning/--no-pruning", help="lecture-othello: search with alpha-beta or plain minimax.")
    ] = True,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="lecture-othello: use move ordering and a transposition table.")
    ] = False,
    store: StoreFile = "",
    workers: Workers = None,
    cluster: Cluster = "",
    chart: Chart = "",
    require_sandbox: arguments.RequireSandbox = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run a round robin, gauntlet, knock-out or Swiss tournament.

    Takes a tournament file (FILE.toml, whose settings the options override) or a game and players. `lecture-othello` is
    the round robin of lecture 004, printed beside the slide's table. Games are saved as they finish. Continue an
    interrupted tournament with `zermelo resume`.
    """
    from zermelo import registry
    from zermelo.arena.plans.entrants import choose_seed
    from zermelo.arena.plans.plan import Plan

    asked = [name for name in context.params if _is_given(context, name)]
    changes = {field: context.params[name] for name, field in _OF_PLANS.items() if name in asked}
    if game != LECTURE and {"pruning", "ordered"} & set(asked):
        raise LimitError(f"--no-pruning and --ordered need {LECTURE}, not {game}")
    if game == LECTURE:
        _no_players(players, f"{LECTURE} has fixed players")
        from zermelo.arena import lecture

        fixed = [field for field in changes if field not in ("games", "seed")]
        if fixed:
            raise LimitError(f"{LECTURE} has a fixed {fixed[0]}: only --games and --seed can be changed")
        plan = replace(lecture.plan(pruning=pruning, ordered=ordered), is_checked=False, **changes)
    elif game.endswith(".toml"):
        _no_players(players, f"{game} names the players")
        if "openings" in changes:
            changes["openings"] = openings_of(openings)
        plan = Plan.from_file(game, changes=changes, announce=None if as_json else partial(_announce, game))
    elif os.path.lexists(game) and not registry.path_of(game) and game not in registry.names():
        raise FileError(
            f"{shown_path(game)}: the name of a tournament file must end in .toml, that of a game file in .py"
        )
    else:
        entrants = _entrants(players or [])
        plan = Plan(
            game=game,
            entrants=entrants,
            format=kind,
            games=10 if games is None else games,
            rounds=rounds,
            openings=openings_of(openings),
            control=control,
            adjudication=adjudicate,
            seed=choose_seed(seed, entrants),
            max_plies=max_plies,
        )
    RunCommand(plan, quiet, as_json, chart, require_sandbox).begin(store, workers, cluster)


def resume(
    store: Annotated[str, typer.Argument(metavar="[FILE]", hidden=True)] = "",
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the programs named in FILE even if it was created on another machine.")
    ] = False,
    workers: Workers = None,
    cluster: Cluster = "",
    chart: Chart = "",
    require_sandbox: arguments.RequireSandbox = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Continue an interrupted match or tournament.

    Without FILE, continues the last one started.
    """
    from zermelo.arena import resume_checks as resuming
    from zermelo.arena import run_directories as places
    from zermelo.arena.store import Store

    path = Path(store) if store else places.latest_store()
    with Store.open(path, write=True, on_wait=screen.report_wait) as kept:
        if not trust:
            resuming.check_trusted(kept)
        plan = kept.checked_plan
        resuming.check_unchanged(plan, kept)
        RunCommand(plan, quiet, as_json, chart, require_sandbox).resume(kept, path, workers, cluster)


def _announce(file: str, parts: list[str]) -> None:
    """Say what a tournament file runs, before any of it is loaded."""
    print_line(f"{shown_path(file)} runs code from outside Zermelo:", error=True)
    for part in parts:
        print_line(f"  {part}", error=True)


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _no_players(players: list[str] | None, why: str) -> None:
    if players:
        raise LimitError(f"{why}: unexpected player {players[0]!r}")


def _entrants(texts: list[str]) -> tuple[Any, ...]:
    """Players from command-line arguments: SPEC or NAME=SPEC."""
    from zermelo.arena.plans.entrants import parse_entrants

    return parse_entrants(texts)


def openings_of(openings: str | None) -> str:
    """Openings of a plan from the option `--openings`."""
    from zermelo.arena.plans.plan import DEFAULT_OPENINGS

    return DEFAULT_OPENINGS if openings is None else openings


class RunCommand:
    """A match or tournament run by one command: live table, final table, chart."""

    def __init__(self, plan: Plan, quiet: bool, as_json: bool, chart: str, require_sandbox: bool) -> None:
        self.plan = plan
        self.require_sandbox = require_sandbox
        self.quiet = quiet
        self.as_json = as_json
        self.chart = chart
        if chart:
            from zermelo.arena.tables import charts

            charts.check(chart)
        self.draw_at = 0.0
        self.progress: screen.Progress

    def begin(self, store: str, workers: int | None, cluster: str) -> None:
        """Start a new run in a new store; no store is created if the run cannot start."""
        from zermelo.arena import run_directories as places
        from zermelo.arena.matches import check_players_start
        from zermelo.arena.store import Store

        check_players_start(self.plan, require_sandbox=self.require_sandbox)
        path = (
            Path(store) if store else places.new_store_path(self.plan.title or f"{self.plan.format}-{self.plan.game}")
        )
        with self._executor(workers, cluster) as executor, Store.create(path, self.plan.as_dict()) as kept:
            self._play(kept, path, executor)

    def resume(self, store: Store, path: Path, workers: int | None, cluster: str) -> None:
        """Play the remaining games and print the table."""
        with self._executor(workers, cluster) as executor:
            self._play(store, path, executor)

    def _play(self, store: Store, path: Path, executor: Executor) -> None:
        from zermelo.arena.tables import ratings
        from zermelo.arena.tournament import Tournament

        run = Tournament(self.plan, store, self._watch, self.require_sandbox)
        began = time.monotonic()
        code = 0
        try:
            with screen.Progress("playing", self.quiet or self._is_watched) as self.progress:
                store.on_wait = screen.report_wait
                self.progress.begin("playing", len(run.results), run.total_games)
                run.run(executor)
        except KeyboardInterrupt:
            code = INTERRUPTED
            run.reload()
        executor.close()  # before the table, so that Ctrl-C does not wait for it
        # Ratings of an interrupted run would often have to wait for the import of SciPy.
        self._report(run, path, time.monotonic() - began, rated=not code or ratings.is_loaded())
        if code or run.failed:
            raise typer.Exit(code or 1)

    # ---- before ---------------------------------------------------------------------------------------------

    @property
    def _is_watched(self) -> bool:
        """Whether a human plays at this terminal; then nothing else is drawn on it."""
        return any(entrant.player == "human" for entrant in self.plan.entrants)

    @contextmanager
    def _executor(self, workers: int | None, cluster: str) -> Iterator[Executor]:
        from zermelo.arena.executors.dask_executor import create_executor

        if cluster and workers is not None:
            raise LimitError("--workers and --cluster cannot be combined")
        if cluster and self._is_watched:
            raise LimitError("a human player needs this terminal; leave out --cluster")
        count = 0 if self._is_watched else arguments.worker_count(workers)
        with create_executor(cluster or None, count, self.plan.game) as executor:
            yield executor

    # ---- meanwhile ------------------------------------------------------------------------------------------

    def _watch(self, run: Tournament, played: GameRecord | None) -> None:
        now = time.monotonic()
        if self.progress.is_live and now > self.draw_at:
            self.progress.body = self._live(run)
            drawn = time.monotonic()
            self.draw_at = drawn + max(0.5, 20 * (drawn - now))  # a table of many games takes a while
        if played is not None or run.failed:
            self.progress.at(f"game {len(run.results):,} of {run.total_games:,}", len(run.results), run.total_games)

    def _live(self, run: Tournament) -> RenderableType:
        """Current table; for two players with Elo and SPRT, which are cheap."""
        from zermelo.cli.standings import renderable

        test = run.sprt()
        return renderable(
            run.standings(rated=len(self.plan.entrants) == 2), brief=True, sprt=test.state if test else None
        )

    # ---- at the end -------------------------------------------------------------------------------------------

    def _report(self, run: Tournament, path: Path, seconds: float, rated: bool) -> None:
        from zermelo.arena.plans.entrants import external_parts
        from zermelo.cli import standings as tables

        table, sprt = run.standings(rated=rated), run.sprt()
        if self.plan.title == LECTURE:
            from zermelo.arena import lecture

            if self.as_json:
                print_json(lecture.as_dict(run.counted_results))
            else:
                print_block(lecture.table(run.counted_results, self.plan, screen.width()))
        elif self.as_json:
            plan = self.plan.as_dict()
            report = {"runs": external_parts(self.plan), "plan": plan, "over": run.is_over, **table.as_dict()}
            report["sprt"] = sprt.state.as_dict() if sprt else None
            failed = [{"number": number, "error": error} for number, error in sorted(run.failed.items())]
            print_json({**report, "not_played": failed, "store": str(path)})
        else:
            tables.print_table(table, sprt.state if sprt else None)
        if self.chart and rated:
            from zermelo.arena.tables.charts import chart

            chart(table, self.chart)
        err = screen.console(stderr=True)
        if not self.as_json:  # JSON lists them itself
            for number, error in sorted(run.failed.items())[:MOST_LISTED]:
                err.print(f"game {number} could not be played: {error}")
            if len(run.failed) > MOST_LISTED:
                err.print(f"... and {formatting.plural(len(run.failed) - MOST_LISTED, 'game')} more")
        if self.quiet or self.as_json:
            return
        if run.games_played and run.schedule.openings.note:
            err.print(run.schedule.openings.note)
        if not run.is_over:
            done = f"interrupted: {len(run.results):,} of {run.total_games:,} games saved"
            err.print(f"{done}; continue with `zermelo resume {path}`")
            if not rated:
                err.print(f"ratings of these games: `zermelo standings {path}`")
        elif run.games_played:
            err.print(
                f"{formatting.plural(run.games_played, 'game')} in {formatting.seconds(seconds)}; saved in {path}"
            )
        elif run.failed:
            err.print(f"no game could be played; saved in {path}")
        else:
            err.print(f"all games were already played; saved in {path}")
