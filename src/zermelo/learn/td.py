"""Temporal difference learning, TD(lambda) and TD-leaf: an evaluation learns from games against itself.

    game       each side makes the move after which its own estimate is best; dice or some random moves give variety
    targets    backwards from the result: lambda-returns: estimates of the next positions, mixed with their targets
    learning   after each game a step towards the target of each of its positions

TD(lambda) looks one move ahead. TD-leaf searches deeper: the estimate of a position is that of the last position of its
principal variation, and the step is taken for that last position.

In games of chance the estimate is the expected utility, else the probability of a win. The evaluation is a `Network`,
or extends `Linear` or `Patterns`; the steps of these two are divided by the squared length of the inputs.

Where an evaluation has the inputs of a position, by `read_inputs`:

              a row of inputs                 table                                block
    Network   numbers of inputs that are 1    the input in the other side's view   where the output's biases begin
    Linear    counts, one for each weight     empty                                number of weights
    Patterns  index of each feature           the weight of each index             number of weights of a stage

References
----------
- R. S. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988).
- G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38 (1995).
- S. M. Lucas, "Learning to Play Othello with N-Tuple Systems", Australian Journal of Intelligent Information Processing
  4 (2008).
- J. Baxter, A. Tridgell, L. Weaver, "Learning to play chess using temporal differences", Machine Learning 40 (2000).
"""

from __future__ import annotations

import hashlib
import math
import os
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from zermelo._util import atomic_files
from zermelo._util.user_files import read_bytes
from zermelo.compiled import native
from zermelo.core.array_file import Kind, Provenance, pack, unpack
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Tapered
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.network import Network
from zermelo.core.patterns import LARGEST_WEIGHT as LARGEST_PATTERN_WEIGHT
from zermelo.core.patterns import Patterns
from zermelo.core.random_numbers import below, next_word, random_outcome, random_word, scrambled
from zermelo.core.weight_file import MAX_BYTES, fingerprint, save_weights
from zermelo.errors import FileError, LimitError, ZermeloError
from zermelo.learn.features import Array, kept_weights, shared_weights
from zermelo.learn.fitting import FitOptions, check_learnable
from zermelo.learn.network_training import (
    LARGEST_WEIGHT,
    add_slopes,
    exchanged_inputs,
    first_weights,
    named_weights,
    network_output,
    output_layer,
    trained_floats,
)
from zermelo.search.position_search import check_searchable

CHECKPOINT = Kind(
    b"ZERMELOT", 1, "file of unfinished training", ("game", "evaluation", "fingerprint", "command", "data")
)
#: Games of one call of compiled code, which Ctrl-C does not interrupt.
BATCH = 50
#: Seconds between two checkpoints.
_CHECKPOINT_SECONDS = 20.0
#: Most plies of the searches.
_MOST_DEPTH = 20
#: Logits of the largest score of patterns: a probability of 0.9997.
_LARGEST_LOGIT = 8
#: Steps of random fractions.
_FRACTIONS = 1 << 30


E = TypeVar("E", bound=Evaluation)


@dataclass(frozen=True)
class TdOptions:
    """Options of temporal difference learning.

    Parameters
    ----------
    games : int
        Number of games, at least 1.
    trace : float
        Lambda, from 0 to 1: 0 learns from the estimate of the next position, 1 from the result of the game.
    rate : float
        Step size of the first game; it falls to 0 with the last one.
    explore : float
        Probability of a random move, from 0 to 1.
    seed : int
        Seed of the first weights and of all random choices.
    max_plies : int
        A longer game is a draw.
    depth : int
        Depth of the searches in plies, 1 to 20. 1 evaluates the position after each move, TD(lambda); more is TD-leaf.
        It must be 1 in games of chance.

    Raises
    ------
    LimitError
        A value is out of range.
    """

    games: int = 10_000
    trace: float = 0.0
    rate: float = 0.01
    explore: float = 0.0
    seed: int = 0
    max_plies: int = 1000
    depth: int = 1

    def __post_init__(self) -> None:
        for name, most in (("games", 10**9), ("max_plies", 10_000), ("depth", _MOST_DEPTH)):
            if not 1 <= getattr(self, name) <= most:
                raise LimitError(f"{name} must be from 1 to {most:,} (got {getattr(self, name):,})")
        for name in ("trace", "rate", "explore"):
            if not 0 <= getattr(self, name) <= 1:
                label = "lambda" if name == "trace" else name
                raise LimitError(f"{label} must be from 0 to 1 (got {getattr(self, name):g})")


