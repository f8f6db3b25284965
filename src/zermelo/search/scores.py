"""What a score means: one integer scale from MAX's side for evaluations, wins, losses and the ends of windows.

     -LIMIT      -WIN - ...         -WIN                     0                  WIN          WIN + ...      LIMIT
        |   lost, later is better     |  evaluations of unfinished games  |   won, sooner is better   |

A finished game with utility u, reached `ply` moves below the root, scores

    sign(u) * (base + |u| * unit - ply * step)

- plain scale (0, 1, 0): the utility itself, as in the books;
- ranked scale (WIN, POINT, 1): every win above every evaluation, larger utilities above smaller ones, and among
  equal ones the nearer; for graded games (`max_utility` above 1) step is 0: only the utility counts;
- fine scale (0, unit, 0), in games of chance: their scores are averaged, so utilities and evaluations lie on one
  scale, whose grains are so fine that rounding a mean to a whole number of them does not matter. An evaluation
  declares how many of its points make one of utility (`Evaluation.unit`); a point is `grain_of` grains, and a
  utility `unit` grains.

All bounds are finite numbers far inside 64 bits, so that negation is always safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zermelo.core.evaluation import LARGEST_SCORE, Nothing, rounded_div
from zermelo.core.game import LARGEST_UTILITY

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.core.game import State

WIN = LARGEST_SCORE
# More than the longest line the search can follow, so that a nearer win never outranks a larger one.
POINT = 1_000
# Beyond every score; the ends of a full window. 24 bits, sign included, hold it in a table's entry.
LIMIT = WIN + (LARGEST_UTILITY + 1) * POINT


class Scale(NamedTuple):
    """How finished games are scored: see the module's text."""

    base: int
    unit: int
    step: int


PLAIN = Scale(0, 1, 0)


def plain(state: State) -> Scale:
    """The scale of utilities alone: fine in games of chance."""
    return fine(state, Nothing()) if state.has_chance else PLAIN


def ranked(state: State, evaluation: Evaluation | None = None) -> Scale:
    """The scale on which wins rank above all evaluations; in games of chance the fine one, for means."""
    if state.has_chance:
        return fine(state, evaluation or Nothing())
    return Scale(WIN, POINT, 1 if state.max_utility == 1 else 0)


def fine(state: State, evaluation: Evaluation) -> Scale:
    """The scale for means: as many grains to a point of the evaluation as fit below LIMIT, most of them sixes.

    A die divides by 6 and a coin by 2: with 6**n grains to a point the means over so many dice in a row are exact.
    """
    points = _points(state, evaluation)
    grain = 1
    while 6 * grain * points < LIMIT:
        grain *= 6
    most = (LIMIT - 1) // (grain * points)
    return Scale(0, evaluation.unit * grain * max(most, 1), 0)


def _points(state: State, evaluation: Evaluation) -> int:
    """The largest value of any state in points of the evaluation: a utility, or the largest score it declares."""
    return max(state.max_utility * evaluation.unit, evaluation.largest_score - 1)


def grain_of(scale: Scale, evaluation: Evaluation) -> int:
    """How many steps of the scale one point of the evaluation is: 1 but on the fine scale."""
    return 1 if scale.base else max(scale.unit // evaluation.unit, 1)


def bound_of(state: State, scale: Scale, evaluation: Evaluation) -> int:
    """No state has a value beyond this, nor below its negative: what Star1 and Star2 cut by. LIMIT where none is known.

    The larger of the game's `max_utility` and the evaluation's `largest_score`, on the scale.
    """
    if scale.base:
        return LIMIT
    return max(state.max_utility * scale.unit, (evaluation.largest_score - 1) * grain_of(scale, evaluation))


def points_of(score: int, scale: Scale, evaluation: Evaluation) -> int:
    """A score on the fine scale in whole points of the evaluation, rounded."""
    return rounded_div(score * evaluation.unit, scale.unit)


def expected_of(state: State, score: int, scale: Scale) -> float | None:
    """The expected utility that a score on the fine scale stands for; None in games without chance."""
    return score / scale.unit if state.has_chance else None


def finished_score(utility: int, ply: int, base: int, unit: int, step: int) -> int:
    """The score of a finished game, `ply` moves below the root."""
    if utility > 0:
        return base + utility * unit - ply * step
    if utility < 0:
        return -(base - utility * unit - ply * step)
    return 0


def is_decided(score: int, scale: Scale) -> bool:
    """Whether a score on a ranked scale stands for a won or lost game, not for an evaluation."""
    return scale.base > 0 and abs(score) > scale.base


def utility_of(score: int, scale: Scale) -> int:
    """The utility of the finished game that a decided score, or any score on the plain scale, stands for."""
    if scale.base == 0:
        return score
    size = -(-(abs(score) - scale.base) // scale.unit) if abs(score) > scale.base else 0
    return size if score > 0 else -size


def plies_of(score: int, scale: Scale) -> int | None:
    """How many plies below the root the game of a decided score ends; None where the scale does not tell."""
    if scale.step == 0 or not is_decided(score, scale):
        return None
    return (scale.base + abs(utility_of(score, scale)) * scale.unit - abs(score)) // scale.step


def most_total(score: int, weight: int) -> int:
    """The largest total whose `nearest` is not above the score.

    For a score from 0 up, a half more rounds up: 2 * total < weight * (2 * score + 1). Below 0 it rounds down, and
    equality is allowed too.
    """
    return (weight * (2 * score + 1) - (1 if score >= 0 else 0)) // 2


def least_total(score: int, weight: int) -> int:
    """The smallest total whose `nearest` is not below the score."""
    return -most_total(-score, weight)


def least_share(total: int, weight: int) -> int:
    """The smallest whole number that is, times the weight, not below the total."""
    return -(-total // weight)
