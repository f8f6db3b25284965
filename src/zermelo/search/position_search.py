"""Searches of many positions, one after the other on this thread: the compiled kernel without the engine's clock.

An `Engine` starts threads and deepens one ply at a time, which costs a millisecond for each depth; a search of 4 plies
takes a tenth of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory
from zermelo.errors import ZermeloError
from zermelo.search.compiled_textbook import too_long
from zermelo.search.context import NO_ERROR, NO_LIMIT, UNLIMITED_DEPTH
from zermelo.search.memory import SearchMemory
from zermelo.search.scores import LIMIT, Scale, is_decided, plain, plies_of, points_of, ranked, utility_of
from zermelo.search.selective import Selective

#: Transposition table: enough for these searches, and fast to clear.
TABLE = "4M"
# From this depth on, a shallower search before orders the moves.
_MIN_WARM_DEPTH = 5
# Half the width of the first window of an exact search around its guess, and how much faster it grows each time.
_WIDTH, _WIDENING = 2, 4


class Found(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    score : int
        From MAX's side: the utility if it is exact, else in units of the evaluation.
    is_exact : bool
        Whether the score is the value of the state with best play.
    best : int
        The best move.
    is_unproven_win : bool
        Whether one side wins, but the utility is not proven. The score is then the largest estimate.
    """

    score: int
    is_exact: bool
    best: int
    is_unproven_win: bool = False


class PositionSearch:
    """Searches positions of a game by an evaluation.

    Parameters
    ----------
    state : State
        Any state of the game, which must be compiled.
    evaluation : Evaluation
        The evaluation.
    confidence : int
        Confidence in percent of ProbCut in `search`; 100: no ProbCut. `solve` is always exact.

    Raises
    ------
    LimitError
        If the confidence is not one of `CONFIDENCES` or 100, or the evaluation does not define `search_error`.
    """

    def __init__(self, state: State, evaluation: Evaluation, confidence: int = 100) -> None:
        self._evaluation = evaluation
        self._confidence = confidence
        self._memory = SearchMemory(TABLE, 1, 64)
        self._memory.prepare(state, evaluation)
        if confidence != 100:
            self._memory.prepare(state, evaluation, Selective.at_confidence(confidence, evaluation, state))
        self._context = self._memory.contexts[0]

    def clear(self) -> None:
        """Forget all earlier searches."""
        self._memory.clear()

    def search(self, state: State, depth: int, history: Sequence[State] | PositionHistory = ()) -> Found:
        """Search to a depth of at least 1."""
        if self._confidence != 100:
            selective = Selective.at_confidence(self._confidence, self._evaluation, state)
            self._memory.prepare(state, self._evaluation, selective)
        scale = ranked(state, self._evaluation)
        self._begin(state, scale, history)
        if depth >= _MIN_WARM_DEPTH:
            self._run(state, depth - 2, -LIMIT, LIMIT)
        score = self._run(state, depth, -LIMIT, LIMIT)
        ctx = self._context
        is_exact = ctx.horizon_nodes == 0
        if state.has_chance:
            return Found(points_of(score, scale, self._evaluation), False, ctx.best_move)
        # A win in quiescence may overlook a defence; see `RootSearch._line`.
        if is_decided(score, scale):
            is_near = scale.step > 0 and (plies_of(score, scale) or 0) <= depth + 1
            is_exact = is_exact or (is_near and self._confidence == 100)
        if is_exact:
            return Found(utility_of(score, scale), True, ctx.best_move)
        largest = self._evaluation.largest_score - 1
        return Found(max(-largest, min(score, largest)), False, ctx.best_move, is_decided(score, scale))

    def solve(self, state: State, guess: int, nodes: int) -> Found | None:
        """Search to the end of the game; None if that takes more than `nodes` nodes. `guess` may be the value."""
        if self._confidence != 100:
            self._memory.prepare(state, self._evaluation)
        self._begin(state, plain(state), ())
        self._context.node_limit = self._context.nodes + nodes
        width = _WIDTH
        alpha, beta = guess - width, guess + width
        while True:
            score = self._run(state, UNLIMITED_DEPTH, alpha, beta)
            if self._context.stopped:
                return None
            if alpha < score < beta:
                return Found(score, True, self._context.best_move)
            width *= _WIDENING
            if score <= alpha:
                alpha, beta = score - width, score + 1
            else:
                alpha, beta = score - 1, score + width

    def _begin(self, state: State, scale: Scale, history: Sequence[State] | PositionHistory) -> None:
        memory, evaluation = self._memory, self._evaluation
        memory.begin_search(state, history)
        memory.begin_scale(state, scale, evaluation, (type(state), evaluation, scale))
        self._context.error = NO_ERROR
        self._context.node_limit = NO_LIMIT

    def _run(self, state: State, depth: int, alpha: int, beta: int) -> int:
        ctx = self._context
        ctx.begin([])
        ctx.next_poll = 0
        score = self._memory.calls(state, self._evaluation, depth, alpha, beta)[0]()
        if ctx.error:
            raise too_long(state)
        return int(score)


def check_searchable(state: State) -> None:
    """Raise `ZermeloError` if positions of the game cannot be searched here."""
    if not state.perfect_information:
        raise ZermeloError(f"{type(state).__name__} has hidden information: its positions are not searched to a score")
