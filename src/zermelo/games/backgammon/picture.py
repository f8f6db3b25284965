"""The backgammon board as a picture. X is white and moves to lower numbers."""

from __future__ import annotations

from zermelo.core.game import MIN
from zermelo.core.picture import Points
from zermelo.games.backgammon.points import BAR, checker_counts, pip_count
from zermelo.games.backgammon.position import Position


def picture(state: Position) -> Points:
    """Return the board as seen by X, with the dice on the side that rolled them."""
    x, o = checker_counts(state.x_low, state.x_high), checker_counts(state.o_low, state.o_high)
    die, small = divmod(state.dice, 10)
    dice = (die,) * 4 if die == small else (die, small)
    return Points(
        checkers=tuple(x[point] - o[BAR - point] for point in range(1, BAR)),
        bar=(x[BAR], o[BAR]),
        off=(x[0], o[0]),
        dice=dice if die else (),
        mover="black" if state.turn == MIN else "white",
        captions=(
            f"X (white): {pip_count(state.x_low, state.x_high)} pips",
            f"O (black): {pip_count(state.o_low, state.o_high)} pips",
        ),
    )
