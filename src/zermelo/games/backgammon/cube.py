"""The doubling cube: the equity of a game to a player by the cube, and the right cube actions.

The equity is the mean of the points won, or in a match the probability of winning it. The winning probability of a
player moves between 0 and 1, and a player may double at any value of it. Two models bound the equity. With a *dead*
cube neither side doubles again: the equity is linear in the probability. With a *live* cube the probability moves
continuously, so that each double comes at the best moment: the equity is linear between the points where the sides
double, and follows from the equity with the doubled cube. Both are piecewise linear and computed exactly. A real game
lies between: `EFFICIENCY` of the way from dead to live.

References
----------
- E. B. Keeler and J. Spencer, "Optimal Doubling in Backgammon", Operations Research 23 (1975): the live cube.
- R. Janowski, "Take-Points in Money Games" (1993): the mean of live and dead cube, and the efficiency.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from zermelo.errors import LimitError

#: Cube efficiency: 0 is a dead cube, 1 a fully live one. Janowski's value, here for all positions alike.
EFFICIENCY = 2 / 3
#: Owners of the cube. The player is the one whose winning probability and equity are computed.
PLAYER, CENTRED, OPPONENT = 1, 0, -1
#: The highest cube.
HIGHEST_CUBE = 1 << 12

#: A piecewise linear function: its points (probability, equity), from probability 0 to 1.
Curve = list[tuple[float, float]]


@dataclass(frozen=True)
class Outcomes:
    """How a game ends without a cube.

    Attributes
    ----------
    win : float
        The probability that the player wins.
    won, lost : tuple of 3 floats
        The shares of single games, gammons and backgammons among the games won and lost; each sums to 1.
    """

    win: float
    won: tuple[float, float, float] = (1.0, 0.0, 0.0)
    lost: tuple[float, float, float] = (1.0, 0.0, 0.0)

    @classmethod
    def of_counts(cls, counts: Mapping[int, float]) -> Outcomes:
        """Return the outcomes of games counted by the player's result, -3 to 3 points. Raises `LimitError` if empty."""
        total = sum(counts.values())
        if total <= 0:
            raise LimitError("outcomes need at least one game")
        win = sum(count for points, count in counts.items() if points > 0) / total
        return cls(win, _shares(counts, 1), _shares(counts, -1))

    @property
    def equity(self) -> float:
        """The mean result in points, without a cube."""
        won, lost = (sum(n * share for n, share in enumerate(shares, 1)) for shares in (self.won, self.lost))
        return self.win * won - (1 - self.win) * lost


