"""OpenSpiel games: the library's own tests, its algorithms, and the rules beside the original ones."""

import random
from typing import Any

import pytest

from zermelo import list_games, load
from zermelo.errors import LimitError

pyspiel = pytest.importorskip("pyspiel")
api_test = pytest.importorskip("open_spiel.integration_tests.api_test")

from zermelo.adapters.actions import MAX_MOVES  # noqa: E402
from zermelo.adapters.openspiel import to_openspiel  # noqa: E402

SHORT = {"chess": 40, "checkers": 60, "backgammon": 30}


@pytest.fixture(scope="module", params=list_games())
def game(request: pytest.FixtureRequest) -> Any:
    max_moves = 1 << 16 if request.param == "scrabble" else MAX_MOVES  # with two blanks
    return to_openspiel(request.param, max_plies=SHORT.get(request.param, 200), max_moves=max_moves)


def test_open_spiel_simulates_every_game(game: Any) -> None:
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


CHECKS = sorted(name for name in vars(api_test.EnforceAPIOnPartialTreeBase) if name.startswith("test_"))


@pytest.mark.parametrize("name", CHECKS)
def test_open_spiel_s_own_tests_pass(game: Any, name: str) -> None:
    case = api_test.EnforceAPIOnPartialTreeBase(name)
    kind = type(case)
    kind.game, kind.game_name = game, game.get_type().short_name
    kind.setUpClass()
    case.debug()


def test_algorithms_of_open_spiel() -> None:
    from open_spiel.python.algorithms import minimax

    value, _ = minimax.alpha_beta_search(to_openspiel("tictactoe"))
    assert value == 0


@pytest.mark.parametrize(("name", "original"), [("tictactoe", "tic_tac_toe"), ("connect4", "connect_four")])
def test_random_games_equal_the_original(name: str, original: str) -> None:
    rng = random.Random(7)
    for _ in range(20):
        ours, theirs = to_openspiel(name).new_initial_state(), pyspiel.load_game(original).new_initial_state()
        while not theirs.is_terminal():
            assert ours.legal_actions() == theirs.legal_actions()
            assert ours.current_player() == theirs.current_player()
            action = rng.choice(theirs.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
        assert ours.is_terminal()
        assert ours.returns() == theirs.returns()


def test_kuhn_poker_has_its_value() -> None:
    """OpenSpiel's solver finds the value of Kuhn poker in our rules."""
    from open_spiel.python.algorithms import cfr, expected_game_score

    game = to_openspiel("kuhn", max_plies=10)
    solver = cfr.CFRSolver(game)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    assert values[0] == pytest.approx(-1 / 18, abs=0.01)


def test_moves_have_their_names() -> None:
    state = to_openspiel("othello").new_initial_state()
    assert [state.action_to_string(0, action) for action in state.legal_actions()] == [
        load("othello").start().move_name(move) for move in state.legal_actions()
    ]


def test_bad_arguments() -> None:
    with pytest.raises(LimitError, match="max_plies must be at least 1"):
        to_openspiel("tictactoe", max_plies=0)
    state = to_openspiel("checkers", max_moves=2).new_initial_state()
    with pytest.raises(LimitError, match="use max_moves="):
        state.legal_actions()
