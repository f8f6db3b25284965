"""The desk: all the memory that one thread's search writes to, one row of 64-bit integers.

Compiled calls take arrays apart into many arguments, so there is one array with fixed places in it:

    HEADER   25                       counters, limits, flags (below)
    KILLERS  2 for each ply           moves that cut off a sibling, the latest first
    HISTORY  HISTORY_SIZE a side      how well a move did anywhere, by its low bits
    LENGTHS  1 for each ply           the length of the line kept for the ply
    LINES    LONGEST for each ply     the principal variation from the ply on
    EXCLUDED EXCLUDED_SIZE            root moves not to be searched (they have lines of their own)
    POSITIONS PAST_SIZE, 1 a ply      the game's positions before the root, then from ROOT on those of the path
    TIMES    behind each of these     how often it has come up by then
    ARENA    the rest                 the moves of the states on the current path, and their order's scores
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State, hash_combine
from zermelo.core.history import PositionHistory, repeatable_plies
from zermelo.errors import GameError, LimitError
from zermelo.search.scores import LIMIT, bound_of, grain_of

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.scores import Scale

# No path is longer: the depth of an entry has 8 bits, and ply * step must stay below a point of utility.
LONGEST = 250

# ---- header ----
NODES = 0  # states visited
POLL_AT = 1  # the count of nodes at which the flags and limits are looked at again
NODE_LIMIT = 2  # no more nodes than this
STOP = 3  # set from outside: stop as soon as it is seen
STOPPED = 4  # set by the search: the values on their way back mean nothing
HORIZON = 5  # leaves valued by evaluation (or by a table's entry that rests on one); 0: nothing was guessed
OVERFLOW = 6  # set by the search: a path or the moves on it did not fit, or (NO_MOVES) there were none
NO_MOVES = 2
BEST = 7  # the best move at the root, -1: none yet
BASE, UNIT, STEP = 8, 9, 10  # the scale of finished games
KEY_MASK = 11  # which bits of the keys are used (all; fewer in tests)
AGE = 12  # the age of this search in the table, 0 .. 31
EXCLUDED_COUNT = 13
THREADS = 14  # how many threads search together
VALID_AGES = 15  # entries up to this many ages older were scored by the same evaluation and scale

BUCKETS = 16  # how many buckets the table has, a power of two
PAST = 17  # how many of the game's positions before the root are written down

# ---- games of chance ----
ROUNDED = 18  # a mean was no whole number
CHANCES = 19  # how many chance nodes the current path goes through
PROBE = 20  # the next state is to be probed: only its first move is searched (Star2)
PARTIAL = 21  # a probe tried one move only, so its value bounds from one side (Star2)
GRAIN, BOUND = 22, 23  # the fine scale: grains to a point of the evaluation; no value lies beyond +-BOUND

# ---- the root ----
WORTH = 24  # the score of BEST; a bound where it lies outside the window

KILLERS = 25
HISTORY_SIZE = 4096
HISTORY = KILLERS + 2 * (LONGEST + 2)
LENGTHS = HISTORY + 2 * HISTORY_SIZE
LINES = LENGTHS + LONGEST + 2
EXCLUDED_SIZE = 1024
EXCLUDED = LINES + (LONGEST + 2) * (LONGEST + 2)
POSITIONS = EXCLUDED + EXCLUDED_SIZE
PAST_SIZE = 4096
ROOT = POSITIONS + PAST_SIZE
TIMES = PAST_SIZE + LONGEST + 2  # from a position's place to that of its number of times
ARENA = POSITIONS + 2 * TIMES
ARENA_SIZE = 1 << 16
DESK_SIZE = ARENA + 2 * ARENA_SIZE

# Nodes between two looks at the stop flag. At 200,000 nodes/s, the slowest evaluation imaginable in compiled
# code, that is 5 ms; at 30 million it costs nothing.
POLL_EVERY = 1024
NO_LIMIT = 1 << 62


def new_desk() -> np.ndarray:
    """A cleared desk; set scale and limits before use."""
    desk = np.zeros(DESK_SIZE, np.int64)
    desk[NODE_LIMIT] = NO_LIMIT
    desk[KEY_MASK] = -1
    desk[UNIT] = 1
    desk[GRAIN] = 1
    desk[BOUND] = LIMIT
    desk[KILLERS:HISTORY] = -1
    return desk


def set_scale(desk: np.ndarray, state: State, scale: Scale, evaluation: Evaluation) -> None:
    """Write down how a search scores finished games and evaluations. Raises `GameError` for what no entry can hold."""
    bound = bound_of(state, scale, evaluation)
    if state.has_chance and bound >= LIMIT:
        raise GameError(
            f"{type(state).__name__} by {type(evaluation).__name__}: results of up to {bound:,} points; in a game of "
            f"chance they must stay below {LIMIT:,}: choose a smaller unit, max_utility or largest_score"
        )
    desk[BASE], desk[UNIT], desk[STEP] = scale
    desk[GRAIN] = grain_of(scale, evaluation)
    desk[BOUND] = min(bound, LIMIT)


def write_past(desk: np.ndarray, state: State, history: Sequence[State] | PositionHistory) -> None:
    """Write down the positions of the game before the root that can come up again. Raises `LimitError` for too many."""
    kept = repeatable_plies(state, len(history)) if state.draw_at_repetition else 0
    if kept > PAST_SIZE:
        raise LimitError(f"history: {kept:,} states can come up again; a search can take {PAST_SIZE:,} into account")
    past = history if isinstance(history, PositionHistory) else PositionHistory(history if kept else ())
    for back in range(1, kept + 1):
        desk[ROOT - back] = hash_combine(Bitboard(past.keys[-back]), 0) >> 1  # as `past.may_be_drawn` writes them
        desk[ROOT - back + TIMES] = past.occurrences[-back]
    desk[PAST] = kept


def count_node(desk):
    """Count a node. Every `POLL_EVERY` nodes look at the limits; sets STOPPED when one is reached.

    The flag is read where the same array has just been written, so that the read cannot be moved out of
    the search by the compiler.
    """
    desk[NODES] += 1
    if desk[NODES] >= desk[POLL_AT]:
        poll(desk)


def poll(desk):
    """Look at the stop flag and the limits, and set when to look again."""
    if desk[STOP] != 0:
        desk[STOPPED] = 1
    if desk[NODES] > desk[NODE_LIMIT]:
        desk[STOPPED] = 1
        desk[NODES] -= 1  # the node that was one too many is not visited
    desk[POLL_AT] = min(desk[NODES] + POLL_EVERY, desk[NODE_LIMIT] + 1)
