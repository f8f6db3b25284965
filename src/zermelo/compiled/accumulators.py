"""`zermelo.core.accumulator` in compiled code: rows of a record as pointers, states in memory.

Under `NUMBA_BOUNDSCHECK=1` an accumulator is an array of its length, so that every index is checked.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, overload

from zermelo.compiled._numba import cgutils, populate_array
from zermelo.compiled.records import RecordType
from zermelo.compiled.values import StructType
from zermelo.core import accumulator

_BYTE = ir.IntType(8)
_WORD = ir.IntType(64)


def _item_type(evaluation: StructType) -> types.Integer:
    return {16: types.int16, 32: types.int32}[evaluation.cls.accumulator_bits]  # type: ignore[attr-defined]


def _bytes(evaluation: StructType) -> int:
    return evaluation.cls.accumulator_size * evaluation.cls.accumulator_bits // 8  # type: ignore[attr-defined]


def accumulator_type(evaluation: StructType) -> types.Type:
    """Numba's type of the accumulators of an evaluation."""
    item = _item_type(evaluation)
    return types.Array(item, 1, "C") if config.BOUNDSCHECK else types.CPointer(item)


def _view(context: Any, builder: Any, evaluation: StructType, pointer: Any) -> Any:
    """The accumulator at a pointer."""
    item = _item_type(evaluation)
    pointer = builder.bitcast(pointer, context.get_value_type(item).as_pointer())
    if not config.BOUNDSCHECK:
        return pointer
    array = context.make_array(accumulator_type(evaluation))(context, builder)
    size = context.get_constant(types.intp, evaluation.cls.accumulator_size)  # type: ignore[attr-defined]
    stride = context.get_constant(types.intp, item.bitwidth // 8)
    populate_array(
        array, data=pointer, shape=cgutils.pack_array(builder, [size]), strides=cgutils.pack_array(builder, [stride]),
        itemsize=stride, meminfo=None,
    )  # fmt: skip
    return array._getvalue()


def _row(builder: Any, typ: RecordType, record: Any, field: str, ply: Any, words: int) -> Any:
    """The address of a row of an array field."""
    first = builder.gep(record, [ir.Constant(_WORD, typ.cls.record_fields[field].offset)])
    return builder.gep(first, [builder.mul(ply, ir.Constant(_WORD, words))])


@intrinsic
def _on_stack(typingctx, evaluation):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        count = max(_bytes(evaluation), 1)
        memory = cgutils.alloca_once(builder, ir.ArrayType(_BYTE, count))
        memory.align = 32
        cgutils.memset(builder, memory, ir.Constant(_WORD, count), 0)
        return _view(context, builder, evaluation, memory)

    return accumulator_type(evaluation)(evaluation), implement


@intrinsic
def _at(typingctx, record, ply, evaluation):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _row(builder, record, args[0], "accumulators", args[1], accumulator.ACCUMULATOR_WORDS)
        return _view(context, builder, evaluation, row)

    return accumulator_type(evaluation)(record, types.int64, evaluation), implement


@intrinsic
def _clear(typingctx, record, ply, evaluation):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _row(builder, record, args[0], "accumulators", args[1], accumulator.ACCUMULATOR_WORDS)
        cgutils.memset(builder, row, ir.Constant(_WORD, _bytes(evaluation)), 0)
        return context.get_dummy_value()

    return types.void(record, types.int64, evaluation), implement


@intrinsic
def _copy(typingctx, record, ply, evaluation):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _row(builder, record, args[0], "accumulators", args[1], accumulator.ACCUMULATOR_WORDS)
        following = builder.gep(row, [ir.Constant(_WORD, accumulator.ACCUMULATOR_WORDS)])
        cgutils.raw_memcpy(builder, following, row, ir.Constant(_WORD, _bytes(evaluation)), ir.Constant(_WORD, 1))
        return context.get_dummy_value()

    return types.void(record, types.int64, evaluation), implement


def _stored_at(context: Any, builder: Any, record: RecordType, state: StructType, args: Any) -> Any:
    """The address of the state of a ply, as a pointer to what its class is in memory."""
    kind = context.data_model_manager[state].get_data_type()
    assert context.get_abi_sizeof(kind) <= accumulator.STATE_WORDS * 8
    row = _row(builder, record, args[0], "states", args[1], accumulator.STATE_WORDS)
    return builder.bitcast(row, kind.as_pointer())


@intrinsic
def _store(typingctx, record, ply, state):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.data_model_manager[state].as_data(builder, args[2])
        builder.store(data, _stored_at(context, builder, record, state, args), align=8)
        return context.get_dummy_value()

    return types.void(record, types.int64, state), implement


@intrinsic
def _load(typingctx, record, ply, state):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = builder.load(_stored_at(context, builder, record, state, args), align=8)
        return context.data_model_manager[state].from_data(builder, data)

    return state(record, types.int64, state), implement


@overload(accumulator.new_accumulator, inline="always")  # on the stack of the function that asks for it
def _new_accumulator(evaluation):  # type: ignore[no-untyped-def]
    return lambda evaluation: _on_stack(evaluation)


@overload(accumulator.accumulator_at)
def _accumulator_at(record, ply, evaluation):  # type: ignore[no-untyped-def]
    return lambda record, ply, evaluation: _at(record, ply, evaluation)


@overload(accumulator.clear_accumulator)
def _clear_accumulator(record, ply, evaluation):  # type: ignore[no-untyped-def]
    return lambda record, ply, evaluation: _clear(record, ply, evaluation)


@overload(accumulator.copy_accumulator)
def _copy_accumulator(record, ply, evaluation):  # type: ignore[no-untyped-def]
    return lambda record, ply, evaluation: _copy(record, ply, evaluation)


@overload(accumulator.can_be_stored)
def _can_be_stored(state):  # type: ignore[no-untyped-def]
    fits = sum(map(accumulator.words_of, state.cls.fields)) <= accumulator.STATE_WORDS
    return lambda state: fits


@overload(accumulator.store_state)
def _store_state(record, ply, state):  # type: ignore[no-untyped-def]
    if _can_be_stored(state)(None):
        return lambda record, ply, state: _store(record, ply, state)
    return lambda record, ply, state: None


@overload(accumulator.load_state)
def _load_state(record, ply, like):  # type: ignore[no-untyped-def]
    if _can_be_stored(like)(None):
        return lambda record, ply, like: _load(record, ply, like)
    return lambda record, ply, like: like
