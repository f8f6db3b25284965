"""Text back end: small trees drawn from the top down, larger ones as a list with one line per node.

    MAX            A                     node    player  value  window   visit
                   3                     A       MAX         3  [3, +∞]      1
                [3, +∞]                  ├─ B    MIN         3  [-∞, 3]      2
             ┌─────┴─────┐               │  ├─ b1             3               3
             ┃           │               │  └─ b2            12               4
    MIN      B           C               └─ C    MIN         2  [3, 2]       5
             3           2                  ├─ c1             2               6
          [-∞, 3]     [3, 2]                └╳ c2           (4)                  alpha 3 >= beta 2 at C
           ┌─┴──┐      ┌─┴──┐
           ┃    │      │    ╳
           b1   b2     c1   c2
           3    12     2   (4)

In both, a cross marks a pruned arc, and a value in parentheses was not evaluated.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from zermelo._util.text import quoted
from zermelo.drawing.options import Options
from zermelo.errors import LimitError
from zermelo.teaching.diagrams.folding import Fold, Folded, fold
from zermelo.teaching.diagrams.labels import Label, Labels, listed, plural
from zermelo.teaching.diagrams.layout import tidy
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.trace import Trace

AUTO, DRAWN, LISTED = "auto", "drawn", "listed"
#: Default width in columns.
WIDTH = 100
#: Smaller widths are treated as this one.
MIN_WIDTH = 40
#: Minimum width of the column of names in a list.
MIN_NAME_WIDTH = 16
#: Trees with more nodes are listed unless `style` says otherwise.
MAX_DRAWN = 120

#: Maximum numbers of moves of the principal variation and of cutoffs in the legend.
MAX_LINE, MAX_CUTS = 16, 40

CROSS, BEST = "╳", "┃"


def text(
    drawn: Tree | Trace | Labels, options: Options | None = None, width: int | None = None, style: str = AUTO
) -> str:
    """Render a tree or a trace as text, without a final newline.

    Parameters
    ----------
    drawn : Tree, Trace or Labels
        Labels have options of their own.
    options : Options, optional
        Trees of more than `options.max_nodes` nodes are collapsed.
    width : int, optional
        Columns available, 100 by default. Lists are wrapped to it.
    style : {"auto", "drawn", "listed"}, default "auto"
        A drawing from the top down, a list, or the drawing if the tree is small and the drawing fits.

    Raises
    ------
    LimitError
        If the style is unknown.
    """
    if style not in (AUTO, DRAWN, LISTED):
        raise LimitError(f"style must be {AUTO}, {DRAWN} or {LISTED} (got {quoted(style)})")
    columns = WIDTH if width is None else max(width, MIN_WIDTH)
    labels = drawn if isinstance(drawn, Labels) else Labels(drawn, options)
    folded = fold(labels)
    lines: list[str] | None = None
    is_small = len(folded.items) <= MAX_DRAWN and not folded.folds
    if style == DRAWN or (style == AUTO and is_small):
        lines = _Drawing(labels, folded).lines()
        if style == AUTO and max(map(_cells, lines)) > columns:
            lines = None
    if lines is None:
        lines = _Listing(labels, folded, columns).lines()
    if labels.options.legend and labels.trace is not None:
        lines += ["", *_legend(labels, labels.trace, lines, columns)]
    return "\n".join(_printable(line.rstrip()) for line in lines)


def _printable(line: str) -> str:
    """Replace control characters, which a terminal would execute."""
    return line if line.isprintable() else "".join(char if char.isprintable() else "�" for char in line)


def _cells(text: str) -> int:
    """The width of a text in terminal columns."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def _filled(text: str, columns: int, *, right: bool = False) -> str:
    """Pad a text with spaces to a number of columns."""
    blanks = " " * (columns - _cells(text))
    return blanks + text if right else text + blanks


def _value(label: Label, was_searched: bool) -> str:
    """A node's value, in parentheses if the search did not evaluate it."""
    return f"({label.value})" if label.value and was_searched and not label.is_visited else label.value


