"""Learn an evaluation from nothing: generations of self-play, each played by the weights of the one before.

    generation 1   games by another evaluation; labels: the results of the games, and solved endgames
    generation 2   games by the weights of generation 1; labels: their searches, and solved endgames
    ...

Searches see some plies ahead, so each generation carries the results of solved endgames to earlier positions. A folder
holds the positions and weights of each generation, `options.json` with the options, and `train.log`. Files that exist
are not made again.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from zermelo import __version__
from zermelo._util import atomic_files
from zermelo._util.user_files import open_to_append, read_bytes
from zermelo.core.array_file import Provenance
from zermelo.core.evaluation import Evaluation, Linear, resolve_evaluation
from zermelo.core.game import State
from zermelo.core.network import Network
from zermelo.core.patterns import Patterns
from zermelo.core.weight_file import load_weights, save_weights
from zermelo.errors import FileError, LimitError, ZermeloError
from zermelo.formatting import plural
from zermelo.learn.features import kept_weights
from zermelo.learn.fitting import (
    FitOptions,
    FitProgress,
    OnProgress,
    find_fitter,
    fit_evaluation,
    held_out_games,
    split,
)
from zermelo.learn.generation import RunTasks, check_plan, play_positions, run_here
from zermelo.learn.position_file import joined, load_positions
from zermelo.learn.report import PhaseError, error_unit, phase_errors
from zermelo.learn.self_play import SelfPlay

#: Called with a generation, its evaluation, its errors on held-out games and the options of the fit.
OnLearned: TypeAlias = Callable[[int, Evaluation, list[PhaseError], FitOptions], None]
#: The file of a folder with the options that its other files depend on, and the log.
OPTIONS, LOG = "options.json", "train.log"
_OURS = re.compile(r"[1-9][0-9]*\.(weights|positions(\.part)?)")
# Far more than the options take: a larger file is not ours.
_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Bootstrap:
    """Options of learning by generations.

    Parameters
    ----------
    evaluation : str
        The evaluation to learn.
    first : str, optional
        The evaluation that plays the first generation; by default the game's first one other than `evaluation`, else
        "nothing": searches see only the ends of games.
    games : tuple of int
        Number of games of each generation.
    depths : tuple of int
        Depth of the searches of each generation.
    solve_plies, confidences, blends, ridges : tuple of int or float
        Values of `SelfPlay.solve_plies`, `SelfPlay.confidence`, `FitOptions.blend` and `FitOptions.ridge` for each
        generation; () if all have the same. The first generation's blend is 1.
    windows : tuple of int
        The number of generations whose positions each fit uses, the last ones; 0, or (): all from the second one on.
    """

    evaluation: str
    first: str | None = None
    games: tuple[int, ...] = (1000, 1000)
    depths: tuple[int, ...] = (4, 4)
    solve_plies: tuple[int, ...] = ()
    confidences: tuple[int, ...] = ()
    blends: tuple[float, ...] = ()
    ridges: tuple[float, ...] = ()
    windows: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.games or len(self.games) != len(self.depths):
            raise LimitError(
                f"games and depths must be numbers for each generation (got {len(self.games)} and {len(self.depths)})"
            )
        for name in _BY_GENERATION:
            if len(getattr(self, name)) not in (0, len(self.games)):
                raise LimitError(
                    f"{name} must have a number for each of {plural(len(self.games), 'generation')} "
                    f"(got {len(getattr(self, name))})"
                )
        if min(self.windows, default=0) < 0:
            raise LimitError(f"windows must be at least 0 (got {min(self.windows)})")

    def used(self, number: int) -> slice:
        """The generations, counted from 0, whose positions the fit of generation `number` uses.

        The first generation's labels are not in the unit of the evaluation.
        """
        window = self.windows[number - 1] if self.windows else 0
        return slice(max(min(number - 1, 1), number - window if window else 0), number)

    def fit_options(self, options: FitOptions, number: int) -> FitOptions:
        """The options of the fit of a generation."""
        blend = self.blends[number - 1] if self.blends else options.blend
        ridge = self.ridges[number - 1] if self.ridges else options.ridge
        return replace(options, blend=1.0 if number == 1 else blend, ridge=ridge)


#: Fields of `Bootstrap` that may be empty.
_BY_GENERATION = ("solve_plies", "confidences", "blends", "ridges", "windows")


def learn_by_generations(
    cls: type[State],
    folder: str | os.PathLike[str],
    plan: Bootstrap,
    play: SelfPlay,
    options: FitOptions,
    *,
    overwrite: bool = False,
    command: str = "",
    run: RunTasks = run_here,
    on_games: Callable[[int, int, int], None] = lambda generation, done, games: None,
    on_fit: Callable[[int], OnProgress] = lambda generation: lambda progress: None,
    on_learned: OnLearned = lambda generation, found, held_out, options: None,
) -> Evaluation:
    """Learn an evaluation; return it. The weights of a generation are in `FOLDER/NUMBER.weights`.

    Parameters
    ----------
    cls : type
        The game.
    folder : path
        Where the files of all generations are kept; made if it is missing.
    plan : Bootstrap
    play : SelfPlay
        Options of self-play, apart from those of `plan`. Each generation has a seed of its own. A teacher labels the
        positions from the second generation on.
    options : FitOptions
        Options of the fits. The first generation's labels are results (`blend` 1): the scores of another evaluation
        may have another unit.
    overwrite : bool
        Delete the files of all generations in the folder first.
    command : str
        The command to note in the weight files.
    run : callable
        Runs the games.
    on_games, on_fit : callable
        Called with the generation, finished and all games; with the generation, for a function that is called with the
        progress of its fit.
    on_learned : callable
        Called with the generation, its evaluation, its errors on the games that were held out, and the options that say
        what their labels are: after its fit, or if it was finished before and its positions are still there.

    Raises
    ------
    ZermeloError
        The evaluation cannot be fitted, the games cannot be played or are too few, or the folder has files that were
        made with other options. More generations than before are allowed. Nothing is written then. Also if a
        generation's games ended too early to give enough positions; these games are deleted.
    """
    target = resolve_evaluation(cls.start(), plan.evaluation)
    find_fitter(target, cls, options)
    target = untrained(target)
    if play.teacher and len(plan.games) == 1:
        raise LimitError("a teacher needs a second generation: the first one learns from the results of games")
    plans = generation_plans(cls, plan, play)
    fits = [plan.fit_options(options, number) for number in range(1, len(plans) + 1)]
    for number, own in enumerate(plans, 1):
        check_plan(own)
        held_out_games(range(sum(plan.games[plan.used(number)])), options)
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if overwrite:
        for each in folder.iterdir():
            if each.name in (OPTIONS, LOG) or _OURS.fullmatch(each.name):
                each.unlink()
    stored = _check_options(folder, plan, play, options)
    log = _Log(folder / LOG)
    log.write(f"zermelo {__version__}: {command or 'learn_by_generations'}")
    files = []
    for number, own in enumerate(plans, 1):
        weights = folder / f"{number}.weights"
        files.append(folder / f"{number}.positions")
        used, own_options = files[plan.used(number)], fits[number - 1]
        if weights.exists():
            target = load_weights(weights, cls, type(target))[0]
            if all(file.exists() for file in used):
                positions = joined([load_positions(file, cls) for file in used])
                held_out = split(positions, own_options)[1]
                on_learned(number, target, phase_errors(target, cls, held_out, own_options), own_options)
            continue
        if not files[-1].exists():
            before = None if number == 1 else str(folder / f"{number - 1}.weights")
            played = replace(own, weights=before)
            try:
                play_positions(played, files[-1], run=run, on_progress=log.of_games(number, on_games))
            except BaseException:
                if not files[-1].with_name(f"{files[-1].name}.part").exists():  # no games to continue with
                    _forget(folder, number, stored)
                raise
        positions = joined([load_positions(file, cls) for file in used])
        try:
            held_out = split(positions, own_options)[1]
        except ZermeloError:
            files[-1].unlink()  # so that the command can be repeated with other games
            _forget(folder, number, stored)
            raise
        target = fit_evaluation(target, cls, positions, own_options, log.of_fit(number, on_fit(number)))
        save_weights(weights, cls, target, Provenance(command, play.seed, positions.digest()))
        errors = phase_errors(target, cls, held_out, own_options)
        log.write_errors(number, errors, error_unit(target, cls, own_options))
        on_learned(number, target, errors, own_options)
    return target


class _Log:
    """The log of a folder: the commands, the progress of games and fits, and the errors, each line with its time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # patterns are fitted by several threads

    def write(self, text: str) -> None:
        """Append a line."""
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {text}\n"
        with self._lock, open_to_append(self._path) as file:
            try:
                file.write(line.encode())
            except OSError as error:
                raise FileError(f"{self._path}: {error.strerror or error}") from None

    def of_games(self, generation: int, on_games: Callable[[int, int, int], None]) -> Callable[[int, int], None]:
        """A function that calls `on_games`, and writes a line for each tenth of the games."""
        written = -1

        def on_progress(done: int, total: int) -> None:
            nonlocal written
            if (tenth := 10 * done // total) > written:
                written = tenth
                self.write(f"generation {generation}: game {done:,} of {total:,}")
            on_games(generation, done, total)

        return on_progress

    def of_fit(self, generation: int, on_fit: OnProgress) -> OnProgress:
        """A function that calls `on_fit`, and writes a line for each iteration."""

        def on_progress(found: FitProgress) -> None:
            stage = f"stage {found.stage + 1} of {found.stages}, " if found.stages > 1 else ""
            loss = f"iteration {found.now.iteration}, held-out loss {found.now.error:.6g}"
            self.write(f"generation {generation}: {stage}{loss}")
            on_fit(found)

        return on_progress

    def write_errors(self, generation: int, errors: list[PhaseError], unit: str) -> None:
        """Write the error of each phase, and of all positions."""
        for place, each in enumerate(errors):
            phase = "all" if place == len(errors) - 1 else f"{each.first} to {each.last}"
            self.write(
                f"generation {generation}: plies {phase}: mean error {each.error:.2f} {unit} on "
                f"{plural(each.positions, 'position')} of held-out games; of a constant {each.spread:.2f}"
            )


def generation_plans(cls: type[State], plan: Bootstrap, play: SelfPlay) -> list[SelfPlay]:
    """The self-play of each generation, without the weights of the one before."""
    first = plan.first or next((name for name in cls.evaluations if name != plan.evaluation), "nothing")
    plans = [
        replace(play, games=games, depths=(depth,), evaluation=plan.evaluation, weights=None, seed=play.seed + number)
        for number, (games, depth) in enumerate(zip(plan.games, plan.depths, strict=True), 1)
    ]
    by_generation: dict[str, tuple[Any, ...]] = {"solve_plies": plan.solve_plies, "confidence": plan.confidences}
    for name, values in by_generation.items():
        if values:
            plans = [replace(own, **{name: value}) for own, value in zip(plans, values, strict=True)]
    return [replace(plans[0], evaluation=first, teacher=""), *plans[1:]]  # it learns from results


def untrained(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation with 0 for all weights that learning changes; if it has none, the evaluation itself."""
    if isinstance(evaluation, (Network, Patterns)):
        return type(evaluation).with_weights()
    if isinstance(evaluation, Linear):
        weights = np.zeros_like(evaluation.weights)
        kept = kept_weights(evaluation)
        weights.flat[kept] = evaluation.weights.flat[kept]
        return evaluation.replace(weights=weights)
    return evaluation


def _check_options(folder: Path, plan: Bootstrap, play: SelfPlay, options: FitOptions) -> dict[str, Any]:
    """Compare the options with those of the files in a folder; store them there, and return what is stored.

    A file of the folder depends on the options, and on the games and depths of the generations up to its own.
    """
    given = [name for name in _BY_GENERATION if getattr(plan, name)]
    columns = [getattr(plan, name) for name in ("games", "depths", *given)]
    generations = [list(row) for row in zip(*columns, strict=True)]
    fixed = {"learned": asdict(plan), "played": play.as_dict(), "fitted": asdict(options)}
    for part, name in (("learned", "games"), ("learned", "depths"), ("played", "games"), ("played", "depths")):
        del fixed[part][name]
    for name in _BY_GENERATION:
        del fixed["learned"][name]
    del fixed["fitted"]["stages"]  # an option of `fit` alone
    if given:
        fixed["learned"]["by_generation"] = given
    fixed = json.loads(json.dumps(fixed))  # as read from the file: lists for tuples
    file = folder / OPTIONS
    if file.exists():
        try:
            known = json.loads(read_bytes(file, _MAX_BYTES))
            before, stored = list(known["generations"]), known["options"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ZermeloError(f"{file} is damaged; choose another folder") from None
        both = min(len(before), len(generations))
        if stored != fixed or before[:both] != generations[:both]:
            raise ZermeloError(f"{folder} was started with other options; choose another folder, or delete this one")
        generations += before[both:]
    return _store(folder, generations, fixed)


def _store(folder: Path, generations: list[Any], fixed: dict[str, Any]) -> dict[str, Any]:
    content = {"generations": generations, "options": fixed}
    atomic_files.write(os.fspath(folder / OPTIONS), json.dumps(content, indent=1) + "\n")
    return content


def _forget(folder: Path, number: int, stored: dict[str, Any]) -> None:
    """Remove a generation and the later ones from the stored options; the first one with the folder."""
    if number > 1:
        _store(folder, stored["generations"][: number - 1], stored["options"])
        return
    (folder / OPTIONS).unlink()
    (folder / LOG).unlink(missing_ok=True)
    with suppress(OSError):  # not empty: it has files of others
        folder.rmdir()
