"""Backgammon evaluations: symmetry, sums of terms, exact bear-offs, comparison with GNU Backgammon."""

from __future__ import annotations

import csv
from fractions import Fraction
from random import Random
from statistics import correlation, mean

import pytest
import slowbackgammon as slow
from published import published

from zermelo import analyse
from zermelo.core.evaluation import checked_score, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import UnknownGame
from zermelo.games.backgammon import Backgammon, bearoff
from zermelo.games.backgammon.evaluations import CONTACT, EVALUATIONS, RACE, contact_counts, interpolate
from zermelo.games.backgammon.features import POINT, integer_sqrt, is_bearoff, is_contact, keith_count, shots
from zermelo.games.backgammon.network import CONTACT as CONTACT_NETWORK
from zermelo.games.backgammon.network import (
    CRASHED,
    ROLL,
    PositionNetwork,
    contact_steps,
    network_of,
    race_steps,
    rolls_left,
    unary,
    window,
)
from zermelo.games.backgammon.network import RACE as RACE_NETWORK
from zermelo.games.backgammon.points import (
    BOARD,
    LANE,
    checker_counts,
    checkers_on,
    flip_both,
    made_points,
    occupied,
    pack_counts,
)

pytestmark = pytest.mark.quick

# The network takes a millisecond a score where it is not compiled.
NAMES = [pytest.param(name, marks=pytest.mark.slow if name == "network" else ()) for name in EVALUATIONS]

PHASES = EVALUATIONS["phases"]
ROLLS = [(die, small) for die in range(1, 7) for small in range(1, die + 1)]


def rows_of(name: str) -> list[dict[str, str]]:
    with published("backgammon", name).open() as file:
        return list(csv.DictReader(file))


def played(games: int, seed: int = 3) -> list[Backgammon]:
    """Unfinished positions of random games, before and after the roll."""
    random, states = Random(seed), []
    for _ in range(games):
        state = Backgammon()
        while not state.is_over():
            states.append(state)
            moves = state.outcomes() if state.to_move() == CHANCE else ((move, 1) for move in state.moves())
            state = state.play(random.choice([move for move, _ in moves]))
    return states


STATES = Random(1).sample(played(12), 400)


def flip(state: Backgammon) -> Backgammon:
    """The same position with the sides exchanged."""
    return Backgammon(state.o_low, state.o_high, state.x_low, state.x_high, state.dice, -state.turn)


def side(*points: int) -> tuple:
    """The two words of a side with checkers on given points; 25 is the bar."""
    return pack_counts([15 - len(points), *(points.count(point) for point in range(1, 26))])


def score(x: tuple, o: tuple, turn: int = MAX) -> int:
    return checked_score(PHASES, Backgammon(*x, *o, 0, turn))


# ---- what holds of every position ----------------------------------------------------------------------------------


def test_sample_positions_cover_all_phases() -> None:
    contact = sum(is_contact(*state.sides()) for state in STATES)
    ends = sum(not is_contact(*state.sides()) and is_bearoff(*state.sides()) for state in STATES)
    assert contact > 100
    assert ends > 10
    assert len(STATES) - contact - ends > 10


@pytest.mark.parametrize("name", NAMES)
def test_exchanged_sides_negate_the_score(name: str) -> None:
    for state in STATES:
        assert checked_score(EVALUATIONS[name], state) == -checked_score(EVALUATIONS[name], flip(state)), state
    assert EVALUATIONS[name].score(Backgammon()) == 0


@pytest.mark.parametrize("name", NAMES)
def test_rolled_dice_do_not_change_the_score(name: str) -> None:
    found = EVALUATIONS[name]
    for state in STATES[:100]:
        assert found.score(state) == found.score(Backgammon(*tuple(state)[:4], 0, state.turn))


def bounds(state: Backgammon) -> tuple[int, int]:
    """The bounds of the score: 1 point if the loser has borne off a checker, otherwise 3."""
    x_off, o_off = (checker_counts(*words)[0] for words in ((state.x_low, state.x_high), (state.o_low, state.o_high)))
    return -(POINT if x_off else 3 * POINT), POINT if o_off else 3 * POINT


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_score_is_the_sum_of_its_terms(name: str) -> None:
    """The last term holds the effect of rounding and of the bounds."""
    summed = 0
    for state in STATES:
        score, terms = EVALUATIONS[name].score(state), EVALUATIONS[name].terms(state)
        assert sum(term.points for term in terms) == score, state
        points = [term.points for term in terms if term.max is not None]
        if name == "pips":
            assert sum(points) == score, state
        elif name == "phases" and terms[0].name != "bear-off table":
            least, most = bounds(state)
            assert abs(score - max(least, min(sum(points), most))) <= Fraction(1, 2), state
            summed += len(points) > 5
    assert summed > 300 or name != "phases"


def test_terms_count_each_side_separately() -> None:
    state = Backgammon.parse("4HPwATDgc/ABMA").after("31 8/5,6/5")
    terms = {term.name: term for term in PHASES.terms(state)}
    assert (terms["pips"].max, terms["pips"].min) == (163, 167)
    assert (terms["point 5"].max, terms["point 5"].min) == (1, 0)
    assert (terms["home of 2"].max, terms["home of 1"].min) == (1, 1)
    assert (terms["to roll"].max, terms["to roll"].min) == (0, 1)
    assert len(set(CONTACT)) == len(CONTACT)
    assert len(set(RACE)) == len(RACE)


