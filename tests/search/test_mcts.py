"""Monte Carlo tree search: compiled trees against the textbook's, proofs, limits, reuse, play without an evaluation."""

import random
import threading
from itertools import product
from pathlib import Path

import pytest
from interpreted_games import Prefixes
from pig import Pig

import zermelo
from zermelo import MAX, GameError, LimitError, MonteCarlo, arena, game, load
from zermelo.core.random_numbers import random_below, random_word
from zermelo.search import threads
from zermelo.search.context import SearchContext
from zermelo.search.mcts.forest import CompiledForest, Settings, Statistics, _children, _statistics
from zermelo.search.mcts.formulas import BIAS_WEIGHT, EXPLORATION, estimated_reward
from zermelo.search.mcts.textbook import TextbookTree
from zermelo.search.mcts.tree_search import ranked_moves

TICTACTOE = load("tictactoe")
SUPPORT = Path(__file__).resolve().parent.parent / "support"


def compiled_tree(state, simulations, seed=0, evaluation=None, playout_plies=0, rave=0):
    """The tree that the compiled search grows, as nested rows."""
    settings = Settings(seed, evaluation, playout_plies, EXPLORATION, BIAS_WEIGHT, rave)
    forest = CompiledForest([SearchContext()], 1 << 24, state, settings, (), ())
    with pytest.raises(threads.Stopped):
        forest.grow(simulations, None, threading.Event(), threading.Event())
    nodes = forest.nodes[0]

    def row(at):
        found = _statistics(nodes, at)
        return (found.visits, found.total, found.lower, found.upper, [row(child) for child in _children(nodes, at)])

    return row(0)


def textbook_tree(state, simulations, seed=0, evaluation=None, playout_plies=0, rave=0):
    tree = TextbookTree(state, seed, evaluation, playout_plies, rave=rave)
    for _ in range(simulations):
        tree.simulate_once()

    def row(node):
        return (node.visits, node.total, node.lower, node.upper, [row(child) for child in node.children])

    return row(tree.root)


def proven_values(state, known: dict):
    """The minimax value of every state below, by the rules alone."""
    if state not in known:
        if state.is_over():
            known[state] = state.utility()
        else:
            best = max if state.to_move() == MAX else min
            known[state] = best(proven_values(state.play(move), known) for move in state.moves())
    return known[state]


# ---- formulas -------------------------------------------------------------------------------------------------


def test_random_numbers_are_those_of_splitmix64() -> None:
    """The first outputs for seed 1234567 of the reference implementation, without their two low bits."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [random_word(1234567, draw) for draw in (1, 2, 3, 4)] == [word >> 2 for word in expected]


def test_random_indices_are_uniform() -> None:
    counts = [0] * 7
    for draw in range(7000):
        counts[random_below(7, random_word(3, draw))] += 1
    assert min(counts) > 900
    assert max(counts) < 1100


def test_estimates_lie_inside_the_scale_and_mirror_each_other() -> None:
    state = TICTACTOE.start()
    for score, size in product((-999_999, -40, -1, 0, 1, 40, 999_999), (1, 40)):
        reward = estimated_reward(state, score, 1, size)
        assert reward + estimated_reward(state, -score, 1, size) == 1 << 17
        assert 0 <= reward <= 1 << 17


# ---- the tree -------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "evaluation", "plies"),
    [
        ("tictactoe", None, 0),
        ("connect4", None, 0),
        ("othello", None, 0),
        ("backgammon", None, 0),
        ("connect4", "lines", 3),
    ],
)
def test_compiled_and_textbook_grow_the_same_tree(name, evaluation, plies) -> None:
    state = load(name).start()
    scored = None if evaluation is None else state.evaluations[evaluation]
    simulations = 20 if name == "backgammon" else 200
    assert compiled_tree(state, simulations, 7, scored, plies) == textbook_tree(state, simulations, 7, scored, plies)


@pytest.mark.long
@pytest.mark.parametrize(("name", "position"), [("go", "4x4"), ("hex", "4x4")])
def test_compiled_and_textbook_grow_the_same_tree_by_rave(name, position) -> None:
    state = load(name).parse(position)
    grown = compiled_tree(state, 200, 7, rave=50)
    assert grown == textbook_tree(state, 200, 7, rave=50)
    assert grown != textbook_tree(state, 200, 7)


def test_simulations_count_for_moves_played_later() -> None:
    """The counts of a node's children are those of all simulations through it, counted by the definition."""
    steps = []
    tree = TextbookTree(load("hex").parse("3x3"), seed=1, rave=50, observer=steps.append)
    while tree.simulations < 60 and not tree.root.is_solved:
        tree.simulate_once()
    counted: dict = {}
    for step in (step for step in steps if step.kind == "simulate"):
        for ply, node in enumerate(step.path[:-1]):
            state, sides = node.state, {}
            for move in (*(each.move for each in step.path[ply + 1 :]), *step.moves):
                sides.setdefault(move, state.to_move())
                state = state.play(move)
            for child in node.children:
                if child.move < state.moves_in_any_order and sides.get(child.move) == node.state.to_move():
                    visits, total = counted.get(child, (0, 0))
                    counted[child] = visits + 1, total + step.reward
    todo = [*tree.root.children]
    assert len(counted) > 20
    while todo:
        node = todo.pop()
        assert (node.later_visits, node.later_total) == counted.get(node, (0, 0))
        todo += node.children


