"""`Scene`: a picture as lines, shapes and texts with coordinates, drawn by every back end (SVG, PNG, PDF, TikZ).

Lengths are in points (1/72 inch), x to the right and y downwards. The look follows from the style classes of parts and
groups; see `zermelo.drawing.style`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zermelo.drawing.style import TREE_STYLES, StyleSheet

Point = tuple[float, float]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]


@dataclass(slots=True)
class Line:
    """A polyline."""

    kind: str
    points: list[Point]


@dataclass(slots=True)
class Polygon:
    """A closed polygon."""

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
    """One line of text. `x` is its start, middle or end, as `anchor` says; `y` is the baseline."""

    kind: str
    x: float
    y: float
    text: str
    anchor: str = "middle"


@dataclass(slots=True)
class Inset:
    """A scene within another one, scaled, with its upper left corner at (x, y)."""

    kind: str
    x: float
    y: float
    scale: float
    scene: Scene


#: A part of a group. Its `kind` is its style class.
Part = Line | Polygon | Circle | Text | Inset


@dataclass(slots=True)
class Group:
    """Parts that belong together: a node, an arc, a piece, the legend."""

    #: Unique in the scene; in trees `n4` is a node, `a4` the arc to it, `f4` a group of collapsed nodes.
    id: str
    #: Style classes: `("node", "max", "visited")`.
    classes: tuple[str, ...]
    parts: list[Part] = field(default_factory=list)
    #: Tooltip.
    title: str = ""


@dataclass(slots=True)
class Scene:
    """A complete picture."""

    width: float
    height: float
    title: str
    description: str
    groups: list[Group]
    styles: StyleSheet = TREE_STYLES


def moved(part: Part, x: float, y: float, scale: float = 1.0) -> Part:
    """A part scaled and moved by (x, y). Texts keep their size."""
    if isinstance(part, Text):
        return Text(part.kind, x + part.x * scale, y + part.y * scale, part.text, part.anchor)
    if isinstance(part, Circle):
        return Circle(part.kind, (x + part.centre[0] * scale, y + part.centre[1] * scale), part.radius * scale)
    if isinstance(part, Inset):
        return Inset(part.kind, x + part.x * scale, y + part.y * scale, part.scale * scale, part.scene)
    return type(part)(part.kind, [(x + across * scale, y + down * scale) for across, down in part.points])


def sheets(scene: Scene) -> list[StyleSheet]:
    """The style sheets of a scene and of the scenes in it."""
    insets = (part.scene for group in scene.groups for part in group.parts if isinstance(part, Inset))
    return list(dict.fromkeys([scene.styles, *(inner.styles for inner in insets)]))
