"""Exact numbers of trees: integers, decimals and fractions; parsing and formatting.

Infinite bounds are the floats -inf and +inf, which compare with every number.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf
from operator import index

from zermelo.errors import TreeError

#: A value of a tree: an int if it is whole, else a Fraction; never a float.
Number = int | Fraction
#: Alpha or beta: a number or an infinity.
Bound = int | Fraction | float

#: Limits that keep arithmetic fast, far beyond what anyone works out by hand.
MAX_MAGNITUDE = 10**12
MAX_DENOMINATOR = 10**6

_NUMBER = re.compile(r"[-+−]?\d++(?:\.\d++(?:[eE][-+]?\d++)?+|[eE][-+]?\d++|/\d++)?+", re.ASCII)
#: Maximum length of a number in characters, enough for every number in range.
_MAX_LENGTH = 40
_RANGE = f"expected -10^12 to 10^12, with a denominator of at most {MAX_DENOMINATOR:,}"


def parse_number(text: str) -> Number:
    """Parse a number: `3`, `-2.5`, `1/6`. The Unicode minus sign is accepted.

    Raises
    ------
    TreeError
        If the text is not a number, or the number is out of range.

    Examples
    --------
    >>> parse_number("-2.50")
    Fraction(-5, 2)
    """
    if len(text) < 12 and text.isascii() and text.isdigit():  # fast path for most numbers
        return int(text)
    if not _NUMBER.fullmatch(text):
        raise TreeError(f"{_truncated(text)!r} is not a number: expected a number such as 3, -2.5 or 1/6")
    _, _, exponent = text.lower().partition("e")
    if len(text) > _MAX_LENGTH or len(exponent.lstrip("+-")) > 2:
        raise TreeError(f"{_truncated(text)} is out of range: {_RANGE}")
    try:
        return check_range(Fraction(text.replace("−", "-")))
    except ZeroDivisionError:
        raise TreeError(f"{text!r}: division by zero") from None


def check_range(value: Number) -> Number:
    """Return a number as an int if it is whole. Raises `TreeError` if it is out of range."""
    if -MAX_MAGNITUDE <= value <= MAX_MAGNITUDE and value.denominator <= MAX_DENOMINATOR:
        return value.numerator if value.denominator == 1 else value
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    text = _truncated(str(value)) if bits < 1000 else "a number of hundreds of digits"  # str() would be slow, or fail
    raise TreeError(f"{text} is out of range: {_RANGE}")


def format_number(value: Bound | None) -> str:
    """Format a number for people: `3`, `-2.5`, `7/3`, `-∞`, `+∞`, and `?` for None.

    Examples
    --------
    >>> [format_number(each) for each in (3, Fraction(-5, 2), Fraction(7, 3), -inf, None)]
    ['3', '-2.5', '7/3', '-∞', '?']
    """
    if value is None:
        return "?"
    if isinstance(value, float):
        return "+∞" if value > 0 else "-∞"
    if isinstance(value, int) or value.denominator == 1:
        return str(int(value))
    return _decimal(value) or f"{value.numerator}/{value.denominator}"


def as_json(value: Bound | None) -> int | float | str | None:
    """Convert a number for JSON: infinities to "-inf" and "+inf", fractions without a short decimal to "7/3"."""
    if isinstance(value, float):
        return "+inf" if value > 0 else "-inf"
    if value is None or isinstance(value, int):
        return value
    if value.denominator == 1:
        return value.numerator
    decimal = _decimal(value)
    # A float preserves 15 decimal digits; a longer number would be read back as another one.
    if decimal is None or len(decimal) > 16:
        return f"{value.numerator}/{value.denominator}"
    return float(decimal)


def _decimal(value: Fraction) -> str | None:
    """The exact decimal of a fraction, if at most six decimal places suffice."""
    for places in range(1, 7):
        digits = value * 10**places
        if digits.denominator == 1:
            text = str(abs(digits.numerator)).rjust(places + 1, "0")
            return f"{'-' if digits < 0 else ''}{text[:-places]}.{text[-places:]}"
    return None


def to_bound(given: object) -> Bound:
    """Convert a bound from JSON, Python or user input: a number, `-inf`, `+inf`, `∞`. Raises `TreeError`."""
    if isinstance(given, str):
        word = given[:_MAX_LENGTH].strip().casefold().replace("−", "-").replace("∞", "inf").replace("infinity", "inf")
        if word in ("inf", "+inf", "-inf"):
            return -inf if word[0] == "-" else inf
        return parse_number(given.strip())
    if isinstance(given, float) and given in (inf, -inf):
        return float(given)
    return to_number(given)


def to_number(given: object) -> Number:
    """Convert a number from JSON or Python: an int, a float, a Fraction or a text. Raises `TreeError`.

    A float is converted from its shortest decimal representation: 0.1 becomes 1/10.
    """
    if isinstance(given, str):
        return parse_number(given.strip())
    if isinstance(given, float):
        return parse_number(float.__repr__(given))
    if isinstance(given, Fraction):
        return check_range(given)
    if not isinstance(given, bool):
        try:
            return check_range(index(given))  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TreeError(f"{quote_value(given)} is not a number")


def quote_value(given: object) -> str:
    """Any input value in one short line, for error messages."""
    if isinstance(given, int) and not isinstance(given, bool) and given.bit_length() > 1000:
        return "a number of hundreds of digits"
    if isinstance(given, (list, tuple, dict, set, frozenset)):
        return f"a {type(given).__name__}"
    return _truncated(" ".join(repr(given[:100] if isinstance(given, (str, bytes)) else given).split()), 60)


def _truncated(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
