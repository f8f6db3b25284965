"""Correction of the static score by what earlier searches found in states with the same key.

`memory.corrections` holds, by side to move and the game's `correction_key`, a moving average of the difference between
a search's score and the static one. Deeper searches count for more. Nothing is corrected in full mode.

References
----------
"Static Evaluation Correction History", Chess Programming Wiki.
"""

from __future__ import annotations

from zermelo.core.game import MIN, State
from zermelo.core.hints import inline
from zermelo.search.context import SearchContext
from zermelo.search.kernel.selective_ordering import is_quiet
from zermelo.search.scores import LIMIT, WIN
from zermelo.search.selective import CORRECTIONS, Selective, SelectiveContext
from zermelo.search.table import NO_MOVE

# Corrections are kept in parts of a unit of the evaluation, since each search changes one by a fraction of a unit.
GRAIN = 256
# Weight of a search in the average: its depth plus 1, at most MAX_WEIGHT, of WEIGHTS.
WEIGHTS = 256
MAX_WEIGHT = 16


@inline
def uses_corrections(state: State, parameters: Selective, memory: SelectiveContext) -> bool:
    """Whether static scores are corrected."""
    return state.has_correction_key and parameters.correction_limit > 0 and not memory.is_full


@inline
def correction_index(state: State) -> int:
    """The index of a state in the table of corrections."""
    index = int(state.correction_key() & (CORRECTIONS - 1))
    return index + CORRECTIONS if state.to_move() == MIN else index


@inline
def corrected(state: State, static: int, parameters: Selective, memory: SelectiveContext) -> int:
    """The static score of the side to move, corrected; -LIMIT in check."""
    if not uses_corrections(state, parameters, memory) or static == -LIMIT:
        return static
    correction = (memory.corrections[correction_index(state)] + GRAIN // 2) // GRAIN
    return max(1 - WIN, min(static + correction, WIN - 1))


@inline
def learn_correction(
    state: State, static: int, best: int, move: int, excluded: int, depth: int, alpha: int, beta: int, ply: int,
    parameters: Selective, ctx: SearchContext, memory: SelectiveContext,
) -> None:  # fmt: skip
    """Move the average towards the difference between the score of a search in (alpha, beta) and the static one.

    Both scores are from the mover's side. Nothing is learned in check, where a move was excluded, or if a bound leaves
    the sign of the difference open. Nor is it if the best move is tactical: then the static score is wrong for another
    reason. The difference is limited: it is large after lost material, and too low where moves were left out.
    """
    if not uses_corrections(state, parameters, memory) or abs(best) >= WIN or static == -LIMIT or excluded != NO_MOVE:
        return
    if ply == 0 and ctx.excluded_count > 0:
        return
    low, high = (-beta, -alpha) if state.to_move() == MIN else (alpha, beta)
    if (
        (best >= high and best <= static)
        or (best <= low and best >= static)
        or (best > low and not is_quiet(state, move))
    ):
        return
    index = correction_index(state)
    weight = min(depth + 1, MAX_WEIGHT)
    limit = parameters.correction_limit * GRAIN
    difference = max(-limit, min((best - static) * GRAIN, limit))
    memory.corrections[index] = (memory.corrections[index] * (WEIGHTS - weight) + difference * weight) // WEIGHTS
