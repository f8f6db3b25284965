"""The private names of Numba that Zermelo relies on: what each must do, and what breaks without it."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from zermelo import Bitboard, game
from zermelo.compiled import _numba, native
from zermelo.errors import GameError

SOURCES = Path(_numba.__file__).parent
OFF = bool(os.environ.get("NUMBA_DISABLE_JIT"))
compiled_only = pytest.mark.skipif(OFF, reason="Numba is switched off")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_private_names_are_used_in_one_file_only() -> None:
    public = ("numba.extending.", "llvmlite.binding", "llvmlite.ir", "numba.types", "numba.config")
    for path in SOURCES.parent.rglob("*.py"):
        if path.name == "_numba.py":
            continue
        for name in imports(path):
            if name.startswith(("numba.", "llvmlite.")):
                assert path.parent == SOURCES, f"{path} imports {name}"
                assert name.startswith(public), f"{path} imports the private name {name}"


def test_the_declared_range_is_the_tested_one() -> None:
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"numba>={_numba.TESTED[0]}"' in project


def test_a_version_without_a_name_is_refused_in_one_line() -> None:
    program = (
        "import numba.core.runtime.nrt as nrt; del nrt.rtsys\n"
        "from zermelo.errors import MissingDependency\n"
        "try:\n    import zermelo.compiled\n"
        "except MissingDependency as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    [line] = done.stdout.splitlines()
    assert line.startswith(f"Numba {numba.__version__} is not supported (cannot import name 'rtsys'")


def add(a, b):
    return a + b


@pytest.fixture
def dispatcher() -> Any:
    return numba.njit(add)


@compiled_only
class TestDispatchers:
    """Without these no function is compiled, cached, or checked against the contract."""

    def test_a_dispatcher_is_told_from_a_function(self, dispatcher: Any) -> None:
        assert _numba.is_dispatcher(dispatcher)
        assert not _numba.is_dispatcher(add)

    def test_a_dispatcher_consults_the_cache_that_it_is_given(self, dispatcher: Any) -> None:
        calls: list[str] = []

        class Recorder(_numba.NullCache):
            def load_overload(self, sig: Any, target_context: Any) -> Any:
                calls.append("load")

            def save_overload(self, sig: Any, data: Any) -> None:
                calls.append("save")

        _numba.set_cache(dispatcher, Recorder())
        dispatcher.compile((types.int64, types.int64))
        assert calls == ["load", "save"]

    def test_the_type_that_a_function_returns(self, dispatcher: Any) -> None:
        dispatcher.compile((types.int64, types.int64))
        assert _numba.return_type(dispatcher, (types.int64, types.int64)) == types.int64

    def test_the_types_of_arguments_can_be_folded(self, dispatcher: Any) -> None:
        """Otherwise a cached recursive function crashes the process that loads it (numba#6061)."""
        seen = []

        def wrap(fold: Any) -> Any:
            def wrapped(args: Any, kws: Any) -> Any:
                signature, folded = fold(args, kws)
                seen.append(folded)
                return signature, folded

            return wrapped

        _numba.wrap_fold(dispatcher, wrap)

        @numba.njit
        def caller(a):
            return dispatcher(a, 1)

        assert caller(3) == 4
        assert any(isinstance(kind, types.IntegerLiteral) for kinds in seen for kind in kinds)

    def test_whether_numba_implements_a_function(self) -> None:
        """Otherwise rules that call NumPy, or what is written with `overload`, would compile the Python source."""
        assert _numba.has_implementation(np.sum)
        assert not _numba.has_implementation(add)

    def test_a_function_that_code_names_differs_from_one_that_is_an_argument(self) -> None:
        """Otherwise code with functions as arguments would be stored, and never found again (numba#6264)."""
        assert isinstance(_numba.typeof(add, _numba.Purpose.constant), types.Dispatcher)
        with pytest.raises(ValueError, match="Cannot determine Numba type"):
            _numba.typeof(add, _numba.Purpose.argument)


@compiled_only
class TestCompiledCodeAsData:
    """Without these the cache cannot store or restore machine code."""

    @pytest.fixture
    def result(self, dispatcher: Any) -> Any:
        dispatcher.compile((types.int64, types.int64))
        return dispatcher.overloads[types.int64, types.int64]

    def test_it_survives_pickling(self, dispatcher: Any, result: Any) -> None:
        context = dispatcher.targetctx
        reduced = pickle.loads(_numba.dumps(_numba.reduce(result)))
        _numba.initialize_runtime(context)
        rebuilt = _numba.rebuild(context, reduced)
        assert rebuilt.entry_point(2, 3) == 5
        assert rebuilt.signature == result.signature

    def test_all_of_numba_can_be_loaded(self, dispatcher: Any) -> None:
        _numba.load_all_of_numba(dispatcher.targetctx)

    def test_code_without_addresses_of_this_process_is_cacheable(self, result: Any) -> None:
        assert _numba.is_cacheable(result)

    def test_the_functions_that_code_calls(self, result: Any) -> None:
        names = _numba.declared_functions(result.library)
        assert names
        assert all(isinstance(name, str) for name in names)
        assert any(name.startswith("Py") for name in names)  # its wrapper converts Python's ints

    def test_holes_left_by_functions_that_call_each_other(self) -> None:
        """Such code runs in the process that compiled it only, and must not be stored."""
        scope: dict[str, Any] = {"numba": numba}
        source = """
@numba.njit
def even(n):
    return True if n == 0 else odd(n - 1)

@numba.njit
def odd(n):
    return False if n == 0 else even(n - 1)
"""
        exec(source, scope)
        assert scope["even"](4)
        libraries = [each.library for name in ("even", "odd") for each in scope[name].overloads.values()]
        holes = [name for library in libraries for name in _numba.unresolved_functions(library)]
        assert any("even" in name or "odd" in name for name in holes)


@compiled_only
class TestTypes:
    """Without these states, evaluations and Bitboards are no types of compiled code; test_values.py runs them all."""

    def test_keyword_and_default_arguments_are_folded(self) -> None:
        import inspect

        def place(index: int, parameter: Any, value: Any) -> Any:
            return value

        folded = _numba.fold_arguments(
            inspect.signature(lambda a, b=5: None), (), {"a": 1}, place, lambda i, p, v: "default", None
        )
        assert folded == (1, "default")

    def test_constructors_fields_and_methods(self) -> None:
        """`AbstractTemplate`, `AttributeTemplate`, `signature`, `lower_builtin`, `cgutils`, `impl_ret_borrowed`."""
        assert native(half_and_play, Pile(8))(Pile(8)) == Pile(stones=3, turn=1)

    def test_constants_and_iteration(self) -> None:
        """`lower_constant`, `iternext_impl`, `impl_ret_untracked`, `RefType`."""
        assert native(sum_of_corners, 1)(1) == 1 + 0 + 7 + 56 + 63

    def test_a_wrong_constructor_is_a_typing_error(self) -> None:
        with pytest.raises(GameError, match=r"Pile\(stones, turn\): got an unexpected keyword argument 'stone'"):
            native(misspelt, Pile(8))
        assert issubclass(_numba.TypingError, numba.core.errors.NumbaError)


CORNERS = Bitboard(0x8100000000000081)


@game
class Pile:
    stones: int = 8
    turn: int = 1

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1

    def play(self, move):
        return Pile(self.stones - move, turn=self.turn)

    def is_over(self):
        return self.stones == 0

    def utility(self):
        return -self.turn


def half_and_play(state):
    return Pile(stones=state.stones // 2).play(1)


def misspelt(state):
    return Pile(stone=3)


def sum_of_corners(total):
    for square in CORNERS:
        total += square
    return total


@compiled_only
class TestPipeline:
    """Without these a generator that is abandoned leaks what it holds; test_leaks.py and test_rows.py run them."""

    def test_one_compilation_can_be_wrapped(self, dispatcher: Any) -> None:
        compiled: list[Any] = []

        def wrap(compiler: Any, plain: Any) -> Any:
            assert hasattr(compiler, "pipeline_class")

            def wrapped(args: Any, return_type: Any) -> Any:
                compiled.append(args)
                return plain(args, return_type)

            return wrapped

        _numba.wrap_compile(dispatcher, wrap)
        assert dispatcher(2, 3) == 5
        assert compiled == [(types.int64, types.int64)]

    def test_which_types_are_counted(self) -> None:
        assert _numba.is_counted(types.List(types.int64))
        assert not _numba.is_counted(types.UniTuple(types.int64, 3))

    def test_steps_of_the_pipeline(self) -> None:
        """`CompilerBase`, `DefaultPassBuilder`, `FunctionPass`, `register_pass`, `FixupArgs`, `NopythonTypeInference`,
        `ir`: a generator that holds a list is collected, `ListInstance`: and a list becomes a tuple."""
        assert native(held, Pile(8))(Pile(8)) == 6


def steps(items):
    for item in items:
        yield item


def held(pile):
    total = 0
    for item in steps([1, 2, 3]):
        total += item
    return total


# Compiles a function that calls a compiled one, with an interrupt in the middle of the given function of LLVM.
INTERRUPTED_LINKING = """
import gc, signal, sys
from llvmlite.binding import ffi
import zermelo.compiled._numba
import numba

class Library:
    armed = ""
    def __init__(self, library):
        self.library = library
    def __getattr__(self, name):
        function = getattr(self.library, name)
        def interrupted(*arguments):
            result = function(*arguments)
            Library.armed = ""
            signal.raise_signal(signal.SIGINT)
            return result
        return interrupted if name == Library.armed else function

ffi.lib = Library(ffi.lib)
inner = numba.njit(lambda x: x + 1)
outer = numba.njit(lambda x: inner(x) * 3)
inner(1)
Library.armed = sys.argv[1]
try:
    outer(1)
except KeyboardInterrupt:
    print("interrupted")
gc.collect()
print(numba.njit(lambda x: inner(x) * 3)(1))
"""


@compiled_only
@pytest.mark.parametrize("function", ["LLVMPY_LinkModules", "LLVMPY_AddModule"])
def test_an_interrupt_waits_until_a_module_has_its_new_owner(function: str) -> None:
    """After an interrupt while modules were linked, one was freed twice: a segmentation fault."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_LINKING, function], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()) == (0, ["interrupted", "6"]), done.stderr
