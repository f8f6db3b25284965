"""A game in progress that people play: its positions, who plays which side, and what the rules allow.

game = GameInProgress([TicTacToe.start()], people={MAX})
game.make(game.parse("b2"))
game.undo()
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from zermelo import formatting
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, allowed_moves, check_allowed, is_drawn_by_repetition
from zermelo.interactive.game_files import move_between


class GameInProgress:
    """A game in progress.

    Parameters
    ----------
    states : sequence of State
        The states so far, the first one first and the current one last.
    people : collection of int
        The sides that people play: MAX, MIN, both or none. The engine plays the others.

    Attributes
    ----------
    state : State
        The current state.
    before : list of State
        The states before it.
    past : PositionHistory
        The positions, the current one included.
    moves : list of int
        The moves and chance events between the states.
    people : set of int
        The sides that people play.
    """

    def __init__(self, states: Sequence[State], people: Collection[int] = ()) -> None:
        self.people = set(people)
        self.replace(states)

    def replace(self, states: Sequence[State]) -> None:
        """Continue another game in place of this one."""
        *self.before, self.state = states
        self.past = PositionHistory(states)
        self.moves = [move_between(before, after) for before, after in pairwise(states)]
        self._names: list[str] = []

    def copy(self) -> GameInProgress:
        """Return an independent copy."""
        other = GameInProgress.__new__(GameInProgress)
        other.people, other.state, other.before = set(self.people), self.state, list(self.before)
        other.past, other.moves, other._names = self.past.copy(), list(self.moves), list(self._names)
        return other

    @property
    def states(self) -> list[State]:
        """All states, the current one last."""
        return [*self.before, self.state]

    # ---- moves ---------------------------------------------------------------------------------------------

    def allowed(self) -> list[int]:
        """Return the moves that the side to move may choose from: none in a finished game."""
        return [] if self.is_finished() else allowed_moves(self.state, self.past)

    def parse(self, text: str) -> int:
        """Read a move in the game's notation.

        Raises
        ------
        IllegalMove
            If it is not legal here, or repeats a position where the rules forbid it.
        """
        move = self.state.parse_move(text)
        check_allowed(self.state, move, self.past)
        return move

    def make(self, move: int) -> None:
        """Make a legal move, or a chance event."""
        after = self.state.play(move)
        self.before.append(self.state)
        self.state = after
        self.past.push(after)
        self.moves.append(move)

    def undo(self) -> bool:
        """Go back to the last position in which a person was to move; returns False if there is none."""
        places = [place for place, state in enumerate(self.before) if state.to_move() in self.people]
        if not places:
            return False
        self.cut(places[-1])
        return True

    def cut(self, plies: int) -> None:
        """Go back to the position after a number of moves and chance events."""
        if plies < len(self.before):
            self.state = self.before[plies]
            del self.before[plies:], self.moves[plies:], self._names[plies:]
            while len(self.past) > plies + 1:
                self.past.pop()

    def last_place(self) -> int | None:
        """Return the index in `before` of the state in which a player moved last; chance events are skipped."""
        places = (place for place in reversed(range(len(self.before))) if self.before[place].to_move() != CHANCE)
        return next(places, None)

    def last_move(self) -> tuple[State, int] | None:
        """Return the last move of a player and the state before it; None before the first."""
        last = self.explained()
        return None if last is None else (last[0], last[2])

    def explained(self, text: str = "") -> tuple[State, list[State], int] | None:
        """Return a move to explain: a legal one by its name, or the last one of a player.

        Returns
        -------
        tuple of (State, list of State, int) or None
            The state before the move, the states before that, and the move; None before the first move.

        Raises
        ------
        IllegalMove
            As `parse`.
        """
        if text:
            return self.state, self.before, self.parse(text)
        place = self.last_place()
        if place is None:
            return None
        return self.before[place], self.before[:place], self.moves[place]

    def move_names(self) -> list[str]:
        """Return the names of all moves and chance events so far."""
        known = len(self._names)
        self._names += [
            before.move_name(move) for before, move in zip(self.before[known:], self.moves[known:], strict=True)
        ]
        return list(self._names)

    # ---- the end -------------------------------------------------------------------------------------------

    def is_finished(self) -> bool:
        """Whether the game has ended by the rules, with the end by repetition that needs no claim."""
        return self.state.is_over() or is_drawn_by_repetition(self.state, self.past.occurrences[-1])

    def is_for_a_person(self) -> bool:
        """Whether a person is to move."""
        return not self.is_finished() and self.state.to_move() in self.people

    def claim_reason(self) -> str:
        """Return the reason why a draw can be claimed; empty if it cannot."""
        return "" if self.state.is_over() else formatting.drawn(self.state, self.past.occurrences[-1])
