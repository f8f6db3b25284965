"""Backgammon evaluations: the equity of X (MAX) in millipoints, before the side whose turn it is has rolled."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Term, Weights, evaluation, rounded_div
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.game import MAX, MIN
from zermelo.games import term_table
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
from zermelo.games.backgammon.network import PositionNetwork
from zermelo.games.backgammon.points import (
    AWAY,
    BAR,
    BOARD,
    HOME,
    LANE,
    borne_off,
    checkers_in,
    checkers_on,
    count_behind,
    flip_both,
    made_points,
    occupied,
    pip_count,
)
from zermelo.games.backgammon.position import Position
from zermelo.games.backgammon.terms import CONTACT_TERMS, RACE_TERMS
from zermelo.games.term_table import TermRow

# ---- contact ------------------------------------------------------------------------------------------------------

CONTACT = term_table.names(CONTACT_TERMS)
# The indices of the terms for each point, less 1 (points count from 1), and of the first term after them.
BLOT, MADE, SPARES = (CONTACT.index(f"{name} 1") - 1 for name in ("blot on", "point", "spares on"))
HOMES = CONTACT.index("home of 1") - 1
AFTER_POINTS = CONTACT.index("on the bar")

DEEP = Bitboard(0xE)  # points 1 to 3
BUILDING = Bitboard(0x1FC0)  # points 6 to 12
TO_MAKE = Bitboard(0xFE)  # points 1 to 7


def point_making_rolls(blots: Bitboard, made: Bitboard, threes: Bitboard, closed: Bitboard) -> int:
    """Count the rolls (of 36) that make one of the points 1 to 7 without breaking another point.

    `made` are the points held, `threes` those with three checkers or more, `closed` the other side's.
    """
    spare = blots | threes
    open_points = TO_MAKE & ~(made | closed)
    rolls = 0
    for die in range(1, 7):
        by_die = spare >> die & open_points
        if made >> die & open_points or by_die & blots:
            rolls += 1
        for small in range(1, die):
            by_small = spare >> small & open_points
            if by_die & by_small or (by_die | by_small) & blots:
                rolls += 2
    return rolls


def contact_counts(
    low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, rolling: bool
) -> Iterator[tuple[int, int]]:
    """Yield the terms of `CONTACT_TERMS` that are not 0 for the first side, as pairs (index, count).

    `rolling` says whether it is this side's turn.
    """
    points = occupied(low, high)
    made = made_points(low, high) & BOARD
    blots = points & BOARD & ~made
    threes = (low & low >> 32 | high | high >> 32) & BOARD
    other_made = made_points(other_low, other_high) & BOARD
    flipped = flip_both(other_made | (occupied(other_low, other_high) & BOARD & ~other_made) << 32)
    closed = flipped & LANE
    targets = flipped >> 32
    bar = checkers_on(low, high, BAR)
    other_bar = checkers_on(other_low, other_high, BAR)
    home = (made & HOME).count()
    other_home = (closed & AWAY).count()
    roll = 1 if rolling else 0

    builders = (blots & BUILDING).count()
    stacked = 0
    for point in blots:
        yield BLOT + point, 1
    for point in made:
        yield MADE + point, 1
    for point in threes:
        spares = checkers_on(low, high, point) - 2
        yield SPARES + point, spares
        stacked += spares - 1
        if Bitboard(1) << point & BUILDING:
            builders += spares
    if home:
        yield HOMES + home, 1

    # The point of the other side's rearmost checker, as this side numbers it.
    rearmost_enemy = 0 if other_bar else (closed | targets).first()
    rearmost = Bitboard(1) << points.last()
    dice, rolls = 6, 36
    if (closed | targets) & rearmost - 1:
        dice, rolls = escape_rolls(rearmost, closed)
    make = point_making_rolls(blots, made, threes, closed)
    index = AFTER_POINTS
    for count in (
        bar_terms(bar, roll, borne_off(low, high), pip_count(low, high))
        + shot_terms(points, bar, closed, targets, home, roll)
        + home_terms(home, other_bar)
        + block_terms(made, rearmost_enemy, other_low, other_high)
        + (dice, rolls)
        + back_terms(checkers_in(low, high, AWAY), other_home, blots, checkers_in(low, high, DEEP), made)
        + (builders, stacked, make, roll * make)
    ):
        if count:
            yield index, count
        index += 1


def bar_terms(bar: int, roll: int, off: int, pips: int) -> tuple[int, ...]:
    """Count the terms for the bar, the checkers borne off, the pip count and the turn."""
    on_bar = 1 if bar else 0
    return on_bar, bar, roll * on_bar, roll * bar, off, pips, roll


def shot_terms(
    points: Bitboard, bar: int, closed: Bitboard, targets: Bitboard, home: int, roll: int
) -> tuple[int, ...]:
    """Count the terms of `shots`, for any side and again for the side to roll."""
    hits, lost, double = shots(points, bar, closed, targets)
    return (
        hits,
        lost,
        double,
        hits * home,
        lost * home,
        roll * hits,
        roll * lost,
        roll * double,
        roll * hits * home,
        roll * lost * home,
    )


def home_terms(home: int, other_bar: int) -> tuple[int, ...]:
    """Count the terms for home points against checkers on the bar."""
    other_on_bar = 1 if other_bar else 0
    return other_on_bar * home, other_on_bar * home * home, other_bar * home


def block_terms(made: Bitboard, rearmost_enemy: int, other_low: Bitboard, other_high: Bitboard) -> tuple[int, ...]:
    """Count the terms for blocks and primes in front of the other side's rearmost checker."""
    block = 0
    for first in range(rearmost_enemy + 1, 20):
        block = max(block, (made >> first & 63).count())
    prime = 0
    run = made & -(Bitboard(2) << rearmost_enemy)
    while run:
        run &= run >> 1
        prime += 1
    fours = made & made >> 1 & made >> 2 & made >> 3
    fives = fours & made >> 4
    return (
        1 if block >= 3 else 0,
        1 if block >= 4 else 0,
        1 if block >= 5 else 0,
        1 if block >= 6 else 0,
        1 if prime >= 2 else 0,
        1 if prime >= 3 else 0,
        1 if prime >= 4 else 0,
        1 if prime >= 5 else 0,
        1 if prime >= 6 else 0,
        checkers_behind(other_low, other_high, fours),
        checkers_behind(other_low, other_high, fives),
        checkers_behind(other_low, other_high, fives & made >> 5),
    )


