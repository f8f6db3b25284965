"""Memory of an engine: the transposition table, and one search context for each thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from zermelo.compiled import is_native, native
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError
from zermelo.search.context import SearchContext
from zermelo.search.endgame_tables import EndgameTable
from zermelo.search.kernel.search import run_search
from zermelo.search.kernel.selective import run_selective_search
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, Scale
from zermelo.search.selective import SELECTIVE, Selective, SelectiveContext
from zermelo.search.table import AGES, ENTRY, MARKS, buckets_in, new_table, parse_size


class SearchMemory:
    """Transposition table and search contexts, kept from one search to the next.

    Parameters
    ----------
    table : str or int
        Size of the transposition table in bytes.
    threads : int
        Number of search contexts.
    key_bits : int
        Bits of the hash keys that are used.

    Raises
    ------
    LimitError
        If the size cannot be read or the table does not fit into memory.
    """

    def __init__(self, table: str | int, threads: int, key_bits: int) -> None:
        self.buckets = buckets_in(parse_size(table))
        try:
            self.table = new_table(self.buckets)
        except MemoryError:
            raise LimitError(f"a table of {table} does not fit into this machine's memory") from None
        self.contexts = [SearchContext() for _ in range(threads)]
        self._key_mask = -1 if key_bits >= 64 else (1 << key_bits) - 1
        self._age = 0
        self._valid_ages = 0
        self._selectivities = [0] * AGES  # of the searches of each age
        self._scored_by: tuple[Any, ...] | None = None
        self._selective: Selective | None = None
        self.selective_contexts: list[SelectiveContext] = []
        self._histories_of: tuple[Any, ...] | None = None  # game and evaluation of the histories of selective contexts
        self._endgames: EndgameTable | None = None  # kept alive while contexts have its address

    def free(self) -> None:
        """Release the table and the contexts."""
        self.contexts = []
        self.selective_contexts = []
        self._endgames = None
        self._scored_by = self._histories_of = None
        self.table = new_table(1)

    def clear(self) -> None:
        """Forget all searches: the next one is like the first."""
        self.table[:] = 0
        self._age = self._valid_ages = 0
        self._scored_by = self._histories_of = None

    def allocate(self, most: int) -> None:
        """Write to the table's first `most` bytes, which makes the system allocate them now, not during a search."""
        part = self.table[: most // self.table.itemsize]
        part |= 0

    @property
    def nodes(self) -> int:
        """States visited since `begin_search`, by all threads."""
        return sum(ctx.nodes for ctx in self.contexts)

    @property
    def fullness(self) -> float:
        """Fraction of the table in use, 0 to 1, estimated from its first thousand entries."""
        entries = self.table[1 : min(1000 * ENTRY, len(self.table) - MARKS) : ENTRY]
        return float(np.count_nonzero(entries) / len(entries))

    @property
    def has_rounded(self) -> bool:
        """Whether a mean over chance was rounded, in this search or in one whose table entries are still valid."""
        return any(ctx.rounded for ctx in self.contexts)

    def prepare(self, state: State, evaluation: Evaluation, selective: Selective | None = None) -> None:
        """Compile the search of a game, or load its machine code; a selective one if there are parameters for it.

        Raises
        ------
        GameError
            Names the line of the user's file that cannot be compiled.
        """
        self._selective = selective
        if selective is not None:
            histories_of = type(state), evaluation
            keeps_history = selective.keep_history and self._histories_of == histories_of
            self._histories_of = histories_of
            while len(self.selective_contexts) < len(self.contexts):
                self.selective_contexts.append(SelectiveContext())
            for memory in self.selective_contexts:
                memory.begin(keeps_history)
        self._kernel = native(*self._call(0, state, evaluation, 1, -LIMIT, LIMIT))

    def is_ready(self, state: State, evaluation: Evaluation, selective: Selective | None = None) -> bool:
        """Whether `prepare` has nothing to compile."""
        arguments = self._arguments(self.contexts[0], state, evaluation, 1, -LIMIT, LIMIT)
        if selective is None:
            return is_native(run_search, *arguments)
        return is_native(run_selective_search, *_with_parameters(arguments, selective, SelectiveContext()))

    def calls(self, state: State, evaluation: Evaluation, depth: int, alpha: int, beta: int) -> list[Callable[[], int]]:
        """Return the calls that search the state together, one for each context."""
        self.table[-MARKS:] = 0  # marks of moves being searched, left behind by stopped threads
        return [
            partial(self._kernel, *self._call(index, state, evaluation, depth, alpha, beta)[1:])
            for index in range(len(self.contexts))
        ]

    def _call(
        self, index: int, state: State, evaluation: Evaluation, depth: int, alpha: int, beta: int
    ) -> tuple[Any, ...]:
        """The function and the arguments of the call in a context."""
        arguments = self._arguments(self.contexts[index], state, evaluation, depth, alpha, beta)
        if self._selective is None:
            return run_search, *arguments
        return run_selective_search, *_with_parameters(arguments, self._selective, self.selective_contexts[index])

    def _arguments(
        self, ctx: SearchContext, state: State, evaluation: Evaluation, depth: int, alpha: int, beta: int
    ) -> tuple[Any, ...]:
        return state, evaluation, EnginePolicy(), depth, alpha, beta, 0, 0, ctx, self.table

    def begin_search(self, state: State, history: Sequence[State] | PositionHistory) -> None:
        """Reset counters, flags and move ordering, and record the game before the root."""
        for ctx in self.contexts:
            ctx.set_history(state, history)
            ctx.nodes = ctx.next_poll = 0
            ctx.stop = ctx.stopped = False
            ctx.clear_move_ordering()

    def use_endgames(self, table: EndgameTable | None) -> None:
        """Set the endgame table of the next searches."""
        self._endgames = table
        for ctx in self.contexts:
            ctx.endgame_men = 0 if table is None else table.men
            ctx.endgame_bytes = 1 if table is None else table.entries.itemsize
            ctx.endgame_address = 0 if table is None else int(table.entries.ctypes.data)

    def begin_scale(self, state: State, scale: Scale, evaluation: Evaluation, scored_by: tuple[Any, ...]) -> None:
        """Begin a new age of the table for scores on a scale, by an evaluation.

        Entries of earlier ages stay valid as long as `scored_by`, which identifies game, evaluation and scale, is the
        same. The moves of all entries remain useful for move ordering.
        """
        self._age += 1
        self._valid_ages += 1
        if scored_by != self._scored_by:
            self._valid_ages = 0
            self._scored_by = scored_by
            for ctx in self.contexts:  # entries with rounded means are not valid any more
                ctx.rounded = False
        for ctx in self.contexts:
            ctx.set_scale(state, scale, evaluation)
            ctx.key_mask = self._key_mask
            ctx.buckets = self.buckets
            ctx.threads = len(self.contexts)
        self._begin_level(0 if self._selective is None else SELECTIVE - self._selective.confidence)

    def _begin_level(self, selectivity: int) -> None:
        """Set the level of the present age: of the entries that are written, and of those whose scores are used."""
        if self._age >= AGES:  # an entry has few bits for its age: start again with an empty table
            self.table[:] = 0
            self._age = self._valid_ages = 0
        self._selectivities[self._age] = selectivity
        for ctx in self.contexts:
            for age, each in enumerate(self._selectivities):
                ctx.selectivities[age] = each
            ctx.selectivity = selectivity
            ctx.age = self._age
            ctx.valid_ages = self._valid_ages

    def begin_proof(self) -> None:
        """Give up nothing in the next calls of a selective search, and use no score of selective searches."""
        self._age += 1
        self._valid_ages += 1
        self._begin_level(0)
        for memory in self.selective_contexts:
            memory.is_full = True

    def end_proof(self) -> None:
        """Give up again what the parameters say.

        Scores of the proof are of several depths, so they count as selective from now on.
        """
        assert self._selective is not None
        self._begin_level(SELECTIVE - self._selective.confidence)
        for memory in self.selective_contexts:
            memory.is_full = False


def _with_parameters(arguments: tuple[Any, ...], selective: Selective, memory: SelectiveContext) -> tuple[Any, ...]:
    """The arguments of `run_selective_search`, from those of `run_search`."""
    state, evaluation, policy, *rest, ctx, table = arguments
    return state, evaluation, policy, selective, *rest, ctx, memory, table
