"""Traces: bounds at nodes, JSON and its documentation, errors. test_oracle.py tests the searches."""

from __future__ import annotations

import json
import random
import re
import time
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from treeoracle import Leaf, as_data, node_at, paths_of, random_tree, search, value_of, with_leaves

from zermelo.errors import LimitError, TreeError, ZermeloError
from zermelo.teaching import tree
from zermelo.teaching.tree import Convention, read, trace
from zermelo.teaching.tree.trace import SCHEMA

pytestmark = pytest.mark.quick

AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "trace.md"
#: Trees and conventions that together have every key of the JSON.
EVERY_KIND = [
    ("[[3,12],[2,4]]", "", None),
    ("[[3,12],[2,4]]", "negamax", None),
    ("[[3,12],[2,4]]", "minimax", None),
    ("[[3,12],[[2],4]]", "", 2),
    (":chance[1,[2,3]]", "path", None),
]


# ---- the page -------------------------------------------------------------------------------------------------------


def test_the_example_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    example = re.search(r"<!-- the example.*?-->\n```json\n(.*?)```", page, re.DOTALL)
    assert example is not None
    assert json.loads(example[1]) == json.loads(json.dumps(trace(read("[[3,12],[2,4]]")).as_json()))


def test_the_page_lists_all_keys() -> None:
    page = PAGE.read_text(encoding="utf-8")
    keys = page[page.index("## Keys") : page.index("## Conventions")]
    # The first columns of the tables, and the keys in sentences.
    named = set(re.findall(r"`([a-z_]+)`", keys))
    rows = {key for row in re.findall(r"^\| (`.*?`) \|", keys, re.MULTILINE) for key in re.findall(r"`([a-z_]+)`", row)}
    kinds = {"enter", "leaf", "value", "bound", "cut", "leave", "kind"}
    found: set[str] = set()
    for text, words, depth in EVERY_KIND:
        data = trace(read(text), words, depth=depth).as_json()
        parts = [data, data["convention"], *data["cuts"], *data["pictures"], *data["steps"]]
        found |= {key for part in parts for key in part}
    data = trace(read(AIMA), "pvs deepening aspiration table killers").as_json()
    parts = [data, data["convention"], *data["iterations"], *data["pictures"], *data["steps"]]
    parts.append(trace(read(":max[:chance[1,2],3]"), "star1").as_json())
    found |= {key for part in parts for key in part}
    assert found <= named
    enhanced = {"iteration", "widen", "killer", "store", "probe"}
    assert rows - kinds - enhanced <= found | {"table_bound", "pseudocode"}
    assert {step["kind"] for step in trace(read(AIMA)).as_json()["steps"]} == kinds - {"kind"}


def test_the_page_lists_all_keys_of_trees() -> None:
    from zermelo.teaching.tree.parsing import KEYS

    page = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", page[page.index("## The tree itself") :]))
    assert set(KEYS) <= named


def test_json_is_plain_and_has_a_version() -> None:
    for text, words, depth in EVERY_KIND:
        data = trace(read(text), words, depth=depth).as_json()
        assert data["schema"] == SCHEMA == "zermelo-trace/1"
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert "steps" not in trace(read(AIMA)).as_json(steps=False)
    assert trace(read("[1/3,0.5]")).as_json()["value"] == 0.5
    assert trace(read("[1/3,0.25]")).as_json()["value"] == "1/3"
    assert trace(read("[1]", "mine")).as_json()["tree"] == "mine"


# ---- bounds at nodes ------------------------------------------------------------------------------------------------


def data(text: str, words: str) -> list[str]:
    found = trace(read(text), words)
    return [found.bounds_text(node.index) for node in found.tree if not node.is_leaf]


def test_windows_bounds_and_intervals() -> None:
    assert data(AIMA, "inherited") == ["[3, +∞]", "[-∞, 3]", "[3, 2]", "[3, 2]"]
    assert data(AIMA, "own") == ["α=3", "β=3", "β=2", "β=2"]
    # The figure in AIMA: B is 3, C at most 2, D 2.
    assert data(AIMA, "interval") == ["3", "3", "[-∞, 2]", "2"]
    assert data(AIMA, "negamax own") == ["α=3", "α=-3", "α=-2", "α=-2"]
    assert data(AIMA, "negamax interval") == ["3", "-3", "[-2, +∞]", "-2"]
    assert data(AIMA, "negamax") == ["[3, +∞]", "[-3, +∞]", "[-2, -3]", "[-2, -3]"]
    assert data(AIMA, "minimax") == ["", "", "", ""]
    assert data(":chance[[1,2],[3]]", "interval") == ["", "2", "3"]
    # A returned bound is not shown as a value: D, below C, is at least 9.
    text = "[[5,6],[4,[9,?],7]]"
    assert data(text, "") == ["[5, +∞]", "[-∞, 5]", "[5, 4]", ""]
    assert data("[[5,6],[[[1,9],[2,9]],7]]", "interval") == ["5", "5", "[-∞, 2]", "[-∞, 2]", "[-∞, 1]", "[-∞, 2]"]


