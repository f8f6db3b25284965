"""The arithmetic of Monte Carlo tree search, shared by the textbook's version and the compiled one.

Results are counted as *rewards*, integers from MAX's side, so that sums are exact and do not depend on the order:

    a loss of max_utility             0                     a result u is worth
    a draw                            GRAIN * max_utility       GRAIN * (max_utility + u)
    a win of max_utility              2 * GRAIN * max_utility

Where a game sets `counts_wins_only`, a win of any size is a result of 1 and max_utility counts as 1.

The reward of a state lies between two bounds: at first those of all results, for a finished game its result. The bounds
of an inner node follow from those of its children, so proven wins, draws and losses move up the tree. A node whose
bounds are equal is *solved*.

References
----------
- L. Kocsis and C. Szepesvari, "Bandit Based Monte-Carlo Planning", ECML 2006 (UCT).
- G. Chaslot et al., "Progressive Strategies for Monte-Carlo Tree Search", New Mathematics and Natural Computation 4,
  2008 (progressive bias).
- M. Winands, Y. Bjornsson and J.-T. Saito, "Monte-Carlo Tree Search Solver", Computers and Games 2008.
- T. Cazenave and A. Saffidine, "Score Bounded Monte-Carlo Tree Search", Computers and Games 2010.
"""

from __future__ import annotations

import math

from zermelo.core.game import MIN, State

# Steps of the scale in one unit of utility: fine enough for evaluations and means, and 2^31 rewards still fit 64 bits.
GRAIN = 1 << 16
# The scale of `bias`, and of the constants of `uct` in a tree.
THOUSAND = 1000
# Constant of `uct`, in thousandths: sqrt(2), from the regret bound of UCB1 for results in 0 .. 1 (AIMA section 5.4).
EXPLORATION = 1414
# The same of `rave`: the values of moves played later explore enough. In Go it scored 59.5 +- 10.2 % against 100.
RAVE_EXPLORATION = 1
# Equivalence parameter of `rave`, in visits.
RAVE = 1000
# Visits that a move which was never played later counts as drawn in.
AMAF_PRIOR = 2
# Weight of the progressive bias, in thousandths of a win.
BIAS_WEIGHT = 500
# A playout that is longer counts as a draw: some games do not end by random moves.
MAX_PLAYOUT_PLIES = 2_000


def largest_result(state: State) -> int:
    """The largest result that is counted: `max_utility`, or 1 where wins of all sizes count the same."""
    return 1 if state.counts_wins_only else state.max_utility


def reward_of(utility: int, state: State) -> int:
    """The reward of a finished game of this kind of states."""
    if state.counts_wins_only:
        return GRAIN + (GRAIN if utility > 0 else -GRAIN if utility < 0 else 0)
    return (utility + state.max_utility) * GRAIN


def estimated_reward(state: State, score: int, unit: int, mean_size: int) -> int:
    """The reward that an evaluation stands for.

    In games of chance evaluations are fractions of a utility: `unit` of them are worth 1. Elsewhere their size means
    little by itself: a score as large as the mean of those seen so far, `mean_size`, counts as half a win.
    """
    largest = largest_result(state) * GRAIN
    if state.has_chance:
        return largest + max(-largest, min(score * GRAIN // unit, largest))
    if score < 0:
        return largest - largest * -score // (mean_size - score)
    return largest + largest * score // (mean_size + score)


def uct(
    side: int, visits: int, total: int, lower: int, upper: int, bias: int, span: int, log_parent: float,
    exploration: float, bias_weight: float,
) -> float:  # fmt: skip
    """The upper confidence bound of a visited child for the side that chooses it, with progressive bias.

    Parameters
    ----------
    side : int
        MAX or MIN, who chooses.
    visits, total : int
        Number of visits of the child and the sum of their rewards.
    lower, upper : int
        Bounds of the child's reward. Its mean is taken as no worse and no better than they allow.
    bias : int
        Move-ordering score among its siblings, 0 to THOUSAND.
    span : int
        Largest reward.
    log_parent : float
        Logarithm of the parent's visits.
    exploration, bias_weight : float
        Constants; larger ones try rarely visited moves, and moves of high ordering score, more often.
    """
    mean = min(max(total / visits, float(lower)), float(upper)) / span
    if side == MIN:
        mean = 1.0 - mean
    return mean + exploration * math.sqrt(log_parent / visits) + bias_weight * (bias / THOUSAND) / (visits + 1)


def rave(
    side: int, visits: int, total: int, later_visits: int, later_total: int, lower: int, upper: int, bias: int,
    span: int, log_parent: float, exploration: float, bias_weight: float, equivalence: int,
) -> float:  # fmt: skip
    """The upper confidence bound of a child by RAVE: its mean together with that of all simulations with its move.

    The weight of the second mean falls with the visits; it is 1 without a visit, and at most one half after
    `equivalence` visits.

    Parameters
    ----------
    later_visits, later_total : int
        Number of simulations in which the side plays the move at once or later, before the other side plays it, and
        the sum of their rewards.
    equivalence : int
        Visits.

    The other parameters are those of `uct`.

    References
    ----------
    S. Gelly and D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", Artificial
    Intelligence 175, 2011, section 4.4: the schedule of least mean squared error.
    """
    later = later_visits + AMAF_PRIOR
    mean = (later_total + AMAF_PRIOR * span / 2) / later
    if visits > 0:
        weight = later / (later + visits + visits * later / equivalence)
        mean = weight * mean + (1.0 - weight) * (total / visits)
    mean = min(max(mean, float(lower)), float(upper)) / span
    if side == MIN:
        mean = 1.0 - mean
    return mean + exploration * math.sqrt(log_parent / (visits + 1)) + bias_weight * (bias / THOUSAND) / (visits + 1)


def spread_of(total: int, squares: int, count: int) -> float:
    """Twice the standard deviation of results in thousandths of the largest reward; 1 for as many wins as losses.

    In games of graded wins most results are small: in Othello this is about 0.29 at the start. There the constant C of
    `uct`, made for results of 0 and 1, is multiplied by it. At least 0.05, so that the search always explores.
    """
    if count == 0:
        return 1.0
    mean = total / count
    return max(2.0 * math.sqrt(max(squares / count - mean * mean, 0.0)) / THOUSAND, 0.05)


def scaled_bias(score: int, least: int, most: int) -> int:
    """A move-ordering score between the least and the most of its siblings, as 0 .. THOUSAND."""
    return (score - least) * THOUSAND // (most - least) if most > least else 0


def weighted_mean(total: int, weights: int) -> int:
    """The mean of the outcomes' bounds, rounded to the nearest step of the scale."""
    return (2 * total + weights) // (2 * weights)
