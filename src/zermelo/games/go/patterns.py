"""Local shapes of Go: 3 x 3 patterns of playout moves beside the last move.

A pattern is the surroundings of an empty point, with X and O the stones of the two sides; either side may be to move:

    .  empty         x  empty or O    ?  anything, also outside the board
    *  the point     o  empty or X    #  outside the board

Each is meant in all eight orientations and with the colours exchanged. They are expanded to a table of bits: one for
each set of own stones and of the other side's around the point. A place outside the board is in both sets.

References
----------
S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", INRIA 2006, section
3.2 (figures 2 to 5).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

#: Hane, cut, and the shapes at the edge of the board; the rows from the top.
PATTERNS = (
    ("XOX", ".*.", "???"),
    ("XO.", ".*.", "?.?"),
    ("XO?", "X*.", "x.?"),
    ("XO?", "O*o", "?o?"),
    ("XO?", "O*X", "???"),
    ("?X?", "O*O", "ooo"),
    ("X.?", "O*?", "###"),
    ("?X?", "x*O", "###"),
    ("OX?", "X*O", "###"),
    ("?XO", "?*?", "###"),
)
#: The places around the point in the order of their bits, as (row from the top, column): from the lower left corner.
AROUND = ((2, 0), (2, 1), (2, 2), (1, 0), (1, 2), (0, 0), (0, 1), (0, 2))
#: The bits of the places below, above, left and right of the point.
BELOW, ABOVE, LEFT, RIGHT = 0b00000111, 0b11100000, 0b00101001, 0b10010100
# What may stand for each sign; O and X are the sides, # both of them.
_MEANS = {".": ".", "X": "X", "O": "O", "x": ".O", "o": ".X", "?": ".XO#", "#": "#"}
_EXCHANGED = str.maketrans("XOxo", "OXox")


def _orientations(pattern: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the eight orientations of a pattern, and those with the colours exchanged."""
    for each in (pattern, tuple(row.translate(_EXCHANGED) for row in pattern)):
        turned = each
        for _ in range(4):
            turned = tuple("".join(column) for column in zip(*turned[::-1], strict=True))
            yield turned
            yield tuple(row[::-1] for row in turned)


def _table() -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return the bits of all surroundings that match a pattern: bit `own | other << 8`."""
    found = np.zeros((2,) * 16, bool)  # the axes: the bits of `other`, then those of `own`, the highest first
    for pattern in {turned for each in PATTERNS for turned in _orientations(each)}:
        matches = np.ones_like(found)
        for at, (row, column) in enumerate(AROUND):
            means = _MEANS[pattern[row][column]]
            allowed = [["." in means, "X" in means], ["O" in means, "#" in means]]  # by the bit of `other`, of `own`
            shape = np.ones(16, int)
            shape[[7 - at, 15 - at]] = 2
            matches &= np.reshape(allowed, shape)
        found |= matches
    return np.packbits(found.ravel(), bitorder="little").view(np.uint64)


TABLE = _table()


def is_shape(own: int, other: int) -> bool:
    """Return whether the surroundings of an empty point match a pattern; bits in the order of `AROUND`."""
    place = own | other << 8
    return bool(int(TABLE[place >> 6] >> np.uint64(place & 63)) & 1)
