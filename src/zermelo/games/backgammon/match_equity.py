"""Match equities of backgammon: the probability of winning a match at each score, between equal players.

The equity at a score follows from those at the scores after the next game, which is won and lost with probability 1/2
and played with the cube (`cube`). In the *Crawford game*, the first one after a player has come within a point of
winning, neither side may double; in the games after it the trailing player doubles at once.

References
----------
- N. Zadeh, "On Doubling in Tournament Backgammon", Management Science 23 (1977): equities by recursion over the score.
"""

from __future__ import annotations

from functools import cache

from zermelo.games.backgammon.cube import CENTRED, Outcomes, Stakes, curve, value

#: Shares of single games, gammons and backgammons from the initial position, both sides together, by
#: `zermelo rollout backgammon start --games 30000 --evaluation network --seed 1`.
SHARES = (0.732, 0.257, 0.011)
_EVEN = Outcomes(0.5, SHARES, SHARES)
#: The longest match.
LONGEST = 64


def match_equity(away: int, other_away: int, crawford: bool = True) -> float:
    """Return the probability that a player wins a match.

    Parameters
    ----------
    away, other_away : int
        The points that the player and the opponent need, up to 64; 0 or less if that side has won.
    crawford : bool
        If a player needs 1 point: whether the next game is the Crawford game; else it is one of those after it.
    """
    if away <= 0 or other_away <= 0:
        return float(away <= 0)
    if away == other_away == 1:
        return 0.5
    if other_away < away:
        return 1 - match_equity(other_away, away, crawford)
    return _leaders_equity(away, other_away, crawford)


@cache
def _leaders_equity(away: int, other_away: int, crawford: bool) -> float:
    if away == other_away:
        return 0.5
    return value(curve(_EVEN, stakes(away, other_away, crawford), 1, CENTRED), 0.5)


def stakes(away: int, other_away: int, crawford: bool = True) -> Stakes:
    """Return the stakes of a game of a match in which the player needs `away` points, the opponent `other_away`.

    `crawford`, if one of them needs 1 point: whether this is the Crawford game.
    """
    is_crawford = crawford and 1 in (away, other_away)
    # A game after this one is the Crawford game only if neither player needed a single point before.
    comes = 1 not in (away, other_away)

    def equity(points: int) -> float:
        return match_equity(away - max(points, 0), other_away + min(points, 0), comes)

    return Stakes(equity, away, other_away, is_crawford)
