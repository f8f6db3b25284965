"""Elo ratings by maximum likelihood, with error bars.

found = ratings(["a", "b"], results)
found["a"].elo, found["a"].error         the mean of all is 0 (or the anchor's); half a 95 % interval
found.difference("a", "b")               Elo difference, its error, likelihood of superiority (LOS)

Model: Bradley-Terry on the Elo scale. A player who is stronger by d Elo expects 1 / (1 + 10^(-d/400)) points per game;
a draw is half a win and half a loss. The ratings maximise the likelihood of the points.

Error bars: the games of a pair share their opening and are not independent, and draws have less variance than wins and
losses. So the variance is estimated from the game pairs: points minus expected points (White's sandwich estimator; for
two players this is the pentanomial variance). One additional pair for any two players who met, with the variance of two
independent games without draws, keeps a few equal results from looking certain.

Separation: a maximum exists only if every player has scored against every other, at least through others (Ford). Where
a group took every point from the rest, any two players who met across the gap are given one additional drawn game, and
the players beyond the gap, seen from the largest group, are marked: `bound` is ">" or "<". Groups that never met have
no common scale: each has its own mean of 0, and `notes` says so.

References
----------
Zermelo, Die Berechnung der Turnier-Ergebnisse als ein Maximumproblem der Wahrscheinlichkeitsrechnung, 1929.
Bradley, Terry, Rank Analysis of Incomplete Block Designs, Biometrika 39, 1952.
Ford, Solution of a Ranking Problem from Binary Comparisons, American Mathematical Monthly 64, 1957.
Elo, The Rating of Chessplayers, 1978.
White, Maximum Likelihood Estimation of Misspecified Models, Econometrica 50, 1982.
Hunter, MM Algorithms for Generalized Bradley-Terry Models, Annals of Statistics 32, 2004.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameResult
from zermelo.errors import InputError, MissingDependency

#: Elo per unit of the natural logarithm of the odds.
SCALE = 400 / math.log(10)
#: Normal quantile of a 95 % interval.
QUANTILE_95 = 1.959963984540054


@dataclass(slots=True)
class HeadToHead:
    """Games between two players, from the first one's side: the sufficient statistics of the ratings."""

    games: int = 0
    points: float = 0.0
    #: Number of game pairs, and the sums over them of points^2, games * points and games^2.
    pairs: int = 0
    squared: float = 0.0
    mixed: float = 0.0
    sizes: float = 0.0

    def squared_residuals(self, expected: float) -> float:
        """Return the sum over game pairs of (points - expected points)^2."""
        return max(self.squared - 2 * expected * self.mixed + expected * expected * self.sizes, 0.0)

    def add_pair(self, games: int, points: float) -> None:
        """Add a game pair."""
        self.pairs += 1
        self.squared += points * points
        self.mixed += games * points
        self.sizes += games * games


@dataclass
class Tally:
    """Results added up by pair of players: memory grows with the players, not with the games."""

    head_to_head: dict[tuple[str, str], HeadToHead] = field(default_factory=dict)
    _open: dict[tuple[int, str, str], tuple[int, float]] = field(default_factory=dict)

    def add(self, result: GameResult) -> None:
        """Add a game."""
        first, second = sorted(result.names)
        points = result.points if result.names[0] == first else 1 - result.points
        head_to_head = self.head_to_head.setdefault((first, second), HeadToHead())
        head_to_head.games += 1
        head_to_head.points += points
        key = (result.game_pair, first, second)
        games, before = self._open.pop(key, (0, 0.0))
        if games + 1 == 2:
            head_to_head.add_pair(2, before + points)
        else:
            self._open[key] = (1, points)

    def totals(self) -> dict[tuple[str, str], HeadToHead]:
        """Return the totals, with unfinished game pairs counted as pairs of one game."""
        found = {
            key: HeadToHead(*(getattr(each, name) for name in HeadToHead.__slots__))
            for key, each in self.head_to_head.items()
        }
        for (_, first, second), (games, points) in self._open.items():
            found[first, second].add_pair(games, points)
        return found


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating.

    Attributes
    ----------
    name : str
        Name of the player.
    elo : float or None
        Elo rating; None without games.
    error : float or None
        Half of the 95 % interval; None for the anchor and without games.
    bound : str
        ">" or "<": no finite rating maximises the likelihood, and the true rating is at least, or at most, about `elo`.
    group : int
        Players of different groups have not met, not even through others.
    """

    name: str
    elo: float | None
    error: float | None
    bound: Literal["", "<", ">"] = ""
    group: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """The Elo difference of two players, half of its 95 % interval, and the likelihood of superiority (LOS)."""

    elo: float
    error: float
    los: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of all players, in the order given, and remarks on them."""

    rows: tuple[Rating, ...]
    notes: tuple[str, ...]
    #: Covariance matrix in Elo^2, in the order of `rows`.
    _covariance: Any = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> Rating:
        return self.rows[self._index(name)]

    def difference(self, first: str, second: str) -> Difference | None:
        """Return the difference of two players; None if they have not met, not even through others.

        Raises
        ------
        InputError
            A name is not a player.
        """
        from scipy.special import ndtr  # importing scipy.stats for this one function takes a second

        a, b = self._index(first), self._index(second)
        one, other = self.rows[a], self.rows[b]
        if one.elo is None or other.elo is None or one.group != other.group:
            return None
        elo = one.elo - other.elo
        c = self._covariance
        deviation = math.sqrt(max(c[a, a] + c[b, b] - 2 * c[a, b], 0.0))
        los = float(ndtr(elo / deviation)) if deviation else (0.5 if elo == 0 else float(elo > 0))
        return Difference(elo, QUANTILE_95 * deviation, los)

    def _index(self, name: str) -> int:
        for place, row in enumerate(self.rows):
            if row.name == name:
                return place
        raise InputError(f"no player {quoted(name)}; expected one of {', '.join(row.name for row in self.rows)}")


