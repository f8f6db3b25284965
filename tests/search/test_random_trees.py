"""Minimax = alpha-beta = compiled = with any table = with threads, on random trees (reliability: search is minimax)."""

import pytest
from hashtree import Guess, NoisyTree, WonTree, tree
from quietvalue import quiet_value

from zermelo import Nothing, alphabeta, minimax, negamax
from zermelo.compiled import native
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.engine import Engine, Limits
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy, QuiescenceAlphaBeta
from zermelo.search.scores import LIMIT, finished_score, plain, ranked
from zermelo.search.table import new_table


def shapes(seed):
    """A random tree of height 3 to 6; every third with transpositions, every fourth with chance nodes."""
    return tree(
        seed,
        height=3 + seed % 4,
        width=36 if seed % 3 == 0 else 48,
        chances=3 if seed % 4 == 0 else 0,
    )


class Kernel:
    """The compiled search with one context and one table for all trees, never cleared."""

    def __init__(self, buckets, policy=None):
        self.ctx = SearchContext()
        self.table = new_table(buckets)
        self.ctx.buckets = buckets
        self.ctx.valid_ages = 0
        self.policy = policy or EnginePolicy()

    def search(self, state, depth, scored, scale, alpha=-LIMIT, beta=LIMIT):
        ctx = self.ctx
        ctx.set_scale(state, scale, scored)
        ctx.stop = ctx.stopped = False
        ctx.next_poll = ctx.nodes = 0
        arguments = (state, scored, self.policy, depth, alpha, beta, 0, 0, ctx, self.table)
        return native(run_search, *arguments)(*arguments)


def check_trees(seeds):
    # Tables of 1, 64 and 65,536 entries' worth of buckets. Scores of one tree must never serve another
    # (equal keys of one class are equal states); of another depth they must not serve either.
    kernels = [Kernel(1), Kernel(16), Kernel(16384)]
    for seed in seeds:
        state = shapes(seed)
        scale = plain(state)
        expected = minimax(state)
        for variant in ("fail-soft", "fail-hard", "path"):
            found = alphabeta(state, variant=variant)
            assert found.value == expected.value, (seed, variant)
        sign = 1 if state.to_move() >= 0 else -1
        assert negamax(state).value == sign * expected.value, seed
        compiled = minimax(state, compiled=True)
        assert (compiled.value, compiled.nodes) == (expected.value, expected.nodes), seed
        soft, fast = alphabeta(state), alphabeta(state, compiled=True)
        assert (fast.value, fast.nodes) == (soft.value, soft.nodes), seed
        if state.to_move() != 0:
            assert compiled.best == expected.best
            assert fast.best == soft.best == expected.best
        for kernel in kernels:
            assert kernel.search(state, UNLIMITED_DEPTH, Nothing(), scale) == expected.value, seed
        for depth in (1, 2, 3):
            shallow = minimax(state, depth, Guess())
            assert alphabeta(state, depth, Guess(), compiled=True).value == shallow.value, (seed, depth)
            for kernel in kernels:
                kernel.ctx.age = depth  # entries by another scale have another age
                assert kernel.search(state, depth, Guess(), ranked(state, Guess())) == shallow.value, (seed, depth)
                kernel.ctx.age = 0


def test_all_searches_agree():
    check_trees(range(100))


@pytest.mark.long
def test_all_searches_agree_on_more_trees():
    check_trees(range(100, 500))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
def test_all_searches_agree_on_ten_thousand_trees(part):
    check_trees(range(part * 1000, 1000 + part * 1000))


def check_windows(seeds):
    """The three guarantees of the search, for every window around the value."""
    kernel = Kernel(64)
    for seed in seeds:
        state = tree(seed, height=4)
        value = minimax(state).value
        scale = plain(state)
        for away in range(-3, 3):
            alpha = value + away * scale.unit
            for beta in (alpha + 1, alpha + scale.unit, alpha + 3 * scale.unit):
                for score in (
                    kernel.search(state, UNLIMITED_DEPTH, Nothing(), scale, alpha, beta),
                    alphabeta(state, alpha=alpha, beta=beta).value,
                ):
                    if alpha < score < beta:
                        assert score == value
                    elif score <= alpha:
                        assert value <= score
                    else:
                        assert value >= score


def test_fail_soft_bounds_hold():
    check_windows(range(20))


@pytest.mark.nightly
def test_fail_soft_bounds_hold_on_many_trees():
    check_windows(range(60, 2060))


def check_threads(seeds):
    """Several threads with one table, with keys of 64 or 8 bits, return the value of one thread."""
    engines = [Engine("64K", threads=2), Engine("64K", threads=4)]
    for seed in seeds:
        state = tree(seed, height=7)
        expected = minimax(state, compiled=True).expected
        for engine in engines:
            *_, last = engine.analysis(state, Limits(exact=True))
            assert last.score.is_proven
            assert last.score.expected == expected, seed


def test_threads_agree():
    check_threads(range(15))


@pytest.mark.nightly
def test_threads_agree_on_a_thousand_trees():
    check_threads(range(40, 1040))


def test_the_line_wins_as_soon_and_loses_as_late_as_possible():
    """In games with utilities -1, 0 and 1."""

    def best(state, ply=0):
        if state.is_over():
            return finished_score(state.utility(), ply, *ranked(state))
        scores = [best(state.play(move), ply + 1) for move in state.moves()]
        return max(scores) if state.to_move() == 1 else min(scores)

    engine = Engine("1M")
    for seed in range(90):
        state = WonTree(tree(seed).key_bits, 0, 6)
        *_, last = engine.analysis(state, Limits(exact=True))
        score = best(state)
        assert last.score.value == (score > 0) - (score < 0)
        if last.score.value:
            assert last.score.plies == ranked(state).base + ranked(state).unit - abs(score)
            assert len(last.line) == last.score.plies


def test_quiescence_is_minimax_with_standing_pat():
    engine, plain = Kernel(1024), Kernel(1, QuiescenceAlphaBeta())
    for seed in range(60):
        state = NoisyTree(tree(seed).key_bits, 0, 7)
        for depth in (1, 2, 3):
            expected = quiet_value(state, depth, Guess().score)
            engine.ctx.age = depth
            assert engine.search(state, depth, Guess(), ranked(state)) == expected, (seed, depth)
            assert plain.search(state, depth, Guess(), ranked(state)) == expected, (seed, depth)
