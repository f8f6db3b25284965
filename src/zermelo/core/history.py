"""Repetition history: the positions that a game has been through, and the draw rules that depend on them.

A state holds the current position only. Where a rule refers to earlier positions (threefold repetition), the states
before the current one are passed to the search or to the referee of a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError


class PositionHistory:
    """The repetition keys of a game's positions, in order, each with its number of occurrences at that time.

    Parameters
    ----------
    states
        The states of the game so far, the first one first.

    Attributes
    ----------
    keys : list of int
        `State.repetition_key` of each position.
    occurrences : list of int
        How often each position had occurred by then, itself included: 1 for a new position.

    Examples
    --------
    >>> from zermelo.games.checkers import Checkers
    >>> history = PositionHistory()
    >>> history.push(Checkers.start())
    1
    """

    def __init__(self, states: Iterable[State] = ()) -> None:
        self.keys: list[int] = []
        self.occurrences: list[int] = []
        for state in states:
            self.push(state)

    def __len__(self) -> int:
        return len(self.keys)

    def push(self, state: State) -> int:
        """Append the next position of the game and return its number of occurrences, itself included."""
        key = int(state.repetition_key())
        count = 1
        for back in range(state.shortest_cycle, repeatable_plies(state, len(self)) + 1):
            if self.keys[-back] == key:
                count = self.occurrences[-back] + 1
                break
        self.keys.append(key)
        self.occurrences.append(count)
        return count

    def pop(self) -> None:
        """Remove the last position."""
        self.keys.pop()
        self.occurrences.pop()

    def copy(self) -> PositionHistory:
        """Return an independent copy."""
        other = PositionHistory()
        other.keys, other.occurrences = self.keys[:], self.occurrences[:]
        return other

    def without_last(self) -> PositionHistory:
        """Return a copy without the last position: the history for a search of that position."""
        other = self.copy()
        other.pop()
        return other


def preceding_states(state: State, text: str) -> list[State]:
    """Return the states before `state` if `text` is the line of moves from the start that leads to it, else [].

    >>> from zermelo.games.othello import Othello
    >>> len(preceding_states(Othello.parse("f5d6c3"), "f5d6c3"))
    0
    >>> len(preceding_states(Othello.parse("f5 d6 c3"), "f5 d6 c3"))
    3
    """
    try:
        *before, last = type(state).start().through(text)
    except ZermeloError:
        return []
    return before if last == state else []


def repeatable_plies(state: State, played: int) -> int:
    """Return how many of the last `played` positions can still be repeated after `state`."""
    return min(state.reversible_plies(), played)


def can_claim_draw(state: State, occurrences: int) -> bool:
    """Whether a player can claim a draw in a state whose position has occurred `occurrences` times.

    True under the game's move-count rule (`State.draw_at_reversible_plies`) or its repetition rule
    (`State.draw_at_repetition`).
    """
    return (0 < state.draw_at_reversible_plies <= state.reversible_plies()) or (
        0 < state.draw_at_repetition <= occurrences
    )


def is_drawn_by_repetition(state: State, occurrences: int) -> bool:
    """Whether the game ends by repetition without a claim (fivefold repetition in chess)."""
    return 0 < state.game_over_at_repetition <= occurrences


def check_history(history: Sequence[State] | PositionHistory, state: State) -> None:
    """Check the states before a root: all of the root's game, none of them finished.

    A `PositionHistory` comes from a referee, who built it move by move, and is not checked.

    Raises
    ------
    LimitError
        Names the first wrong state by its index.
    """
    if isinstance(history, PositionHistory):
        return
    for index, before in enumerate(history):
        if type(before) is not type(state):
            raise LimitError(
                f"history: state {index} is a {type(before).__name__}; expected the states of {type(state).__name__} "
                "before the root, the first one first"
            )
        if before.is_over():
            raise LimitError(f"history: the game is over in state {index} ({before}); pass unfinished states only")
