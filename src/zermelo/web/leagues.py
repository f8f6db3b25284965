"""Leagues and matches: the tables of stores that may be growing, and replays of their games.

Stores are named on the command line. One task for each watched store looks at its files once a second; only if they
have changed are the new games and the games in progress read, once for all who watch.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from zermelo import registry
from zermelo.arena.export import score_text
from zermelo.arena.game_record import GameRecord, GameResult, MoveReport
from zermelo.arena.live_table import LiveTable
from zermelo.arena.replay import replay
from zermelo.arena.store import Store
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import StoreError, ZermeloError
from zermelo.formatting import does, with_minus
from zermelo.interactive.course import GameInProgress
from zermelo.search.scores import is_decided, ranked
from zermelo.web.agent_leagues import AgentLeagues
from zermelo.web.errors import RequestError, field, not_found
from zermelo.web.live_boards import LiveBoards, LiveGame
from zermelo.web.routing import Channel, Endpoint, NoRequest, Request, Socket, endpoint, websocket
from zermelo.web.services import Services

#: Seconds between two looks at the files of a watched store.
PERIOD = 1.0
#: Most players with a cross table, and most of the latest games.
MAX_CROSS, MAX_LATEST = 40, 12
#: Most games of one list.
MAX_LISTED = 200


class LeaguePath(Request, frozen=True):
    """A league by its name."""

    name: Annotated[str, Meta(max_length=100)]


class GamesRequest(LeaguePath, frozen=True):
    """Finished games, the latest number first."""

    #: Only games of this player; empty: all.
    player: Annotated[str, Meta(max_length=200)] = ""
    first: Annotated[int, Meta(ge=0, le=10**9)] = 0
    count: Annotated[int, Meta(ge=1, le=MAX_LISTED)] = 50


class GamePath(LeaguePath, frozen=True):
    """A game by its number."""

    number: Annotated[int, Meta(ge=0)]


class LeagueRow(msgspec.Struct, frozen=True):
    """A player's row of the table. `elo` is that of all players' mean, with half of its 95 % interval."""

    rank: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    elo: float | None
    error: float | None
    #: ">" or "<" if `elo` is a bound.
    bound: str
    los: float | None
    #: Games lost by a failure, by termination.
    failures: dict[str, int]
    seconds_per_move: float | None


class CrossScore(msgspec.Struct, frozen=True):
    """The points of a player against another."""

    player: str
    against: str
    points: float
    games: int


class DifferenceData(msgspec.Struct, frozen=True):
    """The Elo difference of the two players of a match."""

    player: str
    against: str
    elo: float
    error: float | None
    los: float | None


class SprtData(msgspec.Struct, frozen=True):
    """A sequential probability ratio test. The verdict is H0, H1, or empty while it is undecided."""

    hypotheses: str
    llr: float
    lower: float
    upper: float
    verdict: str
    pairs: int
    counts: tuple[int, ...]


class GameRow(msgspec.Struct, frozen=True):
    """A finished game. Points are those of MAX's player; the times are those of all moves of MAX's and MIN's player."""

    number: int
    players: tuple[str, str]
    points: float
    termination: str
    detail: str
    plies: int
    round: int
    seconds: tuple[float, float]


class LeagueData(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="table"):
    """The table of a league. After a problem, the other fields are those of the last reading."""

    name: str
    #: Grows with each change.
    version: int
    title: str = ""
    game: str = ""
    control: str = ""
    format: str = ""
    played: int = 0
    total: int = 0
    is_over: bool = False
    #: Whether a process seems to be playing.
    is_running: bool = False
    #: Whether the page may end it.
    can_stop: bool = False
    distinct: int = 0
    plies: float | None = None
    rows: list[LeagueRow] = []
    cross: list[CrossScore] = []
    difference: DifferenceData | None = None
    sprt: SprtData | None = None
    terminations: dict[str, int] = {}
    notes: list[str] = []
    latest: list[GameRow] = []
    failed: int = 0
    problem: str = ""


class LiveGames(msgspec.Struct, frozen=True, tag_field="kind", tag="games"):
    """The games in progress, at most four; `now` is the server's Unix time."""

    now: float
    games: list[LiveGame]


