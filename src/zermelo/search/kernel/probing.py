"""Scores that are known before the moves are searched: from the transposition table and from the gains of moves."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.hints import inline, prefetch
from zermelo.core.history import has_history_rules
from zermelo.search.context import SearchContext
from zermelo.search.kernel.leaves import best_gain, can_use_gains
from zermelo.search.kernel.partition import probe_partition, save_partition, uses_partition
from zermelo.search.kernel.pruning import child_search, uses_candidates
from zermelo.search.kernel.variation import clear_line
from zermelo.search.policy import Policy
from zermelo.search.repetition import table_key
from zermelo.search.table import (
    AGES,
    EXACT,
    LOWER,
    NO_MOVE,
    UNLIMITED_DEPTH,
    UPPER,
    Table,
    age_in,
    bound_in,
    bucket_of,
    depth_in,
    from_entry,
    is_solved,
    look_up,
    move_in,
    pack,
    score_in,
    store,
    to_entry,
    to_worth,
)

# Below this depth searching a state again is faster than looking it up.
MIN_TABLE_DEPTH = 2


@inline
def begin_node(state: State, policy: Policy, depth: int, ply: int, ctx: SearchContext, table: Table) -> None:
    """Clear the node's line, and load the state's bucket of the table, which `known_score` reads after other work.

    Where a node loads the buckets of its children, the state's own is loaded already.
    """
    clear_line(policy, ply, ctx)
    if policy.transposition_table and depth >= MIN_TABLE_DEPTH:
        if not (has_history_rules(state) or state.has_partition or loads_children(state, policy, depth, ctx)):
            prefetch(table, bucket_of(ctx.buckets, state.key() & ctx.key_mask))


@inline
def loads_children(state: State, policy: Policy, depth: int, ctx: SearchContext) -> bool:
    """Whether a node loads the buckets of its children: where it searches the game's candidates only."""
    if has_history_rules(state) or state.has_partition or not state.has_candidates:
        return False
    return policy.transposition_table and uses_candidates(state, policy, depth, ctx)


@inline
def known_score(
    state: State, evaluation: Evaluation, policy: Policy, depth: int, alpha: int, beta: int, ply: int,
    ctx: SearchContext, table: Table,
) -> tuple[Bitboard, bool, int, int]:  # fmt: skip
    """The state's key; whether a known score decides the window; that score; the table's move (NO_MOVE if none).

    On the principal variation no score is used, because it would cut the line short. A line ends at a chance node, so
    scores are used below it in every window, and everywhere if no line is kept.
    """
    is_off_pv = beta - alpha <= 1 or (state.has_chance and ctx.chance_depth > 0) or (not policy.keeps_line and ply > 0)
    key = Bitboard(0)
    # 7. Transposition table.
    if uses_partition(state, policy, depth, ctx):
        key = state.partition_key()
        is_known, score, move = probe_partition(state, alpha, beta, key, ctx, table)
        return key, is_known, score, move
    if policy.transposition_table and depth >= MIN_TABLE_DEPTH:
        key = table_key(state, depth, ply, ctx) & ctx.key_mask
        is_known, score, move = probe_table(key, depth, alpha, beta, ply, is_off_pv, ctx, table)
        if not is_known and depth == UNLIMITED_DEPTH and beta - alpha <= 1 and state.has_endgame_solver:
            is_known, score = score_by_move(state, evaluation, policy, alpha, beta, ply, ctx, table)
        if not is_known and loads_children(state, policy, depth, ctx):
            load_children(state, evaluation, policy, alpha, beta, ctx, table)
        return key, is_known, score, move
    # 7a. Frontier node: the score of the best move from what the moves gain, without making them.
    if depth == 1 and is_off_pv and ply > 0 and can_use_gains(state, evaluation, policy) and not state.may_end():
        ctx.horizon_nodes += 1
        sign = -1 if state.to_move() == MIN else 1
        score = best_gain(state, evaluation, sign, beta if sign > 0 else -alpha, ply, ctx)
        return key, True, sign * score, NO_MOVE
    return key, False, 0, NO_MOVE


@inline
def load_children(
    state: State, evaluation: Evaluation, policy: Policy, alpha: int, beta: int, ctx: SearchContext, table: Table
) -> None:
    """Load the buckets of the states after all candidates, while these are scored and the first ones are searched."""
    side = state.to_move()
    low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
    for move in state.candidates():
        image, _, _ = child_search(state.play(move), evaluation, policy, UNLIMITED_DEPTH, side, low, high)
        prefetch(table, bucket_of(ctx.buckets, image.key() & ctx.key_mask))


