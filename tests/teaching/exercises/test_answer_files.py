"""Answer files: every format gives the same answer, and a hostile file is refused in one line without harm."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from typing import Any

import pytest

from zermelo.errors import FileError, MissingDependency, TreeError
from zermelo.teaching.exercises.answer_files import SUFFIXES, answer_form, load_answer, load_submissions
from zermelo.teaching.exercises.answers import answer_as_json, correct_answer, parse_answer
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import ClassGrader
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention

pytestmark = pytest.mark.quick

GIVEN = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
RIGHT = answer_as_json(GIVEN, correct_answer(GIVEN)) | {"student": "Ada"}

TEXT = f"""\
# My answer
Exercise: {GIVEN.id.upper()}
Student: Ada
Values: A=3, B=3
  C=2, D=2
Windows:
  A: entry [-inf, +inf]  exit [3, +inf]
  B: entry [-inf, +inf]  exit [-inf, 3]
  C: entry [3, +inf]     exit [3, 2]
  D: entry [3, +inf]     exit [3, 2]
Cuts: C-c2, C-c3
Order: A B b1 b2 b3 C c1 D d1 d2 d3
Best move = B
"""
NOTES = """\
name Ada
values
A = 3; B 3
values C ≤ 2, D <= 2
WINDOWS
A entry -inf inf exit 3 inf
B entry (-inf, inf) exit (-inf, 3)
C 3 inf 3 2
D: 3, inf -> 3, 2
pruned arcs C-c2 and c3
visit order
1. A
2. B
3. b1, b2 & b3
6. C 7. c1 8. D
- d1
- d2
- d3
best move B
"""
YAML = f"""\
exercise: {GIVEN.id}
student: Ada   # comment
values: {{A: 3, B: 3, C: 2, D: ≤2}}
windows:
  A: {{entry: [-inf, .inf], exit: [3, +inf]}}
  B:
    entry: [-.inf, +inf]
    exit: "[-inf, 3]"
  C: entry [3, oo] exit [3, 2]
  D: {{entry: '3..inf', exit: (3; 2)}}
