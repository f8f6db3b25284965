"""Pattern evaluations (`zermelo.core.patterns`): indices, shared weights, updates, and what is refused."""

import random

import numpy as np
import pytest

import zermelo
from zermelo import MAX, MIN, Bitboard, GameError, evaluation, load
from zermelo.compiled import native
from zermelo.core.accumulator import new_accumulator
from zermelo.core.patterns import CountedPatterns, Patterns, symmetric
from zermelo.games.checkers.patterns import MenPatterns
from zermelo.games.othello.patterns import PATTERNS, DiscPatterns
from zermelo.search.engine import Engine
from zermelo.testing import check_game


def random_weights(cls, seed=1, largest=300):
    return np.random.default_rng(seed).integers(-largest, largest, (cls.stages, cls.weight_count()))


@evaluation
class Lines(Patterns):
    """Rows, columns and diagonals of tic-tac-toe."""

    patterns = (symmetric(3, 3, "a1 b1 c1"), symmetric(3, 3, "a2 b2 c2"), symmetric(3, 3, "a1 b2 c3"))
    squares = 9
    weight_unit = 1

    def planes(self, state):
        return state.crosses, state.noughts


@evaluation
class CountedLines(CountedPatterns):
    """With weights for how many corners a side has, and, in two stages, for how many squares are empty."""

    patterns = Lines.patterns
    squares = 9
    weight_unit = 1
    count_limits = (3, 4)
    stages = 2

    def stage(self, state):
        return (state.crosses | state.noughts).count() // 5

    def counts(self, state, side):
        own = state.crosses if side == MAX else state.noughts
        return (own & 0b101000101).count(), 9 - (state.crosses | state.noughts).count()

    def planes(self, state):
        return state.crosses, state.noughts


@evaluation
class TwicePatterns(Patterns):
    """Two patterns of the same squares, in two orders."""

    patterns = (((0, 1),), ((1, 0),))
    squares = 9
    weight_unit = 1

    def planes(self, state):
        return state.crosses, state.noughts


@evaluation
class TurnedLines(Lines):
    """Noughts see the first row last. Rows and a diagonal may be read from either end; a row and its turned image."""

    patterns = (symmetric(3, 3, "a1 b1 c1"), ((0, 4, 8), (2, 4, 6)), ((0, 1, 2, 3),), ((7, 8, 6, 3),))
    turned = (6, 7, 8, 3, 4, 5, 0, 1, 2)


@evaluation
class OnlyCounts(CountedPatterns):
    """Numbers without patterns."""

    patterns = ()
    squares = 9
    count_limits = (3,)

    def planes(self, state):
        return state.crosses, state.noughts

    def counts(self, state, side):
        return ((state.crosses if side == MAX else state.noughts).count(),)


@evaluation
class ChessPatterns(Patterns):
    """Groups of three squares with the kinds of pieces on them, of both sides."""

    patterns = (symmetric(8, 8, "a1 b1 c1"), symmetric(8, 8, "d4 e4 d5"), symmetric(8, 8, "b2 c3"))
    plane_count = 12
    stages = 2

    def planes(self, state):
        white, black = state.white, state.black
        return (
            state.pawns & white, state.knights & white, state.bishops & white, state.rooks & white,
            state.queens & white, state.kings & white, state.pawns & black, state.knights & black,
            state.bishops & black, state.rooks & black, state.queens & black, state.kings & black,
        )  # fmt: skip

    def stage(self, state):
        return 1 if (state.white | state.black).count() > 20 else 0


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


def plain_score(made, state, fitted):
    """The score by the definition, from the weights as they were fitted."""
    base = made.plane_count + 1
    side = state.to_move() if made.exchanges_sides else MAX
    planes = made.planes(state)
    if side == MIN:
        half = len(planes) // 2
        planes = planes[half:] + planes[:half]
        if hasattr(made, "turned"):
            planes = [Bitboard(sum(1 << made.turned[square] for square in plane)) for plane in planes]
    shared, _ = made._tables()
    total = begin = 0
    for pattern in made.patterns:
        seen = set()
        for image in pattern:
            if frozenset(image) not in seen:
                seen.add(frozenset(image))
                digits = [sum((p + 1) * (square in plane) for p, plane in enumerate(planes)) for square in image]
                at = begin + sum(digit * base**place for place, digit in enumerate(digits))
                total += int(fitted[made.stage(state), shared[at]])
        begin += base ** len(pattern[0])
    counts = made.counts(state, side) if made.count_limits else ()
    for number, limit in zip(counts, made.count_limits, strict=True):
        total += int(fitted[made.stage(state), shared[begin + min(number, limit - 1)]])
        begin += limit
    return side * total


