"""Ratings against a likelihood maximised by hand, published values, and matches simulated with known strengths."""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from zermelo.arena.game_record import GameResult
from zermelo.arena.tables.ratings import Tally, ratings
from zermelo.errors import ZermeloError

pytest.importorskip("scipy", reason="ratings need scipy, of the extra `arena`")


def games(points: list[float], first: str = "a", second: str = "b", begin: int = 0) -> list[GameResult]:
    """Games of two players with alternating sides, in game pairs; points of the first player."""
    return [
        GameResult(
            begin + number,
            (first, second) if number % 2 == 0 else (second, first),
            got if number % 2 == 0 else 1 - got,
            "rules",
            game_pair=begin + number // 2,
        )
        for number, got in enumerate(points)
    ]


def expected(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


# FIDE's table 8.1b: Elo differences by score.
@pytest.mark.parametrize(
    ("points", "elo"),
    [([1, 1, 1, 0], 190.848), ([1, 0.5], 190.848), ([1, 0], 0.0), ([1] * 9 + [0], 381.697), ([1, 1, 0], 120.412)],
)
def test_a_score_implies_an_elo_difference(points: list[float], elo: float) -> None:
    found = ratings(["a", "b"], games(points * 12))
    gap = found.difference("a", "b")
    assert gap is not None
    assert gap.elo == pytest.approx(elo, abs=1e-3)
    assert found["a"].elo == pytest.approx(elo / 2, abs=1e-3)
    assert found["a"].elo == -found["b"].elo
    back = found.difference("b", "a")
    assert back is not None
    assert back.elo == -gap.elo
    assert back.los == pytest.approx(1 - gap.los)


def test_the_likelihood_is_maximal() -> None:
    names = ["a", "b", "c", "d"]
    chance = random.Random(3)
    results: list[GameResult] = []
    for first, second in itertools.combinations(names, 2):
        points = [chance.choice([0.0, 0.5, 1.0, 1.0]) for _ in range(8)]
        results += games(points, first, second, begin=100 * len(results))

    def likelihood(elo: list[float]) -> float:
        found = 0.0
        for result in results:
            one, other = (elo[names.index(name)] for name in result.names)
            found += result.points * math.log(expected(one - other))
            found += (1 - result.points) * math.log(expected(other - one))
        return found

    best, step = [0.0] * 4, 128.0  # up the hill, one player at a time, in ever smaller steps
    while step > 1e-6:
        tries = [[*best[:i], best[i] + sign * step, *best[i + 1 :]] for i in range(4) for sign in (1, -1)]
        better = max(tries, key=likelihood)
        if likelihood(better) > likelihood(best):
            best = better
        else:
            step /= 2
    mean = sum(best) / 4
    found = ratings(names, results)
    for name, elo in zip(names, best, strict=True):
        assert found[name].elo == pytest.approx(elo - mean, abs=0.01)
    anchored = ratings(names, results, anchor="c")
    assert anchored["c"].elo == 0
    assert anchored["c"].error is None
    assert anchored["a"].elo == pytest.approx(best[0] - best[2], abs=0.01)
    gap = anchored.difference("a", "c")
    assert gap is not None
    assert anchored["a"].error == pytest.approx(gap.error)


def test_the_order_of_games_changes_nothing() -> None:
    results = games([1, 0, 0.5, 1, 1, 0.5] * 5) + games([1, 1, 0.5, 0] * 4, "b", "c", 100)
    found = ratings("abc", results)
    shuffled = results[:]
    random.Random(1).shuffle(shuffled)
    assert ratings("abc", shuffled).rows == found.rows


def test_the_error_is_pentanomial() -> None:
    """For many pairs: the standard error of the pair mean, converted by the slope of the Elo curve."""
    chance = random.Random(7)
    pairs = [chance.choice([(1.0, 1.0), (1.0, 0.5), (0.5, 0.5), (1.0, 0.0), (0.0, 0.0)]) for _ in range(5000)]
    gap = ratings("ab", games([got for pair in pairs for got in pair])).difference("a", "b")
    scores = np.array(pairs).mean(1)
    mean, deviation = scores.mean(), scores.std() / math.sqrt(len(scores))
    slope = 400 / math.log(10) / (mean * (1 - mean))
    assert gap is not None
    assert gap.error == pytest.approx(1.96 * deviation * slope, rel=0.01)


def test_decisive_openings_give_wider_intervals_than_decisive_players() -> None:
    """A win and a loss in each pair have less variance than random wins and losses, and draws less than both."""
    paired = ratings("ab", games([1, 0] * 50)).difference("a", "b")
    split = ratings("ab", games([1, 1, 0, 0] * 25)).difference("a", "b")
    assert paired is not None
    assert split is not None
    assert paired.elo == pytest.approx(split.elo, abs=1e-9)
    assert paired.error < split.error / 5
    assert paired.error > 0  # it is not certain after 50 pairs


def test_a_player_who_won_everything_has_a_bound() -> None:
    found = ratings("ab", games([1] * 20))
    assert (found["a"].bound, found["b"].bound) == (">", "<")
    gap = found.difference("a", "b")
    assert gap is not None
    assert gap.elo == pytest.approx(400 * math.log10(20.5 / 0.5), abs=1e-3)  # as with a drawn game more
    assert "drawn game" in found.notes[0]


def test_only_players_without_finite_rating_have_bounds() -> None:
    middle = games([1, 0, 0.5, 1] * 5, "b", "c", 1000)
    results = [
        *games([1] * 10, "a", "b"),
        *games([1] * 10, "a", "c", 100),
        *games([1] * 10, "a", "d", 200),
        *games([1] * 10, "b", "d", 300),
        *games([1] * 10, "c", "d", 400),
        *middle,
    ]
    found = ratings("abcd", results)
    assert [row.bound for row in found.rows] == [">", "", "", "<"]
    alone = ratings("bc", middle).difference("b", "c")
    among = found.difference("b", "c")
    assert alone is not None
    assert among is not None
    assert among.elo == pytest.approx(alone.elo, abs=0.2 * alone.error)  # the drawn games draw them together a little


def test_groups_that_never_met_are_noted_and_not_compared() -> None:
    found = ratings("abcde", games([1, 0, 1] * 4) + games([0.5, 0, 1, 1] * 4, "c", "d", 100))
    assert found["e"].elo is None
    assert found.difference("a", "c") is None
    assert found.difference("a", "e") is None
    assert found.difference("a", "b") is not None
    assert found["a"].group != found["c"].group
    assert "a, b; c, d" in found.notes[0]
    for pair in ("ab", "cd"):
        assert sum(found[name].elo or 0 for name in pair) == pytest.approx(0, abs=1e-9)


def test_connected_through_others_is_enough() -> None:
    won = [1, 1, 0] * 4
    found = ratings("abcd", games(won) + games(won, "b", "c", 100) + games(won, "c", "d", 200))
    gap, chain = found.difference("a", "b"), found.difference("a", "d")
    assert gap is not None
    assert chain is not None
    assert chain.elo == pytest.approx(3 * gap.elo, abs=0.01)
    assert chain.error == pytest.approx(math.sqrt(3) * gap.error, rel=0.05)


def test_one_player_or_none_or_no_game() -> None:
    assert ratings([], []).rows == ()
    assert ratings(["a"], [])["a"].elo is None
    assert [row.elo for row in ratings(["a", "b"], []).rows] == [None, None]
    with pytest.raises(ZermeloError, match="'x'"):
        ratings(["a", "b"], games([1, 0]), anchor="x")


def test_without_scipy_the_message_has_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ZermeloError, match=r"zermelo\[arena\]"):
        ratings("ab", games([1, 0]))


