"""`Lanes` in plain Python, compared with four `Bitboard`s; tests/compiled/test_lanes.py has the compiled ones."""

from __future__ import annotations

import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo import Bitboard
from zermelo.core.lanes import Lanes, lanes_at, spread

pytestmark = pytest.mark.quick

words = st.integers(0, (1 << 64) - 1)
fours = st.tuples(words, words, words, words)
distances = st.tuples(*[st.integers(0, 63)] * 4)


@given(fours, fours, distances)
def test_an_operator_acts_on_each_lane(a: tuple[int, ...], b: tuple[int, ...], by: tuple[int, ...]) -> None:
    for op in (operator.and_, operator.or_, operator.add, operator.sub):
        assert op(Lanes(*a), Lanes(*b)) == tuple(op(Bitboard(x), Bitboard(y)) for x, y in zip(a, b, strict=True))
    for op in (operator.lshift, operator.rshift):
        assert op(Lanes(*a), Lanes(*by)) == tuple(op(Bitboard(x), n) for x, n in zip(a, by, strict=True))
    assert ~Lanes(*a) == tuple(~Bitboard(x) for x in a)
    assert -Lanes(*a) == tuple(-Bitboard(x) for x in a)


@given(fours)
def test_lanes_are_joined_and_tested(a: tuple[int, ...]) -> None:
    found = Lanes(*a).union()
    assert type(found) is Bitboard
    assert found == a[0] | a[1] | a[2] | a[3]
    assert Lanes(a[0], 0, a[2], 0).nonempty() == tuple((1 << 64) - 1 if x else 0 for x in (a[0], 0, a[2], 0))
    assert spread(Bitboard(a[0])) == (a[0],) * 4
    assert lanes_at(np.array([a, a[::-1]], np.uint64), 1) == a[::-1]
    assert pickle.loads(pickle.dumps(Lanes(*a))) == Lanes(*a)


def test_words_are_taken_modulo_2_to_the_64() -> None:
    assert Lanes(-1, 1 << 64, Bitboard(3), 0) == ((1 << 64) - 1, 0, 3, 0)


@pytest.mark.parametrize("other", [Bitboard(7), 7, (1, 2, 3, 4)])
def test_only_lanes_are_combined(other: object) -> None:
    for op in (operator.and_, operator.or_, operator.add, operator.sub, operator.lshift):
        with pytest.raises(TypeError):
            op(Lanes(1, 2, 3, 4), other)
    with pytest.raises(TypeError, match="ambiguous"):
        bool(Lanes(1, 2, 3, 4))
