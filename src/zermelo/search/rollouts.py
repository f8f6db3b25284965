"""Rollouts: a position of a game of chance, judged by playing it out many times.

    game      each side makes the move that a shallow search finds best by an evaluation; chance events are drawn
    variance  the first chance event of game i of n is the quantile (i + 1/2) / n of its outcomes, so that each occurs
              as often as its probability says; the later ones are random

References
----------
G. Tesauro and G. R. Galperin, "On-line Policy Improvement using Monte-Carlo Search", NIPS 9 (1996).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.random_numbers import random_outcome, random_word
from zermelo.errors import LimitError, ZermeloError
from zermelo.search.position_search import PositionSearch, check_searchable

#: Bits of the random number that draws the outcome of a chance event.
_RANDOM_BITS = 62
_MOST_GAMES = 10**7


@dataclass(frozen=True)
class Rollout:
    """The results of the games of a rollout.

    Attributes
    ----------
    counts : dict of int to int
        How many games ended with each utility, from MAX's side; the highest utility first.
    """

    counts: dict[int, int]

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """The mean utility, from MAX's side."""
        return sum(utility * count for utility, count in self.counts.items()) / self.games

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite for a single game. The even spread of the first event lowers it."""
        if self.games < 2:
            return math.inf
        squares = sum((utility - self.mean) ** 2 * count for utility, count in self.counts.items())
        return math.sqrt(squares / (self.games - 1) / self.games)


def rollout(
    state: State,
    games: int = 1296,
    evaluation: str | Evaluation | None = None,
    *,
    depth: int = 1,
    seed: int = 0,
    max_plies: int = 10_000,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Rollout:
    """Play a position out many times, and count the results.

    Parameters
    ----------
    state : State
        The position, in a game with chance events and without hidden information. It may be a chance event.
    games : int
        Number of games, at least 1. 1,296 is the number of pairs of rolls of two dice.
    evaluation : str or Evaluation, optional
        Evaluation for the moves of both sides. Default: the game's first one.
    depth : int
        Plies of the search for each move; 1 evaluates the position after the move.
    seed : int
        Equal seeds give equal games.
    max_plies : int
        A longer game ends as a draw, of utility 0.
    on_progress : callable
        Called after each game with the number of finished games.

    Returns
    -------
    Rollout
        If Ctrl-C interrupts it, the games so far.

    Raises
    ------
    ZermeloError
        The game has no chance events, or hidden information.
    LimitError
        `games`, `depth` or `max_plies` is out of range.
    KeyboardInterrupt
        Ctrl-C before the end of the first game.
    """
    check_rollout(state, games, depth, max_plies)
    search = None if state.is_over() else PositionSearch(state, resolve_evaluation(state, evaluation))
    counts: dict[int, int] = {}
    try:
        for number in range(games):
            utility = _play(state, search, depth, (number, games), seed, max_plies)
            counts[utility] = counts.get(utility, 0) + 1
            on_progress(number + 1)
    except KeyboardInterrupt:
        if not counts:
            raise
    return Rollout(dict(sorted(counts.items(), reverse=True)))


def check_rollout(state: State, games: int = 1, depth: int = 1, max_plies: int = 1) -> None:
    """Raise the error with which `rollout` refuses its arguments."""
    if not state.has_chance:
        raise ZermeloError(f"{type(state).__name__} has no chance events: all games of a rollout would be the same")
    check_searchable(state)
    for name, value, most in (("games", games, _MOST_GAMES), ("depth", depth, 20), ("max_plies", max_plies, 10**6)):
        if not 1 <= value <= most:
            raise LimitError(f"{name} must be from 1 to {most:,} (got {value:,})")


def _play(
    state: State, search: PositionSearch | None, depth: int, game: tuple[int, int], seed: int, max_plies: int
) -> int:
    """Play one game, and return its utility. `game` is its number and the number of all."""
    number, games = game
    events = 0
    for _ in range(max_plies):
        if state.is_over():
            return int(state.utility())
        if state.to_move() == CHANCE:
            if events:
                drawn = random_word(seed, number * max_plies + events)
            else:
                drawn = ((2 * number + 1) << _RANDOM_BITS - 1) // games
            state = state.play(random_outcome(state, drawn))
            events += 1
        else:
            moves = state.legal_moves()
            if len(moves) > 1 and search:
                state = state.play(search.search(state, depth).best)
            else:
                state = state.play(moves[0])
    return 0
