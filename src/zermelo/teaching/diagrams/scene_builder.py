"""`build_scene`: a tree or a trace as a scene, with each node in a box, boxes in rows, arcs, and a legend below.

    direction down:  a row for each depth, children below their parents
    direction right: a column for each depth, children to the right of their parents

Both are computed alike, with two axes: a row lies *along* the direction in which the tree grows, and its boxes lie
side by side *across* it. `zermelo.teaching.diagrams.node_boxes` makes the boxes.

Everything that belongs to a node lies within its box, and boxes do not overlap. An arc is a straight line from node to
node. If it would cross a text or a shape, it runs along the axis within the row, and straight between the rows, where
nothing else is drawn. So no text overlaps another text or an arc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from zermelo.drawing.options import MIN_NODES, RIGHT
from zermelo.drawing.scene import Box, Circle, Group, Inset, Line, Part, Point, Scene, Text, moved
from zermelo.drawing.style import style
from zermelo.teaching.diagrams.folding import Fold, Folded, fold
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.layout import tidy
from zermelo.teaching.diagrams.legend import MAX_CUTS, Legend, cross
from zermelo.teaching.diagrams.node_boxes import CROSS, TALL, NodeBox, NodeBoxes, wide

# Lengths in points.
BETWEEN, APART = 9.0, 18.0  # gaps between the boxes of siblings and of other neighbours
GAP, WIDEST_GAP, STEEP = 34.0, 150.0, 0.16  # between rows: minimum, maximum, and slope of the widest arc
MARGIN = 14.0
MIN_LEGEND_WIDTH = 430.0
LEGEND_HEIGHT = 100.0  # of a usual legend
ARC_CLEAR = 2.0  # minimum gap between an arc and a text or a shape that is not its own
TO_CROSS = CROSS + 4.0  # from the end of an arc to the cross on it
HEADING = 22.0  # height of the headings of columns
#: The page that a tree is fitted to shrinks or grows by these factors at most, which makes its text larger or smaller.
SMALLEST_PAGE, LARGEST_PAGE = 0.5, 1.5
#: Maximum number of cutoffs in the legend of a picture that is fitted to a page.
MAX_CUTS_ON_PAGE = 6
#: With more nodes, the reasons of cutoffs are drawn in the legend only.
MAX_NODES_WITH_REASONS = 80


def build_scene(labels: Labels) -> Scene:
    """Build the scene of a tree or a trace, as `labels.options` say."""
    page = labels.options.fit
    if page is None:
        return _SceneBuilder(labels, fold(labels)).scene()
    scene = _SceneBuilder(labels, fold(labels, fitting_size(labels))).scene()
    return _on_page([scene], page)[0]


def build_step_scenes(labels_after: Callable[[int], Labels], steps: int) -> list[Scene]:
    """Build the scenes before the search and after each step, all of one size, so that nothing moves between them.

    `labels_after` returns the labels after a number of steps.
    """
    last = labels_after(steps)
    page = last.options.fit
    size = None if page is None else fitting_size(last)
    scenes = []
    for step in range(steps + 1):
        labels = labels_after(step)
        scenes.append(_SceneBuilder(labels, fold(labels, size)).scene())
    if page is not None:
        return _on_page(scenes, page)
    width, height = max(scene.width for scene in scenes), max(scene.height for scene in scenes)
    return [replace(scene, width=width, height=height) for scene in scenes]


def fitting_size(labels: Labels) -> int:
    """The largest number of nodes, at most `max_nodes`, with which the picture fits on the page."""
    assert labels.options.fit is not None
    limits = [side * LARGEST_PAGE for side in labels.options.fit]

    def fits(size: int) -> bool:
        scene = _SceneBuilder(labels, fold(labels, size)).scene()
        return scene.width <= limits[0] and scene.height <= limits[1]

    high = max(MIN_NODES, min(labels.options.max_nodes, len(labels.tree)))
    if fits(high):
        return high
    low = MIN_NODES  # drawn even if it does not fit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _on_page(scenes: Sequence[Scene], page: tuple[float, float]) -> list[Scene]:
    """The scenes in the middle of the smallest page of these proportions that they fit on."""
    width, height = max(scene.width for scene in scenes), max(scene.height for scene in scenes)
    scale = max(SMALLEST_PAGE, width / page[0], height / page[1])
    x, y = (page[0] * scale - width) / 2, (page[1] * scale - height) / 2

    def placed(scene: Scene) -> Scene:
        groups = [replace(group, parts=[moved(part, x, y) for part in group.parts]) for group in scene.groups]
        return replace(scene, width=page[0] * scale, height=page[1] * scale, groups=groups)

    return list(map(placed, scenes))


class _SceneBuilder:
    """Coordinates are (along, across) until they are drawn: (y, x) with the direction `down`, (x, y) with `right`."""

    def __init__(self, labels: Labels, folded: Folded) -> None:
        self.labels = labels
        self.options = labels.options
        self.is_right = labels.options.direction == RIGHT
        self.folded = folded
        labels.restrict(frozenset(item for item in self.folded.items if not isinstance(item, Fold)))
        few = len(self.folded.items) <= MAX_NODES_WITH_REASONS
        boxes = NodeBoxes(labels, reasons=few if self.options.reasons is None else self.options.reasons)
        self.boxes = [boxes.fold(item) if isinstance(item, Fold) else boxes.node(item) for item in self.folded.items]
        self.rows: list[list[int]] = [[] for _ in range(max(self.folded.depths) + 1)]
        for place, depth in enumerate(self.folded.depths):
            self.rows[depth].append(place)
        self.number_in_row = [0] * len(self.boxes)
        for row in self.rows:
            for number, place in enumerate(row):
                self.number_in_row[place] = number

    # ---- axes ---------------------------------------------------------------------------------------------------

    def _low(self, box: NodeBox) -> float:
        """The extent of a box to its lower side across."""
        return box.up if self.is_right else box.left

    def _high(self, box: NodeBox) -> float:
        return box.down if self.is_right else box.right

    def _before(self, box: NodeBox) -> float:
        """The extent of a box along, towards the parent."""
        return box.left if self.is_right else box.up

    def _after(self, box: NodeBox) -> float:
        return box.right if self.is_right else box.down

    def _point(self, along: float, across: float) -> Point:
        return (along, across) if self.is_right else (across, along)

    # ---- the scene ----------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        lows, highs = [self._low(box) for box in self.boxes], [self._high(box) for box in self.boxes]
        places = tidy(self.folded.children, lows, highs, between=BETWEEN, apart=APART)
        sides = self._sides()
        if self.is_right:
            start = MARGIN + (HEADING if any(sides) else 0.0)
        else:
            start = MARGIN + max((wide("side", text) + 10 for text in sides), default=0.0)
        self.across = [place + start for place in places]
        self._arrange_rows()
        groups = [group for place in range(len(self.boxes)) for group in self._arcs(place)]
        for place, (box, item) in enumerate(zip(self.boxes, self.folded.items, strict=True)):
            x, y = self._point(self.origins[self.folded.depths[place]], self.across[place])
            id = f"{'f' if isinstance(item, Fold) else 'n'}{self._index(place)}"
            groups.append(Group(id, box.classes, [moved(part, x, y) for part in box.parts], box.title))
        groups += self._headings(sides)
        end = self.ends[-1]
        far = max(place + high for place, high in zip(self.across, highs, strict=True))
        width, bottom = (end, far) if self.is_right else (far, end)
        width += MARGIN
        if self.options.legend:
            legend = Legend(self.labels, self.boxes, MAX_CUTS if self.options.fit is None else MAX_CUTS_ON_PAGE)
            least = MIN_LEGEND_WIDTH
            if self.options.fit is not None:  # as wide as a page of the height of the tree and the legend
                page, tall = self.options.fit
                room = min((bottom + LEGEND_HEIGHT) * page / tall, LARGEST_PAGE * page) - 2 * MARGIN
                least = max(min(least, page - 2 * MARGIN), room)
            more, reach, bottom = legend.groups(MARGIN, bottom + 22, max(width - 2 * MARGIN, least))
            groups += more
            width = max(width, reach + MARGIN)
        return Scene(width, bottom + MARGIN, self.labels.title, self.labels.description, groups)

    def _index(self, place: int) -> int:
        """The index in the tree of a drawn node, or of the first one of a group."""
        item = self.folded.items[place]
        return item.children[0] if isinstance(item, Fold) else item

    def _sides(self) -> list[str]:
        """The player to move in each row, if it is the same for all nodes of the row."""
        rows: list[set[str]] = [set() for _ in self.rows]
        for box, depth in zip(self.boxes, self.folded.depths, strict=True):
            if "node" in box.classes and "leaf" not in box.classes:
                rows[depth].add(box.classes[1])
        movers = [next(iter(row)) if len(row) == 1 else "" for row in rows]
        return [mover if mover == "chance" else mover.upper() for mover in movers]

    def _headings(self, sides: list[str]) -> Iterator[Group]:
        """The player to move in each row, at the edge of the picture."""
        for depth, text in enumerate(sides):
            if text:
                at = self.origins[depth]
                heading = Text("side", MARGIN, at + TALL / 2 + 4, text, "start")
                if self.is_right:
                    heading = Text("side", at, MARGIN + 9, text, "start")
                yield Group(f"row{depth}", ("row",), [heading])

    # ---- rows and arcs ------------------------------------------------------------------------------------------

    def _arrange_rows(self) -> None:
        """For each row, set where along the axis it begins and ends, and where the origins of its boxes are."""
        self.begins, self.origins, self.ends = [], [], []
        at = MARGIN
        for row in self.rows:
            self.begins.append(at)
            self.origins.append(at + max(self._before(self.boxes[place]) for place in row))
            self.ends.append(self.origins[-1] + max(self._after(self.boxes[place]) for place in row))
            arcs = ((place, child) for place in row for child in self.folded.children[place])
            fan = max((abs(self.across[child] - self.across[place]) for place, child in arcs), default=0.0)
            at = self.ends[-1] + min(WIDEST_GAP, max(GAP, STEEP * fan))

    def _arcs(self, place: int) -> Iterator[Group]:
        """The arcs from a node to its children. If one has to leave the row along the axis, all do."""
        children = self.folded.children[place]
        if not children:
            return
        depth, box = self.folded.depths[place], self.boxes[place]
        start, row_end = self.origins[depth] + box.exit, self.ends[depth]
        leaves_straight = all(
            not self._is_blocked(depth, (start, self.across[place]), self._arc_end(child), place) for child in children
        )
        for child in children:
            points = [(start, self.across[place])]
            if not leaves_straight and row_end > start:
                points.append((row_end, self.across[place]))
            end = self._arc_end(child)
            if self._is_blocked(depth + 1, points[-1], end, child):
                points.append((self.begins[depth + 1], self.across[child]))
            yield self._arc(child, [*points, end])

    def _arc_end(self, child: int) -> Point:
        return self.origins[self.folded.depths[child]] - self.boxes[child].entry, self.across[child]

    def _is_blocked(self, depth: int, start: Point, end: Point, place: int) -> bool:
        """Whether a line crosses a text or a shape of the boxes in a row; it starts or ends at the box `place`."""
        if end[0] <= start[0]:
            return False
        slope = (end[1] - start[1]) / (end[0] - start[0])
        first, last = max(start[0], self.begins[depth]), min(end[0], self.ends[depth])
        if last <= first:
            return False
        at = sorted((start[1] + slope * (first - start[0]), start[1] + slope * (last - start[0])))
        row, number = self.rows[depth], self.number_in_row[place]
        for step in (-1, 1):
            neighbour = number if step > 0 else number - 1
            while 0 <= neighbour < len(row):
                other = row[neighbour]
                box, across = self.boxes[other], self.across[other]
                if other != place and (
                    across - self._low(box) > at[1] + APART if step > 0 else across + self._high(box) < at[0] - APART
                ):
                    break
                clear = 0.0 if other == place else ARC_CLEAR  # its own shape, the first one, is not in the way
                for left, top, right, bottom in box.solid[other == place :]:
                    near, far, low, high = (left, right, top, bottom) if self.is_right else (top, bottom, left, right)
                    begin = max(first, self.origins[depth] + near - clear)
                    finish = min(last, self.origins[depth] + far + clear)
                    if finish - begin < 0.01:
                        continue
                    ends = (start[1] + slope * (begin - start[0]), start[1] + slope * (finish - start[0]))
                    if max(ends) > across + low - clear + 0.01 and min(ends) < across + high + clear - 0.01:
                        return True
                neighbour += step
        return False

    def _arc(self, place: int, points: list[Point]) -> Group:
        """The arc to a node, with the move name and the cross."""
        box = self.boxes[place]
        parts: list[Part] = [Line("edge", [self._point(*point) for point in points])]
        if box.move is not None:
            x, y = self._point(self.origins[self.folded.depths[place]], self.across[place])
            parts.append(moved(box.move, x, y))
        if box.crossed and ("crossed" in box.classes or self.options.interactive):
            (along, across), (end, last) = points[-2:]
            if end - along < 2 * TO_CROSS and len(points) > 2:  # a short last piece: cross out the one before it
                (along, across), (end, last) = points[-3:-1]
            share = TO_CROSS / max(end - along, TO_CROSS)
            x, y = self._point(end - share * (end - along), last - share * (last - across))
            parts += cross(x, y)
            is_flat = (abs(last - across) > end - along) != self.is_right
            parts.append(self._cut_number(box.crossed, x, y, is_flat))
        classes = ("arc", *(word for word in box.classes if word not in ("node", "fold", "current")))
        return Group(f"a{self._index(place)}", classes, parts)

    def _cut_number(self, number: int, x: float, y: float, is_flat: bool) -> Text:
        """The number of a cutoff beside its cross, where the arc and the move name are not."""
        if is_flat:
            return Text("number", x, y - CROSS - 2, str(number))
        if self.is_right:
            return Text("number", x - CROSS - 3, y + 3.5, str(number), "end")
        return Text("number", x + CROSS + 3, y + 3.5, str(number), "start")


def boxes_of(scene: Scene) -> list[tuple[str, Box]]:
    """The bounding box of each text and shape of a node and of each move name, with the id of its group.

    For checks of the layout.
    """
    boxes: list[tuple[str, Box]] = []
    for group in scene.groups:
        if group.classes[0] not in ("node", "fold", "arc"):
            continue
        for part in group.parts:
            if group.classes[0] == "arc" and part.kind != "move":
                continue
            if isinstance(part, Text):
                across = wide(part.kind, part.text, group.classes)
                left = part.x - {"start": 0.0, "middle": across / 2, "end": across}[part.anchor]
                size = style(group.classes, part.kind).size
                boxes.append((group.id, (left, part.y - 0.8 * size, left + across, part.y + 0.2 * size)))
            elif isinstance(part, Circle):
                (x, y), reach = part.centre, part.radius
                boxes.append((group.id, (x - reach, y - reach, x + reach, y + reach)))
            elif isinstance(part, Inset):
                across, tall = part.scene.width * part.scale, part.scene.height * part.scale
                boxes.append((group.id, (part.x, part.y, part.x + across, part.y + tall)))
            else:
                xs, ys = [x for x, _ in part.points], [y for _, y in part.points]
                boxes.append((group.id, (min(xs), min(ys), max(xs), max(ys))))
    return boxes
