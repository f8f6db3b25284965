"""Answers from outside: what is no answer is data in one line, what is no entry costs that entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exercising import CONVENTIONS, exercise

from zermelo.errors import FileError, TreeError
from zermelo.teaching.exercises.answers import (
    answer_as_json,
    answer_template,
    correct_answer,
    load_answer,
    parse_answer,
    student_name,
)
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import ClassGrader, Grader
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.trace import Trace

pytestmark = pytest.mark.quick

GIVEN = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
HEADER = {"schema": "zermelo-answer/1", "exercise": GIVEN.id, "student": "Ada"}


@pytest.mark.parametrize("seed", range(48))
def test_correct_answer_agrees_with_the_trace(seed: int) -> None:
    words = CONVENTIONS[seed % len(CONVENTIONS)]
    given = exercise(seed, words, branching=(1, 3), depth=(1, 4), plies=[None, 2][seed % 2])
    data = answer_as_json(given, correct_answer(given))
    trace = Trace(given.tree, given.convention, depth=given.depth).as_json()
    assert {id: value for id, value in data["values"].items() if value is not None} == trace["returned"]
    assert data["order"] == trace["visit_order"]
    assert data["best"] == trace["best"]
    if given.convention.prunes:
        assert sorted(data["cuts"]) == sorted(trace["pruned_subtrees"])
    if given.convention.prunes and given.convention.show == "inherited":
        for kind in ("entry", "exit"):
            written = {id: both[kind] for id, both in data["windows"].items() if both[kind] is not None}
            assert written == trace[f"{kind}_window"]


def test_template_lists_every_inner_node_without_values() -> None:
    form = answer_template(GIVEN)
    assert form["values"] == dict.fromkeys("ABCD")
    assert (form["cuts"], form["order"], form["best"]) == (None, None, None)
    assert Grader(GIVEN).grade(parse_answer(GIVEN, form)).marks == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"[" * 60_000,
        b'{"schema": ' * 20_000,
        b" " * 70_000,
        b'{"schema": "zermelo-answer/1"}',
        b'{"schema": "zermelo-answer/1", "exercise": 7}',
        b'{"schema": "zermelo-answer/2", "exercise": "x"}',
        b'{"schema": "zermelo-answer/1", "exercise": "x", "values": {"A": 1, "A": 2}}',
        b'{"schema": "zermelo-answer/1", "exercise": "x", "values": {"A": ' + b"9" * 50_000 + b"}}",
        b'{"schema": "zermelo-answer/1", "exercise": "x", "values": {"A": {"B": {"C": {"D": {"E": {"F": 1}}}}}}}',
    ],
)
def test_invalid_answer_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(content)
    with pytest.raises(TreeError) as error:
        load_answer(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "a\0b"):
        with pytest.raises((FileError, TreeError)):
            load_answer(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"values": [1, 2]}, "values"),
        ({"values": 7}, "values"),
        ({"windows": "A"}, "windows"),
        ({"cuts": {"c2": True}}, "cuts"),
        ({"cuts": "c2 c3"}, "cuts"),
        ({"order": "A B"}, "order"),
        ({"best": ["B"]}, "best"),
    ],
)
def test_part_of_wrong_type_refuses_the_answer(data: dict[str, Any], message: str) -> None:
    with pytest.raises(TreeError, match=f"^{message} must "):
        parse_answer(GIVEN, HEADER | data)
    grade = ClassGrader([GIVEN]).grade(HEADER | data, "a.json")
    assert grade.problem.startswith(message)
    assert (grade.marks, grade.max_marks, grade.student) == (0, 20, "Ada")


@pytest.mark.parametrize(
    ("data", "remark"),
    [
        ({"values": {"Z": 3}}, "values: unknown node 'Z'"),
        ({"values": {"A": "three"}}, "values, A: 'three' is not a number"),
        ({"values": {"A": True}}, "values, A: True is not a number"),
        ({"values": {"A": [3]}}, "not a number"),
        ({"values": {"A": 1e400}}, "not a number"),
        ({"values": {"A": 10**30}}, "10^12"),
        ({"windows": {"A": {"entry": [1]}}}, "windows, A, entry: expected two numbers"),
        ({"windows": {"A": {"entry": [1, 2, 3]}}}, "two numbers"),
        ({"windows": {"A": {"entry": [None, 2]}}}, "not a number"),
        ({"windows": {"A": {"middle": [1, 2]}}}, "unknown key 'middle'"),
        ({"windows": {"A": [1, 2]}}, "expected an object with entry and exit"),
        ({"cuts": ["Z", 3, None]}, "cuts: unknown node 'Z'"),
        ({"cuts": ["A"]}, "the root has no incoming arc"),
        ({"order": ["A", "Z"]}, "order: unknown node 'Z'"),
        ({"best": "b1"}, "best: 'b1' is not a child of the root"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ],
)
def test_unreadable_entries_are_left_out_with_a_remark(data: dict[str, Any], remark: str) -> None:
    answer = parse_answer(GIVEN, HEADER | data)
    assert any(remark in each for each in answer.remarks), answer.remarks
    whole = answer_as_json(GIVEN, correct_answer(GIVEN)) | HEADER
    changes = {
        part: {**whole[part], **entry} if isinstance(entry, dict) else whole.get(part) for part, entry in data.items()
    }
    assert Grader(GIVEN).grade(parse_answer(GIVEN, whole | changes)).marks >= 15


def test_number_of_remarks_is_limited() -> None:
    answer = parse_answer(GIVEN, HEADER | {"order": [f"n{number}" for number in range(5_000)]})
    assert len(answer.remarks) < 30


def test_notations_of_numbers_and_blanks() -> None:
    data = {
        "values": {"A": "3", "B": 3.0, "C": "-", "D": None},
        "windows": {"A": {"entry": ["−∞", "+inf"], "exit": None}},
    }
    answer = parse_answer(GIVEN, HEADER | data)
    assert answer.values == {0: 3, 1: 3}
    assert answer.windows is not None
    assert answer.windows[0, "entry"] == (float("-inf"), float("inf"))
    assert not answer.remarks


def test_unprintable_and_long_names_are_dropped() -> None:
    names = ("Ada", 17, "a\nb", "x" * 999, ["Ada"], None, "\x1b[31m")
    assert [student_name({"student": name}) for name in names] == ["Ada", "17", "", "", "", "", ""]


def test_best_move_may_be_given_by_its_move_name() -> None:
    tree = read({"id": "s", "children": [{"id": "x", "move": "a3", "value": 1}, {"id": "y", "move": "b4", "value": 2}]})
    given = Exercise(tree, Convention(), {"best": 2})
    assert Grader(given).grade(parse_answer(given, {"best": "b4"})).marks == 2


def test_answer_to_another_students_exercise_is_noted() -> None:
    from dataclasses import replace

    given = replace(GIVEN, student="Kurt")
    assert (
        "Ada answered the exercise of Kurt"
        in ClassGrader([given]).grade(answer_as_json(GIVEN, correct_answer(GIVEN)) | HEADER).notes
    )
    grade = ClassGrader([GIVEN]).grade(HEADER | {"exercise": "x" * 5000})
    assert grade.problem.startswith("answer to exercise 'xxx")
    assert len(json.dumps(grade.problem)) < 200
