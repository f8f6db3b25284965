"""Temporal difference learning (`zermelo.learn.td`): what is learned, the same weights again, interruptions."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from zermelo import CHANCE, MAX, MIN, Evaluation, FileError, LimitError, State, evaluation, game, load
from zermelo.compiled import native
from zermelo.core.evaluation import Linear
from zermelo.core.network import Network
from zermelo.core.patterns import CountedPatterns, symmetric
from zermelo.core.weight_file import load_weights
from zermelo.errors import FormatError, ZermeloError
from zermelo.learn import TdOptions, learn_by_td
from zermelo.learn.td import TdProgress, _estimate, _Training

#: Units of a score for an output of 1, where the tests choose it.
SCALE = 500


@evaluation
class Marks(Network):
    """Crosses and noughts of tic-tac-toe."""

    squares = 9
    hidden = 16
    most_inputs = 9

    def planes(self, state):
        return state.crosses, state.noughts


@evaluation
class Shapes(CountedPatterns):
    """Rows, corners and a constant of tic-tac-toe, in two stages."""

    patterns = (symmetric(3, 3, "a1 b1 c1"), symmetric(3, 3, "a1 b1 a2 b2"), symmetric(3, 3, ""))
    squares = 9
    stages = 2
    count_limits = (3, 4)  # own corners, empty squares

    def planes(self, state):
        return state.crosses, state.noughts

    def stage(self, state):
        return (state.crosses | state.noughts).count() // 5

    def counts(self, state, side):
        own = state.crosses if side == MAX else state.noughts
        return (own & 0b101000101).count(), 9 - (state.crosses | state.noughts).count()


@evaluation
class Lead(Linear):
    """The difference of the points in `Dice`."""

    names = ("points",)
    unit = 1000

    def counts(self, state, side):
        return (state.own,) if side == MAX else (state.other,)


@game
class Dice(State):
    """Each side takes 2 points, or 0, 1 or 6 with equal chances; the first one to have 12 wins."""

    own: int = 0
    other: int = 0
    turn: int = MAX
    rolls: bool = False

    evaluations = {"lead": Lead([0])}

    def to_move(self):
        return CHANCE if self.rolls else self.turn

    def moves(self):
        yield 0
        yield 1

    def outcomes(self):
        yield 0, 1
        yield 1, 1
        yield 6, 1

    def play(self, move):
        if not self.rolls and move == 1:
            return Dice(self.own, self.other, self.turn, True)
        gain = move if self.rolls else 2
        if self.turn == MAX:
            return Dice(self.own + gain, self.other, MIN, False)
        return Dice(self.own, self.other + gain, MAX, False)

    def is_over(self):
        return max(self.own, self.other) >= 12

    def utility(self):
        return 1 if self.own >= 12 else -1


@pytest.mark.quick
def test_options_out_of_range_are_refused():
    for wrong in ({"games": 0}, {"trace": 1.5}, {"rate": -0.1}, {"explore": 2.0}, {"max_plies": 20_000}, {"depth": 0}):
        with pytest.raises(LimitError):
            TdOptions(**wrong)


@pytest.mark.quick
def test_other_evaluations_are_refused(tmp_path):
    with pytest.raises(ZermeloError, match="must extend Network, Linear or Patterns"):
        learn_by_td(load("othello"), load("othello").evaluations["wdiff"], tmp_path / "x.weights")


def _features(state: State) -> list[tuple[object, ...]]:
    """What `Shapes` sees of a position from the side to move: the stage, the shape, its contents in the least order."""
    own, other = (state.crosses, state.noughts) if state.to_move() == MAX else (state.noughts, state.crosses)
    found = []
    for shape, images in enumerate(Shapes.patterns):
        for squares in {frozenset(image) for image in images}:
            orders = [image for image in images if frozenset(image) == squares]
            contents = min(tuple((square in own) - (square in other) for square in image) for image in orders)
            found.append(((state.crosses | state.noughts).count() // 5, shape, contents))
    for number, count in enumerate(((own & 0b101000101).count(), 9 - (own | other).count())):
        found.append(((own | other).count() // 5, -1 - number, min(count, Shapes.count_limits[number] - 1)))
    return found


def _textbook(cls: type[State], games: int, trace: float, rate: float) -> dict[tuple[object, ...], np.float32]:
    """TD(lambda) by its definition: after each game a step along the gradient to the lambda-return of each position.

    S. M. Lucas 2008; R. S. Sutton and A. G. Barto, Reinforcement Learning, 2nd edition, section 12.1.
    """
    weights: dict[tuple[object, ...], np.float32] = {}

    def chance(state: State) -> float:
        """The estimated probability that the side to move wins."""
        return 1 / (1 + math.exp(-sum(float(weights.get(each, 0)) for each in _features(state))))

    def value(state: State) -> float:
        if state.is_over():
            return float(state.utility())
        return state.to_move() * (2 * chance(state) - 1)

    for number in range(games):
        state, states, values = cls.start(), [], []
        while not state.is_over():
            children = [state.play(move) for move in state.moves()]
            best = max(children, key=lambda child: state.to_move() * value(child))  # the first of equal ones
            if states:
                values.append(value(best))
            state = best
            if not state.is_over():
                states.append(state)
        for place in range(len(states) - 1, -1, -1):
            rest = values[place:]
            steps = [trace**n * (1 - trace) * each for n, each in enumerate(rest[:-1])]
            wanted = sum(steps) + trace ** (len(rest) - 1) * rest[-1]
            counts = Counter(_features(states[place]))
            found = chance(states[place])
            error = found - (1 + states[place].to_move() * wanted) / 2
            step = rate * (1 - number / games) / (1 + sum(count**2 for count in counts.values()))
            for each, count in counts.items():
                change = step * error * found * (1 - found) * count
                weights[each] = np.float32(float(weights.get(each, np.float32(0))) - change)
    return weights


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_patterns_learn_as_the_textbook_does(compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        monkeypatch.setattr("zermelo.learn.td.native", lambda function, *arguments: function)
    cls, options = load("tictactoe"), TdOptions(games=20, trace=0.7, rate=0.9)
    training = _Training(cls, Shapes.with_weights(), options, tmp_path / "part")
    training.play()
    expected, source, seen = _textbook(cls, 20, 0.7, 0.9), Random(1), 0
    found = training.evaluation()
    for _ in range(200):
        state = cls.start()
        for _ in range(source.randint(0, 6)):
            if not state.is_over():
                state = state.play(source.choice(state.legal_moves()))
        if state.is_over():
            continue
        row, features = np.zeros(Shapes.inputs(), np.int32), _features(state)
        stage, side = found.read_inputs(state, row)
        assert (stage, side) == (found.stage(state), state.to_move())
        numbers = stage * Shapes.weight_count() + training._table[row]
        learned = sum(float(expected.get(each, 0)) for each in features)
        seen += learned != 0
        assert training.weights[numbers].sum(dtype=float) == pytest.approx(learned, abs=1e-5)
        # The score is in hundredths of a logit, rounded as the weights are.
        assert found.score(state) == pytest.approx(side * 100 * learned, abs=0.5 + len(features) / Shapes.weight_unit)
    assert seen > 50


def _solved(cls: type[State]) -> dict[State, int]:
    """The value of each unfinished position with best play."""
    values: dict[State, int] = {}

    def value(state: State) -> int:
        if state.is_over():
            return state.utility()
        if state not in values:
            values[state] = state.to_move() * max(state.to_move() * value(state.play(move)) for move in state.moves())
        return values[state]

    value(cls.start())
    return values


@pytest.mark.long
def test_patterns_learn_tic_tac_toe(tmp_path: Path) -> None:
    cls = load("tictactoe")
    solved = _solved(cls)
    errors: list[float] = []

    def exact_error(shapes: Shapes) -> float:
        """The mean distance of the estimates to the values of the positions with best play."""
        return float(np.mean([abs(math.tanh(shapes.score(each) / 200) - value) for each, value in solved.items()]))

    options = TdOptions(games=6000, rate=1.0, trace=0.5, explore=0.3, seed=3)
    found = learn_by_td(
        cls, Shapes.with_weights(), tmp_path / "shapes.weights", options,
        on_progress=lambda progress: errors.append(progress.error),
    )  # fmt: skip
    assert np.mean(errors[-20:]) < 0.6 * np.mean(errors[1:21])
    assert exact_error(found) < 0.75 * exact_error(Shapes.with_weights())
    assert load_weights(tmp_path / "shapes.weights", cls, Shapes)[0] == found


@pytest.mark.quick
def test_scores_of_patterns_have_room_for_probabilities(tmp_path: Path) -> None:
    """A score of Othello is at most 64 discs, which are 8 logits."""
    othello = load("othello")
    patterns = othello.evaluations["patterns"]
    training = _Training(othello, patterns, TdOptions(games=1), tmp_path / "part")
    assert training._units == patterns.weight_unit * 65 / 8
    assert training.evaluation() == patterns
    training.weights += np.float32(100)
    assert training.evaluation().weights.max() == 32767


@pytest.mark.long
def test_a_network_learns_tic_tac_toe(tmp_path):
    cls = load("tictactoe")
    errors: list[float] = []

    def on_progress(progress: TdProgress) -> None:
        errors.append(progress.error)

    options = TdOptions(games=6000, rate=0.1, explore=0.2, seed=3)
    found = learn_by_td(cls, Marks.with_weights(), tmp_path / "marks.weights", options, on_progress=on_progress)
    assert np.mean(errors[-20:]) < 0.7 * np.mean(errors[1:21])
    assert found.score(cls.start().after("b2 b1 a1 c3 a3")) > 300  # X threatens a2 and c1
    assert load_weights(tmp_path / "marks.weights", cls, Marks)[0] == found


@pytest.mark.long
def test_an_interrupted_training_continues(tmp_path):
    cls = load("tictactoe")
    lines = cls.evaluations["lines"]
    whole, parts = tmp_path / "whole.weights", tmp_path / "parts.weights"
    options = TdOptions(games=400, rate=0.3, trace=0.7, explore=0.1, seed=5)
    learn_by_td(cls, lines, whole, options)

    def stop(progress: TdProgress) -> None:
        if progress.games == 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_by_td(cls, lines, parts, options, on_progress=stop)
    assert load_weights(parts, cls, type(lines))[0] != load_weights(whole, cls, type(lines))[0]
    with pytest.raises(ZermeloError, match="was started with other options"):
        learn_by_td(cls, lines, parts, TdOptions(games=401))
    told: list[int] = []
    learn_by_td(cls, lines, parts, options, on_progress=lambda progress: told.append(progress.games))
    assert told == [150, 200, 250, 300, 350, 400]
    assert parts.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts.weights", "whole.weights"]
    with pytest.raises(FileError, match="file exists"):
        learn_by_td(cls, lines, parts, options)
    learn_by_td(cls, lines, parts, options, overwrite=True)
    assert parts.read_bytes() == whole.read_bytes()
    parts.with_name("parts.weights.part").write_bytes(b"ZERMELOT")
    with pytest.raises(FormatError, match="is not a file of unfinished training"):
        learn_by_td(cls, lines, parts, options)


def _leaves(state: State, lines: Linear, depth: int) -> tuple[float, list[State]]:
    """The minimax value of a state by an evaluation's probabilities of a win, and the last states of the best lines."""
    if state.is_over():
        return float(state.utility()), [state]
    if depth == 0:
        return 2 / (1 + math.exp(-lines.score(state) / SCALE)) - 1, [state]
    found = [_leaves(state.play(move), lines, depth - 1) for move in state.moves()]
    best = max(found, key=lambda each: state.to_move() * each[0])[0]
    return best, [leaf for value, leaves in found if value == best for leaf in leaves]


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_td_leaf_learns_the_last_position_of_the_best_line(compiled: bool) -> None:
    source = Random(7)
    cls = load("tictactoe")
    lines = cls.evaluations["lines"].replace(weights=np.array([47]))
    assert isinstance(lines, Linear)
    floats = (lines.weights / SCALE).astype(np.float32)
    ends = 0
    for _ in range(200):
        state = cls.start()
        for _ in range(source.randint(0, 7)):
            if not state.is_over():
                state = state.play(source.choice(state.legal_moves()))
        depth = source.randint(0, 3)
        leaves, facts = np.full((4, len(floats)), -1, np.int32), np.full((2, 4), 9, np.int64)
        arguments = (
            state, depth, -math.inf, math.inf, lines, floats, np.zeros(0, np.int64), leaves, facts,
            np.zeros((3, 0), np.float32), 0, len(floats), 1.0, 1.0,
        )  # fmt: skip
        estimate = native(_estimate, *arguments)(*arguments) if compiled else _estimate(*arguments)
        wanted, states = _leaves(state, lines, depth)
        assert estimate == pytest.approx(wanted, abs=1e-6)
        if facts[1, depth] == 0:
            assert any(each.is_over() for each in states)
            ends += 1
        else:
            row = np.zeros(len(floats), np.int32)
            found = [(lines.read_inputs(each, row)[1], row.tolist()) for each in states if not each.is_over()]
            assert (facts[1, depth], leaves[depth].tolist()) in found
    assert 20 < ends < 180


