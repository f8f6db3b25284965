"""Hostile agents lose with the right reason, do not disturb the opponent, and leave no processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from leftovers import mark_temporary_folders, remaining, unique_mark

from zermelo.arena.game_record import GameJob
from zermelo.arena.referee import play

NIM = str(Path(__file__).parents[1] / "support" / "nim.py")

#: Code of the second move (the first one is legal), time control, and reason of the loss.
BEHAVIOURS = {
    "illegal": ("return 4", "", "illegal move"),
    "garbage": ("return {'move': 1}", "", "garbage"),
    "crash": ("return 1 // 0", "", "crashed"),
    "hang": ("while True: pass", "patience=2", "hung"),
    "late": ("import time; time.sleep(2.5); return 1", "seconds=2", "out of time"),
    "flood": ("while True: print('x' * 1000)", "", "too much output"),
    "memory": ("kept = b'x'\n    while True: kept += kept", "", "too much memory"),
}


@pytest.mark.parametrize("name", BEHAVIOURS)
@pytest.mark.parametrize("place", [0, pytest.param(1, marks=pytest.mark.long)])
def test_the_reason_of_each_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: int) -> None:
    code, control, reason = BEHAVIOURS[name]
    if sys.platform != "linux" and name == "memory":
        pytest.skip("this system has no memory limit")
    word = f"{unique_mark()}.py"
    mark_temporary_folders(monkeypatch, tmp_path, word)
    (tmp_path / word).write_text(
        f"calls = 0\ndef choose(state):\n    global calls\n    calls += 1\n    if calls == 1: return 1\n    {code}\n"
    )
    (tmp_path / "first.py").write_text("def choose(state):\n    return next(state.moves())\n")
    players = [f"python:{tmp_path / 'first.py'}"] * 2
    players[place] = f"python:{tmp_path / word}"
    controls = ["", ""]
    controls[place] = control
    played = play(GameJob(0, NIM, (players[0], players[1]), ("a", "b"), controls=(controls[0], controls[1])))
    assert (played.termination, played.forfeited_by, played.points) == (reason, place, float(place))
    assert played.moves == (1,) * (2 + place)
    assert played.detail
    assert "\n" not in played.detail
    assert not remaining(word)


@pytest.mark.parametrize("place", [0, 1])
def test_an_agent_that_does_not_start_loses(tmp_path: Path, place: int) -> None:
    (tmp_path / "broken.py").write_text("import there_is_no_such_module\n")
    players = ["random", "random"]
    players[place] = f"python:{tmp_path / 'broken.py'}"
    played = play(GameJob(0, NIM, (players[0], players[1]), ("a", "b")))
    assert (played.termination, played.forfeited_by, played.points) == ("did not start", place, float(place))
    assert "broken.py: line 1: ModuleNotFoundError" in played.detail
