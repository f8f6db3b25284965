"""Chance nodes: Star1 and Star2 return the value of expectiminimax, interpreted and compiled, with every table."""

import json
import random
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hashtree import Guess, HashTree, tree
from pig import HOLD, ROLL, Lead, Pig
from reroll import Reroll

import zermelo
from zermelo import CHANCE, MAX, MIN, GameError, LimitError, Nothing, analyse, evaluation, expectiminimax
from zermelo.compiled import native
from zermelo.core.evaluation import rounded_div
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.engine import Engine, Limits
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy, Minimax, Star1, Star2
from zermelo.search.scores import LIMIT, bound_of, fine, least_total, most_total, plain, ranked
from zermelo.search.table import new_table
from zermelo.teaching.tree import read
from zermelo.teaching.tree.rules import TreeGame


@evaluation
class Tight(Guess):
    """A guess with a declared `largest_score`."""

    largest_score = 10


def shapes(seed):
    """A random tree of height 3 to 6, a third to two thirds of it chance nodes, some with transpositions."""
    return tree(seed, height=3 + seed % 4, width=36 if seed % 4 == 0 else 48, chances=(5, 8, 10)[seed % 3])


class Kernel:
    """The compiled search with a policy; one context and one table for all searches."""

    def __init__(self, policy, buckets=1):
        self.ctx, self.table, self.policy = SearchContext(), new_table(buckets), policy
        self.ctx.buckets = buckets
        self.nodes = 0

    def search(self, state, depth=UNLIMITED_DEPTH, scored=None, alpha=-LIMIT, beta=LIMIT):
        ctx = self.ctx
        # A search to the end of the game calls no evaluation, but is compiled for its class; so it is always the same.
        ctx.set_scale(state, ranked(state, scored), scored or Nothing())
        scored = scored or Tight()
        ctx.stop = ctx.stopped = False
        ctx.next_poll = ctx.nodes = 0
        arguments = (state, scored, self.policy, depth, alpha, beta, 0, 0, ctx, self.table)
        score = native(run_search, *arguments)(*arguments)
        self.nodes += ctx.nodes
        return score


# ---- Star1 = Star2 = expectiminimax ---------------------------------------------------------------------------


def check_textbook(seeds):
    """Compare the three textbook searches; returns the nodes of each."""
    nodes = [0, 0, 0]
    for seed in seeds:
        state = shapes(seed)
        depth, scored = ((None, None), (3, Tight()), (2, Guess()))[seed % 7 % 3]
        found = [expectiminimax(state, depth, scored, pruning=pruning) for pruning in (None, "star1", "star2")]
        assert found[0].value == found[1].value == found[2].value, seed
        if found[0].line:
            assert found[0].best == found[1].best == found[2].best, seed
        nodes = [total + each.nodes for total, each in zip(nodes, found, strict=True)]
    return nodes


def test_textbook_star1_and_star2_equal_expectiminimax():
    plain_nodes, star1, star2 = check_textbook(range(200))
    assert star1 < 0.9 * plain_nodes
    assert star2 < 0.9 * plain_nodes


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(5))
def test_textbook_star1_and_star2_equal_expectiminimax_on_ten_thousand_trees(part):
    check_textbook(range(200 + part * 2000, 2200 + part * 2000))


@pytest.mark.long
def test_compiled_star1_and_star2_equal_expectiminimax_on_10_000_trees(capsys):
    whole, star1, star2 = (Kernel(policy()) for policy in (Minimax, Star1, Star2))
    engines = [Kernel(EnginePolicy(), buckets) for buckets in (1, 16, 16384)]  # 4, 64 and 65,536 entries
    for seed in range(10_000):
        state = shapes(seed)
        expected = whole.search(state)
        assert star1.search(state) == expected, seed
        assert star2.search(state) == expected, seed
        # A table that has seen other trees; keys are whole, so that no score serves a state that it is not of.
        assert engines[seed % 3].search(state) == expected, seed
    saved1, saved2 = (1 - each.nodes / whole.nodes for each in (star1, star2))
    with capsys.disabled():
        print(f"\n10,000 random chance trees: Star1 saves {saved1:.1%} of the nodes, Star2 {saved2:.1%}")
    assert saved1 > 0.1
    assert saved2 > 0.1


