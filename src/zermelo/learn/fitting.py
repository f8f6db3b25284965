"""Fit the weights of an evaluation to labelled positions.

    positions --> games for fitting --> features --> least squares --> whole numbers --> evaluation
              `-> held-out games -----> features -----^

`FITTERS` says how evaluations of which base class are fitted.
"""

from __future__ import annotations

import math
import os
import shlex
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from zermelo.core.array_file import Provenance
from zermelo.core.evaluation import LARGEST_SCORE, Evaluation, Linear, Tapered, evaluation_name, resolve_evaluation
from zermelo.core.game import State
from zermelo.core.network import Network
from zermelo.core.patterns import LARGEST_WEIGHT, Patterns
from zermelo.core.random_numbers import random_word
from zermelo.core.weight_file import file_digest
from zermelo.errors import GameError, LimitError, ZermeloError
from zermelo.formatting import plural
from zermelo.learn.features import (
    Array,
    are_quiet,
    kept_weights,
    linear_matrix,
    pattern_matrix,
    pattern_stages,
    stages_of,
)
from zermelo.learn.imitation import IMITATION_PASSES, imitation_sample
from zermelo.learn.least_squares import Progress, Sample, fit, logistic
from zermelo.learn.network_fit import are_known, network_sample
from zermelo.learn.network_training import LEARNING_RATE, train_network, trained_floats
from zermelo.learn.position_file import RESULTS, Positions
from zermelo.learn.torch_training import TorchTrainer

#: The score of a win that is not proven; see `PositionSearch.search`.
UNPROVEN_WIN = LARGEST_SCORE - 1


@dataclass(frozen=True)
class FitOptions:
    """Options of a fit.

    Parameters
    ----------
    loss : str
        "squared": the score is close to that of the labels. "logistic": the logistic function of the score is close to
        the probability of a win. "": squared in games of chance or with graded utility, else logistic.
    blend : float
        How much of a label is the result of the game, the rest is the score of the search; 0 to 1. Solved positions
        have their value.
    scale : float
        Units of the evaluation that stand for 1 of utility, in a squared fit, or for 1 logit; 0: `unit` in games of
        chance; else the `output_scale` of a network, divided by the game's largest utility in a squared fit; 1 for
        patterns with a squared loss, else 100.
    ridge : float
        Strength of the regularisation: the number of positions that outweigh it.
    iterations : int
        Most iterations of each stage; for a network, passes over the positions.
    held_out : float
        Fraction of the games that is not fitted, but says when to stop.
    seed : int
        Seed of the choice of these games.
    rate : float
        First step size of a network, which falls to 0.
    imitate : str
        Evaluation of the game that a network imitates before it is fitted; "": none.
    device : str
        Device on which PyTorch trains a network, such as "cuda"; "": compiled loops on the processor.
    neighbours : int
        Patterns: each stage is also fitted to the positions of this many stages before and after it.
    stages : tuple of int
        A network: fit it to positions of these stages only. The biases of its hidden units, and weights of inputs that
        these positions do not have, stay as they are; so the other stages keep their scores if they share no inputs
        with these. (): all stages.
    label_scale : float
        `scale` of the labels' scores, if it differs from that of the evaluation; 0: these are converted as far as
        the conversion is known.

    Raises
    ------
    LimitError
        A value is out of range.
    """

    loss: str = ""
    blend: float = 0.0
    scale: float = 0.0
    ridge: float = 2.0
    iterations: int = 100
    held_out: float = 0.1
    seed: int = 0
    rate: float = LEARNING_RATE
    imitate: str = ""
    device: str = ""
    neighbours: int = 0
    stages: tuple[int, ...] = ()
    label_scale: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if self.loss not in ("", "squared", "logistic"):
            raise LimitError(f"loss must be squared or logistic (got {self.loss!r})")
        if not 0 <= self.blend <= 1:
            raise LimitError(f"blend must be from 0 to 1 (got {self.blend:g})")
        if not 0 < self.held_out < 1:
            raise LimitError(f"held_out must be between 0 and 1 (got {self.held_out:g})")
        for name in ("ridge", "scale", "label_scale"):
            if not 0 <= getattr(self, name) < math.inf:
                raise LimitError(f"{name} must be a finite number of at least 0 (got {getattr(self, name):g})")
        if not 0 < self.rate < 1:
            raise LimitError(f"rate must be between 0 and 1 (got {self.rate:g})")
        if self.iterations < 1:
            raise LimitError(f"iterations must be at least 1 (got {self.iterations})")
        if self.neighbours < 0:
            raise LimitError(f"neighbours must be at least 0 (got {self.neighbours})")

    def is_logistic(self, cls: type[State]) -> bool:
        """Whether the loss is logistic."""
        return self.loss == "logistic" or (not self.loss and cls.max_utility == 1 and not cls.has_chance)

    def units(self, cls: type[State], evaluation: Evaluation) -> float:
        """The scale."""
        if cls.has_chance:  # scores are averaged: their scale is given
            return self.scale or float(evaluation.unit)
        if isinstance(evaluation, Network):
            # Outputs of networks are around -1 to 1.
            return self.scale or float(evaluation.output_scale) / (1 if self.is_logistic(cls) else cls.max_utility)
        return self.scale or (1.0 if isinstance(evaluation, Patterns) and not self.is_logistic(cls) else 100.0)


