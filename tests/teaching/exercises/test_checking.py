"""Checking programs: correct ones get full marks, wrong ones a diagnosis, hostile ones are contained."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from zermelo.errors import FileError, LimitError
from zermelo.sandbox.messages import InvalidMessage, decode
from zermelo.sandbox.restrictions import RESTRICTIONS
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits
from zermelo.teaching.exercises import checking
from zermelo.teaching.exercises.check_cases import make_cases
from zermelo.teaching.exercises.check_report import MARKS, CaseResult, CheckReport
from zermelo.teaching.exercises.checking import check
from zermelo.teaching.tree.convention import Convention

STUDENTS = Path(__file__).with_name("students")
RIGHT = (STUDENTS / "right_alphabeta.py").read_text()

#: The diagnosis of each wrong program; several ids where mistakes cannot be distinguished.
WRONG = {
    "alpha_not_moved": ["one-bound"],
    "cut": ["cuts-the-wrong-way"],
    "end_ignored": ["end-ignored"],
    "for_the_mover": ["for-the-mover"],
    "last_of_equals": ["last-of-equals"],
    "no_colour": ["leaves-not-negated"],
    "no_colour_but_at_the_root": ["leaves-not-negated"],
    "no_evaluation": ["not-evaluated"],
    "no_pruning": ["no-pruning", "window-not-passed", "stale-window"],
    "one_player": ["one-player"],
    "parent_bound": ["parent-bound-only"],
    "right_to_left": ["right-to-left"],
    "strict_cut": ["cuts-only-beyond"],
    "swapped": ["players-swapped"],
    "takes_turns": ["takes-turns"],
    "too_deep": ["depth-off-by-one"],
    "too_shallow": ["depth-off-by-one"],
    "twice": ["right-to-left", "cuts-only-beyond"],
    "two_functions_strict": ["cuts-only-beyond"],
    "weights": ["weights-ignored"],
    "window_not_passed": ["no-pruning", "window-not-passed", "stale-window"],
    "window_swapped": ["window-swapped"],
    "worst_move": ["worst-move"],
}


def diagnosis_ids(report: CheckReport) -> list[str]:
    return [mistake.id for each in report.diagnosis for mistake in each.mistakes]


# ---- right and wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "right_alphabeta",
        "right_expectiminimax",
        *(
            pytest.param(path.stem, marks=pytest.mark.long)
            for path in sorted(STUDENTS.glob("right_*.py"))
            if path.stem not in ("right_alphabeta", "right_expectiminimax")
        ),
    ],
)
def test_correct_programs_get_full_marks(name: str) -> None:
    report = check(
        STUDENTS / f"{name}.py", convention="strict" if name == "right_strict" else "", limits=ScriptLimits(20)
    )
    remarks = [each.remarks() for each in report.results]
    assert report.points == report.max_points, remarks
    assert report.max_points in ((90, 95, 100) if "two_functions" in name else (100,))  # a case may be solved by luck
    assert report.diagnosis == []
    assert report.function == (name.split("_")[-1] if name.endswith("minimax") else "alphabeta")


@pytest.mark.long
def test_two_functions_need_not_solve_cases_of_moving_twice(
    check_text: Callable[..., CheckReport],
) -> None:
    report = check(STUDENTS / "right_two_functions.py", cases=5, seed=0, limits=ScriptLimits(20))
    assert [each.applies for each in report.results] == [True, True, True, True, False]
    assert (report.points, report.max_points, report.call) == (20, 20, "max_value and min_value(game, state, depth)")
    assert report.results[4].remarks() == ["not applicable: a player moves twice in a row"]
    assert "count only if they are right" in report.notes[0]
    results = report.as_gradescope()
    assert (results["score"], results["tests"][4]["max_score"]) == (25, 0)
    assert report.as_json()["cases"][4]["applies"] is False
    # A program that asks who is to move solves the case, and it counts.
    program = (STUDENTS / "right_two_functions.py").read_text()
    for name in ("max_value", "min_value"):
        program = program.replace(f"{name}(game, game.play", "either(game, game.play")
    program += (
        "\ndef either(game, state, depth, alpha, beta):\n"
        "    one = min_value if not game.is_over(state) and game.to_move(state) == game.MIN else max_value\n"
        "    return one(game, state, depth, alpha, beta)\n"
    )
    report = check_text(program, cases=5)
    assert (report.points, report.max_points, report.notes) == (25, 25, [])


@pytest.mark.long
@pytest.mark.parametrize("outer", ["def alphabeta(game, state, depth):", "class Solver:"])
def test_two_functions_may_be_inside_another_one(check_text: Callable[..., CheckReport], outer: str) -> None:
    program = (STUDENTS / "right_two_functions.py").read_text()
    inside = "".join(f"    {line}" for line in program.splitlines(True))
    if outer == "class Solver:":
        inside = inside.replace("_value(game", "_value(self, game").replace("= max_value(self, ", "= self.max_value(")
        inside = inside.replace("= min_value(self, ", "= self.min_value(")
        inside += (
            "\ndef alphabeta(game, state, depth):\n    max_value, min_value = Solver().max_value, Solver().min_value\n"
        )
    inside += "    one = min_value if game.to_move(state) == game.MIN else max_value\n"
    inside += "    return one(game, state, depth, -inf, inf)\n"
    report = check_text(f"from math import inf\n{outer}\n{inside}", cases=5)
    assert (report.points, report.max_points, report.two_functions) == (20, 20, True)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("def alpha_beta(game, state, depth, alpha, beta): return 3", "alpha_beta"),
        ("def AlphaBeta(state, game, depth): return 3 + 0 * len(game.moves(state))", "AlphaBeta"),
        ("def alphabeta(state, alpha, beta, depth, game): return 3 + 0 * depth * len(game.moves(state))", "alphabeta"),
        ("def alphabeta(g, s, d, a, b): return 3 if a < b else 0", "alphabeta"),
        ("def MinValue(g, s, d): return 0\ndef MaxValue(g, s, d): return 3", "MaxValue and MinValue"),
        ("def min_value(*a): return 0\ndef max_value(*a): return 3", "max_value and min_value"),
        ("def alpha_beta(x): pass\ndef alphabeta(g, s, d): return 3\ndef alphaBeta(g, s, d): return 4", "alphabeta"),
    ],
)
def test_spellings_of_functions_and_parameters(check_text: Callable[..., CheckReport], text: str, call: str) -> None:
    report = check_text(text)
    assert report.results[0].is_value_right
    assert report.call == f"{call}(game, state, depth)"


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_are_diagnosed(name: str) -> None:
    report = check(STUDENTS / f"wrong_{name}.py", cases=12, seed=1, limits=ScriptLimits(20))
    assert diagnosis_ids(report) == WRONG[name]
    assert report.diagnosis[0].is_sure
    assert report.diagnosis[0].combined == (name == "twice")
    assert 0 < report.points < report.max_points
    assert report.failure is None


def test_every_wrong_program_is_tested() -> None:
    assert {path.stem.removeprefix("wrong_") for path in STUDENTS.glob("wrong_*.py")} == set(WRONG)


def test_a_mistake_costs_marks_once() -> None:
    """Minimax instead of alpha-beta: values, moves and order are right, only states are extra."""
    report = check(STUDENTS / "wrong_no_pruning.py", seed=0, cases=6, limits=ScriptLimits(20))
    assert report.part("value") == report.part("move") == report.part("order") == 6
    assert report.part("states") == 0


def test_generating_children_early_costs_no_marks() -> None:
    report = check(STUDENTS / "right_children_first.py", seed=0, cases=4, limits=ScriptLimits(20))
    assert report.points == report.max_points
    assert "states generated but never searched" in report.notes[0]
    result = report.results[0]
    assert set(result.searched) < set(result.generated)
    assert result.searched == result.case.searched


def test_swapped_answer_is_noted(check_text: Callable[..., CheckReport]) -> None:
    program = RIGHT.replace("def alphabeta(", "def search(").replace("alphabeta(", "search(")
    turned = "\ndef alphabeta(game, state, depth):\n    return search(game, state, depth)[::-1]\n"
    report = check_text(program + turned, cases=3)
    assert report.notes == ["the program seems to return (move, value); return (value, move)"]
    assert check(STUDENTS / "right_alphabeta.py", seed=0, cases=3, limits=ScriptLimits(20)).notes == []


def test_without_a_seed_nobody_can_guess_the_cases(tmp_path: Path) -> None:
    path = saved(tmp_path, RIGHT)
    reports = [check(path, cases=2, limits=ScriptLimits(20)) for _ in range(2)]
    assert reports[0].seed != reports[1].seed
    again = check(path, seed=reports[0].seed, cases=2, limits=ScriptLimits(20))
    assert [result.as_json()["tree"] for result in again.results] == [
        result.as_json()["tree"] for result in reports[0].results
    ]


def test_seed_changes_the_cases(tmp_path: Path) -> None:
    trees = [[each.case.tree for each in check(saved(tmp_path, RIGHT), cases=3, seed=seed).results] for seed in (1, 2)]
    assert trees[0] != trees[1]


# ---- what a program may return ----------------------------------------------------------------------------------


def saved(folder: Path, text: str | bytes, name: str = "student.py") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def check_text(tmp_path: Path) -> Callable[..., CheckReport]:
    """Check the text of a program, by default on one case: Russell and Norvig's tree, whose value is 3."""

    def run(text: str | bytes, cases: int = 1, seconds: float = 20, memory: int = 256 << 20) -> CheckReport:
        return check(saved(tmp_path, text), seed=0, cases=cases, limits=ScriptLimits(seconds, memory))

    return run


