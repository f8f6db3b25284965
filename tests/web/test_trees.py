"""Trees by the API: equal to `zermelo tree`, refused where they are too large, ended when the client leaves."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from web_client import web_client

import zermelo
from zermelo.errors import InputError
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.lectures.cases import tree_of
from zermelo.teaching.tree import PlayoutTrace, describe_step, game_tree, trace
from zermelo.teaching.tree.move_orders import ordered
from zermelo.web import trees as trees_module
from zermelo.web.errors import RequestError
from zermelo.web.searches import Workers
from zermelo.web.services import Services
from zermelo.web.settings import Settings
from zermelo.web.tree_searches import MAX_NODES, Query, Searches
from zermelo.web.trees import ORDERS, TreeRequest, trees

POSITION = "XO-/-X-/--O"
DEFAULTS = {
    "tree": "", "position": "", "moves": (), "depth": 2, "evaluation": "", "algorithm": "alphabeta",
    "order": "as given", "simulations": 50, "seed": 0,
}  # fmt: skip


def query(**given: Any) -> Query:
    return Query(**{**DEFAULTS, **given})


def events(source: str, asked: Query) -> list[tuple[str, Any]]:
    """The events of a search in this process."""
    return list(Searches().search(source, asked))


def answer(source: str, asked: Query) -> dict[str, Any]:
    """The tree, its steps as rows, and the sentences."""
    found: dict[str, Any] = {"steps": [], "sentences": [], "bounds": {}}
    texts: list[str] = []
    kinds: list[str] = []
    for name, data in events(source, asked):
        if name == "tree":
            found["tree"] = data
            texts += data["texts"]
        elif name == "steps":
            texts += data["texts"]
            kinds += data["kinds"]
            found["bounds"] |= {len(found["steps"]) + row: bounds for row, bounds in data["bounds"].items()}
            found["sentences"] += data["sentences"]
            for row in range(len(data["kind"])):
                step = {"kind": kinds[data["kind"][row]], "node": data["node"][row], **data["rest"].get(row, {})}
                step |= {key: texts[data[key][row]] for key in ("window", "value") if data[key][row] >= 0}
                found["steps"].append(step)
    found["texts"] = texts
    return found


@pytest.mark.parametrize("words", ["alphabeta", "minimax", "negamax strict", "alphabeta deepening table killers"])
def test_the_steps_are_those_of_the_page_of_one_file(words: str) -> None:
    tree = game_tree(zermelo.load("tictactoe").parse(POSITION), 3)
    searched = trace(tree, words, depth=3 if "deepening" in words else None)
    found = answer("tictactoe", query(position=POSITION, depth=3, algorithm=words))
    page = html(searched)
    begin = page.index('id="data">') + len('id="data">')
    data = json.loads(page[begin : page.index("</script>", begin)])
    expected = [{key: each[key] for key in each if key not in ("number", "line", "sentence")} for each in data["steps"]]
    assert found["steps"] == expected
    assert found["sentences"] == [describe_step(searched, step) for step in searched.steps]
    assert found["tree"]["cuts"] == data["cuts"]
    header = found["tree"]
    assert header["visits"] == searched.visits
    assert header["evaluated"] == len(searched.leaves)
    assert header["value"] == "7"
    assert header["nodes"]["parent"] == [node.parent for node in tree]
    assert [found["texts"][number] for number in header["nodes"]["arc"]] == [node.move for node in tree]


def test_the_tree_of_a_lecture_by_name_and_as_text() -> None:
    by_name = answer("", query(tree="skrentny_tree", algorithm="fail-hard own"))
    assert by_name["tree"]["value"] == "3"
    assert [each["pruned"] for each in by_name["tree"]["cuts"]] == ["X", "Q, R", "M"]
    assert len(by_name["steps"]) == len(trace(tree_of("skrentny"), "fail-hard own").steps)
    assert answer("", query(tree="[[3,12,8],[2,4,6],[14,5,2]]"))["tree"]["value"] == "3"
    assert answer("", query(tree="7"))["tree"]["value"] == "7"


@pytest.mark.parametrize("order", ORDERS.values())
def test_orders(order: str) -> None:
    found = answer("tictactoe", query(position=POSITION, depth=3, order=order))
    tree = ordered(game_tree(zermelo.load("tictactoe").parse(POSITION), 3), order)
    assert found["tree"]["visits"] == trace(tree).visits
    assert found["tree"]["value"] == "7"


def test_chance_and_star() -> None:
    asked = ":max[:chance[1/4*3,3/4*:min[2,6]],5]"
    values = {words: answer("", query(tree=asked, algorithm=words)) for words in ("expectiminimax", "star1", "star2")}
    assert {found["tree"]["value"] for found in values.values()} == {"5"}
    assert {found["tree"]["visits"] for found in values.values()} != {7}


def test_monte_carlo_tree_search() -> None:
    found = answer("tictactoe", query(position=POSITION, algorithm="mcts", simulations=40, seed=3))
    searched = PlayoutTrace(zermelo.load("tictactoe").parse(POSITION), 40, 3)
    assert [step["kind"] for step in found["steps"]] == [step.kind for step in searched.steps]
    assert found["sentences"] == [step.sentence for step in searched.steps]
    assert found["tree"]["best"] == searched.best
    # The counts beside the tree: a node is added in each simulation; the root is never visited.
    assert found["tree"]["visits"] == searched.simulations == [step.kind for step in searched.steps].count("expand")
    assert {row for row, step in enumerate(searched.steps) if step.bounds} == set(found["bounds"])
    with pytest.raises(RequestError, match="needs a game"):
        events("", query(tree="[1,2]", algorithm="mcts"))


def test_boards_and_sentences_of_some_steps() -> None:
    searches = Searches()
    asked = query(position=POSITION, depth=2)
    boards = searches.boards("tictactoe", asked, [0, 1])
    assert len(boards["boards"][1].pieces) == len(boards["boards"][0].pieces) + 1
    found = searches.sentences("tictactoe", asked, 3, 2)
    searched = trace(game_tree(zermelo.load("tictactoe").parse(POSITION), 2))
    assert found == {"first": 3, "sentences": [describe_step(searched, step) for step in searched.steps[3:5]]}
    with pytest.raises(RequestError, match="nodes must be between 0 and"):
        searches.boards("tictactoe", asked, [999])
    with pytest.raises(RequestError, match="has no boards"):
        searches.boards("", query(tree="[1,2]"), [0])


def test_what_is_kept_is_bounded() -> None:
    searches = Searches()
    for depth in (1, 2, 3, 4, 3, 2):
        list(searches.search("tictactoe", query(position=POSITION, depth=depth)))
    assert [asked.depth for _, asked in searches._searches] == [1, 4, 3, 2]
    searches._searches._most = 100
    list(searches.search("tictactoe", query(position=POSITION, depth=4, algorithm="minimax")))
    assert [(asked.depth, asked.algorithm) for _, asked in searches._searches] == [(4, "minimax")]


def test_too_large_trees_are_refused_with_the_numbers() -> None:
    with pytest.raises(InputError, match=rf"more than {MAX_NODES:,} nodes at depth \d, the limit; use depth"):
        events("go19", query(depth=3))


# ---- the server -------------------------------------------------------------------------------------------------


def sse(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({}, "tree", "give a game or a tree"),
        ({"game": "tictactoe", "tree": "[1,2]"}, "tree", "not both"),
        ({"game": "nim9"}, "game", "unknown game 'nim9'"),
        ({"game": "/etc/passwd.py"}, "game", "unknown game"),
        ({"tree": "[1,2]", "moves": ["a1"]}, "position", "a tree has no position"),
        ({"game": "tictactoe", "depth": -1}, "depth", ">= 0"),
        ({"game": "tictactoe", "order": "upside-down"}, "order", "upside-down"),
        ({"game": "tictactoe", "color": 1}, "color", "is unknown"),
        ({"game": "tictactoe", "simulations": 5000, "algorithm": "mcts"}, "simulations", "<= 2000"),
    ],
)
def test_malformed_requests_name_the_field(client: Any, body: dict[str, Any], field: str, words: str) -> None:
    response = client.post("/api/trees", json=body)
    assert response.status_code == 400
    assert response.json()["field"] == field
    assert words in response.json()["error"]


def test_a_convention_is_read_by_its_words(client: Any) -> None:
    found = client.get("/api/trees/convention", params={"algorithm": "negamax pvs, strict"}).json()
    assert found == {
        "algorithm": "negamax", "variant": "fail-soft", "cut": "strict", "show": "inherited", "enhancements": ["pvs"],
    }  # fmt: skip
    refused = client.get("/api/trees/convention", params={"algorithm": "sofd"})
    assert (refused.status_code, refused.json()["field"]) == (400, "algorithm")
    assert "unknown word 'sofd'" in refused.json()["error"]


def test_the_trees_of_the_lectures(client: Any) -> None:
    found = client.get("/api/trees/lectures").json()["trees"]
    skrentny = next(each for each in found if each["name"] == "skrentny_tree")
    assert skrentny["lecture"] == "002"
    assert trace(skrentny["tree"]).value == 3


@pytest.mark.long
def test_a_search_over_http_and_its_refusals(client: Any) -> None:
    body = {"game": "tictactoe", "position": POSITION, "depth": 3}
    found = sse(client.post("/api/trees", json=body).text)
    assert [name for name, _ in found] == ["progress", "progress", "tree", "steps", "end"]
    again = sse(client.post("/api/trees", json=body).text)
    assert [name for name, _ in again] == ["tree", "steps", "end"]  # kept
    sentences = client.post("/api/trees/sentences", json={**body, "first": 0, "count": 2}).json()
    assert sentences["sentences"] == found[3][1]["sentences"][:2]
    boards = client.post("/api/trees/boards", json={**body, "nodes": [0]}).json()
    assert (boards["boards"]["0"]["kind"], boards["boards"]["0"]["columns"]) == ("grid", 3)
    assert client.post("/api/trees/page", json=body).json()["html"].startswith("<!DOCTYPE html>")
    for wrong, words in (
        ({"moves": ["z9"]}, "z9"),
        ({"algorithm": "alphabeto"}, "unknown word 'alphabeto'"),
        ({"position": "nonsense"}, ""),
        ({"evaluation": "none such"}, "none such"),
    ):
        refused = client.post("/api/trees", json={**body, **wrong})
        # The search had begun: its error is an event.
        name, data = sse(refused.text)[-1] if refused.status_code == 200 else ("error", refused.json())
        assert name == "error"
        assert words in data["error"]
        assert "\n" not in data["error"]


ENDLESS = """
from zermelo import MAX, State, game

