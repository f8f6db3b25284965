"""Layout: no overlapping labels or arcs, centred parents, straight rows, order of children preserved."""

from __future__ import annotations

import random
import re
import time
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import pytest

from zermelo.drawing.options import Options
from zermelo.drawing.scene import Inset, Line, Scene
from zermelo.errors import LimitError, TreeError
from zermelo.teaching import tree
from zermelo.teaching.diagrams.folding import Fold, fold
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.layout import tidy
from zermelo.teaching.diagrams.scene_builder import boxes_of, build_scene

pytestmark = pytest.mark.quick


def random_tree(seed: int, size: int, most: int = 5) -> tree.Tree:
    """A tree of about this size and arbitrary shape, with some long names."""
    chance = random.Random(seed)
    nodes: list[dict] = [{"id": "root"}]
    open_nodes = [0]
    while len(nodes) < size and open_nodes:
        parent = open_nodes.pop(chance.randrange(max(0, len(open_nodes) - chance.choice([1, 3, 40])), len(open_nodes)))
        for _ in range(chance.randint(1, most)):
            name = f"n{len(nodes)}" + "x" * chance.choice([0, 0, 0, 9])
            nodes[parent].setdefault("children", []).append(name)
            open_nodes.append(len(nodes))
            nodes.append({"id": name})
    for node in nodes:
        if "children" in node:
            if chance.random() < 0.03:
                node["player"] = "chance"
        else:
            node["value"] = chance.randint(-999, 999)
    return tree.read({"nodes": nodes})


def reaches(children: list[list[int]], seed: int) -> tuple[list[float], list[float]]:
    chance = random.Random(seed)
    return [chance.uniform(3, 60) for _ in children], [chance.uniform(3, 90) for _ in children]


def random_children(seed: int, size: int) -> list[list[int]]:
    """The children of nodes in preorder."""
    drawn = fold(Labels(random_tree(seed, size), Options(max_nodes=size * 2)))
    return drawn.children


@pytest.mark.parametrize("seed", range(40))
def test_properties_of_tidy(seed: int) -> None:
    children = random_children(seed, 10 + 12 * seed)
    left, right = reaches(children, seed)
    places = tidy(children, left, right, between=7, apart=15)
    depths = [0] * len(children)
    parents = [-1] * len(children)
    for node, below in enumerate(children):
        for child in below:
            depths[child], parents[child] = depths[node] + 1, node
        if below:
            assert places[node] == pytest.approx((places[below[0]] + places[below[-1]]) / 2)
    rows: dict[int, list[int]] = defaultdict(list)
    for node, depth in enumerate(depths):
        rows[depth].append(node)  # in preorder, so from left to right
    for row in rows.values():
        for one, other in pairwise(row):
            gap = places[other] - left[other] - places[one] - right[one]
            assert gap >= (7 if parents[one] == parents[other] else 15) - 1e-6
    assert min(place - reach for place, reach in zip(places, left, strict=True)) == pytest.approx(0)


def test_equal_subtrees_are_drawn_alike_and_small_ones_spread() -> None:
    # Five children: large, leaf, leaf, leaf, large: the leaves are spread evenly.
    children = [[1, 6, 7, 8, 9], [2, 3, 4, 5], [], [], [], [], [], [], [], [10, 11, 12, 13], [], [], [], []]
    ones = [5.0] * len(children)
    places = tidy(children, ones, ones, between=2, apart=2)
    first = [places[child] - places[1] for child in children[1]]
    second = [places[child] - places[9] for child in children[9]]
    assert first == pytest.approx(second)
    steps = [places[b] - places[a] for a, b in pairwise(children[0])]
    assert steps == pytest.approx([steps[0]] * 4)


def test_deep_and_wide_trees_need_no_recursion() -> None:
    deep = [[index + 1] for index in range(5000)] + [[]]
    assert set(tidy(deep, [1.0] * 5001, [1.0] * 5001, between=1, apart=1)) == {1.0}
    broad = [list(range(1, 5001))] + [[] for _ in range(5000)]
    places = tidy(broad, [1.0] * 5001, [1.0] * 5001, between=1, apart=1)
    assert places[0] == pytest.approx((places[1] + places[-1]) / 2)


def overlaps(boxes: list[tuple[str, tuple[float, float, float, float]]]) -> list[tuple[str, str]]:
    """Pairs of overlapping boxes of different nodes, by a sweep from left to right."""
    found, open_boxes = [], []
    for id, (left, top, right, bottom) in sorted(boxes, key=lambda named: named[1][0]):
        open_boxes = [each for each in open_boxes if each[1][2] > left + 0.01]
        for other, (_, its_top, _, its_bottom) in open_boxes:
            if other != id and top < its_bottom - 0.01 and its_top < bottom - 0.01:
                found.append((other, id))
        open_boxes.append((id, (left, top, right, bottom)))
    return found


