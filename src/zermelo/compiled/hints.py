"""`zermelo.core.hints` in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from zermelo.compiled._numba import cgutils
from zermelo.core.hints import narrow, prefetch, unlikely


@intrinsic
def _expect_false(typingctx, condition):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bit = ir.IntType(1)
        kind = ir.FunctionType(bit, [bit, bit])
        expect = cgutils.get_or_insert_function(builder.module, kind, "llvm.expect.i1")
        return builder.call(expect, [args[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), implement


@overload(unlikely, inline="always")
def _unlikely(condition):  # type: ignore[no-untyped-def]
    return lambda condition: _expect_false(condition)


@overload(narrow, inline="always")
def _narrow(value):  # type: ignore[no-untyped-def]
    return lambda value: np.int32(value)


@intrinsic
def _prefetch(typingctx, pointer, index):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = ir.IntType(32)
        address = builder.bitcast(builder.gep(args[0], [args[1]]), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        load = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        to_read, keep, data = ir.Constant(number, 0), ir.Constant(number, 3), ir.Constant(number, 1)
        builder.call(load, [address, to_read, keep, data])
        return context.get_dummy_value()

    return types.none(pointer, index), implement


@overload(prefetch, inline="always")
def _prefetched(words, index):  # type: ignore[no-untyped-def]
    if isinstance(words, types.CPointer):
        return lambda words, index: _prefetch(words, index)
    return lambda words, index: None
