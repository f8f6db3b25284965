"""Gains of moves (`Evaluation.gain`): equal to score differences, and not used where a move may end the game."""

import random

import pytest
from parts import in_parts

import zermelo
from zermelo import load
from zermelo.compiled import native
from zermelo.games.othello import Othello
from zermelo.games.othello.flips import may_end
from zermelo.search.compiled_textbook import compiled_textbook

EVALUATIONS = {name: Othello.evaluations[name] for name in ("diff", "wdiff")}


def positions(games, seed, greedy=()):
    """Positions of random games; in every other one a side takes the most discs, so that the other side runs out."""
    rng = random.Random(seed)
    for number in range(games):
        state = Othello.start()
        while not state.is_over():
            yield state
            moves = state.legal_moves()
            if number % 2 and state.to_move() == rng.choice((1, -1)):
                state = max((state.play(move) for move in moves), key=lambda child: child.other().count())
            else:
                state = state.play(rng.choice(moves))


def check_gains(games, seed):
    promised = ended = 0
    for state in positions(games, seed):
        children = {move: state.play(move) for move in state.legal_moves()}
        over = any(child.is_over() for child in children.values())
        promised += not state.may_end()
        ended += over
        assert state.may_end() or not over, state
        for evaluation in EVALUATIONS.values():
            assert evaluation.has_gain
            before = evaluation.score(state)
            for move, child in children.items():
                assert evaluation.gain(state, move) == state.to_move() * (evaluation.score(child) - before)
    assert ended
    assert promised


def test_gains_equal_score_differences_and_may_end_misses_no_end():
    check_gains(10, seed=1)


@pytest.mark.nightly
@in_parts
def test_gains_in_many_games(part):
    check_gains(300, seed=20 + part)


def test_may_end_compiled_equals_interpreted():
    for state in positions(4, seed=3):
        discs = state.own(), state.other(), state.board_squares()
        assert native(may_end, *discs)(*discs) == may_end(*discs)


def test_few_ends_are_feared_in_vain():
    """Else the search gains nothing by it."""
    states = list(positions(8, seed=4))
    feared = sum(state.may_end() for state in states)
    real = sum(any(state.play(move).is_over() for move in state.legal_moves()) for state in states)
    assert real <= feared <= real + len(states) // 50


def check_sparing(games, seed, depths):
    """The value of minimax, by a move that has it, with fewer boards than alpha-beta."""
    made = {"alphabeta": 0, "sparing": 0}
    for number, state in enumerate(positions(games, seed)):
        depth = depths[number % len(depths)]
        for name in EVALUATIONS:
            books = zermelo.alphabeta(state, depth, name)
            found = compiled_textbook(state, depth, name, "sparing")
            assert found.value == books.value, (state, depth, name)
            after = state.play(found.best)
            assert zermelo.alphabeta(after, depth - 1, name).value == books.value, (state, depth, name)
            made["alphabeta"] += books.nodes - 1
            made["sparing"] += found.nodes - 1
    assert made["sparing"] < made["alphabeta"]


@pytest.mark.long
def test_sparing_is_minimax_by_fewer_boards():
    check_sparing(1, seed=5, depths=(1, 2, 3))


@pytest.mark.nightly
@in_parts
def test_sparing_equals_minimax_in_many_games(part):
    check_sparing(2, seed=60 + part, depths=(1, 2, 3, 4))


@pytest.mark.long
def test_sparing_where_no_evaluation_tells_gains():
    state = load("connect4").start()
    for _ in range(3):
        for depth in (1, 2, 4, 6):
            assert compiled_textbook(state, depth, None, "sparing").value == zermelo.alphabeta(state, depth).value
        state = state.play(state.legal_moves()[0])


@pytest.mark.long
def test_the_engine_with_gains_keeps_its_line_and_its_score():
    state = Othello.start().after("f5 d6 c3 d3 c4")
    for depth in (1, 2, 4):
        found = zermelo.analyse(state, depth=depth, evaluation="diff")
        assert found.score.number == zermelo.alphabeta(state, depth, "diff").value
        assert len(found.line) == depth
