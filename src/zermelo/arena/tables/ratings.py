"""How strong players are, by their games against one another: Elo by maximum likelihood, with error bars.

found = ratings(["a", "b"], results)
found["a"].elo, found["a"].error         the mean of all is 0 (or a player is the anchor); half a 95 % interval
found.difference("a", "b")               Elo between two, its error, and the likelihood of superiority

The model is that of Bradley and Terry on Elo's scale: a player who is stronger by d expects 1 / (1 + 10^(-d/400))
points a game; a draw is half a point. The ratings are those under which the points that were made are the likeliest.

Error bars. The games of a pairing share their opening and are not independent, and draws scatter less than wins and
losses. So the scatter is taken from the games: pairing by pairing, the points made against the points expected (the
"sandwich" of White; for two players it is the pentanomial variance). One pairing more between any two players who met,
with the scatter of two independent games without draws, keeps a handful of equal results from looking certain.

Where players took every point from all others (one that won every game), no rating is high enough for them, seen from
the others. Then, and only there, each two players who met across the gap are given one drawn game more, and what stands
beyond the gap from the most of the players is marked: `bound` is ">" or "<". Groups that never met have no common
scale: each has its own mean of 0, and `notes` says so.

Sources: Zermelo, Die Berechnung der Turnier-Ergebnisse als ein Maximumproblem der Wahrscheinlichkeitsrechnung, 1929,
who had this first; Bradley, Terry, Rank Analysis of Incomplete Block Designs, 1952; Ford, Solution of a Ranking Problem
from Binary Comparisons, 1957, for when there is a maximum; Hunter, MM Algorithms for Generalized Bradley-Terry Models,
2004; White, Maximum Likelihood Estimation of Misspecified Models, 1982; Elo, The Rating of Chessplayers, 1978.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameResult
from zermelo.errors import InputError, MissingDependency

#: Elo for each unit of the natural logarithm of the odds.
SCALE = 400 / math.log(10)
#: The normal quantile of a 95 % interval.
WIDE = 1.959963984540054


@dataclass(slots=True)
class Meetings:
    """What two players did against each other, from the side of the first: all that ratings need of it."""

    games: int = 0
    points: float = 0.0
    #: Of the pairings (two games of one opening): how many; sums of points^2, of games * points, of games^2.
    pairings: int = 0
    squared: float = 0.0
    mixed: float = 0.0
    sizes: float = 0.0

    def scatter(self, expected: float) -> float:
        """The sum over pairings of (points - expected points)^2."""
        return max(self.squared - 2 * expected * self.mixed + expected * expected * self.sizes, 0.0)

    def close(self, games: int, points: float) -> None:
        """A pairing is complete."""
        self.pairings += 1
        self.squared += points * points
        self.mixed += games * points
        self.sizes += games * games


@dataclass
class Tally:
    """Results counted by the players of each: memory for players, not for games."""

    meetings: dict[tuple[str, str], Meetings] = field(default_factory=dict)
    _open: dict[tuple[int, str, str], tuple[int, float]] = field(default_factory=dict)

    def add(self, result: GameResult) -> None:
        """A game more."""
        first, second = sorted(result.names)
        points = result.points if result.names[0] == first else 1 - result.points
        meetings = self.meetings.setdefault((first, second), Meetings())
        meetings.games += 1
        meetings.points += points
        key = (result.game_pair, first, second)
        games, before = self._open.pop(key, (0, 0.0))
        if games + 1 == 2:
            meetings.close(2, before + points)
        else:
            self._open[key] = (1, points)

    def closed(self) -> dict[tuple[str, str], Meetings]:
        """All meetings, with the pairings of which one game is known counted as such."""
        found = {
            key: Meetings(*(getattr(each, name) for name in Meetings.__slots__)) for key, each in self.meetings.items()
        }
        for (_, first, second), (games, points) in self._open.items():
            found[first, second].close(games, points)
        return found


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating. `error`: half of its 95 % interval; None for the anchor, and for who has not played."""

    name: str
    elo: float | None
    error: float | None
    #: ">" or "<": no finite rating is the likeliest, and `elo` is one that it is at least, or at most, about.
    bound: Literal["", "<", ">"] = ""
    #: Players of different groups have not met, not even through others.
    group: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """How much stronger one is than another, in Elo; `los`: the likelihood that it is stronger at all."""

    elo: float
    error: float
    los: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of all players, in the order in which they were given."""

    rows: tuple[Rating, ...]
    notes: tuple[str, ...]
    #: Variances and covariances, Elo squared, in the order of `rows`.
    _covariance: Any = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> Rating:
        return self.rows[self._place(name)]

    def difference(self, first: str, second: str) -> Difference | None:
        """Between two players; None where they have not met, not even through others."""
        from scipy.special import (
            ndtr,
        )  # of `scipy.stats` it is the one function needed, and that takes a second to load

        a, b = self._place(first), self._place(second)
        one, other = self.rows[a], self.rows[b]
        if one.elo is None or other.elo is None or one.group != other.group:
            return None
        elo = one.elo - other.elo
        c = self._covariance
        deviation = math.sqrt(max(c[a, a] + c[b, b] - 2 * c[a, b], 0.0))
        los = float(ndtr(elo / deviation)) if deviation else (0.5 if elo == 0 else float(elo > 0))
        return Difference(elo, WIDE * deviation, los)

    def _place(self, name: str) -> int:
        for place, row in enumerate(self.rows):
            if row.name == name:
                return place
        raise InputError(f"no player {quoted(name)}; expected one of {', '.join(row.name for row in self.rows)}")


def ratings(names: Sequence[str], results: Iterable[GameResult] | Tally, anchor: str | None = None) -> Ratings:
    """The ratings of these players by all games among them.

    `anchor`: the player whose rating is 0; without one it is the mean. Raises `ZermeloError` where scipy is missing,
    and for an anchor that does not play.
    """
    try:
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components
    except ImportError:
        raise MissingDependency("ratings need scipy: pip install 'zermelo[arena]'") from None
    tally = results if isinstance(results, Tally) else tallied(results)
    names = list(dict.fromkeys(names))
    if anchor is not None and anchor not in names:
        raise InputError(f"no player {quoted(anchor)} to anchor the ratings at; expected one of {', '.join(names)}")
    place = {name: number for number, name in enumerate(names)}
    size = len(names)
    met = {
        (place[a], place[b]): each
        for (a, b), each in sorted(
            tally.closed().items(), key=lambda item: item[0]
        )  # so that sums are rounded in one order
        if a != b and a in place and b in place and each.games
    }
    scored = np.zeros((size, size))  # the points of the first against the second
    for (a, b), each in met.items():
        scored[a, b], scored[b, a] = each.points, each.games - each.points
    taken = csr_array(scored > 0)
    _, groups = connected_components(taken, directed=False)
    _, strong = connected_components(taken, directed=True, connection="strong")
    for a, b in met:  # a maximum is there if everyone took something from everyone, if only through others
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
        elo[inside], covariance[np.ix_(inside, inside)] = _likeliest(scored[np.ix_(inside, inside)], among, at)
    apart = sorted(set(groups[played]))
    if len(apart) > 1:
        apart_names = "; ".join(", ".join(names[i] for i in np.flatnonzero(groups == group)) for group in apart)
        notes.append(f"groups that have not met, each with a scale of its own: {apart_names}")
    rows = []
    bounds = _bounds(taken, groups, strong) if size else []
    for player, name in enumerate(names):
        if not played[player]:
            rows.append(Rating(name, None, None))
            continue
        error = None if name == anchor else WIDE * math.sqrt(max(covariance[player, player], 0.0))
        group = apart.index(groups[player])
        rows.append(Rating(name, float(elo[player]), error, bounds[player], group))
    if any(row.bound for row in rows):
        notes.append(
            "> and <: every point was won, or lost; for a bound, a drawn game more with each opponent was counted"
        )
    return Ratings(tuple(rows), tuple(notes), covariance)


def elo_text(elo: float, bound: str = "") -> str:
    """Elo as it stands in tables: whole, with its sign, and no sign but + for 0; `bound`: see `Rating`."""
    return f"{bound}{round(elo):+d}"


def prepare() -> None:
    """Load what ratings take, in advance: it is most of a second's work. Nothing happens where it is missing."""
    with suppress(ImportError):
        import scipy.optimize
        import scipy.sparse.csgraph
        import scipy.special  # noqa: F401


