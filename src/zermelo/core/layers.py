"""The layers of a network: rows of weights that are added to accumulators, and sums of squared hidden units.

All numbers are ints. The functions below are NumPy; `zermelo.compiled.layers` has the loops of compiled code. Sums in
an accumulator that leave the range of its ints wrap around. In the middle of an update, which may hold more inputs than
any position, this is harmless: later subtractions wrap back. The sums of a position fit, which `Network` checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zermelo.core.accumulator import Accumulator

if TYPE_CHECKING:
    from numpy.typing import NDArray


def add_row(accumulator: Accumulator, first: int, row: Any, count: int) -> None:
    """Add the first `count` weights of a row to the items of an accumulator from `first` on."""
    items = _view(accumulator)[first : first + count]
    items += row[:count]


def subtract_row(accumulator: Accumulator, first: int, row: Any, count: int) -> None:
    """Subtract the first `count` weights of a row from the items of an accumulator from `first` on."""
    items = _view(accumulator)[first : first + count]
    items -= row[:count]


def exchange_rows(accumulator: Accumulator, first: int, gone: Any, come: Any, count: int) -> None:
    """Subtract a row and add another, in one pass."""
    items = _view(accumulator)[first : first + count]
    items -= gone[:count]
    items += come[:count]


def squared_sum(accumulator: Accumulator, first: int, weights: Any, start: int, count: int, one: int) -> int:
    """The sum of `clamp(item, 0, one) ** 2 * weight` over `count` items of an accumulator of 16 bits.

    The items are those from `first` on, their weights those from `start` on. The sum fits 32 bits.
    """
    active = _items(accumulator, first, count).clip(0, one)
    return int(active * active @ weights[start : start + count])


def rounded_squared_sum(
    accumulator: Accumulator, first: int, weights: Any, start: int, count: int, one: int, shift: int
) -> int:
    """The same with each square divided by `2 ** shift` and rounded, for accumulators of 32 bits."""
    active = _items(accumulator, first, count).clip(0, one)
    squares = (active * active + (1 << shift - 1)) >> shift
    return int(squares @ weights[start : start + count])


def _items(accumulator: Accumulator, first: int, count: int) -> NDArray[Any]:
    """Items of an accumulator as 64-bit ints."""
    return _view(accumulator)[first : first + count].astype("int64")


def _view(accumulator: Accumulator) -> NDArray[Any]:
    import numpy as np

    return np.asarray(accumulator)
