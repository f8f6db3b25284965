"""Nesting of JSON text, counted before a recursive parser reads it."""

import re

# A string (skipped) or a bracket. A string that is not closed extends to the end of the text: if it did not match,
# each quote in it would begin another attempt, and the cost would be quadratic.
_TOKENS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def too_deep_at(text: str, maximum: int) -> int | None:
    """Return the index of the first bracket that opens more than `maximum` levels, or None. Takes linear time."""
    depth = 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > maximum:
                return match.start()
        elif token in "]}":
            depth -= 1
    return None