def checkers_behind(other_low: Bitboard, other_high: Bitboard, primes: Bitboard) -> int:
    """Count the other side's checkers behind the foremost of some primes, each given by its lowest point."""
    if not primes:
        return 0
    return checkers_in(other_low, other_high, LANE & -(Bitboard(1) << BAR + 1 - primes.last()))


def back_terms(back: int, other_home: int, blots: Bitboard, deep: int, made: Bitboard) -> tuple[int, ...]:
    """Count the terms for checkers in the other side's home, and for blots against its home points."""
    anchor = 1 if made & AWAY else 0
    return (
        back,
        back * other_home,
        (blots & AWAY).count() * other_home,
        (blots & ~AWAY).count() * other_home,
        back * deep,
        anchor,
        anchor * other_home,
    )


# ---- race ---------------------------------------------------------------------------------------------------------

RACE = term_table.names(RACE_TERMS)
# The number of steps of each scale, 0 included, and the index of its first term.
AHEAD_STEPS, GAMMON_STEPS, BACKGAMMON_STEPS = 13, 9, 5
GAMMON = AHEAD_STEPS - 1
BACKGAMMON = GAMMON + GAMMON_STEPS - 1

HALF_ROLL = 4  # pips that being on roll is worth
ROLL = 8  # average pips of a roll


