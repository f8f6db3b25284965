"""Minimax = alpha-beta = compiled = with any table = with threads, on random trees (reliability: search is minimax)."""

import re

import pytest
from hashtree import (
    FeatureTree,
    Guess,
    NoisyTree,
    OracleTree,
    RankedTree,
    WonTree,
    one_ply_farther,
    rank_of,
    tree,
    value_of,
)
from parts import in_parts
from quietvalue import quiet_value

from zermelo import Bitboard, GameError, Nothing, alphabeta, game, minimax, negamax
from zermelo.compiled import native
from zermelo.core.game import LARGEST_RANK, hash_combine
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.engine import Engine, Limits
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy, QuiescenceAlphaBeta
from zermelo.search.scores import LIMIT, finished_score, plain, ranked, ranked_score, ranked_value
from zermelo.search.solving import Solver
from zermelo.search.table import new_table
from zermelo.testing import check_game


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


@pytest.mark.long
def test_all_searches_agree():
    check_trees(range(100))


@pytest.mark.long
def test_all_searches_agree_on_more_trees():
    check_trees(range(100, 500))


@pytest.mark.nightly
@in_parts
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


@pytest.mark.long
def test_fail_soft_bounds_hold():
    check_windows(range(20))


@pytest.mark.nightly
@in_parts
def test_fail_soft_bounds_hold_on_many_trees(part):
    check_windows(range(60 + part * 200, 260 + part * 200))


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


@pytest.mark.long
def test_threads_agree():
    check_threads(range(15))


@pytest.mark.nightly
@in_parts
def test_threads_agree_on_a_thousand_trees(part):
    check_threads(range(40 + part * 100, 140 + part * 100))


@pytest.mark.long
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


@pytest.mark.long
def test_quiescence_is_minimax_with_standing_pat():
    engine, plain = Kernel(1024), Kernel(1, QuiescenceAlphaBeta())
    for seed in range(60):
        state = NoisyTree(tree(seed).key_bits, 0, 7)
        for depth in (1, 2, 3):
            expected = quiet_value(state, depth, Guess().score)
            engine.ctx.age = depth
            assert engine.search(state, depth, Guess(), ranked(state)) == expected, (seed, depth)
            assert plain.search(state, depth, Guess(), ranked(state)) == expected, (seed, depth)


def check_oracle_trees(seeds):
    """Trees that declare true bounds and candidates: equal values, fewer nodes."""
    kernel, plain_kernel = Kernel(64), Kernel(64, WithoutBounds())
    nodes = plain_nodes = 0
    with Engine("64K", compiled=False) as interpreted, Engine("64K") as engine:
        for seed in seeds:
            state = OracleTree(tree(seed).key_bits, 0, 5)
            value = minimax(state).value
            for alpha, beta in ((-LIMIT, LIMIT), *((value + away, value + away + 1) for away in range(-3, 3))):
                score = kernel.search(state, UNLIMITED_DEPTH, Nothing(), plain(state), alpha, beta)
                assert (
                    score == value if alpha < score < beta else (value <= score if score <= alpha else value >= score)
                )
                nodes += kernel.ctx.nodes
                plain_kernel.search(state, UNLIMITED_DEPTH, Nothing(), plain(state), alpha, beta)
                plain_nodes += plain_kernel.ctx.nodes
            assert kernel.search(state, 3, Guess(), ranked(state, Guess())) == minimax(state, 3, Guess()).value, seed
            kernel.ctx.age = (kernel.ctx.age + 1) % 32
            for each in (interpreted, engine):
                found = each.analyse(state, exact=True, lines=4)
                assert found.score.value == value, seed
                values = {line.move: line.score.value for line in found.lines}
                assert values == {move: minimax(state.play(move)).value for move in state.moves()}, seed
    assert 2 * nodes < plain_nodes


def feature_trees(seeds, forgetful=False):
    """Trees of few structures and many features: the states of one structure share its entries."""
    for seed in seeds:
        one, two = (hash_combine(Bitboard(seed), each) >> 4 for each in (1, 2))  # 60 features
        yield FeatureTree(one, two, seed % 5, forgetful=forgetful)


def nodes_and_wrong_scores(kernel, state, value):
    """The nodes of searches in windows around the value, and how many of their scores are neither it nor its bound."""
    nodes = wrong = 0
    for alpha, beta in (*((value + away, value + away + 1) for away in range(-3, 3)), (-LIMIT, LIMIT)):
        score = kernel.search(state, UNLIMITED_DEPTH, Nothing(), plain(state), alpha, beta)
        nodes += kernel.ctx.nodes
        holds = score == value if alpha < score < beta else value <= score if score <= alpha else value >= score
        wrong += not holds
    return nodes, wrong


@pytest.mark.long
def test_partition_search_changes_no_value():
    kernels = Kernel(64), Kernel(16384), Kernel(16384, WithoutBounds())
    nodes = [0, 0, 0]
    for state in feature_trees(range(100)):
        value = minimax(state).value
        for index, kernel in enumerate(kernels):
            visited, wrong = nodes_and_wrong_scores(kernel, state, value)
            assert wrong == 0, (index, state)
            nodes[index] += visited
    assert nodes[1] < nodes[2], nodes
    forgetful = Kernel(16384)  # without the entries of the trees above, which are right
    assert any(
        nodes_and_wrong_scores(forgetful, state, minimax(state).value)[1]
        for state in feature_trees(range(20), forgetful=True)
    ), "the test does not find missing features"


