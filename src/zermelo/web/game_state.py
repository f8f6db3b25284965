"""A saved game as the API names and describes it: players, position, clock, result, and what people can do now."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from zermelo.web.game_rules import FormatName, Played, sentence
from zermelo.web.game_store import Outcome, SavedGame, Side
from zermelo.web.position import Position
from zermelo.web.routing import Request

GameId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{22}$")]
View = Literal["", "max", "min"]


class GameRequest(Request, frozen=True, kw_only=True):
    """A game, looked at from a side; an empty view is that of the only person."""

    id: GameId
    view: View = ""


class ChangeRequest(GameRequest, frozen=True, kw_only=True):
    """A change of a game at a version."""

    version: int


class PlayerState(msgspec.Struct, frozen=True):
    """Who plays a side."""

    side: Side
    name: str
    kind: Literal["person", "engine"]
    level: int | None


class ClockState(msgspec.Struct, frozen=True):
    """The clock: seconds left to MAX and MIN now, and the side whose time runs."""

    base: float
    increment: float
    left: tuple[float, float]
    running: Side | None


class Possible(msgspec.Struct, frozen=True):
    """What people can do now."""

    move: bool
    undo: bool
    hint: bool
    why: bool
    resign: bool
    claim: bool
    offer: bool
    #: Pause, resume and step a game between engines.
    pause: bool


class GameState(msgspec.Struct, frozen=True, kw_only=True):
    """A game as a side sees it."""

    id: str
    version: int
    game: str
    title: str
    start: str
    players: list[PlayerState]
    #: Levels of the engine: 1 to this number.
    levels: int
    #: Who looks: a side, "all" where nothing is hidden, or "cover": nobody, until a person says who looks.
    view: str
    #: The position of this view; None under the cover.
    position: Position | None
    #: Moves and chance events so far; none while information is hidden.
    played: list[Played]
    turn: str | None
    hidden: bool
    #: Whether a game between engines stands still.
    paused: bool
    thinking: bool
    can: Possible
    #: Why a draw can be claimed.
    claim: str
    offer: Side | None
    clock: ClockState | None
    outcome: Outcome | None
    #: What the engine thought of the position before its last move.
    score: str
    #: A message of the compiler, while it compiles the search of the game for this machine.
    note: str
    formats: list[FormatName]
    #: Seed of dice and choices; shown after the end.
    seed: int | None
    #: Why the game does not go on: an error of the engine or of the game's rules.
    problem: str


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A saved game in the list."""

    id: str
    game: str
    title: str
    players: list[PlayerState]
    #: Moves and chance events; None while information is hidden, since their number may tell of a move.
    plies: int | None
    outcome: Outcome | None
    updated: float
    #: Whether this server offers the game.
    available: bool


class GameList(msgspec.Struct, frozen=True):
    """The saved games changed last, and the number of all."""

    games: list[GameSummary]
    total: int


def players_of(record: SavedGame) -> list[PlayerState]:
    """Return who plays a game, MAX first."""
    sides: tuple[Side, Side] = ("max", "min")
    return [
        PlayerState(side, sentence(name), seat.kind, seat.level if seat.kind == "engine" else None)
        for side, name, seat in zip(sides, record.names, (record.max, record.min), strict=True)
    ]
