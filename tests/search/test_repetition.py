"""Draws by repetition and by reversible plies, and table keys that tell histories apart."""

import random

import pytest
from parts import in_parts
from roundabout import Circle, Numbered, Roundabout, Signpost

from zermelo import MAX, Bitboard, LimitError, alphabeta, analyse, load, minimax
from zermelo.compiled import native
from zermelo.core.game import hash_combine
from zermelo.core.history import PositionHistory
from zermelo.search.context import SearchContext
from zermelo.search.engine import Engine, Limits
from zermelo.search.kernel import probing
from zermelo.search.kernel import search as kernel
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, WIN, finished_score, ranked
from zermelo.search.table import new_table
from zermelo.teaching.tree import game_tree, trace


def oracle(state, depth, path):
    """Minimax by the rules alone; `path` holds the repetition keys of all states before this one."""
    if state.is_over():
        return finished_score(state.utility(), len(path) - START, *ranked(state))
    here = state.repetition_key()
    if len(path) > START:
        if state.draw_at_reversible_plies and state.reversible_plies() >= state.draw_at_reversible_plies:
            return 0
        if path.count(here) + 1 >= state.draw_at_repetition:
            return 0
    if depth == 0:
        return Signpost().score(state)
    scores = [oracle(state.play(move), depth - 1, [*path, here]) for move in state.moves()]
    return max(scores) if state.to_move() == MAX else min(scores)


START = 0


def game_of(cls, seed):
    """A state after some random moves, and the states before it."""
    chosen = random.Random(seed)
    word = hash_combine(Bitboard(0x5EED), seed)
    state = Roundabout(1, MAX, 0, 0, 3 + seed % 4, word) if cls is Roundabout else cls(1, MAX, 5 + seed % 5, word)
    history = []
    for _ in range(seed % 6):
        move = chosen.randrange(2)
        after = state.play(move)
        if after.is_over() or (cls is Roundabout and after.quiet >= 6):
            break
        history.append(state)
        state = after
    return state, history


def check_games(cls, seeds, depths):
    global START
    engines = [Engine(size) for size in (64, "4K", "4M")]
    for seed in seeds:
        state, history = game_of(cls, seed)
        START = len(history)
        for depth in depths:
            expected = oracle(state, depth, [before.repetition_key() for before in history])
            assert minimax(state, depth, "signpost", history=history).value == expected, (seed, depth)
            soft = alphabeta(state, depth, "signpost", history=history)
            assert soft.value == expected, (seed, depth)
            compiled = kernel_value(state, depth, history)
            assert compiled == expected, (seed, depth)
            for engine in engines:
                *_, last = engine.analysis(state, Limits(depth=depth), evaluation="signpost", history=history)
                if last.score.is_proven:
                    assert (last.score.value > 0) == (expected > 0), (seed, depth)
                    assert (last.score.value < 0) == (expected < 0), (seed, depth)
                else:
                    assert last.score.estimate == expected, (seed, depth)


def context_of(state, history):
    """The context of a search with a history and a table of 1,024 buckets."""
    ctx = SearchContext()
    ctx.base, ctx.unit, ctx.step = ranked(state)
    ctx.buckets = 1024
    ctx.set_history(state, history)
    return ctx


TABLE = new_table(1024)


def kernel_value(state, depth, history):
    """The compiled search with one table for all games and depths, never cleared."""
    ctx = context_of(state, history)
    arguments = (state, Signpost(), EnginePolicy(), depth, -LIMIT, LIMIT, 0, 0, ctx, TABLE)
    return native(kernel.run_search, *arguments)(*arguments)


@pytest.mark.long
@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_all_searches_agree_on_games_with_cycles(cls):
    check_games(cls, range(12), (1, 2, 3, 4, 5, 6))


@pytest.mark.long
@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_all_searches_agree_on_more_games_with_cycles(cls):
    check_games(cls, range(12, 40), (1, 2, 3, 4, 5, 6))