def check_updates(name, made, count, seed):
    for steps in games(name, count, seed):
        followed = new_accumulator(made)
        made.start_accumulator(steps[0][0], followed)
        for parent, move, child in steps:
            made.update_accumulator(followed, parent, move, child)
            expected = new_accumulator(made)
            made.start_accumulator(child, expected)
            assert list(followed) == list(expected), (parent, move)


def test_the_46_features_of_othello():
    assert DiscPatterns.features == 46 + 1
    assert [len({frozenset(image) for image in pattern}) for pattern in PATTERNS] == [4] * 7 + [2] + [4] * 4 + [1]
    made = DiscPatterns.with_weights()
    counted = 32 + 32 + 4  # moves of either side, discs modulo 4
    assert made.weights.shape == (30, 226_315 + counted)
    assert made.weights.dtype == np.int16
    # As in Edax, whose tables of weights have 114,364 entries a stage, apart from the counts.
    assert DiscPatterns.weight_count() == 114_364 + counted


def test_scores_are_those_of_the_definition():
    for name, cls in (
        ("othello", DiscPatterns), ("tictactoe", Lines), ("tictactoe", CountedLines), ("chess", ChessPatterns),
        ("checkers", MenPatterns),
        ("tictactoe", TwicePatterns), ("tictactoe", TurnedLines),
    ):  # fmt: skip
        fitted = random_weights(cls)
        made = cls.with_weights(fitted)
        assert np.array_equal(made.fitted_weights(), fitted)
        unit = cls.weight_unit
        for steps in games(name, 1, seed=7):
            for state, *_ in steps[::6]:
                total = plain_score(made, state, fitted)
                rounded = (2 * abs(total) + unit) // (2 * unit) * (1 if total > 0 else -1)
                assert made.score(state) == rounded, (name, state)


@pytest.mark.quick
@pytest.mark.filterwarnings("error")
def test_sums_of_large_weights_do_not_overflow():
    """Each weight fits 16 bits, their sum does not: NumPy would add them in 16 bits."""
    made = Lines.with_weights(np.full((1, Lines.weight_count()), 32767))
    assert made.score(load("tictactoe").start()) == Lines.features * 32767
    assert made.score(load("tictactoe").start().after("a1")) == -Lines.features * 32767


def test_symmetric_positions_and_exchanged_sides_have_equal_scores():
    made = DiscPatterns.with_weights(random_weights(DiscPatterns))
    for steps in games("othello", 2, seed=8):
        for state, *_ in steps[::7]:
            for other in state.symmetries():
                assert made.score(other) == made.score(state)
            exchanged = state.replace(black=state.white, white=state.black, turn=-state.turn)
            assert made.score(exchanged) == -made.score(state)


@pytest.mark.quick
def test_sides_that_look_from_opposite_ends_have_opposite_scores():
    made = MenPatterns.with_weights(random_weights(MenPatterns))
    for steps in games("checkers", 2, seed=6):
        for state, *_ in steps[::5]:
            turned = [
                Bitboard(sum(1 << 34 - square for square in plane)) for plane in (state.black, state.white, state.kings)
            ]
            other = state.replace(black=turned[1], white=turned[0], kings=turned[2], turn=-state.turn)
            assert made.score(other) == -made.score(state)


def test_updates_equal_starts():
    check_updates("othello", DiscPatterns.with_weights(), 2, seed=1)
    check_updates("tictactoe", Lines.with_weights(), 20, seed=2)
    check_updates("chess", ChessPatterns.with_weights(), 1, seed=3)
    check_updates("checkers", MenPatterns.with_weights(), 2, seed=4)


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
            total += evaluation.accumulated_score(child, followed)
            plies += 1
            state = child
        nodes += plies
    return wrong, nodes, total


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "cls"), [("othello", DiscPatterns), ("chess", ChessPatterns), ("checkers", MenPatterns)]
)
def test_updates_equal_starts_in_ten_thousand_games(name, cls):
    made, start = cls.with_weights(random_weights(cls)), load(name).start()
    arguments = made, start, 10_000, Bitboard(1)
    wrong, nodes, _ = native(follow_games, *arguments)(*arguments)
    assert wrong == 0
    assert nodes > 500_000
    few = made, start, 3, Bitboard(2)
    assert native(follow_games, *few)(*few) == follow_games(*few)


