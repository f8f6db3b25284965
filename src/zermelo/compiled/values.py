"""States and evaluations in compiled code: structs of the fields, with the class's own methods.

    class Othello            ->   { black: i64, white: i64, turn: i64 }      methods: those of the class
    class WeightedSquares    ->   { weights: array(int64, 1d) }

A method is looked up in the Python class when compiled code calls it, and compiled for that class. So the search
dispatches by type and passes no functions. Attributes of the class that are numbers or tuples of numbers, such as
`Othello.has_tactical_moves`, are constants of the compiled code.

A field that is a tuple takes a local list as well. The list is copied, and must have the field's length.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import (
    NativeValue,
    box,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from zermelo.compiled._numba import (
    AbstractTemplate,
    AttributeTemplate,
    ListInstance,
    Purpose,
    TypingError,
    cgutils,
    fold_arguments,
    impl_ret_borrowed,
    lower_builtin,
    signature,
    typeof,
)
from zermelo.compiled.bitboards import BitboardType, bitboard_type
from zermelo.compiled.fingerprint import fingerprint
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.rows import RowType
from zermelo.compiled.wide_bitboards import WideType, wide_type
from zermelo.core.bitboard import Bitboard
from zermelo.core.value import Field, Value, ValueType, is_constant, is_weights

# What is copied into a field that is a tuple.
_LISTS = (types.List, RowType)
_SCALARS: dict[type, Any] = {Bitboard: bitboard_type, int: types.int64, bool: types.boolean}


class WeightsType(types.Array):
    """Numba's type of an array field: an array whose references are not counted.

    Compiled code gets its values as arguments, and Python keeps their arrays alive. Counting took several atomic
    operations for each array at every node, 6 % of the samples of a profile of chess.
    """


@register_model(WeightsType)
class _WeightsModel(models.StructModel):
    """The layout of `types.Array`, with an owner that Numba does not take for memory of its own."""

    def __init__(self, manager: Any, fe_type: WeightsType) -> None:
        model = manager[_counted(fe_type)]
        members = dict(zip(model._fields, model._members, strict=True))
        super().__init__(manager, fe_type, [*(members | {"meminfo": types.voidptr}).items()])


def _counted(kind: WeightsType) -> types.Array:
    return types.Array(kind.dtype, kind.ndim, kind.layout, readonly=True)


@unbox(WeightsType)
def _unbox_weights(typ: WeightsType, value: Any, c: Any) -> NativeValue:
    counted = _counted(typ)
    native = c.unbox(counted, value)
    c.context.nrt.decref(c.builder, counted, native.value)  # the caller's reference is enough
    return native


class StructType(types.Type):
    """Numba's type of the values of one class (and, where fields are arrays, of their dimensions).

    The name contains the fingerprint of the class's code, so that machine code of an earlier version of the class, in
    the process or in the cache, is never taken for this one's.
    """

    def __init__(self, cls: type[Value], dimensions: tuple[int, ...]) -> None:
        self.cls = cls
        self.dimensions = dimensions
        self.members = {
            field.name: _member_type(field, ndim) for field, ndim in zip(cls.fields, dimensions, strict=True)
        }
        shape = "".join(map(str, dimensions))
        super().__init__(name=f"{cls.__qualname__}.{fingerprint(cls)}.{shape}")

    @property
    def mangling_args(self) -> tuple[str, tuple[Any, ...]]:
        return self.name, ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


_by_class: dict[tuple[type[Value], tuple[int, ...]], StructType] = {}
_by_name: dict[str, StructType] = {}  # cached machine code refers to types by name


def _struct_type(cls: type[Value], dimensions: tuple[int, ...]) -> StructType:
    key = (cls, dimensions)
    if key not in _by_class:
        made = StructType(cls, dimensions)
        made.cls = cls  # Numba has one type of a name; a class whose file was read again has the name of the first
        _by_class[key] = made
        _by_name[made.name] = made
    return _by_class[key]


def _find(name: str) -> StructType:
    return _by_name[name]


def _member_type(field: Field, ndim: int) -> types.Type:
    if is_weights(field.kind):
        item = getattr(types, field.kind.dtype)  # type: ignore[attr-defined]
        return WeightsType(item, ndim, "C", readonly=True)
    one = _SCALARS.get(field.kind) or wide_type(field.kind)
    return types.UniTuple(one, field.length) if field.length else one


def struct_type(value: Value) -> StructType:
    """The Numba type of a value."""
    arrays = _array_fields(type(value))
    if not arrays:  # as in all states, which are passed to compiled code most often
        return _struct_type(type(value), (0,) * len(value))
    return _struct_type(type(value), tuple(item.ndim if place in arrays else 0 for place, item in enumerate(value)))


@cache
def _array_fields(cls: type[Value]) -> frozenset[int]:
    """The places of the fields that hold arrays."""
    return frozenset(place for place, field in enumerate(cls.fields) if is_weights(field.kind))


@typeof_impl.register(Value)
def _typeof(value: Value, context: Any) -> types.Type:
    return struct_type(value)


# ---- layout, conversion from and to Python ------------------------------------------------------------------


@register_model(StructType)
class _StructModel(models.StructModel):
    def __init__(self, manager: Any, fe_type: StructType) -> None:
        super().__init__(manager, fe_type, list(fe_type.members.items()))


@unbox(StructType)
def _unbox(typ: StructType, value: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    for position, (name, member) in enumerate(typ.members.items()):
        item = c.pyapi.tuple_getitem(value, position)  # borrowed
        native = c.unbox(member, item)
        setattr(struct, name, native.value)
        c.builder.store(c.builder.or_(c.builder.load(failed), native.is_error), failed)
    return NativeValue(struct._getvalue(), is_error=c.builder.load(failed))


@box(StructType)
def _box(typ: StructType, value: Any, c: Any) -> Any:
    struct = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
    items = [c.box(member, getattr(struct, name)) for name, member in typ.members.items()]
    maker = c.pyapi.unserialize(c.pyapi.serialize_object(_Maker(typ.name)))
    made = c.pyapi.call_function_objargs(maker, items)
    for item in (*items, maker):
        c.pyapi.decref(item)
    return made


class _Maker:
    """Constructs values of a struct type's class: machine code contains the type's name, never the class itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *items: Any) -> Value:
        return _find(self.name).cls(*items)


