"""Immutable values with typed fields: what states and evaluations are made of.

A value is a tuple of its fields with the class's methods on top, so it is cheap, cannot change, compares and
hashes by its fields (and by its class: values of different classes are never equal), and can be laid out as
a struct by `zermelo.compiled`. Field types, as annotations in the class body:

=====================  ===========================================  ==============================
annotation             interpreted                                  compiled
=====================  ===========================================  ==============================
`Bitboard`             `zermelo.Bitboard` (plain ints are wrapped)   unsigned 64-bit word
`int`                  `int`                                        signed 64-bit integer
`bool`                 `bool`                                       truth value
`tuple[int, ...]` ×n   a tuple of exactly n of one of the above     n of them in a row
`Weights`              read-only `numpy` array of 64-bit ints       the same (evaluations only)
=====================  ===========================================  ==============================

A fixed tuple is written out, `tuple[int, int, int]`, or computed, `tuple[(int,) * 24]`.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable
from operator import index, itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from zermelo.core.bitboard import Bitboard
from zermelo.errors import GameError

if TYPE_CHECKING:
    Weights = Any  # what is accepted is not what is kept
else:

    class Weights:
        """The annotation of a field that holds numbers to be fitted: an int64 array of any shape.

        Any nested sequence of ints is accepted and frozen into a read-only, contiguous `numpy.ndarray`.
        """


class Field(NamedTuple):
    """One field of a value: its name, the type of its items, and how many there are (0: not a tuple)."""

    name: str
    kind: type
    length: int

    @property
    def described(self) -> str:
        """With its article: 'an int', 'a Bitboard', 'a tuple of 3 ints'."""
        return f"an {self}" if str(self) == "int" else f"a {self}"

    def __str__(self) -> str:
        return f"tuple of {self.length} {self.kind.__name__}s" if self.length else self.kind.__name__


class ValueType(type):
    """The class of value classes, so that compiled code can tell a value's class from any other class."""


class Value(tuple[Any, ...], metaclass=ValueType):
    """Base of every state and evaluation. Made by the decorators `game` and `evaluation`, never by hand."""

    __slots__ = ()
    fields: ClassVar[tuple[Field, ...]] = ()

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __bool__(self) -> bool:
        return True  # a value without fields is an empty tuple, but no less a value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot change; make another one")

    def __repr__(self) -> str:
        pairs = (f"{field.name}={value!r}" for field, value in zip(self.fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(pairs)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)


def make_value(cls: type, base: type[Value], kinds: tuple[type, ...], refuse: type[GameError]) -> type[Value]:
    """Turn the class written by the user into a subclass of `base` with its annotated fields.

    The methods' code is taken over as it is. Raises `refuse` when a field's type is not among `kinds` or a
    field without a default follows one that has a default.
    """
    inherited = [field for base in reversed(cls.__mro__) if issubclass(base, Value) for field in base.fields]
    fields = tuple({field.name: field for field in (*inherited, *_read_fields(cls, kinds, refuse))}.values())
    defaults: dict[str, Any] = {}
    for field in fields:
        if field.name in cls.__dict__:
            defaults[field.name] = cls.__dict__[field.name]
        elif field.name in (before := _defaults_of(cls)):
            defaults[field.name] = before[field.name]
        elif defaults:
            raise refuse(
                f"{cls.__name__}.{field.name} has no default but follows a field that has one; "
                "give it one or move it up"
            )
    body = {k: v for k, v in cls.__dict__.items() if k not in defaults and k not in ("__dict__", "__weakref__")}
    bases = tuple(b for b in cls.__bases__ if b is not object) or (base,)
    if not any(issubclass(b, base) for b in bases):
        bases = (*bases, base)
    body["__qualname__"] = cls.__qualname__
    body["__slots__"] = ()
    body["__match_args__"] = tuple(field.name for field in fields)
    body["fields"] = fields
    for position, field in enumerate(fields):
        body[field.name] = property(itemgetter(position), doc=f"{field.name}: {field}")
    made: Any = ValueType(cls.__name__, bases, body)
    _point_super_to(made)
    made.__new__ = _constructor(made, fields, defaults, refuse)
    return cast(type[Value], made)


def _point_super_to(made: type) -> None:
    """Let `super()` in the methods mean the class that was made, not the one that was written."""
    for member in vars(made).values():
        function = getattr(member, "__func__", member)
        if isinstance(function, types.FunctionType) and "__class__" in function.__code__.co_freevars:
            cells = function.__closure__ or ()
            cells[function.__code__.co_freevars.index("__class__")].cell_contents = made


def _defaults_of(cls: type) -> dict[str, Any]:
    """The defaults of the fields that a class inherits."""
    known: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Value) and base.fields:
            given = getattr(base.__new__, "__defaults__", None) or ()
            known |= {field.name: default for field, default in zip(base.fields[-len(given) :], given, strict=False)}
    return known


