"""Games in memory: who looks at them, dice, engines at work, clocks. Each change is saved before it is shown.

Dice are drawn and engines move on the server, one change at a time; each change has a version. A game between engines
goes on only while somebody looks at it, and a clock runs only then. It can be paused and played move by move.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, TypeVar

import msgspec

from zermelo import formatting, registry
from zermelo.arena.game_course import seed_of
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError, ZermeloError
from zermelo.search.levels import Strength, max_level
from zermelo.web import game_rules, game_search
from zermelo.web.catalogue import title
from zermelo.web.errors import RequestError, conflict, report, status_and_body
from zermelo.web.game_clock import GameClock
from zermelo.web.game_rules import Facts, FormatName, GameText, sentence
from zermelo.web.game_state import ChangeRequest, ClockState, GameState, Possible, players_of
from zermelo.web.game_store import ClockSetting, GameStore, Outcome, SavedGame, Seat, Side
from zermelo.web.routing import Request
from zermelo.web.searches import Workers
from zermelo.web.services import Services

logger = logging.getLogger("zermelo.web")
T = TypeVar("T")

#: Seconds between the moves of two engines, so that people can follow.
PACE = 0.7
#: Changes that wait for a slow watcher; older ones are dropped.
_MAX_WAITING = 64

SIGNS = {"max": MAX, "min": MIN}
MoveText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class NewGame(Request, frozen=True, kw_only=True):
    """A game to begin."""

    game: Annotated[str, msgspec.Meta(max_length=200)]
    #: Position as text; empty: the start.
    position: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    moves: Annotated[list[MoveText], msgspec.Meta(max_length=2_000)] = []
    max: Seat = Seat()
    min: Seat = Seat("engine")
    clock: ClockSetting | None = None
    #: Seed of dice and of the engine's choices; None: drawn at random.
    seed: Annotated[int, msgspec.Meta(ge=0, lt=1 << 48)] | None = None


class Watcher:
    """Somebody who looks at a game from a side: the states that wait to be sent."""

    def __init__(self, view: str) -> None:
        self.view = view
        self._waiting: asyncio.Queue[GameState | None] = asyncio.Queue()
        self._last: GameState | None = None

    def push(self, state: GameState) -> None:
        """Add a state; of too many that wait, the oldest are dropped.

        A change that a view does not show is not sent: the number of messages would tell of it.
        """
        if state.view != "all" and state == self._last:
            return
        self._last = state
        while self._waiting.qsize() >= _MAX_WAITING:
            self._waiting.get_nowait()
        self._waiting.put_nowait(state)

    def close(self) -> None:
        """Let `next` return None: the game is not in memory any more."""
        self._waiting.put_nowait(None)

    async def next(self) -> GameState | None:
        """Return the next state; None at the end."""
        return await self._waiting.get()


def check_level(cls: type[State], level: int, field: str) -> None:
    """Raise `RequestError` if the engine has no such level in a game; `field` is that of the request."""
    try:
        Strength(level, game=cls)
    except LimitError as error:
        raise RequestError(str(error), field=field) from None


class LiveGame:
    """A game in memory: who looks at it, the engine at work, the clock."""

    def __init__(
        self, games: PlayedGames, record: SavedGame, source: str, facts: Facts, formats: list[FormatName], levels: int
    ):
        self._games = games
        self.record = record
        self.source = source
        self.facts = facts
        self.formats = formats
        self.levels = levels
        self.lock = asyncio.Lock()
        self.is_deleted = False
        self.thinking = False
        #: A game between engines that is paused makes only the next move, if `_is_stepping`.
        self.is_paused = False
        self._is_stepping = False
        self.score = ""
        self.note = ""
        self.problem = ""
        self.watchers: set[Watcher] = set()
        self._driver: asyncio.Task[None] | None = None
        self._search: asyncio.Task[Any] | None = None
        left = record.left
        self.clock = None if record.clock is None or left is None else GameClock(record.clock, left)
        self._tasks: set[asyncio.Task[None]] = set()

    # ---- facts -----------------------------------------------------------------------------------------------

    @property
    def people(self) -> tuple[int, ...]:
        """The sides that people play."""
        return tuple(side for side in (MAX, MIN) if self.record.seat(side).kind == "person")

    @property
    def text(self) -> GameText:
        """The game as the functions of the rules take it."""
        return GameText(self.record.game, self.source, self.record.start, self.record.moves, self.people)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return self.record.outcome

    @property
    def turn(self) -> str | None:
        """The side to move; None after the end."""
        return None if self.outcome is not None else self.facts.turn

    def is_for_a_person(self) -> bool:
        """Whether a person is to move."""
        return SIGNS.get(self.turn or "") in self.people

    def state(self, view: str) -> GameState:
        """Return the game as a side sees it.

        Raises
        ------
        RequestError
            403, if the view is that of a side that the engine plays, while information is hidden.
        """
        record, facts = self.record, self.facts
        seen = self._view(view)
        is_open = seen == "all"
        turn, over = self.turn, self.outcome is not None
        for_person = self.is_for_a_person()
        return GameState(
            id=record.id,
            version=self._version(seen),
            game=record.game,
            title=record.title,
            start=record.start if is_open else "",
            players=players_of(record),
            levels=self.levels,
            view=seen,
            position=facts.positions.get(seen),
            played=facts.played if is_open else [],
            turn=turn,
            hidden=facts.hidden,
            paused=self.is_paused,
            # While information is hidden, a search that ends and another that begins tell of moves.
            thinking=self.thinking if is_open else turn in SIGNS and not for_person,
            can=Possible(
                move=for_person and seen in ("all", turn),
                undo=facts.can_undo and not over,
                hint=for_person and seen in ("all", turn),
                why=not facts.hidden and any(each.side != "chance" for each in facts.played),
                resign=bool(self.people) and not over,
                claim=bool(facts.claim) and for_person,
                offer=facts.can_offer and for_person and record.offer is None and not over,
                pause=not self.people and not over,
            ),
            claim="" if over else facts.claim,
            offer=record.offer,
            clock=self._clock(),
            outcome=self.outcome,
            score=self.score if is_open else "",
            note=self.note if is_open else "",
            formats=self.formats if is_open else [],
            seed=record.seed if over else None,
            problem=self.problem,
        )

    def _view(self, view: str) -> str:
        if "all" in self.facts.positions:
            return "all"
        if view and view not in self.facts.positions:
            raise RequestError(
                "the view of a side that the engine plays is hidden until the game is over", field="view", status=403
            )
        if not view and len(self.facts.positions) == 1:
            return next(iter(self.facts.positions))
        return view or "cover"

    def _version(self, seen: str) -> int:
        """The version of a view. While information is hidden it is a hash of what is seen: a count would tell more."""
        if seen == "all":
            return self.record.version
        position = self.facts.positions.get(seen)
        known = position.position if position is not None else ""
        return seed_of("version", self.record.id, seen, known, self.turn, self.record.offer)

    # ---- changes ---------------------------------------------------------------------------------------------

    def check(self, request: ChangeRequest) -> None:
        """Raise 409 unless the game is at the version of a request and goes on."""
        if self.is_deleted:
            raise conflict("the game was deleted")
        if request.version != self._version(self._view(request.view)):
            raise conflict("the game has changed meanwhile: look at the board again", "version")
        if self.outcome is not None:
            raise conflict(f"the game is over: {self.outcome.text}")

    async def commit(self, facts: Facts | None = None, **changes: Any) -> None:
        """Save changes of the record, with what the rules say after them, and send them to all who look."""
        saving = asyncio.ensure_future(self._commit(facts, changes))
        saving.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, if nobody waits
        await asyncio.shield(saving)  # what is being saved is known afterwards, also if the caller is stopped

    async def _commit(self, facts: Facts | None, changes: dict[str, Any]) -> None:
        after = self.facts if facts is None else facts
        outcome = changes.get("outcome") or after.outcome
        if self.clock is not None:
            self.clock.stop(moved=len(changes.get("moves", ())) > len(self.record.moves))
            changes = {**changes, "left": self.clock.left}
        record = msgspec.structs.replace(self.record, **{**changes, "outcome": outcome})
        if outcome is not None and facts is None and self.facts.hidden:
            # The whole state is shown after the end.
            after = await self._games.rules(self.record.game, game_rules.revealed, self.text)
        try:
            self.record = await self._games.services.in_thread(self._games.store.save, record)
        except RequestError:  # another server has changed the game
            self._games.forget(self)
            raise
        self.facts = after
        self.problem = ""
        self._start_clock()
        self.notify()

    def notify(self) -> None:
        """Send the state to all who look."""
        for watcher in self.watchers:
            watcher.push(self.state(watcher.view))

    def tell(self, note: str) -> None:
        """Show a message of the compiler until the search goes on."""
        self.note = note
        self.notify()

    def interrupt(self) -> None:
        """Stop the engine's search: the position has changed."""
        if self._search is not None:
            self._search.cancel()
            self.thinking, self.note = False, ""  # no state that is sent from now on says that it thinks

    # ---- pause -------------------------------------------------------------------------------------------------

    async def pause(self) -> None:
        """Stop a game between engines where it is: the search, and the clock."""
        self.is_paused, self._is_stepping = True, False
        self.interrupt()
        await self.commit()  # a move that was found and is not made yet has another version now

    def resume(self) -> None:
        """Let a paused game go on."""
        self.is_paused = self._is_stepping = False
        self._start_clock()
        self.notify()
        self.drive()

    def step(self) -> None:
        """Make the next move of a game between engines, with the dice before it, and pause."""
        self.is_paused = self._is_stepping = True
        if self.clock is not None:
            self.clock.stop()
        self.notify()
        self.drive()

    def _stands(self) -> bool:
        """Whether a game between engines makes no move now: nobody looks, or it is paused."""
        return not self.people and (not self.watchers or (self.is_paused and not self._is_stepping))

    # ---- dice and engines --------------------------------------------------------------------------------------

    def drive(self) -> None:
        """Draw dice and let engines move until a person is to move or the game is over."""
        if self._driver is None or self._driver.done():
            self._driver = asyncio.ensure_future(self._drive())

    async def _drive(self) -> None:
        try:
            while not self.is_deleted and not self._games.is_closed:
                async with self.lock:
                    turn, text, record = self.turn, self.text, self.record
                    if turn == "chance" and not self._stands():
                        name, facts = await self._games.rules(self.record.game, game_rules.roll, text, record.seed)
                        await self.commit(facts, moves=(*record.moves, name))
                        continue
                if turn is None or self.is_for_a_person() or self._stands():
                    return
                await self._let_engine_move(text, record)
        except Exception as error:
            status, body = status_and_body(error)
            if status >= 500:
                report(error)
            self.problem = body.error
            self.notify()

    async def _let_engine_move(self, text: GameText, record: SavedGame) -> None:
        """Search and make the engine's move, unless the game changes meanwhile."""
        side = MAX if self.turn == "max" else MIN
        began = time.monotonic()
        self.thinking, self.problem = True, ""
        self.notify()
        seconds = self._seconds_for(side)
        level = record.seat(side).level
        # The version is part of the seed: after taking back, the engine may choose another of several good moves.
        self._search = asyncio.ensure_future(
            self._games.search(self, game_search.reply, text, level, record.seed + record.version, seconds)
        )
        try:
            found = await self._search
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return
        finally:
            self._search = None
            self.thinking = False
            self.note = ""
        if not self.people and not self._is_stepping:
            await asyncio.sleep(max(PACE - (time.monotonic() - began), 0.0))
        async with self.lock:
            if self.record.version != record.version or self.is_deleted or self._stands():
                return
            self._is_stepping = False
            self.score = found.score
            if found.claim:
                await self.commit(outcome=Outcome(0, sentence(f"a draw: {found.claim}"), "draw claimed"))
                return
            name, facts = await self._games.rules(self.record.game, game_rules.move, text, found.move)
            await self.commit(facts, moves=(*record.moves, name), offer=None)

    def _seconds_for(self, side: int) -> float:
        """Return the seconds that the engine may think."""
        if self.clock is None:
            return game_search.MAX_SECONDS
        from zermelo.search.timing import time_budget

        left = self.clock.left_to("max" if side == MAX else "min")
        return max(time_budget(left, self.clock.setting.increment, 0).soft, 0.02)

    # ---- the clock ---------------------------------------------------------------------------------------------

    def _timed_side(self) -> Side | None:
        """The side whose time runs: that to move, from its second move on, while somebody looks and no pause is on."""
        if not self.watchers or self.is_paused:
            return None
        turn = self.turn
        if turn in ("max", "min") and any(each.side == turn for each in self.facts.played):
            return turn  # type: ignore[return-value]
        return None

    def _start_clock(self) -> None:
        side = self._timed_side()
        if self.clock is not None and side is not None and self.clock.running is None:
            version = self.record.version
            self.clock.start(side, lambda: self._spawn(self._lose_on_time(version)))

    async def _lose_on_time(self, version: int) -> None:
        async with self.lock:
            side = self._timed_side()
            if side is None or self.record.version != version or self.outcome is not None:
                return
            self.interrupt()
            loser, winner = self._names(side)
            if await self._can_win(-SIGNS[side]):
                text = formatting.forfeited(loser, winner, "have no time left", "has no time left")
                await self.commit(outcome=Outcome(-SIGNS[side], sentence(text), "time"))
            else:
                await self.commit(outcome=Outcome(0, sentence(formatting.drawn_on_time(loser, winner)), "time"))

    async def _can_win(self, side: int) -> bool:
        try:
            return await self._games.rules(self.record.game, game_rules.can_win, self.text, side)
        except Exception as error:  # the game's own code: the clock decides
            report(error)
            return True

    def _clock(self) -> ClockState | None:
        if self.clock is None:
            return None
        setting = self.clock.setting
        return ClockState(setting.base, setting.increment, self.clock.left, self.clock.running)

    def _names(self, side: str) -> tuple[str, str]:
        names = self.record.names if side == "max" else self.record.names[::-1]
        return names[0], names[1]

    # ---- watchers ----------------------------------------------------------------------------------------------

    def join(self, watcher: Watcher) -> None:
        """Add somebody who looks at the game, and send the state."""
        self.state(watcher.view)
        self.watchers.add(watcher)
        self._start_clock()
        watcher.push(self.state(watcher.view))
        self.drive()

    def leave(self, watcher: Watcher) -> None:
        """Remove somebody who looks; when nobody is left the clock stops, and engines do not go on."""
        self.watchers.discard(watcher)
        if self.watchers:
            return
        if not self.people:
            self.interrupt()
        if self.clock is not None and self.clock.running is not None and not self._games.is_closed:
            self._spawn(self._pause())

    async def _pause(self) -> None:
        async with self.lock:
            if not self.watchers and self.clock is not None and self.clock.running is not None:
                await self.commit()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a saved game: %s", error, exc_info=None if isinstance(error, ZermeloError) else error)

    def stop(self) -> None:
        """Stop the engine and the clock; the game is no longer in memory."""
        if self.clock is not None:
            self.clock.stop()
        for task in (self._search, self._driver, *self._tasks):
            if task is not None:
                task.cancel()


