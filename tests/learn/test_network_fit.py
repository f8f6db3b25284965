"""Training of networks (`zermelo.learn.network_training`): gradients, the same weights again, and what is left out."""

import math
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

from zermelo import GameError, evaluation, learn, load
from zermelo.compiled import native
from zermelo.core.accumulator import new_accumulator
from zermelo.core.game import MAX, MIN
from zermelo.core.network import Network
from zermelo.errors import LimitError, ZermeloError
from zermelo.games.backgammon.network import PositionNetwork
from zermelo.games.backgammon.points import pack_counts
from zermelo.games.chess.network import PieceNetwork
from zermelo.learn.features import are_quiet
from zermelo.learn.fitting import FitOptions, fit_evaluation
from zermelo.learn.imitation import IMITATION_PASSES, imitation_sample
from zermelo.learn.network_fit import are_known, network_sample
from zermelo.learn.network_training import (
    CompiledTrainer,
    Sample,
    _add_gradients,
    exchanged_inputs,
    first_weights,
    train_network,
)
from zermelo.learn.position_file import load_positions
from zermelo.learn.torch_training import TorchTrainer


@evaluation
class Marks(Network):
    """Crosses and noughts of tic-tac-toe."""

    squares = 9
    hidden = 16
    most_inputs = 9
    stages = 2

    def planes(self, state):
        return state.crosses, state.noughts

    def stage(self, state):
        return 1 if (state.crosses | state.noughts).count() > 3 else 0


def zero(cls):
    return cls.from_floats({name: np.zeros(shape) for name, shape in cls.shapes().items()})


def random_sample(count, seed=1):
    drawn = np.random.default_rng(seed)
    inputs = np.full((count, 9), -1, np.int16)
    for row in inputs:
        size = drawn.integers(1, 9)
        row[:size] = drawn.choice(18, size, replace=False)
    ours = ((inputs >= 0) & (inputs < 9)).sum(axis=1)
    targets = 0.5 + 0.05 * (ours - (inputs >= 9).sum(axis=1))
    return Sample(inputs, drawn.integers(0, 2, count).astype(np.int8), targets.astype(np.float32))


def loss(weights, sample, slope):
    """The sum of the losses by the definition, in 64 bits."""
    shapes = Marks.shapes()
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    first, bias, second, last = (
        part.reshape(shape) for part, shape in zip(np.split(weights, ends[:-1]), shapes.values(), strict=True)
    )
    exchanged = exchanged_inputs(Marks)
    total = 0.0
    for row, stage, target in zip(*sample, strict=True):
        own = row[row >= 0]
        sums = np.concatenate([bias + first[own].sum(axis=0), bias + first[exchanged[own]].sum(axis=0)])
        output = last[stage] + np.clip(sums, 0, 1) ** 2 @ second[stage]
        total += (1 / (1 + math.exp(-slope * output)) - float(target)) ** 2
    return total


def test_gradients_are_the_slopes_of_the_loss():
    sample, slope = random_sample(5), 1.7
    drawn = np.random.default_rng(2)
    weights = first_weights(Marks, drawn)
    weights[-2:] = drawn.normal(0, 0.1, 2)
    gradient, losses = np.zeros_like(weights), np.zeros(1)
    scratch = np.zeros((3, 2 * Marks.hidden), np.float32)
    arguments = (
        *sample, np.arange(5), exchanged_inputs(Marks), weights, gradient, scratch, losses, 0, Marks.hidden,
        len(weights) - Marks.stages, slope,
    )  # fmt: skip
    native(_add_gradients, *arguments)(*arguments)
    precise = weights.astype(np.float64)
    assert losses[0] == pytest.approx(loss(precise, sample, slope), rel=1e-5)
    tried = [*drawn.choice(len(weights) - 82, 60, replace=False), *range(len(weights) - 82, len(weights))]
    for index in tried:
        moved = []
        for change in (1e-5, -1e-5):
            other = precise.copy()
            other[index] += change
            moved.append(loss(other, sample, slope))
        assert gradient[index] == pytest.approx((moved[0] - moved[1]) / 2e-5, abs=1e-4), index


