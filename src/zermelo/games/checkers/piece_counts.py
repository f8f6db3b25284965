"""Numbers of a side's kings, free pieces, threats and runaways, which both evaluations of checkers weigh."""

from __future__ import annotations

from zermelo.core.game import MAX
from zermelo.games.checkers.position import Position
from zermelo.games.checkers.squares import BOARD, INNER, cone_above, cone_below, jumpers, steppers


def piece_counts(state: Position, side: int) -> tuple[int, int, int, int, int]:
    """Return a side's numbers of pieces of five sorts.

    They are kings, kings away from the edge, pieces that can step, enemy pieces that could jump now, and men that no
    enemy piece can stop.
    """
    all_kings = state.kings
    empty = BOARD & ~(state.black | state.white)
    if side == MAX:
        own, other = state.black, state.white
        kings = own & all_kings
        free = steppers(own, kings, empty)
        hanging = jumpers(other & all_kings, other, own, empty)
        runaways = (own ^ kings) & ~cone_below(other)
    else:
        own, other = state.white, state.black
        kings = own & all_kings
        free = steppers(kings, own, empty)
        hanging = jumpers(other, other & all_kings, own, empty)
        runaways = (own ^ kings) & ~cone_above(other)
    return kings.count(), (kings & INNER).count(), free.count(), hanging.count(), runaways.count()
