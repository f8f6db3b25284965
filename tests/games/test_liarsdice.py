"""Liar's dice: contract, who wins, rolls, notation, and values of small games."""

from __future__ import annotations

from itertools import product

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.core.picture import Piece
from zermelo.errors import PositionError
from zermelo.games.liarsdice import LiarsDice
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import solve
from zermelo.testing import check_game

#: The value of one die of six faces each, by CFR+ to an exploitability of 0.0001.
VALUE = -0.0271


@pytest.mark.long
@pytest.mark.parametrize("text", ["1d6", "2d3", "3d2"])
def test_contract(text: str) -> None:
    report = check_game(LiarsDice.parse(text), games=30)
    assert report.unfinished == 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("1d6 4 4 2x4 liar", MAX),
        ("1d6 4 5 2x4 liar", MIN),
        ("1d6 4 6 2x4 liar", MAX),
        ("1d6 6 6 2x1 liar", MAX),
        ("1d6 5 1 1x4 1x5 liar", MIN),
        ("1d6 4 1 1x4 1x5 liar", MAX),
        ("1d6 5 5 1x6 liar", MIN),
        ("2d6 62 21 3x2 liar", MAX),
        ("2d6 62 31 3x2 liar", MIN),
        ("2d6 62 21 1x1 4x2 liar", MAX),
    ],
)
def test_who_wins(text: str, winner: int) -> None:
    assert LiarsDice.parse(text).utility() == winner


@pytest.mark.quick
@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (2, 6), (3, 2), (3, 4)])
def test_rolls_have_their_probabilities(dice: int, faces: int) -> None:
    state = LiarsDice(dice, faces)
    found = {state.move_name(move): weight for move, weight in state.outcomes()}
    expected: dict[str, int] = {}
    for roll in product(range(1, faces + 1), repeat=2 * dice):
        hands = ["".join(map(str, sorted(hand, reverse=True))) for hand in (roll[:dice], roll[dice:])]
        expected[",".join(hands)] = expected.get(",".join(hands), 0) + 1
    assert found == expected


@pytest.mark.quick
def test_bids_rise() -> None:
    state = LiarsDice.parse("1d6 1 2 1x5")
    assert [state.move_name(move) for move in state.moves()] == ["liar", "1x6", *(f"2x{face}" for face in range(1, 7))]
    assert [state.move_name(move) for move in LiarsDice.parse("1d2 1 2 2x2").moves()] == ["liar"]
    assert "liar" not in [state.move_name(move) for move in LiarsDice.parse("1d2 1 2").moves()]


@pytest.mark.quick
def test_resample_rolls_the_other_dice() -> None:
    state = LiarsDice.parse("2d2 21 22 1x1")
    drawn = [state.resample(MIN, number).first for number in range(400)]
    assert {hand: drawn.count(hand) for hand in set(drawn)} == {11: 100, 21: 200, 22: 100}
    assert all(state.resample(MIN, number).second == 22 for number in range(10))


@pytest.mark.quick
def test_small_games_have_their_exact_value() -> None:
    exact = solve(LiarsDice.parse("1d2"))
    assert exact.exploitability == 0
    *_, found = Approximation(LiarsDice.parse("1d2")).run(500)
    assert found.lower_bound - 1e-9 <= exact.value <= found.upper_bound + 1e-9
    assert found.exploitability < 0.005


@pytest.mark.nightly
def test_value_of_one_die_each() -> None:
    *_, found = Approximation(LiarsDice()).run(1000)
    assert found.states == 294_877
    assert found.information_sets == (12_288, 12_288)
    assert found.exploitability < 0.001
    assert found.value == pytest.approx(VALUE, abs=0.001)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4d6", "'4d6' is not a number of dice and faces; expected 1d6, with 1 to 3 dice of 2 to 6 faces"),
        ("1d7", "'1d7' is not a number of dice and faces"),
        ("1d6 7 1", "'7,1' is not a legal move here"),
        ("1d6 3", "'3' is not a legal move here"),
        ("1d6 3 4 1x7", "'1x7' is not a legal move here"),
        ("1d6 3 4 2x1 1x6", "'1x6' is not a legal move here"),
        ("1d6 3 4 liar", "'liar' is not a legal move here"),
        ("1d6 3 4 1x1 liar liar", "the game is over"),
        ("1" * 500, "500 characters; expected at most 400"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        LiarsDice.parse(text)


@pytest.mark.quick
@pytest.mark.parametrize("text", ["1d6", "3d4", "2d6 62 21", "1d6 4 5 1x4 2x4 liar"])
def test_positions_are_read_as_they_are_written(text: str) -> None:
    assert str(LiarsDice.parse(text)) == text
    assert LiarsDice.parse("2d6 26 12") == LiarsDice.parse("2d6 62 21")
    assert str(LiarsDice.parse("2d6 62 21").view(MAX)) == "2d6 62 ?"
    assert LiarsDice.parse("2d6 62 21").view(MAX).picture().pieces[2:] == (
        Piece(0, 1, "tile", letter="?"),
        Piece(1, 1, "tile", letter="?"),
    )
