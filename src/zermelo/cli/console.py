"""Rich console whose text has visible control characters; only the style is made of escape sequences."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from zermelo._util.terminal import LONGEST_RESULT, unguarded
from zermelo._util.text import single_line, visible


class Console(RichConsole):
    """Console that prints text unchanged but for control characters: no markup, no highlighting, no wrapping."""

    def __init__(self, *, error: bool = False) -> None:
        stream = sys.stderr if error else sys.stdout
        super().__init__(
            file=unguarded(stream), stderr=error, markup=False, highlight=False, emoji=False, soft_wrap=True
        )
        if self.width < 1:  # COLUMNS=0
            self.width = 80

    def print(self, *objects: Any, **options: Any) -> None:
        """Print lines: newlines in a text are made visible. `block` prints text of several lines."""
        super().print(*map(_one_line, objects), **options)

    def block(self, text: str | Text) -> None:
        """Print text of several lines, such as a board."""
        super().print(text)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape the text of whatever is printed, after its layout and before its style."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def _one_line(item: Any) -> Any:
    if isinstance(item, str):
        return single_line(item, LONGEST_RESULT)
    if isinstance(item, Text) and "\n" in item.plain:
        lines = item.split("\n", allow_blank=True)
        return Text("\\n").join(lines)
    return item
