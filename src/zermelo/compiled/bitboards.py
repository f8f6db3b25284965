"""`Bitboard` in compiled code: one unsigned 64-bit word, with every operation of `zermelo.core.bitboard`.

This file defines the whole Numba type: how a value is recognised (typeof), stored (model), passed in and out (unbox,
box), written as a constant, converted from integers, constructed, operated on (each operator and its in-place form),
tested for truth, and iterated.

Words never mix with signed integers: an operand that is a plain integer is first cast to 64 unsigned bits,
because Numba types uint64 with int64 as int64 (and, where paths join, as float64).
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    lower_builtin,
    lower_cast,
    models,
    overload,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

from zermelo.compiled._numba import RefType, cgutils, impl_ret_untracked, iternext_impl, lower_constant
from zermelo.core.bitboard import FULL, WORD, Bitboard

_I64 = ir.IntType(64)


class BitboardType(types.IterableType):
    """Numba's type of a `Bitboard`."""

    def __init__(self) -> None:
        super().__init__(name="Bitboard")

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Any:
        return typingctx.can_convert(other, types.uint64) if isinstance(other, types.Integer) else None

    @property
    def iterator_type(self) -> types.Type:
        return squares_type


class SquaresType(types.SimpleIteratorType):
    """Numba's type of the iterator over the squares of a `Bitboard`."""

    def __init__(self) -> None:
        super().__init__("Squares", types.int64)


bitboard_type = BitboardType()
squares_type = SquaresType()


# ---- representation ------------------------------------------------------------------------------------


@typeof_impl.register(Bitboard)
def _typeof(value: Bitboard, context: Any) -> types.Type:
    return bitboard_type


@register_model(BitboardType)
class _WordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: types.Type) -> None:
        super().__init__(manager, fe_type, _I64)


@register_model(SquaresType)
class _SquaresModel(models.StructModel):
    # A pointer to the remaining squares, because the iterator itself is passed by value.
    def __init__(self, manager: Any, fe_type: types.Type) -> None:
        super().__init__(manager, fe_type, [("left", types.EphemeralPointer(types.uint64))])


@unbox(BitboardType)
def _unbox(typ: types.Type, value: Any, c: Any) -> NativeValue:
    word = c.pyapi.long_as_ulonglong(value)
    return NativeValue(word, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@box(BitboardType)
def _box(typ: types.Type, value: Any, c: Any) -> Any:
    word = c.pyapi.long_from_ulonglong(value)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Bitboard))
    made = c.pyapi.call_function_objargs(cls, (word,))
    c.pyapi.decref(word)
    c.pyapi.decref(cls)
    return made


@lower_constant(BitboardType)
def _constant(context: Any, builder: Any, typ: types.Type, value: int) -> Any:
    return ir.Constant(_I64, int(value) & FULL)


@lower_cast(types.Integer, BitboardType)
@lower_cast(types.IntegerLiteral, BitboardType)
def _from_integer(context: Any, builder: Any, source: types.Type, target: types.Type, value: Any) -> Any:
    if isinstance(source, types.IntegerLiteral):
        return ir.Constant(_I64, source.literal_value & FULL)
    return context.cast(builder, value, source, types.uint64)


@lower_cast(BitboardType, types.uint64)
def _to_word(context: Any, builder: Any, source: types.Type, target: types.Type, value: Any) -> Any:
    return value  # for casts that Numba has chosen; it is not offered as a conversion (see `_set_item`)


@type_callable(Bitboard)
def _construct(context: Any) -> Any:
    def typer(word=None):  # type: ignore[no-untyped-def]
        taken = (types.Integer, types.Boolean, BitboardType)
        return bitboard_type if word is None or isinstance(word, taken) else None

    return typer


