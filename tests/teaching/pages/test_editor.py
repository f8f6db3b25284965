"""The tree editor in Chromium: changes by keyboard, cutoffs, copies, links, hostile names."""

import json
from urllib.parse import quote

import pytest
from browsers import watched_pages

from zermelo.teaching.pages.editor import editor
from zermelo.teaching.tree import Convention, read, to_dict, trace

pytestmark = pytest.mark.long

TREE = "[[3,12,8],[2,4,6],[14,5,2]]"


@pytest.fixture
def opened(browser, tmp_path):
    with watched_pages(browser) as open_file:

        def open_page(tree=TREE, convention="", fragment="", **context):
            path = tmp_path / "editor.html"
            path.write_text(editor(read(tree), Convention.of(convention)), "utf-8")
            return open_file(path, fragment, **context)

        yield open_page


def status(page):
    return page.locator("#status").inner_text().strip("\u00a0")


def brackets(page):
    return page.locator("#brackets").input_value()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def focus_root(page):
    page.locator("[data-node='0']").focus()


def test_the_page_shows_the_search(opened):
    page = opened()
    assert status(page) == "Value 3, best move B. 11 of 13 nodes visited, 7 of 9 leaves evaluated."
    assert page.locator("#cuts li").all_inner_texts() == ["c2, c3: alpha 3 >= beta 2 at C"]
    assert page.locator("#order").inner_text().split() == [node.id for node in trace(TREE).visited]
    assert page.locator("svg .cross").count() == 2 * 2
    page.locator("#cut").select_option("strict")
    page.locator("#show").select_option("own")
    assert page.locator("[data-node='0'] text").all_text_contents() == ["A", "3", "α=3"]
    page.locator("#algorithm").select_option("minimax")
    assert "13 of 13" in status(page)
    assert page.locator("#no-cuts").inner_text() == "None."


def test_the_tree_is_changed_by_keyboard_alone(opened):
    page = opened()
    press(page, "Tab")
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    press(page, "ArrowDown", "ArrowRight", "ArrowDown")  # c1
    page.keyboard.type("5")
    press(page, "Enter")
    assert brackets(page) == "[[3,12,8],[5,4,6],[14,5,2]]"
    assert status(page).startswith("Value 4, best move C.")
    press(page, "ArrowRight", "s", "Delete", "Delete")  # a sibling of c2 and its deletion; then c3
    assert brackets(page) == "[[3,12,8],[5,4],[14,5,2]]"
    press(page, "Alt+ArrowLeft")
    assert brackets(page) == "[[3,12,8],[4,5],[14,5,2]]"
    press(page, "c")
    assert brackets(page) == "[[3,12,8],[[4,0],5],[14,5,2]]"
    press(page, "Control+z", "Control+z", "Control+z")
    assert brackets(page) == "[[3,12,8],[5,4,6],[14,5,2]]"
    press(page, "Control+y")
    assert brackets(page) == "[[3,12,8],[5,4],[14,5,2]]"
    press(page, "Home", "Delete")
    assert status(page) == "the root cannot be deleted"
    assert page.evaluate("document.activeElement.dataset.node") == "0"


def test_reordering_moves_a_whole_subtree(opened):
    page = opened()
    focus_root(page)
    press(page, "ArrowDown", "Alt+ArrowRight")
    assert brackets(page) == "[[2,4,6],[3,12,8],[14,5,2]]"
    assert page.locator("[aria-selected='true'] title").text_content() == "C"
    press(page, "Alt+ArrowRight", "Alt+ArrowRight")
    assert brackets(page) == "[[2,4,6],[14,5,2],[3,12,8]]"
    assert "no sibling on its right" in status(page)


