"""Phantom tic-tac-toe: contract, refused tries, the sampler of hidden stones."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.core.information_sets import RANDOM, knowledge
from zermelo.core.random_numbers import below, item, next_word
from zermelo.errors import PositionError
from zermelo.games.phantom_tictactoe import PhantomTicTacToe
from zermelo.testing import check_game

parse = PhantomTicTacToe.parse


@pytest.mark.quick
def test_contract() -> None:
    assert check_game(PhantomTicTacToe, games=4, compiled=False).unfinished == 0


@pytest.mark.long
def test_contract_compiled() -> None:
    assert check_game(PhantomTicTacToe, games=40).unfinished == 0


@pytest.mark.quick
def test_a_try_of_an_occupied_square_is_refused() -> None:
    state = parse("b2 b2")
    assert state.to_move() == MIN
    assert state.noughts == 0
    assert "b2" not in map(state.move_name, state.legal_moves())
    state = state.after("a1 a1 c3")
    assert (str(state), state.to_move()) == ("b2 b2 a1 a1 c3", MIN)
    assert state.information_state(MAX) == "b2 (a1) c3"
    assert state.information_state(MIN) == "(b2) a1"
    assert [str(each) for each in state.view(MAX).board().split("\n")[1::2]] == [
        "  ┌───┬───┬───┐", "  ├───┼───┼───┤", "  ├───┼───┼───┤", "  └───┴───┴───┘"
    ]  # fmt: skip
    assert state.view(MAX).crosses == state.crosses
    assert state.view(MAX).noughts == state.noughts  # the only one refused a try
    assert state.view(MIN).crosses == Bitboard(1 << 4)


@pytest.mark.quick
def test_the_other_player_s_tries_are_not_seen() -> None:
    assert parse("b2 b2").information_state(MAX) == parse("b2").information_state(MAX) == "b2"


def possible(text: str, player: int) -> Counter[PhantomTicTacToe]:
    """States that the player cannot tell apart, by brute force, with their probability under random play."""
    state = parse(text)
    wanted = knowledge(state, player)
    found: Counter[PhantomTicTacToe] = Counter()
    longest = len(state.information_state(player).split())

    def walk(each: PhantomTicTacToe, probability: Fraction) -> None:
        if knowledge(each, player) == wanted:
            found[each] += probability  # type: ignore[assignment]
        own = each.information_state(player)
        if each.is_over() or (own != "no moves" and not (wanted.information + " ").startswith(own + " ")):
            return
        if own != "no moves" and len(own.split()) == longest and each.to_move() == player:
            return
        moves = each.legal_moves()
        for move in moves:
            walk(each.play(move), probability / len(moves))

    walk(PhantomTicTacToe(), Fraction(1))
    return found


@pytest.mark.long
@pytest.mark.parametrize(("text", "player"), [("b2 a1", MAX), ("b2 b2 a1 c3", MIN), ("b2 a1 a1 c3 a2", MAX)])
def test_sampler_draws_by_the_probabilities_of_random_play(text: str, player: int) -> None:
    state = parse(text)
    expected = possible(text, player)
    total = sum(expected.values())
    count = 4000
    drawn = Counter(state.resample(player, RANDOM // count * each) for each in range(count))
    assert set(drawn) <= set(expected)
    for each, probability in expected.items():
        mean = float(probability / total) * count
        assert abs(drawn[each] - mean) <= 5 * mean**0.5 + 5, each


@pytest.mark.long
def test_random_play_is_that_of_tictactoe() -> None:
    """A refused try costs nothing, so random players reach the same positions: X wins 58.5 %, O 28.8 %."""

    # Tries are forgotten; then a refused try leads back to the same position and changes no probability.
    @cache
    def without_refusals(crosses: int, noughts: int) -> tuple[Fraction, ...]:
        state = PhantomTicTacToe(Bitboard(crosses), Bitboard(noughts))
        if state.is_over():
            return tuple(Fraction(state.utility() == each) for each in (1, 0, -1))
        children = {state.play(move) for move in state.legal_moves()} - {state}
        found = [
            without_refusals(int(each.crosses), int(each.noughts))
            for each in children
            if (each.crosses, each.noughts) != (state.crosses, state.noughts)
        ]
        return tuple(sum(each[place] for each in found) / len(found) for place in range(3))

    assert [round(float(each), 4) for each in without_refusals(0, 0)] == [0.5849, 0.127, 0.2881]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d4", "'d4' is not a legal move here"),
        ("b2 b2 b2", "'b2' is not a legal move here; legal: a1 b1 c1 a2 c2 a3 b3 c3"),
        ("a1 a2 b1 b2 c1 c2", "'c2' cannot be played: the game is over"),
        ("a" * 1000, "1,000 characters; expected at most 200"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        parse(text)


@pytest.mark.quick
def test_random_numbers_are_uniform() -> None:
    word, counts, squares = Bitboard(1), Counter[int](), Counter[int]()
    for _ in range(6000):
        word = next_word(word)
        counts[below(word, 6)] += 1
        squares[item(word, Bitboard(0b1001010))] += 1
    assert set(counts) == set(range(6))
    assert set(squares) == {1, 3, 6}
    assert all(850 < count < 1150 for count in counts.values())
    assert all(1800 < count < 2200 for count in squares.values())