def returning(expression: str) -> str:
    """A program that looks at all states and returns an expression."""
    return (
        "from fractions import Fraction\ndef visit(game, state):\n    for move in game.moves(state):\n"
        "        visit(game, game.play(state, move))\ndef alphabeta(game, state, depth):\n    visit(game, state)\n"
        f"    return {expression}\n"
    )


@pytest.mark.parametrize(
    ("expression", "value", "move"),
    [
        ("3", 1, 1), ("3.0", 1, 1), ("Fraction(3)", 1, 1), ("(3, 0)", 1, 1), ("[3, 0]", 1, 1), ("(3, None)", 1, 1),
        ("3 + 1e-13", 1, 1), ("(3, 1)", 1, 0), ("(2, 0)", 0, 1), ("(3, 99)", 1, 0), ("(3, -1)", 1, 0), ("4", 0, 0),
        ("float('inf')", 0, 0), ("-10**18", 0, 0), ("10**30", 0, 0),
    ],
)  # fmt: skip
def test_valid_answers(check_text: Callable[..., CheckReport], expression: str, value: int, move: int) -> None:
    result = check_text(returning(expression)).results[0]
    assert result.failure is None
    result.variants = []  # it is a guess
    assert result.marks == {"value": value, "move": move, "states": 0, "order": value or move}  # 2: the players swapped


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("True", "invalid result True (bool); return a number or (value, move)"),
        ("float('nan')", "invalid result NaN"),
        ("'3'", "invalid result '3' (str)"),
        ("None", "invalid result None (NoneType)"),
        ("(1, 2, 3)", "invalid result (1, 2, 3) (tuple)"),
        ("(3, 'a')", "invalid move 'a' (str)"),
        ("(3, True)", "invalid move True (bool)"),
        ("(state, 0)", "(State)"),
        ("10**400", "the number is too large"),
        ("(3, 10**400)", "invalid move 1000"),
        ("(3, 10**5000)", "invalid move a number (int)"),
        ("'\\x1b[31m' * 1000", "..."),
    ],
)
def test_invalid_answers(check_text: Callable[..., CheckReport], expression: str, message: str) -> None:
    result = check_text(returning(expression)).results[0]
    assert result.points == 0
    assert result.failure is not None
    assert message in result.failure or message == "..."
    assert result.failure.isprintable()
    assert len(result.failure) <= 300


