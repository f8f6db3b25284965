"""Options of a drawing. Every kind of picture takes the same `Options`; boards use only the last four."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zermelo._util.text import quoted
from zermelo.errors import InputError, LimitError

LIGHT, AUTO = "light", "auto"
DOWN, RIGHT = "down", "right"
#: Smallest `max_nodes`: a root and its children, collapsed into two groups.
MIN_NODES = 3
MIN_DPI, MAX_DPI = 24, 1200
#: Width and height of a 16:9 slide in points, as in presentation programs.
SLIDE = (960.0, 540.0)
#: Sides of the page that a tree is fitted to, in points.
MIN_SIDE, MAX_SIDE = 100.0, 10_000.0
#: Width of a board in a tree, in points.
MIN_BOARD, MAX_BOARD = 10.0, 1000.0


@dataclass(frozen=True)
class Options:
    """What a drawing shows and how it looks.

    Parameters
    ----------
    max_nodes : int, default 200
        Draw at most this many nodes and collapse the rest of a larger tree; at least 3.
    names : bool, default True
        Node names.
    windows : bool, default True
        Alpha-beta bounds at the nodes, in the form that the convention's `show` chooses.
    values : bool, default True
        Values that the search returned. Leaf values are always drawn.
    order : bool, default False
        Number the nodes in the order of their visits, from 1.
    moves : bool, default True
        Move names at the arcs.
    states : bool, default False
        Positions at the nodes of a game tree, as text.
    boards : bool, default False
        Positions at the nodes of a game tree, as pictures of the board.
    board_size : float, optional
        Width of these pictures in points, 10 to 1000. By default it follows from the number of squares.
    direction : {"down", "right"}, default "down"
        Where the children of a node are: below it, or to its right.
    fit : tuple of float, optional
        Width and height of a page in points, each 100 to 10,000, such as `SLIDE`. Nodes are collapsed until the tree
        fits at two thirds of its size. The picture has the proportions of the page; its text is at most twice as large
        on the page as normal.
    reasons : bool, optional
        The reason of each cutoff at its node. By default only in pictures of few nodes; the legend lists all reasons.
    legend : bool, default True
        Symbols, result, convention and cutoffs below the tree.
    step : int, optional
        Draw the state after this many steps of the search; 0 is the tree before the search. By default the end.
    interactive : bool, default False
        Include the elements of all steps, empty or hidden, so that a script can step through the search (SVG only).
    answer_boxes : bool, default False
        Leave an empty box at each inner node for handwriting.
    theme : {"light", "auto"}, default "light"
        Colours of an SVG: dark on white, or following the reader's light or dark setting.
    prefix : str, default ""
        Prefix of all ids in an SVG, so that one page can hold several drawings.
    dpi : int, default 144
        Resolution of a PNG in pixels per inch, 24 to 1200.
    standalone : bool, default True
        Write TikZ as a complete document and SVG with an XML declaration; otherwise for inclusion in another document.

    Raises
    ------
    LimitError
        If a value is out of range.
    """

    max_nodes: int = 200
    names: bool = True
    windows: bool = True
    values: bool = True
    order: bool = False
    moves: bool = True
    states: bool = False
    boards: bool = False
    board_size: float | None = None
    direction: str = DOWN
    fit: tuple[float, float] | None = None
    reasons: bool | None = None
    legend: bool = True
    step: int | None = None
    interactive: bool = False
    answer_boxes: bool = False
    theme: str = LIGHT
    prefix: str = ""
    dpi: int = 144
    standalone: bool = True

    def __post_init__(self) -> None:
        if self.max_nodes < MIN_NODES:
            raise LimitError(f"max_nodes must be at least {MIN_NODES} (got {self.max_nodes})")
        if self.board_size is not None and not MIN_BOARD <= self.board_size <= MAX_BOARD:
            raise LimitError(
                f"board_size must be between {MIN_BOARD:g} and {MAX_BOARD:g} points (got {self.board_size:g})"
            )
        if self.direction not in (DOWN, RIGHT):
            raise LimitError(f"direction must be {DOWN} or {RIGHT} (got {quoted(self.direction)})")
        if self.fit is not None and not all(MIN_SIDE <= side <= MAX_SIDE for side in self.fit):
            sides = "x".join(f"{side:g}" for side in self.fit)
            raise LimitError(f"fit: sides must be between {MIN_SIDE:g} and {MAX_SIDE:g} points (got {sides})")
        if self.theme not in (LIGHT, AUTO):
            raise LimitError(f"theme must be {LIGHT} or {AUTO} (got {quoted(self.theme)})")
        if not MIN_DPI <= self.dpi <= MAX_DPI:
            raise LimitError(f"dpi must be between {MIN_DPI} and {MAX_DPI} (got {self.dpi})")
        if self.step is not None and self.step < 0:
            raise LimitError(f"step must be at least 0, the tree before the search (got {self.step})")
        if not all(letter.isalnum() or letter in "-_" for letter in self.prefix) or self.prefix[:1].isdigit():
            raise LimitError(
                f"prefix must be letters, digits, - and _, not starting with a digit (got {quoted(self.prefix)})"
            )


def parse_page(text: str) -> tuple[float, float]:
    """Parse the size of a page: `slide`, or width and height in points, `480x270`. Raises `InputError`."""
    if text.casefold() == "slide":
        return SLIDE
    match = re.fullmatch(r"\s*(\d{1,5}(?:\.\d{1,3})?)\s*[x×,]\s*(\d{1,5}(?:\.\d{1,3})?)\s*", text)
    if match is None:
        raise InputError(f"fit must be slide or WIDTHxHEIGHT in points, such as 480x270 (got {quoted(text)})")
    return float(match[1]), float(match[2])
