"""Plain functions in compiled code: rules call helpers of their own without decorating them.

A plain Python function that compiled code refers to (a helper in the game's module, a part of the kernel) is
compiled on first use, once for each combination of argument types. So neither a game nor the search imports
Numba: their source stays plain Python.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numba
from numba.core import types
from numba.core.registry import cpu_target
from numba.core.typing.typeof import Purpose, typeof
from numba.extending import typeof_impl

# Functions that Python calls need a wrapper, those that only compiled code calls do not: a sixth less to compile.
_OPTIONS = {
    True: {"nogil": True},
    False: {"no_cpython_wrapper": True, "no_cfunc_wrapper": True},
}
_dispatchers: dict[bool, WeakKeyDictionary[FunctionType, Any]] = {True: WeakKeyDictionary(), False: WeakKeyDictionary()}


def dispatcher_of(function: FunctionType, is_entry: bool = False) -> Any:
    """The Numba dispatcher of a plain function, one for the life of the function.

    That of an entry is called from Python, and releases the GIL; any other one from compiled code only.
    """
    known = _dispatchers[is_entry]
    if function not in known:
        dispatcher = numba.njit(**_OPTIONS[is_entry])(function)
        if hasattr(dispatcher, "_compiler"):  # else Numba is switched off
            _fold_to_plain_types(dispatcher._compiler)
        known[function] = dispatcher
    return known[function]


def _fold_to_plain_types(compiler: Any) -> None:
    """Let the types of literals and of default values count as those of variables, for all calls of a function.

    Numba otherwise compiles `f(state, 0)` apart from `f(state, depth)`. Where f calls itself, the two then refer
    to each other's code, and machine code loaded from a cache has only one of them: the process that compiled
    it works, every later one crashes (numba#6061).
    """
    fold = compiler.fold_argument_types

    def fold_to_plain_types(args: Any, kws: Any) -> Any:
        signature, folded = fold(args, kws)
        return signature, tuple(
            typeof(argument.value) if isinstance(argument, types.Omitted) else types.unliteral(argument)
            for argument in folded
        )

    compiler.fold_argument_types = fold_to_plain_types


@typeof_impl.register(FunctionType)
def _typeof(function: FunctionType, context: Any) -> types.Type | None:
    # Only where code names the function. A function passed as an argument stays what Numba makes of it:
    # code compiled for it could never be found in the cache again (numba#6264, #6972).
    if context.purpose is not Purpose.constant:
        return None
    # Functions that Numba has an implementation for (numpy's, and what is written with `overload`) are plain
    # functions too; this is asked before Numba looks for that.
    if cpu_target.typing_context._get_global_type(function) is not None:
        return None
    # An entry that calls itself, or is called by what it calls, stays the one that is being compiled.
    return types.Dispatcher(dispatcher_of(function, is_entry=function in _dispatchers[True]))
