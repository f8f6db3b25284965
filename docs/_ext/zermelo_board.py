"""Sphinx directive that draws a position when the pages are built.

    ```{board} chess
    :position: r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1
    :moves: O-O
    :caption: A caption.
    ```

The argument is the name of a game; the default position is its start. The last of the `moves` is highlighted. In HTML
the picture is an inline SVG, in other formats the board is text.
"""

from __future__ import annotations

import zlib
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import zermelo
from zermelo.drawing.drawing import draw
from zermelo.drawing.options import AUTO
from zermelo.errors import ZermeloError
from zermelo.registry import load


class BoardDirective(SphinxDirective):
    """Picture of a position."""

    required_arguments = 1
    option_spec = {
        "position": directives.unchanged,
        "moves": directives.unchanged,
        "caption": directives.unchanged,
    }

    def run(self):
        try:
            return self.build_nodes()
        except ZermeloError as error:
            raise self.error(str(error)) from None

    def build_nodes(self):
        game = load(self.arguments[0])
        start = game.parse(self.options["position"]) if "position" in self.options else game.start()
        states = start.through(self.options.get("moves", ""))
        before = states[-2] if len(states) > 1 else None
        prefix = f"board{self.env.new_serialno('board')}-"
        drawing = draw(states[-1], before=before, prefix=prefix, theme=AUTO, standalone=False)
        picture = drawing.svg().replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
        caption = self.options.get("caption", "")
        figcaption = f"<figcaption><p>{escape(caption)}</p></figcaption>" if caption else ""
        figure = nodes.raw("", f'<figure class="board">{picture}{figcaption}</figure>', format="html")
        other_formats = addnodes.only(expr="not html")
        other_formats += nodes.literal_block("", drawing.text())
        if caption:
            other_formats += nodes.paragraph("", caption)
        return [figure, other_formats]


def sources():
    """A checksum of the drawing code, so that Sphinx rebuilds the pages when it changes."""
    package = Path(zermelo.__file__).parent
    checksum = 0
    for path in sorted(
        [*package.glob("drawing/*.py"), *package.glob("games/**/*.py"), package / "core" / "picture.py"]
    ):
        checksum = zlib.crc32(path.read_bytes(), checksum)
    return checksum


def setup(app):
    app.add_directive("board", BoardDirective)
    return {"version": "1", "env_version": sources(), "parallel_read_safe": True, "parallel_write_safe": True}
