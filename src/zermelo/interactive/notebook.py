"""Widgets for notebooks: games, trees, analyses, reviews and matches to step through, and states to play from.

A widget is a frame with the page of `zermelo.interactive.game_page`, made by anywidget (the extra `notebook`). Where
anywidget is missing, or no JavaScript runs, notebooks show the pictures and tables.
"""

from __future__ import annotations

import random
import sys
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from zermelo.arena.export import record_of
from zermelo.arena.game_course import chance_move
from zermelo.arena.tables.standings import Standings
from zermelo.core.game import CHANCE, State
from zermelo.errors import MissingDependency, ZermeloError
from zermelo.interactive.course import GameInProgress
from zermelo.interactive.game_page import picture_of, render_view, search_drawing, view_of
from zermelo.interactive.game_views import game_view, play_view

#: The most moves of a match's games on its widget: some thousand positions are described in a second.
MAX_MATCH_MOVES = 2_000


def widget(subject: object) -> Any:
    """Make the widget of an object for a notebook.

    Parameters
    ----------
    subject : State, Tree, trace, Analysis, Record, GameReview, Standings, or sequence of Record or GameReview
        What is shown. From a state, moves are made on its board: the widget's `state` is the current one, `states`
        has all of them.

    Returns
    -------
    anywidget.AnyWidget

    Raises
    ------
    MissingDependency
        If anywidget is not installed.
    InputError
        If the subject has no widget.
    """
    if find_spec("anywidget") is None:
        raise MissingDependency("widgets need anywidget: pip install 'zermelo[notebook]'")
    if isinstance(subject, State):
        return _classes()[1](subject)
    drawing = None if isinstance(subject, Standings) else search_drawing(subject)
    if drawing is not None:
        return _classes()[0](page=drawing.html(), title="A search, step by step")
    view = _match_view(subject) if isinstance(subject, Standings) else view_of(subject)
    return _classes()[0](page=frame_page(), view=view, title=view["title"])


def mimebundle(subject: object) -> dict[str, Any]:
    """Return what notebooks show of an object: its picture or table, and its widget if anywidget is installed."""
    found: dict[str, Any] = {}
    if hasattr(subject, "_repr_svg_"):
        found["image/svg+xml"] = subject._repr_svg_()
    if hasattr(subject, "_repr_html_"):
        found["text/html"] = subject._repr_html_()
    if not found:
        found["image/svg+xml"] = picture_of(subject)
    if find_spec("anywidget") is None or _is_terminal():
        return found
    try:
        shown = widget(subject)._repr_mimebundle_()
    except ZermeloError:  # a search or a game that is too large
        return found
    data = shown[0] if isinstance(shown, tuple) else shown
    return {**(data or {}), **found, "text/plain": repr(subject)}


def _is_terminal() -> bool:
    """Whether this is IPython in a terminal, which shows text only."""
    module = sys.modules.get("IPython")
    return module is not None and type(module.get_ipython()).__name__ == "TerminalInteractiveShell"


@cache
def frame_page() -> str:
    """The page of the viewer without data: its frame gets it from the widget."""
    return render_view(None)


def _match_view(table: Standings) -> dict[str, Any]:
    """The table of a match, and its first games."""
    from zermelo import registry

    games, moves = [], 0
    for number, played in enumerate(table.records, 1):
        moves += len(played.moves)
        if moves > MAX_MATCH_MOVES:
            break
        record = record_of(played, registry.load(played.job.game), "json")
        view = game_view(record, " - ".join(played.job.names))
        games.append(view | {"facts": f"game {number}: {record.result}, {played.termination}"})
    head, rows, caption = table.cells()
    if len(games) < table.games:
        caption += f"; the first {len(games):,} can be stepped through" if games else ""
    cells = [[str(cell) for cell in row] for row in rows]
    return {"title": "Match", "games": games, "table": {"head": list(head), "rows": cells, "caption": caption}}


class PlayedGame:
    """A game that is played on the board of a widget, both sides by hand; dice are rolled."""

    def __init__(self, state: State) -> None:
        self._game = GameInProgress([state])
        self._roll()

    @property
    def states(self) -> list[State]:
        """All states, the current one last."""
        return self._game.states

    def view(self) -> dict[str, Any]:
        """Return the data of the viewer."""
        return play_view(self._game)

    def choose(self, chosen: dict[str, Any]) -> dict[str, Any]:
        """Do what was chosen on the board and return the new data of the viewer.

        Parameters
        ----------
        chosen : dict
            `ply`, the number of moves and rolls to keep, and `move`, the name of the next move, or None to take back.
        """
        problem = ""
        ply, move = chosen.get("ply"), chosen.get("move")
        if type(ply) is int and 0 <= ply < len(self.states):
            try:
                if isinstance(move, str):
                    self._game.cut(ply)
                    self._game.make(self._game.parse(move))
                else:
                    self._take_back(ply)
                self._roll()
            except ZermeloError as error:
                problem = str(error)
        return {**self.view(), "problem": problem}

    def _take_back(self, ply: int) -> None:
        """Go back to a choice of a player: rolls between two choices are taken back with the earlier one."""
        choices = [place for place in range(ply + 1) if self.states[place].to_move() != CHANCE]
        if choices:
            self._game.cut(choices[-1])

    def _roll(self) -> None:
        game = self._game
        while not game.is_finished() and game.state.to_move() == CHANCE:
            game.make(chance_move(game.state, random.Random()))


@cache
def _classes() -> tuple[Any, Any]:
    """The classes of widgets: of anything, and of a state that is played."""
    import anywidget
    import traitlets

    script = files("zermelo").joinpath("web", "page", "scripts", "notebook_widget.js").read_text("utf-8")

    class Widget(anywidget.AnyWidget):
        """A frame with a page; `view` is what its viewer shows."""

        _esm = script
        page = traitlets.Unicode().tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        view = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
        chosen = traitlets.Dict().tag(sync=True)

    class GameWidget(Widget):
        """A game that is played on its board."""

        def __init__(self, state: State) -> None:
            self._game = PlayedGame(state)
            super().__init__(page=frame_page(), view=self._game.view(), title=type(state).__name__)

        @property
        def state(self) -> State:
            """The current state."""
            return self._game.states[-1]

        @property
        def states(self) -> list[State]:
            """All states from the first one on."""
            return self._game.states

        @traitlets.observe("chosen")
        def _on_chosen(self, change: Any) -> None:
            self.view = self._game.choose(change.new)

    return Widget, GameWidget
