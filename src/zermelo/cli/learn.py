"""`zermelo learn`: labelled positions, and evaluations fitted to them."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from zermelo import formatting
from zermelo._util.atomic_files import check_path, write
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Cluster, EvaluationName, Game, Workers
from zermelo.core.evaluation import Evaluation, Nothing, evaluation_name, resolve_evaluation
from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.learn.fitting import FitOptions, FitProgress
    from zermelo.learn.position_file import Positions
    from zermelo.learn.report import PhaseError

N = TypeVar("N", int, float)

Weights = Annotated[
    str | None, typer.Option("--weights", metavar="FILE", help="Weight file for the evaluation of the searches.")
]


Loss = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Loss: squared or logistic. Default: squared in games of chance or with graded results, else logistic.",
    ),
]
Blend = Annotated[
    float,
    typer.Option(metavar="P", help="Weight of the game's result in a label, 0 to 1; the rest is the search's score."),
]
Scale = Annotated[
    float | None,
    typer.Option(metavar="X", help="Evaluation units per 1 of utility, or per logit. Default: by evaluation and loss."),
]
Ridge = Annotated[float, typer.Option(metavar="X", help="Regularisation: the number of positions that outweigh it.")]
Iterations = Annotated[
    int, typer.Option(metavar="N", help="Maximum number of iterations per stage; for a network, of passes.")
]
HeldOut = Annotated[float, typer.Option(metavar="P", help="Fraction of the games held out to decide when to stop.")]
RandomPlies = Annotated[
    str, typer.Option("--random-plies", metavar="N or A-B", help="Number of random moves at the start of a game.")
]
Mix = Annotated[float, typer.Option(metavar="P", help="Probability of a random move later, 0 to 1.")]
SolvePlies = Annotated[int, typer.Option(metavar="N", help="Solve the last N positions of each game exactly.")]
SolveNodes = Annotated[
    int,
    typer.Option(metavar="N", help="Node limit for each; if one reaches it, the positions before are not solved."),
]
MaxPlies = Annotated[int, typer.Option(metavar="N", help="Adjudicate a draw after N plies.")]
Resign = Annotated[
    int, typer.Option(metavar="N", help="End a game once a search's score is N units or more; 0: never.")
]
Teacher = Annotated[
    str,
    typer.Option(metavar="SPEC", help="Label positions by another program: gnubg, uci:depth=3:stockfish, gtp:gnugo."),
]
FromZero = Annotated[
    bool,
    typer.Option(
        "--from-zero",
        help="Start from weights of 0, except those of terms that learning keeps; a network from random ones.",
    ),
]
Rate = Annotated[float, typer.Option(metavar="X", help="First step size of a network; it falls to 0.")]
Neighbours = Annotated[
    int,
    typer.Option(metavar="N", help="Patterns: fit each stage also to the positions of N stages before and after it."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


_CONFIDENCE = "Confidence of ProbCut in the searches in percent: 73, 87, 95, 98, 99, or 100 for no ProbCut"
_ONE_OR_EACH = "; one number for all generations, or one for each."


class GameFirst(TyperGroup):
    """A group whose first argument is a game, `zermelo learn GAME ACTION`, which the command gets as its argument."""

    game_first = True
    #: The action if none is given; empty: one must be.
    usual = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            game, *others = args
            if others and others[0] in self.commands:
                args = [others[0], game, *others[1:]]
            elif "--help" in others:
                args = ["--help"]
            elif self.usual and (not others or others[0].startswith("-")):
                args = [self.usual, game, *others]
            else:
                actions = ", ".join(self.commands)
                found = f"; {others[0]!r} is not an action" if others else ""
                ctx.fail(f"expected an action after {game!r}: {actions}{found}")
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["GAME [ACTION] [OPTIONS]" if self.usual else "GAME ACTION [OPTIONS]"]


class LearnGroup(GameFirst):
    """The actions of `zermelo learn`."""

    usual = "train"

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the actions, and the options of the usual one."""
        self.format_commands(ctx, formatter)
        action = self.commands[self.usual]
        action.format_options(type(ctx)(action, parent=ctx, info_name=self.usual), formatter)


