r"""TikZ back end, for LaTeX.

The output is a complete document, or with `standalone` off a `tikzpicture` for another document, which needs
\usepackage{tikz} and none of TikZ's libraries.
"""

from __future__ import annotations

import re

from zermelo.drawing.scene import Circle, Group, Inset, Line, Part, Point, Scene, Text, sheets
from zermelo.drawing.style import Style, StyleSheet, style

#: Largest side in points; larger scenes are scaled down. TeX's lengths end at 16,384 points.
MAX_SIDE = 14_000.0

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "-": "{-}",
    "`": r"\textasciigrave{}", "'": "{'}",
    "−": "$-$", "∞": r"$\infty$", "≥": r"$\geq$", "≤": r"$\leq$", "α": r"$\alpha$", "β": r"$\beta$", "×": r"$\times$",
    "±": r"$\pm$", "…": r"\ldots{}", "·": r"$\cdot$", "●": r"$\bullet$", "○": r"$\circ$", "→": r"$\to$",
    "–": "--", "—": "---", "\u00a0": "~",
}  # fmt: skip
#: Characters that every LaTeX engine prints from UTF-8 input: ASCII and the letters of Latin-1.
_LATIN = frozenset(map(chr, (*range(32, 127), *range(0xC0, 0xD0), *range(0xD1, 0xD7), *range(0xD8, 0xDE),
                             *range(0xDF, 0xF0), *range(0xF1, 0xF7), *range(0xF8, 0xFE), 0xFF)))  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def tikz(scene: Scene, *, standalone: bool = True) -> str:
    """Render a scene as TikZ code.

    Parameters
    ----------
    scene : Scene
    standalone : bool, default True
        Write a complete document instead of a `tikzpicture` environment.

    Notes
    -----
    Characters other than Latin letters and common symbols need LuaLaTeX or XeLaTeX; pdfLaTeX prints `?` for them.
    """
    picture = _picture(scene)
    if not standalone:
        return picture
    return "\n".join(
        [
            rf"% {comment(scene.title)}",
            rf"% {comment(scene.description)}",
            r"\documentclass[tikz,border=2pt]{standalone}",
            r"\begin{document}",
            picture + r"\end{document}",
            "",
        ]
    )


def _picture(scene: Scene) -> str:
    scale = min(1.0, MAX_SIDE / max(scene.width, scene.height))
    styles = Styles()
    lines = ["  " + line for group in scene.groups for line in styles.group(group, scene.styles)]
    size = f"scale={scale:.4f}, transform shape, " if scale < 1 else ""
    return "\n".join(
        [
            rf"\begin{{tikzpicture}}[{size}x=1bp, y=-1bp, line join=round,",
            *styles.definitions(),
            "  ]",
            *(line for sheet in sheets(scene) for line in colours(sheet)),
            *lines,
            r"\end{tikzpicture}",
            "",
        ]
    )


def colours(sheet: StyleSheet) -> list[str]:
    """Definitions of the colours of a style sheet."""
    return [
        rf"  \definecolor{{{sheet.name}-{name}}}{{HTML}}{{{pair[0][1:].upper()}}}"
        for name, pair in sheet.colours.items()
    ]