@pytest.mark.nightly
@in_parts
@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_all_searches_agree_on_many_games_with_cycles(cls, part):
    check_games(cls, range(40 + part * 96, 136 + part * 96), (2, 3, 4, 5, 6, 7, 8))


@pytest.mark.long
def test_repetition_keys_need_not_be_hashes():
    """Keys that differ in the lowest bit alone are different positions."""
    for seed in range(30):
        state, history = game_of(Numbered, seed)
        for depth in (3, 5):
            expected = minimax(state, depth, "signpost", history=history).value
            assert kernel_value(state, depth, history) == expected, (seed, depth)


def interpreted(state, depth, history):
    """The same search interpreted, with a new table."""
    ctx = context_of(state, history)
    table = new_table(1024).tolist()
    return kernel.search(state, Signpost(), EnginePolicy(), depth, -LIMIT, LIMIT, 0, 0, ctx, table)


def test_keys_of_the_state_alone_give_wrong_values(monkeypatch):
    """Graph-history interaction: with keys of the state or of the position alone, some values are wrong."""
    wrong = {"key": 0, "repetition_key": 0}
    for seed in (74, 610, 3063):
        state, history = game_of(Roundabout, seed)
        expected = minimax(state, 7, "signpost", history=history).value
        assert interpreted(state, 7, history) == expected
        for name in wrong:
            with monkeypatch.context() as patch:
                patch.setattr(probing, "table_key", lambda state, *_, name=name: getattr(state, name)())
                wrong[name] += interpreted(state, 7, history) != expected
    assert min(wrong.values()) > 0


@pytest.mark.long
def test_positions_of_the_game_before_the_root_count():
    """A position that has occurred in the game is a draw when the next move leads to it; in a new game it is not."""
    state = Circle(2, MAX, 7, Bitboard(5))
    after = state.play(0)
    assert not after.is_over()
    signs = [Signpost().score(state.play(move)) for move in state.moves()]
    assert minimax(state, 1, "signpost").value == max(signs)
    assert minimax(state, 1, "signpost", history=[after]).value == max(0, signs[1])
    assert analyse(state, depth=1, history=[after]).score.number == max(0, signs[1])


def test_occurrences_are_counted():
    state = Circle(1, MAX, 1_000, Bitboard(3))
    history = PositionHistory([state, state, state])
    assert history.occurrences == [1, 2, 3]
    history.pop()
    assert history.push(state) == 3


@pytest.mark.long
def test_a_win_found_by_quiescence_search_is_not_proven():
    """Queen and rook mate in three by checks, but black's reply is the hundredth reversible ply: a draw."""
    state = load("chess").parse("Q7/4q3/8/5K2/2N5/8/1R5r/6k1 w - - 98 80")
    *_, last = Engine("4M").analysis(state, Limits(depth=4))
    assert (last.depth, last.score.is_proven) == (4, False)
    *_, shallow = Engine("4M").analysis(state, Limits(depth=1))
    assert (shallow.score.estimate, shallow.score.is_proven, shallow.score.plies) == (WIN - 1, False, None)


@pytest.mark.long
def test_an_impossible_history_is_refused():
    state = Circle()
    with pytest.raises(LimitError, match="state 0 is a Roundabout; expected the states of Circle"):
        analyse(state, depth=1, history=[Roundabout()])
    with pytest.raises(LimitError, match="the game is over in state 1"):
        minimax(state, 1, history=[state, Circle(place=0)])
    with pytest.raises(LimitError, match="got 5,000"):
        analyse(state, depth=1, history=[state] * 5_000)


@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_game_trees_end_where_the_searches_do(cls):
    for seed in range(12):
        state, _ = game_of(cls, seed)
        tree = game_tree(state, 5, "signpost")
        seen = trace(tree, "strict fail-soft")
        found = minimax(state, 5, "signpost")
        assert tree.search_score(seen.value) == found.value, seed
        assert len(tree.nodes) == found.nodes, seed
