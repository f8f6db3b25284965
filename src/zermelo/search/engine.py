"""The engine: searches a state with a transposition table that it keeps between searches.

    Engine.analysis(state, ...)  ->  Analysis, Analysis, ...     one after each depth
        RootSearch: for each depth, for each line, for each aspiration window
            run_search: the compiled kernel, one call on each thread

Each step is documented where it is done: `root_search.py` (iterative deepening, aspiration windows, lines),
`threads.py` (parallel calls, clock, Ctrl-C), `kernel/` (the compiled search), `memory.py` (what is kept).
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory
from zermelo.errors import IllegalMove, InputError, LimitError
from zermelo.search import threads as parallel
from zermelo.search.analysis import Analysis
from zermelo.search.limits import MAX_DEPTH, Limits, limits_or_default
from zermelo.search.memory import SearchMemory
from zermelo.search.root_search import RootSearch

__all__ = ["DEFAULT_TABLE", "MAX_DEPTH", "MAX_THREADS", "Engine", "Limits"]

MAX_THREADS = 256
DEFAULT_TABLE = "64M"


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
    An engine runs one search at a time. `stop` may be called from any thread. All threads search the whole tree; they
    share results through the table, and moves that another thread is searching are deferred (ABDADA).

    References
    ----------
    - J.-C. Weill, "The ABDADA Distributed Minimax-Search Algorithm", ICCA Journal 19, 1996.

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
        if not 1 <= threads <= MAX_THREADS:
            raise LimitError(f"threads must be between 1 and {MAX_THREADS} (got {threads})")
        self.threads = threads
        self.catch_interrupts = catch_interrupts
        self._memory = SearchMemory(table, threads, key_bits)
        self._stop_requested = threading.Event()
        self._in_use = threading.Lock()  # held while a depth is searched
        # The latest search. No reference to the search itself: engine and search would form a cycle, and the table
        # would not be freed before the next garbage collection.
        self._search_token: object = None
        self._is_closed = False

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
        InputError
            If the engine is closed.
        """
        if limits is None:
            limits = Limits(depth, seconds, nodes, exact)
        elif (depth, seconds, nodes, exact) != (None, None, None, False):
            raise LimitError("limits excludes depth, seconds, nodes and exact")
        if self._is_closed:
            raise InputError("this engine is closed")
        if self._in_use.locked():
            raise LimitError("this engine is searching in another thread; use one engine per thread")
        self._stop_requested.clear()
        search = RootSearch(self._memory, self._stop_requested, state, limits, evaluation, lines, history, moves)
        self._search_token = token = object()
        return self._results(search, token)

    def _results(self, search: RootSearch, token: object) -> Iterator[Analysis]:
        analyses = search.run()
        while True:
            if self._is_closed:
                raise InputError("this engine is closed")
            if self._search_token is not token:
                raise LimitError("another search has been started on this engine; it runs one at a time")
            with self._in_use, parallel.catching_interrupts(search.interrupt):
                result = next(analyses, None)
            if search.interrupt.is_set() and not self.catch_interrupts:
                raise KeyboardInterrupt
            if result is None:
                return
            yield result

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
        limits = limits_or_default(depth, seconds, nodes, exact)
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
        limits = limits_or_default(depth, seconds, nodes, exact)
        *_, last = self.analysis(state, limits, evaluation=evaluation, history=history, moves=moves)
        if last.move is None:
            why = "the game is over" if state.is_over() else "chance moves next"
            raise IllegalMove(f"no move to choose in {state}: {why}")
        return last.move

    def stop(self) -> None:
        """Stop the running search, which then ends with what it has found (reason "stopped").

        May be called from any thread. The search stops within milliseconds.
        """
        self._stop_requested.set()
        for ctx in self._memory.contexts:
            ctx.stop = True

    def close(self) -> None:
        """Stop a running search and free the transposition table. The engine cannot search any more."""
        self._is_closed = True
        self.stop()
        with self._in_use:  # a search in another thread has stopped now
            self._memory.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def nodes(self) -> int:
        """States visited so far by the running search, or by the last one, on all threads."""
        return self._memory.nodes

    @property
    def fullness(self) -> float:
        """Fraction of the transposition table in use, 0 to 1, estimated from its first thousand entries."""
        return self._memory.fullness