def _read_fields(cls: type, kinds: tuple[type, ...], refuse: type[GameError]) -> typing.Iterator[Field]:
    scope = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    for name, annotation in cls.__annotations__.items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, dict(scope), dict(vars(cls)))  # the class's own source text
            except Exception as error:
                raise refuse(f"{cls.__name__}.{name}: the annotation {annotation!r} is unknown ({error})") from None
        items: tuple[Any, ...] = typing.get_args(annotation)
        origin: Any = typing.get_origin(annotation)
        if ClassVar in (origin, annotation):
            continue
        if annotation in kinds:
            yield Field(name, annotation, 0)
        elif origin is tuple and items and set(items) <= set(kinds) - {Weights}:
            if len(set(items)) > 1:
                raise refuse(f"{cls.__name__}.{name}: the items of a tuple must all have one type")
            yield Field(name, items[0], len(items))
        else:
            wanted = ", ".join(kind.__name__ for kind in kinds)
            shown = getattr(annotation, "__name__", None) if not items else None
            raise refuse(
                f"{cls.__name__}.{name} has type {shown or annotation}; a field is one of {wanted} "
                "or a tuple of fixed length of one of them, like tuple[int, int, int]"
            )


def _converter(cls: type, field: Field, refuse: type[GameError]) -> Callable[[Any], Any]:
    """The function that brings one argument of the constructor into the field's form, or refuses it."""

    def wrong(value: Any) -> GameError:
        return refuse(f"{cls.__name__}.{field.name} must be {field.described}, not {value!r} ({type(value).__name__})")

    def one(value: Any) -> Any:
        if field.kind is bool:
            if type(value).__name__ in ("bool", "bool_"):
                return bool(value)
            raise wrong(value)
        if field.kind is int and isinstance(value, Bitboard):
            raise wrong(value)  # no number, here as in compiled code: int(board) says that one is meant
        try:
            return Bitboard(index(value)) if field.kind is Bitboard else index(value)
        except TypeError:
            raise wrong(value) from None

    def row(value: Any) -> Any:
        if not isinstance(value, (tuple, list)) or len(value) != field.length:
            raise wrong(value)
        return tuple(item if type(item) is field.kind else one(item) for item in value)

    def weights(value: Any) -> Any:
        import numpy as np

        try:
            array = np.ascontiguousarray(value)
        except ValueError:  # rows of different lengths
            raise wrong(value) from None
        if array.size and (array.dtype.kind not in "iu" or array.max() > np.iinfo(np.int64).max):
            raise wrong(value)
        array = array.astype(np.int64)
        array.flags.writeable = False
        return array

    if field.kind is Weights:
        return weights
    return row if field.length else one


def _constructor(
    cls: type, fields: tuple[Field, ...], defaults: dict[str, Any], refuse: type[GameError]
) -> Callable[..., Value]:
    """`__new__(cls, <fields>)` as source, the way `dataclasses` does it: a loop would be several times slower.

    An argument that has exactly the field's type passes; any other goes through the field's converter.
    """
    arguments = "".join(f", {f.name}" + (f"=_defaults[{f.name!r}]" if f.name in defaults else "") for f in fields)
    items = "".join(
        f"{f.name} if type({f.name}) is _kind_{f.name} else _convert_{f.name}({f.name}), "
        if not f.length and f.kind is not Weights
        else f"_convert_{f.name}({f.name}), "
        for f in fields
    )
    scope: dict[str, Any] = {"_new": tuple.__new__, "_defaults": defaults}
    for field in fields:
        scope[f"_kind_{field.name}"] = field.kind
        scope[f"_convert_{field.name}"] = _converter(cls, field, refuse)
    # Defaults are read when the function is made, so they are converted first.
    for field in fields:
        if field.name in defaults:
            defaults[field.name] = scope[f"_convert_{field.name}"](defaults[field.name])
    exec(f"def __new__(_cls{arguments}):\n    return _new(_cls, ({items}))", scope)
    made: types.FunctionType = scope["__new__"]
    made.__qualname__ = f"{cls.__name__}.__new__"
    return made
