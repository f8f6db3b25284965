"""`zermelo equilibrium`: solves a small game of imperfect information."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.atomic_files import check_path, write
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game, Moves, Position
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.solve.approximation import Approximation
    from zermelo.solve.profile import Equilibrium, Number

#: The most rows of a strategy that are printed; `--json` prints all.
MAX_ROWS = 40
#: Seconds between two writes of the strategy file: what a power failure costs at most.
SAVE_SECONDS = 60


def equilibrium(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="exact, cfr+ or mccfr. Default: cfr+ with --iterations or --seconds, else exact."
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", help="Approximate by N iterations in total, for larger games.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Approximate for at most S seconds.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of mccfr. Default: 0.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write a strategy file, for the player policy:FILE."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Continue the approximation of a strategy file, and write it again."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write a plot of the exploitability: .png, .pdf or .svg."),
    ] = None,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Solve a small game of imperfect information.

    Prints the value of the game and, for each player and information state, the probability of each move. The
    exploitability is computed from best responses; Ctrl-C ends an approximation with the result so far.
    """
    from zermelo.solve.approximation import ALGORITHMS, Approximation
    from zermelo.solve.equilibrium import solve
    from zermelo.solve.strategy_file import resume as resumed
    from zermelo.solve.strategy_file import strategy_file, write_strategy

    has_limit = iterations is not None or seconds is not None
    if resume is not None and (position or moves or algorithm or seed is not None):
        raise LimitError("--resume takes position, algorithm and seed from the file: leave them out")
    algorithm = algorithm or (ALGORITHMS[0] if has_limit or resume is not None else "exact")
    if algorithm not in ("exact", *ALGORITHMS):
        raise LimitError(f"--algorithm must be one of exact, {', '.join(ALGORITHMS)} (got {algorithm})")
    if algorithm == "exact" and (has_limit or plot is not None):
        raise LimitError("--iterations, --seconds and --plot are for approximations: add --algorithm cfr+")
    if algorithm != "mccfr" and seed is not None:
        raise LimitError("--seed is for --algorithm mccfr")
    if algorithm != "exact" and not has_limit:
        raise LimitError(f"an approximation ({algorithm}) needs a limit: add --iterations or --seconds")
    form = None
    if plot is not None:
        from zermelo.teaching.diagrams.plots import plot_format

        form = plot_format(plot)
    output = output or resume
    if output is not None:
        check_path(output)
    interrupt = threading.Event()
    cls = arguments.load(game)
    with arguments.blaming(cls), screen.Progress("solving", quiet, seconds) as progress:
        approximation = None
        progress.begin("enumerating the game tree")
        if resume is not None:
            start, approximation = resumed(resume, cls)
            if iterations is not None and iterations <= approximation.iterations:
                raise LimitError(
                    f"{resume} has {approximation.iterations:,} iterations; --iterations counts them, so it must be "
                    f"larger (got {iterations:,})"
                )
        else:
            start = arguments.position(cls, position, moves)
            if algorithm != "exact":
                approximation = Approximation(start, algorithm, seed or 0)
        if approximation is None:
            found = [solve(start)]
        else:

            def save() -> None:
                if output is not None:
                    write_strategy(output, strategy_file(start, approximation.equilibrium(), approximation))

            found = _approximated(approximation, iterations, seconds, interrupt, progress, save)
    if output is not None:
        write_strategy(output, strategy_file(start, found[-1], approximation))
    if as_json:
        print_json(described(game, start, found, interrupt.is_set()))
    else:
        _show(game, start, found, interrupt.is_set())
    if form is not None and plot is not None:
        from zermelo.teaching.diagrams.plots import plot_exploitability

        write(plot, plot_exploitability([(each.iterations, float(each.exploitability)) for each in found], game, form))
    if interrupt.is_set():
        raise typer.Exit(130)


