"""The grader in JavaScript gives the marks of the grader in Python, on the cases of tests/cases/grading_cases.json."""

import json
from pathlib import Path

import pytest
from browsers import chromium, watched_pages

from zermelo.teaching.exercises.exercise import Exercise
from zermelo.teaching.exercises.sheet_html import exercise_data
from zermelo.teaching.pages.bundle import bundle

pytestmark = pytest.mark.long

CASES = Path(__file__).parents[2] / "cases" / "grading_cases.json"

GRADES = """(cases) => cases.flatMap(({exercise, answers}) => {
    const grader = new lib.Grader(lib.readExercise(exercise));
    const text = ({n, d}) => d === 1n ? `${n}` : `${n}/${d}`;
    return answers.map((data) => {
        const {parts, total, notShown, isLimited, slip} = grader.grade(data);
        return {
            marks: Object.fromEntries(Object.entries(parts).map(([part, marks]) => [part, text(marks)])),
            total: text(total), not_shown: notShown.sort(), limited: isLimited,
            slip: slip && grader.tree.nodes[slip.node].id,
        };
    });
})"""


def test_marks_are_those_of_python(tmp_path):
    path = tmp_path / "grader.html"
    script = bundle("grader") + "\nwindow.lib = {Grader, readExercise};"
    path.write_text(f"<!DOCTYPE html><title>grader</title><script type=module>{script}</script>", "utf-8")
    cases = json.loads(CASES.read_text("utf-8"))
    given = [
        {
            "exercise": exercise_data(Exercise.from_json(case["exercise"])),
            "answers": [each["answer"] for each in case["answers"]],
        }
        for case in cases
    ]
    with chromium() as browser, watched_pages(browser) as open_page:
        found = open_page(path).evaluate(GRADES, given)
    every = [(case["exercise"]["id"], answer) for case in cases for answer in case["answers"]]
    assert len(found) == len(every)
    for (id, answer), grade in zip(every, found, strict=True):
        expected = {name: answer["expected"][name] for name in ("marks", "total", "not_shown", "limited", "slip")}
        expected["not_shown"] = sorted(expected["not_shown"])
        expected["slip"] = expected["slip"] and expected["slip"]["node"]
        assert grade == expected, (id, answer["name"])
