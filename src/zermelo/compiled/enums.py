"""`IntEnum` in compiled code: a member is its number.

    class Stone(IntEnum):
        EMPTY = 0          Stone.BLACK   ->   i64 1
        BLACK = 1

Numba has a type of its own for members, which is not an int: fields, moves, players and shifts would refuse it. Only
the names that code refers to are affected, not the arguments of functions.
"""

from __future__ import annotations

import enum
from typing import Any

from numba import types
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model, typeof_impl

from zermelo.compiled._numba import AttributeTemplate, Purpose


class EnumClassType(types.Opaque):
    """Numba's type of an `IntEnum` class; its members are attributes."""

    def __init__(self, cls: type[enum.Enum]) -> None:
        self.cls = cls
        super().__init__(f"enum({cls.__module__}.{cls.__qualname__})")


_numba_typeof_class = typeof_impl.dispatch(enum.EnumMeta)
_numba_typeof_member = typeof_impl.dispatch(enum.IntEnum)


@typeof_impl.register(enum.EnumMeta)
def _typeof_class(cls: Any, context: Any) -> Any:
    is_number = context.purpose is Purpose.constant and issubclass(cls, enum.IntEnum)
    return EnumClassType(cls) if is_number else _numba_typeof_class(cls, context)


@typeof_impl.register(enum.IntEnum)
def _typeof_member(member: Any, context: Any) -> Any:
    return types.int64 if context.purpose is Purpose.constant else _numba_typeof_member(member, context)


@register_model(EnumClassType)
class _EnumClassModel(models.OpaqueModel):
    pass


@infer_getattr
class _Members(AttributeTemplate):
    key = EnumClassType

    def generic_resolve(self, typ: EnumClassType, attr: str) -> Any:
        return types.int64 if attr in typ.cls.__members__ else None


@lower_getattr_generic(EnumClassType)
def _member(context: Any, builder: Any, typ: EnumClassType, value: Any, attr: str) -> Any:
    return context.get_constant(types.int64, int(typ.cls.__members__[attr].value))
