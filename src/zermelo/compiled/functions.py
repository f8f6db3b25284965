"""Plain functions in compiled code: rules call their own helpers without decorating them.

A plain Python function that compiled code refers to (a helper in the game's module, a part of the kernel) is compiled
on first use, once for each combination of argument types. So neither a game nor the search imports Numba: their source
stays plain Python.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numba
from numba import types
from numba.extending import typeof_impl

from zermelo.compiled import _numba, generators

# Functions that Python calls need a wrapper. Those that only compiled code calls do not: a sixth less to compile.
_OPTIONS = {
    True: {"nogil": True},
    False: {"no_cpython_wrapper": True, "no_cfunc_wrapper": True},
}
_dispatchers: dict[bool, WeakKeyDictionary[FunctionType, Any]] = {True: WeakKeyDictionary(), False: WeakKeyDictionary()}


def dispatcher_of(function: FunctionType, is_entry: bool = False) -> Any:
    """The Numba dispatcher of a plain function, one for the life of the function.

    That of an entry is called from Python and releases the GIL; all others are called from compiled code only.
    """
    known = _dispatchers[is_entry]
    if function not in known:
        dispatcher = numba.njit(**_OPTIONS[is_entry], forceinline=getattr(function, "is_inlined", False))(function)
        if _numba.is_dispatcher(dispatcher):
            _numba.wrap_fold(dispatcher, _fold_to_plain_types)
            _numba.wrap_compile(dispatcher, generators.compile_core)
        known[function] = dispatcher
    return known[function]


def _fold_to_plain_types(fold: Any) -> Any:
    """Make literals and default values count as plain types in all calls of a function.

    Numba otherwise compiles `f(state, 0)` apart from `f(state, depth)`. Where f calls itself, the two then refer to
    each other's code, and machine code loaded from a cache has only one of them: the process that compiled it works,
    every later one crashes (numba#6061).
    """

    def fold_to_plain_types(args: Any, kws: Any) -> Any:
        signature, folded = fold(args, kws)
        return signature, tuple(
            _numba.typeof(argument.value) if isinstance(argument, types.Omitted) else types.unliteral(argument)
            for argument in folded
        )

    return fold_to_plain_types


@typeof_impl.register(FunctionType)
def _typeof(function: FunctionType, context: Any) -> types.Type | None:
    # Only where code names the function. A function passed as an argument keeps the type that Numba gives it: code
    # compiled for that could never be found in the cache again (numba#6264, #6972).
    if context.purpose is not _numba.Purpose.constant:
        return None
    # Functions that Numba implements are plain functions too, and Numba calls this before it looks for them.
    if _numba.has_implementation(function):
        return None
    # An entry that calls itself, or is called by a function that it calls, stays the one that is being compiled.
    return types.Dispatcher(dispatcher_of(function, is_entry=function in _dispatchers[True]))
