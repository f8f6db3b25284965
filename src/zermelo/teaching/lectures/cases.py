"""The lectures' worked examples as data: what each slide shows, and what a search of it has to give.

The data stand in `lecture_*.json` beside this file, a file a lecture. A case has

    id, title, slides, about     what it is and where it stands
    kind                         tree, tree_fragment, evaluation, table, claims, conventions, missing; analysis
    confidence, doubt            how sure the reading of the slide is, and why not surer
    tree, convention             the tree (brackets or JSON) and how the lecture searches and tells it
    minimax, expected            values of nodes; traces under named conventions, in the keys of `Trace.as_json`
    shown, printed               the bounds and the values that stand on the slides, in their order
    misprints                    what a slide prints that is not so, with what is right
    waits                        what it cannot be compared with yet
"""

from __future__ import annotations

import json
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

#: The lectures, in order; `all` holds what several of them say.
LECTURES = ("000", "001", "002", "003", "004", "all")


@dataclass(frozen=True)
class Misprint:
    """What a slide prints and should not."""

    slides: str
    printed: str
    right: str
    why: str = ""

    @property
    def where(self) -> str:
        """The slides in words: `slide 12`, `slides 13 to 15`."""
        if not self.slides[:1].isdigit():
            return self.slides
        return f"slide {self.slides}" if self.slides.isdigit() else f"slides {self.slides}"


@dataclass(frozen=True)
class Case:
    """A worked example of a lecture; `data` holds what only its kind has."""

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
    waits: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_tree(self) -> bool:
        return "tree" in self.data

    @property
    def tree(self) -> Tree:
        """Its tree. Raises `TreeError` if it has none."""
        if not self.has_tree:
            raise TreeError(f"the case {self.id} has no tree" + (f"; it waits for {self.waits}" if self.waits else ""))
        return read(self.data["tree"], self.id)

    def belongs_to(self, lecture: str) -> bool:
        """Whether it is a lecture's own case, or one of several lectures with it among them."""
        return lecture in (self.lecture, *self.cites)


@dataclass(frozen=True)
class Lecture:
    """A lecture: who gave it and where."""

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
    """The lectures, in order."""
    return tuple(Lecture(n, *(_file(n)[key] for key in ("by", "course", "title"))) for n in LECTURES)


@cache
def cases() -> tuple[Case, ...]:
    """All cases, lecture by lecture, in the order of the slides."""
    return tuple(_case(lecture, said) for lecture in LECTURES for said in _file(lecture)["cases"])


@cache
def analyses() -> tuple[Case, ...]:
    """What the lectures say in words and Zermelo works out: no examples of theirs, but told in the same form."""
    return tuple(_case(lecture, said) for lecture in LECTURES for said in _file(lecture).get("analyses", ()))


def _case(lecture: str, said: Mapping[str, Any]) -> Case:
    own = dict(said)
    words = {key: own.pop(key) for key in ("id", "kind", "slides", "title", "about", "confidence")}
    words |= {key: own.pop(key, "") for key in ("doubt", "convention", "waits")}
    return Case(
        lecture=lecture,
        aliases=tuple(own.pop("aliases", ())),
        cites=tuple(own.pop("cites", ())),
        misprints=tuple(Misprint(**each) for each in own.pop("misprints", ())),
        data=own,
        **words,
    )


def names() -> list[str]:
    """The ids of the cases that have a tree."""
    return [case.id for case in cases() if case.has_tree]


def case_of(name: str) -> Case:
    """The case of that id or alias. Raises `TreeError`, which names the near ones."""
    wanted = name.strip().casefold()
    known = dict(_known())
    if wanted in known:
        return known[wanted]
    among = [id for id in known if wanted and wanted in id][:4]
    otherwise = f"did you mean {' or '.join(among)}?" if among else "`zermelo lectures` lists them"
    raise TreeError(f"{name[:60]!r} is no case of the lectures; {did_you_mean(wanted, known, otherwise)}")


def _known() -> Iterator[tuple[str, Case]]:
    for case in (*cases(), *analyses()):
        for name in (case.id, *case.aliases):
            yield name.casefold(), case


def tree_of(name: str) -> Tree:
    """The tree of a case, by its id or an alias (`skrentny`, `aima`).

    Raises `TreeError` for a name that there is not (naming the near ones) and for a case without a tree.

    >>> tree_of("aima")
    <Tree aima_fig_5_2: 13 nodes, 9 leaves>
    """
    return case_of(name).tree
