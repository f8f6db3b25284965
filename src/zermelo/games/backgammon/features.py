"""What backgammon's evaluations count: hits, escapes, Keith counts, phases of the game, the end of races, stakes."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Weights, rounded_div
from zermelo.games.backgammon import bearin, bearoff
from zermelo.games.backgammon.points import (
    BAR,
    BOARD,
    HOME,
    ON_BAR,
    borne_off,
    brought_home,
    checkers_on,
    occupied,
    pip_count,
)  # fmt: skip

#: Scores are in millipoints: 1,000 is one point.
POINT = 1000
#: A roll has 8.17 pips on average.
PIPS_OF_100_ROLLS = 817
GAPS = Bitboard(0x70)  # points 4 to 6


def shots(points: Bitboard, bar: int, closed: Bitboard, blots: Bitboard) -> tuple[int, int, int]:
    """Count the rolls that hit a blot.

    Parameters
    ----------
    points : Bitboard
        The points occupied by the side that hits; all points are numbered as seen by it.
    bar : int
        Its checkers on the bar.
    closed : Bitboard
        The points that the other side holds.
    blots : Bitboard
        The other side's blots.

    Returns
    -------
    hits, lost, double : int
        Rolls of 36 that hit; the pips that they cost the other side, of each roll the most expensive hit; rolls that
        can hit either of two blots.
    """
    hits = 0
    lost = 0
    double = 0
    if not blots:
        return hits, lost, double
    free = BOARD & ~closed
    origins = ON_BAR if bar else points
    for die in range(1, 7):
        large_step = origins >> die & free
        for small in range(1, die + 1):
            small_step = origins >> small & free
            if die == small:
                hit = large_step & blots
                step = large_step
                if bar and step:
                    step |= points & BOARD
                for _ in range(4 - max(bar, 1)):
                    step = step >> die & free
                    hit |= step & blots
            elif bar > 1:
                hit = (large_step | small_step) & blots
            else:
                hit = (large_step | small_step) & blots
                if bar:
                    if large_step:
                        hit |= (large_step | points & BOARD) >> small & free & blots
                    if small_step:
                        hit |= (small_step | points & BOARD) >> die & free & blots
                else:
                    hit |= (large_step >> small | small_step >> die) & free & blots
            if hit:
                ways = 1 if die == small else 2
                hits += ways
                lost += ways * hit.last()
                if hit.rest():
                    double += ways
    return hits, lost, double


def escape_rolls(rearmost: Bitboard, closed: Bitboard) -> tuple[int, int]:
    """Count the dice (of 6) that move the rearmost checker, and the rolls (of 36) that move it with both dice."""
    free = BOARD & ~closed
    dice = 0
    rolls = 0
    for die in range(1, 7):
        large_step = rearmost >> die & free
        if large_step:
            dice += 1
        for small in range(1, die):
            if (large_step >> small | (rearmost >> small & free) >> die) & free:
                rolls += 2
        if large_step >> die & free:
            rolls += 1
    return dice, rolls


def keith_count(low: Bitboard, high: Bitboard) -> int:
    """Return the Keith count: the pip count plus penalties for gaps and for stacks on low points.

    References
    ----------
    T. Keith, "Cube Handling in Noncontact Positions" (2004).
    """
    total = pip_count(low, high) + 2 * max(0, checkers_on(low, high, 1) - 1) + max(0, checkers_on(low, high, 2) - 1)
    return total + max(0, checkers_on(low, high, 3) - 3) + (GAPS & ~occupied(low, high)).count()


def integer_sqrt(number: int) -> int:
    """Return the largest integer whose square is not larger than `number` (`math.isqrt` is not compiled)."""
    root = number
    better = (number + 1) // 2
    while better < root:
        root = better
        better = (root + number // root) // 2
    return root


def is_contact(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> bool:
    """Return whether the sides have not passed each other yet."""
    return occupied(low, high).last() + occupied(other_low, other_high).last() > BAR


def is_bearoff(low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> bool:
    """Return whether both sides have all checkers at home, without contact."""
    return not (occupied(low, high) | occupied(other_low, other_high)) & ~HOME


def clamp_to_stakes(score: int, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard) -> int:
    """Bound a score by what each side can still win: 3 points, or 1 if the loser has borne off a checker."""
    most = 3 * POINT if borne_off(other_low, other_high) == 0 else POINT
    least = 3 * POINT if borne_off(low, high) == 0 else POINT
    return max(-least, min(score, most))


def bearoff_score(
    chances: Weights, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, rolling: bool
) -> int:
    """Return the score of a bear-off for the first side; before the first roll the mean of both starting."""
    own = bearoff.compiled_index(low, high)
    other = bearoff.compiled_index(other_low, other_high)
    equity = bearoff.race_equity(chances, own, other)
    if not rolling:
        equity = (equity - bearoff.race_equity(chances, other, own)) // 2
    return rounded_div(equity // bearoff.ONE * POINT, bearoff.ONE)


def gammon_race_score(
    chances: Weights, late: Weights, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard
) -> int:
    """Return the score of a gammon race of either side (`bearin.is_gammon_race`), for the first side, which rolls."""
    if bearin.is_gammon_race(low, high, other_low, other_high):
        return _leader_score(chances, late, low, high, other_low, other_high, True)
    return -_leader_score(chances, late, other_low, other_high, low, high, False)


def _leader_score(
    chances: Weights, late: Weights, low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard,
    rolls_first: bool,
) -> int:  # fmt: skip
    """Return the score of a gammon race for its leader, the first side.

    The chance that it loses is that of a bear-off which the other side enters with its outer checkers on point 6 after
    as many rolls as these moves take on average, rounded down.
    """
    own = bearoff.compiled_index(low, high)
    gammon = bearin.gammon_chance(chances, late, own, bearin.index(other_low, other_high), rolls_first) // bearin.ONE
    home_low, home_high, pips = brought_home(other_low, other_high)
    other = bearoff.compiled_index(home_low, home_high)
    loss = bearoff.loss_chance(chances, own, other, rolls_first, 100 * pips // PIPS_OF_100_ROLLS) // bearoff.ONE
    return rounded_div((bearoff.ONE + gammon - 2 * loss) * POINT, bearoff.ONE)
