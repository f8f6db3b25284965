"""The moves of a game as actions 0, 1, 2, ..., which learning libraries expect."""

from __future__ import annotations

from typing import Any

import numpy as np

from zermelo.core.game import State
from zermelo.errors import GameError, LimitError

#: Legal moves of a position at most, in games whose actions count them.
MAX_MOVES = 2048


class Actions:
    """Numbers for the moves of a game.

    A game that declares `largest_move` has its moves as actions. In other games (backgammon, checkers) moves are too
    sparse for that, or are no numbers at all: there, action i is the i-th legal move of the position.

    Parameters
    ----------
    cls : type of State
        The game.
    max_moves : int
        The number of actions where they count legal moves.

    Attributes
    ----------
    count : int
        Number of actions; they are 0 .. count - 1.
    """

    def __init__(self, cls: type[State], max_moves: int = MAX_MOVES) -> None:
        if max_moves < 1:
            raise LimitError(f"max_moves must be at least 1 (got {max_moves})")
        self.are_moves = cls.largest_move > 0
        self.count = cls.largest_move + 1 if self.are_moves else max_moves

    def __deepcopy__(self, memo: object) -> Actions:
        return self  # never changes

    def legal(self, state: State) -> dict[int, Any]:
        """Return the legal moves of a position by their actions, in ascending order.

        Raises
        ------
        LimitError
            The position has more legal moves than there are actions.
        GameError
            A move is outside 0 .. `largest_move`.
        """
        moves = state.legal_moves()
        name = type(state).__name__
        if not self.are_moves:
            if len(moves) > self.count:
                raise LimitError(
                    f"{name}: {len(moves)} legal moves in {state}, but only {self.count} actions; "
                    f"use max_moves={len(moves)} or more"
                )
            return dict(enumerate(moves))
        for move in moves:
            if not 0 <= move < self.count:
                raise GameError(
                    f"{name}: move {move} in {state}, but largest_move is {self.count - 1}; "
                    "declare the largest move, or leave largest_move out"
                )
        return {move: move for move in sorted(moves)}

    def mask(self, state: State | None) -> np.ndarray:
        """Return an array of int8 with 1 for each legal action of a position; all 0 for None."""
        mask = np.zeros(self.count, dtype=np.int8)
        if state is not None:
            mask[list(self.legal(state))] = 1
        return mask