@game
class Endless(State):
    turn: int = 1

    def to_move(self): return self.turn
    def moves(self):
        while True:
            pass
    def play(self, move): return self
    def is_over(self): return False
    def utility(self): return 0
"""


@pytest.mark.long
def test_a_client_that_leaves_ends_an_endless_search(tmp_path: Any) -> None:
    """The worker is replaced, and the next request is answered."""
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)

    async def leave() -> None:
        services = Services(Settings(games={"endless": str(file), "tictactoe": "tictactoe"}))
        workers = services.get(Workers)
        asked = trees.function(TreeRequest(game="endless"), services)
        assert (await anext(asked))[0] == "progress"
        waiting = asyncio.ensure_future(anext(asked))
        await asyncio.sleep(0.3)
        (process,) = workers.processes
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asked.aclose()
        await asyncio.to_thread(process.wait, 10)
        good = [name async for name, _ in trees.function(TreeRequest(game="tictactoe", depth=1), services)]
        assert good[-1] == "end"
        await services.close()

    asyncio.run(leave())


@pytest.mark.long
def test_a_tree_that_takes_too_long_is_ended(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit holds for the whole stream, whose items the server awaits in a task each."""
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)

    async def read_all() -> None:
        services = Services(Settings(games={"endless": str(file)}))
        monkeypatch.setattr(trees_module, "SECONDS", 5.0)
        asked = trees.function(TreeRequest(game="endless"), services)
        assert (await asyncio.ensure_future(anext(asked)))[0] == "progress"
        following = asyncio.ensure_future(anext(asked))
        await asyncio.wait((following,), timeout=60)
        assert following.done()
        with pytest.raises(RequestError, match="took more than 5 seconds"):
            following.result()
        await services.close()

    asyncio.run(read_all())


def test_the_limits_of_a_request_are_those_of_the_search() -> None:
    assert TreeRequest(tree="[1,2]").order in ORDERS
    with web_client(Settings()) as client:
        description = client.get("/api/openapi.json").json()
    assert "/api/trees" in description["paths"]
