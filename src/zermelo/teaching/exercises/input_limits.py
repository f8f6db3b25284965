"""Read untrusted files: size and nesting are checked before parsing, and every error is one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from zermelo.errors import FileError, TreeError

#: A JSON string (skipped), or a bracket.
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Read a regular file. Raises `FileError` if it cannot be read, `TreeError` if it is longer than `max_bytes`."""
    try:
        if path.exists() and not path.is_file():
            raise FileError("not a regular file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except FileError:
        raise
    except OSError as error:
        raise FileError((error.strerror or "cannot be read").lower()) from None
    except ValueError as error:  # a NUL in the name
        raise TreeError(str(error)) from None
    if len(content) > max_bytes:
        raise TreeError(f"file too large: more than {max_bytes:,} bytes")
    return content


def parse_json(content: bytes, max_depth: int) -> Any:
    """Parse JSON text. Raises `TreeError` for invalid text, nesting deeper than `max_depth`, and duplicate keys."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"not JSON: invalid UTF-8 at byte {error.start}") from None
    depth = 0
    for match in _TOKENS.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            if depth > max_depth:
                line = text.count("\n", 0, match.start()) + 1
                raise TreeError(f"line {line}: brackets nested too deeply (more than {max_depth} levels)")
        elif match[0] in ("]", "}"):
            depth -= 1
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: invalid JSON: {error.msg}") from None
    except TreeError:
        raise
    except (ValueError, RecursionError):  # an int of thousands of digits
        raise TreeError("invalid JSON: a number has too many digits") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        seen: set[str] = set()
        duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise TreeError(f"duplicate key {abbreviated(duplicate)}")
    return data


def abbreviated(value: object) -> str:
    """Show a JSON value in at most 48 characters on one line."""
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a very long number"
    text = "null" if value is None else text
    return text if len(text) <= 48 else text[:45] + "..."
