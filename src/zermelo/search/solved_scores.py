"""Scores of solved positions and moves for the side to move, as solvers of the game print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from zermelo.core.game import MIN, State
from zermelo.core.picture import Grid


class MoveScore(NamedTuple):
    """The score of a move.

    Attributes
    ----------
    move : str
        The move in the game's notation; where moves are columns of the board, each column.
    score : int or None
        Its score for the side to move, with best play by both sides afterwards; None if it is not known.
    is_legal : bool
        Whether the move is legal. In Connect Four a full column is not.
    """

    move: str
    score: int | None
    is_legal: bool


def has_solved_scores(game: type[State] | State) -> bool:
    """Return whether solved positions have scores: where results are graded, or `solved_score` is defined."""
    return not game.has_chance and (game.max_utility > 1 or game.has_solved_score)


def solved_score(state: State, value: int, plies: int | None) -> int | None:
    """Return the score of a solved position for the side to move; None if it takes an unknown distance to tell.

    Parameters
    ----------
    state : State
        An unfinished position of a game for which `has_solved_scores` is true.
    value : int
        Its utility for MAX with best play by both sides.
    plies : int or None
        Plies to the end of the game; None in draws, where results are graded, and if they are unknown.
    """
    if value and state.max_utility == 1:
        if plies is None:
            return None
        value = state.solved_score(value, plies)
    return -value if state.to_move() == MIN else value


def move_scores(state: State, solved: Mapping[str, tuple[int, int | None]]) -> tuple[MoveScore, ...]:
    """Return the scores of all moves, in the order of the rules or of the board's columns.

    Parameters
    ----------
    state : State
        An unfinished position of a game for which `has_solved_scores` is true.
    solved : mapping of str to tuple
        Value and plies, from `state` on, of each solved move; see `solved_score`.
    """
    legal = [state.move_name(move) for move in state.legal_moves()]
    picture = state.picture()
    columns = list(picture.column_labels) if isinstance(picture, Grid) else []
    names = columns if set(legal) <= set(columns) else legal
    scores = {name: solved_score(state, *result) for name, result in solved.items()}
    return tuple(MoveScore(name, scores.get(name), name in legal) for name in names)