def arcs_over_boxes(picture: Picture) -> list[tuple[str, str]]:
    """Arcs that cross a text or shape of a node other than their ends."""
    boxes = boxes_of(picture.scene)
    found = []
    for group in picture.scene.groups:
        own = {group.id[1:], picture.parents.get(group.id[1:])}
        ways = [part for part in group.parts if isinstance(part, Line) and part.kind == "edge"]
        for (x1, y1), (x2, y2) in (ends for way in ways for ends in pairwise(way.points)):
            for id, (left, top, right, bottom) in boxes:
                if bottom <= min(y1, y2) or top >= max(y1, y2) or id[1:] in own:
                    continue
                # The x coordinates of the line at the top and bottom of the vertical overlap.
                slab = max(min(y1, y2), top), min(max(y1, y2), bottom)
                at = [x1, x2] if y1 == y2 else [x1 + (x2 - x1) * (y - y1) / (y2 - y1) for y in slab]
                if max(at) > left + 0.01 and min(at) < right - 0.01:
                    found.append((group.id, id))
    return found


class Picture(NamedTuple):
    scene: Scene
    #: The parent of each node or group, by id.
    parents: dict[str, str]


def composed(drawn: tree.Tree | tree.Trace, **options: object) -> Picture:
    labels = Labels(drawn, Options(**options))
    folded = fold(labels)
    index = [str(item.children[0] if isinstance(item, Fold) else item) for item in folded.items]
    parents = {index[place]: index[parent] for place, parent in enumerate(folded.parents) if parent >= 0}
    return Picture(build_scene(labels), parents)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "size", "options"),
    [
        (1, 3000, {}),
        (2, 3000, {"order": True, "reasons": True}),
        (3, 1500, {"interactive": True, "order": True}),
        (4, 1500, {"answer_boxes": True}),
        (5, 800, {"step": 20}),
        (6, 2000, {"names": False, "windows": False}),
        (7, 1500, {"direction": "right", "order": True, "reasons": True}),
    ],
)
def test_no_overlaps_in_thousands_of_nodes(seed: int, size: int, options: dict) -> None:
    drawn = random_tree(seed, size)
    scene = composed(tree.trace(drawn), max_nodes=10_000, **options).scene
    boxes = boxes_of(scene)
    assert len({id for id, _ in boxes if id[0] == "n"}) == len(drawn)
    assert overlaps(boxes) == []
    assert all(left >= 0 and right <= scene.width and top >= 0 for _, (left, top, right, bottom) in boxes)


@pytest.mark.parametrize("seed", range(12))
def test_no_arc_crosses_a_label(seed: int) -> None:
    drawn = random_tree(seed, 150, most=7)
    for options in ({}, {"max_nodes": 40}, {"order": True, "reasons": True}, {"direction": "right", "reasons": True}):
        picture = composed(tree.trace(drawn), **options)
        assert overlaps(boxes_of(picture.scene)) == []
        assert arcs_over_boxes(picture) == []


def test_no_arc_crosses_positions_of_different_sizes() -> None:
    chance = random.Random(0)

    def node(depth: int) -> dict:
        options: dict = {"state": "\n".join("o" * chance.randint(1, 12) for _ in range(chance.randint(1, 5)))}
        if depth == 3:
            return options | {"value": chance.randint(-9, 9), "move": "m" * chance.randint(1, 9)}
        return options | {"children": [node(depth + 1) for _ in range(chance.randint(1, 4))]}

    for direction in ("down", "right"):
        picture = composed(tree.trace(tree.read(node(0))), states=True, direction=direction)
        assert overlaps(boxes_of(picture.scene)) == []
        assert arcs_over_boxes(picture) == []


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize(
    ("name", "position", "depth"), [("tictactoe", "", 2), ("connect4", "4453", 2), ("pennies", "5", 3)]
)
def test_boards_do_not_overlap_and_no_arc_crosses_one(name: str, position: str, depth: int, direction: str) -> None:
    from zermelo.registry import load

    state = load(name).parse(position) if position else load(name).start()
    trace = tree.trace(tree.game_tree(state, depth))
    picture = composed(trace, boards=True, direction=direction, reasons=True, order=True)
    boards = [part for group in picture.scene.groups for part in group.parts if isinstance(part, Inset)]
    assert len(boards) == len(trace.tree)
    assert overlaps(boxes_of(picture.scene)) == []
    assert arcs_over_boxes(picture) == []


def test_boards_have_the_size_asked_for() -> None:
    from zermelo.registry import load

    drawn = tree.game_tree(load("chess").start(), 1)
    for size, expected in ((None, 96.0), (60.0, 60.0)):
        scene = composed(drawn, boards=True, board_size=size).scene
        (board,) = {
            round(part.scene.width * part.scale, 6)
            for group in scene.groups
            for part in group.parts
            if isinstance(part, Inset)
        }
        assert board == expected


def test_arcs_are_straight_lines_where_nothing_is_in_the_way() -> None:
    for options in ({}, {"order": True}, {"direction": "right"}):
        picture = composed(tree.trace(tree.read("[[3,12,8],[2,4,6],[14,5,2]]")), **options)
        ways = [part for group in picture.scene.groups for part in group.parts if part.kind == "edge"]
        assert {len(way.points) for way in ways if isinstance(way, Line)} == {2}


