"""The networks of backgammon, for contact, crashed positions and races, and tables for the end of races."""

from __future__ import annotations

from typing import Any

from zermelo.core.accumulator import Accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Term, Weights, evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.core.network import Network
from zermelo.core.value import Int16Weights
from zermelo.games.backgammon import bearin, bearoff
from zermelo.games.backgammon.features import (
    PIPS_OF_100_ROLLS,
    POINT,
    bearoff_score,
    clamp_to_stakes,
    escape_rolls,
    gammon_race_score,
    integer_sqrt,
    is_bearoff,
    is_contact,
    shots,
)
from zermelo.games.backgammon.points import (
    BAR,
    BOARD,
    LANE,
    borne_off,
    brought_home,
    checkers_in,
    checkers_on,
    count_behind,
    flip_both,
    made_points,
    occupied,
)  # fmt: skip
from zermelo.games.backgammon.position import Position

#: Expected rolls are counted in this part of a roll.
ROLL = 256
#: The numbers of the networks.
CONTACT, CRASHED, RACE = 0, 1, 2
# The steps of `race_steps`, and the windows over them. Steps are fine because plays that differ by a pip look equal, or
# much different, in coarse ones.
LEAD_STEPS, GAMMON_STEPS, BACKGAMMON_STEPS = 96, 64, 32
_WINDOW, _BACKGAMMON_WINDOW = 8, 4
# The gammon and backgammon steps begin where the other side saves it two rolls early.
_EARLY = 2
# The planes of a side; `side_planes` shows their order.
_PLANES = (*(f"{count} or more on" for count in range(1, 8)), "borne off")
_NAMES = (
    *2 * (*_PLANES, "step"), *_PLANES, "backgammon step",
    *(f"lead step {first} +" for first in range(0, LEAD_STEPS, 32)),
    *(f"gammon step {first} +" for first in range(0, GAMMON_STEPS, 32)),
)  # fmt: skip
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
    expected: Weights, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, network: int
) -> tuple[Bitboard, ...]:
    """The planes of a side, 32 sets of up to 32 numbers; those of the other networks are empty.

        contact   points with at least 1, 2, ... 7 checkers | checkers borne off | `contact_steps`
        crashed   the same
        race      the same, but with backgammon steps | lead steps, 3 planes | gammon steps, 2 planes

    The steps of a race are those of `race_steps`, in windows.
    """
    ones = low & LANE
    twos = low >> 32
    fours = high & LANE
    eights = high >> 32
    four = fours | eights
    lead = 0
    gammon = 0
    if network == RACE:
        lead, gammon, backgammon = race_steps(expected, low, high, other_low, other_high)
        steps = window(backgammon, _BACKGAMMON_WINDOW)
    else:
        steps = contact_steps(low, high, other_low, other_high)
    planes = (
        ones | twos | four, twos | four, ones & twos | four, four,
        fours & (ones | twos) | eights, fours & twos | eights, fours & twos & ones | eights,
        unary(borne_off(low, high)),
    )  # fmt: skip
    contact = inputs_if(network == CONTACT, planes, steps)
    crashed = inputs_if(network == CRASHED, planes, steps)
    race = inputs_if(network == RACE, planes, steps)
    leads = (window(lead, _WINDOW), window(lead - 32, _WINDOW), window(lead - 64, _WINDOW))
    return contact + crashed + race + leads + (window(gammon, _WINDOW), window(gammon - 32, _WINDOW))


def unary(count: int) -> Bitboard:
    """Unary code of a number: the set of the smaller ones from 0 to 31."""
    return (Bitboard(1) << min(max(count, 0), 32)) - 1


def window(count: int, size: int) -> Bitboard:
    """A sliding window: the `size` numbers below `count`, as far as they are from 0 to 31.

    Windows of neighbouring counts share all but one number, so the first layer changes little from one to the next.
    """
    return unary(count) & ~unary(count - size)


