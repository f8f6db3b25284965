"""`Bitboard[n]` in compiled code: one unsigned LLVM integer of as many 64-bit words as it needs.

    Bitboard[225]   ->   i256, its upper 31 bits always zero

LLVM splits each operation into its words, which lie in registers or on the stack: a shift by a constant becomes two
instructions for each word, `&` one. Shifts by a variable go by powers of two of whole words first, so that LLVM never
indexes memory. What could set bits above the n squares is masked; all operations are those of
`zermelo.core.bitboard`.
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

from zermelo.compiled._numba import (
    Purpose,
    RefType,
    TypingError,
    cgutils,
    impl_ret_untracked,
    iternext_impl,
    lower_constant,
)
from zermelo.compiled.bitboards import BitboardType, bitboard_type
from zermelo.core.bitboard import WORD, Bitboard, WideBitboard, wide_bitboard

_BIT, _I64 = ir.IntType(1), ir.IntType(64)


class WideType(types.IterableType):
    """Numba's type of a `Bitboard[n]`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.bits = -(-size // WORD) * WORD
        super().__init__(name=f"Bitboard[{size}]")

    @property
    def iterator_type(self) -> types.Type:
        return WideSquaresType(self)

    @property
    def word(self) -> ir.IntType:
        """The LLVM integer."""
        return ir.IntType(self.bits)

    def constant(self, number: int) -> Any:
        """An LLVM constant; the number is taken modulo 2**n."""
        return ir.Constant(self.word, number & ((1 << self.size) - 1))

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Any:
        return typingctx.can_convert(other, types.uint64) if isinstance(other, types.Integer) else None


class WideSquaresType(types.SimpleIteratorType):
    """Numba's type of the iterator over the squares of a `Bitboard[n]`."""

    def __init__(self, board: WideType) -> None:
        self.board = board
        super().__init__(f"Squares[{board.size}]", types.int64)


class WideClassType(types.Callable, types.Opaque):
    """Numba's type of the class `Bitboard[n]`, called to construct a set."""

    def __init__(self, size: int) -> None:
        self.made = WideType(size)
        super().__init__(f"class(Bitboard[{size}])")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        given = (*args, *kws.values())
        if len(given) > 1 or set(kws) - {"word"}:
            raise TypingError(f"{self.made}(word) takes one int or set")
        if given and not isinstance(given[0], (types.Integer, types.Boolean, BitboardType, WideType)):
            raise TypingError(f"{self.made}(word) takes an int or a set, not {given[0]}")
        from inspect import Parameter, Signature

        pysig = Signature([Parameter("word", Parameter.POSITIONAL_OR_KEYWORD)] if given else [])
        return self.made(*given).replace(pysig=pysig)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        return [], False

    def get_impl_key(self, sig: Any) -> Any:
        return _CONSTRUCT


_CONSTRUCT = "zermelo.wide_bitboard"


def wide_type(cls: Any) -> WideType:
    """The Numba type of the sets of a class `Bitboard[n]`."""
    return WideType(cls.size)


# ---- representation ------------------------------------------------------------------------------------------


@typeof_impl.register(WideBitboard)
def _typeof(value: WideBitboard, context: Any) -> types.Type:
    return wide_type(type(value))


_numba_typeof_class = typeof_impl.dispatch(type)


@typeof_impl.register(type)
def _typeof_class(cls: Any, context: Any) -> Any:
    if issubclass(cls, WideBitboard) and context.purpose is Purpose.constant:
        return WideClassType(cls.size)
    return _numba_typeof_class(cls, context)


@register_model(WideClassType)
class _ClassModel(models.OpaqueModel):
    pass


@register_model(WideType)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: WideType) -> None:
        super().__init__(manager, fe_type, fe_type.word)


@register_model(WideSquaresType)
class _WideSquaresModel(models.StructModel):
    def __init__(self, manager: Any, fe_type: WideSquaresType) -> None:
        super().__init__(manager, fe_type, [("left", types.EphemeralPointer(fe_type.board))])