class LeagueName(msgspec.Struct, frozen=True):
    """A league in the list."""

    name: str
    title: str
    game: str
    players: int
    played: int
    total: int
    is_over: bool
    is_running: bool
    problem: str


class LeagueList(msgspec.Struct, frozen=True):
    """The leagues, and the games of which the page may start one: none without `--allow-agents`."""

    leagues: list[LeagueName]
    can_start: bool
    agents: list[str]


class GameList(msgspec.Struct, frozen=True):
    """Some finished games, and the number of all that match."""

    games: list[GameRow]
    total: int


class PlayedMove(msgspec.Struct, frozen=True):
    """A move of a replay. The player is 0 for MAX's, 1 for MIN's, -1 for openings and chance events."""

    text: str
    player: int
    seconds: float
    nodes: int
    depth: int
    #: From MAX's point of view, in the player's own unit; null if it reported none.
    score: int | None
    #: The score as text: chess in pawns or moves to mate, other games in the player's own unit; empty without one.
    shown: str = ""
    #: The winner if the score is that of a proven win: "crosses win"; else empty.
    proven: str = ""


class Replay(msgspec.Struct, frozen=True):
    """A game with its moves. Positions are those of `POST /api/position` after the first moves."""

    game: GameRow
    #: Name of the game for `POST /api/position`; empty if the server does not offer it, and then there are no moves.
    plays: str
    position: str
    moves: list[PlayedMove]
    problem: str


# ---- watching ---------------------------------------------------------------------------------------------------


class WatchedLeague:
    """A store and those who watch it."""

    def __init__(self, services: Services, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self._services = services
        self._table: LiveTable | None = None
        self._signature: object = None
        self._data = LeagueData(name=name, version=0)
        self._boards = LiveBoards(services, path)
        self._games: list[LiveGame] = []
        self._reading = asyncio.Lock()
        self._changed = asyncio.Event()
        self._watchers = 0
        self._task: asyncio.Task[None] | None = None

    async def data(self) -> LeagueData:
        """The table now."""
        async with self._reading:
            signature = _signature(self.path)
            if signature != self._signature or self._data.problem or not self._data.version:
                try:
                    found = await self._services.in_thread(self._read)
                    self._signature = signature
                except ZermeloError as error:
                    if isinstance(error, RequestError):
                        raise
                    found = msgspec.structs.replace(self._data, problem=str(error), is_running=False)
                self._publish(found)
            else:
                is_running = self._table is not None and self._table.has_writer and not self._data.is_over
                self._publish(msgspec.structs.replace(self._data, is_running=is_running))
        return self._data

    def _publish(self, found: LeagueData) -> None:
        """Tell those who watch, if something has changed."""
        can_stop = self._services.get(AgentLeagues).runs(self.name)
        found = msgspec.structs.replace(found, version=self._data.version, can_stop=can_stop)
        if found == self._data and found.version:
            return
        self._data = msgspec.structs.replace(found, version=found.version + 1)
        self._wake()

    async def _look_at_games(self) -> None:
        table = self._table
        is_read = table is not None and self._data.is_running and not self._data.problem
        plays = _offered(self._services, self._data.game)
        found = await self._boards.read(plays, table) if is_read and table is not None else []
        if found != self._games:
            self._games = found
            self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _read(self) -> LeagueData:
        if self._table is None:
            self._table = LiveTable(self.path)
        else:
            self._table.read()
        return _facts(self.name, self._table)

    @property
    def results(self) -> dict[int, GameResult]:
        """The results that were read last."""
        return {} if self._table is None else self._table.results

    async def changes(self) -> AsyncGenerator[LeagueData | LiveGames]:
        """The table and the games in progress now, then each of them when it has changed."""
        data, games = None, list[LiveGame]()
        await self.data()
        while True:
            changed = self._changed
            if data is not self._data:
                yield (data := self._data)
            elif games != self._games:
                yield LiveGames(round(time.time(), 3), (games := self._games))
            else:
                await changed.wait()

    def join(self) -> None:
        """Note one who watches: the first one starts the looks at the files."""
        self._watchers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._look())

    def leave(self) -> None:
        """Forget one who watches: the last one ends the looks at the files."""
        self._watchers -= 1
        if not self._watchers and self._task is not None:
            self._task.cancel()
            self._task = None
            self._games = []

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            with suppress(RequestError):  # busy: the next look will see it
                await self.data()
                await self._look_at_games()