def ratings(names: Sequence[str], results: Iterable[GameResult] | Tally, anchor: str | None = None) -> Ratings:
    """Return the maximum-likelihood ratings of these players.

    Parameters
    ----------
    names : sequence of str
        The players; results of others are ignored.
    results : iterable of GameResult, or Tally
        The games.
    anchor : str, optional
        The player whose rating is 0; by default the mean is 0.

    Raises
    ------
    MissingDependency
        SciPy is not installed.
    InputError
        The anchor is not a player.
    """
    try:
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components
    except ImportError:
        raise MissingDependency("ratings need scipy: pip install 'zermelo[arena]'") from None
    tally = results if isinstance(results, Tally) else tally_of(results)
    names = list(dict.fromkeys(names))
    if anchor is not None and anchor not in names:
        raise InputError(f"no player {quoted(anchor)} to anchor the ratings at; expected one of {', '.join(names)}")
    place = {name: number for number, name in enumerate(names)}
    size = len(names)
    met = {
        (place[a], place[b]): each
        for (a, b), each in sorted(tally.totals().items(), key=lambda item: item[0])  # one order: the same rounding
        if a != b and a in place and b in place and each.games
    }
    scored = np.zeros((size, size))  # points of the row's player against the column's
    for (a, b), each in met.items():
        scored[a, b], scored[b, a] = each.points, each.games - each.points
    taken = csr_array(scored > 0)
    _, groups = connected_components(taken, directed=False)
    _, strong = connected_components(taken, directed=True, connection="strong")
    for a, b in met:  # one drawn game across each gap, so that a maximum exists
        if strong[a] != strong[b]:
            scored[a, b] += 0.5
            scored[b, a] += 0.5

    elo = np.full(size, np.nan)
    covariance = np.zeros((size, size))
    played = scored.sum(0) + scored.sum(1) > 0
    notes = []
    for group in sorted(set(groups[played])):
        inside = np.flatnonzero((groups == group) & played)
        number = {int(player): row for row, player in enumerate(inside)}
        among = {(number[a], number[b]): each for (a, b), each in met.items() if a in number}
        at = number.get(place[anchor]) if anchor is not None else None
        elo[inside], covariance[np.ix_(inside, inside)] = _fit(scored[np.ix_(inside, inside)], among, at)
    apart = sorted(set(groups[played]))
    if len(apart) > 1:
        apart_names = "; ".join(", ".join(names[i] for i in np.flatnonzero(groups == group)) for group in apart)
        notes.append(f"groups that have not met, each with its own scale: {apart_names}")
    rows = []
    bounds = _bounds(taken, groups, strong) if size else []
    for player, name in enumerate(names):
        if not played[player]:
            rows.append(Rating(name, None, None))
            continue
        error = None if name == anchor else QUANTILE_95 * math.sqrt(max(covariance[player, player], 0.0))
        group = apart.index(groups[player])
        rows.append(Rating(name, float(elo[player]), error, bounds[player], group))
    if any(row.bound for row in rows):
        notes.append("> and < mark bounds: every point was won or lost, and one drawn game per opponent was added")
    return Ratings(tuple(rows), tuple(notes), covariance)


