"""Searches at a confidence: what they state, and that exact searches on the same table do not depend on them."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from positions import random_positions

import zermelo
from zermelo import Engine, GameError, LimitError, load
from zermelo.search.kernel.forward_pruning import is_futile, reduced_depth
from zermelo.search.limits import Limits
from zermelo.search.root_search import solving_depth
from zermelo.search.selective import CONFIDENCES, Selective, SelectiveContext, selective_default, shallow_depth
from zermelo.testing import check_game

OTHELLO = load("othello")
PATTERNS = OTHELLO.evaluations["patterns"]


def test_margins_grow_with_the_confidence() -> None:
    state = OTHELLO.start()
    margins = [Selective.at_confidence(each, PATTERNS, state).probcut_margins[8] for each in CONFIDENCES]
    assert margins == sorted(margins)
    assert margins[0] < margins[-1]
    assert [shallow_depth(depth) for depth in range(3, 13)] == [1, 2, 3, 2, 3, 4, 5, 4, 5, 6]


@pytest.mark.parametrize(
    ("confidence", "evaluation", "told"),
    [
        (80, "patterns", "confidence must be one of 73, 87, 95, 98, 99 or 100 percent"),
        (95, "mobility", "the evaluation mobility does not define search_error, .*; choose patterns$"),
    ],
)
def test_unknown_confidences_are_refused(confidence: int, evaluation: str, told: str) -> None:
    with pytest.raises(LimitError, match=told):
        zermelo.analyse(OTHELLO.start(), depth=2, evaluation=evaluation, selective=confidence)


@pytest.mark.long
def test_results_state_the_confidence_and_save_nodes() -> None:
    state = OTHELLO.parse("f5d6c3d3c4f4")
    found = {
        each: zermelo.analyse(state, depth=9, evaluation="patterns", selective=each) for each in (73, 99, 100, False)
    }
    assert [each.confidence for each in found.values()] == [73, 99, 100, 100]
    assert [each.is_selective for each in found.values()] == [True, True, False, False]
    assert found[73].nodes < found[99].nodes < found[100].nodes == found[False].nodes


@pytest.mark.long
def test_exact_searches_do_not_depend_on_selective_ones() -> None:
    """One table: selective, then to the end and to the same depth; against minimax and an empty table."""
    engine = Engine("1M")
    for state in random_positions(OTHELLO, 8, 21, least=50, most=54):
        engine.selective = 73
        engine.analyse(state, depth=7, evaluation="patterns")
        proven = engine.analyse(state, exact=True, evaluation="patterns")
        assert proven.score.is_proven
        assert proven.confidence == 100
        assert proven.score.value == zermelo.alphabeta(state, compiled=True).value
    for state in random_positions(OTHELLO, 8, 22, least=20, most=40):
        engine.selective = 73
        engine.analyse(state, depth=7, evaluation="patterns")
        engine.selective = False
        again = engine.analyse(state, depth=6, evaluation="patterns")
        assert again.score == zermelo.analyse(state, depth=6, evaluation="patterns").score


def empty_squares(state: Any) -> int:
    return 64 - int((state.black | state.white).count())


def endings(count: int, seed: int) -> list[Any]:
    """Positions of random games with 6 to 9 empty squares."""
    dice = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        state = OTHELLO.start()
        while not state.is_over():
            if 6 <= empty_squares(state) <= 9:
                found.append(state)
            state = state.play(dice.choice(state.legal_moves()))
    return found[:count]


@pytest.mark.long
@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_no_confidence_leaks_into_proven_results(count: int) -> None:
    """Selective searches, then exact ones on their table, against a plain search."""
    engine, selective = Engine("4M"), 0
    for state in endings(count, 23):
        engine.selective = 73
        found = engine.analyse(state, depth=empty_squares(state) - 2, evaluation="patterns")
        selective += found.confidence == 73
        proven = engine.analyse(state, exact=True, evaluation="patterns")
        assert (proven.score.is_proven, proven.confidence) == (True, 100), str(state)
        assert proven.score.value == zermelo.alphabeta(state, compiled=True).value, str(state)
    assert selective > 0.9 * count


def test_a_depth_of_zero_means_never() -> None:
    memory = SelectiveContext()

    def reduced(parameters: Selective) -> int:
        return reduced_depth(parameters, 8, 7, 20, True, False, False, False, 0, memory)

    assert reduced(Selective()) < reduced(Selective(reduction_depth=0)) == 7
    assert is_futile(Selective(), 1, 20, -500, 0)
    assert not is_futile(Selective(futility_depth=0), 1, 20, -500, 0)


def test_a_confidence_is_that_of_probcut_alone() -> None:
    found = Selective.at_confidence(95, PATTERNS, OTHELLO.start())
    assert [name for name in Selective.record_defaults if name.endswith("_depth") and getattr(found, name)] == []


def test_a_search_on_a_clock_has_the_confidence_of_the_game() -> None:
    """With an evaluation that knows its errors, and no other limit."""
    start, clock = OTHELLO.start(), Limits(seconds=1)
    assert selective_default(start, clock) == selective_default(start, Limits(soft_seconds=1), "patterns") == 95
    for limits in (Limits(), Limits(depth=5), Limits(seconds=1, nodes=100), Limits(seconds=1, exact=True)):
        assert selective_default(start, limits) is False
    for evaluation in ("mobility", "nothing"):
        assert selective_default(start, clock, evaluation) is False
        assert zermelo.analyse(start, seconds=0.01, evaluation=evaluation).confidence == 100
    assert zermelo.analyse(start, seconds=0.1).confidence == 95
    assert zermelo.analyse(start, seconds=0.1, selective=False).confidence == 100


@pytest.mark.parametrize(
    ("confidence", "told"),
    [(94, "confidence must be one of 73, 87, 95, 98, 99 or 100 percent (got 94)"), (95, "no evaluation of the game")],
)
def test_a_confidence_that_no_search_can_have_is_found(
    monkeypatch: pytest.MonkeyPatch, confidence: int, told: str
) -> None:
    tictactoe = load("tictactoe")
    monkeypatch.setattr(tictactoe, "confidence_on_clock", confidence)
    with pytest.raises(GameError, match=rf"^TicTacToe\.confidence_on_clock: {re.escape(told)}"):
        check_game(tictactoe, games=1)


@pytest.mark.parametrize("selective", [None, 73, False])
def test_a_search_on_a_clock_solves_what_its_level_would(selective: int | None) -> None:
    """Deepening to the end takes several times as long; it proved nothing at a confidence."""
    for state in random_positions(OTHELLO, 8, 24, least=50, most=54):
        found = zermelo.analyse(state, seconds=60, selective=selective, table="16M")
        assert (found.reason, found.confidence, found.score.is_proven) == ("exact", 100, True)
        assert found.score.value == zermelo.alphabeta(state, compiled=True).value


def test_an_unsolved_search_on_a_clock_is_that_of_the_depths_before() -> None:
    """Here by a stop, which comes as soon as the depth of the level is finished."""
    state = OTHELLO.parse("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
    assert solving_depth(state, Limits(seconds=60), PATTERNS) == 14
    with Engine("4M") as engine:
        for found in engine.analysis(state, Limits(seconds=60)):
            if found.depth == 14 and found.reason == "searching":
                engine.stop()
    assert (found.reason, found.depth, found.confidence) == ("stopped", 14, 95)
    assert not found.score.is_proven


def test_an_engine_is_ready_when_it_can_also_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the search at the end of the game would be loaded on the clock of a match."""
    start, asked = OTHELLO.start(), list[bool]()

    def is_ready(memory: Any, state: Any, evaluation: Any, selective: Any = None) -> bool:
        asked.append(selective is not None)
        return True

    monkeypatch.setattr("zermelo.search.memory.SearchMemory.is_ready", is_ready)
    with Engine("1M") as engine:
        assert engine.is_ready(start, None, Limits(seconds=1))
    assert sorted(asked) == [False, True]
    asked.clear()
    with Engine("1M", selective=95) as engine:
        assert engine.is_ready(start, None, Limits(4))
    assert asked == [True]


def test_what_a_search_on_a_clock_does_not_solve() -> None:
    early, late = (
        OTHELLO.parse("f5d6c3d3c4f4"),
        OTHELLO.parse("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"),
    )
    clock = Limits(seconds=1)
    assert solving_depth(early, clock, PATTERNS) is None  # no level does
    assert solving_depth(load("chess").start(), clock, load("chess").evaluations["material"]) is None
    for limits in (Limits(depth=9), Limits(nodes=9), Limits(exact=True)):
        assert solving_depth(late, limits, PATTERNS) is None


def test_wrong_types_are_refused() -> None:
    start = OTHELLO.start()
    with pytest.raises(LimitError, match=r"selective must be True, False, .* \(got 'yes'\)"):
        zermelo.analyse(start, depth=2, selective="yes")  # type: ignore[arg-type]
    with pytest.raises(LimitError, match=r"seconds must be a number \(got '1'\)"):
        zermelo.analyse(start, seconds="1")  # type: ignore[arg-type]
    with pytest.raises(LimitError, match=r"depth must be an integer \(got 2.5\)"):
        zermelo.analyse(start, depth=2.5)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match=r"no evaluation of Chess does$"):
        zermelo.analyse(zermelo.load("chess").start(), depth=2, selective=95)
