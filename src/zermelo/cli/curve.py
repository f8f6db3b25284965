"""The curve of a reviewed game as text: the expected result over the moves, with the marks of both sides.

        .   ?                  marks of MAX: . inaccuracy, ? mistake, X blunder
white |      ▂▇███
      |▅▅▅▆▅▅██████▃
black |████████████████
             X                 marks of MIN
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zermelo.core.game import MAX, MIN
from zermelo.review.marks import BLUNDER, INACCURACY, MARKS, MISTAKE

ROWS, MAX_COLUMNS = 8, 100
#: Columns of a ply in a short game.
MAX_WIDTH = 4
_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII = " #"
_SIGNS = {INACCURACY: ".", MISTAKE: "?", BLUNDER: "X"}
LEGEND = ". inaccuracy   ? mistake   X blunder"


def curve_text(
    values: Sequence[float | None],
    marked: Mapping[int, tuple[int, str]],
    names: tuple[str, str],
    columns: int = MAX_COLUMNS,
    *,
    blocks: bool = True,
) -> str:
    """Draw a curve as lines of text.

    Parameters
    ----------
    values : sequence of float or None
        Expected result for MAX, 0 to 1, before each ply and at the end; None where it is not known.
    marked : mapping
        The side and the mark of marked moves, by ply.
    names : (str, str)
        The names of MAX and MIN.
    columns : int
        The width of the curve: a ply has up to four columns in a short game, and shares one in a long game.
    blocks : bool
        Whether the terminal has block characters; otherwise #.
    """
    per_column = max(-(-len(values) // max(columns, 1)), 1)
    wide = min(max(columns // max(len(values), 1), 1), MAX_WIDTH)
    groups = [range(first, min(first + per_column, len(values))) for first in range(0, len(values), per_column)]
    heights = [_mean([values[ply] for ply in group]) for group in groups]
    signs = _BLOCKS if blocks else _ASCII
    margin = max(map(len, names))
    lines = [f"{'':{margin}}  {_marks(groups, marked, MAX, wide)}"]
    for row in reversed(range(ROWS)):
        name = names[0] if row == ROWS - 1 else names[1] if row == 0 else ""
        lines.append(f"{name:{margin}} |{''.join(_cell(height, row, signs) * wide for height in heights)}")
    lines.append(f"{'':{margin}}  {_marks(groups, marked, MIN, wide)}")
    return "\n".join(line.rstrip() for line in lines)


def _cell(height: float | None, row: int, signs: str) -> str:
    """Return the sign of a column in a row, counted from below."""
    if height is None:
        return " "
    full = len(signs) - 1
    return signs[min(max(round((height * ROWS - row) * full), 0), full)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _marks(groups: Sequence[range], marked: Mapping[int, tuple[int, str]], side: int, wide: int) -> str:
    """Return the worst mark of a side in each column."""
    signs = []
    for group in groups:
        found = [MARKS.index(marked[ply][1]) for ply in group if ply in marked and marked[ply][0] == side]
        signs.append((_SIGNS[MARKS[max(found)]] if found else "").ljust(wide))
    return "".join(signs)