def test_training_lowers_the_loss_and_gives_the_same_weights_again():
    sample, held_out = random_sample(4000), random_sample(500, seed=3)
    told = []
    found = train_network(Marks, sample, held_out, passes=12, seed=5, on_progress=told.append)
    again = train_network(Marks, sample, held_out, passes=12, seed=5)
    assert [each.iteration for each in told] == list(range(1, 13))
    assert told[-1].best < 0.5 * told[0].error
    assert {name: array.shape for name, array in found.items()} == Marks.shapes()
    assert all(np.array_equal(array, again[name]) for name, array in found.items())
    other = train_network(Marks, sample, held_out, passes=1, seed=6)
    assert not np.array_equal(found["input_weights"], other["input_weights"])


def test_ctrl_c_keeps_the_best_weights():
    def stop(progress):
        if progress.iteration == 2:
            raise KeyboardInterrupt

    found = train_network(Marks, random_sample(300), random_sample(50, seed=3), passes=50, on_progress=stop)
    assert Marks.from_floats(found).output_weights.any()


@evaluation
class Balanced(Marks):
    """Marks that count the same for both sides."""

    move_bonus = 7


def test_both_views_count_the_same_if_being_to_move_has_its_own_bonus():
    sample = random_sample(2000)
    for passes in (1, 3):
        found = train_network(Balanced, sample, random_sample(200, seed=3), passes=passes)
        own, other = np.split(found["output_weights"], 2, axis=1)
        assert own.any()
        assert np.array_equal(own, -other)
    network = Balanced.from_floats(found)
    state = load("tictactoe").parse("XO.XO....")
    accumulator = new_accumulator(network)
    network.start_accumulator(state, accumulator)
    for_x, for_o = (network.side_score(state, accumulator, side) for side in (MAX, MIN))
    assert for_x != 7
    assert for_x - 7 == pytest.approx(-(for_o - 7), abs=1)  # each score is rounded


def test_weights_that_are_not_balanced_become_so():
    drawn = np.random.default_rng(4)
    arrays = {name: drawn.normal(0, 0.1, shape) for name, shape in Balanced.shapes().items()}
    network = Balanced.from_floats(arrays)
    own, other = np.split(network.output_weights, 2, axis=1)
    assert np.array_equal(own, -other)
    kept = network.to_floats()
    assert np.allclose(kept["output_bias"] * Balanced.output_scale, 7, atol=0.1)
    assert Balanced.from_floats(kept) == network


@pytest.mark.parametrize("kind", [Marks, Balanced])
def test_pytorch_reaches_the_loss_of_the_compiled_loops(kind, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is an extra")
    monkeypatch.setattr(TorchTrainer, "batch", 500)  # as the loops choose it for 4,000 positions
    sample, held_out = random_sample(4000), random_sample(500, seed=3)
    told = {}
    for name, trainer in (("loops", CompiledTrainer), ("torch", partial(TorchTrainer, device="cpu"))):
        told[name] = []
        found = train_network(kind, sample, held_out, passes=12, seed=5, trainer=trainer, on_progress=told[name].append)
        assert {name: array.shape for name, array in found.items()} == kind.shapes()
        own, other = np.split(found["output_weights"], 2, axis=1)
        assert np.array_equal(own, -other) == (kind is Balanced)
    ends = {name: listed[-1].error for name, listed in told.items()}
    assert ends["torch"] < 0.5 * told["torch"][0].error
    assert ends["torch"] == pytest.approx(ends["loops"], rel=0.1)


def test_a_missing_pytorch_or_device_is_reported(monkeypatch):
    sample = random_sample(20)
    if find_spec("torch"):
        with pytest.raises(LimitError, match="PyTorch has no device other"):
            train_network(Marks, sample, sample, trainer=partial(TorchTrainer, device="other"))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ZermeloError, match="needs PyTorch: pip install"):
        train_network(Marks, sample, sample, trainer=partial(TorchTrainer, device="cpu"))


