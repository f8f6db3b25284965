"""Evaluations of backgammon: expected points, times 1,000, for X (MAX) before whoever's turn it is has rolled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Term, Weights, evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.games.backgammon import bearoff, fitted
from zermelo.games.backgammon.points import (
    AWAY,
    BAR,
    BOARD,
    HOME,
    LANE,
    ON_BAR,
    borne_off,
    checkers_in,
    checkers_on,
    held,
    occupied,
    pips,
    turned,
)

# ---- contact: what is counted, for each side ---------------------------------------------------------------------

_EACH = range(1, 25)
CONTACT = (
    *(f"blot on {point}" for point in _EACH),
    *(f"point {point}" for point in _EACH),
    *(f"spares on {point}" for point in _EACH),
    *(f"home of {points}" for points in range(1, 7)),
    "on the bar", "checkers on the bar", "on the bar, to roll", "checkers on the bar, to roll",
    "borne off", "pips", "to roll",
    "shots", "lost by shots", "double shots", "shots x home", "lost by shots x home",
    "shots to roll", "lost by shots to roll", "double shots to roll", "shots to roll x home", "lost to roll x home",
    "home, other on the bar", "home squared, other on the bar", "home x others on the bar",
    "block of 3", "block of 4", "block of 5", "block of 6",
    "prime of 2", "prime of 3", "prime of 4", "prime of 5", "prime of 6",
    "behind prime of 4", "behind prime of 5", "behind prime of 6",
    "dice to move the last", "rolls to move the last",
    "back", "back x other home", "blots back x other home", "blots before x other home", "back x deep",
    "anchor", "anchor x other home",
    "builders", "stacked", "points to make", "points to make, to roll",
)  # fmt: skip
# Where terms stand among them; points are counted from 1, and so are the points of a home.
BLOT, HOLD, SPARES = (CONTACT.index(f"{name} 1") - 1 for name in ("blot on", "point", "spares on"))
HOMES = CONTACT.index("home of 1") - 1
AFTER_POINTS = CONTACT.index("on the bar")

DEEP = Bitboard(0xE)
BUILDING = Bitboard(0x1FC0)
WANTED = Bitboard(0xFE)


def shots(places, bar, closed, blots):
    """By how many of the 36 rolls a blot is hit, the pips lost by it (the farthest one hit), and where two are.

    All as who hits counts the points: `places` are theirs, `bar` how many of them are on the bar.
    """
    hits = 0
    lost = 0
    twice = 0
    if not blots:
        return hits, lost, twice
    free = BOARD & ~closed
    for die in range(1, 7):
        for small in range(1, die + 1):
            large_step = (ON_BAR if bar else places) >> die & free
            small_step = (ON_BAR if bar else places) >> small & free
            if die == small:
                hit = large_step & blots
                step = large_step
                if bar and step:
                    step |= places & BOARD
                for _ in range(4 - max(bar, 1)):
                    step = step >> die & free
                    hit |= step & blots
            elif bar > 1:
                hit = (large_step | small_step) & blots
            else:
                hit = (large_step | small_step) & blots
                if bar:
                    if large_step:
                        hit |= (large_step | places & BOARD) >> small & free & blots
                    if small_step:
                        hit |= (small_step | places & BOARD) >> die & free & blots
                else:
                    hit |= (large_step >> small | small_step >> die) & free & blots
            if hit:
                ways = 1 if die == small else 2
                hits += ways
                lost += ways * hit.last()
                if hit.rest():
                    twice += ways
    return hits, lost, twice


def ways_out(last, closed):
    """By how many of the 6 numbers a checker can move, and by how many of the 36 rolls it can go on with both dice."""
    free = BOARD & ~closed
    dice = 0
    rolls = 0
    for die in range(1, 7):
        large_step = last >> die & free
        if large_step:
            dice += 1
        for small in range(1, die):
            if (large_step >> small | (last >> small & free) >> die) & free:
                rolls += 2
        if large_step >> die & free:
            rolls += 1
    return dice, rolls


def makers(blots, holds, threes, closed):
    """By how many of the 36 rolls a side can make one of its points 1 to 7, with checkers that leave no point open."""
    spare = blots | threes
    open_points = WANTED & ~(holds | closed)
    rolls = 0
    for die in range(1, 7):
        by_die = spare >> die & open_points
        if holds >> die & open_points or by_die & blots:
            rolls += 1
        for small in range(1, die):
            by_small = spare >> small & open_points
            if by_die & by_small or (by_die | by_small) & blots:
                rolls += 2
    return rolls


def counted(low, high, other_low, other_high, rolling):
    """What the terms of `CONTACT` count for one side: pairs of a term's number and its count, those that are not 0.

    `rolling` says whether it is this side's turn. What a term's name does not tell:

    - shots, lost: see `shots`; home: how many of the points 1 to 6 are held; back: checkers on points from 19 up.
    - block: of any six points in a row before the other's last checker, so many are held, or more. prime: so many in
      a row, or more. behind: the other's checkers behind the foremost prime of so many.
    - deep: checkers on points 1 to 3. builders: blots and spares on points 6 to 12. stacked: checkers beyond the third.
    - points to make: see `makers`.
    """
    places = occupied(low, high)
    holds = held(low, high) & BOARD
    blots = places & BOARD & ~holds
    threes = (low & low >> 32 | high | high >> 32) & BOARD
    other_holds = held(other_low, other_high) & BOARD
    theirs = turned(other_holds | (occupied(other_low, other_high) & BOARD & ~other_holds) << 32)
    closed = theirs & LANE
    targets = theirs >> 32
    bar = checkers_on(low, high, BAR)
    other_bar = checkers_on(other_low, other_high, BAR)
    home = (holds & HOME).count()
    other_home = (closed & AWAY).count()

    builders = (blots & BUILDING).count()
    stacked = 0
    for point in blots:
        yield BLOT + point, 1
    for point in holds:
        yield HOLD + point, 1
    for point in threes:
        spares = checkers_on(low, high, point) - 2
        yield SPARES + point, spares
        stacked += spares - 1
        if Bitboard(1) << point & BUILDING:
            builders += spares
    if home:
        yield HOMES + home, 1

    roll = 1 if rolling else 0
    on_bar = 1 if bar else 0
    other_on_bar = 1 if other_bar else 0
    hits, lost, twice = shots(places, bar, closed, targets)
    make = makers(blots, holds, threes, closed)
    back = checkers_in(low, high, AWAY)
    anchor = 1 if holds & AWAY else 0

    # Walls before the other's last checker, whose place is the lowest as this side counts.
    last = 0 if other_bar else (closed | targets).first()
    block = 0
    for first in range(last + 1, 20):
        block = max(block, (holds >> first & 63).count())
    length = 0
    run = holds & -(Bitboard(2) << last)
    while run:
        run &= run >> 1
        length += 1
    fours = holds & holds >> 1 & holds >> 2 & holds >> 3
    fives = fours & holds >> 4

    # This side's last checker: whether others stand before it, and how it can move.
    rear = Bitboard(1) << places.last()
    dice, rolls = 6, 36
    if (closed | targets) & rear - 1:
        dice, rolls = ways_out(rear, closed)

    # Two tuples: a longer one would be made of a list.
    tactics = (
        on_bar, bar, roll * on_bar, roll * bar,
        borne_off(low, high), pips(low, high), roll,
        hits, lost, twice, hits * home, lost * home,
        roll * hits, roll * lost, roll * twice, roll * hits * home, roll * lost * home,
        other_on_bar * home, other_on_bar * home * home, other_bar * home,
    )  # fmt: skip
    structure = (
        1 if block >= 3 else 0, 1 if block >= 4 else 0, 1 if block >= 5 else 0, 1 if block >= 6 else 0,
        1 if length >= 2 else 0, 1 if length >= 3 else 0, 1 if length >= 4 else 0, 1 if length >= 5 else 0,
        1 if length >= 6 else 0,
        behind(other_low, other_high, fours), behind(other_low, other_high, fives),
        behind(other_low, other_high, fives & holds >> 5),
        dice, rolls,
        back, back * other_home, (blots & AWAY).count() * other_home, (blots & ~AWAY).count() * other_home,
        back * checkers_in(low, high, DEEP),
        anchor, anchor * other_home,
        builders, stacked, make, roll * make,
    )  # fmt: skip
    index = AFTER_POINTS
    for count in tactics + structure:
        if count:
            yield index, count
        index += 1


def behind(other_low, other_high, walls):
    """How many of the other's checkers stand behind the foremost of these walls, each given by its lowest point."""
    if not walls:
        return 0
    return checkers_in(other_low, other_high, LANE & -(Bitboard(1) << BAR + 1 - walls.last()))


