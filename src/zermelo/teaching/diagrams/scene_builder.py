"""`build_scene`: a tree or a trace as a scene, with each node in a box, boxes in rows, arcs, and a legend below.

    The box of a node, with the arc from its parent:

              \\                   between two rows, arcs run straight and nothing else is drawn
               d4                 move name, in a gap of the arc
               X 1                crossed out by cutoff 1
               |
          3.  /\\  4               order of visit; value
             /O \\ [4, -3]         name; window
             ----                 arcs to the children start here
                                  below a leaf its name, below other nodes the position

Everything that belongs to a node lies within its box, and boxes do not overlap. An arc lies within the box of its lower
node or between the rows; it leaves the upper row vertically if a neighbouring box is in its way. So no text overlaps
another text or an arc.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from zermelo.drawing.fonts import text_width
from zermelo.drawing.scene import Box, Circle, Group, Line, Part, Point, Polygon, Scene, Text
from zermelo.drawing.style import style
from zermelo.teaching.diagrams.folding import Fold, Folded, fold
from zermelo.teaching.diagrams.labels import Label, Labels, plural
from zermelo.teaching.diagrams.layout import tidy
from zermelo.teaching.tree.narration import describe_step
from zermelo.teaching.tree.node import PLAYER_NAMES
from zermelo.teaching.tree.numbers import format_number

# Lengths in points.
HALF, TALL = 17.0, 30.0  # half the width and the height of the shapes of inner nodes
LEAF_HALF, LEAF_TALL = 11.0, 22.0
BESIDE = 4.0  # gap between a shape and the text beside it
LEADING = 1.2  # line height, in font sizes
BETWEEN, APART = 9.0, 18.0  # gaps between the boxes of siblings and of other neighbours
GAP, WIDEST_GAP, STEEP = 34.0, 150.0, 0.16  # between rows: minimum, maximum, and slope of the widest arc
MARGIN = 14.0
CROSS = 4.5  # half the size of the cross on a pruned arc
ANSWER_BOX = (64.0, 26.0)  # for handwriting
MIN_LEGEND_WIDTH = 430.0
MAX_CUTS, MIN_COLUMN = 60, 6  # of the cutoffs in the legend: maximum number, minimum length of a column
ARC_CLEAR = 4.0  # minimum gap between an arc and a neighbouring box
NUMBER_WIDTH = 20.0  # of the number of a cutoff
#: With more nodes, the reasons of cutoffs are drawn in the legend only.
MAX_NODES_WITH_REASONS = 80


@dataclass(slots=True)
class _NodeBox:
    """A drawn node: its parts, relative to the centre of the shape's base, and their extent."""

    left: float = HALF
    right: float = HALF
    up: float = TALL
    down: float = 0.0
    above: float = 0.0  # height of the arc within the box, for the move name and the cross
    move: str = ""
    cut: int = 0  # number of the cutoff at this node
    crossed: int = 0  # number of the cutoff that crosses out the arc
    foot: float = 0.0  # where the arcs to the children start
    parts: list[Part] = field(default_factory=list)
    classes: tuple[str, ...] = ()
    title: str = ""


def build_scene(labels: Labels) -> Scene:
    """Build the scene of a tree or a trace, as `labels.options` say."""
    return _SceneBuilder(labels).scene()


