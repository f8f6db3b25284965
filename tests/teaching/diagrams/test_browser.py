"""The page in a real browser: what the arrow keys, the slider, the address and the mouse show."""

import pytest
from browsers import watched_pages

from zermelo.drawing.options import Options
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.tree import read, trace
from zermelo.teaching.tree.random_trees import random_tree

pytestmark = pytest.mark.long

SKRENTNY = "A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0, E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a trace."""
    with watched_pages(browser) as open_file:

        def open_page(searched, options=None, fragment="", **context):
            path = tmp_path / "page.html"
            path.write_text(html(searched, options), "utf-8")
            return open_file(path, fragment, **context)

        yield open_page


LOOK = """() => {
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const text = (id) => document.getElementById(id).textContent;
    const [node, ...others] = all("g.node[aria-current]");
    const frames = all("#here").map((frame) => frame.getBoundingClientRect());
    const shape = node?.querySelector(".shape").getBoundingClientRect();
    return {
        current: node && !others.length ? node.querySelector(".name").textContent : "",
        isFramed: Boolean(node) && frames.length === 1 && frames.every((frame) => frame.left < shape.left
            && shape.right < frame.right && frame.top < shape.top && shape.bottom < frame.bottom),
        crossed: all("g.arc").filter((arc) => all(".cross", arc).some((line) => line.checkVisibility()))
            .map((arc) => document.getElementById("n" + arc.id.slice(1))?.querySelector(".name")?.textContent),
        listed: all("#cuts li").filter((item) => item.checkVisibility())
            .map((item) => item.querySelector("b").textContent),
        count: text("count"), say: text("sentence"),
    };
}"""


def look(page) -> dict:
    """The visible state: current node, pruned nodes, list of cutoffs, step and sentence."""
    seen = page.evaluate(LOOK)
    assert seen["isFramed"] == bool(seen["current"])
    return seen


def current(page) -> str:
    return look(page)["current"]


def crossed(page) -> list[str]:
    return look(page)["crossed"]


def test_the_arrow_keys_step_through_the_search(opened):
    searched = trace(read(SKRENTNY, "Skrentny"))
    page = opened(searched)
    assert look(page)["count"] == "0 of 64"
    assert look(page)["current"] == ""
    cuts = [cut.step for cut in searched.cuts]
    for number, step in enumerate(searched.steps):
        page.keyboard.press("ArrowRight")
        seen = look(page)
        assert seen["current"] == searched.tree.nodes[step.node].id
        assert seen["count"] == f"{number + 1} of 64"
        # The crosses appear at the steps that cut: X, then Q and R, then M.
        made = sum(cut <= number for cut in cuts)
        assert seen["crossed"] == ["X", "Q", "R", "M"][: [0, 1, 3, 4][made]]
        assert seen["listed"] == ["X", "Q, R", "M"][:made]
        assert ("Prune " in seen["say"]) == (number in cuts)
    # And back again.
    for number in reversed(range(cuts[1], 64)):
        page.keyboard.press("ArrowLeft")
        assert look(page)["count"] == f"{number} of 64"
    assert look(page)["crossed"] == look(page)["listed"] == ["X"]
    page.keyboard.press("Home")
    assert look(page)["crossed"] == look(page)["listed"] == []
    page.keyboard.press("End")
    assert look(page)["crossed"] == ["X", "Q", "R", "M"]
    assert (page.locator("g.arc.crossed").count(), page.locator("g.node.pruned").count()) == (4, 6)
    assert page.evaluate("location.hash") == "#step=64"


def test_windows_and_values_follow_the_steps(opened):
    page = opened(trace(read(SKRENTNY)), fragment="#step=8")

    def text(id, kind):
        return page.locator(f"#{id} .{kind}").text_content()

    assert [text("n0", "window"), text("n2", "window"), text("n4", "window")] == ["[-∞, +∞]", "[4, +∞]", "[4, +∞]"]
    assert text("n2", "value") == ""
    assert page.locator("#n3").get_attribute("class") == "node leaf visited"
    assert "visited" not in page.locator("#n5").get_attribute("class")
    assert page.locator("#path tr").all_inner_texts() == [
        "A\tMAX\t[-∞, +∞]\t",
        "B\tMIN\t[-∞, +∞]\t",
        "F\tMAX\t[4, +∞]\t",
        "O\tMIN\t[4, +∞]\t",
    ]
    page.keyboard.press("End")
    assert [text("n0", "value"), text("n4", "value"), text("n4", "window")] == ["3", "-3", "[4, -3]"]
    assert "line" in page.locator("#n8").get_attribute("class")
    page.locator("#slider").fill("8")
    assert [text("n0", "value"), text("n4", "value"), text("n4", "window")] == ["", "", "[4, +∞]"]
    assert "line" not in page.locator("#n8").get_attribute("class")


@pytest.mark.long
@pytest.mark.parametrize("words", ["pvs", "deepening aspiration table killers", "star2"])
def test_a_search_that_visits_nodes_again(opened, words):
    tree = read(":max[:chance[1,:max[4,2]],:chance[:min[6,-5],0]]") if words == "star2" else read(SKRENTNY)
    searched = trace(tree, words)
    page = opened(searched)
    texts = """() => [...document.querySelectorAll("g.node")].map((node) => [
        node.id, node.querySelector(".window")?.textContent ?? "", node.querySelector(".value")?.textContent ?? "",
        node.classList.contains("visited"), node.classList.contains("pruned")])"""
    # Also back again: the state after a step depends on the step only.
    for step in [*range(0, len(searched.steps), 7), len(searched.steps), *range(len(searched.steps) - 1, 0, -11)]:
        page.locator("#slider").fill(str(step))
        labels = Labels(searched, Options(step=step))
        shown = {id: rest for id, *rest in page.evaluate(texts)}
        for node in tree:
            label = labels.at(node.index)
            assert shown[f"n{node.index}"] == [label.window, label.value, label.is_visited, label.is_pruned], step