def elo_text(elo: float, bound: str = "") -> str:
    """Format an Elo rating for a table: rounded, signed, with its bound.

    >>> elo_text(-0.2), elo_text(123.4, ">")
    ('+0', '>+123')
    """
    return f"{bound}{round(elo):+d}"


def is_loaded() -> bool:
    """Whether SciPy has been imported already, which takes most of a second."""
    return "scipy.optimize" in sys.modules and "scipy.sparse.csgraph" in sys.modules


def tally_of(results: Iterable[GameResult]) -> Tally:
    """Add up results."""
    tally = Tally()
    for result in results:
        tally.add(result)
    return tally


def _bounds(taken: Any, groups: Any, strong: Any) -> list[Literal["", "<", ">"]]:
    """Return the bound of each player's rating: ">" above, "<" below all finite ratings, "" otherwise.

    Within a strong component every player scored against every other, at least through others; between components
    points went one way only. Bounds are relative to the largest component of a group, or, if it is not unique, mark
    the players who won or lost every point against the other components.
    """
    import numpy as np
    from scipy.sparse.csgraph import shortest_path

    found: list[Literal["", "<", ">"]] = [""] * len(strong)
    if len(set(strong)) == len(set(groups)):
        return found  # no gap: every rating is finite
    reaches = np.isfinite(shortest_path(taken, unweighted=True))  # has scored against, at least through others
    for group in set(groups):
        inside = groups == group
        components, sizes = np.unique(strong[inside], return_counts=True)
        most = components[sizes == sizes.max()]
        for player in np.flatnonzero(inside):
            if len(components) == 1 or (len(most) == 1 and strong[player] == most[0]):
                continue
            others = strong == most[0] if len(most) == 1 else inside & (strong != strong[player])
            above, below = reaches[player, others].any(), reaches[others, player].any()
            found[player] = ">" if above and not below else "<" if below and not above else ""
    return found


def _fit(scored: Any, met: dict[tuple[int, int], HeadToHead], anchor: int | None) -> tuple[Any, Any]:
    """Return the maximum-likelihood Elo of connected players, and the covariance matrix."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    size = len(scored)
    games = scored + scored.T

    def expected(free: Any) -> Any:
        strength = np.append(0.0, free)
        return expit(strength[:, None] - strength[None, :])

    def negative_log_likelihood(free: Any) -> float:
        strength = np.append(0.0, free)
        return float(-(scored * log_expit(strength[:, None] - strength[None, :])).sum())

    def gradient(free: Any) -> Any:
        return -(scored - games * expected(free)).sum(1)[1:]

    def hessian(free: Any) -> Any:
        chance = expected(free)
        weight = games * chance * (1 - chance)
        return (np.diag(weight.sum(1)) - weight)[1:, 1:]

    free = np.zeros(size - 1)
    if size > 1:
        # A gradient below 1e-9 points: far more digits of Elo than tables show.
        found = minimize(
            negative_log_likelihood, free, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-9}
        )
        free = found.x
        for _ in range(3):  # final Newton steps: the rounding of the likelihood stops the minimiser early
            free = free - np.linalg.solve(hessian(free), gradient(free))
    chance = expected(free)
    scatter = np.zeros((size, size))
    pairs = sum(each.pairs for each in met.values())
    for (a, b), each in met.items():
        p = float(chance[a, b])
        # One additional pair of two independent games; the total weight stays the same.
        amount = (each.squared_residuals(p) + 2 * p * (1 - p)) * each.pairs / (each.pairs + 1)
        scatter[a, a] += amount
        scatter[b, b] += amount
        scatter[a, b] -= amount
        scatter[b, a] -= amount
    if pairs > size:  # degrees of freedom: the ratings were fitted to the same games
        scatter *= pairs / (pairs - (size - 1))
    inverse = np.zeros((size, size))
    if size > 1:
        inverse[1:, 1:] = np.linalg.inv(hessian(free))
    strength = np.append(0.0, free)
    centre = np.full(size, 1 / size) if anchor is None else np.eye(size)[anchor]
    shift = np.eye(size) - centre[None, :]
    return SCALE * (shift @ strength), SCALE**2 * (shift @ (inverse @ scatter @ inverse) @ shift.T)
