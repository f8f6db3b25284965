"""`check_game` accepts correct games, and names the method and the violation of wrong ones."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from random import shuffle
from typing import Any

import nim
import pytest
from nim import Nim

from zermelo import registry
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Linear, Weights, evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid, Piece, SetupOption
from zermelo.errors import GameError, PositionError
from zermelo.testing import check_game, playthrough
from zermelo.testing.declared_names import misspelt_names


@game
class Dice(State):
    """Three times, each side rolls a die of 1 to 3 (3 twice as likely) or takes 2; the higher sum wins."""

    left: int = 6
    sum: int = 0
    thrown: bool = False

    def to_move(self):
        if self.thrown:
            return CHANCE
        return MAX if self.left % 2 == 0 else MIN

    def moves(self):
        for throw in range(2):
            yield throw

    def outcomes(self):
        for eyes in range(1, 4):
            yield eyes, 1 if eyes < 3 else 2

    def play(self, move):
        if not self.thrown and move == 1:
            return Dice(self.left, self.sum, True)
        eyes = move if self.thrown else 2
        return Dice(self.left - 1, self.sum + (eyes if self.left % 2 == 0 else -eyes), False)

    def is_over(self):
        return self.left == 0

    def utility(self):
        return (self.sum > 0) - (self.sum < 0)


# ---- correct games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("rules", [Nim, Dice])
def test_a_correct_game_passes(rules: type[State], compiled: bool) -> None:
    report = check_game(rules, games=30, compiled=compiled)
    assert report.game == rules.__name__
    assert report.games == 30
    assert report.unfinished == 0
    assert report.compiled == compiled


def test_the_report_counts_and_prints() -> None:
    report = check_game(Nim(3), games=50, seed=1, compiled=False)
    assert report == check_game(Nim(3), games=50, seed=1, compiled=False)
    assert report.longest == 3
    assert 1 < report.branching <= 3
    assert 100 <= report.positions <= 200
    assert str(report) == (
        f"Nim: 50 games, {report.positions} positions, {report.branching:.1f} moves per position, "
        "longest game 3 moves; interpreted only"
    )


MISSPELT = {
    "move_scor": "method move_score",
    "move_scores": "method move_score",
    "is_tactial": "method is_tactical",
    "is_in_check": "method in_check",
    "candidate": "method candidates",
    "passturn": "method pass_turn",
    "max_utilty": "attribute max_utility",
    "evaluation": "attribute evaluations",
}


@pytest.mark.parametrize("name", MISSPELT)
def test_the_report_notes_names_that_are_probably_misspelt(name: str) -> None:
    report = check_game(wrong(**{name: 5 if name == "max_utilty" else lambda self, move: 0}), **QUICK)
    assert report.notes == (f"Nim.{name} is not used; did you mean the optional {MISSPELT[name]}?",)
    assert str(report).endswith(f"; note: {report.notes[0]}")


def test_null_moves_are_noted_since_zugzwang_is_not_tested() -> None:
    """Each move of Nim makes things worse in a lost position; passing would win it."""
    passing = wrong(pass_turn=lambda self: type(self)(self.heap, -self.turn), may_pass=lambda self: True)
    [note] = check_game(passing, **QUICK).notes
    assert note.startswith("null moves: not tested against zugzwang")
    assert "docs/searching.md" in note
    assert check_game(Nim, **QUICK).notes == ()


def test_helper_methods_are_not_noted() -> None:
    class Helpers:
        def move_scoring(self):
            return 0

        def winner(self):
            return self.move_scoring()

    assert check_game(wrong(**vars(Helpers)), **QUICK).notes == ()
    both = wrong(move_scorer=lambda self: 0, move_score=lambda self, move: 0, legal_name=lambda self: 0)
    assert check_game(both, **QUICK).notes == ()


def test_the_report_names_optional_methods_and_attributes() -> None:
    report = check_game(wrong(max_utility=2, move_score=lambda self, move: move), **QUICK)
    assert report.optional == ("max_utility", "move_score")
    assert str(report).endswith("; optional: max_utility, move_score")


def test_misspelt_names_of_evaluations_are_noted() -> None:
    @evaluation
    class Heap:
        def score(self, state):
            return 0

        def term(self, state):
            return []

    report = check_game(wrong(evaluations={"heap": Heap()}), **QUICK)
    assert report.notes == ("Heap.term is not used; did you mean the optional method terms?",)


@pytest.mark.parametrize(
    ("read", "shown"),
    [
        (lambda table, heap: table[heap - 3][1], "-3"),
        (lambda table, heap: table[heap, heap - 2], "-2"),
        (lambda table, heap: table[2:][heap - 1, 0], "-1"),
    ],
)
def test_negative_indices_into_weights_are_noted(read: Any, shown: str) -> None:
    """They count from the end, so that nothing fails: neither the evaluation nor the comparison with compiled code."""

    @evaluation
    class Table:
        table: Weights = ((1, 2, 3),) * 30
        other: Weights = (1, 2, 3)

        def score(self, state):
            return int(read(self.table, 0 if state.heap < 4 else 3)) + int(self.other[0])

    report = check_game(wrong(evaluations={"table": Table()}), games=3, compiled=False)
    assert report.notes == (f"evaluation table reads table[{shown}]: a negative index counts from the end",)


@pytest.mark.parametrize("name", registry.names())
def test_no_game_of_the_package_has_misspelt_names(name: str) -> None:
    cls = registry.load(name)
    assert misspelt_names(cls, State) == ()
    assert {misspelt_names(kind, Evaluation) for kind in map(type, cls.evaluations.values())} <= {()}


def test_tactical_moves_need_is_tactical() -> None:
    with pytest.raises(GameError) as caught:
        wrong(tactical_moves=lambda self: iter([1]))
    assert str(caught.value) == (
        "Nim.tactical_moves(self) has no effect without is_tactical(self, move); "
        "declare is_tactical(self, move) as well"
    )


def test_games_longer_than_the_limit_are_cut_off_and_counted() -> None:
    report = check_game(wrong(is_over=lambda self: False, play=lambda self, take: type(self)(15, -self.turn)), **QUICK)
    assert report.unfinished == 10
    assert report.longest == 60
    assert "10 games cut off unfinished" in str(report)


def test_a_game_that_never_ends_is_refused_after_a_few_games() -> None:
    endless = wrong(is_over=lambda self: False, play=lambda self, take: type(self)(15, -self.turn))
    with pytest.raises(GameError) as caught:
        check_game(endless, compiled=False)
    assert str(caught.value).startswith(
        "Nim.is_over was never true: 3 random games did not end within 1,000 plies; end the game, or pass max_plies"
    )


def test_moves_without_end_are_refused() -> None:
    with pytest.raises(GameError, match=r"Nim\.moves yielded more than 1,000,000 items; check that its loop ends"):
        check_game(wrong(moves=lambda self: itertools.count(1)), **QUICK)


def test_interpreted_checks_do_not_import_numba() -> None:
    program = (
        "import sys; from zermelo.games.tictactoe import TicTacToe; from zermelo.testing import check_game; "
        "check_game(TicTacToe, games=3, compiled=False); sys.exit('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# ---- wrong games ---------------------------------------------------------------------------------------

QUICK: dict[str, Any] = {"games": 10, "compiled": False, "max_plies": 60}


def wrong(**changed: Any) -> type[State]:
    """Nim with some methods or class attributes replaced."""
    body = {
        "__module__": __name__,
        "__annotations__": {"heap": int, "turn": int},
        "heap": 15,
        "turn": MAX,
        "to_move": lambda self: self.turn,
        "moves": lambda self: iter(range(1, min(3, self.heap) + 1)),
        "play": lambda self, take: type(self)(self.heap - take, -self.turn),
        "is_over": lambda self: self.heap == 0,
        "utility": lambda self: -self.turn,
    }
    made: type[State] = game(type("Nim", (), body | changed))
    return made


@evaluation
class Unnamed(Linear):
    """One count without a name."""

    def counts(self, state, side):
        return (0,)


@evaluation
class Greedy:
    def score(self, state):
        return 0

    def gain(self, state, move):
        return move


@evaluation
class Faint:
    """Raises in gain."""

    def score(self, state):
        return 0

    def gain(self, state, move):
        return [][move]


@evaluation
class Partial:
    """The right gain, of the wrong type."""

    def score(self, state):
        return 0

    def gain(self, state, move):
        return 0.0


@evaluation
class Huge:
    """A score above the limit."""

    def score(self, state):
        return 1_000_001


@evaluation
class Fraction:
    """A score that is not an int."""

    def score(self, state):
        return state.heap / 2


#: A heap of n is a disc on square n.
BOARD = {
    "picture": lambda self: Grid(30, 1, pieces=(Piece(self.heap, 0, "disc", "black"),)),
    "setup_pieces": classmethod(lambda cls: (Piece(0, 0, "disc", "black"),)),
    "set_up": lambda self, pieces, side: self.replace(heap=pieces[0].column, turn=side),
}
counter = itertools.count()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"to_move": lambda self: 2},
            r"Nim\.to_move returned 2 \(int\); expected MAX \(1\), MIN \(-1\) or CHANCE",
        ),
        (
            {"to_move": lambda self: CHANCE},
            r"Nim\.to_move returned CHANCE, but the class does not define outcomes",
        ),
        ({"to_move": lambda self: {}[3]}, r"Nim\.to_move\(\) raised KeyError: 3"),
        ({"moves": lambda self: iter(())}, r"Nim\.moves yielded nothing though is_over\(\) is False"),
        ({"moves": lambda self: iter([1, 1])}, r"Nim\.moves yielded 1 more than once"),
        ({"moves": lambda self: iter([-1])}, r"Nim\.moves yielded -1; expected an int in 0 \.\. 16777214"),
        ({"moves": lambda self: iter([1.0])}, r"Nim\.moves yielded 1\.0; expected an int"),
        ({"moves": lambda self: (1 // 0 for _ in "a")}, r"Nim\.moves\(\) raised ZeroDivisionError"),
        ({"legal_moves": lambda self: [1]}, r"Nim\.legal_moves returned \[1\]; expected \[1, 2, 3\]"),
        ({"play": lambda self, take: None}, r"Nim\.play\(\d\) returned None; expected a Nim"),
        ({"play": lambda self, take: [][take]}, r"Nim\.play\(\d\) raised IndexError: list index out of range"),
        (
            {"play": lambda self, take: type(self)(max(0, self.heap - 1 - next(counter) % 2), -self.turn)},
            r"Nim\.play\(\d\) returned .*, then .*; expected the same each time",
        ),
        (
            {"is_over": lambda self: 1 if self.heap == 0 else 0},
            r"Nim\.is_over returned 0 \(int\); expected True or",
        ),
        (
            {"may_pass": lambda self: True, "pass_turn": lambda self: self},
            r"Nim\.pass_turn returned a state of the same side to move; expected the other side's",
        ),
        (
            {"may_pass": lambda self: True, "pass_turn": lambda self: 7},
            r"Nim\.pass_turn returned 7; expected a Nim",
        ),
        ({"correction_key": lambda self: 7}, r"Nim\.correction_key returned 7 \(int\); expected a Bitboard"),
        (
            {"is_tactical": lambda self, take: True, "tactical_moves": lambda self: iter([1])},
            r"Nim\.tactical_moves yielded \[1\]; expected \[1, 2, 3\], perhaps with other moves",
        ),
        ({"moves": lambda self: None}, r"Nim\.moves returned None; expected it to yield the moves"),
        ({"symmetries": lambda self: 7}, r"Nim\.symmetries returned 7; expected it to yield the states"),
        ({"utility": lambda self: 0.5}, r"Nim\.utility returned 0\.5 \(float\); expected an int"),
        ({"utility": lambda self: 2}, r"Nim\.utility returned 2; expected an int in -1 \.\. 1 \(max_utility = 1\)"),
        ({"key": lambda self: 7}, r"Nim\.key returned 7 \(int\); expected a Bitboard"),
        ({"key": lambda self: Bitboard(self.heap)}, r"Nim\.key is 0x\w+ here and in .*; expected different keys"),
        ({"key": lambda self: Bitboard(next(counter))}, r"Nim\.key differs for two equal states"),
        ({"__eq__": lambda self, other: self is other, "__hash__": tuple.__hash__}, r"Nim\.__eq__ says that a state"),
        ({"__str__": lambda self: "one\ntwo"}, r"Nim\.__str__ returned 'one\\ntwo'; expected one line of text"),
        ({"__str__": lambda self: f"heap={self.heap}"}, r"Nim\.parse\('heap=\d+'\) returned .*; expected .*turn=-1"),
        ({"__str__": lambda self: "no number"}, r"Nim\.parse\('no number'\) raised Nim position: 'no' is not FIELD"),
        ({"move_name": lambda self, take: "take"}, r"Nim\.move_name is 'take' for 1 and for 2; expected unique names"),
        ({"move_name": lambda self, take: f"take {take}"}, r"Nim\.move_name\(1\) returned 'take 1'; expected a word"),
        ({"parse_move": lambda self, text: 1}, r"Nim\.parse_move\('2'\) returned 1; expected 2, which has this name"),
        ({"player_name": lambda self, side: ""}, r"Nim\.player_name\(1\) returned ''; expected one line of text"),
        ({"board": lambda self: None}, r"Nim\.board returned None \(NoneType\); expected lines of text"),
        ({"picture": lambda self: "heap"}, r"Nim\.picture returned 'heap'; expected a Grid or Points"),
        (
            {"move_path": lambda self, take: ((0, 0),)},
            r"Nim\.move_path\(\d\) returned \(\(0, 0\),\); expected .* none, since",
        ),
        (
            {"picture": lambda self: Grid(2, 2), "move_path": lambda self, take: ((2, 0),)},
            r"Nim\.move_path\(\d\) returned \(\(2, 0\),\); expected .* inside the board of 2 x 2",
        ),
        (
            {**BOARD, "setup_pieces": classmethod(lambda cls: (Piece(0, 0, "disc", "red"),))},
            r"Nim\.setup_pieces lacks Piece\(column=\d+, row=0, kind='disc', colour='black', letter=''\)",
        ),
        (
            {**BOARD, "set_up": lambda self, pieces, side: self.replace(heap=1)},
            r"Nim\.set_up of its own pieces gave Nim",
        ),
        (
            {
                **BOARD,
                "setup_options": lambda self: (SetupOption("black moves", self.turn < 0),),
                "with_setup_options": lambda self, names: self.replace(turn=1),
            },
            r"Nim\.with_setup_options of its own options gave Nim",
        ),
        (
            {"information_state": lambda self, player: self.heap, "perfect_information": False},
            r"Nim\.information_state\(1\) returned 1?\d \(int\); expected one line",
        ),
        (
            {"move_score": lambda self, take: 0.5},
            r"Nim\.move_score\(1\) returned 0\.5 \(float\); expected an int in -2147483647 \.\.",
        ),
        (
            {"move_score": lambda self, take: 1 << 40},
            r"Nim\.move_score\(1\) returned 1099511627776; expected an int in -2147483647 \.\.",
        ),
        ({"is_tactical": lambda self, take: 1}, r"Nim\.is_tactical\(1\) returned 1 \(int\); expected True or False"),
        ({"symmetries": lambda self: iter([3])}, r"Nim\.symmetries yielded 3; expected states of Nim"),
        (
            {"symmetries": lambda self: iter([type(self)(self.heap, -self.turn)])},
            r"Nim\.symmetries yielded .*, where to_move\(\) is -1; expected 1",
        ),
        (
            {"symmetries": lambda self: iter([type(self)(min(self.heap, 1), self.turn)])},
            r"Nim\.symmetries yielded heap=1 turn=1, which has 1 moves; expected 3",
        ),
        (
            {"is_endgame": lambda self: self.heap < 5, "solve_endgame": lambda self, alpha, beta: (0, 1)},
            r"Nim\.solve_endgame\(-2, 2\) returned 0; expected -?1;",
        ),
        (
            {"is_endgame": lambda self: self.heap < 5, "solve_endgame": lambda self, alpha, beta: 1},
            r"Nim\.solve_endgame\(-2, 2\) returned 1 \(int\); expected two ints, \(score, nodes\)",
        ),
        ({"can_win": lambda self, player: 1}, r"Nim\.can_win\(1\) returned 1 \(int\); expected True or False"),
        (
            {"can_win": lambda self, player: self.heap > 3},
            r"Nim\.can_win\((1|-1)\) returned False, but the player wins by [123]",
        ),
        (
            {"can_win": lambda self, player: self.heap < 9},
            r"Nim\.can_win\(1\) returned False, but after [123] it returned True",
        ),
        ({"may_end": lambda self: 1}, r"Nim\.may_end returned 1 \(int\); expected True or False"),
        ({"may_end": lambda self: False}, r"Nim\.may_end returned False, but the game is over after [123]"),
        (
            {"evaluations": {"greedy": Greedy()}},
            r"Nim\.evaluation greedy returned 1 for gain\(1\); expected 0",
        ),
        (
            {"evaluations": {"faint": Faint()}},
            r"Nim\.evaluation faint raised IndexError: list index out of range in gain\(1\); expected an int",
        ),
        (
            {"evaluations": {"partial": Partial()}},
            r"Nim\.evaluation partial raised TypeError: 'float' .* in gain\(1\); expected an int",
        ),
        (
            {"evaluations": {"huge": Huge()}},
            r"Nim\.evaluation huge scored 1000001; expected a score strictly between -1000000",
        ),
        (
            {"evaluations": {"unnamed": Unnamed((2,))}},
            r"Nim\.evaluation unnamed: counts, names and weights must have one item for each feature; "
            "their lengths are 1, 0, 1",
        ),
        ({"evaluations": {"half": Fraction()}}, r"Nim\.evaluation half raised TypeError: 'float' .*; expected an int"),
    ],
)
def test_violations_in_interpreted_rules(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message) as caught:
        check_game(wrong(**changed), **QUICK)
    assert "\n" not in str(caught.value)
    assert "; position: " in str(caught.value)


def test_chance_without_weights() -> None:
    def to_move(self):
        return CHANCE if self.heap == 15 else self.turn

    for outcomes, message in (
        ([(1, 0)], r"Nim\.outcomes yielded weight 0 for 1; expected it positive"),
        ([1], r"Nim\.outcomes yielded 1; expected a move and its weight, two ints"),
        ([(1, 1), (1, 2)], r"Nim\.outcomes yielded 1 more than once"),
        ([], r"Nim\.outcomes yielded nothing"),
    ):
        rules = wrong(to_move=to_move, outcomes=lambda self, outcomes=outcomes: iter(outcomes))
        with pytest.raises(GameError, match=message):
            check_game(rules, **QUICK)


def test_damaged_text_must_raise_the_right_error() -> None:
    def parse(cls, text):
        heap, turn = text.split()
        return cls(int(heap), int(turn))

    def parse_loosely(cls, text):
        try:
            return parse(cls, text)
        except ValueError:
            raise PositionError(f"first line\nsecond line of {text!r}") from None

    written = {"__str__": lambda self: f"{self.heap} {self.turn}"}
    with pytest.raises(GameError, match=r"Nim\.parse\(.*\) raised ValueError: .*; expected a PositionError"):
        check_game(wrong(parse=classmethod(parse), **written), **QUICK)
    with pytest.raises(GameError, match=r"Nim\.parse\(.*\) raised an error with the message .*; expected one line"):
        check_game(wrong(parse=classmethod(parse_loosely), **written), **QUICK)
    with pytest.raises(GameError, match=r"Nim\.parse_move\(.*\) raised KeyError: .*; expected an IllegalMove"):
        check_game(wrong(parse_move=lambda self, text: {"1": 1, "2": 2, "3": 3}[text]), **QUICK)
    with pytest.raises(GameError, match=r"Nim\.parse_move\(.*\) returned 7, which is not legal here"):
        check_game(wrong(parse_move=lambda self, text: {"1": 1, "2": 2, "3": 3}.get(text, 7)), **QUICK)


def rest(heap: tuple[int, ...], take: int) -> int:
    return heap[take]


def test_an_exception_is_reported_with_its_file_and_line() -> None:
    line = rest.__code__.co_firstlineno + 1
    with pytest.raises(GameError) as caught:
        check_game(wrong(play=lambda self, take: rest((), take)), **QUICK)
    path = os.path.relpath(__file__)
    assert str(caught.value).startswith(
        f"{path}:{line}, in rest: Nim.play(1) raised IndexError: tuple index out of range; position: heap=15"
    )


def test_an_exception_in_pythons_library_is_reported_with_the_line_that_called_it() -> None:
    def play(self, take):
        return shuffle(take)  # type: ignore[arg-type]

    line = play.__code__.co_firstlineno + 1
    with pytest.raises(GameError, match=rf"test_testing.py:{line}: Nim.play\(1\) raised TypeError: object"):
        check_game(wrong(play=play), **QUICK)


def test_an_exception_in_a_method_is_reported_with_its_file_and_line() -> None:
    def moves(self):
        yield from [self.heaps]

    with pytest.raises(
        GameError, match=rf"test_testing.py:{moves.__code__.co_firstlineno + 1}: Nim.moves\(\) raised At"
    ):
        check_game(wrong(moves=moves), **QUICK)


def test_an_exception_in_an_evaluation_is_reported_with_its_file_and_line() -> None:
    @evaluation
    class Fragile:
        def score(self, state):
            return 1 // 0

    with pytest.raises(GameError, match=r"test_testing.py:\d+, in Fragile.score: Nim.evaluation fragile raised Zero"):
        check_game(wrong(evaluations={"fragile": Fragile()}), **QUICK)


@pytest.mark.parametrize("call", ["Unannotated(self.heap - take, -self.turn)", "self.replace(heap=1, turn=self.turn)"])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_field_without_an_annotation_is_explained(call: str, compiled: bool, tmp_path: Path) -> None:
    source = Path(nim.__file__).read_text(encoding="utf-8").replace("heap: int", "LARGEST = 3\n    heap")
    file = tmp_path / "unannotated.py"
    file.write_text(
        source.replace("class Nim", "class Unannotated").replace("Nim(self.heap - take, -self.turn)", call),
        encoding="utf-8",
    )
    with pytest.raises(GameError) as caught:
        check_game(registry.load(str(file)), compiled=compiled)
    assert ("; heap has no annotation, so it is a constant of the class and not a field; write heap: int = 15") in str(
        caught.value
    )


def test_objects_that_are_not_games() -> None:
    class Plain:
        pass

    for thing in (Plain, Plain(), 3, wrong(start=classmethod(lambda cls: None))):
        with pytest.raises(GameError, match="is not a game or a state of one; decorate the class"):
            check_game(thing)  # type: ignore[arg-type]


# ---- compiled results that differ -----------------------------------------------------------------------------------


def is_positive(heap):
    """Whether a heap is not empty. In compiled code the product overflows, and this is always False."""
    return heap * (1 << 62) * 4 > 0


@evaluation
class Overflowing:
    """1; in compiled code 0."""

    def score(self, state):
        return 1 if is_positive(state.heap) else 0


@game
class OverflowingMoves(State):
    """Nim whose moves overflow."""

    heap: int = 15
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1
        if self.heap > 1 and is_positive(self.heap):
            yield 2

    def play(self, take):
        return OverflowingMoves(self.heap - take, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn


@game
class OverflowingPlay(State):
    """Nim whose states overflow."""

    heap: int = 15
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1

    def play(self, take):
        return OverflowingPlay(self.heap - take if is_positive(self.heap) else 0, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn


@game
class Wordy(State):
    """Nim whose moves cannot be compiled."""

    heap: int = 15
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield int({1: "1"}.setdefault(self.heap, "1"))

    def play(self, take):
        return Wordy(self.heap - take, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn


def test_compiled_moves_that_differ() -> None:
    check_game(OverflowingMoves, games=5, compiled=False)
    message = r"OverflowingMoves\.moves\(\) is \[1\] in compiled code, \[1, 2\] in plain Python; position: heap=15"
    with pytest.raises(GameError, match=message):
        check_game(OverflowingMoves, games=5)


@game
class OverflowingHooks(State):
    """Nim with one move, for tests that add an optional method that overflows."""

    heap: int = 15
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1

    def play(self, take):
        return type(self)(self.heap - take, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn


@pytest.mark.parametrize("name", ["in_check", "may_end", "reversible_plies", "repetition_key", "count_moves"])
def test_every_optional_method_is_compared(name: str) -> None:
    def play(self, take):
        return Differing(self.heap - take, -self.turn)

    value = {
        "reversible_plies": lambda self: 99 if is_positive(self.heap) or self.heap == 0 else 98,
        "repetition_key": lambda self: Bitboard(self.heap if is_positive(self.heap) else 1000),
        "count_moves": lambda self: 1 if is_positive(self.heap) else 2,
    }.get(name, lambda self: is_positive(self.heap))
    Differing = game(type("Differing", (OverflowingHooks,), {"play": play, name: value, "__annotations__": {}}))
    with pytest.raises(GameError, match=rf"Differing\.{name}\(\) is .* in compiled code, .* in plain Python"):
        check_game(Differing, games=2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("move_score", lambda self, move: 7 if is_positive(self.heap) else 8),
        ("is_tactical", lambda self, move: is_positive(self.heap)),
    ],
)
def test_every_optional_method_of_a_move_is_compared(name: str, value: Any) -> None:
    def play(self, take):
        return Differing(self.heap - take, -self.turn)

    Differing = game(type("Differing", (OverflowingHooks,), {"play": play, name: value, "__annotations__": {}}))
    with pytest.raises(GameError, match=rf"Differing\.{name}\(1\) is .* in compiled code, .* in plain Python"):
        check_game(Differing, games=2)


def test_compiled_states_that_differ() -> None:
    check_game(OverflowingPlay, games=5, compiled=False)
    message = r"OverflowingPlay\.play\(1\) is .*heap=0.* in compiled code, .*heap=14.* in plain Python"
    with pytest.raises(GameError, match=message):
        check_game(OverflowingPlay, games=5)


def test_compiled_evaluations_that_differ() -> None:
    check_game(Nim, games=5, compiled=False, evaluations=[Overflowing()])
    message = r"Nim\.evaluation Overflowing is 0 in compiled code, 1 in plain Python; position: heap=15"
    with pytest.raises(GameError, match=message):
        check_game(Nim, games=5, evaluations=[Overflowing()])


def test_rules_that_do_not_compile() -> None:
    check_game(Wordy, games=5, compiled=False)
    with pytest.raises(GameError, match="moves"):
        check_game(Wordy, games=5)


# ---- playthroughs -------------------------------------------------------------------------------------------------


def test_a_playthrough_depends_on_the_seed_only() -> None:
    assert playthrough(Nim) == playthrough(Nim, seed=0)
    assert playthrough(Nim) != playthrough(Nim, seed=1)


def test_a_playthrough_describes_every_position() -> None:
    text = playthrough(Nim(1))
    assert text.split("\n") == [
        "game Nim, seed 0",
        "field heap: int",
        "field turn: int",
        "max_utility 1",
        "perft_counts_finished_games False",
        "has_chance False",
        "has_tactical_moves False",
        "has_move_score False",
        "has_endgame_solver False",
        "",
        "after 0 moves",
        "position: heap=1 turn=1",
        "heap=1 turn=1",
        f"key: {int(Nim(1).key()):#018x}",
        "to move: MAX",
        "moves: 1",
        "numbers: 1",
        "played: 1",
        "",
        "after 1 moves",
        "position: heap=0 turn=-1",
        "heap=0 turn=-1",
        f"key: {int(Nim(0, MIN).key()):#018x}",
        "to move: MIN",
        "over, utility: 1",
        "",
    ]


def test_a_playthrough_shows_weights_of_chance() -> None:
    text = playthrough(Dice(thrown=True))
    assert "to move: chance\nmoves: 1 (weight 1) 2 (weight 1) 3 (weight 2)\nplayed: " in text


def test_a_playthrough_stops_at_max_plies() -> None:
    assert "after 3 moves" not in playthrough(Nim(100), max_plies=2)
    assert "after 2 moves" in playthrough(Nim(100), max_plies=2)


@game
class Shuffle:
    """A token goes round a ring of four; the game ends after a while."""

    place: int = 0
    left: int = 12

    draw_at_repetition = 3
    shortest_cycle = 4

    def to_move(self):
        return MAX

    def moves(self):
        yield 1

    def play(self, move):
        return Shuffle((self.place + move) % 4, self.left - 1)

    def is_over(self):
        return self.left == 0

    def utility(self):
        return 0

    def repetition_key(self):
        return Bitboard(self.place)

    def count_moves(self):
        return 1


class TestRepetition:
    def test_correct_declarations_pass(self):
        check_game(Shuffle, games=1, compiled=False)

    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("shortest_cycle", 5, r"repetition_key occurs again after 4 plies; expected at least shortest_cycle = 5"),
            ("reversible_plies", lambda self: 3, r"reversible_plies returned 3, but the position occurred 4 plies ago"),
            ("reversible_plies", lambda self: -1, r"reversible_plies returned -1; expected an int of at least 0"),
            ("repetition_key", lambda self: 7, r"repetition_key returned 7 \(int\); expected a Bitboard"),
            ("count_moves", lambda self: 2, r"count_moves returned 2; expected 1, as many as moves\(\) yields"),
        ],
    )
    def test_wrong_declarations_are_named(self, monkeypatch, name, value, expected):
        monkeypatch.setattr(Shuffle, name, value)
        with pytest.raises(GameError, match=expected):
            check_game(Shuffle, games=1, compiled=False)