def test_misuse_of_the_game_is_reported_with_the_students_line(check_text: Callable[..., CheckReport]) -> None:
    def failure(line: str) -> str | None:
        return check_text(f"def alphabeta(game, state, depth):\n    {line}\n    return 3\n").results[0].failure

    assert failure("game.utility(state)") == (
        "student.py:2: ValueError: utility: the game is not over; use evaluate(state)"
    )
    assert (
        failure("game.play(state, 7)")
        == "student.py:2: ValueError: play: illegal move 7; moves(state) returns [0, 1, 2]"
    )
    assert (
        failure("game.play(state, 'a')")
        == "student.py:2: TypeError: play: 'a' is not a move; moves(state) returns the moves"
    )
    assert failure("game.moves(5)") == "student.py:2: TypeError: moves: 5 is not a state; play(state, move) returns one"
    assert failure("game.successors(state)") == (
        "student.py:2: AttributeError: game has no attribute 'successors'; it has MAX, MIN, CHANCE, moves, play, "
        "is_over, utility, evaluate, to_move, outcomes"
    )


def test_states_are_hashable_and_printable(check_text: Callable[..., CheckReport]) -> None:
    report = check_text(
        "def alphabeta(game, state, depth):\n"
        "    a, b = game.play(state, 0), game.play(state, 0)\n"
        "    assert a == b and len({a, b}) == 1 and a != state\n"
        "    print(state, repr(a))\n"
        "    return 3\n"
    )
    assert report.results[0].failure is None
    assert report.results[0].output == "A <state B>\n"
    assert any("1 state generated more than once" in note for note in report.notes)
    assert any("1 state generated but never searched" in note for note in report.notes)


