"""Teachers (`zermelo.learn.teachers`): their answers, their failures, and positions labelled by them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from zermelo import load
from zermelo.errors import UnknownGame, ZermeloError
from zermelo.games.backgammon import Backgammon
from zermelo.learn import generate_positions, load_positions
from zermelo.learn.teachers import Gnubg, check_teacher

#: Takes the place of GNU Backgammon: the equity is the length of the position's text in tenths, or what `says` holds.
ANSWERS = """
import sys
print("GNU Backgammon")
for line in sys.stdin:
    print("equities", *{says}, flush=True)
"""


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, says: str = "[len(text) / 10 for text in line.split()]"
) -> None:
    """A program `gnubg` on the PATH."""
    script = folder / "gnubg"
    script.write_text(f"#!{sys.executable}\n{ANSWERS.format(says=says)}")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_equities_become_scores_of_max(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    states = [Backgammon.parse("4HPwATDgc/ABMA"), Backgammon.parse("31 8/5 6/5")]
    with Gnubg() as teacher:
        assert teacher.equities(states) == [1.4, 1.4]
        assert teacher.equities([]) == []
        # In thousandths of a point; after X's play O rolls.
        assert teacher.scores(states, Backgammon.evaluations["pips"]) == [1400, -1400]


@pytest.mark.parametrize(
    ("says", "problem"),
    [("[1]", "2 positions, but 1 answers"), ("sys.exit(3)", "teacher failed: gnubg"), ("['x']", "not")],
)
def test_a_teacher_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, problem: str) -> None:
    install(tmp_path, monkeypatch, says)
    with Gnubg() as teacher, pytest.raises(ZermeloError, match=problem):
        teacher.equities([Backgammon.parse("31")] * 2)


@pytest.mark.quick
def test_specs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_teacher("gnubg", Backgammon) == ("gnubg", 0)
    assert check_teacher("gnubg-nn:plies=2", Backgammon) == ("gnubg-nn", 2)
    for spec in ("gnubg:plies=9", "stockfish"):
        with pytest.raises(UnknownGame, match="unknown teacher"):
            check_teacher(spec, Backgammon)
    with pytest.raises(UnknownGame, match="teaches backgammon only"):
        check_teacher("gnubg", load("chess"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("zermelo.learn.teachers._FOLDERS", ())
    with pytest.raises(ZermeloError, match="teacher not found: gnubg"), Gnubg():
        pass


@pytest.mark.long
def test_positions_labelled_by_a_teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    out = tmp_path / "taught.positions"
    options = {"games": 2, "depths": (1,), "random_plies": (0, 2), "evaluation": "pips", "teacher": "gnubg", "seed": 4}
    generate_positions("backgammon", out, **options)
    found = load_positions(out, Backgammon)
    assert len(found) > 60
    assert set(abs(found.score).tolist()) == {1400}
    states = [found.state(row, Backgammon) for row in range(len(found))]
    assert all(state.dice == 0 and state.turn and not state.is_over() for state in states)
    assert [state.turn * 1400 for state in states] == found.score.tolist()
    # Half of them follow moves that were not played.
    assert 0.3 < (found.played < 0).mean() < 0.6
    text = tmp_path / "taught.csv"
    generate_positions("backgammon", text, **options)
    assert len(text.read_text().splitlines()) == len(found) + 1
