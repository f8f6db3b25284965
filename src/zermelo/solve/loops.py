"""The loops of counterfactual regret minimisation and best responses, compiled.

They run over the arrays of `zermelo.solve.arrays`: a player's `parents` and `firsts` (its information sets, ancestors
first), and `starts`, `others` and `payoffs` (what its sequences earn where they end a game). Outcome sampling runs over
those of the game tree.

References
----------
O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042 (2014).
M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games",
NIPS 2009.
"""

from __future__ import annotations

import numpy as np

from zermelo.core.game import CHANCE
from zermelo.core.random_numbers import random_below, random_word
from zermelo.solve.arrays import Floats, Ints
from zermelo.solve.sequence_form import END, MAX_PLIES

#: Probability of a random move by the player whose regrets are updated (Lanctot and others 2009, section 4.1).
EXPLORATION = 0.6
#: Bits of the index of a random number that count the plies of an episode.
DRAW_BITS = 10
WORDS = 2.0**62


def sequence_values(starts: Ints, others: Ints, payoffs: Floats, other_plan: Floats, values: Floats) -> None:
    """Write what a player earns where each of its sequences ends a game, against the other player's plan."""
    for sequence in range(len(values)):
        total = 0.0
        for place in range(starts[sequence], starts[sequence + 1]):
            total += payoffs[place] * other_plan[others[place]]
        values[sequence] = total


def best_response(parents: Ints, firsts: Ints, values: Floats) -> float:
    """Return the value of a best response to the plan of `sequence_values`, whose result it overwrites."""
    for index in range(len(parents) - 1, -1, -1):
        best = values[firsts[index]]
        for sequence in range(firsts[index] + 1, firsts[index + 1]):
            best = max(best, values[sequence])
        values[parents[index]] += best
    return float(values[0])


def write_plan(parents: Ints, firsts: Ints, weights: Floats, plan: Floats) -> None:
    """Write the realization plan that chooses moves in proportion to their positive weights, uniformly without any."""
    plan[0] = 1.0
    for index in range(len(parents)):
        total = 0.0
        for sequence in range(firsts[index], firsts[index + 1]):
            total += max(weights[sequence], 0.0)
        reach = plan[parents[index]]
        if total > 0.0:
            for sequence in range(firsts[index], firsts[index + 1]):
                plan[sequence] = reach * (max(weights[sequence], 0.0) / total)
        else:
            count = firsts[index + 1] - firsts[index]
            for sequence in range(firsts[index], firsts[index + 1]):
                plan[sequence] = reach / count


def update_regrets(parents: Ints, firsts: Ints, values: Floats, regrets: Floats) -> None:
    """Add the counterfactual regrets of an iteration, and reset negative ones to 0 (regret matching+).

    `values` are those of `sequence_values`; they are overwritten.
    """
    for index in range(len(parents) - 1, -1, -1):
        total = 0.0
        mean = 0.0
        for sequence in range(firsts[index], firsts[index + 1]):
            total += regrets[sequence]
            mean += regrets[sequence] * values[sequence]
        if total > 0.0:
            mean /= total
        else:
            mean = 0.0
            for sequence in range(firsts[index], firsts[index + 1]):
                mean += values[sequence]
            mean /= firsts[index + 1] - firsts[index]
        for sequence in range(firsts[index], firsts[index + 1]):
            regrets[sequence] = max(0.0, regrets[sequence] + values[sequence] - mean)
        values[parents[index]] += mean


def add_plan(plan: Floats, weight: int, sums: Floats) -> None:
    """Add a plan to the weighted sum of all plans."""
    for sequence in range(len(plan)):
        sums[sequence] += weight * plan[sequence]


# ---- outcome sampling ------------------------------------------------------------------------------------------------


