"""The order in which a state's moves are searched: the sooner a good one, the more is cut off.

The moves of a state lie on the desk's arena from `top` on, each beside its score for ordering:

    arena:  ... move score | move score | move score | ...
                top          top + 2      top + 4

They are not sorted: a cut comes early, if at all, so each time the best of the rest is picked.

From best to worst: the table's move; the game's own hint (where states are spared, what the evaluation says that it
gains); killers (moves that cut off a sibling, where the game has no hints, or cheap ones and here none); history (how
often the move cut off elsewhere, weighted by depth).
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.search.context import (
    ARENA,
    ARENA_SIZE,
    BUCKETS,
    EXCLUDED,
    EXCLUDED_COUNT,
    HISTORY,
    HISTORY_SIZE,
    KILLERS,
    OVERFLOW,
    STOPPED,
    THREADS,
)
from zermelo.search.table import BUCKET, ENTRY, MARKS

# Weights of the kinds of knowledge; each is beyond what all below it can add up to.
TABLE_MOVE = 1 << 60
HINT = 1 << 26
KILLER = HINT // 2
HISTORY_LIMIT = KILLER // 2 - 1
# Most games' hints play the move; one ply above the leaves that costs more than it saves.
HINT_FROM_DEPTH = 2


def gather(state, evaluation, policy, table_move, depth, ply, top, desk, only_noisy):
    """Write the moves to be searched and their scores for ordering on the arena. Returns how many there are.

    All legal ones, or the noisy ones.
    """
    count = 0
    history = HISTORY + (HISTORY_SIZE if state.to_move() < 0 else 0)
    for move in state.moves():
        if ply == 0 and is_excluded(move, desk):
            continue
        if only_noisy and not state.is_tactical(move):
            continue
        at = top + 2 * count
        if at + 2 > ARENA_SIZE:
            desk[OVERFLOW] = 1
            desk[STOPPED] = 1
            break
        score = desk[history + move % HISTORY_SIZE]
        if move == table_move:
            score += TABLE_MOVE
        elif policy.spares and evaluation.has_gain:
            score += evaluation.gain(state, move) * HINT
        elif not state.has_move_score or (policy.spares and not state.cheap_move_scores):
            score += killer_score(move, ply, desk)
        elif state.cheap_move_scores:
            hint = state.move_score(move)
            score += hint * HINT if hint != 0 else killer_score(move, ply, desk)
        elif depth >= HINT_FROM_DEPTH:
            score += state.move_score(move) * HINT
        desk[ARENA + at] = move
        desk[ARENA + at + 1] = score
        count += 1
    return count


def killer_score(move, ply, desk):
    """What it counts that a move cut off a sibling."""
    if move == desk[KILLERS + 2 * ply]:
        return KILLER
    return KILLER // 2 if move == desk[KILLERS + 2 * ply + 1] else 0


def pick(index, count, top, desk):
    """The best of the moves from `index` on, swapped to that place."""
    first = ARENA + top + 2 * index
    best = first
    for at in range(first + 2, ARENA + top + 2 * count, 2):
        if desk[at + 1] > desk[best + 1]:
            best = at
    exchange(first, best, desk)
    return desk[first]


def exchange(first, second, desk):
    """Swap two moves on the desk, each with its score."""
    move = desk[first]
    score = desk[first + 1]
    desk[first] = desk[second]
    desk[first + 1] = desk[second + 1]
    desk[second] = move
    desk[second + 1] = score


def ordered(depth, key, count, top, desk, table):
    """The moves on the arena in the order to be searched.

    Where several threads search together, a move that another one is in is put off to the end: by then the
    table most likely knows its score (after Feldmann's young brothers and Weill's ABDADA). The first move
    is never put off.
    """
    end = count
    index = 0
    while index < end:
        move = pick(index, end, top, desk)
        if index > 0 and shared(depth, desk) and is_busy(move, key, desk, table):
            end -= 1
            exchange(ARENA + top + 2 * index, ARENA + top + 2 * end, desk)
        else:
            yield move
            index += 1
    for late in range(end, count):
        yield desk[ARENA + top + 2 * late]


def is_excluded(move, desk):
    """Whether a root move is left out: it has a line of its own already."""
    for at in range(desk[EXCLUDED_COUNT]):
        if desk[EXCLUDED + at] == move:
            return True
    return False


def remember_cut(state, move, depth, ply, desk):
    """A move cut off the rest of its siblings: it is a killer at this ply, and gains history."""
    if move != desk[KILLERS + 2 * ply]:
        desk[KILLERS + 2 * ply + 1] = desk[KILLERS + 2 * ply]
        desk[KILLERS + 2 * ply] = move
    at = HISTORY + (HISTORY_SIZE if state.to_move() < 0 else 0) + move % HISTORY_SIZE
    desk[at] += depth * depth
    if desk[at] > HISTORY_LIMIT:
        for place in range(HISTORY, HISTORY + 2 * HISTORY_SIZE):
            desk[place] //= 2


# ---- several threads: who is where. A mark lost or mistaken costs time, never a wrong score. ----

_MARK_SHIFT = 64 - (MARKS.bit_length() - 1)
# Below this depth a subtree is searched sooner than threads can keep out of each other's way.
SHARED_FROM_DEPTH = 3


def shared(depth, desk):
    """Whether moves at this depth are marked for the other threads."""
    return desk[THREADS] > 1 and depth >= SHARED_FROM_DEPTH


def _mark_of(move, key):
    return (key ^ (move + 1)) * 0x9E3779B97F4A7C15


def _place_of(mark, desk):
    return desk[BUCKETS] * (BUCKET * ENTRY) + int(mark >> _MARK_SHIFT)


def is_busy(move, key, desk, table):
    """Whether another thread is searching this move of the state with this key."""
    mark = _mark_of(move, key)
    return Bitboard(table[_place_of(mark, desk)]) == mark


def mark_busy(move, key, desk, table):
    """Tell the other threads that this one searches the move now."""
    mark = _mark_of(move, key)
    table[_place_of(mark, desk)] = mark


def mark_free(move, key, desk, table):
    """Take the mark back."""
    mark = _mark_of(move, key)
    place = _place_of(mark, desk)
    if Bitboard(table[place]) == mark:
        table[place] = Bitboard(0)
