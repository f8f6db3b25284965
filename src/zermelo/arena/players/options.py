"""Options of player specs: `NAME=VALUE`, separated by commas."""

from __future__ import annotations

from typing import Any, TypeVar

from zermelo._util.text import did_you_mean, quoted
from zermelo.errors import LimitError

T = TypeVar("T")

#: The types of options that are not texts.
_TYPES: dict[str, type[int] | type[float]] = {
    "depth": int, "nodes": int, "seconds": float, "threads": int, "playout_plies": int, "level": int, "variety": int,
    "rave": int, "samples": int,
}  # fmt: skip


def parse_options(kind: str, made: type[T], text: str) -> T:
    """Return a dataclass with the options of a text. Raises `LimitError` for the wrong one."""
    known: Any = made.__dataclass_fields__  # type: ignore[attr-defined]
    options: dict[str, str | int | float] = {}
    for part in filter(None, text.split(",")):
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
            options[name] = _TYPES.get(name, str)(value)
        except ValueError:
            raise LimitError(f"{kind}: {quoted(value)} in {quoted(part)} is not a number") from None
    return made(**options)