# ---- programs that cannot be run --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def alphabeta(game, state, depth)\n    pass\n", "student.py:1: SyntaxError: expected ':'"),
        ("import nonesuch\n", "student.py:1: ModuleNotFoundError: No module named 'nonesuch'"),
        ("import zermelo\n", "student.py:1: ModuleNotFoundError: No module named 'zermelo'"),
        ("x = 1\n1 / 0\n", "student.py:2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "student.py:1: SystemExit: the program exited"),
        ("", "student.py: no function alphabeta(game, state, depth)"),
        (
            "def alphabet(game, state, depth): return 3",
            "no function alphabeta(game, state, depth); found alphabet",
        ),
        ("alphabeta = 3", "no function alphabeta(game, state, depth)"),
        ("def alphabeta(state, depth): return 3", "alphabeta takes at most 2 arguments; it is called with three"),
        ("def alphabeta(g, s, d, a): return 3", "alphabeta takes at least 4 arguments"),
        ("def max_value(g, s, d): return 3", "no function alphabeta(game, state, depth); found max_value"),
        (b"\xff\xfe\x00", "student.py: "),
        (b"x = '\xff'\n", "SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xff"),
        ("# coding: nonesuch\n", "student.py: SyntaxError: unknown encoding: nonesuch"),
        ("# coding: undefined\n", "student.py: SyntaxError: "),
        (b"x = 1\x00", "SyntaxError" if sys.version_info >= (3, 11, 4) else "null bytes"),
        ("import os\nos._exit(0)\n", "import: ended without an answer"),
        ("import os\nos._exit(7)\n", "import: exited with code 7 without an answer"),
    ],
)
def test_programs_that_cannot_be_run(check_text: Callable[..., CheckReport], text: str | bytes, message: str) -> None:
    report = check_text(text, cases=3)
    assert report.failure is not None
    assert message in report.failure
    assert "\n" not in report.failure
    assert (report.points, report.max_points) == (0, 15)
    assert all(each.failure == f"not run: {report.failure}" for each in report.results)


def test_endless_import_is_stopped(check_text: Callable[..., CheckReport]) -> None:
    report = check_text("while True: pass", seconds=0.3)
    assert report.failure == "import: exceeded the time limit of 0.3 s"


@pytest.mark.parametrize(
    "text",
    [
        "def alphabeta(*everything): return 3",
        "def alphabeta(game, state, depth, alpha=0, beta=0): return 3",
        "from functools import cache\n@cache\ndef alphabeta(game, state, depth): return 3",
        "alphabeta = lambda game, state, depth: 3",
        "class Solver:\n    def search(self, game, state, depth): return 3\nalphabeta = Solver().search",
        "class Solver:\n    def __call__(self, game, state, depth): return 3\nalphabeta = Solver()",
        "class Solver:\n    @classmethod\n    def search(cls, game, state, depth): return 3\nalphabeta = Solver.search",
        "# -*- coding: latin-1 -*-\nname = '\xe4'\ndef alphabeta(game, state, depth): return len(name) + 2".encode(
            "latin-1"
        ),
        "".join(f"def helper_{n}(): pass\n" for n in range(500)) + "def alphabeta(game, state, depth): return 3",
        "def alphabeta(game, state, depth): return 3\n" + "# " + "x" * 500_000,
        "if __name__ == '__main__': 1 / 0\ndef alphabeta(game, state, depth): return 3",
    ],
)
def test_unusual_definitions_of_the_function(check_text: Callable[..., CheckReport], text: str | bytes) -> None:
    assert check_text(text).results[0].is_value_right


def test_bad_files_and_arguments(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"missing\.py: No such file"):
        check(tmp_path / "missing.py")
    with pytest.raises(FileError, match="a single Python file"):
        check(tmp_path)
    with pytest.raises(FileError, match=r"1,000,000 bytes"):
        check(saved(tmp_path, b"#" * 1_000_001))
    with pytest.raises(LimitError, match="unknown function 'negamax'"):
        check(saved(tmp_path, RIGHT), function="negamax")
    with pytest.raises(LimitError, match=r"cases must be from 1 to 500 \(got 0\)"):
        check(saved(tmp_path, RIGHT), cases=0)


# ---- crashes and hostile programs -------------------------------------------------------------------------------

