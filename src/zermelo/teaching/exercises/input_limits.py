"""Texts from outside: size and depth are looked at before anything is read, and what is wrong is told in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from zermelo.errors import FileError, TreeError

_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def read_limited(path: Path, most: int) -> bytes:
    """Read a file of at most `most` bytes. Raises `FileError` if it cannot be read, `TreeError` if it is longer."""
    try:
        if path.exists() and not path.is_file():
            raise FileError("not a regular file")
        with path.open("rb") as file:
            held = file.read(most + 1)
    except FileError:
        raise
    except OSError as error:
        raise FileError((error.strerror or "cannot be read").lower()) from None
    except ValueError as error:  # a NUL in the name
        raise TreeError(str(error)) from None
    if len(held) > most:
        raise TreeError(f"more than {most:,} bytes, which is the most that is read")
    return held


def parse_json(held: bytes, deepest: int) -> Any:
    """The data of a JSON text. Raises `TreeError` for another text, deeper nesting, or a key that stands twice."""
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"byte {error.start} is no UTF-8; it must be a JSON text") from None
    depth = 0
    for match in _SIGNS.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            if depth > deepest:
                line = text.count("\n", 0, match.start()) + 1
                raise TreeError(f"line {line}: more than {deepest} brackets within each other; so deep it cannot be")
        elif match[0] in ("]", "}"):
            depth -= 1
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except TreeError:
        raise
    except (ValueError, RecursionError):  # an int of thousands of digits
        raise TreeError("no JSON that can be read: a number in it is far too long") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise TreeError(f"the key {abbreviated(twice)} stands twice")
    return data


def abbreviated(said: object) -> str:
    """What was said, in a few letters on one line."""
    if isinstance(said, (list, dict)):
        return f"a {'list' if isinstance(said, list) else 'mapping'} of {len(said)}"
    text = repr(said) if not isinstance(said, int) or abs(said) < 10**30 else "a very long number"
    text = "null" if said is None else text
    return text if len(text) <= 48 else text[:45] + "..."
