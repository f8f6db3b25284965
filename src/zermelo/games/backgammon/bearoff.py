"""The exact one-sided bear-off table: up to 15 checkers on the six home points, without contact.

For each of the 54,264 positions the table has the exact distribution of the number of rolls to bear off all checkers,
if each roll is played to minimise the expected number of rolls left. It is computed by dynamic programming in order of
the pip count: for each position the 21 rolls, and all legal plays of each, lead to positions with fewer pips. The same
is done for the first checker of positions that still have all 15, which decides gammons.

`build` takes about half a second with NumPy. `table` keeps the result in the user's cache.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

from zermelo.core.bitboard import Bitboard
from zermelo.errors import PositionError
from zermelo.games.backgammon.one_sided import cached_array, placements, rank, ranks, solve
from zermelo.games.backgammon.points import CHECKERS

POINTS = 6
POSITIONS = comb(CHECKERS + POINTS, POINTS)
# The entries of a distribution: 0 rolls, 1 roll, ... At most 30 rolls are needed, 15 for the first checker, but the
# probability of more rolls than these entries hold is below 1e-9.
ROLLS = 22
FIRST_ROLLS = 9
# The name in the cache; a change of layout or content needs a new number.
NAME = "backgammon-bearoff-1"


class Table(NamedTuple):
    """Read-only arrays of 64-bit floats, indexed by `index`."""

    #: The expected number of rolls to bear off all checkers, shape (POSITIONS,).
    expected: Any
    #: The probabilities that it takes 0, 1, 2, ... rolls, shape (POSITIONS, ROLLS).
    rolls: Any
    #: The same for the first checker, shape (POSITIONS, FIRST_ROLLS); 0 rolls if one is off already.
    first: Any


def index(counts: tuple[int, ...]) -> int:
    """Return the index of a position in the table, its rank (see `one_sided`).

    Parameters
    ----------
    counts : tuple of 6 ints
        The checkers on points 1 to 6, at most 15 together.

    Raises
    ------
    PositionError
        For other counts.
    """
    if len(counts) != POINTS or min(counts) < 0 or sum(counts) > CHECKERS:
        raise PositionError(f"bear-off position {counts}; expected at most {CHECKERS} checkers on points 1 to {POINTS}")
    import numpy as np

    return int(ranks(np.array([counts]))[0])


def compiled_index(low: Bitboard, high: Bitboard) -> int:
    """Return the `index` of a side with all checkers at home, from its two words (see `points`)."""
    return rank(low, high, 1, POINTS)


def _steps(counts: Any) -> Any:
    """Return the position after one checker's move, by [die - 1, point - 1, position]; `POSITIONS` if not legal."""
    import numpy as np

    steps = np.full((6, POINTS, len(counts)), POSITIONS)
    highest = ((counts > 0) * np.arange(1, POINTS + 1)).max(axis=1)
    for die in range(1, 7):
        for point in range(1, POINTS + 1):
            legal = (counts[:, point - 1] > 0) & ((point >= die) | (point == highest))
            after = counts[legal].copy()
            after[:, point - 1] -= 1
            if point > die:
                after[:, point - die - 1] += 1
            steps[die - 1, point - 1, legal] = ranks(after)
    return steps


def build() -> Any:
    """Compute the table: the columns of `Table`, beside each other."""
    import numpy as np

    counts = placements(POINTS, CHECKERS)
    steps = _steps(counts)
    pips = counts @ np.arange(1, POINTS + 1)
    checkers = counts.sum(axis=1)
    expected, rolls = solve(steps, pips, checkers == 0, ROLLS)
    _, first = solve(steps, pips, checkers < CHECKERS, FIRST_ROLLS)
    return np.column_stack([expected, rolls, first])


@cache
def table() -> Table:
    """Return the table from the cache, or build and cache it."""
    columns = cached_array(NAME, (POSITIONS, 1 + ROLLS + FIRST_ROLLS), build)
    return Table(columns[:, 0], columns[:, 1 : 1 + ROLLS], columns[:, 1 + ROLLS :])


def expected_rolls(counts: tuple[int, ...]) -> float:
    """Return the expected number of rolls to bear off checkers on points 1 to 6. Raises `PositionError`."""
    return float(table().expected[index(counts)])


# Probability 1 in `fixed_point_table`: sums of products of two such numbers fit into 64 bits.
ONE = 1 << 30


def fixed_point_table() -> Any:
    """Return the probabilities as fixed-point int64 for compiled code, shape (POSITIONS, ROLLS + FIRST_ROLLS)."""
    import numpy as np

    known = table()
    return np.rint(np.hstack([known.rolls, known.first]) * ONE).astype(np.int64)


def expected_table(unit: int) -> Any:
    """Return the expected rolls to bear off all checkers and the first one, `unit` a roll: int64, (POSITIONS, 2)."""
    import numpy as np

    known = table()
    first = known.first @ np.arange(FIRST_ROLLS)
    return np.rint(np.column_stack([known.expected, first]) * unit).astype(np.int64)


def race_equity(chances: Any, own: int, other: int) -> int:
    """Return the equity of a race of two bear-offs for the side that rolls first, in points times `ONE` squared.

    `chances` is the `fixed_point_table`, `own` and `other` are the sides' indices. Each side minimises its own
    expected number of rolls.
    """
    equity = 0
    later = 0
    later_own = 0
    for count in range(ROLLS - 1, 0, -1):
        equity -= chances[other, count] * later_own
        later += chances[other, count]
        later_own += chances[own, count]
        equity += chances[own, count] * later
    # Gammons: the other side has not borne off its first checker in time.
    later = 0
    later_own = 0
    for count in range(FIRST_ROLLS - 1, 0, -1):
        equity -= chances[other, count] * later_own
        later += chances[other, ROLLS + count]
        later_own += chances[own, ROLLS + count]
        equity += chances[own, count] * later
    return equity


def loss_chance(chances: Any, own: int, other: int, rolls_first: bool, delay: int) -> int:
    """Return the probability, times `ONE` squared, that a side loses a race to one whose bear-off begins later.

    Parameters
    ----------
    chances : array
        The `fixed_point_table`.
    own, other : int
        The sides' indices.
    rolls_first : bool
        Whether the own side rolls first.
    delay : int
        Rolls of the other side before its bear-off begins.
    """
    total = 0
    in_time = 0
    last = -delay if rolls_first else 1 - delay
    for count in range(1, ROLLS):
        if last >= 0:
            in_time += chances[other, last]
        total += chances[own, count] * in_time
        last += 1
    return total


def win_chance(own: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return the probability that the side that rolls first wins, if both minimise their expected rolls.

    `own` and `other` are the checkers on points 1 to 6, as for `index`. Raises `PositionError`.
    """
    rolls = table().rolls
    later = rolls[index(other), ::-1].cumsum()[::-1]  # the probabilities that the other side needs at least n rolls
    return float(rolls[index(own)] @ later)