def interpolate(amount: int, step: int, first: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the terms of a piecewise linear function of `amount`, as pairs (index, weight in parts of `step`).

    The function has `count` - 1 terms, numbered from `first`, at distances of `step`; the term at 0 is 0.
    """
    amount = max(0, min(amount, step * (count - 1)))
    index = amount // step
    part = amount - step * index
    if index:
        yield first + index - 1, step - part
    if part:
        yield first + index, part


def race_counts(
    low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, rolling: bool
) -> Iterator[tuple[int, int]]:
    """Yield the terms of `RACE_TERMS` that are not 0 for the first side, as pairs (index, count).

    - ahead: the lead in Keith counts, in units of the square root of both counts together; counts are in 16ths of a
      step of a quarter unit.
    - gammon, backgammon: the pips that the other side needs to save it, less those that this side needs to finish;
      counts are in 8ths of a step of 8 pips.
    """
    own = keith_count(low, high)
    other = keith_count(other_low, other_high)
    half = HALF_ROLL if rolling else -HALF_ROLL
    lead = other - own + half
    if lead > 0:
        for index, part in interpolate(1024 * lead // integer_sqrt(256 * (own + other)), 16, 0, AHEAD_STEPS):
            yield index, part
    if borne_off(other_low, other_high) == 0:
        need = max(own, HALF_ROLL * checkers_in(low, high, LANE)) - half
        _, late = count_behind(other_low, other_high, 6)
        for index, part in interpolate(late - need + 3 * ROLL, ROLL, GAMMON, GAMMON_STEPS):
            yield index, part
        away, late = count_behind(other_low, other_high, 18)
        if away:
            for index, part in interpolate(late - need + 3 * ROLL, ROLL, BACKGAMMON, BACKGAMMON_STEPS):
                yield index, part


# ---- the evaluations ----------------------------------------------------------------------------------------------

# Weights are in hundredths of a millipoint.
WEIGHT_SCALE = 100


@evaluation
class Phases(Evaluation):
    """Equity in millipoints: a weighted sum of terms in each phase of the game, and the exact bear-off table.

    The score is the equity before the side on turn rolls; dice already rolled do not change it. Before the first roll
    neither side counts as on roll. The phases are:

    - contact: `CONTACT_TERMS`, with two rows of weights tapered by the sum of both pip counts: only the first from
      `EARLY` pips up, only the second from `EARLY` - `PIPS` down.
    - race, after the sides have passed each other: `RACE_TERMS`, bounded by what can still be won.
    - bear-off, with all checkers at home: both sides' distributions of the number of rolls (see `bearoff`).

    Parameters
    ----------
    contact : Weights, shape (2, 123)
    race : Weights, shape (24,)
    chances : Weights, shape (54264, 31)
        The bear-off table in fixed point, from `bearoff.fixed_point_table`.
    """

    contact: Weights
    race: Weights
    chances: Weights

    unit = POINT
    unit_name = "thousandths of a point"
    #: No win is larger than a backgammon.
    largest_score = 3 * POINT + 1
    phase_names = ("early", "late")
    EARLY = 330
    PIPS = 160

    def score(self, state: Position) -> int:
        low, high, other_low, other_high = state.sides()
        sign = MAX if state.turn == MAX else MIN
        rolling = state.turn != 0
        if is_contact(low, high, other_low, other_high):
            score = self.contact_score(low, high, other_low, other_high, rolling)
        elif is_bearoff(low, high, other_low, other_high):
            score = bearoff_score(self.chances, low, high, other_low, other_high, rolling)
        else:
            score = self.race_score(low, high, other_low, other_high, rolling)
        return int(sign * clamp_to_stakes(score, low, high, other_low, other_high))

    def contact_score(
        self, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, rolling: bool
    ) -> int:
        """Return the score of a position with contact for the first side, which is on roll if `rolling`."""
        early = self.early_part(pip_count(low, high) + pip_count(other_low, other_high))
        late = self.PIPS - early
        total = 0
        for is_own in (False, True):  # one loop body for both sides: the terms are compiled once
            total = -total
            for index, count in contact_counts(other_low, other_high, low, high, rolling and is_own):
                total += count * (early * self.contact[0, index] + late * self.contact[1, index])
            low, high, other_low, other_high = other_low, other_high, low, high
        return rounded_div(total, WEIGHT_SCALE * self.PIPS)

    def race_score(
        self, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, rolling: bool
    ) -> int:
        """Return the score of a race for the first side."""
        total = 0
        for is_own in (False, True):
            total = -total
            for index, count in race_counts(other_low, other_high, low, high, rolling and is_own):
                total += count * self.race[index]
            low, high, other_low, other_high = other_low, other_high, low, high
        return rounded_div(total, WEIGHT_SCALE)

    def early_part(self, pips: int) -> int:
        """Return the share of the first row of contact weights, 0 to `PIPS`, by the sum of both pip counts."""
        return max(0, min(pips - self.EARLY + self.PIPS, self.PIPS))

    def terms(self, state: Position) -> list[Term]:
        low, high, other_low, other_high = sides = state.sides()
        score = self.score(state)
        if is_contact(*sides):
            names, count, rows = CONTACT, contact_counts, self.contact.T.tolist()
        elif is_bearoff(*sides):
            return [Term("bear-off table", None, None, (), score)]
        else:
            names, count, rows = RACE, race_counts, [[weight] for weight in self.race.tolist()]
        mover = dict(count(low, high, other_low, other_high, state.turn != 0))
        opponent = dict(count(other_low, other_high, low, high, False))
        x, o = (mover, opponent) if state.turn == MAX else (opponent, mover)
        mixture = self.mixture(state)
        parts = (mixture[0], mixture[1] - mixture[0]) if mixture else (1,)
        listed = []
        for index, (name, weights) in enumerate(zip(names, rows, strict=True)):
            x_count, o_count = int(x.get(index, 0)), int(o.get(index, 0))
            if x_count or o_count:
                mixed = sum(part * weight for part, weight in zip(parts, weights, strict=True))
                points = Fraction((x_count - o_count) * mixed, WEIGHT_SCALE * sum(parts))
                listed.append(Term(name, x_count, o_count, tuple(weights), points))
        rest = score - sum(term.points for term in listed)
        return [*listed, Term("rounding and bounds", None, None, (), rest)] if rest else listed

    def mixture(self, state: Position) -> tuple[int, int] | None:
        low, high, other_low, other_high = state.sides()
        if not is_contact(low, high, other_low, other_high):
            return None
        return self.early_part(pip_count(low, high) + pip_count(other_low, other_high)), self.PIPS


PIP_TERMS = (TermRow("pips", (-8,), "counts", "pip count"),)


@evaluation
class PipCount(Linear):
    """The difference of the pip counts, at 8 millipoints each."""

    table = PIP_TERMS
    names = term_table.names(PIP_TERMS)
    unit = POINT
    unit_name = "thousandths of a point"
    largest_score = 3 * POINT + 1

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        if side == MAX:
            return (pip_count(state.x_low, state.x_high),)
        return (pip_count(state.o_low, state.o_high),)


@cache
def phases() -> Evaluation:
    """Return the default evaluation, with the weights of `terms` and the bear-off table."""
    return Phases(term_table.phase_weights(CONTACT_TERMS), term_table.weights(RACE_TERMS), bearoff.fixed_point_table())


# Made on first use: the bear-off table takes half a second, the bear-in table of `network` two.
EVALUATIONS = EvaluationFiles(
    {},
    phases=phases,
    pips=lambda: PipCount(term_table.weights(PIP_TERMS)),
    network=(PositionNetwork, Path(__file__).with_name("network.weights")),
)
