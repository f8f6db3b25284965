"""Battleship: contract, results of shots, the sampler of fleets, and a player by density against exact solutions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.errors import PositionError
from zermelo.games.battleship import Battleship, densest_shot, fewest_shots, placements, shots_needed
from zermelo.testing import check_game

parse = Battleship.parse


@pytest.mark.quick
@pytest.mark.parametrize("text", ["3x2 2-1", "3x3 2-2"])
def test_contract(text: str) -> None:
    assert check_game(parse(text), games=5).unfinished == 0


@pytest.mark.nightly
def test_contract_on_the_large_board() -> None:
    assert check_game(Battleship, games=10).unfinished == 0


@pytest.mark.quick
def test_results_and_what_players_know() -> None:
    state = parse("4x3 3-2 a1-c1 a2-b2 b1-d1 a3-b3 b1 a1 d2 d1 c1 a2 d1")
    assert state.information_state(MAX) == "4x3 3-2 | a1-c1 a2-b2 | b1+ d2 c1+ d1#1 | a1 d1 a2"
    assert state.information_state(MIN) == "4x3 3-2 | b1-d1 a3-b3 | a1+ d1 a2+ | b1 d2 c1 d1"
    assert state.view(MAX).board().split("\n")[2:] == [
        " 1 X # # o    1 . X X X", " 2 X # . .    2 . . . o", " 3 . . . .    3 . . . ."
    ]  # fmt: skip
    over = state.after("c3 a3 d3 b3")
    assert (over.is_over(), over.utility()) == (True, MAX)


@pytest.mark.quick
def test_ships_leave_room_for_the_others() -> None:
    state = parse("3x2 3-2")
    assert [state.move_name(move) for move in state.legal_moves()] == ["a1-c1", "a2-c2"]
    assert len(placements(10, 10, 5)) == 120
    assert len(placements(2, 2, 1)) == 4


def test_sampler_draws_all_fleets_that_explain_the_results() -> None:
    state = parse("3x3 2-2 a1-b1 a2-b2 a1-b1 a2-b2 a1 c3 a2 c2")
    drawn = Counter(state.resample(MAX, number << 50).ships[1] for number in range(1000))
    expected = {
        (first, second)
        for first in placements(3, 3, 2)
        for second in placements(3, 3, 2)
        if not first & second
        and parse("3x3 2-2").replace(ships=(state.ships[0], (first, second)), shots=state.shots).information_state(MAX)
        == state.information_state(MAX)
    }
    assert set(drawn) == expected


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10x10 5-4-3-30", "the fleet 5-4-3-30 does not fit a board of 10 x 10"),
        ("10x10 10-9-9-8-8-7", "the fleet 10-9-9-8-8-7 takes 51 of 100 cells; expected at most 50"),
        ("2x2 3", "the fleet 3 does not fit a board of 2 x 2"),
        ("3x3 3-3-3-1", "the fleet 3-3-3-1 does not fit a board of 3 x 3"),
        ("3x2 2-2-2-2", "the fleet 2-2-2-2 does not fit a board of 3 x 2"),
        ("11x10 5", "'11x10' is not a board; expected columns and rows from 1 to 10, like 10x10"),
        ("10x10", "'' is not a fleet; expected the lengths of 1 to 10 ships, like 5-4-3-3-2"),
        ("10x10 0-1", "'0-1' is not a fleet"),
        ("4x3 3-2 a1-c1 a1-b1", "'a1-b1' is not a legal move here"),
        ("1" * 9000, "9,000 characters; expected at most 4000"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


# ---- shots needed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "mean"), [((2, 2, (1,)), Fraction(5, 2)), ((3, 3, (2,)), Fraction(9, 2)), ((3, 3, (3,)), Fraction(9, 2))]
)
def test_density_is_optimal_on_small_boards(size: tuple[int, int, tuple[int, ...]], mean: Fraction) -> None:
    assert fewest_shots(*size) == (mean, mean)


@pytest.mark.long
def test_density_is_optimal_for_two_ships() -> None:
    assert fewest_shots(3, 3, (2, 1)) == (Fraction(269, 42), Fraction(269, 42))


@pytest.mark.long
def test_sampled_density_needs_as_few_shots_as_the_exact_solution() -> None:
    start, source, needed = Battleship(3, 3, (2,)), Random(1), []
    for cells in placements(3, 3, 2) * 10:
        needed.append(shots_needed(start.replace(ships=((3,), (cells,))), 200, source))
    assert abs(sum(needed) / len(needed) - 4.5) < 0.5


def test_a_sampled_fleet_counts_for_those_that_differ_in_one_ship() -> None:
    start = Battleship(3, 3, (2,)).replace(ships=((3,), (3,)))
    assert {densest_shot(start, MAX, 1, Random(seed)) for seed in range(10)} == {4}  # the center, by the exact counts


def random_fleets(source: Random) -> Battleship:
    state = Battleship()
    while state.is_placing():
        state = state.play(source.choice(state.legal_moves()))
    return state


@pytest.mark.nightly
def test_shots_that_sink_a_random_fleet_and_games_against_random() -> None:
    """The mean number of shots is about 44.5 (`benchmarks/battleship.py`). Random shots hardly ever win."""
    source = Random(1)
    needed = [shots_needed(random_fleets(source), 200, source) for _ in range(200)]
    assert sum(needed) / len(needed) <= 45.5
    wins = 0
    for shots in needed:
        fleet = sum(random_fleets(source).ships[0])
        order = list(range(100))
        source.shuffle(order)
        wins += shots <= max(place for place, cell in enumerate(order, 1) if fleet >> cell & 1)
    assert wins > 0.99 * len(needed)
