"""`draw`: a state, a tree or a trace as a `Drawing`, which renders to SVG, PNG, PDF, TikZ, text and more.

This module draws boards. Other packages add types of their own with `drawing_of.register`; `zermelo.teaching` does so
for trees and traces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from pathlib import Path
from typing import ClassVar
from zlib import crc32

from zermelo._util.text import quoted
from zermelo.core.game import MAX, MIN, State
from zermelo.core.player_view import board_of
from zermelo.drawing.boards import board_scene
from zermelo.drawing.options import DOWN, LIGHT, Options
from zermelo.drawing.scene import Scene
from zermelo.errors import InputError, LimitError

#: Output formats, each with its file extensions.
FORMATS = {
    "svg": (".svg",),
    "html": (".html", ".htm"),
    "png": (".png",),
    "pdf": (".pdf",),
    "tikz": (".tex", ".tikz"),
    "dot": (".dot", ".gv"),
    "text": (".txt",),
}
#: Formats that a board can be rendered to.
BOARD_FORMATS = ("svg", "png", "pdf", "tikz", "text")
_ALIASES = {"tex": "tikz", "latex": "tikz", "txt": "text", "graphviz": "dot", "gv": "dot", "htm": "html"}


class Drawing:
    """A picture of a state, a tree or a trace, as returned by `draw`. It shows itself in notebooks.

    Attributes
    ----------
    subject : State, Tree or Trace
        What is drawn.
    options : Options
        What is shown and how it looks.
    """

    #: Formats that this kind of drawing can be rendered to.
    formats: ClassVar[tuple[str, ...]] = BOARD_FORMATS
    _kind: ClassVar[str] = "a board"

    def __init__(self, subject: object, options: Options | None = None) -> None:
        self.subject = subject
        self.options = options or Options()

    def _scene(self, options: Options) -> Scene:
        raise NotImplementedError

    def scene(self) -> Scene:
        """The shapes and texts of the picture, without elements that only a script shows."""
        return self._scene(replace(self.options, interactive=False))

    def svg(self) -> str:
        """Render as SVG."""
        from zermelo.drawing.svg import svg

        options = self.options
        return svg(self._scene(options), theme=options.theme, prefix=options.prefix, standalone=options.standalone)

    def html(self) -> str:
        """Render a trace as an HTML page that steps through the search; one file, no network access.

        Raises
        ------
        InputError
            If the subject is not a trace.
        """
        raise self._unsupported("html")

    def png(self) -> bytes:
        """Render as PNG. Raises `MissingDependency` without matplotlib."""
        from zermelo.drawing.raster import png

        return png(self.scene(), dpi=self.options.dpi)

    def pdf(self) -> bytes:
        """Render as a one-page PDF with searchable text. Raises `MissingDependency` without matplotlib."""
        from zermelo.drawing.raster import pdf

        return pdf(self.scene())

    def tikz(self) -> str:
        """Render as TikZ code for LaTeX."""
        from zermelo.drawing.tikz import tikz

        return tikz(self.scene(), standalone=self.options.standalone)

    def dot(self) -> str:
        """Render a tree or a trace in the DOT language of Graphviz.

        Raises
        ------
        InputError
            If the subject is a state.
        """
        raise self._unsupported("dot")

    def text(self, width: int | None = None) -> str:
        """Render as plain text for a terminal.

        Parameters
        ----------
        width : int, optional
            Columns available, 100 by default. Boards ignore it.
        """
        raise NotImplementedError

    def render(self, format: str) -> str | bytes:
        """Render in one of the `FORMATS`; bytes for `png` and `pdf`. Raises `InputError` for an unknown format."""
        content: str | bytes = getattr(self, parse_format(format, self.formats))()
        return content

    def save(self, path: str | Path) -> None:
        """Write a file; the extension selects the format.

        Raises
        ------
        InputError
            If the extension is unknown.
        FileError
            If the file cannot be written.
        """
        write_drawing(path, self.render(format_of_path(path, self.formats)))

    def save_steps(self, path: str | Path, format: str | None = None) -> list[Path]:
        """Write the pictures before a search and after each of its steps. Nothing moves from one to the next.

        Parameters
        ----------
        path : str or Path
            The file. `.pdf` gets a page for each picture, `.tex` a slide of LaTeX Beamer with an overlay for each
            picture, and `.html` a page that steps through all of them. Other formats get a file for each,
            `tree-000.svg`, `tree-001.svg`, ...
        format : str, optional
            One of the formats of `render`; by default the extension of the path selects it.

        Returns
        -------
        list of Path
            The files written.

        Raises
        ------
        InputError
            If the subject is not a search.
        LimitError
            If the search has more than 1,000 steps.
        """
        raise InputError(f"{self._kind} has no steps: expected a search")

    def _repr_svg_(self) -> str:
        """The SVG for a notebook: without XML declaration, with ids that are unique on the page."""
        from zermelo.drawing.svg import svg

        scene, theme = self._scene(self.options), self.options.theme
        plain = svg(scene, theme=theme, standalone=False)
        return svg(scene, theme=theme, prefix=self.options.prefix or f"z{crc32(plain.encode()):08x}-", standalone=False)

    def _unsupported(self, format: str) -> InputError:
        return InputError(f"{self._kind} cannot be drawn as {format}: expected one of {', '.join(self.formats)}")

    def __repr__(self) -> str:
        return f"<Drawing of {self.subject!r}>"


class BoardDrawing(Drawing):
    """A position on its board."""

    subject: State

    def __init__(
        self, state: State, options: Options | None = None, *, before: State | None = None, view: int | None = None
    ) -> None:
        super().__init__(state, options)
        self.before = before
        self.view = view

    def _scene(self, options: Options) -> Scene:
        return board_scene(self.subject, self.before, player=self.view)

    def text(self, width: int | None = None) -> str:
        return self.subject.board() if self.view is None else board_of(self.subject, self.view)


@singledispatch
def drawing_of(subject: object, options: Options | None = None) -> Drawing:
    """The drawing of a subject with given `Options`; `draw` is the same with keyword arguments.

    Raises
    ------
    InputError
        If the subject cannot be drawn.
    """
    raise InputError(
        f"cannot draw {type(subject).__name__} {quoted(str(subject))}: expected a state, a tree or a trace"
    )


drawing_of.register(State, BoardDrawing)


def draw(
    subject: object,
    /,
    *,
    before: State | None = None,
    view: int | None = None,
    max_nodes: int = 200,
    names: bool = True,
    windows: bool = True,
    values: bool = True,
    order: bool = False,
    moves: bool = True,
    states: bool = False,
    boards: bool = False,
    board_size: float | None = None,
    direction: str = DOWN,
    fit: tuple[float, float] | None = None,
    reasons: bool | None = None,
    legend: bool = True,
    step: int | None = None,
    interactive: bool = False,
    answer_boxes: bool = False,
    theme: str = LIGHT,
    prefix: str = "",
    dpi: int = 144,
    standalone: bool = True,
) -> Drawing:
    """Draw a state of a game, a tree or the trace of a search.

    Parameters
    ----------
    subject : State, Tree or Trace
        What to draw.
    before : State, optional
        The state before the last move. The squares that the move changed are marked. Boards only.
    view : int, optional
        The player, MAX or MIN, whose view is drawn, in a game with hidden information. Boards only. By default all is
        drawn.
    max_nodes, names, windows, values, order, moves, states, boards, board_size, direction, fit, reasons, legend, \
    step, interactive, answer_boxes
        What a tree or a trace shows; see `Options`. Boards ignore them.
    theme, prefix, dpi, standalone
        Output options of all drawings; see `Options`.

    Returns
    -------
    Drawing
        Shows itself in notebooks; `save` writes a file, `svg`, `png`, ... return the picture.

    Raises
    ------
    InputError
        If the subject cannot be drawn.
    LimitError
        If an option is out of range.

    Examples
    --------
    >>> import zermelo
    >>> state = zermelo.load("tictactoe").start()
    >>> draw(state.after("b2"), before=state).svg()[:5]
    '<?xml'
    """
    options = Options(
        max_nodes=max_nodes, names=names, windows=windows, values=values, order=order, moves=moves, states=states,
        boards=boards, board_size=board_size, direction=direction, fit=fit, reasons=reasons, legend=legend, step=step,
        interactive=interactive, answer_boxes=answer_boxes, theme=theme, prefix=prefix, dpi=dpi, standalone=standalone,
    )  # fmt: skip
    if before is None and view is None:
        return drawing_of(subject, options)
    if not isinstance(subject, State):
        raise InputError("draw: `before` and `view` are for states only")
    if view not in (None, MAX, MIN):
        raise LimitError(f"view must be MAX (1) or MIN (-1) (got {view!r})")
    return BoardDrawing(subject, options, before=before, view=view)


def parse_format(name: str, formats: Iterable[str] = FORMATS) -> str:
    """The format of a name or alias (`tex`, `gv`). Raises `InputError`, which lists `formats`, for an unknown one."""
    format = _ALIASES.get(name.casefold(), name.casefold())
    if format not in FORMATS:
        raise InputError(f"unknown format {quoted(name)}: expected one of {', '.join(formats)}")
    return format


def format_of_path(path: str | Path, formats: Iterable[str] = FORMATS) -> str:
    """The format of a file by its extension. Raises `InputError`, which lists the extensions of `formats`."""
    suffix = Path(path).suffix.casefold()
    for format, suffixes in FORMATS.items():
        if suffix in suffixes:
            return format
    known = " ".join(suffix for format in formats for suffix in FORMATS[format])
    raise InputError(f"{path}: unknown file extension: expected one of {known}")


def write_drawing(path: str | Path, content: str | bytes) -> None:
    """Write a rendered drawing to a file. Raises `FileError` if the file cannot be written."""
    from zermelo._util.atomic_files import write

    write(path, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")
