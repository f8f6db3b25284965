"""When a match has said enough: a sequential test of two hypotheses on the Elo difference, on pairs of games.

sprt = Sprt.parse("elo0=0,elo1=10,alpha=0.05,beta=0.05")
sprt.state([(1, 0.5), (0, 1), ...])          the LLR after these pairs, its bounds, the verdict
watch = sprt.watch("new")                    while a match runs: results in any order, one verdict

H0: the player is stronger by no more than elo0. H1: by elo1 or more. The two games of a pairing share their opening, so
they are not independent; pairs of different openings are. So the pair is what is counted, by what the player got in it:
0, 1/2, 1, 3/2 or 2 points, five numbers (hence: pentanomial). The test is the generalised one: each hypothesis is as
likely as the likeliest distribution on these five with its mean. That distribution is found exactly, not by the normal
approximation.

Sources: Wald, Sequential Tests of Statistical Hypotheses, 1945; Li, Liu, Ying, Generalized Sequential Probability Ratio
Test for Separate Families of Hypotheses, 2014; Van den Bergh, The Generalized Maximum Likelihood Ratio for the
Expectation Value of a Distribution, and Fishtest, which stops Stockfish's tests so.
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

#: What a pair brings the player, as a share of its two points.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
#: What is taken for a count of 0, so that no result is impossible.
UNSEEN = 1e-3
_FORM = "elo0=0,elo1=10,alpha=0.05,beta=0.05"


def score_of(elo: float) -> float:
    """The points a game that a player who is stronger by so many Elo expects (the logistic curve)."""
    return 1 / (1 + math.pow(10, -elo / 400))


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where the test stands after some pairs."""

    llr: float
    lower: float
    upper: float
    #: "H0", "H1", or nothing yet.
    verdict: Literal["", "H0", "H1"]
    #: After how many pairs: those at which it stopped, or all.
    pairs: int
    #: How many of them brought the player 0, 1/2, 1, 3/2, 2 points.
    counts: tuple[int, int, int, int, int]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return told | {"counts": list(self.counts), "verdict": self.verdict or None}


@dataclass(frozen=True)
class Sprt:
    """The test. `alpha`: how often it may say H1 where H0 holds; `beta`: how often H0 where H1 holds.

    Raises `LimitError` for hypotheses that cannot be told apart, or chances that are none.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise LimitError(f"elo0={self.elo0:g},elo1={self.elo1:g}: elo0 must be below elo1, both from -1000 to 1000")
        for name in ("alpha", "beta"):
            if not 1e-6 <= getattr(self, name) < 0.5:
                raise LimitError(f"{name}={getattr(self, name):g}: a chance from 0.000001 to below 0.5 is needed")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """The test that a text stands for, `elo0=0,elo1=10,alpha=0.05,beta=0.05`, any part of it left out.

        Raises `LimitError`.
        """
        given: dict[str, float] = {}
        names = [field.name for field in fields(cls)]
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals or name not in names or name in given or not re.fullmatch(r"-?\d{0,9}\.?\d{1,9}", value):
                raise LimitError(f"SPRT {quoted(part)}; expected {_FORM}, each once")
            given[name] = float(value)
        return cls(**given)

    def __str__(self) -> str:
        return ",".join(f"{field.name}={getattr(self, field.name):g}" for field in fields(self))

    @cached_property
    def lower(self) -> float:
        """At this LLR or below, H0 is taken."""
        return math.log(self.beta / (1 - self.alpha))

    @cached_property
    def upper(self) -> float:
        """At this LLR or above, H1 is taken."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Any) -> Any:
        """The log-likelihood ratio of H1 to H0 after so many pairs of each kind; an array (..., 5) gives one (...)."""
        import numpy as np

        pairs = np.asarray(counts, float)
        pairs = np.where(pairs > 0, pairs, UNSEEN)
        total = pairs.sum(-1)
        shares = pairs / total[..., None]
        weights = [_tilted(shares, score_of(elo)) for elo in (self.elo0, self.elo1)]
        return total * (shares * np.log(weights[0] / weights[1])).sum(-1)

    def path(self, pairs: Iterable[tuple[float, float]]) -> list[float]:
        """The LLR after each of the pairs: what the player got in the two games of each."""
        import numpy as np

        kinds = np.array([kind(pair) for pair in pairs], np.intp)
        if not len(kinds):
            return []
        found: list[float] = self.llr(np.cumsum(np.eye(5)[kinds], axis=0)).tolist()
        return found

    def state(self, pair_points: Sequence[tuple[float, float]]) -> SprtState:
        """Where the test stands after these pairs, in the order of their pairings; where it stopped, if it has."""
        ratios = self.path(pair_points)
        stop = next((number for number, llr in enumerate(ratios, 1) if self.verdict(llr)), len(ratios))
        counts = [0] * 5
        for pair in pair_points[:stop]:
            counts[kind(pair)] += 1
        return self._state(ratios[stop - 1] if stop else 0.0, counts)

    def verdict(self, llr: float) -> Literal["", "H0", "H1"]:
        """What is said at such an LLR."""
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else ""

    def watch(self, player: str) -> SprtMonitor:
        """The test of a match that runs, from the side of this player."""
        return SprtMonitor(self, player)

    def first_verdict(self, results: Iterable[GameResult], player: str) -> int | None:
        """The pairing at which the test of this player stops, or None; the results may come in any order."""
        watch = self.watch(player)
        for result in results:
            watch.add(result)
        return watch.stopped_at

    def _state(self, llr: float, counts: Sequence[int]) -> SprtState:
        five = (counts[0], counts[1], counts[2], counts[3], counts[4])
        return SprtState(llr, self.lower, self.upper, self.verdict(llr), sum(five), five)


