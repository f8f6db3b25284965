"""Time management: budgets stay within the remaining time and above zero; soft limits of searches."""

import random

import pytest

from zermelo import LimitError, load
from zermelo.search.engine import Engine, Limits
from zermelo.search.timing import MIN_SECONDS, OVERHEAD, time_budget

OTHELLO = load("othello")


def test_budget_is_positive_and_within_the_remaining_time():
    rng = random.Random(4)
    for _ in range(20_000):
        remaining = rng.choice([0.0, -1.0, rng.uniform(0, 0.1), rng.uniform(0, 10), rng.uniform(0, 10_000)])
        increment = rng.choice([0.0, 0.0, -1.0, rng.uniform(0, 0.1), rng.uniform(0, 60)])
        overhead = rng.choice([0.0, OVERHEAD, rng.uniform(0, 1)])
        budget = time_budget(remaining, increment, rng.choice([0, 0, 1, 2, 40, 10_000]), overhead)
        assert 0 < budget.soft <= budget.hard <= max(remaining - overhead, MIN_SECONDS)


@pytest.mark.parametrize(
    ("remaining", "increment", "moves_to_go", "soft", "hard"),
    [
        (1.0, 0.01, 0, (0.01, 0.04), (0.05, 0.25)),
        (0.05, 0.0, 0, (0.001, 0.002), (0.001, 0.01)),
        (300.0, 0.0, 40, (4.0, 8.0), (20.0, 60.0)),
        (300.0, 0.0, 1, (100.0, 299.0), (200.0, 299.0)),
        (900.0, 10.0, 0, (15.0, 30.0), (60.0, 200.0)),
        (0.5, 5.0, 0, (0.1, 0.3), (0.1, 0.3)),
    ],
)
def test_budget_of_typical_time_controls(remaining, increment, moves_to_go, soft, hard):
    budget = time_budget(remaining, increment, moves_to_go)
    assert soft[0] <= budget.soft <= soft[1]
    assert hard[0] <= budget.hard <= hard[1]


def test_budget_grows_with_the_remaining_time():
    for increment, moves_to_go in ((0.0, 0), (0.01, 0), (2.0, 0), (0.0, 40), (0.0, 3)):
        budgets = [time_budget(tenths / 10, increment, moves_to_go) for tenths in range(1, 3000)]
        assert [budget.hard for budget in budgets] == sorted(budget.hard for budget in budgets)
        assert [budget.soft for budget in budgets] == sorted(budget.soft for budget in budgets)
    assert time_budget(10, 1).hard > time_budget(10).hard
    assert time_budget(10, 0, 5).hard > time_budget(10, 0, 40).hard


@pytest.mark.parametrize(("increment", "overhead"), [(0.01, 0.0), (0.01, 0.005), (0.0, 0.0), (0.1, 0.02)])
def test_no_loss_on_time_when_every_move_takes_its_hard_limit(increment, overhead):
    """500 moves, each with its whole hard limit and the whole overhead."""
    remaining = 1.0
    for _ in range(500):
        spent = time_budget(remaining, increment, 0, overhead).hard + overhead
        if remaining <= overhead + MIN_SECONDS:
            break  # the overhead alone takes the remaining time
        assert spent <= remaining
        remaining += increment - spent
    if increment > overhead + MIN_SECONDS:
        assert remaining > 0


def test_no_depth_starts_after_the_soft_limit():
    state = OTHELLO.parse("f5d6c3d3c4f4f6f3e6e7")
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=0.001, seconds=60))
    assert last.reason == "seconds"
    assert last.nodes > 0
    analyses = list(Engine("1M").analysis(state, Limits(soft_seconds=1e-6, depth=5)))
    assert [(analysis.depth, analysis.reason) for analysis in analyses] == [(1, "seconds")]
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=100, depth=3))
    assert (last.depth, last.reason) == (3, "depth")


def test_a_forced_move_is_played_at_once():
    state = OTHELLO.parse("-X--------X------XXXXXX--XXXXXX----XXOX-O-XXOOX--OXXXXXOOOOOOOX- X")
    assert len(state.legal_moves()) == 1
    *_, last = Engine("1M").analysis(state, Limits(soft_seconds=100))
    assert (last.move, last.depth, last.reason) == (state.legal_moves()[0], 1, "seconds")


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_soft_limit_must_be_positive_and_finite(seconds):
    with pytest.raises(LimitError):
        Limits(soft_seconds=seconds)
