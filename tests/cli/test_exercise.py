"""`zermelo exercise new`, `sheet` and `grade`, as they are called."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.teaching.exercises.answer_files import Submission
from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.class_results import ClassResults
from zermelo.teaching.exercises.exercise import PARTS, Exercise
from zermelo.teaching.exercises.files import load_exercises
from zermelo.teaching.exercises.grading import Grade
from zermelo.teaching.exercises.kinds.items import ItemExercise

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hand_in(exercise: Exercise, path: Path, **changed: object) -> None:
    path.write_text(json.dumps(answer_as_json(exercise, correct_answer(exercise)) | changed))


def test_set_print_answer_grade(zermelo: Run, folder: Path) -> None:
    done = zermelo(
        "exercise", "new", "--seed", "7", "-o", "e.json", "--sheet", "s.html", "--answer-template", "form.json"
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    (exercise,) = load_exercises(folder / "e.json")
    assert json.loads((folder / "form.json").read_text())["exercise"] == exercise.id
    assert exercise.id in (folder / "s.html").read_text()
    for solution in ([], ["--solution"]):
        assert zermelo("exercise", "sheet", "e.json", "-o", "s.tex", *solution).code == 0
    hand_in(exercise, folder / "a.json", student="Ada")
    done = zermelo("exercise", "grade", "e.json", "a.json")
    assert done.code == 0
    assert "Ada: 20 of 20" in done.out
    done = zermelo("exercise", "grade", "e.json", "a.json", "--no-remarks")
    assert [line.split()[:4] for line in done.out.splitlines()[:2]] == [
        ["student", "marks", "of", "values"],
        ["Ada", "20", "20", "5"],
    ]
    told = zermelo("exercise", "grade", "e.json", "a.json", "--json").json
    assert told["grades"][0]["marks"] == 20
    done = zermelo("exercise", "grade", "e.json", "form.json")
    assert "0 of 20" in done.out


def test_answers_in_other_formats(zermelo: Run, folder: Path) -> None:
    assert zermelo("exercise", "new", "--seed", "7", "-o", "e.json", "--answer-template", "form.csv").code == 0
    (exercise,) = load_exercises(folder / "e.json")
    right = answer_as_json(exercise, correct_answer(exercise))
    best, cuts, order = right["best"], " ".join(right["cuts"]), "-".join(right["order"])
    (folder / "class.csv").write_text(f"student,cuts,order,best\nAda,{cuts},{order},{best}\nAlan,,,{best}\n")
    answers = folder / "answers"
    answers.mkdir()
    (answers / "emmy.txt").write_text(f"student: Emmy\ncuts: {cuts}\norder: {order}\nbest: {best}\nthe end\n")
    (answers / "note.md").write_text("not an answer")
    (answers / "more.csv").write_text((folder / "class.csv").read_text())
    unread = "answers: 1 file not read (the name does not end in .json, .toml, .yaml, .yml, .txt): note.md"
    done = zermelo("exercise", "grade", "e.json", "answers", "--json")
    assert done.err.splitlines() == ["answers/more.csv was not read: name it on the command line", unread]
    assert done.json["not_read"] == ["answers/more.csv", "answers/note.md"]
    done = zermelo("exercise", "grade", "e.json", "answers", "answers/more.csv", "--json")
    assert done.err.splitlines() == [unread]
    assert done.json["not_read"] == ["answers/note.md"]
    assert len(done.json["grades"]) == 3
    (folder / "tables").mkdir()
    (answers / "more.csv").rename(folder / "tables/more.csv")
    assert "tables/more.csv on the command line" in zermelo("exercise", "grade", "e.json", "tables").err
    handed_in = ["class.csv", "answers", "form.csv"]
    done = zermelo("exercise", "grade", "e.json", *handed_in, "--json", "--gradescope", "r-{}.json")
    assert [grade["marks"] for grade in done.json["grades"]] == [8, 0, 8, 0]
    assert [grade["file"] for grade in done.json["grades"]] == [
        "class.csv, row 2", "class.csv, row 3", "answers/emmy.txt", "form.csv, row 2",
    ]  # fmt: skip
    assert sorted(path.name for path in folder.glob("r-*")) == [
        "r-class-Ada.json", "r-class-Alan.json", "r-emmy.json", "r-form-2.json",
    ]  # fmt: skip
    assert zermelo("exercise", "new", "--variants", "2", "-o", "v.json", "--answer-template", "v.csv").code == 0
    assert len((folder / "v.csv").read_text().splitlines()) == 3


def test_files_in_a_folder_that_are_not_answers_are_named(zermelo: Run, folder: Path) -> None:
    assert zermelo("exercise", "new", "--seed", "7", "-o", "e.json").code == 0
    answers = folder / "answers"
    answers.mkdir()
    hand_in(load_exercises(folder / "e.json")[0], answers / "ada.json")
    for name in ("ann.pdf", "bob", "x.zip", "y\x1b[2J.doc", ".hidden"):
        (answers / name).write_text("by mistake")
    (answers / "folder").mkdir()
    done = zermelo("exercise", "grade", "e.json", "answers")
    assert done.code == 0
    (line,) = done.err.splitlines()
    assert line.startswith("answers: 5 files not read (the name does not end in .json")
    assert line.endswith("): ann.pdf, bob, folder, ...")
    assert zermelo("exercise", "grade", "e.json", "answers", "--json").json["not_read"] == [
        "answers/ann.pdf", "answers/bob", "answers/folder", "answers/x.zip", "answers/y\x1b[2J.doc",
    ]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs")
def test_the_only_file_must_be_readable(zermelo: Run, folder: Path) -> None:
    """As in `exercise check`; among others, it costs itself alone."""
    assert zermelo("exercise", "new", "--seed", "7", "-o", "e.json").code == 0
    hand_in(load_exercises(folder / "e.json")[0], folder / "ada.json")
    os.mkfifo(folder / "fifo")
    (folder / "fifo.py").symlink_to("fifo")
    (folder / "link.json").symlink_to("ada.json")
    for words in (["grade", "e.json", "fifo"], ["grade", "e.json", "none.json"], ["grade", "e.json", "link.json"]):
        code, out, err = zermelo("exercise", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words[-1] in err
    assert zermelo("exercise", "check", "fifo.py").code == 2
    done = zermelo("exercise", "grade", "e.json", "ada.json", "fifo", "--json")
    assert (done.code, done.json["not_graded"]) == (0, 1)


def test_the_exercise_is_printed_without_a_file(zermelo: Run) -> None:
    told = zermelo("exercise", "new", "[[3,12,8],[2,4,6],[14,5,2]]", "--ask", "values,cuts", "--marks", "cuts=7").json
    assert told["marks"] == {"values": 5, "cuts": 7}
    assert told["tree"]["children"][0]["children"][0]["value"] == 3


def test_a_class(zermelo: Run, folder: Path) -> None:
    (folder / "class.csv").write_text("id,name\n1,Ada\n2,Kurt\n3,Ernst\n")
    words = ["--students", "class.csv", "-o", "e-{}.json", "--answer-template", "form-{}.json", "--sheet", "s-{}.html"]
    assert zermelo("exercise", "new", *words).code == 0
    assert sorted(path.name for path in folder.glob("e-*")) == ["e-001-Ada.json", "e-002-Kurt.json", "e-003-Ernst.json"]
    assert zermelo("exercise", "new", "--students", "class.csv", "-o", "set.json").code == 0
    ada, kurt, _ = load_exercises(folder / "set.json")
    answers = folder / "answers"
    answers.mkdir()
    hand_in(ada, answers / "1.json")
    hand_in(kurt, answers / "2.json", best=None)
    (answers / "3.json").write_text("{" * 50_000)
    (answers / "4.json").write_text("\0" * 100_000)
    done = zermelo("exercise", "grade", "set.json", "answers", "--csv", "marks.csv", "--gradescope", "r-{}.json")
    assert done.code == 0
    assert "2 of them not readable" in done.out
    assert "Ernst" in done.out
    lines = (folder / "marks.csv").read_text().splitlines()
    assert len(lines) == 6
    assert lines[1].startswith("Ada,")
    assert json.loads((folder / "r-2.json").read_text())["score"] == 18
    assert json.loads((folder / "r-3.json").read_text())["score"] == 0
    done = zermelo("exercise", "grade", "set.json", "answers", "missing.json", "--json")
    assert [grade["marks"] for grade in done.json["grades"]] == [20, 18, 0, 0, 0]
    assert done.json["absent"] == ["Ernst"]


def test_a_class_has_another_kind_of_exercise(zermelo: Run, folder: Path) -> None:
    (folder / "class.csv").write_text("Ada\nKurt\n")
    told = zermelo("exercise", "new", "--kind", "transpositions", "--students", "class.csv", "-o", "set.json")
    assert told.out.split("\n")[0].split() == ["bounds", "min", "median", "max"]
    exercises = load_exercises(folder / "set.json")
    for exercise in exercises:
        assert isinstance(exercise, ItemExercise)
        (folder / f"{exercise.student}.json").write_text(json.dumps(exercise.correct_answer()))
    done = zermelo("exercise", "grade", "set.json", "Ada.json", "Kurt.json", "--csv", "marks.csv", "--json")
    assert [grade["marks"] for grade in done.json["grades"]] == [20, 20]
    rows = (folder / "marks.csv").read_text().splitlines()
    assert rows[0].split(",")[6:9] == ["hits", "values", "nodes"]
    assert zermelo("exercise", "sheet", "set.json", "-o", "s-{}.html", "--solution").code == 0
    spread = json.loads((folder / "set.json").read_text())["spread"]
    summary = zermelo("exercise", "new", "--kind", "transpositions", "--variants", "2", "-o", "set.json", "--json").json
    assert summary["spread"] == spread
    assert [each["variant"] for each in summary["exercises"]] == [1, 2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("new --ask beauty", "beauty"),
        ("new --marks values", "values=6"),
        ("new --ask best --marks cuts=3", "not asked"),
        ("new --convention sideways", "sideways"),
        ("new --convention minimax --ask cuts", "minimax has no cuts"),
        ("new --branching 9..2", "branching"),
        ("new --branching 9 --depth 9", "too large"),
        ("new --variants 3 --students e.json", "--variants"),
        ("new --students none.csv", "none.csv"),
        ("new --variants 3 --answer-template a.json", "{}"),
        ("new [[3,4],[3,5]]", "both have the value 3"),
        ("new [[3,?],[2,4]]", "no value"),
        ("new -o nowhere/e.json", "nowhere"),
        ("new --sheet s.docx", "one of"),
        ("new --seed -1", "seed"),
        ("new --kind evaluaton", "did you mean evaluation"),
        ("new --kind evaluation --convention strict", "--convention does not apply"),
        ("new --kind evaluation --game go", "go has no evaluation"),
        ("new --kind star1 [[1,2],[3,4]]", "no chance node"),
        ("new --bounds nodes", "NAME=A..B"),
        ("new --bounds beauty=3", "the measures are nodes, inner_nodes"),
        ("sheet none.json -o s.html", "none.json"),
        ("sheet e.json -o s.docx", "one of"),
        ("sheet e.json -o s.html --variant 4", "variant 4"),
        ("sheet e.json -o s.tex --mode exam", "--mode is for HTML sheets, not tex"),
        ("sheet e.json -o s.html --mode strict", "mode must be one of practice, exam"),
        ("sheet e.json -o s.html --format doc", "unknown sheet format 'doc'"),
        ("new --format html", "--format html needs a file: -o FILE"),
        ("grade e.json", "at least one answer"),
        ("grade a.json e.json", "a.json"),
        ("grade e.json a.json --visibility never", "never"),
        ("grade e.json a.json b.json --gradescope r.json", "{}"),
        ("grade e.json empty", "no .json"),
        ("new --answer-template a.toml", ".json, .txt or .csv"),
    ],
)
def test_bad_input_is_one_line(words: str, says: str, zermelo: Run, folder: Path) -> None:
    zermelo("exercise", "new", "-o", "e.json")
    (folder / "a.json").write_text("{}")
    (folder / "empty").mkdir()
    done = zermelo("exercise", *words.split())
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_a_class_whose_first_answer_is_broken_has_its_columns_and_no_file_hides_another(
    zermelo: Run, folder: Path
) -> None:
    zermelo("exercise", "new", "-o", "e.json")
    (exercise,) = load_exercises(folder / "e.json")
    for name in ("a", "b", "c"):
        (folder / name).mkdir()
        hand_in(exercise, folder / name / "answer.json", student=name)
    (folder / "a" / "answer.json").write_text("?")
    found = [f"{name}/answer.json" for name in ("a", "b", "c")]
    done = zermelo("exercise", "grade", "e.json", *found, "--gradescope", "r-{}.json")
    assert done.out.split("\n")[0].split() == ["student", "marks", "of", *PARTS, "what", "happened"]
    scores = [json.loads((folder / f"r-{name}-answer.json").read_text())["score"] for name in ("a", "b", "c")]
    assert scores == [0, 20, 20]


def test_a_file_that_cannot_be_written_costs_itself_only(zermelo: Run, folder: Path) -> None:
    zermelo("exercise", "new", "-o", "e.json")
    (exercise,) = load_exercises(folder / "e.json")
    (folder / "answers").mkdir()
    for name in ("ann", "ben", "a" * 250):
        hand_in(exercise, folder / "answers" / f"{name}.json", student=name[:9])
    (folder / "r-ann.json").mkdir()
    done = zermelo("exercise", "grade", "e.json", "answers", "--gradescope", "r-{}.json")
    assert (done.code, done.err) == (2, "zermelo: r-ann.json is a directory: expected a file name\n")
    assert "answers  3" in done.out
    assert (folder / f"r-{'a' * 200}.json").exists()
    assert json.loads((folder / "r-ben.json").read_text())["score"] == 20


def test_ctrl_c_keeps_the_finished_grades(zermelo: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "class.csv").write_text("name\nAda\nKurt\nErnst\n")
    assert zermelo("exercise", "new", "--students", "class.csv", "-o", "set.json").code == 0
    (folder / "answers").mkdir()
    for number, exercise in enumerate(load_exercises(folder / "set.json")):
        hand_in(exercise, folder / "answers" / f"{number}.json")
    add = ClassResults.add

    def interrupted(results: ClassResults, submission: Submission) -> Grade:
        if len(results.grades) == limit:
            raise KeyboardInterrupt
        return add(results, submission)

    monkeypatch.setattr(ClassResults, "add", interrupted)
    words = ["exercise", "grade", "set.json", "answers", "--csv", "marks.csv", "--gradescope", "{}.json"]
    limit = 0
    done = zermelo(*words)
    assert (done.code, done.out, done.err) == (130, "", "zermelo: interrupted\n")
    assert not (folder / "marks.csv").exists()
    limit = 1
    done = zermelo(*words)
    assert (done.code, done.err) == (130, "zermelo: interrupted; 2 files not graded, or not completely\n")
    assert "answers  1" in done.out
    assert "no answer" not in done.out
    assert len((folder / "marks.csv").read_text().splitlines()) == 2
    assert json.loads((folder / "0.json").read_text())["score"] == 20
    assert not (folder / "1.json").exists()
    done = zermelo(*words, "--json")
    assert (done.code, done.json["answers"], done.json["absent"], done.json["interrupted"]) == (130, 1, [], True)


def test_hidden_files_are_named(zermelo: Run, folder: Path) -> None:
    zermelo("exercise", "new", "-o", "e.json")
    (exercise,) = load_exercises(folder / "e.json")
    (folder / "answers").mkdir()
    for name in ("ann", ".ben"):
        hand_in(exercise, folder / "answers" / f"{name}.json", student=name)
    done = zermelo("exercise", "grade", "e.json", "answers", "--json")
    note = "answers: 1 hidden file not read (the name begins with a dot): .ben.json\n"
    assert (done.code, done.err, done.json["answers"]) == (0, note, 1)
