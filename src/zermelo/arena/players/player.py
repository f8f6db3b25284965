"""The interface of all players: searches, people, external programs and agents.

player = player_for(Othello, "mobility:5")          # see specs.py
player.new_game(GameSetup(Othello.start(), MAX, seed=7))
result = player.choose(Turn(state, ...))            # position, history and clock in, move out
player.close()
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo.arena.players.clock import Clock
from zermelo.core.game import State
from zermelo.core.history import PositionHistory

if TYPE_CHECKING:
    from zermelo.arena.game_record import GameRecord


@dataclass(frozen=True, slots=True)
class GameSetup:
    """What a player knows of a game that is about to begin.

    Parameters
    ----------
    start : State
        Starting position, before any opening moves; where information is hidden, one that the player cannot tell from
        it.
    side : int
        The player's side, MAX or MIN.
    seed : int
        Seed of the player's random choices: with the same seed it makes the same choices.
    """

    start: State
    side: int
    seed: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A position in which a player is to move, and its context.

    Parameters
    ----------
    state : State
        The position; where information is hidden, one drawn from those that the player cannot tell from it.
    history : sequence of State
        All earlier positions, from the start of the game; none where information is hidden.
    moves : sequence of int
        The moves that led here, chance moves included; none where information is hidden.
    clock : Clock
        Time control and remaining times.
    positions : PositionHistory, optional
        The earlier positions for repetition checks by our searches.
    """

    state: State
    history: Sequence[State]
    moves: Sequence[int]
    clock: Clock
    positions: PositionHistory | None = None

    @property
    def start(self) -> State:
        """The starting position of the game."""
        return self.history[0] if self.history else self.state


@dataclass(frozen=True, slots=True)
class PlayResult:
    """A player's move.

    Parameters
    ----------
    move : int
        The move.
    nodes : int
        Nodes searched, the root included; 0 if unknown or if nothing was searched.
    depth : int
        Search depth in plies; 0 if unknown.
    score : int, optional
        Score from MAX's point of view, in the player's own unit.
    resigned : bool
        Whether the player resigns; `move` is then ignored.
    """

    move: int
    nodes: int = 0
    depth: int = 0
    score: int | None = None
    resigned: bool = False


class Player(ABC):
    """A source of moves. A player plays one game at a time, any number of games in succession.

    Attributes
    ----------
    text : str
        The spec that it was made from; see `zermelo.arena.players.specs`.
    version : str
        Program and version, stored with each game; empty if unknown.
    is_external : bool
        Whether it is an external program or function: any error while it plays then loses it the game.
    needs_perfect_information : bool
        Whether it plays only games without hidden information, because it takes a state for the true one.
    """

    text: str
    version: str = ""
    is_external = False
    needs_perfect_information = False

    @abstractmethod
    def new_game(self, setup: GameSetup) -> None:
        """Start a game; earlier games must not influence it.

        Raises
        ------
        ProgramFailure
            The player failed and loses the game.
        """

    @abstractmethod
    def choose(self, turn: Turn) -> PlayResult:
        """Choose a move. An illegal move loses the game.

        External players and textbook searches are stopped when their time is up; the engine observes its clock itself.

        Raises
        ------
        ProgramFailure
            The player failed and loses the game.
        """

    def game_over(self) -> None:  # noqa: B027  optional
        """End the current game."""

    def show_result(self, played: GameRecord, state: State) -> None:  # noqa: B027  optional
        """Show the finished game and its final position, for interactive players."""

    def close(self) -> None:  # noqa: B027  optional
        """Release all processes and files; no more games follow. Idempotent."""