@dataclass(frozen=True)
class TdProgress:
    """Finished games, and the mean error of the estimates of the last batch: the distance to their targets."""

    games: int
    error: float


def learn_by_td(
    cls: type[State],
    evaluation: E,
    path: str | os.PathLike[str],
    options: TdOptions | None = None,
    *,
    command: str = "",
    overwrite: bool = False,
    on_progress: Callable[[TdProgress], None] = lambda progress: None,
) -> E:
    """Train an evaluation by games against itself, and write its weight file.

    Training that was interrupted continues when called again with the same arguments; it gives the same weights. Ctrl-C
    writes the weights so far.

    Parameters
    ----------
    cls : type
        The game.
    evaluation : Network, Linear or Patterns
        The evaluation to start from; a network of zeros starts from random weights.
    path : path
        The weight file. `PATH.part` holds unfinished training.
    options : TdOptions, optional
    command : str
        The command to note in the weight file.
    overwrite : bool
        Replace an existing file.
    on_progress : callable
        Called at the start and after each batch of games.

    Raises
    ------
    FileError
        The file exists and `overwrite` is false, or it cannot be written.
    ZermeloError
        The game cannot be learned this way, or unfinished training had other options.
    """
    options = options or TdOptions()
    file = Path(path)
    atomic_files.check_path(file)
    part = file.with_name(f"{file.name}.part")
    if file.is_file() and not (overwrite or part.exists()):
        raise FileError(f"file exists: {file}; use --force to replace it, or choose another file")
    training = _Training(cls, evaluation, options, part)
    made = Provenance(command or _command(options), options.seed, training.digest)
    saved = time.monotonic()
    on_progress(TdProgress(training.games, 0.0))
    try:
        while training.games < options.games:
            error = training.play()
            on_progress(TdProgress(training.games, error))
            if time.monotonic() - saved > _CHECKPOINT_SECONDS:
                training.save()
                saved = time.monotonic()
    except KeyboardInterrupt:
        training.save()
        save_weights(file, cls, training.evaluation(), made)
        raise
    found = training.evaluation()
    save_weights(file, cls, found, made)
    part.unlink(missing_ok=True)
    return cast(E, found)


def _command(options: TdOptions) -> str:
    words = [f"{each.name}={getattr(options, each.name)}" for each in fields(options)]
    return shlex.join(["zermelo.learn.learn_by_td", *words])