def _approximated(
    approximation: Approximation,
    iterations: int | None,
    seconds: float | None,
    interrupt: threading.Event,
    progress: screen.Progress,
    save: Callable[[], None],
) -> list[Equilibrium]:
    """Run an approximation with live progress, until a limit or Ctrl-C, which sets the event; save now and then."""
    from zermelo.search.threads import catching_interrupts

    found: list[Equilibrium] = []
    saved = time.monotonic()

    def stop() -> bool:
        nonlocal saved
        if time.monotonic() - saved > SAVE_SECONDS:
            save()
            saved = time.monotonic()
        text = f"{approximation.algorithm}: {formatting.plural(approximation.iterations, 'iteration')}"
        if found:
            text += f", exploitability {float(found[-1].exploitability):.3g} after {found[-1].iterations:,}"
        progress.at(text, *((0, 0) if iterations is None else (approximation.iterations, iterations)))
        return interrupt.is_set()

    with catching_interrupts(interrupt, raises=False):
        for each in approximation.run(iterations, seconds, stop):
            found.append(each)
    return found


def described(game: str, start: State, found: list[Equilibrium], interrupted: bool = False) -> dict[str, Any]:
    """The last equilibrium as plain data, and the exploitability of each."""
    last = found[-1]
    exact = last.algorithm == "exact"
    report: dict[str, Any] = {
        "game": game,
        "position": str(start),
        "algorithm": last.algorithm,
        "value": float(last.value),
        "exact": str(last.value) if exact else None,
        "exploitability": float(last.exploitability),
        "nash_conv": float(last.nash_conv),
        "states": last.states,
        "iterations": last.iterations,
        "interrupted": interrupted,
    }
    for key, player in (("max", MAX), ("min", MIN)):
        report[key] = {
            "name": start.player_name(player),
            "strategy": [
                {
                    "information": information,
                    "moves": {name: float(probability) for name, probability in chosen.items()},
                    **({"exact": {name: str(each) for name, each in chosen.items()}} if exact else {}),
                }
                for information, chosen in last.strategies[player].items()
            ],
        }
    if not exact:
        report["progress"] = [
            {"iterations": each.iterations, "value": float(each.value), "exploitability": float(each.exploitability)}
            for each in found
        ]
    return report


def _show(game: str, start: State, found: list[Equilibrium], interrupted: bool) -> None:
    out = screen.console()
    last = found[-1]
    exact = last.algorithm == "exact"
    ours, theirs = (start.player_name(player) for player in (MAX, MIN))
    first, second = last.information_sets
    size = (
        f"{formatting.plural(last.states, 'state')}; "
        f"{formatting.plural(first, 'information set')} of {ours}, {second:,} of {theirs}"
    )
    rows = [("game", f"{game}: {size}")]
    if exact:
        value = f"{last.value} = {float(last.value):.4f}" if last.value % 1 else str(last.value)
        rows.append(("value", f"{value} for {ours}, proven: neither side can gain by another strategy"))
    else:
        low, high = float(last.lower_bound), float(last.upper_bound)
        rows.append(
            (
                "value",
                f"{float(last.value):.6f} for {ours}; the value of the game lies between {low:.6f} and {high:.6f}",
            )
        )
        ended = ", interrupted" if interrupted else ""
        done = f"{formatting.plural(last.iterations, 'iteration')} of {last.algorithm}{ended}"
        rows.append(("exploitability", f"{float(last.exploitability):.6f} (the mean of both players) after {done}"))
    screen.facts(out, rows, "value")
    for player, name in ((MAX, ours), (MIN, theirs)):
        strategy = last.strategies[player]
        lines = [(f"{name} knows", "and plays")]
        lines += [(known, _probabilities(chosen)) for known, chosen in [*strategy.items()][:MAX_ROWS]]
        print_line()
        screen.table(out, lines)
        if len(strategy) > MAX_ROWS:
            out.print(f"  ... and {len(strategy) - MAX_ROWS:,} more information sets of {name}: --json prints all")
    if not exact:
        print_line()
        screen.table(
            out,
            [
                ("iterations", "value", "exploitability"),
                *(
                    (formatting.count(e.iterations), f"{float(e.value):.6f}", f"{float(e.exploitability):.6f}")
                    for e in found
                ),
            ],
        )


def _probabilities(chosen: Any) -> str:
    """`check`, or `fold 2/3, call 1/3`: moves of probability 0 are left out."""

    def as_text(probability: Number) -> str:
        return f"{probability:.3f}" if isinstance(probability, float) else str(probability)

    played = {name: as_text(each) for name, each in chosen.items() if as_text(each) not in ("0", "0.000")}
    return ", ".join(name if each in ("1", "1.000") else f"{name} {each}" for name, each in played.items())
