"""Immutable values with typed fields: the base of states and evaluations.

A value is a tuple of its fields with the class's methods. So it is cheap, cannot change, is compared and hashed by its
class and fields, and can be laid out as a struct by `zermelo.compiled`. Fields are annotations in the class body:

=====================  ===========================================  ==============================
annotation             interpreted                                  compiled
=====================  ===========================================  ==============================
`Bitboard`             `zermelo.Bitboard` (plain ints are wrapped)  unsigned 64-bit word
`Bitboard[81]`         the same with 81 squares                     unsigned word of 81 bits
`int`                  `int`                                        signed 64-bit integer
`bool`                 `bool`                                       boolean
`tuple[int, ...]` ×n   a tuple of exactly n of one of the above     n of them in a row
`Weights`              read-only `numpy` array of 64-bit ints       the same (evaluations only)
`Int16Weights` etc.    the same of int8, int16, int32 or float32    the same (evaluations only)
any other type         the value as it is                           none: the class is interpreted (games only)
=====================  ===========================================  ==============================

A tuple type is written out, `tuple[int, int, int]`, or computed, `tuple[(int,) * 24]`.
"""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Callable
from enum import IntEnum
from operator import index, itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from zermelo.core.bitboard import Bitboard
from zermelo.errors import GameError

if TYPE_CHECKING:
    # A constructor accepts nested sequences, a field holds an array.
    Weights = Any
    Int8Weights = Any
    Int16Weights = Any
    Int32Weights = Any
    Float32Weights = Any
else:

    class Weights:
        """Annotation of a field that holds numbers to be fitted: an int64 array of any shape.

        The constructor accepts any nested sequence of ints and stores a read-only, contiguous `numpy.ndarray`.
        """

        dtype = "int64"

    class Int8Weights(Weights):
        """The same, as 8-bit ints."""

        dtype = "int8"

    class Int16Weights(Weights):
        """The same, as 16-bit ints."""

        dtype = "int16"

    class Int32Weights(Weights):
        """The same, as 32-bit ints."""

        dtype = "int32"

    class Float32Weights(Weights):
        """The same, as 32-bit floating-point numbers; the constructor also accepts floats."""

        dtype = "float32"


class Field(NamedTuple):
    """One field of a value: its name, the type of its items, and how many there are (0: not a tuple).

    A field that cannot be compiled has the class of its annotation as type (`dict` for `dict[str, int]`), or `object`.
    """

    name: str
    kind: type
    length: int

    @property
    def described(self) -> str:
        """With its article: 'an int', 'a Bitboard', 'a tuple of 3 ints'."""
        return f"an {self}" if str(self)[0].lower() in "aeio" else f"a {self}"

    def __str__(self) -> str:
        return f"tuple of {self.length} {self.kind.__name__}s" if self.length else self.kind.__name__


class ValueType(type):
    """Metaclass of all value classes; compiled code recognises them by it."""

    def __setattr__(cls, name: str, value: object) -> None:
        if name == "__dataclass_params__":  # the first attribute that @dataclass sets
            raise GameError(_NO_DATACLASS.format(cls.__name__))
        super().__setattr__(name, value)


_NO_DATACLASS = "{}: remove @dataclass; the decorators game and evaluation make the fields and the constructor"


