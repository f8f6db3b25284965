"""The course of one game: its positions and moves so far, chance events, and the end by the rules or a claim."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from zermelo.arena.game_record import BY_RULES, NO_PROGRESS, REPETITION, TOO_MANY_MOVES
from zermelo.arena.players.clock import Clock
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import PositionHistory, has_repetition_rule
from zermelo.core.player_view import consistent

#: Points of MAX by the sign of the utility.
POINTS = {MAX: 1.0, 0: 0.5, MIN: 0.0}


@dataclass(frozen=True)
class GameEnd:
    """The end of a game and its reason."""

    points: float
    termination: str
    detail: str = ""
    forfeited_by: int | None = None


class GameCourse:
    """A game in progress.

    Parameters
    ----------
    start : State
        The starting position.
    max_plies : int
        Number of plies, chance events included, after which the game is a draw.

    Attributes
    ----------
    state : State
        The current position.
    history : list of State
        All earlier positions, the start first.
    moves : list of int
        The moves so far, chance events included.
    positions : PositionHistory
        Occurrences of the positions, the current one included; empty in games without a repetition rule.
    """

    def __init__(self, start: State, max_plies: int) -> None:
        self.state = start
        self.max_plies = max_plies
        self.history: list[State] = []
        self.moves: list[int] = []
        # Only games with a repetition rule need the history.
        self.positions = PositionHistory([start] if has_repetition_rule(start) else ())

    @property
    def start(self) -> State:
        """The starting position."""
        return self.history[0] if self.history else self.state

    def make(self, move: int) -> None:
        """Make a legal move, or a chance event."""
        self.history.append(self.state)
        self.moves.append(move)
        self.state = self.state.play(move)
        if has_repetition_rule(self.state):
            self.positions.push(self.state)

    def before(self) -> PositionHistory:
        """Return the history before the current position, for a search of it."""
        return self.positions.without_last() if len(self.positions) else self.positions

    def setup(self, side: int, seed: int) -> GameSetup:
        """Return what a player gets before the game; `seed` is that of its random choices."""
        start = self.start if self.start.is_over() else consistent(self.start, side, seed_of("start", seed))
        return GameSetup(start, side, seed)

    def turn(self, clock: Clock, seed: int) -> Turn:
        """Return what the side to move gets.

        Where information is hidden, that is a state drawn from those that it cannot tell apart, without the moves
        before. The draw depends on `seed` and on the number of its decisions so far, which it knows.

        Parameters
        ----------
        clock : Clock
            The clock that it sees.
        seed : int
            Seed of the draw, unknown to the players.
        """
        state = self.state
        if state.perfect_information:
            return Turn(state, tuple(self.history), tuple(self.moves), clock, self.before())
        side = state.to_move()
        decisions = sum(each.to_move() == side for each in self.history)
        return Turn(consistent(state, side, seed_of("view", seed, side, decisions)), (), (), clock)

    def end(self) -> GameEnd | None:
        """Return the end if the game is over. A draw that a player may claim counts as claimed."""
        state = self.state
        if state.is_over():
            utility = state.utility()
            return GameEnd(POINTS[(utility > 0) - (utility < 0)], BY_RULES, state.termination())
        occurrences = self.positions.occurrences[-1] if state.draw_at_repetition else 1
        if 0 < state.draw_at_repetition <= occurrences:
            return GameEnd(0.5, REPETITION, f"the position occurred {occurrences} times")
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            return GameEnd(0.5, NO_PROGRESS, f"{state.reversible_plies()} plies without progress")
        if len(self.moves) >= self.max_plies:
            return GameEnd(0.5, TOO_MANY_MOVES, f"{len(self.moves)} plies")
        return None


def chance_move(state: State, dice: random.Random) -> int:
    """Draw the next chance event by its probability."""
    moves, weights = zip(*state.outcomes(), strict=True)
    move: int = dice.choices(moves, weights)[0]
    return move


def seed_of(*parts: object) -> int:
    """Derive a seed from other values: the same on every machine, 48 bits so that JSON keeps it exactly."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])
