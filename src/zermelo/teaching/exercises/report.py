"""Export grades as JSON, as a CSV file of the class, and as Gradescope's results.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from zermelo._util.csv_files import csv_text
from zermelo.teaching.exercises.exercise import ExerciseBase, format_marks
from zermelo.teaching.exercises.gradescope import GradescopeTest, gradescope_results, round_marks
from zermelo.teaching.exercises.grading import MISSING, SCHEMA, Grade, Remark


def grade_as_json(grade: Grade, *, solution: bool = True) -> dict[str, Any]:
    """Return a grade as plain data.

    Parameters
    ----------
    grade : Grade
        The grade.
    solution : bool
        Whether the remarks include the correct entries.
    """
    return {
        "schema": SCHEMA,
        "student": grade.student,
        "file": grade.source or None,
        "exercise": grade.exercise,
        "variant": grade.variant,
        "marks": round_marks(grade.marks),
        "max_marks": round_marks(grade.max_marks),
        "problem": grade.problem or None,
        "parts": [
            {
                "part": part.part,
                "marks": round_marks(part.marks),
                "max_marks": round_marks(part.max_marks),
                "items": part.items,
                "correct": part.correct,
                "follow_through": part.follow_through,
                "lost": part.lost,
                "is_shown": part.is_shown,
                "remarks": [
                    {"kind": remark.kind, "node": _node(remark, solution), "text": remark.full_text(solution)}
                    for remark in part.remarks
                ],
            }
            for part in grade.parts
        ],
        "diagnoses": [diagnosis.as_json() for diagnosis in grade.diagnoses],
        "notes": grade.notes,
    }


def _node(remark: Remark, solution: bool) -> str | None:
    """The node of a remark. Without the solution, not the name of what is missing, unless the text has it."""
    is_secret = remark.kind == MISSING and not remark.text.startswith(f"{remark.node}:")
    return None if is_secret and not solution else remark.node or None


def class_as_json(grades: Sequence[Grade], absent: Sequence[ExerciseBase], *, solution: bool = True) -> dict[str, Any]:
    """Return the grades of a class with summary statistics as plain data.

    Parameters
    ----------
    grades : sequence of Grade
        The grades of all answers.
    absent : sequence of Exercise
        The exercises of students who handed in no answer.
    solution : bool
        Whether the remarks include the correct entries.
    """
    graded = [grade for grade in grades if not grade.problem]
    mean = Fraction(sum(grade.marks for grade in graded)) / len(graded) if graded else None
    return {
        "schema": SCHEMA,
        "answers": len(grades),
        "not_graded": len(grades) - len(graded),
        "mean": None if mean is None else round_marks(mean),
        "mistakes": count_mistakes(grades),
        "absent": [exercise.student for exercise in absent],
        "grades": [grade_as_json(grade, solution=solution) for grade in grades],
    }


def grade_summary(grade: Grade) -> str:
    """One line on an answer: its problem, the mistakes that explain it, or how many entries are right.

    Parameters
    ----------
    grade : Grade
        The grade of the answer.
    """
    if grade.problem:
        return grade.problem
    if grade.diagnoses:
        is_joint = any(diagnosis.is_joint for diagnosis in grade.diagnoses)
        titles = [f"{each.mistake.title}{f' at {each.node}' if each.node else ''}" for each in grade.diagnoses]
        return (" and " if is_joint else " or ").join(titles)
    lost = [part for part in grade.parts if part.lost]
    if not lost:
        return "all right"
    if all(remark.kind == MISSING for part in grade.parts for remark in part.remarks):
        return "not answered"
    texts = []
    for part in lost:
        right = part.correct + part.follow_through
        extra = right + part.lost - part.items
        text = f"{part.part.replace('_', ' ')}: {right} of {part.items} right"
        texts.append(f"{text}, {extra} too many" if extra > 0 else text)
    return "; ".join(texts)


def count_mistakes(grades: Sequence[Grade]) -> dict[str, int]:
    """The number of answers that each mistake explains, by id, most frequent first."""
    counts = Counter(diagnosis.mistake.id for grade in grades for diagnosis in grade.diagnoses)
    return dict(counts.most_common())


def part_names(grades: Sequence[Grade]) -> list[str]:
    """The parts that are graded in any of the grades, in the order of the questions."""
    return list(dict.fromkeys(part.part for grade in grades for part in grade.parts))


def grades_csv(grades: Sequence[Grade], absent: Sequence[ExerciseBase] = ()) -> str:
    """Return a CSV file with a row for each answer, and a row without marks for each absent student."""
    parts = part_names(grades)
    rows: list[list[Any]] = [
        ["student", "file", "exercise", "variant", "marks", "max_marks", *parts, "mistakes", "problem", "notes"]
    ]
    for grade in grades:
        by_part = {part.part: part for part in grade.parts}
        rows.append(
            [
                grade.student,
                grade.source,
                grade.exercise,
                "" if grade.variant is None else grade.variant,
                format_marks(grade.marks),
                format_marks(grade.max_marks),
                *(format_marks(by_part[part].marks) if part in by_part else "" for part in parts),
                " ".join(diagnosis.mistake.id for diagnosis in grade.diagnoses),
                grade.problem,
                "; ".join(grade.notes),
            ]
        )
    for exercise in absent:
        row = [exercise.student, "", exercise.id, exercise.variant or "", "", format_marks(exercise.total_marks)]
        rows.append([*row, *[""] * len(parts), "", "no answer", ""])
    return csv_text(rows)


def grade_as_gradescope(grade: Grade, *, visibility: str = "visible", solution: bool = True) -> dict[str, Any]:
    """Return a grade as the content of Gradescope's results.json, with one test for each part.

    Parameters
    ----------
    grade : Grade
        The grade.
    visibility : {'visible', 'after_published', 'after_due_date', 'hidden'}
        When students see the remarks.
    solution : bool
        Whether the remarks include the correct entries.
    """
    lines = [f"Not graded: {grade.problem}"] if grade.problem else []
    lines += [diagnosis.sentence for diagnosis in grade.diagnoses] + grade.notes
    tests = []
    for part in grade.parts:
        output = "\n".join(remark.full_text(solution) for remark in part.remarks)
        tests.append(GradescopeTest(part.part, part.marks, part.max_marks, output))
    extra_data = {
        "exercise": grade.exercise,
        "variant": grade.variant,
        "max_marks": round_marks(grade.max_marks),
        "mistakes": [diagnosis.mistake.id for diagnosis in grade.diagnoses],
    }
    return gradescope_results(tests, "\n".join(lines), visibility, extra_data)
