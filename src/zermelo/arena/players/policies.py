"""Players that follow a strategy file (`zermelo equilibrium GAME --output FILE`)."""

from __future__ import annotations

import random

from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import State
from zermelo.errors import LimitError
from zermelo.solve.strategy_file import read_strategy


class PolicyPlayer(Player):
    """Chooses each move with the probability of a strategy file, by the player's seed.

    Parameters
    ----------
    cls : type of State
        The game.
    path : str
        The strategy file.

    Raises
    ------
    FileError
        If the file cannot be read, is damaged, or belongs to another game; see `read_strategy`.
    """

    def __init__(self, cls: type[State], path: str) -> None:
        self.text = f"policy:{path}"
        self._path = path
        self._strategies = read_strategy(path, cls).strategies

    def new_game(self, setup: GameSetup) -> None:
        self._random = random.Random(setup.seed)

    def choose(self, turn: Turn) -> PlayResult:
        state = turn.state
        player = state.to_move()
        information = state.information_state(player)
        chosen = self._strategies[player].get(information)
        if chosen is None:
            raise LimitError(
                f"{self._path} has no probabilities for {information!r} of {state.player_name(player)}: it was solved "
                "from another position"
            )
        names, weights = [*chosen], [float(probability) for probability in chosen.values()]
        by_name = {state.move_name(move): move for move in state.legal_moves()}
        if not by_name.keys() >= chosen.keys():
            raise LimitError(
                f"{self._path} has probabilities of other moves for {information!r} of {state.player_name(player)}: "
                f"expected {' '.join(by_name)}"
            )
        return PlayResult(by_name[self._random.choices(names, weights)[0]])
