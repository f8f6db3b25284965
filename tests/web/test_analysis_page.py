"""The analysis page in a browser: variations, files, links, the set-up editor, chance, and hostile texts."""

import json
import re

import pytest
from browsers import watched_pages
from web_pages import running_server

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect
expect.set_options(timeout=20_000)
pytestmark = pytest.mark.long

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
PGN = f"""[Event "{HOSTILE}"]
[White "Adams"]
[Black "Baker"]

1. e4 {{{HOSTILE}}} e5 $1 (1... c5 {{Sicilian}} 2. Nf3 (2. c3) 2... d6) 2. Nf3 Nc6 3. Bb5 a6 $6 *
"""
#: The engine is off where a test is about something else.
QUIET = "localStorage.setItem('zermelo-analysis', JSON.stringify({isOn: false}))"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    games = ("chess", "tictactoe", "backgammon", "kuhn", "othello")
    with running_server(tmp_path_factory.mktemp("data"), *games) as started:
        yield started


@pytest.fixture
def open_page(browser, server):
    """Open the page without its engine."""
    with watched_pages(browser, server.url, refuses=True) as open_watched:

        def opened(path, fragment="", **context):
            page = open_watched("/icon.svg", **context)
            page.evaluate(QUIET)
            page.goto(f"{server.url}{path}{fragment}")
            expect(page.locator("#state")).not_to_be_empty()
            return page

        yield opened


def import_text(page, text):
    page.click("#import-button")
    page.fill("#import-text", text)
    page.click("#import-read")


def wait_for_current(page, text):
    expect(page.locator(".move[aria-current]")).to_have_text(text)


def wait_for_state(page, text):
    expect(page.locator("#state")).to_have_text(text)


def moves_of(page):
    """The moves in the order of the list, variations in brackets."""
    return page.evaluate(
        """() => {
          const text = (node) => node.matches("ul") ? `(${[...node.children].map(all).join(" | ")})`
            : node.matches("button") ? node.textContent : "";
          const all = (parent) => [...parent.children].map(text).filter(Boolean).join(" ");
          return all(document.querySelector(".main-line"));
        }"""
    )


def test_no_move_is_typed_before_there_is_a_position(open_page):
    page = open_page("/analyse?game=chess")
    held = []
    page.route("**/api/position", lambda route: held.append(route))
    page.reload(wait_until="domcontentloaded")
    while not held:
        page.wait_for_timeout(20)
    expect(page.get_by_label("Type a move")).to_be_disabled()
    for route in held:
        route.continue_()
    expect(page.get_by_label("Type a move")).to_be_enabled()


@pytest.mark.parametrize("is_entered", [True, False])
def test_a_move_typed_before_the_moves_are_known_is_played(open_page, is_entered):
    """The next move is typed while the position is awaited; if it is entered, the server is asked about it."""
    page = open_page("/analyse?game=chess")
    held, late = [], 2 if is_entered else 1
    page.route("**/api/position", lambda route: held.append(route) if len(held) < late else route.continue_())
    field = page.get_by_label("Type a move")
    field.fill("e4")
    field.press("Enter")
    while not held:
        page.wait_for_timeout(20)
    field.fill("e5")
    if is_entered:
        field.press("Enter")
        while len(held) < 2:
            page.wait_for_timeout(20)
    held[0].continue_()
    wait_for_state(page, "Black to move")
    for route in held[1:]:
        route.continue_()
    if not is_entered:
        expect(field).to_have_value("e5")
        field.press("Enter")
    wait_for_current(page, "e5")
    expect(field).to_have_value("")


