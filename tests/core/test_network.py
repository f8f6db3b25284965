"""Networks (`zermelo.core.network`): scores by the definition, updates, quantisation, and what is refused."""

import random

import numpy as np
import pytest

from zermelo import MIN, Bitboard, GameError, evaluation, load
from zermelo.compiled import native
from zermelo.core.accumulator import new_accumulator
from zermelo.core.network import Network
from zermelo.core.weight_file import from_bytes, to_bytes
from zermelo.games.chess.network import PieceNetwork
from zermelo.search.engine import Engine
from zermelo.testing import check_game


@evaluation
class Marks(Network):
    """Crosses and noughts of tic-tac-toe, with output weights for two stages."""

    squares = 9
    hidden = 16
    most_inputs = 9
    stages = 2

    def planes(self, state):
        return state.crosses, state.noughts

    def stage(self, state):
        return 1 if (state.crosses | state.noughts).count() > 3 else 0


@evaluation
class Discs(Network):
    """Discs of Othello."""

    flip = 63
    hidden = 32

    def planes(self, state):
        return state.black, state.white


def random_floats(cls, seed=1):
    drawn = np.random.default_rng(seed)
    sizes = {"input_weights": 0.4, "hidden_bias": 0.3, "output_weights": 0.5, "output_bias": 0.2}
    return {name: drawn.normal(0, sizes[name], shape) for name, shape in cls.shapes().items()}


def random_network(cls, seed=1):
    return cls.from_floats(random_floats(cls, seed))


def games(name, count, seed):
    """Random games: lists of (state, move, next state)."""
    chosen = random.Random(seed)
    for _ in range(count):
        state = load(name).start()
        steps = []
        while not state.is_over() and len(steps) < 120:
            move = chosen.choice(state.legal_moves())
            steps.append((state, move, state.play(move)))
            state = steps[-1][2]
        yield steps


def inputs_of(made, state, side):
    """The inputs that are 1 as a side sees the state, as an array of 0 and 1."""
    planes = made.planes(state)
    half = len(planes) // 2
    if side == MIN:
        planes = planes[half:] + planes[:half]
    found = np.zeros(made.plane_count * made.squares, np.int64)
    for plane, squares in enumerate(planes):
        for square in squares:
            found[plane * made.squares + (square ^ made.flip if side == MIN else square)] = 1
    return found


def plain_score(made, state):
    """The score by the definition, in exact arithmetic."""
    side = state.to_move()
    units = []
    for view in (side, -side):
        sums = inputs_of(made, state, view) @ made.input_weights.astype(np.int64) + made.hidden_bias
        units.append(np.clip(sums, 0, 255) ** 2)
    stage = made.stage(state)
    total = int(np.concatenate(units) @ made.output_weights[stage].astype(np.int64)) + 255 * int(
        made.output_bias[stage]
    )
    wanted, parts = abs(total) * made.output_scale, 255 * 255 * 64
    return side * (1 if total > 0 else -1) * ((2 * wanted + parts) // (2 * parts))


@pytest.mark.parametrize(("name", "cls"), [("tictactoe", Marks), ("othello", Discs), ("chess", PieceNetwork)])
def test_scores_are_those_of_the_definition(name, cls):
    made = random_network(cls)
    scores = set()
    for steps in games(name, 3, seed=7):
        for state, *_ in steps[::6]:
            scores.add(made.score(state))
            assert made.score(state) == plain_score(made, state), state
    assert len(scores) > 2


def test_exchanged_sides_have_opposite_scores():
    made = random_network(PieceNetwork)
    cls = load("chess")
    for white, black in (
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
         "rnbqk2r/pppp1ppp/5n2/2b1p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 4 4"),
        ("8/8/4k3/8/8/3P4/3K4/8 b - - 0 1", "8/3k4/3p4/8/8/4K3/8/8 w - - 0 1"),
    ):  # fmt: skip
        assert made.score(cls.parse(white)) == -made.score(cls.parse(black)) != 0


