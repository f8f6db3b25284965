"""Mutable records of 64-bit words: fields by name over one block of memory."""

import pytest

from zermelo.core.record import Record, Words, words


class Counters(Record):
    nodes: int
    stopped: bool
    killers: Words = words(4)
    depth: int


def test_fields_lie_in_the_order_of_their_declaration():
    assert {name: field.offset for name, field in Counters.record_fields.items()} == {
        "nodes": 0,
        "stopped": 1,
        "killers": 2,
        "depth": 6,
    }
    assert Counters.record_size == 7


def test_all_words_are_zero_at_first():
    counters = Counters()
    assert (counters.nodes, counters.stopped, list(counters.killers), counters.depth) == (0, False, [0] * 4, 0)


def test_fields_are_written_without_touching_others():
    counters = Counters()
    counters.nodes = -7
    counters.stopped = True
    counters.killers[3] = 1 << 62
    assert (counters.nodes, counters.stopped, list(counters.killers), counters.depth) == (
        -7,
        True,
        [0, 0, 0, 1 << 62],
        0,
    )
    counters.fill("killers", -1)
    assert (counters.stopped, list(counters.killers), counters.depth) == (True, [-1] * 4, 0)


def test_an_index_outside_of_an_array_is_an_error():
    with pytest.raises(IndexError):
        Counters().killers[4] = 1


def test_records_do_not_share_memory():
    one, other = Counters(), Counters()
    one.nodes = 1
    assert other.nodes == 0
    assert one.address != other.address
