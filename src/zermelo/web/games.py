"""The API of games that people play: begin, look, move, take back, hints, reasons, results, files."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

import msgspec

from zermelo import formatting
from zermelo.core.game import LARGEST_LEVEL, MAX
from zermelo.web import game_rules, game_search
from zermelo.web.errors import conflict
from zermelo.web.game_rules import GameFile, sentence
from zermelo.web.game_search import Hint, Why
from zermelo.web.game_state import ChangeRequest, GameId, GameList, GameRequest, GameState, GameSummary, players_of
from zermelo.web.game_store import Outcome, Seat, Side
from zermelo.web.live_games import SIGNS, LiveGame, MoveText, NewGame, PlayedGames, Watcher, check_level
from zermelo.web.routing import Channel, Endpoint, NoRequest, Request, Socket, endpoint, websocket
from zermelo.web.services import Services

#: Games in a list.
MAX_LISTED = 200

_OTHER: dict[Side, Side] = {"max": "min", "min": "max"}

# ---- requests -----------------------------------------------------------------------------------------------------


class MoveRequest(ChangeRequest, frozen=True, kw_only=True):
    """A move in the game's notation."""

    move: MoveText


class OfferRequest(ChangeRequest, frozen=True, kw_only=True):
    """A draw offered, accepted or declined."""

    action: Literal["offer", "accept", "decline"] = "offer"


class LevelRequest(ChangeRequest, frozen=True, kw_only=True):
    """A level for the engine."""

    level: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_LEVEL)]


class PauseRequest(GameRequest, frozen=True, kw_only=True):
    """Pause or resume a game between engines, or make its next move and pause. It needs no version: moves go on."""

    action: Literal["pause", "resume", "step"] = "pause"


class WhyRequest(GameRequest, frozen=True, kw_only=True):
    """A legal move to explain; empty: the last move."""

    move: Annotated[str, msgspec.Meta(max_length=200)] = ""


class ExportRequest(Request, frozen=True, kw_only=True):
    """A game and a format."""

    id: GameId
    format: Annotated[str, msgspec.Meta(max_length=40)]


# ---- endpoints --------------------------------------------------------------------------------------------------


@endpoint("POST", "/api/games", request=NewGame, response=GameState, summary="Begin a game.")
async def new_game(request: NewGame, services: Services) -> GameState:
    """Begin a game."""
    live = await services.get(PlayedGames).add(request)
    live.drive()
    return live.state("")


@endpoint("GET", "/api/games", response=GameList, summary="List the saved games, the one changed last first.")
async def list_games(request: NoRequest, services: Services) -> GameList:
    """List the saved games."""
    store = services.get(PlayedGames).store
    saved = await services.in_thread(lambda: list(store.games()))
    summaries = [
        GameSummary(
            id=each.id,
            game=each.game,
            title=each.title,
            players=players_of(each),
            plies=None if each.hidden and each.outcome is None else len(each.moves),
            outcome=each.outcome,
            updated=each.updated,
            available=each.game in services.games,
        )
        for each in saved[:MAX_LISTED]
    ]
    return GameList(summaries, len(saved))


@endpoint("GET", "/api/games/{id}", request=GameRequest, response=GameState, summary="Look at a game.")
async def show_game(request: GameRequest, services: Services) -> GameState:
    """Look at a game; dice and engines that a stop of the server interrupted go on."""
    live = await services.get(PlayedGames).get(request.id)
    live.drive()
    return live.state(request.view)


