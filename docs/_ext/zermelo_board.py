"""The directive that draws a position on a page, by Zermelo itself, whenever the pages are built.

    ```{board} chess
    :position: r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1
    :moves: O-O
    :caption: What stands below the picture.
    ```

The argument is the name of a game; without `position` it is its start. Of `moves` the last one is marked. In HTML the
picture is an inline SVG, elsewhere the board is text. Nothing that is made here is kept in the repository.
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
    """A position, drawn."""

    required_arguments = 1
    option_spec = {
        "position": directives.unchanged,
        "moves": directives.unchanged,
        "caption": directives.unchanged,
    }

    def run(self):
        try:
            return self.drawn()
        except ZermeloError as error:
            raise self.error(str(error)) from None

    def drawn(self):
        game = load(self.arguments[0])
        start = game.parse(self.options["position"]) if "position" in self.options else game.start()
        states = start.through(self.options.get("moves", ""))
        before = states[-2] if len(states) > 1 else None
        prefix = f"board{self.env.new_serialno('board')}-"
        drawing = draw(states[-1], before=before, prefix=prefix, theme=AUTO, standalone=False)
        picture = drawing.svg().replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)
        caption = self.options.get("caption", "")
        below = f"<figcaption><p>{escape(caption)}</p></figcaption>" if caption else ""
        figure = nodes.raw("", f'<figure class="board">{picture}{below}</figure>', format="html")
        elsewhere = addnodes.only(expr="not html")
        elsewhere += nodes.literal_block("", drawing.text())
        if caption:
            elsewhere += nodes.paragraph("", caption)
        return [figure, elsewhere]


def sources():
    """A number that changes with the code that draws, so that Sphinx reads the pages anew."""
    home = Path(zermelo.__file__).parent
    number = 0
    for path in sorted([*home.glob("drawing/*.py"), *home.glob("games/**/*.py"), home / "core" / "picture.py"]):
        number = zlib.crc32(path.read_bytes(), number)
    return number


def setup(app):
    app.add_directive("board", BoardDirective)
    return {"version": "1", "env_version": sources(), "parallel_read_safe": True, "parallel_write_safe": True}
