"""`zermelo league`: a tournament of students' agents, with a page for the class and a report per student."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo.cli import arena, formatting, screen
from zermelo.cli.arguments import Cluster, Workers
from zermelo.errors import FileError, LimitError

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
        str, typer.Option(metavar="LIMIT", help="Other limit instead of --seconds, such as clock=60+0.5.")
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
    quiet: arena.Quiet = False,
    as_json: arena.AsJson = False,
) -> None:
    """Play a league of students' agents and write its pages.

    Each FOLDER/NAME.py with a function choose(state) is an agent, run in a sandbox; an agent that fails loses the game,
    and its report says why. Repeat the command to continue an interrupted league and to rewrite its pages.
    """
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.resume_checks import check_unchanged
    from zermelo.arena.store import Store
    from zermelo.arena.tables.league import agents_in, plan_for

    if not 0 < seconds < 1e6:
        raise LimitError(f"--seconds must be above 0 (got {seconds:g})")
    agents = agents_in(folder, game)
    path = Path(store) if store else (out or folder / "league") / STORE_NAME
    if seed is None and path.exists():  # the seed drawn at the start
        with Store.open(path) as begun:
            seed = Plan.from_dict(begun.plan).seed
    plan = plan_for(
        agents,
        game,
        title or f"League of {folder.resolve().name}: {game}",
        against=against or [],
        games=games,
        openings=arena.openings_of(game, openings),
        control=control or f"seconds={seconds:g}",
        seed=seed,
    )
    pages = out or folder / "league"
    try:
        pages.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{pages}: {error.strerror or error}; the pages of a league go to a folder") from None
    for agent in agents:
        if agent.unfit is not None:
            screen.console(stderr=True).print(f"{agent.file} cannot take part: {agent.unfit}")
    with Store.open(path, write=True) if path.exists() else Store.create(path, plan.as_dict()) as kept:
        if kept.plan != plan.as_dict():
            raise LimitError(
                f"{path}: a league of other players or on other terms; --out or --store with another name begins anew"
            )
        check_unchanged(plan, kept)
        ended = None
        try:
            arena.RunCommand(plan, quiet, as_json, "").resume(kept, path, workers, cluster)
        except typer.Exit as exit:  # interrupted, or some games could not be played: the pages show the others
            ended = exit
        _write(kept, plan, agents, pages, quiet)
    if not quiet and not as_json:
        print(f"\n  the league's page: {pages / 'index.html'}")
    if ended is not None:
        raise ended


def _write(kept: Store, plan: Plan, agents: list[Agent], pages: Path, quiet: bool) -> None:
    from zermelo.arena.tables.league import gathered
    from zermelo.arena.tables.league_page import write
    from zermelo.arena.tournament import Tournament

    with screen.Progress("reading the games", quiet, compiles=False) as progress:
        gathering = gathered(plan, kept, agents, Tournament(plan, kept).is_over)
        write(gathering, pages, lambda done, whole: progress.begin(f"report {formatting.count(done)}", done, whole))
