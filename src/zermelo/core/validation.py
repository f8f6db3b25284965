"""Is this a game at all? A quick look at one state, interpreted, before any search starts; and who is to blame.

`zermelo.testing.check_game` looks at thousands of states; this looks at one, so that a mistake in a game's first
lines is told as such and not as a failure of the search.
"""

from __future__ import annotations

import os
import traceback
from os.path import relpath
from typing import Any

from zermelo.core.evaluation import Evaluation, checked_score
from zermelo.core.game import CHANCE, State
from zermelo.errors import GameError, ZermeloError

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_GAMES = os.path.join(_OURS, "games") + os.sep


def validate_root(state: State, evaluation: Evaluation | None = None, *, searched: bool = True) -> list[int]:
    """The legal moves of a state, after a look at every method that a search will call on it.

    Raises `GameError` naming the method and what was expected, or the line of the game's file that raised; and, where
    the state is `searched` and not only counted from, for a game whose players do not see all of it.
    """
    name = type(state).__name__
    if searched and not state.perfect_information:
        raise GameError(
            f"{name} is a game of imperfect information: a search would play with all cards open; "
            "`zermelo equilibrium` solves it (zermelo.solve.equilibrium.solve)"
        )
    try:
        is_over = state.is_over()
        if not isinstance(is_over, bool):
            raise GameError(f"{name}.is_over() returned {is_over!r}; it must return True or False")
        if is_over:
            checked_utility(state)
            return []
        if state.to_move() == CHANCE:
            if not state.has_chance:
                raise GameError(f"{name}.to_move() returned CHANCE; a game of chance declares outcomes(self)")
            for move, weight in state.outcomes():
                if type(weight) is not int or weight < 1:
                    raise GameError(f"{name}.outcomes() gives {move} the weight {weight!r}; expected an int from 1 up")
        moves = state.legal_moves()
        child = state.play(moves[0])
        if type(child) is not type(state):
            raise GameError(f"{name}.play({moves[0]}) returned {child!r}; it must return the next {name}")
        if evaluation is not None:
            checked_score(evaluation, state)
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from None
    return moves


def checked_utility(state: State) -> int:
    """The utility of a finished game. Raises `GameError` if it is not an int within `max_utility`."""
    utility = state.utility()
    if isinstance(utility, bool) or not isinstance(utility, int):
        raise GameError(
            f"{type(state).__name__}.utility() returned {utility!r} ({type(utility).__name__}); it must return an int"
        )
    if abs(utility) > state.max_utility:
        raise GameError(
            f"{type(state).__name__}.utility() returned {utility}; the game declares max_utility = {state.max_utility}"
        )
    return utility


def as_game_error(error: Exception, state: Any) -> GameError:
    """An exception out of a game's own code as a `GameError` with the line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    rules = [frame for frame in frames if not frame.filename.startswith(_OURS) or frame.filename.startswith(_GAMES)]
    name, told = type(state).__name__, f"raised {type(error).__name__}: {error}"
    if not rules:  # compiled code knows no lines
        return GameError(f"the rules of {name} {told} (the interpreted textbook search tells the line)")
    frame = rules[-1]
    return GameError(f"{relpath(frame.filename)}:{frame.lineno}: {name}.{frame.name} {told}")
