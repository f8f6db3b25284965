"""A game as a PettingZoo environment (AEC): the agents `player_0` (MAX) and `player_1` (MIN).

from zermelo.adapters.pettingzoo import env

game = env("connect4", render_mode="ansi")
game.reset(seed=1)
for agent in game.agent_iter():
    observation, reward, terminated, truncated, info = game.last()
    over = terminated or truncated
    game.step(None if over else game.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zermelo.adapters.actions import MAX_MOVES, Actions
from zermelo.adapters.episodes import Episode
from zermelo.adapters.observations import Observations
from zermelo.adapters.rendering import RENDER_MODES, check_choice, render
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import IllegalMove, MissingDependency
from zermelo.registry import load

try:
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingDependency("environments need PettingZoo: pip install 'zermelo[pettingzoo]'") from None

_SIDES = {"player_0": MAX, "player_1": MIN}
_AGENTS = {side: agent for agent, side in _SIDES.items()}


class GameAEC(pettingzoo.AECEnv[str, dict[str, np.ndarray], int]):
    """A two-player game with both sides played from outside. `env` makes it with PettingZoo's usual wrappers.

    Parameters
    ----------
    game : str or type of State
        The game: a name, FILE:CLASS, or the class.
    max_plies : int
        Plies after which a game is truncated.
    max_moves : int
        Number of actions in games without `largest_move`; see `zermelo.adapters.actions`.
    render_mode : {"ansi", "rgb_array"}, optional
        What `render` returns: the board as text, or a picture (needs the extra `draw`).

    Notes
    -----
    An observation is a dict of `observation` (`zermelo.adapters.observations`) and `action_mask`, in which nothing is
    legal for the agent that is not to move. Rewards come at the end: utility as a fraction of `max_utility`.

    Raises
    ------
    UnknownGame
        No such game.
    LimitError
        An argument is out of range.
    MissingDependency
        PettingZoo is not installed.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "zermelo_v0",
        "is_parallelizable": False,
        "render_modes": RENDER_MODES,
        "render_fps": 1,
    }

    def __init__(
        self,
        game: str | type[State],
        *,
        max_plies: int = 1000,
        max_moves: int = MAX_MOVES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = load(game) if isinstance(game, str) else game
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._max_plies = max_plies
        self._actions = Actions(self.game, max_moves)
        self._observations = Observations(self.game)
        self._random = np.random.default_rng()
        self.possible_agents = list(_SIDES)
        self.action_spaces = {agent: spaces.Discrete(self._actions.count) for agent in _SIDES}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(self._observations.low, self._observations.high, dtype=np.int64),
                    "action_mask": spaces.Box(0, 1, (self._actions.count,), dtype=np.int8),
                }
            )
            for agent in _SIDES
        }

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Parameters
        ----------
        seed : int, optional
            Seed of all chance events from here on.
        options : dict, optional
            `position`: the starting position as text.

        Raises
        ------
        PositionError
            The position is invalid.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed)
        position = (options or {}).get("position")
        start = self.game.start() if position is None else self.game.parse(position)
        self._episode = Episode(start, self._max_plies, int(self._random.integers(1 << 48)))
        self.agents = list(_SIDES)
        self.rewards = dict.fromkeys(_SIDES, 0.0)
        self._cumulative_rewards = dict.fromkeys(_SIDES, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in _SIDES}
        self.agent_selection = self.agents[0]
        self._update()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees, and its legal actions: none if it is not to move."""
        episode, side = self._episode, _SIDES[agent]
        moves = not episode.is_over and episode.state.to_move() == side
        return {
            "observation": self._observations.observe(episode.state, side),
            "action_mask": self._actions.mask(episode.state if moves else None),
        }

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is; None for an agent whose game is over.

        Raises
        ------
        IllegalMove
            The action is not legal. The wrapper of `env` ends the game instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._actions.legal(self._episode.state)
        if action is None or int(action) not in legal:
            where = f" in {self._episode.state}" if self.game.perfect_information else ""
            raise IllegalMove(f"{agent}: action {action} is illegal{where}; see action_mask")
        self._cumulative_rewards[agent] = 0.0
        self._episode.make(legal[int(action)])
        self._update()
        self._accumulate_rewards()

    def _update(self) -> None:
        """Set the dictionaries and the agent to move from the episode."""
        episode = self._episode
        cut_off = episode.is_cut_off
        self.terminations = dict.fromkeys(self.agents, episode.is_over and not cut_off)
        self.truncations = dict.fromkeys(self.agents, cut_off)
        self.rewards = {agent: episode.reward(_SIDES[agent]) for agent in self.agents}
        self.infos = {agent: dict(episode.outcome()) for agent in self.agents}
        if not episode.is_over:
            self.agent_selection = _AGENTS[episode.state.to_move()]

    def render(self) -> Any:
        """Return the board as text or as an array of shape (height, width, 3), according to `render_mode`."""
        return render(self._episode.state, self.render_mode, _SIDES[self.agent_selection])

    def close(self) -> None:
        """Do nothing: there are no resources to free."""

    def __str__(self) -> str:
        return f"zermelo_{self.game.__name__}"


def env(game: str | type[State], **options: Any) -> pettingzoo.AECEnv[str, dict[str, np.ndarray], int]:
    """Return a `GameAEC` with PettingZoo's wrappers: an illegal action loses the game; calls out of order are errors.

    Parameters
    ----------
    game : str or type of State
        The game.
    **options
        As for `GameAEC`.
    """
    return wrappers.OrderEnforcingWrapper(wrappers.TerminateIllegalWrapper(GameAEC(game, **options), illegal_reward=-1))