def positions(
    game: Game,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Output file: .positions, or as text .jsonl, .csv, .parquet.")
    ],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 100,
    evaluation: EvaluationName = None,
    weights: Weights = None,
    depth: Annotated[
        str, typer.Option(metavar="N,...", help="Depths of the searches in plies; each game has one of them.")
    ] = "4",
    confidence: Annotated[int, typer.Option(metavar="P", help=f"{_CONFIDENCE}.")] = 100,
    random_plies: RandomPlies = "8",
    mix: Mix = 0.0,
    solve_plies: SolvePlies = 0,
    solve_nodes: SolveNodes = 1_000_000,
    positions: Annotated[int, typer.Option(metavar="N", help="Positions to keep per game; 0 keeps all.")] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same file.")] = 0,
    max_plies: MaxPlies = 1000,
    resign: Resign = 0,
    teacher: Teacher = "",
    start: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Start games from random positions of this file, .positions or text. Default: the game's start.",
        ),
    ] = None,
    start_stages: Annotated[
        str, typer.Option(metavar="N,...", help="Use only positions of these stages, from 0 on. Default: all.")
    ] = "",
    force: Force = False,
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Generate labelled positions by self-play, for fitting evaluations.

    The searches that play the games label the positions. Repeat the command to continue after an interruption. A
    finished file is not overwritten without --force.
    """
    from zermelo.learn import generate_positions

    started = time.monotonic()
    done = 0
    with screen.Progress("playing", quiet) as progress, arguments.blaming(arguments.load(game)):

        def on_progress(finished: int, total: int) -> None:
            nonlocal done
            if not done:
                progress.begin("playing and labelling", finished, total)
            done = finished
            progress.at(f"game {finished:,} of {total:,}", finished, total)

        try:
            summary = generate_positions(
                game,
                out,
                overwrite=force,
                run=runner(workers, cluster, game),
                on_progress=on_progress,
                games=games,
                evaluation=evaluation,
                weights=None if weights is None else str(Path(weights).resolve()),
                depths=numbers(depth, "--depth"),
                confidence=confidence,
                random_plies=span(random_plies, "--random-plies"),
                mix=mix,
                solve_plies=solve_plies,
                solve_nodes=solve_nodes,
                positions=positions,
                seed=seed,
                max_plies=max_plies,
                resign=resign,
                teacher=teacher,
                start=None if start is None else str(Path(start).resolve()),
                start_stages=numbers(start_stages, "--start-stages") if start_stages else (),
            )
        except KeyboardInterrupt:
            progress.say(
                f"interrupted after {done:,} of {formatting.plural(games, 'game')}; repeat the command to continue"
            )
            raise
        if not teacher and resolve_evaluation(arguments.load(game).start(), evaluation) == Nothing():
            progress.say(
                "note: the searches have no evaluation: the score of a position is 0 unless its search reached the end "
                "of the game; use --blend 1 in `fit` to learn from the results of the games"
            )
    seconds = time.monotonic() - started
    if as_json:
        data = {"game": game, "games": games, "positions": summary.positions, "seconds": round(seconds, 3), "out": out}
        print_json(data)
        return
    speed = f"{formatting.rate(summary.positions / seconds)} per second"
    if summary.resumed_games:
        speed = f"{summary.resumed_games:,} games were finished before"
    print_line(
        f"{formatting.plural(summary.positions, 'position')} of {formatting.plural(games, 'game')} in {out}, {speed}"
    )


def runner(workers: int | None, cluster: str, game: str) -> Callable[[Iterable[str]], Iterator[str]]:
    """A function that runs tasks of self-play in the workers of the options."""

    def run(tasks: Iterable[str]) -> Iterator[str]:
        from zermelo.arena.executors.executor import Task, results_in_order

        with arguments.executor(workers, cluster, game) as executor:
            numbered = (Task(number, "positions", data) for number, data in enumerate(tasks))
            for outcome in results_in_order(executor, numbered):
                if outcome.data is None:
                    raise ZermeloError(outcome.error or "a task failed")
                yield outcome.data

    return run


def check_start(weights: str | None, from_zero: bool) -> None:
    """Refuse two sets of weights to start from."""
    if weights is not None and from_zero:
        raise LimitError(f"--weights {weights} and --from-zero exclude each other: learning starts from one of them")


def fit(
    game: Game,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", hidden=True)],
    evaluation: EvaluationName = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Weights to start from. Default: the evaluation's; for a network random ones.",
        ),
    ] = None,
    from_zero: FromZero = False,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Weight file to write; required.")] = "",
    loss: Loss = "",
    blend: Blend = 0.0,
    scale: Scale = None,
    label_scale: Annotated[
        float | None,
        typer.Option(metavar="X", help="Units of the labels' scores per 1 of utility, or logit. Default: converted."),
    ] = None,
    ridge: Ridge = 2.0,
    neighbours: Neighbours = 0,
    iterations: Iterations = 100,
    held_out: HeldOut = 0.1,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the choice of held-out games.")] = 0,
    rate: Rate = 0.0015,
    imitate: Annotated[
        str, typer.Option(metavar="NAME", help="Evaluation that a network imitates before it is fitted.")
    ] = "",
    device: Annotated[
        str, typer.Option(metavar="NAME", help="Train a network by PyTorch on this device, such as cuda.")
    ] = "",
    stages: Annotated[
        str, typer.Option(metavar="N,...", help="Fit a network to positions of these stages only. Default: all.")
    ] = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Fit the weights of an evaluation to labelled positions.

    Prints the errors on held-out games by phase. Ctrl-C ends the fit with the best weights so far.
    """
    from zermelo.core.network import Network
    from zermelo.core.weight_file import save_weights
    from zermelo.learn.bootstrap import untrained
    from zermelo.learn.fitting import FitOptions, fit_evaluation, provenance, split
    from zermelo.learn.position_file import joined, load_positions
    from zermelo.learn.report import error_unit, phase_errors
    from zermelo.learn.self_play import evaluation_of

    if not out:
        raise LimitError("--out is missing: name the weight file to write")
    check_path(out)
    for file in (*files, *filter(None, [weights])):
        if os.path.realpath(file) == os.path.realpath(out):
            raise LimitError(f"--out and {file} are the same file; choose another output file")
    check_start(weights, from_zero)
    cls = arguments.load(game)
    options = FitOptions(
        loss, blend, scale or 0.0, ridge, iterations, held_out, seed, rate, imitate, device, neighbours,
        numbers(stages, "--stages") if stages else (), label_scale or 0.0,
    )  # fmt: skip
    if stages and weights is None:
        raise LimitError("--stages needs --weights, the weights of the other stages")
    began = time.monotonic()
    with screen.Progress("fitting", quiet) as progress, arguments.blaming(cls):
        target = evaluation_of(cls, evaluation, weights)
        if from_zero or (isinstance(target, Network) and weights is None):
            target = untrained(target)
        parts = [load_positions(file, cls) for file in files]
        positions = joined(parts)
        used = usable(parts, files, cls, target, options, progress)
        found = fit_evaluation(target, cls, used, options, fit_progress(progress))
        name = evaluation or next(iter(cls.evaluations), "")
        save_weights(out, cls, found, provenance(game, name, files, options, positions, weights, from_zero))
        errors = phase_errors(found, cls, split(used, options)[1], options)
    if as_json:
        seconds = round(time.monotonic() - began, 3)
        print_json({"game": game, "out": out, "positions": len(used), "seconds": seconds, **as_rows(errors)})
        return
    print_line(f"{formatting.plural(len(used), 'position')}, {out}; errors on held-out games:")
    print_errors(errors, error_unit(found, cls, options))


