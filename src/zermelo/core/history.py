"""Repetition history: the positions that a game has been through, and the draw rules that depend on them.

A state holds the current position only. Where a rule refers to earlier positions (threefold repetition), the states
before the current one are passed to the search or to the referee of a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from zermelo.core.game import State
from zermelo.errors import IllegalMove, LimitError, ZermeloError


class PositionHistory:
    """The repetition keys of a game's positions, in order, each with its number of occurrences at that time.

    Parameters
    ----------
    states
        The states of the game so far, the first one first.

    Attributes
    ----------
    keys : list of int
        `State.repetition_key` of each position; in interpreted games hashable objects.
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
        self.keys: list[Any] = []
        self.occurrences: list[int] = []
        for state in states:
            self.push(state)

    def __len__(self) -> int:
        return len(self.keys)

    def push(self, state: State, key: Any = None) -> int:
        """Append the next position of the game and return its number of occurrences, itself included.

        `key` is its repetition key as `keys` has it, if that is known.
        """
        if key is None:
            key = int(state.repetition_key()) if state.is_compiled else state.repetition_key()
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


def repeats_to_draw(state: State, history: PositionHistory) -> bool:
    """Whether a position before a state has occurred so often that its next occurrence would be a draw."""
    count = repeatable_plies(state, len(history))
    return count > 0 and 0 < state.draw_at_repetition <= max(history.occurrences[-count:]) + 1


def has_repetition_rule(state: State) -> bool:
    """Whether a rule refers to earlier positions; a constant of the compiled code."""
    return state.draw_at_repetition > 0 or state.has_forbidden_repetition


def has_history_rules(state: State) -> bool:
    """Whether the game has a rule of repetition or of reversible plies; a constant of the compiled code."""
    return state.draw_at_reversible_plies > 0 or has_repetition_rule(state)


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


def is_forbidden(state: State, occurrences: int) -> bool:
    """Whether the move that led to a state is forbidden, because its position has occurred before (superko in Go)."""
    return occurrences > 1 and state.has_forbidden_repetition and state.forbids_repetition()


def utility_by_rule(state: State, occurrences: int) -> int | None:
    """Return the utility by which searches score an unfinished state that repeats a position; None if none applies.

    0 where a player can claim a draw; a loss of `max_utility` for the side that made a forbidden move.
    """
    if is_forbidden(state, occurrences):
        return state.to_move() * state.max_utility
    return 0 if can_claim_draw(state, occurrences) else None


def allowed_moves(state: State, history: PositionHistory) -> list[int]:
    """Return the legal moves that repeat no position where the rules forbid it; in chess, for example, all of them.

    Parameters
    ----------
    state
        The current position.
    history
        The positions of the game before this one.
    """
    moves = state.legal_moves()
    if not state.has_forbidden_repetition:
        return moves
    keys = set(history.keys)
    return [
        move
        for move in moves
        if not (int((after := state.play(move)).repetition_key()) in keys and after.forbids_repetition())
    ]


def check_allowed(state: State, move: int, history: PositionHistory) -> None:
    """Raise `IllegalMove` if a move repeats a position where the rules forbid it; see `allowed_moves`."""
    if not state.has_forbidden_repetition:
        return
    after = state.play(move)
    if after.forbids_repetition() and int(after.repetition_key()) in history.keys:
        ply = history.keys.index(int(after.repetition_key()))
        raise IllegalMove(
            f"{state.move_name(move)!r} is not allowed here: it repeats the position after {ply} moves (superko)"
        )


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
