"""The page /play in a browser: whole games by mouse, touch and keyboard; restarts, hidden information, engines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pile
import pytest
from browsers import watched_pages
from web_pages import running_server

import zermelo

pytestmark = pytest.mark.long

PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "level": 3}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("play")
    (folder / "pile.py").write_text(Path(pile.__file__).read_text().replace("heap: int = 9", "heap: int = 5"))
    with running_server(folder / "data", str(folder / "pile.py")) as started:
        yield started


@pytest.fixture
def open_page(browser: Any, server: Any) -> Iterator[Callable[..., Any]]:
    with watched_pages(browser, server.url) as opened:

        def patient(path: str, **context: Any) -> Any:
            page = opened(path, **context)
            page.set_default_timeout(20_000)  # the machine may be busy
            return page

        yield patient


def new_game(page: Any, game: str, **fields: Any) -> str:
    """Begin a game through the API, in the page's own origin; two people at this screen unless `fields` say else."""
    body = {"game": game, "max": PERSON, "min": PERSON, **fields}
    found = page.evaluate("async (body) => (await import('/scripts/api.js')).post('/api/games', body)", body)
    return str(found["id"])


def open_game(open_page: Callable[..., Any], game: str, context: dict[str, Any] | None = None, **fields: Any) -> Any:
    page = open_page("/play", **(context or {}))
    page.goto(re.sub(r"/play.*", f"/play?id={new_game(page, game, **fields)}", page.url))
    page.wait_for_selector(".status:not(:empty)")
    page.wait_for_selector("zermelo-board .cell, .board-text, .cover", state="attached")
    return page


def cell(page: Any, name: str) -> Any:
    return page.locator(f'zermelo-board .cell[aria-label^="{name}"]').first