@lower_builtin(Bitboard)
def _empty(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return ir.Constant(_I64, 0)


@lower_builtin(Bitboard, types.Integer)
@lower_builtin(Bitboard, types.IntegerLiteral)
def _new(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _from_integer(context, builder, sig.args[0], bitboard_type, args[0])


@lower_builtin(Bitboard, types.Boolean)
def _of_truth(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.cast(builder, args[0], sig.args[0], types.uint64)


@lower_builtin(Bitboard, BitboardType)
def _same(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return args[0]


# ---- casts and LLVM instructions, used by everything below -------------------------------------------


@intrinsic
def word(typingctx, x):  # type: ignore[no-untyped-def]
    """The word of a Bitboard, or an integer cast to one, as uint64."""

    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if isinstance(sig.args[0], BitboardType):
            return args[0]
        return _from_integer(context, builder, sig.args[0], bitboard_type, args[0])

    return types.uint64(x), implement


@intrinsic
def board(typingctx, x):  # type: ignore[no-untyped-def]
    """The Bitboard of a uint64."""
    return bitboard_type(types.uint64), lambda context, builder, sig, args: args[0]


@intrinsic
def shift_left(typingctx, x, squares):  # type: ignore[no-untyped-def]
    """x << squares for 0 <= squares < 64."""
    return types.uint64(types.uint64, types.int64), lambda context, builder, sig, args: builder.shl(*args)


@intrinsic
def shift_right(typingctx, x, squares):  # type: ignore[no-untyped-def]
    """x >> squares, zeros coming in, for 0 <= squares < 64."""
    return types.uint64(types.uint64, types.int64), lambda context, builder, sig, args: builder.lshr(*args)


def _bit_counter(method: str) -> Any:
    """The LLVM instruction behind count, first and last; the counts of zeros of an empty word are 64."""

    @intrinsic
    def counted(typingctx, x):  # type: ignore[no-untyped-def]
        def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            defined_at_zero = () if method == "ctpop" else (ir.Constant(ir.IntType(1), 0),)
            return getattr(builder, method)(args[0], *defined_at_zero)

        return types.int64(types.uint64), implement

    return counted


ones, trailing_zeros, leading_zeros = _bit_counter("ctpop"), _bit_counter("cttz"), _bit_counter("ctlz")


# ---- operators ---------------------------------------------------------------------------------------------


def _is_pair(a: types.Type, b: types.Type) -> bool:
    kinds = (BitboardType, types.Integer)
    return (
        isinstance(a, kinds)
        and isinstance(b, kinds)
        and not (isinstance(a, types.Integer) and isinstance(b, types.Integer))
    )


def _modulo(op: Any) -> None:
    @overload(op)
    def binary(a, b):  # type: ignore[no-untyped-def]
        return (lambda a, b: board(op(word(a), word(b)))) if _is_pair(a, b) else None


for _op in ("and_", "or_", "xor", "add", "sub", "mul"):
    _modulo(getattr(operator, _op))

for _op, _plain in (
    ("iand", operator.and_), ("ior", operator.or_), ("ixor", operator.xor),
    ("iadd", operator.add), ("isub", operator.sub), ("imul", operator.mul),
):  # fmt: skip

    def _in_place(in_place: Any, plain: Any) -> None:
        @overload(in_place)
        def binary(a, b):  # type: ignore[no-untyped-def]
            return (lambda a, b: board(plain(word(a), word(b)))) if _is_pair(a, b) else None

    _in_place(getattr(operator, _op), _plain)


def _shift(left: bool, *ops: Any) -> None:
    def shifted(a, n):  # type: ignore[no-untyped-def]
        # Both directions and every distance, as in zermelo.core.bitboard. For constant distances, which rules nearly
        # always use, LLVM removes the tests.
        if left:

            def implement(a, n):  # type: ignore[no-untyped-def]
                if n >= 0:
                    return board(shift_left(word(a), n)) if n < WORD else board(word(0))
                return board(shift_right(word(a), -n)) if n > -WORD else board(word(0))
        else:

            def implement(a, n):  # type: ignore[no-untyped-def]
                if n >= 0:
                    return board(shift_right(word(a), n)) if n < WORD else board(word(0))
                return board(shift_left(word(a), -n)) if n > -WORD else board(word(0))

        return implement

    for op in ops:

        @overload(op)
        def shift(a, n):  # type: ignore[no-untyped-def]
            if isinstance(a, BitboardType) and isinstance(n, types.Integer):
                return shifted(a, n)
            return None


_shift(True, operator.lshift, operator.ilshift)
_shift(False, operator.rshift, operator.irshift)


def _comparison(op: Any) -> None:
    @overload(op)
    def compare(a, b):  # type: ignore[no-untyped-def]
        if isinstance(a, BitboardType) and isinstance(b, BitboardType):
            return lambda a, b: op(word(a), word(b))
        # A plain int is compared by its value: a negative one is below every word.
        if isinstance(a, BitboardType) and isinstance(b, types.Integer):
            if b.signed:
                return lambda a, b: op(word(a), word(b)) if b >= 0 else op(1, 0)
            return lambda a, b: op(word(a), word(b))
        if isinstance(a, types.Integer) and isinstance(b, BitboardType):
            if a.signed:
                return lambda a, b: op(word(a), word(b)) if a >= 0 else op(0, 1)
            return lambda a, b: op(word(a), word(b))
        return None


for _op in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(getattr(operator, _op))


@overload(operator.invert)
def _invert(a):  # type: ignore[no-untyped-def]
    return (lambda a: board(~word(a))) if isinstance(a, BitboardType) else None


@overload(operator.neg)
def _negative(a):  # type: ignore[no-untyped-def]
    return (lambda a: board(word(0) - word(a))) if isinstance(a, BitboardType) else None


@overload(operator.contains)
def _contains(a, square):  # type: ignore[no-untyped-def]
    if isinstance(a, BitboardType) and isinstance(square, types.Integer):
        return lambda a, square: 0 <= square < WORD and (word(a) >> word(square)) & word(1) != word(0)
    return None


for _truth in (bool, operator.truth):

    @overload(_truth)
    def _is_true(a):  # type: ignore[no-untyped-def]
        return (lambda a: word(a) != word(0)) if isinstance(a, BitboardType) else None


@overload(operator.not_)
def _is_false(a):  # type: ignore[no-untyped-def]
    return (lambda a: word(a) == word(0)) if isinstance(a, BitboardType) else None


@lower_builtin(bool, BitboardType)
def _bool(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.icmp_unsigned("!=", args[0], ir.Constant(_I64, 0))


@overload(int)
def _int(a):  # type: ignore[no-untyped-def]
    if isinstance(a, BitboardType):

        def implement(a):  # type: ignore[no-untyped-def]
            if word(a) >> word(63) != word(0):
                raise OverflowError("int(Bitboard) above 2**63 - 1 in compiled code")
            return signed(word(a))

        return implement
    return None


@intrinsic
def signed(typingctx, x):  # type: ignore[no-untyped-def]
    """The same 64 bits as int64."""
    return types.int64(types.uint64), lambda context, builder, sig, args: args[0]


# ---- methods and iteration ------------------------------------------------------------------------------------


@overload_method(BitboardType, "count")
def _count(self):  # type: ignore[no-untyped-def]
    return lambda self: ones(word(self))


@overload_method(BitboardType, "first")
def _first(self):  # type: ignore[no-untyped-def]
    return lambda self: trailing_zeros(word(self))


@overload_method(BitboardType, "last")
def _last(self):  # type: ignore[no-untyped-def]
    return lambda self: 63 - leading_zeros(word(self))


@overload_method(BitboardType, "rest")
def _rest(self):  # type: ignore[no-untyped-def]
    return lambda self: board(word(self) & (word(self) - word(1)))


@lower_builtin("getiter", BitboardType)
def _squares(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    squares = context.make_helper(builder, squares_type)
    squares.left = cgutils.alloca_once_value(builder, args[0])
    return impl_ret_untracked(context, builder, squares_type, squares._getvalue())


@lower_builtin("iternext", SquaresType)
@iternext_impl(RefType.UNTRACKED)
def _next_square(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    squares = context.make_helper(builder, squares_type, value=args[0])
    left = builder.load(squares.left)
    more = builder.icmp_unsigned("!=", left, ir.Constant(_I64, 0))
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(builder.cttz(left, ir.Constant(ir.IntType(1), 1)))
        builder.store(builder.and_(left, builder.sub(left, ir.Constant(_I64, 1))), squares.left)


@overload(operator.setitem)
def _set_item(array, index, value):  # type: ignore[no-untyped-def]
    # There is no general conversion to uint64, because Numba would then apply its own `&` to two Bitboards.
    if isinstance(array, types.Array) and array.dtype == types.uint64 and isinstance(value, BitboardType):

        def implement(array, index, value):  # type: ignore[no-untyped-def]
            array[index] = word(value)

        return implement
    return None