@endpoint("POST", "/api/games/{id}/move", request=MoveRequest, response=GameState, summary="Make a move.")
async def make_move(request: MoveRequest, services: Services) -> GameState:
    """Make a move of the person to move."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    async with live.lock:
        live.check(request)
        if not live.is_for_a_person():
            raise conflict("it is not a person's turn")
        if live.state(request.view).view not in ("all", live.turn):
            raise conflict("it is the other side's turn", "view")
        name, facts = await games.rules(live.record.game, game_rules.move, live.text, request.move)
        await live.commit(facts, moves=(*live.record.moves, name), offer=_kept_offer(live))
        live.drive()
        return live.state(request.view)


def _kept_offer(live: LiveGame) -> Side | None:
    """The draw offer that a move leaves: one's own. A move declines the other side's."""
    return live.record.offer if live.record.offer == live.turn else None


@endpoint("POST", "/api/games/{id}/undo", request=ChangeRequest, response=GameState, summary="Take back a move.")
async def undo_move(request: ChangeRequest, services: Services) -> GameState:
    """Take back to the last position in which a person was to move."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    async with live.lock:
        live.check(request)
        if live.facts.hidden:
            raise conflict("moves cannot be taken back in a game with hidden information")
        left, facts = await games.rules(live.record.game, game_rules.undo, live.text)
        live.interrupt()
        await live.commit(facts, moves=live.record.moves[:left], offer=None)
        live.drive()
        return live.state(request.view)


@endpoint("POST", "/api/games/{id}/hint", request=GameRequest, response=Hint, summary="Suggest a move.")
async def give_hint(request: GameRequest, services: Services) -> Hint:
    """Suggest a move to the person to move."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    if not live.state(request.view).can.hint:
        raise conflict("there is a hint only when it is your turn")
    return await games.search(live, game_search.hint, live.text, live.record.seed + live.record.version)


@endpoint("POST", "/api/games/{id}/why", request=WhyRequest, response=Why, summary="Explain the last or a legal move.")
async def explain_move(request: WhyRequest, services: Services) -> Why:
    """Explain a move by its line beside that of the best other one."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    if live.facts.hidden:
        raise conflict("moves cannot be explained in a game with hidden information")
    return await games.search(live, game_search.why, live.text, request.move)


@endpoint("POST", "/api/games/{id}/resign", request=ChangeRequest, response=GameState, summary="Resign.")
async def resign(request: ChangeRequest, services: Services) -> GameState:
    """Resign the game of the only person, or of the person to move."""
    live = await services.get(PlayedGames).get(request.id)
    async with live.lock:
        live.check(request)
        if not live.people:
            raise conflict("no person plays this game")
        side = live.people[0] if len(live.people) == 1 else SIGNS.get(live.turn or "", MAX)
        loser, winner = live.record.names if side == MAX else live.record.names[::-1]
        text = sentence(formatting.forfeited(loser, winner, "resign", "resigns"))
        live.interrupt()
        await live.commit(outcome=Outcome(-side, text, "resignation"))
        return live.state(request.view)


@endpoint("POST", "/api/games/{id}/claim", request=ChangeRequest, response=GameState, summary="Claim a draw.")
async def claim_draw(request: ChangeRequest, services: Services) -> GameState:
    """Claim a draw where the rules allow it."""
    live = await services.get(PlayedGames).get(request.id)
    async with live.lock:
        live.check(request)
        if not (live.facts.claim and live.is_for_a_person()):
            raise conflict("a draw cannot be claimed here")
        await live.commit(outcome=Outcome(0, sentence(f"a draw: {live.facts.claim}"), "draw claimed"))
        return live.state(request.view)