def report(
    game: Game,
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILE...]", hidden=True)] = None,
    evaluation: EvaluationName = None,
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="FILE", help="Weight file. Default: the evaluation's weights.")
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="NAME", help="Also show the errors of this evaluation or weight file.")
    ] = "",
    loss: Loss = "",
    blend: Blend = 0.0,
    scale: Scale = None,
    only_exact: Annotated[bool, typer.Option("--exact", help="Use solved positions only.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a plot of the errors: .png, .pdf or .svg.")
    ] = None,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Show the errors of an evaluation on labelled positions, by phase of the game.

    For Othello, FILE may also be a WTHOR file (.wtb), which records the exact scores of positions with 24 empty
    squares. Without FILE, shows how the weights were made.
    """
    from zermelo.core.weight_file import chosen_evaluation
    from zermelo.learn.fitting import FitOptions, without_unproven_wins
    from zermelo.learn.position_file import load_positions
    from zermelo.learn.report import error_unit, phase_errors
    from zermelo.learn.scored_games import SUFFIX, load_scored_games
    from zermelo.learn.self_play import evaluation_of
    from zermelo.teaching.diagrams import plots

    form = None if plot is None else plots.plot_format(plot)
    cls = arguments.load(game)
    options = FitOptions(loss, blend, scale or 0.0)
    if not files:
        if against or only_exact or plot is not None:
            raise LimitError("FILE is missing: --against, --exact and --plot need labelled positions")
        show_provenance(game, cls, evaluation, weights, as_json)
        return
    others: list[PhaseError] = []
    with screen.Progress("evaluating", quiet) as progress, arguments.blaming(cls):
        found = evaluation_of(cls, evaluation, weights)
        loaders = [load_scored_games if file.lower().endswith(SUFFIX) else load_positions for file in files]
        parts = [load(file, cls) for load, file in zip(loaders, files, strict=True)]
        if only_exact:
            parts = [part.chosen(part.exact == 1) for part in parts]
        other = resolve_evaluation(cls.start(), chosen_evaluation(cls, against)) if against else None
        unit = error_unit(found, cls, options)
        if other is not None and (other_unit := error_unit(other, cls, options)) != unit:
            raise LimitError(f"--against: the errors of {against} are in {other_unit}, and the others in {unit}")
        positions = usable(parts, files, cls, found, options, progress)
        errors = phase_errors(found, cls, positions, options)
        if other is not None:
            parts = [without_unproven_wins(part, cls, options) for part in parts]  # noted above
            others = phase_errors(other, cls, usable(parts, files, cls, other, options, progress), options)
    if plot is not None and form is not None:
        name = weights or evaluation_name(cls.start(), found)
        title = f"{cls.__name__}: errors on {formatting.plural(len(positions), 'position')}"
        rows = errors[:-1]
        curves = {name: [each.error for each in rows], "constant": [each.spread for each in rows]}
        if others:
            curves[against] = [each.error for each in others[:-1]]
        write(plot, plots.plot_errors([each.first for each in rows], curves, title, unit, form))
    if as_json:
        beside = {"against": as_rows(others)} if against else {}
        print_json({"game": game, "unit": unit, **as_rows(errors), **beside})
        return
    print_errors(errors, unit, others, against)


def show_provenance(game: str, cls: type[State], name: str | None, weights: str | None, as_json: bool) -> None:
    """Print the command, the seed and the data that made a weight file, or the weights of the package."""
    from zermelo.core.weight_file import file_digest, load_weights

    found = resolve_evaluation(cls.start(), name)
    name = evaluation_name(cls.start(), found)
    of_package = getattr(cls.evaluations, "path_of", lambda name: "")
    path = weights or of_package(name)
    if not path:
        raise LimitError(f"the evaluation {name} has no weight file in the package; name one with --weights, or a FILE")
    made, digest = load_weights(path, cls, type(found))[1], file_digest(path)
    if as_json:
        file = {"weights": weights, "digest": digest}
        print_json({"game": game, "evaluation": name, **file, **made._asdict()})
        return
    screen.facts(screen.console(), [
        ("evaluation", name), ("weights", weights or "of the package"), ("digest", digest),
        ("made by", made.command or "-"), ("seed", "-" if made.seed is None else str(made.seed)),
        ("data", made.data or "-"),
    ])  # fmt: skip


def probcut(
    game: Game,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", hidden=True)],
    evaluation: EvaluationName = None,
    weights: Weights = None,
    depth: Annotated[int, typer.Option(metavar="N", help="Depth of the deepest searches in plies, at most 60.")] = 8,
    count: Annotated[int, typer.Option("--count", metavar="N", help="Number of positions to search.")] = 2000,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the choice of positions.")] = 0,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Measure how well shallow searches predict deep ones, and fit the formula that ProbCut uses.

    The coefficients belong to the evaluation's `search_error`. The positions are searched one after the other.
    """
    from zermelo.learn.position_file import joined, load_positions
    from zermelo.learn.probcut import search_errors
    from zermelo.learn.self_play import evaluation_of

    cls = arguments.load(game)
    with screen.Progress("searching", quiet) as progress, arguments.blaming(cls):
        found = evaluation_of(cls, evaluation, weights)
        positions = joined([load_positions(file, cls) for file in files])

        def on_progress(done: int, total: int) -> None:
            progress.at(f"position {done:,} of {total:,}", done, total)

        coefficients, rows = search_errors(
            found, cls, positions, depth=depth, count=count, seed=seed, on_progress=on_progress
        )
    if as_json:
        print_json({"game": game, "coefficients": list(coefficients), "errors": [asdict(each) for each in rows]})
        return
    print_line(f"  {'stage':>5}  {'depth':>5}  {'shallow':>7}  {'positions':>9}  {'error':>7}  {'formula':>7}")
    for each in rows:
        print_line(
            f"  {each.stage:>5}  {each.depth:>5}  {each.shallow:>7}  {each.positions:>9,}"
            f"  {each.error:>7.2f}  {each.fitted:>7.2f}"
        )
    numbers = ", ".join(f"{each:g}" for each in coefficients)
    print_line(f"error = exp(c0 + c1 * stage + c2 * depth + c3 * shallow depth), coefficients {numbers}")


