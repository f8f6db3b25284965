"""Fingerprints of code: what a piece of compiled code depends on, boiled down to a few letters.

Numba's own cache looks at one source file, and answers with old code when a function in another file was
edited (numba#1833). Here the fingerprint of a function covers its bytecode and constants and, one by one, all
that its code refers to: other functions, classes and their methods, and the *values* of global constants
(they are frozen into machine code). Comments, docstrings and the place of a file do not matter.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import types
from typing import Any

from zermelo.value import Value

LETTERS = 16


def fingerprint(*things: Any) -> str:
    """Letters that differ, but for a chance of 2**-64, whenever the code of the functions and classes does."""
    return _Digest().add_all(things).letters()


def reachable_functions(*things: Any) -> list[types.FunctionType]:
    """Every plain function that the functions and classes depend on."""
    return [thing for thing in _Digest().add_all(things).visited if isinstance(thing, types.FunctionType)]


class _Digest:
    """Walks everything reachable from some functions and classes, each once, in a fixed order."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=LETTERS // 2)
        self._seen: dict[int, int] = {}
        self.visited: list[Any] = []  # in order; what _seen knows by id must stay alive

    def letters(self) -> str:
        return self._hash.hexdigest()

    def add_all(self, things: Any) -> _Digest:
        for thing in things:
            self.add(thing)
        return self

    def _write(self, *words: object) -> None:
        self._hash.update(repr(words).encode())

    def add(self, thing: Any) -> None:
        if isinstance(thing, (int, float, complex, str, bytes, type(None), type(Ellipsis))):
            self._write(type(thing).__name__, int(thing) if isinstance(thing, int) else thing)
            return
        if id(thing) in self._seen:  # a second visit, or a cycle: its place in the walk stands for it
            self._write("again", self._seen[id(thing)])
            return
        self._seen[id(thing)] = len(self._seen)
        self.visited.append(thing)
        if isinstance(thing, types.FunctionType):
            self._add_function(thing)
        elif isinstance(thing, types.CodeType):
            self._add_code(thing)
        elif isinstance(thing, (classmethod, staticmethod)):
            self.add(thing.__func__)
        elif isinstance(thing, type):
            self._add_class(thing)
        elif isinstance(thing, types.ModuleType):
            self._write("module", thing.__name__)
        elif hasattr(thing, "dtype") and hasattr(thing, "tobytes"):
            self._write("array", str(thing.dtype), getattr(thing, "shape", ()))
            self._hash.update(thing.tobytes())
        elif isinstance(thing, (tuple, list)):
            self._write(type(thing).__name__, len(thing))
            self.add_all(thing)
        elif isinstance(thing, (frozenset, set)):
            self._write(type(thing).__name__, sorted(map(repr, thing)))
        elif hasattr(thing, "py_func"):  # a function the user has compiled with Numba already
            self.add(thing.py_func)
        else:
            self._write("thing", type(thing).__module__, type(thing).__qualname__, getattr(thing, "__name__", ""))

    def _add_function(self, function: types.FunctionType) -> None:
        self._write("function", function.__qualname__, function.__kwdefaults__)
        self.add(function.__code__)
        self.add(function.__defaults__ or ())
        for name in _names(function.__code__):
            if name in function.__globals__:
                self._write("global", name)
                self.add(function.__globals__[name])
            elif not hasattr(builtins, name):
                self._write("attribute", name)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents)
        for module, attribute in _module_attributes(function):
            self._write("attribute", module.__name__, attribute)
            self.add(getattr(module, attribute))

    def _add_code(self, code: types.CodeType) -> None:
        self._write(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_flags)
        consts = code.co_consts[1:] if code.co_consts and isinstance(code.co_consts[0], str) else code.co_consts
        self.add_all(consts)

    def _add_class(self, cls: type) -> None:
        self._write("class", cls.__qualname__)
        if not issubclass(cls, Value):
            return
        self._write([str(field) for field in cls.fields], [field.name for field in cls.fields])
        members = {name: value for base in reversed(cls.__mro__) if issubclass(base, Value)
                   for name, value in vars(base).items()}  # fmt: skip
        for name in sorted(members):
            value = members[name]
            if name == "__new__":
                self.add(value.__defaults__ or ())
            elif name.startswith("__") or name in _TEXT:
                continue
            elif isinstance(value, (types.FunctionType, int)):
                self._write("member", name)
                self.add(value)


# Methods that are only ever interpreted: editing them must not throw compiled code away.
_TEXT = frozenset(
    ("parse", "start", "board", "player_name", "move_name", "parse_move", "legal_moves", "after", "_content")
)


def _names(code: types.CodeType) -> list[str]:
    """The names that a function's code, and the code nested in it, looks up outside of itself."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += _names(constant)
    return names


def _module_attributes(function: types.FunctionType) -> list[tuple[types.ModuleType, str]]:
    """Functions and numbers that the code reaches through a module it names: `helpers.mobility`."""
    names = _names(function.__code__)
    modules = [function.__globals__[n] for n in names if isinstance(function.__globals__.get(n), types.ModuleType)]
    return [
        (module, name)
        for module in modules
        for name in names
        if isinstance(getattr(module, name, None), (types.FunctionType, int, tuple))
    ]


@functools.cache
def machine() -> str:
    """Letters for everything else that machine code depends on: versions, processor, Numba's switches."""
    import platform
    import sys

    import llvmlite
    import llvmlite.binding as llvm
    import numba
    import numpy
    from numba.core import config

    features = llvm.get_host_cpu_features()
    switches = {
        name: getattr(config, name, None)
        for name in ("BOUNDSCHECK", "OPT", "CPU_NAME", "CPU_FEATURES", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE",
                     "SLP_VECTORIZE", "ENABLE_AVX")
    }  # fmt: skip
    parts = (
        sys.version, platform.machine(), platform.system(), numba.__version__, llvmlite.__version__,
        numpy.__version__, llvm.get_host_cpu_name(), sorted(features.items()), sorted(switches.items(), key=repr),
    )  # fmt: skip
    return hashlib.blake2b(repr(parts).encode(), digest_size=LETTERS // 2).hexdigest()