def test_players_weights_and_names(opened):
    page = opened("[[1,2],[3,4]]")
    page.locator("#player").select_option("min")
    assert brackets(page) == ":min[[1,2],[3,4]]"
    focus_root(page)
    press(page, "ArrowDown")
    page.locator("#player").select_option("chance")
    assert brackets(page) == ":min[:chance[1,2],[3,4]]"
    press(page, "Tab")
    page.locator("[data-node='2']").click()
    page.locator("#weight").fill("3")
    press(page, "Enter")
    assert brackets(page) == ":min[:chance[3*1,1*2],[3,4]]"
    assert page.locator("[data-node='1'] text").all_text_contents()[1] == "1.25"
    page.locator("#name").fill("left leaf")
    press(page, "Enter")
    assert brackets(page) == ':min[:chance[3*"left leaf"=1,1*2],[3,4]]'
    page.locator("#weight").fill("-1")
    press(page, "Enter")
    assert status(page) == "weight must be positive (got -1)"
    assert page.locator("#weight").get_attribute("aria-invalid") == "true"


def test_copies_and_links(opened):
    page = opened(convention="strict", permissions=["clipboard-read", "clipboard-write"])

    def copied(what):
        page.locator(f"#copy-{what}").click()
        page.wait_for_function("document.getElementById('status').textContent.startsWith('Copied')")
        return page.evaluate("navigator.clipboard.readText()")

    assert copied("brackets") == TREE
    assert json.loads(copied("json")) == to_dict(read(TREE))
    drawn = copied("svg")
    assert drawn.startswith("<svg")
    assert drawn.count("<polygon") == 4
    assert "tabindex" not in drawn
    link = copied("link")
    fragment = link[link.index("#") :]
    other = opened("[1,2]", fragment=fragment)
    assert brackets(other) == TREE
    assert other.locator("#cut").input_value() == "strict"


def test_links_are_validated(opened):
    page = opened(fragment="#tree=[[3,12")
    assert status(page) == "The link is not valid: character 7: expected ',' or ']'; found the end."
    for given, reason in (
        ("tree=[1,2]&cut=sometimes", "cut must be one of equal, strict"),
        ("tree=[1,2]&algorithm=negamax&variant=path", "negamax is fail-soft only"),
        ("cut=strict", "the tree text is empty"),
        ("tree=" + "[" * 40, "deeper than 30 plies"),
        ("tree=[" + "1," * 600 + "1]", "more than 500 nodes"),
        ("tree=" + "9" * 9000, "too long"),
        ("tree=%22%5Cu202e%22[1]", "unprintable"),
    ):
        page.evaluate("location.hash = ''")
        page.evaluate("(given) => new Promise((done) => { onhashchange = done; location.hash = given; })", f"#{given}")
        assert reason in status(page), given
        assert brackets(page) == TREE
    page.locator("#brackets").fill("[1,")
    page.locator("#brackets").blur()
    assert status(page) == "character 4: expected a number, '?', a name or '['; found the end"
    page.locator("#brackets").fill("[" + ",".join(["123456"] * 480) + "]")
    page.locator("#brackets").blur()
    page.locator("#copy-brackets").focus()
    page.locator("#copy-link").click()
    page.wait_for_function("document.getElementById('status').textContent.includes('copy the JSON instead')")
    assert page.evaluate("location.hash") == ""


HOSTILE = "</script><script>alert(1)</script>"


def test_no_name_is_markup(opened, tmp_path):
    texts = (HOSTILE, "<img src=x onerror=alert(1)>", "javascript:alert(1)", "&lt;b&gt;", "{{7*7}}", "a\"b'c")
    data = {"id": texts[0], "children": [{"id": text, "value": 1} for text in texts[1:]]}
    tree = {"id": HOSTILE, "tree": data}
    page = opened(json.dumps(tree))
    assert page.title() == f"Tree editor: {HOSTILE}"
    assert page.locator("g.node title").all_text_contents() == list(texts)
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    pasted = opened(fragment="#tree=" + quote(brackets(page)))
    assert pasted.locator("g.node title").all_text_contents() == list(texts)


def test_narrow_pages_do_not_scroll_sideways(opened):
    for width in (390, 3840):
        page = opened(viewport={"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
