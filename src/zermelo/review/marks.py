"""Marks and accuracy: what a loss means.

A move is marked by how much it lowers the expected result (`expected_result`), as on lichess:

    mark         loss of expected result    chess, as lichess says it           backgammon, as GNU Backgammon says it
    inaccuracy   from 0.05                  10 % of winning chances             doubtful, 0.04 points
    mistake      from 0.10                  20 %                                bad, 0.08 points
    blunder      from 0.15                  30 %                                very bad, 0.16 points

lichess counts winning chances from -1 to 1, and one point of equity at backgammon is half of the expected result. In
games with wins of different size, proven scores are also compared by utility: a 32nd, 16th and 8th of the largest
utility, which is 2, 4 and 8 discs at Othello.

References
----------
- lichess, `modules/tree/src/main/Advice.scala` and https://lichess.org/page/accuracy
- GNU Backgammon, default analysis thresholds (`arSkillLevel`)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from zermelo.core.game import State

INACCURACY, MISTAKE, BLUNDER = MARKS = ("inaccuracy", "mistake", "blunder")
#: The numeric annotation glyphs of the marks (NAG), and how they are written.
GLYPHS = {INACCURACY: 6, MISTAKE: 2, BLUNDER: 4}
SYMBOLS = {INACCURACY: "?!", MISTAKE: "?", BLUNDER: "??"}

#: The smallest loss of expected result of each mark, and of games with thresholds of their own.
THRESHOLDS = (0.05, 0.10, 0.15)
_THRESHOLDS = {"zermelo.games.backgammon.rules.Backgammon": (0.02, 0.04, 0.08)}
#: The smallest loss of utility of each mark, as a part of the largest utility.
UTILITY_THRESHOLDS = (1 / 32, 1 / 16, 1 / 8)
#: Rounding errors of differences.
_EPSILON = 1e-9


def thresholds_of(game: type[State]) -> tuple[float, float, float]:
    """Return the smallest losses of expected result that are an inaccuracy, a mistake and a blunder."""
    return _THRESHOLDS.get(f"{game.__module__}.{game.__qualname__}", THRESHOLDS)


def mark_of(game: type[State], result_loss: float, utility_loss: float | None = None) -> str:
    """Return the mark of a move; empty for a move without one.

    Parameters
    ----------
    game : type of State
        The game.
    result_loss : float
        By how much the move lowers the expected result, 0 to 1.
    utility_loss : float, optional
        By how much it lowers the utility, where both values are proven.
    """
    losses = [(result_loss, thresholds_of(game))]
    if utility_loss is not None and game.max_utility > 1:
        largest = game.max_utility
        losses.append((utility_loss / largest, UTILITY_THRESHOLDS))
    reached = max(sum(loss > 0 and loss >= limit - _EPSILON for limit in limits) for loss, limits in losses)
    return MARKS[reached - 1] if reached else ""


def move_accuracy(result_loss: float) -> float:
    """Return the accuracy of a move in percent: 100 for a loss of 0, as lichess computes it.

    References
    ----------
    https://lichess.org/page/accuracy
    """
    return min(max(103.1668 * math.exp(-4.354 * result_loss) - 3.1669, 0.0), 100.0)


def accuracy(result_losses: Sequence[float]) -> float | None:
    """Return the accuracy of a side in percent: the mean over its moves; None without moves."""
    return sum(map(move_accuracy, result_losses)) / len(result_losses) if result_losses else None