class _Training:
    """The weights in training, and the games behind them."""

    def __init__(self, cls: type[State], evaluation: Evaluation, options: TdOptions, part: Path) -> None:
        self._start = cls.start()
        check_searchable(self._start)
        check_learnable(evaluation, cls, "learned by td", (Network, Linear, Patterns))
        if options.depth > 1 and cls.has_chance:
            raise LimitError(f"depth must be 1, since {cls.__name__} is a game of chance (got {options.depth})")
        self._cls, self._evaluation, self._options, self._part = cls, evaluation, options, part
        #: Whether an output is the logit of a win; else it is a utility, `factor` times.
        self._slope, self._factor = (0.0, 1.0) if cls.has_chance else (1.0, 1.0)
        self.games = 0
        self._hidden, self._table = 0, np.zeros(0, np.int64)
        if isinstance(evaluation, Network):
            kind = type(evaluation)
            self._hidden, width = kind.hidden, kind.most_inputs
            self._table = exchanged_inputs(kind)
            self.weights = _floats(evaluation, options.seed)
            self._block = len(self.weights) - kind.stages
            if cls.has_chance:
                self._factor = kind.output_scale / kind.unit
        else:
            assert isinstance(evaluation, (Linear, Patterns))
            # For an output of 1: units of the score, then of a weight.
            self._units = FitOptions(loss="logistic").units(cls, evaluation)
            if isinstance(evaluation, Patterns):
                if not cls.has_chance:
                    self._units = min(self._units, evaluation.largest_score / _LARGEST_LOGIT)
                self._units *= evaluation.weight_unit
                weights, width = evaluation.fitted_weights(), evaluation.inputs()
                self._table, self._block = shared_weights(evaluation), weights.shape[1]
            else:
                self._units *= evaluation.PHASES if isinstance(evaluation, Tapered) else 1
                weights, width = evaluation.weights, evaluation.weights.size
                self._block = weights.size
            self.weights = (weights.ravel() / self._units).astype(np.float32)
        #: The digest of the weights at the start.
        self.digest = hashlib.blake2b(self.weights.tobytes(), digest_size=16).hexdigest()
        if part.exists():
            self._load()
        rows = options.max_plies + 1
        self._inputs = np.full((rows, width), -1, np.int32)
        self._facts = np.zeros((3, rows), np.int64)
        self._leaves = np.full((options.depth, width), -1, np.int32)
        self._leaf_facts = np.zeros((2, options.depth), np.int64)
        self._values = np.zeros(rows)
        self._scratch = np.zeros((3, 2 * self._hidden), np.float32)
        self._errors = np.zeros(2)
        #: Of linear evaluations with kept terms, whether each weight is one.
        self._is_kept = np.zeros(self.weights.size if len(kept_weights(evaluation)) else 0, np.bool_)
        self._is_kept[kept_weights(evaluation)] = True

    def play(self) -> float:
        """Play a batch of games and learn from them; return the mean error of their estimates."""
        options = self._options
        last = min(self.games + BATCH, options.games)
        self._errors[:] = 0
        # Python may raise KeyboardInterrupt when compiled code returns. So the weights are replaced together with the
        # number of games, after it.
        weights = self.weights.copy()
        arguments = (
            self._start, self._evaluation, weights, self._table, self._inputs, self._facts, self._leaves,
            self._leaf_facts, self._values, self._scratch, self._errors, self._hidden, self._block, self._slope,
            self._factor, options.trace, options.explore, options.rate, self.games, last, options.games, options.seed,
            options.max_plies, self._is_kept,
        )  # fmt: skip
        native(_play_games, *arguments)(*arguments)
        if isinstance(self._evaluation, Network):
            np.clip(weights, -LARGEST_WEIGHT, LARGEST_WEIGHT, out=weights)
            last_layer = output_layer(type(self._evaluation), weights)
            last_layer[:] = self._evaluation.balanced(last_layer)
        self.weights, self.games = weights, last
        return float(self._errors[0] / max(self._errors[1], 1))

    def evaluation(self) -> Evaluation:
        """The evaluation of the weights so far."""
        evaluation = self._evaluation
        if isinstance(evaluation, Linear):
            return cast(Evaluation, evaluation.replace(weights=self._rounded().reshape(evaluation.weights.shape)))
        if isinstance(evaluation, Patterns):
            weights = np.clip(self._rounded(), -LARGEST_PATTERN_WEIGHT, LARGEST_PATTERN_WEIGHT)
            return type(evaluation).with_weights(weights.reshape(evaluation.stages, self._block))
        assert isinstance(evaluation, Network)
        return type(evaluation).from_floats(named_weights(type(evaluation), self.weights))

    def _rounded(self) -> Array:
        """The weights as whole numbers."""
        weights: Array = np.rint(self.weights.astype(np.float64) * self._units).astype(np.int64)
        return weights

    def _header(self) -> dict[str, Any]:
        kind = type(self._evaluation)
        return {
            "game": self._cls.__name__, "evaluation": kind.__name__, "fingerprint": fingerprint(self._cls, kind),
            "command": _command(self._options), "data": self.digest, "seed": self._options.seed,
        }  # fmt: skip

    def save(self) -> None:
        """Write the checkpoint."""
        arrays = {"weights": self.weights, "games": np.array([self.games])}
        atomic_files.write(os.fspath(self._part), pack(CHECKPOINT, self._header(), arrays))

    def _load(self) -> None:
        """Continue from the checkpoint."""
        header, arrays = unpack(CHECKPOINT, read_bytes(self._part, MAX_BYTES), str(self._part))
        header.pop("arrays")
        kinds = {name: (each.dtype, each.shape) for name, each in arrays.items()}
        wanted = {"weights": (self.weights.dtype, self.weights.shape), "games": (np.dtype(np.int64), (1,))}
        if header != self._header() or kinds != wanted:
            raise ZermeloError(f"{self._part} was started with other options; delete it to start again")
        self.weights, self.games = arrays["weights"].copy(), int(arrays["games"][0])


