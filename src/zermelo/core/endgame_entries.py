"""Entries of endgame tables: the result for the side to move, and the plies to the end of the game.

       -n       ...   -1          0          1      ...      n           UNUSED
    lost in n - 1 ... lost now  drawn     won now   ...  won in n - 1   not a position

With best play: the side that wins takes the shortest way, the other the longest. Draws by the number of reversible
plies or by repetition are left out, since a position does not include the history of the game.
"""

from __future__ import annotations

# The smallest numbers of entries of 1 and of 2 bytes.
_UNUSED = (-(1 << 7), -(1 << 15))
#: `UNUSED` of entries of 2 bytes, and the longest distance that they have.
UNUSED = _UNUSED[1]
MOST_PLIES = (1 << 15) - 2


def unused(size: int) -> int:
    """`UNUSED` of entries of 1 or 2 bytes."""
    return _UNUSED[size - 1]


def plies_in(entry: int) -> int:
    """The plies to the end of the game, of a win or loss."""
    return abs(entry) - 1
