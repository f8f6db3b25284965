"""Game files of the page: read in any format of the game, and written in one.

The page holds a game with its variations as the data of the format `json` (`zermelo.formats.text_formats.as_data`).
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from zermelo import registry
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FormatError
from zermelo.formats.detection import read_binary, read_text
from zermelo.formats.line_reader import TextLine
from zermelo.formats.record import Record
from zermelo.formats.registry import formats_of, get_format
from zermelo.formats.text_formats import as_data
from zermelo.interactive.game_page import HTML, page_of
from zermelo.web.errors import field
from zermelo.web.routing import Request, endpoint
from zermelo.web.searches import Workers
from zermelo.web.services import Services

#: The most games of a file that are sent, and errors of games that cannot be read.
MAX_GAMES = 100
MAX_ERRORS = 20


class ImportRequest(Request, frozen=True):
    """A text with games or positions."""

    game: str
    text: str
    #: Name of the file, whose extension chooses the format.
    name: str = ""
    #: Name of the format; empty: by the name, or else by trial.
    format: str = ""
    #: The content of a binary file, in base64, in place of the text; its format is named by the extension.
    data: bytes = b""


class ImportedGame(msgspec.Struct, frozen=True):
    """A game of a file."""

    title: str
    #: Moves of the main line.
    length: int
    #: The game as the format `json` has it.
    record: dict[str, Any]


class ImportedGames(msgspec.Struct, frozen=True):
    """The games of a text."""

    format: str
    games: list[ImportedGame]
    #: What is wrong with the games that cannot be read, each with its line.
    errors: list[str]
    #: Whether the text has more games.
    more: bool
    #: Texts among the moves that are not moves in the rules, such as a double in backgammon.
    events: list[str]


class ExportRequest(Request, frozen=True):
    """A game, and the format to write it in."""

    game: str
    record: dict[str, Any]
    #: Name of the format, or `html`: a page of one file that shows the main line.
    format: str


class ExportedGame(msgspec.Struct, frozen=True):
    """A game as the text of a file."""

    text: str
    #: The suggested name of the file.
    name: str
    #: Whether the format keeps everything: variations, comments, marks, tags.
    is_complete: bool


@endpoint(
    "POST",
    "/api/import",
    request=ImportRequest,
    response=ImportedGames,
    takes_file=True,
    summary="Read the games of a text or file in any format of the game.",
)
async def import_games(request: ImportRequest, services: Services) -> ImportedGames:
    """Raises `RequestError` for the field `text`, with the line, if no game can be read."""
    return await services.get(Workers).rules(request.game, _import, services.source(request.game), request)


def _import(source: str, request: ImportRequest) -> ImportedGames:
    cls = registry.load(source)
    with field("text"):
        if request.data:
            found = read_binary(cls, request.data, request.name, MAX_GAMES)
        else:
            found = read_text(cls, request.text, request.name, request.format, MAX_GAMES)
        if not found.records:
            raise found.errors[0]
    return ImportedGames(
        format=found.format.name,
        games=[_imported(record) for record in found.records],
        errors=[str(error) for error in found.errors[:MAX_ERRORS]],
        more=found.has_more,
        events=list(getattr(cls, "match_events", ())),
    )


def _imported(record: Record) -> ImportedGame:
    return ImportedGame(title_of(record), len(record.line.steps), as_data(record))


def title_of(record: Record) -> str:
    """Return a title from the tags: the players, the event, the date and the result; a position has its text."""
    tags = {name: text for name, text in record.tags.items() if text and set(text) - set("?.* ")}
    first, second = (_player(record.start, side, tags) for side in (MAX, MIN))
    parts = [f"{first or '?'} - {second or '?'}"] if first or second else []
    parts += [tags[name] for name in ("Event", "Date") if name in tags]
    if record.result != "*":
        parts.append(record.result)
    if not parts and not record.line.steps:
        return str(record.start)
    return ", ".join(parts) or " ".join(step.text for step in record.line.steps[:6])


def _player(state: State, side: int, tags: dict[str, str]) -> str:
    """Return the player of a side: the tag with the first word of the side's name, such as White."""
    words = {word.strip("()").casefold() for word in state.player_name(side).split()}
    return next((text for name, text in tags.items() if name.casefold() in words), "")


@endpoint(
    "POST",
    "/api/export",
    request=ExportRequest,
    response=ExportedGame,
    takes_file=True,
    summary="Write a game in one of the game's formats.",
)
async def export_game(request: ExportRequest, services: Services) -> ExportedGame:
    """Raises `RequestError` if the format cannot express the game."""
    return await services.get(Workers).rules(request.game, _export, services.source(request.game), request)


def _export(source: str, request: ExportRequest) -> ExportedGame:
    cls = registry.load(source)
    if request.format == HTML:
        with field("record"):
            return ExportedGame(page_of(parse_record(cls, request.record)), f"{request.game}.html", False)
    with field("format"):
        form = get_format(cls, request.format)
    with field("record"):
        record = parse_record(cls, request.record)
        text = form.text(record)
        back = list(form.read([TextLine(number, line) for number, line in enumerate(text.split("\n"), 1)], _raise))
    suffix = form.suffixes[0] if form.suffixes else ".txt"
    is_complete = len(back) == 1 and _keeps(back[0], record)
    return ExportedGame(text, f"{request.game}{suffix}", is_complete)


def _keeps(written: Record, record: Record) -> bool:
    """Return whether a record that was written and read again has all of the other; formats may add tags."""
    after, before = as_data(written), as_data(record)
    tags = before.pop("tags", {})
    return before.items() <= after.items() and tags.items() <= after.get("tags", {}).items()


def parse_record(cls: type[State], data: dict[str, Any]) -> Record:
    """Return the record of the page's data. Raises `FormatError`."""
    line = TextLine(1, json.dumps(data, ensure_ascii=False))
    records = list(formats_of(cls)["json"].read([line], _raise))
    return records[0]


def _raise(error: FormatError) -> None:
    raise FormatError(error.wrong, move=error.move)


ROUTES = [import_games, export_game]
