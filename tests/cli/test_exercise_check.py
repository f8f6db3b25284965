"""`zermelo exercise check`: for people, as JSON, as CSV, for Gradescope; and bad input."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.teaching.exercises import checking

STUDENTS = Path(__file__).parent.parent / "teaching" / "exercises" / "students"
RIGHT, STRICT = (str(STUDENTS / f"{name}.py") for name in ("right_alphabeta", "wrong_strict_cut"))
CHECK = ("exercise", "check", "--seconds", "20", "--seed", "0")


def test_a_right_program(zermelo: Callable[..., Any]) -> None:
    done = zermelo(*CHECK, RIGHT, "--cases", "3")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["case", "about", "value", "move", "states", "order", "remarks"]
    assert all(line.endswith("right") for line in lines[1:4])
    assert "marks    15 of 15: value 3/3, move 3/3, states 6/6, order 3/3" in done.out
    assert "diagnosis" not in done.out
    assert "time limit" in done.out


UNSEEDED = CHECK[:-2]


def test_the_seed_is_drawn_if_none_is_given(zermelo: Callable[..., Any]) -> None:
    seeds = [zermelo(*UNSEEDED, RIGHT, STRICT, "--cases", "1", "--json").json["programs"] for _ in range(2)]
    assert seeds[0][0]["seed"] == seeds[0][1]["seed"]  # a class has the same cases
    assert seeds[0][0]["seed"] != seeds[1][0]["seed"]


def test_a_seed_from_a_file(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    (file := tmp_path / "seed").write_text("17\n")
    assert "; seed 17\n" in zermelo(*UNSEEDED, RIGHT, "--cases", "1", "--seed-file", str(file)).out
    assert "; seed 18\n" in zermelo(*UNSEEDED, RIGHT, "--cases", "1", "--seed-file", "-", typed="18\n").out
    for content in (b"", b"x", b"-1", b"\xff", b"1 2", "\u0661".encode()):
        file.write_bytes(content)
        failed = zermelo(*UNSEEDED, RIGHT, "--seed-file", str(file))
        assert (failed.code, failed.out) == (2, "")
        assert f"{file}: " in failed.err
    file.write_text("1" * 30)
    assert "seed must be an integer from 0 to 2^64 - 1" in zermelo(*UNSEEDED, RIGHT, "--seed-file", str(file)).err
    file.write_text("1" * 3000)
    assert "file too large" in zermelo(*UNSEEDED, RIGHT, "--seed-file", str(file)).err
    assert "cannot be combined" in zermelo(*CHECK, RIGHT, "--seed-file", str(file)).err
    assert "missing: " in zermelo(*UNSEEDED, RIGHT, "--seed-file", "missing").err


def test_a_wrong_program(zermelo: Callable[..., Any]) -> None:
    done = zermelo(*CHECK, STRICT, "--cases", "4", "--seed", "2")
    assert done.code == 0
    assert "diagnosis  no cutoff on equality: The search prunes only on strict" in done.out
    assert "[explains every case]" in done.out
    assert "extra states searched: " in done.out
    assert "zermelo tree trace '[" in done.out


def test_what_is_right_depends_on_the_convention(zermelo: Callable[..., Any]) -> None:
    told = zermelo(*CHECK, STRICT, "--cases", "4", "--convention", "strict", "--json").json["programs"][0]
    assert told["points"] == told["max_points"] == 20
    assert told["convention"] == "alphabeta; no cut on equality"
    told = zermelo(*CHECK, RIGHT, "--cases", "4", "--convention", "strict", "--json").json["programs"][0]
    assert told["diagnosis"][0]["mistakes"] == ["cuts-on-equality"]


def test_json(zermelo: Callable[..., Any]) -> None:
    told = zermelo(*CHECK, RIGHT, "--cases", "1", "--json").json["programs"][0]
    assert (told["function"], told["points"], told["max_points"], told["failure"]) == ("alphabeta", 5, 5, None)
    assert told["limits"] == {"seconds": 20, "memory": 256 << 20, "output": 64 << 10}
    case = told["cases"][0]
    assert case["tree"] == "[[3,12,8],[2,4,6],[14,5,2]]"
    assert case["value"] == case["expected_value"] == 3
    assert case["move"] == {"number": 0, "name": "B"}
    assert " ".join(case["searched"]) == "A B b1 b2 b3 C c1 D d1 d2 d3"
    assert case["expected_searched"] == case["searched"]
    assert case["generated"] == case["searched"]
    assert case["marks"] == {"value": 1, "move": 1, "states": 2, "order": 1}


def test_a_function_that_is_asked_for(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    both = (STUDENTS / "right_minimax.py").read_text() + "\n\n" + (STUDENTS / "right_alphabeta.py").read_text()
    (tmp_path / "both.py").write_text(both)
    told = zermelo(*CHECK, str(tmp_path / "both.py"), "--cases", "2", "--function", "minimax", "--json").json
    assert told["programs"][0]["function"] == "minimax"
    assert told["programs"][0]["points"] == 10
    told = zermelo(*CHECK, str(tmp_path / "both.py"), "--cases", "2", "--json").json
    assert told["programs"][0]["function"] == "alphabeta"


def test_a_class(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def alphabeta(game, state, depth)\n")
    done = zermelo(*CHECK, RIGHT, STRICT, str(broken), "--cases", "3")
    assert done.code == 0
    rows = done.out.splitlines()
    assert rows[0].split() == ["program", "function", "marks", "finding"]
    assert rows[1].split()[1:] == ["alphabeta", "15/15", "right"]
    assert rows[2].endswith("no cutoff on equality")
    assert rows[3].endswith("0/15   broken.py:1: SyntaxError: expected ':'")
    assert "all right  1" in done.out


#: Sends a message of its own after it was imported, in place of the list of its functions.
FORGED = "import os, sys\nsys.modules['__main__'].channel.send('functions', {{'alphabeta': {}}}, [])\nos._exit(0)\n"


@pytest.mark.parametrize("counts", [[], [3], [3, 3, 3], ["3", 3]])
def test_a_forged_message_costs_its_own_program_only(
    counts: list[object], zermelo: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "evil.py").write_text(FORGED.format(counts))
    done = zermelo(*CHECK, str(tmp_path / "evil.py"), RIGHT, "--cases", "1", "--json")
    assert (done.code, done.err) == (0, "")
    evil, right = done.json["programs"]
    assert evil["failure"] == "import: wrote invalid data to the message channel"
    assert right["points"] == right["max_points"]


def test_an_internal_error_costs_its_own_program_only(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = checking._load
    raised: list[BaseException] = [ValueError("too few")]

    def failing(file: str, *arguments: Any) -> Any:
        if file == "evil.py":
            raise raised[0]
        return load(file, *arguments)

    monkeypatch.setattr(checking, "_load", failing)
    (tmp_path / "evil.py").write_text("")
    words = (*CHECK, str(tmp_path / "evil.py"), RIGHT, "--cases", "1")
    done = zermelo(*words, "--csv", str(tmp_path / "class.csv"))
    assert done.code == 1
    rows = done.out.splitlines()
    assert "0/5    internal error (please report it): ValueError: too few (test_exercise_check.py:" in rows[1]
    assert rows[2].endswith("5/5    right")
    assert done.err.startswith("zermelo: evil.py: internal error (please report it): ValueError: too few (")
    assert done.err.endswith("set ZERMELO_TRACE=1 for a traceback\n")
    assert len((tmp_path / "class.csv").read_text().splitlines()) == 3

    monkeypatch.setenv("ZERMELO_TRACE", "1")
    done = zermelo(*words, "--json")
    assert "Traceback" in done.err
    assert [each["points"] for each in done.json["programs"]] == [0, 5]

    raised[0] = KeyboardInterrupt()
    assert zermelo(*words).code == 130


def test_csv(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formula = tmp_path / "=1+1.py"
    formula.write_text("")
    monkeypatch.chdir(tmp_path)
    assert zermelo(*CHECK, RIGHT, STRICT, formula.name, "--cases", "3", "--csv", "class.csv").code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "class.csv").read_text())))
    assert [row["marks"] for row in rows] == ["15", rows[1]["marks"], "0"]
    assert rows[0] | {"file": ""} == {
        "file": "", "function": "alphabeta", "marks": "15", "max_marks": "15", "value": "3", "move": "3", "states": "6",
        "order": "3", "unanswered": "0", "mistakes": "", "failure": "",
    }  # fmt: skip
    assert rows[1]["mistakes"] == "cuts-only-beyond"
    assert rows[2]["file"] == "'=1+1.py"
    assert rows[2]["unanswered"] == "3"
    assert rows[2]["failure"] == "'=1+1.py: no function alphabeta(game, state, depth)"


def test_gradescope(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    done = zermelo(*CHECK, STRICT, "--cases", "4", "--gradescope", str(tmp_path / "results.json"), "--json")
    told = json.loads((tmp_path / "results.json").read_text())
    report = done.json["programs"][0]
    assert told["score"] == report["points"] == sum(test["score"] for test in told["tests"])
    assert sum(test["max_score"] for test in told["tests"]) == report["max_points"] == 20
    assert [test["status"] == "passed" for test in told["tests"]] == [case["points"] == 5 for case in report["cases"]]
    assert "no cutoff on equality" in told["output"]
    assert any("extra states searched" in test["output"] for test in told["tests"])


def test_a_folder_and_results_for_each(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.py").write_text(Path(RIGHT).read_text())
    words = ["--cases", "1", "--gradescope", str(tmp_path / "{}.json"), "--visibility", "hidden"]
    assert zermelo(*CHECK, str(tmp_path), *words).code == 0
    for name in ("ann", "ben"):
        told = json.loads((tmp_path / f"{name}.json").read_text())
        assert (told["score"], told["visibility"]) == (5, "hidden")


def test_a_file_that_cannot_be_written_costs_itself_only(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("ann", "ben", "a" * 252):
        (tmp_path / f"{name}.py").write_text(Path(RIGHT).read_text())
    (tmp_path / "out").mkdir()
    words = [*CHECK, str(tmp_path), "--cases", "1", "--csv", str(tmp_path), "--gradescope"]
    done = zermelo(*words, str(tmp_path / "out" / "{}.json"))
    assert (done.code, done.err) == (2, f"zermelo: {tmp_path} is a directory: expected a file name\n")
    assert "all right  3" in done.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a" * 200 + ".json", "ann.json", "ben.json"]

    (tmp_path / "ann.json").mkdir()
    done = zermelo(*words, str(tmp_path / "{}.json"), "--json")
    assert done.code == 2
    assert [line.endswith("is a directory: expected a file name") for line in done.err.splitlines()] == [True, True]
    assert len(done.json["programs"]) == 3
    assert (tmp_path / "ben.json").exists()


def test_ctrl_c_keeps_the_finished_rows(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = checking._load

    def interrupted(file: str, *arguments: Any) -> Any:
        if file == "ben.py":
            raise KeyboardInterrupt
        return load(file, *arguments)

    monkeypatch.setattr(checking, "_load", interrupted)
    (tmp_path / "class").mkdir()
    for name in ("ann", "ben", "cy"):
        (tmp_path / "class" / f"{name}.py").write_text(Path(RIGHT).read_text())
    monkeypatch.chdir(tmp_path)
    words = [*CHECK, "class", "--cases", "1", "--csv", "class.csv", "--gradescope", "{}.json"]
    done = zermelo(*words)
    assert (done.code, done.err) == (130, "zermelo: interrupted; 2 programs not checked\n")
    rows = done.out.splitlines()
    assert rows[0].split() == ["program", "function", "marks", "finding"]
    assert "5/5    right" in rows[1]
    assert "programs   1" in done.out
    assert len((tmp_path / "class.csv").read_text().splitlines()) == 2
    assert [path.name for path in tmp_path.glob("*.json")] == ["ann.json"]
    done = zermelo(*words, "--json")
    assert (done.code, len(done.json["programs"]), done.json["interrupted"]) == (130, 1, True)
    done = zermelo(*CHECK, "class/ben.py", "class/ann.py", "--csv", "none.csv")  # nothing is finished
    assert (done.code, done.out, done.err) == (130, "", "zermelo: interrupted\n")
    assert not Path("none.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody.py"], "nobody.py: No such file"),
        (["/dev/null"], "not a regular file"),
        ([], "missing argument"),
        ([RIGHT, "--cases", "0"], "cases must be from 1 to 500 (got 0)"),
        ([RIGHT, "--cases", "501"], "(got 501)"),
        ([RIGHT, "--seconds", "0"], "seconds must be from 0.05 to 3600 (got 0)"),
        ([RIGHT, "--seconds", "nan"], "(got nan)"),
        ([RIGHT, "--memory", "lots"], "memory must be a number of bytes like 64M, 1G or 500K (got 'lots')"),
        ([RIGHT, "--memory", "9" * 5000], "must be a number of bytes"),
        ([RIGHT, "--memory", "1M"], "memory must be from 64M to 1T (got 1,048,576 bytes)"),
        ([RIGHT, "--seed", "-1"], "(got -1)"),
        ([RIGHT, "--function", "negamax"], "unknown function 'negamax'; use one of alphabeta, minimax, expectiminimax"),
        ([RIGHT, "--convention", "stricct"], "did you mean strict?"),
        (
            [RIGHT, STRICT, "--gradescope", "x.json"],
            "x.json: results.json is of one program; with 2 put {} into its name",
        ),
        ([RIGHT, "--visibility", "never"], "visibility 'never' is not one of visible, after_published"),
        ([RIGHT, "--cases", "1", "--csv", "no/where/x.csv"], "folder not found: no/where"),
        ([RIGHT, "--cases", "1", "--gradescope", "no/where/x.json"], "folder not found: no/where"),
    ],
)
def test_bad_input(zermelo: Callable[..., Any], words: list[str], said: str) -> None:
    done = zermelo("exercise", "check", *words)
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert said in done.err


def test_hidden_files_are_named(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / ".anna.py").write_text("")
    done = zermelo(*CHECK, "class")
    note = "class: 1 hidden file not read (the name begins with a dot): .anna.py\n"
    assert (done.code, done.err) == (2, f"{note}zermelo: class: no .py files in this folder\n")
    for name in (".b.py", ".c.py", ".d.py", ".e.txt", "ben.py"):
        (tmp_path / "class" / name).write_text("")
    done = zermelo(*CHECK, "class", "--cases", "1", "--json")
    note = "class: 4 hidden files not read (the name begins with a dot): .anna.py, .b.py, .c.py, ...\n"
    assert (done.code, done.err, len(done.json["programs"])) == (0, note, 1)


def test_an_empty_folder(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    done = zermelo("exercise", "check", str(tmp_path))
    assert (done.code, done.out) == (2, "")
    assert "no .py files in this folder" in done.err


def test_a_program_that_fails_is_no_bad_input(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("import nonesuch\n")
    done = zermelo(*CHECK, str(bad), "--cases", "2")
    assert done.code == 0
    assert "marks    0 of 10" in done.out
    assert done.out.count("ModuleNotFoundError") == 1
