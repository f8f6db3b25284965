"""The layers of networks (`zermelo.core.layers`) against loops over ints, interpreted and compiled."""

import numpy as np
import pytest

from zermelo import evaluation
from zermelo.compiled import native
from zermelo.core import layers
from zermelo.core.accumulator import new_accumulator
from zermelo.core.network import Network

COUNT = 16


@evaluation
class Small(Network):
    """16 bits."""

    hidden = COUNT


@evaluation
class Fine(Network):
    """32 bits."""

    hidden = COUNT
    accumulator_bits = 32


def drawn(seed, size=COUNT, most=300):
    return np.random.default_rng(seed).integers(-most, most, size).astype(np.int16)


def filled(cls, seed):
    """An accumulator of random ints, and the same as a list."""
    accumulator = new_accumulator(cls.from_floats({name: np.zeros(shape) for name, shape in cls.shapes().items()}))
    items = [int(each) for each in drawn(seed, 2 * COUNT)]
    accumulator[:] = memoryview(np.array(items, f"int{cls.accumulator_bits}"))
    return accumulator, items


@pytest.mark.parametrize("cls", [Small, Fine])
@pytest.mark.parametrize("first", [0, COUNT])
def test_rows_are_added_and_subtracted(cls, first):
    row, other = drawn(2), drawn(3)
    for change, expected in (
        (lambda it: layers.add_row(it, first, row, COUNT), row.tolist()),
        (lambda it: layers.subtract_row(it, first, row, COUNT), (-row).tolist()),
        (lambda it: layers.exchange_rows(it, first, row, other, COUNT), (other - row).tolist()),
    ):
        accumulator, items = filled(cls, 1)
        change(accumulator)
        for place, added in enumerate(expected, first):
            items[place] += added
        assert list(accumulator) == items


def test_ints_out_of_range_wrap_around_and_come_back():
    accumulator, items = filled(Small, 1)
    row = np.full(COUNT, 32_700, np.int16)
    layers.add_row(accumulator, 0, row, COUNT)
    assert min(accumulator) < -300  # as no item was before
    layers.subtract_row(accumulator, 0, row, COUNT)
    assert list(accumulator) == items


def test_sums_of_squares():
    weights = drawn(5, 2 * COUNT, 20)
    for first in (0, COUNT):
        accumulator, items = filled(Small, 4)
        units = [min(max(each, 0), 255) for each in items[first : first + COUNT]]
        expected = sum(unit * unit * int(weight) for unit, weight in zip(units, weights[COUNT:], strict=True))
        assert layers.squared_sum(accumulator, first, weights, COUNT, COUNT, 255) == expected
        accumulator, items = filled(Fine, 4)
        units = [min(max(each, 0), 255) for each in items[first : first + COUNT]]
        expected = sum((unit * unit + 8 >> 4) * int(weight) for unit, weight in zip(units, weights, strict=False))
        assert layers.rounded_squared_sum(accumulator, first, weights, 0, COUNT, 255, 4) == expected


def totals(evaluation, weights, first):
    """All the functions in a row, for both ways."""
    accumulator = new_accumulator(evaluation)
    layers.add_row(accumulator, first, weights[0], 16)
    layers.add_row(accumulator, first, weights[1], 16)
    layers.subtract_row(accumulator, first, weights[2], 16)
    layers.exchange_rows(accumulator, first, weights[3], weights[4], 16)
    total = layers.squared_sum(accumulator, first, weights[5], 0, 16, 255)
    return total, layers.rounded_squared_sum(accumulator, first, weights[6], 0, 16, 255, 4)


@pytest.mark.parametrize("cls", [Small, Fine])
def test_compiled_equals_interpreted(cls):
    made = cls.from_floats({name: np.zeros(shape) for name, shape in cls.shapes().items()})
    weights = drawn(7, (7, COUNT), 100)
    weights.setflags(write=False)
    compiled = native(totals, made, weights, 0)
    for first in (0, COUNT):
        assert compiled(made, weights, first) == totals(made, weights, first)
    assert totals(made, weights, 0)[0] != 0
