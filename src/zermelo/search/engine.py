"""The engine: deepening, windows, clock, threads and lines around the compiled kernel.

    search(state, limits)   ->   Analysis, Analysis, ...     one after each depth
        for each depth:          for each line asked for:    for each window until the score is inside:
            the kernel, one compiled call on each thread; the first to finish stops the others

The loop is Python; a depth is one call. The main thread only waits, so Ctrl-C and the clock work at once: they
set a flag that the kernel sees within a thousand nodes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation, Nothing, resolve_evaluation
from zermelo.core.game import CHANCE, MIN, State
from zermelo.core.history import PositionHistory, check_history
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import IllegalMove, InputError, LimitError
from zermelo.search import threads as workers
from zermelo.search.analysis import SIDES, Analysis, Line, Score, line_names, make_score
from zermelo.search.compiled_textbook import failure, too_long
from zermelo.search.context import MAX_EXCLUDED, UNLIMITED_DEPTH, SearchContext
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import (
    LIMIT,
    WIN,
    Scale,
    grain_of,
    is_decided,
    plain,
    plies_of,
    ranked,
)
from zermelo.search.table import AGES, ENTRY, MARKS, NO_MOVE, buckets_in, new_table, parse_size

DEEPEST = 200  # plies; asked for more, a search could outrun its memory for lines
MOST_THREADS = 256
DEFAULT_TABLE = "64M"
DEFAULT_SECONDS = 5.0  # of a search that returns one result, if no limit is given
# The first window reaches so far to each side of the last depth's score; wrong guesses widen it fourfold.
WINDOW = 16
# An exact search of a graded game starts with depths cut off by evaluation, as long as they are cheap: they
# leave good moves in the table. So many nodes, all in all, are cheap.
WARM_UP_NODES = 300_000


@dataclass(frozen=True)
class Limits:
    """What ends a search: the first limit that is reached. Without one the search goes on until the game is solved.

    Attributes
    ----------
    depth : int or None
        Maximum depth in plies, 1 to 200.
    seconds : float or None
        Maximum wall-clock time.
    nodes : int or None
        Maximum number of states visited by all threads together.
    exact : bool
        Search to the end of the game. Excludes `depth`.
    soft_seconds : float or None
        Time after which no further depth is begun. With a single legal move, no depth beyond the first is begun.
        For game clocks, see `zermelo.search.timing`.

    Raises
    ------
    LimitError
        If a limit is out of range.
    """

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    exact: bool = False
    soft_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise LimitError(f"depth must be between 1 and {DEEPEST} plies (got {self.depth})")
        for seconds in (self.seconds, self.soft_seconds):
            if seconds is not None and not 0 < seconds < 1e9:
                raise LimitError(f"seconds must be above 0 and finite (got {seconds})")
        if self.nodes is not None and self.nodes < 1:
            raise LimitError(f"nodes must be at least 1 (got {self.nodes})")
        if self.exact and self.depth is not None:
            raise LimitError("exact and depth exclude each other: an exact search goes to the end of the game")


class Engine:
    """A search engine that keeps its transposition table from one search to the next.

    Use it as a context manager, or call `close`, to free the table at once.

    Parameters
    ----------
    table : str or int
        Size of the transposition table in bytes, for example "256M".
    threads : int
        Threads that search together and share the table, 1 to 256.
    catch_interrupts : bool
        What Ctrl-C does during a search in the main thread. False: `KeyboardInterrupt` is raised once the threads have
        stopped. True: the search ends with an `Analysis` of what it found, whose reason is "interrupted".
    key_bits : int
        Bits of the hash keys that are used. For tests.

    Raises
    ------
    LimitError
        If a parameter is out of range or the table does not fit into memory.

    Notes
    -----
    An engine runs one search at a time. `stop` may be called from any thread. Several threads search by lazy SMP and
    ABDADA: each searches the whole tree, and they share results through the table.

    Examples
    --------
    >>> import zermelo
    >>> start = zermelo.load("connect4").start()
    >>> with zermelo.Engine(table="16M") as engine:
    ...     first = engine.analyse(start, depth=6)
    ...     second = engine.analyse(start.play(first.move), depth=6)  # finds entries of the first search
    >>> start.move_name(first.move)
    '4'
    """

    def __init__(
        self, table: str | int = DEFAULT_TABLE, threads: int = 1, *, catch_interrupts: bool = False, key_bits: int = 64
    ) -> None:
        if not 1 <= threads <= MOST_THREADS:
            raise LimitError(f"threads must be between 1 and {MOST_THREADS} (got {threads})")
        self.threads = threads
        self.catch_interrupts = catch_interrupts
        self._buckets = buckets_in(parse_size(table))
        try:
            self._table = new_table(self._buckets)
        except MemoryError:
            raise LimitError(f"a table of {table} does not fit into this machine's memory") from None
        self._key_mask = -1 if key_bits >= 64 else (1 << key_bits) - 1
        self._contexts = [SearchContext() for _ in range(threads)]
        self._age = 0
        self._valid_ages = 0
        self._scored_by: tuple[Any, ...] | None = None
        self._stop = threading.Event()
        # The search that may use the engine, known by a token: a reference to the search would close a circle with the
        # engine, and the table would wait for the garbage collector.
        self._current: object = None

    # ---- searches -----------------------------------------------------------------------------------------

    def analysis(
        self,
        state: State,
        limits: Limits | None = None,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        exact: bool = False,
        evaluation: str | Evaluation | None = None,
        lines: int = 1,
        history: Sequence[State] | PositionHistory = (),
        moves: Collection[int] = (),
    ) -> Iterator[Analysis]:
        """Search a state by iterative deepening and yield an `Analysis` after each depth.

        Parameters not listed here, yields and errors are those of `zermelo.analysis`.

        Parameters
        ----------
        limits : Limits, optional
            All limits in one object, in place of `depth`, `seconds`, `nodes` and `exact`.
        moves : collection of int
            Search only these root moves. Scores, also proven ones, are then those of a mover who must choose among
            them. Default: all legal moves.

        Raises
        ------
        LimitError
            If a limit is out of range or `moves` are not legal, at once; later, if another search has been started on
            this engine in the meantime.
        """
        if limits is None:
            limits = Limits(depth, seconds, nodes, exact)
        elif (depth, seconds, nodes, exact) != (None, None, None, False):
            raise LimitError("limits excludes depth, seconds, nodes and exact")
        if not self._contexts:
            raise InputError("this engine is closed")
        self._stop.clear()
        run = _Run(self, state, limits, evaluation, lines, history, moves)
        self._current = run.token
        return self._analyses(run)

    def analyse(
        self,
        state: State,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        exact: bool = False,
        evaluation: str | Evaluation | None = None,
        lines: int = 1,
        history: Sequence[State] = (),
        moves: Collection[int] = (),
    ) -> Analysis:
        """Search a state and return the last `Analysis`.

        Parameters and errors are those of `zermelo.analysis`. Without a limit the search takes at most 5 seconds.
        """
        limits = _limits_or_default(depth, seconds, nodes, exact)
        *_, last = self.analysis(state, limits, evaluation=evaluation, lines=lines, history=history, moves=moves)
        return last

    def best_move(
        self,
        state: State,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        exact: bool = False,
        evaluation: str | Evaluation | None = None,
        history: Sequence[State] = (),
        moves: Collection[int] = (),
    ) -> int:
        """Search a state and return its best move, as an int for `state.play`.

        Parameters and errors are those of `zermelo.analysis`. Without a limit the search takes at most 5 seconds.

        Raises
        ------
        IllegalMove
            If the game is over or chance moves next.
        """
        limits = _limits_or_default(depth, seconds, nodes, exact)
        *_, last = self.analysis(state, limits, evaluation=evaluation, history=history, moves=moves)
        if last.move is None:
            why = "the game is over" if state.is_over() else "chance moves next"
            raise IllegalMove(f"no move to choose in {state}: {why}")
        return last.move

    def stop(self) -> None:
        """Stop the running search, which then ends with what it has found (reason "stopped").

        May be called from any thread. The search stops within milliseconds.
        """
        self._stop.set()
        for ctx in self._contexts:
            ctx.stop = True

    def close(self) -> None:
        """Stop a running search and free the transposition table. The engine cannot search any more."""
        self.stop()
        self._current = None
        self._contexts = []
        self._table = new_table(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def nodes(self) -> int:
        """States visited so far by the running search, or by the last one, on all threads."""
        return sum(ctx.nodes for ctx in self._contexts)

    @property
    def fullness(self) -> float:
        """Fraction of the transposition table in use, 0 to 1, estimated from its first thousand entries."""
        entries = self._table[1 : min(1000 * ENTRY, len(self._table) - MARKS) : ENTRY]
        return float(np.count_nonzero(entries) / len(entries))

    def _analyses(self, run: _Run) -> Iterator[Analysis]:
        analyses = run.depths()
        while True:
            with workers.catching_interrupts(run.interrupt):
                analysis = next(analyses, None)
            if analysis is None:
                return
            if analysis.reason == "interrupted" and not self.catch_interrupts:
                raise KeyboardInterrupt
            yield analysis

    # ---- memory -------------------------------------------------------------------------------------------

    def _new_age(self, scored_by: tuple[Any, ...]) -> None:
        """Before scores of another search, evaluation or scale are written to the table.

        Entries stay valid as long as the same evaluation and scale wrote them; their moves stay useful anyway.
        """
        self._age += 1
        self._valid_ages += 1
        if scored_by != self._scored_by:
            self._valid_ages = 0
            self._scored_by = scored_by
            for ctx in self._contexts:  # no entry of a rounded mean serves any more
                ctx.rounded = False
        if self._age == AGES:  # ages would come round again
            self._table[:] = 0
            self._age = self._valid_ages = 0

    @property
    def _is_rounded(self) -> bool:
        """Whether any mean over chance had to be rounded, as far as the table's entries go back."""
        return any(ctx.rounded for ctx in self._contexts)

    def _prepare_contexts(self, state: State, scale: Scale, evaluation: Evaluation) -> None:
        for ctx in self._contexts:
            ctx.set_scale(state, scale, evaluation)
            ctx.key_mask = self._key_mask
            ctx.age = self._age
            ctx.valid_ages = self._valid_ages
            ctx.buckets = self._buckets
            ctx.threads = self.threads