@inline
def score_by_move(
    state: State, evaluation: Evaluation, policy: Policy, alpha: int, beta: int, ply: int,
    ctx: SearchContext, table: Table,
) -> tuple[bool, int]:  # fmt: skip
    """Whether the table's score of the state after some move causes a beta cutoff, and that score.

    This is enhanced transposition cutoff, in searches to the end of games with an endgame solver: there a node stands
    for thousands of others. In Connect Four, whose nodes are cheap, looking up all moves saves 5 % of the nodes and
    costs more.
    """
    if has_history_rules(state) or state.has_partition or state.has_chance:
        return False, 0
    side = state.to_move()
    low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
    for move in state.moves():  # load all buckets ahead
        child = state.play(move)
        if child.is_endgame():  # solved without the table
            return False, 0
        image, _, _ = child_search(child, evaluation, policy, UNLIMITED_DEPTH, side, low, high)
        prefetch(table, bucket_of(ctx.buckets, image.key() & ctx.key_mask))
    for move in state.moves():
        child = state.play(move)
        image, lower, upper = child_search(child, evaluation, policy, UNLIMITED_DEPTH, side, low, high)
        key = image.key() & ctx.key_mask
        is_known, score, _ = probe_table(key, UNLIMITED_DEPTH, lower, upper, ply + 1, True, ctx, table)
        if is_known and (score >= high if side == MAX else -score >= high):
            return True, score
    return False, 0


def probe_table(
    key: Bitboard, depth: int, alpha: int, beta: int, ply: int, may_cut: bool, ctx: SearchContext, table: Table
) -> tuple[bool, int, int]:
    """The part of `known_score` that reads the table."""
    data = look_up(table, ctx.buckets, key)
    if not data:
        return False, 0, NO_MOVE
    if may_cut and is_usable(data, depth, ctx):
        score = from_entry(score_in(data), ply, ctx.base, ctx.step)
        bound = bound_in(data)
        if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
            if not is_solved(data):
                ctx.horizon_nodes += 1
            return True, score, NO_MOVE
    return False, 0, move_in(data)


def is_usable(data: Bitboard, depth: int, ctx: SearchContext) -> bool:
    """Whether an entry's score is one of this depth, evaluation and scale, from a search as certain as this one.

    A solved score is that of all depths from the entry's on. But a selective search may have looked beyond its depth,
    so its solved scores are true, and not always those of a search to that depth.
    """
    age = age_in(data)
    if (ctx.age - age) % AGES > ctx.valid_ages:
        return False
    is_certain = ctx.selectivities[age] <= ctx.selectivity
    if is_solved(data):
        return depth >= depth_in(data) and (is_certain or depth == UNLIMITED_DEPTH)
    return depth_in(data) == depth and is_certain


@inline
def save_score(
    state: State, policy: Policy, score: int, move: int, side: int, depth: int, ply: int, alpha: int, beta: int,
    before: tuple[int, int], key: Bitboard, ctx: SearchContext, table: Table,
) -> None:  # fmt: skip
    """Save the score and best move of a node searched in the window (alpha, beta), where the table is used.

    `before` are the counts of nodes and horizon nodes before the node was searched: if the latter has not changed, the
    score is solved. Not saved: a root some moves of which were excluded, and a probe's score that is no bound.
    """
    if ctx.stopped or (ply == 0 and ctx.excluded_count > 0):
        return
    if uses_partition(state, policy, depth, ctx):
        save_partition(state, score, move, alpha, beta, ctx.nodes - before[0], key, ctx, table)
    elif policy.transposition_table and depth >= MIN_TABLE_DEPTH:
        solved = ctx.horizon_nodes == before[1]
        worth = to_worth(depth, ctx.nodes - before[0])
        save_entry(score, move, side, worth, ply, alpha, beta, solved, key, ctx, table)


def save_entry(
    score: int, move: int, side: int, worth: int, ply: int, alpha: int, beta: int, solved: bool, key: Bitboard,
    ctx: SearchContext, table: Table,
) -> None:  # fmt: skip
    """The part of `save_score` that writes to the table."""
    bound = LOWER if score >= beta else UPPER if score <= alpha else EXACT
    if ctx.partial:  # after one of several moves: a bound from one side at most
        if bound != EXACT:
            return
        bound = UPPER if side == MIN else LOWER
    entry = to_entry(score, ply, ctx.base, ctx.step)
    store(table, ctx.buckets, key, pack(entry, move, worth, bound, solved, ctx.age))
