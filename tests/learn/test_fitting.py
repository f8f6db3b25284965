"""Fitting weights to positions: least squares, linear, tapered and pattern evaluations, reports, generations."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zermelo import MAX, Evaluation, GameError, LimitError, Weights, ZermeloError, evaluation, learn, load
from zermelo.core.evaluation import Linear, Tapered
from zermelo.core.patterns import CountedPatterns, symmetric
from zermelo.core.weight_file import file_digest, load_weights, save_weights, to_bytes
from zermelo.learn.bootstrap import generation_plans, untrained
from zermelo.learn.features import (
    DenseMatrix,
    SparseMatrix,
    dot,
    linear_matrix,
    pattern_matrix,
    pattern_stages,
    scores,
)
from zermelo.learn.fitting import (
    FitOptions,
    find_fitter,
    fit_evaluation,
    label_factor,
    provenance,
    split,
    targets,
    without_unproven_wins,
)
from zermelo.learn.least_squares import Progress, Sample, fit, logistic
from zermelo.learn.position_file import RESULTS, Positions
from zermelo.learn.self_play import SelfPlay

TICTACTOE = load("tictactoe")


@evaluation
class Corners(CountedPatterns):
    """A row and a corner of tic-tac-toe, in two stages."""

    patterns = (symmetric(3, 3, "a1 b1 c1"), symmetric(3, 3, "a1 b1 a2 b2"), symmetric(3, 3, ""))
    squares = 9
    stages = 2
    count_limits = (3, 4)  # own corners, empty squares

    def planes(self, state: Any) -> Any:
        return state.crosses, state.noughts

    def stage(self, state: Any) -> int:
        return (state.crosses | state.noughts).count() // 5

    def counts(self, state: Any, side: int) -> tuple[int, ...]:
        own = state.crosses if side == MAX else state.noughts
        return (own & 0b101000101).count(), 9 - (state.crosses | state.noughts).count()


@evaluation
class Squares(Linear):
    names = ("centre", "corners")
    weights: Weights = (0, 0)

    def counts(self, state: Any, side: int) -> Any:
        own = state.crosses if side == 1 else state.noughts
        return (own >> 4 & 1).count(), (own & 0b101000101).count()


@evaluation
class TaperedSquares(Tapered):
    names = ("centre", "corners")
    PHASES = 9
    weights: Weights = ((0, 0), (0, 0))

    def counts(self, state: Any, side: int) -> Any:
        own = state.crosses if side == 1 else state.noughts
        return (own >> 4 & 1).count(), (own & 0b101000101).count()

    def phase(self, state: Any) -> int:
        return 9 - (state.crosses | state.noughts).count()


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> Positions:
    path = tmp_path_factory.mktemp("learn") / "games.positions"
    learn.generate_positions("tictactoe", path, games=150, depths=(9,), random_plies=(1, 5), mix=0.7)
    return learn.load_positions(path, TICTACTOE)


def test_products_are_those_of_the_matrix() -> None:
    random = np.random.default_rng(1)
    items = random.normal(size=(7, 3))
    listed = random.integers(0, 5, (7, 4)).astype(np.int32)
    counted = np.zeros((7, 5))
    for row in range(7):
        np.add.at(counted[row], listed[row], 1)
    rows, squares = random.normal(size=7), np.ones(7)
    for matrix, expected in ((DenseMatrix(items), items), (SparseMatrix(listed, 5), counted)):
        columns = random.integers(-8, 8, expected.shape[1]) / 4  # exact in 32 bits too
        assert np.allclose(matrix.times(columns), expected @ columns)
        assert np.allclose(matrix.transposed_times(rows), expected.T @ rows)
    assert np.allclose(DenseMatrix(items).diagonal(squares), (items**2).sum(0))
    assert dot(rows, squares) == pytest.approx(rows.sum())


def test_squared_error_has_the_solution_of_the_normal_equations() -> None:
    random = np.random.default_rng(2)
    items, start = random.normal(size=(80, 4)), np.array([1.0, 0, 0, -1])
    wanted = items @ np.array([3.0, -2, 0.5, 7]) + random.normal(size=80)
    sample = Sample(DenseMatrix(items), wanted)
    seen: list[Progress] = []
    found = fit(sample, sample, start, ridge=3.0, on_progress=seen.append)
    free = fit(sample, sample, start, ridge=0.0)
    assert np.allclose(free, np.linalg.lstsq(items, wanted, rcond=None)[0])
    assert np.abs(found - start).sum() < np.abs(free - start).sum()
    assert [each.best for each in seen] == sorted((each.best for each in seen), reverse=True)
    stiff = fit(sample, sample, start, ridge=1e9)
    assert np.allclose(stiff, start, atol=1e-5)


@evaluation
class KeptTerms(TaperedSquares):
    """The bonus for the side to move is kept."""

    names = ("centre", "move", "corners")
    weights: Weights = ((5, 7, 5), (5, 9, 5))

    @classmethod
    def kept_terms(cls) -> tuple[str, ...]:
        return ("move",)

    def counts(self, state: Any, side: int) -> Any:
        own = state.crosses if side == 1 else state.noughts
        return (own >> 4 & 1).count(), int(state.to_move() == side), (own & 0b101000101).count()


@evaluation
class FreeTerms(KeptTerms):
    """The same terms, none of them kept."""

    @classmethod
    def kept_terms(cls) -> tuple[str, ...]:
        return ()


def test_learning_keeps_the_weights_of_kept_terms(positions: Positions, tmp_path: Path) -> None:
    made: Any = KeptTerms()
    zero: Any = untrained(made)
    assert zero.weights.tolist() == [[0, 7, 0], [0, 9, 0]]
    found: Any = fit_evaluation(zero, TICTACTOE, positions, FitOptions(scale=1000))
    by_td: Any = learn.learn_by_td(TICTACTOE, zero, tmp_path / "td.weights", learn.TdOptions(60, rate=0.3, explore=0.2))
    free: Any = fit_evaluation(FreeTerms(zero.weights), TICTACTOE, positions, FitOptions(scale=1000))
    assert found.weights[:, ::2].tolist() == free.weights[:, ::2].tolist()  # the others do not take its part
    assert abs(free.weights[:, 1] - zero.weights[:, 1]).max() > 10
    for weights in (found.weights, by_td.weights):
        assert weights[:, 1].tolist() == [7, 9]
        assert (weights[:, ::2] != 0).any()


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_labels_may_have_another_scale(positions: Positions, loss: str) -> None:
    labels = positions.score.astype(np.int64)
    inexact = replace(positions, exact=np.zeros_like(positions.exact), score=np.where(labels > 0, 30, -20))
    larger = replace(inexact, score=3 * inexact.score)
    wanted: Any = fit_evaluation(Squares(), TICTACTOE, inexact, FitOptions(loss, scale=90))
    found: Any = fit_evaluation(Squares(), TICTACTOE, larger, FitOptions(loss, scale=90, label_scale=270))
    assert wanted.weights.any()
    assert found.weights.tolist() == wanted.weights.tolist()


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_results_and_solved_positions_have_no_scale(positions: Positions, loss: str) -> None:
    assert positions.exact.any()
    results = replace(positions, exact=np.zeros_like(positions.exact), evaluation=RESULTS)
    for labelled in (results, positions.chosen(positions.exact == 1)):
        wanted: Any = fit_evaluation(Squares(), TICTACTOE, labelled, FitOptions(loss, scale=90))
        found: Any = fit_evaluation(Squares(), TICTACTOE, labelled, FitOptions(loss, scale=90, label_scale=270))
        assert wanted.weights.any()
        assert found.weights.tolist() == wanted.weights.tolist()


def test_kept_terms_are_names_of_terms(positions: Positions) -> None:
    @evaluation
    class Misspelt(KeptTerms):
        @classmethod
        def kept_terms(cls) -> tuple[str, ...]:
            return ("to move",)

    with pytest.raises(GameError, match="kept_terms has 'to move', which is not one of names"):
        fit_evaluation(Misspelt(), TICTACTOE, positions)


def test_logistic_regression_finds_the_probabilities() -> None:
    random = np.random.default_rng(3)
    items = random.normal(size=(400, 2))
    truth = np.array([1.5, -0.7])
    sample = Sample(DenseMatrix(items), logistic(items @ truth))
    assert np.allclose(fit(sample, sample, np.zeros(2), is_logistic=True, ridge=0.0), truth, atol=0.02)
    assert logistic(np.array([0.0, 1000, -1000])).tolist() == [0.5, 1, 0]


def test_logistic_regression_from_a_wrong_start() -> None:
    """A Newton step from there goes too far: the fit ended with the weights it started from."""
    random = np.random.default_rng(3)
    items = random.normal(size=(400, 2))
    truth = np.array([1.5, -0.7])
    sample = Sample(DenseMatrix(items), logistic(items @ truth))
    for start in (-3 * truth, 8 * truth, np.array([-20.0, -20.0])):
        assert np.allclose(fit(sample, sample, start, is_logistic=True, ridge=0.0), truth, atol=0.02)


def test_an_interrupted_fit_keeps_the_best_weights() -> None:
    random = np.random.default_rng(4)
    items = random.normal(size=(50, 9))
    sample = Sample(DenseMatrix(items), items @ np.arange(9.0))

    def stop(progress: Progress) -> None:
        if progress.iteration == 3:
            raise KeyboardInterrupt

    def error(weights: Any) -> float:
        return float(np.abs(items @ weights - sample.targets).mean())

    part = fit(sample, sample, np.zeros(9), ridge=0.0, on_progress=stop)
    whole = fit(sample, sample, np.zeros(9), ridge=0.0)
    assert error(whole) < error(part) < error(np.zeros(9))


@pytest.mark.long
def test_features_times_weights_are_the_scores(positions: Positions) -> None:
    states = positions.states
    for given in (Squares([3, -7]), TaperedSquares([[9, -18], [27, 36]])):
        product = linear_matrix(given, TICTACTOE, states).times(given.weights.ravel().astype(float))
        assert np.abs(product - scores(given, TICTACTOE, states)).max() <= 0.5
    weights = np.random.default_rng(5).integers(-500, 500, (2, Corners.weight_count()))
    corners = Corners.with_weights(weights)
    stages, signs = pattern_stages(corners, TICTACTOE, states)
    assert set(stages.tolist()) == {0, 1}
    for stage in (0, 1):
        rows = stages == stage
        product = pattern_matrix(corners, TICTACTOE, states[rows]).times(weights[stage].astype(float))
        expected = scores(corners, TICTACTOE, states[rows])
        assert np.abs(product * signs[rows] / Corners.weight_unit - expected).max() <= 0.5 + 1e-9


def cross_entropy(given: Any, positions: Positions) -> float:
    options = FitOptions()
    expected = logistic(scores(given, TICTACTOE, positions.states) / options.units(TICTACTOE, given))
    wanted = targets(positions, TICTACTOE, options, 1.0)
    return float(-(wanted * np.log(expected) + (1 - wanted) * np.log(1 - expected)).mean())


@pytest.mark.parametrize(
    "start", [Squares(), TaperedSquares(), Corners.with_weights()], ids=["linear", "tapered", "patterns"]
)
def test_the_error_falls_and_the_weights_are_the_same_again(start: Any, positions: Positions) -> None:
    seen: list[Any] = []
    found = fit_evaluation(start, TICTACTOE, positions, on_progress=seen.append)
    _, held_out = split(positions, FitOptions())
    assert cross_entropy(found, held_out) < 0.97 * cross_entropy(start, held_out)
    assert seen
    again = fit_evaluation(start, TICTACTOE, positions)
    assert to_bytes(TICTACTOE, again) == to_bytes(TICTACTOE, found)


@pytest.mark.long
def test_a_stage_of_patterns_learns_from_its_neighbours_too(positions: Positions) -> None:
    alone, together = (
        fit_evaluation(Corners.with_weights(), TICTACTOE, positions, FitOptions(neighbours=number)).fitted_weights()
        for number in (0, 1)
    )
    seen = [np.count_nonzero(weights, axis=1) for weights in (alone, together)]
    assert (seen[1] > seen[0]).all()  # contents that only the other stage has
    with pytest.raises(LimitError, match=r"neighbours must be at least 0 \(got -1\)"):
        FitOptions(neighbours=-1)


def test_held_out_games_are_whole_and_follow_from_the_seed(positions: Positions) -> None:
    train, held_out = split(positions, FitOptions())
    assert len(train) + len(held_out) == len(positions)
    assert not set(train.game.tolist()) & set(held_out.game.tolist())
    assert split(positions, FitOptions(seed=1))[0].digest() != train.digest()
    one = positions.chosen(positions.game == 0)
    with pytest.raises(ZermeloError, match="the positions of 1 game are too few to fit"):
        split(one, FitOptions())


def test_numbers_of_games_may_be_large(positions: Positions) -> None:
    far = positions.chosen(positions.game >= 0)
    far.game[far.game == far.game.max()] = 2**31 - 1
    train, held_out = split(far, FitOptions())
    assert len(train) + len(held_out) == len(positions)


def test_labels_are_blends_of_score_and_result() -> None:
    columns = {name: np.zeros(3, np.int64) for name in ("ply", "game", "depth", "best", "played")}
    rows = Positions(
        np.zeros((3, 3), np.int64), np.array([10, 10, 6]), np.array([0, 0, 1]), np.array([-20, 40, 6]), **columns
    )
    othello = load("othello")
    assert targets(rows, othello, FitOptions(blend=0.25), 2.0).tolist() == [-2.5, 27.5, 12]
    label = targets(rows, TICTACTOE, FitOptions(blend=0.5), 10.0)
    assert label.tolist() == pytest.approx([0.5 * logistic(np.array(1.0)), 0.5 * logistic(np.array(1.0)) + 0.5, 1])


def test_bad_options_and_evaluations(positions: Positions) -> None:
    for options, told in (
        ({"loss": "cubic"}, "loss must be squared or logistic"),
        ({"blend": 2}, "blend must be from 0 to 1"),
        ({"held_out": 0}, "held_out must be between 0 and 1"),
        ({"ridge": -1}, "ridge must be a finite number of at least 0"),
        ({"iterations": 0}, "iterations must be at least 1"),
    ):
        with pytest.raises(LimitError, match=told):
            FitOptions(**options)  # type: ignore[arg-type]
    wdiff, can = load("othello").evaluations["wdiff"], r"\(its class must extend Patterns, Network, Tapered or Linear\)"
    with pytest.raises(ZermeloError, match=f"the evaluation weightedsquares cannot be fitted; choose lines {can}"):
        fit_evaluation(wdiff, TICTACTOE, positions)
    told = f"the evaluation wdiff cannot be fitted; choose patterns or mobility or diff {can}"
    with pytest.raises(ZermeloError, match=told):
        fit_evaluation(wdiff, load("othello"), positions)


@evaluation
class Uncounted(Linear):
    """Two names, but three counts."""

    names = ("centre", "corners")
    weights: Weights = (0, 0)

    def counts(self, state: Any, side: int) -> Any:
        return 0, 0, 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("found", "lengths"),
    [
        (Uncounted(), "3, 2, 2"),
        (Squares((1, 2, 3)), "2, 2, 3"),
        (Squares((1,)), "2, 2, 1"),
        (TaperedSquares(((1,), (2,))), "2, 2, 1"),
    ],
)
def test_features_and_weights_of_different_lengths_are_refused(found: Evaluation, lengths: str, tmp_path: Path) -> None:
    """Compiled code would read or write outside of the arrays."""
    told = (
        f"the evaluation {type(found).__name__.lower()}: counts, names and weights must have one item for each "
        f"feature; their lengths are {lengths}"
    )
    with pytest.raises(GameError, match=f"^{told}$"):
        find_fitter(found, TICTACTOE, FitOptions())
    with pytest.raises(GameError, match=f"^{told}$"):
        learn.learn_by_td(TICTACTOE, found, tmp_path / "x.weights", learn.TdOptions(games=1))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [{"loss": "squared"}, {"loss": "logistic"}, {"loss": "squared", "blend": 1.0}])
def test_unproven_wins_of_older_files_are_left_out(positions: Positions, options: dict[str, Any]) -> None:
    chosen = FitOptions(held_out=0.3, **options)
    score, exact = positions.score.copy(), positions.exact.copy()
    score[::7], exact[::7] = 999_999, 0
    older = replace(positions, score=score, exact=exact)
    used = without_unproven_wins(older, TICTACTOE, chosen)
    is_left_out = options == {"loss": "squared"}
    assert len(older) - len(used) == (len(score[::7]) if is_left_out else 0)
    assert fit_evaluation(Squares(), TICTACTOE, older, chosen) == fit_evaluation(Squares(), TICTACTOE, used, chosen)
    assert learn.phase_errors(Squares(), TICTACTOE, older, chosen)[-1].error < 300
    assert without_unproven_wins(positions, TICTACTOE, chosen) is positions


def test_units_of_labels_are_converted() -> None:
    othello, chess, backgammon = load("othello"), load("chess"), load("backgammon")
    diff, patterns, mobility = (othello.evaluations[name] for name in ("diff", "patterns", "mobility"))
    squared, logistic_loss = FitOptions(), FitOptions("logistic")
    for cls, labels, target, options, factor in (
        (othello, "patterns", mobility, squared, 100),
        (othello, "discpatterns", mobility, squared, 100),
        (othello, "patterns", mobility, FitOptions(scale=10), 10),
        (othello, "patterns", patterns, FitOptions(scale=10), 1),
        (othello, "patterns", mobility, logistic_loss, None),
        (othello, "mobility", patterns, squared, None),
        (othello, "wdiff", mobility, squared, None),
        (othello, "diff", patterns, squared, 1),
        (othello, "", diff, squared, 1),
        (othello, "nothing", diff, squared, 1),
        (chess, "positional", chess.evaluations["network"], squared, 1),
        (chess, "material", chess.evaluations["network"], squared, None),
        (backgammon, "pips", backgammon.evaluations["network"], squared, 1),
    ):
        assert label_factor(target, cls, labels, options) == factor, (labels, target)


def test_errors_by_phase(positions: Positions) -> None:
    found = learn.phase_errors(Squares(), TICTACTOE, positions)
    assert sum(each.positions for each in found[:-1]) == found[-1].positions == len(positions)
    assert all(0 <= each.error <= 100 for each in found)
    assert [each.first for each in found[:-1]] == sorted(set(positions.ply.tolist()))


def test_generations_learn_from_each_other(tmp_path: Path) -> None:
    plan = learn.Bootstrap("lines", games=(40, 40), depths=(2, 3))
    play = SelfPlay("tictactoe", 1, random_plies=(0, 4), solve_plies=3)
    cls = load("tictactoe")
    seen: list[tuple[int, int, int]] = []
    made = learn.learn_by_generations(
        cls, tmp_path / "a", plan, play, FitOptions(), command="train", on_games=lambda *each: seen.append(each)
    )
    assert {each[0] for each in seen} == {1, 2}
    names = [f"{number}.{kind}" for number in (1, 2) for kind in ("positions", "weights")]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [*names, "options.json", "train.log"]
    again = learn.learn_by_generations(cls, tmp_path / "b", plan, play, FitOptions(), command="train")
    assert again == made
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    (tmp_path / "a" / "2.weights").unlink()  # interrupted before the last fit
    assert learn.learn_by_generations(cls, tmp_path / "a", plan, play, FitOptions(), command="train") == made
    assert load_weights(tmp_path / "a" / "2.weights", cls, type(made))[1].command == "train"
    more = learn.Bootstrap("lines", games=(40, 40, 10), depths=(2, 3, 3))
    assert learn.learn_by_generations(cls, tmp_path / "a", more, play, FitOptions(), command="train") is not None
    assert (tmp_path / "a" / "3.weights").exists()
    other = learn.Bootstrap("lines", games=(40, 41), depths=(2, 3))
    for arguments in ((other, play, FitOptions()), (plan, play, FitOptions(loss="squared"))):
        with pytest.raises(ZermeloError, match="was started with other options"):
            learn.learn_by_generations(cls, tmp_path / "a", *arguments, command="train")
    with pytest.raises(LimitError, match="games and depths must be numbers for each generation"):
        learn.Bootstrap("lines", games=(1,), depths=(1, 2))


def test_numbers_for_each_generation(tmp_path: Path) -> None:
    plan = learn.Bootstrap(
        "lines", games=(40, 40, 40), depths=(2, 3, 2), solve_plies=(1, 2, 3), confidences=(100, 100, 100),
        blends=(0.0, 0.0, 0.4), ridges=(2.0, 2.0, 9.0), windows=(0, 0, 1),
    )  # fmt: skip
    play, cls, folder = SelfPlay("tictactoe", 1, random_plies=(2, 4), mix=0.2), TICTACTOE, tmp_path / "a"
    assert [each.solve_plies for each in generation_plans(cls, plan, play)] == [1, 2, 3]
    pruned = learn.Bootstrap("lines", games=(1, 1), depths=(2, 2), confidences=(100, 95))
    assert [each.confidence for each in generation_plans(cls, pruned, play)] == [100, 95]
    made = learn.learn_by_generations(cls, folder, plan, play, FitOptions(), command="train")
    # The same by hand: the last fit, of its own positions and from the weights of the generation before.
    before = load_weights(folder / "2.weights", cls, type(TICTACTOE.evaluations["lines"]))[0]
    own = learn.load_positions(folder / "3.positions", cls)
    assert own.exact.sum() > learn.load_positions(folder / "2.positions", cls).exact.sum()
    assert fit_evaluation(before, cls, own, FitOptions(blend=0.4, ridge=9.0)) == made
    assert load_weights(folder / "3.weights", cls, type(made))[1].data == own.digest()
    with pytest.raises(ZermeloError, match="was started with other options"):
        learn.learn_by_generations(cls, folder, replace(plan, ridges=(2.0, 2.0, 8.0)), play, FitOptions())
    with pytest.raises(ZermeloError, match="was started with other options"):
        learn.learn_by_generations(cls, folder, replace(plan, windows=()), play, FitOptions())
    more = {
        name: (*getattr(plan, name), getattr(plan, name)[-1])
        for name in vars(plan)
        if name not in ("evaluation", "first")
    }
    learn.learn_by_generations(cls, folder, replace(plan, **more), play, FitOptions())
    assert (folder / "4.weights").exists()
    for wrong, says in (
        ({"blends": (0.1,)}, r"blends must have a number for each of 3 generations (got 1)"),
        ({"windows": (0, 0, -1)}, "windows must be at least 0 (got -1)"),
    ):
        with pytest.raises(LimitError, match=re.escape(says)):
            replace(plan, **wrong)  # type: ignore[arg-type]


def test_the_positions_of_a_fit() -> None:
    for windows, expected in (
        ((), ["a", "b", "bc", "bcd"]),
        ((0, 0, 1, 2), ["a", "b", "c", "cd"]),
        ((9, 9, 9, 9), ["a", "b", "bc", "bcd"]),
    ):
        plan = learn.Bootstrap("lines", games=(1,) * 4, depths=(1,) * 4, windows=windows)
        assert ["abcd"[plan.used(number)] for number in (1, 2, 3, 4)] == expected


def test_the_log_of_training(tmp_path: Path) -> None:
    plan, play = learn.Bootstrap("lines", games=(40, 24), depths=(1, 1)), SelfPlay("tictactoe", 1, random_plies=(2, 4))
    told: list[tuple[int, int]] = []
    losses: list[float] = []

    def train() -> None:
        learn.learn_by_generations(
            TICTACTOE, tmp_path, plan, play, FitOptions(), command="zermelo learn tictactoe",
            on_games=lambda generation, done, total: told.append((generation, done)),
            on_fit=lambda generation: lambda found: losses.append(found.now.error),
        )  # fmt: skip

    train()
    log = (tmp_path / "train.log").read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  \S", line) for line in log)
    lines = [line.split("  ", 1)[1] for line in log]
    assert re.fullmatch(r"zermelo \S+: zermelo learn tictactoe", lines[0])
    games = [line for line in lines if ": game " in line]
    assert games == [f"generation {each}: game {done} of {plan.games[each - 1]}" for each, done in told]
    logged = [float(line.split()[-1]) for line in lines if "held-out loss" in line]
    assert logged == pytest.approx(losses, rel=1e-5)
    assert re.match(r"generation 2: plies all: mean error [\d.]+ % of winning on \d+ positions", lines[-1])
    train()
    assert len((tmp_path / "train.log").read_text(encoding="utf-8").splitlines()) == len(log) + 1  # the command again


@pytest.mark.parametrize(
    ("game", "plan", "play", "options", "says"),
    [
        ("tictactoe", {"games": (0,)}, {}, {}, "games must be at least 1 (got 0)"),
        ("tictactoe", {"depths": (99,)}, {}, {}, "depths must be from 1 to 60 (got 99)"),
        ("tictactoe", {"games": (2,)}, {}, {"seed": 1}, "the positions of 2 games are too few to fit and to hold"),
        ("tictactoe", {"games": (40, 1), "depths": (1, 1)}, {}, {}, "the positions of 1 game are too few to fit"),
        ("tictactoe", {"first": "wealth"}, {}, {}, "TicTacToe has no evaluation 'wealth'"),
        ("tictactoe", {}, {}, {"imitate": "lines"}, "the evaluation lines is not a network"),
        ("othello", {"evaluation": "wdiff"}, {}, {}, "the evaluation wdiff cannot be fitted"),
        ("go", {"evaluation": "nothing"}, {}, {}, "the evaluation nothing cannot be fitted; no evaluation of Go can"),
        ("connect4", {"games": (40, 40), "depths": (1, 1)}, {"teacher": "my"}, {}, "unknown teacher 'my'"),
        ("connect4", {}, {"teacher": "gnubg"}, {}, "a teacher needs a second generation"),
        ("othello", {"evaluation": "diff"}, {"resign": 100}, {}, "resign must be 0 in othello"),
    ],
)
def test_nothing_is_written_before_all_is_checked(
    game: str, plan: dict[str, Any], play: dict[str, Any], options: dict[str, Any], says: str, tmp_path: Path
) -> None:
    """A refused command once left `options.json`, with which the folder refused the right command."""
    folder = tmp_path / "weights"
    wanted = learn.Bootstrap(**{"evaluation": "lines", "games": (40,), "depths": (1,)} | plan)
    with pytest.raises(ZermeloError, match=re.escape(says)):
        learn.learn_by_generations(load(game), folder, wanted, SelfPlay(game, 1, **play), FitOptions(**options))
    assert not list(tmp_path.iterdir())


def test_games_without_enough_positions_can_be_replaced(tmp_path: Path) -> None:
    """Random moves that end nearly all games once left a folder that refused other options."""
    folder, cls = tmp_path / "weights", load("tictactoe")
    plan = learn.Bootstrap("lines", games=(3,), depths=(1,))
    with pytest.raises(ZermeloError, match="are too few to fit and to hold some out"):
        learn.learn_by_generations(cls, folder, plan, SelfPlay("tictactoe", 1, random_plies=(8, 8)), FitOptions())
    assert not list(tmp_path.iterdir())
    learn.learn_by_generations(cls, folder, plan, SelfPlay("tictactoe", 1, random_plies=(2, 2)), FitOptions())
    before = (folder / "1.weights").read_bytes()
    more = learn.Bootstrap("lines", games=(3, 1), depths=(1, 1))
    with pytest.raises(ZermeloError, match="the positions of 1 game are too few"):
        learn.learn_by_generations(cls, folder, more, SelfPlay("tictactoe", 1, random_plies=(2, 2)), FitOptions())
    assert (folder / "1.weights").read_bytes() == before


@pytest.mark.parametrize(
    ("game", "learned", "player"),
    [("othello", "patterns", "mobility"), ("othello", "diff", "patterns"), ("tictactoe", "lines", "nothing")],
)
def test_the_first_generation_is_not_played_by_what_is_learned(game: str, learned: str, player: str) -> None:
    plans = generation_plans(load(game), learn.Bootstrap(learned), SelfPlay(game, 1))
    assert [each.evaluation for each in plans] == [player, learned]
    chosen = generation_plans(load(game), learn.Bootstrap(learned, first=learned), SelfPlay(game, 1))
    assert chosen[0].evaluation == learned


def test_the_command_that_is_noted(positions: Positions) -> None:
    made = provenance("tictactoe", "lines", ["a.positions"], FitOptions(ridge=5.0, seed=3), positions)
    assert made.command == "zermelo learn tictactoe fit a.positions --evaluation lines --ridge 5.0 --seed 3"
    assert (made.seed, made.data) == (3, positions.digest())
    made = provenance("tictactoe", "lines", ["a.positions"], FitOptions(), positions, from_zero=True)
    assert made.command == "zermelo learn tictactoe fit a.positions --evaluation lines --from-zero"


def test_the_weights_that_a_fit_starts_from_are_noted(positions: Positions, tmp_path: Path) -> None:
    file = tmp_path / "start.weights"
    save_weights(file, TICTACTOE, Corners.with_weights())
    made = provenance("tictactoe", "corners", [str(tmp_path / "a.positions")], FitOptions(), positions, str(file))
    assert made.command == "zermelo learn tictactoe fit a.positions --evaluation corners --weights start.weights"
    assert made.data == f"{positions.digest()} {file_digest(file)}"


def test_learning_by_generations_starts_from_zeros() -> None:
    cls = load("chess")
    for name, array in (("material", "weights"), ("positional", "weights"), ("network", "input_weights")):
        assert getattr(cls.evaluations[name], array).any()
        zeros = getattr(untrained(cls.evaluations[name]), array)
        if name == "positional":
            assert zeros[:, -1].tolist() == [12, 6]  # a kept term
            zeros = zeros[:, :-1]
        assert not zeros.any()


def test_scales_are_numbers() -> None:
    for name in ("scale", "label_scale", "ridge"):
        for value in (-1.0, float("nan"), float("inf")):
            with pytest.raises(LimitError, match=f"{name} must be a finite number of at least 0"):
                FitOptions(**{name: value})
