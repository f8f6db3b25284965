"""`zermelo games export`: writes the games of a store in another format."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments, formatting, screen
from zermelo.cli.convert import MAX_REPORTED, written
from zermelo.errors import FormatError, StoreError, ZermeloError

if TYPE_CHECKING:
    from zermelo.arena.export import ExportFormat
    from zermelo.arena.game_record import GameRecord
    from zermelo.arena.store import Store
    from zermelo.core.game import State


def export(
    source: Annotated[str, typer.Argument(metavar="STORE", hidden=True)],
    goal: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="Output format. Default: by the extension of FILE.")
    ] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - is standard output.")
    ] = "-",
    player: Annotated[str, typer.Option(metavar="NAME", help="Only games of the player with this name.")] = "",
    ending: Annotated[
        str, typer.Option(metavar="HOW", help='Only games with this termination: rules, resigned, "illegal move", ...')
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
    from zermelo.arena.export import formats_for
    from zermelo.arena.resume_checks import file_of_game
    from zermelo.arena.store import Store
    from zermelo.core.game import State

    with Store.open(source) as store:
        plan = store.plan
        is_strange = bool(file_of_game(plan)) and not trust and not store.was_started_here
        if is_strange and check:
            raise StoreError(f"{source}: --check plays by the rules in {_strange(plan)}")
        cls, known = (State, formats_for(None)) if is_strange else _known(plan)
        if formats:
            _list(known, as_json)
            return
        if as_json and output == "-":
            raise FormatError("export: --json needs -o FILE")
        if output != "-" and os.path.exists(output) and os.path.samefile(source, output):
            raise FormatError(f"export: output is the store itself: {output}")
        try:
            form = _goal(plan, known, goal, output)
        except FormatError as error:
            if not is_strange:
                raise
            raise FormatError(f"{error}; for others its rules are needed, in {_strange(plan)}") from None
        if not form.is_text and output == "-":
            raise FormatError(f"export: {form.name} is a binary format; it needs -o FILE")
        lost: list[str] = []
        count = losses = 0

        def lose(error: ZermeloError) -> None:
            nonlocal losses
            losses += 1
            if as_json or losses <= MAX_REPORTED:
                lost.append(" ".join(str(error).removeprefix(f"{source}: ").split()))

        def left_out(error: ZermeloError) -> None:
            nonlocal count
            count -= 1
            lose(error)

        def counted(games: Iterator[GameRecord]) -> Iterator[GameRecord]:
            nonlocal count
            for played in games:
                if check and not _is_right(played, lose):
                    continue
                count += 1
                if count % 100 == 0:
                    progress.doing = f"exporting  {formatting.plural(count, 'game')}"
                yield played

        with screen.Progress("exporting", quiet or output == "-", compiles=False) as progress, arguments.blaming(cls):
            games = counted(store.games(player=player, termination=ending, lost=lose))
            first = next(games, None)
            if first is None:
                raise StoreError(f"{source}: {_none(store, player, ending, lost)}")
            with written(output) as out:
                form.write(out, chain([first], games), left_out)
                if not count:  # no file takes the place of another for this
                    raise StoreError(f"{source}: {_none(store, player, ending, lost)}")
    if not quiet:
        for wrong in lost[:MAX_REPORTED]:
            print(f"zermelo: {source}: {wrong}", file=sys.stderr)
        if losses > MAX_REPORTED:
            print(f"zermelo: {source}: {losses - MAX_REPORTED:,} more games are left out", file=sys.stderr)
    if as_json:
        summary = {
            "store": source,
            "game": plan.get("game"),
            "out": output,
            "to": form.name,
            "games": count,
            "lost": lost,
        }
        print(json.dumps(summary))
    elif output != "-":
        print(f"{output}: {formatting.plural(count, 'game')}{f', {losses:,} left out' if losses else ''}")
    if losses:
        raise typer.Exit(2)


def _strange(plan: dict[str, Any]) -> str:
    return f"{plan['game']}, which is not run: the store was not begun here; with --trust it is"


def _known(plan: dict[str, Any]) -> tuple[type[State], dict[str, ExportFormat]]:
    """The class of the store's game, and what its games can be written as; of a game that is gone, tables."""
    from zermelo.arena.export import formats_for
    from zermelo.core.game import State

    try:
        cls = arguments.load(str(plan.get("game", "")))
    except ZermeloError:
        return State, formats_for(None)
    return cls, formats_for(cls, str(plan.get("title") or ""))


def _goal(plan: dict[str, Any], known: dict[str, ExportFormat], name: str, output: str) -> ExportFormat:
    """The format asked for by name, or by how the name of the file ends."""
    if name:
        found = known.get(name)
        if found is None:
            raise FormatError(f"export: {plan.get('game')} has no format {name!r}; it has {', '.join(known)}")
        return found
    if output != "-":
        for each in known.values():
            if each.suffixes and output.casefold().endswith(each.suffixes):
                return each
    where = "standard output" if output == "-" else output
    raise FormatError(f"export: unknown extension of {where}; use --to with one of {', '.join(known)}")


def _is_right(played: GameRecord, lose: Any) -> bool:
    from zermelo.arena import replay

    try:
        replay.check(played)
    except ZermeloError as error:
        lose(error)
        return False
    return True


def _none(store: Store, player: str, ending: str, lost: list[str]) -> str:
    """Why there is nothing to be written."""
    if lost:
        return f"no game can be written: {lost[0]}"
    players, endings = set(), set()
    for result in store.results():
        players |= set(result.names)
        endings.add(result.termination)
    if not players:
        return "there is no game in it yet"
    if player and player not in players:
        return f"no game of {player!r}; it has {_listed(players)}"
    if ending and ending not in endings:
        return f"no game that ended so: {ending!r}; it has {_listed(endings)}"
    return "no such game"


def _listed(names: set[str]) -> str:
    first = sorted(names)[:20]
    return ", ".join(first) + (f" and {len(names) - 20:,} more" if len(names) > 20 else "")


def _list(known: dict[str, ExportFormat], as_json: bool) -> None:
    if as_json:
        print(
            json.dumps({each.name: {"about": each.about, "suffixes": list(each.suffixes)} for each in known.values()})
        )
        return
    rows = [("format", "files", "what it is")]
    screen.table(screen.console(), rows + [(each.name, " ".join(each.suffixes), each.about) for each in known.values()])
