"""The search itself: plain Python over any game and evaluation, compiled by `zermelo.compiled`.

One self-recursive function serves minimax, alpha-beta and the engine; a `Policy` switches its parts. It
promises, fail-soft, for the exact minimax value V of the state at this depth and evaluation (quiescence
included, where the policy has it) and the returned score s, all from MAX's side:

    alpha < s < beta    =>   s == V
    s <= alpha          =>   V <= s
    s >= beta           =>   V >= s

whatever the order, the table or other threads; when STOPPED is set on the desk, s means nothing.

The steps have numbers; docs/searching.md tells of them in the same numbers.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import rounded_div
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.core.pointer import bare
from zermelo.search.context import (
    AGE,
    ARENA,
    ARENA_SIZE,
    BASE,
    BEST,
    BOUND,
    BUCKETS,
    CHANCES,
    EXCLUDED_COUNT,
    GRAIN,
    HORIZON,
    KEY_MASK,
    LENGTHS,
    LINES,
    LONGEST,
    NO_MOVES,
    NODES,
    OVERFLOW,
    PARTIAL,
    PROBE,
    ROUNDED,
    STEP,
    STOPPED,
    UNIT,
    VALID_AGES,
    WORTH,
    count_node,
)
from zermelo.search.ordering import gather, mark_busy, mark_free, remember_cut, shared
from zermelo.search.repetition import may_be_drawn, table_key
from zermelo.search.scores import LIMIT, WIN, finished_score, least_share, least_total, most_total
from zermelo.search.table import (
    AGES,
    EXACT,
    LOWER,
    UPPER,
    age_in,
    bound_in,
    depth_in,
    from_entry,
    is_solved,
    look_up,
    move_in,
    pack,
    score_in,
    store,
    to_entry,
)

# The depth of a search to the end of the game: never counted down.
ENDLESS = 250
# Below this depth a state is searched faster than looked up.
TABLE_FROM_DEPTH = 2
# Quiescence goes no deeper than this below the horizon.
QUIET_PLIES = 32


def search(state, evaluation, policy, depth, alpha, beta, ply, top, desk, table):
    """The score of a state searched to `depth` within the window (alpha, beta); see the module's text.

    `ply` is the distance from the root, `top` the first free place of the desk's arena.
    """
    # 1. Count the state; stop where a limit is reached.
    count_node(desk)
    if desk[STOPPED] != 0:
        return 0
    if policy.keeps_line:
        desk[LENGTHS + ply] = 0
    probed = state.has_chance and policy.probes and take_probe(desk)

    # 2. A finished game has its utility.
    if state.is_over():
        return finished_score(state.utility(), ply, desk[BASE], desk[UNIT], desk[STEP])
    if ply >= LONGEST:
        desk[OVERFLOW] = 1
        desk[STOPPED] = 1
        return 0

    # 2a. A game that may be called a draw is one, if it is not the very position that is searched.
    if (state.draw_at_reversible_plies > 0 or state.draw_at_repetition > 0) and depth >= 0:
        if may_be_drawn(state, depth, ply, desk) and ply > 0:
            return 0

    # 3. At the horizon the evaluation stands for the rest, unless there are noisy moves to follow.
    side = state.to_move()
    quiet = depth <= 0
    if quiet:
        desk[HORIZON] += 1
        if not (policy.quiesces and state.has_tactical_moves) or depth <= -QUIET_PLIES or side == CHANCE:
            return estimate(state, evaluation, desk)
    below = depth if depth == ENDLESS else depth - 1

    # 4. From here on as the mover sees it: a window (low, high), scores times `sign`. Chance sees it as MAX does.
    sign = -1 if side == MIN else 1
    low = -beta if side == MIN else alpha
    high = -alpha if side == MIN else beta
    open_window = high - low > 1

    # 5. No score is larger than a win at the next move: a window beyond that has its answer already.
    ceiling = LIMIT
    if policy.knows_limits and (depth == ENDLESS or desk[BASE] > 0 or state.has_chance):
        ceiling = finished_score(state.max_utility, ply + 1, desk[BASE], desk[UNIT], desk[STEP])
        if state.has_chance:
            ceiling = desk[BOUND]
        if low >= ceiling:
            return sign * ceiling
        if high <= -ceiling:
            return -sign * ceiling

    # 6. A small ending the game can settle by itself, where no line has to be shown.
    if policy.takes_endings and state.has_endgame_solver and depth == ENDLESS and not open_window:
        if desk[BASE] == 0 and not state.has_chance and state.is_endgame():
            score, nodes = state.solve_endgame(alpha, beta)
            desk[NODES] += nodes
            return score

    # 7. What the table knows. Its score serves outside the principal variation only, so that lines stay whole; a line
    # ends where chance moves, so below it serves everywhere, and so it does where no line is kept.
    off_line = not open_window or (state.has_chance and desk[CHANCES] > 0) or (not policy.keeps_line and ply > 0)
    table_move = -1
    tabled = policy.uses_table and (depth >= TABLE_FROM_DEPTH) and not quiet
    key = table_key(state, depth, ply, desk) & desk[KEY_MASK] if tabled else Bitboard(0)
    if tabled:
        data = look_up(table, desk[BUCKETS], key)
        if data:
            table_move = move_in(data)
            known = sign * from_entry(score_in(data), ply, desk[BASE], desk[STEP])
            if off_line and serves(data, depth, desk):
                bound = mirrored(bound_in(data)) if side == MIN else bound_in(data)
                if bound == EXACT or (bound == LOWER and known >= high) or (bound == UPPER and known <= low):
                    if not is_solved(data):
                        desk[HORIZON] += 1
                    return sign * known

    # 7a. One ply above the horizon an evaluation may tell what each move gains: then none of them is made.
    if depth == 1 and off_line and ply > 0 and tells_gains(state, evaluation, policy) and not state.may_end():
        desk[HORIZON] += 1
        return sign * best_by_gain(state, evaluation, sign, high)

    guesses = desk[HORIZON]

    # 7b. Where chance moves, the mean of what follows; as soon as it is known to lie outside the window, no more.
    if state.has_chance and side == CHANCE:
        weights = 0
        for _, weight in state.outcomes():
            weights += weight
        # The mean lies between least / weights and most / weights, whatever the outcomes still to come are worth.
        bound = max(desk[BOUND], LIMIT) if not policy.cuts_chance else desk[BOUND]
        least = -bound * weights
        most = bound * weights
        enough = least_total(beta, weights)  # from here on not below beta
        little = most_total(alpha, weights)  # up to here not above alpha
        searching = not (policy.probes and below > 0)  # Star2 probes all outcomes before it searches them
        place = top
        if not searching:
            place = note_bounds(state, bound, top, desk)
            if desk[STOPPED] != 0:
                return 0
        desk[CHANCES] += 1
        while True:
            at = ARENA + top
            for move, weight in state.outcomes():
                lowest = desk[at] if place > top else -bound
                highest = desk[at + 1] if place > top else bound
                at += 2
                if policy.cuts_chance and (least >= enough or most <= little):
                    break
                child = state.play(move)
                mover = MAX if child.is_over() else child.to_move()
                one_sided = not searching and not child.is_over()
                if searching and lowest == highest:
                    continue
                if one_sided and not (mover == MAX and beta < bound) and not (mover == MIN and alpha > -bound):
                    continue
                # 7c. The window of an outcome: a score outside of it decides the mean, if all others go against it.
                child_alpha = -bound
                child_beta = bound
                if policy.cuts_chance:
                    child_alpha = max((little - (most - weight * highest)) // weight, lowest - 1)
                    child_beta = min(least_share(enough - (least - weight * lowest), weight), highest + 1)
                if policy.probes:
                    desk[PROBE] = 1 if one_sided else 0
                    desk[PARTIAL] = 0
                score = search(child, evaluation, policy, below, child_alpha, child_beta, ply + 1, place, desk, table)
                if desk[STOPPED] != 0:
                    return 0
                # 7d. What it says of the outcome: its value, a bound, or, after one move of a probe, at most a bound.
                half = policy.probes and one_sided and desk[PARTIAL] != 0
                floor = lowest
                roof = highest
                if score > child_alpha and not (half and mover == MIN):
                    floor = score
                if score < child_beta and not (half and mover == MAX):
                    roof = score
                least += weight * (floor - lowest)
                most -= weight * (highest - roof)
                if place > top:
                    desk[at - 2] = floor
                    desk[at - 1] = roof
            if searching or (policy.cuts_chance and (least >= enough or most <= little)):
                break
            searching = True
        desk[CHANCES] -= 1
        if policy.keeps_line:
            desk[LENGTHS + ply] = 0
        total = most if most <= little else least
        if total % weights != 0:
            desk[ROUNDED] = 1
        mean = rounded_div(total, weights)
        if tabled:
            keep_score(mean, -1, depth, ply, alpha, beta, desk[HORIZON] == guesses, key, desk, table)
        return mean

    # 8. Search the moves. In quiescence the mover may also stand pat, unless there is something to answer (a check).
    best = -LIMIT
    best_move = -1
    stands = quiet and not (state.has_in_check and state.in_check())
    if not policy.cuts_deep:  # what others have found elsewhere is not asked for
        low = -LIMIT
    if stands:
        best = sign * estimate(state, evaluation, desk)
        if best >= high:
            return sign * best
        low = max(low, best)
    count = gather(state, evaluation, policy, table_move, depth, ply, top, desk, stands) if policy.orders else 0
    if desk[STOPPED] != 0:
        return 0
    marks = tabled and shared(depth, desk)
    searched = 0
    partial = False
    for move in policy.sequence(state, depth, key, count, top, desk, table):
        if stands and not policy.orders and not state.is_tactical(move):  # what is ordered has been chosen already
            continue
        if probed and searched > 0:  # a probe has seen enough after one move of several
            partial = True
            break
        child = state.play(move)
        if marks:
            mark_busy(move, key, desk, table)
        # 8a. The first move with the whole window; the others only have to show that they are not better.
        scout = policy.scouts and searched > 0 and high - low > 1
        upper = low + 1 if scout else high
        # 8b. A scout that succeeds within the window is searched again for its value.
        while True:
            child_alpha = low if side == MAX else -upper
            child_beta = upper if side == MAX else -low
            if not policy.cuts_deep:
                child_alpha = low if side == MAX else -LIMIT
                child_beta = LIMIT if side == MAX else -low
            if not policy.prunes:
                child_alpha, child_beta = -LIMIT, LIMIT
            score = sign * search(
                child, evaluation, policy, below, child_alpha, child_beta, ply + 1, top + 2 * count, desk, table
            )
            if desk[STOPPED] != 0:
                return 0
            if upper >= high or score < upper:
                break
            upper = high
        if marks:
            mark_free(move, key, desk, table)
        searched += 1
        # 8c. A better move: it becomes the best, raises the floor, heads the line.
        if score > best:
            best = score
            best_move = move
            if ply == 0:
                desk[BEST] = move
                desk[WORTH] = sign * score
            if policy.keeps_line and score > low and score < high:
                keep_line(move, ply, desk)
            low = max(low, score)
            # 8d. A move too good to be allowed: the rest cannot matter.
            if policy.prunes and score >= high:
                if policy.orders and not quiet:
                    remember_cut(state, move, depth, ply, desk)
                break
            # 8e. Nothing can be better than the best there is.
            if best >= ceiling:
                break

    if searched == 0 and not stands:  # the rules break their promise; the caller says so
        desk[OVERFLOW] = NO_MOVES
        desk[STOPPED] = 1
        return 0

    # 9. Keep what was found out.
    score = sign * best
    if state.has_chance and policy.probes:
        desk[PARTIAL] = 1 if partial else 0
        if partial:  # one move's score is a bound from the mover's side, if it is anything
            tabled = tabled and alpha < score < beta
            alpha = score if side == MIN else alpha
            beta = score if side == MAX else beta
    if tabled and not (ply == 0 and desk[EXCLUDED_COUNT] > 0):
        solved = desk[HORIZON] == guesses
        keep_score(score, best_move, depth, ply, alpha, beta, solved, key, desk, table)
    return score


def estimate(state, evaluation, desk):
    """An evaluation's score, kept strictly between a lost and a won game; in games of chance on the fine scale."""
    score = evaluation.score(state)
    if state.has_chance:
        return max(-desk[BOUND], min(score * desk[GRAIN], desk[BOUND]))
    return max(1 - WIN, min(score, WIN - 1))