def test_moves_in_any_order_are_numbers() -> None:
    @game(compiled=False)
    class Words:
        word: str = ""
        moves_in_any_order = 3

        def to_move(self):
            return MAX

        def moves(self):
            return ["a", "b"]

        def play(self, move):
            return Words(move)

        def is_over(self):
            return self.word != ""

        def utility(self):
            return 0

    with MonteCarlo() as mcts, pytest.raises(GameError, match=r"Words\.moves_in_any_order is 3, but .* not a number"):
        mcts.analyse(Words.start(), nodes=5)


@pytest.mark.long
def test_counts_of_moves_played_later_are_kept_with_the_tree() -> None:
    """A search that goes on in the tree of the last one is the same in both versions."""

    def visits(compiled):
        state = load("hex").parse("4x4")
        with MonteCarlo(seed=2, compiled=compiled, rave=50) as mcts:
            for _ in range(3):
                found = mcts.analyse(state, nodes=150, lines=20)
                state = state.play(found.move)
        return [(line.move, line.visits) for line in found.lines]

    assert visits(True) == visits(False)


def test_a_tree_adds_up() -> None:
    """Each simulation adds one visited node, and a node's visits are its own and those of its children."""
    tree = TextbookTree(TICTACTOE.start(), seed=3)
    visited, todo = 0, [tree.root]
    for _ in range(150):
        tree.simulate_once()
    while todo:
        node = todo.pop()
        visited += node.visits > 0
        if node.children and node is not tree.root:
            assert node.visits == 1 + sum(child.visits for child in node.children)
        todo += node.children
    assert tree.root.visits == 150 == sum(child.visits for child in tree.root.children)
    assert visited <= 151


def test_bounds_hold_the_minimax_value() -> None:
    known: dict = {}
    tree = TextbookTree(TICTACTOE.parse("XOX/-O-/---"), seed=1)
    while not tree.root.is_solved:
        tree.simulate_once()
    todo = [tree.root]
    while todo:
        node = todo.pop()
        reward = (proven_values(node.state, known) + 1) << 16
        assert node.lower <= reward <= node.upper
        todo += node.children


def test_the_steps_of_a_simulation() -> None:
    steps = []
    tree = TextbookTree(TICTACTOE.start(), seed=1, observer=steps.append)
    for _ in range(12):
        tree.simulate_once()
    assert [step.kind for step in steps[:4]] == ["select", "expand", "simulate", "back up"]
    assert len(steps) == 48
    for select, expand, simulate, back_up in zip(*[iter(steps)] * 4, strict=True):
        assert expand.path[:-1] == select.path
        assert simulate.path == back_up.path == expand.path
        state = expand.path[-1].state
        for move in simulate.moves:
            state = state.play(move)
        assert state.is_over()
        assert simulate.reward == back_up.reward == (state.utility() + 1) << 16


# ---- proofs ---------------------------------------------------------------------------------------------------


def endings(cls, plies, count, seed):
    """Random unfinished positions with `plies` moves made."""
    source, found = random.Random(seed), []
    while len(found) < count:
        state = cls.start()
        while not state.is_over() and len(found) < count:
            if plies(state):
                found.append(state)
                break
            state = state.play(source.choice([*state.moves()]))
    return found


def test_proven_moves_of_tictactoe() -> None:
    known: dict = {}
    for state in endings(TICTACTOE, lambda state: (state.crosses | state.noughts).count() >= 5, 20, 5):
        with MonteCarlo(compiled=False) as mcts:
            result = mcts.analyse(state, nodes=2000)
        assert result.reason == "exact"
        assert result.score.value == proven_values(state, known) == proven_values(state.play(result.move), known)