#: Code run instead of a search, and the expected failure. The next case must not be affected.
BAD = {
    "crash": ("1 / 0", "student.py:4: ZeroDivisionError: division by zero"),
    "recursion": ("return alphabeta(game, state, depth)", "RecursionError"),
    "deep recursion": ("sys.setrecursionlimit(10**9); return alphabeta(game, state, depth)", ""),
    "exit": ("sys.exit(0)", "SystemExit: the program exited instead of returning an answer"),
    "hard exit": ("os._exit(0)", "ended without an answer"),
    "hard exit with code": ("os._exit(9)", "exited with code 9 without an answer"),
    "interrupt": ("raise KeyboardInterrupt", "student.py:4: KeyboardInterrupt"),
    "nameless": ("raise type('E' * 500, (Exception,), {'__str__': lambda self: 1 / 0})()", "EEEE"),
    "long message": ("raise ValueError('x' * 10**7)", "ValueError: xxxx"),
    "escapes": ("raise ValueError('\\x1b]0;gone\\x07\\n\\n')", "ValueError: \\x1b]0;gone\\x07"),
    "closed": ("os.closerange(0, 1000)", "without an answer"),
    "all states": (
        "while True: game.play(state, 0)",
        "alphabeta(game, state, 2): generated more than 760 states; the whole tree has 13",
    ),
    "all questions": ("while True: game.moves(state)", "alphabeta(game, state, 2): asked more than 15,200 questions"),
    "channel": ("shout(b'[]\\n'); hang()", "wrote invalid data to the message channel"),
    "channel, no JSON": ("shout(b'?\\n'); hang()", "wrote invalid data to the message channel"),
    "channel, a long line": ("shout(b'?' * 9999); hang()", "too much output: wrote a line of more than 4,096 bytes"),
    **{
        f"channel, {name}": (f"shout(b'{line}\\n'); hang()", "wrote invalid data to the message channel")
        for name, line in {
            "3,000 digits": '["answer", {"value": ' + "7" * 3000 + ', "move": 0}]',
            "a move of 3,000 digits": '["answer", {"value": 1, "move": ' + "7" * 3000 + "}]",
            "a question of 3,000 digits": '["play", 0, ' + "7" * 3000 + "]",
            "not a number": '["answer", {"value": NaN, "move": 0}]',
            "a truth value": '["answer", {"value": true, "move": 0}]',
            "two answers in one": '["answer", {"value": 3, "move": 0}, {"value": 4, "move": 1}]',
            "an error without a type": '["error", {"text": "x"}]',
            "a line of 3,000 digits": '["error", {"doing": "", "line": ' + "7" * 3000 + ', "type": "", "text": ""}]',
            "functions during a case": '["functions", {"minimax": [3, 3]}]',
            "a second list of limits": '["limits", ["memory"]]',
        }.items()
    },
    "channel, deep": ("shout(b'[' * 4000 + b'\\n'); hang()", "wrote invalid data to the message channel"),
}
TEMPLATE = """import os, sys
def alphabeta(game, state, depth):
    if len(game.moves(state)) == 3:
        {}
    return minimax(game, state, depth)
def minimax(game, state, depth):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    values = [minimax(game, game.play(state, move), depth - 1) for move in game.moves(state)]
    return max(values) if game.to_move(state) == game.MAX else min(values)
def shout(text):
    for fd in range(3, 20):
        try:
            os.write(fd, text)
        except OSError:
            pass
def hang():
    while True:
        pass
"""


@pytest.mark.parametrize("name", BAD)
def test_failure_affects_only_its_own_case(check_text: Callable[..., CheckReport], name: str) -> None:
    """The first tree has three moves at its root, the second two."""
    code, message = BAD[name]
    bad, good = check_text(TEMPLATE.format(code), cases=2).results
    assert bad.failure is not None
    assert message in bad.failure
    assert bad.failure.isprintable()
    assert len(bad.failure) <= 300
    assert bad.points == 0
    assert good.failure is None
    assert good.is_value_right


@pytest.mark.parametrize(
    "code",
    [
        "hang()",
        "import time; time.sleep(99)",
        "import signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; hang()",
    ],
)
def test_hang_is_stopped_at_the_time_limit(check_text: Callable[..., CheckReport], code: str) -> None:
    (bad,) = check_text(TEMPLATE.format(code), seconds=0.5).results
    assert bad.failure == "alphabeta(game, state, 2): exceeded the time limit of 0.5 s"
    assert bad.seconds >= 0.5


@pytest.mark.long
def test_hang_affects_only_its_own_case(check_text: Callable[..., CheckReport]) -> None:
    bad, good = check_text(TEMPLATE.format("hang()"), cases=2, seconds=5).results
    assert bad.points == 0
    assert good.is_value_right


posix = pytest.mark.skipif(os.name != "posix", reason="needs the limits of Unix")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs the limits of Linux")


