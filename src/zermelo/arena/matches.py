"""Matches and tournaments as one call, for programs and notebooks; the command line has `zermelo match`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from zermelo.arena.executors.dask_executor import create_executor
from zermelo.arena.plans.plan import Plan, parse_entrants
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Standings
from zermelo.arena.tournament import Tournament
from zermelo.errors import StoreError, ZermeloError


def match(
    game: str,
    first: str,
    second: str,
    *,
    games: int = 10,
    openings: str = "plies=4",
    control: str = "",
    seed: int = 0,
    workers: int = 0,
    store: str | os.PathLike[str] | None = None,
) -> Standings:
    """Play a match of two players, named by their texts as on the command line, and return its table.

    `game`: a name, or path/to/game.py:Class. `games`: even, as each opening is played twice with the sides changed. The
    other options as in `zermelo match`; `workers`: processes, 0 for this one; `store`: a new file to keep the games in.
    Raises a `ZermeloError` that says what is wrong.

    >>> table = match("tictactoe", "random", "b=random", games=4, seed=1)
    >>> table.games, sum(row.points for row in table.rows)
    (4, 4.0)
    """
    entrants = parse_entrants([first, second])
    plan = Plan(game, entrants, "match", games, openings=openings, control=control, seed=seed)
    return play(plan, workers=workers, store=store)


def play(
    plan: Plan, *, workers: int = 0, cluster: str | None = None, store: str | os.PathLike[str] | None = None
) -> Standings:
    """Play all that a plan asks for and return the table; arguments as in `match`.

    A `store` that is there and belongs to the same plan is gone on with. Without one the games are gone in the end.
    Raises a `ZermeloError`, among others where a game could not be played.
    """
    if store is None:
        with tempfile.TemporaryDirectory(prefix="zermelo-") as folder:
            return play(plan, workers=workers, cluster=cluster, store=Path(folder) / "games.zermelo")
    path = Path(store)
    with Store.open(path, write=True) if path.exists() else Store.create(path, plan.as_dict()) as kept:
        if kept.plan != plan.as_dict():
            raise StoreError(f"{path}: the games of another plan; give the store another name")
        run = Tournament(plan, kept)
        with create_executor(cluster, workers, plan.game) as crew:
            run.go(crew)
        if run.failed:
            number, error = next(iter(run.failed.items()))
            raise ZermeloError(f"{len(run.failed)} of {run.total} games could not be played: game {number}: {error}")
        return run.standings()
