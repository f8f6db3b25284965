"""Messages for code that does not compile: one line with the file, the line, the method and what to write instead."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import nim as nim_module
import pytest

from zermelo import registry
from zermelo.compiled import diagnosis, native
from zermelo.errors import GameError, LimitError
from zermelo.search.context import SearchContext
from zermelo.search.kernel.perft import run_perft

HEAD = """\
import helping
from zermelo import MAX, Bitboard, Weights, evaluation, game

NAMES = {1: 2}
LIST = [1, 2, 3]
PAIR = (1, 2)


@evaluation
class Weighed:
    weights: Weights

    def score(self, state):
        return self.weights[state.heap]


"""
#: One-heap Nim with an evaluation and some globals, to be changed into code that does not compile.
NIM = HEAD + Path(nim_module.__file__).read_text(encoding="utf-8").partition("import MAX, game\n")[2].replace(
    "= 15", "= 5"
)
HELPING = """\
def fine(n):
    return n


def bad(n):
    names = [n]
    return names[0].nothing


def deep(n):
    return bad(n)
"""
MOVES, PLAY = "            yield take", "        return Nim(self.heap - take, -self.turn)"
OVER, SCORE = "        return self.heap == 0", "        return self.weights[state.heap]"
UTILITY = "    def utility(self):\n        return -self.turn\n"

# By mistake: the right code, the wrong code, the line in it that is named (0: the `def`), and the message.
WRONG: dict[str, tuple[str, str, int, str]] = {
    "a name that is not defined": (
        OVER,
        "        x = 1\n        return undefined == x",
        2,
        "name 'undefined' is not defined",
    ),
    "an attribute misspelt": (OVER, "        return self.heep == 0", 1, "Nim has no attribute 'heep'"),
    "a method misspelt": (OVER, "        return self.is_ovr()", 1, "Nim has no attribute 'is_ovr'"),
    "a dict": (OVER, "        return self.heap == NAMES[1]", 1, "'NAMES' cannot be used in compiled methods"),
    "a list of the module": (OVER, "        return self.heap == LIST[1]", 1, "'LIST' is a list; use a tuple"),
    "a class of Python's": (
        OVER,
        "        return object() is None",
        1,
        "'object' cannot be used in compiled methods",
    ),
    "text": (
        OVER,
        "        return f'{self.heap:>3}' == '0'",
        1,
        "formats in f-strings are not compiled; move texts to an interpreted method",
    ),
    "with": (
        OVER,
        "        with open('x') as f:\n            return f",
        0,
        "'with' is not compiled; move it to an interpreted method",
    ),
    "try": (
        OVER,
        "        try:\n            return self.heap == 0\n        except KeyError:\n            return False",
        3,
        "only 'except Exception' is compiled; test before the operation instead",
    ),
    "import": (
        OVER,
        "        import math\n        return math.pi == self.heap",
        1,
        "'import' in a method is not compiled; import above",
    ),
    "a class in a rule": (
        OVER,
        "        class A: pass\n        return True",
        1,
        "a class in a method is not compiled; move it above",
    ),
    "a global that is set": (
        OVER,
        "        global COUNT\n        COUNT = 1\n        return True",
        2,
        "compiled methods cannot set global names; use a field",
    ),
    "a field that is set": (
        OVER,
        "        self.heap = 3\n        return True",
        1,
        "'heap' of a Nim cannot be set; construct another Nim",
    ),
    "any": (
        OVER,
        "        return any(n == self.heap for n in (0, 0))",
        1,
        "generator expressions are not compiled; write a loop",
    ),
    "any of a list": (OVER, "        return any([self.heap == 0])", 1, "'any' is not compiled; write a loop"),
    "all of a tuple": (OVER, "        return all((self.heap == 0, True))", 1, "'all' is not compiled; write a loop"),
    "reversed": (
        OVER,
        "        for n in reversed((0, 1)):\n            if n == self.heap:\n                return True\n"
        "        return False",
        1,
        "'reversed' is not compiled; write a loop over range",
    ),
    "walrus": (
        OVER,
        "        if (n := self.heap) > 3:\n            return False\n        return n == 0",
        1,
        "':=' is not compiled; assign on a line of its own",
    ),
    "a property": (
        OVER + "\n",
        "        return self.empty\n\n    @property\n    def empty(self):\n        return self.heap == 0\n",
        1,
        "'empty' is a property, which is not compiled; make it an ordinary method",
    ),
    "a static method": (
        OVER + "\n",
        "        return self.empty(self.heap)\n\n    @staticmethod\n    def empty(n):\n        return n == 0\n",
        1,
        "'empty' is a static method, which is not compiled; make it an ordinary method",
    ),
    "type(self)": (
        PLAY,
        "        return type(self)(self.heap - take, -self.turn)",
        1,
        "'type' is not compiled; write Nim(...)",
    ),
    "the class of self": (
        PLAY,
        "        return self.__class__(self.heap - take, -self.turn)",
        1,
        "'__class__' is not compiled; write Nim(...)",
    ),
    "a function as an argument": (
        OVER,
        "        return max((1, 2), key=lambda n: -n) == self.heap",
        1,
        "max does not take a function when compiled; write a loop",
    ),
    "a tuple of a range": (
        OVER,
        "        return tuple(range(3))[0] == self.heap",
        1,
        "tuple(range) is not compiled; give the list to the state itself, or write (a, b, c)",
    ),
    "an item that is set": (
        OVER,
        "        t = (1, 2)\n        t[0] = 3\n        return t[0] == self.heap",
        2,
        "an item of a tuple(int, int) cannot be set; use replaced(items, index, value) or as_list(items)",
    ),
    "unpacking": (
        OVER,
        "        a, *b = (1, self.heap)\n        return a == 0",
        1,
        "'a, *rest = ...' is not compiled; use indices",
    ),
    "strict zip": (
        OVER,
        "        for a, b in zip((1, 2), (3, self.heap), strict=True):\n            if a == b:\n"
        "                return True\n        return False",
        1,
        "zip(..., strict=...) is not compiled; leave strict out",
    ),
    "super": (
        OVER,
        "        return super().is_over()",
        1,
        "'super' is not compiled; give the base's method a name of its own",
    ),
    "two types for a name": (
        OVER,
        "        x = 0\n        if self.heap:\n            x = Bitboard(3)\n        return x == 0",
        4,
        "'x' is int on one path, Bitboard on another; use one type",
    ),
    "states compared": (OVER, "        return self == Nim()", 1, "Nim == Nim is not supported in compiled methods"),
    "a board divided": (
        OVER,
        "        return Bitboard(self.heap) / 2 == 0",
        1,
        "Bitboard / int is not supported in compiled methods",
    ),
    "a shift by a board": (
        OVER,
        "        return 1 << Bitboard(self.heap) == 0",
        1,
        "int << Bitboard is not supported in compiled methods",
    ),
    "a slice with variable bounds": (
        OVER,
        "        return sum((1, 2, 3)[: self.heap]) == 0",
        1,
        "a slice of a tuple(int, int, int) needs constant bounds; write a loop over the indices",
    ),
    "a number as a tuple": (
        OVER,
        "        return self.heap[0] == 0",
        1,
        "int[int] is not supported in compiled methods",
    ),
    "a number called": (OVER, "        return self.heap(0)", 1, "int cannot be called with (int)"),
    "too many arguments": (
        OVER,
        "        return helping.fine(self.heap, 2) == 0",
        1,
        "too many positional arguments: the function takes (n)",
    ),
    "a helper that is not there": (
        OVER,
        "        return helping.absent(self.heap) == 0",
        1,
        "module 'helping' has no attribute 'absent'",
    ),
    "yield from": (MOVES, "            yield from range(take)", 1, "'yield from' is not compiled; write a loop"),
    "a constructor's float": (
        PLAY,
        "        return Nim(self.heap - take / 1, -self.turn)",
        1,
        "Nim(...): heap must be an int, not float",
    ),
    "a constructor's name": (
        PLAY,
        "        return Nim(self.heap, trun=-self.turn)",
        1,
        "Nim(heap, turn): got an unexpected keyword argument 'trun'",
    ),
    "a constructor's length": (
        PLAY,
        "        return Nim(self.heap, 1, 2)",
        1,
        "Nim(heap, turn): too many positional arguments",
    ),
    "an evaluation's typing mistake": (
        SCORE,
        "        return self.weigths[0]",
        1,
        "Weighed has no attribute 'weigths'",
    ),
    "an evaluation's index": (SCORE, "        return self.weights.shape.x", 1, "tuple of 1 ints has no attribute 'x'"),
}
RETURNS: dict[str, tuple[str, str, str]] = {
    "a move that is a float": (
        MOVES,
        "            yield take / 2",
        "moves returns a generator of float when compiled; it must return ints, by yield or in a list or tuple",
    ),
    "moves that are text": (
        "    def moves(self):\n        for take in range(1, min(3, self.heap) + 1):\n            yield take",
        "    def moves(self):\n        return '12'",
        "moves returns str when compiled; it must return ints, by yield or in a list or tuple",
    ),
    "a result that is a float": (
        UTILITY,
        "    def utility(self):\n        return -self.turn / 2\n",
        "utility returns float when compiled; it must return an int",
    ),
    "no state": (PLAY, "        return self.heap - take", "play returns int when compiled; it must return a Nim"),
    "a tuple": (
        PLAY,
        "        return self.heap, -self.turn",
        "play returns tuple of 2 ints when compiled; it must return a Nim",
    ),
    "nothing at times": (
        OVER,
        "        if self.heap == 0:\n            return True",
        "is_over returns bool or None when compiled; it must return True or False",
    ),
    "a text": (OVER, "        return 'no'", "is_over returns str when compiled; it must return True or False"),
    "an evaluation that is a float": (
        SCORE,
        "        return self.weights[state.heap] / 2",
        "score returns float when compiled; it must return an int",
    ),
    "an evaluation that forgets return": (
        SCORE,
        "        self.weights[state.heap]",
        "score returns None when compiled; it must return an int",
    ),
}


def score_of(evaluation, state):
    return evaluation.score(state)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delitem(sys.modules, "helping", raising=False)
    (tmp_path / "helping.py").write_text(HELPING)
    return tmp_path / "nim.py"


def refusal(file: Path, source: str) -> str:
    file.write_text(source)
    nim: Any = registry.load(f"{file}:Nim")
    weighed = vars(sys.modules[nim.__module__])["Weighed"]

    def compiled() -> None:
        native(score_of, weighed([1, 2]), nim())
        native(run_perft, nim(), 3, True, SearchContext())

    with pytest.raises(GameError) as caught:
        compiled()
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(
        r"nopython|int64|float64|unicode|reflected|Literal|[0-9a-f]{16}|numba|/site-packages/", message.lower()
    )
    return message


@pytest.mark.parametrize("what", WRONG)
def test_code_that_does_not_compile(file: Path, what: str) -> None:
    old, new, number, expected = WRONG[what]
    assert NIM.count(old) == 1
    line = NIM[: NIM.index(old)].count("\n") + number
    method = re.findall(r"class (\w+)|def (\w+)", NIM[: NIM.index(old)])
    cls, name = [one for one, _ in method if one][-1], method[-1][1]
    assert refusal(file, NIM.replace(old, new)) == (
        f"{os.path.relpath(file)}:{line}: {cls}.{name} does not compile: {expected}"
    )


@pytest.mark.parametrize("what", RETURNS)
def test_methods_that_return_a_wrong_type(file: Path, what: str) -> None:
    old, new, expected = RETURNS[what]
    assert NIM.count(old) == 1
    source = NIM.replace(old, new)
    method = expected.partition(" ")[0]
    line = source[: source.index(f"def {method}(")].count("\n") + 1
    cls = "Weighed" if method == "score" else "Nim"
    assert refusal(file, source) == f"{os.path.relpath(file)}:{line}: {cls}.{expected}"


@pytest.mark.parametrize("call", ["bad", "deep"])
def test_a_helper_in_another_file(file: Path, call: str) -> None:
    for old, new in (
        (OVER, f"        return helping.{call}(self.heap) == 0"),
        (SCORE, f"        return helping.{call}(1)"),
    ):
        assert refusal(file, NIM.replace(old, new)) == (
            f"{os.path.relpath(file.parent / 'helping.py')}:7: bad does not compile: int has no attribute 'nothing'"
        )


def test_a_right_game_compiles(file: Path) -> None:
    file.write_text(NIM)
    nim: Any = registry.load(f"{file}:Nim")
    ctx = SearchContext()
    assert native(run_perft, nim(), 1, True, ctx)(nim(), 1, True, ctx) == 3


@pytest.mark.quick
def test_an_error_of_zermelo_is_left_as_it_is() -> None:
    error = LimitError("too deep")
    assert diagnosis.explain(error, []) is error


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ValueError"),
        ("\x1b[1mFailed in nopython mode pipeline (step: nopython frontend)\n\x1b[0mno idea.\n\nDuring: x", "no idea"),
        (
            'Failed in nopython mode\nFile "of/no_game.py", line 3:\ndef f():\n    ^\n\nKeyError: at last',
            "at last",
        ),
        (
            "No implementation of function Function(f) found for signature:\n \n >>> f(int64, Tuple(int64, bool))\n",
            "f(int, tuple(int, bool)) is not supported in compiled methods",
        ),
        (
            "No implementation of function x:\n >>> contains(Tuple(int64, int64), bool)",
            "bool in tuple(int, int) is not supported in compiled methods",
        ),
        (
            "No implementation of function x:\n >>> neg(Bitboard)",
            "neg(Bitboard) is not supported in compiled methods",
        ),
    ],
)
def test_errors_of_numba_without_a_place(text: str, message: str) -> None:
    assert str(diagnosis.explain(ValueError(text), [])) == f"does not compile: {message}"


@pytest.mark.quick
def test_without_a_place_the_function_is_named() -> None:
    scope: dict[str, Any] = {}
    exec(compile(textwrap.dedent("\n\ndef f(n):\n    m = n\n    return wrong(m)"), "f.py", "exec"), scope)
    assert str(diagnosis.explain(ValueError("no 'wrong'"), [], scope["f"])) == "f.py:5: f does not compile: no 'wrong'"
    assert str(diagnosis.explain(ValueError("no"), [], scope["f"])) == "f.py:3: f does not compile: no"
