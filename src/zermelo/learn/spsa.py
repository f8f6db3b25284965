"""Tuning parameters of the selective search by games: SPSA.

    iteration    every parameter is moved by its step, up or down at random: one set of parameters, and its opposite
                 two games between them from one opening, each side once, at N nodes a move
                 the parameters move towards the winner, by the result times a rate that falls

The noise of single games averages out over thousands of them. One iteration costs two games for any number of
parameters.

References
----------
J. C. Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic Optimization", IEEE Transactions
on Aerospace and Electronic Systems 34 (1998).
"""

from __future__ import annotations

import os
import random
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from zermelo._util import atomic_files
from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import has_repetition_rule
from zermelo.errors import FileError, LimitError, ZermeloError
from zermelo.learn.tuned_file import TunedFile, load_tuned, tuned_bytes
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.search.selective import FIELDS, Selective, why_never_selective

#: Spall's exponents of the step size and of the perturbation, by the number of the iteration.
STEP_EXPONENT, PERTURBATION_EXPONENT = 0.602, 0.101
#: The iterations that the step size waits before it falls, as a fraction of all; Spall's recommendation.
STABILITY = 0.1
#: A perturbation at the end, as a fraction of a parameter's range; at the start it is about twice as much.
PERTURBATION = 0.05
#: How much of a perturbation a won pair of games moves the parameters at the end.
RATE = 0.04
#: Seconds between two writes of the file: what a power failure costs at most.
SAVE_SECONDS = 60.0
#: The memory of the engines. Games to few nodes a move do not fill more.
TABLE = "1M"
# Attempts to draw an opening whose random moves do not end the game.
_OPENING_TRIES = 1_000


class Span(NamedTuple):
    """The lowest and the highest value of a parameter."""

    low: float
    high: float


#: The fields of `Selective` that can be tuned. `singular_margin` is left out, because singular extensions are off.
SPANS = {name: Span(*field.tuned) for name, field in FIELDS.items() if field.tuned}

#: Plays a pair of games between two sets of parameters; returns the points of the first one minus those of the second,
#: -2 to 2. The number is that of the iteration.
PlayPair = Callable[[Mapping[str, int], Mapping[str, int], int], float]


@dataclass(frozen=True)
class TuneOptions:
    """Options of tuning.

    Parameters
    ----------
    pairs : int
        Number of iterations, two games each.
    nodes : int
        Nodes a move.
    random_plies : int
        Random moves at the start of each pair of games.
    seed : int
        Seed of all random choices.
    max_plies : int
        A longer game is a draw.
    evaluation : str or Evaluation, optional
        The evaluation of the searches. Default: that of the game's selective searches.
    evaluation_name : str
        What names it in the file, with the digest of its weight file; empty for the default.

    Raises
    ------
    LimitError
        A value is out of range.
    """

    pairs: int = 1000
    nodes: int = 2000
    random_plies: int = 6
    seed: int = 0
    max_plies: int = 300
    evaluation: str | Evaluation | None = None
    evaluation_name: str = ""

    def __post_init__(self) -> None:
        for name, least in (("pairs", 1), ("nodes", 1), ("random_plies", 0), ("max_plies", 1)):
            if not least <= getattr(self, name) <= 10**9:
                label = name.replace("_", "-")
                raise LimitError(f"{label} must be from {least} to 1,000,000,000 (got {getattr(self, name):,})")


