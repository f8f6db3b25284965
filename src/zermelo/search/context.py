"""Search context: all memory that the search of one thread writes to, apart from the shared transposition table.

A `SearchContext` is a `Record`: interpreted and compiled code read and write the same fields by name. It travels
through the recursion as one pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zermelo.core.accumulator import ACCUMULATOR_WORDS, STATE_WORDS
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State, hash_combine
from zermelo.core.hints import inline
from zermelo.core.history import PositionHistory, has_repetition_rule, repeatable_plies
from zermelo.core.record import Record, Words, words
from zermelo.errors import GameError, LimitError
from zermelo.search.scores import LIMIT, bound_of, grain_of
from zermelo.search.table import AGES, NO_MOVE
from zermelo.search.table import UNLIMITED_DEPTH as UNLIMITED_DEPTH

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.scores import Scale

# Longest path from the root, in plies: a table entry has 8 bits for the depth, and MAX_PLY * step must stay below one
# unit of utility (see `zermelo.search.scores`).
MAX_PLY = 250
PLIES = MAX_PLY + 2  # one more than MAX_PLY for the root, one more because a node clears the line of its children
HISTORY_SIZE = 4096  # entries of the history table of one side, indexed by the low bits of the move
MAX_EXCLUDED = 1024  # root moves that can be excluded
MAX_GAME_POSITIONS = 4096  # positions of the game before the root that can be recorded
ROOT = MAX_GAME_POSITIONS  # index of the root in `path_keys` and `path_counts`
STACK_SIZE = 1 << 17  # words: two for each move of a node on the current path, four for each outcome of a chance node

# Nodes between two checks of the stop flag. At 200,000 nodes/s, about the slowest evaluation in compiled code, these
# are 5 ms; at 30 million nodes/s the check costs nothing measurable.
POLL_INTERVAL = 1024
NO_LIMIT = 1 << 62

# Values of `SearchContext.error`.
NO_ERROR = 0
OVERFLOW = 1  # the path is longer than MAX_PLY, or its moves do not fit on the stack
NO_MOVES = 2  # a state that is not over has no moves


class SearchContext(Record):
    """The memory of one search thread. Set the scale and the limits before a search."""

    # ---- counters and limits ----
    nodes: int  # nodes visited
    next_poll: int  # number of nodes at which the stop flag and the limits are checked next
    node_limit: int
    stop: bool  # set by another thread: stop at the next check
    stopped: bool  # set by the search: it is unwinding, and the scores that it returns mean nothing
    error: int  # why the search stopped itself: NO_ERROR, OVERFLOW or NO_MOVES
    horizon_nodes: int  # scores that depend on an evaluation; 0 after a search: its score is exact

    # ---- root ----
    best_move: int  # -1: none yet
    best_score: int  # score of `best_move`; a bound if it lies outside the window
    excluded_count: int  # number of moves in `excluded_moves`

    # ---- scale of scores ----
    base: int
    unit: int
    step: int
    grain: int  # steps of the scale in one point of the evaluation (games of chance)
    bound: int  # no score is above `bound` or below `-bound` (games of chance)

    # ---- transposition table and threads ----
    buckets: int  # size of the table, a power of two
    key_mask: int  # bits of the keys in use: all; fewer in tests
    age: int  # age of this search in the table, 0 to 31
    valid_ages: int  # entries up to `valid_ages` older have scores of the same evaluation and scale
    threads: int  # number of threads of this search
    selectivity: int  # of this search: 0 if it is exact, else larger the less certain it is; at most `SELECTIVE`

    # ---- chance nodes ----
    rounded: bool  # a mean was not a whole number and was rounded
    chance_depth: int  # number of chance nodes on the current path
    probing: bool  # the next node is probed: only its first move is searched (Star2)
    child_score: int  # score of the last outcome, for the generator of a chance node
    mean: int  # score of the last chance node
    partial: bool  # the last node searched only some of its moves, so its score is a bound (Star2)

    # ---- partition search ----
    relevance: int  # the features that the last score rests on

    # ---- endgame table (see `zermelo.search.kernel.endgame_probing`) ----
    endgame_address: int  # of its entries
    endgame_men: int  # the most men of its positions; 0: no table
    endgame_bytes: int  # the size of an entry, 1 or 2

    # ---- accumulators of the evaluation (see `zermelo.search.accumulation`) ----
    accumulated_ply: int  # the last ply of the path whose accumulator is up to date

    # ---- repetition ----
    game_positions: int  # number of positions of the game before the root in `path_keys`

    # ---- arrays ----
    selectivities: Words = words(AGES)  # of the searches of each age in the table
    killers: Words = words(2 * PLIES)  # two for each ply, the most recent first
    history: Words = words(2 * HISTORY_SIZE)  # MAX's moves, then MIN's
    line_lengths: Words = words(PLIES)  # length of the principal variation from each ply
    lines: Words = words(PLIES * PLIES)  # the principal variation from each ply, in rows of PLIES words
    excluded_moves: Words = words(MAX_EXCLUDED)  # root moves that are not searched
    path_keys: Words = words(MAX_GAME_POSITIONS + PLIES)  # positions of the game and, from ROOT on, of the path
    path_counts: Words = words(MAX_GAME_POSITIONS + PLIES)  # how often each of them had occurred by then
    stack: Words = words(STACK_SIZE)  # (move, ordering score) for each move of each node on the current path
    path_moves: Words = words(PLIES)  # the moves of the path; the first one leads to ply 1
    states: Words = words(PLIES * STATE_WORDS)  # the states of the path
    accumulators: Words = words(PLIES * ACCUMULATOR_WORDS)

    def __init__(self) -> None:
        super().__init__()
        self.node_limit = NO_LIMIT
        self.key_mask = -1
        self.unit = self.grain = 1
        self.bound = LIMIT
        self.clear_move_ordering()

    def clear_move_ordering(self) -> None:
        """Forget the killer moves and the history scores."""
        self.fill("history", 0)
        self.fill("killers", -1)

    def set_scale(self, state: State, scale: Scale, evaluation: Evaluation) -> None:
        """Set how finished games and evaluations are scored.

        Raises
        ------
        GameError
            If the scores of a game of chance do not fit a table entry.
        """
        bound = bound_of(state, scale, evaluation)
        if state.has_chance and bound >= LIMIT:
            raise GameError(
                f"{type(state).__name__} by {type(evaluation).__name__}: scores of a game of chance must stay below "
                f"{LIMIT:,} (got up to {bound:,}); choose a smaller unit, max_utility or largest_score"
            )
        self.base, self.unit, self.step = scale
        self.grain = grain_of(scale, evaluation)
        self.bound = min(bound, LIMIT)

    def set_history(self, state: State, history: Sequence[State] | PositionHistory) -> None:
        """Record the positions of the game before the root that can occur again.

        Raises
        ------
        LimitError
            If there are more than `MAX_GAME_POSITIONS`.
        """
        count = repeatable_plies(state, len(history)) if has_repetition_rule(state) else 0
        if count > MAX_GAME_POSITIONS:
            raise LimitError(
                f"history: at most {MAX_GAME_POSITIONS:,} positions that can occur again are supported (got {count:,})"
            )
        past = history if isinstance(history, PositionHistory) else PositionHistory(history if count else ())
        for back in range(1, count + 1):
            self.path_keys[ROOT - back] = path_key(past.keys[-back])
            self.path_counts[ROOT - back] = past.occurrences[-back]
        self.game_positions = count

    def begin(self, excluded: Sequence[int]) -> None:
        """Reset the results, and set the root moves that are not searched."""
        self.excluded_count = len(excluded)
        for index, move in enumerate(excluded):
            self.excluded_moves[index] = move
        self.reset_results()
        self.stop = False

    def reset_results(self) -> None:
        """Reset the results, but not the stop flag, which may end several searches."""
        self.horizon_nodes = self.line_lengths[0] = 0
        self.best_move = NO_MOVE

    def best_moves(self) -> Sequence[int]:
        """The best root move so far, alone in a sequence; empty if there is none yet."""
        return () if self.best_move == NO_MOVE else (self.best_move,)

    def first_moves(self) -> Sequence[int]:
        """The root move that was searched first, alone in a sequence."""
        return (self.stack[0],)

    def principal_variation(self) -> tuple[int, ...]:
        """The line of the last search from the root; empty if no score was inside the window."""
        return tuple(self.lines[: self.line_lengths[0]])


def path_key(position: int) -> int:
    """A repetition key as a word of `path_keys`: mixed, for a game's keys need not be hashes, and without the sign."""
    return int(hash_combine(Bitboard(position), 0) >> 1)


@inline
def count_node(ctx: SearchContext) -> None:
    """Count a node, and check the limits every `POLL_INTERVAL` nodes; sets `stopped` when one is reached.

    LLVM may hoist a read of the flag out of a loop; here it is read right after a write to the same memory.
    """
    ctx.nodes += 1
    if ctx.nodes >= ctx.next_poll:
        check_limits(ctx)


def check_limits(ctx: SearchContext) -> None:
    """Check the stop flag and the node limit, and set when to check again."""
    if ctx.stop:
        ctx.stopped = True
    if ctx.nodes > ctx.node_limit:
        ctx.stopped = True
        ctx.nodes -= 1  # the node above the limit is not visited
    ctx.next_poll = min(ctx.nodes + POLL_INTERVAL, ctx.node_limit + 1)


def stop_with(error: int, ctx: SearchContext) -> int:
    """Stop the search because of an error, the first one counts. Returns a score that means nothing."""
    if not ctx.stopped:
        ctx.error = error
    ctx.stopped = True
    return 0
