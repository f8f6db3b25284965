"""Every trace equals an oracle that knows nothing of Zermelo; and what the cuts leave out cannot matter."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treeoracle import (
    CHANCE,
    MAX,
    MIN,
    Found,
    Inner,
    Leaf,
    Path,
    as_data,
    name,
    node_at,
    paths_of,
    random_tree,
    search,
    value_of,
    with_leaves,
)

from zermelo.teaching import tree
from zermelo.teaching.tree import Trace
from zermelo.teaching.tree.numbers import as_json

CONVENTIONS = [
    *(("alphabeta", variant, strict) for variant in ("fail-soft", "fail-hard", "path") for strict in (False, True)),
    *(("negamax", "fail-soft", strict) for strict in (False, True)),
    ("minimax", "fail-soft", False),
    ("expectiminimax", "fail-soft", False),
]
FULL = (-inf, inf)


def words(algorithm: str, variant: str, strict: bool) -> str:
    return f"{algorithm} {variant} {'strict' if strict else 'equal'}"


def told(trace: Trace) -> Found:
    """A trace in the oracle's words."""
    nodes, records = trace.tree.nodes, trace.records
    paths: list[Path] = []
    for node in nodes:
        paths.append((*paths[node.parent], nodes[node.parent].children.index(node.index)) if node.parent >= 0 else ())
        assert node.id == name(paths[-1])
    seen = [node for node in nodes if records[node.index].is_visited]
    return Found(
        value=trace.value,
        best=None if trace.best is None else paths[trace.best],
        line=[paths[node.index] for node in trace.line],
        visits=[paths[node.index] for node in trace.visited],
        leaves=[paths[node.index] for node in trace.leaves],
        entry={paths[node.index]: entry for node in seen if (entry := records[node.index].entry) is not None},
        exit={paths[node.index]: exit for node in seen if (exit := records[node.index].exit) is not None},
        returned={paths[node.index]: records[node.index].returned for node in seen},
        own={paths[node.index]: records[node.index].own for node in seen},
        cuts=[
            (paths[cut.node], paths[cut.after], cut.alpha, cut.beta, [paths[child] for child in cut.pruned])
            for cut in trace.cuts
        ],
    )


def same(told: Found, right: Found) -> None:
    # Field by field, so that a difference is told as one.
    for field in vars(right):
        assert getattr(told, field) == getattr(right, field), field


def check_json(said: dict[str, Any], right: Found, given: Any, depth: int | None) -> None:
    """The JSON tells the same, inner nodes by their names."""

    def window(window: tuple[Any, Any]) -> list[Any]:
        return [as_json(bound) for bound in window]

    inner = [path for path in right.visits if path not in right.leaves]
    assert said["value"] == as_json(right.value)
    assert said["best"] == (None if right.best is None else name(right.best))
    assert said["line"] == [name(path) for path in right.line]
    assert said["visit_order"] == [name(path) for path in right.visits]
    assert said["leaves_evaluated"] == [name(path) for path in right.leaves]
    assert said["leaf_values"] == [as_json(right.returned[path]) for path in right.leaves]
    assert said["nodes"] == len(right.visits)
    assert said["leaf_count"] == len(right.leaves)
    assert said["entry_window"] == {name(path): window(right.entry[path]) for path in inner if path in right.entry}
    assert said["exit_window"] == {name(path): window(right.exit[path]) for path in inner if path in right.exit}
    assert said["returned"] == {name(path): as_json(right.returned[path]) for path in inner}
    assert [(cut["at"], cut["after"], cut["alpha"], cut["beta"], cut["pruned_children"]) for cut in said["cuts"]] == [
        (name(at), name(after), as_json(alpha), as_json(beta), [name(path) for path in pruned])
        for at, after, alpha, beta, pruned in right.cuts
    ]
    pruned = [path for cut in right.cuts for path in cut[4]]
    assert said["pruned_subtrees"] == [name(path) for path in pruned]
    # Who is visited, who was taken away and by which cut: each node is one or the other, or lies below the depth.
    by_cut = {path: number for number, cut in enumerate(right.cuts) for path in cut[4]}
    for path, picture in zip(paths_of(given), said["pictures"], strict=True):
        cut = next((by_cut[path[:end]] for end in range(len(path) + 1) if path[:end] in by_cut), None)
        assert picture["id"] == name(path)
        assert picture["visited"] == (path in right.returned)
        assert picture.get("pruned_by_cut") == cut
        if picture["visited"]:
            assert (picture["own"], picture["returned"]) == (as_json(right.own[path]), as_json(right.returned[path]))
            assert right.visits[picture["order"]] == path
        elif cut is None:
            assert depth is not None
            assert len(path) > depth


