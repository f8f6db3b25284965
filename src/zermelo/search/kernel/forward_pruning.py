"""What a selective search gives up: nodes, moves and plies, by the margins of `Selective`.

Nothing is given up near wins and losses or in full mode, and on the principal variation only plies of late moves.

References
----------
- C. Donninger, "Null Move and Deep Search", ICCA Journal 16, 1993.
- E. A. Heinz, "Extended Futility Pruning", ICCA Journal 21, 1998.
- M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm", ICCA Journal 18, 1995.
- T. Anantharaman, M. Campbell, F. Hsu, "Singular Extensions", Artificial Intelligence 43, 1990.
- D. Levy, D. Broughton, M. Taylor, "The SEX Algorithm in Computer Chess", ICCA Journal 12, 1989 (reductions).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.search.context import SearchContext
from zermelo.search.kernel.selective_path import note_child
from zermelo.search.scores import WIN
from zermelo.search.selective import PLY, REDUCTIONS, Selective, SelectiveContext
from zermelo.search.table import LOWER, NO_MOVE, UPPER, bound_in, depth_in, from_entry, move_in, score_in

S = TypeVar("S", bound=State)


@inline
def may_prune(is_pv: bool, high: int, ply: int, memory: SelectiveContext) -> bool:
    """Whether the node may be given up."""
    return not is_pv and ply > 0 and abs(high) < WIN and not memory.is_full


@inline
def may_prune_moves(is_pv: bool, high: int, best: int, ply: int, memory: SelectiveContext) -> bool:
    """Whether moves of the node may be left out: not in check, and only after a move that does not lose."""
    return may_prune(is_pv, high, ply, memory) and best > -WIN and memory.in_check[ply] == 0


@inline
def reverse_futility(parameters: Selective, depth: int, static: int, high: int, improving: bool) -> bool:
    """Whether the static score exceeds the window by so much that no search is needed. In check it is -LIMIT."""
    plies = depth - 1 if improving else depth
    return depth <= parameters.reverse_futility_depth and static - parameters.reverse_futility_margin * plies >= high


def null_window_tests(
    state: S, parameters: Selective, entry: Bitboard, depth: int, low: int, high: int, static: int, ply: int,
    ctx: SearchContext, memory: SelectiveContext,
) -> Iterator[tuple[S, int, int, int]]:  # fmt: skip
    """The searches that may decide a node, each as (state, ply, depth, bound) with the window (bound - 1, bound).

    The bound is from the mover's side, and so must be the score, in `memory.score` before the next one is asked for. At
    the end `memory.is_cut` says whether the node is decided, by `memory.score`; else `memory.extended` is the move that
    is to be extended.
    """
    is_decided = False
    extended = NO_MOVE
    is_off = memory.is_full or ply == 0 or memory.excluded[ply] != NO_MOVE
    can_cut = not is_off and high - low <= 1 and abs(high) < WIN
    # Null move: passing is good enough. Where passing may be the best move (zugzwang), a search without null moves
    # verifies that.
    if state.has_pass_turn and can_cut and may_try_null_move(state, parameters, depth, static, high, ply, memory):
        remaining = null_move_depth(parameters, depth, static - high)
        child = state.pass_turn()
        if not child.is_over():
            note_child(child, NO_MOVE, ply, memory)
            yield child, ply + 1, remaining, high
            score = min(memory.score, WIN - 1)  # a win after a pass is not proven
            if score >= high and depth >= parameters.null_move_verification and memory.passing_ply == 0:
                memory.passing_ply = ply + max(remaining, 1)
                yield state, ply, max(remaining, 1), high
                memory.passing_ply = 0
                score = min(score, memory.score)
            is_decided = score >= high
            memory.score = score
    # ProbCut: the score of a shallow search, with a margin, predicts that of the whole depth.
    if parameters.probcut and can_cut and not is_decided and depth < REDUCTIONS:
        shallow = parameters.probcut_depths[depth]
        margin = parameters.probcut_margins[depth]
        if shallow > 0 and static >= high:
            yield state, ply, shallow, high + margin
            is_decided = memory.score >= high + margin
            memory.score = high
        elif shallow > 0:
            yield state, ply, shallow, low - margin + 1
            is_decided = memory.score <= low - margin
            memory.score = low
    # Singular extension: no other move comes near the score of the table's move.
    if not is_off and not is_decided and may_be_singular(state, parameters, entry, depth, ply, memory, ctx):
        move = move_in(entry)
        bound = mover_score(state, entry, ply, ctx) - parameters.singular_margin * depth
        memory.excluded[ply] = move
        yield state, ply, (depth - 1) // 2, bound
        memory.excluded[ply] = NO_MOVE
        if memory.score < bound:
            extended = move
        elif can_cut and bound >= high:  # several moves are good enough
            is_decided = True
            memory.score = bound
    if is_decided:
        ctx.horizon_nodes += 1
    memory.is_cut = is_decided
    memory.extended = extended


def may_try_null_move(
    state: State, parameters: Selective, depth: int, static: int, high: int, ply: int, memory: SelectiveContext
) -> bool:
    """Whether the side to move may pass to see whether that is good enough."""
    if depth < parameters.null_move_depth or parameters.null_move_depth == 0 or static < high:
        return False
    return memory.moves[ply] != NO_MOVE and ply >= memory.passing_ply and state.may_pass()


@inline
def null_move_depth(parameters: Selective, depth: int, above: int) -> int:
    """The depth of the search after a null move, for a static score `above` beta."""
    bonus = min(above // max(parameters.null_move_margin, 1), parameters.null_move_bonus)
    return depth - 1 - parameters.null_move_reduction - depth // max(parameters.null_move_divisor, 1) - bonus


def may_be_singular(
    state: State, parameters: Selective, entry: Bitboard, depth: int, ply: int, memory: SelectiveContext,
    ctx: SearchContext,
) -> bool:  # fmt: skip
    """Whether the table knows a move and a lower bound on its score that is deep enough."""
    if parameters.singular_depth == 0 or depth < parameters.singular_depth or not entry:
        return False
    if move_in(entry) == NO_MOVE or depth_in(entry) < depth - 3 or ply >= 2 * memory.root_depth:
        return False
    if bound_in(entry) == (UPPER if state.to_move() > 0 else LOWER):
        return False
    return abs(mover_score(state, entry, ply, ctx)) < WIN


def mover_score(state: State, entry: Bitboard, ply: int, ctx: SearchContext) -> int:
    """The score of an entry from the side of the player to move."""
    score = from_entry(score_in(entry), ply, ctx.base, ctx.step)
    return score if state.to_move() > 0 else -score


@inline
def expected_depth(parameters: Selective, depth: int, number: int) -> int:
    """The depth to which a move would be reduced by its number alone."""
    return max(depth - reduction(parameters, depth, number) // PLY, 0)


def loses_material(state: State, parameters: Selective, move: int, depth: int, searched: int) -> bool:
    """Whether a quiet move loses too much by static exchange evaluation, for about the depth of its reduced search."""
    expected = expected_depth(parameters, depth, searched)
    threshold = -parameters.quiet_exchange_margin * expected * expected
    return expected < parameters.quiet_exchange_depth and exchange_fails(state, move, threshold)


def is_left_out(
    state: State, parameters: Selective, move: int, quiet: bool, depth: int, searched: int, improving: bool, ply: int,
    memory: SelectiveContext,
) -> bool:  # fmt: skip
    """Whether a move is left out, after `searched` others: by its exchange, a quiet one also by its number.

    A quiet move that is left out by its number sets `memory.leaves_out_quiet`: `ordered_moves` then skips all others.
    """
    if not quiet:
        if depth > parameters.exchange_depth or memory.keeps_material[ply] != 0:
            return False
        return exchange_fails(state, move, -parameters.exchange_margin * depth)
    most = parameters.late_move_count + depth * depth
    if depth <= parameters.late_move_depth and searched >= (most if improving else most // 2):
        memory.leaves_out_quiet[ply] = 1
        return True
    return loses_material(state, parameters, move, depth, searched)


def is_futile(parameters: Selective, depth: int, number: int, static: int, low: int) -> bool:
    """Whether a quiet move can hardly raise the static score to alpha, at the depth to which it would be reduced."""
    expected = expected_depth(parameters, depth, number)
    gain = parameters.futility_base + parameters.futility_margin * expected
    return 0 < parameters.futility_depth >= expected and static + gain <= low


@inline
def own_depth(
    state: State, parameters: Selective, depth: int, table_move: int, excluded: int, ply: int, memory: SelectiveContext
) -> int:
    """The depth to which a node's moves are searched: less if no earlier search has left a move (internal iterative
    reduction), more if the only legal move answers a check.
    """
    if memory.is_full or excluded != NO_MOVE:
        return depth
    may_extend = memory.in_check[ply] != 0 and parameters.single_reply_extension and ply < 2 * memory.root_depth
    if may_extend and state.count_moves() == 1:
        return depth + 1
    return depth - 1 if 0 < parameters.iterative_reduction_depth <= depth and table_move == NO_MOVE else depth


@inline
def exchange_fails(state: State, move: int, threshold: int) -> bool:
    """Whether a move gains less than the threshold, in games with `exchange`."""
    return state.has_exchange and not state.exchange(move, threshold)


@inline
def extension(parameters: Selective, gives_check: bool, is_singular: bool, ply: int, memory: SelectiveContext) -> int:
    """The plies that a move is extended by; none in lines of twice the depth."""
    if memory.is_full or ply >= 2 * memory.root_depth:
        return 0
    return 1 if is_singular or (gives_check and parameters.check_extension) else 0


@inline
def reduction(parameters: Selective, depth: int, number: int) -> int:
    """The reduction of a move by its number, in parts of a ply."""
    return parameters.reductions[min(depth, REDUCTIONS - 1) * REDUCTIONS + min(number, REDUCTIONS - 1)]


def reduced_depth(
    parameters: Selective, depth: int, remaining: int, number: int, quiet: bool, is_pv: bool, gives_check: bool,
    improving: bool, history: int, memory: SelectiveContext,
) -> int:  # fmt: skip
    """The depth of the first search of a move: less than `remaining` for late ones."""
    if memory.is_full or number < (4 if is_pv else 3) or not 0 < parameters.reduction_depth <= depth:
        return remaining
    parts = reduction(parameters, depth, number)
    if not quiet:
        parts //= 2
    else:
        parts -= history * PLY // max(parameters.reduction_history, 1)
    if is_pv:
        parts -= PLY
    if gives_check:
        parts -= PLY
    if not improving:
        parts += PLY // 2
    return remaining - max(min(parts // PLY, remaining - 1), 0)