class Styles:
    """Writes groups as TikZ code, and collects the TikZ styles that they use."""

    def __init__(self) -> None:
        self._looks: dict[str, str] = {}
        self._scales: dict[float, str] = {1.0: ""}  # a suffix for each scale: TikZ does not scale line widths

    def definitions(self) -> list[str]:
        """The styles used so far, as options of a `tikzpicture`."""
        return [f"  {name}/.style={{{look}}}," for name, look in sorted(self._looks.items())]

    def group(self, group: Group, sheet: StyleSheet, scale: float = 1.0) -> list[str]:
        """The lines of a group."""
        return [line for part in group.parts for line in self.part(part, group.classes, sheet, scale)]

    def part(self, part: Part, classes: tuple[str, ...], sheet: StyleSheet, scale: float = 1.0) -> list[str]:
        """The lines of a part of a group with these classes."""
        if not isinstance(part, Inset):
            return [_tikz_part(part, self._name(part.kind, classes, sheet, scale))]
        place = f"shift={{{_point((part.x, part.y))}}}, scale={part.scale:.4g}, transform shape"
        lines = [rf"\begin{{scope}}[{place}]"]
        for inner in part.scene.groups:
            lines += ["  " + line for line in self.group(inner, part.scene.styles, scale * part.scale)]
        return [*lines, r"\end{scope}"]

    def _name(self, kind: str, classes: tuple[str, ...], sheet: StyleSheet, scale: float) -> str:
        """Name a style after the part's kind and those classes of its group that have a rule for it."""
        relevant = [name for name, of, _ in sheet.rules if of == kind and name and name in classes]
        suffix = self._scales.setdefault(scale, f" {_letters(len(self._scales))}")
        name = f"{sheet.name.replace('-', ' ')} {' '.join([kind, *relevant])}{suffix}"
        if name not in self._looks:
            is_text = any(of == kind and "size" in look for _, of, look in sheet.rules)
            look = style(classes, kind, sheet)
            self._looks[name] = _text_style(look, sheet) if is_text else _path_style(look, sheet, scale)
        return name


def _letters(number: int) -> str:
    """`scaled a`, `scaled b`, ...: names of TikZ styles in letters only."""
    word = ""
    while number:
        number, digit = divmod(number - 1, 26)
        word = chr(ord("a") + digit) + word
    return f"scaled {word}"


def _text_style(look: Style, sheet: StyleSheet) -> str:
    slant = r"\itshape" if look.italic else ""
    family = r"\ttfamily" if look.mono else r"\sffamily"
    weight = r"\bfseries" if look.bold else ""
    font = rf"{family}{weight}{slant}\fontsize{{{look.size:g}bp}}{{{look.size * 1.2:g}bp}}\selectfont"
    return f"inner sep=0pt, outer sep=0pt, text={sheet.name}-{look.fill}, font={font}"


def _path_style(look: Style, sheet: StyleSheet, scale: float) -> str:
    properties: list[str] = []
    if look.stroke:
        properties += [f"draw={sheet.name}-{look.stroke}", f"line width={look.width * scale:.3g}bp"]
    if look.fill:
        properties.append(f"fill={sheet.name}-{look.fill}")
    if look.dash:
        lengths = (f"{word} {length * scale:.3g}bp" for word, length in zip(("on", "off"), look.dash, strict=True))
        properties.append(f"dash pattern={' '.join(lengths)}")
    return ", ".join(properties)


_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def _tikz_part(part: Part, name: str) -> str:
    assert not isinstance(part, Inset)
    if isinstance(part, Text):
        text = escape_latex(part.text, is_mono=part.kind == "state")
        return rf"\node[{name}, anchor={_ANCHORS[part.anchor]}] at {_point((part.x, part.y))} {{{text}}};"
    if isinstance(part, Circle):
        return rf"\path[{name}] {_point(part.centre)} circle[radius={part.radius:.1f}bp];"
    path = " -- ".join(map(_point, part.points))
    return rf"\path[{name}] {path}{'' if isinstance(part, Line) else ' -- cycle'};"


def _point(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def escape_latex(text: str, *, is_mono: bool = False) -> str:
    """Escape text so that LaTeX prints it verbatim and executes nothing in it."""
    text = _CONTROL.sub(" ", text)
    result = "".join(_ESCAPES.get(char) or (char if char in _LATIN else _unicode_only(char)) for char in text)
    return result.replace(" ", "~") if is_mono else result


def _unicode_only(char: str) -> str:
    """A character that LuaLaTeX and XeLaTeX print; pdfLaTeX prints a question mark."""
    return rf"{{\ifdefined\Umathchar {char}\else ?\fi}}"


def comment(text: str) -> str:
    """A text as one line for a comment."""
    return " ".join(_CONTROL.sub(" ", text).split())
