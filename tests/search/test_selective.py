"""The selective search: nothing it stores can make an exact search wrong, and it says proven only what is."""

import copy
import inspect
import json
import os
import pickle
import random
import subprocess
import sys

import pytest
from hashtree import Guess, NoisyTree, WonTree, tree
from quietvalue import quiet_value

import zermelo
from zermelo import Engine, game, minimax
from zermelo.compiled import native
from zermelo.core.evaluation import Nothing
from zermelo.core.game import MIN, hash_combine
from zermelo.errors import GameError, LimitError
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.kernel.forward_pruning import is_left_out, may_prune_moves, own_depth
from zermelo.search.kernel.search import run_search
from zermelo.search.kernel.selective import run_selective_search
from zermelo.search.kernel.selective_correction import corrected, learn_correction
from zermelo.search.limits import Limits
from zermelo.search.memory import SearchMemory
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, WIN, is_decided, ranked
from zermelo.search.selective import FIELDS, SELECTIVE, Selective, SelectiveContext, parameters_for
from zermelo.search.table import NO_MOVE, new_table
from zermelo.testing import check_game

GUESS = Guess()
# Trees are small, and so are their scores: everything is given up early.
EAGER = {
    "null_move_depth": 2, "null_move_reduction": 1, "null_move_verification": 3,
    "reverse_futility_margin": 2, "iterative_reduction_depth": 2, "singular_depth": 2, "singular_margin": 1,
    "reduction_base": 150, "late_move_count": 0, "futility_base": 1, "futility_margin": 1, "delta_margin": 1,
}  # fmt: skip


class Kernels:
    """Both searches in plain Python on one table, which is never cleared."""

    def __init__(self, buckets):
        self.parameters = Selective(**EAGER).with_probcut({4: (2, 3), 3: (1, 3)})
        self.memory = SelectiveContext()
        self.ctx = SearchContext()
        self.ctx.buckets = buckets
        self.ctx.valid_ages = 31
        self.ctx.selectivities[1] = SELECTIVE
        self.table = new_table(buckets)

    def search(self, state, depth, *, selective, full=False):
        """Search at the level of an age: 0 is exact, 1 selective, 2 a proof's."""
        ctx, memory = self.ctx, self.memory
        ctx.set_scale(state, ranked(state, GUESS), GUESS)
        ctx.stopped = ctx.stop = False
        ctx.nodes = ctx.next_poll = 0
        ctx.begin(())
        ctx.age = 2 if full else 1 if selective else 0
        ctx.selectivity = ctx.selectivities[ctx.age]
        shared = depth, -LIMIT, LIMIT, 0, 0, ctx
        if not selective:
            return run_search(state, GUESS, EnginePolicy(), *shared, self.table)
        memory.begin()
        memory.is_full = full
        return run_selective_search(state, GUESS, EnginePolicy(), self.parameters, *shared, memory, self.table)


@game
class PassingTree(WonTree):
    """A random tree of wins, draws and losses with null moves and exchanges, which mean nothing."""

    def play(self, move):
        return self.replace(key_bits=hash_combine(self.key_bits, move + self.ply * 64) & 0xFFFFFFF, ply=self.ply + 1)

    def may_pass(self):
        return True

    def pass_turn(self):
        return self.replace(ply=self.ply + 1)

    def correction_key(self):
        return self.key_bits & 15

    def exchange(self, move, threshold):
        return int(self.key_bits >> 8 & 15) > threshold


def trees(seeds):
    for seed in seeds:
        yield from (NoisyTree(tree(seed).key_bits, 0, 6), PassingTree(tree(seed).key_bits, 0, 7))


def exact_value(state, depth):
    if isinstance(state, NoisyTree):
        return quiet_value(state, depth, GUESS.score)
    return minimax(state, depth, GUESS).value


def check_shared_table(seeds):
    kernels = [Kernels(1), Kernels(1024)]
    differ = 0
    for state in trees(seeds):
        for depth in (2, 3, 4):
            expected = exact_value(state, depth)
            for kernel in kernels:
                found = kernel.search(state, depth, selective=True)
                is_solved = kernel.ctx.horizon_nodes == 0
                differ += found != expected
                if is_solved:  # no evaluation took part in it
                    assert found == minimax(state, rank_wins=True).value, (state, depth)
                assert kernel.search(state, depth, selective=False) == expected, (state, depth)
    return differ