def usable(
    parts: list[Positions],
    files: list[str],
    cls: type[State],
    evaluation: Evaluation,
    options: FitOptions,
    progress: screen.Progress,
) -> Positions:
    """The positions of files with labels for an evaluation; notes on labels that cannot be used or converted."""
    from zermelo.learn.fitting import UNPROVEN_WIN, label_factor, with_labels_for, without_unproven_wins
    from zermelo.learn.position_file import joined

    found = []
    name = evaluation_name(cls.start(), evaluation)
    for part, file in zip(parts, files, strict=True):
        used = without_unproven_wins(part, cls, options)
        if left_out := len(part) - len(used):
            progress.say(
                f"note: {file}: {formatting.plural(left_out, 'position')} left out: the score {UNPROVEN_WIN:,} says "
                "which side wins, but not by how much; generate the positions again to label them exactly"
            )
        factor = label_factor(evaluation, cls, part.evaluation, options)
        if factor is None and options.blend < 1 and not used.exact.all():
            progress.say(
                f"note: {file}: the scores are those of the evaluation {part.evaluation}, and their unit cannot be "
                f"converted to that of {name}; use --label-scale X, --blend 1 to learn from results, or positions that "
                f"were generated with --evaluation {name}"
            )
        found.append(with_labels_for(evaluation, cls, used, options))
    return joined(found)