def tells_gains(state, evaluation, policy):
    """Whether the score of a leaf is its parent's and what the move gains; all of it is known when compiling."""
    if state.has_chance or state.draw_at_reversible_plies > 0 or state.draw_at_repetition > 0:
        return False
    return policy.values_moves and evaluation.has_gain and not (policy.quiesces and state.has_tactical_moves)


def best_by_gain(state, evaluation, sign, high):
    """The mover's score after the best move, or after the first that reaches `high`, by what the moves gain."""
    score = sign * evaluation.score(state)
    best = -LIMIT
    for move in state.moves():
        best = max(best, score + evaluation.gain(state, move))
        if best >= high:
            break
    return max(1 - WIN, min(best, WIN - 1))


def take_probe(desk):
    """Whether the state is to be probed; what is below it is not."""
    asked = desk[PROBE] != 0
    desk[PROBE] = 0
    return asked


def note_bounds(state, bound, top, desk):
    """Write down -bound and bound for each outcome on the arena; returns the place behind them."""
    place = top
    for _ in state.outcomes():
        if place + 2 > ARENA_SIZE:
            desk[OVERFLOW] = 1
            desk[STOPPED] = 1
            break
        desk[ARENA + place] = -bound
        desk[ARENA + place + 1] = bound
        place += 2
    return place


