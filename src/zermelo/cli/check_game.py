"""`zermelo check`: tests a game against the contract."""

from __future__ import annotations

from typing import Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json
from zermelo.cli import arguments, screen
from zermelo.errors import LimitError


def check(
    game: arguments.Game,
    games: Annotated[int, typer.Option(metavar="N", help="Number of random games.")] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    compiled: Annotated[
        bool, typer.Option("--compiled/--no-compiled", help="Also compile the rules and compare the results.")
    ] = True,
    max_plies: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Cut off games after N plies. Default: 1,000; it is then a violation if the first 3 games reach it.",
        ),
    ] = None,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Test a game against the contract.

    Plays random games and checks every method at every position: types, ranges, legal and unique moves, text round
    trips, and equal results of compiled and interpreted rules. The first violation is reported, with the position.
    """
    from zermelo.testing import check_game

    if games < 1:
        raise LimitError(f"--games must be at least 1 (got {games})")
    if max_plies is not None and max_plies < 1:
        raise LimitError(f"--max-plies must be at least 1 (got {max_plies})")
    cls = arguments.load(game)
    with arguments.blaming(cls), screen.Progress(f"checking {cls.__name__}", quiet):
        report = check_game(cls, games, seed, compiled=compiled, max_plies=max_plies)
    if as_json:
        print_json({"game": game, "ok": True, **report._asdict()})
        return
    out = screen.console()
    rows = [
        ("game", report.game),
        ("result", "no violations found"),
        ("games", f"{formatting.count(report.games)} random games from seed {seed}"),
        ("positions", f"{formatting.count(report.positions)} checked, {report.branching:.1f} moves on average"),
        ("longest", formatting.plural(report.longest, "ply")),
        ("evaluations", ", ".join(cls.evaluations) or "none"),
        ("compiled", "equal to the interpreted rules" if report.compiled else report.why_interpreted or "not checked"),
    ]
    if report.optional:
        rows.append(("optional", ", ".join(report.optional)))
    if report.unfinished:
        rows.append(("unfinished", f"{formatting.plural(report.unfinished, 'game')} cut off"))
    rows += [("note", note) for note in report.notes]
    screen.facts(out, rows, bold="result")
