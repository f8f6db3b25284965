"""A class league as one call: play all agents of a directory and write the pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from zermelo._util.user_files import shown_path
from zermelo.arena.executors.dask_executor import create_executor
from zermelo.arena.matches import OnProgress, open_or_create
from zermelo.arena.plans.plan import DEFAULT_OPENINGS
from zermelo.arena.resume_checks import check_unchanged
from zermelo.arena.store import Store
from zermelo.arena.tables.league import League, collect_league, find_agents, league_plan
from zermelo.arena.tables.league_page import write_league
from zermelo.arena.tournament import Tournament
from zermelo.errors import LimitError

#: Name of the store beside the pages.
STORE_NAME = "games.zermelo"


def play_league(
    directory: str | os.PathLike[str],
    *,
    game: str = "othello",
    games: int = 2,
    seconds: float = 1.0,
    control: str = "",
    against: Sequence[str] = (),
    openings: str | None = None,
    seed: int | None = None,
    title: str = "",
    output: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    workers: int = 0,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
    require_sandbox: bool = False,
) -> League:
    """Play every agent of a directory against every other and write the pages. A second call continues.

    Parameters
    ----------
    directory : path
        Directory with one file NAME.py per agent, each with a function `choose(state)`. Agents run in sandboxes.
    game : str
        Name of the game, or path/to/game.py:Class.
    games : int
        Games per pairing, even.
    seconds : float
        Time per move; an agent that takes longer loses the game.
    control : str
        Another time control, such as "clock=60+0.5".
    against : sequence of str
        Specs of additional players, such as "random".
    openings : str, optional
        Where games begin; see `Plan`. By default 4 random plies.
    seed : int, optional
        Seed; by default random, and that of the store if the league is continued.
    title : str
        Title of the pages.
    output : path, optional
        Directory of the pages; by default DIRECTORY/league.
    store : path, optional
        File of the games; by default OUTPUT/games.zermelo.
    workers : int
        Number of worker processes; 0: this process.
    cluster : str, optional
        A Dask cluster instead of local workers.
    on_progress : callable, optional
        Called after each game; see `Tournament`.
    require_sandbox : bool
        See `match`.

    Returns
    -------
    League

    Raises
    ------
    ZermeloError
        A parameter is invalid, the store has another plan, or an agent has changed since it played.
    """
    source = Path(directory)
    pages = Path(output) if output is not None else source / "league"
    path = Path(store) if store is not None else pages / STORE_NAME
    agents = find_agents(source, game)
    plan = league_plan(
        agents,
        game,
        title or default_title(source, game),
        against=against,
        games=games,
        openings=DEFAULT_OPENINGS if openings is None else openings,
        control=control or move_time(seconds),
        seed=stored_seed(path) if seed is None else seed,
    )
    pages.mkdir(parents=True, exist_ok=True)
    with open_or_create(path, plan) as opened:
        check_unchanged(plan, opened)
        tournament = Tournament(plan, opened, on_progress, require_sandbox)
        with create_executor(cluster, workers, game) as executor:
            tournament.run(executor)
        league = collect_league(plan, opened, agents, tournament.is_over)
    write_league(league, pages)
    return league


def default_title(directory: Path, game: str) -> str:
    """Return the default title of a league."""
    return f"League of {shown_path(directory.resolve().name)}: {game}"


def move_time(seconds: float) -> str:
    """Return the time control of a time per move. Raises `LimitError`."""
    if not 0 < seconds < 1e6:
        raise LimitError(f"--seconds must be above 0 and below 1,000,000 (got {seconds:g})")
    return f"seconds={seconds:g}"


def stored_seed(store: Path) -> int | None:
    """Return the seed of an existing store, which was drawn when the league began; None if there is no store."""
    if not store.exists():
        return None
    with Store.open(store) as opened:
        return opened.checked_plan.seed
