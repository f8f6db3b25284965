"""Answers from outside: what is no answer is data in one line, what is no entry costs that entry."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from exercising import CONVENTIONS, exercise

from zermelo.errors import FileError, TreeError
from zermelo.teaching.exercises.answer_files import load_answer
from zermelo.teaching.exercises.answers import (
    answer_as_json,
    answer_template,
    correct_answer,
    parse_answer,
    part_name,
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
        b'{"A": 3, "B": 2}',
        b'{"schema": "zermelo-answer/2", "exercise": "x"}',
        b'{"schema": "zermelo-answer/1", "exercise": "x", "values": {"A": ' + b"9" * 50_000 + b"}}",
        b'{"schema": "zermelo-answer/1", "exercise": "x", "values": {"A": {"B": {"C": {"D": {"E": {"F": 1}}}}}}}',
    ],
)
def test_invalid_answer_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(content)
    with pytest.raises((TreeError, FileError)) as error:
        load_answer(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json", tmp_path / "a\0b"):
        with pytest.raises((FileError, TreeError)):
            load_answer(path)


@pytest.mark.parametrize(
    ("data", "remark"),
    [
        ({"values": {"Z": 3}}, "values: unknown node 'Z'"),
        ({"values": {"A": "three"}}, "values, A: 'three' is not a number"),
        ({"values": {"A": True}}, "values, A: True is not a number"),
        ({"values": {"A": [3, 4]}}, "values, A: a list is not a number"),
        ({"values": {"A": "1,000"}}, "values, A: '1,000' is ambiguous; write 1000 or 1.000"),
        ({"values": {"A": "=1+1"}}, "values, A: '=1+1' is not a number"),
        ({"values": {"A": float("nan")}}, "values, A: 'nan' is not a number"),
        ({"values": {"A": 3, "a": 4}}, "values, A: two different entries"),
        ({"values": "A=3 B=5 three"}, "values: unknown node 'three'"),
        ({"values": {"A": 1e400}}, "not a number"),
        ({"values": {"A": 10**30}}, "10^12"),
        ({"windows": {"A": {"entry": [1]}}}, "windows, A, entry: expected two numbers"),
        ({"windows": {"A": {"entry": [1, 2, 3]}}}, "two numbers"),
        ({"windows": {"A": {"entry": [None, 2]}}}, "not a number"),
        ({"windows": {"A": {"middle": [1, 2]}}}, "unknown key 'middle'"),
        ({"windows": {"A": [1, 2]}}, "expected an object with entry and exit"),
        ({"windows": {"A": "[1, 2]"}}, "expected an object with entry and exit"),
        ({"windows": {"A": {"entry": "[2,5,7]"}}}, "windows, A, entry: expected two numbers"),
        ({"cuts": ["Z", 3, None]}, "cuts: unknown node 'Z'"),
        ({"cuts": ["A"]}, "the root has no incoming arc"),
        ({"order": ["A", "Z"]}, "order: unknown node 'Z'"),
        ({"cuts": "B-c2"}, "cuts: unknown node 'B-c2'"),
        ({"best": 4}, "best: 4 is not a child of the root; the children are 'B, C, D'"),
        ({"best": "b1"}, "best: 'b1' is not a child of the root"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"marks": 20}, "unknown key 'marks'"),
        ({"best": "C", "best move": "B"}, "best: two different entries"),
        # A part of the wrong type is empty; the others count.
        ({"values": 7}, "values: expected values of nodes, A=3, found 7"),
        ({"windows": True}, "windows: expected windows of nodes, A: entry"),
        ({"cuts": {"c2": 3}}, "cuts: expected a list of nodes"),
        ({"order": 7.5}, "order: expected a list of nodes"),
        ({"best": ["B", "C"]}, "best: a list of 2 is not a child of the root"),
    ],
)
def test_unreadable_entries_are_left_out_with_a_remark(data: dict[str, Any], remark: str) -> None:
    answer = parse_answer(GIVEN, HEADER | data)
    assert any(remark in each for each in answer.remarks), answer.remarks
    whole = answer_as_json(GIVEN, correct_answer(GIVEN)) | HEADER
    both = [part for part in data if isinstance(data[part], dict) and isinstance(whole.get(part), dict)]
    parts = {part: {**whole[part], **data[part]} for part in both}
    kept = parse_answer(GIVEN, whole | data | parts)
    correct = correct_answer(GIVEN)
    assert all(getattr(kept, part) == getattr(correct, part) for part in PARTS if part not in data)


def test_number_of_remarks_is_limited() -> None:
    answer = parse_answer(GIVEN, HEADER | {"order": [f"n{number}" for number in range(5_000)]})
    assert len(answer.remarks) < 30


SPELLINGS = json.loads(Path(__file__).with_name("spellings.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: "-".join(spelling))
def test_every_spelling_of_the_right_answer_has_full_marks(spelling: dict[str, Any]) -> None:
    """Each spelling writes some parts of the answer in another way."""
    whole = answer_as_json(GIVEN, correct_answer(GIVEN)) | HEADER
    parts = set(map(part_name, spelling))
    answer = parse_answer(GIVEN, {key: entry for key, entry in whole.items() if key not in parts} | spelling)
    assert not answer.remarks
    assert Grader(GIVEN).grade(answer).marks == 20


@pytest.mark.parametrize(
    ("words", "right", "spellings"),
    [
        ("own", [3, 3, 2, 2], ["A=3 B=3, C: 2; D ≤ 2", {"A": 3, "B": [3], "C": "<=2", "D": {"bound": "2"}}]),
        (
            "interval",
            [(3, 3), (3, 3), (-inf, 2), (2, 2)],
            ["A=3 B=[3,3] C ≤ 2 D: 2", {"A": [3, 3], "B": 3, "C": "-oo..2", "D": "[2]"}],
        ),
        ("negamax own", [3, -3, -2, -2], ["A=3 B: −3, C ≥ -2; D=-2"]),
    ],
)  # fmt: skip
def test_spellings_of_one_window_for_a_node(words: str, right: list[Any], spellings: list[Any]) -> None:
    given = Exercise(GIVEN.tree, Convention.of(words), allocate_marks(["windows"], {}))
    for spelling in spellings:
        assert parse_answer(given, {"windows": spelling}).windows == correct_answer(given).windows, spelling
        assert not parse_answer(given, {"windows": spelling}).remarks
    assert len(right) == len(correct_answer(given).windows or ())


def respelt(answer: dict[str, Any], random: Random) -> dict[str, Any]:
    """An answer with each part as text, spelt at random."""

    def number(value: Any) -> str:
        text = str(value)
        if "inf" in text:
            return random.choice(["", "+"] if text[0] != "-" else ["-", "−", "- "]) + random.choice(["inf", "oo", "∞"])
        return random.choice([text, text.replace("-", "−"), text.replace(".", ","), f"{text} ", f"({text})"])

    def window(ends: Any) -> str:
        if not isinstance(ends, list):
            return number(ends)
        low, high = ("".join(number(end).split()).strip("()") for end in ends)
        return random.choice(["[{}; {}]", "({}; {})", "]{}; {}[", "[{} {}]"]).format(low, high)

    def name(id: str) -> str:
        return random.choice([id, id.upper(), id.lower(), f"'{id}'"])

    joint, between = random.choice(["=", ": ", " = "]), random.choice(["; ", "\n", " | "])
    text: dict[str, Any] = {}
    if "values" in answer:
        values = {id: value for id, value in answer["values"].items() if value is not None}
        text["values"] = between.join(f"{name(id)}{joint}{number(value)}" for id, value in values.items())
    if "windows" in answer:
        rows = []
        for id, kinds in answer["windows"].items():
            written = [f"{kind} {window(ends)}" for kind, ends in kinds.items() if ends is not None]
            rows.append(f"{name(id)}: {' '.join(written)}")
        text["windows"] = between.join(rows)
    for part in {"cuts", "order"} & answer.keys():
        text[part] = random.choice([" ", ", ", ";"]).join(map(name, answer[part])) or "none"
    return answer | text


@pytest.mark.parametrize("seed", range(32))
def test_right_answers_spelt_at_random(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], branching=(2, 3), depth=(2, 4))
    right = correct_answer(given)
    for number in range(5):
        written = respelt(answer_as_json(given, right), Random(100 * seed + number))
        answer = parse_answer(given, written)
        assert not answer.remarks, written
        assert [getattr(answer, part) for part in PARTS] == [getattr(right, part) for part in PARTS], written


def test_names_that_differ_only_by_case() -> None:
    given = Exercise(read("r[e[x=3, X=12], E[y=2, z=4]]"), Convention(), {"values": 5, "cuts": 5, "best": 2})
    answer = parse_answer(given, {"values": {"R": 3, "e": 3, "E": 2}, "cuts": "Z", "best": "e"})
    assert (answer.values, answer.cuts, answer.best, answer.remarks) == ({0: 3, 1: 3, 4: 2}, frozenset([6]), 1, [])
    tree = read({"id": "r", "children": [{"id": "ab", "value": 1}, {"id": "Ab", "value": 2}]})
    answer = parse_answer(Exercise(tree, Convention(), {"cuts": 5, "best": 2}), {"cuts": "AB", "best": "aB"})
    assert (answer.cuts, answer.best) == (frozenset(), None)
    assert answer.remarks == ["cuts: 'AB' is ambiguous: ab or Ab", "best: 'aB' is ambiguous: ab or Ab"]


def test_names_with_blanks_and_signs() -> None:
    tree = read({"id": "start", "children": [
        {"id": "7=4+3", "move": "7=4+3", "children": [{"id": "7=4+3 4=3+1", "value": 3}, {"id": "e4-e5", "value": 5}]},
        {"id": "b8/7", "move": "b8/7", "children": [{"id": "O-O, x", "value": 1}, {"id": "10", "value": 2}]},
    ]})  # fmt: skip
    given = Exercise(tree, Convention(), allocate_marks(PARTS, {}))
    right = correct_answer(given)
    answer = parse_answer(given, {
        "values": "start=3, 7=4+3: 3; b8/7 = 1",
        "cuts": "10",
        "order": "start, 7=4+3, 7=4+3 4=3+1, e4-e5, b8/7, O-O, x",
        "best": "7=4+3",
    })  # fmt: skip
    assert not answer.remarks
    assert (answer.values, answer.cuts, answer.order, answer.best) == (
        right.values,
        right.cuts,
        right.order,
        right.best,
    )
    assert parse_answer(given, {"cuts": "b8/7-10"}).cuts == right.cuts


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
