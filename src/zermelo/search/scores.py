"""The integer scale of search scores, from MAX's point of view.

     -LIMIT      -WIN - ...         -WIN                     0                  WIN          WIN + ...      LIMIT
        |   lost, later is better     |  evaluations of unfinished games  |   won, sooner is better   |

A finished game with utility u, reached `ply` plies below the root, scores

    sign(u) * (base + |u| * unit - ply * step)

- plain scale (0, 1, 0): the utility itself, as in textbooks;
- ranked scale (WIN, UTILITY_UNIT, 1): every win above every evaluation, larger utilities above smaller ones, and among
  equal wins the nearer one. In games with `max_utility` above 1 the step is 0: only the utility counts;
- fine scale (0, unit, 0): games of chance, whose scores are averaged. Utilities and evaluations are multiples of a
  grain so small that rounding a mean to a whole grain does not matter. One evaluation unit is `grain_of` grains and a
  utility of 1 is `Evaluation.unit` evaluation units, together `unit` grains.

All bounds are finite and far inside 64 bits, so negation never overflows. docs/scores.md gives the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from zermelo.core.evaluation import LARGEST_SCORE, Nothing, rounded_div
from zermelo.core.game import LARGEST_RANK, LARGEST_UTILITY

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.core.game import State

WIN = LARGEST_SCORE
# Score of one more utility. Larger than the longest line in plies, so that a nearer win never outranks a larger one.
UTILITY_UNIT = 1_000
# End of the full window, above every score. It fits the 24 bits, with sign, that a transposition table entry has.
LIMIT = WIN + (LARGEST_UTILITY + 1) * UTILITY_UNIT


# Distance of the wins that a search by null windows looks for first, in plies.
FIRST_DISTANCE = 8


class Scale(NamedTuple):
    """Parameters of the score of a finished game; the module docstring has the formula.

    Attributes
    ----------
    base : int
        Offset of every win; 0 if wins are not ranked above evaluations.
    unit : int
        Score of one more utility.
    step : int
        Penalty per ply, so that nearer wins rank higher.
    """

    base: int
    unit: int
    step: int


PLAIN = Scale(0, 1, 0)


def plain(state: State) -> Scale:
    """Return the scale of utilities without an evaluation: plain, or fine in games of chance."""
    return fine(state, Nothing()) if state.has_chance else PLAIN


def ranked(state: State, evaluation: Evaluation | None = None) -> Scale:
    """Return the scale on which wins rank above all evaluations; in games of chance the fine scale."""
    if state.has_chance:
        return fine(state, evaluation or Nothing())
    return Scale(WIN, UTILITY_UNIT, 1 if state.max_utility == 1 else 0)


def fine(state: State, evaluation: Evaluation) -> Scale:
    """Return the scale for means: as many grains per evaluation unit as fit below LIMIT, in the form 6**n * m, m < 6.

    A die divides by 6 and a coin by 2, so means over n dice in a row are exact.
    """
    largest = _largest_value(state, evaluation)
    grain = 1
    while 6 * grain * largest < LIMIT:
        grain *= 6
    multiple = (LIMIT - 1) // (grain * largest)
    return Scale(0, evaluation.unit * grain * max(multiple, 1), 0)


def _largest_value(state: State, evaluation: Evaluation) -> int:
    """Return the largest value of any state in evaluation units: utility or largest declared score."""
    return max(state.max_utility * evaluation.unit, evaluation.largest_score - 1)


def grain_of(scale: Scale, evaluation: Evaluation) -> int:
    """Return the number of grains per evaluation unit: 1 except on the fine scale."""
    return 1 if scale.base else max(scale.unit // evaluation.unit, 1)


def bound_of(state: State, scale: Scale, evaluation: Evaluation) -> int:
    """Return a bound on the absolute value of every state, which Star1 and Star2 need.

    It is the larger of the game's `max_utility` and the evaluation's `largest_score`, on the scale; LIMIT on a ranked
    scale.
    """
    if scale.base:
        return LIMIT
    return max(state.max_utility * scale.unit, (evaluation.largest_score - 1) * grain_of(scale, evaluation))


def points_of(score: int, scale: Scale, evaluation: Evaluation) -> int:
    """Convert a score on the fine scale to evaluation units, rounded."""
    return rounded_div(score * evaluation.unit, scale.unit)


def expected_of(state: State, score: int, scale: Scale) -> float | None:
    """Convert a score on the fine scale to the expected utility; None in games without chance."""
    return score / scale.unit if state.has_chance else None


def finished_score(utility: int, ply: int, base: int, unit: int, step: int) -> int:
    """Return the score of a finished game `ply` plies below the root."""
    if utility > 0:
        return base + utility * unit - ply * step
    if utility < 0:
        return -(base - utility * unit - ply * step)
    return 0


def ranked_score(rank: int, ply: int, base: int, unit: int, step: int) -> int:
    """Return the score of a result of `State.ranked_bounds`, of a state `ply` plies below the root."""
    if rank > 0:
        return finished_score(1, ply + LARGEST_RANK - rank, base, unit, step)
    if rank < 0:
        return finished_score(-1, ply + LARGEST_RANK + rank, base, unit, step)
    return 0


def ranked_value(test: Callable[[int], int], low: int, high: int, scale: Scale, longest: int) -> int:
    """Find a score on the ranked scale by null-window searches.

    Wins and losses within 8 plies are looked for first, then within 16, and so on: the game's `ranked_bounds` refute
    near ones without a deep search, and the table orders the moves of the next search. Then the interval is bisected.

    Parameters
    ----------
    test : callable
        `test(v)` searches in the window (v - 1, v) and returns the fail-soft score.
    low, high : int
        An interval that contains the score.
    scale : Scale
        The ranked scale, with a step.
    longest : int
        Length of the longest line in plies.
    """
    thresholds = _thresholds(scale, longest)
    while low < high:
        middle = next((each for each in thresholds if low < each <= high), (low + high + 1) // 2)
        score = test(middle)
        if score >= middle:
            low = max(low, score)
        else:
            high = min(high, score)
    return low


def _thresholds(scale: Scale, longest: int) -> Iterator[int]:
    """Yield the lowest score of a win within 8, 16, ... plies and the lowest of no loss within these; then 1 and 0."""
    plies = FIRST_DISTANCE
    while plies < longest:
        nearest = scale.base + scale.unit - plies * scale.step
        yield nearest
        yield 1 - nearest
        plies *= 2
    yield 1
    yield 0


def is_decided(score: int, scale: Scale) -> bool:
    """Return whether a score on a ranked scale is a proven win or loss, not an evaluation."""
    return scale.base > 0 and abs(score) > scale.base


def utility_of(score: int, scale: Scale) -> int:
    """Return the utility that a decided score, or any score on the plain scale, stands for."""
    if scale.base == 0:
        return score
    size = -(-(abs(score) - scale.base) // scale.unit) if abs(score) > scale.base else 0
    return size if score > 0 else -size


def plies_of(score: int, scale: Scale) -> int | None:
    """Return the plies from the root to the end of the game of a decided score; None if the scale has no step."""
    if scale.step == 0 or not is_decided(score, scale):
        return None
    return (scale.base + abs(utility_of(score, scale)) * scale.unit - abs(score)) // scale.step


def most_total(score: int, weight: int) -> int:
    """Return the largest total whose mean, rounded as by `rounded_div`, is at most `score`.

    Halves round away from 0: for a score of at least 0 this means 2 * total < weight * (2 * score + 1); below 0
    equality is allowed too.
    """
    return (weight * (2 * score + 1) - (1 if score >= 0 else 0)) // 2


def least_total(score: int, weight: int) -> int:
    """Return the smallest total whose mean, rounded as by `rounded_div`, is at least `score`."""
    return -most_total(-score, weight)


def least_share(total: int, weight: int) -> int:
    """Return the smallest integer n with n * weight >= total."""
    return -(-total // weight)
