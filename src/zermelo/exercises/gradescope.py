"""Results as Gradescope's autograder reads them: `results.json`, with a test for each thing that was marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from zermelo.tree.numbers import Number

#: Texts are cut here: no student reads more, and Gradescope shows no more.
LONGEST_OUTPUT = 10_000


class Marked(NamedTuple):
    """One thing that was marked: a part of an exercise, a case of a program."""

    name: str
    marks: Number
    of: Number
    #: What is to be said to the student, one remark a line; nothing where all is right.
    text: str = ""


def results(marked: Iterable[Marked], text: str = "") -> dict[str, Any]:
    """The data of `results.json`: the marks in all, a text above, and the tests, passed where no mark is lost."""
    marked = list(marked)
    tests = [
        {
            "name": each.name,
            "number": str(number),
            "score": _plain(each.marks),
            "max_score": _plain(each.of),
            "status": "passed" if each.marks >= each.of else "failed",
            "output": each.text[:LONGEST_OUTPUT],
            "output_format": "text",
            "visibility": "visible",
        }
        for number, each in enumerate(marked, 1)
    ]
    return {
        "score": _plain(sum((each.marks for each in marked), start=0)),
        "output": text[:LONGEST_OUTPUT],
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }


def _plain(marks: Number) -> int | float:
    """A number as Gradescope takes it: never a fraction."""
    return marks if isinstance(marks, int) else round(float(marks), 6)
