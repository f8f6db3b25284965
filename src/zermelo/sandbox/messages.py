"""Messages of sandboxed programs: decoded and checked against their shapes before anything uses them.

A message is a line of JSON, `[KIND, FIELD, ...]`. Each protocol has one table from kinds to the shapes of their fields:

    SHAPES = {"answer": (record(value=number, move=optional(integer(0, 99))),), "error": (text(300),)}
    kind, *fields = decode(line, SHAPES)        # raises InvalidMessage for anything else

A program can write anything to its message channel. So a shape bounds every number and every length: what `decode`
returns cannot overflow a float, a database column or a loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

#: Whether a decoded value has a shape.
Shape = Callable[[Any], bool]
#: For each kind of message, the shapes of its fields.
Shapes = dict[str, tuple[Shape, ...]]

#: Maximum number of digits of an integer: those of 2^63.
_MAX_DIGITS = 19
#: Range of 64-bit integers.
MIN_INT64, MAX_INT64 = -(1 << 63), (1 << 63) - 1


class InvalidMessage(ValueError):
    """A line is not a message of the protocol."""


def decode(line: str | bytes, shapes: Shapes) -> list[Any]:
    """Decode a line and check it.

    Parameters
    ----------
    line : str or bytes
        The line, without its newline. Its length has been limited by the caller.
    shapes : dict
        The messages of the protocol.

    Returns
    -------
    list
        The kind of the message and its fields.

    Raises
    ------
    InvalidMessage
        The line is not JSON, or not a message of the protocol.
    """
    try:
        message = _DECODER.decode(line if isinstance(line, str) else line.decode())
    except (ValueError, RecursionError):
        raise InvalidMessage from None
    if not isinstance(message, list) or not message or not isinstance(message[0], str):
        raise InvalidMessage
    kind, *fields = message
    expected = shapes.get(kind)
    if expected is None or len(expected) != len(fields):
        raise InvalidMessage
    if not all(shape(field) for shape, field in zip(expected, fields, strict=True)):
        raise InvalidMessage
    return message


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS + (digits[0] == "-"):
        raise ValueError
    return int(digits)


#: Made once: making one takes longer than decoding a message.
_DECODER = json.JSONDecoder(parse_int=_integer)


# ---- shapes -----------------------------------------------------------------------------------------------------


def boolean(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def number(value: Any) -> bool:
    """A 64-bit integer or a float, infinity included, NaN excluded."""
    return int64(value) or (type(value) is float and value == value)


def finite(low: float, high: float) -> Shape:
    """An integer or a float from `low` to `high`."""
    return lambda value: type(value) in (int, float) and low <= value <= high


def int64(value: Any) -> bool:
    """A 64-bit integer."""
    return type(value) is int and MIN_INT64 <= value <= MAX_INT64


def integer(low: int, high: int) -> Shape:
    """An integer from `low` to `high`."""
    return lambda value: type(value) is int and low <= value <= high


def text(longest: int) -> Shape:
    """A text of at most `longest` characters. They can be any: make it a `single_line` before it is shown."""
    return lambda value: isinstance(value, str) and len(value) <= longest


def choice(*choices: str) -> Shape:
    """One of these texts."""
    return lambda value: isinstance(value, str) and value in choices


def optional(shape: Shape) -> Shape:
    """Null, or a value of a shape."""
    return lambda value: value is None or shape(value)


def array(shape: Shape, longest: int) -> Shape:
    """A list of at most `longest` values of a shape."""
    return lambda value: isinstance(value, list) and len(value) <= longest and all(map(shape, value))


def tuple_of(*shapes: Shape) -> Shape:
    """A list of exactly as many values as shapes, of these shapes. Use it where the code unpacks the list."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(shapes)
        and all(shape(each) for shape, each in zip(shapes, value, strict=True))
    )


def mapping(key: Shape, shape: Shape, longest: int) -> Shape:
    """An object with at most `longest` names and values of these shapes."""
    return lambda value: (
        isinstance(value, dict) and len(value) <= longest and all(map(key, value)) and all(map(shape, value.values()))
    )


def record(**shapes: Shape) -> Shape:
    """An object with exactly these names, with a value of the right shape each."""
    return lambda value: (
        isinstance(value, dict)
        and value.keys() == shapes.keys()
        and all(shape(value[name]) for name, shape in shapes.items())
    )


def one_of(*shapes: Shape) -> Shape:
    """A value of one of these shapes."""
    return lambda value: any(shape(value) for shape in shapes)


#: How a sandboxed program describes an exception, see `limits.describe_exception`.
EXCEPTION = {"doing": text(10), "line": optional(integer(0, 1 << 31)), "type": text(80), "text": text(300)}
