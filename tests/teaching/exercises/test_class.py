"""A class: its archive, the levels of difficulty, and checks that do not contain what is asked for."""

import io
import json
import zipfile

import pytest

from zermelo.errors import TreeError
from zermelo.teaching.exercises.answer_files import parse_submissions
from zermelo.teaching.exercises.answers import answer_as_json, answer_template, correct_answer
from zermelo.teaching.exercises.class_archive import class_archive
from zermelo.teaching.exercises.class_results import ClassResults
from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.files import parse_exercises
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.grading import grader_of
from zermelo.teaching.exercises.kinds import KINDS
from zermelo.teaching.exercises.kinds.difficulty import DIFFICULTIES, EASY, options_of_difficulty
from zermelo.teaching.exercises.report import grade_as_json


def generated(kind, difficulty=EASY, seed=1, **which):
    return generate_exercises(KINDS[kind].spec(options_of_difficulty(kind, difficulty)), seed, **which)


def solved(exercise):
    if isinstance(exercise, Exercise):
        return answer_as_json(exercise, correct_answer(exercise))
    return exercise.correct_answer()


def test_an_archive_holds_what_a_class_needs_and_grades_its_answers(tmp_path):
    made = generated("tree-search", students=["Ada", "../../Kurt <b>"])
    content = class_archive(made.exercises, made.spread)
    assert content == class_archive(made.exercises, made.spread)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert names == ["exercises.json", "sheets/001-Ada.html", "sheets/002-Kurt-b.html", "solutions.html"]
        assert "Kurt &lt;b&gt;" in archive.read(names[2]).decode()
        exercises = parse_exercises(archive.read("exercises.json"))
    results = ClassResults(exercises)
    for submission in parse_submissions(tmp_path / "a.json", json.dumps(solved(exercises[0])).encode(), exercises):
        assert results.add(submission).marks == exercises[0].total_marks
    assert [each.student for each in results.absent] == ["../../Kurt <b>"]
    with zipfile.ZipFile(io.BytesIO(class_archive(generated("pvs").exercises, format="tex"))) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {
            "exercises.json", "sheets", "forms", "solutions.tex",
        }  # fmt: skip


def test_a_large_file_and_a_second_answer_are_noted(tmp_path):
    (exercise,) = generated("tree-search").exercises
    results = ClassResults([exercise])
    content = json.dumps(solved(exercise) | {"student": "Ada"}).encode()
    for name, text in (("one.json", content), ("two.json", content), ("three.json", b" " * 100_000)):
        for submission in parse_submissions(tmp_path / name, text, [exercise]):
            results.add(submission)
    one, two, three = results.grades
    assert not one.notes
    assert two.notes[-1] == f"Ada has also handed in {one.source}"
    assert three.problem == "file too large: expected at most 65,536 bytes"


@pytest.mark.parametrize("kind", KINDS)
def test_each_level_is_larger_than_the_one_before(kind):
    exercises = [generated(kind, each).exercises[0] for each in DIFFICULTIES]
    if kind == "evaluation":
        assert [exercise.game for exercise in exercises] == ["tictactoe", "othello", "connect4"]
    else:
        easy, _, hard = (len(json.dumps(solved(exercise))) for exercise in exercises)
        assert easy < hard
    with pytest.raises(TreeError, match="difficulty must be one of easy, medium, hard"):
        options_of_difficulty(kind, "impossible")


@pytest.mark.parametrize("kind", KINDS)
def test_remarks_on_an_empty_answer_do_not_contain_the_solution(kind):
    """With no entry and with empty lists: no correct entry, and no name that the answer should contain."""
    (exercise,) = generated(kind).exercises
    right, blank = solved(exercise), answer_template(exercise)
    for answer in (blank, blank | {part: [] for part, entry in right.items() if isinstance(entry, list)}):
        for part in grade_as_json(grader_of(exercise)(answer), solution=False)["parts"]:
            assert "correct" not in json.dumps(part["remarks"])
            names = right[part["part"]]
            if isinstance(names, list) or (isinstance(names, dict) and not blank[part["part"]]):
                for remark in part["remarks"]:
                    assert remark["node"] not in names
                    assert remark["text"].split(":")[0] not in names