def fit_progress(progress: screen.Progress) -> Callable[[FitProgress], None]:
    """A function that shows the progress of a fit."""

    def on_progress(found: FitProgress) -> None:
        part = f"stage {found.stage + 1} of {found.stages}, " if found.stages > 1 else ""
        text = f"fitting, {part}iteration {found.now.iteration}, held-out loss {found.now.best:.4g}"
        progress.at(text, found.stage, found.stages)

    return on_progress


def as_rows(errors: list[PhaseError]) -> dict[str, Any]:
    """Errors for JSON."""
    return {"phases": [asdict(each) for each in errors[:-1]], "all": asdict(errors[-1]) if errors else None}


def print_errors(errors: list[PhaseError], unit: str, others: list[PhaseError] | None = None, name: str = "") -> None:
    """Print the errors by phase as a table, beside those of another evaluation, under its name."""
    title = f"of {name}" if others else ""
    between = f"  {title}" if others else ""
    print_line(f"  {'plies':>9}  {'positions':>10}  {'mean error':>10}{between}  {'of a constant':>13}  (in {unit})")
    for index, each in enumerate(errors):
        phase = "all" if index == len(errors) - 1 else f"{each.first} to {each.last}"
        between = f"  {others[index].error:>{len(title)}.2f}" if others else ""
        print_line(f"  {phase:>9}  {each.positions:>10,}  {each.error:>10.2f}{between}  {each.spread:>13.2f}")