def test_td_leaf_refuses_games_of_chance(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=r"depth must be 1, since Dice is a game of chance \(got 2\)"):
        learn_by_td(Dice, Lead([0]), tmp_path / "x.weights", TdOptions(games=1, depth=2))
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_td_leaf_learns_connect_four(tmp_path: Path) -> None:
    cls = load("connect4")
    lines = cls.evaluations["lines"]
    zero = lines.replace(weights=np.zeros_like(lines.weights))
    options = TdOptions(games=3000, rate=0.3, trace=0.95, explore=0.1, seed=1, depth=3)
    found = learn_by_td(cls, zero, tmp_path / "leaf.weights", options)
    assert found.weights[2] > 20  # three in a line with an empty fourth square
    assert load_weights(tmp_path / "leaf.weights", cls, type(lines))[0] == found


@pytest.mark.long
def test_games_of_chance_learn_their_utility(tmp_path: Path):
    options = TdOptions(games=2000, rate=0.05, trace=0.8, explore=0.2, seed=1)
    found = learn_by_td(Dice, Lead([0]), tmp_path / "lead.weights", options)
    assert isinstance(found, Evaluation)
    # A lead of 6 of 12 points: some half of a win, in thousandths.
    assert 250 < found.score(Dice(6, 0, MIN, False)) < 1000


