"""Immutable values with typed fields: the base of states and evaluations.

A value is a tuple of its fields with the class's methods. So it is cheap, cannot change, is compared and hashed by its
class and fields, and can be laid out as a struct by `zermelo.compiled`. Fields are annotations in the class body:

=====================  ===========================================  ==============================
annotation             interpreted                                  compiled
=====================  ===========================================  ==============================
`Bitboard`             `zermelo.Bitboard` (plain ints are wrapped)  unsigned 64-bit word
`int`                  `int`                                        signed 64-bit integer
`bool`                 `bool`                                       boolean
`tuple[int, ...]` ×n   a tuple of exactly n of one of the above     n of them in a row
`Weights`              read-only `numpy` array of 64-bit ints       the same (evaluations only)
=====================  ===========================================  ==============================

A tuple type is written out, `tuple[int, int, int]`, or computed, `tuple[(int,) * 24]`.
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
    Weights = Any  # a constructor accepts nested sequences, a field holds an array
else:

    class Weights:
        """Annotation of a field that holds numbers to be fitted: an int64 array of any shape.

        The constructor accepts any nested sequence of ints and stores a read-only, contiguous `numpy.ndarray`.
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


def make_value(cls: type, base: type[Value], kinds: tuple[type, ...], refuse: type[GameError]) -> type[Value]:
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
    own = list(_read_fields(cls, kinds, refuse))
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
    made.__new__ = _constructor(made, fields, defaults, refuse)
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


def _read_fields(cls: type, kinds: tuple[type, ...], refuse: type[GameError]) -> typing.Iterator[Field]:
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
        if annotation in kinds:
            yield Field(name, annotation, 0)
        elif origin is tuple and items and set(items) <= set(kinds) - {Weights}:
            if len(set(items)) > 1:
                raise refuse(f"{cls.__name__}.{name}: the items of a tuple must all have one type")
            yield Field(name, items[0], len(items))
        else:
            allowed = ", ".join(kind.__name__ for kind in kinds)
            found = getattr(annotation, "__name__", None) if not items else None
            raise refuse(
                f"{cls.__name__}.{name} has type {found or annotation}; a field must have one of the types {allowed}, "
                "or be a tuple of fixed length of one of them, such as tuple[int, int, int]"
            )


def _converter(cls: type, field: Field, refuse: type[GameError]) -> Callable[[Any], Any]:
    """Make the function that converts one argument of the constructor to its field, or refuses it."""

    def wrong(value: Any) -> GameError:
        return refuse(f"{cls.__name__}.{field.name} must be {field.described}, not {value!r} ({type(value).__name__})")

    def one(value: Any) -> Any:
        if field.kind is bool:
            if type(value).__name__ in ("bool", "bool_"):
                return bool(value)
            raise wrong(value)
        if field.kind is int and isinstance(value, Bitboard):
            raise wrong(value)  # a set of squares is not a number, as in compiled code; int(board) converts it
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
    """Make `__new__(cls, <fields>)` from source, as `dataclasses` does: a loop would be several times slower.

    An argument of exactly the field's type is stored as it is; any other goes through the field's converter.
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
    # The function reads the defaults when it is defined, so they are converted first.
    for field in fields:
        if field.name in defaults:
            defaults[field.name] = scope[f"_convert_{field.name}"](defaults[field.name])
    exec(f"def __new__(_cls{arguments}):\n    return _new(_cls, ({items}))", scope)
    made: types.FunctionType = scope["__new__"]
    made.__qualname__ = f"{cls.__name__}.__new__"
    return made
