"""Equilibria of Kuhn poker (published) and matrix games; best responses checked against all pure strategies."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.errors import GameError, LimitError
from zermelo.games.kuhn import Kuhn
from zermelo.games.tictactoe import TicTacToe
from zermelo.solve.equilibrium import Strategy, approximate, best_responses, solve

pytestmark = pytest.mark.quick

THIRD = Fraction(1, 3)


def kuhn_first(alpha: Fraction) -> Strategy:
    """Optimal strategies of the first player: a family with parameter alpha from 0 to 1/3 (Kuhn 1950)."""
    return {
        "J": {"check": 1 - alpha, "bet": alpha}, "J check bet": {"fold": Fraction(1)},
        "Q": {"check": Fraction(1)}, "Q check bet": {"fold": 1 - alpha - THIRD, "call": alpha + THIRD},
        "K": {"check": 1 - 3 * alpha, "bet": 3 * alpha}, "K check bet": {"call": Fraction(1)},
    }  # fmt: skip


#: The only optimal strategy of the second player.
KUHN_SECOND: Strategy = {
    "J check": {"check": 1 - THIRD, "bet": THIRD}, "J bet": {"fold": Fraction(1)},
    "Q check": {"check": Fraction(1)}, "Q bet": {"fold": 1 - THIRD, "call": THIRD},
    "K check": {"bet": Fraction(1)}, "K bet": {"call": Fraction(1)},
}  # fmt: skip


# ---- oracle: all pure strategies, played out by the rules -----------------------------------------------------


def information_sets(state: State, player: int, information: dict[str, list[str]]) -> dict[str, list[str]]:
    """The information sets of a player, with the names of the moves in each."""
    if not state.is_over():
        if state.to_move() == player:
            information[state.information_state(player)] = [state.move_name(move) for move in state.legal_moves()]
        for move in state.legal_moves():
            information_sets(state.play(move), player, information)
    return information


def pure_strategies(state: State, player: int) -> Iterator[dict[str, str]]:
    information = information_sets(state, player, {})
    for chosen in product(*information.values()):
        yield dict(zip(information, chosen, strict=True))


def expected_utility(state: State, plan: dict[str, str], player: int, other: Strategy) -> Fraction:
    """The expected utility of MAX if `player` follows a pure strategy and the other player `other`."""
    if state.is_over():
        return Fraction(state.utility())
    if state.to_move() == CHANCE:
        outcomes = list(state.outcomes())
        whole = sum(weight for _, weight in outcomes)
        return sum(Fraction(w, whole) * expected_utility(state.play(m), plan, player, other) for m, w in outcomes)  # type: ignore[return-value]
    names = {state.move_name(move): move for move in state.legal_moves()}
    if state.to_move() == player:
        return expected_utility(state.play(names[plan[state.information_state(state.to_move())]]), plan, player, other)
    probabilities = other[state.information_state(state.to_move())]
    return sum(  # type: ignore[return-value]
        Fraction(probabilities[name]) * expected_utility(state.play(move), plan, player, other)
        for name, move in names.items()
        if probabilities.get(name)
    )


def brute_force_bounds(state: State, strategies: dict[int, Strategy]) -> tuple[Fraction, Fraction]:
    most = max(expected_utility(state, plan, MAX, strategies[MIN]) for plan in pure_strategies(state, MAX))
    least = min(expected_utility(state, plan, MIN, strategies[MAX]) for plan in pure_strategies(state, MIN))
    return most, least


# ---- Kuhn poker ---------------------------------------------------------------------------------------------------


def test_value_of_kuhn_poker_is_minus_one_eighteenth() -> None:
    found = solve(Kuhn())
    assert found.value == Fraction(-1, 18)
    assert abs(float(found.value) + 1 / 18) < 1e-9
    assert found.exploitability == 0
    assert (found.states, found.information_sets) == (55, (6, 6))
    assert len(list(pure_strategies(Kuhn(), MAX))) == 64
    assert brute_force_bounds(Kuhn(), dict(found.strategies)) == (Fraction(-1, 18), Fraction(-1, 18))


def test_solution_of_kuhn_poker_is_one_of_the_published_strategies() -> None:
    found = solve(Kuhn())
    assert found.strategies[MIN] == {
        information: {name: KUHN_SECOND[information].get(name, 0) for name in probabilities}
        for information, probabilities in found.strategies[MIN].items()
    }
    alpha = found.strategies[MAX]["J"]["bet"]
    assert 0 <= alpha <= THIRD
    for information, probabilities in kuhn_first(alpha).items():
        assert {
            name: probability for name, probability in found.strategies[MAX][information].items() if probability
        } == {name: probability for name, probability in probabilities.items() if probability}


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 10), Fraction(1, 6), THIRD])
def test_every_published_strategy_of_kuhn_poker_is_an_equilibrium(alpha: Fraction) -> None:
    strategies = {MAX: kuhn_first(alpha), MIN: KUHN_SECOND}
    assert (
        best_responses(Kuhn(), strategies)
        == (Fraction(-1, 18), Fraction(-1, 18))
        == brute_force_bounds(Kuhn(), strategies)
    )


def test_other_strategies_are_exploitable() -> None:
    often = {**kuhn_first(THIRD), "J": {"check": Fraction(1, 2), "bet": Fraction(1, 2)}}
    most, least = best_responses(Kuhn(), {MAX: often, MIN: KUHN_SECOND})
    assert least < Fraction(-1, 18)
    assert (most, least) == brute_force_bounds(Kuhn(), {MAX: often, MIN: KUHN_SECOND})
    honest = {**KUHN_SECOND, "J check": {"check": Fraction(1)}}
    most, _ = best_responses(Kuhn(), {MAX: kuhn_first(THIRD), MIN: honest})
    assert most > Fraction(-1, 18)


def test_best_responses_agree_with_all_pure_strategies() -> None:
    random = Random(1950)
    for _ in range(5):
        strategies: dict[int, Strategy] = {}
        for player in (MAX, MIN):
            drawn: dict[str, dict[str, Fraction]] = {}
            for information, (one, other) in information_sets(Kuhn(), player, {}).items():
                probability = Fraction(int(random.random() * 8), 7)
                drawn[information] = {one: probability, other: 1 - probability}
            strategies[player] = drawn
        assert best_responses(Kuhn(), strategies) == brute_force_bounds(Kuhn(), strategies)


def test_value_after_a_deal_that_both_players_know() -> None:
    """The root is common knowledge, so the queen loses its ante to the king."""
    assert solve(Kuhn.parse("QK")).value == -1
    assert solve(Kuhn.parse("KQ check bet call")).value == 2


def test_approximation_converges() -> None:
    found = list(approximate(Kuhn(), 3000))
    assert [each.iterations for each in found] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000]
    assert [found[index].exploitability < 1 / 2**index for index in range(len(found))] == [True] * len(found)
    gained = [each.exploitability for each in found if each.iterations in (1, 10, 100, 1000, 3000)]
    assert gained == sorted(gained, reverse=True)
    assert found[-1].exploitability < 5e-5
    assert found[-1].nash_conv == 2 * found[-1].exploitability
    last = found[-1]
    assert last.lower_bound <= Fraction(-1, 18) <= last.upper_bound
    assert abs(float(last.value) + 1 / 18) < 1e-4
    assert abs(float(last.strategies[MIN]["J check"]["bet"]) - 1 / 3) < 1e-2


# ---- matrix games --------------------------------------------------------------------------------------------


@game
class Matrix(State):
    """MAX chooses a row and MIN a column, without knowing the row; the table holds the utility of MAX."""

    table: tuple[(int,) * 9]  # type: ignore[valid-type]
    size: int = 3
    row: int = -1
    column: int = -1

    max_utility = 9
    perfect_information = False

    def to_move(self):  # type: ignore[no-untyped-def]
        return MAX if self.row < 0 else MIN

    def moves(self):  # type: ignore[no-untyped-def]
        for choice in range(self.size):
            yield choice

    def play(self, choice):  # type: ignore[no-untyped-def]
        if self.row < 0:
            return Matrix(self.table, self.size, choice)
        return Matrix(self.table, self.size, self.row, choice)

    def is_over(self):  # type: ignore[no-untyped-def]
        return self.column >= 0

    def utility(self):  # type: ignore[no-untyped-def]
        return self.table[self.size * self.row + self.column]

    def information_state(self, player: int) -> str:
        return "first" if self.row < 0 else "second"


def matrix(*rows: tuple[int, ...]) -> Matrix:
    numbers = [number for row in rows for number in row]
    return Matrix((*numbers, *[0] * (9 - len(numbers))), len(rows))


def probabilities(strategy: Strategy) -> list[Fraction]:
    ((_, chosen),) = strategy.items()
    return list(chosen.values())


def test_rock_paper_scissors() -> None:
    found = solve(matrix((0, -1, 1), (1, 0, -1), (-1, 1, 0)))
    assert found.value == 0
    assert probabilities(found.strategies[MAX]) == probabilities(found.strategies[MIN]) == [THIRD] * 3


def test_saddle_point_gives_pure_strategies() -> None:
    found = solve(matrix((4, 2, 3), (1, 0, 5), (6, 1, 0)))
    assert found.value == 2
    assert probabilities(found.strategies[MAX]) == [1, 0, 0]
    assert probabilities(found.strategies[MIN]) == [0, 1, 0]


def test_two_by_two_games_agree_with_the_formula() -> None:
    """Without a saddle point the value is (ad - bc) / (a + d - b - c) (Dresher; von Neumann and Morgenstern)."""
    random = Random(28)
    mixed = 0
    for _ in range(200):
        a, b, c, d = (int(random.random() * 19) - 9 for _ in range(4))
        lower = max(min(a, b), min(c, d))
        upper = min(max(a, c), max(b, d))
        value = Fraction(lower) if lower == upper else Fraction(a * d - b * c, a + d - b - c)
        mixed += lower < upper
        found = solve(matrix((a, b), (c, d)))
        assert (found.value, found.exploitability) == (value, 0), (a, b, c, d)
    assert mixed > 50


def test_three_by_three_solutions_guarantee_the_value() -> None:
    random = Random(33)
    for _ in range(60):
        table = [tuple(int(random.random() * 19) - 9 for _ in range(3)) for _ in range(3)]
        found = solve(matrix(*table))
        max_plan, min_plan = probabilities(found.strategies[MAX]), probabilities(found.strategies[MIN])
        assert sum(max_plan) == sum(min_plan) == 1
        assert min(sum(max_plan[r] * table[r][c] for r in range(3)) for c in range(3)) == found.value
        assert max(sum(min_plan[c] * table[r][c] for c in range(3)) for r in range(3)) == found.value


# ---- larger poker ------------------------------------------------------------------------------------------------


@game
class Poker(State):
    """Kuhn poker with any number of cards, written independently of `Kuhn`."""

    cards: int
    dealt: int = -1
    done: int = 0

    max_utility = 2
    perfect_information = False

    def hands(self):  # type: ignore[no-untyped-def]
        return divmod(self.dealt, self.cards)

    def to_move(self):  # type: ignore[no-untyped-def]
        return CHANCE if self.dealt < 0 else MIN if self.done in (1, 2) else MAX

    def moves(self):  # type: ignore[no-untyped-def]
        yield 1
        yield 2

    def outcomes(self):  # type: ignore[no-untyped-def]
        for deal in range(self.cards**2):
            if deal // self.cards != deal % self.cards:
                yield deal, 1

    def play(self, move):  # type: ignore[no-untyped-def]
        if self.dealt < 0:
            return Poker(self.cards, move)
        return Poker(self.cards, self.dealt, 10 * self.done + move)

    def is_over(self):  # type: ignore[no-untyped-def]
        return self.done > 10 and self.done != 12

    def utility(self):  # type: ignore[no-untyped-def]
        first, second = self.hands()
        if self.done in (21, 121):
            return 1 if self.done == 21 else -1
        return (1 if first > second else -1) * (1 if self.done == 11 else 2)

    def information_state(self, player: int) -> str:
        return f"{self.hands()[0 if player == MAX else 1]}, {self.done}"


def test_value_of_an_independent_kuhn_poker_is_the_same() -> None:
    assert solve(Poker(3)).value == Fraction(-1, 18)


@pytest.mark.parametrize("cards", [4, 6])
def test_approximation_brackets_the_exact_value(cards: int) -> None:
    exact = solve(Poker(cards))
    assert exact.exploitability == 0
    *_, near = approximate(Poker(cards), 300)
    assert near.lower_bound <= exact.value <= near.upper_bound
    assert near.exploitability < Fraction(1, 500)


def test_solve_refuses_too_many_sequences() -> None:
    with pytest.raises(LimitError, match="Poker has 161 sequences for one player; up to 150 are solved exactly"):
        solve(Poker(40))


# ---- errors ----------------------------------------------------------------------------------------------


@game
class Forgetful(State):
    """MAX moves twice and forgets the first move (no perfect recall)."""

    first: int = -1
    second: int = -1
    perfect_information = False

    def to_move(self):  # type: ignore[no-untyped-def]
        return MAX

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0
        yield 1

    def play(self, choice):  # type: ignore[no-untyped-def]
        return Forgetful(choice) if self.first < 0 else Forgetful(self.first, choice)

    def is_over(self):  # type: ignore[no-untyped-def]
        return self.second >= 0

    def utility(self):  # type: ignore[no-untyped-def]
        return 1 if self.first == self.second else -1

    def information_state(self, player: int) -> str:
        return "first" if self.first < 0 else "second"


@game
class Team(Forgetful):
    """MAX is a team of two, of whom the second does not know what the first did."""

    perfect_recall = False


@game
class Unsure(Forgetful):
    """MIN has different moves in the states of one information set."""

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0
        if self.first < 1:
            yield 1

    def play(self, choice):  # type: ignore[no-untyped-def]
        return Unsure(choice) if self.first < 0 else Unsure(self.first, choice)

    def to_move(self):  # type: ignore[no-untyped-def]
        return MAX if self.first < 0 else MIN


@game
class Endless(Forgetful):
    """A game that never ends."""

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0

    def play(self, choice):  # type: ignore[no-untyped-def]
        return Endless(self.first + 1)

    def information_state(self, player: int) -> str:
        return str(self.first)


def test_errors_for_games_that_cannot_be_solved() -> None:
    with pytest.raises(GameError, match="information set 'second' of MAX is reached by different moves"):
        solve(Forgetful())
    with pytest.raises(LimitError, match=r"^Team has a side without perfect recall \(perfect_recall = False\), which"):
        solve(Team())
    with pytest.raises(LimitError, match="Team has a side without perfect recall"):
        next(approximate(Team(), 9))
    with pytest.raises(GameError, match="information set 'second' of MIN has different moves in different states"):
        solve(Unsure())
    with pytest.raises(LimitError, match="more than 1,000,000 states, or games of more than 500 moves"):
        solve(Endless())
    with pytest.raises(LimitError, match="TicTacToe is a game of perfect information"):
        solve(TicTacToe())
    with pytest.raises(LimitError, match=r"iterations must be from 1 to 1,000,000,000 \(got 0\)"):
        approximate(Kuhn(), 0)
    with pytest.raises(LimitError, match="an approximation needs a limit: iterations or seconds"):
        approximate(Kuhn())
    with pytest.raises(LimitError, match=r"unknown algorithm 'cfr': expected one of cfr\+"):
        approximate(Kuhn(), 10, algorithm="cfr")


def test_errors_for_invalid_strategies() -> None:
    with pytest.raises(LimitError, match="'J check bet' needs probabilities for fold call"):
        best_responses(Kuhn(), {MAX: {"J": {"check": Fraction(1)}}, MIN: KUHN_SECOND})
    half = {**kuhn_first(Fraction(0)), "J": {"check": Fraction(1, 2)}}
    with pytest.raises(LimitError, match=r"the probabilities in 'J' must sum to 1 \(got 0\.5\)"):
        best_responses(Kuhn(), {MAX: half, MIN: KUHN_SECOND})
