"""Hostile agents in games: each loses for just that, its opponent is not disturbed, and nothing of it is left."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from leftovers import remaining, unique_mark

from zermelo.arena.game_record import GameJob
from zermelo.arena.referee import play

NIM = str(Path(__file__).parents[1] / "cli" / "nim.py")

#: What each does at its second move (the first is legal), under which control, and what that is called.
WAYS = {
    "illegal": ("return 4", "", "illegal move"),
    "garbage": ("return {'move': 1}", "", "garbage"),
    "crash": ("return 1 // 0", "", "crashed"),
    "hang": ("while True: pass", "patience=2", "hung"),
    "late": ("import time; time.sleep(2.5); return 1", "seconds=2", "out of time"),
    "flood": ("while True: print('x' * 1000)", "", "too much output"),
    "memory": ("kept = b'x'\n    while True: kept += kept", "", "too much memory"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", [0, 1])
def test_each_loses_for_just_that(tmp_path: Path, way: str, place: int) -> None:
    does, control, ending = WAYS[way]
    if sys.platform != "linux" and way == "memory":
        pytest.skip("this system limits no memory")
    word = f"{unique_mark()}.py"
    (tmp_path / word).write_text(
        f"asked = 0\ndef choose(state):\n    global asked\n    asked += 1\n    if asked == 1: return 1\n    {does}\n"
    )
    (tmp_path / "first.py").write_text("def choose(state):\n    return next(state.moves())\n")
    both = [f"python:{tmp_path / 'first.py'}"] * 2
    both[place] = f"python:{tmp_path / word}"
    controls = ["", ""]
    controls[place] = control
    played = play(GameJob(0, NIM, (both[0], both[1]), ("a", "b"), controls=(controls[0], controls[1])))
    assert (played.termination, played.forfeited_by, played.points) == (ending, place, float(place))
    assert played.moves == (1,) * (2 + place)
    assert played.detail
    assert "\n" not in played.detail
    assert not remaining(word)


@pytest.mark.parametrize("place", [0, 1])
def test_who_does_not_start_has_lost(tmp_path: Path, place: int) -> None:
    (tmp_path / "broken.py").write_text("import there_is_no_such_module\n")
    both = ["random", "random"]
    both[place] = f"python:{tmp_path / 'broken.py'}"
    played = play(GameJob(0, NIM, (both[0], both[1]), ("a", "b")))
    assert (played.termination, played.forfeited_by, played.points) == ("did not start", place, float(place))
    assert "broken.py: line 1: ModuleNotFoundError" in played.detail
