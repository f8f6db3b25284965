"""The contract of a game: required and optional methods, facts, and the defaults of keys and texts."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nim import Nim

from zermelo import MAX, MIN, Bitboard, GameError, PositionError, evaluation, game
from zermelo.core import evaluation as evaluations
from zermelo.core.game import CHANCE, FACTS, HOOKS, LARGEST_MOVE, LARGEST_UTILITY, State, hash_combine
from zermelo.errors import IllegalMove

pytestmark = pytest.mark.quick


REQUIRED = [name for name, hook in HOOKS.items() if hook.required]


@game
class Wide:
    """Every kind of field."""

    own: Bitboard
    other: Bitboard = Bitboard(3)
    count: int = -1
    flag: bool = False
    row: tuple[int, int, int] = (1, 2, 3)
    boards: tuple[Bitboard, Bitboard] = (0, 1)
    flags: tuple[bool, bool] = (True, False)

    to_move, moves, play, is_over, utility = Nim.to_move, Nim.moves, Nim.play, Nim.is_over, Nim.utility

    @classmethod
    def start(cls):
        return cls(0)


def class_with(**changes: Any) -> type:
    """Nim's class before `game` is applied, with some members changed; None removes one."""
    members = {name: vars(Nim)[name] for name in REQUIRED}
    members = {name: value for name, value in {**members, **changes}.items() if value is not None}
    members["__annotations__"] = {"heap": int, "turn": int}
    return type("Bad", (), members)


def refusal(**changes: Any) -> str:
    with pytest.raises(GameError) as caught:
        game(class_with(**changes))
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- methods ---------------------------------------------------------------------------------------------


def test_the_five_required_methods() -> None:
    assert REQUIRED == ["to_move", "moves", "play", "is_over", "utility"]


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("value", [None, 3])
def test_a_missing_method_is_named(name: str, value: object) -> None:
    """A number in place of a method counts as missing."""
    assert refusal(**{name: value}) == f"Bad has no method {HOOKS[name].signature}: {HOOKS[name].summary}"


@pytest.mark.parametrize("name", [name for name, hook in HOOKS.items() if not hook.is_class_method])
def test_wrong_parameters_are_named(name: str) -> None:
    signature = HOOKS[name].signature
    message = refusal(**{name: lambda self, a, b, c: None})
    assert message.startswith(f"Bad.{name} takes 4 parameters, self included; expected {signature}: ")
    assert refusal(**{name: lambda: None}).startswith(f"Bad.{name} takes 0 parameters, self included; expected {name}(")
    assert refusal(**{name: lambda self, *, a: None}).startswith(f"Bad.{name} takes ")


def test_parameters_with_defaults_are_fine() -> None:
    assert game(class_with(to_move=lambda self, extra=3: 1)) is not None


@pytest.mark.parametrize("method", [property(lambda self: 1), int, len])
def test_a_method_must_be_an_ordinary_one(method: Any) -> None:
    assert refusal(to_move=method).startswith("Bad")


def test_start_and_parse_must_be_class_methods() -> None:
    assert refusal(start=lambda self: self) == "Bad.start must be a class method: @classmethod def start(cls)"
    assert refusal(parse=staticmethod(lambda text: text)).startswith("Bad.parse must be a class method: ")


@pytest.mark.parametrize("largest", [0, -1, LARGEST_UTILITY + 1, 1.5, "1", True])
def test_a_fact_out_of_range(largest: object) -> None:
    assert refusal(max_utility=largest) == f"Bad.max_utility is {largest!r}; it must be in 1 .. {LARGEST_UTILITY}"


def test_one_parameter_is_singular() -> None:
    assert refusal(play=lambda self: None).startswith("Bad.play takes 1 parameter, self included; expected play(")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"shortest_cycle": 0}, "Bad.shortest_cycle is 0; it must be an int of at least 1"),
        ({"draw_at_repetition": -1}, "Bad.draw_at_repetition is -1; it must be an int of at least 0"),
        ({"draw_at_repetition": 1}, "Bad.draw_at_repetition is 1; it must be at least 2, or 0 for never"),
        ({"game_over_at_repetition": 5}, "Bad: draw_at_repetition (0) must be in 1 .. game_over_at_repetition (5)"),
        ({"perfect_information": 1}, "Bad.perfect_information is 1; it must be True or False"),
        ({"perfect_information": False}, "Bad has perfect_information = False but no method information_state(self, p"),
        ({"is_endgame": lambda self: True}, "Bad: is_endgame(self) and solve_endgame(self, alpha, beta) must be"),
    ],
)  # fmt: skip
def test_facts_that_do_not_fit(facts: dict[str, Any], message: str) -> None:
    assert refusal(**facts).startswith(message)


