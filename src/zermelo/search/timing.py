"""How long to think about a move, where the whole game has to be played with what a clock shows.

    budget = seconds_for(left=1.0, increment=0.01)
    engine.analysis(state, Limits(seconds=budget.hard, soft_seconds=budget.soft))

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

    An even share is what the moves still expected leave to each: all that is left and that will be won by them, less
    what they will cost beside the search. `soft` is below it, because the depth begun before it ends after it; `hard`
    is four shares, and never above `left - overhead` nor much above a third of that, unless few moves are to go. Where
    there is nothing to share out, a thousandth of a second is asked for. Negative times count as none.
    """
    overhead = max(overhead, 0.0)
    usable = max(left - overhead, LEAST)
    moves = min(moves_to_go, EXPECTED_MOVES) if moves_to_go > 0 else EXPECTED_MOVES
    # Where a move costs more than it wins, that is held in reserve: so a clock does not run down to the last moment,
    # where one delay of the machine would end the game.
    share = (usable + (max(increment, 0.0) - overhead) * (moves - 1)) / moves
    most = usable * (LARGEST_SHARE + (LAST_SHARE - LARGEST_SHARE) / moves)
    hard = max(min(4 * share, most), LEAST)
    return Budget(min(max(0.6 * share, LEAST), hard), hard)
