"""Equilibria: Kuhn poker's published one, matrix games with known ones, best responses by trying all plans."""

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

THIRD = Fraction(1, 3)


def kuhns_first(alpha: Fraction) -> Strategy:
    """The family of best strategies of the first player, alpha from 0 to 1/3 (Kuhn 1950)."""
    return {
        "J": {"check": 1 - alpha, "bet": alpha}, "J check bet": {"fold": Fraction(1)},
        "Q": {"check": Fraction(1)}, "Q check bet": {"fold": 1 - alpha - THIRD, "call": alpha + THIRD},
        "K": {"check": 1 - 3 * alpha, "bet": 3 * alpha}, "K check bet": {"call": Fraction(1)},
    }  # fmt: skip


#: The second player's only best one.
KUHNS_SECOND: Strategy = {
    "J check": {"check": 1 - THIRD, "bet": THIRD}, "J bet": {"fold": Fraction(1)},
    "Q check": {"check": Fraction(1)}, "Q bet": {"fold": 1 - THIRD, "call": THIRD},
    "K check": {"bet": Fraction(1)}, "K bet": {"call": Fraction(1)},
}  # fmt: skip


# ---- an independent judge: all plans without chances, played through the rules ----------------------------------


def situations(state: State, player: int, known: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a player can know in a game, and the names of its moves there."""
    if not state.is_over():
        if state.to_move() == player:
            known[state.information_state()] = [state.move_name(move) for move in state.legal_moves()]
        for move in state.legal_moves():
            situations(state.play(move), player, known)
    return known


def plans(state: State, player: int) -> Iterator[dict[str, str]]:
    known = situations(state, player, {})
    for chosen in product(*known.values()):
        yield dict(zip(known, chosen, strict=True))


def earned(state: State, plan: dict[str, str], player: int, other: Strategy) -> Fraction:
    """What MAX earns when one side follows a plan and the other one a strategy."""
    if state.is_over():
        return Fraction(state.utility())
    if state.to_move() == CHANCE:
        outcomes = list(state.outcomes())
        whole = sum(weight for _, weight in outcomes)
        return sum(Fraction(w, whole) * earned(state.play(m), plan, player, other) for m, w in outcomes)  # type: ignore[return-value]
    names = {state.move_name(move): move for move in state.legal_moves()}
    if state.to_move() == player:
        return earned(state.play(names[plan[state.information_state()]]), plan, player, other)
    shares = other[state.information_state()]
    return sum(  # type: ignore[return-value]
        Fraction(shares[name]) * earned(state.play(move), plan, player, other)
        for name, move in names.items()
        if shares.get(name)
    )


def judged(state: State, strategies: dict[int, Strategy]) -> tuple[Fraction, Fraction]:
    most = max(earned(state, plan, MAX, strategies[MIN]) for plan in plans(state, MAX))
    least = min(earned(state, plan, MIN, strategies[MAX]) for plan in plans(state, MIN))
    return most, least


# ---- Kuhn poker ---------------------------------------------------------------------------------------------------


def test_kuhn_is_worth_an_eighteenth_to_the_second_player() -> None:
    found = solve(Kuhn())
    assert found.value == Fraction(-1, 18)
    assert abs(float(found.value) + 1 / 18) < 1e-9
    assert found.exploitability == 0
    assert (found.states, found.information_sets) == (55, (6, 6))
    assert len(list(plans(Kuhn(), MAX))) == 64
    assert judged(Kuhn(), dict(found.strategies)) == (Fraction(-1, 18), Fraction(-1, 18))


def test_the_strategies_found_are_kuhns() -> None:
    found = solve(Kuhn())
    assert found.strategies[MIN] == {
        known: {name: KUHNS_SECOND[known].get(name, 0) for name in shares}
        for known, shares in found.strategies[MIN].items()
    }
    alpha = found.strategies[MAX]["J"]["bet"]
    assert 0 <= alpha <= THIRD
    for known, shares in kuhns_first(alpha).items():
        assert {name: share for name, share in found.strategies[MAX][known].items() if share} == {
            name: share for name, share in shares.items() if share
        }


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 10), Fraction(1, 6), THIRD])
def test_all_of_kuhns_family_are_equilibria(alpha: Fraction) -> None:
    strategies = {MAX: kuhns_first(alpha), MIN: KUHNS_SECOND}
    assert best_responses(Kuhn(), strategies) == (Fraction(-1, 18), Fraction(-1, 18)) == judged(Kuhn(), strategies)


def test_others_are_exploited() -> None:
    often = {**kuhns_first(THIRD), "J": {"check": Fraction(1, 2), "bet": Fraction(1, 2)}}
    most, least = best_responses(Kuhn(), {MAX: often, MIN: KUHNS_SECOND})
    assert least < Fraction(-1, 18)
    assert (most, least) == judged(Kuhn(), {MAX: often, MIN: KUHNS_SECOND})
    honest = {**KUHNS_SECOND, "J check": {"check": Fraction(1)}}
    most, _ = best_responses(Kuhn(), {MAX: kuhns_first(THIRD), MIN: honest})
    assert most > Fraction(-1, 18)


def test_best_responses_to_any_strategies_are_those_of_all_plans() -> None:
    random = Random(1950)
    for _ in range(5):
        strategies: dict[int, Strategy] = {}
        for player in (MAX, MIN):
            drawn: dict[str, dict[str, Fraction]] = {}
            for known, (one, other) in situations(Kuhn(), player, {}).items():
                share = Fraction(int(random.random() * 8), 7)
                drawn[known] = {one: share, other: 1 - share}
            strategies[player] = drawn
        assert best_responses(Kuhn(), strategies) == judged(Kuhn(), strategies)


def test_after_a_deal_that_both_sides_know_nobody_bluffs() -> None:
    """From a position both sides are taken to know that it is this one: the queen loses its ante to the king."""
    assert solve(Kuhn.parse("QK")).value == -1
    assert solve(Kuhn.parse("KQ check bet call")).value == 2


def test_regret_comes_near() -> None:
    found = list(approximate(Kuhn(), 3000))
    assert [each.iterations for each in found] == [1, 10, 100, 1000, 3000]
    gained = [float(each.exploitability) for each in found]
    assert gained == sorted(gained, reverse=True)
    assert gained[-1] < 1e-4
    last = found[-1]
    assert last.lower_bound <= Fraction(-1, 18) <= last.upper_bound
    assert abs(float(last.value) + 1 / 18) < 1e-4
    assert abs(float(last.strategies[MIN]["J check"]["bet"]) - 1 / 3) < 1e-2


# ---- games of one hidden choice --------------------------------------------------------------------------------------


@game
class Matrix(State):
    """Both sides choose a number, MIN without knowing MAX's; the table says what MAX gets."""

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

    def information_state(self) -> str:
        return "first" if self.row < 0 else "second"


def matrix(*rows: tuple[int, ...]) -> Matrix:
    numbers = [number for row in rows for number in row]
    return Matrix((*numbers, *[0] * (9 - len(numbers))), len(rows))


def shares(strategy: Strategy) -> list[Fraction]:
    ((_, chosen),) = strategy.items()
    return list(chosen.values())


def test_stone_paper_scissors() -> None:
    found = solve(matrix((0, -1, 1), (1, 0, -1), (-1, 1, 0)))
    assert found.value == 0
    assert shares(found.strategies[MAX]) == shares(found.strategies[MIN]) == [THIRD] * 3


def test_a_saddle_point_needs_no_chances() -> None:
    found = solve(matrix((4, 2, 3), (1, 0, 5), (6, 1, 0)))
    assert found.value == 2
    assert shares(found.strategies[MAX]) == [1, 0, 0]
    assert shares(found.strategies[MIN]) == [0, 1, 0]


def test_two_by_two_by_the_formula() -> None:
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


def test_three_by_three_are_safe_against_every_column_and_row() -> None:
    random = Random(33)
    for _ in range(60):
        table = [tuple(int(random.random() * 19) - 9 for _ in range(3)) for _ in range(3)]
        found = solve(matrix(*table))
        ours, theirs = shares(found.strategies[MAX]), shares(found.strategies[MIN])
        assert sum(ours) == sum(theirs) == 1
        assert min(sum(ours[r] * table[r][c] for r in range(3)) for c in range(3)) == found.value
        assert max(sum(theirs[c] * table[r][c] for c in range(3)) for r in range(3)) == found.value


# ---- larger poker ------------------------------------------------------------------------------------------------


@game
class Poker(State):
    """Kuhn's rules with as many cards as one likes; what each knows is told otherwise than in `Kuhn`."""

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

    def information_state(self) -> str:
        return f"{self.hands()[0 if self.to_move() == MAX else 1]}, {self.done}"


def test_kuhns_rules_written_otherwise_are_worth_the_same() -> None:
    assert solve(Poker(3)).value == Fraction(-1, 18)


@pytest.mark.parametrize("cards", [4, 6])
def test_regret_comes_near_what_is_exact(cards: int) -> None:
    exact = solve(Poker(cards))
    assert exact.exploitability == 0
    *_, near = approximate(Poker(cards), 300)
    assert near.lower_bound <= exact.value <= near.upper_bound
    assert near.exploitability < Fraction(1, 500)


def test_too_many_sequences_are_for_regret() -> None:
    with pytest.raises(LimitError, match="Poker has 161 sequences of moves of one side; up to 150 are solved exactly"):
        solve(Poker(40))


# ---- what is refused ----------------------------------------------------------------------------------------------


@game
class Forgetful(State):
    """MAX chooses twice and does not remember the first."""

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

    def information_state(self) -> str:
        return "first" if self.first < 0 else "second"


@game
class Unsure(Forgetful):
    """MAX has other moves in states that it cannot tell apart."""

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
    """A game that never ends, and knows it."""

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0

    def play(self, choice):  # type: ignore[no-untyped-def]
        return Endless(self.first + 1)

    def information_state(self) -> str:
        return str(self.first)


def test_what_is_refused() -> None:
    with pytest.raises(GameError, match="'second', may have done different things before"):
        solve(Forgetful())
    with pytest.raises(GameError, match="MIN, who knows 'second', has not always the same moves"):
        solve(Unsure())
    with pytest.raises(LimitError, match="more than 200,000 states, or games of more than 500 moves"):
        solve(Endless())
    with pytest.raises(LimitError, match="TicTacToe is a game of perfect information"):
        solve(TicTacToe())
    with pytest.raises(LimitError, match="0 rounds; expected 1 to"):
        approximate(Kuhn(), 0)


def test_strategies_that_are_none_are_refused() -> None:
    with pytest.raises(LimitError, match="'J check bet' needs a share for fold call"):
        best_responses(Kuhn(), {MAX: {"J": {"check": Fraction(1)}}, MIN: KUHNS_SECOND})
    half = {**kuhns_first(Fraction(0)), "J": {"check": Fraction(1, 2)}}
    with pytest.raises(LimitError, match=r"the shares in 'J' are 0\.5 in all; expected 1"):
        best_responses(Kuhn(), {MAX: half, MIN: KUHNS_SECOND})