@pytest.mark.parametrize(("name", "cls"), [("tictactoe", Marks), ("othello", Discs), ("chess", PieceNetwork)])
def test_updates_equal_starts(name, cls):
    made = random_network(cls)
    for steps in games(name, 1, seed=1):
        followed = new_accumulator(made)
        made.start_accumulator(steps[0][0], followed)
        for parent, move, child in steps[:50]:
            made.update_accumulator(followed, parent, move, child)
            expected = new_accumulator(made)
            made.start_accumulator(child, expected)
            assert list(followed) == list(expected), (parent, move)


def follow_games(evaluation, start, count, word):
    """Play random games. Returns how many numbers of the accumulators were wrong, the nodes, and the sum of scores."""
    wrong = nodes = total = 0
    for _ in range(count):
        state = start
        followed = new_accumulator(evaluation)
        evaluation.start_accumulator(state, followed)
        plies = 0
        while not state.is_over() and plies < 120:
            word = word * 0x5851F42D4C957F2D + 0x14057B7EF767814F
            left = int(word >> 33) % state.count_moves()
            chosen = 0
            for move in state.moves():
                if left == 0:
                    chosen = move
                left -= 1
            child = state.play(chosen)
            evaluation.update_accumulator(followed, state, chosen, child)
            expected = new_accumulator(evaluation)
            evaluation.start_accumulator(child, expected)
            for place in range(evaluation.accumulator_size):
                if followed[place] != expected[place]:
                    wrong += 1
            score = evaluation.accumulated_score(child, followed)
            if score != evaluation.score(child):
                wrong += 1
            total += score
            plies += 1
            state = child
        nodes += plies
    return wrong, nodes, total


