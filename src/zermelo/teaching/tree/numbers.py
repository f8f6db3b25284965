"""The numbers of a tree: whole ones, decimals and fractions, kept exactly; and how they are written.

A window's ends are the floats -inf and +inf where nothing bounds them: they compare with every number.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf
from operator import index

from zermelo.errors import TreeError

#: A value of a tree. Whole numbers are ints, the others fractions, never floats.
Number = int | Fraction
#: One end of a window: a number, or an infinity.
Bound = int | Fraction | float

#: Larger numbers than this, or finer ones, are no example that anybody works out by hand.
LARGEST = 10**12
FINEST = 10**6

_WRITTEN = re.compile(r"[-+−]?\d++(?:\.\d++(?:[eE][-+]?\d++)?+|[eE][-+]?\d++|/\d++)?+", re.ASCII)
#: A number of at most so many characters is worked out: enough for each that is in the range.
_MOST_DIGITS = 40
_RANGE = f"numbers go from -10^12 to 10^12, and down to 1/{FINEST:,}"


def number(text: str) -> Number:
    """The number that a text stands for: `3`, `-2.5`, `1/6`. Raises `TreeError` for any other text.

    Typesetters' minus signs are understood.

    >>> number("-2.50")
    Fraction(-5, 2)
    """
    if len(text) < 12 and text.isascii() and text.isdigit():  # most are: the short way
        return int(text)
    if not _WRITTEN.fullmatch(text):
        raise TreeError(f"{_cut(text)!r} is no number such as 3, -2.5 or 1/6")
    _, _, exponent = text.lower().partition("e")
    if len(text) > _MOST_DIGITS or len(exponent.lstrip("+-")) > 2:
        raise TreeError(f"{_cut(text)} is beyond what is kept exactly: {_RANGE}")
    try:
        return checked(Fraction(text.replace("−", "-")))
    except ZeroDivisionError:
        raise TreeError(f"{text!r} divides by 0") from None


def checked(value: Number) -> Number:
    """A number in the range of a tree, whole ones as ints. Raises `TreeError` beyond 10^12 or finer than 1/10^6."""
    if -LARGEST <= value <= LARGEST and value.denominator <= FINEST:
        return value.numerator if value.denominator == 1 else value
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    said = _cut(str(value)) if bits < 1000 else "a number of hundreds of digits"  # str() of them is slow, or refused
    raise TreeError(f"{said} is beyond what is kept exactly: {_RANGE}")


def format_number(value: Bound | None) -> str:
    """A number as people write it: `3`, `-2.5`, `7/3`, `-∞`, `+∞`, and `?` for one that is not known.

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
    """A number as it stands in JSON: infinities are "-inf" and "+inf", fractions without an end "7/3"."""
    if isinstance(value, float):
        return "+inf" if value > 0 else "-inf"
    if value is None or isinstance(value, int):
        return value
    if value.denominator == 1:
        return value.numerator
    decimal = _decimal(value)
    # A float has 15 digits that can be relied on; a longer number would be read back as another.
    if decimal is None or len(decimal) > 16:
        return f"{value.numerator}/{value.denominator}"
    return float(decimal)


def _decimal(value: Fraction) -> str | None:
    """A fraction as a decimal that is exact, if six places or fewer are enough: `-2.5`."""
    for places in range(1, 7):
        digits = value * 10**places
        if digits.denominator == 1:
            text = str(abs(digits.numerator)).rjust(places + 1, "0")
            return f"{'-' if digits < 0 else ''}{text[:-places]}.{text[-places:]}"
    return None


def to_bound(said: object) -> Bound:
    """A window's end as JSON, Python or a person has it: a number, `-inf`, `+inf`, `∞`. Raises `TreeError`."""
    if isinstance(said, str):
        word = said[:_MOST_DIGITS].strip().casefold().replace("−", "-").replace("∞", "inf").replace("infinity", "inf")
        if word in ("inf", "+inf", "-inf"):
            return -inf if word[0] == "-" else inf
        return number(said.strip())
    if isinstance(said, float) and said in (inf, -inf):
        return float(said)
    return to_number(said)


def to_number(said: object) -> Number:
    """A number as JSON or Python gives it: an int, a float, a fraction or a text. Raises `TreeError`.

    A float stands for the decimal that Python writes for it: 0.1 is a tenth.
    """
    if isinstance(said, str):
        return number(said.strip())
    if isinstance(said, float):
        return number(float.__repr__(said))
    if isinstance(said, Fraction):
        return checked(said)
    if not isinstance(said, bool):
        try:
            return checked(index(said))  # type: ignore[arg-type]
        except TypeError:
            pass
    raise TreeError(f"{quoted(said)} is no number")


def quoted(said: object) -> str:
    """What somebody gave, in short and in one line, to be quoted in a refusal."""
    if isinstance(said, int) and not isinstance(said, bool) and said.bit_length() > 1000:
        return "a number of hundreds of digits"
    if isinstance(said, (list, tuple, dict, set, frozenset)):
        return f"a {type(said).__name__}"
    return _cut(" ".join(repr(said[:100] if isinstance(said, (str, bytes)) else said).split()), 60)


def _cut(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
