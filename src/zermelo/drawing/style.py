"""Style sheets of drawings, shared by all back ends.

No information is carried by colour alone: players differ in shape, pruned arcs are crossed out and dashed, the
principal variation is thick.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

#: Colours by role, for light and dark themes. Greys keep a contrast ratio of 4.5:1 (WCAG AA).
COLOURS = {
    "paper": ("#ffffff", "#14171a"),
    "ink": ("#111111", "#f0f0f0"),
    "grey": ("#6b6b6b", "#a3a3a3"),
    "pale": ("#f1f1f1", "#2a2e33"),
    "max": ("#dbe8fb", "#1f3a5f"),
    "min": ("#fde4cf", "#5c3615"),
    "chance": ("#e3f1d9", "#2c4a20"),
    "leaf": ("#ffffff", "#14171a"),
    "cut": ("#b00020", "#ff8a94"),
}

#: Colours of pages around the drawings: text, lines, controls. Texts keep a contrast ratio of 4.5:1 (WCAG AA) on
#: `ground`, `panel` and `raised`, and lines of controls 3:1.
PAGE_COLOURS = {
    "ground": COLOURS["paper"],
    "panel": ("#f4f6f9", "#20242c"),
    "raised": ("#ffffff", "#1b1f25"),
    "ink": ("#1b1d22", "#e7e9ee"),
    "soft": ("#5a606b", "#a9b0bd"),
    "line": ("#868c97", "#7a818e"),
    "hairline": ("#dde1e8", "#343a44"),
    "here": ("#0b57d0", "#8ab4f8"),
    "on-here": ("#ffffff", "#0b1c38"),
    "bad": ("#a50e0e", "#ffb4a9"),
    "good": ("#146c2e", "#8fd6a0"),
    "warn": ("#7a4f00", "#f2c46d"),
    "max": COLOURS["max"],
    "min": COLOURS["min"],
    "chance": COLOURS["chance"],
    "cut": COLOURS["cut"],
}

#: Colours of moves on boards, which are as light in both themes: arrows, the chosen square, the squares to choose from.
MOVE_COLOURS = {
    "best": "#15781b",
    "good": "#1d6fb8",
    "bad": "#b3261e",
    "hint": "#8a5a00",
    "drawn": "#b35f00",
    "selected": "#3f9a2f",
    "target": "#14531f",
    "focus": "#0b57d0",
}


def page_variables() -> str:
    """`PAGE_COLOURS` as CSS variables (`--ink`) of a page that follows the reader's light or dark setting."""
    light, dark = (
        "".join(f" --{name}: {pair[theme]};" for name, pair in PAGE_COLOURS.items() if theme == 0 or pair[0] != pair[1])
        for theme in (0, 1)
    )
    return (
        f":root {{ color-scheme: light dark;{light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n"
    )


@dataclass(frozen=True, slots=True)
class Style:
    """The look of one part. Colours are keys of the style sheet's `colours`, "" for none; lengths are in points."""

    stroke: str = ""
    fill: str = ""
    width: float = 1.0
    dash: tuple[float, ...] = ()
    size: float = 11.0
    bold: bool = False
    italic: bool = False
    mono: bool = False


#: Style rules; later rules override earlier ones: class of the group ("" for any), kind of the part, properties.
RULES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("", "edge", {"stroke": "ink", "width": 1.1}),
    ("", "cross", {"stroke": "cut", "width": 2.0}),
    ("", "shape", {"stroke": "ink", "fill": "leaf", "width": 1.1}),
    ("", "player", {"stroke": "ink", "fill": "leaf", "width": 0.7}),
    ("", "frame", {"stroke": "grey", "fill": "paper", "width": 0.7}),
    ("", "answer", {"stroke": "grey", "width": 0.7, "dash": (2.0, 2.0)}),
    ("", "name", {"fill": "ink", "size": 11.0}),
    ("", "value", {"fill": "ink", "size": 13.0, "bold": True}),
    ("", "window", {"fill": "ink", "size": 11.0}),
    ("", "order", {"fill": "grey", "size": 9.5, "italic": True}),
    ("", "reason", {"fill": "cut", "size": 10.0, "italic": True}),
    ("", "number", {"fill": "cut", "size": 10.0, "bold": True}),
    ("", "transposition", {"fill": "grey", "size": 10.0, "italic": True}),
    ("", "move", {"fill": "ink", "size": 10.5}),
    ("", "state", {"fill": "ink", "size": 9.0, "mono": True}),
    ("", "count", {"fill": "grey", "size": 10.0}),
    ("", "side", {"fill": "grey", "size": 11.0, "bold": True}),
    ("", "caption", {"fill": "ink", "size": 11.0}),
    ("max", "shape", {"fill": "max"}),
    ("min", "shape", {"fill": "min"}),
    ("chance", "shape", {"fill": "chance"}),
    ("max", "player", {"fill": "max"}),
    ("min", "player", {"fill": "min"}),
    ("chance", "player", {"fill": "chance"}),
    ("fold", "shape", {"stroke": "grey", "fill": "pale", "dash": (3.0, 2.0)}),
    ("leaf", "value", {"size": 12.0, "bold": False}),
    ("leaf", "name", {"fill": "grey", "size": 10.0}),
    ("visited", "value", {"bold": True}),
    ("line", "edge", {"width": 3.4}),
    ("line", "shape", {"width": 2.4}),
    ("pruned", "edge", {"stroke": "grey", "dash": (4.0, 3.0)}),
    ("pruned", "shape", {"stroke": "grey", "fill": "paper", "dash": (3.0, 2.0)}),
    ("pruned", "name", {"fill": "grey"}),
    ("pruned", "value", {"fill": "grey"}),
    ("pruned", "move", {"fill": "grey"}),
    ("pruned", "state", {"fill": "grey"}),
    ("current", "shape", {"stroke": "cut", "width": 3.2}),
)


@dataclass(frozen=True, eq=False, slots=True)
class StyleSheet:
    """The styles of one kind of drawing: trees, or boards."""

    #: Class of the SVG element, which scopes the CSS, so that one page can hold both kinds.
    name: str
    colours: dict[str, tuple[str, str]]
    rules: tuple[tuple[str, str, dict[str, Any]], ...]
    #: Additional CSS for SVG.
    extra_css: str = ""


#: Styles of trees and searches.
TREE_STYLES = StyleSheet(
    "zermelo", COLOURS, RULES, ".zermelo .arc:not(.crossed) .cross,.zermelo .arc:not(.crossed) .number{display:none}"
)


@lru_cache(maxsize=4096)
def style(classes: tuple[str, ...], kind: str, sheet: StyleSheet = TREE_STYLES) -> Style:
    """The style of a part of this kind in a group with these classes."""
    result = Style()
    for group_class, part_kind, properties in sheet.rules:
        if part_kind == kind and (not group_class or group_class in classes):
            result = replace(result, **properties)
    return result