def sample_episode(
    player: int, seed: int, draw: int,
    kinds: Ints, indexes: Ints, firsts: Ints, children: Ints, weights: Ints, regrets: Floats, sums: Floats,
    slots: Ints, counts: Ints, picks: Ints, played: Floats, sampled: Floats,
) -> None:  # fmt: skip
    """Play one game, and update the regrets of `player` and the average strategy of the other player on its path.

    `player` explores: it chooses at random with probability `EXPLORATION`, else by regret matching, as the other player
    always does. Utilities are divided by the probability of being sampled. The last five arrays are working memory.
    """
    node = 0
    ply = 0
    decisions = 0
    reach = 1.0  # probability that `player` samples its moves so far
    while kinds[node] != END:
        first = firsts[node]
        count = firsts[node + 1] - first
        word = random_word(seed, draw << DRAW_BITS | ply)
        pick = 0
        if kinds[node] == CHANCE:
            below = random_below(weights[first + count - 1], word)
            while weights[first + pick] <= below:
                pick += 1
        else:
            slot = indexes[node]
            total = 0.0
            for move in range(count):
                total += max(regrets[slot + move], 0.0)
            explored = EXPLORATION if kinds[node] == player else 0.0
            left = word / WORDS
            probability = 0.0
            chance = 0.0
            for move in range(count):
                probability = max(regrets[slot + move], 0.0) / total if total > 0.0 else 1.0 / count
                if kinds[node] != player:
                    sums[slot + move] += probability / reach
                chance = explored / count + (1.0 - explored) * probability
                if left >= 0.0 and chance > 0.0:
                    pick = move
                    played[decisions] = probability
                    sampled[decisions] = chance
                left -= chance
            if kinds[node] == player:
                slots[decisions] = slot
                counts[decisions] = count
                picks[decisions] = pick
                reach *= sampled[decisions]
                decisions += 1
        node = children[first + pick]
        ply += 1
    value = float(player * indexes[node]) / reach  # times the ratios of the player's later moves
    for index in range(decisions - 1, -1, -1):
        # Utility after the move picked, divided by the probability of sampling the moves before and it.
        mean = played[index] * value
        for move in range(counts[index]):
            regrets[slots[index] + move] -= mean
        regrets[slots[index] + picks[index]] += value
        value = mean


# ---- entry points of compiled code ----------------------------------------------------------------------------------


def run_cfr_plus(
    done: int, count: int,
    parents: Ints, firsts: Ints, starts: Ints, others: Ints, payoffs: Floats, regrets: Floats, sums: Floats,
    min_parents: Ints, min_firsts: Ints, min_starts: Ints, min_others: Ints, min_payoffs: Floats, min_regrets: Floats,
    min_sums: Floats,
) -> None:  # fmt: skip
    """Run `count` iterations of CFR+ after the first `done`: the arrays of MAX, then those of MIN."""
    plan = np.zeros(len(regrets))
    min_plan = np.zeros(len(min_regrets))
    values = np.zeros(len(regrets))
    min_values = np.zeros(len(min_regrets))
    write_plan(min_parents, min_firsts, min_regrets, min_plan)
    for iteration in range(done + 1, done + count + 1):
        sequence_values(starts, others, payoffs, min_plan, values)
        update_regrets(parents, firsts, values, regrets)
        write_plan(parents, firsts, regrets, plan)
        add_plan(plan, iteration, sums)
        sequence_values(min_starts, min_others, min_payoffs, plan, min_values)
        update_regrets(min_parents, min_firsts, min_values, min_regrets)
        write_plan(min_parents, min_firsts, min_regrets, min_plan)
        add_plan(min_plan, iteration, min_sums)


def run_evaluation(
    parents: Ints, firsts: Ints, starts: Ints, others: Ints, payoffs: Floats, weights: Floats,
    min_parents: Ints, min_firsts: Ints, min_starts: Ints, min_others: Ints, min_payoffs: Floats, min_weights: Floats,
) -> tuple[float, float, float]:  # fmt: skip
    """Return the value for MAX of strategies in proportion to weights, of MAX's best response, and against MIN's."""
    plan = np.zeros(len(weights))
    min_plan = np.zeros(len(min_weights))
    values = np.zeros(len(weights))
    min_values = np.zeros(len(min_weights))
    write_plan(parents, firsts, weights, plan)
    write_plan(min_parents, min_firsts, min_weights, min_plan)
    sequence_values(starts, others, payoffs, min_plan, values)
    value = 0.0
    for sequence in range(len(plan)):
        value += plan[sequence] * values[sequence]
    upper = best_response(parents, firsts, values)
    sequence_values(min_starts, min_others, min_payoffs, plan, min_values)
    lower = -best_response(min_parents, min_firsts, min_values)
    return value, upper, lower


def run_outcome_sampling(
    done: int, count: int, seed: int,
    kinds: Ints, indexes: Ints, firsts: Ints, children: Ints, weights: Ints, regrets: Floats, sums: Floats,
) -> None:  # fmt: skip
    """Run `count` iterations of outcome sampling after the first `done`: an episode for each player."""
    slots = np.zeros(MAX_PLIES + 1, np.int64)
    counts = np.zeros(MAX_PLIES + 1, np.int64)
    picks = np.zeros(MAX_PLIES + 1, np.int64)
    played = np.zeros(MAX_PLIES + 1)
    sampled = np.zeros(MAX_PLIES + 1)
    for iteration in range(done, done + count):
        for side in range(2):
            sample_episode(
                1 - 2 * side, seed, 2 * iteration + side, kinds, indexes, firsts, children, weights, regrets, sums,
                slots, counts, picks, played, sampled,
            )  # fmt: skip