class Value(tuple[Any, ...], metaclass=ValueType):
    """Base of every state and evaluation. Subclasses are made by the decorators `game` and `evaluation` only."""

    __slots__ = ()
    #: The fields, in the order of the constructor's parameters.
    fields: ClassVar[tuple[Field, ...]] = ()
    #: The defaults of fields that have one, by name.
    field_defaults: ClassVar[dict[str, Any]] = {}

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __bool__(self) -> bool:
        return True  # also without fields, where the tuple is empty

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be set; construct a new one")

    def __repr__(self) -> str:
        pairs = (f"{field.name}={value!r}" for field, value in zip(self.fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(pairs)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)

    def replace(self, **fields: Any) -> Self:
        """A copy with some fields changed: `state.replace(turn=MIN, heap=3)`.

        Each class has its own, made by the decorator: it takes the fields by name, checks them as the constructor
        does, and is as fast.
        """
        raise NotImplementedError

    def __deepcopy__(self, memo: object) -> Self:
        return self  # immutable


def make_value(
    cls: type, base: type[Value], kinds: tuple[type, ...], refuse: type[GameError], *, any_kind: bool = False
) -> type[Value]:
    """Make a subclass of `base` from a class written by a user: its annotations become fields.

    Parameters
    ----------
    cls
        The class as written. Its methods are taken over unchanged.
    base
        `State` or `Evaluation`.
    kinds
        The types that fields may have, alone or as items of a tuple.
    refuse
        The exception to raise.
    any_kind
        Whether fields may have any other type as well; they are stored as they are.

    Raises
    ------
    GameError
        If the class is a dataclass or has a constructor; if a field has a wrong type or a name of the contract, or
        has no default but follows one that has.
    """
    if "__dataclass_params__" in cls.__dict__:
        raise refuse(_NO_DATACLASS.format(cls.__name__))
    if "fields" in cls.__dict__:
        raise refuse(f"{cls.__name__} is already a game or an evaluation; use the decorator once")
    for name in ("__init__", "__new__"):
        if name in cls.__dict__:
            raise refuse(f"{cls.__name__}.{name} is not allowed: the constructor takes the fields; give them defaults")
    inherited = [field for base in reversed(cls.__mro__) if issubclass(base, Value) for field in base.fields]
    own = list(_read_fields(cls, kinds, refuse, any_kind))
    _refuse_taken_names(cls, base, own, refuse)
    fields = tuple({field.name: field for field in (*inherited, *own)}.values())
    defaults: dict[str, Any] = {}
    for field in fields:
        if field.name in cls.__dict__:
            defaults[field.name] = cls.__dict__[field.name]
        elif field.name in (before := _defaults_of(cls)):
            defaults[field.name] = before[field.name]
        elif defaults:
            raise refuse(
                f"{cls.__name__}.{field.name} has no default but follows a field that has one; "
                "give it a default or move it up"
            )
    body = {k: v for k, v in cls.__dict__.items() if k not in defaults and k not in ("__dict__", "__weakref__")}
    bases = tuple(b for b in cls.__bases__ if b is not object) or (base,)
    if not any(issubclass(b, base) for b in bases):
        bases = (*bases, base)
    body["__qualname__"] = cls.__qualname__
    body["__slots__"] = ()
    body["__match_args__"] = tuple(field.name for field in fields)
    body["fields"] = fields
    body["field_defaults"] = defaults
    for position, field in enumerate(fields):
        body[field.name] = property(itemgetter(position), doc=f"{field.name}: {field}")
    made: Any = ValueType(cls.__name__, bases, body)
    _point_super_to(made)
    made.__new__, replace = _constructors(made, fields, defaults, kinds, refuse)
    if made.replace is Value.replace or hasattr(made.replace, "is_replace"):  # not a method of the class's own
        made.replace = replace
    return cast(type[Value], made)


# What to call a field whose obvious name is a method of the contract.
_OTHER_NAMES = {"board": "cells", "key": "code", "moves": "move_count", "picture": "image", "start": "first"}


def _refuse_taken_names(cls: type, base: type[Value], own: list[Field], refuse: type[GameError]) -> None:
    """Refuse fields that would hide a method or fact of the contract."""
    taken = {
        name: value for each in reversed(base.__mro__) if issubclass(each, Value) for name, value in vars(each).items()
    }
    for field in own:
        if field.name in taken:
            if callable(taken[field.name]) or isinstance(taken[field.name], classmethod):
                other = _OTHER_NAMES.get(field.name, f"{field.name}_")
                raise refuse(
                    f"{cls.__name__}.{field.name}: this name is taken by the contract ({base.__name__}.{field.name}); "
                    f"use another name for the field, such as {other}"
                )
            raise refuse(
                f"{cls.__name__}.{field.name}: this name is taken by the contract; to set it, write "
                f"{field.name} = ... without an annotation"
            )


def _point_super_to(made: type) -> None:
    """Let `super()` in the methods refer to the class that was made, not to the one that was written."""
    for member in vars(made).values():
        function = getattr(member, "__func__", member)
        if isinstance(function, types.FunctionType) and "__class__" in function.__code__.co_freevars:
            cells = function.__closure__ or ()
            cells[function.__code__.co_freevars.index("__class__")].cell_contents = made


def _defaults_of(cls: type) -> dict[str, Any]:
    """The defaults of inherited fields."""
    known: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Value):
            known |= base.field_defaults
    return known


