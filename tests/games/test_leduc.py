"""Leduc hold'em: contract, the rules in words, notation, the value and best responses of OpenSpiel."""

from __future__ import annotations

from fractions import Fraction

import pytest

from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import PositionError
from zermelo.games.leduc import Leduc
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import Strategy, best_responses
from zermelo.testing import check_game

# OpenSpiel 1.6: `exploitability` of the uniform strategies; the value of an equilibrium, to four digits.
UNIFORM_EXPLOITABILITY = 2.373611111111111
VALUE = -0.0856


@pytest.mark.quick
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_contract(compiled: bool) -> None:
    report = check_game(Leduc, games=100, compiled=compiled)
    assert report.unfinished == 0
    assert report.longest <= 10


def all_states(root: State) -> list[State]:
    states, index = [root], 0
    while index < len(states):
        if not states[index].is_over():
            states += [states[index].play(move) for move in states[index].legal_moves()]
        index += 1
    return states


# A round of betting, and who has folded and how many raises have been answered in it.
ROUNDS = {
    "check check": (0, 0), "check raise fold": (MAX, 0), "check raise call": (0, 1), "check raise raise fold": (MIN, 1),
    "check raise raise call": (0, 2), "raise fold": (MIN, 0), "raise call": (0, 1), "raise raise fold": (MAX, 1),
    "raise raise call": (0, 2),
}  # fmt: skip


@pytest.mark.quick
def test_all_ends_agree_with_the_rules_in_words() -> None:
    ends = [state for state in all_states(Leduc()) if state.is_over()]
    assert len(ends) == 9 * 4 + 5 * 9 * (9 * 3 - 3)  # folds before the public card, and the rounds after it
    for state in ends:
        cards, *words = str(state).split()
        public = next((word for word in words if word in "JQK"), "")
        first, second = words, []
        if public:
            first, second = words[: words.index(public)], words[words.index(public) + 1 :]
        folded, raises = ROUNDS[" ".join(first)]
        paid = 1 + 2 * raises
        if second:
            folded, raises = ROUNDS[" ".join(second)]
            paid += 4 * raises
        strengths = [10 * (card == public) + "JQK".index(card) for card in cards]
        winner = -folded or (strengths[0] > strengths[1]) - (strengths[0] < strengths[1])
        assert state.utility() == winner * paid, state


@pytest.mark.quick
def test_deals_and_public_cards_have_their_probabilities() -> None:
    assert sum(weight for _, weight in Leduc().outcomes()) == 30
    weights = {Leduc().move_name(move): weight for move, weight in Leduc().outcomes()}
    assert (weights["JJ"], weights["JQ"], len(weights)) == (2, 4, 9)
    state = Leduc.parse("JQ check check")
    assert state.to_move() == CHANCE
    assert {state.move_name(move): weight for move, weight in state.outcomes()} == {"J": 1, "Q": 1, "K": 2}
    state = Leduc.parse("KK raise call")
    assert {state.move_name(move): weight for move, weight in state.outcomes()} == {"J": 2, "Q": 2}


@pytest.mark.quick
def test_resample_draws_the_cards_that_are_left() -> None:
    state = Leduc.parse("JQ raise call J")
    drawn = [state.resample(MAX, number << 31).second for number in range(0, 1 << 31, 1 << 23)]
    assert {card: drawn.count(card) / len(drawn) for card in set(drawn)} == {2: 0.5, 3: 0.5}
    drawn = [state.resample(MIN, number << 31).first for number in range(0, 1 << 31, 1 << 21)]
    assert {card: round(drawn.count(card) / len(drawn), 2) for card in set(drawn)} == {1: 0.25, 2: 0.25, 3: 0.5}


def test_uniform_strategies_are_as_exploitable_as_in_openspiel() -> None:
    strategies: dict[int, dict[str, dict[str, Fraction]]] = {MAX: {}, MIN: {}}
    for state in all_states(Leduc()):
        if not state.is_over() and state.to_move() != CHANCE:
            names = [state.move_name(move) for move in state.legal_moves()]
            uniform = dict.fromkeys(names, Fraction(1, len(names)))
            strategies[state.to_move()][state.information_state(state.to_move())] = uniform
    given: dict[int, Strategy] = dict(strategies.items())
    upper, lower = best_responses(Leduc(), given)
    assert float(upper - lower) / 2 == pytest.approx(UNIFORM_EXPLOITABILITY, abs=1e-12)


def test_value_of_an_equilibrium() -> None:
    *_, found = Approximation(Leduc()).run(1000)
    assert found.exploitability < 0.0005
    assert found.value == pytest.approx(VALUE, abs=0.0001)
    assert found.information_sets == (144, 144)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("K", "'K' is not a deal; expected two cards like KJ"),
        ("AK", "'AK' is not a deal; expected two cards like KJ"),
        ("??", r"'\?\?' is not a deal; expected two cards like KJ"),
        ("KQ call", "'call' is not a legal move here; legal: check raise"),
        ("KQ raise check", "'check' is not a legal move here; legal: fold call raise"),
        ("KQ raise raise raise", "'raise' is not a legal move here; legal: fold call"),
        ("KK check check K", "'K' is not a legal move here; legal: J Q"),
        ("KQ raise fold J", "the game is over"),
        ("K" * 1_000, "1,000 characters; expected at most 200"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Leduc.parse(text)


@pytest.mark.quick
def test_every_position_is_read_as_it_is_written() -> None:
    for state in all_states(Leduc()):
        assert Leduc.parse(str(state)) == state


@pytest.mark.quick
def test_pot_and_pictures() -> None:
    state = Leduc.parse("JK raise call Q raise")
    assert (state.stakes(), state.pot()) == (3, 10)
    assert state.board().splitlines() == [
        "first   J",
        "second  K",
        "public  Q",
        "done    raise call Q raise",
        "pot     10",
    ]
    assert "second  ?" in state.view(MAX).board()
    assert state.view(MAX).picture().corner_labels == ((0, 0, "J"), (2, 0, "?"), (1, 0, "Q"))
    assert Leduc().picture().corner_labels == ()