@unbox(WideType)
def _unbox(typ: WideType, value: Any, c: Any) -> NativeValue:
    """Word by word: a Python int of the low 64 bits, and the rest shifted down."""
    word = typ.constant(0)
    mask = c.pyapi.unserialize(c.pyapi.serialize_object((1 << WORD) - 1))
    failed = cgutils.false_bit
    for low in range(0, typ.bits, WORD):
        shift = c.pyapi.unserialize(c.pyapi.serialize_object(low))
        plain = c.pyapi.number_long(value)
        shifted = c.pyapi.number_rshift(plain, shift)
        part = c.pyapi.number_and(shifted, mask)
        native = c.pyapi.long_as_ulonglong(part)
        failed = c.builder.or_(failed, cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))
        wide = c.builder.shl(c.builder.zext(native, typ.word), ir.Constant(typ.word, low))
        word = c.builder.or_(word, wide)
        for each in (shift, plain, shifted, part):
            c.pyapi.decref(each)
    c.pyapi.decref(mask)
    return NativeValue(word, is_error=failed)


@box(WideType)
def _box(typ: WideType, value: Any, c: Any) -> Any:
    parts = [
        c.pyapi.long_from_ulonglong(c.builder.trunc(c.builder.lshr(value, ir.Constant(typ.word, low)), _I64))
        for low in range(0, typ.bits, WORD)
    ]
    maker = c.pyapi.unserialize(c.pyapi.serialize_object(_Maker(typ.size)))
    made = c.pyapi.call_function_objargs(maker, parts)
    for each in (*parts, maker):
        c.pyapi.decref(each)
    return made


class _Maker:
    """Constructs sets from their words."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, *words: int) -> Bitboard:
        return wide_bitboard(self.size)(sum(word << WORD * place for place, word in enumerate(words)))


@lower_constant(WideType)
def _constant(context: Any, builder: Any, typ: WideType, value: int) -> Any:
    return typ.constant(int(value))


@lower_cast(types.Integer, WideType)
@lower_cast(types.IntegerLiteral, WideType)
def _from_integer(context: Any, builder: Any, source: types.Type, target: WideType, value: Any) -> Any:
    if isinstance(source, types.IntegerLiteral):
        return target.constant(source.literal_value)
    if source.signed:  # the sign is extended, as modulo 2**n
        return _masked(builder, target, builder.sext(value, target.word))
    return builder.zext(value, target.word)


@lower_builtin(_CONSTRUCT, types.VarArg(types.Any))
def _construct(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    made = sig.return_type
    if not args:
        return made.constant(0)
    source = sig.args[0]
    if isinstance(source, types.Boolean):
        return builder.zext(args[0], made.word)
    if isinstance(source, BitboardType):
        return builder.zext(args[0], made.word)
    if isinstance(source, WideType):
        change = builder.zext if source.bits < made.bits else builder.trunc
        same = args[0] if source.bits == made.bits else change(args[0], made.word)
        return same if source.size <= made.size else _masked(builder, made, same)
    return _from_integer(context, builder, source, made, args[0])


@type_callable(Bitboard)
def _narrow(context: Any) -> Any:
    return lambda word: bitboard_type if isinstance(word, WideType) else None


@lower_builtin(Bitboard, WideType)
def _low_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.trunc(args[0], _I64)


# ---- LLVM instructions -------------------------------------------------------------------------------------


def _masked(builder: Any, typ: WideType, word: Any) -> Any:
    """The word without the bits above the n squares."""
    return word if typ.bits == typ.size else builder.and_(word, typ.constant(-1))


def _operand(context: Any, builder: Any, kind: types.Type, typ: WideType, value: Any) -> Any:
    return value if isinstance(kind, WideType) else _from_integer(context, builder, kind, typ, value)


def _barrel(builder: Any, typ: WideType, shift: Any, word: Any, distance: Any) -> Any:
    """A shift by a variable distance in 0 .. bits - 1: whole words by powers of two, then less than a word."""
    if isinstance(distance, ir.Constant):
        return shift(word, ir.Constant(typ.word, distance.constant))
    step = WORD
    while step < typ.bits:
        is_set = builder.icmp_unsigned("!=", builder.and_(distance, ir.Constant(_I64, step)), ir.Constant(_I64, 0))
        word = builder.select(is_set, shift(word, ir.Constant(typ.word, step)), word)
        step *= 2
    rest = builder.zext(builder.and_(distance, ir.Constant(_I64, WORD - 1)), typ.word)
    return shift(word, rest)


@intrinsic
def _shift_left(typingctx, a, squares):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _masked(builder, sig.args[0], _barrel(builder, sig.args[0], builder.shl, *args))

    return a(a, types.int64), implement


@intrinsic
def _shift_right(typingctx, a, squares):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _barrel(builder, sig.args[0], builder.lshr, *args)

    return a(a, types.int64), implement


@intrinsic
def _shift_by_literal(typingctx, a, squares, is_left):  # type: ignore[no-untyped-def]
    if not isinstance(squares, types.IntegerLiteral):
        return None
    distance = squares.literal_value if is_left.literal_value else -squares.literal_value

    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        typ = sig.args[0]
        if abs(distance) >= typ.size:
            return typ.constant(0)
        if distance < 0:
            return builder.lshr(args[0], ir.Constant(typ.word, -distance))
        return _masked(builder, typ, builder.shl(args[0], ir.Constant(typ.word, distance)))

    return a(a, squares, is_left), implement


def _counter(result: Any) -> Any:
    @intrinsic
    def counted(typingctx, a):  # type: ignore[no-untyped-def]
        def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return result(builder, sig.args[0], args[0])

        return types.int64(a), implement

    return counted


def _number_of_ones(builder: Any, typ: WideType, word: Any) -> Any:
    return builder.trunc(builder.ctpop(word), _I64)


def _lowest(builder: Any, typ: WideType, word: Any) -> Any:
    found = builder.trunc(builder.cttz(word, ir.Constant(_BIT, 0)), _I64)
    is_empty = builder.icmp_unsigned("==", word, typ.constant(0))
    return builder.select(is_empty, ir.Constant(_I64, typ.size), found)


def _highest(builder: Any, typ: WideType, word: Any) -> Any:
    zeros = builder.trunc(builder.ctlz(word, ir.Constant(_BIT, 0)), _I64)
    return builder.sub(ir.Constant(_I64, typ.bits - 1), zeros)


_count_ones, _find_first, _find_last = _counter(_number_of_ones), _counter(_lowest), _counter(_highest)


# ---- operators -----------------------------------------------------------------------------------------------


def _pair(a: types.Type, b: types.Type) -> WideType | None:
    """The type of the result of two operands; None if they do not go together."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, WideType) and (other == one or isinstance(other, types.Integer)):
            return one
        if isinstance(one, WideType) and isinstance(other, (WideType, BitboardType)):
            raise TypingError(f"{a} with {b}; convert one of them, as in {one}(a)")
    return None


