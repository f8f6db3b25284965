"""`zermelo.core.pointer` in compiled code: a one-dimensional array's address, and bytes read from an address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, overload

from zermelo.core.pointer import as_pointer, load_byte


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


@intrinsic
def _load_byte(typingctx, address, offset):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(*args), ir.IntType(8).as_pointer())
        return builder.sext(builder.load(pointer), ir.IntType(64))

    return types.int64(types.int64, types.int64), implement


@overload(load_byte)
def _load_byte_at(address, offset):  # type: ignore[no-untyped-def]
    return lambda address, offset: _load_byte(address, offset)
