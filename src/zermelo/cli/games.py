"""`zermelo games`: the installed games."""

from __future__ import annotations

import json
import textwrap
from itertools import zip_longest
from typing import Any

import typer

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
            rows.append(describe(name))
        except GameError as error:  # a broken game of another package must not hide the others
            rows.append({"name": name, "about": " ".join(str(error).split()), "source": "does not load"})
    if as_json:
        print(json.dumps(rows))
        return
    out = screen.console()
    from rich.text import Text

    screen.table(out, [("", "deterministic", "chance"), *types(rows)])
    print()
    for row in rows:
        out.print(Text(row["name"], "bold"))
        lines = [("about", row["about"])]
        if "players" in row:
            lines += [("players", f"MAX is {row['players'][0]}, MIN is {row['players'][1]}")]
            lines += [("evaluations", ", ".join([*row["evaluations"], "nothing"]))]
            lines += [("facts", ", ".join(row["facts"]))]
        screen.facts(out, [*lines, ("source", row["source"])])


def describe(name: str) -> dict[str, Any]:
    """Describe a game as plain data. Raises `GameError` if it does not load."""
    from zermelo import registry
    from zermelo.core.game import MAX, MIN

    cls = registry.load(name)
    start = cls.start()
    facts = ["chance" if cls.has_chance else "deterministic"]
    facts.append("perfect information" if cls.perfect_information else "imperfect information")
    facts.append("win, draw or loss" if cls.max_utility == 1 else f"results up to {cls.max_utility}")
    hooks = {
        "has_tactical_moves": "quiescence",
        "has_move_score": "move ordering",
        "has_endgame_solver": "exact endgames",
    }
    facts += [text for hook, text in hooks.items() if getattr(cls, hook)]
    package = cls.__module__.partition(".")[0]
    return {
        "name": name,
        "about": (cls.__doc__ or cls.__name__).strip().splitlines()[0],
        "players": [start.player_name(MAX), start.player_name(MIN)],
        "evaluations": list(cls.evaluations),
        "facts": facts,
        "chance": cls.has_chance,
        "perfect_information": cls.perfect_information,
        "max_utility": cls.max_utility,
        "source": "built in" if package == "zermelo" else f"package {package}",
    }


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
            )
            for by_chance in (False, True)
        )
        lines += zip_longest((title,), deterministic, chance, fillvalue="")
    return lines
