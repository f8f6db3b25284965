"""The engine: searches a state with a transposition table that it keeps between searches.

    Engine.analysis(state, ...)  ->  Analysis, Analysis, ...     one after each depth
        RootSearch: for each depth, for each line, for each aspiration window
            SearchMemory: the compiled kernel, one call on each thread
            InterpretedMemory: the search in plain Python

Each step is documented where it is done: `searcher.py` (one search at a time), `root_search.py` (iterative deepening,
aspiration windows, lines), `threads.py` (parallel calls, clock, Ctrl-C), `kernel/` (the compiled search), `memory.py`
(what is kept), `interpreted.py` (the search of games that are not compiled).
"""

from __future__ import annotations

from dataclasses import replace

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import State
from zermelo.search import endgame_tables
from zermelo.search.interpreted import InterpretedMemory, note_interpreted
from zermelo.search.limits import MAX_DEPTH, Limits
from zermelo.search.memory import SearchMemory
from zermelo.search.request import SearchRequest
from zermelo.search.root_search import RootSearch, may_be_solved
from zermelo.search.searcher import MAX_THREADS, KnownAnalysis, Search, Searcher
from zermelo.search.selective import Selective, parameters_for

__all__ = ["DEFAULT_TABLE", "MAX_DEPTH", "MAX_THREADS", "Engine", "Limits"]

DEFAULT_TABLE = "64M"


class Engine(Searcher):
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
    compiled : bool
        False: search all games in plain Python on one thread, as games that cannot be compiled always are.
    selective : bool, int or Selective, optional
        Whether searches are selective, at which confidence in percent (73, 87, 95, 98, 99, or 100: exact; with an
        evaluation that knows its `search_error`), or with which parameters: they look deeper at what seems best, and
        their scores are not minimax values of their depth. Default: in games that declare it, where time is the limit
        and not a depth. Exact searches, games of chance and interpreted games are never searched selectively.

    Raises
    ------
    LimitError
        If a parameter is out of range or the table does not fit into memory.

    Notes
    -----
    An engine runs one search at a time. From one search to the next it keeps its table and, for selective searches of
    the same game and evaluation, the histories of moves and the corrections of static scores. `stop` may be called from
    any thread. All threads search the whole tree; they share results through the table, and moves that another thread
    is searching are deferred (ABDADA).

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
        self,
        table: str | int = DEFAULT_TABLE,
        threads: int = 1,
        *,
        catch_interrupts: bool = False,
        key_bits: int = 64,
        compiled: bool = True,
        selective: Selective | bool | int | None = None,
    ) -> None:
        super().__init__(threads, catch_interrupts)
        self._compiled = compiled
        #: As the parameter; it counts for the searches that begin later.
        self.selective = selective
        self._compiled_memory = SearchMemory(table, threads, key_bits)
        self._interpreted_memory = InterpretedMemory(table)
        self._memory: SearchMemory | InterpretedMemory = self._compiled_memory  # of the latest search

    def is_ready(self, state: State, evaluation: str | Evaluation | None = None, limits: Limits | None = None) -> bool:
        if not (state.is_compiled and self._compiled):
            return True
        selective = parameters_for(state, limits or Limits(), self.selective, evaluation)
        resolved = resolve_evaluation(state, evaluation, selective is not None)
        kinds = {selective, None} if may_be_solved(state, limits or Limits(), resolved) else {selective}
        return all(self._compiled_memory.is_ready(state, resolved, kind) for kind in kinds)

    def _new_search(self, request: SearchRequest) -> Search:
        state = request.state
        compiled = state.is_compiled and self._compiled
        selective = parameters_for(state, request.limits, self.selective, request.evaluation) if compiled else None
        request = replace(request, evaluation=resolve_evaluation(state, request.evaluation, selective is not None))
        known = endgame_tables.answer(request)
        if known is not None:
            return KnownAnalysis(known)
        self._memory = self._compiled_memory if compiled else self._interpreted_memory
        if not compiled:
            note_interpreted(type(state))
        return RootSearch(self._memory, self._stop_requested, request, selective)

    def _free(self) -> None:
        self._compiled_memory.free()
        self._interpreted_memory.free()

    def allocate(self, most: int = 1 << 30) -> None:
        """Let the system allocate the memory of the transposition table now, rather than during the first search.

        Parameters
        ----------
        most : int
            Largest number of bytes to allocate. The rest is allocated as the table fills.

        Notes
        -----
        The memory of a new table is only reserved. Each page costs time when it is first used, which adds up to 10 to
        200 ms for 64 MB. Do not call this during a search.
        """
        self._compiled_memory.allocate(most)

    @property
    def fullness(self) -> float:
        """Fraction of the transposition table in use, 0 to 1, estimated from its first thousand entries."""
        return self._memory.fullness
