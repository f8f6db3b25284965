"""Time management: how long to think about a move, given the game clock.

    budget = time_budget(remaining=1.0, increment=0.01)
    engine.analysis(state, Limits(seconds=budget.hard, soft_seconds=budget.soft))

Iterative deepening needs two limits. After `soft` seconds no new depth is started, because it would most likely not
finish. At `hard` seconds the search stops. This module only computes; it reads no clock.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Default seconds per move spent outside the search: transmission, formatting the move, other load on the machine.
OVERHEAD = 0.02
#: Moves that a player expects to make until the game ends, if nothing else is known. A smaller number spends more now.
EXPECTED_MOVES = 30
#: Largest fraction of the remaining time that one move may take: normally, and for the last move before a time control.
LARGEST_FRACTION = 1 / 3
LAST_MOVE_FRACTION = 0.9
#: Smallest budget in seconds. In less time a search would find no move.
MIN_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Budget:
    """Time limits for one move.

    Attributes
    ----------
    soft : float
        Seconds after which no new depth is started; 0 < soft <= hard.
    hard : float
        Seconds after which the search stops.
    """

    soft: float
    hard: float


def time_budget(remaining: float, increment: float = 0.0, moves_to_go: int = 0, overhead: float = OVERHEAD) -> Budget:
    """Compute the time limits for the next move of a player.

    Parameters
    ----------
    remaining : float
        Seconds left on the player's clock.
    increment : float
        Seconds added to the clock after each move.
    moves_to_go : int
        Moves until the next time control, when the clock gets more time; 0: the time is for the rest of the game.
    overhead : float
        Seconds per move that are spent outside the search.

    Returns
    -------
    Budget
        `hard` is at most `remaining - overhead`, and at most a third of it unless a time control is near. If there is
        no time left, both limits are `MIN_SECONDS`.

    Notes
    -----
    The even share of a move is the remaining time plus future increments minus future overheads, divided by the number
    of expected moves. `soft` is 0.6 shares, since a depth that starts before it ends after it; `hard` is 4 shares.
    Negative times count as 0.
    """
    overhead = max(overhead, 0.0)
    usable = max(remaining - overhead, MIN_SECONDS)
    moves = min(moves_to_go, EXPECTED_MOVES) if moves_to_go > 0 else EXPECTED_MOVES
    # If the overhead exceeds the increment, the difference is reserved for the moves to come. Otherwise the clock would
    # run down to almost nothing, and one delay of the machine would lose the game.
    share = (usable + (max(increment, 0.0) - overhead) * (moves - 1)) / moves
    largest = usable * (LARGEST_FRACTION + (LAST_MOVE_FRACTION - LARGEST_FRACTION) / moves)
    hard = max(min(4 * share, largest), MIN_SECONDS)
    return Budget(min(max(0.6 * share, MIN_SECONDS), hard), hard)