def _read_fields(cls: type, kinds: tuple[type, ...], refuse: type[GameError], any_kind: bool) -> typing.Iterator[Field]:
    """Yield the fields that a class body annotates."""
    scope = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    for name, annotation in cls.__annotations__.items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, dict(scope), dict(vars(cls)))  # the class's own source text
            except Exception as error:
                raise refuse(
                    f"{cls.__name__}.{name}: the annotation {annotation!r} cannot be evaluated ({error})"
                ) from None
        items: tuple[Any, ...] = typing.get_args(annotation)
        origin: Any = typing.get_origin(annotation)
        if ClassVar in (origin, annotation):
            continue
        if is_kind(annotation, kinds):
            yield Field(name, annotation, 0)
        elif origin is tuple and len(set(items)) == 1 and is_kind(items[0], kinds) and not is_weights(items[0]):
            yield Field(name, items[0], len(items))
        elif any_kind and not is_weights(annotation):
            yield Field(name, _class_of(annotation if origin is None else origin), 0)
        elif origin is tuple and items and set(items) <= set(kinds) - {Weights}:
            raise refuse(f"{cls.__name__}.{name}: the items of a tuple must all have one type")
        else:
            allowed = ", ".join(kind.__name__ for kind in kinds)
            found = getattr(annotation, "__name__", None) if not items else None
            raise refuse(
                f"{cls.__name__}.{name} has type {found or annotation}; a field must have one of the types {allowed}, "
                "or be a tuple of fixed length of one of them, such as tuple[int, int, int]"
            )


def _class_of(annotation: Any) -> type:
    """The class whose instances a field holds; `object` where `isinstance` does not know the annotation."""
    if not isinstance(annotation, type) or annotation in (types.UnionType, typing.Union):
        return object
    try:
        isinstance(None, annotation)
    except TypeError:  # a Protocol, Any
        return object
    return annotation


