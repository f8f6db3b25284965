"""`GET /api/catalogue`: the games that the server offers."""

from __future__ import annotations

import msgspec

from zermelo import registry
from zermelo.core.game import MAX, MIN
from zermelo.errors import ZermeloError
from zermelo.formats.registry import formats_of
from zermelo.search.levels import max_level
from zermelo.search.selective import evaluations_with_errors, why_never_selective
from zermelo.web.routing import NoRequest, endpoint
from zermelo.web.services import Services


def title(name: str, source: str) -> str:
    """Return the title of a game by its name in the API and its `source`."""
    found = registry.title(name) if source == "built in" else name
    return found[:1].upper() + found[1:]


class Format(msgspec.Struct, frozen=True):
    """A file format of a game; `suffixes` may be empty."""

    name: str
    description: str
    suffixes: tuple[str, ...]
    #: What it keeps beside the moves: "all" annotations, "evaluations" of moves, or nothing.
    annotations: str
    #: Whether it is text: games can be pasted in it, and saved.
    is_text: bool


class Game(msgspec.Struct, frozen=True):
    """A game. `chance` and `perfect_information` are its cell of the lectures' table."""

    name: str
    title: str
    about: str
    chance: bool
    perfect_information: bool
    #: Names of MAX and MIN.
    players: tuple[str, str]
    max_utility: int
    evaluations: tuple[str, ...]
    #: Evaluations with which searches at a confidence are possible.
    confident_evaluations: tuple[str, ...]
    #: Whether it can be searched selectively.
    selective: bool
    formats: tuple[Format, ...]
    #: Levels of the engine: 1 to this number.
    levels: int
    has_picture: bool
    #: "built in", "package NAME" or "file".
    source: str


class BrokenGame(msgspec.Struct, frozen=True):
    """A game that does not load."""

    name: str
    error: str


class Catalogue(msgspec.Struct, frozen=True):
    """The games in the order of the command line, then by name."""

    games: list[Game]
    broken: list[BrokenGame]


@endpoint("GET", "/api/catalogue", response=Catalogue, summary="List the games.")
def catalogue(request: NoRequest, services: Services) -> Catalogue:
    """List the games."""
    return list_games(services)


def list_games(services: Services) -> Catalogue:
    """Load and describe the games; one that does not load does not hide the others."""
    games, broken = [], []
    for name in services.games:
        try:
            games.append(_describe(name, services))
        except ZermeloError as error:
            broken.append(BrokenGame(name, str(error)))
        except Exception as error:  # the game's own code
            broken.append(BrokenGame(name, f"{type(error).__name__}: {error}"))
    return Catalogue(games, broken)


def _describe(name: str, services: Services) -> Game:
    cls = services.game(name)
    facts = registry.describe(cls)
    start = cls.start()
    return Game(
        name=name,
        title=title(name, facts["source"]),
        about=facts["about"],
        chance=cls.has_chance,
        perfect_information=cls.perfect_information,
        players=(start.player_name(MAX), start.player_name(MIN)),
        max_utility=cls.max_utility,
        evaluations=tuple(cls.evaluations),
        confident_evaluations=tuple(evaluations_with_errors(cls)),
        selective=not why_never_selective(cls),
        formats=tuple(
            Format(each.name, each.description, each.suffixes, each.annotations, each.binary is None)
            for each in formats_of(cls).values()
        ),
        levels=max_level(cls),
        has_picture=start.picture() is not None,
        source=facts["source"],
    )


ROUTES = [catalogue]
