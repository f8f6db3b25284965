"""Time controls as text, and clocks."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.arena.players.clock import MARGIN, PATIENCE, Clock, TimeControl
from zermelo.errors import LimitError


@pytest.mark.parametrize(
    "text",
    ["", "depth=5", "nodes=1000", "seconds=0.1", "clock=60+0.6", "clock=300/40+2", "depth=3,clock=1+0.01,margin=0.5",
     "seconds=0.1,patience=5"],
)  # fmt: skip
def test_time_controls_round_trip_through_text(text: str) -> None:
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deep=5", "margin=S, patience=S"),
        ("depth", "expected depth=N"),
        ("depth=5,depth=6", "each at most once"),
        ("depth=0", "at least 1"),
        ("depth=-1", "expected depth=N"),
        ("seconds=0", "above 0"),
        ("seconds=1e9", "expected"),
        ("clock=1:30", "SECONDS+INCREMENT"),
        ("clock=0+1", "above 0"),
        ("clock=60,clock=50", "each at most once"),
        ("seconds=1,clock=60", "exclude each other"),
        ("seconds=nan", "expected"),
        *((text, "expected") for text in ("depth=٣", "nodes=٣", "seconds=٣", "clock=٣", "clock=60/٣", "clock=60+٣")),
    ],
)
def test_invalid_time_controls(text: str, expected: str) -> None:
    with pytest.raises(LimitError) as raised:
        TimeControl.parse(text)
    assert expected in str(raised.value)


@pytest.mark.long
@given(st.text(max_size=60))
def test_fuzzed_time_controls(text: str) -> None:
    with contextlib.suppress(LimitError):
        TimeControl.parse(text)


def test_increments_are_added_after_the_move() -> None:
    clock = Clock.of(TimeControl.parse("clock=10+2")).after(3.0)
    assert clock.left == 9.0
    assert clock.deadline == 9.0 + MARGIN
    assert clock.facing(Clock.of(TimeControl.parse("clock=5+1"))).other_left == 5.0


def test_time_is_added_at_each_period() -> None:
    clock = Clock.of(TimeControl.parse("clock=10/2"))
    assert clock.moves_to_go == 2
    clock = clock.after(4.0)
    assert (clock.left, clock.moves_to_go) == (6.0, 1)
    clock = clock.after(5.0)
    assert (clock.left, clock.moves_to_go) == (11.0, 2)


def test_patience_without_a_clock() -> None:
    clock = Clock.of(TimeControl.parse("depth=3"))
    assert clock.limit is None
    assert clock.deadline == PATIENCE
    assert Clock.of(TimeControl.parse("seconds=0.1,margin=0")).deadline == 0.1