def test_the_confidence_of_the_search_is_chosen(open_page):
    page = open_page("/analyse?game=othello")
    page.get_by_role("button", name="Settings of the engine").click()
    chosen = page.get_by_role("combobox", name="Moves searched")
    expect(chosen).to_have_value("")
    shown = "all => all.filter((each) => !each.hidden).map((each) => each.value)"
    assert page.eval_on_selector_all("#confidence option", shown) == [
        "", "all", "selective", "99", "98", "95", "87", "73",
    ]  # fmt: skip
    page.select_option("#limit", "d8")
    chosen.select_option("95")
    with page.expect_request("**/api/analyse") as sent:
        page.check("#engine-on")
    assert (sent.value.post_data_json["confidence"], sent.value.post_data_json["depth"]) == (95, 8)
    expect(page.locator("#engine-kind")).to_have_text("selective, 95 %", timeout=240_000)
    with page.expect_request("**/api/analyse") as sent:
        chosen.select_option("all")
    assert (sent.value.post_data_json["selective"], "confidence" in sent.value.post_data_json) == (False, False)
    expect(page.locator("#engine-kind")).to_have_text("estimate", timeout=240_000)
    chosen.select_option("87")
    page.select_option("#evaluation", "mobility")
    expect(chosen).to_have_value("")
    assert page.eval_on_selector_all("#confidence option", shown) == ["", "all", "selective"]
    page.select_option("#game", "backgammon")
    expect(page.locator("#confidence")).to_be_hidden()


def test_variations_marks_and_comments(open_page):
    page = open_page("/analyse?game=chess")
    import_text(page, PGN)
    page.wait_for_selector(".move >> text=a6")
    assert moves_of(page) == "e4 e5! (c5 Nf3 (c3) d6) Nf3 Nc6 Bb5 a6?!"
    assert HOSTILE in page.inner_text("#moves")
    page.click("#tags summary >> text=Adams – Baker")
    assert page.locator("#tags dd").all_text_contents() == [HOSTILE, "Adams", "Baker"]
    assert page.locator("main img, main script").count() == 0

    page.click(".move >> text=c5")
    wait_for_current(page, "c5")
    assert page.input_value("#comment") == "Sicilian"
    page.fill("#comment", "Sicilian Defence")
    page.click("#marks [data-nag='5']")
    page.click("#promote")
    assert moves_of(page) == "e4 c5!? (e5! Nf3 Nc6 Bb5 a6?!) Nf3 (c3) d6"
    assert "Sicilian Defence" in page.inner_text("#moves")
    page.click("#delete")
    wait_for_current(page, "e4")
    assert moves_of(page) == "e4 e5! Nf3 Nc6 Bb5 a6?!"
    for _ in range(4):
        page.keyboard.press("Control+z")
    assert moves_of(page) == "e4 e5! (c5 Nf3 (c3) d6) Nf3 Nc6 Bb5 a6?!"
    assert "Sicilian Defence" not in page.inner_text("#moves")
    page.keyboard.press("Control+Shift+z")
    assert "Sicilian Defence" in page.inner_text("#moves")


def test_files_are_read_and_refused_with_their_line(open_page):
    page = open_page("/analyse?game=chess")
    page.click("#import-button")
    bad = b'[White "a"]\n\n1. e4 e5\n2. Nf4 *\n'
    page.set_input_files("#import-file", {"name": "a.pgn", "mimeType": "text/plain", "buffer": bad})
    expect(page.locator("#import-error")).to_contain_text("game 1, line 4: 'Nf4' is not a legal move")
    two = b'[White "M\xfcller"]\n\n1. e4 *\n\n[White "b"]\n\n1. d4 *\n'
    page.set_input_files("#import-file", {"name": "a.pgn", "mimeType": "text/plain", "buffer": two})
    page.click("#import-games button >> text=Müller")
    page.wait_for_selector(".move >> text=e4")
    # A file that is dropped on the page.
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "b.pgn"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        PGN,
    )
    page.wait_for_selector(".move >> text=a6")


