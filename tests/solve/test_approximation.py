"""CFR+ in compiled loops against a textbook version that walks the game tree, and outcome sampling, on random games."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from random import Random

import pytest

from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import best_responses, solve

PLIES = 4


@game(compiled=False)
class RandomGame(State):
    """A random game with perfect recall: who moves, what is seen and what is paid follow from the seed.

    At each ply one of the players or chance has two or three moves. A player sees its own moves, and of each other move
    all, whether it is even, or nothing.
    """

    seed: int
    line: str = ""

    max_utility = 7000
    perfect_information = False

    def drawn(self, *about):  # type: ignore[no-untyped-def]
        return Random(str((self.seed, *about)))

    def to_move(self):  # type: ignore[no-untyped-def]
        return self.mover(len(self.line))

    def mover(self, ply):  # type: ignore[no-untyped-def]
        return self.drawn("mover", ply).choice((MAX, MIN, MAX, MIN, CHANCE))

    def moves(self):  # type: ignore[no-untyped-def]
        yield from range(self.drawn("moves", len(self.line)).choice((2, 3)))

    def outcomes(self):  # type: ignore[no-untyped-def]
        for move in self.moves():
            yield move, move + 1

    def play(self, move):  # type: ignore[no-untyped-def]
        return RandomGame(self.seed, self.line + str(move))

    def is_over(self):  # type: ignore[no-untyped-def]
        return len(self.line) == PLIES

    def utility(self):  # type: ignore[no-untyped-def]
        return self.drawn("utility", self.line).randint(-7000, 7000)

    def information_state(self, player):  # type: ignore[no-untyped-def]
        seen = ""
        for ply, move in enumerate(self.line):
            how = "all" if self.mover(ply) == player else self.drawn("seen", ply, player).choice(("all", "even", ""))
            seen += {"all": move, "even": "eo"[int(move) % 2], "": "-"}[how]
        return f"{player}{seen}"


class TextbookCfrPlus:
    """CFR+ as in Tammelin (2014): each history is visited, with the reach probabilities of both players."""

    def __init__(self, root: State) -> None:
        self.root = root
        self.regrets: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.sums: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.iteration = 0

    def strategy(self, state: State) -> dict[int, float]:
        regrets = self.regrets[state.information_state(state.to_move())]
        moves = state.legal_moves()
        total = sum(regrets[move] for move in moves)
        return {move: regrets[move] / total if total > 0 else 1 / len(moves) for move in moves}

    def iterate(self) -> None:
        self.iteration += 1
        for player in (MAX, MIN):
            found: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
            self.values(self.root, player, 1.0, found)
            for information, gained in found.items():
                for move, regret in gained.items():
                    self.regrets[information][move] = max(0.0, self.regrets[information][move] + regret)
            self.average(self.root, player, 1.0, set())

    def values(self, state: State, player: int, reach: float, found: dict[str, dict[int, float]]) -> float:
        """The expected utility of a player; adds counterfactual regrets. `reach` is that of chance and the other."""
        if state.is_over():
            return player * state.utility()
        mover = state.to_move()
        if mover == CHANCE:
            outcomes = list(state.outcomes())
            whole = sum(weight for _, weight in outcomes)
            chances = {move: weight / whole for move, weight in outcomes}
        else:
            chances = self.strategy(state)
        own = mover == player
        values = {
            move: self.values(state.play(move), player, reach if own else reach * chance, found)
            for move, chance in chances.items()
        }
        mean = sum(chances[move] * values[move] for move in chances)
        if own:
            for move, value in values.items():
                found[state.information_state(state.to_move())][move] += reach * (value - mean)
        return mean

    def average(self, state: State, player: int, reach: float, done: set[str]) -> None:
        """Add a player's strategy in each of its information sets, weighted by its own reach and the iteration."""
        if state.is_over():
            return
        own = state.to_move() == player
        chances = self.strategy(state) if own else {}
        if own and state.information_state(state.to_move()) not in done:
            done.add(state.information_state(state.to_move()))
            for move, chance in chances.items():
                self.sums[state.information_state(state.to_move())][move] += self.iteration * reach * chance
        for move in state.legal_moves():
            self.average(state.play(move), player, reach * chances.get(move, 1.0), done)


