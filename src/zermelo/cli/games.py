"""`zermelo games`: the installed games."""

from __future__ import annotations

import textwrap
from itertools import zip_longest
from typing import Any

import typer

from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments

CELL = 28  # width of a table cell in columns


def games(
    context: typer.Context,
    as_json: arguments.Json = False,
) -> None:
    """List the installed games by type.

    Includes games of other packages that declare the entry point `zermelo.games`.
    """
    if context.invoked_subcommand is not None:
        return
    from zermelo import registry
    from zermelo.cli import screen
    from zermelo.errors import GameError

    rows: list[dict[str, Any]] = []
    for name in registry.names():
        try:
            rows.append({"name": name, **registry.describe(registry.load(name))})
        except GameError as error:  # a broken game of another package must not hide the others
            rows.append({"name": name, "about": " ".join(str(error).split()), "source": "does not load"})
    if as_json:
        print_json(rows)
        return
    out = screen.console()
    from rich.text import Text

    screen.table(out, [("", "deterministic", "chance"), *types(rows)])
    print_line()
    for row in rows:
        out.print(Text(row["name"], "bold"))
        lines = [("about", row["about"])]
        if "players" in row:
            lines += [("players", f"MAX is {row['players'][0]}, MIN is {row['players'][1]}")]
            lines += [("evaluations", ", ".join([*row["evaluations"], "nothing"]))]
            lines += [("facts", ", ".join(row["facts"]))]
        screen.facts(out, [*lines, ("source", row["source"])])


def types(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Rows of the lectures' table of game types."""
    lines: list[tuple[str, str, str]] = []
    for title, perfect in (("perfect information", True), ("imperfect information", False)):
        deterministic, chance = (
            textwrap.wrap(
                ", ".join(
                    row["name"]
                    for row in rows
                    if row.get("chance") is by_chance and row["perfect_information"] is perfect
                ),
                CELL,
                break_on_hyphens=False,
            )
            for by_chance in (False, True)
        )
        lines += zip_longest((title,), deterministic, chance, fillvalue="")
    return lines