def check_steps(trace: Trace, right: Found) -> None:
    """The steps, replayed, give the finished picture: nothing is told that did not happen, and nothing twice."""
    entered: list[int] = []
    stack: list[int] = []
    came_back: dict[int, list[int]] = {}
    for step in trace.steps:
        node = trace.tree.nodes[step.node]
        picture = trace.records[step.node]
        if step.kind == "enter":
            assert node.parent == (stack[-1] if stack else -1)
            entered.append(step.node)
            stack.append(step.node)
        assert stack[-1] == step.node
        if step.kind in ("leaf", "leave"):
            assert step.value == picture.returned
            stack.pop()
        elif step.kind == "value":
            came_back.setdefault(step.node, []).append(step.child)
        elif step.kind == "bound":
            assert step.value in (step.alpha, step.beta)
        elif step.kind == "cut":
            assert step.skipped == node.children[len(came_back[step.node]) :]
    assert not stack
    assert len(entered) == len(right.visits)
    for index, children in came_back.items():
        assert children == list(trace.tree.nodes[index].children[: len(children)])


def check_known(trace: Trace, given: Any, right: Found, depth: int | None) -> None:
    """What a trace says is known of a node's value is what the leaves read prove: no more and no less."""
    if depth is not None:
        return
    huge = 10**30
    read = set(right.leaves)
    ends = []
    for end in (-huge, huge):
        other = with_leaves(given, {path: end for path in paths_of(given) if path not in read and _leaf(given, path)})
        ends.append(search(other, "minimax").returned)
    for path, (low, high) in zip(paths_of(given), trace.proven_bounds, strict=True):
        least, most = ends[0][path], ends[1][path]
        assert low == (-inf if least < -(10**20) else least)
        assert high == (inf if most > 10**20 else most)


def _leaf(given: Any, path: Path) -> bool:
    return isinstance(node_at(given, path), Leaf)


def window_of(chances: random.Random, given: Any) -> tuple[Any, Any]:
    """A window near the values of the tree, sometimes open at one end."""
    values = [node_at(given, path).value for path in paths_of(given) if _leaf(given, path)]
    low, high = sorted((Fraction(chances.choice(values)), chances.choice(values) + Fraction(chances.randint(0, 4), 2)))
    if low == high:
        high += 1
    kind = chances.randrange(4)
    return (-inf, high) if kind == 0 else (low, inf) if kind == 1 else (low, high)


def check_tree(given: Any, chances: random.Random) -> None:
    """One tree under every convention: as it is, and once with a window, a depth, or both."""
    read = tree.read(as_data(given))
    thorough = len(read) < 60  # trees by the thousand are searched again with other leaves: small ones serve
    for algorithm, variant, strict in CONVENTIONS:
        prunes = algorithm in ("alphabeta", "negamax")
        window = window_of(chances, given) if prunes and chances.random() < 0.7 else FULL
        depth = chances.randrange(5) if window == FULL or chances.random() < 0.5 else None
        for depth_, window_ in ((None, FULL), (depth, window)):
            trace = tree.trace(read, words(algorithm, variant, strict), depth=depth_, window=window_)
            right = search(given, algorithm, variant, strict, depth_, window_)
            same(told(trace), right)
            check_steps(trace, right)
            if thorough:
                check_known(trace, given, right, depth_)
            check_json(json.loads(json.dumps(trace.as_json())), right, given, depth_)
            check_bounds(given, right, algorithm, variant, depth_, window_)
            if prunes and thorough:
                check_nothing_lost(given, right, chances, depth_, window_, algorithm)
            if prunes and thorough and depth_ is None and window_ == FULL:
                check_chosen(given, right, chances, algorithm, variant, strict)
                if not strict and not _has_chance(given):
                    check_no_leaf_in_vain(given, right, algorithm)


