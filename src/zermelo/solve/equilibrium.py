"""Nash equilibria of two-player zero-sum games of imperfect information.

In an equilibrium neither player can gain by deviating alone. All equilibria of a zero-sum game have the same value, the
value of the game. `solve` computes one exactly, by linear programming over the sequence form, and proves it by both
players' best responses. `approximate` converges to one by counterfactual regret minimisation, for larger games.

References
----------
D. Koller, N. Megiddo, B. von Stengel, "Fast Algorithms for Finding Randomized Strategies in Game Trees", STOC 1994.
B. von Stengel, "Efficient Computation of Behavior Strategies", Games and Economic Behavior 14 (1996).
M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret Minimization in Games with Incomplete Information",
NIPS 2007.
O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042 (2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError
from zermelo.solve.sequence_form import InformationSet, SequenceForm
from zermelo.solve.simplex import maximise

#: The most sequences of one player for the exact solver: a few seconds.
MAX_SEQUENCES = 150
MAX_ITERATIONS = 10_000_000

#: A behaviour strategy: for each information set (`State.information_state`), the probability of each move by name.
Strategy = Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """Strategies of both players, and how close they are to an equilibrium."""

    #: The expected utility of MAX if both follow their strategies.
    value: Fraction
    #: By player, `MAX` and `MIN`.
    strategies: Mapping[int, Strategy]
    #: The value of MAX's best response to MIN's strategy: no strategy of MAX gets more.
    upper_bound: Fraction
    #: The value of MAX's strategy against MIN's best response: it never gets less.
    lower_bound: Fraction
    #: The number of states in the game tree.
    states: int
    #: The numbers of information sets of MAX and MIN.
    information_sets: tuple[int, int]
    #: Iterations of `approximate`; 0 from `solve`.
    iterations: int = 0

    @property
    def exploitability(self) -> Fraction:
        """The sum of what both players could gain by best responses (NashConv); 0 proves an equilibrium."""
        return self.upper_bound - self.lower_bound


def solve(state: State) -> Equilibrium:
    """Compute an equilibrium exactly.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.

    Returns
    -------
    Equilibrium
        With `exploitability` 0. Other equilibria with the same value may exist.

    Raises
    ------
    LimitError
        If a player has more than `MAX_SEQUENCES` sequences, or the game is too large or has perfect information.
    GameError
        If a player does not have perfect recall.

    Examples
    --------
    >>> import zermelo
    >>> print(solve(zermelo.load("kuhn").start()).value)
    -1/18
    """
    game = SequenceForm(state)
    most = max(player.sequences for player in game.players.values())
    if most > MAX_SEQUENCES:
        raise LimitError(
            f"{game.name} has {most:,} sequences for one player; up to {MAX_SEQUENCES} are solved exactly; "
            "use `--iterations 1000` (zermelo.solve.equilibrium.approximate)"
        )
    plans = {player: _optimal_plan(game, player) for player in (MAX, MIN)}
    strategies = {player: _strategy(game, player, plans[player], plans[-player]) for player in (MAX, MIN)}
    return _evaluate(game, strategies)


def approximate(state: State, iterations: int) -> Iterator[Equilibrium]:
    """Approximate an equilibrium by CFR+.

    The players update in turn. Each chooses moves in proportion to their positive cumulative regrets, negative regrets
    are reset to 0, and the average strategy weights each iteration by its number.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.
    iterations : int
        1 to `MAX_ITERATIONS`.

    Yields
    ------
    Equilibrium
        After 1, 10, 100, ... iterations and after the last. `exploitability` is computed exactly.

    Raises
    ------
    LimitError
        If `iterations` is out of range, or the game is too large or has perfect information.
    GameError
        If a player does not have perfect recall.
    """
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise LimitError(f"iterations must be from 1 to {MAX_ITERATIONS:,} (got {iterations:,})")
    return _approximate(SequenceForm(state), iterations)


def best_responses(state: State, strategies: Mapping[int, Strategy]) -> tuple[Fraction, Fraction]:
    """Return the values of both players' best responses, for MAX.

    Parameters
    ----------
    state : State
        The root.
    strategies : mapping of int to Strategy
        By player, `MAX` and `MIN`.

    Returns
    -------
    upper_bound, lower_bound : Fraction
        The values of MAX's best response to MIN's strategy, and of MAX's strategy against MIN's best response.

    Raises
    ------
    LimitError
        If a strategy lacks an information set, or its probabilities do not sum to 1.
    """
    found = _evaluate(SequenceForm(state), strategies)
    return found.upper_bound, found.lower_bound


def _evaluate(game: SequenceForm, strategies: Mapping[int, Strategy], iterations: int = 0) -> Equilibrium:
    """Return strategies with their value and bounds, as exact fractions."""
    plans = {}
    for player in (MAX, MIN):
        probabilities = {
            each.information: _probabilities(game, each, strategies[player])
            for each in game.players[player].information_sets
        }
        plans[player] = game.realization_plan(player, probabilities, Fraction(1))
    upper, _ = game.best_response(MAX, game.sequence_values(MAX, plans[MIN], game.payoffs))
    negative_lower, _ = game.best_response(MIN, game.sequence_values(MIN, plans[MAX], game.payoffs))
    value = sum((payoff * plans[MAX][a] * plans[MIN][b] for (a, b), payoff in game.payoffs.items()), Fraction(0))
    sizes = (len(game.players[MAX].information_sets), len(game.players[MIN].information_sets))
    return Equilibrium(value, strategies, upper, -negative_lower, game.states, sizes, iterations)


def _probabilities(game: SequenceForm, information_set: InformationSet, strategy: Strategy) -> list[Fraction]:
    """Return the probabilities of the moves in an information set. Raises `LimitError` if they are not valid."""
    given = strategy.get(information_set.information)
    if given is None or set(given) - set(information_set.move_names):
        raise LimitError(
            f"{game.name}: information set {information_set.information!r} needs probabilities for "
            f"{' '.join(information_set.move_names)}"
        )
    probabilities = [Fraction(given.get(name, 0)) for name in information_set.move_names]
    if min(probabilities) < 0 or sum(probabilities) != 1:
        raise LimitError(
            f"{game.name}: the probabilities in {information_set.information!r} must sum to 1 "
            f"(got {float(sum(probabilities)):g})"
        )
    return probabilities


# ---- linear programming -------------------------------------------------------------------------------------------


def _optimal_plan(game: SequenceForm, player: int) -> list[Fraction]:
    """Return a realization plan of the player with the best guaranteed value.

    With payoffs shifted so that none is negative, increasing a sequence's probability never hurts and no information
    set is worth less than 0 to the other player. All constraints can then be inequalities, and x = 0 is feasible.

    The variables are the plan x, the value w[0], and a value w[h] for each information set h of the other player:

        maximise w[0] subject to
        x[0] <= 1, and for each own information set:  sum of x[continuing sequences] <= x[parent]
        for each sequence s of the other player:      w[set of s] - sum of w[sets after s] <= payoff at the ends of s
    """
    own, other = game.players[player], game.players[-player]
    payoffs = _shifted_payoffs(game, player)
    scale = lcm(*(payoff.denominator for payoff in payoffs.values()))
    value = own.sequences  # the index of w[0]; the values of the information sets follow
    width = value + 1 + len(other.information_sets)
    rows: list[list[int]] = []
    right: list[int] = []

    def new_row(side: int) -> list[int]:
        rows.append([0] * width)
        right.append(side)
        return rows[-1]

    new_row(1)[0] = 1
    for information_set in own.information_sets:
        row = new_row(0)
        row[information_set.parent] = -1
        for sequence in information_set.sequences:
            row[sequence] = 1
    answers = [new_row(0) for _ in range(other.sequences)]
    answers[0][value] = 1
    for index, information_set in enumerate(other.information_sets, value + 1):
        answers[information_set.parent][index] = -1
        for sequence in information_set.sequences:
            answers[sequence][index] = 1
    for (own_sequence, other_sequence), payoff in payoffs.items():
        answers[other_sequence][own_sequence] -= int(payoff * scale)
    objective = [0] * width
    objective[value] = 1
    return maximise(objective, rows, right)[1][:value]


def _shifted_payoffs(game: SequenceForm, player: int) -> dict[tuple[int, int], Fraction]:
    """Return the player's payoffs by (own sequence, other sequence), shifted by a constant so that none is negative."""
    return {
        (end if player == MAX else end[::-1]): player * game.payoffs[end] + game.max_utility * probability
        for end, probability in game.end_probability.items()
    }


