"""Enhancements of the textbook's alpha-beta: which ones to use, the transposition table, and killer moves.

`zermelo.search.textbook` searches with them. They change the number of visited states, not the value of the root (with
quiescence search, the value is that of the extended tree).

References
----------
- T. A. Marsland and M. Campbell, "Parallel Search of Strongly Ordered Game Trees", Computing Surveys 14, 1982
  (principal variation search).
- D. J. Slate and L. R. Atkin, "CHESS 4.5: The Northwestern University Chess Program", 1977 (iterative deepening,
  transposition table).
- S. G. Akl and M. M. Newborn, "The Principal Continuation and the Killer Heuristic", ACM 1977.
- G. M. Baudet, "The Design and Analysis of Algorithms for Asynchronous Multiprocessors", 1978 (aspiration windows).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

from zermelo.core.game import State, key_function

#: What a value of the transposition table is.
EXACT, LOWER, UPPER = "exact", "lower bound", "upper bound"
#: Number of killer moves kept at each ply.
KILLERS = 2


@dataclass(frozen=True)
class Enhancements:
    """The enhancements of a search; by default none.

    Attributes
    ----------
    null_windows : bool
        Principal variation search: all children but the first are searched with a null window, and again with the
        whole window if they turn out better.
    iterative_deepening : bool
        Search to depth 1, 2, ... up to the depth limit. Needs a depth limit.
    aspiration : int
        Half the width of the root window around the value of the iteration before; 0 for the full window.
    table : bool
        Transposition table. Its values are used at equal remaining depth, its best moves are always tried first.
    killers : bool
        Moves that caused cutoffs at the same ply are tried first, after the move of the table.
    quiescence : bool
        At the depth limit, follow tactical moves.
    key : callable, optional
        Returns the key of a state in the table. By default the state's own, with which values are not used in games
        with rules of repetition, because they depend on the moves before the state.
    move_key : callable, optional
        Returns what identifies the move of a state in other states (`move_key(state, move)`); by default the move.
    """

    null_windows: bool = False
    iterative_deepening: bool = False
    aspiration: int = 0
    table: bool = False
    killers: bool = False
    quiescence: bool = False
    key: Callable[[State], Hashable] | None = None
    move_key: Callable[[State, int], Hashable] | None = None


class Entry(NamedTuple):
    """An entry of the transposition table."""

    #: Remaining depth of the search that stored it.
    depth: int
    #: EXACT, LOWER or UPPER.
    bound: str
    value: int
    #: The best move.
    move: int


class TranspositionTable:
    """Transposition table of unlimited size; a new entry replaces an older one of the same state.

    Parameters
    ----------
    root : State
    enhancements : Enhancements
    has_history_rules : bool
        Whether values depend on the moves before a state.
    scores_wins_by_ply : bool
        Whether a win's score depends on its distance from the root.
    """

    def __init__(
        self, root: State, enhancements: Enhancements, has_history_rules: bool, scores_wins_by_ply: bool
    ) -> None:
        self._key = enhancements.key or key_function(type(root))
        self._uses_values = enhancements.key is not None or not has_history_rules
        self._scores_wins_by_ply = scores_wins_by_ply
        self._entries: dict[Hashable, Entry] = {}

    def key_of(self, state: State, ply: int) -> Hashable:
        """The key of a state. The same state at another ply is another one if wins are scored by their ply."""
        key = self._key(state)
        return (key, ply) if self._scores_wins_by_ply else key

    def entry(self, key: Hashable) -> Entry | None:
        """The entry of a state, or None."""
        return self._entries.get(key)

    def suffices(self, entry: Entry, depth: int, alpha: int, beta: int) -> bool:
        """Whether the value of an entry answers a search of this depth and window."""
        if entry.depth != depth or not self._uses_values:
            return False
        return {EXACT: True, LOWER: entry.value >= beta, UPPER: entry.value <= alpha}[entry.bound]

    def store(self, key: Hashable, depth: int, value: int, alpha: int, beta: int, move: int) -> str:
        """Store what a search with the window (alpha, beta) returned; return whether it is exact or which bound."""
        bound = UPPER if value <= alpha else LOWER if value >= beta else EXACT
        self._entries[key] = Entry(depth, bound, value, move)
        return bound


class KillerMoves:
    """The latest moves that caused cutoffs, by ply."""

    def __init__(self, move_key: Callable[[State, int], Hashable] | None) -> None:
        self._move_key = move_key
        self._killers: dict[int, list[Hashable]] = {}

    def first(self, state: State, moves: list[int], ply: int) -> list[int]:
        """The killer moves among the moves of a state, the latest one first."""
        killers = self._killers.get(ply, [])
        by_key = {self._key(state, move): move for move in moves} if killers else {}
        return [by_key[killer] for killer in killers if killer in by_key]

    def add(self, state: State, move: int, ply: int) -> None:
        """Remember a move that caused a cutoff."""
        key = self._key(state, move)
        others = [killer for killer in self._killers.get(ply, []) if killer != key]
        self._killers[ply] = [key, *others][:KILLERS]

    def _key(self, state: State, move: int) -> Hashable:
        return move if self._move_key is None else self._move_key(state, move)
