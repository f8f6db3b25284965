"""The exact one-sided bear-off table: 15 checkers or fewer on the six points at home, and nobody to hit them.

Each of the 54,264 positions has the exact distribution of how many rolls it takes, where every roll is played so that
the expected number of rolls left is smallest. It comes from dynamic programming: positions by their pips, for each the
21 rolls and all legal plays of each, which lead to positions of fewer pips. In the same way, for the positions that
still have 15 checkers: how many rolls until the first one is off, which is what saves a gammon.

`solved` works all of it out in about half a second, in whole arrays. `table` keeps it in the user's cache, where a file
has magic, length and checksum, and this one its version in the name; what is damaged is worked out again.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

from zermelo.errors import PositionError
from zermelo.games.backgammon.points import CHECKERS, checkers_on

POINTS = 6
POSITIONS = comb(CHECKERS + POINTS, POINTS)
# A distribution's entries: 0 rolls, 1 roll, ... No position takes more than 30 rolls, nor more than 15 for the first
# checker; beyond these the chance is less than a billionth.
ROLLS = 22
FIRST_ROLLS = 9
# Rolls, each as (larger die, smaller die) and of so many of 36.
_ROLLS = tuple((die, small, 1 if die == small else 2) for die in range(1, 7) for small in range(1, die + 1))

# What it is kept under; another layout or other contents take another number.
NAME = "backgammon-bearoff-1"
_COLUMNS = 1 + ROLLS + FIRST_ROLLS


class Table(NamedTuple):
    """For each position by its `index`; arrays of 64-bit floats, read only."""

    #: The expected number of rolls until all checkers are off.
    expected: Any
    #: The chances that it takes 0, 1, 2, ... rolls: a row of `ROLLS` for each position.
    rolls: Any
    #: The same for the first checker: a row of `FIRST_ROLLS`; where one is off already, 0 rolls for certain.
    first: Any


# The places of `index`: CHOICES[j][n] is how many ways there are to choose j + 1 of n.
CHOICES = tuple(tuple(comb(n, j + 1) for n in range(CHECKERS + POINTS)) for j in range(POINTS))


def index(counts: tuple[int, ...]) -> int:
    """Which of the `POSITIONS` it is: the numbers of checkers on points 1 to 6, at most 15 together.

    Checkers and the gaps between points as a row of 21 places, of which the gaps take 6: their rank among all ways.
    Raises `PositionError` for other counts.
    """
    if len(counts) != POINTS or min(counts) < 0 or sum(counts) > CHECKERS:
        raise PositionError(
            f"bear-off position {counts}: expected the checkers on points 1 to {POINTS}, {CHECKERS} or fewer together"
        )
    found = 0
    before = 0
    for place, count in enumerate(counts):
        before += count
        found += CHOICES[place][before + place]
    return found


def rank(low, high):
    """The `index` of a side whose checkers are all at home, as two words (see `points`)."""
    found = 0
    before = 0
    for place in range(POINTS):
        before += checkers_on(low, high, place + 1)
        found += CHOICES[place][before + place]
    return found


def _indices(counts: Any) -> Any:
    """`index` of each row of an array."""
    import numpy as np

    places = np.cumsum(counts, axis=1) + np.arange(POINTS)
    return np.array(CHOICES)[np.arange(POINTS), places].sum(axis=1)


def _positions() -> Any:
    """The checkers on points 1 to 6 of each position, in the order of `index`."""
    import numpy as np

    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(POINTS):
        ways = CHECKERS + 1 - rows.sum(axis=1)
        before = np.repeat(np.cumsum(ways) - ways, ways)
        rows = np.column_stack([np.repeat(rows, ways, axis=0), np.arange(len(before)) - before])
    ordered = np.empty_like(rows)
    ordered[_indices(rows)] = rows
    return ordered


def _steps(counts: Any) -> Any:
    """Where one checker leads to, [die - 1, point - 1, position]; `POSITIONS` where it cannot move so."""
    import numpy as np

    steps = np.full((6, POINTS, len(counts)), POSITIONS)
    highest = ((counts > 0) * np.arange(1, POINTS + 1)).max(axis=1)
    for die in range(1, 7):
        for point in range(1, POINTS + 1):
            may = (counts[:, point - 1] > 0) & ((point >= die) | (point == highest))
            after = counts[may].copy()
            after[:, point - 1] -= 1
            if point > die:
                after[:, point - die - 1] += 1
            steps[die - 1, point - 1, may] = _indices(after)
    return steps


def _raced(counts: Any, steps: Any, done: Any, entries: int) -> tuple[Any, Any]:
    """How many rolls it takes to a position that is `done`: expected, and the chances of 0, 1, 2, ...

    In a bear-off one checker can always move as long as there is one, so both dice are always played.
    """
    import numpy as np

    expected = np.zeros(POSITIONS + 1)
    expected[POSITIONS] = np.inf
    chances = np.zeros((POSITIONS, entries))
    chances[done, 0] = 1.0
    # after[n, die - 1, position]: the best position that n checkers' moves by a die lead to.
    after = np.empty((5, 6, POSITIONS + 1), dtype=np.int64)
    after[:] = np.arange(POSITIONS + 1)

    def best(reached: Any) -> Any:
        """The best position of each column of [.., point, position]."""
        chosen = expected[reached].argmin(axis=-2)
        return np.take_along_axis(reached, chosen[..., None, :], axis=-2)[..., 0, :]

    pips = counts @ np.arange(1, POINTS + 1)
    order = np.argsort(pips, kind="stable")
    order = order[~done[order]]
    every = np.arange(6)[:, None, None]
    for level in np.split(order, np.flatnonzero(np.diff(pips[order])) + 1):
        stepped = steps[:, :, level]
        for moves in range(1, 5):
            after[moves][:, level] = best(after[moves - 1][every, stepped])
        total = np.zeros(len(level))
        mixed = np.zeros((len(level), entries))
        for die, small, ways in _ROLLS:
            if die == small:
                chosen = after[4, die - 1, level]
            else:
                either = np.concatenate([after[1, small - 1, stepped[die - 1]], after[1, die - 1, stepped[small - 1]]])
                chosen = best(either)
            total += ways * expected[chosen]
            mixed[:, 1:] += ways * chances[chosen, :-1]
        expected[level] = 1 + total / 36
        chances[level] = mixed / 36
    return expected[:POSITIONS], chances


def solved() -> Table:
    """The table, worked out anew."""
    import numpy as np

    counts = _positions()
    steps = _steps(counts)
    checkers = counts.sum(axis=1)
    expected, rolls = _raced(counts, steps, checkers == 0, ROLLS)
    _, first = _raced(counts, steps, checkers < CHECKERS, FIRST_ROLLS)
    return _cut(np.column_stack([expected, rolls, first]))


@cache
def table() -> Table:
    """The table, as kept on disk; worked out and kept where it is not there yet."""
    import numpy as np

    from zermelo.compiled import cache as kept

    content = kept.read_bytes(NAME)
    if content is not None and len(content) == 8 * POSITIONS * _COLUMNS:
        return _cut(np.frombuffer(content, dtype="<f8").reshape(POSITIONS, _COLUMNS))
    made = solved()
    kept.write(NAME, np.column_stack(made).astype("<f8").tobytes())
    return made


def _cut(columns: Any) -> Table:
    """The table from its columns, side by side."""
    columns.flags.writeable = False
    return Table(columns[:, 0], columns[:, 1 : 1 + ROLLS], columns[:, 1 + ROLLS :])


def expected_rolls(counts: tuple[int, ...]) -> float:
    """How many rolls it takes on average to bear off the checkers on points 1 to 6. Raises `PositionError`."""
    return float(table().expected[index(counts)])


# What a chance of 1 is in `frozen`: numbers that small can be multiplied, and added up, in 64 bits.
CERTAIN = 1 << 30


def frozen() -> Any:
    """The chances of all positions as ints, for compiled code: a row for each, of `ROLLS` and then `FIRST_ROLLS`."""
    import numpy as np

    known = table()
    return np.rint(np.hstack([known.rolls, known.first]) * CERTAIN).astype(np.int64)


def points(chances, own, other):
    """What a race of two bear-offs is worth to the side that rolls first, in points; 1 is `CERTAIN` squared.

    `chances` are those of `frozen`, `own` and `other` the sides' ranks. Each plays for the fewest rolls of its own.
    """
    worth = 0
    later = 0
    later_own = 0
    for count in range(ROLLS - 1, 0, -1):
        worth -= chances[other, count] * later_own
        later += chances[other, count]
        later_own += chances[own, count]
        worth += chances[own, count] * later
    # Gammons: the other's first checker is not off in time.
    later = 0
    later_own = 0
    for count in range(FIRST_ROLLS - 1, 0, -1):
        worth -= chances[other, count] * later_own
        later += chances[other, ROLLS + count]
        later_own += chances[own, ROLLS + count]
        worth += chances[own, count] * later
    return worth


def win_chance(own: tuple[int, ...], other: tuple[int, ...]) -> float:
    """How likely who rolls first wins a race of two bear-offs, each played for the fewest rolls of its own.

    Raises `PositionError` for counts that are no bear-off position.
    """
    rolls = table().rolls
    later = rolls[index(other), ::-1].cumsum()[::-1]  # the chances that the other takes n rolls or more
    return float(rolls[index(own)] @ later)
