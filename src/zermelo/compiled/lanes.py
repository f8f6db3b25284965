"""`zermelo.core.lanes` in compiled code: vectors of four 64-bit words.

LLVM splits them into smaller vectors or words where the processor has no registers of this size.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    overload,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
)

from zermelo.compiled._numba import lower_constant
from zermelo.compiled.bitboards import BitboardType, bitboard_type, word
from zermelo.core import lanes
from zermelo.core.bitboard import FULL

_COUNT = 4
_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, _COUNT)
_INDEX = ir.IntType(32)


class LanesType(types.Type):
    """Numba's type of `Lanes`."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes_type = LanesType()


@typeof_impl.register(lanes.Lanes)
def _typeof(value: lanes.Lanes, context: Any) -> types.Type:
    return lanes_type


@register_model(LanesType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: types.Type) -> None:
        super().__init__(manager, fe_type, _VECTOR)


def _vector(words: Sequence[int]) -> ir.Constant:
    return ir.Constant(_VECTOR, [int(each) & FULL for each in words])


_ZERO = _vector([0] * _COUNT)


@lower_constant(LanesType)
def _constant(context: Any, builder: Any, typ: types.Type, value: lanes.Lanes) -> Any:
    return _vector(value)


# ---- making ------------------------------------------------------------------------------------------------


@type_callable(lanes.Lanes)
def _construct(context: Any) -> Any:
    def typer(first, second, third, fourth):  # type: ignore[no-untyped-def]
        words = (first, second, third, fourth)
        return lanes_type if all(isinstance(each, (types.Integer, BitboardType)) for each in words) else None

    return typer


@lower_builtin(lanes.Lanes, types.Any, types.Any, types.Any, types.Any)
def _new(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    vector = ir.Constant(_VECTOR, ir.Undefined)
    for lane, (each, kind) in enumerate(zip(args, sig.args, strict=True)):
        bits = each if isinstance(kind, BitboardType) else context.cast(builder, each, kind, types.uint64)
        vector = builder.insert_element(vector, bits, ir.Constant(_INDEX, lane))
    return vector


@intrinsic
def _spread(typingctx, board):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        one = builder.insert_element(undefined, args[0], ir.Constant(_INDEX, 0))
        return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(_INDEX, _COUNT), [0] * _COUNT))

    return lanes_type(types.uint64), implement


@overload(lanes.spread)
def _of_board(board):  # type: ignore[no-untyped-def]
    return (lambda board: _spread(word(board))) if isinstance(board, BitboardType) else None


@intrinsic
def _row(typingctx, table, index):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        rows = builder.bitcast(array.data, _VECTOR.as_pointer())
        return builder.load(builder.gep(rows, [args[1]]), align=8)

    return lanes_type(table, types.intp), implement


@overload(lanes.lanes_at)
def _of_row(table, index):  # type: ignore[no-untyped-def]
    if isinstance(table, types.Array) and (table.dtype, table.ndim, table.layout) == (types.uint64, 2, "C"):
        return lambda table, index: _row(table, index)
    return None


# ---- operators ---------------------------------------------------------------------------------------------


def _binary(op: Any, in_place: Any, instruction: str) -> None:
    @intrinsic
    def combine(typingctx, a, b):  # type: ignore[no-untyped-def]
        def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return lanes_type(lanes_type, lanes_type), implement

    for each in (op, in_place):

        @overload(each)
        def combined(a, b):  # type: ignore[no-untyped-def]
            both = isinstance(a, LanesType) and isinstance(b, LanesType)
            return (lambda a, b: combine(a, b)) if both else None


for _op, _in_place, _instruction in (
    (operator.and_, operator.iand, "and_"),
    (operator.or_, operator.ior, "or_"),
    (operator.add, operator.iadd, "add"),
    (operator.sub, operator.isub, "sub"),
    (operator.lshift, operator.ilshift, "shl"),
    (operator.rshift, operator.irshift, "lshr"),
):
    _binary(_op, _in_place, _instruction)


def _unary(op: Any, implement: Any) -> None:
    @intrinsic
    def change(typingctx, a):  # type: ignore[no-untyped-def]
        return lanes_type(lanes_type), lambda context, builder, sig, args: implement(builder, args[0])

    @overload(op)
    def changed(a):  # type: ignore[no-untyped-def]
        return (lambda a: change(a)) if isinstance(a, LanesType) else None


_unary(operator.invert, lambda builder, vector: builder.not_(vector))
_unary(operator.neg, lambda builder, vector: builder.sub(_ZERO, vector))


@intrinsic
def _nonempty(typingctx, a):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.sext(builder.icmp_unsigned("!=", args[0], _ZERO), _VECTOR)

    return lanes_type(lanes_type), implement


@overload_method(LanesType, "nonempty")
def _has_any(a):  # type: ignore[no-untyped-def]
    return lambda a: _nonempty(a)


@intrinsic
def _union(typingctx, a):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        halves = [
            builder.shuffle_vector(args[0], undefined, ir.Constant(ir.VectorType(_INDEX, 2), half))
            for half in ([0, 1], [2, 3])
        ]
        both = builder.or_(*halves)
        return builder.or_(*(builder.extract_element(both, ir.Constant(_INDEX, lane)) for lane in (0, 1)))

    return bitboard_type(lanes_type), implement


@overload_method(LanesType, "union")
def _all_squares(a):  # type: ignore[no-untyped-def]
    return lambda a: _union(a)