cuts:
- c2
- C-c3
order: A B b1 b2 b3 C c1 D d1 d2 d3
best: B
"""
TOML = f"""\
exercise = "{GIVEN.id}"
student = "Ada"
cuts = ["c2", "c3"]
order = "A-B-b1-b2-b3-C-c1-D-d1-d2-d3"
best = "b"
values = {{A = 3, B = 3.0, C = 2, D = "2"}}
[windows]
A = {{entry = [-inf, inf], exit = [3, inf]}}
B.entry = [-inf, +inf]
B.exit = "[-inf, 3]"
C = "[3, inf] [3, 2]"
D = [[3, inf], [3, 2]]
"""
BY_HAND = json.dumps(RIGHT, indent=1).replace("}", ",}").replace("]", ",]") + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(RIGHT)),
        ("trailing-commas.json", BY_HAND),
        ("a.txt", TEXT),
        ("notes.txt", NOTES),
        ("no-extension", TEXT),
        ("json-without-extension", json.dumps(RIGHT)),
        ("a.yaml", YAML),
        ("json.yml", json.dumps(RIGHT)),
        ("a.toml", TOML),
        ("bom.txt", "\ufeff" + TEXT.replace("\n", "\r\n")),
    ],
)
def test_formats(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode())
    if path.suffix in (".yaml", ".yml"):
        pytest.importorskip("yaml")
    (submission,) = load_submissions([path], [GIVEN])
    assert not submission.problem
    answer, right = parse_answer(GIVEN, submission.data), correct_answer(GIVEN)
    assert not answer.remarks
    assert [getattr(answer, part) for part in PARTS] == [getattr(right, part) for part in PARTS]
    grade = ClassGrader([GIVEN]).grade(submission.data, submission.source)
    assert (grade.marks, grade.student, grade.source) == (20, "Ada", str(path))


def columns(answer: dict[str, Any]) -> dict[str, str]:
    """An answer as a row of a CSV file."""
    row = {"student": answer["student"], "exercise": answer["exercise"]}
    row |= {f"values.{name}": str(value) for name, value in answer["values"].items()}
    row |= {
        f"windows.{name}.{kind}": f"[{ends[0]}; {ends[1]}]"
        for name, both in answer["windows"].items()
        for kind, ends in both.items()
    }
    return row | {"cuts": " ".join(answer["cuts"]), "order": "-".join(answer["order"]), "best": answer["best"]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_row_of_a_csv_file_for_each_student(delimiter: str, tmp_path: Path) -> None:
    rows = [columns(RIGHT), columns(RIGHT | {"student": "Kurt", "best": "C", "exercise": ""})]
    path = tmp_path / "class.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, [*rows[0], "remark"], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
        file.write("\n")
        writer.writerow({"student": "Emmy", "values.A": "=1+1", "order": "A B", "remark": "none of this counts"})
    found = list(load_submissions([path], [GIVEN]))
    assert [each.source for each in found] == [f"{path}, row {number}" for number in (2, 3, 4)]
    assert [each.name.stem for each in found] == ["class-Ada", "class-Kurt", "class-Emmy"]
    grades = [ClassGrader([GIVEN]).grade(each.data, each.source) for each in found]
    assert [grade.marks for grade in grades[:2]] == [20, 18]
    emmy = parse_answer(GIVEN, found[2].data)
    assert emmy.remarks == ["values, A: '=1+1' is not a number: expected a number such as 3, -2.5 or 1/6"]
    assert emmy.order == (0, 1)


def test_a_csv_row_may_hold_whole_parts_and_its_student_determines_the_exercise(tmp_path: Path) -> None:
    from dataclasses import replace

    other = Exercise(read("[[1,2],[3,4]]"), Convention(), allocate_marks(PARTS, {}), student="Kurt")
    both = [replace(GIVEN, student="Ada"), other]
    path = tmp_path / "class.CSV"
    path.write_text('name,value,"Best move"\nkurt,"A=3, B=1, C=3",C\nAda,"A=3, B=3, C=2, D=2",B\nX,A=1,B\n,A=1,B\n')
    kurt, ada, unknown, unnamed = load_submissions([path], both)
    assert [kurt.data["exercise"], ada.data["exercise"]] == [other.id, GIVEN.id]
    assert parse_answer(other, kurt.data).values == correct_answer(other).values
    assert parse_answer(GIVEN, ada.data).values == correct_answer(GIVEN).values
    assert unknown.problem == (
        "the set has no student 'X': correct the name, or write the id of the exercise, printed on the sheet"
    )
    missing = "exercise is missing: write the id of the exercise, printed on the sheet"
    assert unnamed.problem == missing
    twice = [*both, replace(other, student="Ada")]  # this name determines no exercise
    assert [each.problem for each in load_submissions([path], twice)][1] == missing
    variants = [replace(each, student="") for each in both]
    assert [each.problem for each in load_submissions([path], variants)] == [missing] * 4


@pytest.mark.parametrize("suffix", [".json", ".txt", ".csv"])
def test_empty_forms_are_answers_without_entries(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"form{suffix}"
    path.write_text(answer_form([GIVEN], suffix))
    (submission,) = load_submissions([path], [GIVEN])
    answer = parse_answer(GIVEN, submission.data)
    assert answer.is_empty
    assert not answer.remarks
    assert submission.data["exercise"] == GIVEN.id
    if suffix == ".txt":
        filled = path.read_text().replace("entry [ , ]", "entry [3, inf]").replace("cuts:", "cuts: c2")
        path.write_text(filled)
        answer = parse_answer(GIVEN, load_answer(path))
        assert answer.cuts == frozenset([7])
        assert len(answer.windows or ()) == 4


def test_forms_of_a_class() -> None:
    other = Exercise(read("[[1,[2,7]],[3,4]]"), Convention(), {"values": 5, "best": 2}, student="Kurt")
    rows = list(csv.reader(answer_form([GIVEN, other], ".csv").splitlines()))
    assert rows[0][:7] == ["student", "exercise", "values.A", "values.B", "values.C", "values.D", "windows.A.entry"]
    assert [row[:2] for row in rows[1:]] == [["", GIVEN.id], ["Kurt", other.id]]
    for suffix in (".json", ".txt"):
        with pytest.raises(TreeError, match="a form is for one exercise"):
            answer_form([GIVEN, other], suffix)
    with pytest.raises(TreeError, match=r"\.json, \.txt or \.csv"):
        answer_form([GIVEN], ".yaml")


# ---- hostile files ------------------------------------------------------------------------------------------------

ALIASES = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 8)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "deep.json": "[" * 60_000,
    "deep.yaml": "[" * 60_000,
    "deeper.yaml": "\n".join(" " * n + f"k{n}:" for n in range(300)),
    "dashes.yaml": "- " * 30_000,
    "quotes.yaml": "? " * 30_000,
    "aliases.yaml": ALIASES,
    "python.yaml": "values: !!python/object/apply:os.system ['true']\n",
    "tag.yaml": "values: !mine {A: 3}\n",
    "two.yaml": "best: B\n---\nbest: C\n",
    "key.yaml": "{[1, 2]: 3}\nbest: B",
    "escape.yaml": 'best: "\x1b[31m',
    "tab.yaml": "best:\n\t- B",
    "nul.yaml": "best: \0",
    "deep.toml": "a = " + "[" * 60_000,
    "key.toml": ".".join("a" * 30_000) + " = 1",
    "integer.toml": "best = 'B'\nvalues = {A = 0x" + "f" * 6_000 + "}\n",
    "twice.toml": "best = 'B'\nbest = 'C'\n",
    "escape.toml": "best = '\x1b[31m'",
    "empty.txt": "",
    "empty.yaml": "",
    "prose.txt": "I think that B is best\n" * 200,
    "binary.txt": "\0\1\2" * 1_000,
    "large.txt": "best: B\n" * 20_000,
    "list.yaml": "- best\n- B\n",
    "nan.json": "NaN",
    "other.json": '{"schema": "zermelo-answer/9", "best": "B"}',
    "exercise.json": '{"exercise": ["x"], "best": "B"}',
    "empty.csv": "",
    "names.csv": "student,mark\nAda,20\n",
    "quote.csv": 'student,best\n"Ada,B\n' + "x" * 200_000,
    "wide.csv": ",".join(["best"] * 5_000) + "\n" + "B," * 5_000,
    "many.csv": "best\n" + "B\n" * 6_000,
    "utf16.csv": "student,best\nAda,B\n\udcff",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(HOSTILE[name].encode("utf-8", "surrogateescape"))
    if path.suffix == ".yaml":
        pytest.importorskip("yaml")
    (submission,) = load_submissions([path], [GIVEN])
    assert submission.problem
    assert submission.data == {}
    assert submission.problem.isprintable()
    assert len(submission.problem) < 250


LONG = [
    "-", " ", "A-", "[", "[1,", "A=", "1", "1,", "≤", "\n- ", "ﷺ", "\u202e\x1b[31m", "A 3 ", "\\infty", "- 1 ", "1 .. ",
    ": ", "½", "e", "1e", "c2\n", "C-", "entry ", "(", "=",
]  # fmt: skip


def read_long(entry: str) -> None:
    data: dict[str, Any] = dict.fromkeys(PARTS, entry)
    answers = [parse_answer(GIVEN, data), parse_answer(GIVEN, {entry: entry, "student": entry})]
    for nested in ({"A": entry}, {entry: 3}, [entry], {"A": {"entry": entry, "exit": [entry, entry]}}):
        answers.append(parse_answer(GIVEN, dict.fromkeys(PARTS, nested)))
    for answer in answers:
        assert len(answer.remarks) < 30
        assert all(remark.isprintable() and len(remark) < 300 for remark in answer.remarks)


@pytest.mark.parametrize("piece", LONG)
def test_remarks_on_long_entries_are_short_and_printable(piece: str) -> None:
    read_long(piece * 100)


@pytest.mark.long
@pytest.mark.parametrize("piece", LONG)
def test_long_entries_are_read_in_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        began = time.process_time()
        read_long(piece * (length // len(piece)))
        return time.process_time() - began

    # The least of three: the garbage of earlier tests may be collected in one of them.
    assert min(seconds(24_000) for _ in range(3)) < 10 * max(seconds(6_000), 0.02)


def test_an_entry_written_twice_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(RIGHT).replace('"A": 3', '"A": 3, "A": 4, "A": 3').replace('"B": 3', '"B": 3, "B": 3'))
    answer = parse_answer(GIVEN, load_answer(path))
    assert answer.values == {1: 3, 5: 2, 9: 2}
    assert answer.remarks == ["values, A: two different entries; write one"]
    path = tmp_path / "a.yaml"
    pytest.importorskip("yaml")
    path.write_text(YAML.replace("A: 3", "A: 3, A: 4") + "best: C\n")
    answer = parse_answer(GIVEN, load_answer(path))
    assert answer.values == {1: 3, 5: 2, 9: 2}
    assert answer.remarks == ["best: two different entries; write one", "values, A: two different entries; write one"]


def test_yaml_without_pyyaml_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "a.yaml"
    path.write_text(YAML)
    with pytest.raises(MissingDependency, match=r"zermelo\[yaml\]"):
        load_answer(path)
    (submission,) = load_submissions([path], [GIVEN])
    assert submission.problem.startswith("YAML answers need PyYAML")


def test_links_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "right.json"
    target.write_text(json.dumps(RIGHT))
    for suffix in (*SUFFIXES, ".csv"):
        link = tmp_path / f"link{suffix}"
        link.symlink_to(target)
        (submission,) = load_submissions([link], [GIVEN])
        assert "link" in submission.problem
        if suffix != ".csv":
            with pytest.raises(FileError, match="link"):
                load_answer(link)