def is_kind(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Whether an annotation is one of the kinds of fields; `Bitboard[n]` is where `Bitboard` is."""
    is_board = isinstance(annotation, type) and issubclass(annotation, Bitboard)
    return (Bitboard if is_board else Weights if is_weights(annotation) else annotation) in kinds


def is_weights(annotation: Any) -> bool:
    """Whether an annotation is `Weights` or one of its kinds, whose attribute `dtype` names the type of the items."""
    return isinstance(annotation, type) and issubclass(annotation, cast(type, Weights))


def _converter(cls: type, field: Field, refuse: type[GameError]) -> Callable[[Any], Any]:
    """Make the function that converts one argument of the constructor to its field, or refuses it."""

    def wrong(value: Any) -> GameError:
        return refuse(f"{cls.__name__}.{field.name} must be {field.described}, not {value!r} ({type(value).__name__})")

    def one(value: Any) -> Any:
        if field.kind is bool:
            if type(value).__name__ in ("bool", "bool_"):
                return bool(value)
            raise wrong(value)
        if isinstance(value, Bitboard) and type(value) is not field.kind:
            raise wrong(value)  # a set of squares is not a number, nor one of another width, as in compiled code
        try:
            return field.kind(index(value)) if issubclass(field.kind, Bitboard) else index(value)
        except (TypeError, ValueError):
            raise wrong(value) from None

    def row(value: Any) -> Any:
        if type(value) is tuple and len(value) == field.length and set(map(type, value)) == {field.kind}:
            return value
        if not isinstance(value, (tuple, list)) or len(value) != field.length:
            raise wrong(value)
        return tuple(item if type(item) is field.kind else one(item) for item in value)

    def weights(value: Any) -> Any:
        import numpy as np

        try:
            array = np.ascontiguousarray(value)
        except ValueError:  # rows of different lengths
            raise wrong(value) from None
        wanted: Any = np.dtype(cast(Any, field.kind).dtype)
        if array.size and array.dtype != wanted:
            if array.dtype.kind not in ("iuf" if wanted.kind == "f" else "iu"):
                raise wrong(value)
            largest = np.iinfo(wanted) if wanted.kind == "i" else np.finfo(wanted)
            if not (largest.min <= array.min() and array.max() <= largest.max):
                raise wrong(value)
        if array is not value or array.dtype != wanted or array.flags.writeable:
            array = array.astype(wanted)
        array.flags.writeable = False
        return array

    if is_weights(field.kind):
        return weights
    return row if field.length else one


def _constructors(
    cls: type, fields: tuple[Field, ...], defaults: dict[str, Any], kinds: tuple[type, ...], refuse: type[GameError]
) -> tuple[Callable[..., Value], Callable[..., Value]]:
    """Make `__new__(cls, <fields>)` and `replace(self, *, <fields>)` from source, as `dataclasses` does.

    A loop would be several times slower. An argument of exactly the field's type is stored as it is; any other goes
    through the field's converter. A field of a type that is not one of `kinds` has no converter.
    """

    def item(field: Field) -> str:
        if not is_kind(field.kind, kinds):
            return field.name
        converted = f"_convert_{field.name}({field.name})"
        if field.length or is_weights(field.kind):
            return converted
        return f"{field.name} if type({field.name}) is _kind_{field.name} else {converted}"

    scope: dict[str, Any] = {"_new": tuple.__new__, "_defaults": defaults, "_kept": object()}
    for field in fields:
        scope[f"_kind_{field.name}"] = field.kind
        scope[f"_convert_{field.name}"] = _converter(cls, field, refuse)
    # The functions read the defaults when they are defined, so they are converted first.
    for field in fields:
        if field.name not in defaults:
            continue
        default = defaults[field.name]
        if is_kind(field.kind, kinds):
            defaults[field.name] = scope[f"_convert_{field.name}"](default)
        elif not isinstance(default, (float, int) if field.kind is float else field.kind):
            raise refuse(
                f"{cls.__name__}.{field.name} is {field.described}, but its default is {default!r} "
                f"({type(default).__name__}); change the annotation or the default"
            )
    taken = "".join(f", {f.name}" + (f"=_defaults[{f.name!r}]" if f.name in defaults else "") for f in fields)
    items = "".join(f"{item(f)}, " for f in fields)
    exec(f"def __new__(_cls{taken}):\n    return _new(_cls, ({items}))", scope)
    named = "".join(f", {f.name}=_kept" for f in fields)
    items = "".join(f"_self[{i}] if {f.name} is _kept else {item(f)}, " for i, f in enumerate(fields))
    star = ", *" if fields else ""
    exec(f"def replace(_self{star}{named}):\n    return _new(_self.__class__, ({items}))", scope)
    for name in ("__new__", "replace"):
        scope[name].__qualname__ = f"{cls.__name__}.{name}"
    scope["replace"].__doc__ = Value.replace.__doc__
    scope["replace"].is_replace = True
    scope["replace"].interpreted = True  # compiled code has its own (`zermelo.compiled.values`)
    return scope["__new__"], scope["replace"]


def annotation_hint(cls: type[Value], message: str) -> str:
    """Return what to add to a message about arguments that a class has no field for; empty if the hint does not apply.

    A name without an annotation is a constant of the class. That is easily overlooked where a field was meant.

    Parameters
    ----------
    cls : type of Value
        The class whose constructor or method `replace` was called.
    message : str
        The message of Python's exception or of the compiler.
    """
    surplus = re.search(
        rf"\b{cls.__name__}\b.*?(?:too many positional arguments|takes .*positional arguments? but"
        r"|unexpected keyword argument '(\w+)'|has no field (\w+))",
        message,
    )
    if surplus is None:
        return ""
    wanted = surplus[1] or surplus[2]
    base = next(
        each for each in cls.__mro__ if each is Value or (issubclass(each, Value) and "fields" not in vars(each))
    )
    constants = {
        name: value
        for each in reversed(cls.__mro__[: cls.__mro__.index(base)])
        for name, value in vars(each).items()
        if (name == wanted if wanted else not name.isupper())
        and not (name.startswith("_") or hasattr(base, name))
        and isinstance(value, (int, float, str, tuple, frozenset))
    }
    if not constants:
        return ""
    name, value = next(iter(constants.items()))
    kind = type(value).__name__
    if type(value) is tuple:
        kind = f"tuple[{', '.join(type(item).__name__ for item in value)}]"
    are = "has no annotation, so it is a constant of the class and not a field"
    if len(constants) > 1:
        are = "have no annotation, so they are constants of the class and not fields"
    return f"; {' and '.join(constants)} {are}; write {name}: {kind} = {value!r}"


def is_int(value: object) -> bool:
    """Whether a value is an int or a member of an `IntEnum`, which is its number; not a bool or a Bitboard."""
    return type(value) is int or isinstance(value, IntEnum)


def is_constant(value: object) -> bool:
    """Whether an attribute of a class is a constant of compiled code: a number, a Bitboard, or a tuple of these."""
    if isinstance(value, tuple):
        return type(value) is tuple and bool(value) and all(map(is_constant, value))
    return isinstance(value, int)
