"""Sheets as PDF, A4, by matplotlib: the tree is the scene that every picture is drawn from, the rest text and lines."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from typing import Any

from zermelo.drawing.fonts import text_width
from zermelo.drawing.raster import artist
from zermelo.drawing.scene import Circle, Group, Part, Scene, Text
from zermelo.errors import MissingDependency
from zermelo.teaching.exercises.sheet import Sheet, is_wide, scene_of
from zermelo.teaching.exercises.sheet_html import ONE_COLUMN

# Points: A4, its margins, the height of a line, of a row to write in, and of one that is filled.
WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 42.0
LINE = 12.5
ROW, FILLED_ROW = 18.0, 15.0
SIZE = 9.0
#: How large the tree is drawn at most.
LARGEST = 0.85


def pdf(sheets: Iterable[Sheet]) -> bytes:
    """The sheets as one PDF, each beginning on a new page. Raises `TreeError` where matplotlib is not installed."""
    try:
        import matplotlib
        from matplotlib.backends.backend_pdf import PdfPages
    except ImportError:
        raise MissingDependency("PNG and PDF need matplotlib: pip install 'zermelo[draw]'") from None
    settings = {**matplotlib.rcParamsDefault, "pdf.fonttype": 42, "backend": "agg"}
    file = io.BytesIO()
    about: dict[str, str | None] = {"Creator": None, "Producer": None, "CreationDate": None}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        with PdfPages(file, metadata=about) as pages:
            for sheet in sheets:
                about.setdefault("Title", sheet.title)
                _Paper(pages).fill(sheet)
    return file.getvalue()


class _Paper:
    """The pages of one sheet, written from the top; `y` is how far down the page the next thing begins."""

    def __init__(self, pages: Any) -> None:
        self.pages = pages
        self.figure: Any = None
        self.y = 0.0
        self.row = ROW

    def fill(self, sheet: Sheet) -> None:
        self.turn()
        self.row = FILLED_ROW if sheet.has_solution else ROW
        self.text(sheet.title, size=14, bold=True)
        self.put(WIDTH - MARGIN, self.y - 4, sheet.mark, size=8, anchor="right")
        self.y += 4
        self.rule(self.y, width=1.2)
        self.y += 6
        if sheet.has_name:
            self.text(f"Name:  {sheet.student}")
        if not sheet.student and sheet.has_name:
            self.rule(self.y - 2, MARGIN + 36, MARGIN + 260)
        self.y += 4
        for line in sheet.statement:
            self.text(line, bullet="•")
        fits = self.tree(sheet)
        self.text(f"Questions ({sheet.total} in all)", bold=True)
        for number, text in sheet.questions:
            self.text(text, bullet=number)
        if sheet.rows:
            self.y += 6
            self.table(sheet)
        for what, said in sheet.lines:
            self.answer_line(f"{what}:", said)
        if not fits:
            self.wide_tree(sheet)
        self.done()

    # ---- pages ------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """A new page."""
        from matplotlib.figure import Figure

        self.done()
        self.figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72)
        self.y = MARGIN

    def done(self) -> None:
        if self.figure is not None:
            self.pages.savefig(self.figure)
            self.figure = None

    def need(self, height: float) -> None:
        """Turn the page if so much does not fit on it any more."""
        if self.y + height > HEIGHT - MARGIN:
            self.turn()

    # ---- things -----------------------------------------------------------------------------------------------

    def put(
        self, x: float, y: float, text: str, *, size: float = SIZE, bold: bool = False, anchor: str = "left"
    ) -> None:
        weight = "bold" if bold else "normal"
        self.figure.text(
            x / WIDTH, 1 - y / HEIGHT, text, size=size, weight=weight, ha=anchor, va="baseline", parse_math=False
        )

    def rule(self, y: float, left: float = MARGIN, right: float = WIDTH - MARGIN, width: float = 0.7) -> None:
        self.line([left, right], [y, y], width)

    def line(self, xs: list[float], ys: list[float], width: float = 0.7) -> None:
        from matplotlib.lines import Line2D

        across, up = [x / WIDTH for x in xs], [1 - y / HEIGHT for y in ys]
        self.figure.add_artist(Line2D(across, up, color="black", linewidth=width))

    def text(self, text: str, *, size: float = SIZE, bold: bool = False, bullet: str = "") -> None:
        """A paragraph, wrapped; with a bullet before it."""
        indent = 14.0 if bullet else 0.0
        for number, line in enumerate(_wrapped(text, WIDTH - 2 * MARGIN - indent, size, bold)):
            height = max(LINE, size * 1.35)
            self.need(height)
            self.y += height
            if bullet and not number:
                self.put(MARGIN, self.y - 3, bullet, size=size)
            self.put(MARGIN + indent, self.y - 3, line, size=size, bold=bold)

    def tree(self, sheet: Sheet) -> bool:
        """The picture, no larger than it is and no wider than the page; False if it needs a page of its own."""
        if is_wide(sheet):
            self.text("The tree stands on a page of its own.", bullet="•")
            self.y += 6
            return False
        scene = scene_of(sheet)
        scale = min(LARGEST, (WIDTH - 2 * MARGIN) / scene.width, (HEIGHT - 2 * MARGIN) / scene.height)
        self.y += 6
        self.need(scene.height * scale)
        self.draw(scene, scale, (WIDTH - scene.width * scale) / 2, self.y, WIDTH, HEIGHT)
        self.y += scene.height * scale + 6
        return True

    def wide_tree(self, sheet: Sheet) -> None:
        """The picture on a page of its own, A4 across."""
        from matplotlib.figure import Figure

        self.done()
        wide, high = HEIGHT, WIDTH
        self.figure = Figure(figsize=(wide / 72, high / 72), dpi=72)
        scene = scene_of(sheet)
        scale = min(LARGEST, (wide - MARGIN) / scene.width, (high - 2 * MARGIN) / scene.height)
        self.figure.text(
            MARGIN / wide,
            1 - MARGIN / high,
            f"{sheet.title}   {sheet.student}   {sheet.mark}",
            size=8,
            parse_math=False,
        )
        self.draw(scene, scale, (wide - scene.width * scale) / 2, (high - scene.height * scale) / 2, wide, high)

    def draw(self, scene: Scene, scale: float, left: float, top: float, wide: float, high: float) -> None:
        x, y = left / scale, top / scale
        groups = [Group(group.id, group.kinds, [_moved(part, x, y) for part in group.parts]) for group in scene.groups]
        self.figure.add_artist(artist(Scene(wide / scale, high / scale, "", "", groups), scale))

    def table(self, sheet: Sheet) -> None:
        """The rows, in two columns where there are many; what does not fit goes on on the next page."""
        columns = 2 if len(sheet.rows) > ONE_COLUMN and len(sheet.head) <= 4 else 1
        gap = 16.0
        wide = (WIDTH - 2 * MARGIN - gap * (columns - 1)) / columns
        rows = list(sheet.rows)
        while rows:
            fitting = int((HEIGHT - MARGIN - self.y) // self.row) - 1
            if fitting < min(3, len(rows)):
                self.turn()
                continue
            half = min(fitting, -(-len(rows) // columns))
            for column in range(columns):
                some, rows = rows[:half], rows[half:]
                if some:
                    self.grid([sheet.head, *some], MARGIN + column * (wide + gap), wide, filled=sheet.has_solution)
            self.y += (half + 1) * self.row + 6

    def grid(self, rows: list[list[str]], left: float, wide: float, *, filled: bool) -> None:
        shares = [1.0 if name in ("node", "who", "value") else 1.7 for name in rows[0]]
        ends = [left]
        for share in shares:
            ends.append(ends[-1] + wide * share / sum(shares))
        bottom = self.y + len(rows) * self.row
        for number in range(len(rows) + 1):
            self.rule(self.y + number * self.row, left, left + wide)
        for end in ends:
            self.line([end, end], [self.y, bottom])
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                middle = (ends[place] + ends[place + 1]) / 2
                size = min(SIZE, SIZE * (ends[place + 1] - ends[place] - 4) / max(text_width(cell, SIZE, bold=True), 1))
                bold = number == 0 or place == 0 or filled
                self.put(
                    middle, self.y + number * self.row + self.row * 0.66, cell, size=size, bold=bold, anchor="center"
                )

    def answer_line(self, what: str, said: str) -> None:
        """A line to write on, or what is right on it."""
        begin = MARGIN + text_width(what, SIZE) + 8
        lines = _wrapped(said, WIDTH - MARGIN - begin, SIZE, True) if said else [""]
        height = 16 if said else 24
        self.need(height + LINE * (len(lines) - 1))
        self.y += height
        self.put(MARGIN, self.y - 3, what)
        if not said:
            self.rule(self.y, begin, WIDTH - MARGIN)
        for number, line in enumerate(lines):
            self.y += LINE if number else 0
            self.put(begin, self.y - 3, line, bold=True)


def _wrapped(text: str, width: float, size: float, bold: bool) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _moved(part: Part, x: float, y: float) -> Part:
    """A part of a scene, further right and down."""
    if isinstance(part, Text):
        return Text(part.kind, part.x + x, part.y + y, part.text, part.anchor)
    if isinstance(part, Circle):
        return Circle(part.kind, (part.centre[0] + x, part.centre[1] + y), part.radius)
    return type(part)(part.kind, [(px + x, py + y) for px, py in part.points])