def train(
    game: Game,
    folder: Annotated[
        str,
        typer.Option(
            "--folder", metavar="FOLDER", help="Folder for the files of all generations. Default: GAME-weights."
        ),
    ] = "",
    evaluation: EvaluationName = None,
    first: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Evaluation that plays the first generation. Default: the game's first that is not the one to learn, "
            "else `nothing`.",
        ),
    ] = None,
    games: Annotated[str, typer.Option(metavar="N,...", help="Number of games of each generation.")] = "1000,1000",
    depth: Annotated[
        str,
        typer.Option(metavar="N,...", help="Depth of the searches in plies: one for all generations, or one for each."),
    ] = "4",
    confidence: Annotated[
        str,
        typer.Option(
            metavar="P,...",
            help=f"{_CONFIDENCE}{_ONE_OR_EACH}",
        ),
    ] = "100",
    random_plies: RandomPlies = "8",
    mix: Mix = 0.0,
    solve_plies: Annotated[
        str,
        typer.Option(
            "--solve-plies", metavar="N,...", help=f"Solve the last N positions of each game exactly{_ONE_OR_EACH}"
        ),
    ] = "0",
    solve_nodes: SolveNodes = 1_000_000,
    max_plies: MaxPlies = 1000,
    resign: Resign = 0,
    teacher: Teacher = "",
    loss: Loss = "",
    blend: Annotated[
        str,
        typer.Option(
            metavar="P,...",
            help="Weight of the game's result in a label, 0 to 1; the rest is the search's score. The first "
            f"generation always has 1{_ONE_OR_EACH}",
        ),
    ] = "0",
    scale: Scale = None,
    ridge: Annotated[
        str,
        typer.Option(metavar="X,...", help=f"Regularisation: the number of positions that outweigh it{_ONE_OR_EACH}"),
    ] = "2",
    window: Annotated[
        str,
        typer.Option(
            metavar="N,...",
            help=f"Fit the positions of the last N generations; 0: of all from the second one on{_ONE_OR_EACH}",
        ),
    ] = "0",
    neighbours: Neighbours = 0,
    iterations: Iterations = 100,
    held_out: HeldOut = 0.1,
    rate: Rate = 0.0015,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same weights.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Delete the files of all generations in the folder, and start again.")
    ] = False,
    workers: Workers = None,
    cluster: Cluster = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Learn an evaluation by generations of self-play, each played by the weights of the one before.

    The first generation learns from the results of games and from solved endgames; later ones also from the scores of
    searches. Prints the error of each generation on held-out games. Repeat the command to continue after an
    interruption. `train.log` in the folder records games, fits and errors. This is what `zermelo learn GAME` does
    without an action. A --teacher labels positions from the second generation on.
    """
    from zermelo.learn.bootstrap import Bootstrap, learn_by_generations
    from zermelo.learn.fitting import FitOptions
    from zermelo.learn.report import error_unit
    from zermelo.learn.self_play import SelfPlay

    cls = arguments.load(game)
    name = evaluation or next(iter(cls.evaluations), "nothing")
    folder = folder or f"{game if game.isidentifier() else cls.__name__.lower()}-weights"
    counts, depths = numbers(games, "--games"), numbers(depth, "--depth")
    solved, blends = numbers(solve_plies, "--solve-plies"), decimals(blend, "--blend")
    ridges, windows = decimals(ridge, "--ridge"), numbers(window, "--window")
    confidences = numbers(confidence, "--confidence")
    if windows == (0,):
        windows = ()
    plan = Bootstrap(
        name, first, counts, depths * len(counts) if len(depths) == 1 else depths,
        solve_plies=solved if len(solved) > 1 else (), confidences=confidences if len(confidences) > 1 else (),
        blends=blends if len(blends) > 1 else (),
        ridges=ridges if len(ridges) > 1 else (), windows=windows * len(counts) if len(windows) == 1 else windows,
    )  # fmt: skip
    own = SelfPlay(
        game, 1, random_plies=span(random_plies, "--random-plies"), mix=mix, solve_plies=single(solved, 0),
        solve_nodes=solve_nodes, confidence=single(confidences, 100), seed=seed, max_plies=max_plies, resign=resign,
        teacher=teacher,
    )  # fmt: skip
    options = FitOptions(
        loss, single(blends, 0.0), scale or 0.0, single(ridges, 2.0), iterations, held_out, seed, rate,
        neighbours=neighbours,
    )  # fmt: skip
    words = ["zermelo", "learn", game, "train", "--evaluation", name, "--games", games, "--depth", depth]
    for option, value, default in (
        ("first", first, None), ("confidence", confidence, "100"), ("random-plies", random_plies, "8"),
        ("mix", mix, 0.0),
        ("solve-plies", solve_plies, "0"), ("solve-nodes", solve_nodes, 1_000_000), ("max-plies", max_plies, 1000),
        ("resign", resign, 0), ("teacher", teacher, ""), ("rate", rate, 0.0015),
        ("loss", loss, ""), ("blend", blend, "0"), ("scale", scale, None), ("ridge", ridge, "2"),
        ("window", window, "0"), ("neighbours", neighbours, 0), ("iterations", iterations, 100),
        ("held-out", held_out, 0.1), ("seed", seed, 0),
    ):  # fmt: skip
        if value != default:
            words += [f"--{option}", str(value)]
    began = time.monotonic()
    errors: dict[int, PhaseError] = {}
    unit = ""
    with screen.Progress("learning", quiet) as progress, arguments.blaming(cls):

        def on_games(generation: int, done: int, total: int) -> None:
            progress.at(f"generation {generation}: game {done:,} of {total:,}", done, total)

        def on_learned(generation: int, found: Evaluation, phases: list[PhaseError], labels: FitOptions) -> None:
            nonlocal unit
            unit = error_unit(found, cls, labels)
            errors[generation] = error = phases[-1]
            progress.say(
                f"generation {generation}: mean error {error.error:.2f} {unit} on "
                f"{formatting.plural(error.positions, 'position')} of held-out games; of a constant {error.spread:.2f}"
            )

        learn_by_generations(
            cls, folder, plan, own, options, command=shlex.join(words), run=runner(workers, cluster, game),
            on_games=on_games, on_fit=lambda generation: fit_progress(progress),
            on_learned=on_learned, overwrite=force,
        )  # fmt: skip
    out = str(Path(folder) / f"{len(counts)}.weights")
    if as_json:
        rows = [{"generation": number, **asdict(error)} for number, error in errors.items()]
        seconds = round(time.monotonic() - began, 3)
        print_json({
            "game": game, "evaluation": name, "unit": unit, "generations": rows, "seconds": seconds, "out": out,
        })  # fmt: skip
        return
    if errors:  # none if the positions of finished generations were deleted
        print_line(f"  {'generation':>10}  {'positions':>10}  {'mean error':>10}  {'of a constant':>13}  (in {unit})")
    for number, error in errors.items():
        print_line(f"  {number:>10}  {error.positions:>10,}  {error.error:>10.2f}  {error.spread:>13.2f}")
    print_line(f"{out}: weights of {name}, generation {len(counts)}")


def td(
    game: Game,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Weight file to write.")],
    evaluation: EvaluationName = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="FILE", help="Weight file to start from. Default: the evaluation's weights."),
    ] = None,
    from_zero: FromZero = False,
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 10_000,
    trace: Annotated[
        float,
        typer.Option(
            "--lambda", metavar="P", help="0 learns from the estimate of the next position, 1 from the game's result."
        ),
    ] = 0.0,
    rate: Annotated[float, typer.Option(metavar="X", help="Step size of the first game; it falls to 0.")] = 0.01,
    explore: Annotated[
        float | None,
        typer.Option(metavar="P", help="Probability of a random move, 0 to 1. Default: 0.1, in games of chance 0."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same file.")] = 0,
    max_plies: MaxPlies = 1000,
    depth: Annotated[
        int, typer.Option(metavar="N", help="Depth of the searches in plies; above 1: TD-leaf, not in games of chance.")
    ] = 1,
    force: Force = False,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Learn an evaluation by temporal differences, TD(lambda) or TD-leaf, from games against itself.

    The evaluation must extend Network, Linear or Patterns. Ctrl-C writes the weights so far; repeat the command to
    continue. A finished file is not overwritten without --force.
    """
    from zermelo.learn.bootstrap import untrained
    from zermelo.learn.self_play import evaluation_of
    from zermelo.learn.td import TdOptions, TdProgress, learn_by_td

    check_start(weights, from_zero)
    cls = arguments.load(game)
    if explore is None:
        explore = 0.0 if cls.has_chance else 0.1
    options = TdOptions(games, trace, rate, explore, seed, max_plies, depth)
    words = ["zermelo", "learn", game, "td"]
    if weights is not None and os.path.realpath(weights) == os.path.realpath(out):
        raise LimitError("--out and --weights are the same file; choose another output file")
    for option, text in (("evaluation", evaluation), ("weights", weights and Path(weights).name)):
        if text is not None:
            words += [f"--{option}", text]
    words += ["--from-zero"] if from_zero else []
    for each in fields(options):  # the default of --explore depends on the game
        value = getattr(options, each.name)
        if each.name in ("games", "explore") or value != each.default:
            words += [f"--{'lambda' if each.name == 'trace' else each.name.replace('_', '-')}", str(value)]
    began, before = time.monotonic(), -1
    with screen.Progress("learning", quiet) as progress, arguments.blaming(cls):
        target = evaluation_of(cls, evaluation, weights)
        if from_zero:
            target = untrained(target)

        def on_progress(found: TdProgress) -> None:
            nonlocal before
            before = found.games if before < 0 else before
            text = f"game {found.games:,} of {games:,}"
            if found.games > before:
                speed = formatting.rate((found.games - before) / (time.monotonic() - began))
                text += f", {speed} per second, mean error {found.error:.4f}"
            progress.at(text, found.games, games)

        try:
            learn_by_td(cls, target, out, options, command=shlex.join(words), overwrite=force, on_progress=on_progress)
        except KeyboardInterrupt:
            progress.say(f"interrupted; {out} has the weights so far; repeat the command to continue")
            raise
    seconds = time.monotonic() - began
    if as_json:
        print_json({"game": game, "games": games, "seconds": round(seconds, 3), "out": out})
        return
    print_line(f"{out}: weights after {formatting.plural(games, 'game')}")


