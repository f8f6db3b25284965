"""Parse untrusted TOML: nesting is checked before parsing, and every error is one line.

The parser's time and memory grow with the square of the length of a dotted key, and it is recursive in brackets.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from zermelo._util.text import quoted
from zermelo.errors import InputError

# What the check before parsing tells apart. A string ends at its delimiter or where the text does; nothing backtracks.
# The last quotes of a multi-line string may be up to five: two of the text and three of the delimiter.
_TOKENS = re.compile(
    r'''
    (?P<key> """(?: [^"\\]++ | \\.? | "(?!"") )*+ (?:"{3,5})?
           | \'\'\'(?: [^']++ | '(?!'') )*+ (?:'{3,5})?
           | "(?: [^"\\\n]++ | \\.? )*+ "?
           | '[^'\n]*+ '?
           | [\w-]++ )
    | (?P<dot> \. ) | (?P<blank> [ \t]++ ) | (?P<comment> \#[^\n]*+ ) | (?P<open> [\[{] ) | (?P<close> [\]}] )
    | (?P<other> . )
    ''',
    re.VERBOSE | re.DOTALL,
)


def parse_toml(text: str, *, max_key_parts: int, max_nesting: int, error: type[InputError]) -> dict[str, Any]:
    """Parse TOML.

    Parameters
    ----------
    text : str
        The text; the caller limits its length.
    max_key_parts : int
        Maximum number of parts of a dotted key.
    max_nesting : int
        Maximum depth of nested brackets.
    error : type
        The exception to raise.

    Raises
    ------
    InputError
        As `error`: the text is not valid TOML, is nested too deeply, or has an integer of more than 64 bits.
    """
    depth = dots = 0
    for token in _TOKENS.finditer(text):
        kind = token.lastgroup
        if kind == "dot":
            dots += 1
        elif kind not in ("key", "blank"):
            dots = 0
        depth += (kind == "open") - (kind == "close")
        if dots >= max_key_parts or depth > max_nesting:
            line = text.count("\n", 0, token.start()) + 1
            wrong = f"a key of more than {max_key_parts} parts" if dots else f"more than {max_nesting} nested brackets"
            raise error(f"line {line:,}: {wrong}")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise error(f"not valid TOML: {fault}") from None
    except (RecursionError, ValueError):
        raise error("not valid TOML: brackets nested too deep, or a number too long") from None
    _check_integers(data, error)
    return data


def _check_integers(data: dict[str, Any], error: type[InputError]) -> None:
    """Refuse integers of more than 64 bits, as TOML's specification asks. Python cannot even print the longest."""
    items: list[tuple[str, Any]] = [(quoted(key), value) for key, value in data.items()]
    while items:
        key, value = items.pop()
        if isinstance(value, dict | list):
            items += [(key, each) for each in (value.values() if isinstance(value, dict) else value)]
        elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise error(f"{key}: integer out of range; expected -2^63 to 2^63 - 1")
