"""How well shallow searches predict deep ones: the errors that ProbCut needs.

    positions --> searches to depths 1, 2, .. --> differences of scores, by stage and depths --> a formula

For each pair of depths that ProbCut uses (`shallow_depth`) and each stage of the game, the standard deviation of the
differences is measured. A formula of four coefficients is fitted to them, by which larger depths are extrapolated:

    error = exp(c0 + c1 * stage + c2 * depth + c3 * shallow depth)

References
----------
M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello", 1997.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.patterns import Patterns
from zermelo.errors import LimitError, ZermeloError
from zermelo.formatting import plural
from zermelo.learn.position_file import Positions
from zermelo.learn.self_play import MAX_DEPTH
from zermelo.search.position_search import PositionSearch
from zermelo.search.selective import MIN_PROBCUT_DEPTH, shallow_depth

#: Fewest positions of a stage whose differences are a measurement.
MIN_POSITIONS = 30
#: Coefficients of the formula.
_COEFFICIENTS = 4


@dataclass(frozen=True)
class SearchError:
    """The differences between the scores of searches of two depths.

    Attributes
    ----------
    stage, depth, shallow : int
        The stage of the game, 0 if the evaluation has none; the depths.
    positions : int
        The number of positions.
    error, fitted : float
        The standard deviation, and that of the formula, in units of the evaluation.
    """

    stage: int
    depth: int
    shallow: int
    positions: int
    error: float
    fitted: float


def search_errors(
    evaluation: Evaluation,
    cls: type[State],
    positions: Positions,
    *,
    depth: int = 8,
    count: int = 2000,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[tuple[float, ...], list[SearchError]]:
    """Return the coefficients of the formula, and what they were fitted to.

    Parameters
    ----------
    evaluation : Evaluation
    cls : type
        The game.
    positions : Positions
        Positions of games; those that are solved, and those in which a search sees the result, are not used.
    depth : int
        The depth of the deepest searches, at most 60. The formula needs four pairs of a stage and a depth, so it is at
        least 4, and at least 6 with a single stage.
    count : int
        The number of positions that are searched.
    seed : int
        Seed of their choice.
    on_progress : callable
        Called with the numbers of searched and of all positions.

    Raises
    ------
    LimitError
        If the depth or the number of positions is out of range.
    ZermeloError
        If there are too few positions.
    """
    if count < 1:
        raise LimitError(f"count must be at least 1 (got {count})")
    stage_count = evaluation.stages if isinstance(evaluation, Patterns) else 1
    least = MIN_PROBCUT_DEPTH - 1 + max(math.ceil(_COEFFICIENTS / stage_count), 2)
    if not least <= depth <= MAX_DEPTH:
        raise LimitError(f"depth must be from {least} to {MAX_DEPTH} (got {depth})")
    rows = np.flatnonzero(positions.exact == 0)
    chosen = sorted(random.Random(seed).sample(rows.tolist(), min(count, len(rows))))
    search = PositionSearch(cls.start(), evaluation)
    stages, scores = [], []
    for done, row in enumerate(chosen):
        on_progress(done, len(chosen))
        state = positions.state(row, cls)
        search.clear()
        found = [search.search(state, each) for each in range(1, depth + 1)]
        if not any(each.is_exact or each.is_unproven_win for each in found):
            stages.append(evaluation.stage(state) if isinstance(evaluation, Patterns) else 0)
            scores.append([each.score for each in found])
    on_progress(len(chosen), len(chosen))
    table, stage = np.array(scores, np.float64).reshape(-1, depth), np.array(stages, np.int64)
    measured = [
        (each, deep, shallow_depth(deep), int(part.sum()), float(spread))
        for each in sorted(set(stages))
        for part in [stage == each]
        if part.sum() >= MIN_POSITIONS
        for deep in range(MIN_PROBCUT_DEPTH, depth + 1)
        for spread in [(table[part, deep - 1] - table[part, shallow_depth(deep) - 1]).std()]
        if spread > 0
    ]
    if len(measured) < _COEFFICIENTS:
        raise ZermeloError(
            f"{plural(len(table), 'unsolved position')} are too few: a stage needs {MIN_POSITIONS} with scores that "
            "differ by depth; generate more, or search more of them"
        )
    return _fitted(measured)


def _fitted(measured: list[tuple[int, int, int, int, float]]) -> tuple[tuple[float, ...], list[SearchError]]:
    """Least squares of the logarithms, weighted by the positions; stages and depths without a spread have no slope."""
    items = np.array([[1, stage, depth, shallow] for stage, depth, shallow, _, _ in measured], np.float64)
    weights = np.sqrt([count for _, _, _, count, _ in measured])
    targets = np.log([error for *_, error in measured])
    found = np.linalg.lstsq(items * weights[:, None], targets * weights, rcond=None)[0]
    coefficients = tuple(round(float(each), 4) for each in found)
    fitted = np.exp(items @ np.array(coefficients))
    return coefficients, [SearchError(*row, float(each)) for row, each in zip(measured, fitted, strict=True)]
