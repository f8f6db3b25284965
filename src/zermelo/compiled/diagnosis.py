"""From Numba's trace to one line for the person who wrote the game: file, line, method, and what is wrong."""

from __future__ import annotations

import re
from typing import Any

from zermelo.errors import GameError, ZermeloError
from zermelo.value import Value


def explain(error: Any, classes: list[type[Value]]) -> ZermeloError:
    """The error of a compilation as a `GameError` that names the innermost place in the classes' own files."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r'File "([^"]+)", line (\d+):\s*\n\s*def (\w+)', text)
    return GameError(f"{places} {text}")
