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
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError
from zermelo.solve.approximation import Approximation, evaluated
from zermelo.solve.profile import Equilibrium as Equilibrium
from zermelo.solve.profile import Number
from zermelo.solve.profile import Strategy as Strategy
from zermelo.solve.sequence_form import InformationSet, SequenceForm
from zermelo.solve.simplex import maximise

#: The most sequences of one player for the exact solver: a few seconds.
MAX_SEQUENCES = 150
#: How far from 1 the sum of probabilities given as floats may be.
FLOAT_ERROR = 1e-9


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
    return evaluate(game, strategies)


def approximate(
    state: State,
    iterations: int | None = None,
    *,
    seconds: float | None = None,
    algorithm: str = "cfr+",
    seed: int = 0,
) -> Iterator[Equilibrium]:
    """Approximate an equilibrium by counterfactual regret minimisation.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.
    iterations : int, optional
        The number of iterations, from 1.
    seconds : float, optional
        The time after which to stop, in seconds without compiling.
    algorithm : str
        "cfr+", or "mccfr": outcome sampling.
    seed : int
        Seed of "mccfr".

    Yields
    ------
    Equilibrium
        After 1, 2, 5, 10, 20, 50, ... iterations and after the last. `exploitability` is computed from best responses.

    Raises
    ------
    LimitError
        If neither limit is given or one is out of range, or the game is too large or has perfect information.
    GameError
        If a player does not have perfect recall.
    """
    if iterations is None and seconds is None:
        raise LimitError("an approximation needs a limit: iterations or seconds")
    return Approximation(state, algorithm, seed).run(iterations, seconds)


def best_responses(state: State, strategies: Mapping[int, Strategy]) -> tuple[Number, Number]:
    """Return the values of both players' best responses, for MAX.

    Parameters
    ----------
    state : State
        The root.
    strategies : mapping of int to Strategy
        By player, `MAX` and `MIN`.

    Returns
    -------
    upper_bound, lower_bound : Fraction or float
        The values of MAX's best response to MIN's strategy, and of MAX's strategy against MIN's best response; exact
        unless a probability is a float.

    Raises
    ------
    LimitError
        If a strategy lacks an information set, or its probabilities do not sum to 1.
    """
    found = evaluate(SequenceForm(state), strategies)
    return found.upper_bound, found.lower_bound


def evaluate(game: SequenceForm, strategies: Mapping[int, Strategy]) -> Equilibrium:
    """Return strategies with their value and bounds: exact fractions unless a probability is a float."""
    probabilities = {
        player: {each.information: _probabilities(game, each, strategies[player]) for each in sets}
        for player, sets in ((player, game.players[player].information_sets) for player in (MAX, MIN))
    }
    if any(isinstance(number, float) for each in probabilities.values() for row in each.values() for number in row):
        weights = {
            player: np.array([1.0, *(float(number) for row in each.values() for number in row)])
            for player, each in probabilities.items()
        }
        mean, most, least = evaluated(game, weights)
        return Equilibrium(mean, strategies, most, least, game.states, game.sizes)
    plans = {player: game.realization_plan(player, each) for player, each in probabilities.items()}
    upper, _ = game.best_response(MAX, game.sequence_values(MAX, plans[MIN]))
    negative_lower, _ = game.best_response(MIN, game.sequence_values(MIN, plans[MAX]))
    value = sum((payoff * plans[MAX][a] * plans[MIN][b] for (a, b), payoff in game.payoffs.items()), Fraction(0))
    return Equilibrium(value, strategies, upper, -negative_lower, game.states, game.sizes)


def _probabilities(game: SequenceForm, information_set: InformationSet, strategy: Strategy) -> list[Any]:
    """Return the probabilities of the moves in an information set. Raises `LimitError` if they are not valid."""
    given = strategy.get(information_set.information)
    if given is None or set(given) - set(information_set.move_names):
        raise LimitError(
            f"{game.name}: information set {information_set.information!r} needs probabilities for "
            f"{' '.join(information_set.move_names)}"
        )
    probabilities = [given.get(name, 0) for name in information_set.move_names]
    total = sum(probabilities)
    is_one = abs(total - 1) <= FLOAT_ERROR if isinstance(total, float) else total == 1
    if min(probabilities) < 0 or not is_one:
        raise LimitError(
            f"{game.name}: the probabilities in {information_set.information!r} must sum to 1 (got {float(total):g})"
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
    _, best = game.best_response(player, game.sequence_values(player, other))
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