@pytest.mark.long
@pytest.mark.parametrize(("name", "stones"), [("tictactoe", 2), ("connect4", 28)])
def test_proven_moves_of_random_endings(name: str, stones: int) -> None:
    """In 100 random endings the search proves the value, and picks a move that keeps it."""
    cls = load(name)

    def is_ending(state) -> bool:
        return sum(board.count() for board in list(state)[:2]) >= stones

    with MonteCarlo("64M") as mcts, zermelo.Engine("1M") as engine:
        for state in endings(cls, is_ending, 100, 11):
            result = mcts.analyse(state, nodes=2_000_000)
            assert result.reason == "exact", state
            value = engine.analyse(state, exact=True).score.value
            after = state.play(result.move)
            kept = after.utility() if after.is_over() else engine.analyse(after, exact=True).score.value
            assert result.score.value == value == kept, state


def statistics(visits, mean, lower=0, upper=100):
    return Statistics(visits, visits, round(visits * mean), lower, upper)


def test_the_move_to_play() -> None:
    def best(*children):
        return ranked_moves(list(children), 1, 100)[0].visits

    assert best(statistics(10, 40), statistics(30, 45), statistics(20, 60)) == 30  # robust child
    assert best(statistics(10, 90, 100, 100), statistics(30, 80)) == 10  # proven win
    assert best(statistics(40, 90, 0, 0), statistics(30, 10)) == 30  # not a proven loss
    assert best(statistics(40, 40), statistics(5, 30, 50, 50)) == 5  # a proven draw before a bad prospect
    assert best(statistics(40, 60), statistics(5, 30, 50, 50)) == 40  # and after a good one
    assert best(statistics(40, 10, 0, 0), statistics(5, 30, 0, 0)) == 40  # all lost: the longest resistance


# ---- chance ---------------------------------------------------------------------------------------------------


def win_probability_of_pig(goal: int) -> float:
    """MAX's probability to win from the start, by value iteration on the player to move."""
    states = [(own, other, pot) for own in range(goal) for other in range(goal) for pot in range(goal - own)]
    value = dict.fromkeys(states, 0.5)
    for _ in range(2000):
        largest = 0.0
        for own, other, pot in states:
            roll = 1 - value[other, own, 0]
            for pips in range(2, 7):
                roll += 1.0 if own + pot + pips >= goal else value[own, other, pot + pips]
            hold = 1 - value[other, own + pot, 0] if pot else 0.0
            better = max(roll / 6, hold)
            largest = max(largest, abs(better - value[own, other, pot]))
            value[own, other, pot] = better
        if largest < 1e-9:
            break
    return value[0, 0, 0]


@pytest.mark.long
def test_the_expectation_in_pig() -> None:
    """The mean of the playouts nears the expected utility with best play; the best move is to roll on."""
    with MonteCarlo(seed=1) as mcts:
        result = mcts.analyse(Pig(target=10), nodes=400_000)
    assert result.best == "roll"
    assert abs(result.score.expected - (2 * win_probability_of_pig(10) - 1)) < 0.02


# ---- limits, memory, stopping ---------------------------------------------------------------------------------


def test_limits_and_reasons() -> None:
    with MonteCarlo(compiled=False, seed=2) as mcts:
        assert mcts.analyse(TICTACTOE.start(), nodes=300).reason == "nodes"
        result = mcts.analyse(TICTACTOE.start(), nodes=100)
        assert (result.nodes, result.reason, result.algorithm) == (100, "nodes", "mcts")
        assert mcts.analyse(TICTACTOE.start(), seconds=0.02).reason == "seconds"
        assert mcts.analyse(TICTACTOE.parse("XXX/OO-/---")).reason == "game over"
        mcts._stop_requested.clear()
        for number, found in enumerate(mcts.analysis(TICTACTOE.start(), moves=[0])):
            assert found.best == "a1"
            if number == 1:
                mcts.stop()
        assert found.reason == "stopped"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be between 0 and 2^62 - 1 (got -1)"),
        ({"threads": 0}, "threads must be between 1 and 256 (got 0)"),
        ({"threads": 2, "compiled": False}, "threads need compiled=True"),
        ({"exploration": 0}, "exploration must be above 0"),
        ({"bias": -1}, "bias must be between 0 and 1000"),
        ({"rave": -1}, "rave must be between 0 and 1,000,000 (got -1)"),
        ({"playout_plies": -1}, "playout_plies must be between 0 and 2000"),
        ({"memory": "many"}, "memory must be a number of bytes"),
    ],
)
def test_parameters_out_of_range(options, message) -> None:
    with pytest.raises(LimitError) as error:
        MonteCarlo(**options)
    assert message in str(error.value)


