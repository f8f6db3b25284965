"""Quick validation of a game before a search starts: one state, interpreted.

`zermelo.testing.check_game` checks thousands of states. This module checks one, so that a mistake in the first lines of
a game is reported as such and not as a failure of the search.
"""

from __future__ import annotations

import copy
import os
import traceback
from os.path import relpath
from types import CodeType
from typing import Any

from zermelo._util.text import quoted
from zermelo.core.evaluation import Evaluation, checked_score
from zermelo.core.game import CHANCE, State, is_hashable
from zermelo.core.value import annotation_hint, is_int
from zermelo.errors import GameError, InputError, ZermeloError

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_LIBRARY = os.path.dirname(os.__file__)
_GAMES = os.path.join(_PACKAGE, "games") + os.sep


def check_state(state: object) -> None:
    """Raise `InputError` if this is not a state: a class, a text, anything else that is passed by mistake."""
    if isinstance(state, State):
        return
    if isinstance(state, type) and issubclass(state, State):
        name = state.__name__
        raise InputError(f"expected a state, got the class {name}; use {name}.start() or {name}.parse(TEXT)")
    if isinstance(state, str):
        raise InputError(f"expected a state, got the text {quoted(state)}; use zermelo.load(GAME).parse(TEXT)")
    raise InputError(f"expected a state (an instance of a class under @zermelo.game), got {quoted(repr(state))}")


def validate_root(state: State, evaluation: Evaluation | None = None, *, searched: bool = True) -> list[int]:
    """Call the methods that a search calls on a state and check what they return.

    Parameters
    ----------
    state
        The root of the search.
    evaluation
        Checked too, if given.
    searched
        Whether moves will be compared by value; perft, which only counts, passes False.

    Returns
    -------
    list of int
        The legal moves.

    Raises
    ------
    GameError
        Names the method and what was expected, or the line of the game's file that raised an exception; also raised if
        `searched` and the game is one of imperfect information.
    """
    name = type(state).__name__
    if searched and not state.perfect_information:
        instead = (
            "solve it with `zermelo equilibrium` (zermelo.solve.equilibrium.solve)"
            if state.perfect_recall
            else "play it with `zermelo play` (zermelo.search.determinization.pimc)"
        )
        raise GameError(
            f"{name} is a game of imperfect information: a search would see what the players cannot; {instead}"
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
                raise GameError(f"{name}.to_move() returned CHANCE; a game with chance must define outcomes(self)")
            for move, weight in state.outcomes():
                if not is_int(weight) or weight < 1:
                    raise GameError(f"{name}.outcomes() gives {move} the weight {weight!r}; it must be a positive int")
        moves = state.legal_moves()
        if not state.is_compiled:
            _validate_objects(state, moves)
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


def _validate_objects(state: State, moves: list[int]) -> None:
    """Check what only interpreted states can get wrong: an unhashable key, and moves that change the state."""
    name = type(state).__name__
    before = copy.deepcopy(tuple(state))
    check_key(state)
    for move in moves:
        check_key(state.play(move))
        if not same_fields(tuple(state), before):
            raise GameError(
                f"{name}.play({move!r}) changed the state that it was called on; copy what it changes, as in "
                "cells = list(self.cells), and return a new state"
            )


def check_key(state: State) -> None:
    """Raise `GameError` if the key of an interpreted state is not hashable."""
    key: object = state.key()
    if is_hashable(key):
        return
    name = type(state).__name__
    if type(key) is not tuple or len(key) != len(state.fields):
        raise GameError(f"{name}.key() returned {quoted(repr(key))}, which is not hashable; return a tuple or a str")
    field, value = next((f, v) for f, v in zip(state.fields, key, strict=True) if not is_hashable(v))
    raise GameError(
        f"{name}.{field.name} is not hashable ({type(value).__name__}); make it a tuple, str or frozenset, or define "
        f"key(self), as in return tuple(sorted(self.{field.name}.items()))"
        if isinstance(value, dict)
        else f"{name}.{field.name} is not hashable ({type(value).__name__}); make it a tuple, str or frozenset, or "
        f"define key(self), as in return tuple(self.{field.name})"
    )


def same_fields(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Whether two states have equal fields, arrays included."""
    try:
        return first == second
    except ValueError:  # the comparison of arrays has no truth value
        import numpy as np

        return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def checked_utility(state: State) -> int:
    """Return the utility of a finished game.

    Raises
    ------
    GameError
        If it is not an int in -max_utility .. max_utility.
    """
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
    """Convert an exception from a game's own code to a `GameError` that names the line that raised it.

    `state` is a state of the game, or its class.
    """
    frames = _frames(error)
    rules = _rules(frames)
    cls = state if isinstance(state, type) else type(state)
    name = cls.__name__
    raised = f"raised {type(error).__name__}: {error}{annotation_hint(cls, str(error))}"
    if isinstance(error, RecursionError) and len(rules) < len(frames) / 2:  # the search recursed, not the rules
        return GameError(
            f"{name}: the search reached Python's recursion limit before the game ended; pass a depth, or check that "
            "is_over() becomes true"
        )
    if not rules and not state.is_compiled and isinstance(error, TypeError) and "unhashable" in str(error):
        return GameError(
            f"{name}: a state or move is not hashable ({error}); make its parts tuples, str or frozensets, or define "
            "key(self)"
        )
    if not rules and isinstance(error, OverflowError):
        return GameError(f"{name} has a number that does not fit 64 bits, which compiled code needs: {error}")
    if not rules:  # compiled code has no line numbers
        return GameError(f"the rules of {name} {raised} (to find the line, run the interpreted textbook search)")
    code, line = rules[-1]
    return GameError(f"{relpath(code.co_filename)}:{line}: {_function(code)} {raised}")


def origin(error: BaseException, method: str = "") -> str:
    """Return where a game's own code raised an exception, as `nim.py:8: `; empty if it did not.

    The function is named if it is not `method`: `nim.py:8, in rest: `.
    """
    rules = _rules(_frames(error))
    if not rules:
        return ""
    code, line = rules[-1]
    function = _function(code)
    inside = "" if function.rpartition(".")[2] == method or function.startswith("<") else f", in {function}"
    return f"{relpath(code.co_filename)}:{line}{inside}: "


def _frames(error: BaseException) -> list[tuple[CodeType, int]]:
    # Not `extract_tb`: it looks up columns, 15 seconds for the 200,000 frames of an endless recursion.
    return [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]


def _rules(frames: list[tuple[CodeType, int]]) -> list[tuple[CodeType, int]]:
    """The frames of games' own code, including that of the package's games, and of libraries only if there is none."""
    others = [
        (code, line)
        for code, line in frames
        if not code.co_filename.startswith(_PACKAGE) or code.co_filename.startswith(_GAMES)
    ]
    return [(code, line) for code, line in others if not _is_library(code.co_filename)] or others


def _is_library(file: str) -> bool:
    """Whether a file is of Python's library or of Numba: an author looks for a mistake elsewhere."""
    folder = os.path.dirname(file)
    return (folder.startswith(_LIBRARY) and "site-packages" not in folder) or f"{os.sep}numba{os.sep}" in file


def _function(code: CodeType) -> str:
    """The function as its author would name it: `Nim.moves` also for a generator expression in it."""
    parts = code.co_qualname.split(".<locals>.")
    return next((part for part in reversed(parts) if not part.startswith("<")), parts[-1])