def _limits_or_default(depth: int | None, seconds: float | None, nodes: int | None, exact: bool) -> Limits:
    """Limits of a call that returns one result; 5 seconds if there are none."""
    if not exact and depth is None and nodes is None and seconds is None:
        seconds = DEFAULT_SECONDS
    return Limits(depth, seconds, nodes, exact)


class _Run:
    """One search of one state."""

    def __init__(
        self,
        engine: Engine,
        state: State,
        limits: Limits,
        evaluation: str | Evaluation | None,
        lines: int,
        history: Sequence[State] | PositionHistory,
        moves: Collection[int],
    ) -> None:
        check_state(state)
        self.engine = engine
        self.token = object()
        self.state = state
        self.limits = limits
        self.evaluation = resolve_evaluation(state, evaluation)
        self.evaluation_name = next(
            (name for name, known in state.evaluations.items() if known == self.evaluation),
            type(self.evaluation).__name__.lower(),
        )
        self.legal = validate_root(state, self.evaluation)
        check_history(history, state)
        self.history = history
        if lines < 1:
            raise LimitError(f"lines must be at least 1 (got {lines})")
        self.left_out: list[int] = []
        if moves and self.legal:
            self.left_out = [move for move in self.legal if move not in moves]
            if len(self.legal) - len(self.left_out) < len(set(moves)) or len(self.left_out) > MAX_EXCLUDED:
                raise LimitError(
                    f"moves: {len(set(moves))} are to be searched, of {len(self.legal)} legal ones; they must be "
                    f"among these, and at most {MAX_EXCLUDED:,} can be left out"
                )
            self.legal = [move for move in self.legal if move in moves]
        room = MAX_EXCLUDED - len(self.left_out)
        self.wanted = max(min(lines, len(self.legal), room), 1)
        self.sign = -1 if not state.is_over() and state.to_move() == MIN else 1
        self.interrupt = threading.Event()
        # Of a depth that is not finished: the lines that are, and before there is one, the best root move so far.
        self.found: list[Line] = []
        self.better: Line | None = None
        if self.legal:
            self.call = native(run_search, *self._arguments(1, -LIMIT, LIMIT))
        self.began = time.perf_counter()  # compiling is not searching

    # ---- depths ---------------------------------------------------------------------------------------------

    def depths(self) -> Iterator[Analysis]:
        if self.state.is_over():
            yield self._analysis([], 0, "game over", self._final_score())
            return
        scale = ranked(self.state, self.evaluation)
        for ctx in self.engine._contexts:
            ctx.set_history(self.state, self.history)
            ctx.nodes = ctx.next_poll = 0
            ctx.stop = ctx.stopped = False
            ctx.clear_move_ordering()
        # A graded game is solved on the plain scale, to its end; else deepening itself finds the nearest win.
        to_the_end = self.limits.exact and scale.step == 0
        last: Analysis | None = None
        try:
            self._use(scale, self.evaluation)
            for depth in range(1, (self.limits.depth or DEEPEST) + 1):
                if to_the_end and last is not None and last.nodes > WARM_UP_NODES:
                    break
                last = yield from self._depth(depth, scale, last)
                if last.reason == "rounded" and to_the_end:
                    break  # the scale of utilities alone is finer
                if last.reason != "searching":
                    return
            if to_the_end:
                scale = plain(self.state)
                self._use(scale, Nothing())  # no evaluation has a part in it
                yield from self._depth(UNLIMITED_DEPTH, scale, last)
            elif self.limits.exact:
                raise too_long(self.state)
        except workers.Stopped as stopped:
            yield self._cut_short(last, stopped.reason)

    def _use(self, scale: Scale, evaluation: Evaluation) -> None:
        self.engine._new_age((type(self.state), self.evaluation, scale))
        self.engine._prepare_contexts(self.state, scale, evaluation)

    def _depth(self, depth: int, scale: Scale, last: Analysis | None) -> Generator[Analysis, None, Analysis]:
        """One depth, all its lines; yields its analysis and returns it."""
        if self.state.to_move() == CHANCE:  # nobody chooses: a score, but no move and no line
            score, _, guesses = self._window_search(depth, scale, None, [], last)
            reached = 0 if depth == UNLIMITED_DEPTH else depth
            exact = guesses == 0 and not self.engine._is_rounded
            made = make_score(self.state, score, scale, self.evaluation, exact)
            analysis = self._analysis([], reached, self._reason(depth, guesses == 0), made)
            yield analysis
            return analysis
        found: list[Line] = []
        self.found, self.better = found, None
        finished = True
        for index in range(self.wanted):
            guess = None
            if last is not None and index < len(last.lines) and last.depth > 1 and depth != UNLIMITED_DEPTH:
                guess = self._guess(last.lines[index], scale)
            score, moves, guessed = self._window_search(depth, scale, guess, [line.move for line in found], last)
            # A win found further below, by quiescence, may pass over draws and need not be the nearest.
            decided = scale.step > 0 and is_decided(score, scale)
            exact = guessed == 0 or (decided and (plies_of(score, scale) or 0) <= depth + 1)
            if decided and not exact:
                score = max(1 - WIN, min(score, WIN - 1))
            finished = finished and exact
            exact = exact and not self.engine._is_rounded
            made = make_score(self.state, score, scale, self.evaluation, exact)
            found.append(Line(moves[0], moves, line_names(self.state, moves), made))
        reason = self._reason(depth, finished)
        reached = len(found[0].moves) if depth == UNLIMITED_DEPTH else depth
        analysis = self._analysis(found, reached, reason)
        yield analysis
        return analysis

    def _final_score(self) -> Score:
        """The score of a finished game."""
        utility = self.state.utility()
        unit = self.evaluation.unit_name
        if not self.state.has_chance:
            return Score(utility, unit=unit)
        return Score(float(utility), unit=unit, expected=float(utility), number=utility * self.evaluation.unit)

    def _static_score(self) -> Score:
        """The evaluation's score of the root, for a search that finished no depth at all."""
        score, unit = int(self.evaluation.score(self.state)), self.evaluation.unit_name
        if not self.state.has_chance:
            return Score(estimate=score, unit=unit)
        return Score(estimate=score, unit=unit, expected=score / self.evaluation.unit, number=score)

    def _guess(self, line: Line, scale: Scale) -> int | None:
        """Centre of the aspiration window of the next depth, on the scale of the search; None for a full window."""
        if line.score.is_proven:
            return None
        return line.score.estimate if line.score.expected is None else round(line.score.expected * scale.unit)

    def _reason(self, depth: int, finished: bool) -> str:
        """Why the search ends with this depth, if it does; `finished`: no line ended at the horizon."""
        if finished:
            return "rounded" if self.engine._is_rounded else "exact"
        if depth == (self.limits.depth or DEEPEST) and not self.limits.exact:
            return "depth"
        soft = self.limits.soft_seconds
        if soft is not None and (len(self.legal) == 1 or time.perf_counter() - self.began >= soft):
            return "seconds"
        return "searching"

    # ---- windows --------------------------------------------------------------------------------------------

    def _window_search(
        self, depth: int, scale: Scale, guess: int | None, excluded: list[int], last: Analysis | None
    ) -> tuple[int, tuple[int, ...], int]:
        """The exact score at a depth, its line, and how many guesses (evaluations) it rests on."""
        alpha, beta, width = -LIMIT, LIMIT, WINDOW
        if self.state.has_chance:
            width *= grain_of(scale, self.evaluation)
        elif depth == UNLIMITED_DEPTH:
            alpha, beta, width = -1, 1, 1  # who wins is found out first, and then by how much
        if guess is not None:
            alpha, beta = max(guess - width, -LIMIT), min(guess + width, LIMIT)
        while True:
            try:
                score, ctx = self._parallel(depth, alpha, beta, excluded)
            except workers.Stopped:
                if not excluded and depth != UNLIMITED_DEPTH:
                    self._note_better(scale, last)
                raise
            if not excluded and depth != UNLIMITED_DEPTH and score * self.sign >= (beta if self.sign > 0 else -alpha):
                self._note_better(scale, last, ctx)
            width *= 4
            if score <= alpha and alpha > -LIMIT:
                alpha = max(score - width, -LIMIT) if width < LIMIT // 64 else -LIMIT
            elif score >= beta and beta < LIMIT:
                beta = min(score + width, LIMIT) if width < LIMIT // 64 else LIMIT
            else:
                return score, ctx.principal_variation() or (ctx.best_move,), ctx.horizon_nodes

    def _note_better(self, scale: Scale, last: Analysis | None, risen: SearchContext | None = None) -> None:
        """Remember the best root move of a depth that is not finished, if it is known to be better than the last best.

        That it is, if the last best, or what was better already, was searched before it, and it came out above the
        window's floor: then it heads a line. Of a search that rose above the window (`risen` is its context) it is the
        move that did, without a line: its score is a bound.
        """
        compared = [line.move for line in (self.better, *(last.lines[:1] if last else ())) if line]
        for ctx in self.engine._contexts if risen is None else [risen]:
            best, line = ctx.best_move, ctx.principal_variation()
            if best < 0 or (risen is None and not line) or (compared and ctx.stack[0] not in compared):
                continue
            score = make_score(self.state, max(1 - WIN, min(ctx.best_score, WIN - 1)), scale, self.evaluation, False)
            if self.better is None or score.number * self.sign >= self.better.score.number * self.sign:
                moves = line if risen is None else (best,)
                self.better = Line(best, moves, line_names(self.state, moves), score)

    def _arguments(self, depth: int, alpha: int, beta: int, thread: int = 0) -> tuple[Any, ...]:
        ctx = self.engine._contexts[thread]
        return self.state, self.evaluation, EnginePolicy(), depth, alpha, beta, 0, 0, ctx, self.engine._table

    def _parallel(self, depth: int, alpha: int, beta: int, excluded: list[int]) -> tuple[int, SearchContext]:
        """The kernel on every thread; score and context of the first that finishes. Raises `workers.Stopped`."""
        if self.engine._current is not self.token:
            raise LimitError("another search has been started on this engine, or it was closed")
        contexts = self.engine._contexts
        self.engine._table[-MARKS:] = 0  # what stopped threads left behind
        excluded = [*self.left_out, *excluded]
        for ctx in contexts:
            ctx.exclude(excluded)
            ctx.horizon_nodes = ctx.line_lengths[0] = 0
            ctx.best_move = NO_MOVE
            ctx.stop = False
            if self.engine._stop.is_set():  # read after the flag is cleared, so that no request is lost
                ctx.stop = True
        deadline = None if self.limits.seconds is None else self.began + self.limits.seconds
        nodes = None if self.limits.nodes is None else self.limits.nodes - self.engine.nodes
        calls = [partial(self.call, *self._arguments(depth, alpha, beta, index)) for index in range(len(contexts))]
        try:
            index, score = workers.run(calls, contexts, deadline, nodes, self.interrupt)
        except workers.Stopped:
            raise
        except Exception as error:
            raise failure(error, self.state) from None
        return int(score), contexts[index]

    # ---- results ----------------------------------------------------------------------------------------------

    def _cut_short(self, last: Analysis | None, reason: str) -> Analysis:
        """The result when a depth could not be finished: that of the last one, but for what this one found better."""
        reason = reason or ("stopped" if self.engine._stop.is_set() else "nodes")
        lines = self.found or ([self.better] if self.better else [])
        if last is not None:
            proven = {line.move: line for line in last.lines if line.score.is_proven}
            lines = [proven.get(line.move, line) for line in lines]
            lines += [line for line in last.lines if line.move not in [line.move for line in lines]]
            lines = lines[: len(last.lines)]
            return self._analysis(lines, last.depth, reason, last.score)
        if not lines:  # not even the first depth: any legal move, valued by the evaluation
            score = self._static_score()
            if self.state.to_move() == CHANCE:
                return self._analysis([], 0, reason, score)
            move = self.legal[0]
            lines = [Line(move, (move,), (self.state.move_name(move),), score)]
        return self._analysis(lines, 0, reason)

    def _analysis(
        self,
        lines: list[Line],
        depth: int,
        reason: str,
        score: Score | None = None,
    ) -> Analysis:
        first = lines[0] if lines else None
        to_move = CHANCE if self.state.is_over() else self.state.to_move()
        return Analysis(
            state=self.state,
            game=type(self.state).__name__,
            position=str(self.state),
            to_move=SIDES[to_move] if not self.state.is_over() else "none",
            player=self.state.player_name(to_move) if not self.state.is_over() else "none",
            best=first.names[0] if first else None,
            move=first.move if first else None,
            score=first.score if first else score or Score(estimate=0),
            line=first.names if first else (),
            lines=tuple(lines),
            depth=depth,
            nodes=self.engine.nodes if self.legal else 0,
            seconds=time.perf_counter() - self.began,
            reason=reason,
            evaluation=self.evaluation_name,
            algorithm="engine",
            threads=self.engine.threads,
        )