def test_every_term_occurs_in_some_position() -> None:
    crafted = [
        (side(*[2, 3, 4, 5, 6, 7] * 2, 24, 24, 24), side(25, 6, 6)),
        (side(*[1, 2, 3, 4, 5, 6] * 2, 24, 24, 24), side(25, 6, 6)),
        (side(*[9, 11, 12] * 3), side(24)),
    ]
    seen = set()
    for state in [*STATES, *(Backgammon(*x, *o, 0, MAX) for x, o in crafted)]:
        low, high, other_low, other_high = state.sides()
        if is_contact(low, high, other_low, other_high):
            seen.update(CONTACT[index] for index, _ in contact_counts(low, high, other_low, other_high, True))
    assert set(CONTACT) - seen == set()


# ---- shots, against brute force ------------------------------------------------------------------------------------


def test_shots_agree_with_brute_force() -> None:
    """Except where both dice must be played in another way, which the count ignores on purpose."""
    agreed = compared = 0
    for state in STATES:
        low, high, other_low, other_high = state.sides()
        if state.turn == 0 or not is_contact(low, high, other_low, other_high):
            continue
        theirs = flip_both(made_points(other_low, other_high) & BOARD | (occupied(other_low, other_high) & BOARD) << 32)
        closed = theirs & LANE
        hits, lost, twice = shots(occupied(low, high), checkers_on(low, high, 25), closed, theirs >> 32 & ~closed)
        assert 0 <= twice <= hits <= 36
        assert hits <= lost <= 24 * hits
        position = tuple(checker_counts(low, high)), tuple(checker_counts(other_low, other_high))
        able = 0
        for one, two in ROLLS:
            able += (1 + (one != two)) * any(end[1][25] > position[1][25] for end in slow.plays(position, one, two))
        compared += 1
        agreed += able == hits
        if compared == 60:
            break
    assert compared == 60
    assert agreed >= 59


def test_known_shots() -> None:
    def hitting(distance: int) -> int:
        own, blot = side(distance + 1), flip_both(side(24)[0])
        return shots(occupied(*own), 0, own[0] & 0, blot)[0]

    # The players' table for a single blot with nothing between.
    assert [hitting(distance) for distance in range(1, 13)] == [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3]


# ---- races and bear-offs -------------------------------------------------------------------------------------------


def test_bearoff_score_is_exact() -> None:
    one, two = (2, 1, 0, 0, 3, 0), (0, 0, 4, 0, 0, 1)
    x = pack_counts([9, *one, *[0] * 19])
    o = pack_counts([10, *two, *[0] * 19])
    chance = bearoff.win_chance(one, two)
    assert score(x, o) == round(POINT * (2 * chance - 1))
    assert score(x, o, MIN) == round(POINT * (1 - 2 * bearoff.win_chance(two, one)))


def test_gammon_in_bearoff() -> None:
    last = side(1)
    assert score(last, side(*[6] * 14)) == POINT
    assert score(last, side(*[6] * 15)) == 2 * POINT
    # On roll, the other saves the gammon by 17 rolls of 36; see the bear-off's tests.
    assert score(last, side(*[6] * 15), MIN) == round(POINT * (2 - 17 / 36))


@pytest.mark.parametrize("name", NAMES)
def test_score_is_bounded_by_the_stakes(name: str) -> None:
    for state in STATES:
        least, most = bounds(state)
        assert least <= EVALUATIONS[name].score(state) <= most


def test_bearoffs_of_the_network_are_exact() -> None:
    exact = [state for state in STATES if not is_contact(*state.sides()) and is_bearoff(*state.sides())]
    assert len(exact) > 5
    for state in exact:
        assert EVALUATIONS["network"].score(state) == PHASES.score(state)


def test_the_network_of_a_position() -> None:
    contact = Backgammon.parse("31")
    crashed = Backgammon(*side(*[1] * 7, 2, 2, 24, 24, 20, 8, 8, 8), *side(*[6] * 13, 24, 24), 0, MAX)
    race = Backgammon(*side(*[6] * 8, *[8] * 7), *side(*[6] * 8, *[8] * 7), 0, MAX)
    assert network_of(*contact.sides()) == CONTACT_NETWORK
    assert network_of(*crashed.sides()) == CRASHED
    assert network_of(*race.sides()) == RACE_NETWORK


