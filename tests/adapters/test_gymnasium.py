"""Gymnasium environments: the library's own check, results, masks, seeds and bad input."""

from typing import Any

import numpy as np
import pytest

from zermelo import list_games, load
from zermelo.errors import LimitError, PositionError, UnknownGame

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from zermelo.adapters.actions import MAX_MOVES  # noqa: E402
from zermelo.adapters.gymnasium import GameEnv  # noqa: E402


def play_out(env: Any, seed: int, **options: Any) -> tuple[float, list[str], dict[str, Any]]:
    """Play random legal actions; return the reward, the positions and the last info."""
    _, info = env.reset(seed=seed, options=options)
    env.action_space.seed(seed)
    positions, reward, over = [info["position"]], 0.0, info["action_mask"].sum() == 0
    while not over:
        _, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        positions.append(info["position"])
        over = terminated or truncated
    return reward, positions, info


@pytest.mark.parametrize("game", list_games())
@pytest.mark.filterwarnings("ignore::UserWarning")  # the checker's advice on the bounds of whole numbers
def test_gymnasium_accepts_every_game(game: str) -> None:
    max_moves = 1 << 16 if game == "scrabble" else MAX_MOVES  # with two blanks
    check_env(GameEnv(game, render_mode="ansi", max_moves=max_moves), skip_render_check=False)


@pytest.mark.parametrize("side", [1, -1])
def test_rewards_are_results_of_the_agent_s_side(side: int) -> None:
    env = GameEnv("tictactoe", side={1: "max", -1: "min"}[side])
    seen = set()
    for seed in range(30):
        reward, positions, info = play_out(env, seed)
        final = load("tictactoe").parse(positions[-1])
        assert final.is_over()
        assert info["termination"] == "rules"
        assert reward == side * final.utility()
        seen.add(reward)
    assert seen == {-1.0, 0.0, 1.0}


def test_a_graded_game_is_a_fraction_of_its_largest_utility() -> None:
    reward, positions, _ = play_out(GameEnv("othello"), 3)
    assert reward == load("othello").parse(positions[-1]).utility() / 64


def test_equal_seeds_give_equal_games() -> None:
    one, other = GameEnv("backgammon", side="random"), GameEnv("backgammon", side="random")
    assert play_out(one, 5)[:2] == play_out(other, 5)[:2]
    assert play_out(one, 6)[1] != play_out(other, 5)[1]
    assert {play_out(one, seed)[1][0] for seed in range(4)} != {play_out(one, 0)[1][0]}  # dice of the first roll


def test_an_opponent_that_searches_wins() -> None:
    env = GameEnv("tictactoe", opponent="alphabeta:lines:9", side="min")
    assert max(play_out(env, seed)[0] for seed in range(20)) <= 0
    env.close()


def test_an_illegal_action_loses() -> None:
    env = GameEnv("tictactoe")
    env.reset(seed=1)
    _, _, _, _, info = env.step(0)
    assert info["action_mask"][0] == 0
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["failure"]) == (-1.0, True, False, "illegal action 0")
    assert info["action_mask"].sum() == 0
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)


def test_a_long_game_is_truncated() -> None:
    env = GameEnv("chess", max_plies=4)
    env.reset(seed=1)
    for _ in range(2):
        *_, terminated, truncated, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert (terminated, truncated, info["termination"]) == (False, True, "too many moves")


def test_starting_positions_and_sides() -> None:
    env = GameEnv("tictactoe")
    _, info = env.reset(options={"position": "XX-/OO-/---", "side": "max"})
    assert info["position"] == "XX-/OO-/---"
    _, reward, *_ = env.step(2)
    assert reward == 1.0
    with pytest.raises(PositionError):
        env.reset(options={"position": "XXX"})


def test_observations_are_the_fields() -> None:
    env = GameEnv("tictactoe", side="min")
    observation, info = env.reset(seed=1)
    crosses = observation[1:65].tolist()
    assert observation[0] == -1
    assert [square for square in range(9) if crosses[square]] == list(load("tictactoe").parse(info["position"]).crosses)
    assert observation[65:].sum() == 0


def test_hidden_cards_are_not_observed() -> None:
    env = GameEnv("kuhn")
    by_card: dict[str, set[bytes]] = {}
    for seed in range(40):
        observation, info = env.reset(seed=seed)
        assert "position" not in info
        text = bytes(observation[1:].astype(np.uint8)).rstrip(b"\0").decode()
        by_card.setdefault(text, set()).add(observation.tobytes())
    assert len(by_card) == 3  # the own card, whatever the other one is
    assert all(len(seen) == 1 for seen in by_card.values())


def test_pixels() -> None:
    env = GameEnv("connect4", render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert picture.shape[2] == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"side": "white"}, LimitError, "side must be one of max, min, random"),
        ({"render_mode": "human"}, LimitError, "render_mode must be one of ansi, rgb_array"),
        ({"opponent": "lins:3"}, UnknownGame, "lines"),
        ({"max_moves": 0}, LimitError, "max_moves must be at least 1"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        GameEnv("tictactoe", **options)


def test_too_many_moves_name_the_remedy() -> None:
    env = GameEnv("backgammon", max_moves=2)
    with pytest.raises(LimitError, match="use max_moves="):
        env.reset(seed=1)