def _folded(fold: Fold) -> str:
    """`… 1,234 nodes`"""
    return f"… {plural(fold.nodes, 'node')}"


def _legend(labels: Labels, trace: Trace, lines: list[str], width: int) -> Iterator[str]:
    """The result, the cutoffs and the meaning of parentheses."""
    step = labels.options.step
    if step is None or step == len(trace.steps):
        line = listed([labels.arc(node) or labels.name(node) for node in trace.line], MAX_LINE)
        visited = f"{len(trace.visited):,} of {plural(len(trace.tree), 'node')} visited"
        result = f"Value {format_number(trace.value)}" + (f", principal variation {line}" if line else "")
        result += f". {visited}, {plural(len(trace.leaves), 'leaf', 'leaves')} evaluated"
    else:
        result = f"Step {step:,} of {len(trace.steps):,}"
    yield from textwrap.wrap(f"{result}.", width)
    cuts = labels.cuts
    for cut in cuts[:MAX_CUTS]:
        yield from textwrap.wrap(f"{CROSS} {cut}", width, subsequent_indent="  ")
    if len(cuts) > MAX_CUTS:
        yield f"{CROSS} and {plural(len(cuts) - MAX_CUTS, 'more cutoff')}"
    if any("(" in line for line in lines):
        yield "(3) value not evaluated"


# ---- a line for each node --------------------------------------------------------------------------------------


class _Row(NamedTuple):
    name: str
    cells: tuple[str, ...]  # player, value, window, visit
    remark: str
    below: tuple[str, ...]  # lines of a position
    is_crossed: bool


