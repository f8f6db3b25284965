"""OpenSpiel's games in Zermelo: the contract, search, trees, text and bad input."""

import pytest

import zermelo
from zermelo.errors import GameError, PositionError, UnknownGame
from zermelo.testing import check_game

pyspiel = pytest.importorskip("pyspiel")

from zermelo.adapters.openspiel import from_openspiel, to_openspiel  # noqa: E402


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "pig(winscore=10)", "breakthrough(rows=5,columns=4)", "nim", "y(board_size=4)"]
)
def test_games_keep_the_contract(name: str) -> None:
    check_game(from_openspiel(name), games=3)


def test_the_engine_solves_tic_tac_toe() -> None:
    assert zermelo.analyse(from_openspiel("tic_tac_toe").start(), exact=True).score.value == 0


def test_searches_agree_with_ours() -> None:
    ours, theirs = zermelo.load("tictactoe"), from_openspiel("tic_tac_toe")
    state, other = ours.start(), theirs.start()
    for move in (4, 0, 8):
        state, other = state.play(move), other.play(move)
    assert zermelo.minimax(state, evaluation="nothing").value == zermelo.minimax(other).value


def test_there_and_back() -> None:
    game = to_openspiel(from_openspiel("tic_tac_toe"))
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert state.returns() == [1.0, -1.0]


def test_dice_have_their_weights() -> None:
    state = from_openspiel("pig(winscore=10)").start()
    assert state.to_move() == zermelo.MAX
    rolled = state.play(state.legal_moves()[0])
    assert rolled.to_move() == zermelo.CHANCE
    assert [weight for _, weight in rolled.outcomes()] == [1] * 6


def test_positions_are_lines_of_actions() -> None:
    game = from_openspiel("connect_four")
    state = game.parse("3,3,2")
    assert str(state) == "3,3,2"
    assert game.parse(str(state)) == state
    assert state.board() == str(state.reached.position)
    with pytest.raises(PositionError, match="action '9' is not legal"):
        game.parse("3,9")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("tictactoe", UnknownGame, "did you mean tic_tac_toe"),
        ("kuhn_poker", GameError, "expected perfect information"),
        ("oshi_zumo", GameError, "expected players who move in turn"),
        ("cliff_walking", GameError, "expected two players"),
        ("breakthrough(rows=zzz)", UnknownGame, "breakthrough"),
    ],
)
def test_games_that_cannot_be_carried(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        from_openspiel(name)
    assert "\n" not in str(raised.value)