def test_training_goes_on_from_a_network(tmp_path):
    path = tmp_path / "games.positions"
    learn.generate_positions("tictactoe", path, games=60, random_plies=(1, 3), depths=(9,), mix=0.3, seed=1)
    cls, positions = load("tictactoe"), load_positions(path, load("tictactoe"))
    first = fit_evaluation(zero(Marks), cls, positions, FitOptions(iterations=60, seed=1))
    told = []
    # The smallest step size leaves the weights almost as they are; random ones have another loss.
    options = FitOptions(iterations=1, seed=1, rate=1e-9)
    again = fit_evaluation(first, cls, positions, options, lambda progress: told.append(progress.now.error))
    fit_evaluation(zero(Marks), cls, positions, options, lambda progress: told.append(progress.now.error))
    assert np.abs(again.input_weights - first.input_weights).max() <= 1
    assert told[0] < told[1]
    with pytest.raises(ZermeloError, match="only networks are trained on a device"):
        fit_evaluation(cls.evaluations["lines"], cls, positions, FitOptions(device="cpu"))


@evaluation
class Discs(Network):
    """Discs of Othello."""

    squares = 64
    hidden = 16
    most_inputs = 64

    def planes(self, state):
        return state.black, state.white


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_loss_of_the_options_is_used(loss, tmp_path):
    """A squared loss was once replaced by a logistic one, while the errors were printed in discs."""
    path, cls = tmp_path / "games.positions", load("othello")
    learn.generate_positions("othello", path, games=20, random_plies=(54, 56), depths=(1,), solve_plies=6, seed=1)
    positions = load_positions(path, cls)
    network = Discs.from_floats({name: np.zeros(shape) for name, shape in Discs.shapes().items()})
    options = FitOptions(loss, iterations=30, held_out=0.3, seed=1)
    fitted = fit_evaluation(network, cls, positions, options)
    by_default = fit_evaluation(network, cls, positions, FitOptions(iterations=30, held_out=0.3, seed=1))
    assert (fitted == by_default) == (loss == "squared")  # the results are graded
    assert options.units(cls, network) == (400 / 64 if loss == "squared" else 400)
    if loss == "squared":
        half = FitOptions(loss, iterations=30, held_out=0.3, seed=1, scale=400 / 128)
        scores = [
            sum(abs(found.score(positions.state(row, cls))) for row in range(len(positions)))
            for found in (fitted, fit_evaluation(network, cls, positions, half))
        ]
        assert scores[1] < 0.8 * scores[0]


@pytest.mark.long
def test_a_network_learns_tic_tac_toe(tmp_path):
    path = tmp_path / "games.positions"
    learn.generate_positions("tictactoe", path, games=300, random_plies=(1, 3), depths=(9,), mix=0.3, seed=1)
    cls = load("tictactoe")
    positions = load_positions(path, cls)
    options = FitOptions(iterations=150, seed=1)
    fitted = fit_evaluation(zero(Marks), cls, positions, options)
    assert fitted == fit_evaluation(zero(Marks), cls, positions, options)
    decided = [row for row in range(len(positions)) if positions.exact[row] and positions.score[row]]
    wrong = [
        row for row in decided if fitted.score(positions.state(row, cls)) * int(positions.score[row]) <= 0
    ]  # fmt: skip
    assert len(wrong) < 0.1 * len(decided)


