"""Moves as numbers, for records: stores and plans keep ints, and the moves of interpreted games may be any objects.

The number of a move of an interpreted game is its place among the legal moves of its state.
"""

from __future__ import annotations

from typing import Any

from zermelo.core.game import State
from zermelo.errors import IllegalMove


def number_of(state: State, move: Any) -> int:
    """Return the number of a legal move."""
    return move if state.is_compiled else state.legal_moves().index(move)


def move_of(state: State, number: int) -> Any:
    """Return the legal move of a number.

    Raises
    ------
    IllegalMove
        If the state has no such move.
    """
    legal: list[Any] = state.legal_moves()
    if not state.is_compiled:
        if 0 <= number < len(legal):
            return legal[number]
    elif number in legal:
        return number
    why = "the game is over" if state.is_over() else f"illegal in {state}"
    raise IllegalMove(f"move {number}: {why}")