def test_boards_need_the_tree_of_a_game() -> None:
    with pytest.raises(TreeError, match="boards: the tree has no positions"):
        composed(tree.read("[1, 2]"), boards=True)


def test_levels_are_rows_in_order() -> None:
    drawn = random_tree(11, 600)
    scene = composed(drawn, max_nodes=10_000).scene
    rows: dict[int, list[tuple[float, float]]] = defaultdict(list)
    shapes = {group.id: group.parts[0] for group in scene.groups if "node" in group.classes}
    for node in drawn:
        shape = shapes[f"n{node.index}"]
        if hasattr(shape, "centre"):
            x, top = shape.centre[0], shape.centre[1] - shape.radius
        else:
            x = (min(x for x, _ in shape.points) + max(x for x, _ in shape.points)) / 2
            top = min(y for _, y in shape.points)
        rows[node.depth].append((x, top))
    for row in rows.values():
        assert row == sorted(row)
        assert len({round(top, 6) for _, top in row}) == 1


# ---- collapsing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [3, 4, 10, 50, 400])
@pytest.mark.parametrize("seed", range(4))
def test_groups_and_nodes_cover_the_tree(seed: int, most: int) -> None:
    drawn = random_tree(seed, 900)
    trace = tree.trace(drawn)
    folded = fold(Labels(trace, Options(max_nodes=most)))
    assert len(folded.items) <= most
    seen: list[int] = []
    for item in folded.items:
        if isinstance(item, Fold):
            here = list(range(item.children[0], drawn.subtree_end[item.children[-1]]))
            assert item.nodes == len(here)
            assert item.pruned == sum(trace.records[index].cut is not None for index in here)
            cut_off = {child.index for child in trace.pruned}
            assert {child in cut_off for child in item.children} == {item.crossed > 0}
            seen += here
        else:
            seen.append(item)
    assert seen == list(range(len(drawn)))  # all, each once, in preorder


def test_the_principal_variation_is_drawn_and_pruned_nodes_are_collapsed_first() -> None:
    drawn = tree.read(
        str([[[[a * b + c - d for d in range(4)] for c in range(4)] for b in range(4)] for a in range(4)])
    )
    trace = tree.trace(drawn)
    items = fold(Labels(trace, Options(max_nodes=80))).items
    open_nodes = {item for item in items if not isinstance(item, Fold)}
    assert {node.index for node in trace.line} <= open_nodes
    below_pruned = {child for node in trace.pruned for child in node.children}
    assert below_pruned
    assert not below_pruned & open_nodes


def test_a_node_with_very_many_children_is_expanded_in_part() -> None:
    values = [0] * 5000
    values[3000] = 7
    folded = fold(Labels(tree.trace(tree.read([values])), Options(max_nodes=30)))
    best = tree.trace(tree.read([values])).line[0]
    assert best.index in folded.items
    folded = fold(Labels(tree.trace(tree.read(values)), Options(max_nodes=30)))
    assert 3001 in folded.items  # the best move, far from the first
    assert len(folded.items) > 5
    assert sum(each.nodes for each in folded.folds) + len(folded.items) - len(folded.folds) == 5001


@pytest.mark.slow
def test_a_hundred_thousand_nodes_are_drawn_in_less_than_three_seconds() -> None:
    from zermelo.teaching.tree import random_tree

    trace = tree.trace(random_tree(1, branching=(4, 4), depth=(8, 8)))
    assert len(trace.tree) > 87_000
    began = time.process_time()
    scene = build_scene(Labels(trace))
    assert time.process_time() - began < 3
    assert sum(group.classes[0] in ("node", "fold") for group in scene.groups) <= Options().max_nodes


@pytest.mark.slow
def test_a_tree_of_maximum_depth() -> None:
    drawn = tree.read("[" * 999 + "[1,2]" + "]" * 999)
    scene = composed(tree.trace(drawn), max_nodes=5000).scene
    assert overlaps(boxes_of(scene)) == []
    assert len(fold(Labels(drawn, Options(max_nodes=20))).items) <= 20


# ---- options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_nodes": 2}, "max_nodes must be at least 3 (got 2)"),
        ({"theme": "dark"}, "theme must be light or auto (got 'dark')"),
        ({"step": -1}, "step must be at least 0"),
        ({"prefix": "a b"}, "prefix must be letters, digits, - and _, not starting with a digit (got 'a b')"),
        ({"board_size": 5}, "board_size must be between 10 and 1000 points (got 5)"),
        ({"direction": "up"}, "direction must be down or right (got 'up')"),
        ({"dpi": 5}, "dpi must be between 24 and 1200 (got 5)"),
    ],
)
def test_options_out_of_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(LimitError, match=re.escape(message)):
        Options(**options)


def test_invalid_steps() -> None:
    drawn = tree.read("[1,2]")
    with pytest.raises(TreeError, match="step 99: the search has 10 steps"):
        Labels(tree.trace(drawn), Options(step=99))
    with pytest.raises(TreeError, match="not searched"):
        Labels(drawn, Options(step=0))