class WatchedLeagues:
    """The leagues by name: those of the command line, then those that the page has started."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._leagues: dict[str, WatchedLeague] = {}

    def all(self) -> list[WatchedLeague]:
        """All leagues."""
        paths = dict(self._services.settings.stores) | self._services.get(AgentLeagues).stores()
        for name, path in paths.items():
            if name not in self._leagues:
                self._leagues[name] = WatchedLeague(self._services, name, path)
        return [self._leagues[name] for name in paths]

    def get(self, name: str) -> WatchedLeague:
        """The league of a name. Raises `RequestError`."""
        for league in self.all():
            if league.name == name:
                return league
        raise not_found(f"no league {name[:60]!r}; stores are named on the command line: zermelo serve --store", "name")


def _signature(path: Path) -> object:
    """What changes when a game is saved: sizes and times of the file and its log."""
    found = []
    for name in (path, Path(f"{path}-wal")):
        try:
            facts = os.stat(name)
            found.append((facts.st_ino, facts.st_size, facts.st_mtime_ns))
        except OSError:
            found.append((0, 0, 0))
    return found


def _facts(name: str, table: LiveTable) -> LeagueData:
    """The table as data."""
    plan, standings, monitor = table.plan, table.standings(), table.sprt()
    difference = standings.difference
    state = None if monitor is None else monitor.state
    return LeagueData(
        name=name,
        version=0,
        title=plan.title,
        game=plan.game,
        control=plan.control,
        format=plan.format,
        played=len(table.results),
        total=table.total_games,
        is_over=table.is_over,
        is_running=table.has_writer and not table.is_over,
        distinct=standings.distinct,
        plies=standings.plies,
        rows=[
            LeagueRow(
                rank=row.rank,
                name=row.name,
                points=row.points,
                games=row.score.games,
                wins=row.score.wins,
                draws=row.score.draws,
                losses=row.score.losses,
                elo=row.elo,
                error=row.error,
                bound=row.bound,
                los=row.los,
                failures=row.forfeits,
                seconds_per_move=row.seconds_per_move,
            )
            for row in standings.rows
        ],
        cross=[
            CrossScore(player, against, score.points, score.games)
            for (player, against), score in (standings.cross.items() if len(standings.rows) <= MAX_CROSS else ())
        ],
        difference=None
        if difference is None
        else DifferenceData(standings.names[0], standings.names[1], difference.elo, difference.error, difference.los),
        sprt=None
        if state is None
        else SprtData(plan.sprt, state.llr, state.lower, state.upper, state.verdict, state.pairs, state.counts),
        terminations=standings.terminations,
        notes=list(standings.notes),
        latest=[_game_row(result) for result in islice(reversed(table.results.values()), MAX_LATEST)],
        failed=len(table.failed),
        problem="",
    )


def _game_row(result: GameResult) -> GameRow:
    return GameRow(
        number=result.number,
        players=result.names,
        points=result.points,
        termination=result.termination,
        detail=result.detail,
        plies=result.plies,
        round=result.round,
        seconds=result.seconds,
    )


# ---- the API ----------------------------------------------------------------------------------------------------


@endpoint("GET", "/api/leagues", response=LeagueList, summary="List the leagues and matches.")
async def league_names(request: NoRequest, services: Services) -> LeagueList:
    """List the leagues and matches."""
    leagues = []
    for league in services.get(WatchedLeagues).all():
        data = await league.data()
        leagues.append(
            LeagueName(
                name=data.name,
                title=data.title,
                game=data.game,
                players=len(data.rows),
                played=data.played,
                total=data.total,
                is_over=data.is_over,
                is_running=data.is_running,
                problem=data.problem,
            )
        )
    agents = services.get(AgentLeagues)
    return LeagueList(leagues, agents.folder is not None, agents.names())


@endpoint("GET", "/api/leagues/{name}", request=LeaguePath, response=LeagueData, summary="Return a league's table.")
async def league_table(request: LeaguePath, services: Services) -> LeagueData:
    """Return a league's table."""
    return await services.get(WatchedLeagues).get(request.name).data()


