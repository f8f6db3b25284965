"""Tournament files in TOML: `zermelo tournament club.toml`.

    game = "othello"
    format = "round-robin"
    games = 10
    openings = "plies=8"
    control = "seconds=0.1"
    players = ["random", "diff:3", {name = "Strong", player = "engine:depth=6", control = "depth=6"}]

The keys are the parameters of `Plan`, with `players` for the entrants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zermelo._util.text import did_you_mean, quoted
from zermelo._util.toml import parse_toml
from zermelo._util.user_files import read_text
from zermelo.arena.plans.entrants import Entrant, parse_entrant, with_default_names
from zermelo.errors import LimitError

#: Maximum size of a file, in bytes.
MAX_BYTES = 1_000_000
#: Maximum number of parts of a dotted key, and depth of nested brackets. A plan needs 1 and 2.
MAX_KEY_PARTS, MAX_NESTING = 8, 8
#: Keys of the file and of a player's table, with the types of their values.
KEYS: dict[str, type] = {
    "game": str, "players": list, "format": str, "games": int, "rounds": int, "openings": str, "control": str,
    "adjudication": str, "seed": int, "max_plies": int, "sprt": str, "title": str,
}  # fmt: skip
PLAYER_KEYS: dict[str, type] = {"player": str, "name": str, "control": str}
_TYPE_NAMES = {str: "a string", int: "an integer", list: "a list of players"}
_OLD_KEYS = {"most_plies": "max_plies"}


def read_plan_file(path: Path) -> dict[str, Any]:
    """Read a tournament file and return the arguments of `Plan`, checked for known keys and types.

    Raises
    ------
    FileError
        The file cannot be read, is too large, or is not UTF-8 text.
    LimitError
        The file is not TOML, or has an unknown key or a value of the wrong type.
    """
    text = read_text(path, MAX_BYTES, label="")
    values = parse_toml(text, max_key_parts=MAX_KEY_PARTS, max_nesting=MAX_NESTING, error=LimitError)
    _check_keys(values, KEYS, "")
    for key in ("game", "players"):
        if key not in values:
            raise LimitError(f'missing key: {key}; expected game = "NAME" and players = ["PLAYER", "PLAYER", ...]')
    values["entrants"] = _entrants(values.pop("players"))
    return values


def _entrants(players: list[Any]) -> tuple[Entrant, ...]:
    rows: list[Entrant] = []
    for number, each in enumerate(players, 1):
        if isinstance(each, str):
            rows.append(parse_entrant(each))
        elif isinstance(each, dict):
            where = f"player {number}: "
            _check_keys(each, PLAYER_KEYS, where)
            if "player" not in each:
                raise LimitError(f'{where}missing key: player; expected {{name = "NAME", player = "PLAYER"}}')
            rows.append(Entrant(each.get("name", ""), each["player"], each.get("control", "")))
        else:
            raise LimitError(f"player {number} is {_literal(each)}; expected a string or {{player = ..., name = ...}}")
    return with_default_names(rows)


def _check_keys(values: dict[str, Any], keys: dict[str, type], where: str) -> None:
    for key, value in values.items():
        if key in _OLD_KEYS and _OLD_KEYS[key] in keys:
            raise LimitError(f"{where}key {key} was renamed; use {_OLD_KEYS[key]}")
        if key not in keys:
            raise LimitError(f"{where}unknown key {quoted(key)}; {did_you_mean(key, keys)}")
        if not isinstance(value, keys[key]) or isinstance(value, bool):
            raise LimitError(f"{where}{key} must be {_TYPE_NAMES[keys[key]]} (got {_literal(value)})")


def _literal(value: Any) -> str:
    """Show a value as TOML writes it, cut to 20 characters."""
    if isinstance(value, str):
        return quoted(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 20 else f"{text[:17]}..."