@dataclass(frozen=True)
class FitProgress:
    """How far a fit is: its stage, of how many, and the held-out loss after an iteration."""

    stage: int
    stages: int
    now: Progress


OnProgress = Callable[[FitProgress], None]


def fit_evaluation(
    evaluation: Evaluation,
    cls: type[State],
    positions: Positions,
    options: FitOptions | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> Evaluation:
    """Return an evaluation of the same class with weights fitted to positions.

    Ctrl-C ends the fit with the best weights so far. The same arguments give the same weights, unless a device is used.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation to start from: weights of rare features stay close to its own. A network of zeros starts from
        random weights.
    cls : type
        The game.
    positions : Positions
        The labelled positions. Search scores are converted to units of the evaluation, if the conversion is known.
        Positions in check, or with a tactical best move, are left out, with a squared loss those labelled with an
        unproven win (999,999), and those whose scores are known without the network (`Network.is_known`).
    options : FitOptions, optional
    on_progress : callable
        Called after each iteration.

    Raises
    ------
    ZermeloError
        If evaluations of this class cannot be fitted, or there are too few games.
    """
    options = options or FitOptions()
    fitter = find_fitter(evaluation, cls, options)
    positions = without_unproven_wins(positions, cls, options)
    if cls.has_in_check or cls.has_tactical_moves:
        quiet = are_quiet(cls, positions.states, positions.best)
        if not quiet.any():
            raise ZermeloError("the positions are all in check or tactical; generate more")
        positions = positions.chosen(quiet)
    if isinstance(evaluation, Network):
        known = are_known(evaluation, cls, positions)
        if known.all():
            raise ZermeloError("the scores of all positions are known without the network; generate others")
        positions = positions.chosen(~known)
        if options.stages:
            positions = positions.chosen(np.isin(stages_of(evaluation, cls, positions.states), options.stages))
    positions = with_labels_for(evaluation, cls, positions, options)
    train, held_out = split(positions, options)
    return fitter(evaluation, cls, train, held_out, options, on_progress)


def find_fitter(evaluation: Evaluation, cls: type[State], options: FitOptions) -> Fitter:
    """The function of `FITTERS` for an evaluation.

    Raises
    ------
    ZermeloError
        If evaluations of this class cannot be fitted, or not with these options.
    """
    check_learnable(evaluation, cls, "fitted", tuple(base for base, _ in FITTERS))
    fitter = next(each for base, each in FITTERS if isinstance(evaluation, base))
    if (options.imitate or options.device) and not isinstance(evaluation, Network):
        what = "imitate another evaluation" if options.imitate else "are trained on a device"
        name = evaluation_name(cls.start(), evaluation)
        raise ZermeloError(f"the evaluation {name} is not a network: only networks {what}")
    if options.stages:
        if not isinstance(evaluation, Network) or trained_floats(evaluation) is None:
            raise ZermeloError("only networks with weights are fitted to some stages")
        if options.imitate or options.device:
            raise LimitError(f"stages and {'imitate' if options.imitate else 'device'} exclude each other")
        if not 0 <= min(options.stages) <= max(options.stages) < evaluation.stages:
            stages = ", ".join(map(str, options.stages))
            raise LimitError(f"stages must be from 0 to {evaluation.stages - 1} (got {stages})")
    return fitter


def check_learnable(evaluation: Evaluation, cls: type[State], verb: str, bases: tuple[type[Evaluation], ...]) -> None:
    """Check that an evaluation extends one of some classes, and that its features and weights belong together.

    Raises
    ------
    ZermeloError
        If it extends none of them; the message names the game's evaluations that do.
    GameError
        If the evaluation does not read the start position as it declares.
    """
    name = evaluation_name(cls.start(), evaluation)
    if not isinstance(evaluation, bases):
        names = [name for name, each in cls.evaluations.items() if isinstance(each, bases)]
        has = f"choose {' or '.join(names)}" if names else f"no evaluation of {cls.__name__} can"
        classes = " or ".join([", ".join(base.__name__ for base in bases[:-1]), bases[-1].__name__])
        raise ZermeloError(f"the evaluation {name} cannot be {verb}; {has} (its class must extend {classes})")
    if wrong := evaluation.problem(cls.start()):
        raise GameError(f"the evaluation {name}: {wrong}")


def without_unproven_wins(positions: Positions, cls: type[State], options: FitOptions) -> Positions:
    """Leave out the positions whose label is the score of a win that is not proven, 999,999.

    A squared loss would take it for an estimate. A logistic loss takes it for a probability of 1, which is right.
    """
    if options.is_logistic(cls) or options.blend == 1:
        return positions
    is_left_out = (positions.exact == 0) & (np.abs(positions.score) >= UNPROVEN_WIN)
    return positions.chosen(~is_left_out) if is_left_out.any() else positions


def label_factor(evaluation: Evaluation, cls: type[State], labels: str, options: FitOptions) -> float | None:
    """By how much to multiply search scores of the evaluation named `labels`, to get units of another evaluation.

    Returns None if that is unknown. With `label_scale`, `targets` converts them instead.
    """
    if labels == RESULTS or options.label_scale:
        return 1.0
    known = cls.evaluations.get(labels)
    if known is None:  # older files have the name of the class, if the labels are by the weights of a file
        known = next((each for each in cls.evaluations.values() if type(each).__name__.lower() == labels), None)
    if known is None or type(known) is type(evaluation):
        return 1.0
    if cls.has_chance:
        return evaluation.unit / known.unit
    if isinstance(known, Patterns) and not options.is_logistic(cls):  # in units of utility, as solved positions
        return options.units(cls, evaluation) / FitOptions(options.loss).units(cls, known)
    is_same = known.unit_name == evaluation.unit_name != Evaluation.unit_name
    return 1.0 if is_same else None


def with_labels_for(evaluation: Evaluation, cls: type[State], positions: Positions, options: FitOptions) -> Positions:
    """Convert the search scores to units of an evaluation, if the conversion is known. Solved positions keep theirs."""
    if positions.evaluation == RESULTS:
        result = positions.result
        units = options.label_scale or options.units(cls, evaluation)
        score = np.sign(result) * UNPROVEN_WIN if options.is_logistic(cls) else units * result
        score = np.where(positions.exact == 1, positions.score, score)
        return replace(positions, score=score, evaluation=evaluation_name(cls.start(), evaluation))
    factor = label_factor(evaluation, cls, positions.evaluation, options)
    if factor is None or factor == 1:
        return positions
    score = np.where(positions.exact == 1, positions.score, positions.score * factor)
    return replace(positions, score=score, evaluation=evaluation_name(cls.start(), evaluation))


def split(positions: Positions, options: FitOptions) -> tuple[Positions, Positions]:
    """Return the positions of the games to fit and of the held-out games.

    Raises
    ------
    ZermeloError
        If one of the sets is empty.
    """
    games, index = np.unique(positions.game, return_inverse=True)
    chosen = held_out_games(games.tolist(), options)[index]
    return positions.chosen(~chosen), positions.chosen(chosen)


def held_out_games(games: Sequence[int], options: FitOptions) -> Array:
    """Whether each game, by its number, is held out.

    Raises
    ------
    ZermeloError
        If none is, or all are.
    """
    words = np.array([random_word(options.seed, number) for number in games], np.float64)
    chosen: Array = words / 2.0**62 < options.held_out
    if not 0 < chosen.sum() < len(games):
        few = f"the positions of {plural(len(games), 'game')} are too few to fit and to hold some out"
        raise ZermeloError(f"{few}; generate more")
    return chosen


def targets(positions: Positions, cls: type[State], options: FitOptions, units: float) -> Array:
    """What the scores of positions should be, from MAX's side: units of the evaluation, or probabilities of a win."""
    is_exact = positions.exact == 1
    score, result = positions.score.astype(np.float64), positions.result.astype(np.float64)
    if options.label_scale:
        score = np.where(is_exact, score, score * (units / options.label_scale))
    if options.is_logistic(cls):
        ended = (1 + np.sign(result)) / 2
        label = (1 - options.blend) * logistic(score / units) + options.blend * ended
        return np.where(is_exact, (1 + np.sign(score)) / 2, label)
    label = (1 - options.blend) * score + options.blend * units * result
    return np.where(is_exact, units * score, label)


def _fit_linear(
    evaluation: Any, cls: type[State], train: Positions, held_out: Positions, options: FitOptions,
    on_progress: OnProgress,
) -> Evaluation:  # fmt: skip
    is_logistic, units = options.is_logistic(cls), options.units(cls, evaluation)
    divisor = units if is_logistic else 1.0
    samples = [
        Sample(linear_matrix(evaluation, cls, each.states), targets(each, cls, options, units))
        for each in (train, held_out)
    ]
    start = evaluation.weights.astype(np.float64).ravel() / divisor
    found = fit(
        samples[0], samples[1], start, is_logistic=is_logistic, ridge=options.ridge, iterations=options.iterations,
        on_progress=lambda progress: on_progress(FitProgress(0, 1, progress)),
    )  # fmt: skip
    # Kept terms are fitted too: otherwise the others take their part. Then they have their weights again.
    kept = kept_weights(evaluation)
    found[kept] = start[kept]
    weights = np.rint(found * divisor).astype(np.int64).reshape(evaluation.weights.shape)
    return evaluation.replace(weights=weights)  # type: ignore[no-any-return]


def _fit_patterns(
    evaluation: Any, cls: type[State], train: Positions, held_out: Positions, options: FitOptions,
    on_progress: OnProgress,
) -> Evaluation:  # fmt: skip
    """Fit each stage by itself, on as many threads as there are processors; the weights do not depend on these.

    Stages differ little from their neighbours, whose positions show contents that are rare in one stage.
    """
    is_logistic, units = options.is_logistic(cls), options.units(cls, evaluation)
    # From a part of the sum that is fitted to a weight.
    factor = evaluation.weight_unit * (units if is_logistic else 1.0)
    sets = []
    for each in (train, held_out):
        stages, signs = pattern_stages(evaluation, cls, each.states)
        wanted = targets(each, cls, options, units)
        wanted = np.where(signs < 0, 1 - wanted, wanted) if is_logistic else wanted * signs
        sets.append((each.states, stages, wanted))
    before = evaluation.fitted_weights() / factor
    stop = threading.Event()

    def one(number: int, stage: int, count: int) -> Array:
        def tell(progress: Progress) -> None:
            on_progress(FitProgress(number, count, progress))
            if stop.is_set():
                raise KeyboardInterrupt

        parts = []
        for (states, stages, wanted), neighbours in zip(sets, (options.neighbours, 0), strict=True):
            rows = np.abs(stages - stage) <= neighbours
            parts.append(Sample(pattern_matrix(evaluation, cls, np.ascontiguousarray(states[rows])), wanted[rows]))
        return fit(
            parts[0], parts[1], before[stage], is_logistic=is_logistic, ridge=options.ridge,
            iterations=options.iterations, on_progress=tell,
        )  # fmt: skip

    fitted = [stage for stage in range(evaluation.stages) if all((stages == stage).any() for _, stages, _ in sets)]
    found: dict[int, Array] = {}
    with ThreadPoolExecutor(max(os.cpu_count() or 1, 1)) as pool:
        futures = {stage: pool.submit(one, number, stage, len(fitted)) for number, stage in enumerate(fitted)}
        while len(found) < len(futures):
            try:
                for stage, future in futures.items():
                    found[stage] = future.result()
            except KeyboardInterrupt:
                stop.set()
    weights = evaluation.fitted_weights().copy()
    for stage in range(evaluation.stages):
        # A stage without positions takes the weights of the nearest one with some.
        nearest = min(fitted, key=lambda each: abs(each - stage), default=None)
        if nearest is not None:
            weights[stage] = np.clip(np.rint(found[nearest] * factor), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    return type(evaluation).with_weights(weights)  # type: ignore[no-any-return]


def _fit_network(
    evaluation: Any, cls: type[State], train: Positions, held_out: Positions, options: FitOptions,
    on_progress: OnProgress,
) -> Evaluation:  # fmt: skip
    """Train from the network's weights, from random ones if they are 0, or from those that imitate another evaluation.

    The loss is that of the probability of a win, or with a squared loss that of the score.
    """
    is_logistic = options.is_logistic(cls)
    units, scale = options.units(cls, evaluation), float(evaluation.output_scale)
    samples = [
        network_sample(
            evaluation, cls, each, targets(each, cls, options, units) / (1.0 if is_logistic else scale),
            are_chances=is_logistic,
        )
        for each in (train, held_out)
    ]  # fmt: skip
    slope = scale / units if is_logistic else 0.0
    trainer = partial(TorchTrainer, device=options.device) if options.device else None
    start, stages = trained_floats(evaluation), 2 if options.imitate else 1
    stopped = threading.Event()
    if options.imitate:
        imitated, factor = resolve_evaluation(cls.start(), options.imitate), 1 / units if is_logistic else 1 / scale
        neighbours = [
            imitation_sample(evaluation, cls, each.states, imitated, options.seed, factor, are_chances=is_logistic)
            for each in (train, held_out)
        ]
        start = train_network(
            type(evaluation), *neighbours, slope=slope, passes=IMITATION_PASSES, seed=options.seed,
            trainer=trainer, stopped=stopped,
            on_progress=lambda progress: on_progress(FitProgress(0, stages, progress)),
        )  # fmt: skip
        if stopped.is_set():
            return type(evaluation).from_floats(start)  # type: ignore[no-any-return]
    found = train_network(
        type(evaluation), *samples, slope=slope, passes=options.iterations, seed=options.seed, rate=options.rate,
        start=start, trainer=trainer, keeps_unseen=bool(options.stages),
        on_progress=lambda progress: on_progress(FitProgress(stages - 1, stages, progress)),
    )  # fmt: skip
    return type(evaluation).from_floats(found)  # type: ignore[no-any-return]


Fitter = Callable[[Any, type[State], Positions, Positions, FitOptions, OnProgress], Evaluation]
#: Functions that fit evaluations, by their base class; the first one that matches is used.
FITTERS: tuple[tuple[type[Evaluation], Fitter], ...] = (
    (Patterns, _fit_patterns),
    (Network, _fit_network),
    (Tapered, _fit_linear),
    (Linear, _fit_linear),
)


def provenance(
    game: str,
    evaluation: str,
    files: list[str],
    options: FitOptions,
    positions: Positions,
    start: str | None = None,
    from_zero: bool = False,
) -> Provenance:
    """The command that makes the weights, and the digest of the positions; of the weights it starts from, if named."""
    words = ["zermelo", "learn", game, "fit", *map(os.path.basename, files), "--evaluation", evaluation]
    if start is not None:
        words += ["--weights", os.path.basename(start)]
    words += ["--from-zero"] if from_zero else []
    for field in fields(options):
        value = getattr(options, field.name)
        if value != field.default:
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words += [f"--{field.name.replace('_', '-')}", text]
    data = positions.digest()
    if start is not None:
        data += f" {file_digest(start)}"
    return Provenance(shlex.join(words), options.seed, data)