def _binary(op: Any, in_place: Any, instruction: str) -> None:
    @intrinsic
    def combined(typingctx, a, b):  # type: ignore[no-untyped-def]
        typ = _pair(a, b)
        assert typ

        def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            words = [_operand(context, builder, kind, typ, value) for kind, value in zip(sig.args, args, strict=True)]
            made = getattr(builder, instruction)(*words)
            return made if instruction in ("and_", "or_", "xor") else _masked(builder, typ, made)

        return typ(a, b), implement

    for each in (op, in_place):

        @overload(each, prefer_literal=True)
        def binary(a, b):  # type: ignore[no-untyped-def]
            return (lambda a, b: combined(a, b)) if _pair(a, b) else None


_binary(operator.and_, operator.iand, "and_")
_binary(operator.or_, operator.ior, "or_")
_binary(operator.xor, operator.ixor, "xor")
_binary(operator.add, operator.iadd, "add")
_binary(operator.sub, operator.isub, "sub")
_binary(operator.mul, operator.imul, "mul")


def _shift(op: Any, in_place: Any, is_left: bool) -> None:
    ahead, back = (_shift_left, _shift_right) if is_left else (_shift_right, _shift_left)

    for each in (op, in_place):

        @overload(each, prefer_literal=True)
        def shift(a, n):  # type: ignore[no-untyped-def]
            if not (isinstance(a, WideType) and isinstance(n, types.Integer)):
                return None
            if isinstance(n, types.IntegerLiteral):
                return lambda a, n: _shift_by_literal(a, n, is_left)
            size = a.size

            def implement(a, n):  # type: ignore[no-untyped-def]
                if n >= 0:
                    return ahead(a, n) if n < size else a ^ a
                return back(a, -n) if n > -size else a ^ a

            return implement


