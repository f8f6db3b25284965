"""Options of player specs: `NAME=VALUE`, separated by commas."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from zermelo._util.text import did_you_mean, quoted
from zermelo.core.weight_file import is_path
from zermelo.errors import LimitError

T = TypeVar("T")

#: The types of options that are not texts.
_TYPES: dict[str, type[int] | type[float]] = {
    "depth": int, "nodes": int, "seconds": float, "threads": int, "playout_plies": int, "level": int, "variety": int,
    "rave": int, "samples": int,
}  # fmt: skip
# Without underscores, blanks and digits of other scripts, all of which `int` reads.
_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
#: The kinds of players whose options may name files, and these options.
_KINDS_WITH_FILES = ("engine", "mcts")
_FILES = ("book", "evaluation", "selective")
#: The value of `book=` for no book, not even that of the package.
NO_BOOK = "none"


def parse_options(kind: str, made: type[T], text: str) -> T:
    """Return a dataclass with the options of a text. Raises `LimitError` for the wrong one."""
    known: Any = made.__dataclass_fields__  # type: ignore[attr-defined]
    options: dict[str, str | int | float] = {}
    for part in _split(text):
        name, equals, value = part.partition("=")
        if name in options:
            raise LimitError(f"{kind}: {name}= is given twice")
        if name not in known or not equals:
            meant = did_you_mean(f"{name}=", (f"{each}=" for each in known if each not in options), "")
            raise LimitError(
                f"{kind}: {quoted(part)} is not an option; expected {'=, '.join(known)}=, each at most once"
                + (meant and f"; {meant}")
            )
        try:
            if name in _TYPES and not _NUMBER.fullmatch(value):
                raise ValueError
            options[name] = _TYPES.get(name, str)(value)
        except ValueError:
            raise LimitError(f"{kind}: {quoted(value)} in {quoted(part)} is not a number") from None
    return made(**options)


def with_paths(spec: str, change: Callable[[str], str]) -> str:
    """Return a player spec with the paths of its options changed."""
    kind, colon, rest = spec.partition(":")
    if kind not in _KINDS_WITH_FILES:
        return spec
    parts = [part.partition("=") for part in _split(rest)]
    changed = (
        f"{name}{equals}{change(value) if name in _FILES and names_file(name, value) else value}"
        for name, equals, value in parts
    )
    return f"{kind}{colon}{','.join(changed)}"


def _split(text: str) -> list[str]:
    """Split the options of a spec at commas, but for those within the path of a file."""
    parts: list[str] = []
    for part in filter(None, text.split(",")):
        in_path = parts and parts[-1].partition("=")[0] in _FILES and not re.match(r"[a-z_]+=", part)
        if in_path:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def files_of(spec: str) -> list[str]:
    """List the files that the options of a player spec name."""
    found: list[str] = []
    with_paths(spec, lambda path: found.append(path) or path)  # type: ignore[func-returns-value]
    return found


def names_file(option: str, value: str) -> bool:
    """Whether the value of an option is the path of a file: a book, weights, tuned parameters."""
    if option == "book":
        return value not in ("", NO_BOOK)
    return is_path(value) or (option == "selective" and "." in value)