@pytest.mark.long
@posix
@pytest.mark.parametrize(
    "code",
    [
        "data = []\n        while True: data.append(bytearray(1 << 20))",
        "data = bytearray(1 << 40)",
        "data = [0] * (1 << 33)",
        "data = 'x' * 2\n        while True: data += data",
        "import mmap\n        data = [mmap.mmap(-1, 1 << 24) for _ in range(10**6)]",
        "data = [0]\n        while True: data = [*data, *data]",
    ],
)
def test_memory_is_limited(tmp_path: Path, code: str) -> None:
    """Peak memory, measured in a separate grader process, never exceeds the limit."""
    saved(tmp_path, TEMPLATE.format(code))
    script = (
        "import resource, sys\n"
        "from zermelo.teaching.exercises.checking import check\n"
        "from zermelo.sandbox.sandboxed_script import ScriptLimits\n"
        "limits = ScriptLimits(30, 128 << 20)\n"
        f"bad, good = check({str(tmp_path / 'student.py')!r}, seed=0, cases=2, limits=limits).results\n"
        "largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(largest * (1 if sys.platform == 'darwin' else 1024), good.is_value_right, bad.failure)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=600)
    largest, right, failure = done.stdout.strip().split(maxsplit=2)
    assert right == "True"
    assert 0 < int(largest) <= 128 << 20
    assert "Error" in failure
    if "mmap" not in code:
        assert "MemoryError: the limit of 128 MB was exceeded" in failure


@posix
@pytest.mark.parametrize(
    "code",
    [
        "while True: os.fork()",
        "if os.fork() == 0: os.setsid(); hang()",
        "import subprocess; subprocess.run(['sleep', '99'])",
        "import threading; threading.Thread(target=hang).start()",
        "os.posix_spawn('/bin/sleep', ['sleep', '99'], {})",
    ],
)
def test_programs_cannot_start_processes_or_threads(check_text: Callable[..., CheckReport], code: str) -> None:
    report = check_text(TEMPLATE.format(code), cases=2)
    if "processes" not in report.sandbox_limits:
        pytest.skip("this system code not limit root's processes")
    bad, good = report.results
    assert bad.failure is not None
    assert "programs cannot start processes or threads here" in bad.failure
    assert good.is_value_right


@posix
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("os.execv('/bin/sleep', ['sleep', '99'])", "closed the message channel without an answer"),
        ("os.kill(os.getpid(), 9)", "killed by signal 9 (SIGKILL)"),
        ("os.abort()", "killed by signal "),
        ("import ctypes; ctypes.string_at(0)", "killed by signal 11 (SIGSEGV)"),
    ],
)
def test_killed_and_replaced_processes(check_text: Callable[..., CheckReport], code: str, message: str) -> None:
    bad, good = check_text(TEMPLATE.format(code), cases=2).results
    assert bad.failure is not None
    assert message in bad.failure or ("signals" in bad.sandbox_limits and "PermissionError" in bad.failure)
    assert good.is_value_right


@linux
@pytest.mark.parametrize(
    "code",
    [
        "os.kill(os.getppid(), 0)",
        "os.pidfd_open(os.getppid())",
        "os.execv('/bin/true', ['true'])",
        "import resource; resource.prlimit(1, resource.RLIMIT_CORE)",
        "import socket; socket.socket(socket.AF_UNIX)",
    ],
)
def test_grader_cannot_be_signalled(check_text: Callable[..., CheckReport], code: str) -> None:
    report = check_text(TEMPLATE.format(code))
    if "signals" not in report.sandbox_limits:
        pytest.skip("this system does not filter system calls")
    assert "PermissionError" in (report.results[0].failure or "")


@pytest.mark.long
def test_printed_text_is_truncated(check_text: Callable[..., CheckReport]) -> None:
    bad, _ = check_text(TEMPLATE.format("while True: print('x' * 10**6)"), cases=2, seconds=2).results
    assert bad.failure == "alphabeta(game, state, 2): exceeded the time limit of 2 s"
    assert 64 << 10 <= len(bad.output) < 65 << 10
    assert "more bytes" in bad.output
    good = check_text(TEMPLATE.format("print('x' * 10**6); print('y' * 10**6, file=sys.stderr)")).results[0]
    assert good.is_value_right
    assert good.output.endswith(f"... and {2 * 10**6 + 2 - (64 << 10):,} more bytes")


def test_printed_answer_does_not_count(check_text: Callable[..., CheckReport]) -> None:
    forged = r"""print('["answer", {"value": 3, "move": 0}]'); os.write(1, b'["answer", {"value": 3}]\n'); return 99"""
    result = check_text(TEMPLATE.format(forged)).results[0]
    assert result.value == 99
    assert result.output.count("answer") == 2


@pytest.mark.long
def test_forged_answer_earns_no_marks_for_searching(check_text: Callable[..., CheckReport]) -> None:
    """A program that finds the message channel can send an answer, but a value without a search earns nothing."""
    forged = r"""shout(b'["answer", {"value": 3, "move": 0}]\n'); hang()"""
    result = check_text(TEMPLATE.format(forged)).results[0]
    assert result.is_value_right
    assert result.marks == {"value": 0, "move": 0, "states": 0, "order": 0}
    assert result.remarks()[0] == "value 3 does not follow from the searched states"


@pytest.mark.quick
def test_every_valid_list_of_functions_is_understood() -> None:
    """A program can send the list itself: what has the shape has an entry point, or a reason why it has none."""
    source = random.Random(1)
    names = [
        "alphabeta",
        "Alpha_Beta",
        "minimax",
        "max_value",
        "min_value",
        "MAX_VALUE",
        "expectiminimax",
        "\ud800",
        "",
    ]
    counts = [None, 0, 3, 5, -255, 1 << 31, -256, True, 3.0]
    valid = 0
    for _ in range(3_000):
        chosen = source.sample(names, source.randrange(4))
        functions = {name: source.choices(counts, k=source.choice([0, 1, 2, 2, 2, 3])) for name in chosen}
        line = json.dumps(["functions", functions, source.sample(names, source.randrange(4))])
        try:
            message = decode(line, checking._IMPORT_MESSAGES)
        except InvalidMessage:
            continue
        valid += 1
        for wanted in (None, *checking.FUNCTIONS):
            found = checking._entry_point("a.py", wanted, checking._Loaded(message[1], True, []))
            assert str(found)
    assert valid > 500


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8-sig"])
def test_a_program_in_another_encoding(check_text: Callable[..., CheckReport], encoding: str) -> None:
    text = f"# coding: {encoding}\n" + RIGHT + "\nprint('\u00e4')\n"
    report = check_text(text.encode(encoding))
    assert report.points == report.max_points
    assert report.results[0].output == "\u00e4\n"


