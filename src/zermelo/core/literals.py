"""Python values as text without blanks, and back: fields and moves of interpreted games.

    {"a": [1, "x y"]}   <->   {'a':[1,'x\\x20y']}

The text is a Python literal, read by `ast.literal_eval`, which runs no code.
"""

from __future__ import annotations

import ast
from typing import Any

#: Longest literal that is read, in characters: longer ones could exhaust the parser's memory.
MAX_LENGTH = 100_000

#: Characters that a plain word does not have: those of literals of other types, and of fields.
_MARKS = frozenset("\"'()[]{},:=\\")


def write_literal(value: Any) -> str:
    """Write a value as a Python literal without blanks. A value that has no literal form is written as its `repr`."""
    kind = type(value)
    if kind is dict:
        return "{" + ",".join(f"{write_literal(key)}:{write_literal(item)}" for key, item in value.items()) + "}"
    if kind in (set, frozenset):
        return "{" + ",".join(sorted(map(write_literal, value))) + "}" if value else "set()"
    if kind is list:
        return "[" + ",".join(map(write_literal, value)) + "]"
    if kind is tuple:
        return "(" + ",".join(map(write_literal, value)) + (",)" if len(value) == 1 else ")")
    return " ".join(repr(value).split()).replace(" ", "\\x20" if isinstance(value, (str, bytes)) else "")


def read_literal(text: str, kind: type) -> Any:
    """Read what `write_literal` has written.

    Parameters
    ----------
    text : str
        A Python literal.
    kind : type
        Type of the value; `object` for any. Tuples, lists, sets and frozensets are converted into each other.

    Raises
    ------
    ValueError
        If the text is not a literal of this type.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"more than {MAX_LENGTH:,} characters")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("not a Python literal") from None
    if kind in (tuple, list, set, frozenset) and type(value) in (tuple, list, set, frozenset):
        value = kind(value)
    if not isinstance(value, kind):
        raise ValueError(f"not a {kind.__name__}")
    return value


def is_plain(text: str) -> bool:
    """Whether a str needs no quotes where only a str can stand: one word without brackets, quotes and commas."""
    return text.isprintable() and text.split() == [text] and not _MARKS.intersection(text)


def move_text(move: Any) -> str:
    """Write a move as one word: text and flat tuples without quotes and brackets, anything else as a literal."""
    if isinstance(move, int):
        return str(int(move)) if not isinstance(move, bool) else str(move)
    if isinstance(move, str):
        return move if move and move.isprintable() and move.split() == [move] else write_literal(move)
    if type(move) is tuple and move:
        items = (item if isinstance(item, str) and item.isidentifier() else write_literal(item) for item in move)
        return ",".join(items) + ("," if len(move) == 1 else "")
    return write_literal(move)
