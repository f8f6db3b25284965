"""Where random games start, and how their moves are drawn."""

from __future__ import annotations

from random import Random

from zermelo.core.game import CHANCE, State
from zermelo.errors import GameError


def start_of(game: type[State] | State) -> State:
    """The first position of the games: the class's start, or the position given."""
    start: object = game.start() if isinstance(game, type) and issubclass(game, State) else game
    if not isinstance(start, State):
        raise GameError(f"{start!r} is not a game or a state of one; decorate the class with zermelo.game")
    return start


def draw_move(state: State, moves: list[int], random: Random) -> int:
    """Draw one of the moves: uniformly, or by weight where chance moves."""
    # Of Random's methods only random() returns the same numbers in every version of Python.
    if state.to_move() != CHANCE:
        return moves[int(random.random() * len(moves))]
    outcomes = list(state.outcomes())
    left = random.random() * sum(weight for _, weight in outcomes)
    for move, weight in outcomes:
        left -= weight
        if left < 0:
            return move
    return moves[-1]
