"""Every page: accessibility, layout on a phone, colours, keyboard, sizes; nothing is loaded from elsewhere."""

import json
import posixpath
import re
import urllib.request

import pytest
from browsers import watched_pages
from web_pages import running_server

from zermelo.web import static
from zermelo.web.generated import PAGE

PAGES = sorted(url for url, path in static.table().items() if path.suffix == ".html" and path.is_relative_to(PAGE))
#: Pages with a game; "{game}" is the id of one in progress.
WITH_GAMES = ["/play?game=tictactoe", "/play?id={game}"]
#: The texts of a page that a mistake in a script leaves there.
LEFT_OVER = """() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode.data.trim());
  return texts.filter((text) => /^(null|undefined|NaN)$|\\[object /.test(text));
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    games = ("tictactoe", "chess", "backgammon", "kuhn")
    with running_server(tmp_path_factory.mktemp("data"), *games) as started:
        yield started


@pytest.fixture(scope="module")
def game(server):
    """The id of a game in progress."""
    body = json.dumps({"game": "backgammon"}).encode()
    request = urllib.request.Request(f"{server.url}/api/games", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["id"]


@pytest.fixture
def open_page(browser, server, game):
    with watched_pages(browser, server.url) as opened:

        def open_quiet(path, **context):
            page = opened(path.replace("{game}", game), **context)
            page.wait_for_selector(".site-nav a")
            page.wait_for_timeout(500)
            return page

        yield open_quiet


def loaded_by(url, files, seen):
    """The scripts and styles that a file of the page loads, and all that these load."""
    text = files[url].read_text("utf-8")
    for match in re.finditer(r'(?:\b(?:src|href)[=:]|\bfrom|\bimport|\()\s*"([^"]+\.(?:js|css))"', text):
        found = posixpath.normpath(posixpath.join(posixpath.dirname(url), match[1]))
        if found in files and found not in seen:
            seen.add(found)
            loaded_by(found, files, seen)
    return seen


@pytest.mark.quick
def test_script_and_style_of_all_pages_together_are_under_150_kb_compressed():
    files = static.table()
    code = {url for url, path in files.items() if path.suffix in (".js", ".css") and not url.startswith("/docs/")}
    loaded = set()
    for url in PAGES:
        loaded_by(url, files, loaded)
    assert code == loaded  # nothing is served that no page loads
    assert sum(len(static.served(files[url], "br")) for url in code) < 150_000
    assert sum(len(static.served(files[url], "gzip")) for url in code) < 165_000  # to a browser without Brotli


@pytest.mark.quick
def test_every_page_has_the_frame():
    frame = '<html lang="en">', 'name="viewport"', "/styles/tokens.css", 'class="site-header"', '<main id="main"'
    for url in PAGES:
        text = static.table()[url].read_text("utf-8")
        assert [part for part in frame if part not in text] == [], url


@pytest.mark.long
@pytest.mark.parametrize("url", [*PAGES, *WITH_GAMES])
def test_accessibility(open_page, url):
    """axe-core finds nothing in light colours on a wide screen, nor in dark ones on a phone; nor is a "null" shown."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing").Axe()
    page = open_page(url, color_scheme="light", viewport={"width": 1440, "height": 900})
    assert page.evaluate(LEFT_OVER) == []
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found = axe.run(page).response["violations"]
        assert [(each["id"], [node["html"][:300] for node in each["nodes"][:3]]) for each in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"


@pytest.mark.long
def test_the_level_has_a_name(open_page):
    page = open_page("/play?game=tictactoe")
    slider = page.get_by_role("slider", name="Level of the engine")
    assert slider.get_attribute("max") == "10"
    page.select_option("select[name=game]", "othello")
    assert slider.get_attribute("max") == "60"
    slider.fill("35")
    page.select_option("select[name=game]", "tictactoe")
    assert slider.input_value() == "10"
    assert page.locator(".level .numbers").first.text_content() == "10"


@pytest.mark.long
def test_games_are_in_the_cells_of_the_table(open_page):
    page = open_page("/")
    page.wait_for_selector(".thumb svg")
    cells = {cell.get_attribute("data-cell"): cell for cell in page.locator("[data-cell]").all()}
    assert cells["open"].locator("h3").all_text_contents()[:2] == ["Tic-tac-toe", "Chess"]  # as on the command line
    assert cells["open chance"].locator("h3").all_text_contents()[0] == "Backgammon"
    assert cells["hidden chance"].locator("h3").all_text_contents()[0] == "Kuhn poker"
    assert page.get_by_role("link", name="Watch: Chess").get_attribute("href") == "/watch?game=chess"
    page.get_by_label("Find a game").fill("chess")
    assert page.locator("h3").filter(visible=True).all_text_contents() == ["Chess"]


@pytest.mark.long
def test_chosen_colours_are_kept(open_page):
    page = open_page("/", color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Colours").select_option("dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector(".site-nav a")
    assert page.evaluate(ground) == dark
    assert page.get_by_label("Colours").input_value() == "dark"
    page.emulate_media(media="print")
    assert page.evaluate(ground) == light
    page.emulate_media(media="screen")
    page.get_by_label("Colours").select_option("system")
    assert page.evaluate(ground) == light


@pytest.mark.long
def test_navigation_by_keyboard(open_page):
    page = open_page("/review")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.locator("nav [aria-current=page]").text_content() == "Review"


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 390, 700])
def test_navigation_is_not_cut_off_on_a_phone(open_page, width):
    for path in ("/watch", "/practice", "/leagues"):  # the name of the page is bold, which takes most room
        page = open_page(path, viewport={"width": width, "height": 844})
        assert page.evaluate("((nav) => nav.scrollWidth - nav.clientWidth)(document.querySelector('.site-nav'))") == 0


@pytest.mark.long
def test_buttons_of_a_review_take_two_rows_on_a_phone(open_page):
    page = open_page("/review", viewport={"width": 390, "height": 844}, has_touch=True)
    page.evaluate("document.getElementById('review').hidden = false")
    rows = page.locator(".navigation button").evaluate_all(
        "(buttons) => new Set(buttons.map((each) => Math.round(each.getBoundingClientRect().top))).size"
    )
    assert rows == 2