_shift(operator.lshift, operator.ilshift, True)
_shift(operator.rshift, operator.irshift, False)


def _comparison(op: Any, sign: str) -> None:
    @intrinsic
    def compared(typingctx, a, b):  # type: ignore[no-untyped-def]
        typ = _pair(a, b)
        assert typ

        def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            words = [_operand(context, builder, kind, typ, value) for kind, value in zip(sig.args, args, strict=True)]
            return builder.icmp_unsigned(sign, *words)

        return types.boolean(a, b), implement

    @overload(op)
    def compare(a, b):  # type: ignore[no-untyped-def]
        if _pair(a, b) is None:
            return None
        # A plain int is compared by its value: a negative one is below every set.
        if isinstance(b, types.Integer) and b.signed:
            return lambda a, b: compared(a, b) if b >= 0 else op(1, 0)
        if isinstance(a, types.Integer) and a.signed:
            return lambda a, b: compared(a, b) if a >= 0 else op(0, 1)
        return lambda a, b: compared(a, b)


for _op, _sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    _comparison(getattr(operator, _op), _sign)


@intrinsic
def _complement(typingctx, a):  # type: ignore[no-untyped-def]
    def implement(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.xor(args[0], sig.args[0].constant(-1))

    return a(a), implement


@overload(operator.invert)
def _invert(a):  # type: ignore[no-untyped-def]
    return (lambda a: _complement(a)) if isinstance(a, WideType) else None


@overload(operator.neg)
def _negative(a):  # type: ignore[no-untyped-def]
    return (lambda a: 0 - a) if isinstance(a, WideType) else None


@overload(operator.contains)
def _contains(a, square):  # type: ignore[no-untyped-def]
    if isinstance(a, WideType) and isinstance(square, types.Integer):
        size = a.size
        return lambda a, square: 0 <= square < size and (_shift_right(a, square) & 1) != 0
    return None


for _truth in (bool, operator.truth):

    @overload(_truth)
    def _is_true(a):  # type: ignore[no-untyped-def]
        return (lambda a: a != 0) if isinstance(a, WideType) else None


@overload(operator.not_)
def _is_false(a):  # type: ignore[no-untyped-def]
    return (lambda a: a == 0) if isinstance(a, WideType) else None


@lower_builtin(bool, WideType)
def _bool(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.icmp_unsigned("!=", args[0], sig.args[0].constant(0))


@intrinsic
def _as_int64(typingctx, a):  # type: ignore[no-untyped-def]
    return types.int64(a), lambda context, builder, sig, args: builder.trunc(args[0], _I64)


@overload(int)
def _int(a):  # type: ignore[no-untyped-def]
    if isinstance(a, WideType):

        def implement(a):  # type: ignore[no-untyped-def]
            if a >> 63 != 0:
                raise OverflowError("int(Bitboard) above 2**63 - 1 in compiled code")
            return _as_int64(a)

        return implement
    return None


# ---- methods and iteration -----------------------------------------------------------------------------------


@overload_method(WideType, "count")
def _count(self):  # type: ignore[no-untyped-def]
    return lambda self: _count_ones(self)


@overload_method(WideType, "first")
def _first(self):  # type: ignore[no-untyped-def]
    return lambda self: _find_first(self)


@overload_method(WideType, "last")
def _last(self):  # type: ignore[no-untyped-def]
    return lambda self: _find_last(self)


@overload_method(WideType, "rest")
def _rest(self):  # type: ignore[no-untyped-def]
    return lambda self: self & (self - 1)


@lower_builtin("getiter", WideType)
def _squares(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    squares = context.make_helper(builder, sig.return_type)
    squares.left = cgutils.alloca_once_value(builder, args[0])
    return impl_ret_untracked(context, builder, sig.return_type, squares._getvalue())


@lower_builtin("iternext", WideSquaresType)
@iternext_impl(RefType.UNTRACKED)
def _next_square(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    typ = sig.args[0].board
    squares = context.make_helper(builder, sig.args[0], value=args[0])
    left = builder.load(squares.left)
    more = builder.icmp_unsigned("!=", left, typ.constant(0))
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(builder.trunc(builder.cttz(left, ir.Constant(_BIT, 1)), _I64))
        builder.store(builder.and_(left, builder.sub(left, ir.Constant(typ.word, 1))), squares.left)
