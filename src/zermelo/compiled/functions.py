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
from numba.core.typing.typeof import Purpose
from numba.extending import typeof_impl

_dispatchers: WeakKeyDictionary[FunctionType, Any] = WeakKeyDictionary()


def dispatcher_of(function: FunctionType) -> Any:
    """The Numba dispatcher of a plain function: one for the life of the function. It releases the GIL."""
    if function not in _dispatchers:
        _dispatchers[function] = numba.njit(nogil=True)(function)
    return _dispatchers[function]


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
    return types.Dispatcher(dispatcher_of(function))
