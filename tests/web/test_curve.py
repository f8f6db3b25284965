"""<zermelo-curve> in a browser: jumps by pointer and keyboard, names for screen readers, colours of both themes."""

import pytest
from browsers import chromium, watched_pages
from web_pages import running_server

pytestmark = pytest.mark.long

SHOW = """async ({ values, marks, labels }) => {
  await import("/scripts/curve.js");
  const curve = document.createElement("zermelo-curve");
  document.querySelector("main").replaceChildren(curve);
  window.jumps = [];
  curve.addEventListener("jump", (event) => { jumps.push(event.detail.ply); curve.current = event.detail.ply; });
  Object.assign(curve, { values, marks, labels, names: ["white", "<b>black</b>"] });
  window.curve = curve;
}"""
VALUES = [0.5, 0.55, 0.5, 0.9, None, 0.2]
LABELS = ["1. e4", "1... e5", "2. <i>Nf3</i>", "2... Nc6", "3. Bb5"]
MARKS = [{"ply": 1, "side": "min", "mark": "blunder"}, {"ply": 2, "side": "max", "mark": "mistake"}]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    with (
        chromium() as browser,
        running_server(tmp_path_factory.mktemp("data"), "tictactoe") as server,
        watched_pages(browser, server.url) as open_page,
    ):
        yield open_page


@pytest.fixture
def page(pages):
    page = pages("/review")
    page.evaluate(SHOW, {"values": VALUES, "marks": MARKS, "labels": LABELS})
    page.wait_for_selector("zermelo-curve .curve-line")
    return page


def jumps(page):
    return page.evaluate("jumps")


def test_keys_move_through_the_game(page):
    slider = page.get_by_role("slider", name="Curve of the game")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home"):
        page.keyboard.press(key)
    assert jumps(page) == [1, 2, 1, 5, 0]


def test_a_click_jumps_and_a_drag_follows(page):
    box = page.locator("zermelo-curve .curve-plot").bounding_box()
    page.mouse.click(box["x"] + 0.61 * box["width"], box["y"] + 20)
    page.mouse.move(box["x"] + 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 20)
    page.mouse.up()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 20)
    assert jumps(page) == [3, 0, 2]


def test_screen_readers_get_each_value_and_a_table(page):
    slider = page.get_by_role("slider", name="Curve of the game")
    page.evaluate("curve.current = 2")
    assert slider.get_attribute("aria-valuenow") == "2"
    assert slider.get_attribute("aria-valuetext") == "1... e5?? · white 50 % · blunder"
    page.evaluate("curve.current = 4")
    assert slider.get_attribute("aria-valuetext") == "2... Nc6 · not known"
    page.get_by_text("Values as a table").click()
    rows = page.locator("zermelo-curve tbody tr").all_inner_texts()
    assert rows[3].split("\t") == ["2. <i>Nf3</i>", "90 %", "mistake"]
    assert len(rows) == len(VALUES)


def test_the_colours_follow_the_theme(page):
    def fills():
        fill = "(part) => getComputedStyle(part).fill"
        return [page.eval_on_selector(f".curve-{side}", fill) for side in ("max", "min")]

    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert fills() == ["rgb(219, 232, 251)", "rgb(253, 228, 207)"]
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert fills() == ["rgb(31, 58, 95)", "rgb(92, 54, 21)"]


def test_the_curve_has_a_gap_where_a_value_is_not_known(page):
    page.evaluate("curve.values = [0.5, 0.25, 0.5, 1, null, 0.75]")
    assert page.get_attribute(".curve-line", "d") == "M0 0.5 1 0.75 2 0.5 3 0"
    assert page.get_attribute(".curve-single", "d") == "M5 0.25h0"
    places = [page.get_attribute(f".curve-plot svg:has(.curve-{mark})", "x") for mark in ("blunder", "mistake")]
    assert places == ["40%", "60%"]


def test_the_pointer_reads_values(page):
    box = page.locator("zermelo-curve .curve-plot").bounding_box()
    page.mouse.move(box["x"] + 0.21 * box["width"], box["y"] + 20)
    assert page.inner_text(".curve-readout") == "1. e4 · white 55 %"
    page.mouse.move(box["x"] + 20, box["y"] + 400)
    assert page.inner_text(".curve-readout") == "Start · white 50 %"


def test_new_values_replace_the_old_ones_and_the_size_follows(page):
    page.evaluate("curve.values = [0.5, 1]")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(100)
    slider = page.get_by_role("slider", name="Curve of the game")
    assert slider.get_attribute("aria-valuemax") == "1"
    assert page.locator("zermelo-curve .curve-plot").bounding_box()["width"] <= 390
