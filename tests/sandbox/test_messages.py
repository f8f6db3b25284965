"""Messages of sandboxed programs: only those of the right shape arrive."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from zermelo.sandbox import messages
from zermelo.sandbox.messages import InvalidMessage, decode

pytestmark = pytest.mark.quick

SHAPES: messages.Shapes = {
    "start": (),
    "value": (messages.number,),
    "move": (messages.integer(1, 9), messages.one_of(messages.record(move=messages.int64), messages.boolean)),
    "words": (messages.array(messages.text(3), 2),),
    "range": (messages.tuple_of(messages.int64, messages.optional(messages.int64)),),
    "counts": (messages.mapping(messages.text(3), messages.optional(messages.integer(0, 9)), 2),),
}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('["start"]', ["start"]),
        ('["value", -9223372036854775808]', ["value", -(1 << 63)]),
        ('["value", 1e999]', ["value", inf]),
        ('["value", -Infinity]', ["value", -inf]),
        ('["move", 1, {"move": 7}]', ["move", 1, {"move": 7}]),
        ('["move", 9, true]', ["move", 9, True]),
        ('["words", ["abc", ""]]', ["words", ["abc", ""]]),
        ('["counts", {"a": null, "b": 9}]', ["counts", {"a": None, "b": 9}]),
        ('["range", [1, null]]', ["range", [1, None]]),
        (b'["words", []]', ["words", []]),
    ],
)
def test_valid_messages(line: str | bytes, message: list[Any]) -> None:
    assert decode(line, SHAPES) == message


@pytest.mark.parametrize(
    "line",
    [
        "", "?", b"\xff", "null", "7", "{}", "[]", '"start"', "[null]", '[["start"]]', '[{}]', '["stop"]',
        '["start", null]', '["value"]', '["value", NaN]', '["value", true]', '["value", "1"]', '["value", 1, 2]',
        '["value", 9223372036854775808]', f'["value", {10**3000}]', f'["value", -{10**3000}]', "1" * 10_000,
        '["move", 0, {"move": 7}]', '["move", 1.0, {"move": 7}]', '["move", 1, {}]', '["move", 1, {"move": 7, "a": 1}]',
        '["move", 1, {"move": null}]', '["move", 1, {"move": 1e3}]', '["move", 1, 1]', '["words", ["abcd"]]',
        '["words", ["a", "b", "c"]]', '["words", "abc"]', '["words", [null]]', '["counts", {"a": 10}]',
        '["counts", {"abcd": 1}]', '["counts", {"a": 1, "b": 2, "c": 3}]', '["counts", []]', "[" * 60_000,
        '["range", []]', '["range", [1]]', '["range", [1, 2, 3]]', '["range", [null, 1]]', '["range", {"1": 2}]',
        '{"a":' * 10_000, '["value", 1]]', '["value", 1',
    ],
)  # fmt: skip
def test_invalid_messages(line: str | bytes) -> None:
    with pytest.raises(InvalidMessage):
        decode(line, SHAPES)