class SprtMonitor:
    """A test that results are told to as they come in, from many workers in any order.

    It reads the pairings in the order of their numbers, from 0 and without a gap, so its verdict is the same whoever
    finished first; what comes after the pairing at which it stopped is not read any more.
    """

    def __init__(self, sprt: Sprt, player: str) -> None:
        self.sprt = sprt
        self.player = player
        #: The pairing at which it stopped.
        self.stopped_at: int | None = None
        #: The LLR after each pair that was read.
        self.path: list[float] = []
        self.state = sprt._state(0.0, [0] * 5)
        self._counts = [0] * 5
        self._next = 0
        self._known: dict[int, dict[int, float]] = {}

    def add(self, result: GameResult) -> SprtState:
        """A game more; the same game twice counts once. Raises `ZermeloError` for a game of others."""
        if self.stopped_at is not None or result.game_pair < self._next:
            return self.state
        if self.player not in result.names:
            raise InputError(f"game {result.number}: {quoted(self.player)} did not play in it; SPRT is for a match")
        points = result.points if result.names[0] == self.player else 1 - result.points
        self._known.setdefault(result.game_pair, {})[result.number] = points
        while self.stopped_at is None and len(self._known.get(self._next, ())) == 2:
            pair = self._known.pop(self._next)
            first, second = (pair[number] for number in sorted(pair))
            self._counts[kind((first, second))] += 1
            llr = float(self.sprt.llr(self._counts))
            self.path.append(llr)
            self.state = self.sprt._state(llr, self._counts)
            if self.state.verdict:
                self.stopped_at = self._next
                self._known.clear()
            self._next += 1
        return self.state


def kind(pair: tuple[float, float]) -> int:
    """Which of the five a pair is, by the player's points in its two games."""
    return round(2 * (pair[0] + pair[1]))


def _tilted(shares: Any, mean: float) -> Any:
    """How much rarer each result is under the likeliest distribution with that mean: found / likeliest.

    The likeliest one is found / (1 + x (result - mean)) for the x at which its mean is right (Owen, Empirical
    Likelihood, 2001, chapter 2). The sum that says so falls all along between its poles; Newton's steps, and halves of
    the interval where they would leave it, find x.
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
        x = np.where(rough, after, x)  # what is found stays: the same to the last digit among others and alone
        if not rough.any():
            break
    return 1 + x[..., None] * away