@pytest.mark.long
def test_check_game_finds_compiled_equal_to_interpreted():
    for name, cls, count, most in (
        ("othello", DiscPatterns, 20, 200),
        ("chess", ChessPatterns, 1, 60),
        ("checkers", MenPatterns, 10, 200),
    ):
        made = cls.with_weights(random_weights(cls))
        assert check_game(load(name), count, evaluations=[made], max_plies=most).compiled


@pytest.mark.long
def test_a_search_by_updates_equals_one_from_scratch():
    @evaluation
    class Scratch(DiscPatterns):
        pass

    Scratch.has_accumulator = False
    fitted = random_weights(DiscPatterns)
    found = []
    for cls in (DiscPatterns, Scratch):
        made = cls.with_weights(fitted)
        for state in [steps[20 + place][0] for place, steps in enumerate(games("othello", 12, seed=9))]:
            with Engine("1M") as engine:
                each = engine.analyse(state, depth=7, evaluation=made)
            found.append((each.nodes, each.score, each.line))
    assert found[:12] == found[12:]
    assert sum(each[0] for each in found) > 10_000


def test_check_game_finds_what_is_outside_of_the_tables():
    @evaluation
    class Late(Lines):
        stages = 3

        def stage(self, state):
            return (state.crosses | state.noughts).count() // 2

    with pytest.raises(GameError, match=r"evaluation Late: stage returned 3; it must be in 0 \.\. 2"):
        check_game(load("tictactoe"), 5, evaluations=[Late.with_weights()], compiled=False)

    @evaluation
    class Twice(Lines):
        def planes(self, state):
            return state.crosses, state.noughts | state.crosses

    with pytest.raises(GameError, match=r"planes has square \d in two sets; they must be disjoint"):
        check_game(load("tictactoe"), 1, evaluations=[Twice.with_weights()], compiled=False)

    @evaluation
    class Shifted(Lines):
        def planes(self, state):
            return state.crosses << 3, state.noughts << 3

    with pytest.raises(GameError, match=r"planes has square \d+; squares is 9"):
        check_game(load("tictactoe"), 9, evaluations=[Shifted.with_weights()], compiled=False)

    @evaluation
    class Fewer(CountedLines):
        count_limits = (3,)

    with pytest.raises(GameError, match="counts returned 2 numbers; count_limits has 1"):
        check_game(load("tictactoe"), 1, evaluations=[Fewer.with_weights()], compiled=False)

    @evaluation
    class Negative(CountedLines):
        def counts(self, state, side):
            return 0, state.crosses.count() - 3

    with pytest.raises(GameError, match="counts returned -3; the numbers must be at least 0"):
        check_game(load("tictactoe"), 1, evaluations=[Negative.with_weights()], compiled=False)


def test_counts_in_compiled_code_and_beyond_their_limits():
    made = CountedLines.with_weights(random_weights(CountedLines))
    assert check_game(load("tictactoe"), 20, evaluations=[made]).compiled
    fitted = np.zeros((2, CountedLines.weight_count()), int)
    fitted[:, -4:] = 1, 2, 3, 4  # by the number of empty squares: 4 stands for 3 and more
    made = CountedLines.with_weights(fitted)
    scores, state = [], load("tictactoe").start()
    for move in (0, 1, 2, 4, 3, 5, 7, 6):
        scores.append(made.score(state))
        state = state.play(move)
    assert scores == [4, -4, 4, -4, 4, -4, 4, -3]


def declare(base=Patterns, **members):
    return evaluation(type("Odd", (base,), {"__annotations__": {}, "planes": Lines.planes, **members}))


