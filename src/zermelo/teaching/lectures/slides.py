"""Every slide of the lectures: its topic, and the cases, pages and commands that cover it, or why there are none.

The data are in `slides_*.json` beside this file, one file for each lecture. A row describes one slide or several
consecutive ones and has the keys

    slides                   "12", "5 to 9"; "after 3" for pictures between two slides with text
    topic                    what the slide is about, in our words
    cases, pages, commands   case ids; pages of docs/ with an anchor; arguments of `zermelo`
    lost                     what the published text lacks
    no_content               why there is nothing to cover: title, outline, references
    note                     a remark
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from zermelo.errors import TreeError
from zermelo.teaching.lectures.cases import analyses, cases, slide_numbers

#: The lectures that have slides.
NUMBERS = ("000", "001", "002", "003", "004")
COVERED, LOST, NO_CONTENT = "covered", "lost", "no content"


@dataclass(frozen=True)
class Slide:
    """A slide of a lecture. A lost slide may have a case, page or command as well, which covers its topic only."""

    lecture: str
    #: The number as text; `after 3` for pictures between slides 3 and 4 of a text without numbers.
    number: str
    topic: str
    #: `covered`, `lost` or `no content`.
    status: str
    #: Why the slide is lost or has no content, or a remark.
    reason: str
    cases: tuple[str, ...]
    #: Pages of docs/, such as `lectures/000.md#cutoffs`.
    pages: tuple[str, ...]
    #: Command lines.
    commands: tuple[str, ...]

    def __str__(self) -> str:
        where = self.number if self.number.startswith("after") else f"slide {self.number}"
        return f"lecture {self.lecture}, {where}"

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "lecture": self.lecture,
            "slide": self.number,
            "topic": self.topic,
            "status": self.status,
            "reason": self.reason or None,
            "cases": list(self.cases),
            "pages": list(self.pages),
            "commands": list(self.commands),
        }


@cache
def _file(lecture: str) -> Any:
    return json.loads(
        resources.files("zermelo.teaching.lectures").joinpath(f"slides_{lecture}.json").read_text("utf-8")
    )


def numbering(lecture: str) -> str:
    """Where the slide numbers of a lecture come from."""
    return str(_file(lecture)["numbering"])


@cache
def slides(lecture: str = "") -> tuple[Slide, ...]:
    """All slides of one lecture, or of all lectures, in order."""
    return tuple(slide for each in NUMBERS if lecture in ("", each) for slide in _slides(each))


def _slides(lecture: str) -> Iterator[Slide]:
    for row in _file(lecture)["slides"]:
        status = LOST if "lost" in row else NO_CONTENT if "no_content" in row else COVERED
        reason = row.get("lost") or row.get("no_content") or row.get("note", "")
        commands = tuple(f"zermelo {command}" for command in row.get("commands", ()))
        numbers = [str(number) for number in sorted(slide_numbers(row["slides"]))]
        for number in [row["slides"]] if row["slides"].startswith("after") else numbers:
            yield Slide(
                lecture,
                number,
                row["topic"],
                status,
                reason,
                tuple(row.get("cases", ())),
                tuple(row.get("pages", ())),
                commands,
            )


def rows_of(slides: Iterable[Slide]) -> Iterator[tuple[str, Slide]]:
    """Rows of a table: the numbers of consecutive slides of one topic and status as text, and the first of them."""
    for _, same in groupby(slides, lambda slide: (slide.lecture, slide.topic, slide.status)):
        first, *others = same
        yield f"{first.number} to {others[-1].number}" if others else first.number, first


def slides_at(lecture: str, number: str) -> list[Slide]:
    """The slide with this number, and the pictures after it. Raises `TreeError` if there is no slide of that number."""
    wanted = number.strip().removeprefix("after").strip()
    wanted = wanted.lstrip("0") or wanted
    found = [slide for slide in slides(lecture) if slide.number in (wanted, f"after {wanted}")]
    if not found:
        last = slides(lecture)[-1].number
        raise TreeError(f"lecture {lecture} has no slide {number[:40]!r}; its slides are 1 to {last}")
    return found


def remarks_on(slide: Slide) -> Iterator[tuple[str, str]]:
    """The misprints and conventions that the cases list for a slide, as (`misprint` or `convention`, text)."""
    for case in (*cases(), *analyses()):
        for kind, remarks in (("misprint", case.misprints), ("convention", case.conventions)):
            for remark in remarks:
                if slide.number.isdigit() and remark.concerns(case.lecture, slide.lecture, int(slide.number)):
                    yield kind, f"{remark} [{case.id}]"
