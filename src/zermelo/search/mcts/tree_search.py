"""Search of one root position by Monte Carlo tree search: batches of simulations, and the result after each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zermelo.core.evaluation import Evaluation, evaluation_name, resolve_evaluation
from zermelo.core.game import CHANCE, MIN, State
from zermelo.core.random_numbers import random_word
from zermelo.errors import GameError, LimitError
from zermelo.search import threads as parallel
from zermelo.search.analysis import Analysis, Line, Score, line_names, side_names
from zermelo.search.mcts.forest import Forest, Statistics
from zermelo.search.mcts.formulas import GRAIN, largest_result
from zermelo.search.request import SearchRequest

ALGORITHM = "mcts"
#: Name of the unit of estimates: a win of 1 for MAX is 1000, a draw 0.
UNIT = "thousandths"
# Simulations before the first result. Each further batch doubles their number.
_FIRST_BATCH = 256
# Seconds after which batches grow no further, so that results are shown at least so often.
_BATCH_SECONDS = 0.25
# Playout moves of the game's own that are checked before a search.
_CHECKED_PLAYOUT_MOVES = 8


class TreeSearch:
    """The search of one state.

    `forest_of` returns the forest for the root moves to consider; it is called unless the game is over.
    """

    def __init__(
        self,
        forest_of: Callable[[State, Evaluation | None, Sequence[Any]], Forest],
        threads: int,
        stop_requested: threading.Event,
        request: SearchRequest,
    ) -> None:
        self.state = state = request.state
        self.limits = request.limits
        self.line_count = request.lines
        if self.limits.depth is not None or self.limits.exact:
            raise LimitError("Monte Carlo tree search is limited by seconds and nodes, not by depth or exact")
        self.threads = threads
        self.interrupt = threading.Event()
        self._stop_requested = stop_requested
        self.evaluation = None if request.evaluation is None else resolve_evaluation(state, request.evaluation)
        self.root_moves, excluded = request.root_moves(self.evaluation)
        self._sign = 1
        if self.root_moves:
            _check_playout_move(state, [*self.root_moves, *excluded])
            _check_moves_in_any_order(state, self.root_moves)
            self._sign = -1 if state.to_move() == MIN else 1
            self.forest = forest_of(state, self.evaluation, tuple(self.root_moves) if excluded else ())
            self._before = self.forest.simulations
        self._start_time = time.perf_counter()  # after compiling

    def run(self) -> Iterator[Analysis]:
        """Run simulations; yield a result after each batch, the last one with the reason of the end."""
        if not self.root_moves:
            utility = self.state.utility()
            expected = float(utility) if self.state.has_chance else None
            yield self._analysis([], Score(utility, unit=UNIT, expected=expected, number=utility), "game over")
            return
        seconds = self.limits.soft_seconds or self.limits.seconds
        nodes = None if self.limits.nodes is None else max(self.limits.nodes, self.threads)
        deadline = None if seconds is None else self._start_time + seconds
        batch = _FIRST_BATCH
        while True:
            done = self.forest.simulations - self._before
            count = batch if nodes is None else min(batch, nodes - done)
            began = time.perf_counter()
            reason = self._grow(count, deadline)
            done = self.forest.simulations - self._before
            if not reason and nodes is not None and done >= nodes // self.threads * self.threads:
                reason = "nodes"
            if not reason and self.limits.soft_seconds is not None and len(self.root_moves) == 1:
                reason = "seconds"
            yield self._result(reason or "searching")
            if reason:
                return
            # The tree is looked at between batches only: where nodes are limited, their sizes must not depend on time.
            if nodes is not None or time.perf_counter() - began < _BATCH_SECONDS:
                batch *= 2

    def _grow(self, count: int, deadline: float | None) -> str:
        """Run a batch; returns why the search ends after it, or nothing."""
        reason = ""
        try:
            self.forest.grow(count, deadline, self._stop_requested, self.interrupt)
        except parallel.Stopped as stopped:
            reason = stopped.reason or ("stopped" if self._stop_requested.is_set() else "")
        if self.forest.root().is_solved or _solved(self.forest.children(), self._sign, self.state):
            return "rounded" if self.state.has_chance else "exact"
        return reason

    # ---- results ----------------------------------------------------------------------------------------------

    def _result(self, reason: str) -> Analysis:
        root, children = self.forest.root(), self.forest.children()
        if self.state.to_move() == CHANCE:
            return self._analysis([], self._score(root), reason)
        lines = []
        for child in ranked_moves(children, self._sign, self._span())[: self.line_count]:
            moves = self.forest.line(child.move)
            win_rate = None if not child.visits else child.total / child.visits / self._span()
            if win_rate is not None and self._sign < 0:
                win_rate = 1 - win_rate
            lines.append(
                Line(child.move, moves, line_names(self.state, moves), self._score(child), child.visits, win_rate)
            )
        return self._analysis(lines, lines[0].score, reason)

    def _span(self) -> int:
        return 2 * GRAIN * largest_result(self.state)

    def _score(self, found: Statistics) -> Score:
        """The score of a node: its proven utility, or the mean of its playouts."""
        utility = found.mean() / GRAIN - largest_result(self.state)
        if found.is_solved and not (self.state.has_chance or self.state.counts_wins_only):
            return Score(round(utility), unit=UNIT)
        number = round(1000 * utility)
        return Score(estimate=number, unit=UNIT, expected=utility, number=number)

    def _analysis(self, lines: list[Line], score: Score, reason: str) -> Analysis:
        best = lines[0] if lines else None
        to_move, player = side_names(self.state)
        return Analysis(
            state=self.state,
            game=type(self.state).__name__,
            position=str(self.state),
            to_move=to_move,
            player=player,
            best=best.names[0] if best else None,
            move=best.move if best else None,
            score=score,
            line=best.names if best else (),
            lines=tuple(lines),
            depth=self.forest.longest if self.root_moves else 0,
            nodes=self.forest.simulations - self._before if self.root_moves else 0,
            seconds=time.perf_counter() - self._start_time,
            reason=reason,
            evaluation="nothing" if self.evaluation is None else evaluation_name(self.state, self.evaluation),
            algorithm=ALGORITHM,
            threads=self.threads,
        )


def ranked_moves(children: list[Statistics], sign: int, span: int) -> list[Statistics]:
    """The root's children, the one to play first.

    That is the most visited one (robust child) among those that may still be better than what is proven, unless a
    proven result is at least as good as its mean.
    """

    def for_mover(child: Statistics) -> tuple[float, float, float]:
        mean = child.mean()
        return (child.lower, child.upper, mean) if sign > 0 else (span - child.upper, span - child.lower, span - mean)

    proven = max(for_mover(child)[0] for child in children)

    def key(child: Statistics) -> tuple[bool, float, float]:
        _, upper, mean = for_mover(child)
        return upper > proven, child.visits, mean

    ranked = sorted(children, key=key, reverse=True)
    safe = [child for child in ranked if for_mover(child)[0] == proven]
    hopeful = [child for child in ranked if for_mover(child)[1] > proven]
    is_proven = proven > 0 or not hopeful
    if is_proven and (not hopeful or for_mover(hopeful[0])[2] <= proven):
        best = safe[0]
        ranked.remove(best)
        ranked.insert(0, best)
    return ranked


def _solved(children: list[Statistics], sign: int, state: State) -> bool:
    """Whether the bounds of several trees together prove the value of a decision at the root."""
    if state.to_move() == CHANCE:
        return all(child.is_solved for child in children)
    best = max if sign > 0 else min
    return best(child.lower for child in children) >= best(child.upper for child in children)


def _check_playout_move(state: State, legal: Sequence[Any]) -> None:
    """Raise `GameError` if the game's own playout moves are not legal."""
    if not state.has_playout_move or state.to_move() == CHANCE:
        return
    for draw in range(_CHECKED_PLAYOUT_MOVES):
        move = state.playout_move(random_word(0, draw))
        if move not in legal:
            raise GameError(f"{type(state).__name__}.playout_move() returned {move!r}, which is not a legal move")


def _check_moves_in_any_order(state: State, legal: Sequence[Any]) -> None:
    """Raise `GameError` if the game counts moves that may be played in any order, but a move is not a number."""
    for move in legal if state.moves_in_any_order else ():
        if not isinstance(move, int):
            raise GameError(
                f"{type(state).__name__}.moves_in_any_order is {state.moves_in_any_order}, but the move {move!r} is "
                "not a number"
            )
