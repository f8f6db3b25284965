"""SVG: well-formed for any name, structured for scripts, with a description, deterministic."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as xml
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest

from zermelo import drawing
from zermelo._util.atomic_files import write
from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import Options
from zermelo.errors import FileError, InputError
from zermelo.registry import load
from zermelo.teaching import tree
from zermelo.teaching.diagrams.step_changes import changes

pytestmark = pytest.mark.quick

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"
# Lecture 002's tree: X, Q, R and M are pruned.
SKRENTNY = """A[B[F[N=4, O[W=-3, X=-5]], G=-5], C[H=3, I=8, J[P=9, Q=-6, R=0]], D=0,
    E[K[S=3, T=5], L=2, M[U=-7, V=-9]]]"""
SVG = "{http://www.w3.org/2000/svg}"


def svg(drawn: object, options: Options | None = None) -> str:
    return drawing_of(drawn, options).svg()


class Parsed:
    """A parsed SVG."""

    def __init__(self, text: str) -> None:
        self.root = xml.fromstring(text)
        self.groups = {group.get("id", ""): group for group in self.root.iter(f"{SVG}g")}

    def words(self, id: str) -> list[str]:
        return self.groups[id].get("class", "").split()

    def texts(self, id: str, kind: str) -> list[str]:
        return [text.text or "" for text in self.groups[id].iter(f"{SVG}text") if text.get("class") == kind]

    def parts(self, id: str, kind: str) -> list[xml.Element]:
        return [part for part in self.groups[id] if part.get("class") == kind]


def test_pruned_arcs_of_lecture_002() -> None:
    trace = tree.trace(tree.read(SKRENTNY))
    read = Parsed(svg(trace))
    crossed = {id for id in read.groups if id.startswith("a") and read.parts(id, "cross")}
    assert crossed == {f"a{trace.tree[name].index}" for name in "XQRM"}
    assert {id for id in read.groups if id.startswith("a") and "crossed" in read.words(id)} == crossed
    # Below M everything is grey, but only the arc to M is crossed out.
    for name in "MUV":
        assert "pruned" in read.words(f"n{trace.tree[name].index}")
        assert "pruned" in read.words(f"a{trace.tree[name].index}")
    assert not read.parts(f"a{trace.tree['U'].index}", "cross")
    # The reasons: at the nodes, and in full below the tree; the numbers lead from one to the other.
    assert [read.texts(f"n{trace.tree[name].index}", "reason") for name in "OJE"] == [
        ["-3 ≤ α = 4"], ["9 ≥ β = 3"], ["2 ≤ α = 3"],
    ]  # fmt: skip
    assert [read.texts(f"a{trace.tree[name].index}", "number") for name in "XQRM"] == [["1"], ["2"], ["2"], ["3"]]
    legend = read.texts("legend", "caption")
    assert "O: -3 ≤ α = 4; X pruned" in legend
    assert "J: 9 ≥ β = 3; Q, R pruned" in legend
    assert "E: 2 ≤ α = 3; M pruned" in legend


def test_texts_of_nodes_agree_with_the_trace() -> None:
    trace = tree.trace(tree.read(SKRENTNY), "fail-hard own")
    read = Parsed(svg(trace, Options(order=True)))
    for node in trace.tree:
        id, picture = f"n{node.index}", trace.records[node.index]
        kind = "leaf" if node.is_leaf else {1: "max", -1: "min"}[node.player]
        assert read.words(id)[:2] == ["node", kind]
        assert read.texts(id, "name") == [node.id]
        assert read.texts(id, "order") == ([] if picture.order is None else [f"{picture.order + 1}."])
        texts = trace.bounds_text(node.index)
        assert read.texts(id, "window") == ([texts] if texts else [])
        if not node.is_leaf:
            assert read.texts(id, "value") == ([str(picture.returned)] if picture.is_visited else [])
        assert ("line" in read.words(id)) == (node.index == 0 or node in trace.line)


def test_shapes_differ_by_more_than_colour() -> None:
    read = Parsed(svg(tree.trace(tree.read(":max[:min[1,2],:chance[3,4],5]"), "expectiminimax")))
    corners = {}
    for id, kind in (("n0", "max"), ("n1", "min"), ("n4", "chance"), ("n7", "leaf")):
        assert read.words(id)[1] == kind
        (shape,) = read.parts(id, "shape")
        points = [tuple(map(float, point.split(","))) for point in (shape.get("points") or "").split()]
        corners[kind] = (shape.tag.removeprefix(SVG), len(points), points)
    assert corners["chance"][:2] == ("circle", 0)
    assert corners["leaf"][:2] == ("polygon", 4)
    assert corners["max"][:2] == corners["min"][:2] == ("polygon", 3)
    assert sorted(y for _, y in corners["max"][2])[1] == max(y for _, y in corners["max"][2])  # foot below
    assert sorted(y for _, y in corners["min"][2])[1] == min(y for _, y in corners["min"][2])  # foot above


def test_weights_moves_states_and_transpositions() -> None:
    data = {
        "id": "a", "player": "chance", "weights": [1, 2, 3], "state": "X.\n. O",
        "children": [{"value": 1, "move": "six"}, {"value": 2}, {"value": 3}],
    }  # fmt: skip
    read = Parsed(svg(tree.trace(tree.read(data)), Options(states=True)))
    assert [read.texts(f"a{index}", "move") for index in (1, 2, 3)] == [["six 1/6"], ["1/3"], ["1/2"]]
    assert read.texts("n0", "state") == ["X.", ". O"]
    from zermelo.games.pennies import Pennies
    from zermelo.teaching.tree import game_tree

    pile = game_tree(Pennies.start(), 10)
    read = Parsed(svg(pile, Options(states=True)))
    transpositions = [node for node in pile if node.transposition_of != node.index]
    assert transpositions
    for node in pile:
        texts = [f"= {pile.nodes[node.transposition_of].id}"[:26]] if node in transpositions else []
        assert [text[:26].rstrip("…") for text in read.texts(f"n{node.index}", "transposition")] == [
            t.rstrip("…") for t in texts
        ]
        # A name that is the label of the arc is not repeated.
        assert not read.texts(f"n{node.index}", "name") or node.parent < 0


@pytest.mark.parametrize("name", ["<b>", "a&b", '"', "'", "]]>", "\x00\x07", "\ud800", "é∞中", "x" * 150, "&amp;", "￾"])
def test_any_name_gives_well_formed_xml(name: str) -> None:
    drawn = tree.Tree(
        [
            tree.Node(0, name, 1, -1, 0, (1,), None, (), "", None, f"{name}\n{name}", 0),
            tree.Node(1, name + "1", None, 0, 1, (), 3, (), name, None, name, 1),
        ],
        name,
    )
    text = svg(tree.trace(drawn), Options(states=True))
    read = Parsed(text.encode("utf-8"))  # type: ignore[arg-type]
    if name.isprintable() and len(name) < 20:
        assert read.texts("n0", "name") == [name]


def test_description() -> None:
    trace = tree.trace(tree.read(AIMA))
    root = Parsed(svg(trace, Options(prefix="p-"))).root
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "p-title p-desc"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert (title.get("id"), description.get("id")) == ("p-title", "p-desc")
    for texts in (
        "13 nodes", "9 leaves", "MAX to move at the root A", "The value of the root is 3",
        "principal variation is B, b1",
        "11 nodes of 13 were visited", "7 leaves were evaluated", "1 cutoff: alpha 3 >= beta 2 at C: c2, c3 pruned",
        "b1 3, b2 12, b3 8",
    ):  # fmt: skip
        assert texts in description.text, texts


def test_ids_are_unique_and_prefixed() -> None:
    text = svg(tree.trace(tree.read(SKRENTNY)), Options(prefix="two-"))
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(ids) == len(set(ids)) > 40
    assert all(id.startswith("two-") for id in ids)


def test_no_external_files_and_real_text() -> None:
    text = svg(tree.trace(tree.read(SKRENTNY)))
    assert "href" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert "<path" not in text
    assert "<script" not in text


def test_a_tree_without_search_has_leaf_values_and_answer_boxes() -> None:
    drawn = tree.read(AIMA)
    read = Parsed(svg(drawn, Options(answer_boxes=True)))
    for node in drawn:
        assert len(read.texts(f"n{node.index}", "value")) == node.is_leaf
        assert len(read.parts(f"n{node.index}", "answer")) == (not node.is_leaf)
        assert set(read.words(f"n{node.index}")) <= {"node", "max", "min", "leaf"}
    assert "legend" not in read.groups


# ---- steps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", ["", "strict fail-hard own", "path interval", "negamax", "minimax"])
def test_the_last_step_is_the_finished_picture(convention: str) -> None:
    trace = tree.trace(tree.read(SKRENTNY), convention)
    finished = svg(trace, Options(interactive=True, order=True))
    last = svg(trace, Options(interactive=True, order=True, step=len(trace.steps)))
    marks = re.compile(r" current|<title.*?</title>|, after step \d+")
    assert marks.sub("", last) == marks.sub("", finished)


def test_a_step_shows_the_state_then_and_nothing_moves() -> None:
    trace = tree.trace(tree.read(SKRENTNY))
    places = None
    crossed_so_far: set[str] = set()
    for step in range(len(trace.steps) + 1):
        read = Parsed(svg(trace, Options(step=step)))
        shapes = {id: read.groups[id].find(f"{SVG}polygon").get("points") for id in read.groups if id[0] == "n"}
        places = places or shapes
        assert shapes == places
        entered = {each.node for each in trace.steps[:step] if each.kind == "enter"}
        assert {int(id[1:]) for id in shapes if "visited" in read.words(id)} == entered
        crossed = {id for id in read.groups if id[0] == "a" and read.parts(id, "cross")}
        skipped = {f"a{child}" for each in trace.steps[:step] for child in each.skipped}
        assert crossed == skipped
        assert crossed >= crossed_so_far
        crossed_so_far = crossed
        current = [int(id[1:]) for id in shapes if "current" in read.words(id)]
        assert current == ([trace.steps[step - 1].node] if step else [])


def test_changes_follow_the_bounds() -> None:
    trace = tree.trace(tree.read(AIMA))
    told = [(trace.tree.nodes[each.node].id, each.window, each.value) for each in changes(trace)]
    assert len(told) == len(trace.steps)
    assert [window for id, window, _ in told if id == "A" and window][:2] == ["[-∞, +∞]", "[-∞, +∞]"]
    assert told[-1] == ("A", "[3, +∞]", "3")
    assert [each.crossed for each in changes(trace) if each.crossed] == [trace.cuts[0].pruned]
    values = [value for id, _, value in _minimax_values() if id == "A" and value]
    assert values == ["≥ 3", "≥ 3", "≥ 3", "3"]


def _minimax_values() -> list[tuple[str, str, str]]:
    trace = tree.trace(tree.read(AIMA), "minimax")
    return [(trace.tree.nodes[each.node].id, each.window, each.value) for each in changes(trace)]


def test_interactive_scenes_contain_the_elements_of_all_steps() -> None:
    trace = tree.trace(tree.read(SKRENTNY))
    read = Parsed(svg(trace, Options(interactive=True, step=0, order=True)))
    for node in trace.tree:
        id = f"n{node.index}"
        if trace.records[node.index].is_visited:
            assert len(read.texts(id, "order")) == 1
            if not node.is_leaf:
                assert len(read.texts(id, "window")) == len(read.texts(id, "value")) == 1
    for node in trace.pruned:
        assert len(read.parts(f"a{node.index}", "cross")) == 2
        assert "crossed" not in read.words(f"a{node.index}")
    for cut in trace.cuts:
        assert len(read.texts(f"n{cut.node}", "reason")) == 1
    assert ".zermelo .arc:not(.crossed) .cross" in read.root.find(f"{SVG}style").text


# ---- in notebooks and files -----------------------------------------------------------------------------------------


def test_trees_and_traces_show_themselves_in_notebooks() -> None:
    drawn = tree.read(AIMA)
    one, other = drawn._repr_svg_(), tree.trace(drawn)._repr_svg_()
    ids = [re.findall(r'\bid="([^"]*)"', text) for text in (one, other)]
    assert not set(ids[0]) & set(ids[1])  # both fit on one page
    assert one == drawn._repr_svg_()
    assert Parsed(one).root.tag == f"{SVG}svg"
    assert one.startswith("<svg")


def test_save_selects_the_format_by_the_extension(tmp_path: Path) -> None:
    drawn = drawing.draw(tree.trace(tree.read(AIMA)), order=True)
    for name, begin in (("a.svg", "<?xml"), ("a.SVG", "<?xml"), ("a.tex", "% Game tree"), ("a.txt", "MAX")):
        drawn.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
        assert (tmp_path / name).read_bytes().endswith(b"\n")
    with pytest.raises(InputError, match=r"unknown file extension: expected one of \.svg \.html"):
        drawn.save(tmp_path / "a.jpeg")
    with pytest.raises(FileError, match="directory not found"):
        drawn.save(tmp_path / "no" / "a.svg")
    (tmp_path / "b.svg").mkdir()
    with pytest.raises(FileError, match="is a directory"):
        drawn.save(tmp_path / "b.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.SVG", "a.svg", "a.tex", "a.txt", "b.svg"]


def test_a_file_is_replaced_atomically_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write(path, "one")
    path.chmod(0o640)
    write(path, "two")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o640)


def test_the_themes() -> None:
    trace = tree.trace(tree.read(AIMA))
    light, auto = svg(trace), svg(trace, Options(theme="auto"))
    assert 'class="zermelo"' in light
    assert 'class="zermelo auto"' in auto
    assert svg(trace) == light
    assert svg(trace, replace(Options(), standalone=False)) == light.partition("\n")[2]


def test_the_target_of_a_symlink_is_written(tmp_path: Path) -> None:
    link = tmp_path / "link.svg"
    link.symlink_to(tmp_path / "true.svg")
    write(link, "one")
    write(link, "two")
    assert link.is_symlink()
    assert (tmp_path / "true.svg").read_text() == "two"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe, "one")
        assert os.read(reading, 10) == b"one"
    finally:
        os.close(reading)
    assert pipe.is_fifo()


def test_draw_has_a_keyword_for_each_option() -> None:
    keywords = dict(signature(drawing.draw).parameters)
    assert list(keywords)[:3] == ["subject", "before", "view"]
    assert {name: each.default for name, each in list(keywords.items())[3:]} == vars(Options())


def test_an_invalid_file_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="File name too long"):
        write(tmp_path / ("a" * 300), "one")


def test_other_objects_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match=r"cannot draw str '\[\[1,2\]\]': expected a state, a tree or a trace"):
        drawing.draw("[[1,2]]")
    with pytest.raises(InputError, match="`before` and `view` are for states only"):
        drawing.draw(tree.read(AIMA), before=load("tictactoe").start())
    with pytest.raises(InputError, match="search the tree first"):
        drawing.draw(tree.read(AIMA)).html()


def test_a_board_that_is_used_again_contains_its_style_class() -> None:
    """Browsers match selectors in a copy alone: `.zermelo-board .dark .square` needs both classes in it."""
    trace = tree.trace(tree.game_tree(load("chess").start(), 1))
    root = xml.fromstring(svg(trace, Options(boards=True, prefix="p-")))
    shared = {group.get("id"): group for group in root.iter(f"{SVG}g")}
    uses = [use.get("href", "") for use in root.iter(f"{SVG}use")]
    assert len(uses) > 20 * 30  # each of the 20 boards repeats most pieces of the first one
    for target in set(uses):
        outer = shared[target.removeprefix("#")]
        assert outer.get("class") == "zermelo-board"
        assert [child.tag for child in outer] == [f"{SVG}g"]
