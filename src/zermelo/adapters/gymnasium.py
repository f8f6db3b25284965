"""A game as a Gymnasium environment: an agent plays one side against a Zermelo player.

from zermelo.adapters.gymnasium import GameEnv

env = GameEnv("connect4", opponent="lines:2", side="min")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(3)
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zermelo.adapters.actions import MAX_MOVES, Actions
from zermelo.adapters.episodes import Episode
from zermelo.adapters.observations import Observations
from zermelo.adapters.rendering import RENDER_MODES, check_choice, render
from zermelo.arena.game_course import seed_of
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.specs import check_player, player_for
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import MissingDependency
from zermelo.registry import load
from zermelo.sandbox.failure import ProgramFailure

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingDependency("environments need Gymnasium: pip install 'zermelo[gymnasium]'") from None

SIDES = {"max": MAX, "min": MIN}
_SIDE_CHOICES = (*SIDES, "random")
# Random choices of an episode follow from a number below this.
_SEEDS = 1 << 48


class GameEnv(gymnasium.Env[np.ndarray, int]):
    """A two-player game in which the agent plays one side and a Zermelo player the other.

    Parameters
    ----------
    game : str or type of State
        The game: a name, FILE:CLASS, or the class.
    opponent : str
        Player spec of the opponent, such as `random`, `lines:3` or `engine:nodes=2000`. Games with hidden information
        have `random` only.
    side : {"max", "min", "random"}
        The agent's side; `random` draws it in each episode. `reset(options={"side": "min"})` overrides it.
    max_plies : int
        Plies after which an episode is truncated.
    max_moves : int
        Number of actions in games without `largest_move`; see `zermelo.adapters.actions`.
    render_mode : {"ansi", "rgb_array"}, optional
        What `render` returns: the board as text, or a picture (needs the extra `draw`).

    Notes
    -----
    Observations are arrays of integers (`zermelo.adapters.observations`). `info["action_mask"]` marks the legal
    actions, and so does `action_masks()`, which sb3-contrib calls. An illegal action ends the episode with reward -1.
    Rewards come at the end: utility as a fraction of `max_utility`, from the agent's side. All random choices follow
    from `reset(seed=...)`.

    Raises
    ------
    UnknownGame
        No such game or player.
    LimitError
        An argument is out of range.
    MissingDependency
        Gymnasium is not installed.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        game: str | type[State],
        opponent: str = "random",
        *,
        side: str = "max",
        max_plies: int = 1000,
        max_moves: int = MAX_MOVES,
        render_mode: str | None = None,
    ) -> None:
        self.game = load(game) if isinstance(game, str) else game
        check_choice("side", side, _SIDE_CHOICES)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        check_player(self.game, opponent)
        self.side = MAX
        self.render_mode = render_mode
        self._side_choice = side
        self._max_plies = max_plies
        self._actions = Actions(self.game, max_moves)
        self._observations = Observations(self.game)
        self._opponent = player_for(self.game, opponent)
        self._current: Episode | None = None
        self.action_space = spaces.Discrete(self._actions.count)
        self.observation_space = spaces.Box(self._observations.low, self._observations.high, dtype=np.int64)

    # ---- episodes -------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game.

        Parameters
        ----------
        seed : int, optional
            Seed of all random choices from here on.
        options : dict, optional
            `position`: the starting position as text; `side`: the agent's side in this episode.

        Returns
        -------
        observation : array
        info : dict
            `action_mask`, and `position` as text unless information is hidden.

        Raises
        ------
        LimitError, PositionError
            An option is invalid.
        """
        super().reset(seed=seed)
        options = options or {}
        side = options.get("side", self._side_choice)
        check_choice("side", side, _SIDE_CHOICES)
        position = options.get("position")
        start = self.game.start() if position is None else self.game.parse(position)
        drawn = int(self.np_random.integers(_SEEDS))
        self.side = SIDES[side] if side in SIDES else (MAX, MIN)[drawn & 1]
        self._current = Episode(start, self._max_plies, drawn)
        try:
            self._opponent.new_game(self._current.setup(-self.side, seed_of("player", drawn)))
        except ProgramFailure as failure:
            self._current.forfeit(-self.side, str(failure))
        self._answer()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Make the agent's move, and the opponent's answer.

        Returns
        -------
        observation, reward, terminated, truncated, info
            As in Gymnasium. `info["failure"]` says what an illegal action was, or how the opponent's program failed.

        Raises
        ------
        gymnasium.error.ResetNeeded
            The game has not begun or is over.
        """
        episode = self._episode
        if episode.is_over:
            raise gymnasium.error.ResetNeeded("the game is over; call reset()")
        legal = self._actions.legal(episode.state)
        if int(action) in legal:
            episode.make(legal[int(action)])
            self._answer()
        else:
            episode.forfeit(self.side, f"illegal action {int(action)}")
        truncated = episode.is_cut_off
        terminated = self._episode.is_over and not truncated
        return self._observe(), episode.reward(self.side), terminated, truncated, self._info()

    def close(self) -> None:
        """End the opponent's program, if it is one."""
        self._opponent.close()

    @property
    def _episode(self) -> Episode:
        if self._current is None:
            raise gymnasium.error.ResetNeeded("no game has begun; call reset()")
        return self._current

    def _answer(self) -> None:
        """Let the opponent move until it is the agent's turn or the game is over."""
        episode, clock = self._episode, Clock.of(TimeControl())
        try:
            while not episode.is_over and episode.state.to_move() != self.side:
                result = self._opponent.choose(episode.turn(clock, episode.seed))
                if result.resigned or result.move not in episode.state.legal_moves():
                    episode.forfeit(-self.side, "resigned" if result.resigned else f"illegal move {result.move}")
                else:
                    episode.make(result.move)
        except ProgramFailure as failure:
            episode.forfeit(-self.side, str(failure))
        if episode.is_over:
            self._opponent.game_over()

    # ---- what the agent sees --------------------------------------------------------------------------------

    def action_masks(self) -> np.ndarray:
        """Return a mask of the legal actions, 1 or 0; none is legal after the end."""
        return self._actions.mask(None if self._episode.is_over else self._episode.state)

    def render(self) -> Any:
        """Return the board as text or as an array of shape (height, width, 3), according to `render_mode`."""
        return render(self._episode.state, self.render_mode, self.side)

    def _observe(self) -> np.ndarray:
        return self._observations.observe(self._episode.state, self.side)

    def _info(self) -> dict[str, Any]:
        shown = {"position": str(self._episode.state)} if self.game.perfect_information else {}
        return {"action_mask": self.action_masks(), **shown, **self._episode.outcome()}
