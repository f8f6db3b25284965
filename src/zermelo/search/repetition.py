"""Draws and forbidden moves by repetition, and table keys that tell different histories apart, in compiled code.

The value of a state can depend on the moves that led to it: a position that has occurred twice is a draw when it occurs
for the third time. A table indexed by the state alone would return scores of one path on another path, where they are
wrong: the graph-history interaction (Palay 1983; Campbell 1985; Kishimoto and Mueller 2004). Here the table's key
includes as much of the history as the value can depend on:

- *Reversible plies.* A search of `depth` plies from a state with r reversible plies reaches the rule only if
  r + depth >= draw_at_reversible_plies. Only then is r part of the key.
- *Repetition.* A position that has occurred k times is a draw when it occurs for the n-th time, n being
  draw_at_repetition, or forbidden when it occurs again, and then n is 2. From a state after it that takes at least
  1 + (n - 1 - k) * shortest_cycle plies. Let k be the largest count among the positions of the last r plies: only in
  searches deep enough for it are these positions, each with its count, part of the key.

With n = 3 and cycles of 4 plies all searches of up to 4 plies share their entries, on all paths without a repetition.
Nearly all nodes of a search lie on one.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State, hash_combine
from zermelo.core.history import has_history_rules, has_repetition_rule
from zermelo.search.context import ROOT, SearchContext, path_key

# What `record_position` finds: nothing, a draw that can be claimed, or a move that was forbidden.
NO_RULE, DRAW, FORBIDDEN = 0, 1, 2


def repetition_limit(state: State) -> int:
    """The number of occurrences at which a rule of repetition applies; 0: the game has none."""
    return 2 if state.has_forbidden_repetition else state.draw_at_repetition


def rule_utility(state: State, rule: int) -> int:
    """The utility by which a state is scored that a rule applies to; see `core.history.utility_by_rule`."""
    return state.to_move() * state.max_utility if rule == FORBIDDEN else 0


def record_position(state: State, depth: int, ply: int, ctx: SearchContext) -> int:
    """Record the position at its ply. Returns the rule that applies: `NO_RULE`, `DRAW` or `FORBIDDEN`."""
    reversible = state.reversible_plies()
    drawn = DRAW if state.draw_at_reversible_plies > 0 and reversible >= state.draw_at_reversible_plies else NO_RULE
    if has_repetition_rule(state):
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
        if occurrences >= repetition_limit(state):
            if not state.has_forbidden_repetition:
                return DRAW
            if state.forbids_repetition():
                return FORBIDDEN
    return drawn


def table_key(state: State, depth: int, ply: int, ctx: SearchContext) -> Bitboard:
    """The key of a state searched to `depth`, including the history that can matter."""
    if not has_history_rules(state):
        return state.key()
    key = state.repetition_key() if state.draw_at_reversible_plies > 0 else state.key()
    reversible = state.reversible_plies()
    if state.draw_at_reversible_plies > 0 and reversible + depth >= state.draw_at_reversible_plies:
        key = hash_combine(key, reversible)
    if has_repetition_rule(state):
        here = ROOT + ply
        largest = ctx.path_counts[here] if ctx.path_counts[here] > 1 else 0
        path = Bitboard(0)
        for index in range(here - min(reversible, ply + ctx.game_positions), here):
            occurrences = ctx.path_counts[index]
            largest = max(largest, occurrences)
            path += hash_combine(Bitboard(occurrences), ctx.path_keys[index])
        if largest > 0 and depth > (repetition_limit(state) - 1 - largest) * state.shortest_cycle:
            key = hash_combine(key, path)
    return key
