r"""TikZ back end, for LaTeX.

The output is a complete document, or with `standalone` off a `tikzpicture` for another document, which needs
\usepackage{tikz} and none of TikZ's libraries.
"""

from __future__ import annotations

import re

from zermelo.drawing.scene import Circle, Line, Part, Point, Scene, Text
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
            rf"% {_comment(scene.title)}",
            rf"% {_comment(scene.description)}",
            r"\documentclass[tikz,border=2pt]{standalone}",
            r"\begin{document}",
            picture + r"\end{document}",
            "",
        ]
    )


def _picture(scene: Scene) -> str:
    scale = min(1.0, MAX_SIDE / max(scene.width, scene.height))
    looks: dict[str, Style] = {}
    lines: list[str] = []
    for group in scene.groups:
        for part in group.parts:
            look = style(group.classes, part.kind, scene.styles)
            lines.append("  " + _tikz_part(part, _style_name(part.kind, group.classes, look, looks, scene.styles)))
    colours = [
        rf"  \definecolor{{zermelo-{name}}}{{HTML}}{{{pair[0][1:].upper()}}}"
        for name, pair in scene.styles.colours.items()
    ]
    texts = {kind for _, kind, look in scene.styles.rules if "size" in look}
    size = f"scale={scale:.4f}, transform shape, " if scale < 1 else ""
    return "\n".join(
        [
            rf"\begin{{tikzpicture}}[{size}x=1bp, y=-1bp, line join=round,",
            *(f"  {name}/.style={{{_style(look, name, texts)}}}," for name, look in sorted(looks.items())),
            "  ]",
            *colours,
            *lines,
            r"\end{tikzpicture}",
            "",
        ]
    )


def _style_name(kind: str, classes: tuple[str, ...], look: Style, looks: dict[str, Style], sheet: StyleSheet) -> str:
    """Name a style after the part's kind and those classes of its group that have a rule for it; add it to `looks`."""
    relevant = [name for name, of, _ in sheet.rules if of == kind and name and name in classes]
    name = "zermelo " + " ".join([kind, *relevant])
    looks[name] = look
    return name


def _style(look: Style, name: str, texts: set[str]) -> str:
    properties: list[str] = []
    if name.split()[1] in texts:
        slant = r"\itshape" if look.italic else ""
        family = r"\ttfamily" if look.mono else r"\sffamily"
        weight = r"\bfseries" if look.bold else ""
        font = rf"{family}{weight}{slant}\fontsize{{{look.size:g}bp}}{{{look.size * 1.2:g}bp}}\selectfont"
        return f"inner sep=0pt, outer sep=0pt, text=zermelo-{look.fill}, font={font}"
    if look.stroke:
        properties += [f"draw=zermelo-{look.stroke}", f"line width={look.width:g}bp"]
    if look.fill:
        properties.append(f"fill=zermelo-{look.fill}")
    if look.dash:
        lengths = (f"{word} {length:g}bp" for word, length in zip(("on", "off"), look.dash, strict=True))
        properties.append(f"dash pattern={' '.join(lengths)}")
    return ", ".join(properties)


_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def _tikz_part(part: Part, name: str) -> str:
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


def _comment(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())
