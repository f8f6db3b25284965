"""Levels 1 to 60 of Othello programs: the depth of a search, its confidence, and when the game is solved.

    level        search                      solved exactly from
    1 to 10      all moves, level plies      level + 6 empty squares
    11 to 20     level plies at 95 %         level + 6, at most 20 empty squares
    21 to 60     level plies at 95 %         20 empty squares, and one more for every two levels above 20

From level 21 on a search reaches the end of the game before it is exact: from as many empty squares as the level.
"""

from __future__ import annotations

from zermelo.core.search_level import SearchLevel

MAX_LEVEL = 60
#: The largest level that searches all moves, as long as that takes a fraction of a second.
MAX_FULL_LEVEL = 10
#: Confidence in percent of the levels above.
CONFIDENCE = 95
#: The end is solved with this many empty squares more than the depth, up to `MOST_EMPTY` squares, in some seconds.
MORE_EMPTY = 6
MOST_EMPTY = 20
#: Levels that add an empty square, above level `MOST_EMPTY`: solving takes several times as long with each square.
LEVELS_PER_SQUARE = 2


def solved_from(level: int) -> int:
    """Return the largest number of empty squares from which a level solves the game exactly."""
    return min(level + MORE_EMPTY, MOST_EMPTY) + max(level - MOST_EMPTY, 0) // LEVELS_PER_SQUARE


def search_level(level: int, empty: int) -> SearchLevel:
    """Return what a level, 1 to 60, searches with a number of empty squares."""
    confidence = 100 if level <= MAX_FULL_LEVEL else CONFIDENCE
    return SearchLevel(None if empty <= solved_from(level) else level, confidence)