def test_lecture_000s_intervals_step_by_step() -> None:
    found = trace(read("[[7,6,5],[3,8,9],[6,5,1]]"), "interval")
    own: dict[int, Any] = {}
    texts = []
    for step in found.steps:
        if step.kind == "value":
            value, best = step.value, own.get(step.node)
            assert value is not None
            up = step.node == 0
            own[step.node] = value if best is None or (value > best if up else value < best) else best
            text = found.format_bounds(step.node, (step.alpha, step.beta), own[step.node], is_done=False)
            texts.append(f"{found.tree.nodes[step.node].id}{text}")
        elif step.kind == "leave":
            texts.append(f"{found.tree.nodes[step.node].id} {found.bounds_text(step.node)}")
    assert texts == [
        *("B[-∞, 7]", "B[-∞, 6]", "B[-∞, 5]", "B 5", "A[5, +∞]"),
        *("C[-∞, 3]", "C [-∞, 3]", "A[5, +∞]"),
        *("D[-∞, 6]", "D[-∞, 5]", "D [-∞, 5]", "A[5, +∞]", "A 5"),
    ]


@pytest.mark.parametrize("words", ["", "strict", "fail-hard", "path strict", "negamax"])
def test_intervals_contain_the_value_at_every_step(words: str) -> None:
    """At each step, the interval of a node contains its value for any values of the other leaves."""
    for seed in range(60):
        chances = random.Random(seed)
        given = random_tree(chances, 40)
        found = trace(read(as_data(given)), f"{words} interval")
        paths = paths_of(given)
        read_so_far: set[Any] = set()
        own: dict[int, Any] = {}
        for step in found.steps:
            node = found.tree.nodes[step.node]
            if step.kind == "leaf":
                read_so_far.add(paths[step.node])
            if step.kind != "value" or not node.player:
                continue
            assert step.value is not None
            rises = node.player == 1 or words == "negamax"
            own[step.node] = (max if rises else min)(own.get(step.node, step.value), step.value)
            text = found.format_bounds(step.node, (step.alpha, step.beta), own[step.node], is_done=False)
            low, high = interval(text)
            unread = [path for path in paths if isinstance(node_at(given, path), Leaf) and path not in read_so_far]
            other = with_leaves(given, {path: chances.choice([-(10**9), 0, 10**9]) for path in unread})
            value = value_of(node_at(other, paths[step.node]))
            if words == "negamax":
                value *= node.player
            assert low <= value <= high, (seed, text)


def interval(text: str) -> tuple[Any, Any]:
    from zermelo.teaching.tree.numbers import to_bound

    ends = text.strip("[]").split(", ")
    return to_bound(ends[0]), to_bound(ends[-1])


# ---- windows, depth limits, unknown leaves --------------------------------------------------------------------------


def test_the_roots_window() -> None:
    found = trace(read(AIMA), window=("2.5", Fraction(10, 3)))
    assert (found.value, found.window) == (3, (Fraction(5, 2), Fraction(10, 3)))
    assert found.as_json()["convention"]["window"] == [2.5, "10/3"]
    assert trace(read(AIMA), window=(4.0, inf)).value == 3
    assert trace(read(AIMA), "fail-hard", window=(4, inf)).value == 4
    assert trace(read(":min[3,1]"), "negamax", window=(-2, inf)).value == -1  # for MIN, who is to move
    for window in ((3, 3), (4, "2"), (inf, -inf), (inf, inf), (3, -inf)):
        with pytest.raises(LimitError, match=r"the window \[.*\] is empty: alpha must be less than beta"):
            trace(read(AIMA), window=window)
    for end in (nan, None, "x", True, 10**13, [1]):
        with pytest.raises(TreeError):
            trace(read(AIMA), window=(end, inf))  # type: ignore[arg-type]
    with pytest.raises(TreeError, match="minimax has no window"):
        trace(read(AIMA), "minimax", window=(1, 2))


def test_a_depth() -> None:
    given = read({"children": [{"evaluation": 5 * 10**9, "children": [1, 2]}, {"children": [[3]]}, 4]})
    found = trace(given, depth=1)
    assert found.value == 5 * 10**9
    assert [node.id for node in found.leaves] == ["B", "C", "a3"]
    assert [found.record(node).is_cutoff for node in found.leaves] == [True, True, False]
    assert found.record("C").returned == 0  # no evaluation
    assert found.pruned == ()
    assert trace(given, depth=0).leaves == (given.root,)
    assert trace(given, depth=99).value == trace(given).value
    assert not any(picture.is_cutoff for picture in trace(given, depth=3).records)
    with pytest.raises(LimitError, match=r"depth must be at least 0 \(got -1\)"):
        trace(given, depth=-1)


def test_unknown_leaves() -> None:
    assert trace(read("[[3,12],[2,?]]")).value == 3
    for words in ("minimax", "strict fail-hard path".replace("fail-hard ", "")):
        with pytest.raises(TreeError, match="leaf 'c2' has no value, but the search evaluates it") as error:
            trace(read("[[3,12],[3,?]]"), words)
        assert "\n" not in str(error.value)
    with pytest.raises(TreeError, match="has no value"):
        trace(read("?"))
    found = trace(read("[[3,12],[2,?]]"))
    assert found.as_json()["pruned_values"] == [None]


