"""Draws by repetition, and table keys that tell different histories apart, in compiled code.

The value of a state can depend on the moves that led to it: a position that has occurred twice is a draw when it occurs
for the third time. A table indexed by the state alone would return scores of one path on another path, where they are
wrong: the graph-history interaction (Palay 1983; Campbell 1985; Kishimoto and Mueller 2004). Here the table's key
includes as much of the history as the value can depend on:

- *Reversible plies.* A search of `depth` plies from a state with r reversible plies reaches the rule only if
  r + depth >= draw_at_reversible_plies. Only then is r part of the key.
- *Repetition.* A position that has occurred k times is a draw when it occurs for the n-th time, n being
  draw_at_repetition. From a state after it that takes at least 1 + (n - 1 - k) * shortest_cycle plies. Let k be the
  largest count among the positions of the last r plies: only in searches deep enough for it are these positions, each
  with its count, part of the key.

With n = 3 and cycles of 4 plies all searches of up to 4 plies share their entries, on all paths without a repetition:
nearly all nodes of a search are such.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State, hash_combine
from zermelo.search.context import ROOT, SearchContext, path_key


def has_draw_rules(state: State) -> bool:
    """Whether the game has draws by repetition or by reversible plies; a constant of the compiled code."""
    return state.draw_at_reversible_plies > 0 or state.draw_at_repetition > 0


def record_position(state: State, depth: int, ply: int, ctx: SearchContext) -> bool:
    """Record the position at its ply. Returns whether the game can be claimed as a draw."""
    reversible = state.reversible_plies()
    drawn = state.draw_at_reversible_plies > 0 and reversible >= state.draw_at_reversible_plies
    if state.draw_at_repetition > 0:
        if depth == 0 and reversible < state.shortest_cycle:  # it repeats nothing, and nothing below will repeat it
            return drawn
        here = path_key(state.repetition_key())
        index = ROOT + ply
        occurrences = 1
        for back in range(state.shortest_cycle, min(reversible, ply + ctx.game_positions) + 1):
            if ctx.path_keys[index - back] == here:
                occurrences = ctx.path_counts[index - back] + 1
                break
        ctx.path_keys[index] = here
        ctx.path_counts[index] = occurrences
        return drawn or occurrences >= state.draw_at_repetition
    return drawn


def table_key(state: State, depth: int, ply: int, ctx: SearchContext) -> Bitboard:
    """The key of a state searched to `depth`, including the history that can matter."""
    if not has_draw_rules(state):
        return state.key()
    key = state.repetition_key() if state.draw_at_reversible_plies > 0 else state.key()
    reversible = state.reversible_plies()
    if state.draw_at_reversible_plies > 0 and reversible + depth >= state.draw_at_reversible_plies:
        key = hash_combine(key, reversible)
    if state.draw_at_repetition > 0:
        here = ROOT + ply
        largest = ctx.path_counts[here] if ctx.path_counts[here] > 1 else 0
        path = Bitboard(0)
        for index in range(here - min(reversible, ply + ctx.game_positions), here):
            occurrences = ctx.path_counts[index]
            largest = max(largest, occurrences)
            path += hash_combine(Bitboard(occurrences), ctx.path_keys[index])
        if largest > 0 and depth > (state.draw_at_repetition - 1 - largest) * state.shortest_cycle:
            key = hash_combine(key, path)
    return key