def _strategy(game: SequenceForm, player: int, plan: list[Fraction], other: list[Fraction]) -> Strategy:
    """Convert a plan to a behaviour strategy; information sets that it never reaches get the best response."""
    _, best = game.best_response(player, game.sequence_values(player, other, game.payoffs))
    strategy: dict[str, dict[str, Fraction]] = {}
    for information_set in game.players[player].information_sets:
        total = sum(plan[sequence] for sequence in information_set.sequences)
        if total:
            probabilities = [plan[sequence] / total for sequence in information_set.sequences]
        else:
            chosen = best[information_set.information]
            probabilities = [Fraction(index == chosen) for index in range(len(information_set.moves))]
        strategy[information_set.information] = dict(zip(information_set.move_names, probabilities, strict=True))
    return strategy


# ---- counterfactual regret minimisation ---------------------------------------------------------------------------


class _RegretMatcher:
    """One player's cumulative regrets and average strategy in CFR+."""

    def __init__(self, game: SequenceForm, player: int) -> None:
        self.game = game
        self.payoffs = {end: float(payoff) for end, payoff in game.payoffs.items() if payoff}
        self.player = player
        self.information_sets = game.players[player].information_sets
        self.regrets = [0.0] * game.players[player].sequences
        self.plan_sums = [0.0] * game.players[player].sequences
        self.plan = self._current_plan()

    def _current_plan(self) -> list[float]:
        """Return the plan of regret matching: moves in proportion to their regrets, uniform where all are 0."""
        plan = [1.0] * len(self.regrets)
        for information_set in self.information_sets:
            regrets = [self.regrets[sequence] for sequence in information_set.sequences]
            total = sum(regrets)
            for sequence, regret in zip(information_set.sequences, regrets, strict=True):
                plan[sequence] = plan[information_set.parent] * (regret / total if total > 0 else 1 / len(regrets))
        return plan

    def update(self, other_plan: list[float], iteration: int) -> None:
        """Update the regrets against the other player's plan, then the current plan and the weighted sums."""
        worth = self.game.sequence_values(self.player, other_plan, self.payoffs)
        for information_set in reversed(self.information_sets):
            regrets = [self.regrets[sequence] for sequence in information_set.sequences]
            values = [worth[sequence] for sequence in information_set.sequences]
            total = sum(regrets)
            if total > 0:
                mean = sum(value * regret for value, regret in zip(values, regrets, strict=True)) / total
            else:
                mean = sum(values) / len(values)
            for sequence, value in zip(information_set.sequences, values, strict=True):
                self.regrets[sequence] = max(0.0, self.regrets[sequence] + value - mean)
            worth[information_set.parent] += mean
        self.plan = self._current_plan()
        self.plan_sums = [
            before + iteration * probability for before, probability in zip(self.plan_sums, self.plan, strict=True)
        ]

    def average_strategy(self) -> Strategy:
        strategy: dict[str, dict[str, Fraction]] = {}
        for information_set in self.information_sets:
            sums = [Fraction(self.plan_sums[sequence]) for sequence in information_set.sequences]
            total = sum(sums)
            probabilities = [each / total if total else Fraction(1, len(sums)) for each in sums]
            strategy[information_set.information] = dict(zip(information_set.move_names, probabilities, strict=True))
        return strategy


def _approximate(game: SequenceForm, iterations: int) -> Iterator[Equilibrium]:
    players = {player: _RegretMatcher(game, player) for player in (MAX, MIN)}
    report_at = 1
    for iteration in range(1, iterations + 1):
        for player in (MAX, MIN):
            players[player].update(players[-player].plan, iteration)
        if iteration in (report_at, iterations):
            report_at *= 10
            strategies = {player: matcher.average_strategy() for player, matcher in players.items()}
            yield _evaluate(game, strategies, iteration)
