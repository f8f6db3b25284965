"""Information-set Monte Carlo tree search (ISMCTS): tree search in games with hidden information.

Each iteration draws a state that the searching player thinks possible, and plays one game from it. Moves are chosen by
the statistics of information sets, not of states, so the search cannot use what the players do not see.

    table[key of an information set and a move]  ->  visits, times available, sum of results

Statistics lie in a hash table, not in nodes with children: the moves that other players see of a state differ, so
paths meet again. The same function runs interpreted and compiled.

References
----------
P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4, 2012.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, State, hash_combine
from zermelo.core.random_numbers import random_below, random_outcome, random_word
from zermelo.core.validation import as_game_error
from zermelo.errors import GameError, LimitError, ZermeloError
from zermelo.search.limits import Limits
from zermelo.search.mcts.tree import Nodes
from zermelo.search.table import parse_size

#: Constant of UCB, as in the paper; it maximizes mean + EXPLORATION * sqrt(ln(available) / visits), means in 0 .. 1.
EXPLORATION = 0.7
DEFAULT_MEMORY = "64M"
MAX_SEED = (1 << 62) - 1
#: The most plies of a game; a longer one counts as a draw.
MAX_PLIES = 2_000
#: Whose information the statistics belong to.
OBSERVERS = ("multiple", "single")

# An entry of the table is five 64-bit words; its key is 0 where it is free. MARK is the last random number before it
# was counted as available: moves that the observer cannot tell apart share an entry.
ENTRY = 5
KEY, VISITS, AVAILABLE, TOTAL, MARK = range(ENTRY)
# Part of the table that is filled at most; then no entries are added.
_FILL = 0.75
# Iterations of the first compiled call; each further call runs twice as many, until it takes `_CALL_SECONDS`.
_FIRST_BATCH = 64
_CALL_SECONDS = 0.1
# Working memory: entries in use, random numbers drawn, then the path.
USED, DRAWN, PATH = range(3)


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What a search has found out about a move."""

    move: Any
    #: Games in which it was played first.
    visits: int
    #: The mean utility of these games for the searching player.
    mean: float


@dataclass(frozen=True, slots=True)
class HiddenSearch:
    """The result of a search in a game with hidden information."""

    #: The move to play.
    move: Any
    #: The legal moves, the one to play first.
    moves: tuple[MoveStatistics, ...]
    #: Iterations, or states searched.
    nodes: int


