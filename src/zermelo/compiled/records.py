"""`zermelo.core.record.Record` in compiled code: a pointer to 64-bit words, with the fields at fixed offsets.

    ctx.nodes          ->   load i64, ctx + 8 * offset of nodes
    ctx.killers[3]     ->   load i64, ctx + 8 * (offset of killers + 3)

A recursive function passes a record in one register, and all of its helpers see its fields by name. An array field is
a bare pointer; under `NUMBA_BOUNDSCHECK=1` it is an array of its length, so that every index is checked.
"""

from __future__ import annotations

import hashlib
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from zermelo.compiled._numba import AttributeTemplate, cgutils, lower_setattr_generic, populate_array
from zermelo.core.record import Record, RecordField, Words

_WORD = ir.IntType(64)


class RecordType(types.Type):
    """Numba's type of the records of one class. Its name holds the layout, and so does every fingerprint with it."""

    def __init__(self, cls: type[Record]) -> None:
        self.cls = cls
        layout = repr([(name, str(field.kind), *field[1:]) for name, field in cls.record_fields.items()])
        super().__init__(f"{cls.__qualname__}.{hashlib.blake2b(layout.encode(), digest_size=8).hexdigest()}")

    @property
    def mangling_args(self) -> tuple[str, tuple[Any, ...]]:
        return self.name, ()

    def __reduce__(self) -> tuple[Any, ...]:
        return RecordType, (self.cls,)


_types: dict[type[Record], RecordType] = {}


@typeof_impl.register(Record)
def _typeof(record: Record, context: Any) -> types.Type:
    cls = type(record)
    if cls not in _types:
        _types[cls] = RecordType(cls)
    return _types[cls]


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: RecordType) -> None:
        super().__init__(manager, fe_type, _WORD.as_pointer())


@unbox(RecordType)
def _unbox(typ: RecordType, record: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(record, "address")
    address = c.unbox(types.intp, number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address.value, _WORD.as_pointer()), is_error=address.is_error)


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, typ: RecordType, attr: str) -> types.Type | None:
        field = typ.cls.record_fields.get(attr)
        if field is None:
            return None
        if field.kind == Words:
            return types.Array(types.int64, 1, "C") if config.BOUNDSCHECK else types.CPointer(types.int64)
        return types.boolean if field.kind is bool else types.int64


def _pointer_to(builder: Any, record: Any, field: RecordField) -> Any:
    return builder.gep(record, [ir.Constant(ir.IntType(32), field.offset)])


@lower_getattr_generic(RecordType)
def _get(context: Any, builder: Any, typ: RecordType, value: Any, attr: str) -> Any:
    field = typ.cls.record_fields[attr]
    pointer = _pointer_to(builder, value, field)
    if field.kind == Words:
        return _array_at(context, builder, pointer, field.length) if config.BOUNDSCHECK else pointer
    word = builder.load(pointer)
    return builder.icmp_signed("!=", word, ir.Constant(_WORD, 0)) if field.kind is bool else word


@lower_setattr_generic(RecordType)
def _set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    record, value = args
    field = sig.args[0].cls.record_fields[attr]
    builder.store(builder.zext(value, _WORD) if field.kind is bool else value, _pointer_to(builder, record, field))


def _array_at(context: Any, builder: Any, pointer: Any, length: int) -> Any:
    array = context.make_array(types.Array(types.int64, 1, "C"))(context, builder)
    size, stride = context.get_constant(types.intp, length), context.get_constant(types.intp, 8)
    populate_array(
        array, data=pointer, shape=cgutils.pack_array(builder, [size]), strides=cgutils.pack_array(builder, [stride]),
        itemsize=stride, meminfo=None,
    )  # fmt: skip
    return array._getvalue()
