"""A tournament in a file of TOML: `zermelo tournament club.toml`.

    game = "othello"
    format = "round-robin"
    games = 10
    openings = "plies=8"
    control = "seconds=0.1"
    players = ["random", "diff:3", {name = "Strong", player = "engine:depth=6", control = "depth=6"}]

The keys are those of `Plan`, but for `players`. Paths in it are relative to the file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from zermelo._util.text import did_you_mean, quoted
from zermelo.arena.plans.plan import Entrant, Plan, entrant_of, located, named, seed_or_drawn
from zermelo.errors import FileError, LimitError, ZermeloError

#: The longest file that is read, in bytes.
LONGEST = 1_000_000
#: The keys, and what each of them holds.
KEYS: dict[str, type] = {
    "game": str, "players": list, "format": str, "games": int, "rounds": int, "openings": str, "control": str,
    "adjudication": str, "seed": int, "max_plies": int, "sprt": str, "title": str,
}  # fmt: skip
PLAYER_KEYS: dict[str, type] = {"player": str, "name": str, "control": str}
_KINDS = {str: "a text in quotes", int: "a whole number", list: "a list of players"}


def read(path: str | Path) -> Plan:
    """The plan in a file. Raises a `ZermeloError` that begins with the file's name."""
    path = Path(path)
    try:
        return _plan(_tables(path), path.parent)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None
    except ZermeloError as error:
        raise LimitError(f"{path}: {error}") from None


def _tables(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
    except OSError as error:
        raise FileError(error.strerror or str(error)) from None
    if len(content) > LONGEST:
        raise LimitError(f"more than {LONGEST:,} bytes; a tournament is told in less")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise LimitError(f"byte {error.start} is no UTF-8; TOML is text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise LimitError(f"no TOML: {error}") from None
    except (RecursionError, ValueError):
        raise LimitError("no TOML that can be read: brackets too deep, or a number far too long") from None


def _plan(told: dict[str, Any], base: Path) -> Plan:
    _check(told, KEYS, "")
    for key in ("game", "players"):
        if key not in told:
            raise LimitError(f'there is no key {key}; expected game = "NAME" and players = ["PLAYER", "PLAYER", ...]')
    entrants = _entrants(told.pop("players"))
    told["seed"] = seed_or_drawn(told.get("seed"), entrants)
    return located(Plan(**told, entrants=entrants, is_kept=True), base)


def _entrants(told: list[Any]) -> tuple[Entrant, ...]:
    rows: list[Entrant] = []
    for number, each in enumerate(told, 1):
        if isinstance(each, str):
            rows.append(entrant_of(each))
        elif isinstance(each, dict):
            where = f"player {number}: "
            _check(each, PLAYER_KEYS, where)
            if "player" not in each:
                raise LimitError(f'{where}there is no key player; expected {{name = "NAME", player = "PLAYER"}}')
            rows.append(Entrant(each.get("name", ""), each["player"], each.get("control", "")))
        else:
            raise LimitError(f"player {number} is {_told(each)}; expected a text, or {{player = ..., name = ...}}")
    return named(rows)


def _told(value: Any) -> str:
    """A value as an error tells it: texts in quotes, and only they."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quoted(value) if isinstance(value, str) else text if len(text) <= 20 else f"{text[:17]}..."


def _check(told: dict[str, Any], keys: dict[str, type], where: str) -> None:
    for key, value in told.items():
        if key not in keys:
            raise LimitError(f"{where}unknown key {quoted(key)}; {did_you_mean(key, keys)}")
        if not isinstance(value, keys[key]) or isinstance(value, bool):
            raise LimitError(f"{where}{key} is {_told(value)}; expected {_KINDS[keys[key]]}")
