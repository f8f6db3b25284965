"""The box of a drawn node: its shape or its board, and the texts around it, relative to where the arc to it ends.

    down, beside:   d4              right and boards:   the texts are lines below the shape or the board
               3.  /\\  4
                  /O \\ [4, -3]      order of visit, name, value, window, reason
                  ----

The origin of a box is the middle of that edge of the shape which faces the parent: the upper edge, or with the
direction `right` the left edge. The move name is before the origin, so the arc to the node ends at the move name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from zermelo.drawing.boards import bare_board_scene, squares_across
from zermelo.drawing.fonts import text_width
from zermelo.drawing.options import RIGHT
from zermelo.drawing.scene import Box, Circle, Inset, Part, Polygon, Scene, Text, moved
from zermelo.drawing.style import style
from zermelo.teaching.diagrams.folding import Fold
from zermelo.teaching.diagrams.labels import Label, Labels, plural
from zermelo.teaching.tree.node import PLAYER_NAMES

# Lengths in points.
HALF, TALL = 17.0, 30.0  # half the width and the height of the shapes of inner nodes
LEAF_HALF, LEAF_TALL = 11.0, 22.0
BESIDE = 4.0  # gap between a shape and the text beside it
LEADING = 1.2  # line height, in font sizes
BELOW = 2.0  # gap between texts and the arcs that start below them
FRAME = 3.0  # between a board and its frame
CROSS = 4.5  # half the size of the cross on a pruned arc
ANSWER_BOX = (64.0, 26.0)  # for handwriting
SYMBOL = 0.3  # size of the player's shape below a board, relative to the shape of a node
# Default width of a board: per square, with a minimum and a maximum; and the scale of boards that are text.
SQUARE, SMALLEST_BOARD, LARGEST_BOARD = 12.0, 42.0, 150.0
TEXT_SCALE = 0.7


@dataclass(slots=True)
class NodeBox:
    """A drawn node: its parts relative to the origin, and their extent to each side of it."""

    left: float = 0.0
    right: float = 0.0
    up: float = 0.0
    down: float = 0.0
    #: Where the arc from the parent ends, before the origin, and where the arcs to the children start, after it.
    entry: float = 0.0
    exit: float = 0.0
    #: Rectangles that arcs must not cross. The first one is that of the shape, where the node's own arcs begin and end.
    solid: list[Box] = field(default_factory=list)
    cut: int = 0  # number of the cutoff at this node
    crossed: int = 0  # number of the cutoff that crosses out the arc
    parts: list[Part] = field(default_factory=list)
    #: The move name, a part of the arc.
    move: Text | None = None
    classes: tuple[str, ...] = ()
    title: str = ""

    def cover(self, left: float, top: float, right: float, bottom: float) -> None:
        """Extend the box by a rectangle that arcs must not cross."""
        self.solid.append((left, top, right, bottom))
        self.left, self.right = max(self.left, -left), max(self.right, right)
        self.up, self.down = max(self.up, -top), max(self.down, bottom)


class NodeBoxes:
    """Makes the boxes of nodes and groups, as `labels.options` say."""

    def __init__(self, labels: Labels, *, reasons: bool) -> None:
        self.labels = labels
        self.options = labels.options
        self.reasons = reasons
        self.is_right = labels.options.direction == RIGHT
        self.is_stacked = self.is_right or labels.options.boards

    def node(self, index: int) -> NodeBox:
        """The box of a node."""
        label, widest = self.labels.at(index), self.labels.widest(index)
        box = NodeBox(
            classes=("node", *label.classes), cut=widest.cut, crossed=widest.crossed, title=self._tooltip(label, index)
        )
        board = self.labels.board(index)
        if board is not None:
            self._board(box, board, label, widest)
        elif label.kind == "leaf":
            self._leaf(box, label, widest)
        elif self.is_stacked:
            self._stacked(box, label, widest)
        else:
            self._beside(box, label, widest)
        self._arc_end(box, label.arc)
        return box

    def fold(self, item: Fold) -> NodeBox:
        """The box of a group of collapsed nodes."""
        is_crossed = item.crossed in self.labels.shown_cuts
        classes = ["fold"]
        classes += ["pruned"] if is_crossed or item.pruned == item.nodes else []
        classes += ["crossed"] if is_crossed else []
        box = NodeBox(classes=tuple(classes), crossed=item.crossed, title=f"{plural(item.nodes, 'node')} folded")
        centre = self._place(box, HALF, TALL, is_triangle=True)
        self._add(box, shape("max"), centre)
        self._add(box, Text("count", 0, TALL - 5, "…"), centre)
        if item.nodes == len(item.children):
            lines = [plural(item.nodes, "leaf", "leaves")]
        else:
            lines = [plural(item.nodes, "node")]
            if len(item.children) > 1:
                lines.append(f"in {len(item.children):,} subtrees")
        if item.pruned == item.nodes:
            lines.append("pruned")
        elif item.pruned:
            lines.append(f"{item.pruned:,} pruned")
        self._below(box, centre, [("count", text, text) for text in lines])
        self._arc_end(box, "")
        return box

    # ---- shapes -------------------------------------------------------------------------------------------------

    def _place(self, box: NodeBox, half: float, tall: float, *, is_triangle: bool = False) -> tuple[float, float]:
        """Reserve a shape of half this width and of this height; return the middle of its upper edge."""
        if self.is_right:
            box.cover(0, -tall / 2, 2 * half, tall / 2)
            # The sides of a triangle are halfway to its middle at half its height.
            box.entry = -half / 2 if is_triangle else 0.0
            box.exit = 2 * half + box.entry
            return half, -tall / 2
        box.cover(-half, 0, half, tall)
        box.exit = tall
        return 0.0, 0.0

    @staticmethod
    def _add(box: NodeBox, part: Part, at: tuple[float, float]) -> None:
        box.parts.append(moved(part, *at))

    def _leaf(self, box: NodeBox, label: Label, widest: Label) -> None:
        half = max(LEAF_HALF, wide("value", label.value, box.classes) / 2 + 5)
        centre = self._place(box, half, LEAF_TALL)
        self._add(box, Polygon("shape", [(-half, 0), (half, 0), (half, LEAF_TALL), (-half, LEAF_TALL)]), centre)
        self._add(box, Text("value", 0, LEAF_TALL - 7, label.value), centre)
        name = self._name(label)
        lines = [("name", name, name), ("transposition", label.transposition, widest.transposition)]
        lines.append(("order", _ordinal(label.order), _ordinal(widest.order)))
        if self.is_right:
            x = box.right + BESIDE
            for kind, text, longest in lines:
                if longest:
                    self._write(box, Text(kind, x, 4.0, text, "start"))
                    end = x + wide(kind, longest, box.classes)
                    box.cover(x, -6.0, end, 6.0)
                    x = end + BESIDE
        else:
            self._below(box, centre, lines)
        if label.state:
            self._state(box, label.state)

    @staticmethod
    def _name(label: Label) -> str:
        """A node's name, unless the label of the arc begins with the same."""
        return "" if label.name == label.arc.partition(" ×")[0] else label.name

    def _beside(self, box: NodeBox, label: Label, widest: Label) -> None:
        """An inner node with its value and window to the right of its shape."""
        box.parts.append(shape(label.kind))
        box.cover(-HALF, 0, HALF, TALL)
        box.exit = TALL
        name = self._name(label)
        is_inside = wide("name", name, box.classes) <= HALF
        if name and is_inside:
            box.parts.append(Text("name", 0, TALL - _name_rise(label.kind), name))
        beside = [] if is_inside else [("name", name, name)]
        beside += [("value", label.value, widest.value), ("window", label.window, widest.window)]
        if self.reasons:
            beside.append(("reason", label.reason, widest.reason))
        beside.append(("transposition", label.transposition, widest.transposition))
        beside = [line for line in beside if line[2]]
        block = sum(style(box.classes, kind).size * LEADING for kind, *_ in beside)
        block += ANSWER_BOX[1] + 2 if self.options.answer_boxes else 0.0
        # Centred beside the shape, or upwards from its base: the arcs start below it.
        y = TALL - max(1.0, (TALL - block) / 2 + 1)
        x = HALF + BESIDE
        for kind, text, longest in reversed(beside):
            size = style(box.classes, kind).size
            self._write(box, Text(kind, x, y, text, "start"))
            box.cover(x, y - size, x + wide(kind, longest, box.classes), y + 0.2 * size)
            y -= size * LEADING
        if self.options.answer_boxes:
            across, tall = ANSWER_BOX
            box.parts.append(Polygon("answer", [(x, y - tall), (x + across, y - tall), (x + across, y), (x, y)]))
            box.cover(x, y - tall, x + across, y)
        if widest.order:
            out = HALF - 3 if label.kind == "max" else HALF + 3
            self._write(box, Text("order", -out, 8, _ordinal(label.order), "end"))
            box.cover(-out - wide("order", _ordinal(widest.order), box.classes), 0, -out, 10)
        if label.state:
            self._state(box, label.state)

    def _stacked(self, box: NodeBox, label: Label, widest: Label) -> None:
        """An inner node with its texts below its shape."""
        centre = self._place(box, HALF, TALL, is_triangle=label.kind != "chance")
        self._add(box, shape(label.kind), centre)
        name = self._name(label)
        is_inside = wide("name", name, box.classes) <= HALF
        if name and is_inside:
            self._add(box, Text("name", 0, TALL - _name_rise(label.kind), name), centre)
        lines = [] if is_inside else [("name", name, name)]
        self._below(box, centre, [*lines, *self._texts(label, widest)])
        if label.state:
            self._state(box, label.state)

    def _board(self, box: NodeBox, board: Scene, label: Label, widest: Label) -> None:
        """A node with its board in a frame, and its texts below."""
        scale = self._board_scale
        half, tall = board.width * scale / 2 + FRAME, board.height * scale + 2 * FRAME
        centre = self._place(box, half, tall)
        self._add(box, Polygon("shape", [(-half, 0), (half, 0), (half, tall), (-half, tall)]), centre)
        self._add(box, Inset("board", FRAME - half, FRAME, scale, board), centre)
        name = self._name(label)
        is_root = not label.arc
        lines = [("name", name, name)] if is_root else []
        self._below(box, centre, [*lines, *self._texts(label, widest)], symbol=label.kind)

    @cached_property
    def _board_scale(self) -> float:
        """The scale of all boards, from the size of the board at the root."""
        width = bare_board_scene(self.labels.tree.positions[0]).width
        if self.options.board_size is not None:
            return self.options.board_size / width
        squares = squares_across(self.labels.tree.positions[0])
        if not squares:
            return min(TEXT_SCALE, LARGEST_BOARD / width)
        return min(LARGEST_BOARD, max(SMALLEST_BOARD, SQUARE * squares)) / width

    def _texts(self, label: Label, widest: Label) -> list[tuple[str, str, str]]:
        """The lines below a shape or a board: the kind, the text and the longest text of all steps."""
        lines = [("value", label.value, widest.value), ("window", label.window, widest.window)]
        if self.reasons:
            lines.append(("reason", label.reason, widest.reason))
        lines.append(("transposition", label.transposition, widest.transposition))
        lines.append(("order", _ordinal(label.order), _ordinal(widest.order)))
        return lines

    # ---- texts --------------------------------------------------------------------------------------------------

    def _below(
        self, box: NodeBox, centre: tuple[float, float], lines: list[tuple[str, str, str]], symbol: str = ""
    ) -> None:
        """Add centred lines below the shape, and the shape of the player `symbol` before the value."""
        x = centre[0]
        for kind, text, longest in lines:
            size = style(box.classes, kind).size
            before = 2 * HALF * SYMBOL + 3 if symbol in ("max", "min", "chance") and kind == "value" else 0.0
            if longest or before:
                across = before + wide(kind, longest, box.classes)
                y = box.down + size
                if before:
                    box.parts.append(_small(symbol, x - across / 2 + HALF * SYMBOL, y))
                    self._write(box, Text(kind, x - across / 2 + before, y, text, "start"))
                else:
                    self._write(box, Text(kind, x, y, text))
                box.cover(x - across / 2, box.down, x + across / 2, box.down + size * LEADING)
        if self.options.answer_boxes and box.classes[0] == "node" and "leaf" not in box.classes:
            across, tall = ANSWER_BOX
            left, top = x - across / 2, box.down + 3
            corners = [(left, top), (left + across, top), (left + across, top + tall), (left, top + tall)]
            box.parts.append(Polygon("answer", list(corners)))
            box.cover(left, box.down, left + across, top + tall)
        if not self.is_right:
            box.down += BELOW
            box.exit = max(box.exit, box.down)

    def _write(self, box: NodeBox, text: Text) -> None:
        """Add a text, in an interactive scene also an empty one that a later step fills."""
        if text.text or self.options.interactive:
            box.parts.append(text)

    def _state(self, box: NodeBox, state: str) -> None:
        """Add the position as text in a frame below everything else."""
        lines = state.expandtabs().splitlines()
        size = style(box.classes, "state").size
        half = max(wide("state", line) for line in lines) / 2 + 4
        x = half if self.is_right else 0.0
        top = box.down + 4
        bottom = top + len(lines) * size * LEADING + 5
        box.parts.append(Polygon("frame", [(x - half, top), (x + half, top), (x + half, bottom), (x - half, bottom)]))
        for number, line in enumerate(lines, 1):
            box.parts.append(Text("state", x + 4 - half, top + number * size * LEADING, line, "start"))
        box.cover(x - half, top, x + half, bottom)
        if not self.is_right:
            box.exit = bottom

    def _arc_end(self, box: NodeBox, move: str) -> None:
        """Add the move name before the origin, and reserve space for the cross on the arc."""
        if move:
            size, across = style(box.classes, "move").size, wide("move", move, box.classes)
            if self.is_right:
                box.move = Text("move", -BESIDE, size * 0.35, move, "end")
                box.cover(-BESIDE - across, -size * 0.6, 0, size * 0.6)
                box.entry = across + 2 * BESIDE
            else:
                box.move = Text("move", 0, -4.0, move)
                box.cover(-across / 2, -size * LEADING - 2, across / 2, 0)
                box.entry = size * LEADING + 2
        if box.crossed:
            reach = CROSS + 3 + wide("number", str(box.crossed))
            if self.is_right:
                box.up, box.down = max(box.up, reach / 2), max(box.down, CROSS + 1)
            else:
                box.left, box.right = max(box.left, CROSS + 1), max(box.right, reach)

    def _tooltip(self, label: Label, index: int) -> str:
        node = self.labels.tree.nodes[index]
        texts = [node.id if node.player is None else f"{node.id}: {PLAYER_NAMES[node.player]}"]
        texts += [f"value {label.value}"] if label.value else []
        texts += [label.window] if label.window else []
        texts += [label.reason] if label.reason else []
        texts += ["pruned"] if label.is_pruned else []
        return ", ".join(texts)


def shape(kind: str) -> Part:
    """The shape of an inner node, from y = 0 down: MAX points up, MIN down, chance is round."""
    if kind == "max":
        return Polygon("shape", [(0, 0), (HALF, TALL), (-HALF, TALL)])
    if kind == "min":
        return Polygon("shape", [(-HALF, 0), (HALF, 0), (0, TALL)])
    return Circle("shape", (0, TALL / 2), TALL / 2)


def _small(kind: str, x: float, y: float) -> Part:
    """The shape of a player before a text with this baseline."""
    part = moved(shape(kind), x, y - TALL * SYMBOL, SYMBOL)
    part.kind = "player"
    return part


def _name_rise(kind: str) -> float:
    """The baseline of the name in a shape, above its base."""
    return {"max": 6.0, "min": TALL - 15.0}.get(kind, TALL / 2 - 4)


def wide(kind: str, text: str, classes: tuple[str, ...] = ()) -> float:
    """The width of a text of that kind. A value counts as bold, which it becomes when it is visited."""
    look = style(classes, kind)
    return text_width(text, look.size, bold=look.bold or kind == "value", mono=look.mono)


def _ordinal(order: str) -> str:
    return f"{order}." if order else ""
