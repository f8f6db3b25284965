"""Sphinx directives for the lecture pages, filled from the lecture data and from running the cases.

```{cases} 002
```
Table of a lecture's cases with their status.

```{misprints} 002
```
List of the errors on its slides.
"""

from __future__ import annotations

from functools import cache

from sphinx.util.docutils import SphinxDirective

from zermelo.teaching.lectures.cases import cases
from zermelo.teaching.lectures.running import run_all


@cache
def outcomes():
    """Run all cases, once per build."""
    return tuple(run_all())


class Cases(SphinxDirective):
    """A table of a lecture's cases."""

    required_arguments = 1

    def run(self):
        rows = ["| case | slides | title | confidence | status |", "| --- | --- | --- | --- | --- |"]
        for outcome in outcomes():
            case = outcome.case
            if case.lecture == self.arguments[0]:
                cells = (f"`{case.id}`", case.slides, case.title, case.confidence, outcome.status)
                rows.append(f"| {' | '.join(cells)} |")
        return self.parse_text_to_nodes("\n".join(rows))


class Misprints(SphinxDirective):
    """A list of a lecture's misprints, including those in cases about several lectures."""

    required_arguments = 1

    def run(self):
        number, lines = self.arguments[0], []
        for case in cases():
            for misprint in case.misprints:
                if case.lecture == number or misprint.where.startswith(f"lecture {number}"):
                    where = misprint.where.removeprefix(f"lecture {number}, ")
                    why = f" ({misprint.why})" if misprint.why else ""
                    where = where[:1].upper() + where[1:]
                    lines.append(f"- **{where}**, `{case.id}`: {misprint.printed}. Right: {misprint.right}{why}.")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("cases", Cases)
    app.add_directive("misprints", Misprints)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
