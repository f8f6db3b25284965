"""Marks of tests/cases/grading_cases.json, which every other implementation of the rubric must give as well.

After a change of the rubric, `python tests/teaching/exercises/test_grading_cases.py` writes the file again; its
difference shows which marks change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from exercising import CONVENTIONS, exercise

from zermelo.teaching.exercises.answers import Answer, answer_as_json, correct_answer, parse_answer
from zermelo.teaching.exercises.entries import entries_of
from zermelo.teaching.exercises.exercise import PARTS, Exercise
from zermelo.teaching.exercises.grading import Grader
from zermelo.teaching.exercises.simulation import MODELS, answer_of, exercises
from zermelo.teaching.exercises.wrong_solvers import wrong_answers

pytestmark = pytest.mark.quick

CASES = Path(__file__).parents[2] / "cases" / "grading_cases.json"


def expected(given: Exercise, data: dict[str, Any]) -> dict[str, Any]:
    """What the grader gives for an answer; marks are fractions as text."""
    grader, answer = Grader(given), parse_answer(given, data)
    grade, marks = grader.grade(answer, diagnose=False), grader.rubric.mark(entries_of(given.searched_tree, answer))
    slip = marks.search.slip
    return {
        "marks": {part.part: str(Fraction(part.marks)) for part in grade.parts},
        "total": str(Fraction(grade.marks)),
        "not_shown": [part for part in PARTS if part in marks.not_shown],
        "limited": marks.is_limited,
        "slip": slip and {"id": slip.mistake.id, "node": given.searched_tree.nodes[slip.node].id},
        "remarks": {
            part.part: dict(sorted(Counter(remark.kind for remark in part.remarks).items())) for part in grade.parts
        },
    }


def answers(given: Exercise, number: int) -> Iterator[tuple[str, Answer]]:
    """Answers of every kind to one exercise; the number selects among them."""
    right, rng = correct_answer(given), Random(number)
    yield "correct", right
    for model in MODELS[1 + number % 5 :: 5]:
        yield model.name, answer_of(model, given, number)
    for mistake, answer in wrong_answers(given)[number % 6 :: 6]:
        yield mistake.id, answer
    values = dict(right.values or {})
    for index in rng.sample(sorted(values), min(2, len(values))):
        values[index] += rng.randint(1, 9)
    yield "two wrong values", replace(right, values=values)
    yield "values missing", replace(right, values=None)
    yield "nothing crossed out", replace(right, cuts=None if right.cuts is None else frozenset())


def make_cases() -> list[dict[str, Any]]:
    """A few exercises under every convention, with several answers each."""
    given = exercises(3) + [
        exercise(seed, words, chance=0.3 if seed % 5 == 4 else 0, depth=(3, 4) if seed % 4 == 3 else (3, 3))
        for seed, words in enumerate(CONVENTIONS)
    ]
    cases = []
    for number, each in enumerate(given):
        made = []
        for name, answer in answers(each, number):
            if -1 in (answer.order or ()):
                continue
            made.append({"name": name, "answer": answer_as_json(each, answer)})
        for case in made:
            case["expected"] = expected(each, case["answer"])
        cases.append({"exercise": each.as_json_with_text(), "answers": made})
    return cases


def test_marks_of_some_cases() -> None:
    check_cases(12)


@pytest.mark.long
def test_marks_of_all_cases() -> None:
    check_cases(1)


def check_cases(step: int) -> None:
    cases = json.loads(CASES.read_text())
    assert sum(len(case["answers"]) for case in cases) >= 150
    for number, case in enumerate(cases):
        given = Exercise.from_json(case["exercise"])
        for each in case["answers"][number % step :: step]:
            assert expected(given, each["answer"]) == each["expected"], (given.id, each["name"])


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in make_cases())
    CASES.write_text(f"[\n{lines}\n]\n")