def centre(page: Any, name: str) -> tuple[float, float]:
    box = cell(page, name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def choose(page: Any, name: str, how: str) -> None:
    """Choose a square by mouse, by touch, or by keyboard alone."""
    if how == "mouse":
        page.mouse.click(*centre(page, name))
    elif how == "touch":
        page.touchscreen.tap(*centre(page, name))
    else:
        column, row = "abcdefgh".index(name[0]), name[1:]
        for _ in range(20):
            here = page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
            if here.startswith(name):
                break
            at = "abcdefgh".index(here[0])
            if at != column:
                page.keyboard.press("ArrowRight" if at < column else "ArrowLeft")
                continue
            before = page.evaluate("document.activeElement.getBoundingClientRect().y")
            wanted = cell(page, name).bounding_box()["y"]
            page.keyboard.press("ArrowDown" if before < wanted else "ArrowUp")
        else:
            raise AssertionError(f"{row} was not reached")
        page.keyboard.press("Enter")


def status_is(page: Any, text: str, timeout: float = 20_000) -> None:
    page.locator(".status", has_text=text).wait_for(timeout=timeout)


def played(page: Any) -> list[str]:
    return list(page.locator(".move-list .move").all_inner_texts())


def plies_are(page: Any, count: int, timeout: float = 20_000) -> None:
    page.wait_for_function(
        "(count) => document.querySelectorAll('.move-list .move').length === count", arg=count, timeout=timeout
    )


def to_the_board_by_tab(page: Any) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('cell')"):
            return
    raise AssertionError("the board was not reached")


CONTEXTS: dict[str, dict[str, Any]] = {
    "mouse": {},
    "touch": {"has_touch": True, "viewport": {"width": 390, "height": 844}},
    "keyboard": {},
}


@pytest.mark.parametrize("how", CONTEXTS)
def test_tictactoe_whole(open_page: Callable[..., Any], how: str) -> None:
    page = open_page("/play", **CONTEXTS[how])
    page.wait_for_selector("form.new-game")
    if how == "keyboard":
        page.locator("select[name=game]").focus()
        page.keyboard.type("Tic")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")  # a person at this screen
        page.keyboard.press("Enter")
    else:
        page.select_option("select[name=game]", "tictactoe")
        press = page.click if how == "mouse" else page.tap
        press("input[name=opponent][value=person]")
        press("text=Start the game")
    status_is(page, "Crosses to move")
    if how == "keyboard":
        to_the_board_by_tab(page)
    for place, name in enumerate(("b2", "a1", "a2", "a3", "c2"), 1):
        choose(page, name, how)
        plies_are(page, place)
    status_is(page, "Crosses have won")
    assert played(page) == ["b2", "a1", "a2", "a3", "c2"]
    assert page.locator("text=Rematch").is_visible()


@pytest.mark.parametrize("how", CONTEXTS)
def test_othello_whole(open_page: Callable[..., Any], how: str) -> None:
    """A random game of about 60 moves, passes included."""
    state, names, dice = zermelo.load("othello").start(), [], random.Random(11)
    while not state.is_over():
        names.append(state.move_name(dice.choice(state.legal_moves())))
        state = state.after(names[-1])
    page = open_game(open_page, "othello", CONTEXTS[how])
    if how == "keyboard":
        to_the_board_by_tab(page)
    for place, name in enumerate(names, 1):
        if re.fullmatch("[a-h][1-8]", name):
            choose(page, name, how)
        else:
            button = page.locator(".board-buttons button").first
            button.tap() if how == "touch" else button.click()
            if how == "keyboard":
                cell(page, "a1").focus()
        plies_are(page, place)
    assert played(page) == names
    status_is(page, "won by" if state.utility() else "draw")


def test_chess_with_castling_and_promotion(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "chess", position="4k3/P6p/8/8/8/8/8/R3K2R w KQ - 0 1")
    page.mouse.move(*centre(page, "e1"))
    page.mouse.down()
    page.mouse.move(*centre(page, "f1"), steps=4)
    page.mouse.move(*centre(page, "g1"), steps=4)
    page.mouse.up()
    plies_are(page, 1)
    choose(page, "h7", "mouse")
    choose(page, "h6", "mouse")
    plies_are(page, 2)
    choose(page, "a7", "mouse")
    choose(page, "a8", "mouse")
    page.click('.board-chooser button[aria-label*="knight"]')
    plies_are(page, 3)
    assert played(page) == ["O-O", "h6", "a8=N"]
    assert cell(page, "a8").get_attribute("aria-label").startswith("a8, white knight")
    assert cell(page, "f1").get_attribute("aria-label").startswith("f1, white rook")


def test_checkers_multi_jump_square_by_square(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "checkers", position="W:W13,15,17,25,28,30:B1,2,4,6,7,12,14,K32")
    legal = zermelo.load("checkers").parse("W:W13,15,17,25,28,30:B1,2,4,6,7,12,14,K32")
    (move,) = legal.legal_moves()
    squares = [row * 8 + column for column, row in legal.move_path(move)]
    assert len(squares) == 3
    cells = page.locator("zermelo-board .cell")
    for square in squares:
        box = cells.nth(square).bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    plies_are(page, 1)
    assert played(page) == ["17x10x3"]


def test_backgammon_with_dice(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "backgammon", seed=3)
    status_is(page, "to move, rolled")
    shown = page.locator("zermelo-board g.die").count()
    assert shown == 2
    plies = len(played(page))
    steps = page.evaluate(
        "async () => (await import('/scripts/api.js'))"
        ".get('/api/games/' + new URLSearchParams(location.search).get('id'))"
        ".then((state) => state.position.moves[0].steps)"
    )
    for squares in steps:
        for square in squares:
            name = {0: "borne off", 25: "bar"}.get(square, f"point {square}")
            found = page.locator(
                f'zermelo-board .cell[aria-label="{name}"], zermelo-board .cell[aria-label^="{name},"]'
            )
            box = found.first.bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    plies_are(page, plies + 2)  # the play, and the dice of the other side
    status_is(page, "to move, rolled")


def test_a_users_own_file_has_buttons(open_page: Callable[..., Any]) -> None:
    page = open_page("/play?game=pile&opponent=person")
    page.click("text=Start the game")
    status_is(page, "MAX to move")
    for place, name in enumerate(("3", "2"), 1):
        page.click(f".board-buttons button:text-is('{name}')")
        plies_are(page, place)
    status_is(page, "MIN has won")


def test_an_impossible_position_is_refused_beside_its_field(browser: Any, server: Any) -> None:
    page = browser.new_page()
    page.goto(f"{server.url}/play?game=chess&position=8/8")
    page.click("text=Start the game")
    page.locator(".new-game .error", has_text="expected 6").wait_for()
    assert page.locator("textarea[name=position]").get_attribute("aria-invalid") == "true"
    page.close()


def test_reload_and_kill_of_the_server_lose_nothing(browser: Any, tmp_path: Path) -> None:
    with running_server(tmp_path / "data", "tictactoe") as started:
        page = browser.new_page()
        page.set_default_timeout(15_000)
        page.goto(f"{started.url}/play")
        page.goto(f"{started.url}/play?id={new_game(page, 'tictactoe')}")
        status_is(page, "Crosses to move")
        choose(page, "b2", "mouse")
        plies_are(page, 1)
        page.reload()
        plies_are(page, 1)
        choose(page, "a1", "mouse")
        plies_are(page, 2)
        started.kill()
        page.wait_for_selector(".connection:visible")
        started.start()
        page.wait_for_selector(".connection", state="hidden")
        choose(page, "c3", "mouse")
        plies_are(page, 3)
        assert played(page) == ["b2", "a1", "c3"]
        page.goto(f"{started.url}/play")
        page.click("a[aria-label^='Continue Tic-tac-toe']")
        plies_are(page, 3)
        page.close()


def test_several_tabs_stay_in_step(open_page: Callable[..., Any]) -> None:
    first = open_game(open_page, "tictactoe")
    second = open_page(re.sub(r"^.*?/play", "/play", first.url))
    status_is(second, "Crosses to move")
    choose(first, "b2", "mouse")
    plies_are(second, 1)
    choose(second, "a1", "mouse")
    plies_are(first, 2)


def test_earlier_positions_are_shown(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "tictactoe")
    for place, name in enumerate(("b2", "a1"), 1):
        choose(page, name, "mouse")
        plies_are(page, place)
    page.click("button[aria-label='Previous position']")
    page.wait_for_selector("zermelo-board .cell[aria-label^=a1]:not([aria-label*=nought])", state="attached")
    page.click("button[aria-label='Current position']")
    page.wait_for_selector("zermelo-board .cell[aria-label^=a1][aria-label*=nought]", state="attached")


def test_take_back_hint_and_why_against_the_engine(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "tictactoe", min=ENGINE)
    choose(page, "b2", "mouse")
    plies_are(page, 2, 240_000)
    status_is(page, "Your turn")
    page.click("text=Hint")
    page.wait_for_selector(".help h2:text-is('Hint')")
    page.wait_for_selector("zermelo-board .arrow.hint", state="attached")
    page.click("text=Why?")
    page.wait_for_selector(".help .explained")
    page.wait_for_selector("zermelo-board .arrow.best", state="attached")
    page.locator(".help .line .move").nth(1).click()
    page.click(".help button[aria-label=Close]")
    page.click("text=Take back")
    plies_are(page, 0)
    status_is(page, "Your turn")
    page.click("text=Resign")
    page.click("dialog >> text=Resign the game? >> xpath=.. >> button.danger")
    status_is(page, "Crosses resign: noughts have won")


def test_a_typed_move_and_the_game_as_a_file(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "chess")
    page.fill("zermelo-move-input input", "e2e4")
    page.keyboard.press("Enter")
    plies_are(page, 1)
    assert played(page) == ["e4"]
    page.click(".more summary")
    with page.expect_download() as saved:
        page.click("text=Save as a file")
    assert saved.value.suggested_filename == "chess.pgn"
    assert "1. e4 *" in Path(saved.value.path()).read_text(encoding="utf-8")


def test_engine_against_engine(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "tictactoe", max=ENGINE, min=ENGINE, seed=4)
    page.wait_for_selector("text=Rematch", timeout=240_000)
    assert 5 <= len(played(page)) <= 9


def test_engines_are_paused_and_stepped_by_keyboard_and_buttons(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "othello", max=ENGINE, min=ENGINE, seed=4)
    plies_are(page, 2, timeout=240_000)  # the search may have to be compiled
    page.keyboard.press(" ")
    status_is(page, "Paused")
    count = len(played(page))
    page.wait_for_timeout(1_500)  # two moves would have been made
    assert len(played(page)) == count
    page.keyboard.press("n")
    plies_are(page, count + 1)
    page.click("text=Next move")
    plies_are(page, count + 2)
    status_is(page, "Paused")
    page.focus("text=Resume")
    page.keyboard.press("Enter")
    plies_are(page, count + 4)
    assert page.evaluate("document.activeElement.textContent") == "Pause"


def test_a_hidden_card_is_in_no_byte_that_the_page_receives(open_page: Callable[..., Any]) -> None:
    page = open_page("/play")
    received: list[str] = []
    page.on("response", lambda answer: received.append(answer.text()) if "/api/games/" in answer.url else None)
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(str(data))))
    page.goto(re.sub(r"/play.*", f"/play?id={new_game(page, 'kuhn', min=ENGINE, seed=2)}", page.url))
    status_is(page, "Your turn")
    page.wait_for_selector(".board-buttons button")
    board = page.locator(".board-text").inner_text()
    assert "second  ?" in board
    before = "".join(received)
    assert '"view":"max"' in before
    assert '"view":"all"' not in before
    assert not re.search("second  [JQK]", before)
    for _ in range(4):
        if page.locator("text=Rematch").is_visible():
            break
        page.locator(".board-buttons button").first.click()
        page.wait_for_timeout(500)
    page.wait_for_selector("text=Rematch")
    assert re.search("second  [JQK]", page.locator(".board-text").inner_text())


def test_two_people_change_behind_a_cover(open_page: Callable[..., Any]) -> None:
    page = open_game(open_page, "kuhn", seed=2)
    page.click("text=Show the board to First")
    page.click(".board-buttons button >> nth=0")
    page.click("text=Cover the board")
    page.wait_for_selector("text=Show the board to Second")
    assert not page.locator("zermelo-board").is_visible()
    page.click("text=Show the board to Second")
    page.wait_for_selector(".board-buttons button")
    assert "first   ?" in page.locator(".board-text").inner_text()
