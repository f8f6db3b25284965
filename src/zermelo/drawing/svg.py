"""A picture as SVG: real text, a description for screen readers, and a structure that a script can work on.

    <svg class="zermelo ..." role="img" aria-labelledby="title desc">
      <title> <desc> <style>
      <g class="arc min visited line" id="a4">   the arc to node 4: path.way, path.cross, text.number, text.move
      <g class="node min visited line" id="n4">  node 4: .shape, and text: .name, .value, .window, .order, ...
      <g class="fold" id="f7">                   the nodes from 7 on, folded
      <g class="row">, <g class="key">, <g class="legend">

The class names are those of `zermelo.teaching.diagrams.labels.Label.signs`; add or remove one and the look
follows. With the option `stages` also what is still empty or hidden is there.
"""

from __future__ import annotations

import re
from functools import cache
from xml.sax.saxutils import escape, quoteattr

from zermelo.drawing.scene import Circle, Group, Line, Part, Scene, Text
from zermelo.drawing.style import TREES, Sheet
from zermelo.teaching.diagrams.options import AUTO, Options
from zermelo.teaching.diagrams.scenes import Drawn, scene_of

FONT = "'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif"
MONO = "'DejaVu Sans Mono', Consolas, Menlo, monospace"
_ANCHORS = {"start": "", "middle": ' text-anchor="middle"', "end": ' text-anchor="end"'}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: More nodes than this get no line of their own for who points at them: it would be most of the file.
_TITLES_UP_TO = 3000


def svg(drawn: Drawn, options: Options | None = None) -> str:
    """The picture of a tree, a trace or a position as SVG. Raises `TreeError` for a step that there is not."""
    chosen = options or Options()
    return written(scene_of(drawn, chosen), chosen)


def written(scene: Scene, options: Options) -> str:
    """A scene as SVG."""
    prefix = options.prefix
    wide, tall = _number(scene.width), _number(scene.height)
    theme = f"{scene.sheet.name} auto" if options.theme == AUTO else scene.sheet.name
    told = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{theme}" role="img" width="{wide}" height="{tall}" '
        f'viewBox="0 0 {wide} {tall}" aria-labelledby="{prefix}title {prefix}desc">',
        f'<title id="{prefix}title">{_clean(scene.title)}</title>',
        f'<desc id="{prefix}desc">{_clean(scene.description)}</desc>',
        f"<style>{css(scene.sheet)}</style>",
        f'<rect class="paper" width="{wide}" height="{tall}"/>',
    ]
    if options.standalone:
        told.insert(0, '<?xml version="1.0" encoding="UTF-8"?>')
    with_titles = len(scene.groups) <= _TITLES_UP_TO
    for group in scene.groups:
        told.append(_group(group, prefix, with_titles))
    told.append("</svg>\n")
    return "\n".join(told)


def _group(group: Group, prefix: str, with_titles: bool) -> str:
    title = f"<title>{_clean(group.title)}</title>" if group.title and with_titles else ""
    parts = "".join(_part(part) for part in group.parts)
    return f'<g class="{" ".join(group.kinds)}" id="{prefix}{group.id}">{title}{parts}</g>'


def _part(part: Part) -> str:
    if isinstance(part, Text):
        keep = ' xml:space="preserve"' if part.kind == "state" else ""
        place = f'x="{_number(part.x)}" y="{_number(part.y)}"{_ANCHORS[part.anchor]}{keep}'
        return f'<text class="{part.kind}" {place}>{_clean(part.text)}</text>'
    if isinstance(part, Circle):
        x, y = part.centre
        return f'<circle class="{part.kind}" cx="{_number(x)}" cy="{_number(y)}" r="{_number(part.radius)}"/>'
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in part.points)
    return f'<{"polyline" if isinstance(part, Line) else "polygon"} class={quoteattr(part.kind)} points="{points}"/>'


def _number(value: float) -> str:
    """A length in a tenth of a point; the same on every machine."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def _clean(text: str) -> str:
    """Text as XML can hold it: what no XML may contain is shown as a mark."""
    return escape(_NOT_IN_XML.sub("\ufffd", text))


@cache
def css(sheet: Sheet = TREES) -> str:
    """The style sheet, light, and dark for the theme `auto` on screens that are set so."""
    return f"{_rules(sheet, '', 0)}{sheet.more}@media (prefers-color-scheme:dark){{{_rules(sheet, '.auto', 1)}}}"


def _rules(sheet: Sheet, theme: str, dark: int) -> str:
    top, colours = f".{sheet.name}", sheet.colours
    rules = [f"{top}{theme} .paper{{fill:{colours['paper'][dark]};stroke:none}}"]
    if not dark:
        rules.append(f"{top} text{{font-family:{FONT}}}{top} .state{{font-family:{MONO};white-space:pre}}")
    for word, kind, look in sheet.rules:
        said: list[str] = []
        if "stroke" in look:
            said.append(f"stroke:{colours[look['stroke']][dark]}")
        if "fill" in look:
            said.append(f"fill:{colours[look['fill']][dark]}")
        elif not word and "stroke" in look:
            said.append("fill:none")
        if not dark:
            said += [f"stroke-width:{look['width']:g}"] if "width" in look else []
            said += [f"stroke-dasharray:{' '.join(f'{length:g}' for length in look['dash'])}"] if "dash" in look else []
            said += [f"font-size:{look['size']:g}px"] if "size" in look else []
            said += [f"font-weight:{'bold' if look['bold'] else 'normal'}"] if "bold" in look else []
            said += ["font-style:italic"] if look.get("italic") else []
        if said:
            rules.append(f"{top}{theme} {'.' + word + ' ' if word else ''}.{kind}{{{';'.join(said)}}}")
    return "".join(rules)