def random_games(count: int) -> list[RandomGame]:
    """Games in which both players move."""
    games = (RandomGame(seed) for seed in range(1000))
    fair = (each for each in games if {MAX, MIN} <= {each.mover(ply) for ply in range(PLIES)})
    return [next(fair) for _ in range(count)]


@pytest.mark.long
@pytest.mark.parametrize("root", random_games(6), ids=str)
def test_compiled_cfr_plus_agrees_with_the_textbook(root: RandomGame) -> None:
    compiled, textbook = Approximation(root), TextbookCfrPlus(root)
    compared = 0
    for found in compiled.run(20):
        while textbook.iteration < found.iterations:
            textbook.iterate()
        for player in (MAX, MIN):
            for information, chosen in found.strategies[player].items():
                sums = textbook.sums[information]
                total = sum(sums.values())
                if total > 1e-9:
                    expected = {str(move): number / total for move, number in sums.items()}
                    assert chosen == pytest.approx(expected, abs=1e-6), information
                    compared += 1
    assert compared >= 1


@pytest.mark.long
def test_approximations_reach_the_exact_value_of_random_games() -> None:
    for root in random_games(12):
        exact = solve(root)
        *_, found = Approximation(root).run(2000)
        assert found.lower_bound - 1e-6 <= exact.value <= found.upper_bound + 1e-6
        assert found.exploitability < 20  # of 7000
        assert abs(found.value - float(exact.value)) < 20


@pytest.mark.long
def test_outcome_sampling_reaches_the_exact_value_of_random_games() -> None:
    for root in random_games(4):
        *_, found = Approximation(root, "mccfr", seed=1).run(1_000_000)
        assert found.exploitability < 70  # of 7000
        assert abs(found.value - float(solve(root).value)) < 100


@pytest.mark.long
def test_outcome_sampling_depends_on_the_seed_alone() -> None:
    (root,) = random_games(1)
    first, again, other = ([*Approximation(root, "mccfr", seed).run(500)] for seed in (1, 1, 2))
    assert first == again
    assert first[-1] != other[-1]
    assert first[-1].exploitability < first[0].exploitability


@pytest.mark.long
def test_runs_continue_where_they_stopped() -> None:
    (root,) = random_games(1)
    whole, parts = Approximation(root), Approximation(root)
    *_, expected = whole.run(30)
    for limit in (1, 7, 30):
        *_, found = parts.run(limit)
    assert found == expected
    assert [*parts.run(30)] == [expected]
    *_, stopped = Approximation(root).run(1000, stop=lambda: True)
    assert stopped.iterations == 1


def test_best_responses_to_floats_agree_with_the_exact_ones() -> None:
    for root in random_games(3):
        *_, found = Approximation(root).run(5)
        exact = {
            player: {known: _as_fractions(chosen) for known, chosen in found.strategies[player].items()}
            for player in (MAX, MIN)
        }
        floats = {
            player: {known: {name: float(p) for name, p in chosen.items()} for known, chosen in strategy.items()}
            for player, strategy in exact.items()
        }
        bounds = best_responses(root, floats)
        assert all(isinstance(bound, float) for bound in bounds)
        assert bounds == pytest.approx([float(bound) for bound in best_responses(root, exact)])


def _as_fractions(chosen):  # type: ignore[no-untyped-def]
    rounded = {name: Fraction(round(probability * 1000), 1000) for name, probability in chosen.items()}
    last = next(reversed(rounded))
    rounded[last] = 1 - sum(probability for name, probability in rounded.items() if name != last)
    return rounded
