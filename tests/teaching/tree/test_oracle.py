"""Every trace equals that of an independent oracle, and pruned nodes cannot change the result."""

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


def data(trace: Trace) -> Found:
    """A trace in the format of the oracle."""
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


def same(data: Found, right: Found) -> None:
    # Field by field, so that a failure shows the field.
    for field in vars(right):
        assert getattr(data, field) == getattr(right, field), field


def check_json(data: dict[str, Any], right: Found, given: Any, depth: int | None) -> None:
    """The JSON agrees, with nodes by name."""

    def window(window: tuple[Any, Any]) -> list[Any]:
        return [as_json(bound) for bound in window]

    inner = [path for path in right.visits if path not in right.leaves]
    assert data["value"] == as_json(right.value)
    assert data["best"] == (None if right.best is None else name(right.best))
    assert data["line"] == [name(path) for path in right.line]
    assert data["visit_order"] == [name(path) for path in right.visits]
    assert data["leaves_evaluated"] == [name(path) for path in right.leaves]
    assert data["leaf_values"] == [as_json(right.returned[path]) for path in right.leaves]
    assert data["nodes"] == len(right.visits)
    assert data["leaf_count"] == len(right.leaves)
    assert data["entry_window"] == {name(path): window(right.entry[path]) for path in inner if path in right.entry}
    assert data["exit_window"] == {name(path): window(right.exit[path]) for path in inner if path in right.exit}
    assert data["returned"] == {name(path): as_json(right.returned[path]) for path in inner}
    assert [(cut["at"], cut["after"], cut["alpha"], cut["beta"], cut["pruned_children"]) for cut in data["cuts"]] == [
        (name(at), name(after), as_json(alpha), as_json(beta), [name(path) for path in pruned])
        for at, after, alpha, beta, pruned in right.cuts
    ]
    pruned = [path for cut in right.cuts for path in cut[4]]
    assert data["pruned_subtrees"] == [name(path) for path in pruned]
    # Each node is visited, pruned by a cutoff, or below the depth limit.
    by_cut = {path: number for number, cut in enumerate(right.cuts) for path in cut[4]}
    for path, picture in zip(paths_of(given), data["pictures"], strict=True):
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
    """Replaying the steps gives the final records."""
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
    """The proven bounds of a node are exactly those that the evaluated leaves prove."""
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
    """A window near the values of the tree, sometimes with an infinite bound."""
    values = [node_at(given, path).value for path in paths_of(given) if _leaf(given, path)]
    low, high = sorted((Fraction(chances.choice(values)), chances.choice(values) + Fraction(chances.randint(0, 4), 2)))
    if low == high:
        high += 1
    kind = chances.randrange(4)
    return (-inf, high) if kind == 0 else (low, inf) if kind == 1 else (low, high)


def check_tree(given: Any, chances: random.Random) -> None:
    """One tree under every convention, plain and with a window, a depth limit or both."""
    read = tree.read(as_data(given))
    thorough = len(read) < 60  # only small trees are searched again with other leaf values
    for algorithm, variant, strict in CONVENTIONS:
        prunes = algorithm in ("alphabeta", "negamax")
        window = window_of(chances, given) if prunes and chances.random() < 0.7 else FULL
        depth = chances.randrange(5) if window == FULL or chances.random() < 0.5 else None
        for depth_, window_ in ((None, FULL), (depth, window)):
            trace = tree.trace(read, words(algorithm, variant, strict), depth=depth_, window=window_)
            right = search(given, algorithm, variant, strict, depth_, window_)
            same(data(trace), right)
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
    """The value of the root is the minimax value inside the window, and a correct bound outside."""
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
    """For any values of the leaves not evaluated, the minimax value stays on its side of the window."""
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
    """The chosen move has the root's value, for any values below the cutoffs; strict cuts find all such moves."""
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
    """Each leaf could still decide the root's value when it was evaluated.

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


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.long) for first in range(25, 300, 25))])
def test_traces_agree_with_the_oracle(first: int) -> None:
    check_seeds(range(first, first + 25), 50)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(1000, 11000, 500))
def test_ten_thousand_traces_agree_with_the_oracle(first: int) -> None:
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


@settings(max_examples=20, deadline=None)
@given(st.recursive(numbers.map(Leaf), inner, max_leaves=12), st.randoms(use_true_random=False))
def test_shrinking_trees(given: Any, chances: random.Random) -> None:
    check_tree(given, chances)


# ---- the oracle against trees worked out by hand ---------------------------------------------------


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


# ---- the comparison finds wrong searches --------------------------------------------------------------


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
def test_the_comparison_distinguishes_conventions(right: str, wrong: str) -> None:
    def differs(seed: int) -> bool:
        given = random_tree(random.Random(seed))
        parts = right.split()
        variant = next((word for word in parts if word in ("fail-hard", "path")), "fail-soft")
        expected = search(given, parts[0], variant, "strict" in parts)
        return data(tree.trace(tree.read(as_data(given)), wrong)) != expected

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


@pytest.mark.long
def test_the_command_line_agrees_with_the_oracle(zermelo: Callable[..., Any]) -> None:
    check_command_line(zermelo, range(25))


@pytest.mark.nightly
def test_the_command_line_agrees_with_the_oracle_on_thousands_of_trees(zermelo: Callable[..., Any]) -> None:
    check_command_line(zermelo, range(2000))