@pytest.mark.parametrize("limit", [{"depth": 3}, {"exact": True}])
def test_depth_and_exact_are_refused(limit) -> None:
    with MonteCarlo() as mcts, pytest.raises(LimitError, match="limited by seconds and nodes"):
        mcts.analyse(TICTACTOE.start(), **limit)


def test_equal_seeds_give_equal_results() -> None:
    def visits(seed):
        with MonteCarlo(seed=seed, compiled=False) as mcts:
            return [(line.move, line.visits) for line in mcts.analyse(TICTACTOE.start(), nodes=200, lines=9).lines]

    assert visits(1) == visits(1) != visits(2)


@pytest.mark.long
def test_equal_seeds_give_equal_results_on_several_threads() -> None:
    state = load("connect4").start()

    def rows(threads, seed):
        with MonteCarlo(threads=threads, seed=seed) as mcts:
            results = [mcts.analyse(state, nodes=3000, lines=7), mcts.analyse(state.play(3).play(3), nodes=3000)]
            return [(line.move, line.visits, line.win_rate) for result in results for line in result.lines]

    assert rows(3, 5) == rows(3, 5)
    assert rows(1, 5) == rows(1, 5) != rows(1, 6)


def test_the_tree_of_the_last_search_is_used_again() -> None:
    start = TICTACTOE.parse("X--/-O-/---")
    with MonteCarlo(compiled=False) as mcts:
        first = mcts.analyse(start, nodes=400, lines=9)
        child = start.play(first.move)
        reply = child.play(first.lines[0].moves[1])
        for history in ((), (start, child)):
            mcts.analyse(start, nodes=400)
            again = mcts.analyse(reply, nodes=100, lines=9, history=history)
            assert sum(line.visits for line in again.lines) > again.nodes
        elsewhere = mcts.analyse(TICTACTOE.parse("-X-/-O-/---"), nodes=100, lines=9)
        assert sum(line.visits for line in elsewhere.lines) == elsewhere.nodes


@pytest.mark.long
def test_a_full_tree_goes_on_counting() -> None:
    with MonteCarlo(memory=64 * 500) as mcts:
        result = mcts.analyse(load("connect4").start(), nodes=20_000)
        assert (result.nodes, result.best) == (20_000, "4")
        assert mcts._memory.forest.trees[0].size <= 500


def test_interpreted_games_are_searched_by_the_textbook_s_tree() -> None:
    """Moves are letters, states are strings."""
    start = Prefixes()
    with MonteCarlo("1M", threads=2) as mcts, zermelo.Engine("1M") as engine:
        result = mcts.analyse(start, nodes=500)
        assert result.reason == "exact"
        assert result.score.value == engine.analyse(start, exact=True).score.value
        assert result.threads == 1
        assert result.best in start.legal_moves()


# ---- the hook playout_move ------------------------------------------------------------------------------------


@game
class Countdown:
    """Take 1, 2 or 3; the last one wins. Playouts always take 1."""

    heap: int = 9
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        for take in range(1, min(3, self.heap) + 1):
            yield take

    def play(self, move):
        return Countdown(self.heap - move, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn

    def playout_move(self, random):
        return 1 if self.heap < 100 else 4


def test_playouts_use_the_game_s_moves() -> None:
    steps = []
    tree = TextbookTree(Countdown(), observer=steps.append)
    for _ in range(5):
        tree.simulate_once()
    assert {move for step in steps for move in step.moves} == {1}


def test_an_illegal_playout_move_is_reported() -> None:
    with MonteCarlo() as mcts, pytest.raises(GameError, match=r"Countdown.playout_move\(\) returned 4, which is not"):
        mcts.analyse(Countdown(100), nodes=10)


def test_the_default_playout_move_is_legal() -> None:
    state = TICTACTOE.parse("XO-/---/---")
    legal = set(state.moves())
    assert {state.playout_move(random_word(1, draw)) for draw in range(200)} == legal


# ---- play without an evaluation -------------------------------------------------------------------------------


@pytest.mark.long
def test_a_match_with_a_seed_is_the_same_again() -> None:
    def row():
        return arena.match("connect4", "mcts:nodes=200,level=4", "mcts:nodes=100", games=4, seed=5).rows[0]

    first, again = row(), row()
    assert (first.name, first.score, first.nodes, first.moves) == (again.name, again.score, again.nodes, again.moves)


@pytest.mark.nightly
def test_breakthrough_is_won_against_random_moves() -> None:
    """10,000 playouts a move without an evaluation win more than 95 % of games."""
    table = arena.match(f"{SUPPORT}/breakthrough.py", "mcts:nodes=10000", "random", games=40, seed=3)
    assert table.rows[0].name == "mcts:nodes=10000"
    assert table.rows[0].score.points >= 38.5
