"""Exports of grades (JSON, CSV, Gradescope) and sheets (HTML, LaTeX, PDF)."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from latex import needs_tikz

from zermelo.errors import InputError
from zermelo.teaching.exercises import report
from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.gradescope import VISIBILITIES
from zermelo.teaching.exercises.grading import ClassGrader, Grade, grader_of
from zermelo.teaching.exercises.kinds.traced import PvsExercise, PvsSpec
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.exercises.sheet import build_sheet
from zermelo.teaching.exercises.sheet_files import render_sheets, sheet_format
from zermelo.teaching.exercises.wrong_solvers import wrong_answers
from zermelo.teaching.tree.convention import Convention

SPEC = ExerciseSpec(Convention(), allocate_marks(PARTS, {}))
CLASS = generate_exercises(SPEC, 7, students=["Ada", "Kurt", "=HYPERLINK(1)"]).exercises


def grades() -> list[Grade]:
    graders = ClassGrader(CLASS)
    swapped = next(answer for mistake, answer in wrong_answers(CLASS[1]) if mistake.id == "players-swapped")
    return [
        graders.grade(answer_as_json(CLASS[0], correct_answer(CLASS[0])), "ada.json"),
        graders.grade(answer_as_json(CLASS[1], swapped), "kurt.json"),
        graders.grade({"exercise": "lost", "student": "=HYPERLINK(1)", "values": 3}, "third.json"),
    ]


def test_same_exercise_of_two_students_is_graded_for_each() -> None:
    same = [replace(CLASS[0], student=name, variant=number) for number, name in enumerate(("Ada", "Ben"), 1)]
    data = answer_as_json(same[0], correct_answer(same[0]))
    graders = ClassGrader(same)
    for name, variant in (("Ben", 2), ("Ada", 1)):
        grade = graders.grade(data | {"student": name})
        assert (grade.student, grade.variant, grade.notes) == (name, variant, [])
    assert graders.grade(data | {"student": "Eve"}).notes == ["Eve answered the exercise of Ada"]


def test_json_of_a_class() -> None:
    data = json.loads(json.dumps(report.class_as_json(grades(), [])))
    assert data["schema"] == "zermelo-grade/2"
    assert (data["answers"], data["not_graded"]) == (3, 1)
    first, second, third = data["grades"]
    assert (first["marks"], first["max_marks"], first["student"]) == (20, 20, "Ada")
    assert second["diagnoses"][0]["id"] == "players-swapped"
    assert third["problem"].startswith("answer to exercise 'lost'")
    assert data["mistakes"] == {"players-swapped": 1}
    assert sum(part["marks"] for part in second["parts"]) == pytest.approx(second["marks"], abs=0.03)


def test_every_answer_has_a_summary() -> None:
    first, second, third = grades()
    assert report.grade_summary(first) == "all right"
    assert report.grade_summary(second) == "MAX and MIN swapped"
    assert report.grade_summary(third) == third.problem
    spec = PvsSpec(marks=PvsExercise.DEFAULT_MARKS)
    exercise = generate_exercises(spec, 1).exercises[0]
    grade = grader_of(exercise)
    assert report.grade_summary(grade({})) == "not answered"
    answer = exercise.correct_answer()
    answer["nodes"] += 1
    answer["searched_again"] = [*answer["searched_again"], "A"]
    count = len(answer["searched_again"]) - 1
    assert report.grade_summary(grade(answer)) == (
        f"searched again: {count} of {count} right, 1 too many; nodes: 0 of 1 right"
    )


def test_solutions_are_hidden_on_request() -> None:
    open_, closed = (json.dumps(report.grade_as_json(grades()[1], solution=answer)) for answer in (True, False))
    assert "correct: " in open_
    assert "correct: " not in closed


def test_csv_of_a_class_quotes_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(report.grades_csv(grades(), [CLASS[0]]))))
    assert [row["student"] for row in rows] == ["Ada", "Kurt", "'=HYPERLINK(1)", "Ada"]
    assert [row["marks"] for row in rows][::2] == ["20", "0"]
    assert rows[0]["values"] == "5"
    assert rows[1]["mistakes"] == "players-swapped"
    assert rows[3]["problem"] == "no answer"


def test_gradescope_results_follow_the_specification() -> None:
    known = {
        "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
        "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    for_tests = {
        "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
        "visibility", "extra_data",
    }  # fmt: skip
    for grade in grades():
        data = json.loads(json.dumps(report.grade_as_gradescope(grade, visibility="after_due_date")))
        assert data.keys() <= known
        assert data["visibility"] == "after_due_date"
        assert data["stdout_visibility"] in VISIBILITIES
        for test in data["tests"]:
            assert test.keys() <= for_tests
            assert 0 <= test["score"] <= test["max_score"]
            assert test["status"] in ("passed", "failed")
            assert test["output_format"] in ("text", "html", "simple_format", "md", "ansi")
        if data["tests"]:
            assert sum(test["score"] for test in data["tests"]) == pytest.approx(data["score"], abs=0.03)
        else:
            assert (data["score"], data["output"][:10]) == (0, "Not graded")


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


def test_sheet_is_blank_and_solution_is_filled_in() -> None:
    blank, solved = build_sheet(CLASS[0]), build_sheet(CLASS[0], solution=True)
    right = correct_answer(CLASS[0])
    assert all(row[2:] == ["", "", ""] for row in blank.rows)
    assert all(answer == "" for _, answer in blank.lines)
    filled = [row for row in solved.rows if row[2]]
    assert len(filled) == len(right.values or ())
    assert all(answer for _, answer in solved.lines)
    assert blank.statement == CLASS[0].statement
    assert len(blank.questions) == 5


def test_html_sheets_are_complete_escaped_and_self_contained() -> None:
    awkward = replace(CLASS[0], title="<b>&", student="<script>alert(1)</script>")
    page = render_sheets([awkward, CLASS[1]], "html")
    assert isinstance(page, str)
    parser = Texts()
    parser.feed(page)
    assert not parser.open
    text = " ".join(parser.texts)
    for line in awkward.statement:
        assert line in text
    assert CLASS[0].id in text
    assert CLASS[1].id in text
    assert page.count("<script") == 2  # the data and the script of the page
    assert "<script" not in str(render_sheets([awkward], "html", solution=True))
    assert not re.search(r"(src|href)=.?http", page)
    assert page.count("<main") == 2
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "ids must be unique on the page"


def test_blank_sheet_does_not_reveal_the_solution() -> None:
    given = CLASS[0]
    for form in ("html", "tex"):
        blank, solved = str(render_sheets([given], form)), str(render_sheets([given], form, solution=True))
        (_, cuts), (_, order), (_, best) = build_sheet(given, solution=True).lines
        assert order in solved
        assert order not in blank
        assert cuts in solved
        assert cuts not in blank
        assert not re.search(r'crossed"|zermelo cross/', blank)
        assert f"Best move: {best}" not in blank
        assert blank != solved


@needs_tikz
def test_latex_sheets_compile(tmp_path: Path) -> None:
    awkward = replace(CLASS[0], title="50% of $x_1 & #2 {~^\\", student="O'Brien \\input{/etc/passwd}")
    (tmp_path / "s.tex").write_text(str(render_sheets([awkward], "tex", solution=True)))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "s.tex"],
        cwd=tmp_path, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:].decode("latin-1")


@pytest.mark.long
def test_pdf_sheets() -> None:
    pytest.importorskip("matplotlib")
    page = render_sheets(CLASS[:2], "pdf")
    assert isinstance(page, bytes)
    assert page.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", page)) == 2
    assert page == render_sheets(CLASS[:2], "pdf"), "PDF output must be reproducible"


@pytest.mark.nightly
def test_large_pdf_sheets() -> None:
    pytest.importorskip("matplotlib")
    large = generate_exercises(replace(SPEC, branching=(3, 3), depth=(4, 4)), 1).exercises
    assert len(re.findall(rb"/Type /Page\b", render_sheets(large, "pdf", solution=True))) > 1


def test_sheets_of_all_kinds_of_exercises() -> None:
    kinds: list[Exercise] = []
    for words, more in (
        ("minimax", {"chance": 0.3}),
        ("negamax own", {}),
        ("interval strict", {"root": "min"}),
        ("path", {"depth": (4, 4), "search_depth": 3}),
    ):
        convention = Convention.of(words)
        parts = [part for part in PARTS if convention.prunes or part not in ("windows", "cuts")]
        kinds += generate_exercises(ExerciseSpec(convention, allocate_marks(parts, {}), **more), 3).exercises  # type: ignore[arg-type]
    for solution in (False, True):
        page = str(render_sheets(kinds, "html", solution=solution))
        assert page.count("<main") == len(kinds)
        assert "evaluation" in page
    assert "mean of the children" in str(render_sheets(kinds, "tex"))


def test_format_is_chosen_by_extension() -> None:
    assert [sheet_format(name) for name in ("a.html", "a.PDF", "b/c.tex")] == ["html", "pdf", "tex"]
    with pytest.raises(InputError, match="unknown sheet format"):
        sheet_format("a.docx")
