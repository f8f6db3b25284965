"""Numbers of trees: exact, of limited range, with round trips."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.errors import TreeError
from zermelo.teaching.tree.numbers import (
    MAX_DENOMINATOR,
    MAX_MAGNITUDE,
    as_json,
    check_range,
    format_number,
    parse_number,
    to_bound,
    to_number,
)

pytestmark = pytest.mark.quick

IN_RANGE = st.builds(
    lambda top, bottom: check_range(Fraction(top, bottom)),
    st.integers(-MAX_MAGNITUDE, MAX_MAGNITUDE),
    st.integers(1, MAX_DENOMINATOR) | st.sampled_from([1, 2, 3, 4, 5, 8, 10, 100, 1000, 2**13, 2**19, 5**8]),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2.5", Fraction(-5, 2)),
        ("−7", -7),  # U+2212
        ("+4", 4),
        ("1/6", Fraction(1, 6)),
        ("-6/3", -2),
        ("2e3", 2000),
        ("1.5E-1", Fraction(3, 20)),
        ("007", 7),
        ("0.000001", Fraction(1, MAX_DENOMINATOR)),
        ("1e12", MAX_MAGNITUDE),
        ("-0", 0),
        ("2.50000000000000000000", Fraction(5, 2)),
    ],
)
def test_parse_number(text: str, value: object) -> None:
    assert parse_number(text) == value
    assert type(parse_number(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, "is not a number: expected a number such as 3, -2.5 or 1/6")
            for text in ("", "x", "1.", ".5", "--1", "1/2/3", "1e", "0x1")
        ),
        *((text, "is not a number") for text in ("1_000", "1,5", "٣", "²", "nan", "inf", "1 2", " 1", "3\n")),
        ("1/0", "'1/0': division by zero"),
        ("1e13", "10000000000000 is out of range: expected -10^12 to 10^12, with a denominator of at most 1,000,000"),
        ("1e999", "1e999 is out of range"),
        ("1e99", "is out of range"),
        ("1e-7", "1/10000000 is out of range"),
        ("0.12345678", "is out of range"),
        ("1/1000003", "1/1000003 is out of range"),
        ("9" * 5000, "9... is out of range"),
        ("1e" + "9" * 5000, "9... is out of range"),
        ("1/" + "3" * 5000, "3... is out of range"),
    ],
)
def test_invalid_numbers(text: str, message: str) -> None:
    with pytest.raises(TreeError) as error:
        parse_number(text)
    assert message in str(error.value)
    assert len(str(error.value)) < 160
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (3, 3),
        (0.1, Fraction(1, 10)),
        (-0.0, 0),
        (1e12, MAX_MAGNITUDE),
        (Fraction(4, 2), 2),
        (" 1/3 ", Fraction(1, 3)),
        (1e-05, Fraction(1, 100000)),
    ],
)
def test_to_number(given: object, value: object) -> None:
    assert to_number(given) == value
    assert type(to_number(given)) is type(value)


def test_numbers_of_numpy() -> None:
    import numpy

    assert to_number(numpy.int64(3)) == 3
    assert type(to_number(numpy.int64(3))) is int
    assert to_number(numpy.float64(2.5)) == Fraction(5, 2)


HUGE = 10**5000  # str() of it is refused by Python
NONE = {
    "true": True,
    "none": None,
    "a list": [],
    "an object": object(),
    "bytes": b"3",
    "nan": nan,
    "infinity": -inf,
    "complex": 1j,
    "huge": HUGE,
    "huge and negative": -HUGE,
    "hugely fine": Fraction(1, HUGE),
    "a third of a large one": Fraction(10**13, 3),
    "a sum of floats": 0.1 + 0.2,
    "large": 1e13,
    "small": 5e-324,
    "long": "x" * 10**6,
    "memory": memoryview(b"12"),
}


@pytest.mark.parametrize("given", NONE.values(), ids=NONE)
def test_invalid_values(given: object) -> None:
    with pytest.raises(TreeError) as error:
        to_number(given)
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "bound"),
    [
        ("-inf", -inf),
        ("+inf", inf),
        ("inf", inf),
        ("∞", inf),
        ("-∞", -inf),
        ("−∞", -inf),
        ("Infinity", inf),
        (" -INF ", -inf),
        (inf, inf),
        (-inf, -inf),
        (3, 3),
        ("2.5", Fraction(5, 2)),
        (2.5, Fraction(5, 2)),
    ],
)
def test_to_bound(given: object, bound: object) -> None:
    assert to_bound(given) == bound


@pytest.mark.parametrize("given", ["nan", nan, None, True, "--inf", "- inf", "infinite", "", "∞∞", [], "x" * 99_999])
def test_invalid_bounds(given: object) -> None:
    with pytest.raises(TreeError):
        to_bound(given)


@given(IN_RANGE)
def test_round_trip(value: int | Fraction) -> None:
    assert parse_number(format_number(value)) == value
    assert parse_number(str(value)) == value
    message = json.loads(json.dumps(as_json(value)))
    assert to_number(message) == value


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (3, "3", 3),
        (Fraction(-5, 2), "-2.5", -2.5),
        (Fraction(-1, 100), "-0.01", -0.01),
        (Fraction(7, 3), "7/3", "7/3"),
        (Fraction(1, 64), "0.015625", 0.015625),
        (Fraction(1, 128), "1/128", "1/128"),
        (Fraction(9999999999999999, 10**4), "999999999999.9999", "9999999999999999/10000"),
        (inf, "+∞", "+inf"),
        (-inf, "-∞", "-inf"),
        (None, "?", None),
        (Fraction(4, 2), "2", 2),
    ],
)
def test_format_number(value: object, text: str, data: object) -> None:
    assert format_number(value) == text  # type: ignore[arg-type]
    assert as_json(value) == data  # type: ignore[arg-type]


def mutants(seeds: list[str], letters: str, count: int, seed: int) -> list[str]:
    chances = random.Random(seed)
    found = []
    for _ in range(count):
        text = list(chances.choice(seeds))
        for _ in range(chances.choice([0, 1, 1, 2, 4])):
            place = chances.randrange(len(text) + 1)
            text[place : place + chances.randrange(3)] = chances.choices(letters, k=chances.choice([0, 1, 1, 2, 8]))
        found.append("".join(text))
    return found


def outcome(parse: Callable[[str], Any], text: str) -> Any:
    """The result of a parser, or its documented error; other errors propagate."""
    try:
        return parse(text)
    except TreeError as error:
        return error


def fuzz(count: int, seed: int) -> None:
    understood = 0
    seeds = ["3", "-2.5", "1/6", "1e5", "-inf", "+∞", "12345678901234", "0.000001", "7/3"]
    for text in mutants(seeds, "0123456789.eE/+-−∞infINF _٣²\x00\n٠x", count, seed):
        for parse in (parse_number, to_bound, to_number):
            value = outcome(parse, text)
            if isinstance(value, TreeError):
                assert "\n" not in str(value)
                assert len(str(value)) < 200
            else:
                understood += 1
                assert value in (-inf, inf) or abs(value) <= MAX_MAGNITUDE
                assert to_bound(format_number(value)) == value
    assert understood > count / 20


def test_arbitrary_text() -> None:
    fuzz(3000, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_a_million_arbitrary_texts(seed: int) -> None:
    fuzz(100_000, 100 + seed)
