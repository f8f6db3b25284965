"""The page "Watch the search" in a browser: steps, two algorithms side by side, folding, the keyboard alone."""

from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from browsers import watched_pages
from web_pages import running_server

import zermelo
from zermelo.teaching.lectures.cases import tree_of
from zermelo.teaching.tree import PlayoutTrace, describe_step, game_tree, random_tree, to_brackets, trace
from zermelo.web.tree_searches import Query, Searches

pytestmark = pytest.mark.long

POSITION = "XO-/-X-/--O"
GAME = f"/watch?game=tictactoe&position={POSITION}&depth=3"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("data"), "tictactoe") as started:
        yield started


@pytest.fixture
def opened(browser, server):
    """Opens the page and waits for its search."""
    with watched_pages(browser, server.url) as open_page:

        def open_search(path, **context):
            page = open_page(path, **context)
            page.set_default_timeout(240_000)
            page.wait_for_selector("#controls:not([hidden])")
            return page

        yield open_search


LOOK = """(side) => {
    const figure = document.querySelectorAll(".side")[side];
    const all = (selector) => [...figure.querySelectorAll(selector)];
    const name = (node) => node.querySelector(".name, .move")?.textContent;
    return {
        crossed: all("g.arc.crossed").length,
        pruned: all("g.node.pruned").map(name),
        current: all("g.node.current").map(name)[0],
        counts: figure.querySelector(".counts").textContent,
    };
}"""


def sentence(page):
    return page.locator("#sentence").inner_text()


def test_skrentny_s_tree_to_its_last_cutoff(opened):
    searched = trace(tree_of("skrentny"), "fail-hard own")
    page = opened("/watch?tree=skrentny_tree&words=fail-hard+own")
    assert page.locator("#count").inner_text() == f"0 of {len(searched.steps)}"
    # The tree opens unfolded, with all its nodes.
    assert page.locator("g.node").count() == len(searched.tree)
    for number, cut in enumerate(searched.cuts, 1):
        page.keyboard.press("c")
        step = searched.steps[cut.step]
        assert page.locator("#count").inner_text() == f"{cut.step + 1} of {len(searched.steps)}"
        assert page.locator("#sentence").inner_text() == describe_step(searched, step)
        seen = page.evaluate(LOOK, 0)
        assert seen["current"] == searched.tree.nodes[cut.node].id
        assert seen["crossed"] == sum(len(each.pruned) for each in searched.cuts[:number])
        assert "prune the remaining" in page.locator("#code li.now").inner_text()
        assert page.locator("#cutoffs li").count() == number
    assert page.evaluate(LOOK, 0)["pruned"] == ["X", "Q", "R", "M", "U", "V"]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(LOOK, 0)["crossed"] == 3
    page.keyboard.press("End")
    assert "Value 3, best move C." in page.evaluate(LOOK, 0)["counts"]
    # The link opens the same step.
    link = page.evaluate("location.pathname + location.search") + f"#step={searched.cuts[0].step + 1}"
    again = opened(link)
    assert sentence(again) == describe_step(searched, searched.steps[searched.cuts[0].step])


def test_alpha_beta_beside_minimax(opened):
    tree = game_tree(zermelo.load("tictactoe").parse(POSITION), 3)
    pruned, whole = trace(tree), trace(tree, "minimax")
    page = opened(f"{GAME}&algorithm=alphabeta&with=minimax")
    # Both counts of steps are those of the longer search.
    count = page.locator("#count").inner_text().removeprefix("0 of ")
    assert count == str(len(whole.steps))
    page.locator("#sentence", has_text=f"Before the search: {count} steps to come.").wait_for()
    assert "not visited yet" in page.locator("#node-text").inner_text()
    page.keyboard.press("End")
    assert "value 7" in page.locator("#node-text").inner_text()
    assert "not visited" not in page.locator("#node-text").inner_text()
    assert page.evaluate(LOOK, 0)["counts"].startswith(f"{len(pruned.visited)} of {len(tree)} nodes visited. Value 7")
    assert page.evaluate(LOOK, 1)["counts"].startswith(f"{len(tree)} of {len(tree)} nodes visited. Value 7")
    assert page.locator("#compared").inner_text() == (
        f"Same answer, 7: Alpha-beta visits {pruned.visits} nodes, Minimax {whole.visits}: 1/2 of the nodes."
    )
    assert page.locator("#cutoffs-heading").inner_text() == f"Cutoffs: {len(pruned.cuts)}"
    # In the middle both have visited the same number of nodes, and the board is that of the node.
    page.locator("#slider").fill("60")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('60 ')")
    visits = sum(step.kind == "enter" for step in whole.steps[:60])
    assert [page.evaluate(LOOK, side)["counts"].split()[0] for side in (0, 1)] == [str(visits)] * 2
    page.wait_for_selector(".side g.node svg.zermelo-board .stroke")
    # Both are shown at a cutoff of alpha-beta, although minimax has none.
    page.keyboard.press("Home")
    page.keyboard.press("c")
    step = pruned.steps[pruned.cuts[0].step]
    assert page.evaluate(LOOK, 0)["crossed"] == len(step.skipped)