# ---- race: nobody can be hit any more ----------------------------------------------------------------------------

AHEADS, GAMMONS, TRIPLES = 13, 9, 5
RACE = (
    *(f"ahead {step}" for step in range(1, AHEADS)),
    *(f"gammon {step}" for step in range(1, GAMMONS)),
    *(f"backgammon {step}" for step in range(1, TRIPLES)),
)
GAMMON = AHEADS - 1
TRIPLE = GAMMON + GAMMONS - 1


def effort(low, high):
    """The pips to go with what will be wasted on gaps and on low points: Tom Keith's count (2004)."""
    total = pips(low, high) + 2 * max(0, checkers_on(low, high, 1) - 1) + max(0, checkers_on(low, high, 2) - 1)
    return total + max(0, checkers_on(low, high, 3) - 3) + (GAPS & ~occupied(low, high)).count()


GAPS = Bitboard(0x70)
# Pips that a side on roll is ahead by that, half a roll.
HALF_ROLL = 4
# What a roll brings home, about.
ROLL = 8


def square_root(number):
    """The largest int whose square is not larger."""
    root = number
    better = (number + 1) // 2
    while better < root:
        root = better
        better = (root + number // root) // 2
    return root


def steps(amount, step, first, count):
    """An amount on a scale of `count` - 1 steps numbered from `first`: it stands between two, nearer to one of them.

    Yields the numbers of both and how near, in `step`ths; together these are a straight line from step to step.
    """
    amount = max(0, min(amount, step * (count - 1)))
    index = amount // step
    near = amount - step * index
    if index:
        yield first + index - 1, step - near
    if near:
        yield first + index, near


def raced(low, high, other_low, other_high, rolling):
    """What the terms of `RACE` count for one side: as in `counted`.

    - ahead: the lead in `effort`, in units of the square root of both sides' together, in 16ths of a quarter.
    - gammon, backgammon: the pips that the other side still needs to save them, less what the side itself needs.
    """
    own = effort(low, high)
    other = effort(other_low, other_high)
    half = HALF_ROLL if rolling else -HALF_ROLL
    lead = other - own + half
    if lead > 0:
        for index, near in steps(1024 * lead // square_root(256 * (own + other)), 16, 0, AHEADS):
            yield index, near
    if borne_off(other_low, other_high) == 0:
        need = max(own, HALF_ROLL * checkers_in(low, high, LANE)) - half
        out = other_high & AWAY | other_low & AWAY | (other_high | other_low) >> 32 & AWAY
        late = pips(other_low & OUTSIDE, other_high & OUTSIDE) - 6 * checkers_in(other_low, other_high, OUTSIDE & LANE)
        for index, near in steps(late - need + 3 * ROLL, ROLL, GAMMON, GAMMONS):
            yield index, near
        if out:
            late = pips(other_low & OUT, other_high & OUT) - 18 * checkers_in(other_low, other_high, AWAY)
            for index, near in steps(late - need + 3 * ROLL, ROLL, TRIPLE, TRIPLES):
                yield index, near


OUTSIDE = (BOARD | ON_BAR) & ~HOME | ((BOARD | ON_BAR) & ~HOME) << 32
OUT = AWAY | AWAY << 32


# ---- the evaluations ---------------------------------------------------------------------------------------------

# One point of the game in scores.
POINT = 1000
# Weights are in hundredths of that unit.
FINE = 100


def is_contact(low, high, other_low, other_high):
    """Whether the sides have not passed each other yet."""
    return occupied(low, high).last() + occupied(other_low, other_high).last() > BAR


def is_bearoff(low, high, other_low, other_high):
    """Whether both sides have all their checkers at home, and no contact."""
    return not (occupied(low, high) | occupied(other_low, other_high)) & ~HOME


def within(score, low, high, other_low, other_high):
    """A score no larger than what can still be won: 1 point from whoever has a checker off, else 3."""
    most = 3 * POINT if borne_off(other_low, other_high) == 0 else POINT
    least = 3 * POINT if borne_off(low, high) == 0 else POINT
    return max(-least, min(score, most))


@evaluation
class Phases(Evaluation):
    """Points to be expected, times 1,000: a sum of terms for each phase of the game, and in a bear-off the exact table.

    What it tells is the worth before the roll for whoever's turn it is; dice that have been rolled already change
    nothing. Before the first roll it is nobody's turn, and what counts for being on roll counts for neither.

    - contact: `CONTACT`, with two rows of weights, mixed by the pips of both sides together: the first row alone where
      there are `EARLY` or more, the second alone where there are `EARLY` - `PIPS` or fewer.
    - race, when the sides have passed each other: `RACE`. No score is larger than what can still be won.
    - bear-off, when both are at home: the table of `bearoff`, as chances of so many rolls.
    """

    contact: Weights
    race: Weights
    chances: Weights

    unit = POINT
    unit_name = "thousandths of a point"
    #: No more than a backgammon can be won.
    largest_score = 3 * POINT + 1
    phase_names = ("early", "late")
    EARLY = 330
    PIPS = 160

    def score(self, state):
        low, high, other_low, other_high = state.sides()
        sign = MAX if state.turn == MAX else MIN
        rolling = state.turn != 0
        if is_contact(low, high, other_low, other_high):
            score = self.in_contact(low, high, other_low, other_high, rolling)
        elif is_bearoff(low, high, other_low, other_high):
            score = self.in_bearoff(low, high, other_low, other_high, rolling)
        else:
            score = self.in_race(low, high, other_low, other_high, rolling)
        return int(sign * within(score, low, high, other_low, other_high))

    def in_contact(self, low, high, other_low, other_high, rolling):
        """The score of a position with contact, for the first side."""
        early = self.early(pips(low, high) + pips(other_low, other_high))
        late = self.PIPS - early
        total = 0
        for is_own in (False, True):  # in one place: compiled code has the terms once
            total = -total
            for index, count in counted(other_low, other_high, low, high, rolling and is_own):
                total += count * (early * self.contact[0, index] + late * self.contact[1, index])
            low, high, other_low, other_high = other_low, other_high, low, high
        return rounded_div(total, FINE * self.PIPS)

    def in_race(self, low, high, other_low, other_high, rolling):
        """The score of a race, for the first side."""
        total = 0
        for is_own in (False, True):
            total = -total
            for index, count in raced(other_low, other_high, low, high, rolling and is_own):
                total += count * self.race[index]
            low, high, other_low, other_high = other_low, other_high, low, high
        return rounded_div(total, FINE)

    def in_bearoff(self, low, high, other_low, other_high, rolling):
        """The score of a bear-off, for the first side; before the first roll the mean of either side's rolling."""
        own = bearoff.rank(low, high)
        other = bearoff.rank(other_low, other_high)
        worth = bearoff.points(self.chances, own, other)
        if not rolling:
            worth = (worth - bearoff.points(self.chances, other, own)) // 2
        return rounded_div(worth // bearoff.CERTAIN * POINT, bearoff.CERTAIN)

    def early(self, both):
        """How much the first row of the weights of contact counts, by the pips of both sides: 0 to `PIPS`."""
        return max(0, min(both - self.EARLY + self.PIPS, self.PIPS))

    def terms(self, state: Any) -> list[Term]:
        low, high, other_low, other_high = sides = state.sides()
        score = self.score(state)
        if is_contact(*sides):
            names, count, rows = CONTACT, counted, self.contact.T.tolist()
        elif is_bearoff(*sides):
            return [Term("bear-off table", None, None, (), score)]
        else:
            names, count, rows = RACE, raced, [[weight] for weight in self.race.tolist()]
        own = dict(count(low, high, other_low, other_high, state.turn != 0))
        other = dict(count(other_low, other_high, low, high, False))
        ours, theirs = (own, other) if state.turn == MAX else (other, own)
        mixture = self.mixture(state)
        parts = (mixture[0], mixture[1] - mixture[0]) if mixture else (1,)
        listed = []
        for index, (name, weights) in enumerate(zip(names, rows, strict=True)):
            more, less = int(ours.get(index, 0)), int(theirs.get(index, 0))
            if more or less:
                mixed = sum(part * weight for part, weight in zip(parts, weights, strict=True))
                points = Fraction((more - less) * mixed, FINE * sum(parts))
                listed.append(Term(name, more, less, tuple(weights), points))
        rest = score - sum(term.points for term in listed)
        return [*listed, Term("rounding and bounds", None, None, (), rest)] if rest else listed

    def mixture(self, state: Any) -> tuple[int, int] | None:
        low, high, other_low, other_high = state.sides()
        if not is_contact(low, high, other_low, other_high):
            return None
        return self.early(pips(low, high) + pips(other_low, other_high)), self.PIPS


@evaluation
class PipCount(Linear):
    """The other side's pips less the own ones, eight thousandths of a point each: what players race by."""

    names = ("pips",)
    unit = POINT
    unit_name = "thousandths of a point"
    largest_score = 3 * POINT + 1

    def counts(self, state, side):
        if side == MAX:
            return (pips(state.x_low, state.x_high),)
        return (pips(state.o_low, state.o_high),)


class Evaluations(Mapping[str, Evaluation]):
    """The game's evaluations by name, made when they are first asked for: the bear-off table takes its time."""

    def __iter__(self) -> Iterator[str]:
        return iter(("phases", "pips"))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, name: str) -> Evaluation:
        if name not in list(self):
            raise KeyError(name)
        return phases() if name == "phases" else PipCount((-8,))


@cache
def phases() -> Evaluation:
    """The usual evaluation, with the weights of `fitted`."""
    return Phases((fitted.EARLY, fitted.LATE), fitted.RACE, bearoff.frozen())


EVALUATIONS = Evaluations()