def test_selective_searches_do_not_change_exact_ones_on_their_table():
    assert check_shared_table(range(60)) > 0  # something was given up


@pytest.mark.nightly
def test_selective_searches_do_not_change_exact_ones_on_many_trees():
    check_shared_table(range(60, 3_000))


def test_nothing_is_given_up_in_full_mode():
    for state in trees(range(100, 160)):
        for depth in (1, 2, 3):
            assert Kernels(64).search(state, depth, selective=True, full=True) == exact_value(state, depth), state
    for state in trees(range(160, 200)):
        kernel = Kernels(64)
        kernel.search(state, 4, selective=True)
        scale = ranked(state, GUESS)
        found = kernel.search(state, UNLIMITED_DEPTH, selective=True, full=True)
        assert found == minimax(state, rank_wins=True).value or not is_decided(found, scale)


@pytest.mark.long
def test_compiled_and_interpreted_searches_visit_the_same_nodes():
    """With an evaluation that holds arrays: a compiled generator that takes one would run ahead of the search."""
    chess = zermelo.load("chess")
    evaluation = chess.evaluations["positional"]
    state = chess.parse("r1bq1rk1/ppp2ppp/2n5/3np3/1b6/2N1BN2/PPPQ1PPP/R3KB1R w KQ - 0 1")
    parameters = Selective(null_move_depth=2, null_move_verification=3, singular_depth=2)
    found = []
    for compiled in (False, True):
        ctx, memory, table = SearchContext(), SelectiveContext(), new_table(1024)
        ctx.buckets = 1024
        ctx.set_scale(state, ranked(state, evaluation), evaluation)
        memory.begin()
        for depth in (1, 2, 3):
            ctx.begin(())
            arguments = state, evaluation, EnginePolicy(), parameters, depth, -LIMIT, LIMIT, 0, 0, ctx, memory, table
            run = native(run_selective_search, *arguments) if compiled else run_selective_search
            found.append((run(*arguments), ctx.nodes))
    assert found[:3] == found[3:]


# ---- engine -------------------------------------------------------------------------------------------------------


def test_what_is_selective_by_default():
    chess, othello = zermelo.load("chess").start(), zermelo.load("othello").start()
    clock = Limits(seconds=1)
    assert parameters_for(chess, clock, None) is not None
    for limits in (Limits(), Limits(4), Limits(nodes=9), Limits(4, 1), Limits(None, 1, 9), Limits(None, 1, None, True)):
        assert parameters_for(chess, limits, None) is None
    assert parameters_for(zermelo.load("connect4").start(), clock, None) is None
    assert parameters_for(othello, clock, None).confidence == 95
    assert parameters_for(othello, clock, None, "mobility") is None
    assert parameters_for(othello, clock, True).confidence == 0
    assert parameters_for(chess, clock, False) is None
    assert parameters_for(chess, Limits(exact=True), True) is None
    assert parameters_for(zermelo.load("backgammon").start(), clock, True) is None


def test_selective_searches_have_an_evaluation_of_their_own():
    chess, othello = zermelo.load("chess").start(), zermelo.load("othello").start()
    with Engine("1M") as engine:
        assert engine.analyse(chess, depth=1).evaluation == "positional"
        assert engine.analyse(chess, seconds=0.01).evaluation == "network"
        assert engine.analyse(chess, seconds=0.01, evaluation="material").evaluation == "material"
        engine.selective = True
        assert engine.analyse(chess, nodes=100).evaluation == "network"
        assert engine.analyse(othello, nodes=100).evaluation == "patterns"
        engine.selective = False
        assert engine.analyse(chess, seconds=0.01).evaluation == "positional"