def test_monte_carlo_tree_search(opened):
    searched = PlayoutTrace(zermelo.load("tictactoe").parse(POSITION), 25, 4)
    page = opened(f"{GAME}&algorithm=mcts&simulations=25&seed=4")
    number, step = next(
        (number, step)
        for number, step in enumerate(searched.steps, 1)
        if step.kind == "select" and len(step.bounds) > 2
    )
    page.locator("#slider").fill(str(number))
    page.wait_for_function("(text) => document.getElementById('sentence').textContent === text", arg=step.sentence)
    rows = page.locator("#bounds tr").all_inner_texts()
    assert len(rows) == len(step.bounds)
    best = max(step.bounds, key=lambda bound: bound.bound)
    assert rows[0].split("\t")[1:] == [
        str(best.visits), f"{best.mean:.2f}", f"{best.bonus:.2f}", f"{round(best.mean, 3) + round(best.bonus, 3):.2f}"
    ]  # fmt: skip
    assert page.locator("#bounds tr[aria-current]").count() == 1
    page.keyboard.press("End")
    counts = page.evaluate(LOOK, 0)["counts"]
    assert f"best move {searched.best}." in counts
    assert counts.startswith("25 of 25 simulations.")
    assert "not visited" not in page.locator("#node-text").inner_text()


def test_simulations_are_not_compared_with_visits(opened):
    visits = trace(game_tree(zermelo.load("tictactoe").parse(POSITION), 3)).visits
    page = opened(f"{GAME}&algorithm=mcts&simulations=25&seed=4&with=alphabeta")
    text = page.locator("#compared").inner_text()
    assert "Monte Carlo tree search plays 25 simulations" in text
    assert f"Alpha-beta visits {visits} nodes" in text
    assert "of the nodes" not in text


OUTSIDE = """() => [...document.querySelectorAll(".side")].map((side) => {
    const view = side.querySelector(".tree-view").getBoundingClientRect();
    return [...side.querySelectorAll("g.node")].filter((node) => {
        const box = node.getBoundingClientRect();
        return box.left < view.left || box.right > view.right || box.top < view.top || box.bottom > view.bottom;
    }).length;
})"""


def test_trees_side_by_side_are_in_view_at_the_start_and_the_end(opened):
    page = opened("/watch?game=tictactoe&depth=3&algorithm=alphabeta&with=minimax")
    page.wait_for_selector(".side:nth-child(2) g.node")
    assert page.evaluate(OUTSIDE) == [0, 0]
    page.keyboard.press("c")
    page.keyboard.press("c")
    page.locator(".tree-tools button", has_text="+").first.click()
    page.keyboard.press("End")
    assert page.evaluate(OUTSIDE) == [0, 0]


