"""Regularised fits of a weighted sum: squared error, or logistic regression, by conjugate gradients.

Minimise  sum of loss(target, matrix * weights) + ridge * |weights - start|^2  by Newton's method. Each step solves a
least-squares problem by conjugate gradients with a diagonal preconditioner; a squared loss needs one step. The ridge
keeps weights of rare features near where they started; features of many positions hardly feel it.

The error on held-out positions is measured after each iteration of conjugate gradients. The weights of the least one
are returned, and a step ends once it has not fallen for `PATIENCE` iterations. A Newton step that does not lower it is
halved until it does.

References
----------
- M. R. Hestenes and E. Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", Journal of Research of the
  National Bureau of Standards 49 (1952).
- H. A. Martens, "Deep Learning via Hessian-Free Optimization", ICML 2010, section 4.4: stopping by a held-out error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zermelo.learn.features import Array, Matrix, dot

#: Iterations of conjugate gradients without a lower held-out error after which a step ends.
PATIENCE = 5
#: Newton steps of a logistic fit: it converges in fewer.
MAX_STEPS = 12
#: How often such a step is halved if it does not lower the error: from a wrong start it may go too far.
MOST_HALVINGS = 10
#: A step that lowers the error by less than this fraction is the last one.
_LEAST_GAIN = 1e-4


class Sample(NamedTuple):
    """Positions: their features and what their score should be."""

    matrix: Matrix
    #: A score for a squared loss; a probability of a win for a logistic loss.
    targets: Array


class Progress(NamedTuple):
    """The state of a fit after an iteration."""

    iteration: int
    #: Mean loss of the held-out positions.
    error: float
    best: float


def fit(
    train: Sample,
    held_out: Sample,
    start: Array,
    *,
    is_logistic: bool = False,
    ridge: float = 1.0,
    iterations: int = 100,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Array:
    """Return the weights of the least error on the held-out positions.

    Parameters
    ----------
    train, held_out : Sample
    start : array
        Weights to start from and to stay close to.
    is_logistic : bool
        Cross entropy of the logistic function of the score, instead of its squared error.
    ridge : float
        Strength of the regularisation, at least 0: the number of positions that outweigh it.
    iterations : int
        Most iterations of conjugate gradients in all.
    on_progress : callable
        Called after each iteration. A `KeyboardInterrupt` that it raises, or Ctrl-C, ends the fit with the best weights
        so far.
    """
    loss = _logistic if is_logistic else _squared
    best = weights = start
    lowest = loss(held_out.matrix.times(start), held_out.targets)[0]
    done = 0
    try:
        for _ in range(MAX_STEPS if is_logistic else 1):
            before = lowest
            _, residual, curvature = loss(train.matrix.times(weights), train.targets)
            downhill = train.matrix.transposed_times(residual) - ridge * (weights - start)
            scale = 1 / (train.matrix.diagonal(curvature) + ridge + 1e-9)
            change = np.zeros(len(start))
            remainder, direction = downhill, scale * downhill
            size = dot(remainder, direction)
            failed = 0
            while size > 0 and failed < PATIENCE and done < iterations:
                image = train.matrix.transposed_times(curvature * train.matrix.times(direction)) + ridge * direction
                length = size / dot(direction, image)
                change = change + length * direction
                remainder = remainder - length * image
                preconditioned = scale * remainder
                previous, size = size, dot(remainder, preconditioned)
                direction = preconditioned + size / previous * direction
                error = loss(held_out.matrix.times(weights + change), held_out.targets)[0]
                done += 1
                failed += 1
                if error < lowest:
                    best, lowest, failed = weights + change, error, 0
                on_progress(Progress(done, error, lowest))
            for _ in range(MOST_HALVINGS if is_logistic and lowest == before else 0):
                change = change / 2
                error = loss(held_out.matrix.times(weights + change), held_out.targets)[0]
                if error < lowest:
                    best, lowest = weights + change, error
                    break
            weights = best
            if not lowest < before * (1 - _LEAST_GAIN) or done >= iterations:
                break
    except KeyboardInterrupt:
        pass
    return best


def _squared(found: Array, targets: Array) -> tuple[float, Array, Array]:
    """The mean loss, and for each position its negative slope and its curvature."""
    residual = targets - found
    return dot(residual, residual) / max(len(targets), 1), residual, np.ones(len(targets))


def _logistic(found: Array, targets: Array) -> tuple[float, Array, Array]:
    expected = logistic(found)
    certain = np.clip(expected, 1e-12, 1 - 1e-12)
    loss = -dot(targets, np.log(certain)) - dot(1 - targets, np.log(1 - certain))
    return loss / max(len(targets), 1), targets - expected, np.maximum(expected * (1 - expected), 1e-6)


def logistic(score: Array) -> Array:
    """The logistic function: the probability of a win that a score, in logits, stands for."""
    bounded: Array = 0.5 + 0.5 * np.tanh(0.5 * np.asarray(score, np.float64))
    return bounded
