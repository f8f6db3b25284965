"""Time for a move by the game's clock: never more than there is, and never nothing."""

import random

import pytest

from zermelo import LimitError, load
from zermelo.search.engine import Engine, Limits
from zermelo.search.timing import LEAST, OVERHEAD, seconds_for

OTHELLO = load("othello")


def test_never_more_than_is_left():
    draw = random.Random(4)
    for _ in range(20_000):
        left = draw.choice([0.0, -1.0, draw.uniform(0, 0.1), draw.uniform(0, 10), draw.uniform(0, 10_000)])
        increment = draw.choice([0.0, 0.0, -1.0, draw.uniform(0, 0.1), draw.uniform(0, 60)])
        overhead = draw.choice([0.0, OVERHEAD, draw.uniform(0, 1)])
        budget = seconds_for(left, increment, draw.choice([0, 0, 1, 2, 40, 10_000]), overhead)
        assert 0 < budget.soft <= budget.hard <= max(left - overhead, LEAST)


@pytest.mark.parametrize(
    ("left", "increment", "moves_to_go", "soft", "hard"),
    [
        (1.0, 0.01, 0, (0.01, 0.04), (0.05, 0.25)),
        (0.05, 0.0, 0, (0.001, 0.002), (0.001, 0.01)),
        (300.0, 0.0, 40, (4.0, 8.0), (20.0, 60.0)),
        (300.0, 0.0, 1, (100.0, 299.0), (200.0, 299.0)),
        (900.0, 10.0, 0, (15.0, 30.0), (60.0, 200.0)),
        (0.5, 5.0, 0, (0.1, 0.3), (0.1, 0.3)),
    ],
)
def test_sensible_where_it_is_known_what_is(left, increment, moves_to_go, soft, hard):
    budget = seconds_for(left, increment, moves_to_go)
    assert soft[0] <= budget.soft <= soft[1]
    assert hard[0] <= budget.hard <= hard[1]


def test_more_time_is_never_less_to_think():
    for increment, moves_to_go in ((0.0, 0), (0.01, 0), (2.0, 0), (0.0, 40), (0.0, 3)):
        budgets = [seconds_for(left / 10, increment, moves_to_go) for left in range(1, 3000)]
        assert [budget.hard for budget in budgets] == sorted(budget.hard for budget in budgets)
        assert [budget.soft for budget in budgets] == sorted(budget.soft for budget in budgets)
    assert seconds_for(10, 1).hard > seconds_for(10).hard
    assert seconds_for(10, 0, 5).hard > seconds_for(10, 0, 40).hard


@pytest.mark.parametrize(("increment", "overhead"), [(0.01, 0.0), (0.01, 0.005), (0.0, 0.0), (0.1, 0.02)])
def test_a_game_of_the_longest_thoughts_does_not_lose_on_time(increment, overhead):
    """All the time there is for each move, and the whole overhead beside it, for 500 moves."""
    left = 1.0
    for _ in range(500):
        spent = seconds_for(left, increment, 0, overhead).hard + overhead
        if left <= overhead + LEAST:
            break  # the wire alone takes all that is left: no thinking can help
        assert spent <= left
        left += increment - spent
    if increment > overhead + LEAST:
        assert left > 0


def test_a_depth_is_not_begun_when_enough_time_has_passed():
    state = OTHELLO.parse("f5d6c3d3c4f4f6f3e6e7")
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=0.001, seconds=60))
    assert last.reason == "seconds"
    assert last.nodes > 0
    analyses = list(Engine("1M").analysis(state, Limits(soft_seconds=1e-6, depth=5)))
    assert [(analysis.depth, analysis.reason) for analysis in analyses] == [(1, "seconds")]
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=100, depth=3))
    assert (last.depth, last.reason) == (3, "depth")


def test_a_single_move_needs_no_thought():
    state = OTHELLO.parse("-X--------X------XXXXXX--XXXXXX----XXOX-O-XXOOX--OXXXXXOOOOOOOX- X")
    assert len(state.legal_moves()) == 1
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=100))
    assert (last.move, last.depth, last.reason) == (state.legal_moves()[0], 1, "seconds")


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_enough_is_a_time(seconds):
    with pytest.raises(LimitError):
        Limits(soft_seconds=seconds)
