"""`zermelo.core.hints` in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from zermelo.compiled._numba import cgutils
from zermelo.core.hints import narrow, unlikely


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