def simulated(elo: float, drawn: float, bias: float, matches: int, pairs: int, seed: int) -> Iterator[list[GameResult]]:
    """Simulated game pairs on openings that favour one side by up to `bias` Elo."""
    chance = np.random.default_rng(seed)
    for _ in range(matches):
        favour = chance.uniform(-bias, bias, pairs)
        points = []
        for sign in (1, -1):
            mean = 1 / (1 + 10 ** (-(elo + sign * favour) / 400))
            draws = drawn * 4 * mean * (1 - mean)
            luck = chance.random(pairs)
            points.append(np.where(luck < mean - draws / 2, 1.0, np.where(luck < mean + draws / 2, 0.5, 0.0)))
        yield games([float(got) for pair in zip(*points, strict=True) for got in pair])


def mean_of(elo: float, bias: float) -> float:
    """The Elo of the mean score over all openings; the curve is not linear."""
    at = np.linspace(-bias, bias, 20001)
    share = float(np.mean(1 / (1 + 10 ** (-(elo + at) / 400))))
    return 400 * math.log10(share / (1 - share))


@pytest.mark.parametrize(
    ("elo", "drawn", "bias", "matches"),
    [
        (0, 0.3, 200, 500),
        pytest.param(0, 0.3, 200, 2000, marks=pytest.mark.nightly),
        pytest.param(0, 0.0, 0, 2000, marks=pytest.mark.nightly),
        pytest.param(60, 0.5, 300, 2000, marks=pytest.mark.nightly),
        pytest.param(150, 0.2, 100, 2000, marks=pytest.mark.nightly),
    ],
)
def test_intervals_cover_the_truth_in_95_per_cent(elo: float, drawn: float, bias: float, matches: int) -> None:
    """100 games per match; identical players are equal within the error bars."""
    truth = mean_of(elo, bias)
    held = superior = 0
    for results in simulated(elo, drawn, bias, matches, 50, seed=int(elo + 10 * drawn + bias)):
        gap = ratings("ab", results).difference("a", "b")
        assert gap is not None
        held += abs(gap.elo - truth) <= gap.error
        superior += gap.los > 0.95
    share = held / matches
    wide = 3 * math.sqrt(0.05 * 0.95 / matches)
    assert 0.95 - wide - 0.005 <= share <= 0.95 + wide + 0.015
    if elo == 0:  # equal players look different in one match of 20
        assert abs(superior / matches - 0.05) < wide + 0.01


def test_intervals_of_several_players_cover_the_truth() -> None:
    names = ["a", "b", "c", "d", "e"]
    true = {name: 60.0 * place - 120 for place, name in enumerate(names)}
    chance = np.random.default_rng(11)
    held = seen = 0
    for _ in range(150):
        results: list[GameResult] = []
        for first, second in itertools.combinations(names, 2):
            mean = expected(true[first] - true[second])
            draws = 0.3 * 4 * mean * (1 - mean)
            luck = chance.random(10)
            points = np.where(luck < mean - draws / 2, 1.0, np.where(luck < mean + draws / 2, 0.5, 0.0))
            results += games([float(got) for got in points], first, second, begin=1000 * len(results))
        for row in ratings(names, results).rows:
            assert row.elo is not None
            assert row.error is not None
            seen += 1
            held += abs(row.elo - true[row.name]) <= row.error
    assert 0.92 <= held / seen <= 0.98


def test_a_tally_does_not_grow_with_the_games() -> None:
    tally = Tally()
    for result in games([1, 0, 0.5, 1] * 500):
        tally.add(result)
    assert len(tally.head_to_head) == 1
    assert not tally._open
    total = tally.totals()["a", "b"]
    assert (total.games, total.points, total.pairs) == (2000, 1250, 1000)
