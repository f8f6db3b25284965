"""What a picture of a tree is to show; every kind of picture takes the same `Options`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from zermelo._util.text import did_you_mean
from zermelo.errors import TreeError

#: On white paper; as the reader's screen is set, light or dark.
LIGHT, AUTO = "light", "auto"
#: The fewest nodes that folding may leave: a root, and its children as one.
FEWEST = 3
LEAST_DPI, MOST_DPI = 24, 1200


@dataclass(frozen=True)
class Options:
    """What is drawn, and how. Raises `TreeError` for a choice that there is not."""

    #: A larger tree is folded until so many nodes are drawn at most.
    max_nodes: int = 200
    #: The names of the nodes; without them only moves and values are told.
    names: bool = True
    #: What the search knew at the nodes: windows as the convention shows them, and values.
    windows: bool = True
    values: bool = True
    #: The order of visits, from 1.
    order: bool = False
    #: The names of the moves at the arcs, where moves have names.
    moves: bool = True
    #: The positions at the nodes, where the tree has some.
    states: bool = False
    #: The reason of each cut beside its node; None: where few nodes are drawn. The list below has them all.
    reasons: bool | None = None
    #: What stands below the tree: signs, convention and cuts.
    legend: bool = True
    #: The picture after so many steps of the search; None: at its end.
    step: int | None = None
    #: Leave room for what any step says, and draw what is still empty, so that a program can go through the steps.
    stages: bool = False
    #: Leave room at inner nodes for writing by hand.
    room: bool = False
    #: `light`: black on white; `auto`: light or dark as the reader's screen is.
    theme: str = LIGHT
    #: Begins every id in an SVG, so that several pictures can stand on one page.
    prefix: str = ""
    #: Pixels of a PNG to the inch: 72 are one to the point.
    dpi: int = 144
    #: Whether TikZ is a document of its own, and SVG a file of its own with its XML head.
    standalone: bool = True

    def __post_init__(self) -> None:
        if self.max_nodes < FEWEST:
            raise TreeError(f"max nodes {self.max_nodes}: {FEWEST} are the fewest a picture is folded to")
        if self.theme not in (LIGHT, AUTO):
            raise TreeError(f"theme {self.theme[:40]!r} is not one of {LIGHT}, {AUTO}")
        if not LEAST_DPI <= self.dpi <= MOST_DPI:
            raise TreeError(f"dpi {self.dpi}: {LEAST_DPI} to {MOST_DPI} pixels to the inch")
        if self.step is not None and self.step < 0:
            raise TreeError(f"step {self.step}: steps are counted from 0, the tree before its search")
        if not all(letter.isalnum() or letter in "-_" for letter in self.prefix) or self.prefix[:1].isdigit():
            raise TreeError(f"prefix {self.prefix[:40]!r}: letters, digits, - and _ only, a letter first")

    @classmethod
    def of(cls, options: Options | None = None, **said: Any) -> Options:
        """The options with some of them changed. Raises `TreeError` for one that there is not."""
        known = {field.name: getattr(options or cls(), field.name) for field in fields(cls)}
        for name in said:
            if name not in known:
                raise TreeError(f"no option {name[:40]!r} of a drawing; {did_you_mean(name, known)}")
        return cls(**known | said)
