"""Grades for other programs: JSON, a CSV of the class, and Gradescope's results.json."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from zermelo.teaching.exercises.exercise import PARTS, Exercise, format_marks
from zermelo.teaching.exercises.gradescope import GradescopeTest, results, round_marks
from zermelo.teaching.exercises.grading import SCHEMA, Grade


def as_json(grade: Grade, *, solution: bool = True) -> dict[str, Any]:
    """A grade as plain data; without `solution` the remarks do not say what would have been right."""
    return {
        "schema": SCHEMA,
        "student": grade.student,
        "file": grade.source or None,
        "exercise": grade.exercise,
        "variant": grade.variant,
        "marks": round_marks(grade.marks),
        "most": round_marks(grade.max_marks),
        "problem": grade.problem or None,
        "parts": [
            {
                "part": part.part,
                "marks": round_marks(part.marks),
                "most": round_marks(part.max_marks),
                "items": part.items,
                "right": part.correct,
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
    """The grades of a class, and what there is to say of all of them."""
    read = [grade for grade in grades if not grade.problem]
    mean = Fraction(sum(grade.marks for grade in read)) / len(read) if read else None
    return {
        "schema": SCHEMA,
        "answers": len(grades),
        "broken": len(grades) - len(read),
        "mean": None if mean is None else round_marks(mean),
        "mistakes": count_mistakes(grades),
        "absent": [exercise.student for exercise in absent],
        "grades": [as_json(grade, solution=solution) for grade in grades],
    }


def count_mistakes(grades: Sequence[Grade]) -> dict[str, int]:
    """How many answers each mistake explains, the most frequent first."""
    counted = Counter(diagnosis.mistake.id for grade in grades for diagnosis in grade.diagnoses)
    return dict(counted.most_common())


def grades_csv(grades: Sequence[Grade], absent: Sequence[Exercise] = ()) -> str:
    """A row for each answer, and one without marks for each student who gave none."""
    parts = [part for part in PARTS if any(part == each.part for grade in grades for each in grade.parts)]
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["student", "file", "exercise", "variant", "marks", "most", *parts, "mistakes", "problem", "notes"])
    for grade in grades:
        by_part = {part.part: part for part in grade.parts}
        out.writerow(
            [
                cell(grade.student),
                cell(grade.source),
                cell(grade.exercise),
                "" if grade.variant is None else grade.variant,
                format_marks(grade.marks),
                format_marks(grade.max_marks),
                *(format_marks(by_part[part].marks) if part in by_part else "" for part in parts),
                " ".join(diagnosis.mistake.id for diagnosis in grade.diagnoses),
                cell(grade.problem),
                cell("; ".join(grade.notes)),
            ]
        )
    for exercise in absent:
        blank = [""] * len(parts)
        row = [cell(exercise.student), "", exercise.id, exercise.variant or "", "", format_marks(exercise.total)]
        out.writerow([*row, *blank, "", "no answer", ""])
    return file.getvalue()


def cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: students write what they like."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def gradescope(grade: Grade, *, visibility: str = "visible", solution: bool = True) -> dict[str, Any]:
    """A grade as Gradescope's results.json has it: a test for each part."""
    said = [f"Not graded: {grade.problem}"] if grade.problem else []
    said += [diagnosis.sentence for diagnosis in grade.diagnoses] + grade.notes
    marked = [
        GradescopeTest(
            part.part, part.marks, part.max_marks, "\n".join(remark.full_text(solution) for remark in part.remarks)
        )
        for part in grade.parts
    ]
    extra = {
        "exercise": grade.exercise,
        "variant": grade.variant,
        "most": round_marks(grade.max_marks),
        "mistakes": [diagnosis.mistake.id for diagnosis in grade.diagnoses],
    }
    return results(marked, "\n".join(said), visibility, extra)
