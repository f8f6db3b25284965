"""What plays: one interface for searches of ours, students' functions and programs from outside.

player = player_for(Othello, "wdiff:5")             players.py: by a short text
player.new_game(GameSetup(Othello.start(), MAX, seed=7))
choice = player.choose(Turn(state, ...))            position, clock and history in, move out
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
    """Where a player sits in a game that is about to begin."""

    start: State
    #: MAX or MIN.
    side: int
    #: For all that the player does by chance: the same seed, the same choices.
    seed: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A state in which the player is to move, and what is known of the game beside it."""

    state: State
    #: The states from the start of the game to before this one.
    history: Sequence[State]
    #: The moves that led from the start to here, chance's among them.
    moves: Sequence[int]
    clock: Clock
    #: The positions before this one, as searches of ours take them; None: nothing came before.
    past: PositionHistory | None = None

    @property
    def start(self) -> State:
        """Where the game began."""
        return self.history[0] if self.history else self.state


@dataclass(frozen=True, slots=True)
class PlayResult:
    """A player's answer."""

    move: int
    #: States visited for it, the one it was asked about included; 0 where nothing was searched or it is not known.
    nodes: int = 0
    #: Plies searched; 0 where not known.
    depth: int = 0
    #: For MAX, in the player's own units; None where it says nothing.
    score: int | None = None
    #: Whether the player resigns; `move` is then ignored.
    resigned: bool = False


class Player(ABC):
    """Whoever chooses moves. A player plays one game at a time, any number after one another."""

    #: The text that it was made from.
    text: str
    #: Programs and versions, as far as they tell: kept with each game.
    version: str = ""
    #: Whether it is a program or function that is not ours: whatever goes wrong around it loses it the game.
    is_external = False

    @abstractmethod
    def new_game(self, seat: GameSetup) -> None:
        """A game begins; nothing of the games before may matter in it. Raises `Failure`, which loses the game."""

    @abstractmethod
    def choose(self, turn: Turn) -> PlayResult:
        """The move to be played. Raises `Failure`, which loses the game; a move that is not legal loses it as well.

        A player from outside and a search of the books are stopped when their time is up; our engine keeps to its clock
        by itself.
        """

    def game_over(self) -> None:  # noqa: B027  most players need not know
        """The game has ended, however it did."""

    def show_result(self, played: GameRecord, state: State) -> None:  # noqa: B027  most players need not know
        """What is kept of the game, and the state it ended in: for who wants to see it."""

    def close(self) -> None:  # noqa: B027  most players hold nothing
        """No more games: every process and file is given back. May be called twice."""