# ---- the class as a constructor --------------------------------------------------------------------------


class ClassType(types.Callable, types.Opaque):
    """Numba's type of a value class itself, called to construct a value; arguments are cast to the fields."""

    def __init__(self, cls: type[Value]) -> None:
        self.cls = cls
        super().__init__(f"class({cls.__qualname__}.{fingerprint(cls)})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        made = _struct_type(self.cls, (0,) * len(self.cls.fields))
        constructor = inspect.signature(self.cls.__new__)
        pysig = constructor.replace(parameters=list(constructor.parameters.values())[1:])

        def given(index: int, parameter: Any, kind: types.Type) -> Any:
            return kind

        def default(index: int, parameter: Any, value: Any) -> Any:
            return None

        try:
            folded = fold_arguments(pysig, args, kws, given, default, None)
        except Exception as error:
            reason = str(error).rpartition("TypeError: ")[2].strip(' ".\n')
            raise TypingError(f"{self.cls.__name__}({', '.join(made.members)}): {reason}") from None
        for kind, member, field in zip(folded, made.members.values(), self.cls.fields, strict=True):
            if kind is not None and not _fits(kind, member):
                raise TypingError(f"{self.cls.__name__}(...): {field.name} must be {field.described}, not {kind}")
        taken = [
            kind if isinstance(kind, _LISTS) else member
            for kind, member in zip(folded, made.members.values(), strict=True)
        ]
        return signature(made, *taken).replace(pysig=pysig)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        return [], False

    def get_impl_key(self, sig: Any) -> Any:
        return _CONSTRUCT


def _fits(kind: types.Type, member: types.Type) -> bool:
    """Whether a constructor accepts an argument type for a field (no float for an int, as in interpreted code)."""
    if isinstance(member, types.BaseTuple):
        if isinstance(kind, RowType):
            return len(kind) == len(member) and _fits(kind.dtype, member.dtype)
        if isinstance(kind, types.List):
            return _fits(kind.dtype, member.dtype)
        return isinstance(kind, types.BaseTuple) and len(kind) == len(member) and all(map(_fits, kind, member))
    if isinstance(member, types.Boolean):
        return isinstance(kind, types.Boolean)
    if isinstance(member, types.Integer):
        return isinstance(kind, (types.Integer, types.Boolean))
    return kind == member or (isinstance(member, (BitboardType, WideType)) and isinstance(kind, types.Integer))


_CONSTRUCT = "zermelo.construct"


@typeof_impl.register(ValueType)
def _typeof_class(cls: type[Value], context: Any) -> types.Type:
    return ClassType(cls)


@register_model(ClassType)
class _ClassModel(models.OpaqueModel):
    pass


@lower_builtin(_CONSTRUCT, types.VarArg(types.Any))
def _construct(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    struct = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    for name, kind, value in zip(sig.return_type.members, sig.args, args, strict=True):
        setattr(struct, name, _field_value(context, builder, sig.return_type, name, kind, value))
    return struct._getvalue()


def _field_value(context: Any, builder: Any, made: StructType, name: str, kind: types.Type, value: Any) -> Any:
    """The value of a field, from an argument of its type or a list of its items."""
    member = made.members[name]
    if isinstance(kind, RowType):
        return context.cast(builder, builder.load(value), kind.tuple_type, member)
    if not isinstance(kind, types.List):
        return context.cast(builder, value, kind, member)
    items = ListInstance(context, builder, kind, value)
    with builder.if_then(
        builder.icmp_signed("!=", items.size, ir.Constant(items.size.type, len(member))), likely=False
    ):
        message = f"{made.cls.__name__}.{name}: the list does not have {len(member)} items"
        context.call_conv.return_user_exc(builder, ValueError, (message,))
    row = [
        context.cast(builder, items.getitem(ir.Constant(items.size.type, index)), kind.dtype, member.dtype)
        for index in range(len(member))
    ]
    return context.make_tuple(builder, member, row)


# ---- attributes: fields, constants, methods ----------------------------------------------------------------


class MethodType(types.BoundFunction):
    """Numba's type of a bound method: a call runs the code compiled for the value's class."""

    def __init__(self, dispatcher: types.Dispatcher, this: StructType) -> None:
        self.dispatcher = dispatcher

        class Template(AbstractTemplate):
            key = dispatcher

            def generic(self, args: Any, kws: Any) -> Any:
                found = dispatcher.get_call_type(self.context, (this, *args), kws)
                return found.as_method() if found else None

        super().__init__(Template, this)

    def copy(self, this: StructType) -> MethodType:
        return MethodType(self.dispatcher, this)

    def get_impl_key(self, sig: Any) -> Any:
        return self.dispatcher.get_impl_key(sig)


@register_model(MethodType)
def _method_model(manager: Any, fe_type: MethodType) -> Any:
    return manager[fe_type.this]  # a bound method is stored as the value that it is bound to


class ReplaceType(types.BoundFunction):
    """Numba's type of `Value.replace` bound to a struct: a call copies the struct and sets the named fields."""

    def __init__(self, this: StructType) -> None:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        pysig = inspect.Signature([inspect.Parameter(field, kind, default=None) for field in this.members])

        class Template(AbstractTemplate):
            key = _REPLACE

            def generic(self, args: Any, kws: Any) -> Any:
                name = this.cls.__name__
                if args:
                    raise TypingError(f"{name}.replace(...) takes fields by name only")
                for field, kind in kws.items():
                    if field not in this.members:
                        raise TypingError(f"{name}.replace(...): {name} has no field {field}")
                    if not _fits(kind, this.members[field]):
                        described = next(f for f in this.cls.fields if f.name == field).described
                        raise TypingError(f"{name}.replace(...): {field} must be {described}, not {kind}")
                taken = [
                    types.none if field not in kws else kws[field] if isinstance(kws[field], _LISTS) else member
                    for field, member in this.members.items()
                ]
                return signature(this, *taken, recvr=this).replace(pysig=pysig)

        super().__init__(Template, this)

    def copy(self, this: StructType) -> ReplaceType:
        return ReplaceType(this)

    def get_impl_key(self, sig: Any) -> Any:
        return _REPLACE


_REPLACE = "zermelo.replace"


@register_model(ReplaceType)
def _replace_model(manager: Any, fe_type: ReplaceType) -> Any:
    return manager[fe_type.this]


@lower_builtin(_REPLACE, StructType, types.VarArg(types.Any))
def _replace(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    struct = cgutils.create_struct_proxy(sig.return_type)(context, builder, value=args[0])
    for name, kind, value in zip(sig.return_type.members, sig.args[1:], args[1:], strict=True):
        if not isinstance(kind, types.NoneType):
            setattr(struct, name, _field_value(context, builder, sig.return_type, name, kind, value))
    return struct._getvalue()


@infer_getattr
class _StructAttributes(AttributeTemplate):
    key = StructType

    def generic_resolve(self, typ: StructType, attr: str) -> types.Type | None:
        if attr in typ.members:
            return typ.members[attr]
        found = inspect.getattr_static(typ.cls, attr, None)
        if attr == "replace" and getattr(found, "is_replace", False):
            return ReplaceType(typ)
        if inspect.isfunction(found):
            return MethodType(types.Dispatcher(dispatcher_of(found)), typ)
        return _constant_type(found)


def _constant_type(value: Any) -> types.Type | None:
    """The type of a class attribute that is a constant of compiled code; None for other attributes."""
    return typeof(value, Purpose.constant) if is_constant(value) else None


@infer_getattr
class _ClassAttributes(AttributeTemplate):
    key = ClassType

    def generic_resolve(self, typ: ClassType, attr: str) -> types.Type | None:
        return _constant_type(inspect.getattr_static(typ.cls, attr, None))


@lower_getattr_generic(ClassType)
def _get_constant(context: Any, builder: Any, typ: ClassType, value: Any, attr: str) -> Any:
    constant = getattr(typ.cls, attr)
    return context.get_constant_generic(builder, _constant_type(constant), constant)


@lower_getattr_generic(StructType)
def _get(context: Any, builder: Any, typ: StructType, value: Any, attr: str) -> Any:
    if attr in typ.members:
        struct = cgutils.create_struct_proxy(typ)(context, builder, value=value)
        return impl_ret_borrowed(context, builder, typ.members[attr], getattr(struct, attr))
    constant = getattr(typ.cls, attr)
    return context.get_constant_generic(builder, _constant_type(constant), constant)