def test_a_text_that_is_pasted_is_a_game(open_page):
    page = open_page("/analyse?game=tictactoe")
    paste = """text => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(paste, "a1 a1")
    expect(page.locator("#import-error")).to_contain_text("'a1' is not a legal move")
    page.keyboard.press("Escape")
    page.evaluate(paste, "b2 a1")
    expect(page.locator(".move")).to_have_text(["b2", "a1"])


def test_a_game_is_exported_and_imported_again(open_page):
    page = open_page("/analyse?game=chess")
    import_text(page, PGN)
    page.wait_for_selector(".move >> text=a6")
    page.click("#export-button")
    expect(page.locator("#export-text")).to_have_value(re.compile("Sicilian"))
    written = page.input_value("#export-text")
    assert "c5 {Sicilian}" in written
    page.select_option("#export-format", "san")
    expect(page.locator("#export-text")).to_have_value("e4 e5 Nf3 Nc6 Bb5 a6\n")
    expect(page.locator("#export-note")).to_contain_text("does not keep everything")
    page.click("#export-cancel")
    before = moves_of(page)
    page.click("#new-game")
    assert moves_of(page) == ""
    import_text(page, written)
    page.wait_for_selector(".move >> text=a6")
    assert moves_of(page) == before


def test_a_link_holds_the_whole_game_and_a_reload_loses_nothing(open_page):
    page = open_page("/analyse?game=chess")
    import_text(page, PGN)
    page.click(".move >> text=d6")
    wait_for_current(page, "d6")
    page.reload()
    wait_for_current(page, "d6")
    page.click("#copy-link")
    page.wait_for_selector("#copy-link[data-link]")
    address = page.get_attribute("#copy-link", "data-link")
    path, _, fragment = address.partition("#")
    other = open_page("/" + path.rpartition("/")[2], f"#{fragment}")
    wait_for_current(other, "d6")
    assert moves_of(other) == moves_of(page)
    # A link does not cost the reader the game that was here.
    page.click("#new-game")
    expect(page.locator("#board .cell[aria-label^='e2, white pawn']")).to_be_visible()
    page.click("#board .cell[aria-label^='a2']")
    page.click("#board .cell[aria-label^='a3']")
    wait_for_current(page, "a3")
    page.evaluate("address => { location.href = address; }", address)
    wait_for_current(page, "d6")
    page.click("#undo")
    wait_for_current(page, "a3")
    page.evaluate("location.hash = '#main'")  # as the link that skips to the content
    page.click("#redo")
    wait_for_current(page, "d6")
    damaged = open_page("/analyse", f"#{fragment[:-30]}")
    assert "the link is damaged" in damaged.inner_text("#problem")


def test_castling_rights_are_check_boxes(open_page):
    page = open_page("/analyse?game=chess&position=r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1")
    page.click("#setup-button")
    text = page.locator("#setup input[type=text]")
    box = page.get_by_role("checkbox", name="White can castle O-O", exact=True)
    expect(box).to_be_checked()
    box.uncheck()
    expect(text).to_have_value("r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1")
    page.get_by_role("checkbox", name="En passant on d6").press("Space")
    expect(text).to_have_value("r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq d6 0 1")
    expect(page.get_by_role("checkbox", name="En passant on d6")).to_be_focused()
    # A right is offered only while its rook is there, and is still wanted when it comes back.
    page.click("#setup label[title='white rook']")
    page.click("#board .cell[aria-label^='a1']")
    expect(text).to_have_value("r3k2r/8/8/3pP3/8/8/8/4K2R w kq d6 0 1")
    expect(page.get_by_role("checkbox", name="White can castle O-O-O")).to_have_count(0)
    page.click("#board .cell[aria-label^='a1']")
    expect(text).to_have_value("r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq d6 0 1")


def test_a_game_of_a_link_is_checked(open_page):
    page = open_page("/analyse?game=chess&moves=e4,e5,Ke9")
    expect(page.locator("#problem")).to_contain_text("'Ke9' is not a legal move")
    # Moves of backgammon contain commas.
    page = open_page("/analyse?game=backgammon&moves=31 8/5,6/5 62")
    wait_for_state(page, "O (black) to move")
    assert moves_of(page) == "31 8/5,6/5 62"
    page = open_page("/analyse?game=nothing")
    assert "there is no game nothing here" in page.inner_text("#problem")
    page = open_page("/analyse?game=chess&position=4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    wait_for_state(page, "Black to move")


def test_the_set_up_editor(open_page):
    page = open_page("/analyse?game=chess")
    page.click("#setup-button")
    page.click("#setup >> text=Empty board")
    error = "Chess position: white has no kings; expected 1"
    expect(page.locator("#setup .error")).to_have_text(error)
    assert page.is_disabled("#setup .primary")
    for piece, square in (("white king", "e1"), ("black king", "e8"), ("white queen", "d1"), ("black rook", "a8")):
        page.check(f".palette label[title='{piece}'] input", force=True)
        page.click(f"zermelo-board .cell[aria-label^='{square}']")
    page.click("zermelo-board .cell[aria-label^='a8']")
    expect(page.locator("#setup input[type=text]")).to_have_value("4k3/8/8/8/8/8/8/3QK3 w - - 0 1")
    page.select_option("#setup select", "min")
    expect(page.locator("#setup input[type=text]")).to_have_value("4k3/8/8/8/8/8/8/3QK3 b - - 0 1")
    expect(page.locator("#setup .setup-options")).to_be_hidden()
    page.click("#setup .primary")
    wait_for_state(page, "Black to move")
    # The text of a position.
    page.click("#setup-button")
    page.fill("#setup input[type=text]", "4k3/8/8/8/8/8/8/8 w - - 0 1")
    page.keyboard.press("Enter")
    expect(page.locator("#setup .error")).to_have_text(error)


def test_keyboard_alone(open_page):
    page = open_page("/analyse?game=tictactoe")
    page.focus("#move-input input")
    for move, side in (("b2", "Noughts"), ("a1", "Crosses"), ("c1", "Noughts")):
        page.keyboard.type(move)
        page.keyboard.press("Enter")
        wait_for_current(page, move)
        wait_for_state(page, f"{side} to move")
    page.focus("#to-previous")
    page.keyboard.press("ArrowLeft")
    wait_for_current(page, "a1")
    page.focus("#board .cell[tabindex='0']")
    page.keyboard.press("Home")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):  # the square a2
        page.keyboard.press(key)
    wait_for_current(page, "a2")
    assert moves_of(page) == "b2 a1 c1 (a2)"
    page.focus("#flip")
    page.keyboard.press("ArrowUp")
    wait_for_current(page, "c1")
    page.keyboard.press("ArrowDown")
    wait_for_current(page, "a2")
    page.focus("#moves .move[aria-current]")
    page.keyboard.press("ArrowUp")
    wait_for_current(page, "c1")
    page.keyboard.press("ArrowDown")
    wait_for_current(page, "a2")
    assert page.evaluate("document.activeElement.textContent") == "a2"
    page.keyboard.press("Delete")
    wait_for_current(page, "a1")
    assert moves_of(page) == "b2 a1 c1"
    page.keyboard.press("End")
    wait_for_current(page, "c1")
    page.keyboard.press("Home")
    wait_for_state(page, "Crosses to move")


def test_chance_is_chosen_or_drawn(open_page):
    page = open_page("/analyse?game=backgammon")
    wait_for_state(page, "Chance decides")
    page.click("#chance button >> text=31")
    page.wait_for_selector(".move >> text=31")
    page.keyboard.press("Home")
    page.click("#chance >> text=Draw at random")
    page.wait_for_selector(".move[aria-current]")
    assert page.inner_text("#state").endswith("to move")


def test_the_engine_deepens_shows_values_and_stops(open_page):
    page = open_page("/analyse?game=chess")
    page.click("#engine-settings-button")
    page.select_option("#line-count", "3")
    page.check("#move-values")
    page.check("#engine-on")
    depth = re.compile(r"depth ([3-9]|\d\d)")
    expect(page.locator("#engine-facts")).to_have_text(depth, timeout=240_000)
    expect(page.locator("#engine-kind")).to_have_text("selective")
    expect(page.locator("#engine-lines li .line-move:first-child")).to_have_count(3)
    assert page.locator("zermelo-board .arrow").count() == 3
    assert page.locator("zermelo-board .value").count() == 10  # each piece that can move
    # A line: its position is shown, and it is played as far as it was clicked.
    second = page.locator("#engine-lines li:first-child .line-move >> nth=1")
    second.hover()
    expect(page.locator("#preview")).to_be_visible()
    page.click("#engine-stop")
    expect(page.locator("#engine-stop")).to_have_text("Go on")
    stopped = page.inner_text("#engine-facts")
    page.wait_for_timeout(300)
    assert page.inner_text("#engine-facts") == stopped
    text = second.text_content()
    second.click()
    wait_for_current(page, text)
    assert len(moves_of(page).split()) == 2
    page.uncheck("#engine-on")
    assert not page.is_visible("#score-bar")


def test_a_small_game_is_proven(open_page):
    page = open_page("/analyse?game=tictactoe&moves=b2 b1")
    page.check("#engine-on")
    expect(page.locator("#engine-kind")).to_have_text("proven", timeout=240_000)
    expect(page.locator("#engine-score")).to_have_text(re.compile(r"\+#\d"))
    expect(page.locator("#score-bar")).to_have_attribute("aria-valuenow", "100")
    expect(page.locator("#engine-stop")).to_be_disabled()
    # The bar of a finished game shows its result.
    page.goto(page.url.partition("?")[0] + "?game=tictactoe&moves=b2 b1 a1 b3 c3")
    wait_for_state(page, "Crosses have won")
    expect(page.locator("#score-bar")).to_have_attribute("aria-valuenow", "100")


def test_an_evaluation_is_explained_on_the_board(open_page):
    page = open_page("/analyse?game=chess&moves=e4 e5 Nf3")
    page.click("#explain summary")
    knights = page.locator("#terms tbody tr").filter(has=page.locator("th", has_text=re.compile("^knights$")))
    expect(knights.locator("td")).to_have_text(["2", "2", re.compile(r"\d"), "0"])
    assert page.locator("#board .layer-marks .sky").count() == 0
    knights.hover()
    expect(page.locator("#board .layer-marks .sky")).to_have_count(4)
    page.hover("h1")
    expect(page.locator("#board .layer-marks .sky")).to_have_count(0)


def test_hidden_hands_are_said_to_be_open(open_page):
    page = open_page("/analyse?game=kuhn")
    assert page.is_visible("#open-hands")
    assert not open_page("/analyse?game=chess").is_visible("#open-hands")


def test_a_draft_that_was_tampered_with(open_page, server):
    page = open_page("/analyse?game=tictactoe")
    draft = json.dumps({"record": {"moves": ["b2", HOSTILE]}, "at": [0, "x", {}]})
    page.goto(f"{server.url}/icon.svg")
    page.evaluate("draft => localStorage.setItem('zermelo-draft-tictactoe', draft)", draft)
    page.goto(f"{server.url}/analyse?game=tictactoe")
    expect(page.locator("#problem")).to_contain_text("is not a legal move")
    wait_for_state(page, "Crosses to move")


def test_other_notations_are_read(open_page):
    page = open_page("/analyse?game=chess")
    page.fill("zermelo-move-input input", "e2e4")
    page.press("zermelo-move-input input", "Enter")
    wait_for_current(page, "e4")
    page.fill("zermelo-move-input input", "e2e4")
    page.press("zermelo-move-input input", "Enter")
    expect(page.locator("zermelo-move-input .error")).to_contain_text("'e2e4' is not a legal move here")
    assert moves_of(page) == "e4"


def test_a_wait_for_a_process_is_cancelled_not_stopped(browser, server):
    with watched_pages(browser, server.url, refuses=True) as open_watched:
        page = open_watched("/icon.svg")
        page.route("**/api/analyse", lambda route: route.fulfill(status=429, json={"error": "all processes are busy"}))
        page.goto(f"{server.url}/analyse?game=tictactoe")
        expect(page.locator("#engine-status")).to_have_text("all processes are busy")
        expect(page.locator("#engine-stop")).to_have_text("Cancel")
        page.click("#engine-stop")
        expect(page.locator("#engine-stop")).to_have_text("Go on")
