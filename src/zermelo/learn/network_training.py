"""Training of networks: AdamW on batches, in compiled code, with a cosine schedule and a held-out set.

The parameters are one vector of 32-bit floats, and so are their gradient and the two moments:

    input_weights  | hidden_bias | output_weights    | output_bias
    inputs * units | units       | stages * 2 units  | stages

The loss of a position is the squared difference between its target and the logistic function of the output, the
probability of a win of the side to move. With a squared loss it is that between the target and the output itself.

A batch is divided into `SHARDS`, whose gradients are added in order, so the result does not depend on the number of
processors.

References
----------
- I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.
- https://www.chessprogramming.org/NNUE
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from zermelo.compiled import native
from zermelo.core.network import Network
from zermelo.learn.features import Array
from zermelo.learn.least_squares import Progress

#: Positions of a batch, and the parts whose gradients are computed by themselves.
BATCH = 2048
SHARDS = 4
#: The first step size.
LEARNING_RATE = 1.5e-3
WEIGHT_DECAY = 1e-2
#: Passes without a lower held-out loss after which training ends: this number, or half of all if that is more.
#: The loss falls most at the end, when steps are small; after large steps it may be higher than at the start.
PATIENCE = 6
#: Quantised output weights above this do not fit 8 bits, and larger input weights may overflow sums of 16 bits.
LARGEST_WEIGHT = 1.98
_FIRST_MOMENT, _SECOND_MOMENT, _TINY = 0.9, 0.999, 1e-8


class Sample(NamedTuple):
    """Positions from the side to move."""

    #: The inputs that are 1 in its view, int16, (positions, most_inputs), filled up with -1.
    inputs: Array
    stages: Array
    #: Probabilities of a win, or outputs, float32.
    targets: Array


class Trainer(Protocol):
    """Steps of training: the compiled loops, or `zermelo.learn.torch_training`."""

    #: Positions of a batch, at most.
    batch: int

    def step(self, rows: Array, rate: float) -> None:
        """Change the weights by a batch, the positions of some rows."""

    def loss(self) -> float:
        """The mean loss of the held-out positions."""

    def weights(self) -> dict[str, Array]:
        """A copy of the weights."""


def train_network(
    network: type[Network],
    sample: Sample,
    held_out: Sample,
    *,
    slope: float = 1.0,
    passes: int = 20,
    seed: int = 0,
    rate: float = LEARNING_RATE,
    start: dict[str, Array] | None = None,
    trainer: Callable[[type[Network], Sample, Sample, dict[str, Array], float], Trainer] | None = None,
    keeps_unseen: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    stopped: threading.Event | None = None,
) -> dict[str, Array]:
    """Return the weights of the lowest held-out loss, as `Network.from_floats` takes them.

    Parameters
    ----------
    network : type
        The class of the network.
    sample, held_out : Sample
    slope : float
        Logits for an output of 1; 0: the targets are outputs.
    passes : int
        Number of passes over the positions.
    seed : int
        Seed of the first weights and of the order of the positions.
    rate : float
        The first step size; it falls to 0 as half a cosine does.
    start : dict of array of float, optional
        The weights to start from, in the form of the result; by default random ones. They are the result if no pass
        has a lower loss.
    trainer : callable, optional
        Makes the trainer from `network`, `sample`, `held_out`, the first weights and `slope`; by default
        `CompiledTrainer`.
    keeps_unseen : bool
        Leave the biases of the hidden units as they are, and the weights of inputs and stages that no position has.
        Otherwise these weights decay.
    on_progress : callable
        Called after each pass. Ctrl-C ends training with the best weights so far.
    stopped : threading.Event, optional
        Set if Ctrl-C has ended training.
    """
    source = np.random.default_rng(seed)
    first = named_weights(network, first_weights(network, source))
    make = trainer or partial(CompiledTrainer, keeps_unseen=keeps_unseen)
    training = make(network, sample, held_out, first if start is None else start, slope)
    count = len(sample.inputs)
    batch = min(training.batch, -(-count // 8))
    steps = passes * -(-count // batch)
    best, lowest = training.weights(), math.inf if start is None else training.loss()
    failed, step = 0, 0
    try:
        for iteration in range(1, passes + 1):
            order = source.permutation(count)
            for begin in range(0, count, batch):
                step += 1
                training.step(order[begin : begin + batch], rate * (1 + math.cos(math.pi * step / steps)) / 2)
            error = training.loss()
            failed += 1
            if error < lowest:
                best, lowest, failed = training.weights(), error, 0
            on_progress(Progress(iteration, error, lowest))
            if failed >= max(PATIENCE, passes // 2):
                break
    except KeyboardInterrupt:
        if stopped is not None:
            stopped.set()
    return best


class CompiledTrainer:
    """Compiled loops, on as many threads as there are processors, but for `SHARDS` at most."""

    batch = BATCH

    def __init__(
        self, network: type[Network], sample: Sample, held_out: Sample, weights: dict[str, Array], slope: float, *,
        keeps_unseen: bool = False,
    ) -> None:  # fmt: skip
        self._keeps_unseen = keeps_unseen
        self._network, self._sample, self._held_out, self._slope = network, sample, held_out, slope
        self._weights = np.concatenate([np.ravel(weights[name]) for name in network.shapes()]).astype(np.float32)
        self._last_layer = output_layer(network, self._weights)
        self._exchanged = exchanged_inputs(network)
        self._gradients = np.zeros((SHARDS, len(self._weights)), np.float32)
        self._moments = np.zeros((2, len(self._weights)), np.float32)
        self._scratch = np.zeros((SHARDS, 3, 2 * network.hidden), np.float32)
        self._losses = np.zeros(SHARDS)
        self._rates = np.zeros(4, np.float32)
        self._steps = 0
        self._pool = ThreadPoolExecutor(min(os.cpu_count() or 1, SHARDS))

    def step(self, rows: Array, rate: float) -> None:
        self._add(self._sample, rows)
        self._steps += 1
        self._rates[:] = (
            rate / (1 - _FIRST_MOMENT**self._steps), 1 / (1 - _SECOND_MOMENT**self._steps), rate * WEIGHT_DECAY,
            1 / len(rows),
        )  # fmt: skip
        if self._keeps_unseen:
            hidden = self._network.hidden
            begin = len(self._exchanged) * hidden
            self._gradients[:, begin : begin + hidden] = 0
        arguments = self._weights, self._gradients, self._moments, self._rates, self._keeps_unseen
        native(_update, *arguments)(*arguments)
        # The bias stays free: it absorbs the mean advantage of the side to move in these positions.
        self._last_layer[:] = self._network.balanced(self._last_layer)

    def loss(self) -> float:
        rows = np.arange(len(self._held_out.inputs))
        parts = np.array_split(rows, max(1, len(rows) // (SHARDS * BATCH)))
        return sum(self._add(self._held_out, part) for part in parts) / max(len(rows), 1)

    def weights(self) -> dict[str, Array]:
        return named_weights(self._network, self._weights.copy())

    def _add(self, part: Sample, rows: Array) -> float:
        """Compute the gradient of each shard of some rows; return their loss."""
        shards = np.array_split(rows, SHARDS)
        list(self._pool.map(lambda number: self._add_shard(part, shards[number], number), range(SHARDS)))
        return float(self._losses.sum())

    def _add_shard(self, part: Sample, rows: Array, number: int) -> None:
        self._losses[number] = 0
        self._gradients[number] = 0
        arguments = (
            part.inputs, part.stages, part.targets, rows, self._exchanged, self._weights, self._gradients[number],
            self._scratch[number], self._losses, number, self._network.hidden,
            len(self._weights) - self._network.stages, self._slope,
        )  # fmt: skip
        native(_add_gradients, *arguments)(*arguments)


def named_weights(network: type[Network], weights: Array) -> dict[str, Array]:
    """The arrays of a vector of weights, by their names."""
    shapes = network.shapes()
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    parts = np.split(weights, ends[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def trained_floats(network: Network) -> dict[str, Array] | None:
    """The weights of a network in units of 1; None before its first training, when all are 0."""
    found = network.to_floats()
    return found if any(array.any() for name, array in found.items() if name != "output_bias") else None


def output_layer(network: type[Network], weights: Array) -> Array:
    """The output weights of a vector of weights; the array shares its memory."""
    return named_weights(network, weights)["output_weights"]


def first_weights(network: type[Network], source: np.random.Generator) -> Array:
    """Random weights with which hidden units and outputs are neither 0 nor cut off."""
    spreads = {
        "input_weights": 1 / math.sqrt(network.most_inputs), "output_weights": 1 / math.sqrt(2 * network.hidden)
    }  # fmt: skip
    drawn = [source.uniform(-1, 1, math.prod(shape)) * spreads.get(name, 0) for name, shape in network.shapes().items()]
    drawn[1] += 0.2
    return np.concatenate(drawn).astype(np.float32)


def exchanged_inputs(network: type[Network]) -> Array:
    """For each input, the one in the other side's view."""
    numbers = np.arange(network.plane_count * network.squares)
    plane, square = np.divmod(numbers, network.squares)
    other = (plane + network.plane_count // 2) % network.plane_count
    exchanged: Array = (other * network.squares + (square ^ network.flip)).astype(np.int64)
    return exchanged


# ---- compiled loops ---------------------------------------------------------------------------------------------


def _add_gradients(
    inputs: Array, stages: Array, targets: Array, rows: Array, exchanged: Array, weights: Array, gradient: Array,
    scratch: Array, losses: Array, number: int, hidden: int, third: int, slope: float,
) -> None:  # fmt: skip
    """Add the gradients and the losses of some positions; `third` is where the biases of the output begin."""
    for place in range(len(rows)):
        position = rows[place]
        row, stage = inputs[position], stages[position]
        output = network_output(row, stage, exchanged, weights, scratch, hidden, third)
        found, change = output, 1.0
        if slope > 0:
            found = 1 / (1 + math.exp(-slope * output))
            change = found * (1 - found) * slope
        error = found - targets[position]
        losses[number] += error * error
        add_slopes(row, stage, exchanged, 2 * error * change, scratch, gradient, hidden, third)


def network_output(
    row: Array, stage: int, exchanged: Array, weights: Array, scratch: Array, hidden: int, third: int
) -> float:
    """The output for the inputs of a row.

    It fills the rows of `scratch`: the sums of the hidden units of both views; their squares; the slope of the output
    by the sums.
    """
    bias = len(exchanged) * hidden
    second = bias + hidden + 2 * hidden * stage
    one, zero = np.float32(1), np.float32(0)
    # Loops over slices that begin at 0 become vector instructions.
    sums, squares, slopes = scratch[0], scratch[1], scratch[2]
    own, theirs, factors = sums[:hidden], sums[hidden:], weights[second : second + 2 * hidden]
    for unit in range(hidden):
        own[unit] = weights[bias + unit]
        theirs[unit] = weights[bias + unit]
    count = 0
    while count < len(row) and row[count] >= 0:
        first, other = row[count] * hidden, exchanged[row[count]] * hidden
        _add(own, weights[first : first + hidden])
        _add(theirs, weights[other : other + hidden])
        count += 1
    for unit in range(2 * hidden):
        active = min(max(sums[unit], zero), one)
        squares[unit] = active * active
        slopes[unit] = (active + active) * factors[unit] if active < one else zero
    output = float(weights[third + stage])
    for unit in range(2 * hidden):
        output += squares[unit] * factors[unit]
    return output


def add_slopes(
    row: Array, stage: int, exchanged: Array, factor: float, scratch: Array, gradient: Array, hidden: int, third: int
) -> None:
    """Add the slopes of the output by the weights, times a factor, after `network_output`."""
    bias = len(exchanged) * hidden
    second = bias + hidden + 2 * hidden * stage
    step = np.float32(factor)
    squares, slopes, factors = scratch[1], scratch[2], gradient[second : second + 2 * hidden]
    own, theirs = slopes[:hidden], slopes[hidden:]
    gradient[third + stage] += step
    for unit in range(2 * hidden):
        factors[unit] += step * squares[unit]
        slopes[unit] *= step
    _add(gradient[bias : bias + hidden], own)
    _add(gradient[bias : bias + hidden], theirs)
    count = 0
    while count < len(row) and row[count] >= 0:
        first, other = row[count] * hidden, exchanged[row[count]] * hidden
        _add(gradient[first : first + hidden], own)
        _add(gradient[other : other + hidden], theirs)
        count += 1


def _add(target: Array, items: Array) -> None:
    for index in range(len(target)):
        target[index] += items[index]


def _update(weights: Array, gradients: Array, moments: Array, rates: Array, keeps_unseen: bool) -> None:
    """A step of AdamW by the sum of the gradients; `rates` as `CompiledTrainer.step` sets them.

    With `keeps_unseen`, weights that never had a gradient do not decay.
    """
    largest = np.float32(LARGEST_WEIGHT)
    keep_first, keep_second = np.float32(_FIRST_MOMENT), np.float32(_SECOND_MOMENT)
    new_first, new_second = np.float32(1 - _FIRST_MOMENT), np.float32(1 - _SECOND_MOMENT)
    tiny = np.float32(_TINY)
    for index in range(len(weights)):
        slope = gradients[0, index]
        for shard in range(1, len(gradients)):
            slope += gradients[shard, index]
        slope *= rates[3]
        if keeps_unseen and slope == 0 and moments[1, index] == 0:
            continue
        moments[0, index] = keep_first * moments[0, index] + new_first * slope
        moments[1, index] = keep_second * moments[1, index] + new_second * slope * slope
        change = rates[0] * moments[0, index] / (np.sqrt(moments[1, index] * rates[1]) + tiny)
        changed = weights[index] - change - rates[2] * weights[index]
        weights[index] = min(max(changed, -largest), largest)