@game
class Coin(State):
    """MAX moves once, then falls a coin with two heads: MAX wins."""

    tossed: int = 0

    evaluations = {"lead": Lead([0])}
    own = 1
    other = 0

    def to_move(self):
        return CHANCE if self.tossed == 1 else MAX

    def moves(self):
        yield 0

    def outcomes(self):
        yield 1, 1

    def play(self, move):
        return Coin(self.tossed + 1)

    def is_over(self):
        return self.tossed == 2

    def utility(self):
        return 1


def test_a_chance_event_that_ends_the_game_is_the_target(tmp_path):
    training = _Training(Coin, Coin.evaluations["lead"], TdOptions(games=2000, rate=0.5), tmp_path / "part")
    training._values[0] = -0.75  # what an earlier game may have left
    while training.games < 2000:
        training.play()
    assert training.evaluation().score(Coin(1)) > 900


def test_an_interrupt_in_compiled_code_does_not_count_games_twice(tmp_path, monkeypatch):
    """Python raises KeyboardInterrupt when a compiled call returns, after its work."""
    options = TdOptions(games=200, rate=0.3, explore=0.1, seed=5)
    lead = Dice.evaluations["lead"]
    whole = learn_by_td(Dice, lead, tmp_path / "whole.weights", options)
    calls = []

    def interrupting(function, *arguments):
        compiled = native(function, *arguments)

        def call(*arguments):
            compiled(*arguments)
            calls.append(1)
            if len(calls) == 3:
                raise KeyboardInterrupt

        return call

    monkeypatch.setattr("zermelo.learn.td.native", interrupting)
    with pytest.raises(KeyboardInterrupt):
        learn_by_td(Dice, lead, tmp_path / "parts.weights", options)
    assert learn_by_td(Dice, lead, tmp_path / "parts.weights", options) == whole