def race_steps(
    expected: Weights, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard
) -> tuple[int, int, int]:
    """The three differences of expected rolls that decide a race, in steps, from the first side's view.

    Returns
    -------
    lead : int
        How many rolls it is ahead, over the square root of both sides' rolls: 0 .. 96, in steps of 1/96.
    gammon : int
        How many rolls the other side's first checker is borne off later than all of its own: 0 .. 64, in twelfths of a
        roll from -2 on; 0 if one has been borne off.
    backgammon : int
        The same for the other side's last checker that leaves this side's home: 0 .. 32, in sixths of a roll from -2
        on; 0 if none is there.
    """
    own, _ = rolls_left(expected, low, high)
    other, first = rolls_left(expected, other_low, other_high)
    lead = other - own
    ahead = 0
    if lead > 0:
        ahead = min(LEAD_STEPS * lead // integer_sqrt(ROLL * (own + other)) + 1, LEAD_STEPS)
    if borne_off(other_low, other_high):
        return ahead, 0, 0
    late = max(0, min(12 * (first - own + _EARLY * ROLL) // ROLL, GAMMON_STEPS))
    count, pips = count_behind(other_low, other_high, 18)
    if count == 0:
        return ahead, late, 0
    # Each checker but the last takes at least half a roll, 4 pips, and the last one pip.
    leave = rolls_for(max(pips, 4 * count - 3))
    return ahead, late, max(1, min(6 * (leave - own + _EARLY * ROLL) // ROLL, BACKGAMMON_STEPS))


def rolls_left(expected: Weights, low: Bitboard, high: Bitboard) -> tuple[int, int]:
    """Estimate the rolls that a side needs to bear off all checkers, and the first one, in units of 1/256 roll.

    They are the exact expected rolls with all outer checkers moved to point 6, and the rolls for the pips of these
    moves. For the first checker, moving an outer one takes at least half a roll, 4 pips.
    """
    wasted = 3 * checkers_on(low, high, 7) + 2 * checkers_on(low, high, 8) + checkers_on(low, high, 9)
    low, high, pips = brought_home(low, high)
    index = bearoff.compiled_index(low, high)
    return int(expected[index, 0]) + rolls_for(pips), int(expected[index, 1]) + rolls_for(pips + wasted)


def rolls_for(pips: int) -> int:
    """The rolls for a number of pips, in units of 1/256 roll."""
    return 100 * ROLL * pips // PIPS_OF_100_ROLLS


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


def inputs_if(condition: bool, planes: tuple[Bitboard, ...], steps: Bitboard) -> tuple[Bitboard, ...]:
    """The planes as inputs of a network if a condition holds, else none."""
    mask = LANE if condition else Bitboard(0)
    a, b, c, d, e, f, g, h = planes
    return (a & mask, b & mask, c & mask, d & mask, e & mask, f & mask, g & mask, h & mask, steps & mask)


@evaluation
class PositionNetwork(Network):
    """Equity in millipoints: two views of 3 networks with 128 hidden units each, and tables for the end of races.

    Parameters
    ----------
    chances : Weights, shape (54264, 31)
        The bear-off table in fixed point, from `bearoff.fixed_point_table`.
    expected : Weights, shape (54264, 2)
        Expected numbers of rolls, from `bearoff.expected_table`.
    late : Int16Weights, shape (116480, 9)
        The bear-in table, from `bearin.fixed_point_table`.
    """

    unit = POINT
    unit_name = "thousandths of a point"
    largest_score = 3 * POINT + 1
    output_scale = POINT
    accumulator_bits = 32
    plane_count = 64
    squares = 32
    hidden = 128
    most_inputs = 120
    stages = 3
    plane_names = tuple(f"{side} {name}" for side in "XO" for name in _NAMES)

    chances: Weights
    expected: Weights
    late: Int16Weights

    def planes(self, state: Position) -> tuple[Bitboard, ...]:
        network = network_of(state.x_low, state.x_high, state.o_low, state.o_high)
        return side_planes(self.expected, state.x_low, state.x_high, state.o_low, state.o_high, network) + side_planes(
            self.expected, state.o_low, state.o_high, state.x_low, state.x_high, network
        )

    def stage(self, state: Position) -> int:
        return network_of(state.x_low, state.x_high, state.o_low, state.o_high)

    def is_known(self, state: Position) -> bool:
        low, high, other_low, other_high = state.sides()
        if is_bearoff(low, high, other_low, other_high):
            return True
        return state.turn != 0 and (
            bearin.is_gammon_race(low, high, other_low, other_high)
            or bearin.is_gammon_race(other_low, other_high, low, high)
        )

    def side(self, state: Position) -> int:
        return state.turn

    def accumulated_score(self, state: Position, accumulator: Accumulator) -> int:
        low, high, other_low, other_high = state.sides()
        if is_bearoff(low, high, other_low, other_high):
            score = bearoff_score(self.chances, low, high, other_low, other_high, state.turn != 0)
        elif self.is_known(state):
            score = gammon_race_score(self.chances, self.late, low, high, other_low, other_high)
        elif state.turn:
            score = self.side_score(state, accumulator, state.turn)
        else:  # before the first roll: the mean of both starting
            first = self.side_score(state, accumulator, MIN)
            score = rounded_div(first - self.side_score(state, accumulator, MAX), 2)
        sign = MAX if state.turn == MAX else MIN
        return sign * clamp_to_stakes(score, low, high, other_low, other_high)

    def terms(self, state: Any) -> list[Term]:
        if self.is_known(state):
            name = "bear-off table" if is_bearoff(*state.sides()) else "bear-in table"
            return [Term(name, None, None, (), self.score(state))]
        return super().terms(state)

    @classmethod
    def tables(cls) -> dict[str, Any]:
        tables = {"chances": bearoff.fixed_point_table(), "expected": bearoff.expected_table(ROLL)}
        return {**tables, "late": bearin.fixed_point_table()}
