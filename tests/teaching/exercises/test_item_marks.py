"""Marks of exercises of items: follow-through from one slip, the limit for a missing skill, hints."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.item_simulation import ONE_SLIP, RIGHT, answers_with_a_slip, item_table, simulate_items
from zermelo.teaching.exercises.kinds import KINDS, KindOptions, kind_of_name
from zermelo.teaching.exercises.kinds.items import SET, SINGLE, ItemExercise, ItemSpec

LIMIT = Fraction(3, 5)


@cache
def exercises(kind: str) -> list[Any]:
    return generate_exercises(kind_of_name(kind).spec(KindOptions()), 3, variants=3).exercises


ITEM_KINDS = [name for name in KINDS if isinstance(kind_of_name(name).spec(KindOptions()), ItemSpec)]


def as_answer(exercise: ItemExercise, written: Any) -> dict[str, Any]:
    """Entries as the content of an answer file."""
    answer: dict[str, Any] = {}
    for part in exercise.parts:
        entries = written[part.name]
        if part.shape == SET:
            answer[part.name] = list(entries)
        else:
            table = {key: part.entry.as_json(entry) for key, entry in entries.items()}
            answer[part.name] = table[""] if part.shape == SINGLE else table
    return json.loads(json.dumps(answer))


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_no_answer_without_a_skill_earns_more_than_60_percent(kind: str) -> None:
    shares = simulate_items(exercises(kind))
    assert set(shares[RIGHT]) == {1}
    without = {student: max(found) for student, found in shares.items() if student not in (RIGHT, ONE_SLIP)}
    assert without
    assert {student: most for student, most in without.items() if most > LIMIT} == {}
    for exercise in exercises(kind):
        for rival in exercise.rivals():
            written = {part: rival.entries.get(part, right) for part, right in exercise.correct_entries.items()}
            grade = exercise.grade(as_answer(exercise, written))
            assert grade.marks <= LIMIT * grade.max_marks
            assert sum(part.marks for part in grade.parts) == grade.marks
            if grade.marks == LIMIT * grade.max_marks and exercise.mark(written).limited_by:
                assert any(rival.skill in note and "at most 60 %" in note for note in grade.notes)


@pytest.mark.parametrize("kind", ["evaluation", "game-tree", "transpositions", "star1"])
def test_a_slip_costs_its_own_entry_and_never_less(kind: str) -> None:
    tried = credited = 0
    for exercise in exercises(kind):
        for part, key, written in answers_with_a_slip(exercise):
            tried += 1
            grade = exercise.grade(as_answer(exercise, written))
            graded = {each.part: each for each in grade.parts}
            own = graded[part]
            (remark,) = [each for each in own.remarks if each.node == key]
            assert (remark.kind, own.lost > 0) == ("wrong", True)
            assert grade.marks < grade.max_marks
            if grade.max_marks - grade.marks == Fraction(own.max_marks) / own.items:
                credited += 1
                assert sum(each.lost for each in grade.parts) == 1
                if any(each.follow_through for each in grade.parts):
                    assert any(note.startswith(f"follow-through from {key} (") for note in grade.notes)
    assert credited > 0.75 * tried > 0


def test_the_order_follows_from_the_best_move_before() -> None:
    spec = kind_of_name("iterative-deepening").spec(KindOptions(branching=(3, 3)))
    (exercise,) = generate_exercises(spec, 1).exercises
    answer = exercise.correct_answer()
    first, *others = answer["order"]["1"]
    wrong = next(child for child in others if child != answer["best"]["1"])
    answer["best"]["1"] = wrong
    answer["order"]["2"] = [wrong, *(child for child in (first, *others) if child != wrong)]
    grade = {part.part: part for part in exercise.grade(answer).parts}
    assert (grade["best"].lost, grade["order"].lost, grade["order"].follow_through) == (1, 0, 1)
    # An order that does not follow is wrong.
    answer["order"]["2"] = [first, *others]
    assert {part.part: part for part in exercise.grade(answer).parts}["order"].lost == 1


def test_what_follows_from_many_wrong_entries_earns_nothing() -> None:
    """Of several slips one is credited at most, so the same wrong rule everywhere does not follow from itself."""
    (exercise, *_) = exercises("evaluation")
    correct = exercise.correct_entries
    written = {part: {key: entry + 1 for key, entry in entries.items()} for part, entries in correct.items()}
    assert exercise.grade(as_answer(exercise, written)).marks == 0


@pytest.mark.parametrize("kind", ITEM_KINDS)
def test_every_entry_has_a_hint_that_is_not_the_entry(kind: str) -> None:
    for exercise in exercises(kind):
        for part in exercise.parts:
            empty: Any = {} if part.shape == "table" else [] if part.shape == SET else None
            blank = exercise.grade({part.name: empty or {}} if part.shape != SINGLE else {})
            (graded,) = [each for each in blank.parts if each.part == part.name]
            assert all(remark.hint for remark in graded.remarks if remark.kind != "correct"), (part.name, graded)
            for key in part.form_keys if part.shape == "table" else ():
                hint = exercise.hint(part.name, key)
                assert hint.endswith("."), (part.name, key)
                if key in part.correct and part.entry.show(part.correct[key]).startswith("["):
                    assert part.entry.show(part.correct[key]) not in hint
            # The names that are missing are part of the solution.
            if part.shape == SET or part.is_open:
                names = "".join(remark.hint for remark in graded.remarks)
                assert not any(f" {key} " in f" {names} " for key in part.correct if len(key) > 1)


def test_the_table_of_simulated_answers() -> None:
    rows = item_table([("pvs", exercises("pvs")[:1])]).splitlines()
    assert rows[2] == "| pvs | everything right | 100.0 % | 100.0 % | 100.0 % |"
    assert rows[3].startswith("| pvs | without: null windows | ")