def keep_score(score, move, depth, ply, alpha, beta, solved, key, desk, table):
    """Keep in the table what a search within the window (alpha, beta) found out of a state; all from MAX's side."""
    bound = LOWER if score >= beta else UPPER if score <= alpha else EXACT
    kept = to_entry(score, ply, desk[BASE], desk[STEP])
    store(table, desk[BUCKETS], key, pack(kept, move, depth, bound, solved, desk[AGE]))


def serves(data, depth, desk):
    """Whether an entry's score is one of this depth and evaluation (a move in it may be tried in any case)."""
    if (desk[AGE] - age_in(data)) % AGES > desk[VALID_AGES]:
        return False
    return depth_in(data) == depth or (is_solved(data) and depth >= depth_in(data))


def mirrored(bound):
    """A bound on a score as a bound on its negative."""
    return EXACT if bound == EXACT else LOWER + UPPER - bound


def keep_line(move, ply, desk):
    """The line of a state becomes: the move, then the line of the state it leads to."""
    row = LINES + ply * (LONGEST + 2)
    below = row + LONGEST + 2
    length = desk[LENGTHS + ply + 1]
    desk[row] = move
    for place in range(length):
        desk[row + 1 + place] = desk[below + place]
    desk[LENGTHS + ply] = length + 1


