"""Information sets of a small game by enumeration: the default of `State.resample`.

The game is walked ply by ply from its start, once in a process. Each state has a probability: chance moves by its
weights, players move uniformly at random. With perfect recall a player's own moves have the same probability in all
states of an information set, so they do not matter.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from zermelo.errors import GameError

if TYPE_CHECKING:
    from zermelo.core.game import State

S = TypeVar("S", bound="State")

#: The most states of a game that is enumerated: a few seconds.
MAX_STATES = 100_000
#: `State.resample` gets a random number below this.
RANDOM = 1 << 62


class Knowledge(NamedTuple):
    """What a player knows in a state; equal in exactly the states of one information set."""

    player: int
    information: str
    moves: bool
    over: bool


def knowledge(state: State, player: int) -> Knowledge:
    """Return what a player knows: its information state, whether it is to move, and whether the game is over."""
    over = state.is_over()
    return Knowledge(player, state.information_state(player), not over and state.to_move() == player, over)


def draw_state(state: S, player: int, random: int) -> S:
    """Draw from the information set of a player, in proportion to the states' probabilities under random play.

    Parameters
    ----------
    state : State
        Any state of the information set.
    player : int
        MAX or MIN.
    random : int
        A random number in 0 .. `RANDOM` - 1.

    Raises
    ------
    GameError
        The game has more than `MAX_STATES` states, or `state` is not reached from its start.
    """
    sets: dict[Knowledge, tuple[list[S], list[float]]] = _information_sets(type(state).start())
    found = sets.get(knowledge(state, player))
    if found is None:
        raise GameError(
            f"{type(state).__name__}: {state} is not reached from start(), so no states like it can be drawn; define "
            "resample(self, player, random)"
        )
    states, cumulated = found
    return states[min(bisect_right(cumulated, random / RANDOM * cumulated[-1]), len(states) - 1)]


@lru_cache(maxsize=4)
def _information_sets(start: State) -> Any:
    """Return the information sets of both players in the game from a state: the states, and cumulated probabilities."""
    found: dict[Knowledge, dict[State, float]] = {}
    level, count = {start: 1.0}, 0
    while level:
        count += len(level)
        if count > MAX_STATES:
            raise GameError(
                f"{type(start).__name__} has more than {MAX_STATES:,} states, too many to draw from by enumeration; "
                "define resample(self, player, random)"
            )
        following: dict[State, float] = {}
        for state, probability in level.items():
            for player in (1, -1):  # MAX and MIN; `game`, which names them, imports this module
                states = found.setdefault(knowledge(state, player), {})
                states[state] = states.get(state, 0.0) + probability
            if state.is_over():
                continue
            if state.to_move() == 0:  # CHANCE
                moves = list(state.outcomes())
            else:
                moves = [(move, 1) for move in state.moves()]
            total = sum(weight for _, weight in moves)
            for move, weight in moves:
                child = state.play(move)
                following[child] = following.get(child, 0.0) + probability * weight / total
        level = following
    return {each: (list(states), list(accumulate(states.values()))) for each, states in found.items()}
