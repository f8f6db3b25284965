"""The legend below a tree: the symbols that occur, the result or the current step, and the cutoffs."""

from __future__ import annotations

from collections.abc import Sequence

from zermelo.core.game import MAX, MIN
from zermelo.drawing.scene import Group, Line, Part, Text, moved
from zermelo.drawing.style import style
from zermelo.teaching.diagrams.labels import Labels, plural
from zermelo.teaching.diagrams.node_boxes import CROSS, HALF, TALL, NodeBox, shape, wide
from zermelo.teaching.tree.narration import describe_step
from zermelo.teaching.tree.node import PLAYER_NAMES
from zermelo.teaching.tree.numbers import format_number

#: Of the cutoffs in the legend: maximum number, minimum length of a column.
MAX_CUTS, MIN_COLUMN = 60, 6
NUMBER_WIDTH = 20.0  # of the number of a cutoff


class Legend:
    """The legend of a picture with these boxes; at most `max_cuts` cutoffs are listed."""

    def __init__(self, labels: Labels, boxes: Sequence[NodeBox], max_cuts: int = MAX_CUTS) -> None:
        self.labels, self.options, self.boxes = labels, labels.options, boxes
        self.max_cuts = max_cuts

    def groups(self, x: float, y: float, width: float) -> tuple[list[Group], float, float]:
        """The symbols, then the result and the cutoffs, in lines of at most `width`."""
        groups, reach, y = self._key(x, y, width)
        legend = Group("legend", ("legend",))
        leading = style(legend.classes, "caption").size * 1.45
        result, cuts = self._result()
        for line in _wrapped(result, "caption", width):
            y += leading
            legend.parts.append(Text("caption", x, y, line, "start"))
            reach = max(reach, x + wide("caption", line))
        # The cutoffs in columns, read downwards, each with its number before its first line.
        lines = [
            ("" if again else str(number), line)
            for number, text in cuts
            for again, line in enumerate(_wrapped(text, "caption", width - NUMBER_WIDTH))
        ]
        column = NUMBER_WIDTH + 20 + max((wide("caption", line) for _, line in lines), default=0.0)
        columns = max(1, min(int((width + 20) / column), -(-len(lines) // MIN_COLUMN)))
        rows = -(-len(lines) // columns)
        for place, (number, line) in enumerate(lines):
            at, height = x + place // rows * column, y + (place % rows + 1) * leading
            if number:
                legend.parts.append(Text("number", at + NUMBER_WIDTH - 6, height, number, "end"))
            legend.parts.append(Text("caption", at + NUMBER_WIDTH, height, line, "start"))
            reach = max(reach, at + NUMBER_WIDTH + wide("caption", line))
        return [*groups, legend] if legend.parts else groups, reach, y + rows * leading

    def _result(self) -> tuple[str, list[tuple[int, str]]]:
        """The result or the current step, and the cutoffs that are visible in the picture, with their numbers."""
        labels, trace = self.labels, self.labels.trace
        if trace is None:
            return "", []
        all_cuts = labels.conditions
        numbers = sorted({box.cut for box in self.boxes} | {box.crossed for box in self.boxes})
        seen = [number for number in numbers if number in all_cuts][: self.max_cuts]
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
        return text, [(number, all_cuts[number]) for number in seen]

    def _player(self, player: int) -> str:
        """The name that the game gives to a player, after a colon."""
        positions = self.labels.tree.positions
        name = positions[0].player_name(player) if positions else PLAYER_NAMES[player]
        return "" if name == PLAYER_NAMES[player] else f": {name}"

    def _key(self, x: float, y: float, width: float) -> tuple[list[Group], float, float]:
        """The symbols that occur, with their meaning, in rows of at most `width`."""
        classes = {word for box in self.boxes for word in box.classes}
        stroke = [(-HALF, TALL / 2), (HALF, TALL / 2)]
        signs: list[tuple[str, list[Part], str]] = [
            ("max", [shape("max")], f"MAX to move{self._player(MAX)}"),
            ("min", [shape("min")], f"MIN to move{self._player(MIN)}"),
            ("chance", [shape("chance")], "chance node"),
            ("fold", [shape("max")], "collapsed"),
            ("line", [Line("edge", stroke)], "principal variation"),
            ("pruned", [Line("edge", stroke), *cross(0, TALL / 2)], "pruned"),
        ]
        if self.options.interactive and self.labels.ever_crossed:
            classes.add("pruned")
        groups: list[Group] = []
        scale, at, reach = 0.6, x, x
        for word, shapes, text in signs:
            if word not in classes:
                continue
            across = 2 * HALF * scale + 5 + wide("caption", text)
            if at > x and at + across > x + width:
                at, y = x, y + TALL * scale + 8
            parts = [moved(part, at + HALF * scale, y + 2 - TALL * scale, scale) for part in shapes]
            parts.append(Text("caption", at + 2 * HALF * scale + 5, y - 3, text, "start"))
            groups.append(Group(f"key-{word}", ("key", word), parts))
            at += across + 18
            reach = max(reach, at - 18)
        sign, text = self.labels.window_key
        if sign:
            start = wide("window", sign) + 6
            if at > x and at + start + wide("caption", text) > x + width:
                at, y = x, y + TALL * scale + 8
            parts = [Text("window", at, y - 3, sign, "start")]
            for number, line in enumerate(_wrapped(text, "caption", x + width - at - start)):
                y += style((), "caption").size * 1.45 if number else 0.0
                parts.append(Text("caption", at + start, y - 3, line, "start"))
                reach = max(reach, at + start + wide("caption", line))
            groups.append(Group("key-window", ("key", "bounds"), parts))
        return groups, reach, y + (6 if groups else -16)


def cross(x: float, y: float) -> list[Part]:
    """The cross on a pruned arc."""
    return [
        Line("cross", [(x - CROSS, y - CROSS), (x + CROSS, y + CROSS)]),
        Line("cross", [(x - CROSS, y + CROSS), (x + CROSS, y - CROSS)]),
    ]


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str, kind: str, width: float) -> list[str]:
    """Break a text into lines of at most `width`, between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and wide(kind, f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
