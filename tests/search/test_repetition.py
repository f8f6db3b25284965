"""What came before: draws by repetition and without progress, and a table that never mixes up two pasts."""

import random

import pytest
from roundabout import Circle, Numbered, Roundabout, Signpost

from zermelo import MAX, Bitboard, LimitError, alphabeta, analyse, load, minimax
from zermelo.compiled import native
from zermelo.core.game import hash_combine
from zermelo.core.history import PositionHistory
from zermelo.search.context import SearchContext
from zermelo.search.engine import Engine, Limits
from zermelo.search.kernel import search as kernel
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, WIN, finished_score, ranked
from zermelo.search.table import new_table
from zermelo.teaching.tree import game_tree, trace


def oracle(state, depth, path):
    """Minimax by the rules alone: `path` holds the positions of all states before, and their counters mean nothing."""
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
    """A state with some moves behind it, and the states before it."""
    chosen = random.Random(seed)
    word = hash_combine(Bitboard(0x5EED), seed)
    state = Roundabout(1, MAX, 0, 0, 3 + seed % 4, word) if cls is Roundabout else cls(1, MAX, 5 + seed % 5, word)
    past = []
    for _ in range(seed % 6):
        move = chosen.randrange(2)
        after = state.play(move)
        if after.is_over() or (cls is Roundabout and after.quiet >= 6):
            break
        past.append(state)
        state = after
    return state, past


def check_games(cls, seeds, depths):
    global START
    engines = [Engine(size) for size in ("64", "4K", "4M")]
    for seed in seeds:
        state, past = game_of(cls, seed)
        START = len(past)
        for depth in depths:
            expected = oracle(state, depth, [before.repetition_key() for before in past])
            assert minimax(state, depth, "signpost", history=past).value == expected, (seed, depth)
            soft = alphabeta(state, depth, "signpost", history=past)
            assert soft.value == expected, (seed, depth)
            twin = kernel_value(state, depth, past)
            assert twin == expected, (seed, depth)
            for engine in engines:
                *_, last = engine.analysis(state, Limits(depth=depth), evaluation="signpost", history=past)
                if last.score.is_proven:
                    assert (last.score.value > 0) == (expected > 0), (seed, depth)
                    assert (last.score.value < 0) == (expected < 0), (seed, depth)
                else:
                    assert last.score.estimate == expected, (seed, depth)


def context_of(state, past):
    """A context for a search of a state with a past, and a table of 1,024 buckets."""
    ctx = SearchContext()
    ctx.base, ctx.unit, ctx.step = ranked(state)
    ctx.buckets = 1024
    ctx.set_history(state, past)
    return ctx


TABLE = new_table(1024)


def kernel_value(state, depth, past):
    """The kernel with one table for all games and depths, never cleared."""
    ctx = context_of(state, past)
    arguments = (state, Signpost(), EnginePolicy(), depth, -LIMIT, LIMIT, 0, 0, ctx, TABLE)
    return native(kernel.run_search, *arguments)(*arguments)


@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_all_searches_agree_on_games_that_go_round(cls):
    check_games(cls, range(40), (1, 2, 3, 4, 5, 6))


@pytest.mark.nightly
@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_all_searches_agree_on_many_games_that_go_round(cls):
    check_games(cls, range(40, 1000), (2, 3, 4, 5, 6, 7, 8))


def test_positions_need_not_be_hashes():
    """Two that differ in the lowest bit alone are two, in every world."""
    for seed in range(30):
        state, past = game_of(Numbered, seed)
        for depth in (3, 5):
            expected = minimax(state, depth, "signpost", history=past).value
            assert kernel_value(state, depth, past) == expected, (seed, depth)


def interpreted(state, depth, past):
    """The kernel as plain Python, with a new table of 1,024 buckets."""
    ctx = context_of(state, past)
    table = new_table(1024).tolist()
    return kernel.search(state, Signpost(), EnginePolicy(), depth, -LIMIT, LIMIT, 0, 0, ctx, table)


def test_a_table_that_knows_the_state_alone_would_be_wrong(monkeypatch):
    """The graph-history interaction: with keys of the state, or of the position, some values come out wrong."""
    wrong = {"key": 0, "repetition_key": 0}
    for seed in (35, 38, 71, 78, 109):
        state, past = game_of(Roundabout, seed)
        expected = minimax(state, 7, "signpost", history=past).value
        assert interpreted(state, 7, past) == expected
        for name in wrong:
            with monkeypatch.context() as patch:
                patch.setattr(kernel, "table_key", lambda state, *_, name=name: getattr(state, name)())
                wrong[name] += interpreted(state, 7, past) != expected
    assert min(wrong.values()) > 0


def test_the_past_of_the_game_counts():
    """A position that has come up in the game is a draw when the next move leads to it; in a new game it is not."""
    state = Circle(2, MAX, 7, Bitboard(5))
    after = state.play(0)
    assert not after.is_over()
    signs = [Signpost().score(state.play(move)) for move in state.moves()]
    assert minimax(state, 1, "signpost").value == max(signs)
    assert minimax(state, 1, "signpost", history=[after]).value == max(0, signs[1])
    assert analyse(state, depth=1, history=[after]).score.number == max(0, signs[1])


def test_times_are_counted():
    state = Circle(1, MAX, 1_000, Bitboard(3))
    past = PositionHistory([state, state, state])
    assert past.occurrences == [1, 2, 3]
    past.pop()
    assert past.push(state) == 3


def test_a_win_seen_below_the_horizon_is_not_proven():
    """Queen and rook mate in three by checks; but black's answer is the hundredth quiet ply, and the game a draw."""
    state = load("chess").parse("Q7/4q3/8/5K2/2N5/8/1R5r/6k1 w - - 98 80")
    *_, last = Engine("4M").analysis(state, Limits(depth=4))
    assert (last.depth, last.score.is_proven) == (4, False)
    *_, shallow = Engine("4M").analysis(state, Limits(depth=1))
    assert (shallow.score.estimate, shallow.score.is_proven, shallow.score.plies) == (WIN - 1, False, None)


def test_what_is_no_history_is_refused():
    state = Circle()
    with pytest.raises(LimitError, match="state 0 is a Roundabout; expected the states of Circle"):
        analyse(state, depth=1, history=[Roundabout()])
    with pytest.raises(LimitError, match="the game is over in state 1"):
        minimax(state, 1, history=[state, Circle(place=0)])
    with pytest.raises(LimitError, match="5,000 states can come up again"):
        analyse(state, depth=1, history=[state] * 5_000)


@pytest.mark.parametrize("cls", [Roundabout, Circle])
def test_grown_trees_end_where_the_searches_do(cls):
    for seed in range(12):
        state, _ = game_of(cls, seed)
        tree = game_tree(state, 5, "signpost")
        seen = trace(tree, "strict fail-soft")
        found = minimax(state, 5, "signpost")
        assert tree.score(seen.value) == found.value, seed
        assert len(tree.nodes) == found.nodes, seed
