"""Write Gradescope's autograder output, `results.json`, with one test for each graded part or case.

References
----------
https://gradescope-autograders.readthedocs.io/en/latest/specs/ (Output format)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from zermelo.errors import TreeError
from zermelo.teaching.tree.numbers import Number

#: When students can see the outputs of the tests.
VISIBILITIES = ("visible", "after_published", "after_due_date", "hidden")
#: Longer outputs are truncated, in characters.
MAX_OUTPUT = 10_000


class GradescopeTest(NamedTuple):
    """One test: a part of an exercise, or a case of a program check."""

    name: str
    marks: Number
    max_marks: Number
    #: Feedback for the student, one remark a line; empty if everything is correct.
    output: str = ""


def gradescope_results(
    tests: Iterable[GradescopeTest],
    output: str = "",
    visibility: str = "visible",
    extra_data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the content of `results.json`.

    Parameters
    ----------
    tests : iterable of GradescopeTest
        The graded parts or cases. A test passes if it has full marks.
    output : str
        Text shown above the tests.
    visibility : {'visible', 'after_published', 'after_due_date', 'hidden'}
        When students see the outputs.
    extra_data : mapping, optional
        Data stored by Gradescope and not shown to students.

    Raises
    ------
    TreeError
        If the visibility is unknown.
    """
    check_visibility(visibility)
    rows = list(tests)
    return {
        "score": round_marks(sum((row.marks for row in rows), start=0)),
        "output": output[:MAX_OUTPUT],
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
                "output": row.output[:MAX_OUTPUT],
                "output_format": "text",
                "visibility": visibility,
            }
            for row in rows
        ],
        "extra_data": dict(extra_data or {}),
    }


def check_visibility(visibility: str) -> None:
    """Raise `TreeError` unless the visibility is one that Gradescope knows."""
    if visibility not in VISIBILITIES:
        raise TreeError(f"unknown visibility {visibility[:40]!r}; use one of {', '.join(VISIBILITIES)}")


def round_marks(marks: Number) -> int | float:
    """Round marks to two decimals; return an int if they are whole."""
    value = round(Fraction(marks), 2)
    return value.numerator if value.denominator == 1 else float(value)
