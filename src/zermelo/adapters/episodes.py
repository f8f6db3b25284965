"""Games played step by step by a learning library: chance events drawn from a seed, results as rewards."""

from __future__ import annotations

import random

from zermelo.arena.game_course import GameCourse, chance_move, seed_of
from zermelo.arena.game_record import TOO_MANY_MOVES
from zermelo.core.game import CHANCE, State
from zermelo.errors import LimitError


class Episode(GameCourse):
    """A game in progress, in which chance has moved whenever someone looks.

    Parameters
    ----------
    start : State
        The starting position.
    max_plies : int
        Plies after which the game is cut off.
    seed : int
        Seed of the chance events.

    Attributes
    ----------
    seed : int
        The same.
    loser : int or None
        The side that lost by a failure (an illegal move, say), whatever the position is.
    failure : str
        What the failure was.
    """

    def __init__(self, start: State, max_plies: int, seed: int) -> None:
        if max_plies < 1:
            raise LimitError(f"max_plies must be at least 1 (got {max_plies})")
        super().__init__(start, max_plies)
        self.loser: int | None = None
        self.failure = ""
        self.seed = seed
        self._dice = random.Random(seed_of("dice", seed))
        self._settle()

    def make(self, move: int) -> None:
        """Make a legal move, and then the chance events up to the next decision or the end."""
        super().make(move)
        self._settle()

    def _settle(self) -> None:
        self.ended = self.end()
        while self.ended is None and self.state.to_move() == CHANCE:
            super().make(chance_move(self.state, self._dice))
            self.ended = self.end()

    def forfeit(self, side: int, failure: str) -> None:
        """End the game: a side has failed and loses."""
        self.loser, self.failure = side, failure

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in any way."""
        return self.loser is not None or self.ended is not None

    @property
    def is_cut_off(self) -> bool:
        """Whether the game has ended because it reached its largest number of plies."""
        return self.loser is None and self.ended is not None and self.ended.termination == TOO_MANY_MOVES

    def reward(self, side: int) -> float:
        """Return the result for a side, -1 to 1.

        It is the utility as a fraction of `max_utility`; -1 for the side that failed and 1 for its opponent; 0 in a
        drawn or unfinished game.
        """
        if self.loser is not None:
            return -1.0 if self.loser == side else 1.0
        if not self.state.is_over():
            return 0.0
        return float(side * self.state.utility() / self.state.max_utility)

    def outcome(self) -> dict[str, str]:
        """Return how the game ended, for the `info` of an environment: `termination` or `failure`, or neither."""
        if self.loser is not None:
            return {"failure": self.failure}
        return {} if self.ended is None else {"termination": self.ended.termination}
