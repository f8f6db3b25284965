"""How long to think about a move, where the whole game has to be played with what a clock shows.

    budget = seconds_for(left=1.0, increment=0.01)
    engine.search(state, Limits(seconds=budget.hard, enough=budget.soft))

Two figures, because a search deepens depth by depth: after `soft` seconds no further depth is begun, since it would
most likely not come to its end; at `hard` seconds the search stops where it is. Arithmetic alone: no clock is read.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Seconds of each move that are spent outside the search: the wire, the move's text, a busy machine.
OVERHEAD = 0.02
#: Moves of its own that a player expects to make until a game ends, if nothing else is known. Fewer spend more now.
EXPECTED_MOVES = 30
#: What one move may take of the time left, at most: as a rule, and if it is the last before the clock is filled up.
LARGEST_SHARE = 1 / 3
LAST_SHARE = 0.9
#: Less than a thousandth of a second is not asked of a search: it would find no move at all.
LEAST = 0.001


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds for one move: begin no further depth after `soft`, stop at `hard`. 0 < soft <= hard."""

    soft: float
    hard: float


def seconds_for(left: float, increment: float = 0.0, moves_to_go: int = 0, overhead: float = OVERHEAD) -> Budget:
    """The time for the next move of a player who has `left` seconds on the clock.

    `increment`: seconds won by each move made. `moves_to_go`: moves until the clock is filled up again; 0: it must last
    for the rest of the game. `overhead`: seconds that each move costs beside the search.

    An even share is what the moves still expected leave to each, the increment with it. `soft` is below it, because
    the depth begun before it ends after it; `hard` is four shares. `hard` is never above `left - overhead` (where that
    is nothing, a thousandth of a second is asked for), nor much above a third of it, unless few moves are to go.
    Negative times count as none.
    """
    usable = max(left - max(overhead, 0.0), LEAST)
    moves = min(moves_to_go, EXPECTED_MOVES) if moves_to_go > 0 else EXPECTED_MOVES
    # The increment comes after the move: what is lost to the overhead of the coming moves comes out of it first.
    share = usable / moves + max(increment - max(overhead, 0.0), 0.0) * (moves - 1) / moves
    most = usable * (LARGEST_SHARE + (LAST_SHARE - LARGEST_SHARE) / moves)
    hard = max(min(4 * share, most), LEAST)
    return Budget(min(max(0.6 * share, LEAST), hard), hard)
