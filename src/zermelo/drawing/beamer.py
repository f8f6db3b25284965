r"""Beamer back end: a sequence of pictures as one slide of LaTeX Beamer, with an overlay for each picture.

What two pictures have in common is written once. The rest is inside `\only<2-5,9>{...}`, which shows it on these
overlays. Boards are boxes, which LaTeX typesets once and not for each overlay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

from zermelo.drawing.scene import Inset, Part, Scene, sheets
from zermelo.drawing.style import StyleSheet
from zermelo.drawing.tikz import Styles, colours, comment

#: The part of a slide of Beamer (160 x 90 mm) that a picture may fill, in points.
WIDTH, HEIGHT = 436.0, 243.0
_UNITS = "x=1bp, y=-1bp, line join=round"


def beamer(scenes: Sequence[Scene], *, standalone: bool = True) -> str:
    r"""Render scenes of one size as the overlays of a slide.

    Parameters
    ----------
    scenes : sequence of Scene
    standalone : bool, default True
        Write a complete document instead of a `frame` environment, which needs \usepackage{tikz}, with the styles and
        boxes that it uses.
    """
    styles, boxes = Styles(), _Boxes()
    lines = [f"  {line}" for slot in _slots(scenes, styles, boxes) for line in slot]
    width, height = max(scene.width for scene in scenes), max(scene.height for scene in scenes)
    used: list[StyleSheet] = list(dict.fromkeys(sheet for scene in scenes for sheet in sheets(scene)))
    frame = [
        r"\tikzset{",
        *styles.definitions(),
        "}",
        *(line.strip() for sheet in used for line in colours(sheet)),
        *boxes.definitions,
        r"\begin{frame}[plain]",
        r"\centering",
        rf"\scalebox{{{min(WIDTH / width, HEIGHT / height):.4f}}}{{%",
        rf"\begin{{tikzpicture}}[{_UNITS}]",
        rf"  \useasboundingbox (0,0) rectangle ({width:.1f},{height:.1f});",
        *lines,
        r"\end{tikzpicture}}",
        r"\end{frame}",
        "",
    ]
    if not standalone:
        return "\n".join(frame)
    head = [
        rf"% {comment(scenes[-1].title)}, {len(scenes)} overlays",
        rf"% {comment(scenes[-1].description)}",
        r"\documentclass[aspectratio=169]{beamer}",
        r"\usepackage{tikz}",
        r"\setbeamertemplate{navigation symbols}{}",
        r"\setbeamersize{text margin left=3mm, text margin right=3mm}",
        r"\begin{document}",
    ]
    return "\n".join([*head, *frame[:-1], r"\end{document}", ""])


class _Boxes:
    """Boards as boxes of LaTeX, named after a checksum of their code."""

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self._names: dict[tuple[str, ...], str] = {}
        self._codes: dict[tuple[int, float], tuple[str, ...]] = {}

    def lines(self, part: Part, classes: tuple[str, ...], sheet: StyleSheet, styles: Styles) -> tuple[str, ...]:
        """The lines of a part; for a board, the box that is defined with it."""
        if not isinstance(part, Inset):
            return tuple(styles.part(part, classes, sheet))
        key = id(part.scene), part.scale  # most overlays share their boards
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = tuple(styles.part(replace(part, x=0.0, y=0.0), classes, sheet))
        if code not in self._names:
            digits = f"{crc32(chr(10).join(code).encode()):o}"
            name = self._names[code] = r"\zermeloboard" + "".join(chr(ord("a") + int(digit)) for digit in digits)
            width, height = part.scene.width * part.scale, part.scene.height * part.scale
            self.definitions += [
                rf"\ifdefined{name}\else\newsavebox{{{name}}}\fi",
                rf"\sbox{{{name}}}{{\begin{{tikzpicture}}[{_UNITS}]",
                rf"  \useasboundingbox (0,0) rectangle ({width:.2f},{height:.2f});",
                *(f"  {line}" for line in code),
                r"\end{tikzpicture}}",
            ]
        place = f"({part.x:.1f},{part.y:.1f})"
        return (
            rf"\node[inner sep=0pt, outer sep=0pt, anchor=north west] at {place} {{\usebox{{{self._names[code]}}}}};",
        )


def _slots(scenes: Sequence[Scene], styles: Styles, boxes: _Boxes) -> list[list[str]]:
    """The lines of the scenes, in the order in which they are drawn, each variant of a part with its overlays.

    A part of a scene corresponds to the part of the same kind and number in the group with the same id.
    """
    groups: dict[str, int] = {}  # order of the groups
    slots: dict[tuple[str, str, int], dict[tuple[str, ...], list[int]]] = {}
    order: dict[tuple[str, str, int], tuple[int, int]] = {}
    for overlay, scene in enumerate(scenes, 1):
        for group in scene.groups:
            place = groups.setdefault(group.id, len(groups))
            counts: dict[str, int] = {}
            for number, part in enumerate(group.parts):
                counts[part.kind] = counts.get(part.kind, 0) + 1
                slot = group.id, part.kind, counts[part.kind]
                order.setdefault(slot, (place, number))
                lines = boxes.lines(part, group.classes, scene.styles, styles)
                slots.setdefault(slot, {}).setdefault(lines, []).append(overlay)
    written: list[list[str]] = []
    for slot in sorted(slots, key=order.__getitem__):
        for lines, overlays in slots[slot].items():
            if len(overlays) == len(scenes):
                written.append(list(lines))
            else:
                body = [f"  {line}" for line in lines]
                written.append([rf"\only<{ranges(overlays)}>{{%", *body, "}"])
    return written


def ranges(numbers: Sequence[int]) -> str:
    """Increasing numbers as ranges.

    >>> ranges([1, 2, 3, 5, 8, 9])
    '1-3,5,8-9'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