def test_declarations_are_checked():
    with pytest.raises(GameError, match=r"patterns\[1\]: \(8, 9\) has a square outside 0 \.\. 8"):
        declare(squares=9, patterns=(((0, 1),), ((8, 9),)))
    with pytest.raises(GameError, match=r"patterns\[0\]: the squares of \(1, 1\) must differ"):
        declare(patterns=(((1, 1),),))
    with pytest.raises(GameError, match=r"patterns\[0\] must be a tuple of images"):
        declare(patterns=((1, 2),))
    with pytest.raises(GameError, match="plane_count is 3; it must be even, or set exchanges_sides = False"):
        declare(patterns=(((1, 2),),), plane_count=3)
    with pytest.raises(GameError, match="more than 16,777,216 entries"):
        declare(patterns=((tuple(range(16)),),))
    with pytest.raises(GameError, match=r"count_limits\[1\] is 0; it must be in 1 \.\. 16,777,216"):
        declare(CountedPatterns, patterns=(((1, 2),),), count_limits=(3, 0))
    with pytest.raises(GameError, match="count_limits is empty; extend Patterns, or declare counts"):
        declare(CountedPatterns, patterns=(((1, 2),),))
    with pytest.raises(GameError, match=r"weights must be ints of shape \(1, 54\) \(got int64 \(1, 2\)\)"):
        Lines.with_weights(np.zeros((1, 2), int))
    with pytest.raises(GameError, match=r"weights must be in -32767 \.\. 32767"):
        Lines.with_weights(np.full((1, Lines.weight_count()), -32768))
    for turned in ((0,) * 9, [*range(9)], range(9)):  # the fingerprint of weight files needs a tuple
        with pytest.raises(GameError, match=r"turned must be a tuple that holds each square once, 0 \.\. 8"):
            declare(squares=9, patterns=(((0, 1),),), turned=turned)
    with pytest.raises(GameError, match="turned needs exchanges_sides = True"):
        declare(squares=9, patterns=(((4,),),), turned=tuple(range(8, -1, -1)), exchanges_sides=False)
    with pytest.raises(GameError, match=r"patterns\[0\]: MIN sees the squares 8, 7; no pattern has them in this order"):
        declare(squares=9, patterns=(((0, 1),),), turned=tuple(range(8, -1, -1)))
    with pytest.raises(GameError, match="is not on a board of 3 x 3"):
        symmetric(3, 3, "a4")


def read_row(evaluation, state, row):
    return evaluation.read_inputs(state, row)


@pytest.mark.quick
def test_inputs_of_counts_without_patterns():
    state = load("tictactoe").start().after("a1 b2")
    made, row = OnlyCounts(np.zeros((2, 3), np.int16)), np.zeros(1, np.int64)
    assert native(read_row, made, state, row)(made, state, row) == (0, MAX)
    assert row.tolist() == [1]


@pytest.mark.quick
def test_inputs_are_those_of_the_score():
    """The indices that learning reads give the score, also for MIN and where MIN sees other squares."""
    for name, cls in (
        ("tictactoe", Lines), ("tictactoe", TwicePatterns), ("tictactoe", TurnedLines), ("checkers", MenPatterns),
    ):  # fmt: skip
        fitted = random_weights(cls)
        made, row = cls.with_weights(fitted), np.zeros(cls.inputs(), np.int64)
        for steps in games(name, 1, seed=5):
            for state, *_ in steps[::3]:
                stage, side = made.read_inputs(state, row)
                total = side * int(fitted[stage, cls._tables()[0][row]].sum())
                rounded = (2 * abs(total) + cls.weight_unit) // (2 * cls.weight_unit)
                assert made.score(state) == (rounded if total > 0 else -rounded), (name, state)


def test_squares_can_be_numbers_and_boards_oblong():
    assert symmetric(7, 6, [0, 8]) == ((0, 8), (6, 12), (35, 29), (41, 33))
    assert set(map(frozenset, symmetric(3, 3, (4,)))) == {frozenset({4})}


def test_a_plane_of_one_kind_without_exchange():
    @evaluation
    class Heads(Patterns):
        patterns = (((0,), (1,)),)
        plane_count = 1
        squares = 2
        exchanges_sides = False
        weight_unit = 1

        def planes(self, state):
            return (Bitboard(state.crosses & 3),)

    made = Heads.with_weights([[5, 7]])
    state = load("tictactoe").start()
    assert [made.score(each) for each in (state, state.play(0), state.play(0).play(4).play(1))] == [10, 12, 14]
    assert zermelo.minimax(state, 1, made).value == 12
