"""The exact one-sided bear-off table: up to 15 checkers on the six home points, without contact.

For each of the 54,264 positions the table has the exact distribution of the number of rolls to bear off all checkers,
if each roll is played to minimise the expected number of rolls left. It is computed by dynamic programming in order of
the pip count: for each position the 21 rolls, and all legal plays of each, lead to positions with fewer pips. The same
is done for the first checker of positions that still have all 15, which decides gammons.

`build` takes about half a second with NumPy. `table` keeps the result in the user's cache, as a file with a version in
its name, a length and a checksum; a damaged file is built again.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

from zermelo.core.bitboard import Bitboard
from zermelo.errors import PositionError
from zermelo.games.backgammon.points import CHECKERS, checkers_on

POINTS = 6
POSITIONS = comb(CHECKERS + POINTS, POINTS)
# The entries of a distribution: 0 rolls, 1 roll, ... At most 30 rolls are needed, 15 for the first checker, but the
# probability of more rolls than these entries hold is below 1e-9.
ROLLS = 22
FIRST_ROLLS = 9
# The 21 rolls: larger die, smaller die, and their number of 36.
_ROLLS = tuple((die, small, 1 if die == small else 2) for die in range(1, 7) for small in range(1, die + 1))

# The name in the cache; a change of layout or content needs a new number.
NAME = "backgammon-bearoff-1"
_COLUMNS = 1 + ROLLS + FIRST_ROLLS


class Table(NamedTuple):
    """Read-only arrays of 64-bit floats, indexed by `index`."""

    #: The expected number of rolls to bear off all checkers, shape (POSITIONS,).
    expected: Any
    #: The probabilities that it takes 0, 1, 2, ... rolls, shape (POSITIONS, ROLLS).
    rolls: Any
    #: The same for the first checker, shape (POSITIONS, FIRST_ROLLS); 0 rolls if one is off already.
    first: Any


# BINOMIALS[j][n] is n choose j + 1.
BINOMIALS = tuple(tuple(comb(n, j + 1) for n in range(CHECKERS + POINTS)) for j in range(POINTS))


def index(counts: tuple[int, ...]) -> int:
    """Return the index of a position in the table.

    The position is a combination of 6 separators among 21 places (15 checkers and 6 separators between points); the
    index is its rank in the combinatorial number system.

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
    found = 0
    before = 0
    for point, count in enumerate(counts):
        before += count
        found += BINOMIALS[point][before + point]
    return found


def compiled_index(low: Bitboard, high: Bitboard) -> int:
    """Return the `index` of a side with all checkers at home, from its two words (see `points`)."""
    found = 0
    before = 0
    for point in range(POINTS):
        before += checkers_on(low, high, point + 1)
        found += BINOMIALS[point][before + point]
    return found


def _indices(counts: Any) -> Any:
    """Return the `index` of each row of an array."""
    import numpy as np

    separators = np.cumsum(counts, axis=1) + np.arange(POINTS)
    return np.array(BINOMIALS)[np.arange(POINTS), separators].sum(axis=1)


def _positions() -> Any:
    """Return the checkers on points 1 to 6 of all positions, in the order of `index`."""
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
            steps[die - 1, point - 1, legal] = _indices(after)
    return steps


def _solve(counts: Any, steps: Any, done: Any, entries: int) -> tuple[Any, Any]:
    """Return the expected number of rolls to reach a position that is `done`, and the probabilities of 0, 1, 2, ...

    In a bear-off a checker can always move, so both dice are always played.
    """
    import numpy as np

    expected = np.zeros(POSITIONS + 1)
    expected[POSITIONS] = np.inf
    chances = np.zeros((POSITIONS, entries))
    chances[done, 0] = 1.0
    # after[n, die - 1, position]: the best position after moving n checkers by a die.
    after = np.empty((5, 6, POSITIONS + 1), dtype=np.int64)
    after[:] = np.arange(POSITIONS + 1)

    def best(reached: Any) -> Any:
        """Return the best position over the points, of an array [..., point, position]."""
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


def build() -> Table:
    """Compute the table."""
    import numpy as np

    counts = _positions()
    steps = _steps(counts)
    checkers = counts.sum(axis=1)
    expected, rolls = _solve(counts, steps, checkers == 0, ROLLS)
    _, first = _solve(counts, steps, checkers < CHECKERS, FIRST_ROLLS)
    return _split_columns(np.column_stack([expected, rolls, first]))


@cache
def table() -> Table:
    """Return the table from the cache, or build and cache it."""
    import numpy as np

    from zermelo.compiled import cache as disk_cache

    content = disk_cache.read_bytes(NAME)
    if content is not None and len(content) == 8 * POSITIONS * _COLUMNS:
        return _split_columns(np.frombuffer(content, dtype="<f8").reshape(POSITIONS, _COLUMNS))
    made = build()
    disk_cache.write(NAME, np.column_stack(made).astype("<f8").tobytes())
    return made


def _split_columns(columns: Any) -> Table:
    """Return the table from its concatenated columns."""
    columns.flags.writeable = False
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


def win_chance(own: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return the probability that the side that rolls first wins, if both minimise their expected rolls.

    `own` and `other` are the checkers on points 1 to 6, as for `index`. Raises `PositionError`.
    """
    rolls = table().rolls
    later = rolls[index(other), ::-1].cumsum()[::-1]  # the probabilities that the other side needs at least n rolls
    return float(rolls[index(own)] @ later)
