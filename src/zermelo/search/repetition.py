"""What a state's past says of it, in compiled code: draws by repetition, and keys that keep different pasts apart.

The value of a state may depend on how the game came there: a position that has come up twice already is a draw when it
comes up again. A table that knows the state alone would hand what it found on one path to another path, where it is not
true (the graph-history interaction: Palay 1983; Campbell 1985; Kishimoto and Mueller 2004). Here it cannot, because the
table's key takes in as much of the past as the value can depend on:

- *Moves without progress.* A search of `depth` plies from a state with `quiet` of them sees the rule at work only if
  quiet + depth >= draw_at_reversible_plies. Only then is `quiet` part of the key.
- *Repetition.* A position that has come up k times is a draw when it comes up for the n-th time, n being
  draw_at_repetition. From a state after it that takes 1 + (n - 1 - k) * shortest_cycle plies at least. Let k be the
  largest among the last `quiet` positions: only in searches so deep are these part of the key, each with its times.

So with n = 3 and cycles of 4 plies, states meet in the table as ever in all searches of up to 4 plies, on all paths
without a repetition: those are nearly all there are.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import hash_combine
from zermelo.search.context import PAST, ROOT, TIMES


def may_be_drawn(state, depth, ply, desk):
    """Whether a player may have the game called a draw. Writes down the position at its ply."""
    quiet = state.reversible_plies()
    drawn = state.draw_at_reversible_plies > 0 and quiet >= state.draw_at_reversible_plies
    if state.draw_at_repetition > 0:
        if depth == 0 and quiet < state.shortest_cycle:  # nothing to repeat, and nobody will come to repeat this one
            return drawn
        here = int(hash_combine(state.repetition_key(), 0) >> 1)  # fits a signed word
        at = ROOT + ply
        times = 1
        for back in range(state.shortest_cycle, min(quiet, ply + desk[PAST]) + 1):
            if desk[at - back] == here:
                times = desk[at - back + TIMES] + 1
                break
        desk[at] = here
        desk[at + TIMES] = times
        return drawn or times >= state.draw_at_repetition
    return drawn


def table_key(state, depth, ply, desk):
    """The key of a state searched to `depth`, with so much of its past as can matter: see the module's text."""
    if state.draw_at_reversible_plies == 0 and state.draw_at_repetition == 0:
        return state.key()
    key = state.repetition_key() if state.draw_at_reversible_plies > 0 else state.key()
    quiet = state.reversible_plies()
    if state.draw_at_reversible_plies > 0 and quiet + depth >= state.draw_at_reversible_plies:
        key = hash_combine(key, quiet)
    if state.draw_at_repetition > 0:
        most = desk[ROOT + ply + TIMES] if desk[ROOT + ply + TIMES] > 1 else 0
        past = Bitboard(0)
        for at in range(ROOT + ply - min(quiet, ply + desk[PAST]), ROOT + ply):
            times = desk[at + TIMES]
            most = max(most, times)
            past += hash_combine(Bitboard(times), desk[at])
        if most > 0 and depth > (state.draw_at_repetition - 1 - most) * state.shortest_cycle:
            key = hash_combine(key, past)
    return key