@endpoint(
    "POST",
    "/api/games/{id}/offer",
    request=OfferRequest,
    response=GameState,
    summary="Offer, accept or decline a draw.",
)
async def offer_draw(request: OfferRequest, services: Services) -> GameState:
    """Offer a draw to the other side; the engine accepts unless it stands better."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    async with live.lock:
        live.check(request)
        agreed = Outcome(0, "A draw by agreement", "agreement")
        if request.action != "offer":
            if live.record.offer is None:
                raise conflict("no draw is offered")
            await (live.commit(outcome=agreed) if request.action == "accept" else live.commit(offer=None))
            return live.state(request.view)
        if not live.state(request.view).can.offer:
            raise conflict("a draw cannot be offered here")
        turn: Side = "max" if live.turn == "max" else "min"
        if len(live.people) == 2:
            await live.commit(offer=turn)
            return live.state(request.view)
        text = live.text
    accepted = await games.search(live, game_search.accepts_draw, text, SIGNS[_OTHER[turn]])
    async with live.lock:
        live.check(request)
        if not accepted:
            raise conflict("the engine declines the draw")
        await live.commit(outcome=agreed)
        return live.state(request.view)


@endpoint("POST", "/api/games/{id}/level", request=LevelRequest, response=GameState, summary="Set the engine's level.")
async def set_level(request: LevelRequest, services: Services) -> GameState:
    """Set the level of the engine, of both in a game between engines."""
    live = await services.get(PlayedGames).get(request.id)
    async with live.lock:
        live.check(request)
        check_level(services.game(live.record.game), request.level, "level")
        seat = Seat("engine", request.level)
        changes: dict[str, Any] = {name: seat for name, side in SIGNS.items() if side not in live.people}
        if not changes:
            raise conflict("no engine plays this game")
        live.interrupt()
        await live.commit(**changes)
        live.drive()
        return live.state(request.view)


@endpoint(
    "POST",
    "/api/games/{id}/pause",
    request=PauseRequest,
    response=GameState,
    summary="Pause, resume or step a game between engines.",
)
async def pause_game(request: PauseRequest, services: Services) -> GameState:
    """Pause a game between engines, let it go on, or make its next move."""
    live = await services.get(PlayedGames).get(request.id)
    async with live.lock:
        if not live.state(request.view).can.pause:
            raise conflict("only a game between engines that goes on can be paused")
        if request.action == "pause":
            await live.pause()
        elif request.action == "resume":
            live.resume()
        else:
            live.step()
        return live.state(request.view)


@endpoint("POST", "/api/games/{id}/delete", request=GameRequest, summary="Delete a game.")
async def delete_game(request: GameRequest, services: Services) -> None:
    """Delete a game."""
    await services.get(PlayedGames).delete(request.id)


@endpoint("GET", "/api/games/{id}/export", request=ExportRequest, response=GameFile, summary="The game as a file.")
async def export_game(request: ExportRequest, services: Services) -> GameFile:
    """Return the game in one of its formats."""
    games = services.get(PlayedGames)
    live = await games.get(request.id)
    if live.state("").view != "all":
        raise conflict("a game with hidden information can be exported after its end")
    players = players_of(live.record)
    by = [each.name if each.kind == "person" else f"Zermelo level {each.level}" for each in players]
    date = time.strftime("%Y.%m.%d", time.localtime(live.record.created))
    tags = {"Event": "Casual game", "Site": "Zermelo", "Date": date, "White": by[0], "Black": by[1]}
    utility = None if live.outcome is None else live.outcome.utility
    return await games.rules(live.record.game, game_rules.export, live.text, request.format, tags, utility)


@websocket("/api/games/{id}/live", request=GameRequest, sends=GameState, summary="The game after each change.")
async def watch_game(request: GameRequest, services: Services, socket: Socket) -> None:
    """Send the state at once and after each change, until the client leaves."""
    live = await services.get(PlayedGames).get(request.id)
    watcher = Watcher(request.view)
    live.join(watcher)  # refuses a view that is hidden
    leaving = asyncio.ensure_future(_drain(socket))
    change: asyncio.Future[GameState | None] | None = None
    try:
        while True:
            change = asyncio.ensure_future(watcher.next())
            await asyncio.wait((change, leaving), return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                return
            state = change.result()
            if state is None:
                break
            await socket.send(state)
        if live.is_deleted:
            raise conflict("the game was deleted")
    finally:
        leaving.cancel()
        if change is not None:
            change.cancel()
        live.leave(watcher)


async def _drain(socket: Socket) -> None:
    """Read what the client sends, which is nothing, until it leaves."""
    async for _ in socket:
        pass


ROUTES: list[Endpoint | Channel] = [
    new_game,
    list_games,
    show_game,
    make_move,
    undo_move,
    give_hint,
    explain_move,
    resign,
    claim_draw,
    offer_draw,
    set_level,
    pause_game,
    delete_game,
    export_game,
    watch_game,
]