def test_fractions_and_weights_are_exact() -> None:
    assert trace(read(":chance[1/3*1, 2/3*1/7]")).value == Fraction(3, 7)
    assert trace(read(":chance[" + ",".join("0.1" for _ in range(7)) + "]")).value == Fraction(1, 10)
    deep = ":chance[1*1,2*" * 20 + "1000" + "]" * 20
    expected = Fraction(1000)
    for _ in range(20):
        expected = (1 + 2 * expected) / 3
    assert trace(read(deep)).value == expected
    with pytest.raises(TreeError, match="the weights above it need a denominator too large for exact values"):
        trace(read(":chance[1*1,2*" * 60 + "1000" + "]" * 60))
    with pytest.raises(TreeError, match=r"its value needs a denominator too large .*; use simpler numbers$"):
        trace(read("[1/999983, 1/999979, 1/999961, 10]"))


def test_a_root_that_is_a_leaf() -> None:
    found = trace(read("Z=7"))
    assert (found.value, found.best, found.line, found.cuts) == (7, None, (), [])
    assert [step.kind for step in found.steps] == ["enter", "leaf"]
    assert found.bounds_text(0) == ""


# ---- conventions ----------------------------------------------------------------------------------------------------


def test_conventions_by_words() -> None:
    assert Convention.of("") == Convention() == Convention("alphabeta", "fail-soft", "equal", "inherited")
    assert Convention.of("Strict, FAIL-HARD own") == Convention("alphabeta", "fail-hard", "strict", "own")
    assert Convention.of("alpha-beta hard equality") == Convention(variant="fail-hard")
    assert Convention.of("strict strict").cut == "strict"
    for words, texts in {
        "strct": "did you mean strict",
        "strict equal": "convention: strict and equal contradict each other",
        "negamax fail-hard": "negamax is fail-soft only",
        "minimax alphabeta": "minimax and alphabeta contradict each other",
        "x" * 10**5: "convention: at most 1,000 characters (got 100,000)",
    }.items():
        with pytest.raises(TreeError) as error:
            Convention.of(words)
        assert texts in str(error.value)
        assert len(str(error.value)) < 300
    with pytest.raises(TreeError, match="cut must be one of equal, strict"):
        Convention(cut="never")


def test_conventions_as_objects_and_words() -> None:
    given = read(AIMA)
    assert trace(given, Convention(cut="strict")).as_json() == trace(given, "strict").as_json()


def test_trace_reads_its_source() -> None:
    assert trace(AIMA).as_json() == trace(read(AIMA)).as_json() == trace([[3, 12, 8], [2, 4, 6], [14, 5, 2]]).as_json()
    assert repr(trace(AIMA)) == "<Trace of <Tree A: 13 nodes, 9 leaves>: value 3, 11 nodes visited>"
    with pytest.raises(TreeError, match="got 5"):
        trace(5)  # type: ignore[arg-type]


# ---- large trees ----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.slow
def test_a_wide_tree_and_a_deep_one() -> None:
    wide = read("[" + ",".join(["[1,2]"] * 10_000) + "]")
    deep = read("[" * 999 + "[1,2]" + "]" * 999)
    for given in (wide, deep):
        for words in ("interval", "fail-hard", "negamax interval", "minimax"):
            began = time.process_time()
            found = trace(given, words)
            assert found.value == search_value(given)
            found.as_json()
            assert [found.bounds_text(node.index) for node in given]
            assert time.process_time() - began < 20  # 2 s on an idle machine; what is not linear takes minutes


def search_value(given: tree.Tree) -> int:
    return 1 if given.depth == 2 else 1 if given.nodes[-3].player == -1 else 2


def test_counts_agree_with_the_textbook() -> None:
    from zermelo.search import textbook
    from zermelo.teaching.tree.rules import TreeGame

    for seed in range(20):
        given = random_tree(random.Random(seed))
        read_ = read(as_data(given))
        found = trace(read_)
        counted = textbook.alphabeta(TreeGame(read_).start())
        assert (len(found.visited), len(found.leaves), len(found.cuts)) == (counted.nodes, counted.leaves, counted.cuts)
        assert len(search(given).visits) == counted.nodes


def test_errors_are_zermelo_errors() -> None:
    assert issubclass(TreeError, ZermeloError)
    with pytest.raises(TreeError, match="the tree has no node 'x'"):
        trace(read(AIMA)).record("x")


def test_a_tree_is_a_game_for_the_textbook() -> None:
    import zermelo

    state = read("[[3,12,8],[2,4,6],[14,5,2]]").start()
    found = zermelo.alphabeta(state)
    assert (found.value, found.nodes, found.leaves, state.move_name(found.best)) == (3, 11, 7, "B")
    assert zermelo.minimax(state).nodes == 13
