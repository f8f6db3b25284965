"""Parse untrusted JSON: its nesting is checked before parsing, and every error is one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from zermelo._util.json_nesting import too_deep_at
from zermelo.errors import TreeError

# A string (kept), or a comma with nothing but a closing bracket behind it.
_TRAILING_COMMA = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|,(?=\s*+[\]}])', re.DOTALL)


def parse_json(content: bytes, max_depth: int, *, conflict: Callable[[Any, Any], Any] | None = None) -> Any:
    """Parse JSON text.

    Parameters
    ----------
    content : bytes
        The text in UTF-8; the caller limits its length.
    max_depth : int
        Maximum nesting of brackets.
    conflict : callable, optional
        For JSON that people write by hand: trailing commas are ignored, and the value of a key that occurs twice is
        ``conflict(first, second)``. By default both are errors.

    Raises
    ------
    TreeError
        If the text is invalid or nested too deeply.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"not JSON: invalid UTF-8 at byte {error.start}") from None
    if (at := too_deep_at(text, max_depth)) is not None:
        line = text.count("\n", 0, at) + 1
        raise TreeError(f"line {line}: brackets nested too deeply (more than {max_depth} levels)")
    if conflict is not None:
        text = _TRAILING_COMMA.sub(lambda match: match[1] or " ", text)
    try:
        return json.loads(text, object_pairs_hook=partial(_object, conflict=conflict))
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: invalid JSON: {error.msg}") from None
    except TreeError:
        raise
    except (ValueError, RecursionError):  # an int of thousands of digits
        raise TreeError("invalid JSON: a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]], conflict: Callable[[Any, Any], Any] | None) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data and conflict is None:
            raise TreeError(f"duplicate key {abbreviated(key)}")
        data[key] = conflict(data[key], value) if key in data and conflict is not None else value
    return data


def abbreviated(value: object) -> str:
    """Show a JSON value in at most 48 characters on one line."""
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a very long number"
    text = "null" if value is None else text
    return text if len(text) <= 48 else text[:45] + "..."
