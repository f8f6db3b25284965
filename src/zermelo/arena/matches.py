"""Matches and tournaments as one call: play, resume, and read the standings of a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from zermelo._util import temporary
from zermelo.arena.executors.dask_executor import create_executor
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.entrants import Entrant, choose_seed, is_external, parse_entrant, with_default_names
from zermelo.arena.plans.plan import DEFAULT_OPENINGS, Plan
from zermelo.arena.resume_checks import check_trusted, check_unchanged
from zermelo.arena.run_directories import latest_store
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Standings
from zermelo.arena.tournament import Tournament
from zermelo.core.game import State
from zermelo.errors import InputError, LimitError, StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.players.objects import PlayerLike

#: Games that a table carries along, to be shown in notebooks.
MAX_RECORDS = 20
#: Called with the tournament and the finished game, or None; see `Tournament.on_progress`.
OnProgress = Callable[[Tournament, GameRecord | None], None]


def match(
    game: str | type[State],
    first: PlayerLike,
    second: PlayerLike,
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
    require_sandbox: bool = False,
) -> Standings:
    """Play a match of two players and return its table.

    Parameters
    ----------
    game : str or type of State
        Name of the game, path/to/game.py:Class, or its class.
    first, second : str, Evaluation, Engine, MonteCarlo, Player or callable
        Players as on the command line: `SPEC` or `NAME=SPEC`, such as "engine:depth=6" or "SF=uci:stockfish". Or
        Python objects, which play in this process: an evaluation (the engine plays with it), an engine (which keeps
        its memory), a `Player`, or a function `(state, clock) -> move`. In games with hidden information a function
        gets the player's view, `zermelo.arena.PlayerView`, instead of the state.
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
    require_sandbox : bool
        Run no Python agent in a process that lacks a restriction of the sandbox: its games count as not played.

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
    return play_tournament(
        game,
        [first, second],
        "match",
        games=games,
        openings=openings,
        control=control,
        adjudication=adjudication,
        sprt=sprt,
        seed=seed,
        max_plies=max_plies,
        workers=workers,
        cluster=cluster,
        store=store,
        require_sandbox=require_sandbox,
    )


def play_tournament(
    game: str | type[State],
    players: Sequence[PlayerLike] | Mapping[str, PlayerLike],
    format: str = "round-robin",
    *,
    games: int = 2,
    rounds: int = 0,
    openings: str | None = None,
    control: str = "",
    adjudication: str = "",
    sprt: str = "",
    seed: int | None = None,
    max_plies: int = 1000,
    workers: int = 0,
    cluster: str | None = None,
    store: str | os.PathLike[str] | None = None,
    require_sandbox: bool = False,
) -> Standings:
    """Play a tournament and return its table.

    Parameters not listed here are those of `match`.

    Parameters
    ----------
    players : sequence or mapping
        The players, as in `match`; in a mapping by the names that the table shows.
    format : str
        "round-robin", "gauntlet", "knock-out", "swiss" or "match"; see `Plan`.
    games : int
        Games per pairing: even, or 1.
    rounds : int
        Rounds of a Swiss tournament; 0: the default of `Plan`.

    Raises
    ------
    LimitError
        A parameter is out of range, or `workers` or `cluster` is given for players that are Python objects.
    ZermeloError
        As `match`.

    Examples
    --------
    >>> import zermelo
    >>> connect4 = zermelo.load("connect4")
    >>> first = lambda state, clock: state.legal_moves()[0]
    >>> table = play_tournament(connect4, {"first": first, "a": "random", "b": "random"}, games=2, seed=1)
    >>> table.games, {row.name for row in table.rows} == {"first", "a", "b"}
    (6, True)
    """
    from zermelo import registry
    from zermelo.arena.players.objects import object_name, registered

    if not isinstance(game, str) and not (isinstance(game, type) and issubclass(game, State)):
        raise InputError(f"game: expected a name or the class of a game, got {game!r}")
    name = game if isinstance(game, str) else registry.name_of(game)
    named = list(players.items()) if isinstance(players, Mapping) else [("", player) for player in players]
    objects = [player for _, player in named if not isinstance(player, str)]
    in_process = "player" if objects else "game" if name.startswith("class:") else ""
    if in_process and (workers or cluster is not None):
        raise LimitError(f"a {in_process} that is a Python object is in this process: leave out workers and cluster")
    with registered([player for _, player in named]) as specs:
        # A game file is code, so it is not loaded before the plan is checked, unless objects of its own play.
        cls = registry.load(name) if objects else State
        texts = [player if isinstance(player, str) else object_name(cls, player) for _, player in named]
        rows = [
            Entrant(label, text) if label or not isinstance(player, str) else parse_entrant(text)
            for (label, player), text in zip(named, texts, strict=True)
        ]
        entrants = tuple(
            entrant if isinstance(player, str) else replace(entrant, player=spec)
            for entrant, (_, player), spec in zip(with_default_names(rows), named, specs, strict=True)
        )
        plan = Plan(
            name,
            entrants,
            format,
            games,
            rounds,
            openings=DEFAULT_OPENINGS if openings is None else openings,
            control=control,
            adjudication=adjudication,
            seed=choose_seed(seed, entrants),
            max_plies=max_plies,
            sprt=sprt,
        )
        return play(plan, workers=workers, cluster=cluster, store=store, require_sandbox=require_sandbox)


