r"""A picture as TikZ, for LaTeX: the same scene as in SVG, its text set by LaTeX.

Alone it is a document that pdflatex makes a PDF of; with `standalone` off, a `tikzpicture` to be put into another
document, which needs only \usepackage{tikz} and nothing of TikZ's libraries.
"""

from __future__ import annotations

import re
from dataclasses import replace

from zermelo.drawing.scene import Circle, Line, Part, Point, Scene, Text
from zermelo.drawing.style import Sheet, Style, style
from zermelo.teaching.diagrams.options import Options
from zermelo.teaching.diagrams.scenes import Drawn, scene_of

#: TeX knows no longer lengths than this, in points, nor a little less; a wider picture is made smaller.
MOST_POINTS = 14_000.0

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "-": "{-}",
    "`": r"\textasciigrave{}", "'": "{'}",
    "−": "$-$", "∞": r"$\infty$", "≥": r"$\geq$", "≤": r"$\leq$", "α": r"$\alpha$", "β": r"$\beta$", "×": r"$\times$",
    "±": r"$\pm$", "…": r"\ldots{}", "·": r"$\cdot$", "●": r"$\bullet$", "○": r"$\circ$", "→": r"$\to$",
    "–": "--", "—": "---", "\u00a0": "~",
}  # fmt: skip
#: What every LaTeX prints that reads UTF-8: ASCII, and the letters of Western Europe.
_LATIN = frozenset(map(chr, (*range(32, 127), *range(0xC0, 0xD0), *range(0xD1, 0xD7), *range(0xD8, 0xDE),
                             *range(0xDF, 0xF0), *range(0xF1, 0xF7), *range(0xF8, 0xFE), 0xFF)))  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def tikz(drawn: Drawn, options: Options | None = None) -> str:
    """The picture as TikZ. Signs beyond Latin letters and the usual ones come out with LuaLaTeX and XeLaTeX only."""
    chosen = replace(options or Options(), stages=False)
    scene = scene_of(drawn, chosen)
    picture = _picture(scene)
    if not chosen.standalone:
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
    scale = min(1.0, MOST_POINTS / max(scene.width, scene.height))
    looks: dict[str, Style] = {}
    lines: list[str] = []
    for group in scene.groups:
        for part in group.parts:
            look = style(group.kinds, part.kind, scene.sheet)
            lines.append("  " + _drawn(part, _named(part.kind, group.kinds, look, looks, scene.sheet)))
    colours = [
        rf"  \definecolor{{zermelo-{name}}}{{HTML}}{{{both[0][1:].upper()}}}"
        for name, both in scene.sheet.colours.items()
    ]
    texts = {kind for _, kind, look in scene.sheet.rules if "size" in look}
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


def _named(kind: str, words: tuple[str, ...], look: Style, looks: dict[str, Style], sheet: Sheet) -> str:
    """The name of a style: the part's kind, and the words of its group that make it look so."""
    telling = [word for word, of, _ in sheet.rules if of == kind and word and word in words]
    name = "zermelo " + " ".join([kind, *telling])
    looks[name] = look
    return name


def _style(look: Style, name: str, texts: set[str]) -> str:
    said: list[str] = []
    if name.split()[1] in texts:
        slant = r"\itshape" if look.italic else ""
        family = r"\ttfamily" if look.mono else r"\sffamily"
        weight = r"\bfseries" if look.bold else ""
        font = rf"{family}{weight}{slant}\fontsize{{{look.size:g}bp}}{{{look.size * 1.2:g}bp}}\selectfont"
        return f"inner sep=0pt, outer sep=0pt, text=zermelo-{look.fill}, font={font}"
    if look.stroke:
        said += [f"draw=zermelo-{look.stroke}", f"line width={look.width:g}bp"]
    if look.fill:
        said.append(f"fill=zermelo-{look.fill}")
    if look.dash:
        lengths = (f"{word} {length:g}bp" for word, length in zip(("on", "off"), look.dash, strict=True))
        said.append(f"dash pattern={' '.join(lengths)}")
    return ", ".join(said)


_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def _drawn(part: Part, name: str) -> str:
    if isinstance(part, Text):
        said = escaped(part.text, is_mono=part.kind == "state")
        return rf"\node[{name}, anchor={_ANCHORS[part.anchor]}] at {_point((part.x, part.y))} {{{said}}};"
    if isinstance(part, Circle):
        return rf"\path[{name}] {_point(part.centre)} circle[radius={part.radius:.1f}bp];"
    way = " -- ".join(map(_point, part.points))
    return rf"\path[{name}] {way}{'' if isinstance(part, Line) else ' -- cycle'};"


def _point(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def escaped(text: str, *, is_mono: bool = False) -> str:
    """A text so that LaTeX prints it as it is, and can do nothing else with it."""
    text = _CONTROL.sub(" ", text)
    said = "".join(_ESCAPES.get(sign) or (sign if sign in _LATIN else _elsewhere(sign)) for sign in text)
    return said.replace(" ", "~") if is_mono else said


def _elsewhere(sign: str) -> str:
    """A sign that only the younger engines of TeX can print; the others print a question mark."""
    return rf"{{\ifdefined\Umathchar {sign}\else ?\fi}}"


def _comment(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())
