"""Base of the engines: one search at a time, stopped from any thread, by a limit or by Ctrl-C."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, Self

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import IllegalMove, InputError, LimitError
from zermelo.search import threads as parallel
from zermelo.search.analysis import Analysis
from zermelo.search.limits import Limits, limits_or_default
from zermelo.search.request import SearchRequest

MAX_THREADS = 256


class Memory(Protocol):
    """What an engine keeps from one search to the next."""

    @property
    def contexts(self) -> Sequence[parallel.Context]:
        """Counters and flags of each thread."""

    @property
    def nodes(self) -> int:
        """States visited by the last search."""

    def free(self) -> None:
        """Release the memory."""


class Search(Protocol):
    """The search of one state."""

    #: Set by Ctrl-C.
    interrupt: threading.Event

    def run(self) -> Iterator[Analysis]:
        """Yield the results so far, the last one with the reason of the end."""


class KnownAnalysis:
    """A search whose result is known."""

    def __init__(self, known: Analysis) -> None:
        self.interrupt = threading.Event()
        self._known = known

    def run(self) -> Iterator[Analysis]:
        yield self._known


class Searcher(ABC):
    """An engine: it searches one state at a time and keeps its memory from one search to the next.

    Use it as a context manager, or call `close`, to free the memory at once. Subclasses define `_new_search`.
    """

    _memory: Memory

    def __init__(self, threads: int, catch_interrupts: bool) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise LimitError(f"threads must be between 1 and {MAX_THREADS} (got {threads})")
        self.threads = threads
        self.catch_interrupts = catch_interrupts
        self._stop_requested = threading.Event()
        self._in_use = threading.Lock()  # held while it searches
        # The latest search. No reference to the search itself: engine and search would form a cycle, and the memory
        # would not be freed before the next garbage collection.
        self._search_token: object = None
        self._is_closed = False

    @abstractmethod
    def _new_search(self, request: SearchRequest) -> Search:
        """Begin a search."""

    def is_ready(self, state: State, evaluation: str | Evaluation | None = None, limits: Limits | None = None) -> bool:
        """Whether a search of the state begins at once, since nothing has to be compiled for it.

        Parameters
        ----------
        state : State
            The state to search.
        evaluation : str or Evaluation, optional
            As in `zermelo.analysis`.
        limits : Limits, optional
            The limits of the search, which decide whether it is selective.
        """
        return True

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
        """Search a state and yield an `Analysis` from time to time: the engine after each depth.

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
        search = self._new_search(SearchRequest(state, limits, evaluation, lines, history, moves))
        self._search_token = token = object()
        return self._results(search, token)

    def _results(self, search: Search, token: object) -> Iterator[Analysis]:
        analyses = search.run()
        last: Analysis | None = None
        while True:
            if self._is_closed:
                raise InputError("this engine is closed")
            if self._search_token is not token:
                raise LimitError("another search has been started on this engine; it runs one at a time")
            with self._in_use, parallel.catching_interrupts(search.interrupt, raises=not self.catch_interrupts):
                result = next(analyses, None)
            last = result or last
            if search.interrupt.is_set() and last is not None:  # perhaps while its last depth finished
                yield replace(last, reason="interrupted")
                return
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
        check_state(state)
        if not validate_root(state):
            raise IllegalMove(f"no move to choose in {state}: the game is over")
        if state.to_move() == CHANCE:
            raise IllegalMove(f"no move to choose in {state}: chance moves next")
        *_, last = self.analysis(state, limits, evaluation=evaluation, history=history, moves=moves)
        assert last.move is not None, "a player moves and has a legal move: the search has checked it"
        return last.move

    def _free(self) -> None:
        """Release the memory."""
        self._memory.free()

    def stop(self) -> None:
        """Stop the running search, which then ends with what it has found (reason "stopped").

        May be called from any thread. The search stops within milliseconds.
        """
        self._stop_requested.set()
        for ctx in self._memory.contexts:
            ctx.stop = True

    def close(self) -> None:
        """Stop a running search and free the memory. The engine cannot search any more."""
        self._is_closed = True
        self.stop()
        with self._in_use:  # a search in another thread has stopped now
            self._free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def nodes(self) -> int:
        """States visited so far by the running search, or by the last one, on all threads."""
        return self._memory.nodes
