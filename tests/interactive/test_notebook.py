"""Widgets of notebooks: what is shown with and without anywidget, and the widget's script in Chromium."""

import importlib.util
import json
from importlib.resources import files

import pytest
from browsers import watched_pages

import zermelo
from zermelo import arena
from zermelo.errors import MissingDependency
from zermelo.formats.record import record_from_moves
from zermelo.interactive import notebook
from zermelo.interactive.game_page import page_of
from zermelo.interactive.notebook import PlayedGame, frame_page
from zermelo.review.results import GameReview
from zermelo.teaching import tree

VIEW = "application/vnd.jupyter.widget-view+json"
NAMES = ["state", "tree", "trace", "playouts", "record", "review", "match", "analysis"]
START = zermelo.load("tictactoe").start()
needs_anywidget = pytest.mark.skipif(
    importlib.util.find_spec("anywidget") is None, reason="anywidget is not installed; `make adapters` installs it"
)

#: A notebook in a page: the script is loaded as anywidget does, with a model that Python answers.
NOTEBOOK = """<!DOCTYPE html><body data-jp-theme-light="false"><div id="cell"></div>
<script type="application/json" id="given">%s</script>
<script type="module">
const { script, values } = JSON.parse(document.getElementById("given").textContent);
const listeners = {};
const model = {
  get: (name) => values[name],
  set: (name, value) => (values[name] = value),
  async save_changes() {
    const view = await globalThis.choose(values.chosen);
    values.view = view;
    listeners["change:view"]?.();
  },
  on: (event, listener) => (listeners[event] = listener),
  off: (event) => delete listeners[event],
};
const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
globalThis.close_widget = widget.render({ model, el: document.getElementById("cell") });
</script>"""


def record():
    return record_from_moves(START, [4, 0])


def subjects():
    trace = tree.trace("[[3,12,8],[2,4,6]]")
    return {
        "state": (START, "image/svg+xml"),
        "tree": (trace.tree, "image/svg+xml"),
        "trace": (trace, "image/svg+xml"),
        "playouts": (tree.PlayoutTrace(START.parse("XX-OO----"), 3), "image/svg+xml"),
        "record": (record(), "image/svg+xml"),
        "review": (GameReview(record()), "image/svg+xml"),
        "match": (arena.match("tictactoe", "random", "random", games=2, seed=1), "text/html"),
        "analysis": (zermelo.analyse(START.parse("XX-OO----"), depth=2), "text/html"),
    }


@pytest.fixture(scope="module")
def shown():
    return subjects()


@pytest.mark.parametrize("name", NAMES)
def test_without_anywidget_there_is_the_picture_or_table(shown, name, monkeypatch):
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    subject, kind = shown[name]
    bundle = subject._repr_mimebundle_()
    assert list(bundle) == [kind]
    assert bundle[kind].startswith("<svg" if "svg" in kind else "<table")
    with pytest.raises(MissingDependency, match="pip install 'zermelo\\[notebook\\]'"):
        zermelo.widget(subject)


@needs_anywidget
@pytest.mark.parametrize("name", NAMES)
def test_with_anywidget_there_are_both(shown, name):
    subject, kind = shown[name]
    bundle = subject._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {VIEW, kind, "text/plain"}
    assert bundle["text/plain"] == repr(subject)
    json.dumps(zermelo.widget(subject).view)


@needs_anywidget
def test_a_widget_of_a_state_tells_python_the_moves():
    widget = zermelo.widget(START)
    widget.chosen = {"ply": 0, "move": "b2", "number": 1}
    assert widget.state == START.after("b2")
    widget.chosen = {"ply": 1, "move": "b2", "number": 2}
    assert widget.state == START.after("b2")
    assert "'b2' is not a legal move" in widget.view["problem"]


def test_moves_of_the_board_are_made_refused_and_taken_back():
    game = PlayedGame(START)
    view = game.choose({"ply": 0, "move": "b2"})
    assert [step["text"] for step in view["steps"]] == ["b2"]
    assert "b2" not in [move["text"] for move in view["legal"]]
    assert "is not a legal move" in game.choose({"ply": 1, "move": "b2"})["problem"]
    for wrong in ({}, {"ply": 9, "move": "a1"}, {"ply": -1}, {"ply": "1"}, {"ply": True}):
        assert len(game.choose(wrong)["steps"]) == 1
    assert game.choose({"ply": 0, "move": None})["steps"] == []
    assert game.states == [START]


def test_dice_are_rolled_and_taken_back_with_the_move_before_them():
    game = PlayedGame(zermelo.load("backgammon").start())
    assert len(game.states) == 2
    view = game.choose({"ply": 1, "move": game.view()["legal"][0]["text"]})
    assert len(view["steps"]) == 3
    assert view["legal"]
    view = game.choose({"ply": 2})
    assert len(view["steps"]) == 1


@needs_anywidget
def test_a_match_has_its_table_and_games(shown):
    view = zermelo.widget(shown["match"][0]).view
    assert len(view["games"]) == 2
    assert len(view["table"]["rows"]) == 2
    assert view["games"][0]["pictures"][0]["kind"] == "grid"


@pytest.fixture
def cell(browser, tmp_path):
    """A function that opens a notebook with a widget; returns its page and the widget's frame."""
    script = files("zermelo").joinpath("web", "page", "scripts", "notebook_widget.js").read_text("utf-8")
    asked = []
    with watched_pages(browser) as open_page:

        def open_cell(page, view=None, choose=None, **context):
            values = {"page": page, "view": view, "chosen": {}, "title": "A widget"}
            given = json.dumps({"script": script, "values": values}).replace("<", "\\u003c")
            path = tmp_path / "notebook.html"
            path.write_text(NOTEBOOK % given)
            tab = open_page(path, **context)
            tab.on("request", lambda request: asked.append(request.url))
            tab.expose_function("choose", choose or (lambda chosen: view))
            return tab, tab.frame_locator("iframe")

        yield open_cell
    assert asked == []


@pytest.mark.long
def test_a_state_is_played_in_the_notebook(cell):
    game = PlayedGame(START)
    _, frame = cell(frame_page(), game.view(), game.choose)
    frame.locator(".cell").nth(4).click()
    frame.locator(".status", has_text="Noughts to move").wait_for()
    assert game.states[-1] == START.after("b2")
    frame.locator(".cell").nth(0).click()
    frame.locator(".move", has_text="a1").wait_for()
    frame.get_by_role("button", name="Take back").click()
    frame.locator(".status", has_text="Noughts to move").wait_for()
    assert game.states == [START, START.after("b2")]
    frame.get_by_role("button", name="Previous move").click()
    frame.locator(".status", has_text="Crosses to move").wait_for()


@pytest.mark.long
def test_the_frame_fits_its_page_and_has_the_colours_of_the_notebook(cell):
    page, frame = cell(frame_page(), PlayedGame(START).view())
    frame.locator(".cell").first.wait_for()
    assert frame.locator("html").evaluate("(root) => getComputedStyle(root).colorScheme") == "dark"
    content = frame.locator("html").evaluate("(root) => [root.scrollHeight, innerHeight, root.scrollWidth, innerWidth]")
    assert content[0] <= content[1] + 1
    assert content[2] <= content[3]
    page.evaluate("close_widget()")


@pytest.mark.long
def test_a_search_is_stepped_through_in_the_notebook(cell):
    _, frame = cell(page_of(tree.trace("[[3,12,8],[2,4,6]]")))
    frame.get_by_role("button", name="Forward").click()
    assert frame.locator("#count").inner_text() != ""
