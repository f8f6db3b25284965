"""`zermelo league`: a tournament of students' agents, with a page for the class and a report per student."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_line
from zermelo.cli import INTERRUPTED, arena, arguments, screen
from zermelo.cli.arguments import Cluster, Workers
from zermelo.errors import FileError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.store import Store
    from zermelo.arena.tables.league import Agent

#: Default file name of a league's store, beside its pages.
STORE_NAME = "games.zermelo"


def league(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", hidden=True)],
    game: Annotated[str, typer.Option(metavar="GAME", help="Game to play.")] = "othello",
    games: Annotated[int, typer.Option(metavar="N", help="Games per pair of players, half with each side.")] = 2,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Time limit per move in seconds; exceeding it loses the game.")
    ] = 1.0,
    control: Annotated[
        str, typer.Option(metavar="LIMIT", help="Time control or limit instead of --seconds, such as clock=60+0.5.")
    ] = "",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="Add a built-in player: random, diff:1. May be repeated."),
    ] = None,
    openings: arena.Openings = None,
    seed: arena.Seed = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the pages. Default: League of FOLDER.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the pages. Default: FOLDER/league.")
    ] = None,
    store: Annotated[
        str, typer.Option("--store", metavar="FILE", help=f"Store for the games. Default: OUT/{STORE_NAME}.")
    ] = "",
    workers: Workers = None,
    cluster: Cluster = "",
    require_sandbox: arguments.RequireSandbox = False,
    pages_only: Annotated[
        bool, typer.Option("--pages-only", help="Write the pages of the games that are saved; play none.")
    ] = False,
    quiet: arena.Quiet = False,
    as_json: arena.AsJson = False,
) -> None:
    """Play a league of students' agents and write its pages.

    Each FOLDER/NAME.py with a function choose(state) is an agent, run in a sandbox; an agent that fails loses the game,
    and its report says why. Repeat the command to continue an interrupted league; with --pages-only it writes the pages
    of the games so far.
    """
    from zermelo.arena.leagues import default_title, move_time, stored_seed
    from zermelo.arena.matches import open_or_create
    from zermelo.arena.resume_checks import check_unchanged
    from zermelo.arena.tables.league import find_agents, league_plan

    time_control = control or move_time(seconds)
    agents = find_agents(folder, game)
    for agent in agents:
        if agent.problem is not None:
            screen.console(stderr=True).print(f"{agent.file} cannot take part: {agent.problem}")
    path = Path(store) if store else (out or folder / "league") / STORE_NAME
    if pages_only and not path.exists():
        raise FileError(f"{path}: no saved games; leave out --pages-only to play them")
    plan = league_plan(
        agents,
        game,
        title or default_title(folder, game),
        against=against or [],
        games=games,
        openings=arena.openings_of(openings),
        control=time_control,
        seed=stored_seed(path) if seed is None else seed,
    )
    pages = out or folder / "league"
    try:
        pages.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create {pages}: {error.strerror or error}") from None
    with open_or_create(path, plan, screen.report_wait) as kept:
        check_unchanged(plan, kept)
        ended = None
        try:
            if not pages_only:
                command = arena.RunCommand(plan, quiet, as_json, "", require_sandbox)
                command.resume(kept, path, workers, cluster)
        except typer.Exit as exit:
            if exit.exit_code == INTERRUPTED:  # the pages of many games take a while
                raise
            ended = exit  # some games could not be played: the pages show the others
        _write(kept, plan, agents, pages, quiet)
    if not quiet and not as_json:
        print_line()
        print_line(f"  league page: {pages / 'index.html'}")
    if ended is not None:
        raise ended


def _write(kept: Store, plan: Plan, agents: list[Agent], pages: Path, quiet: bool) -> None:
    from zermelo.arena.tables.league import collect_league
    from zermelo.arena.tables.league_page import write_league
    from zermelo.arena.tournament import Tournament

    with screen.Progress("reading the games", quiet, compiles=False) as progress:
        collected = collect_league(plan, kept, agents, Tournament(plan, kept).is_over)
        write_league(
            collected, pages, lambda done, total: progress.begin(f"report {formatting.count(done)}", done, total)
        )
