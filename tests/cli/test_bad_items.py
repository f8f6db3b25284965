"""One bad item costs itself: folders of students, and files named by options, with everything that is not a text file.

Each command runs in a process of its own with a time limit, because the fault to look for is a command that waits.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from tests.support.bad_files import REASONS, make_bad_files, run_guarded
from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.files import load_exercises

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="needs FIFOs, sockets and devices")]

RIGHT = Path(__file__).parents[1] / "teaching" / "exercises" / "students" / "right_alphabeta.py"
AGENT = "def choose(state):\n    return state.legal_moves()[0]\n"
#: A file name that is not UTF-8, and how it is shown.
STRANGE, SHOWN = os.fsdecode(b"caf\xe9"), "caf\\xe9"


def bad_class(folder: Path, suffix: str, good: str) -> dict[str, str]:
    """Make a folder with two good files, one of them with a strange name, and every bad one; return the bad ones."""
    folder.mkdir()
    files = make_bad_files(folder, suffix)
    latin = folder / f"latin{suffix}"
    latin.write_bytes(b'"\xff\xfe"\n')
    for name in ("anna", STRANGE):
        (folder / f"{name}{suffix}").write_text(good)
    solution, copied = folder.with_name(f"solution{suffix}"), folder / f"copied{suffix}"
    solution.write_text(good)
    copied.symlink_to(solution)  # would be read with the teacher's rights
    reasons = {path.name: REASONS[name] for name, path in files.items()}
    return reasons | {latin.name: "", copied.name: "a link to another file"}


def test_programs(tmp_path: Path) -> None:
    bad = bad_class(tmp_path / "class", ".py", RIGHT.read_text())
    words = ["--cases", "1", "--csv", "marks.csv", "--gradescope", "r-{}.json", "--json"]
    code, out, err = run_guarded("exercise", "check", "class", *words, folder=tmp_path)
    assert (code, err) == (0, "")
    rows = {Path(row["file"]).name: row for row in json.loads(out)["programs"]}
    assert rows.keys() == {*bad, "anna.py", f"{SHOWN}.py"}
    assert {name for name, row in rows.items() if row["points"] == 5} == {"anna.py", f"{SHOWN}.py"}
    for name, reason in bad.items():
        assert reason in rows[name]["failure"]
    with (tmp_path / "marks.csv").open(encoding="utf-8", newline="") as file:
        marks = {Path(row["file"]).name: row["marks"] for row in csv.DictReader(file)}
    assert marks == {name: "5" if name in ("anna.py", f"{SHOWN}.py") else "0" for name in rows}
    assert len(list(tmp_path.glob("r-*.json"))) == len(rows)
    code, out, _ = run_guarded("exercise", "check", "class", "--cases", "1", folder=tmp_path)
    assert (code, out.count("5/5")) == (0, 2)


def test_answers(tmp_path: Path) -> None:
    assert run_guarded("exercise", "new", "--seed", "7", "-o", "e.json", folder=tmp_path)[0] == 0
    (exercise,) = load_exercises(tmp_path / "e.json")
    bad = bad_class(tmp_path / "class", ".json", json.dumps(answer_as_json(exercise, correct_answer(exercise))))
    words = ["--csv", "marks.csv", "--gradescope", "r-{}.json", "--json"]
    code, out, err = run_guarded("exercise", "grade", "e.json", "class", *words, folder=tmp_path)
    assert (code, err) == (0, "")
    rows = {Path(row["file"]).name: row for row in json.loads(out)["grades"]}
    assert rows.keys() == {*bad, "anna.json", f"{SHOWN}.json"}
    assert {name for name, row in rows.items() if row["marks"] == 20} == {"anna.json", f"{SHOWN}.json"}
    for name, reason in bad.items():
        assert reason in rows[name]["problem"]
    assert (tmp_path / "marks.csv").read_text(encoding="utf-8").count("\n") == len(rows) + 1
    assert len(list(tmp_path.glob("r-*.json"))) == len(rows)
    code, out, _ = run_guarded("exercise", "grade", "e.json", "class", folder=tmp_path)
    assert (code, f"{len(bad)} of them not readable" in out) == (0, True)


def test_agents(tmp_path: Path) -> None:
    bad = bad_class(tmp_path / "class", ".py", AGENT)
    words = ["--game", "tictactoe", "--seconds", "20", "--against", "random", "--workers", "0", "--quiet"]
    code, _, err = run_guarded("league", "class", *words, folder=tmp_path)
    assert code == 0, err
    unfit = [*bad, f"{SHOWN}.py"]  # a name in a table is text
    for name in unfit:
        assert f"{name} cannot take part" in " ".join(err.split())
    pages = tmp_path / "class" / "league"
    assert "fifo" in (pages / "index.html").read_text(encoding="utf-8")
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in (pages / "students").glob("*.json")]
    assert {row["file"] for row in reports if row["problem"] is None} == {"anna.py"}
    assert {row["file"] for row in reports if row["problem"] is not None} == set(unfit)
    for row in reports:
        assert bad.get(row["file"], "") in (row["problem"] or "")


NAMED = {
    "openings": ["match", "othello", "random", "random", "--games", "2", "--openings", "file:{}"],
    "book": ["match", "chess", "random", "random", "--games", "2", "--openings", "book:{}"],
    "agent": ["match", "tictactoe", "random", "python:{}", "--games", "2"],
    "tournament": ["tournament", "{}"],
    "game": ["show", "./{}"],
    "tree": ["tree", "trace", "./{}"],
    "exercise": ["exercise", "sheet", "{}", "-o", "s.html"],
    "class list": ["exercise", "new", "--students", "{}", "-o", "s.json"],
    "answer's exercise": ["exercise", "grade", "{}", "x.json"],
    "program": ["exercise", "check", "{}"],
    "positions": ["analyse", "othello", "--positions", "{}", "--depth", "1"],
    "games": ["convert", "chess", "{}", "--from", "pgn", "--to", "fen"],
}
SUFFIXES = {"tournament": ".toml", "game": ".py", "agent": ".py"}


@pytest.mark.parametrize("what", NAMED)
def test_files_named_by_the_user(what: str, tmp_path: Path) -> None:
    files = make_bad_files(tmp_path, SUFFIXES.get(what, ".txt"))
    for kind in ("fifo", "device"):
        words = [word.replace("{}", files[kind].name) for word in NAMED[what]]
        code, out, err = run_guarded(*words, folder=tmp_path)
        assert (code, out) == (2, "")
        assert REASONS[kind] in err
        assert len(err.splitlines()) == 1


def test_a_folder_whose_name_is_not_text(tmp_path: Path) -> None:
    folder = tmp_path / STRANGE
    folder.mkdir()
    for name in ("anna", "ben"):
        (folder / f"{name}.py").write_text(AGENT)
    words = ["--game", "tictactoe", "--seconds", "20", "--workers", "0", "--quiet"]
    for _ in range(2):
        code, _, err = run_guarded("league", STRANGE, *words, folder=tmp_path)
        assert code == 0, err
    assert json.loads((folder / "league" / "league.json").read_text(encoding="utf-8"))["over"] is True
    nim = Path(__file__).parents[1] / "support" / "nim.py"
    (folder / "nim.py").write_text(nim.read_text())
    code, out, err = run_guarded("show", f"{STRANGE}/nim.py:Nim", folder=tmp_path)
    assert (code, "heap" in out) == (0, True), err
    (folder / "club.toml").write_text('game = "nim.py:Nim"\nplayers = ["random", "random"]\n')
    code, out, err = run_guarded("tournament", f"{STRANGE}/club.toml", folder=tmp_path)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "printable characters" in err
