"""Matches and tournaments as one call: play, resume, and read the standings of a store."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from zermelo.arena.executors.dask_executor import create_executor
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.entrants import choose_seed, is_external, parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.resume_checks import check_trusted, check_unchanged
from zermelo.arena.run_directories import latest_store
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Standings
from zermelo.arena.tournament import Tournament
from zermelo.errors import StoreError, ZermeloError

#: Called with the tournament and the finished game, or None; see `Tournament.on_progress`.
OnProgress = Callable[[Tournament, GameRecord | None], None]


def match(
    game: str,
    first: str,
    second: str,
    *,
    games: int = 10,
    openings: str | None = None,
    control: str = "",
    adjudication: str = "",
    sprt: str = "",
    seed: int | None = None,
    max_plies: int = 1000,
    workers: int = 0,
    cluster: str | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Standings:
    """Play a match of two players and return its table.

    Parameters
    ----------
    game : str
        Name of the game, or path/to/game.py:Class.
    first, second : str
        Players as on the command line: `SPEC` or `NAME=SPEC`, such as "engine:depth=6" or "SF=uci:stockfish".
    games : int
        Number of games: even, because each opening is played twice with reversed sides, or 1.
    openings : str, optional
        Where games begin; see `Plan`. By default 4 random plies; the start position in games of chance.
    control, adjudication, sprt, max_plies
        See `Plan`.
    seed : int, optional
        See `Plan`. By default 0; random if an external player takes part, so that it cannot predict openings and dice.
    workers : int
        Number of worker processes; 0: play in this process.
    cluster : str, optional
        A Dask cluster instead of local workers, such as "tcp://HOST:8786".
    store : path, optional
        File for the games; by default they are not kept.

    Raises
    ------
    ZermeloError
        A parameter is invalid, a player cannot start, or a game could not be played.

    Examples
    --------
    >>> table = match("tictactoe", "random", "b=random", games=4, seed=1)
    >>> table.games, sum(row.points for row in table.rows)
    (4, 4.0)
    """
    entrants = parse_entrants([first, second])
    plan = Plan(
        game,
        entrants,
        "match",
        games,
        openings=default_openings(game) if openings is None else openings,
        control=control,
        adjudication=adjudication,
        seed=choose_seed(seed, entrants),
        max_plies=max_plies,
        sprt=sprt,
    )
    return play(plan, workers=workers, cluster=cluster, store=store)


def play(
    plan: Plan,
    *,
    workers: int = 0,
    cluster: str | None = None,
    store: str | os.PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
) -> Standings:
    """Play a plan to its end and return the table.

    Parameters
    ----------
    plan : Plan
        What to play.
    workers : int
        Number of worker processes; 0: play in this process.
    cluster : str, optional
        A Dask cluster instead of local workers.
    store : path, optional
        File for the games. If it exists and has the same plan, the tournament is continued. By default the games are
        not kept.
    on_progress : callable, optional
        Called after each game and at least every 0.1 s; see `Tournament`.

    Raises
    ------
    StoreError
        The store has another plan or cannot be written.
    ZermeloError
        A game could not be played. All other games are played and saved first.
    KeyboardInterrupt
        Ctrl-C was pressed; all finished games are saved.
    """
    if store is None:
        with tempfile.TemporaryDirectory(prefix="zermelo-") as directory:
            path = Path(directory) / "games.zermelo"
            return play(plan, workers=workers, cluster=cluster, store=path, on_progress=on_progress)
    with open_or_create(store, plan) as opened:
        check_unchanged(plan, opened)
        return _play(plan, opened, workers, cluster, on_progress)


def resume(
    store: str | os.PathLike[str] | None = None,
    *,
    trust: bool = False,
    workers: int = 0,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
) -> Standings:
    """Continue an interrupted match or tournament and return the table.

    Parameters
    ----------
    store : path, optional
        The store; by default the latest one without a name of its own.
    trust : bool
        Run the programs and files that the plan names although the store was not created here.
    workers, cluster, on_progress
        See `play`.

    Raises
    ------
    StoreError
        The store is not trusted, an agent has changed, or the store cannot be opened.
    ZermeloError
        A game could not be played.
    """
    with Store.open(store if store is not None else latest_store(), write=True) as opened:
        if not trust:
            check_trusted(opened)
        plan = Plan.from_dict(opened.plan)
        check_unchanged(plan, opened)
        return _play(plan, opened, workers, cluster, on_progress)


def standings(store: str | os.PathLike[str] | None = None, *, anchor: str | None = None) -> Standings:
    """Return the table of a store, also while its tournament runs.

    Parameters
    ----------
    store : path, optional
        The store; by default the latest one without a name of its own.
    anchor : str, optional
        Player whose Elo is 0; by default the mean is 0.

    Raises
    ------
    StoreError
        The store cannot be read.
    InputError
        The anchor is not a player.
    """
    with Store.open(store if store is not None else latest_store()) as opened:
        return stored_tournament(opened).standings(anchor=anchor)


def stored_tournament(store: Store) -> Tournament:
    """Return the tournament of a store with its failed games, for reading its state."""
    tournament = Tournament(Plan.from_dict(store.plan), store)
    tournament.failed.update(store.failures())
    return tournament


def open_or_create(store: str | os.PathLike[str], plan: Plan) -> Store:
    """Open a plan's store for writing, or create it.

    Raises
    ------
    StoreError
        The store has another plan.
    """
    path = Path(store)
    if not path.exists():
        return Store.create(path, plan.as_dict())
    opened = Store.open(path, write=True)
    try:
        same = Plan.from_dict(opened.plan) == plan
    except BaseException:
        opened.close()
        raise
    if not same:
        opened.close()
        raise StoreError(f"{path}: contains the games of another plan; choose another file")
    return opened


def default_openings(game: str) -> str:
    """Return the default openings of a game: 4 random plies, or the start position if the game has dice."""
    from zermelo import registry

    return "" if registry.load(game).has_chance else "plies=4"


def check_players_start(plan: Plan) -> None:
    """Start each external player once, so that one that cannot start is reported before any game.

    Raises
    ------
    ZermeloError
        A player cannot start.
    """
    from zermelo import registry
    from zermelo.arena.players.player import GameSetup
    from zermelo.arena.players.specs import player_for
    from zermelo.core.game import MAX
    from zermelo.sandbox.failure import ProgramFailure

    cls = registry.load(plan.game)
    for entrant in plan.entrants:
        if not is_external(entrant.player):
            continue
        player = player_for(cls, entrant.player)
        try:
            player.new_game(GameSetup(cls.start(), MAX, 0))
        except ProgramFailure as failure:
            raise ZermeloError(f"player {entrant.name}: {failure}") from None
        finally:
            player.close()


def _play(plan: Plan, store: Store, workers: int, cluster: str | None, on_progress: OnProgress | None) -> Standings:
    tournament = Tournament(plan, store, on_progress)
    with create_executor(cluster, workers, plan.game) as executor:
        tournament.run(executor)
    if tournament.failed:
        number, error = next(iter(tournament.failed.items()))
        raise ZermeloError(
            f"{len(tournament.failed)} of {tournament.total_games} games could not be played: game {number}: {error}"
        )
    return tournament.standings()
