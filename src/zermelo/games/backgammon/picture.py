"""The backgammon board as a picture. X is white and moves to lower numbers."""

from __future__ import annotations

from zermelo.core.game import MIN
from zermelo.core.picture import Path, Points
from zermelo.games.backgammon.notation import steps_of
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


def move_path(state: Position, move: int) -> Path:
    """Return the steps of a play from the highest point of the mover down, on the points of the picture.

    O's points count from the other end, but 25 is the bar and 0 is off the board for both sides.
    """
    steps = steps_of(state, move) if move else []
    if state.turn != MIN:
        return tuple((step.start, step.end) for step in steps)
    return tuple((step.start if step.start == BAR else BAR - step.start, step.end and BAR - step.end) for step in steps)