def check_bounds(
    given: Any, right: Found, algorithm: str, variant: str, depth: int | None, window: tuple[Any, Any]
) -> None:
    """The root's value against the minimax value: exact inside the window, on the right side outside of it."""
    sign = given.player if algorithm == "negamax" and isinstance(given, Inner) and given.player else 1
    true = sign * value_of(given, depth)
    alpha, beta = window
    if alpha < true < beta:
        assert right.value == true
    elif true <= alpha:
        assert true <= right.value <= alpha
    else:
        assert beta <= right.value <= true


def check_nothing_lost(
    given: Any, right: Found, chances: random.Random, depth: int | None, window: tuple[Any, Any], algorithm: str
) -> None:
    """Whatever the leaves that were not read are worth, the minimax value stays on its side of the window."""
    if depth is not None:
        return
    read = set(right.leaves)
    unread = [path for path in paths_of(given) if _leaf(given, path) and path not in read]
    sign = given.player if algorithm == "negamax" and isinstance(given, Inner) and given.player else 1
    alpha, beta = window
    true = sign * value_of(given)
    for values in (
        {path: chances.randint(-9, 9) for path in unread},
        {path: chances.choice([-(10**9), 10**9]) for path in unread},
    ):
        other = sign * value_of(with_leaves(given, values))
        assert max(alpha, min(beta, other)) == max(alpha, min(beta, true))


def check_chosen(given: Any, right: Found, chances: random.Random, algorithm: str, variant: str, strict: bool) -> None:
    """The move chosen is worth the root's value whatever is below the cuts; strict cuts tell all such moves apart."""
    if right.best is None:
        return
    read = set(right.leaves)
    unread = [path for path in paths_of(given) if _leaf(given, path) and path not in read]
    other = with_leaves(given, {path: chances.randint(-9, 9) for path in unread})
    assert value_of(node_at(other, right.best)) == value_of(given)
    if strict and variant == "fail-soft" and algorithm == "alphabeta":
        for number, child in enumerate(given.children):
            assert (right.returned[(number,)] == right.value) == (value_of(child) == right.value)


def check_no_leaf_in_vain(given: Any, right: Found, algorithm: str) -> None:
    """Each leaf was still able to decide the root's value when it was read, with what was known then.

    All that was not read yet is made as bad as can be for who would choose it: then the root is worth what the leaf is.
    """
    for number, leaf in enumerate(right.leaves):
        known = set(right.leaves[:number])
        values: dict[Path, Any] = {}
        for path in paths_of(given):
            if _leaf(given, path) and path not in known and path != leaf:
                parting = next(end for end in range(len(path)) if path[end] != leaf[end])
                values[path] = -(10**9) * node_at(given, path[:parting]).player
        alpha, beta = right.entry[leaf]
        if algorithm == "negamax" and leaf and node_at(given, leaf[:-1]).player == MAX:
            alpha, beta = -beta, -alpha
        assert alpha < beta
        low, high = max(alpha, -(10**6)), min(beta, 10**6)
        assert value_of(with_leaves(given, values | {leaf: low})) == low
        assert value_of(with_leaves(given, values | {leaf: high})) == high


def _has_chance(given: Any) -> bool:
    return any(not _leaf(given, path) and node_at(given, path).player == CHANCE for path in paths_of(given))


def check_seeds(seeds: range, most_nodes: int) -> None:
    for seed in seeds:
        chances = random.Random(seed)
        given = random_tree(chances, most_nodes)
        try:
            check_tree(given, chances)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {as_data(given)}") from error


@pytest.mark.parametrize("first", range(0, 300, 25))
def test_traces_are_the_oracles(first: int) -> None:
    check_seeds(range(first, first + 25), 50)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(1000, 11000, 500))
def test_ten_thousand_traces_are_the_oracles(first: int) -> None:
    check_seeds(range(first, first + 500), 120)


numbers = st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=3)


