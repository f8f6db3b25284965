"""Fingerprints: everything that machine code depends on changes them, and nothing else does."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import types
from typing import Any

import pytest

from zermelo.compiled.fingerprint import fingerprint, reachable_functions

HEAD = """
import enum
import math
from collections import namedtuple
from functools import wraps
from typing import NamedTuple
import numpy as np
from zermelo import Bitboard, MAX, Weights, evaluation, game
import other
import package.inner
"""
OTHER = {
    "other": "SIZE = 3\nTABLE = (1, 2)\nARRAY = __import__('numpy').arange(3)\ndef helped(n):\n    return n + 1\n",
    "package": "",
    "package.inner": "def deep(n):\n    return n * 2\n",
}


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh modules, imported by the sources, for every test."""
    _install(monkeypatch, OTHER)


def _install(monkeypatch: pytest.MonkeyPatch, sources: dict[str, str]) -> None:
    for name, source in sources.items():
        module = types.ModuleType(name)
        exec(source, vars(module))
        for value in vars(module).values():
            if isinstance(value, types.FunctionType):
                value.__module__ = name
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["package"].inner = sys.modules["package.inner"]  # type: ignore[attr-defined]


def made(source: str, name: str = "f") -> Any:
    scope: dict[str, Any] = {"__name__": "made"}
    exec(compile(HEAD + textwrap.dedent(source), "made.py", "exec", dont_inherit=True), scope)
    return scope[name]


def letters(source: str, name: str = "f") -> str:
    return fingerprint(made(source, name))


NIM = """
@game
class Nim:
    '''One heap.'''
    heap: int = 5
    turn: int = MAX
    LARGEST = 3
    def to_move(self): return self.turn
    def moves(self):
        for take in range(1, self.most() + 1): yield take
    def most(self): return min(self.LARGEST, self.heap)
    def play(self, take): return Nim(self.heap - take, -self.turn)
    def is_over(self): return self.heap == 0
    def utility(self): return -self.turn
    def board(self): return f'{self.heap} left'
"""