def tallied(results: Iterable[GameResult]) -> Tally:
    """Results, counted."""
    tally = Tally()
    for result in results:
        tally.add(result)
    return tally


def _bounds(taken: Any, groups: Any, strong: Any) -> list[Literal["", "<", ">"]]:
    """Of each player, whether it stands beyond all finite ratings, seen from the most of its group.

    Within a strong component all took something from all, if only through others; between two, points went one way
    only. Where one component has more players than each other one, it is the rest that is above or below; else all are
    that won or lost everything against others.
    """
    import numpy as np
    from scipy.sparse.csgraph import shortest_path

    found: list[Literal["", "<", ">"]] = [""] * len(strong)
    if len(set(strong)) == len(set(groups)):
        return found  # all took something from all that they can be compared with
    reaches = np.isfinite(shortest_path(taken, unweighted=True))  # has beaten, if only through others
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


def _likeliest(scored: Any, met: dict[tuple[int, int], Meetings], anchor: int | None) -> tuple[Any, Any]:
    """The likeliest Elo of players who all met, through others at least, and the covariance."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    size = len(scored)
    games = scored + scored.T

    def expected(free: Any) -> Any:
        strength = np.append(0.0, free)
        return expit(strength[:, None] - strength[None, :])

    def unlikelihood(free: Any) -> float:
        strength = np.append(0.0, free)
        return float(-(scored * log_expit(strength[:, None] - strength[None, :])).sum())

    def slope(free: Any) -> Any:
        return -(scored - games * expected(free)).sum(1)[1:]

    def curvature(free: Any) -> Any:
        chance = expected(free)
        weight = games * chance * (1 - chance)
        return (np.diag(weight.sum(1)) - weight)[1:, 1:]

    free = np.zeros(size - 1)
    if size > 1:
        # To a slope of less than a millionth of a point: Elo to more digits than anyone shows.
        found = minimize(unlikelihood, free, jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-9})
        free = found.x
        for _ in range(3):  # and Newton's last steps, which the rounding of the likelihood itself stops short of
            free = free - np.linalg.solve(curvature(free), slope(free))
    chance = expected(free)
    scatter = np.zeros((size, size))
    pairings = sum(each.pairings for each in met.values())
    for (a, b), each in met.items():
        p = float(chance[a, b])
        # One pairing more, of two independent games, in the same number of pairings.
        amount = (each.scatter(p) + 2 * p * (1 - p)) * each.pairings / (each.pairings + 1)
        scatter[a, a] += amount
        scatter[b, b] += amount
        scatter[a, b] -= amount
        scatter[b, a] -= amount
    if pairings > size:  # the ratings were fitted to these very games, which makes the rest look smaller
        scatter *= pairings / (pairings - (size - 1))
    inverse = np.zeros((size, size))
    if size > 1:
        inverse[1:, 1:] = np.linalg.inv(curvature(free))
    strength = np.append(0.0, free)
    centre = np.full(size, 1 / size) if anchor is None else np.eye(size)[anchor]
    shift = np.eye(size) - centre[None, :]
    return SCALE * (shift @ strength), SCALE**2 * (shift @ (inverse @ scatter @ inverse) @ shift.T)
