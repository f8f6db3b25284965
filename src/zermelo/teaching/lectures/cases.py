"""Worked examples of the lectures as data: what each slide shows, and the expected results of a search.

The data are in `lecture_*.json` beside this file, one file for each lecture. A case has the keys

    id, title, slides, about     identification and description
    kind                         tree, tree_fragment, evaluation, table, claims, conventions, missing; analysis
    confidence, doubt            how certain the reading of the slide is, and what is uncertain
    tree, convention             the tree (brackets or JSON) and the lecture's convention
    minimax, expected            minimax values; traces under named conventions, with the keys of `Trace.as_json`
    shown, printed               bounds and values on the slides, in their order
    misprints                    errors on the slides, with corrections
    conventions                  rules and names on the slides that differ elsewhere, neither of them wrong
    missing                      data that the published slides lack, without which the case cannot be checked
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from zermelo._util.text import did_you_mean
from zermelo.errors import TreeError
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.parsing import read

#: The lectures, in order; `all` has the cases that concern several lectures.
LECTURES = ("000", "001", "002", "003", "004", "all")


@dataclass(frozen=True)
class Remark:
    """A remark on some slides of a lecture."""

    slides: str

    @property
    def where(self) -> str:
        """The slides as text: `slide 12`, `slides 13 to 15`."""
        if not self.slides[:1].isdigit():
            return self.slides
        return f"slide {self.slides}" if self.slides.isdigit() else f"slides {self.slides}"

    def concerns(self, case_lecture: str, lecture: str, slide: int) -> bool:
        """Whether the remark, in a case of `case_lecture`, is about this slide."""
        named = re.match(r"lecture (\d+), (.*)", self.slides)
        if (named[1] if named else case_lecture) != lecture:
            return False
        return slide in slide_numbers(named[2] if named else self.slides)


@dataclass(frozen=True)
class Misprint(Remark):
    """An error on a slide, with its correction."""

    printed: str
    right: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.printed}; right: {self.right}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True)
class DifferentConvention(Remark):
    """A rule or a name on a slide that differs from that of other slides or books; neither is wrong."""

    here: str
    elsewhere: str
    effect: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.here}; elsewhere: {self.elsewhere}" + (f" ({self.effect})" if self.effect else "")


def slide_numbers(text: str) -> set[int]:
    """The slide numbers of a text like `9, 11 and 13 to 15`; empty for a text without any.

    >>> sorted(slide_numbers("9, 11 and 13 to 15"))
    [9, 11, 13, 14, 15]
    """
    return {
        number
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", text)
        for number in range(int(first), int(last or first) + 1)
    }


@dataclass(frozen=True)
class Case:
    """A worked example of a lecture. `data` has the keys that depend on its kind."""

    id: str
    lecture: str
    kind: str
    slides: str
    title: str
    about: str
    confidence: str
    doubt: str = ""
    convention: str = ""
    aliases: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    misprints: tuple[Misprint, ...] = ()
    conventions: tuple[DifferentConvention, ...] = ()
    missing: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_tree(self) -> bool:
        return "tree" in self.data

    @property
    def tree(self) -> Tree:
        """The tree. Raises `TreeError` if the case has none."""
        if not self.has_tree:
            raise TreeError(f"case {self.id} has no tree" + (f" (missing: {self.missing})" if self.missing else ""))
        return read(self.data["tree"], self.id)

    @property
    def slide_numbers(self) -> set[int]:
        """The numbers of its slides; empty if they are described in words or belong to several lectures."""
        return slide_numbers(self.slides) if re.fullmatch(r"(\d|,| |and|to)+", self.slides) else set()

    def belongs_to(self, lecture: str) -> bool:
        """Whether the case is from this lecture, or concerns several lectures and this is one of them."""
        return lecture in (self.lecture, *self.cites)


@dataclass(frozen=True)
class Lecture:
    """A lecture: author, course and title."""

    number: str
    by: str
    course: str
    title: str

    def __str__(self) -> str:
        return f"lecture {self.number} ({self.by})" if self.number != "all" else "all lectures"


@cache
def _file(lecture: str) -> Mapping[str, Any]:
    text = resources.files("zermelo.teaching.lectures").joinpath(f"lecture_{lecture}.json").read_text("utf-8")
    return MappingProxyType(json.loads(text))


@cache
def lectures() -> tuple[Lecture, ...]:
    """All lectures, in order."""
    return tuple(Lecture(n, *(_file(n)[key] for key in ("by", "course", "title"))) for n in LECTURES)


@cache
def cases() -> tuple[Case, ...]:
    """All cases, by lecture and in the order of the slides."""
    return tuple(_case(lecture, entry) for lecture in LECTURES for entry in _file(lecture)["cases"])


@cache
def analyses() -> tuple[Case, ...]:
    """Analyses of statements in the lectures, in the same form as the cases."""
    return tuple(_case(lecture, entry) for lecture in LECTURES for entry in _file(lecture).get("analyses", ()))


def _case(lecture: str, entry: Mapping[str, Any]) -> Case:
    own = dict(entry)
    words = {key: own.pop(key) for key in ("id", "kind", "slides", "title", "about", "confidence")}
    words |= {key: own.pop(key, "") for key in ("doubt", "convention", "missing")}
    return Case(
        lecture=lecture,
        aliases=tuple(own.pop("aliases", ())),
        cites=tuple(own.pop("cites", ())),
        misprints=tuple(Misprint(**each) for each in own.pop("misprints", ())),
        conventions=tuple(DifferentConvention(**each) for each in own.pop("conventions", ())),
        data=own,
        **words,
    )


def names() -> list[str]:
    """Ids of the cases that have a tree."""
    return [case.id for case in cases() if case.has_tree]


def case_of(name: str) -> Case:
    """Return the case with this id or alias. Raises `TreeError` with suggestions if there is none."""
    key = name.strip().casefold()
    known = dict(_known())
    if key in known:
        return known[key]
    containing = [id for id in known if key and key in id][:4]
    otherwise = f"did you mean {' or '.join(containing)}?" if containing else "`zermelo lectures` lists them"
    raise TreeError(f"{name[:60]!r} is not a case of the lectures; {did_you_mean(key, known, otherwise)}")


def _known() -> Iterator[tuple[str, Case]]:
    for case in (*cases(), *analyses()):
        for name in (case.id, *case.aliases):
            yield name.casefold(), case


def tree_of(name: str) -> Tree:
    """Return the tree of a case.

    Parameters
    ----------
    name : str
        Id or alias of the case, for example ``skrentny`` or ``aima``.

    Raises
    ------
    TreeError
        If there is no such case (with suggestions), or if it has no tree.

    Examples
    --------
    >>> tree_of("aima")
    <Tree aima_fig_5_2: 13 nodes, 9 leaves>
    """
    return case_of(name).tree
