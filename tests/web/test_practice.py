"""Practice: exercises of every kind, checks without the solution, and marks equal to those of `zermelo exercise`."""

import json

import pytest

from zermelo.teaching.exercises.answers import answer_as_json, answer_template, correct_answer
from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.files import exercises_as_json
from zermelo.teaching.exercises.kinds import KINDS
from zermelo.web.practice import Drawn, drawn_exercise


def asked(kind, **more):
    return {"kind": kind, "difficulty": "easy", "seed": 3, **more}


def solved(exercise):
    if isinstance(exercise, Exercise):
        return json.loads(json.dumps(answer_as_json(exercise, correct_answer(exercise))))
    return exercise.correct_answer()


def test_the_kinds_are_those_of_the_command(client):
    found = client.get("/api/practice/kinds").json()
    assert [kind["name"] for kind in found["kinds"]] == list(KINDS)
    assert found["difficulties"] == ["easy", "medium", "hard"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_exercise_is_checked_without_and_handed_in_with_its_solution(client, kind):
    exercise = drawn_exercise(Drawn(**asked(kind)))
    right, blank = solved(exercise), answer_template(exercise)
    task = client.post("/api/practice/exercise", json=asked(kind)).json()
    assert task["id"] == exercise.id
    assert task["statement"] == exercise.statement
    assert (task["sheet"] is None) == bool(task["picture"]) == bool(task["fields"])

    checked = client.post("/api/practice/check", json=asked(kind, answer=blank)).json()
    assert [part["marks"] for part in checked["parts"]] == [0] * len(exercise.marks)
    for part in checked["parts"]:
        assert "correct" not in json.dumps(part["remarks"])
        names = right[part["part"]]
        if isinstance(names, list):
            assert not any(remark["node"] in names for remark in part["remarks"])
    for before in (task, checked):
        assert not {"solution", "answer", "rows"} & before.keys()

    handed_in = client.post("/api/practice/hand-in", json=asked(kind, answer=right)).json()
    assert handed_in["grade"]["marks"] == handed_in["grade"]["max_marks"] == exercise.total_marks
    assert handed_in["picture"].startswith("<svg")
    assert handed_in["rows"] or handed_in["lines"]


@pytest.mark.slow
def test_the_marks_and_the_diagnosis_are_those_of_the_command(client, zermelo, tmp_path):
    exercise = drawn_exercise(Drawn(**asked("tree-search")))
    answer = solved(exercise)
    answer["values"] |= dict.fromkeys(list(answer["values"])[1:3], 99)
    answer["cuts"] = []
    (tmp_path / "e.json").write_text(json.dumps(exercises_as_json([exercise])))
    (tmp_path / "a.json").write_text(json.dumps(answer))
    (expected,) = zermelo("exercise", "grade", str(tmp_path / "e.json"), str(tmp_path / "a.json"), "--json").json[
        "grades"
    ]
    found = client.post("/api/practice/hand-in", json=asked("tree-search", answer=answer)).json()["grade"]
    assert found["marks"] == expected["marks"] < expected["max_marks"]
    assert found["notes"] == expected["notes"]
    assert [each["sentence"] for each in found["diagnoses"]] == [each["sentence"] for each in expected["diagnoses"]]
    remarks = [[each["text"] for each in part["remarks"]] for part in expected["parts"]]
    assert [[each["text"] for each in part["remarks"]] for part in found["parts"]] == remarks


@pytest.mark.parametrize(
    ("request_", "field", "told"),
    [
        ({"kind": "chess"}, "kind", "unknown kind of exercise 'chess': expected tree-search"),
        ({"kind": "../../etc/passwd"}, "kind", "unknown kind of exercise"),
        ({"difficulty": "impossible"}, "difficulty", "difficulty"),
        ({"seed": -1}, "seed", "seed"),
        ({"seed": 2**53}, "seed", "seed"),
        ({"convention": "sideways"}, "convention", "sideways"),
        ({"kind": "pvs", "convention": "strict"}, "convention", "--convention does not apply to the kind pvs"),
        ({"convention": "pvs"}, "convention", "pvs"),
    ],
)
def test_a_wrong_field_is_named(client, request_, field, told):
    response = client.post("/api/practice/exercise", json=request_)
    assert response.status_code == 400
    assert response.json()["field"] == field
    assert told in response.json()["error"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", [{"values": [[[[]]]], "best": {}, "cuts": 3}, {"\x00": "<b>", "student": [1]}, {}])
def test_an_odd_answer_has_remarks_and_no_marks(client, kind, answer):
    response = client.post("/api/practice/hand-in", json=asked(kind, answer=answer))
    assert response.status_code == 200, response.text
    assert response.json()["grade"]["marks"] == 0
