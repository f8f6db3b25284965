"""The stepping page: it is self-contained, its data matches the search, and names are escaped."""

import base64
import hashlib
import json
import re
import time
from html.parser import HTMLParser

import pytest

from zermelo.drawing.options import Options
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.html import html
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.pseudocode import Pseudocode
from zermelo.teaching.tree import read, trace
from zermelo.teaching.tree.random_trees import random_tree

pytestmark = pytest.mark.quick

SKRENTNY = "A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0, E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"
CONVENTIONS = ["", "minimax", "negamax", "strict", "fail-hard own", "path interval", "expectiminimax"]


class Page(HTMLParser):
    """Elements of a page with their attributes, and the texts of its scripts."""

    EMPTY = {"meta", "input", "br", "hr", "link", "img"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data

    @property
    def data(self):
        return json.loads(self.scripts[0])


def test_the_page_is_self_contained():
    text = html(trace(read(SKRENTNY)))
    page = Page(text)
    assert page.open == []
    assert len(page.scripts) == 2
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "base", "object", "embed")
        for name in attributes:
            assert name not in ("src", "href", "xlink:href", "action", "srcset"), f"{tag} {name}"
            assert not name.startswith("on")
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_policy_allows_only_our_script():
    page = Page(html(trace(read(SKRENTNY))))
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize(
    "name", ["</script><script>alert(1)</script>", '"quoted" \'', "<!-- <script", "a & b", "{{ title }} {% x %}"]
)
def test_names_are_escaped(name):
    data = {
        "id": name,
        "player": "max",
        "children": [{"id": "b", "move": name, "value": 1}, {"id": "c" + name, "value": 2}],
    }
    text = html(trace(read(data, name)))
    page = Page(text)
    assert page.open == []
    assert len(page.scripts) == 2
    assert len(re.findall("<script", text)) == len(re.findall("</script", text)) == 2
    assert [node["id"] for node in page.data["nodes"].values()] == [name, "b", "c" + name]
    assert page.data["steps"][0]["sentence"].startswith(f"Visit MAX node {name} ")


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_data_matches_the_search(convention):
    """The data has all steps, and after k steps the same texts as a picture of step k."""
    tree = read(":chance[1/4*A[3,12,8], 3/4*B:min[[2,4,6], [14,5,2]]]") if "expecti" in convention else read(SKRENTNY)
    searched = trace(tree, convention)
    data = Page(html(searched)).data
    assert data["schema"] == "zermelo-steps/2"
    assert [(step["kind"], step["node"]) for step in data["steps"]] == [
        (step.kind, step.node) for step in searched.steps
    ]
    assert [step["number"] for step in data["steps"]] == list(range(1, len(searched.steps) + 1))
    windows: dict[int, str] = {}
    values: dict[int, str] = {}
    for count, step in enumerate(data["steps"], 1):
        windows[step["node"]] = step.get("window", windows.get(step["node"], ""))
        values[step["node"]] = step.get("value", values.get(step["node"], ""))
        labels = Labels(searched, Options(step=count))
        for node in tree:
            label = labels.at(node.index)
            assert label.window == windows.get(node.index, "")
            assert label.value == values.get(node.index, "") or node.is_leaf
            assert label.is_visited == (node.index in windows)
    assert [(cut["step"], cut["reason"]) for cut in data["cuts"]] == [
        (cut.step + 1, Labels(searched).condition(cut)) for cut in searched.cuts
    ]
    assert [step["skipped"] for step in data["steps"] if "cut" in step] == [list(cut.pruned) for cut in searched.cuts]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_each_step_has_a_line_of_pseudocode(convention):
    searched = trace(read(":chance[1/4*A:max[3,12,8], 3/4*B:min[[2,4,6], [14,5,2]]]"), convention)
    code = Pseudocode(searched)
    words = {"enter": "value(node", "leaf": "return its value", "value": "v ←", "cut": "prune", "leave": "return "}
    for step in searched.steps:
        if step.kind == "bound":
            is_max = searched.tree.nodes[step.node].player == 1 or "negamax" in convention
            word = "α ← max(α, v)" if is_max else "β ← min(β, v)"
        elif step.kind == "enter" and searched.tree.nodes[step.node].player == 0:
            word = "value(node"
        else:
            word = words[step.kind]
        line = code.line_of(step)
        assert line is not None
        assert word in code.lines[line]
    strict = [line for line in code.lines if "prune" in line]
    assert all((" > " in line or " < " in line) == ("strict" in convention) for line in strict)
    assert bool(strict) == searched.convention.prunes


def test_pseudocode_lines_match_the_player():
    searched = trace(read(SKRENTNY))
    code = Pseudocode(searched)
    for step in searched.steps:
        line = code.line_of(step)
        player = searched.tree.nodes[step.node].player
        if step.kind in ("value", "bound", "cut", "leave"):
            heads = [text for text in code.lines[: line + 1] if "is to move" in text]
            assert ("MAX" if player == 1 else "MIN") in heads[-1]


@pytest.mark.slow
def test_a_large_tree_is_collapsed():
    tree = random_tree(3, branching=(3, 3), depth=(8, 8))
    text = html(trace(tree), Options(max_nodes=200))
    data = Page(text).data
    assert len(data["nodes"]) + len(data["folds"]) <= 200
    assert {step["node"] for step in data["steps"]} <= set(map(int, data["nodes"]))
    numbers = [step["number"] for step in data["steps"]]
    assert numbers == sorted(set(numbers))
    assert len(text) < 600_000
    assert "are collapsed" in text


def test_values_of_collapsed_nodes_appear():
    """Windows and values of a collapsed tree end like those of the whole tree."""
    tree = random_tree(4, branching=(3, 3), depth=(6, 6))
    for convention in ("", "minimax", "own"):
        searched = trace(tree, convention)
        data = Page(html(searched, Options(max_nodes=50))).data
        windows: dict[int, str] = {}
        values: dict[int, str] = {}
        for step in data["steps"]:
            windows[step["node"]] = step.get("window", windows.get(step["node"], ""))
            values[step["node"]] = step.get("value", values.get(step["node"], ""))
        reasons = {cut.step + 1: Labels(searched).condition(cut) for cut in searched.cuts}
        assert bool(data["cuts"]) == searched.convention.prunes
        assert all(reasons[cut["step"]] == cut["reason"] for cut in data["cuts"])
        labels = Labels(searched)
        for index in windows:
            assert (windows[index], values[index]) == (labels.at(index).window, labels.at(index).value)


def test_the_page_opens_at_the_step_option():
    searched = trace(read(SKRENTNY))
    assert Page(html(searched)).data["start"] == 0
    assert Page(html(searched, Options(step=12))).data["start"] == 12
    with pytest.raises(TreeError, match="step 65: the search has 64 steps"):
        html(searched, Options(step=65))


@pytest.mark.nightly
def test_a_hundred_thousand_nodes():
    searched = trace(random_tree(1, branching=(10, 10), depth=(5, 5)))
    began = time.process_time()
    text = html(searched)
    assert time.process_time() - began < 3
    assert len(searched.tree) > 100_000
    assert len(text) < 3_000_000
