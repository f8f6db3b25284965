"""Export grades as JSON, as a CSV file of the class, and as Gradescope's results.json."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from zermelo.teaching.exercises.exercise import PARTS, Exercise, format_marks
from zermelo.teaching.exercises.gradescope import GradescopeTest, gradescope_results, round_marks
from zermelo.teaching.exercises.grading import SCHEMA, Grade


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
                "remarks": [
                    {"kind": remark.kind, "node": remark.node or None, "text": remark.full_text(solution)}
                    for remark in part.remarks
                ],
            }
            for part in grade.parts
        ],
        "diagnoses": [diagnosis.as_json() for diagnosis in grade.diagnoses],
        "notes": grade.notes,
    }


def class_as_json(grades: Sequence[Grade], absent: Sequence[Exercise], *, solution: bool = True) -> dict[str, Any]:
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


def count_mistakes(grades: Sequence[Grade]) -> dict[str, int]:
    """The number of answers that each mistake explains, by id, most frequent first."""
    counts = Counter(diagnosis.mistake.id for grade in grades for diagnosis in grade.diagnoses)
    return dict(counts.most_common())


def grades_csv(grades: Sequence[Grade], absent: Sequence[Exercise] = ()) -> str:
    """Return a CSV file with a row for each answer, and a row without marks for each absent student."""
    parts = [part for part in PARTS if any(part == each.part for grade in grades for each in grade.parts)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["student", "file", "exercise", "variant", "marks", "max_marks", *parts, "mistakes", "problem", "notes"]
    )
    for grade in grades:
        by_part = {part.part: part for part in grade.parts}
        writer.writerow(
            [
                csv_cell(grade.student),
                csv_cell(grade.source),
                csv_cell(grade.exercise),
                "" if grade.variant is None else grade.variant,
                format_marks(grade.marks),
                format_marks(grade.max_marks),
                *(format_marks(by_part[part].marks) if part in by_part else "" for part in parts),
                " ".join(diagnosis.mistake.id for diagnosis in grade.diagnoses),
                csv_cell(grade.problem),
                csv_cell("; ".join(grade.notes)),
            ]
        )
    for exercise in absent:
        blank = [""] * len(parts)
        row = [
            csv_cell(exercise.student),
            "",
            exercise.id,
            exercise.variant or "",
            "",
            format_marks(exercise.total_marks),
        ]
        writer.writerow([*row, *blank, "", "no answer", ""])
    return file.getvalue()


def csv_cell(text: str) -> str:
    """Quote a text that a spreadsheet would run as a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


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
