"""The numbers of a tree: whole ones, decimals and fractions, kept exactly; and how they are written.

A window's ends are the floats -inf and +inf where nothing bounds them: they compare with every number.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf

from zermelo.errors import TreeError

#: A value of a tree. Whole numbers are ints, the others fractions, never floats.
Number = int | Fraction
#: One end of a window: a number, or an infinity.
Bound = int | Fraction | float

#: Larger numbers than this, or finer ones, are no example that anybody works out by hand.
LARGEST = 10**12
FINEST = 10**6

_WRITTEN = re.compile(r"[-+−]?\d{1,15}(\.\d{1,9}(?:[eE][-+]?\d{1,2})?|[eE][-+]?\d{1,2}|/\d{1,9})?", re.ASCII)


def number(text: str) -> Number:
    """The number that a text stands for: `3`, `-2.5`, `1/6`. Raises `TreeError` for any other text.

    Typesetters' minus signs are understood.

    >>> number("-2.50")
    Fraction(-5, 2)
    """
    if not _WRITTEN.fullmatch(text):
        raise TreeError(f"{text[:40]!r} is no number such as 3, -2.5 or 1/6")
    try:
        value = Fraction(text.replace("−", "-"))
    except ZeroDivisionError:
        raise TreeError(f"{text!r} divides by 0") from None
    return checked(value)


def checked(value: Number) -> Number:
    """A number in the range of a tree, whole ones as ints. Raises `TreeError` beyond 10^12 or finer than 1/10^6."""
    if abs(value) > LARGEST:
        raise TreeError(f"{value} is larger than {LARGEST}")
    if isinstance(value, Fraction):
        if value.denominator > FINEST:
            raise TreeError(f"{value} is finer than 1/{FINEST}")
        return value.numerator if value.denominator == 1 else value
    return value


def shown(value: Bound | None) -> str:
    """A number as people write it: `3`, `-2.5`, `7/3`, `-∞`, `+∞`, and `?` for one that is not known.

    >>> [shown(each) for each in (3, Fraction(-5, 2), Fraction(7, 3), -inf, None)]
    ['3', '-2.5', '7/3', '-∞', '?']
    """
    if value is None:
        return "?"
    if isinstance(value, float):
        return "+∞" if value > 0 else "-∞"
    if isinstance(value, int) or value.denominator == 1:
        return str(int(value))
    decimal = _decimal(value)
    return f"{value.numerator}/{value.denominator}" if decimal is None else f"{decimal:.12g}"


def as_json(value: Bound | None) -> int | float | str | None:
    """A number as it stands in JSON: infinities are "-inf" and "+inf", fractions without an end "7/3"."""
    if isinstance(value, float):
        return "+inf" if value > 0 else "-inf"
    if value is None or isinstance(value, int):
        return value
    if value.denominator == 1:
        return value.numerator
    decimal = _decimal(value)
    return f"{value.numerator}/{value.denominator}" if decimal is None else decimal


def _decimal(value: Fraction) -> float | None:
    """The float that shows a fraction exactly, if its decimals end soon."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return float(value) if rest == 1 and value.denominator <= 10**4 else None


def bound_of(said: object) -> Bound:
    """A window's end as JSON or a person writes it: a number, `-inf`, `+inf`, `∞`. Raises `TreeError`."""
    if isinstance(said, str):
        word = said.strip().casefold().replace("−", "-").replace("∞", "inf").replace("infinity", "inf")
        if word in ("inf", "+inf", "-inf"):
            return -inf if word[0] == "-" else inf
        return number(said.strip())
    return number_of(said)


def number_of(said: object) -> Number:
    """A number as JSON or Python gives it: an int, a float, a fraction or a text. Raises `TreeError`."""
    if isinstance(said, bool) or not isinstance(said, (int, float, str, Fraction)):
        raise TreeError(f"{_short(said)} is no number")
    if isinstance(said, (int, Fraction)):
        return checked(said)
    return number(repr(said) if isinstance(said, float) else said.strip())


def _short(said: object) -> str:
    text = repr(said)
    return text if len(text) <= 40 else text[:37] + "..."
