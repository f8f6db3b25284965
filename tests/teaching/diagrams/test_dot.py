"""DOT output: contents of the graph, and its interpretation by Graphviz if installed."""

import json
import re
import shutil
import subprocess

import pytest

from zermelo.drawing.options import Options
from zermelo.teaching.diagrams.dot import dot, quoted
from zermelo.teaching.tree import read, trace
from zermelo.teaching.tree.random_trees import random_tree

pytestmark = pytest.mark.quick

SKRENTNY = "A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0, E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"
HOSTILE = ['say "hi"\\', "\\N\\G\\n", "</script>&amp;", "a;b -> c {}", "日本 é", "#$%", " ", "<b>bold</b>"]


def statements(output: str) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """The attributes of nodes and arcs, as text."""
    nodes, arcs = {}, {}
    for line in output.splitlines():
        if found := re.fullmatch(r"  (n\d+) -> (n\d+)(.*);", line):
            arcs[found[1], found[2]] = found[3]
        elif found := re.fullmatch(r"  (n\d+) \[(.*)\];", line):
            nodes[found[1]] = found[2]
    return nodes, arcs


def read_by_graphviz(output: str) -> dict:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz's dot is not installed")
    run = subprocess.run(["dot", "-Tjson"], input=output.encode(), capture_output=True, timeout=60, check=True)
    assert not [line for line in run.stderr.decode().splitlines() if "syntax" in line or "Error" in line]
    return json.loads(run.stdout)


def test_nodes_arcs_and_shapes():
    tree = read(SKRENTNY)
    nodes, arcs = statements(dot(trace(tree)))
    assert len(nodes) == len(tree)
    assert set(arcs) == {(f"n{node.parent}", f"n{node.index}") for node in tree if node.parent >= 0}
    for node in tree:
        shape = {1: "house", -1: "invhouse", None: "box"}[node.player]
        assert f"shape={shape}" in nodes[f"n{node.index}"]
    assert "shape=ellipse" in dot(trace(read(":chance[1, 2]")))


def test_pruned_nodes_differ_in_more_than_colour():
    tree = read(SKRENTNY)
    nodes, arcs = statements(dot(trace(tree)))
    crossed = {tree.nodes[int(child[1:])].id for (_, child), said in arcs.items() if "╳" in said}
    assert crossed == {"X", "Q", "R", "M"}
    for (_, child), said in arcs.items():
        id = tree.nodes[int(child[1:])].id
        assert ("arrowhead=tee" in said) == (id in crossed)
        assert ("style=dashed" in said) == (id in crossed | {"U", "V"})
    dashed = {tree.nodes[int(name[1:])].id for name, said in nodes.items() if "dashed" in said}
    assert dashed == {"X", "Q", "R", "M", "U", "V"}
    reason = 'tooltip="O: -3 ≤ α = 4"'
    assert [reason in said for said in arcs.values()].count(True) == 1
    assert "-3 ≤ α = 4" in nodes["n4"]
    assert "(-5)" in nodes["n6"]  # not evaluated


def test_a_step_has_no_later_cutoffs():
    output = dot(trace(read(SKRENTNY)), Options(step=12, legend=False))
    _, arcs = statements(output)
    assert [child for (_, child), said in arcs.items() if "╳" in said] == ["n6"]
    assert "peripheries=2" in output


def test_options():
    bare = dot(trace(read(SKRENTNY)), Options(names=False, windows=False, values=False, legend=False, reasons=False))
    assert "∞" not in bare
    nodes, _ = statements(bare)
    assert not [said for said in nodes.values() if 'label="A' in said]
    assert "#18" in dot(trace(read(SKRENTNY)), Options(order=True))


def test_large_trees_are_collapsed():
    tree = random_tree(5, branching=(3, 3), depth=(7, 7))
    nodes, arcs = statements(dot(trace(tree), Options(max_nodes=60)))
    assert len(nodes) == len(arcs) + 1 <= 60
    folded = [int(m[1].replace(",", "")) for said in nodes.values() if (m := re.search(r"… ([\d,]+) node", said))]
    assert sum(folded) + len(nodes) - len(folded) == len(tree)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped(name):
    data = {"id": name, "player": "max", "state": name, "children": [{"id": "b", "move": name, "value": 1}]}
    output = dot(trace(read(data)), Options(states=True, legend=False))
    graph = read_by_graphviz(output)
    assert [each["name"] for each in graph["objects"]] == ["n0", "n1"]
    assert len(graph["edges"]) == 1
    assert "URL" not in graph["objects"][0]
    # What Graphviz draws: the texts of the first node are the name, value, window, and the state.
    drawn = [step["text"] for step in graph["objects"][0]["_ldraw_"] if step["op"] == "T"]
    expected = [text for text in (name, "1", "[1, +∞]", name) if text.strip()]
    assert [text for text in drawn if text.strip()] == expected


def test_control_characters_are_replaced():
    assert quoted("a\x00b\x1b\ud800") == '"a�b��"'
    assert quoted("one\ntwo") == '"one\\ntwo"'
    assert quoted("one\ntwo", left=True) == '"one\\ltwo\\l"'


@pytest.mark.parametrize("convention", ["", "minimax", "negamax", "strict fail-hard own", "path interval"])
def test_graphviz_draws_it(convention):
    graph = read_by_graphviz(dot(trace(read(SKRENTNY), convention), Options(order=True)))
    assert len(graph["objects"]) == 24
    assert len(graph["edges"]) == 23
