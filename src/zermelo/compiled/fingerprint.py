"""Fingerprints: a hash of everything that a piece of compiled code depends on.

Numba's own cache checks one source file, and returns old code when a function in another file was edited (numba#1833).
The fingerprint of a function covers its bytecode and constants and, recursively, all that its code refers to: other
functions, classes and their methods, and the values of global constants, which become part of the machine code.
Comments, docstrings and line numbers do not count.
"""

from __future__ import annotations

import builtins
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.hooks import interpreted_names
from zermelo.core.value import Value, is_constant

# Hexadecimal digits of a fingerprint: 64 bits.
DIGITS = 16


def fingerprint(*things: Any) -> str:
    """Hash the code of functions and classes, 64 bits as hexadecimal digits."""
    return _Walk(things).digits()


def reachable_functions(*things: Any) -> list[types.FunctionType]:
    """List every plain function that some functions and classes depend on."""
    return [thing for thing in _Walk(things).visited if isinstance(thing, types.FunctionType)]


class _Walk:
    """Visits everything reachable from some functions and classes, each once, in a fixed order."""

    def __init__(self, things: Any) -> None:
        self._hash = hashlib.blake2b(digest_size=DIGITS // 2)
        self._seen: dict[int, int] = {}
        self.visited: list[Any] = []  # in order; keeps alive what _seen refers to by id
        self._named: set[str] = set()  # every name that visited code mentions
        self._interpreted: list[tuple[str, Any]] = []  # methods left out unless visited code names them
        self._add_all(things)
        while called := [member for member in self._interpreted if member[0] in self._named]:
            self._interpreted = [member for member in self._interpreted if member not in called]
            self._add_all(called)

    def digits(self) -> str:
        return self._hash.hexdigest()

    def _write(self, *words: object) -> None:
        self._hash.update(repr(words).encode())

    def _add_all(self, things: Any) -> None:
        for thing in things:
            self._add(thing)

    def _add(self, thing: Any) -> None:
        # Plain values by content: whether two equal ones are the same object depends on the Python version.
        if isinstance(thing, _PLAIN):
            self._write(type(thing).__name__, int(thing) if isinstance(thing, int) else thing)
        elif isinstance(thing, tuple):
            self._write("tuple", len(thing))
            if type(thing) is not tuple:
                self._add(type(thing))
            self._add_all(thing)
        elif isinstance(thing, (frozenset, set)):  # unordered
            self._write("set", sorted(fingerprint(item) for item in thing))
        elif _is_installed(thing):
            self._write("installed", thing.__module__, thing.__qualname__)
        elif id(thing) in self._seen:  # a second visit or a cycle: write its position in the walk
            self._write("again", self._seen[id(thing)])
        else:
            self._seen[id(thing)] = len(self._seen)
            self.visited.append(thing)
            self._add_once(thing)

    def _add_once(self, thing: Any) -> None:
        if isinstance(thing, types.FunctionType):
            self._add_function(thing)
        elif isinstance(thing, types.CodeType):
            self._add_code(thing)
        elif isinstance(thing, (classmethod, staticmethod)):
            self._add(thing.__func__)
        elif isinstance(thing, type):
            self._add_class(thing)
        elif isinstance(thing, types.ModuleType):
            self._write("module", thing.__name__)
        elif hasattr(thing, "dtype") and hasattr(thing, "tobytes"):
            self._write("array", str(thing.dtype), getattr(thing, "shape", ()))
            self._hash.update(thing.tobytes())
        elif isinstance(thing, list):
            self._write("list", len(thing))
            self._add_all(thing)
        elif isinstance(thing, dict):
            self._write("dict", len(thing))
            self._add_all(thing.items())
        elif isinstance(thing, enum.Enum):
            self._write("enum", thing.name)
            self._add(thing.value)
        elif hasattr(thing, "py_func"):  # a function that the user compiled with Numba
            self._write("options", sorted(map(repr, getattr(thing, "targetoptions", {}).items())))
            self._add(thing.py_func)
        else:
            self._write("thing", type(thing).__module__, type(thing).__qualname__, getattr(thing, "__name__", ""))

    def _add_function(self, function: types.FunctionType) -> None:
        self._write("function", function.__module__, function.__qualname__)  # machine code imports the module by name
        if getattr(function, "is_inlined", False):
            self._write("inline")
        self._add(function.__code__)
        self._add(function.__defaults__)
        self._add(function.__kwdefaults__)
        for name in _names(function.__code__):
            self._named.add(name)
            if name in function.__globals__:
                self._write("global", name)
                self._add(function.__globals__[name])
            elif not hasattr(builtins, name):
                self._write("attribute", name)
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:  # still empty
                self._write("empty")
            else:
                self._add(content)
        for path, value in _module_attributes(function):
            self._write("attribute", path)
            self._add(value)

    def _add_code(self, code: types.CodeType) -> None:
        # All but file names and line numbers.
        self._write(
            code.co_code, code.co_exceptiontable, code.co_flags, code.co_argcount, code.co_posonlyargcount,
            code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        )  # fmt: skip
        self._add(code.co_consts[1:] if _has_docstring(code) else code.co_consts)

    def _add_class(self, cls: type) -> None:
        self._write("class", cls.__module__, cls.__qualname__)
        if issubclass(cls, enum.Enum):
            self._add([(name, member.value) for name, member in cls.__members__.items()])
        elif hasattr(cls, "_fields"):  # a named tuple
            self._add(tuple(cls._fields))
        if not issubclass(cls, Value):
            return
        self._write([str(field) for field in cls.fields], [field.name for field in cls.fields])
        bases = [base for base in reversed(cls.__mro__) if base not in (object, tuple)]
        members = {name: value for base in bases for name, value in vars(base).items()}
        for name in sorted(members):
            value = members[name]
            if name == "__new__":
                self._add(getattr(value, "__defaults__", None))
            elif name.startswith("__") or not (isinstance(value, types.FunctionType) or is_constant(value)):
                continue
            elif name in _INTERPRETED or hasattr(value, "interpreted"):
                self._interpreted.append((name, value))
            else:
                self._write("member", name)
                self._add(value)


_PLAIN = (int, float, complex, str, bytes, range, slice, type(None), type(Ellipsis))

# Editing an interpreted method leaves compiled code valid, unless compiled code calls a method of that name.
_INTERPRETED = frozenset(interpreted_names(State) | interpreted_names(Evaluation))


def _is_installed(thing: Any) -> bool:
    """Whether a function or class belongs to Python, NumPy or Numba, whose versions are part of `machine`."""
    if not isinstance(thing, (types.FunctionType, type)):
        return False
    package = (thing.__module__ or "").partition(".")[0]
    return package != "__main__" and (package in sys.stdlib_module_names or package in ("numpy", "numba", "llvmlite"))


def _has_docstring(code: types.CodeType) -> bool:
    """Whether the first constant is a docstring and not a string that the code uses."""
    if not (code.co_consts and isinstance(code.co_consts[0], str)):
        return False
    if sys.version_info >= (3, 14):
        return bool(code.co_flags & 0x4000000)  # inspect.CO_HAS_DOCSTRING
    return not code.co_name.startswith("<")  # a function's first constant is its docstring or None


def _names(code: types.CodeType) -> list[str]:
    """The names that a function's code and the code nested in it look up outside the function."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += _names(constant)
    return names


def _module_attributes(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What the code uses of modules that it names: `helpers.mobility`, `package.helpers.SIZE`."""
    names = sorted(set(_names(function.__code__)))
    modules = [function.__globals__[n] for n in names if isinstance(function.__globals__.get(n), types.ModuleType)]
    seen = set()
    while modules:
        module = modules.pop()
        if module.__name__ in seen:
            continue
        seen.add(module.__name__)
        for name in names:
            value = getattr(module, name, None)
            if isinstance(value, types.ModuleType):
                modules.append(value)
            elif value is not None:
                yield f"{module.__name__}.{name}", value


@functools.cache
def machine() -> str:
    """Hash everything else that machine code depends on: this package, versions, processor, Numba's settings."""
    import platform

    import llvmlite
    import llvmlite.binding as llvm
    import numba
    import numpy
    from numba import config

    features = llvm.get_host_cpu_features()
    settings = {
        name: getattr(config, name, None)
        for name in ("BOUNDSCHECK", "OPT", "CPU_NAME", "CPU_FEATURES", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE",
                     "SLP_VECTORIZE", "ENABLE_AVX")
    }  # fmt: skip
    sources = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    parts = (
        sources, sys.version, platform.machine(), platform.system(), numba.__version__, llvmlite.__version__,
        numpy.__version__, llvm.get_host_cpu_name(), sorted(features.items()), sorted(settings.items(), key=repr),
    )  # fmt: skip
    return hashlib.blake2b(repr(parts).encode(), digest_size=DIGITS // 2).hexdigest()