@pytest.mark.parametrize(
    "count", [pytest.param(200, marks=pytest.mark.long), pytest.param(10_000, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(("name", "cls"), [("othello", Discs), ("chess", PieceNetwork)])
def test_updates_equal_starts_in_compiled_games(name, cls, count):
    arguments = random_network(cls), load(name).start(), count, Bitboard(1)
    wrong, nodes, _ = native(follow_games, *arguments)(*arguments)
    assert wrong == 0
    assert nodes > 50 * count
    few = *arguments[:2], 3, Bitboard(2)
    assert native(follow_games, *few)(*few) == follow_games(*few)


def test_compiled_and_interpreted_scores_are_equal():
    made = random_network(Marks)
    arguments = made, load("tictactoe").start(), 30, Bitboard(3)
    assert native(follow_games, *arguments)(*arguments) == follow_games(*arguments)


@pytest.mark.long
def test_check_game_finds_compiled_equal_to_interpreted():
    assert check_game(load("chess"), 1, evaluations=[random_network(PieceNetwork)], max_plies=60).compiled
    assert check_game(load("tictactoe"), 5, evaluations=[random_network(Marks)]).compiled


@pytest.mark.long
def test_a_search_by_updates_equals_one_from_scratch():
    @evaluation
    class Scratch(PieceNetwork):
        pass

    Scratch.has_accumulator = False
    found = []
    for cls in (PieceNetwork, Scratch):
        made = random_network(cls)
        for state in [steps[10 + place][0] for place, steps in enumerate(games("chess", 8, seed=9))]:
            with Engine("1M") as engine:
                each = engine.analyse(state, depth=4, evaluation=made)
            found.append((each.nodes, each.score, each.line))
    assert found[:8] == found[8:]
    assert sum(each[0] for each in found) > 10_000


def test_a_saved_network_is_the_same():
    made = random_network(Marks)
    content = to_bytes(load("tictactoe"), made)
    assert from_bytes(content, load("tictactoe"), Marks, "marks.weights")[0] == made


def test_terms_are_what_each_piece_adds():
    made = random_network(PieceNetwork)
    state = load("chess").parse("8/8/4k3/8/8/3P4/3K3P/8 b - - 0 1")
    terms = made.terms(state)
    assert [term.name for term in terms] == ["pawn h2", "pawn d3", "rest"]  # not the kings, which are always there
    assert sum(term.points for term in terms) == made.score(state)
    without = load("chess").parse("8/8/4k3/8/8/8/3K3P/8 b - - 0 1")

    @evaluation
    class OneStage(PieceNetwork):
        def stage(self, state):
            return 0

    assert terms[1].points == made.score(state) - OneStage(*made).score(without)


def test_contributions_on_the_board():
    made = random_network(PieceNetwork)
    state = load("chess").parse("8/8/4k3/8/8/3P4/3K4/8 b - - 0 1")
    points = {term.name[-2:]: f"{term.points:+d}" for term in made.terms(state)[:-1]}
    rows = made.contribution_board(state).splitlines()
    assert [row.split() for row in rows[4:7]] == [
        ["4", *"········"], ["3", *"···", points["d3"], *"····"], ["2", *"········"]
    ]  # fmt: skip
    assert rows[2].split() == ["6", *"········"]
    assert rows[8].split() == list("abcdefgh")
    assert len({len(row) for row in rows}) == 1
    assert random_network(Marks).contribution_board(load("tictactoe").start()) == ""


def test_check_game_finds_what_the_network_cannot_read():
    @evaluation
    class Late(Marks):
        def stage(self, state):
            return (state.crosses | state.noughts).count() // 2

    with pytest.raises(GameError, match=r"evaluation Late: stage returned 2; it must be in 0 \.\. 1"):
        check_game(load("tictactoe"), 5, evaluations=[random_network(Late)], compiled=False)

    @evaluation
    class Shifted(Marks):
        def planes(self, state):
            return state.crosses << 3, state.noughts << 3

    with pytest.raises(GameError, match=r"planes has square \d+; squares is 9"):
        check_game(load("tictactoe"), 9, evaluations=[random_network(Shifted)], compiled=False)

    @evaluation
    class Few(Marks):
        most_inputs = 4

    with pytest.raises(GameError, match="planes has 5 squares in all; most_inputs is 4"):
        check_game(load("tictactoe"), 9, evaluations=[random_network(Few)], compiled=False)


def declare(**members):
    return evaluation(type("Odd", (Network,), {"__annotations__": {}, "planes": Marks.planes, **members}))


def test_declarations_and_weights_are_checked():
    with pytest.raises(GameError, match="plane_count is 3; it must be even"):
        declare(plane_count=3)
    with pytest.raises(GameError, match=r"hidden is 20; it must be a multiple of 16 in 16 \.\. 512"):
        declare(hidden=20)
    with pytest.raises(GameError, match=r"flip is 63; it must exchange the squares 0 \.\. 8"):
        declare(squares=9, flip=63)
    with pytest.raises(GameError, match=r"mirror is 7; it must exchange the squares 0 \.\. 8"):
        declare(squares=9, mirror=7)
    with pytest.raises(GameError, match="has 1 plane_names; plane_count is 2"):
        declare(plane_names=("men",))
    floats = random_floats(Marks)
    with pytest.raises(GameError, match=r"input_weights must be ints of shape \(18, 16\) \(got int64 \(2, 2\)\)"):
        Marks.from_floats({**floats, "input_weights": np.zeros((2, 2))})
    with pytest.raises(GameError, match=r"has the arrays input_weights, .* \(got input_weights\)"):
        Marks.from_floats({"input_weights": floats["input_weights"]})
    with pytest.raises(GameError, match=r"9 weights of hidden unit \d+ and its bias add up to .* at most 32767"):
        Marks.from_floats({**floats, "input_weights": np.full((18, 16), 15.0)})
    with pytest.raises(GameError, match="sums of the output weights do not fit 32 bits"):
        Marks.from_floats({**floats, "output_weights": np.full((2, 32), 20.0)})
