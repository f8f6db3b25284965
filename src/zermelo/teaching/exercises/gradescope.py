"""Results as Gradescope's autograder reads them: `results.json`, with a test for each thing that was marked.

See "Output format" in https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from zermelo.errors import TreeError
from zermelo.teaching.tree.numbers import Number

#: Who sees the outputs.
VISIBILITIES = ("visible", "after_published", "after_due_date", "hidden")
#: Texts are cut here: no student reads more.
LONGEST_OUTPUT = 10_000


class GradescopeTest(NamedTuple):
    """One thing that was marked: a part of an exercise, a case of a program."""

    name: str
    marks: Number
    max_marks: Number
    #: What is to be said to the student, one remark a line; nothing where all is right.
    text: str = ""


def results(
    marked: Iterable[GradescopeTest],
    said: str = "",
    visibility: str = "visible",
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The data of `results.json`: the marks in all, what is `said` above, and the tests, passed where no mark is lost.

    Raises `TreeError` for a visibility that there is not.
    """
    if visibility not in VISIBILITIES:
        raise TreeError(f"visibility {visibility[:40]!r} is not one of {', '.join(VISIBILITIES)}")
    rows = list(marked)
    return {
        "score": round_marks(sum((row.marks for row in rows), start=0)),
        "output": said[:LONGEST_OUTPUT],
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": row.name,
                "score": round_marks(row.marks),
                "max_score": round_marks(row.max_marks),
                "status": "passed" if row.marks >= row.max_marks else "failed",
                "output": row.text[:LONGEST_OUTPUT],
                "output_format": "text",
                "visibility": visibility,
            }
            for row in rows
        ],
        "extra_data": dict(extra or {}),
    }


def round_marks(marks: Number) -> int | float:
    """Marks to two decimals, whole ones as ints."""
    value = round(Fraction(marks), 2)
    return value.numerator if value.denominator == 1 else float(value)