def _floats(network: Network, seed: int) -> Array:
    """The weights of a network; random ones instead of zeros."""
    before = trained_floats(network)
    if before is None:
        return first_weights(type(network), np.random.default_rng(seed))
    return np.concatenate([array.ravel() for array in before.values()]).astype(np.float32)


# ---- compiled loops ---------------------------------------------------------------------------------------------


def _play_games(
    start: State, evaluation: Network | Linear | Patterns, weights: Array, table: Array, inputs: Array, facts: Array,
    leaves: Array, leaf_facts: Array, values: Array, scratch: Array, errors: Array, hidden: int, block: int,
    slope: float, factor: float, trace: float, explore: float, rate: float, first: int, last: int, games: int,
    seed: int, max_plies: int, is_kept: Array,
) -> None:  # fmt: skip
    """Play the games `first` .. `last` - 1 and learn from each one. `errors`: the sum of the errors, their number."""
    for number in range(first, last):
        count, is_finished = _play_game(
            start, evaluation, weights, table, inputs, facts, leaves, leaf_facts, values, scratch, hidden, block,
            slope, factor, explore, random_word(seed, number), max_plies,
        )  # fmt: skip
        _learn_game(
            inputs, facts, values, weights, table, scratch, errors, hidden, block, slope, factor, trace,
            rate * (1 - number / games), count, is_finished, is_kept,
        )  # fmt: skip


def _play_game(
    start: State, evaluation: Network | Linear | Patterns, weights: Array, table: Array, inputs: Array, facts: Array,
    leaves: Array, leaf_facts: Array, values: Array, scratch: Array, hidden: int, block: int, slope: float,
    factor: float, explore: float, seed: int, max_plies: int,
) -> tuple[int, bool]:  # fmt: skip
    """Play a game; return the number of positions to learn, and whether it came to its end.

    For the position after each move, the leaf of its principal variation is learned. Row `n` of `inputs` and column
    `n` of `facts` describe a leaf: its stage, the side of its view (0: the game is over there, nothing is learned), and
    whether the move after the position was random. `values[n]` is the best estimate after the position.
    """
    word = Bitboard(seed)
    state = start
    count = 0
    plies = 0
    depth = len(leaves) - 1
    while not state.is_over() and plies < max_plies:
        plies += 1
        if state.has_chance and state.to_move() == CHANCE:
            state = state.play(random_outcome(state, int(scrambled(word) >> 2)))
            word = next_word(word)
            if count > 0 and state.is_over():
                values[count - 1] = float(state.utility())
                facts[2, count - 1] = 0
            continue
        sign = 1.0 if state.to_move() == MAX else -1.0
        best = -math.inf
        chosen = 0
        moves = 0
        for move in state.moves():
            low, high = (best, math.inf) if sign > 0 else (-math.inf, -best)
            value = sign * _estimate(
                state.play(move), depth, low, high, evaluation, weights, table, leaves, leaf_facts, scratch,
                hidden, block, slope, factor,
            )  # fmt: skip
            if value > best:
                best = value
                chosen = move
            moves += 1
        is_random = _fraction(word) < explore
        word = next_word(word)
        if count > 0:
            values[count - 1] = sign * best
            facts[2, count - 1] = 1 if is_random else 0
        if is_random:
            drawn = below(word, moves)
            word = next_word(word)
            for move in state.moves():
                if drawn == 0:
                    chosen = move
                drawn -= 1
        state = state.play(chosen)
        if not state.is_over():
            # Searched again: the window of the first search was narrow, and a random move may have replaced the best.
            _estimate(
                state, depth, -math.inf, math.inf, evaluation, weights, table, leaves, leaf_facts, scratch, hidden,
                block, slope, factor,
            )  # fmt: skip
            inputs[count] = leaves[depth]
            facts[0, count] = leaf_facts[0, depth]
            facts[1, count] = leaf_facts[1, depth]
            count += 1
    return count, state.is_over()


