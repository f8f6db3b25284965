"""Sequential probability ratio test (SPRT) of an Elo difference, on game pairs.

sprt = Sprt.parse("elo0=0,elo1=10,alpha=0.05,beta=0.05")
sprt.state([(1, 0.5), (0, 1), ...])          the LLR after these pairs, the bounds, the verdict
monitor = sprt.monitor("new")                while a match runs: results in any order

H0: the Elo difference is elo0. H1: it is elo1. The two games of a pair share their opening and are not independent, but
pairs are. So the sample is the pair, with the pentanomial outcomes 0, 1/2, 1, 3/2 and 2 points. The test is the
generalised SPRT (GSPRT): each hypothesis is represented by the maximum-likelihood distribution on the five outcomes
with the mean that its Elo difference implies. That distribution is computed exactly, not by the normal approximation.

References
----------
Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics 16, 1945.
Li, Liu, Ying, Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses, Sequential Analysis
33, 2014.
Van den Bergh, The Generalized Maximum Likelihood Ratio for the Expectation Value of a Distribution, 2021; used by
Stockfish's Fishtest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameResult
from zermelo.errors import InputError, LimitError

#: The five outcomes of a game pair, as shares of its two points.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
#: Replaces a count of 0, so that no outcome has probability 0.
MIN_COUNT = 1e-3
_NUMBER = re.compile(r"-?[0-9]{0,9}\.?[0-9]{1,9}")
_SYNTAX = "elo0=0,elo1=10,alpha=0.05,beta=0.05"


def expected_score(elo: float) -> float:
    """Return the expected points per game of a player who is stronger by `elo` (logistic Elo).

    >>> round(expected_score(100), 2)
    0.64
    """
    return 1 / (1 + math.pow(10, -elo / 400))


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a test.

    Attributes
    ----------
    llr : float
        Log-likelihood ratio of H1 to H0.
    lower, upper : float
        Bounds of the LLR at which H0 and H1 are accepted.
    verdict : str
        "H0", "H1", or "" while the test is undecided.
    pairs : int
        Number of game pairs, up to the one at which the test stopped.
    counts : tuple of five int
        Number of pairs with 0, 1/2, 1, 3/2 and 2 points (pentanomial).
    """

    llr: float
    lower: float
    upper: float
    verdict: Literal["", "H0", "H1"]
    pairs: int
    counts: tuple[int, int, int, int, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON data."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return data | {"counts": list(self.counts), "verdict": self.verdict or None}


@dataclass(frozen=True)
class Sprt:
    """A test of H0 (Elo difference `elo0`) against H1 (`elo1`).

    Parameters
    ----------
    elo0, elo1 : float
        Elo differences of the hypotheses, -1000 to 1000, `elo0` below `elo1`.
    alpha : float
        Probability of accepting H1 if H0 is true, 0.000001 to below 0.5.
    beta : float
        Probability of accepting H0 if H1 is true, in the same range.

    Raises
    ------
    LimitError
        A parameter is out of range.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise LimitError(
                f"SPRT elo0={self.elo0:g},elo1={self.elo1:g}: elo0 must be below elo1, both between -1000 and 1000"
            )
        for name in ("alpha", "beta"):
            if not 1e-6 <= getattr(self, name) < 0.5:
                raise LimitError(f"SPRT {name} must be at least 0.000001 and below 0.5 (got {getattr(self, name):g})")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Parse `elo0=0,elo1=10,alpha=0.05,beta=0.05`; missing parts have these values. Raises `LimitError`."""
        given: dict[str, float] = {}
        names = [field.name for field in fields(cls)]
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals or name not in names or name in given or not _NUMBER.fullmatch(value):
                raise LimitError(f"SPRT {quoted(part)}; expected {_SYNTAX}, each at most once")
            given[name] = float(value)
        return cls(**given)

    def __str__(self) -> str:
        return ",".join(f"{field.name}={getattr(self, field.name):g}" for field in fields(self))

    @cached_property
    def lower(self) -> float:
        """Lower bound, ln(beta / (1 - alpha)): at this LLR or below H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @cached_property
    def upper(self) -> float:
        """Upper bound, ln((1 - beta) / alpha): at this LLR or above H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Any) -> Any:
        """Return the log-likelihood ratio of H1 to H0 for pentanomial counts.

        Parameters
        ----------
        counts : array_like, shape (..., 5)
            Number of pairs with 0, 1/2, 1, 3/2 and 2 points.

        Returns
        -------
        array, shape (...)
        """
        import numpy as np

        pairs = np.asarray(counts, float)
        pairs = np.where(pairs > 0, pairs, MIN_COUNT)
        total = pairs.sum(-1)
        shares = pairs / total[..., None]
        ratios = [_empirical_ratio(shares, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return total * (shares * np.log(ratios[0] / ratios[1])).sum(-1)

    def llr_path(self, pairs: Iterable[tuple[float, float]]) -> list[float]:
        """Return the LLR after each pair, given the player's points in both games of each pair."""
        import numpy as np

        outcomes = np.array([pair_index(pair) for pair in pairs], np.intp)
        if not len(outcomes):
            return []
        found: list[float] = self.llr(np.cumsum(np.eye(5)[outcomes], axis=0)).tolist()
        return found

    def state(self, pairs: Sequence[tuple[float, float]]) -> SprtState:
        """Return the state after these pairs in order, or the state in which the test stopped.

        Parameters
        ----------
        pairs : sequence of pairs of float
            The player's points (0, 1/2 or 1) in both games of each game pair.
        """
        ratios = self.llr_path(pairs)
        stop = next((number for number, llr in enumerate(ratios, 1) if self.verdict(llr)), len(ratios))
        counts = [0] * 5
        for pair in pairs[:stop]:
            counts[pair_index(pair)] += 1
        return self._state(ratios[stop - 1] if stop else 0.0, counts)

    def verdict(self, llr: float) -> Literal["", "H0", "H1"]:
        """Return the accepted hypothesis at this LLR, or ""."""
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else ""

    def monitor(self, player: str) -> SprtMonitor:
        """Return a monitor of a running match, from this player's side."""
        return SprtMonitor(self, player)

    def stopping_pair(self, results: Iterable[GameResult], player: str) -> int | None:
        """Return the number of the game pair at which the test stops, or None; results may come in any order."""
        monitor = self.monitor(player)
        for result in results:
            monitor.add(result)
        return monitor.stopped_at

    def _state(self, llr: float, counts: Sequence[int]) -> SprtState:
        five = (counts[0], counts[1], counts[2], counts[3], counts[4])
        return SprtState(llr, self.lower, self.upper, self.verdict(llr), sum(five), five)


class SprtMonitor:
    """A test fed with results as they arrive, in any order.

    It evaluates game pairs by number, from 0 without gaps, so the verdict does not depend on which game finished first.
    Game pairs after the one at which it stopped are ignored.

    Attributes
    ----------
    stopped_at : int or None
        Number of the game pair at which the test stopped.
    llr_path : list of float
        The LLR after each evaluated pair.
    state : SprtState
        The current state.
    """

    def __init__(self, sprt: Sprt, player: str) -> None:
        self.sprt = sprt
        self.player = player
        self.stopped_at: int | None = None
        self.llr_path: list[float] = []
        self.state = sprt._state(0.0, [0] * 5)
        self._counts = [0] * 5
        self._next = 0
        self._pending: dict[int, dict[int, float]] = {}

    def add(self, result: GameResult) -> SprtState:
        """Add a result and return the new state; the same game counts once.

        Raises
        ------
        InputError
            The player did not take part in the game.
        """
        if self.stopped_at is not None or result.game_pair < self._next:
            return self.state
        if self.player not in result.names:
            raise InputError(f"game {result.number}: {quoted(self.player)} did not play; SPRT needs a match of two")
        points = result.points if result.names[0] == self.player else 1 - result.points
        self._pending.setdefault(result.game_pair, {})[result.number] = points
        while self.stopped_at is None and len(self._pending.get(self._next, ())) == 2:
            pair = self._pending.pop(self._next)
            first, second = (pair[number] for number in sorted(pair))
            self._counts[pair_index((first, second))] += 1
            llr = float(self.sprt.llr(self._counts))
            self.llr_path.append(llr)
            self.state = self.sprt._state(llr, self._counts)
            if self.state.verdict:
                self.stopped_at = self._next
                self._pending.clear()
            self._next += 1
        return self.state


def pair_index(pair: tuple[float, float]) -> int:
    """Return the pentanomial outcome of a game pair, 0 to 4, from the points in its games."""
    return round(2 * (pair[0] + pair[1]))


def _empirical_ratio(shares: Any, mean: float) -> Any:
    """Return observed / likeliest probability per outcome, under the likeliest distribution with this mean.

    That distribution is observed / (1 + x (outcome - mean)), with x chosen so that its mean is right (Owen, Empirical
    Likelihood, 2001, chapter 2). The equation for x is monotone between its poles; it is solved by Newton's method,
    with bisection where a step would leave the bracket.
    """
    import numpy as np

    away = np.array(SHARES) - mean
    low = np.full(shares.shape[:-1], -1 / away[-1])
    high = np.full(shares.shape[:-1], -1 / away[0])
    x = np.zeros(shares.shape[:-1])
    for _ in range(60):
        parts = away / (1 + x[..., None] * away)
        value = (shares * parts).sum(-1)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        step = value / (shares * parts * parts).sum(-1)
        after = x + step
        after = np.where((after > low) & (after < high), after, (low + high) / 2)
        rough = np.abs(after - x) > 1e-11 * (1 + np.abs(x))
        x = np.where(rough, after, x)  # converged entries stay: the same digits alone and in a batch
        if not rough.any():
            break
    return 1 + x[..., None] * away
