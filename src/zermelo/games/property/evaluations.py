"""Evaluations of the property game."""

from __future__ import annotations

from collections.abc import Mapping

from zermelo.core.evaluation import Evaluation, evaluation
from zermelo.core.game import MAX, MIN
from zermelo.games.property.position import Position, seat

#: How often a roll ends on each square in the long run, in 1/100,000 (see docs/games/property.md).
LANDINGS = (
    3096, 2131, 1885, 2162, 2329, 2963, 2262, 865, 2321, 2300,
    2270, 2702, 2604, 2372, 2465, 2920, 2792, 2594, 2936, 3085,
    2884, 2836, 1048, 2736, 3186, 3066, 2707, 2679, 2807, 2586,
    0, 2677, 2625, 2366, 2501, 2433, 867, 2186, 2180, 2626,
)  # fmt: skip
#: Evaluation units of a win: fine enough to tell a dollar from none.
WIN = 100_000


def share(ours: int, theirs: int) -> int:
    """Return the difference of two parts of a sum, as a part of the sum: a win is `WIN`."""
    return (WIN - 1) * (ours - theirs) // max(ours + theirs, 1)


@evaluation
class Worth(Evaluation):
    """MAX's share of what both players have: cash, properties and houses."""

    unit = WIN
    largest_score = WIN

    def score(self, state: Position) -> int:
        return share(state.worth(MAX), state.worth(MIN))


@evaluation
class Income(Evaluation):
    """The same, after the mean rents of the turns that are left."""

    unit = WIN
    largest_score = WIN

    def score(self, state: Position) -> int:
        return share(state.worth(MAX) + income(state, MAX), state.worth(MIN) + income(state, MIN))


def income(state: Position, player: int) -> int:
    """Return the mean rent of the other side's turns that are left, one roll each."""
    total = 0
    for square in state.owned[seat(player)] & ~state.mortgaged:
        total += LANDINGS[square] * state.rent(square, 7)
    return total * state.turns // 200_000


EVALUATIONS: Mapping[str, Evaluation] = {"income": Income(), "worth": Worth()}
