"""The order in which a state's moves are searched: the sooner a good one, the more is cut off.

The moves of a state lie on the desk's arena from `top` on, each beside its score for ordering:

    arena:  ... move score | move score | move score | ...
                top          top + 2      top + 4

They are not sorted: a cut comes early, if at all, so each time the best of the rest is picked.

From best to worst: the table's move; killers (moves that cut off a sibling, where the game gives no hints); the
game's own hint; history (how often the move cut off elsewhere, weighted by depth).
"""

from __future__ import annotations

from zermelo.search.desk import (
    ARENA,
    ARENA_SIZE,
    EXCLUDED,
    EXCLUDED_COUNT,
    HISTORY,
    HISTORY_SIZE,
    KILLERS,
    OVERFLOW,
    STOPPED,
)

# Weights of the kinds of knowledge; each is beyond what all below it can add up to.
TABLE_MOVE = 1 << 60
KILLER = 1 << 56
HINT = 1 << 24
HISTORY_LIMIT = HINT - 1
# Hints play the move, mostly; one ply above the leaves that costs more than it saves.
HINT_FROM_DEPTH = 2


def gather(state, table_move, depth, ply, top, desk):
    """Write the legal moves and their scores for ordering on the arena. Returns how many there are."""
    count = 0
    history = HISTORY + (HISTORY_SIZE if state.to_move() < 0 else 0)
    for move in state.moves():
        if ply == 0 and is_excluded(move, desk):
            continue
        at = top + 2 * count
        if at + 2 > ARENA_SIZE:
            desk[OVERFLOW] = 1
            desk[STOPPED] = 1
            break
        score = desk[history + move % HISTORY_SIZE]
        if move == table_move:
            score += TABLE_MOVE
        elif state.has_hint:
            if depth >= HINT_FROM_DEPTH:
                score += state.hint(move) * HINT
        elif move == desk[KILLERS + 2 * ply]:
            score += KILLER
        elif move == desk[KILLERS + 2 * ply + 1]:
            score += KILLER // 2
        desk[ARENA + at] = move
        desk[ARENA + at + 1] = score
        count += 1
    return count


def pick(index, count, top, desk):
    """The best of the moves from `index` on, swapped to that place."""
    first = ARENA + top + 2 * index
    best = first
    for at in range(first + 2, ARENA + top + 2 * count, 2):
        if desk[at + 1] > desk[best + 1]:
            best = at
    move = desk[best]
    if best != first:
        score = desk[best + 1]
        desk[best] = desk[first]
        desk[best + 1] = desk[first + 1]
        desk[first] = move
        desk[first + 1] = score
    return move


def sequence(state, policy, count, top, desk):
    """The moves in the order to be searched: as picked from the arena, or as the rules yield them."""
    if policy.orders:
        for index in range(count):
            yield pick(index, count, top, desk)
    else:
        for move in state.moves():
            yield move


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
