"""Fair variants: measures of the size and difficulty of exercises, bounds on them, and their spread over a class.

The bounds lie around a typical exercise of the spec: of the first suitable ones, the one with the most others within
its bounds, and of several the one closest to the medians. It depends on the spec and the seed only, so that variants
can be added later. A bound may also be given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from statistics import median_low
from typing import Any, NamedTuple

from zermelo.errors import TreeError
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.tree.numbers import Number, as_json, format_number, parse_number

#: A bound on a measure, both ends included.
Bound = tuple[Number, Number]

#: Distance of a bound from the typical value: this fraction of it, rounded, but at least 1 for counts of 5 or more.
TOLERANCE, LEAST_TOLERANT = Fraction(15, 100), 5
#: Distance for the measures that are means; the bounds are rounded outwards to quarters.
MEAN_TOLERANCE = Fraction(1, 2)


#: The values of the measures of one exercise, by name.
Measures = Mapping[str, Number]


class Spread(NamedTuple):
    """The values of one measure over some exercises, and the bound that they are within."""

    measure: str
    bound: Bound
    minimum: Number
    median: Number
    maximum: Number

    def as_json(self) -> dict[str, Any]:
        """The spread as plain data."""
        values = {"min": self.minimum, "median": self.median, "max": self.maximum}
        return {"bound": [as_json(end) for end in self.bound]} | {
            name: as_json(value) for name, value in values.items()
        }

    def row(self) -> tuple[str, str, str, str, str]:
        """The spread as cells of a table: measure, bound, minimum, median, maximum."""
        low, middle, high = map(_shown, (self.minimum, self.median, self.maximum))
        return shown_name(self.measure), shown_bound(self.bound), low, middle, high


def parse_bounds(text: str) -> dict[str, Bound]:
    """Parse bounds such as `cutoffs=2..3,nodes=30`.

    Raises
    ------
    TreeError
        If a bound is not of the form NAME=A..B or NAME=A, or is empty.

    Examples
    --------
    >>> parse_bounds("cutoffs=2..3, nodes=30")
    {'cutoffs': (2, 3), 'nodes': (30, 30)}
    """
    bounds: dict[str, Bound] = {}
    for word in text.replace(",", " ").split():
        name, equals, ends = word.partition("=")
        low, dots, high = ends.partition("..")
        if not equals or not low or (dots and not high):
            raise TreeError(f"bounds: {abbreviated(word)}: expected NAME=A..B, for example cutoffs=2..3")
        bound = parse_number(low), parse_number(high or low)
        if bound[0] > bound[1]:
            raise TreeError(f"bounds: {abbreviated(word)} is empty; the lower end comes first")
        bounds[name.replace("-", "_")] = bound
    return bounds


def check_names(bounds: Mapping[str, Bound], measures: Measures) -> None:
    """Raise `TreeError` if a bound names a measure that exercises of this kind do not have."""
    for name in bounds:
        if name not in measures:
            raise TreeError(f"bounds: unknown measure {abbreviated(name)}; the measures are {', '.join(measures)}")


def is_within(measures: Iterable[tuple[str, Number]], bounds: Mapping[str, Bound]) -> bool:
    """Whether all measures are within their bounds; the first one outside ends the iteration."""
    return all(name not in bounds or bounds[name][0] <= value <= bounds[name][1] for name, value in measures)


def typical_bounds(sample: Sequence[Measures], given: Mapping[str, Bound]) -> dict[str, Bound]:
    """Bounds on all measures: those given, and around the typical exercise of a sample for the others."""
    medians = {name: median_low(row[name] for row in sample) for name in sample[0]}

    def bounds_of(row: Measures) -> dict[str, Bound]:
        return {name: given.get(name) or _around(name, value) for name, value in row.items()}

    def rank(row: Measures) -> tuple[int, float]:
        bounds = bounds_of(row)
        distance = sum(abs(float(row[name] - middle)) / max(1.0, float(middle)) for name, middle in medians.items())
        return sum(is_within(other.items(), bounds) for other in sample), -distance

    return bounds_of(max(sample, key=rank))


def _around(name: str, value: Number) -> Bound:
    if name.startswith("mean_"):
        return Fraction(floor(4 * (value - MEAN_TOLERANCE)), 4), Fraction(ceil(4 * (value + MEAN_TOLERANCE)), 4)
    distance = max(round(value * TOLERANCE), int(value >= LEAST_TOLERANT))
    return value - distance, value + distance


def spread_of(rows: Sequence[Measures], bounds: Mapping[str, Bound]) -> list[Spread]:
    """The spread of each measure that has a bound."""
    spreads = []
    for name, bound in bounds.items():
        values = [row[name] for row in rows]
        spreads.append(Spread(name, bound, min(values), median_low(values), max(values)))
    return spreads


def hardest_bound(rows: Sequence[Measures], bounds: Mapping[str, Bound]) -> str:
    """Describe the bound that the fewest exercises are within, and the values that they have."""

    def count_within(spread: Spread) -> int:
        return sum(is_within([(spread.measure, row[spread.measure])], bounds) for row in rows)

    hardest = min(spread_of(rows, bounds), key=count_within)
    _, _, low, middle, high = hardest.row()
    return (
        f"{shown_name(hardest.measure)} within {shown_bound(hardest.bound)}, met by {count_within(hardest)} of "
        f"{len(rows)} exercises, which had {low} to {high} (median {middle})"
    )


def shown_name(measure: str) -> str:
    """The name of a measure as people read it."""
    return measure.replace("_", " ")


def shown_bound(bound: Bound) -> str:
    """A bound as text: `2..3`, or one number."""
    return _shown(bound[0]) if bound[0] == bound[1] else f"{_shown(bound[0])}..{_shown(bound[1])}"


def _shown(value: Number) -> str:
    """A number with at most two decimals."""
    return format_number(round(Fraction(value), 2))
