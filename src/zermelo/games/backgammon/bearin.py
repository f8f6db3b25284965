"""The bear-in table: the rolls that a side with all 15 checkers needs to bear off the first one, which decides gammons.

    outer checkers   0 to 4 on the points 7 to 18: 1,820 placements
    home             the points 1 to 6 that have checkers: 64 sets

For each of these 116,480 positions the table has the probabilities that it takes more than 0, 1, 2, ... rolls, if each
roll is played to minimise the expected number. They are approximate, because the number of checkers on a home point is
not stored: a point still has a checker after one moves from it to an empty point. If a die only allows moves to points
with checkers, the highest point becomes empty.

`build` takes about two seconds with NumPy. `table` keeps the result in the user's cache.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.games.backgammon.bearoff import POINTS as HOME_POINTS
from zermelo.games.backgammon.one_sided import cached_array, placements, rank, ranks, solve
from zermelo.games.backgammon.points import HOME, LANE, borne_off, checkers_in, occupied

#: The outer points, from 7 on, and the most checkers there.
POINTS, MOST = 12, 4
PLACEMENTS = comb(MOST + POINTS, POINTS)
_HOMES = 1 << HOME_POINTS
POSITIONS = PLACEMENTS * _HOMES
# The entries of a row of the table: more than 0 rolls, more than 1, ...
ROLLS = 9
#: Probability 1 in `fixed_point_table`.
ONE = 1 << 14
#: The most checkers of the leader of a gammon race: with more, the other side wins too often.
MOST_LEADING = 8

# The name in the cache; a change of layout or content needs a new number.
NAME = "backgammon-bearin-2"
_OUTER = Bitboard(((1 << POINTS) - 1) << HOME_POINTS + 1)


def index(low: Bitboard, high: Bitboard) -> int:
    """Return the row of a side in the table, from its two words (see `points`)."""
    home = occupied(low, high) >> 1 & _HOMES - 1
    return _HOMES * rank(low, high, HOME_POINTS + 1, POINTS) + int(home)


def is_gammon_race(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> bool:
    """Return whether the first side leads a gammon race that the table covers.

    The leader has 1 to 8 checkers left, all at home, and almost always wins. The other side has all 15, of which 1 to 4
    are on the points 7 to 18.
    """
    if occupied(low, high) & ~HOME or not 0 < checkers_in(low, high, HOME) <= MOST_LEADING:
        return False
    if occupied(other_low, other_high) & ~(HOME | _OUTER) or borne_off(other_low, other_high) > 0:
        return False
    return 0 < checkers_in(other_low, other_high, LANE & ~HOME) <= MOST


def gammon_chance(chances: Any, late: Any, own: int, other: int, rolls_first: bool) -> int:
    """Return the probability that the leader wins a gammon, times `bearoff.ONE` and `ONE`.

    Parameters
    ----------
    chances : array
        `bearoff.fixed_point_table`.
    late : array
        `fixed_point_table`.
    own : int
        The leader's row of `chances`.
    other : int
        The other side's row of `late`.
    rolls_first : bool
        Whether the leader rolls next.
    """
    total = 0
    first = 1 if rolls_first else 0
    for count in range(1, ROLLS + first):
        total += int(chances[own, count]) * int(late[other, count - first])
    return total


def _steps(counts: Any) -> Any:
    """Return the position after one checker's move, by [die - 1, choice, position]; `POSITIONS + 1` if not legal.

    The choices are the outer points, then the home points from which a checker moves or is borne off. Position
    `POSITIONS` has a checker borne off.
    """
    import numpy as np

    off, illegal = POSITIONS, POSITIONS + 1
    homes = np.arange(_HOMES)
    steps = np.full((6, POINTS + HOME_POINTS, POSITIONS + 1), illegal)
    for die in range(1, 7):
        for point in range(POINTS):
            legal = np.flatnonzero(counts[:, point])
            after = counts[legal].copy()
            after[:, point] -= 1
            arrived = homes
            if point >= die:
                after[:, point - die] += 1
            else:
                arrived = homes | 1 << point + HOME_POINTS - die
            reached = _HOMES * ranks(after)[:, None] + arrived
            steps[die - 1, point, (_HOMES * legal[:, None] + homes).ravel()] = reached.ravel()
        inside = steps[die - 1, POINTS:]
        starts = _HOMES * np.arange(PLACEMENTS)
        for home in homes.tolist():
            higher = [point for point in range(die, HOME_POINTS) if home >> point & 1]
            for point in higher:
                if not home >> point - die & 1:
                    inside[point, starts + home] = starts + (home | 1 << point - die)
            # Without outer checkers the rank is 0.
            if home >> die - 1 & 1 or not higher:
                inside[:, home] = illegal
                inside[die - 1, home] = off
            elif (inside[:, home] == illegal).all():
                inside[higher[-1], home] = home & ~(1 << higher[-1])
    return steps


def build() -> Any:
    """Compute the table: the probabilities that it takes more than 0, 1, 2, ... rolls."""
    import numpy as np

    counts = placements(POINTS, MOST)
    # A move at home fills a gap below the highest point, or empties that point: both lower 7 * highest + gaps, which
    # is below 100. So does a pip of an outer checker.
    has_checkers = np.arange(_HOMES)[:, None] >> np.arange(HOME_POINTS) & 1
    highest = (has_checkers * np.arange(1, HOME_POINTS + 1)).max(axis=1)
    gaps = HOME_POINTS - has_checkers.sum(axis=1)
    pips = counts @ np.arange(1, POINTS + 1)
    levels = (100 * pips[:, None] + 1 + 7 * highest + gaps).ravel()
    levels = np.append(levels, 0)
    done = np.arange(POSITIONS + 1) == POSITIONS
    _, chances = solve(_steps(counts), levels, done, ROLLS)
    return 1 - np.cumsum(chances[:POSITIONS], axis=1)


@cache
def table() -> Any:
    """Return the table from the cache, or build and cache it: 64-bit floats, shape (POSITIONS, ROLLS)."""
    return cached_array(NAME, (POSITIONS, ROLLS), build)


def fixed_point_table() -> Any:
    """Return the table in parts of `ONE` for compiled code, int16."""
    import numpy as np

    return np.rint(table() * ONE).astype(np.int16)
