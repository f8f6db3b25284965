"""Search of one root position: iterative deepening, aspiration windows, several lines.

    RootSearch.run()                              yields an Analysis after each depth
        _search_depth(depth)                      all lines of a depth (MultiPV)
            _search_line(depth, window)           widens the aspiration window until the score lies inside
                _run_kernel(depth, alpha, beta)   one call on each thread; the first to finish stops the others

Iterative deepening: Slate and Atkin, "Chess 4.5", 1977. Aspiration windows: Baudet, 1978. The loop is Python, a depth
is one call, compiled or interpreted; the main thread only waits, so that Ctrl-C and the clock take effect at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from typing import NamedTuple, TypeAlias

from zermelo.core.evaluation import Evaluation, Nothing, evaluation_name, resolve_evaluation
from zermelo.core.game import CHANCE, MIN, State, win_in
from zermelo.errors import LimitError
from zermelo.search import threads as parallel
from zermelo.search.analysis import Analysis, Line, Score, line_names, make_score, side_names
from zermelo.search.compiled_textbook import failure, too_long
from zermelo.search.context import MAX_EXCLUDED, MAX_PLY, UNLIMITED_DEPTH, SearchContext
from zermelo.search.endgame_tables import EndgameTable, completed, table_for
from zermelo.search.interpreted import InterpretedContext, InterpretedMemory
from zermelo.search.limits import MAX_DEPTH, Limits
from zermelo.search.memory import SearchMemory
from zermelo.search.request import SearchRequest
from zermelo.search.scores import (
    LIMIT,
    WIN,
    Scale,
    grain_of,
    is_decided,
    plain,
    plies_of,
    ranked,
    ranked_score,
    ranked_value,
)  # fmt: skip
from zermelo.search.selective import Selective

AnyContext: TypeAlias = SearchContext | InterpretedContext

# Half the width of the first aspiration window, in evaluation units, and the factor by which a failed window grows.
WINDOW = 16
WIDENING = 4
# An exact search of a game with graded wins first searches to fixed depths with the evaluation, as long as this costs
# fewer nodes in all: good moves in the table then order the search to the end.
WARM_UP_NODES = 300_000


class _Result(NamedTuple):
    """Result of the search of one line to one depth."""

    score: int
    moves: tuple[int, ...]
    #: Scores that rest on an evaluation; 0: the score is exact.
    horizon_nodes: int


class RootSearch:
    """The search of one state, within an engine's memory.

    `stop_requested` is set by `Engine.stop`. `selective` are the parameters of a selective search; None: it is exact.
    """

    def __init__(
        self,
        memory: SearchMemory | InterpretedMemory,
        stop_requested: threading.Event,
        request: SearchRequest,
        selective: Selective | None = None,
    ) -> None:
        self.memory = memory
        self.state = state = request.state
        self.limits = request.limits
        self.history = request.history
        self.evaluation = resolve_evaluation(state, request.evaluation)
        self._evaluation_name = evaluation_name(state, self.evaluation)
        self.root_moves, self.excluded = request.root_moves(self.evaluation)
        if len(self.excluded) > MAX_EXCLUDED:
            raise LimitError(
                f"moves: at most {MAX_EXCLUDED:,} legal moves can be left out (got {len(self.excluded):,})"
            )
        self.line_count = max(min(request.lines, len(self.root_moves), MAX_EXCLUDED - len(self.excluded)), 1)
        #: Set by Ctrl-C.
        self.interrupt = threading.Event()
        self._stop_requested = stop_requested
        self._sign = -1 if not state.is_over() and state.to_move() == MIN else 1
        # Of the depth that is being searched: finished lines, and before the first one the best root move so far.
        self._finished_lines: list[Line] = []
        self._best_so_far: Line | None = None
        #: The parameters of a selective search; None: the search is exact.
        self.selective = selective
        self._endgames: EndgameTable | None = None
        #: The depth after which a search to the end of the game begins; None: it never does.
        self._solved_from = solving_depth(state, self.limits, self.evaluation)
        if self.root_moves:
            if may_be_solved(state, self.limits, self.evaluation):
                memory.prepare(state, self.evaluation)  # compiles it before the clock runs, now or at a later move
            memory.prepare(state, self.evaluation, selective)
        self._start_time = time.perf_counter()  # after compiling

    # ---- iterative deepening --------------------------------------------------------------------------------

    def run(self) -> Iterator[Analysis]:
        """Search depth by depth; yield an analysis after each, the last one with the reason of the end."""
        if self.state.is_over():
            yield self._analysis([], 0, "game over", self._final_score())
            return
        self.memory.begin_search(self.state, self.history)
        # Scores of a fixed depth are not those of a table.
        uses_table = self.selective is not None or self.limits.exact
        self._endgames = table_for(self.state) if uses_table else None
        self.memory.use_endgames(self._endgames)
        scale = ranked(self.state, self.evaluation)
        # Where all wins are worth the same, deepening itself finds the nearest win. Graded wins need a search to the
        # end of the game, on the scale of utilities; and with bounds on the distance such a search is faster.
        to_the_end = self.limits.exact and (scale.step == 0 or self.state.has_ranked_bounds)
        last: Analysis | None = None
        try:
            self._begin_scale(scale, self.evaluation)
            for depth in range(1, (self.limits.depth or MAX_DEPTH) + 1):
                if to_the_end and last is not None and last.nodes > WARM_UP_NODES:
                    break
                if self._solved_from is not None and depth > self._solved_from:
                    to_the_end = True
                    break
                last = yield from self._search_depth(depth, scale, last)
                if last.reason == "rounded" and to_the_end:
                    break  # means round less on the scale of utilities, which is finer
                if last.reason != "searching":
                    return
            if to_the_end:
                yield from self._solve(scale, last)
            elif self.limits.exact:
                raise too_long(self.state)
        except parallel.Stopped as stopped:
            yield self._partial_analysis(last, stopped.reason)

    def _solve(self, scale: Scale, last: Analysis | None) -> Iterator[Analysis]:
        """Search to the end of the game, exactly."""
        selective, self.selective = self.selective, None
        if selective is not None:
            self.memory.prepare(self.state, self.evaluation)
        if scale.step == 0:
            scale = plain(self.state)
        self._begin_scale(scale, Nothing())
        try:
            yield from self._search_depth(UNLIMITED_DEPTH, scale, last)
        except parallel.Stopped:
            self.selective = selective  # the result is that of the depths before
            raise

    def _begin_scale(self, scale: Scale, evaluation: Evaluation) -> None:
        self.memory.begin_scale(self.state, scale, evaluation, (type(self.state), self.evaluation, scale))

    def _search_depth(self, depth: int, scale: Scale, last: Analysis | None) -> Generator[Analysis, None, Analysis]:
        """Search all lines to a depth; yield the analysis and return it."""
        lines: list[Line] = []
        self._finished_lines, self._best_so_far = lines, None
        if self.state.to_move() == CHANCE:  # a score, but no move to choose
            result = self._search_line(depth, scale, None, [], last)
            is_exact = result.horizon_nodes == 0
            score = self._score(result.score, scale, is_exact and not self.memory.has_rounded)
            reached = 0 if depth == UNLIMITED_DEPTH else depth
            analysis = self._analysis([], reached, self._reason(depth, is_exact), score)
            yield analysis
            return analysis
        all_exact, scores = True, dict[int, int]()
        for index in range(self.line_count):
            if index and self.limits.seconds is not None and self._seconds() >= self.limits.seconds:
                raise parallel.Stopped("seconds")  # a short search ends before its wait looks at the clock
            centre = None
            if last is not None and index < len(last.lines) and last.depth > 1:
                centre = self._window_centre(depth, last.lines[index], scale)
            result = self._search_line(depth, scale, centre, [line.move for line in lines], last)
            line, is_exact = self._line(result, depth, scale)
            all_exact = all_exact and is_exact
            lines.append(line)
            scores[line.move] = result.score
            if self.selective is not None:  # a later line may get the better score, because other moves were pruned
                lines.sort(key=lambda line: -self._sign * scores[line.move])
        reached = len(lines[0].moves) if depth == UNLIMITED_DEPTH else depth
        analysis = self._analysis(lines, reached, self._reason(depth, all_exact))
        yield analysis
        return analysis

    def _line(self, result: _Result, depth: int, scale: Scale) -> tuple[Line, bool]:
        """The line of a result, and whether its score is exact but for rounded means."""
        score = result.score
        # Quiescence searches tactical moves only: a win that it finds beyond the depth may overlook a defence, and need
        # not be the nearest. It is reported as an unproven win.
        decided = scale.step > 0 and is_decided(score, scale)
        is_near = decided and (plies_of(score, scale) or 0) <= depth + 1
        is_exact = result.horizon_nodes == 0 or (is_near and self.selective is None)
        if decided and not is_exact:
            score = max(1 - WIN, min(score, WIN - 1))
        proven = is_exact and not self.memory.has_rounded
        final, moves = self._score(score, scale, proven), result.moves
        if final.value and final.plies is not None and self._endgames is not None:
            moves = completed(self._endgames, self.state, moves, final.plies)
        return Line(moves[0], moves, line_names(self.state, moves), final), is_exact

    def _reason(self, depth: int, is_exact: bool) -> str:
        """Why the search ends after this depth, or "searching"."""
        if is_exact:
            return "rounded" if self.memory.has_rounded else "exact"
        if depth == (self.limits.depth or MAX_DEPTH) and not self.limits.exact:
            return "depth"
        soft = self.limits.soft_seconds
        if soft is not None and (len(self.root_moves) == 1 or self._seconds() >= soft):
            return "seconds"
        return "searching"

    def _seconds(self) -> float:
        return time.perf_counter() - self._start_time

    # ---- aspiration windows -----------------------------------------------------------------------------------

    def _window_centre(self, depth: int, line: Line, scale: Scale) -> int | None:
        """Centre of the aspiration window: the line's last score on the search's scale; None for a full window.

        In a search to the end the evaluation is a guess only if it estimates the utility, as in Othello the discs.
        """
        if line.score.is_proven:
            return None
        if depth == UNLIMITED_DEPTH:
            most = self.state.max_utility
            is_guess = not self.state.has_chance and self.evaluation.largest_score == most + 1
            return max(-most, min(line.score.estimate or 0, most)) if is_guess else None
        return line.score.estimate if line.score.expected is None else round(line.score.expected * scale.unit)

    def _search_line(
        self, depth: int, scale: Scale, centre: int | None, excluded: list[int], last: Analysis | None
    ) -> _Result:
        """Search all root moves but the excluded ones, with wider and wider windows until the score lies inside."""
        alpha, beta, width = -LIMIT, LIMIT, WINDOW
        if self.selective is not None:
            width = self.selective.aspiration_window
            centre = centre if width > 0 else None
        if depth == UNLIMITED_DEPTH and scale.step > 0:
            best = ranked_score(win_in(1), 0, *scale)
            value = ranked_value(
                lambda value: self._run_kernel(depth, value - 1, value, excluded)[0], -best, best, scale, MAX_PLY
            )
            alpha, beta = value - 1, value + 1  # the line of the value
        elif self.state.has_chance:
            width *= grain_of(scale, self.evaluation)
        elif depth == UNLIMITED_DEPTH:
            alpha, beta, width = -1, 1, 1  # first whether the game is won, drawn or lost, then by how much
        if centre is not None:
            alpha, beta = max(centre - width, -LIMIT), min(centre + width, LIMIT)
        records_best = not excluded and depth != UNLIMITED_DEPTH
        while True:
            try:
                score, ctx = self._run_kernel(depth, alpha, beta, excluded)
            except parallel.Stopped:
                if records_best:
                    self._record_best(scale, last)
                raise
            if records_best and score * self._sign >= (beta if self._sign > 0 else -alpha):
                self._record_best(scale, last, failed_high=ctx)
            width *= WIDENING
            # In a search to the end the score is a bound of the value, so the next window begins there.
            is_bound = depth == UNLIMITED_DEPTH and not self.state.has_chance and width < LIMIT // 64
            if score <= alpha and alpha > -LIMIT:
                beta = score + 1 if is_bound else beta
                alpha = max(score - width, -LIMIT) if width < LIMIT // 64 else -LIMIT
            elif score >= beta and beta < LIMIT:
                alpha = score - 1 if is_bound else alpha
                beta = min(score + width, LIMIT) if width < LIMIT // 64 else LIMIT
            else:
                found = _Result(score, ctx.principal_variation() or tuple(ctx.best_moves()), ctx.horizon_nodes)
                return self._proof(found, scale, excluded) or found

    def _proof(self, found: _Result, scale: Scale, excluded: list[int]) -> _Result | None:
        """Prove a win or loss that a selective search has found, in as many nodes as that search has taken.

        Returns None if there is nothing to prove, or the nodes do not suffice.
        """
        plies = plies_of(found.score, scale)
        if self.selective is None or found.horizon_nodes == 0 or plies is None or plies > MAX_DEPTH:
            return None
        alpha, beta = (found.score - 1, LIMIT) if found.score > 0 else (-LIMIT, found.score + 1)
        self.memory.begin_proof()
        try:
            score, ctx = self._run_kernel(plies, alpha, beta, excluded, self.memory.nodes)
        except parallel.Stopped as stopped:
            if stopped.reason or self._stop_requested.is_set() or self._left_nodes() == 0:
                raise
            return None
        finally:
            self.memory.end_proof()
        return _Result(score, ctx.principal_variation(), 0) if alpha < score < beta else None

    def _left_nodes(self) -> int | None:
        """The nodes that the limits still allow; None: any number."""
        return None if self.limits.nodes is None else max(self.limits.nodes - self.memory.nodes, 0)

    def _record_best(self, scale: Scale, last: Analysis | None, failed_high: AnyContext | None = None) -> None:
        """Record the best root move of an unfinished depth, if it is known to be better than the best one so far.

        It is, if the best move so far was the first that this search searched, and the new one has a principal
        variation, that is a score inside the window. After a search that failed high for the mover, its best move is
        recorded without a variation: the score is a bound.
        """
        known = [line.move for line in (self._best_so_far, *(last.lines[:1] if last else ())) if line]
        for ctx in self.memory.contexts if failed_high is None else [failed_high]:
            variation = ctx.principal_variation()
            if failed_high is None and not variation:
                continue
            if not ctx.best_moves() or (known and any(move not in known for move in ctx.first_moves())):
                continue
            move = ctx.best_moves()[0]
            score = self._score(max(1 - WIN, min(ctx.best_score, WIN - 1)), scale, proven=False)
            best = self._best_so_far
            if best is None or score.number * self._sign >= best.score.number * self._sign:
                moves = variation if failed_high is None else (move,)
                self._best_so_far = Line(move, moves, line_names(self.state, moves), score)

    # ---- the recursive search -------------------------------------------------------------------------------

    def _run_kernel(
        self, depth: int, alpha: int, beta: int, excluded: list[int], most: int | None = None
    ) -> tuple[int, AnyContext]:
        """Run the search on every thread, in at most `most` nodes; return score and context of the first that finishes.

        Raises `Stopped` if a limit, `Engine.stop` or Ctrl-C ended all of them.
        """
        contexts = self.memory.contexts
        for ctx in contexts:
            ctx.begin([*self.excluded, *excluded])
            if self._stop_requested.is_set():  # read after the flag is cleared, so that no request is lost
                ctx.stop = True
        deadline = None if self.limits.seconds is None else self._start_time + self.limits.seconds
        nodes = min((each for each in (self._left_nodes(), most) if each is not None), default=None)
        calls = self.memory.calls(self.state, self.evaluation, depth, alpha, beta)
        try:
            thread, score = parallel.run(calls, contexts, deadline, nodes, self.interrupt)
        except parallel.Stopped:
            raise
        except Exception as error:
            raise failure(error, self.state) from None
        return int(score), contexts[thread]

    # ---- results ----------------------------------------------------------------------------------------------

    def _score(self, score: int, scale: Scale, proven: bool) -> Score:
        return make_score(self.state, score, scale, self.evaluation, proven)

    def _final_score(self) -> Score:
        """Score of a finished game."""
        utility, unit = self.state.utility(), self.evaluation.unit_name
        if not self.state.has_chance:
            return Score(utility, unit=unit)
        return Score(float(utility), unit=unit, expected=float(utility), number=utility * self.evaluation.unit)

    def _static_score(self) -> Score:
        """Static evaluation of the root, for a search that did not finish depth 1."""
        score, unit = int(self.evaluation.score(self.state)), self.evaluation.unit_name
        if not self.state.has_chance:
            return Score(estimate=score, unit=unit)
        return Score(estimate=score, unit=unit, expected=score / self.evaluation.unit, number=score)

    def _partial_analysis(self, last: Analysis | None, reason: str) -> Analysis:
        """Result of a search that was stopped within a depth: that of the last depth, with better lines of this one."""
        reason = reason or ("stopped" if self._stop_requested.is_set() else "nodes")
        lines = self._finished_lines or ([self._best_so_far] if self._best_so_far else [])
        if last is not None:
            proven = {line.move: line for line in last.lines if line.score.is_proven}
            lines = [proven.get(line.move, line) for line in lines]
            lines += [line for line in last.lines if line.move not in [line.move for line in lines]]
            return self._analysis(lines[: len(last.lines)], last.depth, reason, last.score)
        if not lines:  # stopped within depth 1: any legal move
            score = self._static_score()
            if self.state.to_move() == CHANCE:
                return self._analysis([], 0, reason, score)
            move = self.root_moves[0]
            lines = [Line(move, (move,), (self.state.move_name(move),), score)]
        return self._analysis(lines, 0, reason)

    def _confidence(self) -> int | None:
        """The confidence in percent that scores are those of an exact search; None: a selective search states none."""
        return 100 if self.selective is None else self.selective.confidence or None

    def _analysis(self, lines: list[Line], depth: int, reason: str, score: Score | None = None) -> Analysis:
        """Make an analysis; `score` is that of the state if there are no lines."""
        state = self.state
        best = lines[0] if lines else None
        to_move, player = side_names(state)
        return Analysis(
            state=state,
            game=type(state).__name__,
            position=str(state),
            to_move=to_move,
            player=player,
            best=best.names[0] if best else None,
            move=best.move if best else None,
            score=best.score if best else score or Score(estimate=0),
            line=best.names if best else (),
            lines=tuple(lines),
            depth=depth,
            nodes=self.memory.nodes if self.root_moves else 0,
            seconds=self._seconds(),
            reason=reason,
            evaluation=self._evaluation_name,
            algorithm="engine",
            confidence=self._confidence(),
            threads=len(self.memory.contexts),
        )


def may_be_solved(state: State, limits: Limits, evaluation: Evaluation) -> bool:
    """Return whether searches on a clock may search to the end of the game, in a state or later in its game."""
    is_graded = not state.is_over() and ranked(state, evaluation).step == 0
    return limits.only_time and state.max_level > 0 and is_graded


def solving_depth(state: State, limits: Limits, evaluation: Evaluation) -> int | None:
    """Return the depth after which a search on a clock searches to the end of the game; None: it only deepens.

    It is the depth at which the lowest of the game's own levels that solve the state searches the start of the game.
    Only in games with graded results: in others, deepening proves them as fast.
    """
    if not may_be_solved(state, limits, evaluation):
        return None
    solving = (level for level in range(1, state.max_level + 1) if state.search_level(level).depth is None)
    level = next(solving, None)
    return None if level is None else type(state).start().search_level(level).depth
