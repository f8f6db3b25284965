"""Accumulators (`zermelo.core.accumulator`): a search with them equals one that scores every node from scratch."""

import random

import pytest

import zermelo
from zermelo import MAX, Bitboard, GameError, Weights, evaluation, load
from zermelo.compiled import native
from zermelo.core.accumulator import Incremental, can_be_stored, load_state, new_accumulator, store_state
from zermelo.core.game import hash_combine
from zermelo.search.compiled_textbook import compiled_textbook
from zermelo.search.context import SearchContext
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy, QuiescenceAlphaBeta
from zermelo.search.scores import LIMIT, ranked
from zermelo.search.table import buckets_in, new_table
from zermelo.testing import check_game

WEIGHTS = tuple(random.Random(1).randrange(-99, 100) for _ in range(64))


def score_of(first, second, white):
    """Depends on every bit of the accumulator, so that a wrong one shows in the nodes of a search."""
    return int(hash_combine(hash_combine(Bitboard(first), second), white) & 1023) - 512


@evaluation
class OthelloFollowed(Incremental):
    weights: Weights = WEIGHTS

    largest_score = 600
    accumulator_size = 2

    def start_accumulator(self, state, accumulator):
        for square in state.black:
            accumulator[0] += self.weights[square]
        for square in state.white:
            accumulator[0] -= self.weights[square]
        accumulator[1] = (state.black | state.white).count()

    def update_accumulator(self, accumulator, parent, move, child):
        for square in parent.black ^ child.black:
            accumulator[0] += self.weights[square] if square in child.black else -self.weights[square]
        for square in parent.white ^ child.white:
            accumulator[0] -= self.weights[square] if square in child.white else -self.weights[square]
        if move != 64:
            accumulator[1] += 1

    def accumulated_score(self, state, accumulator):
        return score_of(accumulator[0], accumulator[1], state.turn)


@evaluation
class OthelloScratch:
    weights: Weights = WEIGHTS

    largest_score = 600

    def score(self, state):
        total = 0
        for square in state.black:
            total += self.weights[square]
        for square in state.white:
            total -= self.weights[square]
        return score_of(int(total), (state.black | state.white).count(), state.turn)


@evaluation
class ChessFollowed(Incremental):
    largest_score = 600
    accumulator_size = 3
    accumulator_bits = 16

    def start_accumulator(self, state, accumulator):
        for square in state.white:
            accumulator[0] += square
        for square in state.black:
            accumulator[1] += square
        for square in state.pawns | state.queens:
            accumulator[2] += square

    def update_accumulator(self, accumulator, parent, move, child):
        for square in parent.white ^ child.white:
            accumulator[0] += square if square in child.white else -square
        for square in parent.black ^ child.black:
            accumulator[1] += square if square in child.black else -square
        before, after = parent.pawns | parent.queens, child.pawns | child.queens
        for square in before ^ after:
            accumulator[2] += square if square in after else -square

    def accumulated_score(self, state, accumulator):
        return score_of(accumulator[0] * 2048 + accumulator[1], accumulator[2], state.turn)


@evaluation
class ChessScratch:
    largest_score = 600

    def score(self, state):
        white = 0
        for square in state.white:
            white += square
        black = 0
        for square in state.black:
            black += square
        other = 0
        for square in state.pawns | state.queens:
            other += square
        return score_of(white * 2048 + black, other, state.turn)


@evaluation
class BackgammonFollowed(Incremental):
    largest_score = 600
    accumulator_size = 1

    def start_accumulator(self, state, accumulator):
        accumulator[0] = (state.x_low ^ state.o_high).count()

    def update_accumulator(self, accumulator, parent, move, child):
        accumulator[0] += (child.x_low ^ child.o_high).count() - (parent.x_low ^ parent.o_high).count()

    def accumulated_score(self, state, accumulator):
        return score_of(accumulator[0], state.dice, state.turn)


@evaluation
class BackgammonScratch:
    largest_score = 600

    def score(self, state):
        return score_of((state.x_low ^ state.o_high).count(), state.dice, state.turn)


CASES = {
    "othello": (OthelloFollowed(), OthelloScratch(), 5, 12),
    "chess": (ChessFollowed(), ChessScratch(), 3, 20),
    "backgammon": (BackgammonFollowed(), BackgammonScratch(), 2, 4),
}


def positions(name, count, plies, seed):
    """Positions of random games, none of them finished."""
    chosen = random.Random(seed)
    while count:
        state = load(name).start()
        for _ in range(chosen.randrange(plies)):
            if not state.is_over():
                state = state.play(chosen.choice(state.legal_moves()))
        if not state.is_over():
            count -= 1
            yield state


def searched(state, evaluation, policy, depth, *, compiled=True):
    """The score and the nodes of one search with an empty table."""
    ctx = SearchContext()
    ctx.set_scale(state, ranked(state, evaluation), evaluation)
    ctx.set_history(state, ())
    ctx.buckets = buckets_in(1 << 16)
    arguments = state, evaluation, policy, depth, -LIMIT, LIMIT, 0, 0, ctx, new_table(ctx.buckets)
    run = native(run_search, *arguments) if compiled else run_search
    return run(*arguments), ctx.nodes, ctx.best_move