def ismcts(
    state: State,
    nodes: int | None = None,
    seconds: float | None = None,
    *,
    seed: int = 0,
    observers: str = "multiple",
    memory: str | int = DEFAULT_MEMORY,
    compiled: bool = True,
) -> HiddenSearch:
    """Search an information set by information-set Monte Carlo tree search.

    Parameters
    ----------
    state : State
        Any state of the information set of the side to move. The result depends on what that player knows alone.
    nodes : int, optional
        Number of iterations.
    seconds : float, optional
        Maximum time in seconds, without compiling. One of both limits is required.
    seed : int
        Seed of all random choices, 0 to 2^62 - 1.
    observers : {"multiple", "single"}
        Whose information statistics belong to. "multiple": the player's who moves (MO-ISMCTS). "single": always the
        searching player's; moves of the opponent that it cannot tell apart share their statistics, and one of them is
        chosen at random (SO-ISMCTS with partially observable moves).
    memory : str or int
        Size of the table of statistics in bytes.
    compiled : bool
        False: run in plain Python, with the same result. Games without compiled `resample` and `information_key` always
        do.

    Returns
    -------
    HiddenSearch
        The move with the most visits first.

    Raises
    ------
    LimitError
        If a parameter is out of range.
    GameError
        If the game is over, chance is to move, or the game's code fails.

    Examples
    --------
    >>> import zermelo
    >>> from zermelo.search.mcts.information_sets import ismcts
    >>> state = zermelo.load("kuhn").parse("KJ check bet")
    >>> state.move_name(ismcts(state, 1000).move)
    'call'
    """
    limits = Limits(nodes=nodes, seconds=seconds)
    if limits.nodes is None and limits.seconds is None:
        raise LimitError("ismcts needs a limit: nodes or seconds")
    if not 0 <= seed <= MAX_SEED:
        raise LimitError(f"seed must be between 0 and 2^62 - 1 (got {seed})")
    if observers not in OBSERVERS:
        raise LimitError(f"observers must be multiple or single (got {observers})")
    moves = decisions(state)
    size = 1 << max((parse_size(memory, "memory") // (8 * ENTRY)).bit_length() - 1, 10)
    try:
        table = np.zeros(size * ENTRY, np.int64)
    except MemoryError:
        raise LimitError(f"a table of {size * ENTRY * 8:,} bytes does not fit into this machine's memory") from None
    work = np.zeros(PATH + 2 * MAX_PLIES, np.int64)
    single = 1 if observers == "single" else 0
    arguments = (state, single, seed, 0, table, work)
    call: Any = run_information_sets
    if compiled and state.is_compiled and state.has_resample and state.has_information_key:
        call = native(run_information_sets, *arguments)
    done, batch = 0, _FIRST_BATCH
    try:
        call(*arguments)
        began = time.perf_counter()
        while limits.nodes is None or done < limits.nodes:
            count = batch if limits.nodes is None else min(batch, limits.nodes - done)
            called = time.perf_counter()
            call(state, single, seed, count, table, work)
            done += count
            now = time.perf_counter()
            if limits.seconds is not None and now - began >= limits.seconds:
                break
            if now - called < _CALL_SECONDS / 2:
                batch *= 2
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, state) from error
    return HiddenSearch(*_ranked(state, moves, table), done)


def decisions(state: State) -> list[Any]:
    """Return the legal moves of a state where a player is to move. Raises `GameError`."""
    if state.is_over() or state.to_move() == CHANCE:
        raise GameError(f"{type(state).__name__}: no player is to move in {state}")
    return state.legal_moves()


def _ranked(state: State, moves: list[Any], table: Nodes) -> tuple[Any, tuple[MoveStatistics, ...]]:
    side = state.to_move()
    key = set_key(state, side, side)
    found = []
    for move in moves:
        at = find(entry_key(key, Bitboard(move)), table)
        visits = int(table[at + VISITS])
        found.append(MoveStatistics(move, visits, float(table[at + TOTAL]) / visits if visits else 0.0))
    ranked = sorted(found, key=lambda each: each.visits, reverse=True)
    return ranked[0].move, tuple(ranked)


# ---- the search, interpreted or compiled --------------------------------------------------------------------------


def set_key(state: State, observer: int, side: int) -> Bitboard:
    """The key of an information set: what the observer knows, and who moves."""
    return hash_combine(Bitboard(state.information_key(observer)), 2 + side)


def entry_key(key: Bitboard, move: Bitboard) -> int:
    """The key of the entry of a move in an information set, in 1 .. 2**63 - 1."""
    return int(hash_combine(key, move + 1) >> 1) | 1


def find(wanted: int, table: Nodes) -> int:
    """The offset of the entry with a key, or of the free entry where it belongs."""
    size = len(table) // ENTRY
    at = (wanted >> 1) & (size - 1)
    while table[at * ENTRY + KEY] != 0 and table[at * ENTRY + KEY] != wanted:
        at = (at + 1) & (size - 1)
    return at * ENTRY


def next_random(seed: int, work: Nodes) -> int:
    """The next random number of a seed."""
    drawn = int(work[DRAWN])
    work[DRAWN] = drawn + 1
    return random_word(seed, drawn)


def move_key(key: Bitboard, state: State, move: int, observer: int, single: int) -> int:
    """The key of the entry of a move: of its number, or of what a single observer sees of an opponent's move."""
    if single == 0 or state.to_move() == observer:
        return entry_key(key, Bitboard(move))
    child = state.play(move)
    if child.is_over():
        return entry_key(key, Bitboard(0))
    return entry_key(key, set_key(child, observer, child.to_move()))


def run_information_sets(root: State, single: int, seed: int, count: int, table: Nodes, work: Nodes) -> None:
    """Run iterations."""
    observer = root.to_move()
    most = int(_FILL * (len(table) // ENTRY))
    for _ in range(count):
        state = root.resample(observer, next_random(seed, work))
        depth = 0
        plies = 0
        in_tree = True
        while not state.is_over() and plies < MAX_PLIES:
            side = state.to_move()
            plies += 1
            random = next_random(seed, work)
            if state.has_chance and side == CHANCE:
                state = state.play(random_outcome(state, random))
                continue
            at = -1
            if in_tree:
                key = set_key(state, observer if single == 1 else side, side)
                at = chosen_entry(state, key, observer, single, seed, most, table, work)
            if at < 0:  # outside the tree, or the table is full
                state = state.play(state.playout_move(random))
                in_tree = False
                continue
            work[PATH + 2 * depth] = at
            work[PATH + 2 * depth + 1] = side
            depth += 1
            in_tree = table[at + VISITS] > 0
            state = state.play(move_of_entry(state, key, at, observer, single, random, table))
        utility = state.utility() if state.is_over() else 0
        for index in range(depth):
            at = work[PATH + 2 * index]
            table[at + VISITS] += 1
            table[at + TOTAL] += utility * work[PATH + 2 * index + 1]


def chosen_entry(
    state: State, key: Bitboard, observer: int, single: int, seed: int, most: int, table: Nodes, work: Nodes
) -> int:
    """The offset of the entry to follow: one never visited, at random, or the one of highest UCB; -1 without any."""
    mark = int(work[DRAWN])
    untried = 0
    best = -1
    best_value = 0.0
    for move in state.moves():
        wanted = move_key(key, state, move, observer, single)
        at = find(wanted, table)
        if table[at + KEY] == 0:
            if work[USED] >= most:
                continue
            table[at + KEY] = wanted
            work[USED] += 1
        if table[at + MARK] == mark:
            continue
        table[at + MARK] = mark
        table[at + AVAILABLE] += 1
        visits = table[at + VISITS]
        if visits == 0:
            untried += 1
            if random_below(untried, next_random(seed, work)) == 0:
                best = at
        elif untried == 0:
            mean = (table[at + TOTAL] / visits / state.max_utility + 1.0) / 2.0
            value = mean + EXPLORATION * math.sqrt(math.log(table[at + AVAILABLE]) / visits)
            if best < 0 or value > best_value:
                best = at
                best_value = value
    return best


def move_of_entry(state: State, key: Bitboard, at: int, observer: int, single: int, random: int, table: Nodes) -> int:
    """A move of an entry, at random among those that share it."""
    count = 0
    for move in state.moves():
        count += table[at + KEY] == move_key(key, state, move, observer, single)
    below = random_below(count, random)
    chosen = 0
    for move in state.moves():
        if table[at + KEY] == move_key(key, state, move, observer, single):
            if below == 0:
                chosen = move
            below -= 1
    return chosen
