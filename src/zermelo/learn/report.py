"""Errors of an evaluation on labelled positions, by phase of the game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.learn.features import Array, scores
from zermelo.learn.fitting import FitOptions, targets, with_labels_for, without_unproven_wins
from zermelo.learn.least_squares import logistic
from zermelo.learn.position_file import Positions

#: The most phases that positions are divided into, by the plies before them.
PHASES = 15


@dataclass(frozen=True)
class PhaseError:
    """The errors of the positions of a phase.

    Attributes
    ----------
    first, last : int
        The plies before these positions.
    positions : int
        Their number.
    error : float
        Mean absolute error: in units of the evaluation, or of the probability of a win in percent.
    spread : float
        The error of a constant: mean absolute difference of the labels from their median.
    """

    first: int
    last: int
    positions: int
    error: float
    spread: float


def phase_errors(
    evaluation: Evaluation, cls: type[State], positions: Positions, options: FitOptions | None = None
) -> list[PhaseError]:
    """Return the errors of the phases with positions, and last those of all positions.

    With a squared loss, positions labelled with an unproven win (999,999) are left out.

    Parameters
    ----------
    evaluation : Evaluation
    cls : type
        The game.
    positions : Positions
    options : FitOptions, optional
        Loss, blend and scale of the labels.
    """
    options = options or FitOptions()
    positions = with_labels_for(evaluation, cls, without_unproven_wins(positions, cls, options), options)
    units = options.units(cls, evaluation)
    found = scores(evaluation, cls, positions.states).astype(np.float64)
    wanted = targets(positions, cls, options, units)
    if options.is_logistic(cls):
        found, wanted = 100 * logistic(found / units), 100 * wanted
    width = max(-(-(int(positions.ply.max(initial=0)) + 1) // PHASES), 1)
    numbers = positions.ply // width
    listed = []
    for number in sorted(set(numbers.tolist())):
        rows = numbers == number
        first = number * width
        listed.append(_error(first, first + width - 1, found[rows], wanted[rows]))
    if len(positions):
        plies = positions.ply
        listed.append(_error(int(plies.min()), int(plies.max()), found, wanted))
    return listed


def error_unit(evaluation: Evaluation, cls: type[State], options: FitOptions) -> str:
    """The unit of errors."""
    return "% of winning" if options.is_logistic(cls) else evaluation.unit_name


def _error(first: int, last: int, found: Array, wanted: Array) -> PhaseError:
    spread = np.abs(wanted - np.median(wanted)).mean()
    return PhaseError(first, last, len(found), float(np.abs(found - wanted).mean()), float(spread))
