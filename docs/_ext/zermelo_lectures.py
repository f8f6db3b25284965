"""Sphinx directives for the lecture pages, filled from the lecture data and from running the cases.

```{cases} 002
```
Table of a lecture's cases with their status.

```{misprints} 002
```
List of the errors on its slides.

```{conventions} 002
```
List of the rules and names on its slides that differ elsewhere.

```{slides} 002
```
Table of its slides, with what covers each.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter

from sphinx.util.docutils import SphinxDirective

from zermelo.teaching.lectures.cases import cases
from zermelo.teaching.lectures.running import run_all
from zermelo.teaching.lectures.slides import numbering, rows_of, slides


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


class Remarks(SphinxDirective):
    """A list of remarks on the slides of a lecture, including those in cases about several lectures."""

    required_arguments = 1

    def run(self):
        number, lines = self.arguments[0], []
        for case in cases():
            for remark in self.remarks(case):
                if case.lecture == number or remark.where.startswith(f"lecture {number}"):
                    text = str(remark).removeprefix(f"lecture {number}, ")
                    where = remark.where.removeprefix(f"lecture {number}, ")
                    text = f"**{where[:1].upper()}{where[1:]}**{text.removeprefix(where)}"
                    lines.append(f"- {text}. `{case.id}`")
        return self.parse_text_to_nodes("\n".join(lines))


class Misprints(Remarks):
    """A list of a lecture's misprints."""

    remarks = attrgetter("misprints")


class Conventions(Remarks):
    """A list of a lecture's conventions."""

    remarks = attrgetter("conventions")


class Slides(SphinxDirective):
    """A table of a lecture's slides; consecutive slides of one topic are one row."""

    required_arguments = 1

    def run(self):
        number = self.arguments[0]
        rows = [f"Slide numbers: {numbering(number)}.", ""]
        rows += ["| slide | topic | status | covered by |", "| --- | --- | --- | --- |"]
        for numbers, first in rows_of(slides(number)):
            status = first.status + (f": {first.reason}" if first.reason else "")
            links = [f"`{id}`" for id in first.cases]
            links += [f"[{page.replace('.md', '').replace('#', ': ')}](/{page})" for page in first.pages]
            links += [f"`{command}`" for command in first.commands]
            rows.append(f"| {numbers} | {first.topic} | {status} | {', '.join(links)} |")
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app):
    app.add_directive("cases", Cases)
    app.add_directive("misprints", Misprints)
    app.add_directive("conventions", Conventions)
    app.add_directive("slides", Slides)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