def tune(
    game: Game,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Parameter file to write.")],
    parameters: Annotated[
        str, typer.Option(metavar="NAME,...", help="Parameters to tune, fields of zermelo.search.selective.Selective.")
    ],
    pairs: Annotated[int, typer.Option(metavar="N", help="Number of pairs of games.")] = 1000,
    nodes: Annotated[int, typer.Option(metavar="N", help="Nodes a move.")] = 2000,
    random_plies: Annotated[int, typer.Option(metavar="N", help="Random moves at the start of a pair.")] = 6,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same file.")] = 0,
    max_plies: MaxPlies = 300,
    evaluation: arguments.SearchEvaluation = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also plot the parameters by games: .png, .pdf or .svg.")
    ] = None,
    force: Force = False,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Tune parameters of the selective search by games of the engine against itself (SPSA).

    Ctrl-C writes the parameters so far; repeat the command to continue. Play with the result as
    engine:selective=FILE. A finished file is not overwritten without --force.
    """
    from zermelo.learn.spsa import TuneOptions, TuneProgress
    from zermelo.learn.spsa import tune as tune_parameters
    from zermelo.teaching.diagrams import plots

    form = None if plot is None else plots.plot_format(plot)
    cls = arguments.load(game)
    chosen, digest = arguments.evaluation_of(cls, evaluation)
    named = " ".join(filter(None, (evaluation, digest)))
    options = TuneOptions(pairs, nodes, random_plies, seed, max_plies, chosen, named)
    names = tuple(dict.fromkeys(filter(None, parameters.split(","))))
    words = ["zermelo", "learn", game, "tune", "--parameters", ",".join(names)]
    for name in ("pairs", "nodes", "random_plies", "seed", "max_plies"):
        value = getattr(options, name)
        if name in ("pairs", "nodes") or value != getattr(TuneOptions, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    words += [] if evaluation is None else ["--evaluation", evaluation]
    began = time.monotonic()
    with screen.Progress("tuning", quiet) as progress, arguments.blaming(cls):

        def on_progress(found: TuneProgress) -> None:
            values = ", ".join(f"{name} {value:.1f}" for name, value in found.values.items())
            progress.at(f"pair {found.pairs:,} of {pairs:,}: {values}", found.pairs, pairs)

        try:
            tuned = tune_parameters(
                cls, out, names, options, command=shlex.join(words), overwrite=force, on_progress=on_progress
            )
        except KeyboardInterrupt:
            progress.say(f"interrupted; {out} has the parameters so far; repeat the command to continue")
            raise
    if plot is not None and form is not None:
        write(plot, plots.plot_parameters(tuned.parameters, tuned.history, f"{cls.__name__}: tuning", form))
    if as_json:
        print_json({
            "game": game, "pairs": pairs, "values": tuned.values, "seconds": round(time.monotonic() - began, 3),
            "out": out,
        })  # fmt: skip
        return
    for name, number in tuned.values.items():
        print_line(f"{name} {number}")
    print_line(f"{out}: parameters after {formatting.plural(pairs, 'pair')} of games")


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Read numbers separated by commas. Raises `LimitError`."""
    if not re.fullmatch("[0-9]{1,6}(,[0-9]{1,6})*", text):
        raise LimitError(f"{option} must be numbers separated by commas (got {text!r})")
    return tuple(map(int, text.split(",")))


def single(values: tuple[N, ...], default: N) -> N:
    """The number for all generations; a default if there is one for each."""
    return values[0] if len(values) == 1 else default


def decimals(text: str, option: str) -> tuple[float, ...]:
    """Read decimal numbers separated by commas. Raises `LimitError`."""
    number = r"[0-9]{1,9}(\.[0-9]{0,9})?"
    if not re.fullmatch(rf"{number}(,{number})*", text):
        raise LimitError(f"{option} must be numbers separated by commas (got {text!r})")
    return tuple(map(float, text.split(",")))


def span(text: str, option: str) -> tuple[int, int]:
    """Read one number, or two as A-B. Raises `LimitError`."""
    if not re.fullmatch("[0-9]{1,6}(-[0-9]{1,6})?", text):
        raise LimitError(f"{option} must be a number, or two as 4-12 (got {text!r})")
    ends = [int(each) for each in text.split("-")]
    return ends[0], ends[-1]
