"""`zermelo games export`: writes the games of a store in another format."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.convert import MAX_REPORTED, written
from zermelo.errors import FormatError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.export import ExportFormat


def export(
    source: Annotated[str, typer.Argument(metavar="STORE", hidden=True)],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="Output format. Default: by the extension of FILE.")
    ] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - is standard output.")
    ] = "-",
    player: Annotated[str, typer.Option(metavar="NAME", help="Only games of the player with this name.")] = "",
    termination: Annotated[
        str, typer.Option(metavar="NAME", help='Only games with this termination: rules, resigned, "illegal move", ...')
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Replay each game first and skip those that do not replay.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Load the game file named in STORE even if STORE was created on another machine."),
    ] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats and exit.")] = False,
    quiet: arguments.Quiet = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a JSON summary (written, skipped); needs -o FILE.", rich_help_panel="Output"
        ),
    ] = False,
) -> None:
    """Export the games of a store to PGN, CSV, Parquet and other formats.

    STORE is the file of a match or tournament, which may still be running. Games that are damaged or that the format
    cannot express are skipped and reported; the exit code is then 2. FILE is written completely or not at all.
    """
    from zermelo.arena.export import export_formats, export_games
    from zermelo.arena.resume_checks import load_game
    from zermelo.arena.store import Store
    from zermelo.core.game import State

    with Store.open(source, on_wait=screen.report_wait) as store:
        if formats:
            _list(export_formats(store, trust=trust), as_json)
            return
        try:
            cls = load_game(store, trust=trust)
        except ZermeloError:  # the game is gone, or its file is not trusted: tables need no rules
            cls = State
    if as_json and output == "-":
        raise FormatError("export: --json needs -o FILE")
    with (
        screen.Progress("exporting", quiet or output == "-", compiles=False) as progress,
        arguments.blaming(cls),
        nullcontext(output) if output != "-" else written("-") as target,
    ):

        def on_progress(count: int) -> None:
            if count % 100 == 0:
                progress.doing = f"exporting  {formatting.plural(count, 'game')}"

        summary = export_games(
            source,
            target,
            format=to,
            player=player,
            termination=termination,
            check=check,
            trust=trust,
            on_progress=on_progress,
        )
    skipped = len(summary.errors)
    if not quiet:
        for error in summary.errors[:MAX_REPORTED]:
            print_line(f"zermelo: {source}: {error}", error=True)
        if skipped > MAX_REPORTED:
            print_line(f"zermelo: {source}: {skipped - MAX_REPORTED:,} more games skipped", error=True)
    if as_json:
        data = {"store": source, "game": summary.game, "out": output, "to": summary.format}
        print_json({**data, "games": summary.games, "skipped": list(summary.errors)})
    elif output != "-":
        print_line(f"{output}: {formatting.plural(summary.games, 'game')}{f', {skipped:,} skipped' if skipped else ''}")
    if skipped:
        raise typer.Exit(2)


def _list(known: dict[str, ExportFormat], as_json: bool) -> None:
    if as_json:
        print_json({each.name: {"about": each.about, "suffixes": list(each.suffixes)} for each in known.values()})
        return
    rows = [("format", "files", "what it is")]
    screen.table(screen.console(), rows + [(each.name, " ".join(each.suffixes), each.about) for each in known.values()])
