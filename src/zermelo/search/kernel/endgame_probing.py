"""Scores from an endgame table in compiled code. `zermelo.search.endgame_tables` says what an entry proves."""

from __future__ import annotations

from zermelo.core.endgame_entries import plies_in, unused
from zermelo.core.game import MAX, State
from zermelo.core.hints import inline
from zermelo.core.history import has_history_rules
from zermelo.core.pointer import load_byte
from zermelo.search.context import SearchContext
from zermelo.search.scores import LIMIT, finished_score


@inline
def in_endgame_table(state: State, ply: int, ctx: SearchContext) -> bool:
    """Whether the table may have a state; not at the root, where a move is wanted."""
    return state.has_index and ctx.endgame_men > 0 and ply > 0 and state.men() <= ctx.endgame_men


def endgame_interval(state: State, ply: int, ctx: SearchContext) -> tuple[int, int]:
    """An interval that contains the score of a state, by the table.

    It depends on the state alone, as entries of the transposition table do: a win is certain if the last move was
    irreversible, else it proves a draw at least.
    """
    number = state.index()
    if number < 0:
        return -LIMIT, LIMIT
    entry = load_byte(ctx.endgame_address, number * ctx.endgame_bytes)
    if ctx.endgame_bytes == 2:
        entry = entry & 0xFF | load_byte(ctx.endgame_address, number * 2 + 1) << 8
    if entry == unused(ctx.endgame_bytes):
        return -LIMIT, LIMIT
    if entry == 0:
        return 0, 0
    plies = plies_in(entry)
    is_certain = True
    if has_history_rules(state):
        limit = state.draw_at_reversible_plies
        is_certain = state.reversible_plies() == 0 and (limit == 0 or plies <= limit)
    score = finished_score(1, ply + plies, ctx.base, ctx.unit, ctx.step)
    if (entry > 0) == (state.to_move() == MAX):
        return (score if is_certain else 0), score
    return -score, (-score if is_certain else 0)
