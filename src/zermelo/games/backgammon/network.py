"""The networks of backgammon, for contact, crashed positions and races, from both perspectives; exact bear-offs."""

from __future__ import annotations

from typing import Any

from zermelo.core.accumulator import Accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Term, Weights, evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.core.network import Network
from zermelo.games.backgammon import bearoff
from zermelo.games.backgammon.features import (
    POINT,
    bearoff_score,
    clamp_to_stakes,
    escape_rolls,
    integer_sqrt,
    is_bearoff,
    is_contact,
    keith_count,
    shots,
)
from zermelo.games.backgammon.points import (
    BAR,
    BOARD,
    HOME,
    LANE,
    borne_off,
    checkers_in,
    checkers_on,
    flip_both,
    made_points,
    occupied,
    pip_count,
)  # fmt: skip
from zermelo.games.backgammon.position import Position

#: The numbers of the networks.
CONTACT, CRASHED, RACE = 0, 1, 2
# What the planes of a side count, for each network alike.
_NAMES = 3 * (*(f"{count} or more on" for count in range(1, 8)), "borne off", "step")
# The points from which checkers hardly move any more, 1 and 2, and the most other checkers of a crashed side.
_DEEP = Bitboard(0x6)
_MOST_CRASHED = 6


def network_of(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> int:
    """The network of a position: `CONTACT`; `CRASHED`, if a side has few checkers left to play; `RACE`."""
    if not is_contact(low, high, other_low, other_high):
        return RACE
    own = checkers_in(low, high, LANE & ~_DEEP)
    other = checkers_in(other_low, other_high, LANE & ~_DEEP)
    return CRASHED if min(own, other) <= _MOST_CRASHED else CONTACT


def side_planes(
    low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, network: int
) -> tuple[Bitboard, ...]:
    """The planes of a side, for each network.

    They are the points with at least 1 to 7 checkers, the checkers borne off, and `race_steps` or `contact_steps`.
    """
    ones = low & LANE
    twos = low >> 32
    fours = high & LANE
    eights = high >> 32
    four = fours | eights
    if network == RACE:
        steps = race_steps(low, high, other_low, other_high)
    else:
        steps = contact_steps(low, high, other_low, other_high)
    planes = (
        ones | twos | four, twos | four, ones & twos | four, four,
        fours & (ones | twos) | eights, fours & twos | eights, fours & twos & ones | eights,
        unary(borne_off(low, high)), steps,
    )  # fmt: skip
    contact = inputs_if(network == CONTACT, planes)
    return contact + inputs_if(network == CRASHED, planes) + inputs_if(network == RACE, planes)


def unary(count: int) -> Bitboard:
    """Unary code of a number from 0 to 32: the set of all smaller ones."""
    return (Bitboard(1) << max(count, 0)) - 1


def race_steps(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> Bitboard:
    """In a race: the lead, in 20 steps, and how many pips the other side is behind in saving a gammon, in 12.

    The lead is that of the Keith counts, in eighths of the square root of their sum. A step of the other is 6 pips.
    """
    own = keith_count(low, high)
    other = keith_count(other_low, other_high)
    lead = other - own
    ahead = 0
    if lead > 0:
        ahead = min(128 * lead // integer_sqrt(256 * (own + other)) + 1, 20)
    late = 0
    if borne_off(other_low, other_high) == 0:
        outside = LANE & ~HOME
        count = checkers_in(other_low, other_high, outside)
        late = pip_count(other_low & (outside | outside << 32), other_high & (outside | outside << 32)) - 6 * count
        late = max(0, min((late - max(own, 4 * checkers_in(low, high, LANE)) + 32) // 6, 12))
    return unary(ahead) | unary(late) << 20


def contact_steps(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> Bitboard:
    """With contact: rolls that hit, in 12 steps; rolls that move the rearmost checker, in 9; the best block, in 5."""
    points = occupied(low, high)
    made = made_points(low, high) & BOARD
    other_made = made_points(other_low, other_high) & BOARD
    flipped = flip_both(other_made | (occupied(other_low, other_high) & BOARD & ~other_made) << 32)
    closed = flipped & LANE
    targets = flipped >> 32
    bar = checkers_on(low, high, BAR)
    hits, _, _ = shots(points, bar, closed, targets)
    rearmost = Bitboard(1) << points.last()
    rolls = 36
    if (closed | targets) & rearmost - 1:
        _, rolls = escape_rolls(rearmost, closed)
    block = 0
    enemy = 0 if checkers_on(other_low, other_high, BAR) else (closed | targets).first()
    for first in range(enemy + 1, 20):
        block = max(block, (made >> first & 63).count())
    return unary((hits + 2) // 3) | unary((rolls + 3) // 4) << 12 | unary(block - 1) << 21


def inputs_if(condition: bool, planes: tuple[Bitboard, ...]) -> tuple[Bitboard, ...]:
    """The planes as inputs of a network if a condition holds, else none."""
    mask = LANE if condition else Bitboard(0)
    a, b, c, d, e, f, g, h, i = planes
    return (a & mask, b & mask, c & mask, d & mask, e & mask, f & mask, g & mask, h & mask, i & mask)


@evaluation
class PositionNetwork(Network):
    """Equity in millipoints: two views of 3 networks with 64 hidden units each, and the exact bear-off table.

    Parameters
    ----------
    chances : Weights, shape (54264, 31)
        The bear-off table in fixed point, from `bearoff.fixed_point_table`.
    """

    unit = POINT
    unit_name = "thousandths of a point"
    largest_score = 3 * POINT + 1
    output_scale = POINT
    accumulator_bits = 32
    plane_count = 54
    squares = 32
    hidden = 64
    most_inputs = 120
    stages = 3
    plane_names = tuple(f"{side} {name}" for side in "XO" for name in _NAMES)

    chances: Weights

    def planes(self, state: Position) -> tuple[Bitboard, ...]:
        network = network_of(state.x_low, state.x_high, state.o_low, state.o_high)
        return side_planes(state.x_low, state.x_high, state.o_low, state.o_high, network) + side_planes(
            state.o_low, state.o_high, state.x_low, state.x_high, network
        )

    def stage(self, state: Position) -> int:
        return network_of(state.x_low, state.x_high, state.o_low, state.o_high)

    def side(self, state: Position) -> int:
        return state.turn

    def accumulated_score(self, state: Position, accumulator: Accumulator) -> int:
        low, high, other_low, other_high = state.sides()
        if is_bearoff(low, high, other_low, other_high):
            score = bearoff_score(self.chances, low, high, other_low, other_high, state.turn != 0)
        elif state.turn:
            score = self.side_score(state, accumulator, state.turn)
        else:  # before the first roll: the mean of both starting
            first = self.side_score(state, accumulator, MIN)
            score = rounded_div(first - self.side_score(state, accumulator, MAX), 2)
        sign = MAX if state.turn == MAX else MIN
        return sign * clamp_to_stakes(score, low, high, other_low, other_high)

    def terms(self, state: Any) -> list[Term]:
        if is_bearoff(*state.sides()):
            return [Term("bear-off table", None, None, (), self.score(state))]
        return super().terms(state)

    @classmethod
    def tables(cls) -> dict[str, Any]:
        return {"chances": bearoff.fixed_point_table()}