def _shares(counts: Mapping[int, float], sign: int) -> tuple[float, float, float]:
    """The shares of single games, gammons and backgammons among the games won, or lost if `sign` is -1."""
    one, two, three = (counts.get(sign * points, 0.0) for points in (1, 2, 3))
    whole = one + two + three
    return (one / whole, two / whole, three / whole) if whole else (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Stakes:
    """The equity of each result to the player, and who may still double.

    Attributes
    ----------
    equity : callable
        The equity after winning a number of points, negative for points lost: the points for money, in a match the
        probability of winning it.
    away, other_away : int
        The points that the player and the opponent need to win the match; 0 both for money.
    crawford : bool
        Whether this is the Crawford game, in which neither side may double.
    jacoby : bool
        Whether gammons and backgammons count as single games before the first double.
    """

    equity: Callable[[int], float]
    away: int = 0
    other_away: int = 0
    crawford: bool = False
    jacoby: bool = False

    def may_double(self, doubler: int, cube: int, owner: int) -> bool:
        """Whether `doubler`, `PLAYER` or `OPPONENT`, may double, and higher stakes can help that side."""
        away = self.away if doubler == PLAYER else self.other_away
        return owner in (CENTRED, doubler) and not self.crawford and cube < (away or HIGHEST_CUBE)


MONEY = Stakes(float)
JACOBY = Stakes(float, jacoby=True)


@dataclass(frozen=True)
class CubeDecision:
    """The equity of the player on roll after each cube action: points for money, else the match equity.

    Attributes
    ----------
    no_double, double_take, double_pass : float
        The equity if the player does not double; doubles and the opponent takes; doubles and the opponent passes.
    """

    no_double: float
    double_take: float
    double_pass: float

    @property
    def takes(self) -> bool:
        """Whether the opponent should take a double."""
        return self.double_take <= self.double_pass

    @property
    def doubles(self) -> bool:
        """Whether the player should double."""
        return min(self.double_take, self.double_pass) > self.no_double

    @property
    def name(self) -> str:
        """The decisions of both: `no double, take`, `double, take`, `double, pass` or `too good to double, pass`."""
        if self.doubles:
            return f"double, {'take' if self.takes else 'pass'}"
        return "no double, take" if self.takes else "too good to double, pass"


def decision(outcomes: Outcomes, stakes: Stakes = MONEY, cube: int = 1, owner: int = CENTRED) -> CubeDecision | None:
    """Return the equity after each cube action of the player on roll; None if the player may not double.

    Parameters
    ----------
    outcomes : Outcomes
        How the game ends without a cube, from the side of the player on roll.
    stakes : Stakes
        Money, or the score of a match by `match_equity.stakes`.
    cube : int
        The value of the cube, a power of 2.
    owner : int
        `PLAYER`, `CENTRED` or `OPPONENT`.
    """
    if not stakes.may_double(PLAYER, cube, owner):
        return None
    waiting, _ = _before_doubles(outcomes, stakes, cube, owner)
    taken = curve(outcomes, stakes, 2 * cube, OPPONENT)
    return CubeDecision(value(waiting, outcomes.win), value(taken, outcomes.win), stakes.equity(cube))


def curve(outcomes: Outcomes, stakes: Stakes, cube: int, owner: int) -> Curve:
    """Return the equity of a game by the player's winning probability, with the cube's value and owner."""
    equity, doubled = _before_doubles(outcomes, stakes, cube, owner)
    for doubler, points in doubled.items():  # a side that can double at once need not wait
        equity = _extreme(equity, points, doubler)
    return equity


def _before_doubles(outcomes: Outcomes, stakes: Stakes, cube: int, owner: int) -> tuple[Curve, dict[int, Curve]]:
    """The equity if neither side doubles before the next roll, and the equity after a double by each that may."""
    single = (1.0, 0.0, 0.0)
    is_single = stakes.jacoby and owner == CENTRED
    ends = [
        sum(share * stakes.equity(sign * points * cube) for points, share in enumerate(shares, 1))
        for sign, shares in ((-1, single if is_single else outcomes.lost), (1, single if is_single else outcomes.won))
    ]
    dead: Curve = [(0.0, ends[0]), (1.0, ends[1])]
    doubled = {}
    for doubler in (PLAYER, OPPONENT):
        if stakes.may_double(doubler, cube, owner):
            passed = stakes.equity(doubler * cube)
            taken = curve(outcomes, stakes, 2 * cube, -doubler)
            doubled[doubler] = _extreme(taken, [(0.0, passed), (1.0, passed)], -doubler)
    if not doubled:
        return dead, doubled
    live = _live(dead[:1] + doubled.get(OPPONENT, []), doubled.get(PLAYER, []) + dead[1:])
    return _mean(live, dead, EFFICIENCY), doubled


def value(points: Curve, probability: float) -> float:
    """Return a curve's value at a probability."""
    at = min(max(bisect_right(points, (probability, float("inf"))), 1), len(points) - 1)
    (left, low), (right, high) = points[at - 1 : at + 1]
    return low + (high - low) * (probability - left) / (right - left)


def _extreme(one: Curve, other: Curve, sign: int) -> Curve:
    """The greater of two curves at each place if `sign` is 1, the smaller if it is -1."""
    places = sorted({x for x, _ in one} | {x for x, _ in other})
    heights = [(value(one, x), value(other, x)) for x in places]
    points = [(x, sign * max(sign * y, sign * z)) for x, (y, z) in zip(places, heights, strict=True)]
    for (left, right), ((a, b), (c, d)) in zip(pairwise(places), pairwise(heights), strict=True):
        if (a - b) * (c - d) < 0:  # they cross
            share = (b - a) / (c - a - d + b)
            points.append((left + share * (right - left), a + share * (c - a)))
    return sorted(points)


def _live(lower: Curve, upper: Curve) -> Curve:
    """The equity with a live cube.

    The game stops where the opponent doubles, in one of the `lower` points, or the player, in one of the `upper`.
    Between, the equity is linear. Each side chooses its point, and for both it is the one with the steepest slope.
    """
    pairs = [(one, other) for one in lower for other in upper if one[0] < other[0]]
    low, high = max(pairs, key=lambda pair: (pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0]))
    left = _hull([point for point in lower if point[0] < low[0]] + [low], -1)
    right = _hull([high] + [point for point in upper if point[0] > high[0]], 1)
    return left + right


def _hull(points: Curve, sign: int) -> Curve:
    """The least concave curve above the points if `sign` is 1, the greatest convex one below them if it is -1."""
    hull: Curve = []
    for x, y in sorted(points):
        while hull and hull[-1][0] == x and sign * hull[-1][1] <= sign * y:
            hull.pop()
        if hull and hull[-1][0] == x:
            continue
        while len(hull) > 1:
            (a, b), (c, d) = hull[-2:]
            if sign * ((c - a) * (y - b) - (d - b) * (x - a)) < 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _mean(one: Curve, other: Curve, weight: float) -> Curve:
    """The curve that lies `weight` of the way from the other curve to the one."""
    places = sorted({x for x, _ in one} | {x for x, _ in other})
    return [(x, weight * value(one, x) + (1 - weight) * value(other, x)) for x in places]