OLD_NAMES = {
    "hint": "move_score(self, move)",
    "noisy": "is_tactical(self, move)",
    "must_answer": "in_check(self)",
    "quiet_plies": "reversible_plies(self)",
    "position": "repetition_key(self)",
    "ending": "solve_endgame(self, alpha, beta)",
    "is_small": "is_endgame(self)",
    "information": "information_state(self, player)",
    "ending_name": "termination(self)",
    "drawn_when_quiet": "draw_at_reversible_plies",
    "drawn_when_repeated": "draw_at_repetition",
    "over_when_repeated": "game_over_at_repetition",
    "hints_are_cheap": "cheap_move_scores",
}


@pytest.mark.parametrize("name", OLD_NAMES)
def test_old_names_are_refused_with_the_new_ones(name: str) -> None:
    value = (lambda self: 0) if "(" in OLD_NAMES[name] else 3
    assert refusal(**{name: value}) == f"Bad.{name} is an old name of the contract; rename it to {OLD_NAMES[name]}"


def test_all_old_names_are_declared() -> None:
    declared = {each.formerly for each in (*HOOKS.values(), *FACTS.values())} - {""}
    assert declared == set(OLD_NAMES)


def test_every_declaration_has_a_line_of_documentation() -> None:
    for each in (*HOOKS.values(), *FACTS.values(), *evaluations.HOOKS.values(), *evaluations.FACTS.values()):
        assert each.summary.endswith("."), each.name


def test_the_methods_that_a_class_defines_set_its_facts() -> None:
    assert (Nim.has_chance, Nim.has_tactical_moves, Nim.has_move_score, Nim.has_endgame_solver) == (False,) * 4
    full = game(
        class_with(
            outcomes=lambda self: iter(()), is_tactical=lambda self, move: True, move_score=lambda self, move: 1,
            is_endgame=lambda self: True, solve_endgame=lambda self, alpha, beta: (0, 0),
        )
    )  # fmt: skip
    assert (full.has_chance, full.has_tactical_moves, full.has_move_score, full.has_endgame_solver) == (True,) * 4  # type: ignore[attr-defined]


def test_fields_without_defaults_need_a_start() -> None:
    with pytest.raises(GameError) as caught:
        game(class_with()).start()  # type: ignore[attr-defined]
    assert str(caught.value) == (
        "Bad has no initial position: heap, turn have no default; add defaults, or define @classmethod start(cls)"
    )


def test_an_evaluation_without_a_score_is_refused() -> None:
    for members in ({}, {"score": lambda self: 0}, {"score": lambda self, state, more: 0}, {"score": 3}):
        with pytest.raises(
            GameError,
            match=r"Bad(\.score takes| has no method) .*score\(self, state\): The static",
        ):
            evaluation(type("Bad", (), {"__annotations__": {}, **members}))


