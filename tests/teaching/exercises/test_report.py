"""What other programs read: JSON, a class as CSV, Gradescope's results.json; and the sheets."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from zermelo.errors import TreeError
from zermelo.teaching.exercises import report
from zermelo.teaching.exercises.answers import as_data, correct_answer
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.generator import ExerciseSpec, generate_exercises
from zermelo.teaching.exercises.gradescope import VISIBILITIES
from zermelo.teaching.exercises.grading import ClassGrader, Grade
from zermelo.teaching.exercises.sheet import build_sheet, sheet_format, sheets
from zermelo.teaching.exercises.wrong_solvers import wrong_answers
from zermelo.teaching.tree.convention import Convention

SPEC = ExerciseSpec(Convention(), allocate_marks(PARTS, {}))
CLASS = generate_exercises(SPEC, 7, students=["Ada", "Kurt", "=HYPERLINK(1)"]).exercises


def grades() -> list[Grade]:
    graders = ClassGrader(CLASS)
    swapped = next(answer for mistake, answer in wrong_answers(CLASS[1]) if mistake.id == "players-swapped")
    return [
        graders.grade(as_data(CLASS[0], correct_answer(CLASS[0])), "ada.json"),
        graders.grade(as_data(CLASS[1], swapped), "kurt.json"),
        graders.grade({"exercise": CLASS[2].id, "student": "=HYPERLINK(1)", "values": 3}, "third.json"),
    ]


def test_one_exercise_of_two_students_is_graded_as_that_of_each() -> None:
    same = [replace(CLASS[0], student=name, variant=number) for number, name in enumerate(("Ada", "Ben"), 1)]
    told = as_data(same[0], correct_answer(same[0]))
    graders = ClassGrader(same)
    for name, variant in (("Ben", 2), ("Ada", 1)):
        grade = graders.grade(told | {"student": name})
        assert (grade.student, grade.variant, grade.notes) == (name, variant, [])
    assert graders.grade(told | {"student": "Eve"}).notes == ["Eve answers the exercise of Ada"]


def test_json_says_all_and_is_json() -> None:
    told = json.loads(json.dumps(report.class_as_json(grades(), [])))
    assert told["schema"] == "zermelo-grade/1"
    assert (told["answers"], told["broken"]) == (3, 1)
    first, second, third = told["grades"]
    assert (first["marks"], first["most"], first["student"]) == (20, 20, "Ada")
    assert second["diagnoses"][0]["id"] == "players-swapped"
    assert third["problem"].startswith("values")
    assert told["mistakes"] == {"players-swapped": 1}
    assert sum(part["marks"] for part in second["parts"]) == pytest.approx(second["marks"], abs=0.03)


def test_what_is_right_is_said_only_where_it_may_be() -> None:
    open_, closed = (json.dumps(report.as_json(grades()[1], solution=said)) for said in (True, False))
    assert "right is" in open_
    assert "right is" not in closed


def test_a_class_as_csv_with_nothing_that_a_spreadsheet_runs() -> None:
    rows = list(csv.DictReader(io.StringIO(report.grades_csv(grades(), [CLASS[0]]))))
    assert [row["student"] for row in rows] == ["Ada", "Kurt", "'=HYPERLINK(1)", "Ada"]
    assert [row["marks"] for row in rows][::2] == ["20", "0"]
    assert rows[0]["values"] == "5"
    assert rows[1]["mistakes"] == "players-swapped"
    assert rows[3]["problem"] == "no answer"


def test_gradescope_is_given_what_its_specification_names() -> None:
    known = {
        "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
        "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    for_tests = {
        "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
        "visibility", "extra_data",
    }  # fmt: skip
    for grade in grades():
        told = json.loads(json.dumps(report.gradescope(grade, visibility="after_due_date")))
        assert told.keys() <= known
        assert told["visibility"] == "after_due_date"
        assert told["stdout_visibility"] in VISIBILITIES
        for test in told["tests"]:
            assert test.keys() <= for_tests
            assert 0 <= test["score"] <= test["max_score"]
            assert test["status"] in ("passed", "failed")
            assert test["output_format"] in ("text", "html", "simple_format", "md", "ansi")
        if told["tests"]:
            assert sum(test["score"] for test in told["tests"]) == pytest.approx(told["score"], abs=0.03)
        else:
            assert (told["score"], told["output"][:10]) == (0, "Not graded")


# ---- sheets -----------------------------------------------------------------------------------------------------


class Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_sheet_has_blanks_and_a_solution_has_none() -> None:
    blank, solved = build_sheet(CLASS[0]), build_sheet(CLASS[0], solution=True)
    right = correct_answer(CLASS[0])
    assert all(row[2:] == ["", "", ""] for row in blank.rows)
    assert all(said == "" for _, said in blank.lines)
    filled = [row for row in solved.rows if row[2]]
    assert len(filled) == len(right.values or ())
    assert all(said for _, said in solved.lines)
    assert blank.statement == CLASS[0].statement
    assert len(blank.questions) == 5


def test_sheets_as_html_say_everything_and_load_nothing() -> None:
    awkward = replace(CLASS[0], title="<b>&", student="<script>alert(1)</script>")
    page = sheets([awkward, CLASS[1]], "html")
    assert isinstance(page, str)
    parser = Texts()
    parser.feed(page)
    assert not parser.open
    text = " ".join(parser.texts)
    for line in awkward.statement:
        assert line in text
    assert CLASS[0].id in text
    assert CLASS[1].id in text
    assert "<script" not in page
    assert not re.search(r"(src|href)=.?http", page)
    assert page.count("<main") == 2
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "two pictures on a page must not share ids"


def test_a_sheet_without_solution_gives_nothing_away() -> None:
    given = CLASS[0]
    for form in ("html", "tex"):
        blank, solved = str(sheets([given], form)), str(sheets([given], form, solution=True))
        best = build_sheet(given, solution=True).lines[-1][1]
        assert "cut off:" not in blank
        assert f"Best move: {best}" not in blank
        assert blank != solved


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_takes_the_sheets(tmp_path: Path) -> None:
    awkward = replace(CLASS[0], title="50% of $x_1 & #2 {~^\\", student="O'Brien \\input{/etc/passwd}")
    (tmp_path / "s.tex").write_text(str(sheets([awkward], "tex", solution=True)))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "s.tex"],
        cwd=tmp_path, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:].decode("latin-1")


def test_sheets_as_pdf() -> None:
    pytest.importorskip("matplotlib")
    page = sheets(CLASS[:2], "pdf")
    assert isinstance(page, bytes)
    assert page.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", page)) == 2
    assert page == sheets(CLASS[:2], "pdf"), "the same sheets, the same bytes"


@pytest.mark.nightly
def test_large_sheets_as_pdf() -> None:
    pytest.importorskip("matplotlib")
    large = generate_exercises(replace(SPEC, branching=(3, 3), depth=(4, 4)), 1).exercises
    assert len(re.findall(rb"/Type /Page\b", sheets(large, "pdf", solution=True))) > 1


def test_sheets_of_every_kind_of_exercise() -> None:
    kinds: list[Exercise] = []
    for words, more in (
        ("minimax", {"chance": 0.3}),
        ("negamax own", {}),
        ("interval strict", {"root": "min"}),
        ("path", {"depth": (4, 4), "search_depth": 3}),
    ):
        said = Convention.of(words)
        asked = [part for part in PARTS if said.prunes or part not in ("windows", "cuts")]
        kinds += generate_exercises(ExerciseSpec(said, allocate_marks(asked, {}), **more), 3).exercises  # type: ignore[arg-type]
    for solution in (False, True):
        page = str(sheets(kinds, "html", solution=solution))
        assert page.count("<main") == len(kinds)
        assert "evaluation" in page
    assert "mean of the children" in str(sheets(kinds, "tex"))


def test_the_end_of_the_name_tells_the_kind() -> None:
    assert [sheet_format(name) for name in ("a.html", "a.PDF", "b/c.tex")] == ["html", "pdf", "tex"]
    with pytest.raises(TreeError, match="one of"):
        sheet_format("a.docx")
