"""Scrabble: turns by equity, and alpha-beta once the bag is empty.

From there on a player knows the rack of the other one: it is what has not been seen. The game then has perfect
information, and the engine searches it to the end or to a depth.
"""

from __future__ import annotations

from zermelo.errors import LimitError
from zermelo.games.scrabble import Scrabble
from zermelo.games.scrabble.strategy import equity_move
from zermelo.search.engine import Engine

#: Depth of the search in plies, where nothing else is asked for.
DEFAULT_DEPTH = 2
#: Memory of the search: the trees are small.
_TABLE = "1M"


def best_move(state: Scrabble, depth: int = DEFAULT_DEPTH) -> str:
    """Return the turn with the highest equity; with an empty bag, the best turn by alpha-beta.

    Parameters
    ----------
    state : Scrabble
        A state in which a player is to move. Only what this player knows is looked at.
    depth : int
        Depth of the search in plies, 1 to 200. It is exact where it reaches the end of the game.

    Raises
    ------
    LimitError
        If the depth is out of range.

    Examples
    --------
    >>> best_move(Scrabble().after("+A +E +I +N +R +S +T" " +B +C +D +F +G +H +J"))
    """
    if not 1 <= depth <= 200:
        raise LimitError(f"depth must be between 1 and 200 plies (got {depth})")
    if state.bag_size() > 0:
        return equity_move(state)
    with Engine(_TABLE) as engine:
        move: object = engine.best_move(state.endgame(), depth=depth)
    return str(move)