def inner(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def chance(outcomes: list[tuple[Any, int]]) -> Inner:
        return Inner(CHANCE, tuple(child for child, _ in outcomes), tuple(weight for _, weight in outcomes))

    return st.builds(
        Inner,
        st.sampled_from([MAX, MIN]),
        st.lists(children, min_size=1, max_size=4).map(tuple),
        st.just(()),
        st.none() | numbers,
    ) | st.lists(st.tuples(children, st.integers(1, 3)), min_size=1, max_size=3).map(chance)


@settings(max_examples=60, deadline=None)
@given(st.recursive(numbers.map(Leaf), inner, max_leaves=12), st.randoms(use_true_random=False))
def test_trees_that_shrink(given: Any, chances: random.Random) -> None:
    check_tree(given, chances)


# ---- the oracle itself, against trees that are worked out by hand ---------------------------------------------------


def test_the_oracle_on_the_textbooks_tree() -> None:
    given = Inner(MAX, tuple(Inner(MIN, tuple(map(Leaf, row))) for row in ((3, 12, 8), (2, 4, 6), (14, 5, 2))))
    found = search(given)
    assert found.value == 3
    assert [node_at(given, path).value for path in found.leaves] == [3, 12, 8, 2, 14, 5, 2]
    assert found.cuts == [((1,), (1, 0), 3, 2, [(1, 1), (1, 2)])]
    assert found.line == [(0,), (0, 0)]


@pytest.mark.parametrize(
    ("algorithm", "variant", "strict", "returned", "leaves"),
    [
        # MAX over MIN(5, 9) and MIN(5, 1): the second MIN's 5 equals alpha.
        ("alphabeta", "fail-soft", False, {(0,): 5, (1,): 5, (): 5}, 3),
        ("alphabeta", "fail-soft", True, {(0,): 5, (1,): 1, (): 5}, 4),
        ("alphabeta", "fail-hard", True, {(0,): 5, (1,): 5, (): 5}, 4),
        ("alphabeta", "path", True, {(0,): 5, (1,): 1, (): 5}, 4),
        ("negamax", "fail-soft", False, {(0,): -5, (1,): -5, (): 5}, 3),
        ("minimax", "fail-soft", False, {(0,): 5, (1,): 1, (): 5}, 4),
    ],
)
def test_the_oracle_where_conventions_differ(
    algorithm: str, variant: str, strict: bool, returned: dict[Path, int], leaves: int
) -> None:
    given = Inner(MAX, (Inner(MIN, (Leaf(5), Leaf(9))), Inner(MIN, (Leaf(5), Leaf(1)))))
    found = search(given, algorithm, variant, strict)
    assert {path: found.returned[path] for path in returned} == returned
    assert len(found.leaves) == leaves


# ---- a wrong search is found: the comparison has teeth ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("alphabeta", "alphabeta strict"),
        ("alphabeta", "alphabeta fail-hard"),
        ("alphabeta", "alphabeta path"),
        ("alphabeta", "negamax"),
        ("alphabeta", "minimax"),
        ("alphabeta fail-hard", "alphabeta path"),
        ("alphabeta fail-hard strict", "alphabeta fail-hard"),
        ("alphabeta path strict", "alphabeta path"),
        ("negamax", "negamax strict"),
    ],
)
def test_the_comparison_tells_conventions_apart(right: str, wrong: str) -> None:
    def differs(seed: int) -> bool:
        given = random_tree(random.Random(seed))
        parts = right.split()
        variant = next((word for word in parts if word in ("fail-hard", "path")), "fail-soft")
        expected = search(given, parts[0], variant, "strict" in parts)
        return told(tree.trace(tree.read(as_data(given)), wrong)) != expected

    assert any(map(differs, range(40)))


# ---- through the command line ---------------------------------------------------------------------------------------


def check_command_line(zermelo: Callable[..., Any], seeds: range) -> None:
    for seed in seeds:
        chances = random.Random(seed)
        given = random_tree(chances, 40)
        text = tree.to_brackets(tree.read(as_data(given)), names=True)
        for algorithm, variant, strict in chances.sample(CONVENTIONS, 2):
            done = zermelo("tree", "trace", text, "--convention", words(algorithm, variant, strict), "--json")
            assert done.code == 0, done.err
            right = search(given, algorithm, variant, strict)
            check_json(json.loads(done.out), right, given, None)


@pytest.fixture
def zermelo(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command in this process."""
    from types import SimpleNamespace

    from zermelo.cli import main

    def run(*words: str) -> Any:
        code = main(words)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return run


def test_the_command_line_tells_the_oracles_traces(zermelo: Callable[..., Any]) -> None:
    check_command_line(zermelo, range(25))


@pytest.mark.nightly
def test_the_command_line_tells_thousands_of_the_oracles_traces(zermelo: Callable[..., Any]) -> None:
    check_command_line(zermelo, range(2000))
