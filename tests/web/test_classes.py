"""Classes: the archive of a set, and the files of a class graded one by one."""

import base64
import io
import json
import zipfile

import pytest

from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.files import exercises_as_json, parse_exercises
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.kinds.difficulty import EASY
from zermelo.web.classes import MAX_FILES
from zermelo.web.practice import spec_of

STUDENTS = ["Ada", "<img src=x onerror=alert(1)>", '=HYPERLINK("x")']


@pytest.fixture(scope="module")
def exercises():
    return generate_exercises(spec_of("tree-search", EASY, ""), 5, students=STUDENTS).exercises


def content(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def opened(client, exercises):
    text = json.dumps(exercises_as_json(exercises))
    return client.post("/api/classes", json={"exercises": text}).json()


def test_a_set_is_an_archive_that_grades(client):
    asked = {"kind": "tree-search", "difficulty": "easy", "seed": 4, "students": "Ada\nAlan", "title": "Week 3"}
    made = client.post("/api/class-sets", json=asked).json()
    assert (made["exercises"], made["name"]) == (2, "tree-search-easy-4.zip")
    assert made["spread"][0]["measure"] == "nodes"
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(made["archive"]))) as archive:
        assert archive.namelist() == ["exercises.json", "sheets/001-Ada.html", "sheets/002-Alan.html", "solutions.html"]
        exercises = parse_exercises(archive.read("exercises.json"))
    assert [exercise.student for exercise in exercises] == ["Ada", "Alan"]
    assert opened(client, exercises)["title"] == "Week 3"


def test_files_are_graded_and_a_bad_one_costs_only_itself(client, exercises, zermelo, tmp_path):
    right = [json.dumps(answer_as_json(each, correct_answer(each))) for each in exercises]
    files = {
        "ada.json": right[0],
        "evil.json": right[1],
        "broken.json": b"\xff{",
        "odd.exe": "",
        "x/../y.txt": "values: 3",
    }
    (tmp_path / "class").mkdir()
    made = opened(client, exercises)
    assert (made["exercises"], made["absent"], made["rows"]) == (3, STUDENTS, [])
    path = f"/api/classes/{made['id']}"
    rows = client.post(
        f"{path}/answers", json={"files": [{"name": n, "content": content(t)} for n, t in files.items()]}
    )
    assert rows.status_code == 200, rows.text
    rows = rows.json()
    assert [row["file"] for row in rows] == list(files)
    assert [row["marks"] == row["max_marks"] for row in rows] == [True, True, False, False, False]
    assert [bool(row["problem"]) for row in rows] == [False, False, True, True, True]
    assert [row["summary"] for row in rows] == ["all right", "all right", *(row["problem"] for row in rows[2:])]
    assert rows[1]["student"] == STUDENTS[1]

    table = client.get(path).json()
    assert (table["rows"], table["absent"], table["files"]) == (rows, STUDENTS[2:], 5)
    assert client.get(f"{path}/grades/0").json()["marks"] == rows[0]["marks"]
    assert client.get(f"{path}/grades/9").status_code == 404

    (tmp_path / "e.json").write_text(json.dumps(exercises_as_json(exercises)))
    for name in ("ada.json", "evil.json"):
        (tmp_path / "class" / name).write_text(files[name])
    paths = [str(tmp_path / name) for name in ("e.json", "class", "grades.csv")]
    done = zermelo("exercise", "grade", *paths[:2], "--csv", paths[2])
    assert done.code == 0, done.err
    expected = (tmp_path / "grades.csv").read_text("utf-8-sig").splitlines()
    found = client.get(f"{path}/csv").json()["text"].splitlines()
    assert found[0].lstrip("\ufeff") == expected[0]
    assert found[1].split(",")[4] == expected[1].split(",")[4]
    assert "'=HYPERLINK" in found[-1]


def test_a_class_is_refused_with_the_field(client, exercises):
    refused = client.post("/api/classes", json={"exercises": '{"schema": "zermelo-exercise/1", "kind": "evaluation"}'})
    assert (refused.status_code, refused.json()["field"]) == (400, "exercises")
    assert client.get("/api/classes/none").status_code == 404
    made = opened(client, exercises)
    many = {"files": [{"name": "a.json", "content": ""}] * (MAX_FILES + 1)}
    refused = client.post(f"/api/classes/{made['id']}/answers", json=many)
    assert (refused.status_code, refused.json()["field"]) == (400, "files")
    for students, told in (("Ada\nada", "duplicate name"), ("\n".join(map(str, range(400))), "at most 300 students")):
        refused = client.post("/api/class-sets", json={"students": students})
        assert (refused.status_code, refused.json()["field"]) == (400, "students")
        assert told in refused.json()["error"]


def test_the_file_of_exercises_cannot_name_a_program(client, tmp_path):
    """A game of a file is refused: the file is not run."""
    program = tmp_path / "game.py"
    program.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    text = json.dumps({
        "schema": "zermelo-exercise/1", "kind": "evaluation", "marks": {"max": 1}, "game": str(program), "position": "",
    })  # fmt: skip
    refused = client.post("/api/classes", json={"exercises": text})
    assert refused.status_code == 400
    assert "unknown game" in refused.json()["error"]
    assert not (tmp_path / "ran").exists()
