"""Answers from outside: what is no answer is told in one line, what is no entry costs that entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exercising import CONVENTIONS, exercise

from zermelo.errors import TreeError
from zermelo.teaching.exercises.answers import as_data, correct_answer, load, parse_answer, student_name, template
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import ClassGrader, Grader
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.trace import Trace

GIVEN = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
HEAD = {"schema": "zermelo-answer/1", "exercise": GIVEN.id, "student": "Ada"}


@pytest.mark.parametrize("seed", range(48))
def test_the_right_answer_is_what_the_trace_tells(seed: int) -> None:
    words = CONVENTIONS[seed % len(CONVENTIONS)]
    given = exercise(seed, words, branching=(1, 3), depth=(1, 4), plies=[None, 2][seed % 2])
    told = as_data(given, correct_answer(given))
    trace = Trace(given.tree, given.convention, depth=given.depth).as_json()
    assert {id: value for id, value in told["values"].items() if value is not None} == trace["returned"]
    assert told["order"] == trace["visit_order"]
    assert told["best"] == trace["best"]
    if given.convention.prunes:
        assert sorted(told["cuts"]) == sorted(trace["pruned_subtrees"])
    if given.convention.prunes and given.convention.show == "inherited":
        for kind in ("entry", "exit"):
            written = {id: both[kind] for id, both in told["windows"].items() if both[kind] is not None}
            assert written == trace[f"{kind}_window"]


def test_the_form_names_every_inner_node_and_says_nothing() -> None:
    form = template(GIVEN)
    assert form["values"] == dict.fromkeys("ABCD")
    assert (form["cuts"], form["order"], form["best"]) == (None, None, None)
    assert Grader(GIVEN).grade(parse_answer(GIVEN, form)).marks == 0


@pytest.mark.parametrize(
    "held",
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
def test_files_that_are_no_answers(held: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(held)
    with pytest.raises(TreeError) as error:
        load(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_folders_and_missing_files_are_no_answers(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "a\0b"):
        with pytest.raises(TreeError):
            load(path)


@pytest.mark.parametrize(
    ("told", "says"),
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
def test_parts_of_another_shape_lose_the_answer(told: dict[str, Any], says: str) -> None:
    with pytest.raises(TreeError, match=f"^{says}: "):
        parse_answer(GIVEN, HEAD | told)
    grade = ClassGrader([GIVEN]).grade(HEAD | told, "a.json")
    assert grade.problem.startswith(says)
    assert (grade.marks, grade.max_marks, grade.student) == (0, 20, "Ada")


@pytest.mark.parametrize(
    ("told", "remark"),
    [
        ({"values": {"Z": 3}}, "values: the tree has no node 'Z'"),
        ({"values": {"A": "three"}}, "values, A: 'three' is no number"),
        ({"values": {"A": True}}, "values, A: True is no number"),
        ({"values": {"A": [3]}}, "no number"),
        ({"values": {"A": 1e400}}, "no number"),
        ({"values": {"A": 10**30}}, "10^12"),
        ({"windows": {"A": {"entry": [1]}}}, "windows, A, entry: two numbers"),
        ({"windows": {"A": {"entry": [1, 2, 3]}}}, "two numbers"),
        ({"windows": {"A": {"entry": [None, 2]}}}, "no number"),
        ({"windows": {"A": {"middle": [1, 2]}}}, "'middle' is not asked"),
        ({"windows": {"A": [1, 2]}}, "a mapping with entry and exit"),
        ({"cuts": ["Z", 3, None]}, "cuts: the tree has no node 'Z'"),
        ({"cuts": ["A"]}, "no arc leads to the root"),
        ({"order": ["A", "Z"]}, "order: the tree has no node 'Z'"),
        ({"best": "b1"}, "best: 'b1' is no child of the root"),
        ({"colour": "red"}, "'colour' has no meaning"),
    ],
)
def test_entries_that_cannot_be_read_are_left_out_and_told(told: dict[str, Any], remark: str) -> None:
    answer = parse_answer(GIVEN, HEAD | told)
    assert any(remark in each for each in answer.remarks), answer.remarks
    whole = as_data(GIVEN, correct_answer(GIVEN)) | HEAD
    kept = {part: {**whole[part], **said} if isinstance(said, dict) else whole.get(part) for part, said in told.items()}
    assert Grader(GIVEN).grade(parse_answer(GIVEN, whole | kept)).marks >= 15


def test_many_bad_entries_are_told_in_few_lines() -> None:
    answer = parse_answer(GIVEN, HEAD | {"order": [f"n{number}" for number in range(5_000)]})
    assert len(answer.remarks) < 30


def test_ways_to_write_numbers_and_nothing() -> None:
    told = {
        "values": {"A": "3", "B": 3.0, "C": "-", "D": None},
        "windows": {"A": {"entry": ["−∞", "+inf"], "exit": None}},
    }
    answer = parse_answer(GIVEN, HEAD | told)
    assert answer.values == {0: 3, 1: 3}
    assert answer.windows is not None
    assert answer.windows[0, "entry"] == (float("-inf"), float("inf"))
    assert not answer.remarks


def test_names_are_shown_only_if_they_can_be() -> None:
    assert [student_name({"student": said}) for said in ("Ada", 17, "a\nb", "x" * 999, ["Ada"], None, "\x1b[31m")] == [
        "Ada", "17", "", "", "", "", "",
    ]  # fmt: skip


def test_moves_may_be_named_for_the_best() -> None:
    tree = read({"id": "s", "children": [{"id": "x", "move": "a3", "value": 1}, {"id": "y", "move": "b4", "value": 2}]})
    given = Exercise(tree, Convention(), {"best": 2})
    assert Grader(given).grade(parse_answer(given, {"best": "b4"})).marks == 2


def test_an_answer_to_somebody_elses_exercise_is_noted() -> None:
    from dataclasses import replace

    given = replace(GIVEN, student="Kurt")
    assert (
        "Ada answers the exercise of Kurt"
        in ClassGrader([given]).grade(as_data(GIVEN, correct_answer(GIVEN)) | HEAD).notes
    )
    grade = ClassGrader([GIVEN]).grade(HEAD | {"exercise": "x" * 5000})
    assert grade.problem.startswith("exercise 'xxx")
    assert len(json.dumps(grade.problem)) < 200
