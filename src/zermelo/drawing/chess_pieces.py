"""Shapes of chess pieces, drawn for this library: outlines and lines on a square of 100 by 100.

Except for the knight, only the right half of an outline is given, from the top down; the left half mirrors it.
"""

from __future__ import annotations

from functools import cache

from zermelo.drawing.scene import Point

#: SVG path data: M, L and C (cubic Bezier) with absolute coordinates.
_HALVES = {
    "pawn": "M50 17 C59 17 65.5 23.5 65.5 32 C65.5 37 63 41.5 59 44 L66 50 C66 53 64.5 54 62 54 L58 54 "
    "C59 64 64 69 70 73 C75 76.5 77 81 77 87 L50 87",
    "rook": "M50 19 L57 19 L57 27 L65 27 L65 19 L75 19 L75 35 L67 42 L69 66 L75 72 L75 77 L80 79 L80 87 L50 87",
    "bishop": "M50 12 C53.5 12 56 14.5 56 17.5 C56 19.5 55 21 53.8 22 C63 29 69 38 69 47 C69 54 66 59 61 62 L65 66 "
    "L63 72 C63 73 64 74 66 74 C75 75 81 77 81 87 L50 87",
    "queen": "M50 24 L59 52 L70 25 L72.5 53 L88 33 L79 64 C77 68 77 71 78 75 C80 79 81 82 81 87 L50 87",
    "king": "M50 26 C55 26 58 30 58 35 C58 37 57.5 39 56.5 41 C61 33 69 30 76 31.5 C86 34 89 44 85 52 C82 58 78 62 "
    "76 66 C76 71 77 74 78 77 C80 80 81 83 81 87 L50 87",
}
_KNIGHT = (
    "M81 87 C84 66 82 45 70 31 C66 26 60 22.5 54 21 L50 11 L45.5 20 L37 15 L38 25 C34 30 31 36 28 42 C24 48 18.5 52 "
    "17.5 58 C16.5 64 21 68.5 25.5 67.5 C27.5 67 28.5 66 30 64.5 C29.5 66.5 28.5 68 27.5 69 C30 70.5 33 69.5 35 66.5 "
    "C38.5 62 44 60.5 48.5 57 C49.5 63 46 67 40 71.5 C34 76 30.5 80 30.5 87"
)
#: Lines on the pieces.
_LINES = {
    "pawn": (),
    "rook": ("M33 42 L67 42", "M31 66 L69 66", "M25 77 L75 77"),
    "bishop": ("M50 34 L50 50", "M43 41.5 L57 41.5", "M39 62 L61 62", "M37 73 L63 73"),
    "queen": ("M22 65 C40 60 60 60 78 65", "M22 75 C40 70 60 70 78 75"),
    "king": ("M24 66 C40 61 60 61 76 66", "M22 77 C40 72 60 72 78 77", "M50 41 L50 58"),
    "knight": ("M66 36 C74 48 76 64 73.5 82",),
}
#: Circles: x, y and radius. The balls of the queen's crown are drawn over her outline.
_BALLS = {
    "queen": ((50.0, 20.0, 4.6), (70.0, 21.0, 4.6), (30.0, 21.0, 4.6), (88.0, 29.0, 4.6), (12.0, 29.0, 4.6)),
}
_DOTS = {"knight": ((41.0, 34.5, 2.4), (23.5, 58.5, 1.7))}
_CROSS = "M47.5 26 L47.5 19 L42 19 L42 14 L47.5 14 L47.5 8 L52.5 8 L52.5 14 L58 14 L58 19 L52.5 19 L52.5 26"
#: Line segments per curve.
_STEPS = 7

#: Filled outlines, lines, circles with border, and dots, on a square of 100 by 100.
Shape = tuple[
    tuple[tuple[Point, ...], ...],
    tuple[tuple[Point, ...], ...],
    tuple[tuple[float, float, float], ...],
    tuple[tuple[float, float, float], ...],
]


@cache
def shape(kind: str) -> Shape:
    """The shape of a piece, one of `zermelo.core.picture.CHESS_PIECES`."""
    if kind == "knight":
        outline = points(_KNIGHT)
    else:
        half = points(_HALVES[kind])
        outline = half + tuple((100 - x, y) for x, y in reversed(half))
    outlines = (points(_CROSS), outline) if kind == "king" else (outline,)
    return outlines, tuple(map(points, _LINES[kind])), _BALLS.get(kind, ()), _DOTS.get(kind, ())


def points(path: str) -> tuple[Point, ...]:
    """Convert path data to points; curves become short line segments."""
    words = path.replace("M", " ").replace("L", " L ").replace("C", " C ").split()
    result: list[Point] = []
    kind = "L"
    place = 0
    while place < len(words):
        if words[place] in "LC":
            kind = words[place]
            place += 1
        count = 3 if kind == "C" else 1
        numbers = [float(word) for word in words[place : place + 2 * count]]
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        place += 2 * count
        if kind == "L":
            result += ends
        else:
            corners = (result[-1], *ends)
            result += [_on_curve(corners, step / _STEPS) for step in range(1, _STEPS + 1)]
    return tuple(result)


def _on_curve(corners: tuple[Point, ...], t: float) -> Point:
    """The point at `t` (0 to 1) of a cubic Bezier curve."""
    s = 1 - t
    weights = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, corners, strict=True)) for axis in (0, 1))
    return x, y