def test_steps_of_the_network() -> None:
    assert [int(unary(count)) for count in (-1, 0, 3, 32, 40)] == [0, 0, 7, 2**32 - 1, 2**32 - 1]
    expected = bearoff.expected_table(ROLL)
    # Two checkers on point 1 are one roll, those outside count by pips; the first of 15 checkers decides gammons.
    assert rolls_left(expected, *side(1, 1)) == (ROLL, 0)
    home, out = side(*[6] * 15), side(*[6] * 14, 23)
    assert rolls_left(expected, *home)[0] == round(ROLL * bearoff.expected_rolls((0, 0, 0, 0, 0, 15)))
    for index in (0, 1):
        assert rolls_left(expected, *out)[index] == rolls_left(expected, *home)[index] + 1700 * ROLL // 817
    # Two windows that differ by 1, and one across the border of two planes.
    assert [int(window(count, 4)) for count in (0, 2, 5, 6)] == [0, 0b11, 0b11110, 0b111100]
    assert [int(window(34 - first, 4)) for first in (0, 32)] == [0b11 << 30, 0b11]
    few, many = side(*[4] * 6), side(*[8] * 6)
    assert race_steps(expected, *many, *few)[0] == 0 < race_steps(expected, *few, *many)[0]
    # Late in saving the gammon: not if a checker is off.
    near = side(*[3] * 4)
    assert race_steps(expected, *near, *many)[1:] == (0, 0)
    assert min(race_steps(expected, *near, *out)[1:]) > 0 == race_steps(expected, *near, *home)[2]
    # No position has more than `most_inputs` inputs.
    network = PositionNetwork.with_weights()
    for x, o in ((near, out), (side(*range(1, 16)), side(*range(1, 9), *range(9, 16)))):
        assert not network.problem(Backgammon(*x, *o, 0, MAX))
    # A blot four points away from a single checker is hit by 15 rolls in the players' table, which are 5 steps.
    assert contact_steps(*side(5), *side(24)) & 0xFFF == 31


def test_score_increases_with_the_lead() -> None:
    home = [6, 6, 5, 5, 4, 4, 3, 3, 2]
    worth = [score(side(*home, *[7] * 6), side(*home, *[8 + more] * 6)) for more in range(6)]
    assert worth == sorted(worth)
    assert worth[0] > 0
    assert keith_count(*side(1, 1, 1)) == 3 + 4 + 3  # two wasted on the ace point, three gaps


def test_interpolate_is_piecewise_linear() -> None:
    for amount in range(-5, 60):
        assert sum((index - 9) * near for index, near in interpolate(amount, 8, 10, 6)) == max(0, min(amount, 40))
    assert [integer_sqrt(number) for number in (0, 1, 3, 4, 99, 100, 10**6 - 1)] == [0, 1, 1, 2, 9, 10, 999]


def test_names() -> None:
    assert list(Backgammon.evaluations) == ["phases", "pips", "network"]
    assert resolve_evaluation(Backgammon(), None) is PHASES
    with pytest.raises(UnknownGame, match="phases, pips, network, nothing"):
        resolve_evaluation(Backgammon(), "gnubg")
    assert EVALUATIONS["pips"].score(Backgammon().after("31 8/5,6/5")) == 8 * 4


# ---- beside GNU Backgammon -----------------------------------------------------------------------------------------


def openings() -> dict[str, list[tuple[str, float]]]:
    """The best plays and their equities at 2-ply, by roll without doublets."""
    found: dict[str, list[tuple[str, float]]] = {}
    for row in rows_of("gnubg_opening_replies_cubeless.csv"):
        if row["requested_ply"] == "2" and row["roll"][0] != row["roll"][1]:
            found.setdefault(row["roll"], []).append((row["move"], float(row["cubeless_money_equity"])))
    return found


@pytest.mark.reference
def test_opening_replies() -> None:
    missed = {}
    for roll, ((best, worth), *others) in openings().items():
        state = Backgammon().after(roll)
        # To depth 2 a play is worth the mean over all rolls of a score that takes no notice of them.
        chosen = max(state.legal_moves(), key=lambda move: PHASES.score(state.play(move)))
        if chosen != state.parse_move(best):
            worse = [worth - other for play, other in others if state.parse_move(play) == chosen]
            missed[roll] = (state.move_name(chosen), worse)
    assert len(missed) <= 1, missed
    for play, worse in missed.values():
        assert worse, play  # among the three best at least
        assert worse[0] < 0.04


@pytest.mark.long
@pytest.mark.reference
@pytest.mark.slow
def test_opening_replies_of_the_engine() -> None:
    played = {roll: analyse(Backgammon().after(roll), depth=2).best for roll in openings()}
    right = [Backgammon().after(roll).parse_move(best[0][0]) for roll, best in openings().items()]
    found = [Backgammon().after(roll).parse_move(move) for roll, move in played.items()]
    assert sum(one == other for one, other in zip(right, found, strict=True)) >= 12


@pytest.mark.reference
def test_equity_of_published_positions() -> None:
    rows = [row for row in rows_of("gnubg_eval_300.csv") if row["plies"] == "1"]
    states = [Backgammon.parse(row["position_id"]) for row in rows]
    ours = [PHASES.score(state) / POINT for state in states]
    theirs = [float(row["cubeless_equity"]) for row in rows]
    assert correlation(ours, theirs) > 0.97
    assert mean(abs(one - other) for one, other in zip(ours, theirs, strict=True)) < 0.15
    races = [index for index, state in enumerate(states) if not is_contact(*state.sides())]
    assert mean(abs(ours[index] - theirs[index]) for index in races) < 0.05