class _Listing:
    """The tree as an indented list with columns."""

    HEADS = ("player", "value", "window", "visit")

    def __init__(self, labels: Labels, folded: Folded, width: int) -> None:
        self.labels, self.folded, self.width = labels, folded, width
        self.rows = [self._row(place) for place in range(len(folded.items))]
        self.used = [column for column in range(4) if any(row.cells[column] for row in self.rows)]
        self.widths = [
            max(len(head), *(_cells(row.cells[column]) for row in self.rows)) for column, head in enumerate(self.HEADS)
        ]
        # If the width is too small, drop the less important columns.
        for column in (3, 0, 2):
            if column in self.used and self._name_space() < MIN_NAME_WIDTH:
                self.used.remove(column)

    def _name_space(self) -> int:
        """The width that the other columns leave for the names."""
        return self.width - sum(self.widths[column] + 2 for column in self.used)

    def lines(self) -> list[str]:
        folded = self.folded
        room = max(self._name_space(), MIN_NAME_WIDTH)
        longest = [_cells(row.name) for row in self.rows]
        unit = next((unit for unit in (3, 2) if self._reach(unit, longest) <= room), 1)
        name_width = min(max(self._reach(unit, longest), len("node")), room)
        # Nodes deeper than the width allows are left out.
        deepest = max((room - min(max(longest), 8)) // unit, 1)
        lines = [self._joined("node", self.HEADS, name_width)] if self.used else []
        stems: list[str] = [""] * len(self.rows)  # the prefix of the lines of a node's children
        for place, row in enumerate(self.rows):
            depth, parent = folded.depths[place], folded.parents[place]
            if depth > deepest:
                continue
            stem = arm = ""
            is_last = True
            if parent >= 0:
                stem, is_last = stems[parent], place == folded.children[parent][-1]
                arm = ("└" if is_last else "├") + (CROSS if row.is_crossed else "─") + " "
                if unit < 3:
                    arm = arm[:1] + (CROSS if row.is_crossed and unit == 2 else " " if unit == 2 else "")
                stems[place] = stem + ("" if is_last else "│").ljust(unit)
            remark = row.remark
            if depth == deepest and folded.children[place]:
                remark = "; ".join(filter(None, (remark, "… deeper nodes omitted")))
            left = stem + arm
            line = self._joined(left + _clipped(row.name, name_width - len(left)), row.cells, name_width)
            beside = [line.rstrip(), remark] if remark else [line.rstrip()]
            if remark and _cells(line) + 2 + _cells(remark) <= self.width:
                lines.append(f"{line}  {remark}")
                beside = []
            stem_below = stems[place] + ("│" if folded.children[place] and depth < deepest else "").ljust(unit)
            lines += beside[:1]
            for more in (*beside[1:], *row.below):
                lines += textwrap.wrap(
                    more,
                    self.width,
                    initial_indent=stem_below,
                    subsequent_indent=stem_below,
                    drop_whitespace=more == remark,
                    replace_whitespace=False,
                ) or [stem_below]
        return lines

    def _reach(self, unit: int, longest: list[int]) -> int:
        return max(unit * depth + length for depth, length in zip(self.folded.depths, longest, strict=True))

    def _joined(self, name: str, cells: tuple[str, ...], name_width: int) -> str:
        """Join the columns of a line; numbers are right-aligned."""
        parts = [_filled(name, name_width)]
        for column in self.used:
            parts.append(_filled(cells[column], self.widths[column], right=column in (1, 3)))
        return "  ".join(parts)

    def _row(self, place: int) -> _Row:
        item, labels = self.folded.items[place], self.labels
        if isinstance(item, Fold):
            pruned = f"{item.pruned:,} of them pruned" if 0 < item.pruned < item.nodes else ""
            return _Row(_folded(item), ("",) * 4, pruned, (), item.crossed > 0)
        label, trace = labels.at(item), labels.trace
        node = labels.tree.nodes[item]
        name = label.name or ("" if label.kind != "leaf" else "leaf")
        if label.arc and label.arc != label.name:
            name = f"{label.arc}: {name}" if name else label.arc
        visit = ""
        if trace is not None and label.is_visited:
            visit = f"{trace.visit_number(item):,}"
        player = "" if node.player is None else _player(label.kind)
        state = label.state.splitlines()
        remarks = [
            label.transposition,
            "best" if label.is_on_line and node.parent >= 0 else "",
            labels.trace.cuts[label.crossed - 1].reason if label.crossed and labels.trace else "",
            "<- current step" if label.is_current else "",
            state[0] if len(state) == 1 else "",
        ]
        value = _value(label, trace is not None)
        return _Row(
            name,
            (player, value, label.window, visit),
            "; ".join(filter(None, remarks)),
            tuple(state) if len(state) > 1 else (),
            label.crossed > 0,
        )


def _clipped(name: str, room: int) -> str:
    if _cells(name) <= room:
        return name
    while name and _cells(name) >= room:
        name = name[:-1]
    return name + "…"


# ---- drawn from the top down -----------------------------------------------------------------------------------

#: Box-drawing characters by the directions of their lines: up 1, down 2, left 4, right 8, added up.
_LINES = {
    1: "│", 2: "│", 3: "│", 4: "─", 8: "─", 12: "─",
    5: "┘", 9: "└", 6: "┐", 10: "┌", 7: "┤", 11: "├", 13: "┴", 14: "┬", 15: "┼",
}  # fmt: skip
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8


class _Drawing:
    """The tree from the top down: name, value and window of each node, with arcs in between."""

    def __init__(self, labels: Labels, folded: Folded) -> None:
        self.labels, self.folded = labels, folded
        self.node_labels = [None if isinstance(item, Fold) else labels.at(item) for item in folded.items]
        self.rows: list[list[int]] = [[] for _ in range(max(folded.depths) + 1)]
        for place, depth in enumerate(folded.depths):
            self.rows[depth].append(place)
        self.players = [self._player(row) for row in self.rows]
        self.blocks = [self._block(place) for place in range(len(folded.items))]
        wide = [max(map(_cells, (*block, self._arc(place)))) for place, block in enumerate(self.blocks)]
        left, right = [(width - 1) // 2 for width in wide], [width // 2 for width in wide]
        # Coordinates are rounded to columns; a gap of 2 leaves at least one column free.
        places = tidy(folded.children, left, [reach + 1 for reach in right], between=2, apart=3)
        margin = max(map(len, self.players)) + 2 if any(self.players) else 0
        self.columns = [round(place + 1e-6) + margin for place in places]

    def _player(self, row: list[int]) -> str:
        """The player to move in a row; empty if they differ, and then written beside the names."""
        kinds = {label.kind for place in row if (label := self.node_labels[place]) and label.kind != "leaf"}
        return _player(kinds.pop()) if len(kinds) == 1 else ""

    def _block(self, place: int) -> list[str]:
        item, label = self.folded.items[place], self.node_labels[place]
        if isinstance(item, Fold) or label is None:
            return ["…", f"{item.nodes:,}"] if isinstance(item, Fold) else []
        name = label.name
        if label.kind != "leaf" and not self.players[self.folded.depths[place]]:
            name = f"{name} {_player(label.kind)}".strip()
        if label.is_current:
            name = f"> {name} <"
        value = _value(label, self.labels.trace is not None)
        lines = [name, value, label.window, *label.state.splitlines(), label.transposition]
        if label.order:
            lines.append(f"#{label.order}")
        return lines

    def _arc(self, place: int) -> str:
        label = self.node_labels[place]
        return label.arc if label and label.arc != label.name else ""

    def lines(self) -> list[str]:
        lines: list[str] = []
        for depth, row in enumerate(self.rows):
            if depth:
                lines += self._arcs(row)
            lines += self._boxes(row, self.players[depth])
        return lines

    def _boxes(self, row: list[int], player: str) -> Iterator[str]:
        """The nodes of a row: first their names, then their values, and so on. Empty lines are omitted."""
        tall = max(len(self.blocks[place]) for place in row)
        is_first = True
        for number in range(tall):
            canvas = _Line()
            for place in row:
                block = self.blocks[place]
                if number < len(block):
                    canvas.centre(self.columns[place], block[number])
            if canvas.is_empty:
                continue
            if is_first and player:
                canvas.put(0, player)
            is_first = False
            yield canvas.text

    def _arcs(self, row: list[int]) -> Iterator[str]:
        """The arcs from the row above: branches, vertical lines with crosses, and move names."""
        branches: dict[int, int] = {}
        arms, names = _Line(), _Line()
        for place in row:
            column, parent = self.columns[place], self.folded.parents[place]
            above = self.columns[parent]
            branches[above] = branches.get(above, 0) | _UP
            branches[column] = branches.get(column, 0) | _DOWN
            for at in range(min(column, above), max(column, above)):
                branches[at] = branches.get(at, 0) | _RIGHT
                branches[at + 1] = branches.get(at + 1, 0) | _LEFT
            item, label = self.folded.items[place], self.node_labels[place]
            is_crossed = item.crossed if isinstance(item, Fold) else label is not None and label.crossed
            is_best = label is not None and label.is_on_line
            arms.put(column, CROSS if is_crossed else BEST if is_best else "│")
            names.centre(column, self._arc(place))
        bar = _Line()
        for column, sides in branches.items():
            bar.put(column, _LINES[sides])
        yield bar.text
        yield arms.text
        if not names.is_empty:
            yield names.text


def _player(kind: str) -> str:
    """The name of a player: MAX, MIN, chance."""
    return kind if kind == "chance" else kind.upper()


class _Line:
    """A line of text that can be written in any order."""

    def __init__(self) -> None:
        self.cells: list[str] = []

    def put(self, column: int, text: str) -> None:
        """Write text from a column on. A character of two columns is followed by an empty cell."""
        cells: list[str] = []
        for char in text:
            width = _cells_of(char)
            if width:
                cells += [char, *[""] * (width - 1)]
            elif cells:
                cells[-1] += char
        self.cells.extend(" " * (column + len(cells) - len(self.cells)))
        self.cells[column : column + len(cells)] = cells

    def centre(self, column: int, text: str) -> None:
        """Write text centred on a column; of an even length, one character more is to the right."""
        if text:
            self.put(column - (_cells(text) - 1) // 2, text)

    @property
    def is_empty(self) -> bool:
        return not self.cells

    @property
    def text(self) -> str:
        return "".join(self.cells)
