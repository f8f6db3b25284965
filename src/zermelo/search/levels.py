"""Levels and variety: how an engine plays weaker than it can, and not always the same.

A level limits the nodes of a search, or its playouts, and sometimes replaces the search by a random legal move (a
blunder). Below level 10, and with a variety, one of the best moves is chosen at random. All choices are made by a
generator that the caller seeds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from zermelo.errors import LimitError
from zermelo.search.analysis import Analysis, Line
from zermelo.search.limits import Limits

MAX_LEVEL = 10
# Largest margin of `Strength.variety`: larger than all differences of estimates.
MAX_VARIETY = 10_000_000
# A move with fewer playouts than this fraction of the best move's has no reliable mean, and is not chosen for variety.
_FEWEST_VISITS = 0.1


class Level(NamedTuple):
    """What a level allows an engine.

    Attributes
    ----------
    nodes, playouts : int
        Limit of a move: nodes of alpha-beta, or playouts of Monte Carlo tree search.
    blunders : float
        Probability that the move is any legal one.
    """

    nodes: int
    playouts: int
    blunders: float


LEVELS = {
    1: Level(30, 10, 0.40),
    2: Level(100, 30, 0.28),
    3: Level(300, 100, 0.18),
    4: Level(1_000, 300, 0.10),
    5: Level(3_000, 1_000, 0.05),
    6: Level(10_000, 3_000, 0.02),
    7: Level(30_000, 10_000, 0.01),
    8: Level(100_000, 30_000, 0.0),
    9: Level(1_000_000, 100_000, 0.0),
    10: Level(10_000_000, 1_000_000, 0.0),
}


@dataclass(frozen=True)
class Strength:
    """How a move is chosen: by a level, and with variety.

    Attributes
    ----------
    level : int or None
        1 to 10; None: no limit.
    variety : int or None
        Choose at random among the moves whose score is at most this much worse than the best one, in the unit of the
        evaluation, or in thousandths of a win for Monte Carlo tree search. 0: among equal moves. None: 0 below level
        10, else the best move alone.

    Raises
    ------
    LimitError
        If a number is out of range.
    """

    level: int | None = None
    variety: int | None = None

    def __post_init__(self) -> None:
        if self.level is not None and not 1 <= self.level <= MAX_LEVEL:
            raise LimitError(f"level must be between 1 and {MAX_LEVEL} (got {self.level})")
        if self.variety is not None and not 0 <= self.variety <= MAX_VARIETY:
            raise LimitError(f"variety must be between 0 and {MAX_VARIETY:,} (got {self.variety})")

    @property
    def margin(self) -> int | None:
        """The margin of the random choice; None: there is none."""
        if self.variety is None and self.level is not None and self.level < MAX_LEVEL:
            return 0
        return self.variety

    def limits(self, limits: Limits, by_playouts: bool) -> Limits:
        """Return limits of which the nodes are those of the level too; `by_playouts`: nodes are playouts."""
        if self.level is None:
            return limits
        level = LEVELS[self.level]
        allowed = level.playouts if by_playouts else level.nodes
        return replace(limits, nodes=allowed if limits.nodes is None else min(limits.nodes, allowed))

    def lines(self, moves: int) -> int:
        """Return the number of root moves, of `moves`, that need a score of their own."""
        return 1 if self.margin is None else max(moves, 1)

    def root_moves(self, moves: Sequence[Any], source: random.Random) -> tuple[Any, ...]:
        """Return the only move to search where the level blunders; else nothing, which stands for all moves."""
        if self.level is None or not moves or source.random() >= LEVELS[self.level].blunders:
            return ()
        return (source.choice(moves),)

    def choose(self, found: Analysis, source: random.Random) -> Analysis:
        """Return the analysis with the line first that is chosen among its best ones."""
        if self.margin is None or not found.lines:
            return found
        best = found.lines[0]
        sign = -1 if found.to_move == "MIN" else 1
        equal = [line for line in found.lines if _is_as_good(line, best, sign, self.margin)]
        chosen = source.choice(equal)
        others = tuple(line for line in found.lines if line is not chosen)
        return replace(
            found, best=chosen.names[0], move=chosen.move, score=chosen.score, line=chosen.names,
            lines=(chosen, *others),
        )  # fmt: skip


def _is_as_good(line: Line, best: Line, sign: int, margin: int) -> bool:
    """Whether a move may be chosen instead of the best one. A proven value equals only the same proven value."""
    if line is best:
        return True
    if line.score.is_proven or best.score.is_proven:
        return line.score == best.score
    if best.visits is not None and (line.visits or 0) < max(_FEWEST_VISITS * best.visits, 1):
        return False
    return sign * (best.score.number - line.score.number) <= margin