def _estimate(
    state: State, depth: int, low: float, high: float, evaluation: Network | Linear | Patterns, weights: Array,
    table: Array, leaves: Array, leaf_facts: Array, scratch: Array, hidden: int, block: int, slope: float,
    factor: float,
) -> float:  # fmt: skip
    """The estimate of a state for MAX, by alpha-beta to a depth in the window (low, high).

    Row `depth` of `leaves` and column `depth` of `leaf_facts` describe the leaf of the principal variation, as in
    `_play_game`, if the estimate lies in the window.
    """
    if state.is_over():
        leaf_facts[1, depth] = 0
        value = float(state.utility())
        return min(max(value, -1.0), 1.0) if slope > 0 else value  # a win is a win
    if depth == 0:
        stage, side = evaluation.read_inputs(state, leaves[0])
        leaf_facts[0, 0] = stage
        leaf_facts[1, 0] = side
        output = _output(leaves[0], stage, table, weights, scratch, hidden, block)
        value = output * factor if slope == 0 else 2 / (1 + math.exp(-slope * output)) - 1
        return -value if side == MIN else value
    sign = 1.0 if state.to_move() == MAX else -1.0
    best = -sign * math.inf
    for move in state.moves():
        value = _estimate(
            state.play(move), depth - 1, low, high, evaluation, weights, table, leaves, leaf_facts, scratch,
            hidden, block, slope, factor,
        )  # fmt: skip
        if sign * value > sign * best:
            best = value
            leaves[depth] = leaves[depth - 1]
            leaf_facts[:, depth] = leaf_facts[:, depth - 1]
        if sign > 0:
            low = max(low, value)
        else:
            high = min(high, value)
        if low >= high:
            break
    return best


def _fraction(word: Bitboard) -> float:
    """The random number of a state of the generator, in 0 .. 1."""
    return below(word, _FRACTIONS) / _FRACTIONS


def _output(row: Array, stage: int, table: Array, weights: Array, scratch: Array, hidden: int, block: int) -> float:
    """The output of a network, or if `hidden` is 0 of a sum of weights."""
    if hidden > 0:
        return network_output(row, stage, table, weights, scratch, hidden, block)
    total = 0.0
    for index in range(len(row)):
        number, times = _input(row, index, stage, table, block)
        total += times * weights[number]
    return total


def _input(row: Array, index: int, stage: int, table: Array, block: int) -> tuple[int, int]:
    """The number of the weight of an item of a row of `Patterns` or of a linear evaluation, and its input."""
    if len(table) > 0:
        return stage * block + table[row[index]], 1
    return index, row[index]


def _learn_game(
    inputs: Array, facts: Array, values: Array, weights: Array, table: Array, scratch: Array, errors: Array,
    hidden: int, block: int, slope: float, factor: float, trace: float, step: float, count: int, is_finished: bool,
    is_kept: Array,
) -> None:  # fmt: skip
    """A step towards the target of each position, from the last one back.

    `is_kept` tells for each weight whether it stays as it is; it is empty if none does.
    """
    target = 0.0  # that of the last position, if the game was too long
    for place in range(count - 1, -1, -1):
        if place < count - 1 or is_finished:
            is_cut = place == count - 1 or facts[2, place] == 1  # a random move says nothing of the position before it
            target = values[place] if is_cut else (1 - trace) * values[place] + trace * target
        if facts[1, place] == 0:
            continue
        row, stage = inputs[place], facts[0, place]
        output = _output(row, stage, table, weights, scratch, hidden, block)
        wanted = -target if facts[1, place] == MIN else target
        if slope > 0:
            found = 1 / (1 + math.exp(-slope * output))
            error = found - (1 + wanted) / 2
            change = found * (1 - found) * slope
        else:
            error = output - wanted / factor
            change = 1.0
        errors[0] += abs(error)
        errors[1] += 1
        if hidden > 0:
            add_slopes(row, stage, table, -step * error * change, scratch, weights, hidden, block)
            continue
        length = 1.0
        for index in range(len(row)):
            number, times = _input(row, index, stage, table, block)
            if len(is_kept) > 0 and is_kept[number]:
                continue
            length += times * times
            for other in range(index if len(table) > 0 else 0):  # several features may have one weight
                if table[row[other]] == table[row[index]]:
                    length += 2
        for index in range(len(row)):
            number, times = _input(row, index, stage, table, block)
            if len(is_kept) > 0 and is_kept[number]:
                continue
            weights[number] -= step * error * change * times / length