# ---- moves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (lambda self: iter([1.0]), r"Bad\.moves\(\) yielded 1\.0 \(float\); a move must be an int in 0 \.\. 16777214"),
        (lambda self: iter([True]), r"yielded True \(bool\)"),
        (lambda self: iter([-1]), r"yielded -1 \(int\)"),
        (lambda self: iter([LARGEST_MOVE + 1]), r"yielded 16777215 \(int\)"),
        (lambda self: iter([Bitboard(1)]), r"yielded Bitboard\(0x1\) \(Bitboard\)"),
        (lambda self: iter([]), r"Bad\.moves\(\) yields nothing in a game that is not over"),
        (lambda self: None, r"Bad\.moves\(\) returned None; it must yield ints"),
        (lambda self: itertools.count(), r"Bad\.moves\(\) yielded more than 1,000,000 moves; check that its loop ends"),
    ],
)
def test_wrong_moves_are_refused(moves: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        game(class_with(moves=moves))(5, MAX).legal_moves()  # type: ignore[call-arg]


def test_a_wrong_player_is_refused() -> None:
    with pytest.raises(GameError, match=r"Bad\.to_move\(\) returned 2; it must be MAX, MIN or CHANCE"):
        game(class_with(to_move=lambda self: 2))(5, MAX).legal_moves()  # type: ignore[call-arg]


def test_chance_moves_are_its_outcomes() -> None:
    dice = game(class_with(to_move=lambda self: CHANCE, outcomes=lambda self: iter([(4, 1), (2, 3)])))
    assert dice(5, MAX).legal_moves() == [4, 2]  # type: ignore[call-arg]


def test_moves_by_name() -> None:
    state = Nim(5)
    assert state.legal_moves() == [1, 2, 3]
    assert state.parse_move(" 2 ") == 2
    assert state.after("3 2") == Nim(0, MAX)
    assert Nim(0).legal_moves() == []
    with pytest.raises(IllegalMove, match="'4' is not a legal move here; legal: 1 2 3"):
        state.parse_move("4")
    with pytest.raises(IllegalMove, match="'1' cannot be played: the game is over"):
        Nim(0).parse_move("1")


# ---- keys ------------------------------------------------------------------------------------------------

words = st.integers(0, 2**64 - 1)
numbers = st.integers(-(2**63), 2**63 - 1)
wides = st.builds(
    Wide, words, words, numbers, st.booleans(), st.tuples(numbers, numbers, numbers), st.tuples(words, words),
    st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip


@given(wides)
def test_equal_states_have_equal_keys(state: Any) -> None:
    same = Wide(*[tuple(field) if isinstance(field, tuple) else field for field in state])
    assert same == state
    assert same.key() == state.key()
    assert type(state.key()) is Bitboard


@given(wides)
def test_every_field_counts_for_the_key(state: Any) -> None:
    changed = [
        Wide(*[-1 - item if i == place else item for i, item in enumerate(state)]) for place in (0, 1, 2)
    ]  # fmt: skip
    changed.append(Wide(*state[:3], not state.flag, *state[4:]))
    changed.append(Wide(*state[:4], (state.row[1], state.row[0] - 1, state.row[2]), *state[5:]))
    assert len({state.key(), *(other.key() for other in changed)}) == 6


@pytest.mark.long
@pytest.mark.slow
def test_keys_of_100_000_boards_are_spread_like_random_numbers() -> None:
    @game
    class Boards:
        black: Bitboard
        white: Bitboard
        turn: int = MAX

        to_move, moves, play, is_over, utility = Nim.to_move, Nim.moves, Nim.play, Nim.is_over, Nim.utility

    chance = random.Random(5)
    keys, low, high = set(), set(), set()
    for _ in range(100_000):
        taken, colour = chance.getrandbits(64), chance.getrandbits(64)
        key = int(Boards(taken & colour, taken & ~colour, chance.choice((MAX, MIN))).key())
        keys.add(key)
        low.add(key & 0xFFFFF)
        high.add(key >> 44)
    assert len(keys) == 100_000
    # As spread as random numbers: of 2**20 boxes, 100,000 balls fill 95,383 on average, give or take 65.
    assert abs(len(low) - 95_383) < 400
    assert abs(len(high) - 95_383) < 400


def test_one_square_changes_half_of_the_key() -> None:
    """The avalanche criterion: each bit of the key changes for about half of the squares."""
    changed = [0] * 64
    for square in range(64):
        for bit in Wide(0).key() ^ Wide(Bitboard(1) << square).key():
            changed[bit] += 1
    assert all(12 <= count <= 52 for count in changed)


# ---- texts -----------------------------------------------------------------------------------------------


@given(wides)
def test_parse_reads_str_back(state: Any) -> None:
    assert Wide.parse(str(state)) == state


def test_parse_takes_missing_fields_from_the_start() -> None:
    assert str(Nim()) == "heap=15 turn=1"
    assert Nim.parse("turn=-1") == Nim(15, MIN)
    assert Nim.parse("") == Nim()
    assert Wide.parse("own=0xff row=7,8,-9 flags=0,1 flag=1") == Wide(
        255, flag=True, row=(7, 8, -9), flags=(False, True)
    )
    assert Nim().board() == str(Nim())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heap", "'heap' is not FIELD=NUMBER"),
        ("pile=3", "'pile=3' is not FIELD=NUMBER"),
        ("heap=x", "Nim position: 'x' in 'heap=x' is not an int"),
        ("heap=", "Nim position: '' in 'heap=' is not an int"),
        ("heap=1.5", "Nim position: '1.5' in 'heap=1.5' is not an int"),
    ],
)
def test_a_wrong_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Nim.parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_tuple_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(PositionError, match=r"row .*a tuple of 3 ints"):
        Wide.parse("row=1,2")


@game
class Stroll(State):
    """Moves with blanks in their names."""

    steps: int = 0

    def to_move(self):
        return MAX

    def moves(self):
        yield 0
        yield 1

    def play(self, move):
        return Stroll(self.steps + 1 + move)

    def is_over(self):
        return False

    def utility(self):
        return 0

    def move_name(self, move):
        return ("one step", "two steps and rest")[move]


def test_moves_may_have_blanks_in_them() -> None:
    assert Stroll().after("one step two steps and rest one step") == Stroll(4)
    assert Stroll().through("one step one step") == [Stroll(0), Stroll(1), Stroll(2)]
    with pytest.raises(IllegalMove, match="'two' is not a legal move here"):
        Stroll().after("one step two steps")


def test_changes_of_two_words_of_a_hash_never_cancel() -> None:
    """Any square of one word, and up to two of the next: as where a piece is captured or two change places."""
    source = random.Random(5)
    before, one, two = (Bitboard(source.getrandbits(64)) for _ in range(3))
    squares = [Bitboard(1) << square for square in range(64)]
    changes = [*squares, *(first | second for first, second in itertools.combinations(squares, 2))]
    key = hash_combine(hash_combine(before, one), two)
    for square in squares:
        middle = hash_combine(before, one ^ square)
        assert all(hash_combine(middle, two ^ change) != key for change in changes)


def test_a_hash_depends_on_the_order_of_its_words() -> None:
    source = random.Random(6)
    for _ in range(1_000):
        one, two = Bitboard(source.getrandbits(64)), Bitboard(source.getrandbits(64))
        assert hash_combine(one, two) != hash_combine(two, one)