# Two sources that differ in one thing that machine code depends on.
DEPENDENCIES = {
    "a function's body": ("def f(n): return n + 1", "def f(n): return n - 1"),
    "a number": ("def f(n): return n + 1", "def f(n): return n + 2"),
    "its type": ("def f(n): return n + 1", "def f(n): return n + 1.0"),
    "a truth value": ("def f(n): return n == True", "def f(n): return n == 1"),
    "a default": ("def f(n, m=1): return n + m", "def f(n, m=2): return n + m"),
    "a keyword's default": ("def f(n, *, m=1): return n + m", "def f(n, *, m=2): return n + m"),
    "what may be named": ("def f(n, /, m): return n + m", "def f(n, m, /): return n + m"),
    "a function called": ("def g(n): return n\ndef f(n): return g(n)", "def g(n): return -n\ndef f(n): return g(n)"),
    "a function called by it": (
        "def h(n): return n\ndef g(n): return h(n)\ndef f(n): return g(n)",
        "def h(n): return -n\ndef g(n): return h(n)\ndef f(n): return g(n)",
    ),
    "functions in a circle": (
        "def g(n): return f(n)\ndef f(n): return g(n) if n else 1",
        "def g(n): return f(n - 1)\ndef f(n): return g(n) if n else 1",
    ),
    "a nested function": (
        "def f(n):\n    def g(m): return m + 1\n    return g(n)",
        "def f(n):\n    def g(m): return m + 2\n    return g(n)",
    ),
    "a lambda": ("def f(n): return (lambda m: m + 1)(n)", "def f(n): return (lambda m: m + 2)(n)"),
    "a generator expression": ("def f(n): return sum(m for m in (1, n))", "def f(n): return sum(m for m in (2, n))"),
    "the function a generator expression calls": (
        "def g(n): return n\ndef f(n): return sum(g(m) for m in (1, n))",
        "def g(n): return -n\ndef f(n): return sum(g(m) for m in (1, n))",
    ),
    "a function in a tuple": (
        "def g(n): return n\nALL = (g,)\ndef f(n): return ALL[0](n)",
        "def g(n): return -n\nALL = (g,)\ndef f(n): return ALL[0](n)",
    ),
    "a global number": ("K = 1\ndef f(n): return n + K", "K = 2\ndef f(n): return n + K"),
    "a global's type": ("K = 1\ndef f(n): return n + K", "K = Bitboard(1)\ndef f(n): return n + K"),
    "a global tuple": ("K = (1, 2)\ndef f(n): return K[n]", "K = (1, 3)\ndef f(n): return K[n]"),
    "a tuple in a tuple": ("K = ((1,), (2,))\ndef f(n): return K[n]", "K = ((1, 2), ())\ndef f(n): return K[n]"),
    "a tuple of boards": (
        "K = (Bitboard(1), Bitboard(2))\ndef f(n): return K[n]",
        "K = (Bitboard(1), Bitboard(4))\ndef f(n): return K[n]",
    ),
    "a list": ("K = [1, 2]\ndef f(n): return K[n]", "K = [1, 3]\ndef f(n): return K[n]"),
    "a dict": ("K = {1: 2}\ndef f(n): return K[n]", "K = {1: 3}\ndef f(n): return K[n]"),
    "a set": ("K = {1, 2}\ndef f(n): return n in K", "K = {1, 3}\ndef f(n): return n in K"),
    "a set written out": ("def f(n): return n in {1, 2}", "def f(n): return n in {1, 3}"),
    "a range": ("K = range(3)\ndef f(n): return n in K", "K = range(4)\ndef f(n): return n in K"),
    "an array": ("K = np.arange(3)\ndef f(n): return K[n]", "K = np.arange(3)[::-1].copy()\ndef f(n): return K[n]"),
    "an array's type": ("K = np.zeros(2)\ndef f(n): return K[n]", "K = np.zeros(2, int)\ndef f(n): return K[n]"),
    "an array's shape": (
        "K = np.zeros((2, 3))\ndef f(n): return len(K)",
        "K = np.zeros((3, 2))\ndef f(n): return len(K)",
    ),
    "a number of NumPy's": ("K = np.int64(3)\ndef f(n): return K", "K = np.int32(3)\ndef f(n): return K"),
    "a member of an enumeration": (
        "class E(enum.Enum):\n    A = 1\ndef f(n): return E.A.value",
        "class E(enum.Enum):\n    A = 2\ndef f(n): return E.A.value",
    ),
    "a member of an enumeration by itself": (
        "class E(enum.Enum):\n    A = 1\n    B = 2\nK = E.A\ndef f(n): return K",
        "class E(enum.Enum):\n    A = 1\n    B = 2\nK = E.B\ndef f(n): return K",
    ),
    "a number with a name": (
        "class E(enum.IntEnum):\n    A = 1\ndef f(n): return E.A",
        "class E(enum.IntEnum):\n    A = 2\ndef f(n): return E.A",
    ),
    "the order of a named tuple": (
        "class P(NamedTuple):\n    x: int\n    y: int\nK = P(1, 2)\ndef f(n): return K.x",
        "class P(NamedTuple):\n    y: int\n    x: int\nK = P(1, 2)\ndef f(n): return K.x",
    ),
    "the order of a named tuple that is made": (
        "P = namedtuple('P', 'x y')\ndef f(n): return P(n, 2).x",
        "P = namedtuple('P', 'y x')\ndef f(n): return P(n, 2).x",
    ),
    "a closed-over number": (
        "def outer(k):\n    def f(n): return n + k\n    return f\nf = outer(1)",
        "def outer(k):\n    def f(n): return n + k\n    return f\nf = outer(2)",
    ),
    "a closed-over function": (
        "def outer(k):\n    def f(n): return k(n)\n    return f\nf = outer(lambda n: n)",
        "def outer(k):\n    def f(n): return k(n)\n    return f\nf = outer(lambda n: -n)",
    ),
    "a function that is wrapped": (
        "def w(g):\n    @wraps(g)\n    def f(n): return g(n)\n    return f\n@w\ndef f(n): return n",
        "def w(g):\n    @wraps(g)\n    def f(n): return g(n)\n    return f\n@w\ndef f(n): return -n",
    ),
    "a function of a module": ("def f(n): return math.floor(n)", "def f(n): return math.ceil(n)"),
    "a text that is no docstring": (
        "def f(n):\n    g = lambda m: 'a' if m else 'b'\n    return g(n)",
        "def f(n):\n    g = lambda m: 'c' if m else 'b'\n    return g(n)",
    ),
    "a text that comes first": (
        "def f(n): return sum('a' < m for m in ('c', 'd'))",
        "def f(n): return sum('b' < m for m in ('c', 'd'))",
    ),
    "what is guarded": (
        "def f(n):\n    try:\n        m = n // 2\n    except Exception:\n        return 0\n    return m // n",
        "def f(n):\n    try:\n        m = n // 2\n        return m // n\n    except Exception:\n        return 0",
    ),
    "a builtin replaced": ("def f(n): return abs(n)", "def abs(n): return n\ndef f(n): return abs(n)"),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", DEPENDENCIES)
def test_dependencies_of_code_change_its_fingerprint(what: str) -> None:
    one, other = DEPENDENCIES[what]
    assert letters(one) == letters(one)
    assert letters(one) != letters(other)


# Edits of Nim, and of a class beside it, that change the machine code.
CLASS_EDITS = {
    "a method": ("return self.heap == 0", "return self.heap == 1"),
    "a method of its own": ("min(self.LARGEST", "max(self.LARGEST"),
    "a constant": ("LARGEST = 3", "LARGEST = 2"),
    "a default": ("heap: int = 5", "heap: int = 6"),
    "a field's type": ("heap: int = 5", "heap: Bitboard = 5"),
    "the order of fields": ("heap: int = 5\n    turn: int = MAX", "turn: int = MAX\n    heap: int = 5"),
    "one more field": ("turn: int = MAX\n", "turn: int = MAX\n    more: int = 0\n"),
    "a fact": ("LARGEST = 3", "LARGEST = 3; max_utility = 2"),
    "an optional method": ("def to_move", "def move_score(self, move): return move\n    def to_move"),
    "its name": ("class Nim", "class Nym"),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", CLASS_EDITS)
def test_members_of_a_class_change_its_fingerprint(what: str) -> None:
    old, new = CLASS_EDITS[what]
    assert NIM.count(old) == 1
    edited = NIM.replace(old, new)
    assert letters(NIM, "Nim") == letters(NIM, "Nim")
    assert letters(NIM, "Nim") != letters(edited, "Nym" if "Nym" in edited else "Nim")


@pytest.mark.quick
def test_inherited_methods_count() -> None:
    mixed = "class Rules:\n    K = 3\n    def most(self): return self.K\n" + NIM.replace(
        "class Nim:", "class Nim(Rules):"
    )
    mixed = mixed.replace("    def most(self): return min(self.LARGEST, self.heap)\n", "")
    assert letters(mixed, "Nim") != letters(mixed.replace("return self.K", "return 2"), "Nim")
    assert letters(mixed, "Nim") != letters(mixed.replace("K = 3", "K = 2"), "Nim")


@pytest.mark.quick
def test_an_interpreted_method_counts_if_compiled_code_calls_it() -> None:
    calls = NIM.replace("return self.heap == 0", "return self.after() == 0").replace(
        "def board(self)", "def after(self): return self.heap\n    def board(self)"
    )
    assert letters(calls, "Nim") != letters(
        calls.replace("after(self): return self.heap", "after(self): return 0"), "Nim"
    )
    helper = (
        NIM.replace("return self.heap == 0", "return over(self)") + "def over(nim): return nim.termination() == 0\n"
    )
    helper = helper.replace("def board(self)", "def termination(self): return self.heap\n    def board(self)")
    assert letters(helper, "Nim") != letters(
        helper.replace("termination(self): return self.heap", "termination(self): return 0"), "Nim"
    )


NEUTRAL = {
    "a comment": ("def to_move", "# whose turn\n    def to_move"),
    "an empty line": ("def to_move", "\n\n    def to_move"),
    "the class's docstring": ("One heap.", "One heap, and matches in it."),
    "a text": ("left'", "matches'"),
    "a text more": ("def board", "def move_name(self, move): return f'{move}!'\n    def board"),
    "something else in the file": ("@game", "UNRELATED = 3\ndef unrelated(): return 4\n@game"),
    "an annotation": ("def most(self)", "def most(self) -> int"),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", NEUTRAL)
def test_edits_that_do_not_matter_leave_the_fingerprint(what: str) -> None:
    old, new = NEUTRAL[what]
    assert NIM.count(old) == 1
    assert letters(NIM, "Nim") == letters(NIM.replace(old, new), "Nim")


@pytest.mark.quick
def test_docstrings_do_not_count() -> None:
    assert letters("def f(n):\n    'One.'\n    return n") == letters("def f(n):\n    'Another.'\n    return n")
    nested = "def f(n):\n    def g(m):\n        'One.'\n        return m\n    return g(n)"
    assert letters(nested) == letters(nested.replace("One", "Another"))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("module", "source", "old", "new"),
    [
        ("other", "def f(n): return other.helped(n)", "n + 1", "n - 1"),
        ("other", "def f(n): return n + other.SIZE", "SIZE = 3", "SIZE = 4"),
        ("other", "def f(n): return n + other.SIZE", "SIZE = 3", "SIZE = 3.5"),
        ("other", "def f(n): return n + other.TABLE[0]", "(1, 2)", "(2, 2)"),
        ("other", "def f(n): return n + other.ARRAY[0]", "arange(3)", "arange(4)"),
        ("package.inner", "def f(n): return package.inner.deep(n)", "n * 2", "n * 3"),
        ("package.inner", "from package import inner\ndef f(n): return inner.deep(n)", "n * 2", "n * 3"),
        ("package.inner", "from package.inner import deep\ndef f(n): return deep(n)", "n * 2", "n * 3"),
    ],
)
def test_used_definitions_of_other_modules_count(
    monkeypatch: pytest.MonkeyPatch, module: str, source: str, old: str, new: str
) -> None:
    before = letters(source)
    assert old in OTHER[module]
    _install(monkeypatch, {module: OTHER[module].replace(old, new)})
    assert letters(source) != before


@pytest.mark.quick
def test_unused_definitions_of_other_modules_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = letters("def f(n): return other.helped(n)")
    _install(monkeypatch, {"other": OTHER["other"].replace("SIZE = 3", "SIZE = 4")})
    assert letters("def f(n): return other.helped(n)") == before


@pytest.mark.quick
def test_equal_constants_have_equal_fingerprints() -> None:
    source = "A = (1, 2, 3)\nB = {}\ndef f(n): return A[n] + B[n]"
    assert letters(source.format("A")) == letters(source.format("tuple([1, 2, 3])"))


@pytest.mark.quick
def test_code_of_python_and_numpy_is_not_visited() -> None:
    function = made("from statistics import mean\ndef f(n): return mean(np.linspace(0, n))")
    assert reachable_functions(function) == [function]


@pytest.mark.quick
def test_reachable_functions() -> None:
    names = [function.__name__ for function in reachable_functions(made(NIM, "Nim"))]
    assert {"to_move", "moves", "most", "play", "is_over", "utility", "key", "hash_combine"} <= set(names)
    assert "board" not in names
    assert len(names) == len(set(names))


@pytest.mark.quick
@pytest.mark.slow
def test_fingerprints_are_equal_in_every_process() -> None:
    source = NIM + (
        "TEXTS = frozenset(('a', 'b', 'c', ('d', 1)))\n"
        "def f(n): return n in {1, 2, 3} or n in {'x', 'y', 'z'} or n in TEXTS or Nim(n).heap\n"
    )
    script = (
        HEAD.replace("import other\nimport package.inner\n", "")
        + source
        + ("from zermelo.compiled.fingerprint import fingerprint\nprint(fingerprint(f, Nim))")
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in "012"
    }
    assert len(found) == 1