@pytest.mark.long
def test_a_slow_encoding_costs_the_program_its_own_time(check_text: Callable[..., CheckReport]) -> None:
    """Decoding takes time quadratic in the length, and the program chooses the encoding."""
    text = b"# coding: idna\n#" + b"a" * 50 + b".xn--" + b"a9" * 300_000
    report = check_text(text, seconds=0.5)
    assert report.failure == "import: exceeded the time limit of 0.5 s"


@pytest.mark.parametrize("function", ["alphabeta", "minimax", "expectiminimax"])
def test_the_value_follows_from_the_searched_states(function: str) -> None:
    """It does from those of the right search, and not from the root alone."""
    for case in make_cases(5, 8, Convention.of(function)):
        assert case.is_determined_by(case.searched)
        assert not case.is_determined_by([])
        simulated = case.simulate(case.correct_options)
        result = CaseResult(case, float(simulated.value), simulated.move, searched=case.searched)
        assert result.points == 5
        result.searched = case.searched[:1]
        assert result.is_value_found == (len(case.searched) == 1)
        result.value = 77.5
        assert not result.shows_search
        assert result.points == 0


def test_a_known_mistake_earns_marks_for_its_search() -> None:
    case = make_cases(0, 1, Convention.of("alphabeta"))[0]
    simulated = map(case.simulate, case.mistakes)
    mistaken = [each for each in simulated if each.value != case.value and set(each.searched) >= {*case.searched}]
    assert mistaken
    for each in mistaken:
        result = CaseResult(case, float(each.value), each.move, searched=each.searched)
        assert result.marks["value"] == 0
        assert result.marks["order"] == 1
        assert result.remarks()[0].startswith("value")
        assert not any("no marks" in remark for remark in result.remarks())


def test_flood_of_questions(check_text: Callable[..., CheckReport]) -> None:
    flood = r"""[shout(b'["moves", 0]\n') for _ in range(10**6)]; hang()"""
    bad, good = check_text(TEMPLATE.format(flood), cases=2, seconds=10).results
    assert bad.failure is not None
    assert bad.points == 0
    assert good.is_value_right


def test_environment_of_the_grader_is_hidden(
    check_text: Callable[..., CheckReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "42")
    code = "print('SECRET_OF_THE_GRADER' in os.environ, sys.stdin.read() == '', len(sys.argv))"
    assert check_text(TEMPLATE.format(code)).results[0].output.startswith("False True")


@linux
def test_network_is_blocked(check_text: Callable[..., CheckReport]) -> None:
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), 5)"
    report = check_text(TEMPLATE.format(connect))
    if "network" not in report.sandbox_limits:
        pytest.skip("this system has no network namespaces")
    assert "OSError" in (report.results[0].failure or "") or "PermissionError" in (report.results[0].failure or "")


