"""`zermelo.core.layers` in compiled code: loops that LLVM vectorises where the count is a constant.

Numba inlines them: a call that passes arrays counts references, which costs a chess search a tenth of its speed.
Sums are kept on the stack, since Numba warns about variables of inlined functions that are assigned twice. LLVM turns
them into registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from zermelo.compiled._numba import cgutils
from zermelo.core import layers
from zermelo.core.hints import narrow


@intrinsic
def _zero(typingctx):  # type: ignore[no-untyped-def]
    """Return a pointer to a 32-bit int on the stack, set to 0."""

    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        slot = cgutils.alloca_once(builder, ir.IntType(32))
        builder.store(ir.Constant(ir.IntType(32), 0), slot)
        return slot

    return types.CPointer(types.int32)(), implement


@overload(layers.add_row, inline="always")
def _add_row(accumulator, first, row, count):  # type: ignore[no-untyped-def]
    def add(accumulator, first, row, count):  # type: ignore[no-untyped-def]
        for unit in range(count):
            accumulator[first + unit] += int(row[unit])

    return add


@overload(layers.subtract_row, inline="always")
def _subtract_row(accumulator, first, row, count):  # type: ignore[no-untyped-def]
    def subtract(accumulator, first, row, count):  # type: ignore[no-untyped-def]
        for unit in range(count):
            accumulator[first + unit] -= int(row[unit])

    return subtract


@overload(layers.exchange_rows, inline="always")
def _exchange_rows(accumulator, first, gone, come, count):  # type: ignore[no-untyped-def]
    def exchange(accumulator, first, gone, come, count):  # type: ignore[no-untyped-def]
        for unit in range(count):
            accumulator[first + unit] += int(come[unit]) - int(gone[unit])

    return exchange


@overload(layers.squared_sum, inline="always")
def _squared_sum(accumulator, first, weights, start, count, one):  # type: ignore[no-untyped-def]
    def squared_sum(accumulator, first, weights, start, count, one):  # type: ignore[no-untyped-def]
        total = _zero()
        for unit in range(count):
            active = min(max(accumulator[first + unit], 0), one)
            weighted = narrow(active * int(weights[start + unit]))
            total[0] = narrow(total[0] + narrow(weighted * active))
        return int(total[0])

    return squared_sum


@overload(layers.rounded_squared_sum, inline="always")
def _rounded_squared_sum(accumulator, first, weights, start, count, one, shift):  # type: ignore[no-untyped-def]
    def rounded_squared_sum(accumulator, first, weights, start, count, one, shift):  # type: ignore[no-untyped-def]
        total = _zero()
        for unit in range(count):
            active = narrow(min(max(accumulator[first + unit], 0), one))
            square = narrow(narrow(narrow(active * active) + (1 << shift - 1)) >> shift)
            total[0] = narrow(total[0] + narrow(square * int(weights[start + unit])))
        return int(total[0])

    return rounded_squared_sum
