"""What the things of a picture look like, in one place for all back ends.

Nothing is told by colour alone: players differ in shape, arcs that are cut off are crossed and dashed, the principal
variation is thick.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

#: Each colour by its part in the picture: on white, and on a dark screen. Greys keep a contrast of 4.5 : 1.
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


@dataclass(frozen=True, slots=True)
class Style:
    """The look of one thing; colours are keys of `COLOURS`, "" for none."""

    stroke: str = ""
    fill: str = ""
    width: float = 1.0
    dash: tuple[float, ...] = ()
    size: float = 11.0
    bold: bool = False
    italic: bool = False
    mono: bool = False


#: The rules, later ones above earlier ones: a word that the group must have ("" any), the kind of the part, the look.
RULES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("", "way", {"stroke": "ink", "width": 1.1}),
    ("", "cross", {"stroke": "cut", "width": 2.0}),
    ("", "shape", {"stroke": "ink", "fill": "leaf", "width": 1.1}),
    ("", "frame", {"stroke": "grey", "fill": "paper", "width": 0.7}),
    ("", "room", {"stroke": "grey", "width": 0.7, "dash": (2.0, 2.0)}),
    ("", "name", {"fill": "ink", "size": 11.0}),
    ("", "value", {"fill": "ink", "size": 13.0, "bold": True}),
    ("", "window", {"fill": "ink", "size": 11.0}),
    ("", "order", {"fill": "grey", "size": 9.5, "italic": True}),
    ("", "reason", {"fill": "cut", "size": 10.0, "italic": True}),
    ("", "number", {"fill": "cut", "size": 10.0, "bold": True}),
    ("", "twin", {"fill": "grey", "size": 10.0, "italic": True}),
    ("", "move", {"fill": "ink", "size": 10.5}),
    ("", "state", {"fill": "ink", "size": 9.0, "mono": True}),
    ("", "count", {"fill": "grey", "size": 10.0}),
    ("", "side", {"fill": "grey", "size": 11.0, "bold": True}),
    ("", "said", {"fill": "ink", "size": 11.0}),
    ("max", "shape", {"fill": "max"}),
    ("min", "shape", {"fill": "min"}),
    ("chance", "shape", {"fill": "chance"}),
    ("fold", "shape", {"stroke": "grey", "fill": "pale", "dash": (3.0, 2.0)}),
    ("leaf", "value", {"size": 12.0, "bold": False}),
    ("leaf", "name", {"fill": "grey", "size": 10.0}),
    ("visited", "value", {"bold": True}),
    ("line", "way", {"width": 3.4}),
    ("line", "shape", {"width": 2.4}),
    ("pruned", "way", {"stroke": "grey", "dash": (4.0, 3.0)}),
    ("pruned", "shape", {"stroke": "grey", "fill": "paper", "dash": (3.0, 2.0)}),
    ("pruned", "name", {"fill": "grey"}),
    ("pruned", "value", {"fill": "grey"}),
    ("pruned", "move", {"fill": "grey"}),
    ("pruned", "state", {"fill": "grey"}),
    ("current", "shape", {"stroke": "cut", "width": 3.2}),
)


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """The look of all things in pictures of one sort."""

    #: The class of the picture in SVG, so that several sorts can stand on one page.
    name: str
    colours: dict[str, tuple[str, str]]
    rules: tuple[tuple[str, str, dict[str, Any]], ...]
    #: What SVG needs besides.
    more: str = ""


#: Trees and their search.
TREES = Sheet(
    "zermelo", COLOURS, RULES, ".zermelo .arc:not(.crossed) .cross,.zermelo .arc:not(.crossed) .number{display:none}"
)


@lru_cache(maxsize=4096)
def style(words: tuple[str, ...], kind: str, sheet: Sheet = TREES) -> Style:
    """The look of a part of that kind in a group of which these words are true."""
    found = Style()
    for word, of, look in sheet.rules:
        if of == kind and (not word or word in words):
            found = replace(found, **look)
    return found
