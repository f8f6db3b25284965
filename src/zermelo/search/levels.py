"""Levels and variety: how an engine plays weaker than it can, and not always the same.

A level limits the nodes of a search, or its playouts, and sometimes replaces the search by a random legal move (a
blunder). A game may have levels of its own instead (`State.max_level`), which limit the depth of the engine's search;
they blunder as often. Below level 10, and with a variety, one of the best moves is chosen at random. All choices are
made by a generator that the caller seeds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import State
from zermelo.errors import LimitError
from zermelo.search.analysis import Analysis, Line
from zermelo.search.limits import Limits
from zermelo.search.selective import MIN_PROBCUT_DEPTH

if TYPE_CHECKING:
    from zermelo.search.searcher import Searcher

MAX_LEVEL = 10
# Largest margin of `Strength.variety`: larger than all differences of estimates.
MAX_VARIETY = 10_000_000
# Depths of a deep and of a shallow search, between which an evaluation that knows its errors has one.
_ANY_ERROR = (MIN_PROBCUT_DEPTH, 1)
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


def max_level(game: type[State] | None) -> int:
    """Return the largest level of the engine in a game; None stands for games without levels of their own."""
    return game.max_level if _has_own(game) else MAX_LEVEL


def _has_own(game: type[State] | None) -> TypeGuard[type[State]]:
    """Whether a game has levels of its own. They limit depths, and so need an evaluation."""
    return game is not None and game.max_level > 0 and bool(game.evaluations)


@dataclass(frozen=True)
class Strength:
    """How a move is chosen: by a level, and with variety.

    Attributes
    ----------
    level : int or None
        1 to 10, or a level of the game's own; None: no limit.
    variety : int or None
        Choose at random among the moves whose score is at most this much worse than the best one, in the unit of the
        evaluation, or in thousandths of a win for Monte Carlo tree search. 0: among equal moves. None: 0 below level
        10, else the best move alone.
    game : type of State or None
        The game whose own levels are meant, if it has any. None: the ten levels of all games, as for Monte Carlo tree
        search.

    Raises
    ------
    LimitError
        If a number is out of range.
    """

    level: int | None = None
    variety: int | None = None
    game: type[State] | None = None

    def __post_init__(self) -> None:
        if self.level is not None and not 1 <= self.level <= self.max_level:
            where = f" in {self.game.__name__}" if _has_own(self.game) else ""
            raise LimitError(f"level must be between 1 and {self.max_level}{where} (got {self.level})")
        if self.variety is not None and not 0 <= self.variety <= MAX_VARIETY:
            raise LimitError(f"variety must be between 0 and {MAX_VARIETY:,} (got {self.variety})")

    @property
    def max_level(self) -> int:
        """The largest level."""
        return max_level(self.game)

    @property
    def is_own(self) -> bool:
        """Whether the levels are the game's own."""
        return _has_own(self.game)

    @property
    def margin(self) -> int | None:
        """The margin of the random choice; None: there is none."""
        if self.variety is None and self.level is not None and self.level < MAX_LEVEL:
            return 0
        return self.variety

    def limits(self, limits: Limits, by_playouts: bool, state: State) -> Limits:
        """Return limits that are those of the level in a state, too; `by_playouts`: nodes are playouts."""
        if self.level is None:
            return limits
        if self.is_own:
            depth = state.search_level(self.level).depth
            if depth is None:
                return replace(limits, exact=limits.depth is None)
            return replace(limits, depth=depth if limits.depth is None else min(limits.depth, depth))
        level = LEVELS[self.level]
        allowed = level.playouts if by_playouts else level.nodes
        return replace(limits, nodes=allowed if limits.nodes is None else min(limits.nodes, allowed))

    def confidence(self, state: State, evaluation: str | Evaluation | None) -> int | None:
        """Return the confidence of the engine's searches in percent; None if the level does not choose one.

        It is 100 with an evaluation that does not know the errors of shallow searches.
        """
        if self.level is None or not self.is_own:
            return None
        confidence = state.search_level(self.level).confidence
        has_errors = confidence != 100 and resolve_evaluation(state, evaluation).search_error(state, *_ANY_ERROR) > 0
        return confidence if has_errors else 100

    @contextmanager
    def at_confidence(
        self, searcher: Searcher, state: State, evaluation: str | Evaluation | None = None
    ) -> Iterator[None]:
        """Search at the confidence of the level in the whole block, if the level and not the caller chooses it."""
        from zermelo.search.engine import Engine

        confidence = self.confidence(state, evaluation)
        if confidence is None or not isinstance(searcher, Engine) or searcher.selective is not None:
            yield
            return
        searcher.selective = confidence
        try:
            yield
        finally:
            searcher.selective = None

    def lines(self, moves: int) -> int:
        """Return the number of root moves, of `moves`, that need a score of their own."""
        return 1 if self.margin is None else max(moves, 1)

    def root_moves(self, moves: Sequence[Any], source: random.Random) -> tuple[Any, ...]:
        """Return the only move to search where the level blunders; else nothing, which stands for all moves."""
        if self.level is None or not moves or source.random() >= LEVELS[min(self.level, MAX_LEVEL)].blunders:
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


def set_confidence(
    searcher: Searcher, strength: Strength, state: State, evaluation: str | Evaluation | None = None
) -> None:
    """Make an engine search at the confidence of a level of the game's own from now on.

    Machine code is compiled now, since a search that waits for it cannot be stopped.
    """
    from zermelo.search.engine import Engine

    confidence = strength.confidence(state, evaluation)
    if confidence is None or not isinstance(searcher, Engine):
        return
    searcher.selective = confidence
    for _ in searcher.analysis(type(state).start(), Limits(depth=1), evaluation=evaluation):
        pass
