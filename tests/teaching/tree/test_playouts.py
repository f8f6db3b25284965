"""Monte Carlo trees, drawn and stepped through: the steps, the texts of the nodes, the pictures, the page."""

import json
import re
from typing import Any

import pytest
from pig import Pig

import zermelo
from zermelo import LimitError, TreeError
from zermelo.drawing import draw
from zermelo.search.mcts.textbook import TextbookTree
from zermelo.teaching.tree import PlayoutTrace

STATE = zermelo.load("tictactoe").parse("XO-/-X-/--O")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_tree_is_the_search_s() -> None:
    trace, grown = PlayoutTrace(STATE, 40, seed=3), TextbookTree(STATE, seed=3)
    for _ in range(40):
        grown.simulate_once()
    texts = trace.texts_after(len(trace.steps))
    todo = [(grown.root, trace.tree.root)]
    while todo:
        node, drawn = todo.pop()
        assert texts[drawn.index][0] == f"{node.total / (1 << 17):g}/{node.visits}"
        visited = [child for child in node.children if child.visits]
        assert [trace.tree.nodes[child].move for child in drawn.children] == [
            node.state.move_name(child.move) for child in visited
        ]
        todo += zip(visited, (trace.tree.nodes[child] for child in drawn.children), strict=True)


def test_the_steps_of_a_simulation() -> None:
    """Select, expand, simulate, then a step of back-up for each node of the path."""
    trace = PlayoutTrace(STATE, 20, seed=3)
    for number in range(1, 21):
        steps = [step for step in trace.steps if step.simulation == number]
        kinds = [step.kind for step in steps]
        depth = kinds.count("back up") - 1
        assert kinds == ["select"] * (depth - 1) + ["expand", "simulate"] + ["back up"] * (depth + 1)
        assert steps[-1].node == 0
        assert all(step.sentence.startswith(f"Simulation {number}, {step.kind}: ") for step in steps)
    assert "upper confidence bound is" in next(step.sentence for step in trace.steps if step.kind == "select")


def test_a_proof_ends_the_search() -> None:
    trace = PlayoutTrace(zermelo.load("tictactoe").parse("XX-OO----"), 200, seed=2)
    assert trace.simulations < 200
    assert trace.best == "c1"
    assert trace.texts_after(len(trace.steps))[0][1] == "= +1"
    assert trace.steps[-1].sentence.endswith("it is proven: a win for crosses.")


def test_games_of_chance() -> None:
    trace = PlayoutTrace(Pig(target=8, rolling=True), 30)
    assert trace.best is None
    assert "Most visited" not in draw(trace).text()


@pytest.mark.parametrize(("simulations", "seed"), [(0, 0), (2001, 0), (5, -1)])
def test_numbers_out_of_range(simulations: int, seed: int) -> None:
    with pytest.raises(LimitError, match=r"must be between"):
        PlayoutTrace(STATE, simulations, seed)


def test_finished_games_are_refused() -> None:
    with pytest.raises(TreeError, match="the game is over"):
        PlayoutTrace(zermelo.load("tictactoe").parse("XXX/OO-/---"), 5)


def test_pictures() -> None:
    trace = PlayoutTrace(STATE, 12, seed=3)
    picture = draw(trace).svg()
    assert "Monte Carlo tree search, TicTacToe, 12 simulations" in picture
    assert picture.count(">root<") == 1
    assert "/12" in draw(trace).text()
    first = draw(trace, step=4).text()
    assert "/12" not in first
    assert first.endswith(trace.steps[3].sentence)
    with pytest.raises(TreeError, match="the search has"):
        draw(trace, step=len(trace.steps) + 1).text()
    with pytest.raises(TreeError, match="the search has"):
        draw(trace, step=len(trace.steps) + 1).html()


def test_the_page_has_all_steps() -> None:
    trace = PlayoutTrace(STATE, 15, seed=3)
    page = draw(trace, step=5).html()
    data = data_of(page)
    assert len(data["steps"]) == len(trace.steps)
    assert data["start"] == 5
    shown: dict[int, str] = {}
    for entry, step in zip(data["steps"], trace.steps, strict=True):
        shown[entry["node"]] = entry.get("value", shown.get(entry["node"], ""))
        assert shown[step.node] == step.value
        assert entry["sentence"] == step.sentence
    assert "simulate: play random moves to the end of the game" in page
    assert '<section aria-label="Cutoffs" hidden>' in page


def test_large_trees_are_collapsed() -> None:
    trace = PlayoutTrace(zermelo.load("connect4").start(), 60)
    data = data_of(draw(trace, max_nodes=20).html())
    assert len(data["nodes"]) + len(data["folds"]) <= 20
    assert 0 < len(data["steps"]) < len(trace.steps)


def test_the_bounds_at_selections_are_those_of_the_sentences():
    trace = PlayoutTrace(zermelo.load("tictactoe").start(), 60)
    selections = [step for step in trace.steps if step.kind == "select"]
    assert len(selections) > 50
    for step in selections:
        above = trace.tree.nodes[trace.tree.nodes[step.node].parent]
        assert {bound.node for bound in step.bounds} <= set(above.children)
        chosen = next(bound for bound in step.bounds if bound.node == step.node)
        assert f"upper confidence bound is {chosen.bound:.2f}" in step.sentence
        assert chosen.bound == max(bound.bound for bound in step.bounds)
        assert all(0 <= bound.mean <= 1 and bound.bonus > 0 for bound in step.bounds)