def test_the_keyboard_alone(opened):
    page = opened("/watch?tree=skrentny_tree")
    page.locator("#game").focus()
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('tree-view')"):
            break
    else:
        raise AssertionError("Tab does not reach the tree")
    said = page.locator(".announcer").first
    page.keyboard.press("ArrowDown")
    assert said.inner_text().startswith("B; MIN to move; not visited yet; 2 children, 6 nodes below")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "folded" in page.locator("#node-text").inner_text()
    assert page.locator("g.node").count() == len(tree_of("skrentny")) - 6
    page.keyboard.press("Enter")
    assert page.locator("g.node").count() == len(tree_of("skrentny"))
    page.keyboard.press("v")
    assert sentence(page).startswith("Visit MIN node C")
    page.keyboard.press("c")
    assert sentence(page).startswith("Beta cutoff at J")
    before = page.locator("g.tree-world, .tree-svg > g").first.get_attribute("transform")
    page.keyboard.press("Shift+ArrowDown")
    page.wait_for_function(
        "(was) => document.querySelector('.tree-svg > g').getAttribute('transform') !== was", arg=before
    )
    page.keyboard.press("0")
    page.locator("#ask").check()
    page.keyboard.press("ArrowRight")
    assert sentence(page).startswith("What does J return?")


def test_a_tree_of_a_reader_s_own_and_its_errors(opened):
    page = opened("/watch?tree=[[3,12,8],[2,4,6],[14,5,2]]")
    page.locator("#tree-text").fill("[[3,12],[2,<b>4</b>]]")
    page.locator("#search").click()
    page.wait_for_function("() => document.getElementById('problem').textContent !== ''")
    assert "unexpected character" in page.locator("#problem").inner_text()
    evil = '{"id": "<img src=x onerror=alert(1)>", "player": "max", "children": [{"id": "b", "value": 1}, 2]}'
    page.locator("#tree-text").fill(evil)
    page.locator("#search").click()
    page.wait_for_function("() => document.getElementById('count').textContent.endsWith(' of 10')")
    page.keyboard.press("ArrowRight")
    assert "<img src=x onerror=alert(1)>" in sentence(page)
    assert page.locator("main img").count() == 0


def test_the_editor_changes_the_tree_that_is_searched(opened):
    page = opened("/watch?tree=[[3,12,8],[2,4,6],[14,5,2]]")
    page.locator("#edit").click()
    page.wait_for_selector("#editor #tree [data-node]")
    assert "Value 3" in page.locator("#editor #status").inner_text()
    assert page.locator("#editor #cuts li").count() == 1
    # Another order of the children has another number of cutoffs, at once.
    page.locator('#editor [data-node="9"] .name').click()
    page.keyboard.press("Alt+ArrowLeft")
    page.keyboard.press("Alt+ArrowLeft")
    assert page.locator("#tree-text").input_value() == "[[14,5,2],[3,12,8],[2,4,6]]"
    visited = trace("[[14,5,2],[3,12,8],[2,4,6]]")
    assert f"{len(visited.visited)} of 13 nodes visited" in page.locator("#editor #status").inner_text()
    page.locator("#search").click()
    page.locator("#count", has_text=f"0 of {len(visited.steps)}").wait_for()
    assert "14" in parse_qs(urlsplit(page.url).query)["tree"][0]
    page.keyboard.press("End")
    page.locator(".side .counts", has_text=f"{len(visited.visited)} of 13 nodes visited. Value 3").wait_for()
    assert page.locator("#edit").get_attribute("aria-expanded") == "true"
    page.locator("#edit").click()
    assert page.locator("#editor").is_hidden()


def test_the_editor_takes_the_convention_of_the_form(opened):
    page = opened("/watch?tree=[[3,12,8],[2,4,6],[14,5,2]]&algorithm=minimax")
    page.locator("#edit").click()
    page.wait_for_selector("#editor #tree [data-node]")
    assert page.locator("#editor #algorithm").input_value() == "minimax"
    assert "13 of 13 nodes visited" in page.locator("#editor #status").inner_text()
    # A change of the form changes the open editor.
    page.locator("#first-algorithm").select_option("alphabeta pvs")
    page.locator("#editor-note", has_text="without pvs").wait_for()
    page.locator("#more summary").click()
    page.locator("#words").fill("hard strict")
    page.locator("#words").press("Enter")
    page.locator("#editor #status", has_text="11 of 13").wait_for()
    assert [page.locator(f"#editor #{kind}").input_value() for kind in ("algorithm", "variant", "cut")] == [
        "alphabeta", "fail-hard", "strict",
    ]  # fmt: skip
    # A choice in the editor is what "Search" searches by.
    page.locator("#editor #cut").select_option("equal")
    assert page.locator("#words").input_value() == "fail-hard"
    assert page.locator("#first-algorithm").input_value() == "alphabeta"


