"""Backgammon's board as a picture: X is white and goes to lower numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.game import MIN
from zermelo.core.picture import Points
from zermelo.games.backgammon.points import BAR, counts, pips

if TYPE_CHECKING:
    from zermelo.games.backgammon.rules import Backgammon


def picture(state: Backgammon) -> Points:
    """The board as X sees it, the dice at whoever has rolled them."""
    x, o = counts(state.x_low, state.x_high), counts(state.o_low, state.o_high)
    die, small = divmod(state.dice, 10)
    dice = (die,) * 4 if die == small else (die, small)
    return Points(
        checkers=tuple(x[point] - o[BAR - point] for point in range(1, BAR)),
        bar=(x[BAR], o[BAR]),
        off=(x[0], o[0]),
        dice=dice if die else (),
        mover="black" if state.turn == MIN else "white",
        captions=(
            f"X (white): {pips(state.x_low, state.x_high)} pips",
            f"O (black): {pips(state.o_low, state.o_high)} pips",
        ),
    )
