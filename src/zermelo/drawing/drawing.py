"""A drawing: a tree, a trace or a position with what is to be shown of it, ready to become any kind of picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

from zermelo.core.game import State
from zermelo.drawing.boards import Position
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.options import Options
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import quoted
from zermelo.teaching.tree.trace import Trace

#: The kinds of pictures, each with the ends of names of its files.
FORMS = {
    "svg": (".svg",),
    "html": (".html", ".htm"),
    "png": (".png",),
    "pdf": (".pdf",),
    "tikz": (".tex", ".tikz"),
    "dot": (".dot", ".gv"),
    "text": (".txt",),
}
#: Those that a board can be.
BOARDS = ("svg", "png", "pdf", "tikz", "text")
_ALSO = {"tex": "tikz", "latex": "tikz", "txt": "text", "graphviz": "dot", "gv": "dot", "htm": "html"}
_DRAWN = "what is drawn is a state of a game, or a tree, tree.read(...), or its search, tree.trace(...)"


class Drawing:
    """A tree, a trace or a position as a picture; in a notebook it shows itself."""

    def __init__(
        self, drawn: Tree | Trace | State, options: Options | None = None, *, before: State | None = None
    ) -> None:
        """Of a position also the one `before` it may be given: what the move between them changed is marked.

        Raises `TreeError` for anything else than a tree, a trace or a state of a game.
        """
        if not isinstance(drawn, (Tree, Trace, State)):
            raise TreeError(f"{_DRAWN}; not {quoted(drawn)}")
        self.drawn: Any = Position(drawn, before) if isinstance(drawn, State) else drawn
        self.options = options or Options()

    def svg(self) -> str:
        from zermelo.drawing.svg import svg

        return svg(self.drawn, self.options)

    def html(self) -> str:
        """A page of its own that steps through the search with the keyboard; it needs no server and no network."""
        from zermelo.teaching.diagrams.html import html

        self._refuse_board("HTML steps through a search")
        return html(self.drawn, self.options)

    def png(self) -> bytes:
        from zermelo.drawing.raster import png

        return png(self.drawn, self.options)

    def pdf(self) -> bytes:
        from zermelo.drawing.raster import pdf

        return pdf(self.drawn, self.options)

    def tikz(self) -> str:
        from zermelo.drawing.tikz import tikz

        return tikz(self.drawn, self.options)

    def dot(self) -> str:
        """For Graphviz."""
        from zermelo.teaching.diagrams.dot import dot

        self._refuse_board("DOT is for trees")
        return dot(self.drawn, self.options)

    def text(self, width: int | None = None) -> str:
        """For the terminal, with the columns it has."""
        from zermelo.teaching.diagrams.text import text

        if isinstance(self.drawn, Position):
            return self.drawn.state.board()
        return text(self.drawn, self.options, width)

    def written(self, form: str) -> str | bytes:
        """The picture in one of the `FORMS`. Raises `TreeError` for another one."""
        content: str | bytes = getattr(self, form_of(form))()
        return content

    def save(self, path: str | Path) -> None:
        """Write a file, of the kind that the end of its name tells. Raises `TreeError`."""
        from zermelo._util.atomic_files import write

        content = self.written(form_of_file(path))
        write(path, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")

    def _repr_svg_(self) -> str:
        """For notebooks: without an XML head, and with ids that no other picture of the page has."""
        from zermelo.drawing.svg import svg

        plain = replace(self.options, standalone=False)
        prefix = plain.prefix or f"z{crc32(svg(self.drawn, plain).encode()):08x}-"
        return svg(self.drawn, replace(plain, prefix=prefix))

    def _refuse_board(self, because: str) -> None:
        if isinstance(self.drawn, Position):
            raise TreeError(f"{because}; a board is drawn as {', '.join(BOARDS[:-1])} or {BOARDS[-1]}")

    def __repr__(self) -> str:
        return f"<Drawing of {self.drawn!r}>"


def draw(drawn: Tree | Trace | State, options: Options | None = None, /, **changed: Any) -> Drawing:
    """The drawing of a tree, a trace or a position, with `Options` by name: `draw(trace, order=True, step=7)`.

    Raises `TreeError` for an option that there is not.
    """
    return Drawing(drawn, Options.of(options, **changed))


def form_of(name: str, told: Iterable[str] = FORMS) -> str:
    """The one of the `FORMS` that a name stands for. Raises `TreeError`, which names those that are `told`."""
    form = _ALSO.get(name.casefold(), name.casefold())
    if form not in FORMS:
        raise TreeError(f"format {name[:40]!r} is not one of {', '.join(told)}")
    return form


def form_of_file(path: str | Path, told: Iterable[str] = FORMS) -> str:
    """The one of the `FORMS` that the end of a file's name tells. Raises `TreeError`, which names those `told`."""
    suffix = Path(path).suffix.casefold()
    for form, suffixes in FORMS.items():
        if suffix in suffixes:
            return form
    known = " ".join(suffix for form in told for suffix in FORMS[form])
    raise TreeError(f"{path}: the end of the name tells what is drawn, one of {known}; or say it with --format")
