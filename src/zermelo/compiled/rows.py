"""`zermelo.core.rows` in compiled code: a changed copy of a tuple, and a list of fixed length on the stack.

    cells = as_list(self.cells)    ->   [24 x i64] on the stack; `cells` is its address
    cells[i] += 1                  ->   load, add, store

Such a list is not counted by reference, so that nothing leaks, and it dies with the function that made it. Where it
outlives that function, returned or kept by a generator, its items are copied.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from zermelo.compiled._numba import RefType, cgutils, impl_ret_untracked, iternext_impl, lower_builtin
from zermelo.core.rows import as_list, replaced


class RowType(types.IterableType):
    """Numba's type of a list of fixed length on the stack."""

    def __init__(self, dtype: types.Type, count: int) -> None:
        self.dtype = dtype
        self.count = count
        super().__init__(f"as_list({dtype} x {count})")

    @property
    def tuple_type(self) -> types.UniTuple:
        """The type of the tuple of its items."""
        return types.UniTuple(self.dtype, self.count)

    @property
    def iterator_type(self) -> types.Type:
        return RowIteratorType(self)

    def __len__(self) -> int:
        return self.count


class RowIteratorType(types.SimpleIteratorType):
    """Numba's type of the iterator over the items of such a list."""

    def __init__(self, row: RowType) -> None:
        self.row = row
        super().__init__(f"iterator({row})", row.dtype)


@register_model(RowType)
class _RowModel(models.DataModel):
    """An address as a value and as an argument; the items themselves where it is returned or kept."""

    def __init__(self, manager: Any, fe_type: RowType) -> None:
        super().__init__(manager, fe_type)
        item = manager.lookup(fe_type.dtype).get_value_type()
        self._items = ir.ArrayType(item, fe_type.count)

    def get_value_type(self) -> Any:
        return self._items.as_pointer()

    def get_argument_type(self) -> Any:
        return self._items.as_pointer()

    def get_data_type(self) -> Any:
        return self._items

    def get_return_type(self) -> Any:
        return self._items

    def as_argument(self, builder: Any, value: Any) -> Any:
        return value

    def from_argument(self, builder: Any, value: Any) -> Any:
        return value

    def as_data(self, builder: Any, value: Any) -> Any:
        return builder.load(value)

    def from_data(self, builder: Any, value: Any) -> Any:
        stack = cgutils.alloca_once(builder, self._items)
        builder.store(value, stack)
        return stack

    def as_return(self, builder: Any, value: Any) -> Any:
        return self.as_data(builder, value)

    def from_return(self, builder: Any, value: Any) -> Any:
        return self.from_data(builder, value)


@register_model(RowIteratorType)
class _RowIteratorModel(models.StructModel):
    def __init__(self, manager: Any, fe_type: RowIteratorType) -> None:
        super().__init__(manager, fe_type, [("row", fe_type.row), ("index", types.EphemeralPointer(types.intp))])


@intrinsic
def _on_stack(typingctx, items):  # type: ignore[no-untyped-def]
    made = RowType(items.dtype, len(items))

    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = cgutils.alloca_once(builder, context.get_value_type(sig.return_type).pointee)
        if isinstance(sig.args[0], RowType):
            builder.store(builder.load(args[0]), row)
        else:
            builder.store(args[0], row)
        return row

    return made(items), implement


@intrinsic
def _load(typingctx, row, index):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(cgutils.gep_inbounds(builder, args[0], 0, args[1]))

    return row.dtype(row, types.int64), implement


@intrinsic
def _store(typingctx, row, index, value):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], cgutils.gep_inbounds(builder, args[0], 0, args[1]))
        return context.get_dummy_value()

    return types.void(row, types.int64, row.dtype), implement


@intrinsic
def _as_tuple(typingctx, row):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(args[0])

    return row.tuple_type(row), implement


def _is_homogeneous(items: types.Type) -> bool:
    return isinstance(items, (types.UniTuple, RowType)) and len(items) > 0


@overload(as_list)
def _as_list(items):  # type: ignore[no-untyped-def]
    return (lambda items: _on_stack(items)) if _is_homogeneous(items) else None


@overload(replaced)
def _replaced(items, index, value):  # type: ignore[no-untyped-def]
    if isinstance(items, types.UniTuple) and len(items) > 0 and isinstance(index, types.Integer):

        def implement(items, index, value):  # type: ignore[no-untyped-def]
            row = _on_stack(items)
            row[index] = value
            return _as_tuple(row)

        return implement
    return None


@overload(len)
def _len(row):  # type: ignore[no-untyped-def]
    if isinstance(row, RowType):
        count = row.count
        return lambda row: count
    return None


@overload(operator.getitem)
def _get(row, index):  # type: ignore[no-untyped-def]
    if isinstance(row, RowType) and isinstance(index, types.Integer):
        count = row.count

        def implement(row, index):  # type: ignore[no-untyped-def]
            at = index + count if index < 0 else index
            if at < 0 or at >= count:
                raise IndexError("list index out of range")
            return _load(row, at)

        return implement
    return None


@overload(operator.setitem)
def _set(row, index, value):  # type: ignore[no-untyped-def]
    if isinstance(row, RowType) and isinstance(index, types.Integer):
        count = row.count

        def implement(row, index, value):  # type: ignore[no-untyped-def]
            at = index + count if index < 0 else index
            if at < 0 or at >= count:
                raise IndexError("list assignment index out of range")
            _store(row, at, value)

        return implement
    return None


@lower_builtin("getiter", RowType)
def _iterator(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    iterator = context.make_helper(builder, sig.return_type)
    iterator.row = args[0]
    iterator.index = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
    return impl_ret_untracked(context, builder, sig.return_type, iterator._getvalue())


@lower_builtin("iternext", RowIteratorType)
@iternext_impl(RefType.UNTRACKED)
def _next(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    iterator = context.make_helper(builder, sig.args[0], value=args[0])
    index = builder.load(iterator.index)
    more = builder.icmp_signed("<", index, context.get_constant(types.intp, sig.args[0].row.count))
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(builder.load(cgutils.gep_inbounds(builder, iterator.row, 0, index)))
        builder.store(builder.add(index, context.get_constant(types.intp, 1)), iterator.index)
