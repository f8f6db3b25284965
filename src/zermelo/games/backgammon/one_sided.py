"""One-sided race tables: how many rolls a side needs, without contact. Shared by `bearoff` and `bearin`.

Checkers on points are numbered by rank: a placement is a combination of places for the separators between the points,
among places for checkers and separators. Its rank is that in the combinatorial number system, and is the same for any
largest number of checkers.

References
----------
- D. E. Knuth, The Art of Computer Programming 4A, section 7.2.1.3: the combinatorial number system.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.games.backgammon.points import CHECKERS, checkers_on

# The 21 rolls: larger die, smaller die, and their number of 36.
_ROLLS = tuple((die, small, 1 if die == small else 2) for die in range(1, 7) for small in range(1, die + 1))
# Those of the bear-in table.
_MOST_POINTS = 12
# BINOMIALS[j][n] is n choose j + 1.
BINOMIALS = tuple(tuple(comb(n, j + 1) for n in range(CHECKERS + _MOST_POINTS)) for j in range(_MOST_POINTS))


def rank(low: Bitboard, high: Bitboard, first: int, points: int) -> int:
    """Return the rank of a side's checkers on some points, from point `first` on, from its two words (see `points`)."""
    found = 0
    before = 0
    for point in range(points):
        before += checkers_on(low, high, first + point)
        found += BINOMIALS[point][before + point]
    return found


def ranks(counts: Any) -> Any:
    """Return the rank of each row of an array of checkers on points."""
    import numpy as np

    points = np.arange(counts.shape[1])
    return np.array(BINOMIALS)[points, np.cumsum(counts, axis=1) + points].sum(axis=1)


def placements(points: int, most: int) -> Any:
    """Return all placements of at most `most` checkers on points, in the order of `ranks`."""
    import numpy as np

    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(points):
        ways = most + 1 - rows.sum(axis=1)
        before = np.repeat(np.cumsum(ways) - ways, ways)
        rows = np.column_stack([np.repeat(rows, ways, axis=0), np.arange(len(before)) - before])
    ordered = np.empty_like(rows)
    ordered[ranks(rows)] = rows
    return ordered


def solve(steps: Any, levels: Any, done: Any, entries: int) -> tuple[Any, Any]:
    """Return the expected number of rolls to reach a position that is done, and the probabilities of 0, 1, 2, ...

    Each roll is played to minimise the expected number of rolls left. Both dice are always played.

    Parameters
    ----------
    steps : array of int, shape (6, choices, positions)
        The position after each choice of a checker to move by each die; `positions` if it is not legal.
    levels : array of int, shape (positions,)
        A step leads to a position of a lower level.
    done : array of bool, shape (positions,)
    entries : int
        The number of probabilities.
    """
    import numpy as np

    positions = len(levels)
    expected = np.zeros(positions + 1)
    expected[positions] = np.inf
    chances = np.zeros((positions, entries))
    chances[done, 0] = 1.0
    # after[n, die - 1, position]: the best position after moving n checkers by a die.
    after = np.empty((5, 6, positions + 1), dtype=np.int64)
    after[:] = np.arange(positions + 1)

    def best(reached: Any) -> Any:
        """Return the best position over the choices, of an array [..., choice, position]."""
        chosen = expected[reached].argmin(axis=-2)
        return np.take_along_axis(reached, chosen[..., None, :], axis=-2)[..., 0, :]

    order = np.argsort(levels, kind="stable")
    order = order[~done[order]]
    every = np.arange(6)[:, None, None]
    for level in np.split(order, np.flatnonzero(np.diff(levels[order])) + 1):
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
    return expected[:positions], chances


def cached_array(name: str, shape: tuple[int, int], build: Callable[[], Any]) -> Any:
    """Return a read-only array of 64-bit floats from the user's cache, or build and store it.

    A damaged file is built again. A change of the layout or content needs a new name.
    """
    import numpy as np

    from zermelo.compiled import cache

    content = cache.read_bytes(name)
    if content is not None and len(content) == 8 * shape[0] * shape[1]:
        return np.frombuffer(content, dtype="<f8").reshape(shape)
    made = build()
    cache.write(name, made.astype("<f8").tobytes())
    made.flags.writeable = False
    return made
