"""Text of Othello: squares, moves and boards.

Columns are lettered from `a`, rows are numbered from the top: `f5`. A board is its squares row by row and the side to
move.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

from zermelo._util.text import quoted
from zermelo.core.game import MAX, MIN
from zermelo.errors import PositionError

COLUMNS = "abcdefghij"
PASSES = ("pa", "--")
_DISCS = {"X": MAX, "*": MAX, "B": MAX, "O": MIN, "W": MIN, "-": 0, ".": 0}
_SIDES = {"X": MAX, "*": MAX, "B": MAX, "BLACK": MAX, "O": MIN, "W": MIN, "WHITE": MIN}


@cache
def square_names(size: int) -> list[str]:
    """Return the names of the squares of a board row by row, a1 first."""
    return [f"{column}{row}" for row in range(1, size + 1) for column in COLUMNS[:size]]


def named_size(words: list[str], sizes: tuple[int, ...]) -> int:
    """Return the size of the initial position that a text names: nothing, `start` or `6x6`; 0: it names none.

    Raises
    ------
    PositionError
        If the game has no board of this size.
    """
    if not words or words == ["start"]:
        return sizes[0]
    named = re.fullmatch(r"(\d{1,3})x(\d{1,3})", words[0])
    if named is None or len(words) > 1:
        return 0
    if named[1] != named[2] or int(named[1]) not in sizes:
        expected = " or ".join(f"{size}x{size}" for size in sizes)
        raise PositionError(f"Othello position: the board has {words[0]} squares; expected {expected}")
    return int(named[1])


def looks_like_moves(word: str) -> bool:
    """Return whether a text begins with a square and not with the squares of a board."""
    return len(word) > 1 and word[0].lower() in COLUMNS and word[1] in "123456789"


def moves_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the moves of a text and where they begin; what is neither a square nor a pass is two characters."""
    for found in re.finditer(r"[A-Za-z](?:1\d|\d)|..?", text):
        yield found.start(), found[0].lower()


def parse_board(words: list[str], sizes: tuple[int, ...]) -> tuple[int, list[int], int]:
    """Return the size of a board, its discs row by row, MAX, MIN or 0, and the side to move. Raises `PositionError`."""
    *rows, side = words if len(words) > 1 else (*words, "")
    squares = "".join(rows).upper()
    size = math.isqrt(len(squares))
    size = size if size in sizes else sizes[0]
    for place, letter in enumerate(squares):
        if letter not in _DISCS:
            names = square_names(size)
            raise PositionError(
                f"Othello position: {letter!r} at square {place + 1} of {len(names)}"
                + (f" ({names[place]})" if place < len(names) else "")
                + "; expected X (black), O (white) or - (empty)"
            )
    if len(squares) != size * size:
        count = " or ".join(str(each * each) for each in sizes)
        raise PositionError(
            f"Othello position: {len(squares)} squares; expected {count}, from a1 to {square_names(size)[-1]} row by "
            "row"
        )
    if side.upper() not in _SIDES:
        raise PositionError(f"Othello position: side to move {quoted(side)}; expected X (black) or O (white)")
    return size, [_DISCS[letter] for letter in squares], _SIDES[side.upper()]