def test_parameters_are_a_value():
    changed = Selective(null_move_depth=4, reduction_base=60, check_extension=False).with_probcut({4: (2, 30)})
    shown = "Selective(null_move_depth=4, check_extension=False, reduction_base=60).with_probcut({4: (2, 30)})"
    assert repr(changed) == shown
    assert eval(repr(changed)) == changed
    assert pickle.loads(pickle.dumps(changed)) == copy.deepcopy(changed) == changed
    assert hash(eval(repr(changed))) == hash(changed)
    assert len({changed, Selective(), Selective(null_move_depth=3)}) == 2
    assert repr(Selective()) == "Selective()"
    assert Selective() != "Selective()"
    assert list(Selective(reduction_base=60).reductions) != list(Selective().reductions)
    with pytest.raises(AttributeError, match="Selective is immutable: reduction_base cannot be set"):
        changed.reduction_base = 60


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"null_move": 0}, "unknown parameter of the selective search: null_move"),
        ({"null_move_depth": "x"}, r"null_move_depth must be an integer from 0 to 200 \(got 'x'\)"),
        ({"null_move_depth": 1.5}, r"null_move_depth must be an integer from 0 to 200 \(got 1\.5\)"),
        ({"null_move_reduction": -50}, r"null_move_reduction must be an integer from 0 to 200 \(got -50\)"),
        ({"reduction_divisor": -5}, r"reduction_divisor must be an integer from 1 to 1,000,000 \(got -5\)"),
        ({"reduction_base": 10**30}, r"reduction_base must be an integer from 0 to 10,000 \(got 10000"),
        ({"check_extension": 2}, r"check_extension must be an integer from 0 to 1 \(got 2\)"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(LimitError, match=message):
        Selective(**parameters)


@pytest.mark.parametrize("margins", [{64: (3, 1)}, {3: (3, 1)}, {3: (0, 1)}, {3: (1, -1)}])
def test_wrong_margins_of_probcut_are_refused(margins):
    with pytest.raises(LimitError, match="ProbCut at depth"):
        Selective().with_probcut(margins)


def test_every_parameter_is_documented():
    entries = inspect.getdoc(Selective).partition("Parameters\n----------\n")[2].partition("\n\n")[0].splitlines()[::2]
    assert [entry.partition(" : ")[0] for entry in entries] == list(FIELDS)
    assert "null_move_depth : int, 0 to 200, default 3" in entries
    assert "check_extension : bool, default True" in entries
    numbers = {name for name, field in Selective.record_fields.items() if field.length == 1}
    assert set(FIELDS) == numbers
    for field in filter(lambda field: field.tuned, FIELDS.values()):
        assert field.lowest <= field.tuned[0] <= field <= field.tuned[1] <= field.highest
    assert [FIELDS[name] for name in FIELDS] == [getattr(Selective(), name) for name in FIELDS]


def test_games_declare_their_own_parameters(monkeypatch):
    tictactoe = zermelo.load("tictactoe")

    def declare(parameters):
        monkeypatch.setattr(tictactoe, "selective_parameters", parameters)

    declare({"futility_margin": 2, "reduction_base": 50})
    state, declared = tictactoe.start(), Selective(futility_margin=2, reduction_base=50)
    assert Selective.of_game(state) == Selective.of_game(tictactoe) == declared
    assert Selective.of_game(state, futility_margin=80) == Selective(reduction_base=50)
    assert parameters_for(state, Limits(4), True) == declared
    assert parameters_for(state, Limits(4), Selective()) == Selective()
    for parameters, wrong in (
        ({"futility_margin": -1}, r"futility_margin must be .* \(got -1\)"),
        ({"futility": 1}, "unknown parameter of the selective search: futility;"),
        ({1: 1}, "keywords must be strings"),
    ):
        declare(parameters)
        with pytest.raises(GameError, match=rf"TicTacToe\.selective_parameters: {wrong}"):
            check_game(tictactoe, games=1, compiled=False)


def test_histories_are_kept_from_search_to_search_of_a_game(monkeypatch):
    monkeypatch.setattr("zermelo.search.memory.native", lambda *_: None)  # compiles nothing
    memory = SearchMemory("1M", 1, 64)
    connect4, tictactoe = zermelo.load("connect4").start(), zermelo.load("tictactoe").start()

    def kept(state, evaluation=GUESS, **changes):
        """Whether `prepare` leaves the histories as they are."""
        memory.prepare(state, evaluation, Selective(**changes))
        history = memory.selective_contexts[0].history
        found, history[3] = history[3], 7
        return found == 7

    assert not kept(tictactoe)
    assert kept(tictactoe)
    assert not kept(tictactoe, keep_history=0)
    assert not kept(connect4)
    assert kept(connect4)
    assert not kept(connect4, Nothing())  # corrections are those of one evaluation
    assert kept(connect4, Nothing())
    memory.clear()
    assert not kept(connect4, Nothing())


def searched(text, engine, **limits):
    return engine.analyse(zermelo.load("chess").parse(text), **limits)


MATE_IN_3 = "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1"


@pytest.mark.long
def test_a_selective_search_says_so():
    with Engine("1M", selective=True) as engine:
        found = searched("start", engine, nodes=3_000)
        assert found.confidence is None
        assert found.is_selective
        assert found.as_dict()["confidence"] is None
        assert found.reason == "nodes"
        assert found.nodes == 3_000
        assert found.nodes == searched("start", Engine("1M", selective=True), nodes=3_000).nodes
    with Engine("1M") as engine:
        found = searched("start", engine, depth=2)
        assert (found.confidence, found.is_selective) == (100, False)


@pytest.mark.long
def test_a_mate_is_proven_before_it_is_said():
    with Engine("16M", selective=True) as engine:
        found = searched(MATE_IN_3, engine, depth=16)
        assert (found.reason, found.score.value, found.score.plies, found.confidence) == ("exact", -1, 5, 100)
        assert found.best == "Bc5+"
        assert len(found.line) == 5
        after = searched(MATE_IN_3, engine, depth=16, nodes=400)
        assert not after.score.is_proven or after.score.plies == 5


def test_null_moves_change_the_side_to_move_alone():
    chess = zermelo.load("chess")
    state = chess.parse("e4 a6 e5 d5")
    after = state.pass_turn()
    assert state.may_pass()
    assert after.to_move() == MIN
    assert not after.en_passant
    assert after.replace(turn=state.turn, en_passant=state.en_passant, halfmove_clock=state.halfmove_clock) == state
    assert not chess.parse("8/5k2/8/8/8/3P4/3K4/8 w - - 0 1").may_pass()


def test_quiet_moves_that_lose_material_are_left_out():
    chess = zermelo.load("chess")
    state, memory = chess.parse("6k1/8/8/3p4/8/8/4Q3/4K3 w - - 0 1"), SelectiveContext()

    def left_out(move, depth=4, **changes):
        move = state.parse_move(move)
        return is_left_out(state, Selective(**changes), move, True, depth, 1, False, 1, memory)

    assert left_out("Qc4")
    assert not left_out("Qd3")
    assert not left_out("Qc4", depth=12)
    assert not left_out("Qc4", quiet_exchange_depth=0)
    for is_pv, in_check, best in ((True, 0, 0), (False, 1, 0), (False, 0, -WIN), (False, 0, 0)):
        memory.in_check[1] = in_check
        assert may_prune_moves(is_pv, 1, best, 1, memory) == (not is_pv and not in_check and best == 0)


def test_a_check_with_one_answer_is_searched_deeper():
    chess, memory = zermelo.load("chess"), SelectiveContext()
    memory.root_depth, memory.in_check[1] = 4, 1
    one, two = chess.parse("R5k1/5p1p/8/8/8/8/8/6K1 b - - 0 1"), chess.parse("R5k1/5p2/8/8/8/8/8/6K1 b - - 0 1")
    assert (one.count_moves(), two.count_moves()) == (1, 2)

    def found(state, excluded=NO_MOVE, ply=1, **changes):
        return own_depth(state, Selective(**changes), 3, 5, excluded, ply, memory)

    assert (found(one), found(two)) == (4, 3)
    assert found(one, single_reply_extension=False) == found(one, excluded=5) == found(one, ply=2) == 3
    memory.in_check[8] = 1
    assert found(one, ply=8) == 3  # lines of twice the root's depth are not extended
    memory.is_full = True
    assert found(one) == 3


def test_static_scores_are_corrected_by_what_searches_have_found():
    chess = zermelo.load("chess")
    state, same, other = chess.start(), chess.parse("Nf3 Nf6"), chess.parse("e4 e5")
    assert state.correction_key() == same.correction_key() != other.correction_key()
    parameters, memory = Selective(correction_limit=10), SelectiveContext()

    ctx = SearchContext()

    def learn(best, *, excluded=NO_MOVE, alpha=-50, beta=50, static=0, ply=1):
        move = state.parse_move("e4")
        learn_correction(state, static, best, move, excluded, 9, alpha, beta, ply, parameters, ctx, memory)
        return corrected(same, 0, parameters, memory)

    assert learn(40, excluded=1) == learn(40, static=-LIMIT) == 0
    ctx.begin([1])  # one of the root's moves is not searched
    assert learn(40, ply=0) == 0
    assert learn(60, alpha=100, beta=101) == 0  # an upper bound above the static score
    assert learn(-60, alpha=-101, beta=-100) == 0  # a lower bound below it
    for _ in range(200):
        found = learn(5)
    assert found in (4, 5)
    for _ in range(200):
        found = learn(-300)
    assert found == -10
    assert corrected(other, 0, parameters, memory) == 0
    assert corrected(same.pass_turn(), 0, parameters, memory) == 0
    assert corrected(same, 0, Selective(correction_limit=0), memory) == 0
    memory.is_full = True
    assert corrected(same, 0, parameters, memory) == 0


@pytest.mark.long
def test_lines_are_sorted_by_their_scores():
    """A later line may get a better score, because other moves are pruned than in the lines before it."""
    source = random.Random(1)
    depths = 0
    with Engine("1M", selective=True) as engine:
        for _ in range(12):
            state = zermelo.load("chess").start()
            for _ in range(source.randint(4, 16)):
                state = state.play(source.choice(state.legal_moves()))
            for found in engine.analysis(state, Limits(nodes=20_000), lines=4):
                if found.reason == "searching" and not any(line.score.is_proven for line in found.lines):
                    scores = [line.score.pov(state.to_move()).estimate for line in found.lines]
                    assert scores == sorted(scores, reverse=True), found
                    depths += 1
    assert depths > 40


@pytest.mark.long
@pytest.mark.parametrize("name", ["tictactoe", "chess"])
def test_exact_scores_after_selective_searches_of_real_games(name):
    """On one table, which the engine keeps from position to position."""
    chosen = random.Random(1)
    with Engine("1M") as shared:
        for plies in range(0, 40, 2):
            state = zermelo.load(name).start()
            for _ in range(plies % 36):
                after = state.play(chosen.choice(state.legal_moves()))
                if after.is_over():
                    break
                state = after
            shared.selective = True
            selective = shared.analyse(state, nodes=2_000)
            if selective.score.is_proven:
                with Engine("1M") as alone:
                    assert alone.analyse(state, exact=True).score == selective.score, state
            shared.selective = False
            exact = shared.analyse(state, depth=3)
            with Engine("1M") as alone:
                assert alone.analyse(state, depth=3).score == exact.score, state
            assert exact.confidence == 100


STEPWISE = """
import json
import numpy
import zermelo
from zermelo.compiled import generators, native

collected = []


class Recording(generators.Collecting):
    def define_pipelines(self):
        collected.append(f"{self.state.func_id.modname}.{self.state.func_id.func_qualname}")
        return super().define_pipelines()


def steps(values):
    for value in values:
        yield value


def total(values):
    found = 0
    for value in steps(values):
        found += value
    return found


generators.Collecting = Recording
native(total, numpy.arange(3))
chess = zermelo.load("chess").start()
for selective in (True, False):
    with zermelo.Engine("1M", selective=selective) as engine:
        engine.analyse(chess, nodes=100)
print(json.dumps(collected))
"""


@pytest.mark.long
def test_generators_of_the_search_run_step_by_step(tmp_path):
    """They read what their caller has found since the step before; one that takes an array would run to its end."""
    environment = {**os.environ, "ZERMELO_CACHE_DIR": str(tmp_path / "cache")}
    script = tmp_path / "stepwise.py"
    script.write_text(STEPWISE, "utf-8")
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    assert "compiling Chess" in done.stderr
    collected = json.loads(done.stdout)
    assert "__main__.steps" in collected
    assert [name for name in collected if name.startswith("zermelo.search.")] == []
