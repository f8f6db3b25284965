"""A picture as simple things with places: lines, shapes and texts, in groups. Every back end draws the same scene.

Lengths are in points, x to the right and y downwards. What things look like is told by their kinds: see
`zermelo.drawing.style`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zermelo.drawing.style import TREES, Sheet

Point = tuple[float, float]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]


@dataclass(slots=True)
class Line:
    """A line through points."""

    kind: str
    points: list[Point]


@dataclass(slots=True)
class Polygon:
    """A closed shape with corners."""

    kind: str
    points: list[Point]


@dataclass(slots=True)
class Circle:
    """A circle."""

    kind: str
    centre: Point
    radius: float


@dataclass(slots=True)
class Text:
    """A line of text. `anchor`: whether `x` is its `start`, `middle` or `end`; `y` is its base line."""

    kind: str
    x: float
    y: float
    text: str
    anchor: str = "middle"


Part = Line | Polygon | Circle | Text


@dataclass(slots=True)
class Group:
    """Things that belong together: a node, an arc, the legend."""

    #: Unique in the picture: `n4` a node, `a4` the arc to it, `f4` and `a4` a fold that begins with it.
    id: str
    #: What it is and what is true of it, words: `("node", "max", "visited")`.
    kinds: tuple[str, ...]
    parts: list[Part] = field(default_factory=list)
    #: What it says in one line, for who points at it.
    title: str = ""


@dataclass(slots=True)
class Scene:
    """A whole picture."""

    width: float
    height: float
    title: str
    description: str
    groups: list[Group]
    #: What its things look like.
    sheet: Sheet = TREES