class Spsa:
    """Simultaneous perturbation stochastic approximation.

    Parameters
    ----------
    spans : mapping of str to Span
        The parameters and their ranges.
    values : mapping of str to float
        Where they start.
    iterations : int
        How many are planned.
    seed : int
        Seed of the perturbations.
    """

    def __init__(self, spans: Mapping[str, Span], values: Mapping[str, float], iterations: int, seed: int = 0) -> None:
        self._spans, self._iterations, self._seed = spans, iterations, seed
        self.values = {name: float(values[name]) for name in spans}

    def perturbations(self, iteration: int) -> dict[str, float]:
        """Return how much each parameter is moved in an iteration, from 0, up or down."""
        source = random.Random(self._seed * 1_000_003 + iteration)
        scale = PERTURBATION * ((iteration + 1) / self._iterations) ** -PERTURBATION_EXPONENT
        return {
            name: source.choice((-1, 1)) * scale * (span.high - span.low) for name, span in self._spans.items()
        }  # fmt: skip

    def moved(self, perturbations: Mapping[str, float], sign: int) -> dict[str, int]:
        """Return the parameters moved by the perturbations, or against them, as whole numbers within their ranges."""
        return {
            name: round(min(max(self.values[name] + sign * perturbations[name], span.low), span.high))
            for name, span in self._spans.items()
        }

    def step(self, iteration: int, perturbations: Mapping[str, float], result: float) -> None:
        """Move the parameters by the result of the moved ones against their opposite, -1 to 1."""
        wait = STABILITY * self._iterations
        rate = RATE * ((wait + self._iterations) / (wait + iteration + 1)) ** STEP_EXPONENT
        for name, span in self._spans.items():
            value = self.values[name] + rate * result * perturbations[name]
            self.values[name] = _as_stored(min(max(value, span.low), span.high))


@dataclass(frozen=True)
class TuneProgress:
    """Finished pairs of games, and the parameters after them."""

    pairs: int
    values: dict[str, float]


def tune(
    cls: type[State],
    path: str | os.PathLike[str],
    parameters: tuple[str, ...],
    options: TuneOptions | None = None,
    *,
    command: str = "",
    overwrite: bool = False,
    play: PlayPair | None = None,
    on_progress: Callable[[TuneProgress], None] = lambda progress: None,
) -> TunedFile:
    """Tune parameters of the selective search of a game, and write them to a file that players accept.

    Tuning that was interrupted continues when called again with the same arguments, and gives the same file. Ctrl-C
    writes the parameters so far.

    Parameters
    ----------
    cls : type
        The game.
    path : path
        The file.
    parameters : tuple of str
        Names in `SPANS`.
    options : TuneOptions, optional
    command : str
        The command to note in the file.
    overwrite : bool
        Replace a finished file.
    play : callable, optional
        Plays the games; by default engines of the package do.
    on_progress : callable
        Called at the start and after each pair of games.

    Notes
    -----
    The parameters start from those of the game, and the others stay as they are there.

    Returns
    -------
    TunedFile
        What was written.

    Raises
    ------
    FileError
        The file exists, is finished, and `overwrite` is false; or it cannot be written.
    FormatError
        It is another kind of file, or damaged.
    LimitError
        A name is not that of a parameter, or the game cannot be searched selectively.
    ZermeloError
        The unfinished file had other options.
    """
    options = options or TuneOptions()
    for name in parameters:
        if name not in SPANS:
            raise LimitError(f"{name} cannot be tuned; choose from {', '.join(SPANS)}")
    if not parameters:
        raise LimitError("parameters must name at least one parameter")
    if reason := why_never_selective(cls):
        raise LimitError(f"{cls.__name__} is not searched selectively: {reason}")
    resolve_evaluation(cls.start(), options.evaluation, selective=True)
    defaults = Selective.of_game(cls)
    spans = {name: SPANS[name] for name in parameters}
    atomic_files.check_path(Path(path))
    found = _earlier(cls, Path(path), parameters, options, overwrite)
    history = list(found.history) if found else []
    start = dict(zip(parameters, history[-1], strict=True)) if history else {
        name: float(getattr(defaults, name)) for name in parameters
    }  # fmt: skip
    spsa = Spsa(spans, start, options.pairs, options.seed)
    play = play or _Games(cls, options).play

    def save() -> TunedFile:
        made = TunedFile(cls.__name__, parameters, tuple(history), options.pairs, _options_text(options), command)
        atomic_files.write(os.fspath(path), tuned_bytes(made))
        return made

    saved = time.monotonic()
    on_progress(TuneProgress(len(history), spsa.values))
    try:
        for iteration in range(len(history), options.pairs):
            moves = spsa.perturbations(iteration)
            result = play(spsa.moved(moves, 1), spsa.moved(moves, -1), iteration)
            spsa.step(iteration, moves, result / 2)
            history.append(tuple(spsa.values[name] for name in parameters))
            on_progress(TuneProgress(len(history), spsa.values))
            if time.monotonic() - saved > SAVE_SECONDS:
                save()
                saved = time.monotonic()
    except KeyboardInterrupt:
        save()
        raise
    return save()