@websocket(
    "/api/leagues/{name}/live",
    request=LeaguePath,
    sends=LeagueData | LiveGames,
    summary="A league's table and its games in progress after each change.",
)
async def league_live(request: LeaguePath, services: Services, socket: Socket) -> None:
    """Send the table and the games in progress at once and after each change, until the client leaves."""
    league = services.get(WatchedLeagues).get(request.name)
    league.join()
    leaving = asyncio.ensure_future(_drain(socket))
    sending = asyncio.ensure_future(_send_all(socket, league.changes()))
    try:
        await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
    finally:
        leaving.cancel()
        sending.cancel()
        league.leave()


async def _send_all(socket: Socket, messages: AsyncIterator[Any]) -> None:
    async for message in messages:
        await socket.send(message)


async def _drain(socket: Socket) -> None:
    """Read what the client sends, which is nothing, until it leaves."""
    async for _ in socket:
        pass


@endpoint(
    "GET", "/api/leagues/{name}/games", request=GamesRequest, response=GameList, summary="List the games of a league."
)
async def league_games(request: GamesRequest, services: Services) -> GameList:
    """List finished games, those that were read last first."""
    league = services.get(WatchedLeagues).get(request.name)
    await league.data()
    player = request.player

    def matching() -> Iterable[GameResult]:
        return (each for each in reversed(league.results.values()) if not player or player in each.names)

    total = sum(1 for _ in matching()) if player else len(league.results)
    chosen = islice(matching(), request.first, request.first + request.count)
    return GameList([_game_row(result) for result in chosen], total)


@endpoint(
    "GET",
    "/api/leagues/{name}/games/{number}",
    request=GamePath,
    response=Replay,
    summary="Return a game of a league with its moves.",
)
async def league_game(request: GamePath, services: Services) -> Replay:
    """Return a game with its moves, times and scores. Its rules are those of a game that the server offers."""
    league = services.get(WatchedLeagues).get(request.name)
    with field("number"):
        return await services.in_thread(_replay, services, league.path, request.number)


def _replay(services: Services, path: Path, number: int) -> Replay:
    try:
        with Store.open(path) as store:
            record = store.game(number)
    except StoreError as error:
        raise not_found(str(error), "number") from None
    plays = _offered(services, record.job.game)
    row = _game_row(record.result)
    if not plays:
        problem = (
            f"the server does not offer {record.job.game}: name it on the command line, zermelo serve FILE.py:CLASS"
        )
        return Replay(row, "", record.job.start, [], problem)
    try:
        states = replay(record, registry.load(services.games[plays]))
    except ZermeloError as error:
        return Replay(row, plays, record.job.start, [], str(error))
    names = GameInProgress(states).move_names()
    return Replay(row, plays, record.job.start, _moves(record, states[0], names), "")


def _moves(record: GameRecord, start: State, names: list[str]) -> list[PlayedMove]:
    reports: list[Any] = list(record.reports) or [None] * len(names)
    return [
        PlayedMove(name, -1, 0.0, 0, 0, None)
        if report is None
        else PlayedMove(
            name,
            report.player,
            report.seconds,
            report.nodes,
            report.depth,
            report.score,
            _shown(start, report, record.job.players[report.player]),
            _proven(start, report.score),
        )
        for name, report in zip(names, reports, strict=True)
    ]


def _shown(start: State, report: MoveReport, player: str) -> str:
    """The score that a player reported as text with its sign; "" without one."""
    if report.score is None:
        return ""
    return with_minus(f"{'+' if report.score > 0 else ''}{score_text(start, report, player)}")


def _proven(start: State, score: int | None) -> str:
    """Who wins by the score of a proven win; "" for other scores."""
    if score is None or not is_decided(score, ranked(start)):
        return ""
    return does(start.player_name(MAX if score > 0 else MIN), "win", "wins")


def _offered(services: Services, game: str) -> str:
    """The name of a store's game among those that the server offers, or "": a store cannot name a file to be run."""
    for name, source in services.games.items():
        if game == source or (":" in game and os.path.realpath(game) == os.path.realpath(source)):
            return name
    return ""


ROUTES: list[Endpoint | Channel] = [league_names, league_table, league_live, league_games, league_game]
