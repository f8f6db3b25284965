"""Bear-in table: exact plays with all checkers, the rules, and the scores of gammon races."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from random import Random

import numpy as np
import pytest

from zermelo.core.game import MAX, MIN
from zermelo.games.backgammon import Backgammon, bearin, bearoff
from zermelo.games.backgammon.evaluations import EVALUATIONS
from zermelo.games.backgammon.features import POINT
from zermelo.games.backgammon.points import pack_counts

pytestmark = pytest.mark.quick
# Plays with all checkers lead to many positions.
LONG = pytest.mark.long


def side(places):
    """The two words of a side with checkers on some points; the others are off."""
    counts = [0] * 26
    for place in places:
        counts[place] += 1
    return pack_counts([15 - len(places), *counts[1:]])


def late(places):
    """The row of the table for a side."""
    return bearin.table()[bearin.index(*side(places))]


# ---- an independent way to the same numbers: all checkers, one position at a time ------------------------------------


def after_one(places, die):
    """The positions after moving one checker by a die, as sorted tuples of points."""
    is_home = places[-1] <= 6
    for place in set(places):
        if place > die or (is_home and (place == die or place == places[-1])):
            left = list(places)
            left.remove(place)
            yield tuple(sorted([*left, place - die] if place > die else left))


def after_roll(places, dice):
    """All positions after playing dice in order; those with a checker off are the same."""
    reached = {places}
    for die in dice:
        reached = {later for each in reached for later in (list(after_one(each, die)) or [each]) if len(each) == 15} | {
            each for each in reached if len(each) < 15
        }
    return {each if len(each) == 15 else () for each in reached}


@cache
def exact(places):
    """The expected rolls to bear off a checker, and the probabilities that it takes more than 0, 1, 2, ..."""
    if not places:
        return 0.0, (0.0,) * bearin.ROLLS
    expected, chances = 1.0, np.zeros(bearin.ROLLS)
    for first, second in combinations_with_replacement(range(1, 7), 2):
        dice, ways = ([first] * 4, 1) if first == second else ([first, second], 2)
        reached = after_roll(places, dice) | (after_roll(places, dice[::-1]) if first != second else set())
        rest, later = (
            min((exact(each) for each in reached), key=lambda pair: pair[0]) if () not in reached else exact(())
        )
        expected += ways * rest / 36
        chances[1:] += ways * np.array(later[:-1]) / 36
    chances[0] = 1.0
    return expected, tuple(chances)


def positions(number, most, furthest):
    """Random positions with some outer checkers, and the others at home."""
    random = Random(3)
    for _ in range(number):
        outer = [random.randint(7, furthest) for _ in range(random.randint(1, most))]
        yield tuple(sorted(outer + [random.randint(1, 6) for _ in range(15 - len(outer))]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "outer", [(7,), (8, 8), *(pytest.param(each, marks=LONG) for each in ((12,), (7, 8)))], ids=str
)
def test_with_a_full_home_it_is_exact(outer):
    home = [point for point in range(1, 7) for _ in range(2)]
    places = tuple(sorted([*outer, *home, *[6] * (3 - len(outer))]))
    assert late(places) == pytest.approx(np.array(exact(places)[1]), abs=1e-12)


@LONG
def test_it_is_close_to_exact_plays():
    errors = [np.abs(late(places) - exact(places)[1]).max() for places in positions(6, 2, 8)]
    assert max(errors) < 0.06
    assert np.mean(errors) < 0.015


def test_rows_are_distributions():
    table = bearin.table()
    assert table.shape == (116_480, 9)
    assert (table[:, 0] == 1).all()
    assert (np.diff(table, axis=1) <= 1e-12).all()
    assert table.min() > -1e-12
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1
    fixed = bearin.fixed_point_table()
    assert np.abs(fixed / bearin.ONE - table).max() < 0.5 / bearin.ONE + 1e-12


def test_known_probabilities():
    # From a full home any die bears off.
    assert late([7, *[each for each in range(1, 7) for _ in range(2)], 6, 6])[1] == pytest.approx(0)
    # Four checkers on point 8 need four dice of at least 2: 22, 33, 44, 55 and 66, and then a fifth die.
    assert late([8, 8, 8, 8, *[1] * 11])[1] == 1


# ---- scores ------------------------------------------------------------------------------------------------------


def score(winner, loser, turn):
    """The score of X, the winner."""
    return EVALUATIONS["network"].score(Backgammon(*side(winner), *side(loser), 0, turn))


HOME = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


@pytest.mark.slow
def test_scores_of_gammon_races():
    loser = [*HOME, 8, 8, 9, 10]
    assert score([1], loser, MAX) == 2 * POINT
    assert score([1], loser, MIN) == round(POINT * (1 + late(loser)[1]))
    rolls = bearoff.table().rolls[bearoff.index((0, 1, 0, 0, 1, 1))]
    for turn, before in ((MAX, 1), (MIN, 0)):
        gammon = sum(rolls[count] * late(loser)[count - before] for count in range(1, 8))
        assert score([2, 5, 6], loser, turn) == pytest.approx(POINT * (1 + gammon), abs=1)
    # Exchanged sides have the opposite score.
    for turn in (MAX, MIN):
        swapped = Backgammon(*side(loser), *side([2, 5, 6]), 0, -turn)
        assert EVALUATIONS["network"].score(swapped) == -score([2, 5, 6], loser, turn)


@pytest.mark.slow
def test_the_leader_may_lose():
    # With the last checker on point 6 instead of 7, the bear-off table has the equity: the other side wins often.
    for turn, least in ((MAX, 0.2), (MIN, 0.5)):
        near, far = ([*[1] * 14, point] for point in (6, 7))
        exact_score = score([6] * 8, near, turn)
        assert exact_score < POINT * (1 - 2 * least)
        assert exact_score <= score([6] * 8, far, turn) < POINT


@pytest.mark.slow
def test_where_the_network_uses_the_table():
    network = EVALUATIONS["network"]
    for dice in (0, 31):
        race = Backgammon(*side([1]), *side([*HOME, 8, 8, 9, 10]), dice, MAX)
        assert network.is_known(race)
        assert [term.name for term in network.terms(race)] == ["bear-in table"]
        assert network.score(race) == 2 * POINT
    assert not network.is_known(Backgammon(*side([1]), *side([*HOME, 8, 8, 9, 10]), 0, 0))  # before the first roll
    assert not network.is_known(Backgammon(*side([1] * 9), *side([*HOME, 8, 8, 9, 10]), 0, MAX))


@pytest.mark.parametrize(
    ("winner", "loser", "expected"),
    [
        ([1] * 8, [*HOME, 7, 7, 7, 18], True),
        ([1] * 9, [*HOME, 7, 7, 7, 18], False),
        ([], [*HOME, 7, 7, 7, 18], False),  # the game is over
        ([1], [*HOME, 7, 7, 7, 25], False),  # the bar
        ([7], [*HOME, 7, 7, 7, 18], False),
        ([1], [*HOME, 7, 7, 7, 19], False),  # a backgammon is possible
        ([1], [*HOME[1:], 7, 7, 7, 7, 7], False),
        ([1], [*HOME[1:], 7, 7, 7, 7], False),  # a checker is off
        ([1], [*HOME, 6, 6, 6, 6], False),  # that is a bear-off
    ],
)
def test_gammon_races(winner, loser, expected):
    assert bearin.is_gammon_race(*side(winner), *side(loser)) == expected
    assert not bearin.is_gammon_race(*side(loser), *side(winner))