@posix
def test_files_cannot_be_written(check_text: Callable[..., CheckReport], tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    code = f"file = open({str(tmp_path / 'note')!r}, 'w'); file.write('x'); file.flush()"
    report = check_text(TEMPLATE.format(code))
    assert "files" in report.sandbox_limits
    assert "Error" in (report.results[0].failure or "")
    assert not (tmp_path / "note").exists() or (tmp_path / "note").read_text() == ""


@linux
@pytest.mark.parametrize(
    "code",
    [
        "os.unlink(there)",
        "os.truncate(there, 0)",
        "os.rename(there, there + 'x')",
        "os.open(there, os.O_WRONLY)",
        "os.open(there, os.O_RDONLY | os.O_TRUNC)",
        "os.open(there + 'x', os.O_RDONLY | os.O_CREAT)",
        "open(there, 'r+')",
        "os.ftruncate(os.open(there, os.O_RDONLY), 0)",
        "os.mkdir(there + 'x')",
        "os.rmdir(folder + '/folder')",
        "os.link(there, there + 'x')",
        "os.symlink(there, there + 'x')",
        "os.chmod(there, 0)",
        "os.utime(there, (0, 0))",
        "os.setxattr(there, 'user.x', b'x')",
        "import shutil; shutil.rmtree(folder)",
    ],
)
def test_files_of_the_grader_cannot_be_changed(
    check_text: Callable[..., CheckReport], tmp_path: Path, code: str
) -> None:
    """The grader's files are protected even if the program runs as the same user."""
    folder = tmp_path / "valuable"
    (folder / "folder").mkdir(parents=True)
    (there := folder / "thesis").write_text("years of work")
    for path in (tmp_path, folder, there, folder / "folder"):
        path.chmod(0o777)
    report = check_text(TEMPLATE.format(f"folder, there = {str(folder)!r}, {str(there)!r}; {code}"))
    if "deleting" not in report.sandbox_limits:
        pytest.skip("this system does not filter system calls")
    assert "Error" in (report.results[0].failure or "")
    assert there.read_text() == "years of work"
    assert there.stat().st_mtime > 1
    assert there.stat().st_mode & 0o777 == 0o777
    assert sorted(path.name for path in folder.iterdir()) == ["folder", "thesis"]


@linux
def test_shared_memory_is_blocked(check_text: Callable[..., CheckReport]) -> None:
    """Shared memory segments outlive their use and are not counted by any limit."""
    code = "import ctypes; print(ctypes.CDLL(None).shmget(0, 4096, 0o1600)); return 1"
    report = check_text(TEMPLATE.format(code))
    if "signals" not in report.sandbox_limits:
        pytest.skip("this system does not filter system calls")
    assert report.results[0].output == "-1\n"


@linux
def test_root_privileges_are_dropped(check_text: Callable[..., CheckReport]) -> None:
    if os.geteuid() != 0:
        pytest.skip("not root")
    report = check_text(TEMPLATE.format("open('/proc/1/mem', 'rb')"))
    if "user" not in report.sandbox_limits:
        pytest.skip("this system does not allow changing the user")
    assert "PermissionError" in (report.results[0].failure or "")


@linux
def test_program_ends_with_the_grader(tmp_path: Path) -> None:
    saved(tmp_path, "import os\nprint(os.getpid(), flush=True)\nwhile True: pass\n")
    script = (
        "import os, sys, threading, time\n"
        "from pathlib import Path\n"
        "from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits\n"
        "from zermelo.teaching.exercises import checking\n"
        "script = SandboxedScript(checking.STUDENT_PROCESS, ScriptLimits(60), {}).__enter__()\n"
        f"source = Path({str(tmp_path / 'student.py')!r}).read_text()\n"
        "script.send({'file': 'x', 'source': source, 'function': None, 'expected': []})\n"
        "print(script._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # a killed process leaves its temporary folder behind
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, env=env)
    program = int(done.stdout.split()[0])
    for _ in range(2400):
        try:
            state = Path(f"/proc/{program}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return
        if state in "ZX":
            return
        time.sleep(0.05)
    raise AssertionError("the program outlived the grader by 2 minutes")


# ---- limits and reports -----------------------------------------------------------------------------------------


def test_limits_out_of_range() -> None:
    for wrong in ({"seconds": 0}, {"seconds": -1}, {"seconds": float("nan")}, {"seconds": 1e9}, {"memory": 1 << 20}):
        with pytest.raises(LimitError):
            ScriptLimits(**wrong)  # type: ignore[arg-type]


def test_enforced_restrictions_are_known() -> None:
    with SandboxedScript(checking.STUDENT_PROCESS, ScriptLimits(20), {}) as script:
        assert set(script.enforced) <= set(RESTRICTIONS)
        if sys.platform == "linux":
            assert {"memory", "files", "with parent"} <= set(script.enforced)


def test_smallest_wrong_case() -> None:
    report = check(STUDENTS / "wrong_swapped.py", seed=0, cases=3, limits=ScriptLimits(20))
    assert report.smallest_wrong_case is report.results[0]
    assert report.results[0].remarks()[0] == "value 2; correct: 3" or report.results[0].remarks()


def test_marks_of_cases_add_up() -> None:
    report = check(STUDENTS / "wrong_right_to_left.py", seed=0, cases=3, limits=ScriptLimits(20))
    for result in report.results:
        assert all(0 <= result.marks[name] <= most for name, most in MARKS.items())
    assert report.points == sum(report.part(name) for name in MARKS)


def test_required_restrictions_are_checked_in_each_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from zermelo.cli import main
    from zermelo.sandbox import restrictions

    program = Path(__file__).with_name("students") / "right_alphabeta.py"
    words = ["exercise", "check", str(program), "--cases", "2", "--quiet", "--require-sandbox"]
    # At the start, when the program is loaded, in each case.
    for answers in ([], ["network"]), ([], [], ["network"]), ([], [], [], ["network"]):
        left = iter(answers)
        monkeypatch.setattr(restrictions, "missing_restrictions", lambda enforced, left=left: next(left))
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "--require-sandbox: not in force for right_alphabeta.py: no network" in line
    monkeypatch.setattr(restrictions, "missing_restrictions", lambda enforced: [])
    assert main(words) == 0