class PlayedGames:
    """The service of games that people play: the saved ones, and those in memory."""

    #: Games in memory that nobody looks at.
    _MAX_LIVE = 64

    def __init__(self, services: Services) -> None:
        self.services = services
        self.store = GameStore(services.settings.data_dir)
        self.is_closed = False
        self._live: dict[str, LiveGame] = {}
        self._loading: dict[str, asyncio.Future[LiveGame]] = {}

    async def rules(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function of `game_rules` for a game of this name; see `Workers.rules`."""
        return await self.services.get(Workers).rules(name, function, *arguments)

    async def search(self, live: LiveGame, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function of `game_search` for a game in a worker process; see `Workers.search`."""
        return await self.services.get(Workers).search(function, *arguments, key=live.record.id, on_note=live.tell)

    async def get(self, name: str) -> LiveGame:
        """Return a game by its id. Raises `RequestError` if there is none."""
        if name in self._live:
            self._live[name] = found = self._live.pop(name)  # the one used last is the last
            return found
        if name not in self._loading:
            self._loading[name] = asyncio.ensure_future(self._load(name))
            self._loading[name].add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(self._loading[name])

    async def _load(self, name: str) -> LiveGame:
        return await self._opened(await self.services.in_thread(self.store.load, name))

    async def _opened(self, record: SavedGame) -> LiveGame:
        cls = self.services.game(record.game)  # 400 if this server does not offer it
        source = self.services.games[record.game]
        people = tuple(side for side in (MAX, MIN) if record.seat(side).kind == "person")
        text = GameText(record.game, source, record.start, record.moves, people)
        look = game_rules.facts if record.outcome is None else game_rules.revealed
        facts = await self.rules(record.game, look, text)
        formats = await self.rules(record.game, game_rules.formats, source)
        live = self._live[record.id] = LiveGame(self, record, source, facts, formats, max_level(cls))
        for idle in [each for each in self._live.values() if not each.watchers][: -self._MAX_LIVE]:
            if not idle.thinking and not idle.lock.locked():
                self.forget(idle)
        return live

    async def add(self, request: NewGame) -> LiveGame:
        """Begin a game and save it."""
        cls = self.services.game(request.game)
        for name, seat in (("max", request.max), ("min", request.min)):
            if seat.kind == "engine":
                check_level(cls, seat.level, f"{name}.level")
        source = self.services.games[request.game]
        found = await self.rules(request.game, game_rules.begin, source, request.position, request.moves)
        if found.is_over:
            raise RequestError("the game is over in this position: there is nothing to play", field="position")
        clock = request.clock
        record = SavedGame(
            id=secrets.token_urlsafe(16),
            game=request.game,
            title=title(request.game, registry.describe(cls)["source"]),
            hidden=not cls.perfect_information,
            start=found.start,
            moves=found.moves,
            max=request.max,
            min=request.min,
            names=found.names,
            seed=secrets.randbits(48) if request.seed is None else request.seed,
            clock=clock,
            left=None if clock is None else (clock.base, clock.base),
        )
        return await self._opened(await self.services.in_thread(self.store.add, record))

    async def delete(self, name: str) -> None:
        """Delete a game. Raises `RequestError` if there is none."""
        await self.services.in_thread(self.store.delete, name)
        live = self._live.get(name)
        if live is not None:
            live.is_deleted = True
            self.forget(live)

    def forget(self, live: LiveGame) -> None:
        """Remove a game from memory."""
        if self._live.get(live.record.id) is live:
            del self._live[live.record.id]
        live.stop()
        for watcher in live.watchers:
            watcher.close()

    async def close(self) -> None:
        """Stop all engines and clocks, and close the file."""
        self.is_closed = True
        for live in list(self._live.values()):
            live.stop()
        with suppress(ZermeloError):
            self.store.close()