@pytest.mark.long
def test_positions_in_check_and_tactical_ones_are_left_out():
    cls = load("chess")
    texts = (
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3",
        "8/8/4k3/8/8/3P4/3K4/8 b - - 0 1",
    )
    states = [cls.parse(text) for text in texts]
    best = [state.parse_move(move) for state, move in zip(states, ("Nf3", "exd5", "g3", "Kd5"), strict=True)]
    count = len(states)
    columns = dict.fromkeys(("score", "exact", "result", "ply", "game", "depth", "played"), np.zeros(count, np.int32))
    words = np.array([learn.position_file.words_of_state(state) for state in states], np.int64)
    positions = learn.Positions(states=words, best=np.array(best, np.int32), **columns)
    quiet = are_quiet(cls, positions.states, positions.best)
    assert quiet.tolist() == [True, False, False, True]
    sample = network_sample(zero(PieceNetwork), cls, positions.chosen(quiet), np.array([0.6, 0.2]))
    assert sample.targets.tolist() == pytest.approx([0.6, 0.8, 0.6, 0.8])
    assert sample.stages.tolist() == [7, 0, 7, 0]
    # Black sees its king on e6 as its own king, plane 5, on e3, and white's pawn on d3 in plane 6 on d6.
    assert set(sample.inputs[1].tolist()) == {-1, 5 * 64 + 20, 6 * 64 + 43, 11 * 64 + 51}
    # The mirror image follows: e6 and d3 are d6 and e3 there.
    assert set(sample.inputs[3].tolist()) == {-1, 5 * 64 + 19, 6 * 64 + 44, 11 * 64 + 52}


def test_training_does_not_return_weights_worse_than_those_it_starts_from():
    sample = random_sample(200)
    good = train_network(Marks, sample, sample, passes=30, seed=1)
    found = train_network(Marks, sample, sample, passes=1, seed=1, rate=0.9, start=good)
    for name, weights in good.items():
        assert (found[name] == weights).all()


def test_a_fit_to_one_stage_keeps_what_the_others_use():
    sample = random_sample(200)
    first = train_network(Marks, sample, sample, passes=2, seed=1)
    rows = sample.stages == 1
    late = Sample(*(each[rows] for each in sample))
    late.inputs[np.isin(late.inputs, (4, 13))] = -1  # 13 is what the other side sees as 4
    late.inputs[:] = np.sort(late.inputs)[:, ::-1]
    found = train_network(Marks, late, late, passes=5, seed=1, start=first, keeps_unseen=True)
    for name, weights in first.items():
        changed = found[name] != weights
        if name == "hidden_bias":
            assert not changed.any()
        elif name == "input_weights":
            assert not changed[[4, 13]].any()
            assert changed[5].any()
        else:
            assert not changed[0].any()
            assert changed[1].any()


def test_stages_that_cannot_be_fitted_are_refused():
    cls, network = load("backgammon"), zero(PositionNetwork)
    positions = learn.Positions(*(np.zeros((1, 5) if place == 0 else 1, np.int64) for place in range(9)))
    with pytest.raises(ZermeloError, match="only networks with weights are fitted to some stages"):
        fit_evaluation(network, cls, positions, FitOptions(stages=(1,)))
    trained = cls.evaluations["network"]
    with pytest.raises(LimitError, match=r"stages must be from 0 to 2 \(got 3\)"):
        fit_evaluation(trained, cls, positions, FitOptions(stages=(3,)))
    with pytest.raises(LimitError, match="stages and imitate exclude each other"):
        fit_evaluation(trained, cls, positions, FitOptions(stages=(2,), imitate="phases"))


def test_positions_whose_scores_are_known_are_left_out():
    """Otherwise half of what backgammon's race network learns are bear-offs, for which it is never asked."""
    cls = load("backgammon")
    home, out = (pack_counts([7, *(8 * (each == point) for each in range(1, 26))]) for point in (4, 8))
    states = [cls(*home, *home, 0, MAX), cls(*out, *home, 0, MAX), cls(*home, *out, 0, MIN)]
    count = len(states)
    columns = dict.fromkeys(("score", "exact", "result", "ply", "game", "depth", "played", "best"), np.zeros(count))
    words = np.array([learn.position_file.words_of_state(state) for state in states], np.int64)
    network, positions = zero(PositionNetwork), learn.Positions(states=words, **columns)
    assert are_known(network, cls, positions).tolist() == [network.is_known(state) for state in states]
    assert are_known(network, cls, positions).tolist() == [True, False, False]
    with pytest.raises(ZermeloError, match="the scores of all positions are known"):
        fit_evaluation(network, cls, positions.chosen(np.array([0])))