def play(
    plan: Plan,
    *,
    workers: int = 0,
    cluster: str | None = None,
    store: str | os.PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    require_sandbox: bool = False,
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
    require_sandbox : bool
        See `match`.

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
        with temporary.Folder() as directory:
            path = Path(directory) / "games.zermelo"
            return play(
                plan,
                workers=workers,
                cluster=cluster,
                store=path,
                on_progress=on_progress,
                require_sandbox=require_sandbox,
            )
    with open_or_create(store, plan) as opened:
        check_unchanged(plan, opened)
        return _play(plan, opened, workers, cluster, on_progress, require_sandbox)


def resume(
    store: str | os.PathLike[str] | None = None,
    *,
    trust: bool = False,
    workers: int = 0,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
    require_sandbox: bool = False,
) -> Standings:
    """Continue an interrupted match or tournament and return the table.

    Parameters
    ----------
    store : path, optional
        The store; by default the latest one without a name of its own.
    trust : bool
        Run the programs and files that the plan names although the store was not created here.
    workers, cluster, on_progress, require_sandbox
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
        plan = opened.checked_plan
        check_unchanged(plan, opened)
        return _play(plan, opened, workers, cluster, on_progress, require_sandbox)


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
    tournament = Tournament(store.checked_plan, store)
    tournament.failed.update(store.failures())
    return tournament


def open_or_create(store: str | os.PathLike[str], plan: Plan, on_wait: Callable[[str], None] | None = None) -> Store:
    """Open a plan's store for writing, or create it; `on_wait` is that of `Store.open`.

    Raises
    ------
    StoreError
        The store has another plan.
    """
    path = Path(store)
    if not path.exists():
        return Store.create(path, plan.as_dict())
    opened = Store.open(path, write=True, on_wait=on_wait)
    try:
        known = opened.checked_plan
    except BaseException:
        opened.close()
        raise
    if known != plan:
        opened.close()
        wanted = plan.as_dict()
        others = ", ".join(name for name, value in known.as_dict().items() if wanted.get(name) != value)
        raise StoreError(f"{path}: contains the games of a plan with other {others}; choose another file")
    return opened


def check_players_start(plan: Plan, *, require_sandbox: bool = False) -> None:
    """Start each external player once, so that one that cannot start is reported before any game.

    Raises
    ------
    ZermeloError
        A player cannot start, or not with all restrictions of the sandbox if they are required.
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
        player = player_for(cls, entrant.player, require_sandbox=require_sandbox)
        try:
            player.new_game(GameSetup(cls.start(), MAX, 0))
        except ProgramFailure as failure:
            raise ZermeloError(f"player {entrant.name}: {failure}") from None
        finally:
            player.close()


def _play(
    plan: Plan,
    store: Store,
    workers: int,
    cluster: str | None,
    on_progress: OnProgress | None,
    require_sandbox: bool,
) -> Standings:
    tournament = Tournament(plan, store, on_progress, require_sandbox)
    with create_executor(cluster, workers, plan.game) as executor:
        tournament.run(executor)
    if tournament.failed:
        number, error = next(iter(tournament.failed.items()))
        raise ZermeloError(
            f"{len(tournament.failed)} of {tournament.total_games} games could not be played: game {number}: {error}"
        )
    return replace(tournament.standings(), records=tuple(islice(store.games(), MAX_RECORDS)))
