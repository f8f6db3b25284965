"""The doubling cube: equal to known take points, to a random walk solved by iteration, and to published tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from zermelo.errors import LimitError
from zermelo.games.backgammon import cube
from zermelo.games.backgammon.cube import (
    CENTRED,
    JACOBY,
    MONEY,
    OPPONENT,
    PLAYER,
    Outcomes,
    Stakes,
    curve,
    decision,
    value,
)
from zermelo.games.backgammon.match_equity import match_equity, stakes

GAMMONS = (0.7, 0.25, 0.05)


@pytest.mark.quick
@pytest.mark.parametrize(("efficiency", "take", "pass_"), [(0.0, 0.749, 0.751), (1.0, 0.799, 0.801)])
def test_take_points_without_gammons(
    monkeypatch: pytest.MonkeyPatch, efficiency: float, take: float, pass_: float
) -> None:
    """25 % with a dead cube, 20 % with a live one (Keeler and Spencer)."""
    monkeypatch.setattr(cube, "EFFICIENCY", efficiency)
    for win, takes in ((take, True), (pass_, False)):
        found = decision(Outcomes(win))
        assert found is not None
        assert found.takes is takes


@pytest.mark.quick
def test_live_take_points_with_gammons(monkeypatch: pytest.MonkeyPatch) -> None:
    """With mean values W and L of games won and lost, a double is passed from (L + 1) / (W + L + 1/2) on (Janowski)."""
    monkeypatch.setattr(cube, "EFFICIENCY", 1.0)
    for won, lost in itertools.product(((1.0, 0.0, 0.0), GAMMONS, (0.5, 0.5, 0.0)), repeat=2):
        w, v = (shares[0] + 2 * shares[1] + 3 * shares[2] for shares in (won, lost))
        cash = (v + 1) / (w + v + 0.5)
        assert value(curve(Outcomes(0.5, won, lost), MONEY, 2, OPPONENT), cash) == pytest.approx(1, abs=1e-3)


def walk(outcomes: Outcomes, stakes: Stakes, steps: int = 60) -> dict[tuple[int, int], list[float]]:
    """The equity of a fair random walk of the winning probability, in which each side may double before each step.

    Solved by iteration for every cube up to 4 that matters, the highest first.
    """
    found: dict[tuple[int, int], list[float]] = {}
    for level, owner in itertools.product((4, 2, 1), (PLAYER, CENTRED, OPPONENT)):
        ends = [
            sum(share * stakes.equity(sign * points * level) for points, share in enumerate(shares, 1))
            for sign, shares in ((-1, outcomes.lost), (1, outcomes.won))
        ]
        equity = [ends[0] + (ends[1] - ends[0]) * place / steps for place in range(steps + 1)]
        doubled = {
            side: [side * min(side * taken, side * stakes.equity(side * level)) for taken in found[2 * level, -side]]
            for side in (PLAYER, OPPONENT)
            if stakes.may_double(side, level, owner) and (2 * level, -side) in found
        }
        for _ in range(6000):
            before = list(equity)
            for place in range(1, steps):
                equity[place] = (equity[place - 1] + equity[place + 1]) / 2
                if PLAYER in doubled:
                    equity[place] = max(equity[place], doubled[PLAYER][place])
                if OPPONENT in doubled:
                    equity[place] = min(equity[place], doubled[OPPONENT][place])
            if max(abs(one - other) for one, other in zip(before, equity, strict=True)) < 1e-7:
                break
        found[level, owner] = equity
    return found


@pytest.mark.parametrize("score", [(3, 4), (2, 4), (4, 4)])
def test_live_cube_is_a_random_walk_with_doubles(monkeypatch: pytest.MonkeyPatch, score: tuple[int, int]) -> None:
    monkeypatch.setattr(cube, "EFFICIENCY", 1.0)
    outcomes, at = Outcomes(0.5, GAMMONS, (0.8, 0.2, 0.0)), stakes(*score)
    for (level, owner), equity in walk(outcomes, at).items():
        found = curve(outcomes, at, level, owner)
        for place, expected in list(enumerate(equity))[1:-1]:
            assert value(found, place / (len(equity) - 1)) == pytest.approx(expected, abs=0.004), (level, owner, place)


# Percent, by the points that the player and the opponent need, from -1 -2 to -6 -7: N. Kazaross, "XG2 match equity
# table" (2011), from rollouts.
PUBLISHED = {
    (1, 2): 67.7, (1, 3): 75.1, (1, 4): 81.4, (1, 5): 84.2, (2, 3): 59.9, (2, 4): 66.9, (2, 5): 74.4, (3, 4): 57.2,
    (3, 5): 64.8, (4, 5): 57.7, (5, 6): 56.6, (5, 7): 62.6, (6, 7): 56.3,
}  # fmt: skip


@pytest.mark.quick
def test_match_equities_are_near_published_ones() -> None:
    for (away, other_away), expected in PUBLISHED.items():
        assert 100 * match_equity(away, other_away) == pytest.approx(expected, abs=1.4)


@pytest.mark.quick
def test_match_equities_are_consistent() -> None:
    for one, other in itertools.product(range(1, 12), repeat=2):
        assert match_equity(one, other) + match_equity(other, one) == pytest.approx(1)
        assert match_equity(one, other + 1) > match_equity(one, other) > match_equity(one + 1, other)
    assert match_equity(0, 3) == 1
    assert match_equity(2, -1) == 0
    # After the Crawford game who trails doubles at once: only every other point counts.
    assert match_equity(4, 1, crawford=False) == pytest.approx(match_equity(3, 1, crawford=False))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("outcomes", "at", "expected"),
    [
        (Outcomes(0.5), MONEY, "no double, take"),
        (Outcomes(0.72), MONEY, "double, take"),
        (Outcomes(0.85), MONEY, "double, pass"),
        (Outcomes(0.95, (0.1, 0.9, 0.0)), MONEY, "too good to double, pass"),
        (Outcomes(0.95, (0.1, 0.9, 0.0)), JACOBY, "double, pass"),
        (Outcomes(0.4), stakes(4, 1, crawford=False), "double, take"),  # nothing to lose
    ],
)
def test_decisions(outcomes: Outcomes, at: Stakes, expected: str) -> None:
    found = decision(outcomes, at)
    assert found is not None
    assert found.name == expected


@pytest.mark.quick
def test_who_may_double() -> None:
    even = Outcomes(0.5)
    assert decision(even, MONEY, 2, OPPONENT) is None
    assert decision(even, MONEY, 2, PLAYER) is not None
    assert decision(even, stakes(1, 4)) is None  # the Crawford game
    assert decision(even, stakes(1, 4, crawford=False)) is None  # a win suffices
    assert decision(even, stakes(2, 4), 2, PLAYER) is None


@pytest.mark.quick
def test_outcomes_of_counted_games() -> None:
    found = Outcomes.of_counts({2: 1, 1: 2, -1: 3, -3: 2})
    assert found == Outcomes(3 / 8, (2 / 3, 1 / 3, 0), (3 / 5, 0, 2 / 5))
    assert found.equity == pytest.approx((2 + 2 - 3 - 6) / 8)
    with pytest.raises(LimitError, match="at least one game"):
        Outcomes.of_counts({})


def test_table_of_match_equities(zermelo: Callable[..., Any]) -> None:
    done = zermelo("cube", "--table", "3")
    assert "after the Crawford game" in done.out
    table = zermelo("cube", "--table", "3", "--json").json
    assert table["before_crawford"][0][1] == match_equity(1, 2)
    assert table["after_crawford"][2] == match_equity(3, 1, crawford=False)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--table", "0"], "--table must be from 1 to 64 (got 0)"),
        (["31"], "before a roll: POSITION needs a player on roll, and no dice"),
        (["31 8/5,6/5", "--score", "3"], "--score must be two numbers"),
        (["31 8/5,6/5", "--score", "3-1"], "--score and --crawford need a match: --length N"),
        (["31 8/5,6/5", "--score", "3-1", "--length", "3"], "the score 3-1 ends a match to 3"),
        (["31 8/5,6/5", "--length", "5", "--crawford"], "in the Crawford game a player needs a single point"),
        (["31 8/5,6/5", "--cube", "3"], "--cube must be a power of 2"),
        (["31 8/5,6/5", "--owner", "me"], "--owner must be x, o or centred (got 'me')"),
        (["31 8/5,6/5", "--games", "0"], "games must be from 1 to"),
    ],
)
def test_refusals(zermelo: Callable[..., Any], words: list[str], error: str) -> None:
    done = zermelo("cube", *words)
    assert (done.code, done.out) == (2, "")
    assert error in done.err
