"""Simulated answers to exercises of items: right, with one slip, and without a skill."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from zermelo.teaching.exercises.kinds.item_marking import Entries
from zermelo.teaching.exercises.kinds.items import ItemExercise

RIGHT, ONE_SLIP = "everything right", "one slip"


def answers_with_a_slip(exercise: ItemExercise) -> Iterator[tuple[str, str, Entries]]:
    """Yield the answers with one number too large by 1 from which the work goes on: part, key, and all entries."""
    correct = exercise.correct_entries
    for part, entries in correct.items():
        for key, entry in entries.items():
            if not isinstance(entry, int | Fraction):
                continue
            after = exercise.after(part, key, entry + 1, correct)
            if after is not None:
                written = {name: after.get(name, ours) for name, ours in correct.items()}
                yield part, key, {**written, part: {**written[part], key: entry + 1}}


def simulate_items(exercises: Iterable[ItemExercise]) -> dict[str, list[Fraction]]:
    """Mark simulated answers: the fractions of all marks, by student.

    Parameters
    ----------
    exercises : iterable of ItemExercise
        Exercises of one kind.
    """
    found: dict[str, list[Fraction]] = defaultdict(list)
    for exercise in exercises:

        def earned(written: Entries, exercise: ItemExercise = exercise) -> Fraction:
            return exercise.mark(written).total / Fraction(exercise.total_marks)

        correct: dict[str, Any] = dict(exercise.correct_entries)
        found[RIGHT].append(earned(correct))
        for *_, written in answers_with_a_slip(exercise):
            found[ONE_SLIP].append(earned(written))
        for rival in exercise.rivals():
            found[f"without: {rival.skill}"].append(
                earned({part: rival.entries.get(part, entries) for part, entries in correct.items()})
            )
    return dict(found)


def item_table(kinds: Iterable[tuple[str, Iterable[ItemExercise]]]) -> str:
    """The marks of simulated answers as a Markdown table of percentages."""
    rows = ["| kind | student | mean | min | max |", "| --- | --- | --- | --- | --- |"]
    for kind, exercises in kinds:
        for student, shares in simulate_items(exercises).items():
            numbers = (sum(shares, Fraction(0)) / len(shares), min(shares), max(shares))
            rows.append(
                f"| {kind} | {student} | " + " | ".join(f"{float(100 * each):.1f} %" for each in numbers) + " |"
            )
    return "\n".join(rows)
