"""`zermelo.core.pointer.as_pointer` in compiled code: a one-dimensional array's address."""

from __future__ import annotations

from typing import Any

from numba import config, types
from numba.extending import intrinsic, overload

from zermelo.core.pointer import as_pointer


@intrinsic
def _address(typingctx, array):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), implement


@overload(as_pointer)
def _as_pointer(array):  # type: ignore[no-untyped-def]
    if isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and not config.BOUNDSCHECK:
        return lambda array: _address(array)
    return lambda array: array