class _SceneBuilder:
    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.options = labels.options
        self.folded: Folded = fold(labels)
        labels.drawn = frozenset(item for item in self.folded.items if not isinstance(item, Fold))
        few = len(self.folded.items) <= MAX_NODES_WITH_REASONS
        self.reasons = few if self.options.reasons is None else self.options.reasons
        self.boxes = [
            self._fold_box(item) if isinstance(item, Fold) else self._node(item) for item in self.folded.items
        ]

    def scene(self) -> Scene:
        places = tidy(
            self.folded.children,
            [box.left for box in self.boxes],
            [box.right for box in self.boxes],
            between=BETWEEN,
            apart=APART,
        )
        sides = self._sides()
        left = MARGIN + max((_wide("side", text) + 10 for text in sides), default=0.0)
        places = [place + left for place in places]
        tops, feet = self._rows(places)
        straight_down = self._straight_down(places, tops, feet)
        groups = [self._arc(place, places, tops, feet, straight_down) for place in range(1, len(self.boxes))]
        for box, item, x, depth in zip(self.boxes, self.folded.items, places, self.folded.depths, strict=True):
            index = item.children[0] if isinstance(item, Fold) else item
            id = f"{'f' if isinstance(item, Fold) else 'n'}{index}"
            groups.append(Group(id, box.classes, [_moved(part, x, feet[depth]) for part in box.parts], box.title))
        for depth, text in enumerate(sides):
            if text:
                groups.append(Group(f"row{depth}", ("row",), [Text("side", MARGIN, feet[depth] - 10, text, "start")]))
        width = max(place + box.right for place, box in zip(places, self.boxes, strict=True)) + MARGIN
        bottom = feet[-1] + max(box.down for box, depth in self._by_row() if depth == len(feet) - 1)
        if self.options.legend:
            legend, reach, bottom = self._legend(MARGIN, bottom + 22, max(width - 2 * MARGIN, MIN_LEGEND_WIDTH))
            groups += legend
            width = max(width, reach + MARGIN)
        return Scene(width, bottom + MARGIN, self.labels.title, self.labels.description, groups)

    def _by_row(self) -> Iterable[tuple[_NodeBox, int]]:
        return zip(self.boxes, self.folded.depths, strict=True)

    # ---- the box of a node --------------------------------------------------------------------------------------

    def _node(self, index: int) -> _NodeBox:
        label, widest = self.labels.at(index), self.labels.widest(index)
        classes = ("node", *label.classes)
        box = _NodeBox(
            classes=classes, move=label.arc, cut=widest.cut, crossed=widest.crossed, title=self._tooltip(label, index)
        )
        if label.kind == "leaf":
            self._leaf(box, label, widest)
        else:
            self._inner(box, label, widest)
        self._reserve_arc(box)
        return box

    def _leaf(self, box: _NodeBox, label: Label, widest: Label) -> None:
        half = max(LEAF_HALF, _wide("value", label.value, box.classes) / 2 + 5)
        box.left = box.right = half
        top, bottom = -TALL, LEAF_TALL - TALL
        box.parts.append(Polygon("shape", [(-half, top), (half, top), (half, bottom), (-half, bottom)]))
        box.parts.append(Text("value", 0, bottom - 7, label.value))
        box.down = bottom
        name = self._name(label)
        below = [("name", name, name), ("transposition", label.transposition, widest.transposition)]
        below.append(("order", _ordinal(label.order), _ordinal(widest.order)))
        self._below(box, below)

    @staticmethod
    def _name(label: Label) -> str:
        """A node's name, unless the label of the arc is the same."""
        return "" if label.name == label.arc else label.name

    def _inner(self, box: _NodeBox, label: Label, widest: Label) -> None:
        box.parts.append(_shape(label.kind))
        name = self._name(label)
        is_inside = _wide("name", name, box.classes) <= HALF
        if name and is_inside:
            rise = {"max": 6.0, "min": TALL - 15.0}.get(label.kind, TALL / 2 - 4)
            box.parts.append(Text("name", 0, -rise, name))
        beside = [] if is_inside else [("name", name, name)]
        beside += [("value", label.value, widest.value), ("window", label.window, widest.window)]
        if self.reasons:
            beside.append(("reason", _in_short(label.reason), _in_short(widest.reason)))
        beside.append(("transposition", label.transposition, widest.transposition))
        beside = [line for line in beside if line[2]]
        block = sum(style(box.classes, kind).size * LEADING for kind, *_ in beside)
        block += ANSWER_BOX[1] + 2 if self.options.answer_boxes else 0.0
        # Centred beside the shape, or upwards from its base: the arcs start below it.
        rise = max(1.0, (TALL - block) / 2 + 1)
        x = HALF + BESIDE
        for kind, text, longest in reversed(beside):
            self._write(box, Text(kind, x, -rise, text, "start"))
            rise += style(box.classes, kind).size * LEADING
            box.right = max(box.right, x + _wide(kind, longest, box.classes))
        if self.options.answer_boxes:
            wide, tall = ANSWER_BOX
            box.parts.append(
                Polygon("answer", [(x, -rise - tall), (x + wide, -rise - tall), (x + wide, -rise), (x, -rise)])
            )
            rise += tall + 2
            box.right = max(box.right, x + wide)
        box.up = max(TALL, rise)
        if widest.order:
            out = HALF - 3 if label.kind == "max" else HALF + 3
            self._write(box, Text("order", -out, -TALL + 8, _ordinal(label.order), "end"))
            box.left = max(box.left, out + _wide("order", _ordinal(widest.order), box.classes))
        self._below(box, [])
        if label.state:
            self._state(box, label.state)

    def _below(self, box: _NodeBox, lines: list[tuple[str, str, str]]) -> None:
        """Add centred lines below the shape."""
        for kind, text, longest in lines:
            if longest:
                size = style(box.classes, kind).size
                box.down += size * LEADING
                self._write(box, Text(kind, 0, box.down - size * 0.2, text))
                half = _wide(kind, longest, box.classes) / 2
                box.left, box.right = max(box.left, half), max(box.right, half)

    def _write(self, box: _NodeBox, text: Text) -> None:
        """Add a text, in an interactive scene also an empty one that a later step fills."""
        if text.text or self.options.interactive:
            box.parts.append(text)

    def _state(self, box: _NodeBox, state: str) -> None:
        """Add the position in a frame."""
        lines = state.expandtabs().splitlines()
        size = style(box.classes, "state").size
        half = max(_wide("state", line) for line in lines) / 2 + 4
        top = box.down + 4
        bottom = top + len(lines) * size * LEADING + 5
        box.parts.append(Polygon("frame", [(-half, top), (half, top), (half, bottom), (-half, bottom)]))
        for number, line in enumerate(lines, 1):
            box.parts.append(Text("state", 4 - half, top + number * size * LEADING, line, "start"))
        box.left, box.right, box.down, box.foot = max(box.left, half), max(box.right, half), bottom, bottom

    def _fold_box(self, item: Fold) -> _NodeBox:
        is_crossed = 0 < item.crossed <= self.labels.cut_count
        classes = ["fold", *(["pruned", "crossed"] if is_crossed else [])]
        box = _NodeBox(classes=tuple(classes), crossed=item.crossed, title=f"{plural(item.nodes, 'node')} folded")
        box.parts.append(Polygon("shape", [(0, -TALL), (HALF, 0), (-HALF, 0)]))
        box.parts.append(Text("count", 0, -5, "…"))
        if item.nodes == len(item.children):
            lines = [("count", plural(item.nodes, "leaf", "leaves"))]
        else:
            lines = [("count", plural(item.nodes, "node"))]
            if len(item.children) > 1:
                lines.append(("count", f"in {len(item.children):,} subtrees"))
        if item.pruned == item.nodes:
            lines.append(("count", "pruned"))
        elif item.pruned:
            lines.append(("count", f"{item.pruned:,} pruned"))
        self._below(box, [(kind, text, text) for kind, text in lines])
        self._reserve_arc(box)
        return box

    def _reserve_arc(self, box: _NodeBox) -> None:
        """Reserve space above the shape for the move name and the cross."""
        if box.move:
            box.above += style(box.classes, "move").size * LEADING + 3
            half = _wide("move", box.move, box.classes) / 2
            box.left, box.right = max(box.left, half), max(box.right, half)
        if box.crossed:
            box.above += 2 * CROSS + 8
            box.right = max(box.right, CROSS + 3 + _wide("number", str(box.crossed)))
            box.left = max(box.left, CROSS + 1)

    def _tooltip(self, label: Label, index: int) -> str:
        node = self.labels.tree.nodes[index]
        texts = [node.id if node.player is None else f"{node.id}: {PLAYER_NAMES[node.player]}"]
        texts += [f"value {label.value}"] if label.value else []
        texts += [label.window] if label.window else []
        texts += [label.reason] if label.reason else []
        texts += ["pruned"] if label.is_pruned else []
        return ", ".join(texts)

    # ---- rows and arcs ------------------------------------------------------------------------------------------

    def _sides(self) -> list[str]:
        """The player to move in each row, if it is the same for all nodes of the row."""
        rows: list[set[str]] = [set() for _ in range(max(self.folded.depths) + 1)]
        for box, depth in self._by_row():
            if "node" in box.classes and "leaf" not in box.classes:
                rows[depth].add(box.classes[1])
        movers = [next(iter(row)) if len(row) == 1 else "" for row in rows]
        return [mover if mover == "chance" else mover.upper() for mover in movers]

    def _rows(self, places: list[float]) -> tuple[list[float], list[float]]:
        """For each row, the y coordinates of the top of its boxes and of the base of its shapes."""
        count = max(self.folded.depths) + 1
        above, up, down, fan = ([0.0] * count for _ in range(4))
        for place, (box, depth) in enumerate(self._by_row()):
            above[depth] = max(above[depth], box.above)
            up[depth], down[depth] = max(up[depth], box.up), max(down[depth], box.down)
            for child in self.folded.children[place]:
                fan[depth] = max(fan[depth], abs(places[child] - places[place]))
        tops, feet = [], []
        y = MARGIN
        for depth in range(count):
            tops.append(y)
            feet.append(y + above[depth] + up[depth])
            y = feet[-1] + down[depth] + min(WIDEST_GAP, max(GAP, STEEP * fan[depth]))
        self.downs = down
        return tops, feet

    def _straight_down(self, places: list[float], tops: list[float], feet: list[float]) -> set[int]:
        """The nodes whose arcs leave the row vertically, because they would cross a neighbouring box otherwise."""
        rows: list[list[int]] = [[] for _ in feet]
        for place, depth in enumerate(self.folded.depths):
            rows[depth].append(place)
        found: set[int] = set()
        for depth, row in enumerate(rows[:-1]):
            for direction in (-1, 1):
                beside = direction * float("inf")  # edge of the next box that extends below the base of the shapes
                for place in row if direction < 0 else reversed(row):
                    box, children = self.boxes[place], self.folded.children[place]
                    if children:
                        outer = places[children[0 if direction < 0 else -1]]
                        start = feet[depth] + box.foot
                        clear = feet[depth] + self.downs[depth]
                        slope = (outer - places[place]) / (tops[depth + 1] - start)
                        at = places[place] + slope * (clear - start)
                        if (at - beside) * direction > -ARC_CLEAR:
                            found.add(place)
                    if box.down > 0:
                        beside = places[place] + (box.right if direction < 0 else -box.left)
        return found

    def _arc(
        self, place: int, places: list[float], tops: list[float], feet: list[float], straight_down: set[int]
    ) -> Group:
        item, box, depth = self.folded.items[place], self.boxes[place], self.folded.depths[place]
        parent = self.folded.parents[place]
        index = item.children[0] if isinstance(item, Fold) else item
        x, end = places[place], feet[depth] - TALL
        above = self.boxes[parent]
        start = feet[depth - 1] + above.foot
        points: list[Point] = [(places[parent], start)]
        clear = feet[depth - 1] + self.downs[depth - 1]
        if parent in straight_down and clear > start:
            points.append((places[parent], clear))
        # Straight to the shape if nothing of its row is above it; otherwise vertically within the box.
        y = tops[depth]
        parts: list[Part] = []
        if y < end:
            points.append((x, y))
        if box.move:
            size = style(box.classes, "move").size
            y += size * LEADING + 3
            parts += [Line("edge", points), Text("move", x, y - size * 0.3 - 2, box.move)]
            points = [(x, y)]
        points.append((x, end))
        parts.append(Line("edge", points))
        if box.crossed and ("crossed" in box.classes or self.options.interactive):
            middle = y + CROSS + 2 + (end - y - 2 * CROSS - 4) / 2
            parts += _cross(x, middle)
            parts.append(Text("number", x + CROSS + 3, middle + 3.5, str(box.crossed), "start"))
        classes = ("arc", *(word for word in box.classes if word not in ("node", "fold", "current")))
        return Group(f"a{index}", classes, parts)

    # ---- below the tree -----------------------------------------------------------------------------------------

    def _legend(self, x: float, y: float, width: float) -> tuple[list[Group], float, float]:
        """The symbols, then the result and the cutoffs, in lines of at most `width`."""
        groups, reach, y = self._key(x, y, width)
        legend = Group("legend", ("legend",))
        leading = style(legend.classes, "caption").size * 1.45
        result, cuts = self._result()
        for line in _wrapped(result, "caption", width):
            y += leading
            legend.parts.append(Text("caption", x, y, line, "start"))
            reach = max(reach, x + _wide("caption", line))
        # The cutoffs in columns, read downwards, each with its number before its first line.
        lines = [
            ("" if again else str(number), line)
            for number, text in cuts
            for again, line in enumerate(_wrapped(text, "caption", width - NUMBER_WIDTH))
        ]
        column = NUMBER_WIDTH + 20 + max((_wide("caption", line) for _, line in lines), default=0.0)
        columns = max(1, min(int((width + 20) / column), -(-len(lines) // MIN_COLUMN)))
        rows = -(-len(lines) // columns)
        for place, (number, line) in enumerate(lines):
            at, height = x + place // rows * column, y + (place % rows + 1) * leading
            if number:
                legend.parts.append(Text("number", at + NUMBER_WIDTH - 6, height, number, "end"))
            legend.parts.append(Text("caption", at + NUMBER_WIDTH, height, line, "start"))
            reach = max(reach, at + NUMBER_WIDTH + _wide("caption", line))
        return [*groups, legend] if legend.parts else groups, reach, y + rows * leading

    def _result(self) -> tuple[str, list[tuple[int, str]]]:
        """The result or the current step, and the cutoffs that are visible in the picture, with their numbers."""
        labels, trace = self.labels, self.labels.trace
        if trace is None:
            return "", []
        all_cuts = labels.cuts
        numbers = sorted({box.cut for box in self.boxes} | {box.crossed for box in self.boxes})
        seen = [number for number in numbers if 0 < number <= len(all_cuts)][:MAX_CUTS]
        step = self.options.step
        if step is not None and step < len(trace.steps):
            sentence = describe_step(trace, trace.steps[step - 1]) if step else "the tree before the search."
            text = f"Step {step} of {len(trace.steps):,}: {sentence}"
        else:
            best = "" if trace.best is None else f"; best move {labels.tree.move_name(labels.tree.nodes[trace.best])}"
            visited = f"{len(trace.visited):,} of {plural(len(labels.tree), 'node')} visited."
            text = f"Value {format_number(trace.value)}{best}. {_capitalized(str(trace.convention))}. {visited}"
        if len(seen) < len(all_cuts):
            text += f" {len(seen):,} of {plural(len(all_cuts), 'cutoff')}:" if seen else ""
        return text, [(number, all_cuts[number - 1]) for number in seen]

    def _key(self, x: float, y: float, width: float) -> tuple[list[Group], float, float]:
        """The symbols that occur, with their meaning, in rows of at most `width`."""
        classes = {word for box in self.boxes for word in box.classes}
        stroke = [(-HALF, -TALL / 2), (HALF, -TALL / 2)]
        signs: list[tuple[str, list[Part], str]] = [
            ("max", [_shape("max")], "MAX to move"),
            ("min", [_shape("min")], "MIN to move"),
            ("chance", [_shape("chance")], "chance node"),
            ("fold", [_shape("max")], "collapsed"),
            ("line", [Line("edge", stroke)], "principal variation"),
            ("pruned", [Line("edge", stroke), *_cross(0, -TALL / 2)], "pruned"),
        ]
        if self.options.interactive and self.labels.final_crossed:
            classes.add("pruned")
        groups: list[Group] = []
        scale, at, reach = 0.6, x, x
        for word, shapes, text in signs:
            if word not in classes:
                continue
            wide = 2 * HALF * scale + 5 + _wide("caption", text)
            if at > x and at + wide > x + width:
                at, y = x, y + TALL * scale + 8
            parts = [_moved(part, at + HALF * scale, y + 2, scale) for part in shapes]
            parts.append(Text("caption", at + 2 * HALF * scale + 5, y - 3, text, "start"))
            groups.append(Group(f"key-{word}", ("key", word), parts))
            at += wide + 18
            reach = max(reach, at - 18)
        return groups, reach, y + (6 if groups else -16)


def _shape(kind: str) -> Part:
    """The shape of an inner node on its base: MAX points up, MIN down, chance is round."""
    if kind == "max":
        return Polygon("shape", [(0, -TALL), (HALF, 0), (-HALF, 0)])
    if kind == "min":
        return Polygon("shape", [(-HALF, -TALL), (HALF, -TALL), (0, 0)])
    return Circle("shape", (0, -TALL / 2), TALL / 2)


def _cross(x: float, y: float) -> list[Part]:
    return [
        Line("cross", [(x - CROSS, y - CROSS), (x + CROSS, y + CROSS)]),
        Line("cross", [(x - CROSS, y + CROSS), (x + CROSS, y - CROSS)]),
    ]


def _moved(part: Part, x: float, y: float, scale: float = 1.0) -> Part:
    """A part scaled and moved by (x, y)."""
    if isinstance(part, Text):
        return Text(part.kind, x + part.x * scale, y + part.y * scale, part.text, part.anchor)
    if isinstance(part, Circle):
        return Circle(part.kind, (x + part.centre[0] * scale, y + part.centre[1] * scale), part.radius * scale)
    return type(part)(part.kind, [(x + across * scale, y + down * scale) for across, down in part.points])


def _wide(kind: str, text: str, classes: tuple[str, ...] = ()) -> float:
    """The width of a text of that kind. A value counts as bold, which it becomes when it is visited."""
    look = style(classes, kind)
    return text_width(text, look.size, bold=look.bold or kind == "value", mono=look.mono)


def _ordinal(order: str) -> str:
    return f"{order}." if order else ""


def _in_short(reason: str) -> str:
    """The reason as written at the node itself: without the name of the node."""
    return reason.rpartition(" at ")[0]


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str, kind: str, width: float) -> list[str]:
    """Break a text into lines of at most `width`, between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and _wide(kind, f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def boxes_of(scene: Scene) -> list[tuple[str, Box]]:
    """The bounding box of each text and shape of a node, with the id of its group; for checks of the layout."""
    boxes: list[tuple[str, Box]] = []
    for group in scene.groups:
        if group.classes[0] not in ("node", "fold"):
            continue
        for part in group.parts:
            if isinstance(part, Text):
                wide = _wide(part.kind, part.text, group.classes)
                left = part.x - {"start": 0.0, "middle": wide / 2, "end": wide}[part.anchor]
                size = style(group.classes, part.kind).size
                boxes.append((group.id, (left, part.y - 0.8 * size, left + wide, part.y + 0.2 * size)))
            elif isinstance(part, Circle):
                (x, y), reach = part.centre, part.radius
                boxes.append((group.id, (x - reach, y - reach, x + reach, y + reach)))
            else:
                xs, ys = [x for x, _ in part.points], [y for _, y in part.points]
                boxes.append((group.id, (min(xs), min(ys), max(xs), max(ys))))
    return boxes