def test_buttons_slider_address_and_mouse(opened):
    page = opened(trace(read(SKRENTNY)), Options(step=12))
    count = page.locator("#count")
    assert count.inner_text() == "12 of 64"
    for name, expected in (("forward", 13), ("back", 12), ("last", 64), ("first", 0)):
        page.locator(f"#{name}").click()
        assert count.inner_text() == f"{expected} of 64"
    page.keyboard.press("ArrowLeft")  # there is no step before the first
    assert count.inner_text() == "0 of 64"
    page.locator("#slider").fill("37")
    assert current(page) == "J"
    page.locator("#slider").press("ArrowRight")  # the slider's own key: one step, not two
    assert count.inner_text() == "38 of 64"
    page.keyboard.press("Home")
    page.locator("#tree").focus()
    reached = []
    for key in "cxcxccc":  # the next cutoff, the next change; at last the end
        page.keyboard.press(key)
        reached.append(count.inner_text().split()[0])
    assert reached == ["12", "17", "37", "42", "61", "64", "64"]
    page.evaluate("location.hash = '#step=5'")
    page.wait_for_function("() => document.getElementById('count').textContent === '5 of 64'")
    page.evaluate("location.hash = '#step=999'")
    page.wait_for_function("() => document.getElementById('count').textContent === '64 of 64'")
    page.locator("#n15 .value").click()  # D: its first visit
    assert current(page) == "D"
    assert count.inner_text() == "43 of 64"
    page.locator("#n21 .name").click()  # M, never visited: the cut
    assert current(page) == "E"
    assert count.inner_text() == "61 of 64"
    page.locator("#cuts button").first.click()
    assert count.inner_text() == "12 of 64"
    line = page.locator("#code li.now")
    assert line.inner_text().strip() == "if v ≤ α: break (prune the remaining children)"


def test_quiz_mode(opened):
    page = opened(trace(read(SKRENTNY)), fragment="#step=11")
    say, count = page.locator("#sentence"), page.locator("#count")
    page.locator("#ask").check()
    page.keyboard.press("ArrowRight")
    assert say.inner_text().startswith("Does a bound at O change, or is there a cutoff?")
    assert (count.inner_text(), crossed(page)) == ("11 of 64", [])
    page.keyboard.press("ArrowRight")
    assert (count.inner_text(), crossed(page)) == ("12 of 64", ["X"])
    page.keyboard.press("ArrowRight")
    assert say.inner_text().startswith("What does O return?")
    page.keyboard.press("ArrowLeft")
    assert count.inner_text() == "11 of 64"
    page.locator("#ask").uncheck()
    page.keyboard.press("ArrowRight")
    assert count.inner_text() == "12 of 64"


def test_play_and_pause(opened):
    page = opened(trace(read("[[3,12],[2,4]]")), fragment="#step=0")
    page.locator("#pace").select_option("400")
    page.locator("#tree").focus()
    page.keyboard.press("Space")
    page.wait_for_function("() => document.getElementById('slider').value >= 2")
    assert page.locator("#play").inner_text() == "Pause"
    page.keyboard.press("Space")
    stopped = page.locator("#slider").input_value()
    page.wait_for_timeout(600)
    assert page.locator("#slider").input_value() == stopped
    assert page.locator("#play").inner_text() == "Play"


def test_keyboard_access_and_small_screens(opened):
    page = opened(trace(read(SKRENTNY)), viewport={"width": 360, "height": 740}, color_scheme="dark")
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert reached == ["first", "back", "play", "forward", "last", "slider", "ask", "tree"]
    page.keyboard.press("ArrowRight")
    assert current(page) == "A"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    before = page.locator("#tree svg").bounding_box()["width"]
    page.keyboard.press("+")
    assert page.locator("#tree svg").bounding_box()["width"] > before * 1.2
    page.keyboard.press("End")
    page.locator("#cuts button").last.click()
    # The current node is scrolled into view.
    view = page.locator("#tree").bounding_box()
    page.wait_for_function(
        """() => { const [a, b] = ["here", "tree"].map((id) => document.getElementById(id).getBoundingClientRect());
        return a.left >= b.left && a.right <= b.right; }"""
    )
    assert view["width"] <= 360


def test_without_javascript_the_finished_search_is_shown(opened):
    page = opened(trace(read(SKRENTNY)), java_script_enabled=False)
    assert page.locator("#controls").is_hidden()
    assert page.locator("noscript").count() == 1
    assert page.locator("#n0 .value").text_content() == "3"
    assert page.locator("g.arc.crossed").count() == 4
    assert page.locator("#cuts li").count() == 3


def test_names_are_escaped(opened):
    evil = '</script><img src=x onerror="document.title=1"><b>&amp;'
    data = {"id": evil, "player": "max", "children": [{"id": "b", "move": evil, "value": 1}, {"id": "c", "value": 2}]}
    page = opened(trace(read(data, evil)), fragment="#step=1")
    assert page.locator("img").count() == 0
    assert evil in page.locator("#sentence").inner_text()
    assert page.locator("#path td").first.inner_text() == evil
    assert page.locator("h1").inner_text() == evil


def test_a_large_tree_is_collapsed(opened):
    page = opened(trace(random_tree(3, branching=(3, 3), depth=(7, 7))), Options(max_nodes=100))
    page.keyboard.press("End")
    assert current(page) == "A"
    assert page.locator("g.fold").count() > 10
    folded = page.locator("g.fold.crossed").count()
    page.keyboard.press("Home")
    assert page.locator("g.fold.crossed").count() == 0 < folded
