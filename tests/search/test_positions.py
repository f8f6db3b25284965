"""Interpreted and compiled search, and the engine and minimax, compared on positions of every game."""

import pytest
from parts import PARTS, in_parts
from positions import random_positions
from quietvalue import quiet_value

from zermelo import CHANCE, alphabeta, list_games, load, minimax
from zermelo.core.evaluation import resolve_evaluation
from zermelo.search.compiled_textbook import compiled_textbook
from zermelo.search.engine import Engine, Limits
from zermelo.search.scores import WIN

# Fewest and most random plies from the start, and a depth that the interpreted search finishes at once.
SHAPES = {
    "gomoku": (0, 20, 2),
    "hex": (0, 12, 2),
    "go": (0, 20, 3),
    "go19": (0, 40, 1),
    "bridge": (42, 51, 6),
    "tictactoe": (3, 6, 6),
    "pennies": (0, 3, 9),
    "connect4": (0, 30, 3),
    "checkers": (0, 60, 3),
    "othello": (0, 50, 2),
    "othello6": (0, 30, 2),
    "othello10": (0, 80, 1),
    "backgammon": (1, 40, 2),
    "chess": (0, 6, 1),  # later, captures are too many for an oracle that follows all of them
}
# Small boards: on the whole ones the interpreted search takes minutes.
STARTS = {"gomoku": "5x5", "hex": "4x4", "go": "3x3", "go19": "10x10"}
# Evaluations to compare where the others take long to compile.
EVALUATIONS = {"chess": ("material",), "backgammon": ("pips",)}
# What takes longest to compile; the other tests of these games compile part of it only.
LONG = ("connect4", "othello", "checkers", "chess", "backgammon", "pennies", "gomoku", "hex", "property")
NIGHTLY = ("bridge", "go", "go19", "othello6", "othello10")
GAMES = [
    pytest.param(game, marks=[pytest.mark.long] * (game in LONG) + [pytest.mark.nightly] * (game in NIGHTLY))
    for game in list_games()
    if load(game).perfect_information
]


def positions(name, count, seed):
    least, most, depth = SHAPES.get(name, (0, 10, 2))
    game = load(name)
    start = game.parse(STARTS[name]) if name in STARTS else game
    return random_positions(start, count, seed, least=least, most=most), depth


@pytest.fixture(scope="module", params=GAMES)
def name(request):
    return request.param


def check_compiled(name, count, seed, evaluations):
    """Same nodes, values and best moves, interpreted and compiled."""
    states, depth = positions(name, count, seed)
    for state in states:
        for evaluation in evaluations:
            for algorithm, textbook in (("minimax", minimax), ("alphabeta", alphabeta)):
                interpreted = textbook(state, depth, evaluation)
                compiled = compiled_textbook(state, depth, evaluation, algorithm)
                assert (compiled.value, compiled.nodes, compiled.best) == (
                    interpreted.value, interpreted.nodes, interpreted.best
                ), state  # fmt: skip


def value_of(state, depth, evaluation):
    """What the engine guarantees: minimax, extended by tactical moves below the depth."""
    if state.has_tactical_moves:
        return quiet_value(state, depth, resolve_evaluation(state, evaluation).score)
    found = minimax(state, depth, evaluation, compiled=True)
    return found.expected if state.has_chance else found.value


def check_engine(name, count, seed, engines):
    """The engine's score at a depth is minimax's for any table, and its line leads to that score."""
    states, depth = positions(name, count, seed)
    for state in states:
        for evaluation in state.evaluations or (None,):
            if state.has_chance and evaluation not in EVALUATIONS.get(name, (evaluation,)):
                continue
            expected = value_of(state, depth, evaluation or "nothing")
            for engine in engines:
                *_, last = engine.analysis(state, Limits(depth=depth), evaluation=evaluation)
                if last.score.is_proven:
                    assert_exact(state, last)
                else:
                    if state.has_chance:
                        assert last.score.expected == expected, (state, evaluation)
                    else:  # a win seen by the quiescence search is an estimate just below all wins
                        clamped = max(1 - WIN, min(expected, WIN - 1)) if state.has_tactical_moves else expected
                        assert last.score.estimate == clamped, (state, evaluation)
                    assert last.depth == depth
                    if state.has_chance:  # a line ends where chance moves
                        check_moves(state, last)
                    else:
                        check_line(state, last, depth)


def check_line(state, last, depth):
    """The principal variation is legal, reaches the depth or the end, and has the score."""
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
    """The best move and its line are legal; there are none where chance moves."""
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


def test_compiled_equals_interpreted(name):
    evaluations = EVALUATIONS.get(name, list(load(name).evaluations))
    check_compiled(name, 3 if load(name).has_chance else 8, 1, evaluations[:1] or ["nothing"])


@pytest.mark.long
def test_compiled_equals_interpreted_for_all_evaluations(name):
    check_compiled(name, 20, 1, EVALUATIONS.get(name, ("nothing", *load(name).evaluations)))


def test_the_engine_is_minimax(name):
    check_engine(name, 10, 2, [Engine(512), Engine("4M"), Engine("1M", threads=2)])


@pytest.mark.long
def test_the_engine_is_minimax_on_100_positions(name):
    check_engine(name, 100, 3, [Engine(512), Engine("4M"), Engine("1M", threads=2)])


@pytest.mark.nightly
@in_parts
def test_compiled_equals_interpreted_on_500_positions(name, part):
    check_compiled(name, 500 // PARTS, 100 + part, EVALUATIONS.get(name, ("nothing", *load(name).evaluations)))


@pytest.mark.nightly
@in_parts
def test_the_engine_is_minimax_on_1000_positions(name, part):
    # Tables of 1 bucket (4 entries), 64 and 65,536 entries.
    check_engine(name, 1000 // PARTS, 200 + part, [Engine(64), Engine(1024), Engine(1 << 20), Engine("1M", threads=2)])


def check_short_keys(name, searches, seed):
    """With 8-bit keys nearly every table hit belongs to another state: moves stay legal, nothing crashes."""
    engine = Engine("64K", key_bits=8)
    states, depth = positions(name, searches, seed)
    for state in states:
        *_, last = engine.analysis(state, Limits(depth=depth))
        check_moves(state, last)


def test_wrong_table_moves_are_never_played(name):
    check_short_keys(name, 50, 5)


@pytest.mark.nightly
@in_parts
def test_wrong_table_moves_are_never_played_in_25000_searches(name, part):
    check_short_keys(name, 25_000 // PARTS, 300 + part)