def leaves(state, depth, bulk, desk):
    """The number of lines of `depth` moves from a state; games that end earlier count as the game says.

    With `bulk` the last moves are only counted (`count_moves`), without it they are played too.
    """
    count_node(desk)
    if desk[STOPPED] != 0:
        return 0
    if depth == 0:
        return 1
    if not state.perft_ignores_game_over and state.is_over():
        return 1 if state.perft_counts_finished_games else 0
    count = 0
    if state.has_chance and state.to_move() == CHANCE:
        for move, _ in state.outcomes():
            count += leaves(state.play(move), depth - 1, bulk, desk)
        return count
    if bulk and depth == 1:
        return state.count_moves()
    for move in state.moves():
        child = state.play(move)
        if depth == 1:
            count += is_built(child)
        else:
            count += leaves(child, depth - 1, bulk, desk)
    return count


def is_built(state):
    """1; that it takes a look at the state keeps the compiler from leaving out the move that led there."""
    side = state.to_move()
    return 1 if side * side <= 1 else 0


# ---- the entries: what Python calls. Arguments are passed on as variables, never written as literals. ----


def run_search(state, evaluation, policy, depth, alpha, beta, ply, top, desk, table):
    """`search` from the root: `ply` and `top` are 0."""
    desk[CHANCES] = 0
    desk[PROBE] = 0
    return search(state, evaluation, policy, depth, alpha, beta, ply, top, bare(desk), bare(table))


def run_leaves(state, depth, bulk, desk):
    """`leaves`: perft."""
    return leaves(state, depth, bulk, bare(desk))
