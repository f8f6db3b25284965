"""The game so far: which positions it has been through, and what the rules say of that.

A state knows what is on the board, not how it came there. Where a rule asks for the past (a position that comes up for
the third time), the states before the one on the board are handed to the searches, and to whoever referees a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError


class Past:
    """The positions of a game, one after another, each with how often it had come up by then.

    >>> from zermelo.games.checkers import Checkers
    >>> past = Past()
    >>> past.add(Checkers.start())
    1
    """

    def __init__(self, states: Iterable[State] = ()) -> None:
        self.positions: list[int] = []  # the key of each position
        self.times: list[int] = []
        for state in states:
            self.add(state)

    def __len__(self) -> int:
        return len(self.positions)

    def add(self, state: State) -> int:
        """The next position of the game. Returns for which time it comes up, 1 for the first."""
        here = int(state.repetition_key())
        times = 1
        for back in range(state.shortest_cycle, reach(state, len(self)) + 1):
            if self.positions[-back] == here:
                times = self.times[-back] + 1
                break
        self.positions.append(here)
        self.times.append(times)
        return times

    def copy(self) -> Past:
        """The same, to be gone on with by itself."""
        past = Past()
        past.positions, past.times = self.positions[:], self.times[:]
        return past

    def before_last(self) -> Past:
        """The same without its last position: what a search of that position is told of the game before it."""
        past = self.copy()
        past.take_back()
        return past

    def take_back(self) -> None:
        """The last position is gone."""
        self.positions.pop()
        self.times.pop()


def led_to(state: State, text: str) -> list[State]:
    """The states before one, where its text is a line of moves from the start; none where it is not.

    >>> from zermelo.games.othello import Othello
    >>> len(led_to(Othello.parse("f5d6c3"), "f5d6c3"))
    0
    >>> len(led_to(Othello.parse("f5 d6 c3"), "f5 d6 c3"))
    3
    """
    try:
        *before, last = type(state).start().through(text)
    except ZermeloError:
        return []
    return before if last == state else []


def reach(state: State, past: int) -> int:
    """How many of the `past` positions before a state can come up again."""
    return min(state.reversible_plies(), past)


def may_be_drawn(state: State, times: int) -> bool:
    """Whether a player may have the game called a draw in a state whose position comes up for so many times."""
    return (0 < state.draw_at_reversible_plies <= state.reversible_plies()) or (0 < state.draw_at_repetition <= times)


def is_drawn(state: State, times: int) -> bool:
    """Whether the game is over by repetition, though nobody asks for it (fivefold repetition in chess)."""
    return 0 < state.game_over_at_repetition <= times


def check(history: Sequence[State] | Past, state: State) -> None:
    """Raises `LimitError` unless all that came before are states of the same game, none of them its end.

    A `Past` was made by whoever referees the game, move by move, and is taken as it is.
    """
    if isinstance(history, Past):
        return
    for place, before in enumerate(history):
        if type(before) is not type(state):
            raise LimitError(
                f"history: state {place} is a {type(before).__name__}; expected the states of {type(state).__name__} "
                "before the one to be searched, the first one first"
            )
        if before.is_over():
            raise LimitError(f"history: the game is over in state {place}, {before}; expected those before its end")