def _options_text(options: TuneOptions) -> str:
    """The options that decide the games."""
    found = f"nodes={options.nodes} random_plies={options.random_plies} seed={options.seed} max={options.max_plies}"
    return f"{found} evaluation={options.evaluation_name}" if options.evaluation_name else found


def _earlier(
    cls: type[State], path: Path, parameters: tuple[str, ...], options: TuneOptions, overwrite: bool
) -> TunedFile | None:
    """What an unfinished file holds."""
    if not path.exists():
        return None
    found = load_tuned(path, cls.__name__)
    if len(found.history) >= found.pairs:
        if not overwrite:
            raise FileError(f"file exists: {path}; use --force to replace it, or choose another file")
        return None
    wanted = (parameters, options.pairs, _options_text(options))
    if (found.parameters, found.pairs, found.options) != wanted:
        raise ZermeloError(f"{path}: unfinished tuning with other options; continue with them, or delete the file")
    return found


class _Games:
    """Games between two engines."""

    def __init__(self, cls: type[State], options: TuneOptions) -> None:
        self._cls, self._options = cls, options

    def play(self, first: Mapping[str, int], second: Mapping[str, int], number: int) -> float:
        """Play two games from one opening, each set of parameters once as MAX. Returns as `PlayPair`."""
        opening = self._opening(number)
        result = 0.0
        for side in (MAX, MIN):
            result += side * self._game(opening, *((first, second) if side == MAX else (second, first)))
        return result

    def _opening(self, number: int) -> list[State]:
        """The positions of some random moves that do not end the game."""
        # Independent of the numbers of the perturbations.
        source = random.Random(f"opening {number} of seed {self._options.seed}")
        for _ in range(_OPENING_TRIES):
            states: list[State] = [self._cls.start()]
            while len(states) <= self._options.random_plies and not states[-1].is_over():
                states.append(states[-1].play(source.choice(states[-1].legal_moves())))
            if not states[-1].is_over():
                return states
        plies = self._options.random_plies
        raise LimitError(f"random_plies must be smaller (got {plies}): the random moves always end the game")

    def _game(self, opening: list[State], max_parameters: Mapping[str, int], min_parameters: Mapping[str, int]) -> int:
        """The winner of a game: MAX, MIN, or 0 for a draw."""
        states = list(opening)
        limits = Limits(nodes=self._options.nodes)
        engines = {MAX: self._engine(max_parameters), MIN: self._engine(min_parameters)}
        needs_history = has_repetition_rule(states[0])
        try:
            while not states[-1].is_over() and len(states) <= self._options.max_plies:
                state, before = states[-1], states[:-1] if needs_history else []
                *_, found = engines[state.to_move()].analysis(
                    state, limits, evaluation=self._options.evaluation, history=before
                )
                assert found.move is not None
                if found.score.is_proven and found.score.value is not None and not needs_history:
                    return _sign(found.score.value)
                states.append(state.play(found.move))
        finally:
            for engine in engines.values():
                engine.close()
        return _sign(states[-1].utility()) if states[-1].is_over() else 0

    def _engine(self, parameters: Mapping[str, int]) -> Engine:
        return Engine(TABLE, selective=Selective.of_game(self._cls, **parameters))


def _as_stored(value: float) -> float:
    """A number as the file holds it, so that tuning that continues from the file is the same."""
    found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return found


def _sign(value: float) -> int:
    return MAX if value > 0 else MIN if value < 0 else 0
