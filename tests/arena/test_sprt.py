"""SPRT: LLR against SciPy's optimum, error rates on 10,000 simulated matches, independence of order."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from zermelo.arena.game_record import GameResult
from zermelo.arena.sprt import SHARES, Sprt, expected_score
from zermelo.errors import LimitError, ZermeloError


def games(pairs: list[tuple[float, float]], first: str = "new", second: str = "old") -> list[GameResult]:
    """The games of these pairs; points of the first player, who is MAX in the first game of each."""
    return [
        GameResult(
            2 * number + place,
            (first, second) if place == 0 else (second, first),
            points if place == 0 else 1 - points,
            "rules",
            game_pair=number,
        )
        for number, pair in enumerate(pairs)
        for place, points in enumerate(pair)
    ]


def law(elo: float, drawn: float, bias: float) -> np.ndarray:
    """Probabilities of 0, 1/2, 1, 3/2, 2 points in a pair, over openings that favour a side by up to `bias` Elo.

    The player's own strength is chosen so that its mean is that of `elo`, whatever the openings do to it.
    """

    def five(own: float) -> np.ndarray:
        found = np.zeros(5)
        for favour in np.linspace(-bias, bias, 9):
            means = [expected_score(own + favour), expected_score(own - favour)]
            draws = [drawn * 4 * mean * (1 - mean) for mean in means]
            three = [(1 - mean - draw / 2, draw, mean - draw / 2) for mean, draw in zip(means, draws, strict=True)]
            found += np.convolve(*three) / 9
        return found

    low, high = elo - 300.0, elo + 300.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if five(middle) @ SHARES < expected_score(elo) else (low, middle)
    return five(low)


def verdicts(sprt: Sprt, chances: np.ndarray, matches: int, seed: int) -> tuple[float, float]:
    """The fractions of matches that end with H0 and with H1."""
    chance = np.random.default_rng(seed)
    counts = np.zeros((matches, 5))
    accepted = [0, 0]
    while len(counts):
        counts[np.arange(len(counts)), chance.choice(5, len(counts), p=chances)] += 1
        ratios = sprt.llr(counts)
        for hypothesis, ends in enumerate((ratios <= sprt.lower, ratios >= sprt.upper)):
            accepted[hypothesis] += int(ends.sum())
        counts = counts[(sprt.lower < ratios) & (ratios < sprt.upper)]
    assert sum(accepted) == matches
    return accepted[0] / matches, accepted[1] / matches


@pytest.mark.parametrize(
    ("text", "drawn", "bias"),
    [
        pytest.param("elo0=-50,elo1=50", 0.4, 200, marks=pytest.mark.long),
        pytest.param("elo0=-50,elo1=50", 0.4, 0, marks=pytest.mark.nightly),
        pytest.param("elo0=0,elo1=50", 0.4, 0, marks=pytest.mark.nightly),
        pytest.param("elo0=0,elo1=50", 0.4, 200, marks=pytest.mark.nightly),
        pytest.param("elo0=0,elo1=50", 0.0, 300, marks=pytest.mark.nightly),
        pytest.param("elo0=-10,elo1=30,alpha=0.02,beta=0.1", 0.4, 200, marks=pytest.mark.nightly),
    ],
)
def test_error_rates_match_alpha_and_beta_in_10_000_matches(text: str, drawn: float, bias: float) -> None:
    """H1 is accepted with probability alpha if H0 is true, H0 with beta if H1 is true: about, and not above.

    What the ratio goes beyond its bound at the last step makes errors rarer, the more so the farther the hypotheses
    are apart; so they may be fewer by a third, and more by three deviations of the simulation itself.
    """
    sprt = Sprt.parse(text)
    for elo, place, rate in ((sprt.elo0, 1, sprt.alpha), (sprt.elo1, 0, sprt.beta)):
        chances = law(elo, drawn, bias)
        assert chances @ SHARES == pytest.approx(expected_score(elo), abs=1e-9)
        wrong = verdicts(sprt, chances, 10_000, seed=place + 10)[place]
        deviation = math.sqrt(rate * (1 - rate) / 10_000)
        assert rate * 2 / 3 <= wrong <= rate + 3 * deviation


def test_game_pairs_are_not_independent_games() -> None:
    """With equal wins and losses, one of each per pair is stronger evidence of equality."""
    sprt = Sprt(0, 20)
    paired, split = [(1.0, 0.0)] * 40, [(1.0, 1.0), (0.0, 0.0)] * 20
    assert sprt.llr_path(paired)[-1] < sprt.llr_path(split)[-1] < 0


@pytest.mark.parametrize("sprt", [Sprt(), Sprt(-300, 500), Sprt(0, 3), Sprt(-5, 0)])
def test_the_llr_is_that_of_the_likeliest_distributions(sprt: Sprt) -> None:
    """Against a general optimiser of the likelihood under the mean constraint."""
    optimize = pytest.importorskip("scipy.optimize")
    chance = random.Random(4)
    for _ in range(8):
        counts = np.array([chance.randint(1, 40) for _ in range(5)], float)

        def likeliest(mean: float, counts: np.ndarray = counts) -> float:
            found = optimize.minimize(
                lambda law: -(counts * np.log(law)).sum() / counts.sum(),
                np.full(5, 0.2),
                jac=lambda law: -counts / law / counts.sum(),
                bounds=[(1e-9, 1)] * 5,
                constraints=[
                    {"type": "eq", "fun": lambda law: law.sum() - 1, "jac": lambda _: np.ones(5)},
                    {"type": "eq", "fun": lambda law: law @ SHARES - mean, "jac": lambda _: np.array(SHARES)},
                ],
                method="SLSQP",
                options={"ftol": 1e-13, "maxiter": 500},
            )
            assert found.success
            return float(-found.fun * counts.sum())

        ratio = likeliest(expected_score(sprt.elo1)) - likeliest(expected_score(sprt.elo0))
        assert float(sprt.llr(counts)) == pytest.approx(ratio, abs=2e-3, rel=1e-4)


def test_the_llr_is_close_to_van_den_berghs_approximation() -> None:
    """(s1 - s0) (2 s - s0 - s1) / (2 variance of the mean): the approximation in his notes, for many pairs."""
    sprt = Sprt(0, 5)
    for counts in ([90, 400, 1100, 420, 110], [10, 800, 2000, 830, 12], [300, 10, 500, 12, 310]):
        five = np.array(counts, float)
        mean = five @ SHARES / five.sum()
        variance = (five @ (np.array(SHARES) - mean) ** 2) / five.sum() ** 2
        low, high = expected_score(sprt.elo0), expected_score(sprt.elo1)
        assert float(sprt.llr(five)) == pytest.approx((high - low) * (2 * mean - low - high) / 2 / variance, rel=0.02)


def test_bounds_are_those_of_wald() -> None:
    sprt = Sprt.parse("elo0=0,elo1=5,alpha=0.05,beta=0.1")
    assert (sprt.lower, sprt.upper) == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert Sprt().upper == pytest.approx(2.944, abs=1e-3)
    assert Sprt.parse("") == Sprt()
    assert Sprt.parse(str(sprt)) == sprt
    assert Sprt.parse(" elo1=3.5 , elo0=-1.5") == Sprt(-1.5, 3.5)


@pytest.mark.parametrize(
    "text",
    [
        "elo0=5,elo1=5", "elo0=9,elo1=1", "alpha=0", "alpha=0.5", "beta=1", "elo=3", "elo0=x", "elo0", "elo0=1,elo0=1",
        "elo1=nan", "elo1=1e3", "elo1=99999", "elo0=" + "9" * 500, "alpha=", ",=,", "elo1=٣",
    ],
)  # fmt: skip
def test_invalid_tests_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(LimitError) as caught:
        Sprt.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_the_llr_follows_the_games() -> None:
    sprt = Sprt(0, 20)
    level = [(1.0, 0.0), (0.5, 0.5), (1.0, 0.5), (0.5, 0.0)]
    better, equal, worse = (sprt.state([*level, (got, got)] * 200) for got in (1.0, 0.5, 0.0))
    assert better.verdict == "H1"
    assert equal.verdict == worse.verdict == "H0"
    assert worse.pairs < equal.pairs < 1000
    assert sum(better.counts) == better.pairs < 1000
    assert sprt.state([]).verdict == ""
    assert sprt.state([(1, 1)] * 3).verdict == ""  # three pairs are no proof
    assert sprt.state([(1, 1)] * 3).llr > 0


def test_the_verdict_is_final() -> None:
    sprt = Sprt(0, 50)
    won = [(1.0, 0.5)] * 60
    at = sprt.state(won).pairs
    assert sprt.state(won + [(0.0, 0.0)] * 500) == sprt.state(won[:at])
    assert sprt.state(won[: at - 1]).verdict == ""


def test_the_order_of_results_does_not_matter() -> None:
    chance = random.Random(2)
    sprt = Sprt(0, 60)
    pairs = [(chance.choice([1.0, 0.5, 1.0]), chance.choice([1.0, 0.5, 0.0])) for _ in range(300)]
    results = games(pairs)
    expected = sprt.state(pairs)
    stop = expected.pairs - 1
    assert expected.verdict
    assert sprt.stopping_pair(results, "new") == stop
    for _ in range(10):
        chance.shuffle(results)
        monitor = sprt.monitor("new")
        for result in results + results[:20]:  # some come twice
            monitor.add(result)
        assert monitor.stopped_at == stop
        assert monitor.state == expected
        assert monitor.llr_path == pytest.approx(sprt.llr_path(pairs)[: stop + 1])
    assert sprt.stopping_pair(games(pairs), "old") != stop or sprt.monitor("old").state.verdict == ""


def test_pairs_are_evaluated_without_gaps() -> None:
    sprt = Sprt(0, 60)
    results = games([(1.0, 0.5)] * 200)
    assert sprt.stopping_pair(results, "new") is not None
    assert sprt.stopping_pair([result for result in results if result.game_pair != 0], "new") is None
    assert sprt.stopping_pair([result for result in results if result.number != 1], "new") is None
    assert sprt.stopping_pair(results[::2], "new") is None  # no pair is complete


def test_a_game_of_other_players_is_refused() -> None:
    with pytest.raises(ZermeloError, match="did not play"):
        Sprt().monitor("third").add(games([(1, 0)])[0])


def test_as_dict_is_json() -> None:
    import json

    data = json.loads(json.dumps(Sprt().state([(1, 1)] * 2).as_dict()))
    assert data["counts"] == [0, 0, 0, 0, 2]
    assert data["verdict"] is None
    assert set(data) == {"llr", "lower", "upper", "verdict", "pairs", "counts"}