def test_nodes_that_are_searched_again_count_once(opened):
    tree = tree_of("skrentny")
    searched = trace(tree, "pvs")
    assert len(searched.visited) < searched.visits
    page = opened("/watch?tree=skrentny_tree&algorithm=alphabeta+pvs&with=minimax")
    page.keyboard.press("End")
    nodes = f"{len(searched.visited)} of {len(tree)} nodes visited in {searched.visits} visits."
    assert page.evaluate(LOOK, 0)["counts"].startswith(nodes)
    assert page.evaluate(LOOK, 1)["counts"].startswith(f"{len(tree)} of {len(tree)} nodes visited.")
    compared = page.locator("#compared").inner_text()
    assert f"Principal variation search makes {searched.visits} visits" in compared or (
        f"Principal variation search {searched.visits}:" in compared
    )
    assert "of the nodes" not in compared


def test_a_tree_of_a_hundred_thousand_nodes_folds_and_unfolds(opened):
    """A worker of the page places 88,573 nodes, and a canvas draws them."""
    tree = random_tree(1, branching=(3, 3), depth=(10, 10), values=(-9, 9))
    page = opened("/watch?tree=[1,2]")
    # The text has more than 64 KiB, the limit of a request, so the answer is made here.
    query = Query(
        tree=to_brackets(tree), position="", moves=(), depth=2, evaluation="", algorithm="alphabeta", order="as given",
        simulations=1, seed=0,
    )  # fmt: skip
    events = Searches().search("", query)
    body = "".join(f"event: {name}\ndata: {msgspec.json.encode(data).decode()}\n\n" for name, data in events)
    page.route("**/api/trees", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.route("**/api/trees/sentences", lambda route: route.fulfill(json={"first": 0, "sentences": []}))
    page.locator("#search").click()
    view = page.locator(".tree-tools output")
    page.wait_for_function(f"() => document.querySelector('.tree-tools output').textContent.includes('{len(tree):,}')")
    first = int(view.inner_text().split()[0].replace(",", ""))
    assert first < 400
    assert page.locator(".tree-svg").is_visible()
    changed = "(was) => document.querySelector('.tree-tools output').textContent !== was"
    for _ in range(12):
        was = view.inner_text()
        if was.startswith(f"{len(tree):,} of"):
            break
        page.locator(".tree-tools button", has_text="Unfold level").click()
        page.wait_for_function(changed, arg=was)
    assert view.inner_text().startswith(f"{len(tree):,} of")
    assert page.locator(".tree-view canvas").is_visible()
    painted = """() => {
        const canvas = document.querySelector(".tree-view canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, index) => index % 4 === 3 && value).length;
    }"""
    page.locator(".side .title").click()
    page.keyboard.press("0")
    page.wait_for_function(f"() => ({painted})() > 5000")
    page.keyboard.press("[")
    page.wait_for_function(
        f"() => !document.querySelector('.tree-tools output').textContent.startsWith('{len(tree):,}')"
    )
    # The search goes on in the unfolded tree.
    page.keyboard.press("End")
    assert "Value" in page.locator(".counts").inner_text()


def test_accessibility_of_a_search(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing").Axe()
    page = opened("/watch?tree=skrentny_tree&with=minimax#step=37", bypass_csp=True)
    page.locator("#edit").click()
    page.wait_for_selector("#editor [data-node]")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page).response["violations"]
        assert [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found] == []


def test_a_small_screen(opened):
    page = opened(GAME, viewport={"width": 390, "height": 844}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".tree-view").bounding_box()
    assert box["width"] > 330


def test_the_page_of_one_file(opened, browser, tmp_path):
    page = opened(GAME)
    with page.expect_download() as waiting:
        page.locator("#save").click()
    file = tmp_path / "tree.html"
    waiting.value.save_as(file)
    assert waiting.value.suggested_filename == "tictactoe-alphabeta.html"
    with watched_pages(browser) as open_file:
        saved = open_file(file)
        saved.keyboard.press("End")
        assert saved.locator("#count").inner_text().endswith(page.locator("#count").inner_text().split(" of ")[1])
