"""Pages of one file that show games, reviews, analyses and searches, and need no network: `page_of` and `save_html`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from zermelo.core.game import State
from zermelo.drawing.drawing import Drawing, drawing_of, write_drawing
from zermelo.errors import InputError, LimitError
from zermelo.formats.record import Record
from zermelo.interactive.course import GameInProgress
from zermelo.interactive.game_views import analysis_view, game_view, play_view
from zermelo.review.results import GameReview
from zermelo.search.analysis import Analysis
from zermelo.teaching.pages.bundle import bundle, json_for_script, script_hash
from zermelo.teaching.pages.stripping import stripped
from zermelo.teaching.tree.node import Tree

#: The most games on a page, and their moves in all: some 200 bytes each.
MAX_GAMES, MAX_MOVES = 200, 20_000
#: The name of these pages among the formats of a game, as the web page offers it.
HTML = "html"
_STYLES = ("tokens", "base", "drawings", "board", "curve", "review", "game_viewer")
_VIEWER = "/scripts/game_viewer.js"


def save_html(path: str | Path, subject: object) -> None:
    """Write a page of one file that shows a game, a review, an analysis, a search or a position.

    The page needs no server and makes no request. It steps through the moves of a game, or the steps of a search.

    Parameters
    ----------
    path : str or Path
        The file to write.
    subject : Record, GameReview, Analysis, State, Tree, trace, or sequence of Record or GameReview
        What is shown. A tree is searched by alpha-beta first.

    Raises
    ------
    InputError
        If the subject cannot be shown.
    LimitError
        If a game has more than 2,000 moves, there are more than 200 games, or these have more than 20,000 moves.
    FileError
        If the file cannot be written.
    """
    write_drawing(path, page_of(subject))


def is_page(path: str) -> bool:
    """Whether a file is a page by its extension."""
    return path.casefold().endswith((".html", ".htm"))


def page_of(subject: object) -> str:
    """Return the page that `save_html` writes."""
    if isinstance(drawing := search_drawing(subject), Drawing):
        return drawing.html()
    return render_view(view_of(subject), picture=picture_of(subject))


def search_drawing(subject: object) -> Drawing | None:
    """Return the drawing of a search, whose page steps through it; None for other subjects. Trees are searched."""
    from zermelo.teaching import tree

    if isinstance(subject, Tree):
        subject = tree.trace(subject)
    if isinstance(subject, State | Record | GameReview | Analysis | Sequence):
        return None
    drawing = subject if isinstance(subject, Drawing) else drawing_of(subject)
    return drawing if "html" in drawing.formats else None


def view_of(subject: object) -> dict[str, Any]:
    """Return the data of the viewer for a game, a review, an analysis, a position, or several games."""
    if isinstance(subject, Record | GameReview):
        return game_view(subject)
    if isinstance(subject, Analysis):
        return analysis_view(subject)
    if isinstance(subject, State):
        return play_view(GameInProgress([subject])) | {"legal": None}
    if isinstance(subject, Sequence) and subject and all(isinstance(each, Record | GameReview) for each in subject):
        return _games_view(subject)
    raise InputError(f"{type(subject).__name__} cannot be shown: expected a game, a review, an analysis or a search")


def _games_view(games: Sequence[Record | GameReview]) -> dict[str, Any]:
    """Return the data of the viewer for one or several games."""
    records = [each if isinstance(each, Record) else each.record for each in games]
    if len(games) == 1:
        return game_view(games[0])
    if len(games) > MAX_GAMES or sum(len(each.line.steps) for each in records) > MAX_MOVES:
        raise LimitError(f"a page shows at most {MAX_GAMES} games with {MAX_MOVES:,} moves in all; choose some of them")
    title = f"{len(games)} games"
    return {"title": title, "games": [game_view(each) for each in games]}


def picture_of(subject: object) -> str:
    """The last position as SVG, for readers without JavaScript."""
    match subject:
        case GameReview(record=record) | (Record() as record):
            state = record.end()
        case Analysis(state=state) | (State() as state):
            pass
        case _:
            return ""
    return drawing_of(state)._repr_svg_()


def render_view(view: dict[str, Any] | None, *, picture: str = "") -> str:
    """Return the page of the viewer.

    Parameters
    ----------
    view : dict or None
        The data; None for the frame of a widget, which gets it from the notebook.
    picture : str
        SVG that is shown without JavaScript.
    """
    script = _viewer()
    return (
        _environment()
        .get_template("game.html")
        .render(
            title="" if view is None else view["title"],
            styles=Markup(_styles()),
            script=Markup(script),
            script_hash=script_hash(script),
            picture=Markup(picture),
            data=Markup(json_for_script(view)),
        )
    )


@cache
def _viewer() -> str:
    return "\n" + bundle(_VIEWER)


@cache
def _styles() -> str:
    folder = files("zermelo").joinpath("web", "page", "styles")
    return "".join(stripped(folder.joinpath(f"{name}.css").read_text("utf-8"), ".css") for name in _STYLES)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