@pytest.mark.long
def test_positions_without_a_quiet_one_are_refused():
    cls = load("chess")
    state = cls.parse("rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3")
    count = 40
    columns = dict.fromkeys(("score", "exact", "result", "ply", "depth", "played", "best"), np.zeros(count, np.int32))
    words = np.array([learn.position_file.words_of_state(state)] * count, np.int64)
    positions = learn.Positions(states=words, game=np.arange(count), **columns)
    with pytest.raises(ZermeloError, match="the positions are all in check or tactical"):
        fit_evaluation(zero(PieceNetwork), cls, positions)
    with pytest.raises(ZermeloError, match="the positions are all in check or tactical"):
        fit_evaluation(cls.evaluations["positional"], cls, positions)
    with pytest.raises(GameError):
        PieceNetwork.from_floats({})


@pytest.mark.long
def test_a_network_that_imitates_an_evaluation_first_knows_its_values():
    cls = load("chess")
    network, evaluation = zero(PieceNetwork), cls.evaluations["material"]
    start = [learn.position_file.words_of_state(cls.parse(text)) for text in ("", "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1")]
    states = np.array(start * 50, np.int64)
    sample = imitation_sample(network, cls, states, evaluation, 1, 0.5)
    assert 1500 < len(sample.inputs) <= 2000  # those in check are left out
    again = imitation_sample(network, cls, states, evaluation, 1, 0.5)
    assert all(np.array_equal(first, second) for first, second in zip(sample, again, strict=True))
    # Each target is the material of the side to move.
    values = np.array([1, 3, 3, 5, 9, 0])
    for row, target in zip(sample.inputs[:200], sample.targets, strict=False):
        planes = row[row >= 0] // 64
        score = values[planes[planes < 6]].sum() - values[planes[planes >= 6] - 6].sum()
        assert target == pytest.approx(1 / (1 + math.exp(-0.5 * score)))
    assert len({tuple(row) for row in sample.inputs}) > 300


def test_weights_to_start_from():
    sample, held_out = random_sample(300), random_sample(50, seed=3)
    first = train_network(Marks, sample, held_out, passes=3, seed=5)
    stayed = train_network(Marks, sample, held_out, passes=1, seed=6, rate=1e-9, start=first)
    for name, array in first.items():
        np.testing.assert_allclose(stayed[name], array, atol=1e-4)


@pytest.mark.long
def test_a_fit_that_imitates_gives_the_same_weights_again(tmp_path):
    path = tmp_path / "games.positions"
    learn.generate_positions("tictactoe", path, games=40, random_plies=(1, 3), depths=(2,), mix=0.3, seed=1)
    cls = load("tictactoe")
    positions = load_positions(path, cls)
    seen = []
    options = FitOptions(iterations=2, seed=1, imitate=next(iter(cls.evaluations)))
    fitted = fit_evaluation(zero(Marks), cls, positions, options, lambda progress: seen.append(progress.stage))
    assert seen == [0] * IMITATION_PASSES + [1] * 2
    assert fitted == fit_evaluation(zero(Marks), cls, positions, options)
    assert fitted != fit_evaluation(zero(Marks), cls, positions, FitOptions(iterations=2, seed=1))
    with pytest.raises(ZermeloError, match="only networks imitate another evaluation"):
        fit_evaluation(cls.evaluations[options.imitate], cls, positions, options)
    with pytest.raises(ZermeloError, match="has no evaluation 'none-such'"):
        fit_evaluation(zero(Marks), cls, positions, FitOptions(imitate="none-such"))


def test_an_interrupted_imitation_ends_the_fit(tmp_path):
    cls = load("tictactoe")
    learn.generate_positions("tictactoe", tmp_path / "x.positions", games=20, depths=(2,), random_plies=(1, 4))
    positions = load_positions(tmp_path / "x.positions", cls)
    stages = []

    def interrupt(progress):
        stages.append(progress.stage)
        raise KeyboardInterrupt

    options = FitOptions(imitate=next(iter(cls.evaluations)))
    found = fit_evaluation(zero(Marks), cls, positions, options, interrupt)
    assert stages == [0]
    assert isinstance(found, Marks)
