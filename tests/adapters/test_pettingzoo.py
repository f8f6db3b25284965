"""PettingZoo environments: the library's own tests, results and bad input."""

from typing import Any

import pytest

from zermelo import list_games, load
from zermelo.errors import IllegalMove

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, seed_test

from zermelo.adapters.actions import MAX_MOVES
from zermelo.adapters.pettingzoo import GameAEC, env

# With two blanks, Scrabble has tens of thousands of plays.
MOST_MOVES = {"scrabble": 1 << 16}


@pytest.mark.parametrize("game", list_games())
# The library's own games with an action mask have such observations too, and are exempted by name.
@pytest.mark.filterwarnings("ignore:Observation (space for each agent probably|is not a NumPy array)")
def test_pettingzoo_accepts_every_game(game: str) -> None:
    api_test(env(game, max_plies=60, max_moves=MOST_MOVES.get(game, MAX_MOVES)), num_cycles=40)


@pytest.mark.parametrize("game", ["tictactoe", "backgammon", "kuhn"])
def test_equal_seeds_give_equal_games(game: str) -> None:
    seed_test(lambda: env(game, max_plies=60), num_cycles=20)


def test_rewards_are_the_result() -> None:
    for seed in range(20):
        game: Any = GameAEC("tictactoe")
        game.reset(seed=seed)
        rewards = {}
        for agent in game.agent_iter():
            observation, reward, terminated, truncated, _ = game.last()
            over = terminated or truncated
            if over:
                rewards[agent] = reward
            else:
                game.action_space(agent).seed(seed)
            game.step(None if over else game.action_space(agent).sample(observation["action_mask"]))
        utility = game._episode.state.utility()
        assert rewards == {"player_0": utility, "player_1": -utility}


def test_only_the_agent_to_move_has_legal_actions() -> None:
    game: Any = GameAEC("othello")
    game.reset(seed=1)
    first, second = (game.observe(agent) for agent in game.possible_agents)
    assert sorted(first["action_mask"].nonzero()[0]) == sorted(load("othello").start().legal_moves())
    assert second["action_mask"].sum() == 0
    assert (first["observation"][1:] == second["observation"][1:]).all()


def test_an_illegal_action() -> None:
    game: Any = GameAEC("connect4")
    game.reset(seed=1)
    with pytest.raises(IllegalMove, match="action 7 is illegal"):
        game.step(7)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_wrapped_environment_ends_at_an_illegal_action() -> None:
    game: Any = env("tictactoe")
    game.reset(seed=1)
    game.step(0)
    game.step(0)
    assert game.rewards["player_1"] == -1
    assert all(game.terminations.values())
