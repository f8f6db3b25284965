"""SVG back end: real text, a description for screen readers, and a structure that scripts can work on.

    <svg class="zermelo ..." role="img" aria-labelledby="title desc">
      <title> <desc> <style>
      <g class="arc min visited line" id="a4">   the arc to node 4: path.edge, path.cross, text.number, text.move
      <g class="node min visited line" id="n4">  node 4: .shape, and text: .name, .value, .window, .order, ...
      <g class="fold" id="f7">                   collapsed nodes, from node 7 on
      <g class="row">, <g class="key">, <g class="legend">
      <g class="board">                          a board in a node: <g class="zermelo-board"> for each of its groups

Boards of one picture share what they have in common: a group that occurs again is a `use` of the first one.

`zermelo.teaching.diagrams.labels.Label.classes` lists the classes of nodes and arcs. Interactive scenes also contain
elements that are still empty or hidden.
"""

from __future__ import annotations

import re
from functools import cache
from xml.sax.saxutils import escape, quoteattr

from zermelo.drawing.options import AUTO, LIGHT
from zermelo.drawing.scene import Circle, Group, Inset, Line, Part, Scene, Text, sheets
from zermelo.drawing.style import TREE_STYLES, StyleSheet

FONT = "'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif"
MONO = "'DejaVu Sans Mono', Consolas, Menlo, monospace"
_ANCHORS = {"start": "", "middle": ' text-anchor="middle"', "end": ' text-anchor="end"'}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Scenes with more groups have no tooltips: they would be most of the file.
_MAX_TOOLTIPS = 3000


def svg(scene: Scene, *, theme: str = LIGHT, prefix: str = "", standalone: bool = True, has_styles: bool = True) -> str:
    """Render a scene as SVG.

    Parameters
    ----------
    scene : Scene
    theme : {"light", "auto"}, default "light"
        Dark on white, or following the reader's light or dark setting.
    prefix : str, default ""
        Prefix of all ids.
    standalone : bool, default True
        Start with an XML declaration.
    has_styles : bool, default True
        Contain the style sheets. A page whose policy forbids inline styles has them in a file of its own.
    """
    width, height = _number(scene.width), _number(scene.height)
    classes = f"{scene.styles.name} auto" if theme == AUTO else scene.styles.name
    lines = ['<?xml version="1.0" encoding="UTF-8"?>'] if standalone else []
    lines += [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" aria-labelledby="{prefix}title {prefix}desc">',
        f'<title id="{prefix}title">{_escape(scene.title)}</title>',
        f'<desc id="{prefix}desc">{_escape(scene.description)}</desc>',
        *([f"<style>{''.join(map(css, sheets(scene)))}</style>"] if has_styles else []),
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]
    with_tooltips = len(scene.groups) <= _MAX_TOOLTIPS
    boards = _Boards(prefix, " auto" if theme == AUTO else "")
    lines += [_group(group, prefix, with_tooltips, boards) for group in scene.groups]
    lines.append("</svg>\n")
    return "\n".join(lines)


def _group(group: Group, prefix: str, with_tooltip: bool, boards: _Boards) -> str:
    title = f"<title>{_escape(group.title)}</title>" if group.title and with_tooltip else ""
    parts = "".join(boards.inset(part) if isinstance(part, Inset) else _part(part) for part in group.parts)
    return f'<g class="{" ".join(group.classes)}" id="{prefix}{group.id}">{title}{parts}</g>'


class _Boards:
    """Writes the boards of a picture; a group that occurs again refers to the first one."""

    def __init__(self, prefix: str, theme: str) -> None:
        self.prefix, self.theme = prefix, theme
        self.ids: dict[str, str] = {}  # of the groups written so far, by their text

    def inset(self, part: Inset) -> str:
        groups = "".join(self._group(group, part.scene.styles.name) for group in part.scene.groups)
        place = f"translate({_number(part.x)} {_number(part.y)}) scale({part.scale:.4g})"
        return f'<g class="{part.kind}" transform="{place}">{groups}</g>'

    def _group(self, group: Group, sheet: str) -> str:
        if not group.parts:
            return ""
        # The class of the style sheet is inside of what is used again: browsers match selectors in a copy alone.
        inner = f'<g class="{" ".join(group.classes)}">{"".join(map(_part, group.parts))}</g>'
        if inner in self.ids:
            return f'<use href="#{self.ids[inner]}"/>'
        id = self.ids[inner] = f"{self.prefix}b{len(self.ids)}"
        return f'<g id="{id}" class="{sheet}{self.theme}">{inner}</g>'


def _part(part: Part) -> str:
    assert not isinstance(part, Inset)  # boards contain no boards
    if isinstance(part, Text):
        space = ' xml:space="preserve"' if part.kind == "state" else ""
        place = f'x="{_number(part.x)}" y="{_number(part.y)}"{_ANCHORS[part.anchor]}{space}'
        return f'<text class="{part.kind}" {place}>{_escape(part.text)}</text>'
    if isinstance(part, Circle):
        x, y = part.centre
        return f'<circle class="{part.kind}" cx="{_number(x)}" cy="{_number(y)}" r="{_number(part.radius)}"/>'
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in part.points)
    return f'<{"polyline" if isinstance(part, Line) else "polygon"} class={quoteattr(part.kind)} points="{points}"/>'


def _number(value: float) -> str:
    """A length to a tenth of a point, so that the output is the same on every machine."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def _escape(text: str) -> str:
    """Text escaped for XML; characters that XML cannot contain become U+FFFD."""
    return escape(_NOT_IN_XML.sub("\ufffd", text))


@cache
def css(sheet: StyleSheet = TREE_STYLES, dark: bool = True) -> str:
    """A style sheet as CSS, with `dark` colours for the theme `auto`."""
    light = f"{_rules(sheet, '', 0)}{sheet.extra_css}"
    return f"{light}@media (prefers-color-scheme:dark){{{_rules(sheet, '.auto', 1)}}}" if dark else light


def _rules(sheet: StyleSheet, theme: str, dark: int) -> str:
    """The rules for light colours (`dark` 0), or the differences for dark colours (1)."""
    top, colours = f".{sheet.name}", sheet.colours
    rules = [f"{top}{theme} .paper{{fill:{colours['paper'][dark]};stroke:none}}"]
    if not dark:
        rules.append(f"{top} text{{font-family:{FONT}}}{top} .state{{font-family:{MONO};white-space:pre}}")
    for group_class, kind, look in sheet.rules:
        properties: list[str] = []
        if "stroke" in look:
            properties.append(f"stroke:{colours[look['stroke']][dark]}")
        if "fill" in look:
            properties.append(f"fill:{colours[look['fill']][dark]}")
        elif not group_class and "stroke" in look:
            properties.append("fill:none")
        if not (dark or group_class or "stroke" in look or "size" in look):
            properties.append("stroke:none")
        if not dark:
            properties += [f"stroke-width:{look['width']:g}"] if "width" in look else []
            if "dash" in look:
                properties.append(f"stroke-dasharray:{' '.join(f'{length:g}' for length in look['dash'])}")
            properties += [f"font-size:{look['size']:g}px"] if "size" in look else []
            properties += [f"font-weight:{'bold' if look['bold'] else 'normal'}"] if "bold" in look else []
            properties += ["font-style:italic"] if look.get("italic") else []
        if properties:
            selector = f".{group_class} " if group_class else ""
            rules.append(f"{top}{theme} {selector}.{kind}{{{';'.join(properties)}}}")
    return "".join(rules)