@pytest.mark.long
def test_compiled_star1_and_star2_visit_the_nodes_of_the_textbook():
    kernels = {None: Kernel(Minimax()), "star1": Kernel(Star1()), "star2": Kernel(Star2())}
    for seed in range(100):
        state = shapes(seed)
        for depth, scored in ((None, None), (3, Tight())):
            for pruning, kernel in kernels.items():
                book = expectiminimax(state, depth, scored, pruning=pruning)
                found = kernel.search(state, UNLIMITED_DEPTH if depth is None else depth, scored)
                assert (found, kernel.ctx.nodes) == (book.value, book.nodes), (seed, pruning)


@pytest.mark.long
def test_scores_of_different_depths_are_not_mixed_in_the_table():
    engines = [Kernel(EnginePolicy(), buckets) for buckets in (1, 16, 16384)]
    for seed in range(100):
        state = shapes(seed)
        for depth in (1, 2, 3, 4):
            expected = expectiminimax(state, depth, Tight()).value
            for engine in engines:
                assert engine.search(state, depth, Tight()) == expected, (seed, depth)


@pytest.mark.long
def test_fail_soft_bounds_hold_at_chance_nodes():
    kernels = [Kernel(Star1()), Kernel(Star2()), Kernel(EnginePolicy(), 64)]
    chances = random.Random(8)
    for seed in range(40):
        state = shapes(seed)
        unit = plain(state).unit
        value = expectiminimax(state).value
        for _ in range(6):
            alpha = value + chances.choice((-3 * unit, -unit, -1, 0, 1, unit // 2)) - chances.randrange(3)
            beta = alpha + chances.choice((1, 2, unit, 4 * unit))
            scores = [kernel.search(state, UNLIMITED_DEPTH, None, alpha, beta) for kernel in kernels]
            if seed < 40:
                scores += [
                    expectiminimax(state, pruning=pruning, alpha=alpha, beta=beta).value
                    for pruning in ("star1", "star2")
                ]
            for score in scores:
                if alpha < score < beta:
                    assert score == value, (seed, alpha, beta)
                elif score <= alpha:
                    assert value <= score, (seed, alpha, beta)
                else:
                    assert value >= score, (seed, alpha, beta)


@pytest.mark.long
def test_threads_agree_at_chance_nodes():
    engine = Engine("64K", threads=2)
    for seed in range(12):
        state = tree(seed, height=7, chances=5)
        expected = expectiminimax(state, compiled=True).expected
        *_, last = engine.analysis(state, Limits(exact=True))
        assert last.score.expected == expected, seed


# ---- the scale ------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_totals_and_means_are_inverse():
    chances = random.Random(5)
    for _ in range(3000):
        weight, score = chances.randrange(1, 40), chances.randrange(-60, 61)
        most, least = most_total(score, weight), least_total(score, weight)
        assert rounded_div(most, weight) <= score < rounded_div(most + 1, weight)
        assert rounded_div(least - 1, weight) < score <= rounded_div(least, weight)


@pytest.mark.quick
def test_the_fine_scale_uses_the_range_of_a_table_entry():
    pig, lead = Pig(), Lead()
    scale = fine(pig, lead)
    assert scale.unit % (6**4 * 1000) == 0
    assert bound_of(pig, scale, lead) == scale.unit < LIMIT
    assert 2 * scale.unit > LIMIT // 2
    assert plain(pig).unit % 6**8 == 0
    # An evaluation that declares nothing may say a million: six grains to a point.
    assert fine(HashTree(), Guess()).unit == 6


# ---- games whose values are known --------------------------------------------------------------------------------


@pytest.mark.quick
def test_value_of_a_die_that_may_be_rerolled():
    """(1 + ... + 6) / 6 = 3.5; with one reroll, 4, 5 and 6 stand: (3 * 3.5 + 15) / 6 = 4.25; with two 14 / 3."""
    for again, worth in ((0, Fraction(7, 2)), (1, Fraction(17, 4)), (2, Fraction(14, 3))):
        for pruning in (None, "star1", "star2"):
            for owner in (MAX, MIN):
                found = expectiminimax(Reroll(again=again, owner=owner), pruning=pruning)
                expected = worth if owner == MAX else 7 - worth
                assert Fraction(found.value, plain(Reroll()).unit) == expected
                assert not found.is_rounded


@cache
def won(first, second, gained, target, left):
    """Expected result of Pig for the mover with `turns` turns left, by the rules alone."""
    if first + gained >= target:
        return Fraction(1)
    if left == 0:
        return Fraction((first + gained > second) - (first + gained < second))

    def passed(points):
        if left == 1:
            return Fraction((first + points > second) - (first + points < second))
        return -won(second, first + points, 0, target, left - 1) if second < target else Fraction(-1)

    rolled = (passed(0) + sum(won(first, second, gained + pips, target, left) for pips in range(2, 7))) / 6
    return max(rolled, passed(gained)) if gained else rolled


@pytest.mark.long
def test_pig_with_few_turns():
    for target, left in ((6, 3), (8, 2), (10, 4)):
        state = Pig(target=target, left=left)
        expected = won(0, 0, 0, target, left)
        found = analyse(state, exact=True, evaluation=Perfect([[[[0]]]]))
        assert found.score.expected == pytest.approx(float(expected), abs=1e-5)
        assert found.reason in ("exact", "rounded")
        assert found.score.is_proven == (found.reason == "exact")
        if (target, left) == (6, 3):
            for pruning in ("star1", "star2"):
                assert expectiminimax(state, pruning=pruning).expected == found.score.expected


def known(target):
    """Pig without end by value iteration (Neller and Presser): P(the mover wins) of (own, other, gained)."""
    worth = {(i, j, k): 0.5 for i in range(target) for j in range(target) for k in range(target - i)}
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for (i, j, k), before in worth.items():
            rolled = 1 - worth[j, i, 0]
            for pips in range(2, 7):
                rolled += 1 if i + k + pips >= target else worth[i, j, k + pips]
            held = 1 - worth[j, i + k, 0] if k else 0
            worth[i, j, k] = max(rolled / 6, held)
            change = max(change, abs(worth[i, j, k] - before))
    return worth


@evaluation
class Perfect:
    """The values of value iteration, in millionths: a search of every depth must return the value of the root."""

    worth: zermelo.Weights

    largest_score = 1_000_001
    unit = 1_000_000

    def score(self, state):
        own = state.first if state.turn == MAX else state.second
        other = state.second if state.turn == MAX else state.first
        if state.rolling:
            return state.turn * self.worth[own, other, state.gained, 1]
        return state.turn * self.worth[own, other, state.gained, 0]


@pytest.mark.long
def test_pig_has_the_values_of_value_iteration():
    target = 10
    worth = known(target)
    table = [[[[0, 0] for _ in range(target)] for _ in range(target)] for _ in range(target)]
    for (i, j, k), value in worth.items():
        rolled = 1 - worth[j, i, 0] + sum(1 if i + k + p >= target else worth[i, j, k + p] for p in range(2, 7))
        table[i][j][k] = [round(1_000_000 * (2 * value - 1)), round(1_000_000 * (rolled / 3 - 1))]
    perfect = Perfect(table)
    engine = Engine("1M")
    for (i, j, k), turn in (((0, 0, 0), MAX), ((3, 5, 4), MIN), ((0, 7, 5), MAX), ((4, 2, 3), MIN)):
        state = Pig(i if turn == MAX else j, j if turn == MAX else i, k, turn, False, target)
        *_, last = engine.analysis(state, Limits(depth=7), evaluation=perfect, lines=2)
        assert last.score.expected == pytest.approx(turn * (2 * worth[i, j, k] - 1), abs=2e-6)
        assert last.score.number == round(last.score.expected * 1_000_000)
        held = 1 - worth[j, i + k, 0] if k else 0
        assert last.move == (HOLD if held >= worth[i, j, k] - 1e-9 else ROLL)
        assert len(last.lines) == (2 if k else 1)
        assert last.lines[0].score.pov(turn) >= last.lines[-1].score.pov(turn)


# ---- events ------------------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_events_of_windows_and_cutoffs_at_chance_nodes():
    """Two outcomes alike, all values in [-10, 10], window (3, 4): the first decides from -4 down.

    If it is worth -5, the mean is 2.5 at most, whatever the second is worth.
    """
    rules = TreeGame(read('{"player": "chance", "children": [{"children": [-5, -6]}, {"children": [9, 1]}]}'))
    events = []
    scale = rules.scale
    found = expectiminimax(
        rules.start(),
        pruning="star1",
        alpha=3 * scale,
        beta=4 * scale,
        bounds=(-10 * scale, 10 * scale),
        observer=events.append,
    )
    entered = [event for event in events if event.kind == "enter"]
    assert Fraction(entered[1].alpha, scale) == -4
    assert Fraction(found.value, scale) == Fraction(5, 2)
    cut = next(event for event in events if event.kind == "cut")
    assert (cut.player, cut.skipped, cut.value) == (CHANCE, (1,), found.value)
    assert found.cuts == 1


@pytest.mark.quick
def test_events_of_probes():
    state = next(state for state in map(shapes, range(500)) if state.to_move() == MAX and state.height == 6)
    events = []
    found = expectiminimax(state, pruning="star2", observer=events.append)
    assert any(event.kind == "probe" for event in events)
    assert sum(event.kind == "enter" for event in events) == found.nodes


@pytest.mark.quick
def test_impossible_parameters_are_refused():
    with pytest.raises(LimitError, match="star3"):
        expectiminimax(Pig(), 2, pruning="star3")
    with pytest.raises(LimitError, match="star3"):
        expectiminimax(Pig(), 2, pruning="star3", compiled=True)
    with pytest.raises(LimitError, match="window"):
        expectiminimax(Pig(), 2, alpha=0, beta=1)
    with pytest.raises(LimitError, match="bounds"):
        expectiminimax(Pig(), 2, pruning="star1", bounds=(1, 0))
    with pytest.raises(LimitError, match="empty"):
        expectiminimax(Pig(), 2, pruning="star1", alpha=1, beta=1)


def run(*arguments):
    done = subprocess.run(
        [Path(sys.executable).with_name("zermelo"), *arguments, "-q"], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_star1_and_star2_on_the_command_line():
    game = str(Path(__file__).parents[1] / "support" / "pig.py")
    options = ("first=14 second=12 gained=4", "--depth", "6", "--no-compiled", "--algorithm")
    found = [
        json.loads(run("analyse", game, *options, name, "--json")) for name in ("expectiminimax", "star1", "star2")
    ]
    assert len({each["expected"] for each in found}) == 1
    assert [each["nodes"] for each in found] == [183, 107, 100]
    assert found[0]["estimate"] == round(found[0]["expected"] * 1000)
    assert "on average" in run("analyse", game, *options, "star2")


@pytest.mark.long
def test_a_search_to_the_end_of_the_game_stops_although_means_are_rounded():
    """Three rolls of a die with seven sides: without a depth limit the search stops where the game ends."""
    from sevens import Sevens

    def mean(state):
        return Fraction(state.utility()) if state.is_over() else sum(mean(state.play(roll)) for roll in range(7)) / 7

    analyses = list(Engine("1M").analysis(Sevens(), Limits()))
    assert analyses[-1].reason == "rounded"
    assert len(analyses) <= 5
    assert not analyses[-1].score.is_proven
    assert analyses[-1].score.expected == pytest.approx(float(mean(Sevens())), abs=1e-4)


@pytest.mark.long
def test_scores_that_do_not_fit_the_scale_are_refused():
    from sevens import Large, Sevens

    with pytest.raises(GameError, match=r"Sevens by Large: scores .* below 8,001,000 \(got up to 24,000,000\)"):
        zermelo.analyse(Sevens(), depth=1, evaluation=Large())
    with pytest.raises(GameError, match=r"Empty\.unit is 0; it must be an int of at least 1"):

        @evaluation
        class Empty:
            unit = 0

            def score(self, state):
                return 0
