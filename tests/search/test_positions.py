"""The two worlds, and the engine against minimax, on positions of every game (reliability: search, worlds)."""

import pytest
from positions import random_positions
from quietvalue import quiet_value

from zermelo import CHANCE, alphabeta, list_games, load, minimax
from zermelo.core.evaluation import resolve_evaluation
from zermelo.search.compiled_textbook import compiled_textbook
from zermelo.search.engine import Engine, Limits

# Random moves from the start (least and most), and a depth that the interpreted search finishes in a blink.
SHAPES = {
    "tictactoe": (3, 6, 6),
    "pennies": (0, 3, 9),
    "connect4": (0, 30, 3),
    "checkers": (0, 60, 3),
    "othello": (0, 50, 2),
    "backgammon": (1, 40, 2),
    "chess": (0, 6, 1),  # later on captures are too many for an oracle that follows them all
}
# By which evaluations the two worlds are compared, where each one more would compile for a long time.
BY = {"chess": ("material",), "backgammon": ("pips",)}


def positions(name, count, seed):
    least, most, depth = SHAPES.get(name, (0, 10, 2))
    return random_positions(load(name), count, seed, least=least, most=most), depth


@pytest.fixture(scope="module", params=[game for game in list_games() if load(game).perfect_information])
def name(request):
    return request.param


def check_worlds(name, count, seed):
    """Same nodes, values and best moves, interpreted and compiled, with and without evaluation."""
    states, depth = positions(name, count, seed)
    for state in states:
        for evaluation in BY.get(name, (None, *state.evaluations)):
            for algorithm, textbook in (("minimax", minimax), ("alphabeta", alphabeta)):
                ours = textbook(state, depth, evaluation)
                twin = compiled_textbook(state, depth, evaluation, algorithm)
                assert (twin.value, twin.nodes, twin.best) == (ours.value, ours.nodes, ours.best), state


def value_of(state, depth, evaluation):
    """What the engine promises: minimax, and along noisy moves beyond the depth where a game has any."""
    if state.has_tactical_moves:
        return quiet_value(state, depth, resolve_evaluation(state, evaluation).score)
    found = minimax(state, depth, evaluation, compiled=True)
    return found.expected if state.has_chance else found.value


def check_engine(name, count, seed, engines):
    """The engine's score at a depth is minimax's, whatever the table, and its line leads to that score."""
    states, depth = positions(name, count, seed)
    for state in states:
        for evaluation in state.evaluations or (None,):
            if state.has_chance and evaluation not in BY.get(name, (evaluation,)):
                continue
            expected = value_of(state, depth, evaluation or "nothing")
            for engine in engines:
                *_, last = engine.analysis(state, Limits(depth=depth), evaluation=evaluation)
                if last.score.is_proven:
                    assert_exact(state, last)
                else:
                    found = last.score.expected if state.has_chance else last.score.estimate
                    assert found == expected, (state, evaluation)
                    assert last.depth == depth
                    if state.has_chance:  # a line ends where chance moves
                        check_moves(state, last)
                    else:
                        check_line(state, last, depth)


def check_line(state, last, depth):
    """The principal variation can be played, reaches the depth or the end, and is worth the score."""
    leaf = state
    for move, text in zip(last.lines[0].moves, last.line, strict=True):
        assert move in leaf.legal_moves()
        assert leaf.move_name(move) == text
        leaf = leaf.play(move)
    if leaf.is_over():
        return
    assert len(last.line) >= depth
    if not leaf.has_tactical_moves:
        assert len(last.line) == depth
        evaluation = leaf.evaluations.get(last.evaluation)
        assert last.score.number == (evaluation.score(leaf) if evaluation else 0)


def check_moves(state, last):
    """The best move and its line can be played; where chance moves there are none."""
    if state.to_move() == CHANCE:
        assert (last.move, last.lines) == (None, ())
        return
    assert last.move == last.lines[0].moves[0]
    for move in last.lines[0].moves:
        assert move in state.legal_moves()
        state = state.play(move)


def assert_exact(state, last):
    leaf = state
    for move in last.lines[0].moves:
        leaf = leaf.play(move)
    assert leaf.is_over()
    assert leaf.utility() == last.score.value


def test_the_two_worlds_agree(name):
    check_worlds(name, 3 if load(name).has_chance else 8, 1)


def test_the_engine_is_minimax(name):
    check_engine(name, 40, 2, [Engine("512"), Engine("4M"), Engine("1M", threads=2)])


@pytest.mark.nightly
def test_the_two_worlds_agree_on_500_positions(name):
    check_worlds(name, 500, 3)


@pytest.mark.nightly
def test_the_engine_is_minimax_on_1000_positions(name):
    # Tables of 1 bucket (4 entries), 64 and 65,536 entries.
    check_engine(name, 1000, 4, [Engine(64), Engine(1024), Engine(1 << 20), Engine("1M", threads=2)])


def check_short_keys(name, searches, seed):
    """With keys cut to 8 bits nearly every table hit is another state's: moves must stay legal, nothing may crash."""
    engine = Engine("64K", key_bits=8)
    states, depth = positions(name, searches, seed)
    for state in states:
        *_, last = engine.analysis(state, Limits(depth=depth))
        check_moves(state, last)


def test_wrong_table_moves_are_never_played(name):
    check_short_keys(name, 150, 5)


@pytest.mark.nightly
def test_wrong_table_moves_are_never_played_in_25000_searches(name):
    check_short_keys(name, 25_000, 6)