def check_equal(name, count, seed, depth=None):
    followed, scratch, usual, plies = CASES[name]
    assert followed.has_accumulator
    assert not scratch.has_accumulator
    for state in positions(name, count, plies, seed):
        for policy in (EnginePolicy(), QuiescenceAlphaBeta()):
            each = usual if depth is None else depth
            assert searched(state, followed, policy, each) == searched(state, scratch, policy, each), (state, policy)


@pytest.mark.long
@pytest.mark.parametrize("name", ["othello", "chess"])
def test_search_with_an_accumulator_equals_one_without(name):
    check_equal(name, 20, seed=1)


@pytest.mark.long
def test_accumulators_at_chance_nodes():
    check_equal("backgammon", 6, seed=2)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CASES)
def test_many_searches_with_accumulators(name):
    check_equal(name, 1000 if name != "backgammon" else 30, seed=3)


@pytest.mark.long
def test_nodes_are_those_of_the_textbook():
    followed, scratch, *_ = CASES["othello"]
    for state in positions("othello", 5, 50, seed=4):
        found = compiled_textbook(state, 3, followed, "alphabeta")
        expected = zermelo.alphabeta(state, 3, scratch)
        assert (found.value, found.nodes) == (expected.value, expected.nodes)


@pytest.mark.long
def test_interpreted_kernel_equals_compiled():
    """The kernel's own functions in plain Python, with states as words in its memory."""
    for state in positions("othello", 3, 50, seed=5):
        followed = CASES["othello"][0]
        expected = searched(state, followed, EnginePolicy(), 3)
        assert searched(state, followed, EnginePolicy(), 3, compiled=False) == expected


@pytest.mark.parametrize("name", ["othello", "chess", "backgammon", "bridge", "go", "checkers"])
def test_states_are_stored_and_loaded(name):
    ctx = SearchContext()
    for state in positions(name, 5, 30, seed=6):
        assert can_be_stored(state)
        store_state(ctx, 3, state)
        assert load_state(ctx, 3, type(state).start()) == state
        assert type(load_state(ctx, 3, state)) is type(state)


@pytest.mark.long
def test_a_game_whose_states_are_too_large_is_scored_from_scratch():
    @zermelo.game
    class Long:
        cells: tuple[(int,) * 200] = (0,) * 200
        turn: int = MAX

        def to_move(self):
            return self.turn

        def moves(self):
            yield 1
            yield 2

        def play(self, move):
            return Long(zermelo.replaced(self.cells, move, self.cells[move] + 1), -self.turn)

        def is_over(self):
            return self.cells[1] + self.cells[2] == 6

        def utility(self):
            return 1

    @evaluation
    class Sum(Incremental):
        accumulator_size = 1

        def start_accumulator(self, state, accumulator):
            accumulator[0] = state.cells[1]

        def update_accumulator(self, accumulator, parent, move, child):
            accumulator[0] = 999

        def accumulated_score(self, state, accumulator):
            return accumulator[0]

    assert not can_be_stored(Long())
    assert searched(Long(), Sum(), QuiescenceAlphaBeta(), 2)[0] == zermelo.minimax(Long(), 2, Sum()).value == 1


@pytest.mark.long
def test_check_game_compares_updates_with_starts():
    report = check_game(load("othello"), 2, evaluations=[OthelloFollowed()], max_plies=70)
    assert report.compiled

    @evaluation
    class Forgetful(OthelloFollowed):
        def update_accumulator(self, accumulator, parent, move, child):
            accumulator[1] += 1

    with pytest.raises(
        GameError, match=r"evaluation Forgetful has -?\d+ in item 0 of its accumulator after update_acc"
    ):
        check_game(load("othello"), 1, evaluations=[Forgetful()], compiled=False)


def test_an_accumulator_overflows_visibly_in_plain_python():
    accumulator = new_accumulator(ChessFollowed())
    assert len(accumulator) == 3
    with pytest.raises(ValueError, match="format"):
        accumulator[0] = 40_000


def declare(**members):
    return evaluation(type("Odd", (), {"__annotations__": {}, "score": lambda self, state: 0, **members}))


def nothing(self, state, accumulator):
    return None


def test_declarations_are_checked():
    with pytest.raises(GameError, match="must be declared together"):
        declare(accumulator_size=1, start_accumulator=nothing)
    every = {
        "start_accumulator": nothing,
        "update_accumulator": lambda self, accumulator, parent, move, child: None,
        "accumulated_score": nothing,
    }
    with pytest.raises(GameError, match="no accumulator_size; set it"):
        declare(**every)
    with pytest.raises(GameError, match="accumulator_bits is 24; it must be 16 or 32"):
        declare(accumulator_size=1, accumulator_bits=24, **every)
    with pytest.raises(GameError, match="accumulator_size is 1000; it must be at most 512 with 32 bits"):
        declare(accumulator_size=1000, **every)
    with pytest.raises(GameError, match=r"takes 2 parameters, self included; expected update_accumulator"):
        declare(**(every | {"accumulator_size": 1, "update_accumulator": lambda self, accumulator: None}))
