"""What a score means: one integer scale from MAX's side for evaluations, wins, losses and the ends of windows.

     -LIMIT      -WIN - ...         -WIN                     0                  WIN          WIN + ...      LIMIT
        |   lost, later is better     |  evaluations of unfinished games  |   won, sooner is better   |

A finished game with utility u, reached `ply` moves below the root, scores

    sign(u) * (base + |u| * unit - ply * step)

- plain scale (0, 1, 0): the utility itself, as in the books;
- ranked scale (WIN, POINT, 1): every win above every evaluation, larger utilities above smaller ones, and among
  equal ones the nearer; for graded games (`max_utility` above 1) step is 0: only the utility counts.

All bounds are finite numbers far inside 64 bits, so that negation is always safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zermelo.evaluation import LARGEST_SCORE
from zermelo.game import LARGEST_UTILITY

if TYPE_CHECKING:
    from zermelo.game import State

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


def ranked(state: State) -> Scale:
    """The scale on which wins rank above all evaluations; plain in games of chance, whose scores are averaged."""
    if state.has_chance:
        return PLAIN
    return Scale(WIN, POINT, 1 if state.max_utility == 1 else 0)


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


def mean_score(total: int, weight: int) -> int:
    """The mean of weighted scores, rounded to the nearest integer, halves away from 0 (so mirrored games mirror)."""
    if total >= 0:
        return (2 * total + weight) // (2 * weight)
    return -((2 * -total + weight) // (2 * weight))
