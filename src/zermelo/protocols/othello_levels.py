"""Levels 1 to 60 of Othello programs: the depth of a search, its confidence, and when the game is solved.

    level        search                      solved exactly from
    1 to 10      all moves, level plies      level + 6 empty squares
    11 to 20     level plies at 95 %         level + 6, at most 20 empty squares
    21 to 60     level plies at 95 %         20 empty squares, and one more for every two levels above 20

From level 21 on a search reaches the end of the game before it is exact: from as many empty squares as the level.

`zermelo.search.levels` has the ten levels of all games, which limit nodes.
"""

from __future__ import annotations

from typing import NamedTuple

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.errors import LimitError
from zermelo.games.othello import Othello
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.search.searcher import Searcher
from zermelo.search.selective import MIN_PROBCUT_DEPTH

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


class OthelloLevel(NamedTuple):
    """What a level searches.

    Attributes
    ----------
    depth : int
        Plies of a search in the midgame.
    confidence : int
        Its confidence in percent; 100: all moves are searched.
    solved : int
        The game is solved with at most this many empty squares.
    """

    depth: int
    confidence: int
    solved: int

    def limits(self, state: Othello) -> Limits:
        """Return the limits of the search of a position."""
        empty = 64 - (state.black | state.white).count()
        return Limits(exact=True) if empty <= self.solved else Limits(depth=self.depth)


def othello_level(level: int) -> OthelloLevel:
    """Return what a level searches. Raises `LimitError`."""
    if not 1 <= level <= MAX_LEVEL:
        raise LimitError(f"level must be between 1 and {MAX_LEVEL} (got {level})")
    confidence = 100 if level <= MAX_FULL_LEVEL else CONFIDENCE
    solved = min(level + MORE_EMPTY, MOST_EMPTY) + max(level - MOST_EMPTY, 0) // LEVELS_PER_SQUARE
    return OthelloLevel(level, confidence, solved)


def set_confidence(searcher: Searcher, level: OthelloLevel, evaluation: str | Evaluation | None) -> None:
    """Make an engine search at the confidence of a level, if its evaluation knows the errors of shallow searches.

    Machine code is compiled now, since a search that waits for it cannot be stopped.
    """
    start = Othello.start()
    if isinstance(searcher, Engine):
        error = resolve_evaluation(start, evaluation).search_error(start, MIN_PROBCUT_DEPTH, 1)
        searcher.selective = level.confidence if error > 0 else 100
    for _ in searcher.analysis(start, Limits(depth=1), evaluation=evaluation):
        pass
