"""Player views: what functions and agents get in games with hidden information, in place of the state."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from zermelo.core.game import State
from zermelo.core.information_sets import RANDOM

S = TypeVar("S", bound=State)


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What the side to move knows in a game with hidden information: what functions and agents get of the state.

    Attributes
    ----------
    player : int
        The side to move, MAX or MIN.
    information : str
        `State.information_state`: equal in exactly the states that the player cannot tell apart.
    key : int
        `State.information_key`; in interpreted games a hashable object.
    moves : tuple of int
        The legal moves.
    names : tuple of str
        Their names, in the same order.
    board : str
        The board as the player sees it.
    """

    player: int
    information: str
    key: Any
    moves: tuple[Any, ...]
    names: tuple[str, ...]
    board: str
    _drawn: State = field(repr=False, compare=False)

    @classmethod
    def of(cls, state: State) -> PlayerView:
        """Return the view of the side to move. `state` itself is not hidden: it must be one that `consistent` drew."""
        player = state.to_move()
        moves = tuple(state.legal_moves())
        names = tuple(map(state.move_name, moves))
        key = state.information_key(player)
        return cls(player, state.information_state(player), key, moves, names, board_of(state, player), state)

    def sample(self, random: int) -> State:
        """Draw a state that the player thinks possible; see `State.resample`.

        Parameters
        ----------
        random : int
            A random number in 0 .. 2**62 - 1, such as `random.getrandbits(62)`.
        """
        return self._drawn.resample(self.player, random)


def consistent(state: S, player: int, seed: int) -> S:
    """Return a state that a player may be given in place of the true one.

    It is drawn from those that the player cannot tell apart, so it depends on the seed and on what the player knows
    alone. Where nothing is hidden it is the state.
    """
    if state.perfect_information:
        return state
    return state.resample(player, Random(seed).randrange(RANDOM))


def board_of(state: State, player: int) -> str:
    """Return the board as a player sees it: that of `State.view`, or else the information state."""
    seen = state.view(player)
    return state.information_state(player) if seen is None else seen.board()
