"""`zermelo tables`: builds, verifies and lists endgame tables."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game
from zermelo.core.game import State
from zermelo.errors import LimitError, ZermeloError

if TYPE_CHECKING:
    from zermelo.search.endgame_tables import EndgameTable


def tables(
    game: Game,
    men: Annotated[
        int | None,
        typer.Option(metavar="N", help="Build the table of all positions with up to N men, unless it exists."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Verify the table of --men N: each entry against its successors.")
    ] = False,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Build, verify and list the endgame tables of a game.

    A table stores the result and the plies to the end of the game for every position with few men. It is verified
    before it is written. Without --men, lists the tables that the game can have.
    """
    from zermelo.search.endgame_tables import load, path_of
    from zermelo.solve.endgames import counts
    from zermelo.solve.retrograde import check_supported

    cls = arguments.load(game)
    with arguments.blaming(cls):
        if men is None:
            if check:
                raise LimitError("--check needs --men N: the table to verify")
            _list(game, cls, as_json)
            return
        check_supported(cls, men)
        began = time.perf_counter()
        path = path_of(cls, men)
        if path.exists() and check:
            table = load(cls, men)
            _verify(table, quiet)
            done = "verified"
        else:
            try:
                table = load(cls, men)
                done = "built before"
            except ZermeloError as error:
                if path.exists():
                    print_line(f"zermelo: {error}; it is built again", error=True)
                table = _build(game, cls, men, quiet)
                done = "built and verified"
        took = time.perf_counter() - began
        found = counts(table)
        if as_json:
            rows = [each._asdict() for each in found]
            print_json({"game": game, "men": men, "file": str(path), "status": done, "seconds": took, "parts": rows})
            return
        lines: list[tuple[str, ...]] = [("pieces", "", "wins", "draws", "losses", "longest")]
        for each in found:
            numbers = (f"{number:,}" for number in (each.wins, each.draws, each.losses))
            lines.append((each.slice, each.part, *numbers, formatting.plural(each.longest, "ply")))
        screen.table(screen.console(), lines)
        positions = sum(each.wins + each.draws + each.losses for each in found)
        print_line(f"{formatting.plural(positions, 'position')} in {path}: {done}, {formatting.seconds(took)}")


def _build(game: str, cls: type[State], men: int, quiet: bool) -> EndgameTable:
    """Build a table with live progress."""
    from zermelo.solve.endgames import Step, build

    with screen.Progress("building", quiet) as progress:
        for found in build(cls, men, f"zermelo tables {game} --men {men}"):
            if not isinstance(found, Step):
                return found
            progress.at(*found)
    raise AssertionError


def _verify(table: EndgameTable, quiet: bool) -> None:
    """Verify a table with live progress."""
    from zermelo.solve.endgame_check import verify

    with screen.Progress("verifying", quiet) as progress:
        for done in verify(table):
            progress.at("verifying", done, len(table.entries))


def _list(game: str, cls: type[State], as_json: bool) -> None:
    """List the tables that a game can have, and what is on disk."""
    from zermelo.search.endgame_tables import folder
    from zermelo.solve.endgames import available
    from zermelo.solve.retrograde import check_supported, slices_up_to

    check_supported(cls)
    found: list[dict[str, Any]] = []
    for men, status in available(cls):
        entries = sum(each.size for each in slices_up_to(cls, men))
        first_use = men <= cls.table_men
        found.append({"men": men, "entries": entries, "status": status or "not built", "on_first_use": first_use})
    if as_json:
        print_json({"game": game, "folder": str(folder()), "tables": found})
        return
    rows = [("men", "entries", "", "")]
    for each in found:
        note = "built when first needed" if each["on_first_use"] else f"zermelo tables {game} --men {each['men']}"
        is_built = each["status"] == "built"
        rows.append((str(each["men"]), f"{each['entries']:,}", each["status"], "" if is_built else note))
    screen.table(screen.console(), rows)
    print_line(f"folder {folder()}")


def ensure(state: State, quiet: bool) -> None:
    """Build the table of a position that is to be searched, if the game says so and there is none."""
    if not state.has_index:
        return
    from zermelo.solve import endgames

    if not endgames.is_missing(state):
        return
    with screen.Progress("building the endgame table", quiet) as progress:
        endgames.ensure(state, lambda step: progress.at(f"endgame table, once: {step.doing}", step.done, step.total))