class WithoutBounds(EnginePolicy):
    __slots__ = ()
    bounds = False


@pytest.mark.long
def test_bounds_and_candidates_change_no_value():
    check_oracle_trees(range(60))


@pytest.mark.long
def test_bounds_on_the_distance_change_no_score():
    kernel, plain_kernel = Kernel(64), Kernel(64, WithoutBounds())
    nodes = plain_nodes = 0
    with Engine("64K", compiled=False) as interpreted, Engine("64K") as engine, Solver("64K") as solver:
        for seed in range(60):
            state = RankedTree(tree(seed).key_bits, 0, 5)
            rank = rank_of(state)
            for scale in (ranked(state), plain(state)):
                value = ranked_score(rank, 0, *scale)
                for alpha, beta in ((-LIMIT, LIMIT), *((value + away, value + away + 1) for away in range(-3, 3))):
                    score = kernel.search(state, UNLIMITED_DEPTH, Nothing(), scale, alpha, beta)
                    holds = value <= score if score <= alpha else value >= score if score >= beta else value == score
                    assert holds, (seed, scale, alpha, beta)
                    nodes += kernel.ctx.nodes
                    plain_kernel.search(state, UNLIMITED_DEPTH, Nothing(), scale, alpha, beta)
                    plain_nodes += plain_kernel.ctx.nodes
                kernel.ctx.age = (kernel.ctx.age + 1) % 32
            plies = LARGEST_RANK - abs(rank) if rank else None
            assert solver.distance(state) == ((rank > 0) - (rank < 0), plies), seed
            assert solver.outcome(state) == (rank > 0) - (rank < 0), seed
            for each in (interpreted, engine):
                found = each.analyse(state, exact=True, lines=4)
                assert (found.score.value, found.score.plies) == solver.distance(state), seed
                distances = {line.move: (line.score.value, line.score.plies) for line in found.lines}
                for move in state.moves():
                    value, plies = solver.distance(state.play(move))
                    assert distances[move] == (value, plies + 1 if value else None), (seed, move)
    assert 3 * nodes < 2 * plain_nodes


@pytest.mark.parametrize("plies", [1, 8, 9, 64, 249, None, -249, -7, -2])
def test_a_score_is_found_by_null_windows(plies):
    scale = ranked(WonTree())
    score = 0 if plies is None else finished_score(1 if plies > 0 else -1, abs(plies), *scale)
    tests = []

    def fail_hard(value):  # tells as little as a search may
        tests.append(value)
        return value if score >= value else value - 1

    assert ranked_value(fail_hard, -finished_score(1, 1, *scale), finished_score(1, 1, *scale), scale, 250) == score
    assert len(tests) <= 32


@pytest.mark.long
def test_an_exact_search_to_the_end_follows_the_cheap_depths(monkeypatch):
    monkeypatch.setattr("zermelo.search.root_search.WARM_UP_NODES", 0)
    with Engine("64K", compiled=False) as interpreted, Engine("64K") as engine:
        for seed in range(20):
            state = RankedTree(tree(seed).key_bits, 0, 6)
            rank = rank_of(state)
            for each in (interpreted, engine):
                found = each.analyse(state, exact=True)
                assert (found.reason, found.score.is_proven) == ("exact", True), seed
                assert found.score.value == (rank > 0) - (rank < 0), seed
                assert found.score.plies == (LARGEST_RANK - abs(rank) if rank else None), seed
                assert rank == 0 or len(found.line) == found.score.plies, seed


def test_the_checker_finds_wrong_bounds_on_the_distance():
    class Wrong(RankedTree):
        def ranked_bounds(self):
            return 3, 3

    class Slow(RankedTree):
        def candidates(self):
            for move in self.moves():
                if one_ply_farther(rank_of(self.play(move))) != rank_of(self):
                    yield move
                    return
            yield 0

    for cls, expected in (
        (Wrong, "ranked_bounds returned (3, 3); expected an interval with "),
        (Slow, "candidates yielded moves worth at most"),
    ):
        with pytest.raises(GameError, match=re.escape(expected)):
            check_game(game(cls)(tree(2).key_bits, 0, 4), 30, compiled=False)


@pytest.mark.long
def test_the_checker_finds_wrong_bounds_and_candidates():
    assert check_game(OracleTree, 30).compiled

    class Low(OracleTree):
        def bounds(self):
            return 4, 3

    class Wrong(OracleTree):
        def bounds(self):
            return 3, 3

    class Foreign(OracleTree):
        def candidates(self):
            yield 7

    class Worst(OracleTree):
        def candidates(self):
            for move in self.moves():
                if value_of(self.play(move)) != value_of(self):
                    yield move
                    return
            yield 0

    for cls, expected in (
        (Low, "bounds returned (4, 3) (tuple); expected two ints, (low, high), low <= high"),
        (Wrong, "bounds returned (3, 3); expected an interval with "),
        (Foreign, "candidates yielded [7]; expected some of the moves"),
        (Worst, "candidates yielded moves worth at most"),
    ):
        with pytest.raises(GameError, match=re.escape(expected)):
            check_game(game(cls)(tree(2).key_bits, 0, 4), 30, compiled=False)
