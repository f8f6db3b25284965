"""Players of Scrabble that look at what they know: their rack, the board, and the number of tiles in the bag."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from zermelo.compiled import native
from zermelo.games.scrabble.endgame import generator
from zermelo.games.scrabble.leaves import (
    CONSTANT,
    FEATURES,
    LETTERS,
    SINGLE,
    SUBSETS,
    best_turn,
    kept_tiles,
    load_leaves,
)
from zermelo.games.scrabble.tiles import EXCHANGE_NEEDS, INDEX, PASS, RACK_SIZE, VALUES, without

if TYPE_CHECKING:
    from zermelo.games.scrabble.rules import Scrabble

Array = Any


@cache
def _points_left() -> Array:
    """Weights of leaves where each tile costs its points."""
    import numpy as np

    weights = np.zeros((RACK_SIZE, FEATURES))
    weights[:, SINGLE:CONSTANT] = [-VALUES[letter] for letter in LETTERS]
    return weights


def greedy_move(state: Scrabble, random: int = 0) -> str:
    """Return the play with most points; without one, an exchange of all tiles, or a pass.

    Parameters
    ----------
    state : Scrabble
        A state in which a player is to move. Only what this player knows is looked at.
    random : int
        Not used; strategies of games get it.
    """
    plays = state.plays()
    if plays:
        return plays[0]
    return PASS + state.racks[INDEX[state.turn]] if state.bag_size() >= EXCHANGE_NEEDS else PASS


def equity_move(state: Scrabble, random: int = 0, weights: Array | None = None) -> str:
    """Return the turn with the highest equity: its points and the value of its leave.

    With an empty bag a leave costs its points.

    Parameters
    ----------
    state : Scrabble
        A state in which a player is to move. Only what this player knows is looked at.
    random : int
        Not used, as in `greedy_move`.
    weights : ndarray, optional
        Weights of leaves, as `zermelo.games.scrabble.leaves.fit` makes them; by default those of the package.
    """
    import numpy as np

    rack = state.racks[INDEX[state.turn]]
    plays = generator(state.word_file).plays(state.squares, rack)
    if state.bag_size() == 0:
        weights = _points_left()
    counts = np.array([rack.count(letter) for letter in LETTERS])
    arguments = (
        plays.facts, plays.texts, len(plays.facts), counts, state.bag_size(),
        load_leaves() if weights is None else weights, np.zeros(SUBSETS), np.zeros(len(LETTERS), np.int64),
    )  # fmt: skip
    turn, _ = native(best_turn, *arguments)(*arguments)
    if turn >= 0:
        return plays.name(turn)
    return PASS + without(rack, kept_tiles(rack, -2 - turn)) if turn < -1 else PASS
