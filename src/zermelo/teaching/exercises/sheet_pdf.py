"""Write sheets as an A4 PDF with matplotlib; the tree is the same scene as in the other formats."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from typing import Any

from zermelo.drawing.fonts import text_width
from zermelo.drawing.raster import require_matplotlib, scene_artist
from zermelo.drawing.scene import Group, Scene, moved
from zermelo.teaching.exercises.sheet import Sheet

#: A4 in points, and its margins.
WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 42.0
#: Height in points of a line of text, and of a table row to write in or already filled in.
LINE = 12.5
ROW, FILLED_ROW = 18.0, 15.0
#: Font size in points.
SIZE = 9.0
#: Maximum scales of a tree, and of a board.
MAX_SCALE, MAX_BOARD_SCALE = 0.85, 0.6


def pdf(sheets: Iterable[Sheet]) -> bytes:
    """Return the sheets as one PDF, each on a new page. Raises `MissingDependency` if matplotlib is not installed."""
    require_matplotlib("PDF needs")
    import matplotlib
    from matplotlib.backends.backend_pdf import PdfPages

    settings = {**matplotlib.rcParamsDefault, "pdf.fonttype": 42, "backend": "agg"}
    file = io.BytesIO()
    metadata: dict[str, str | None] = {"Creator": None, "Producer": None, "CreationDate": None}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        with PdfPages(file, metadata=metadata) as pages:
            for sheet in sheets:
                metadata.setdefault("Title", sheet.title)
                _Pages(pages).write(sheet)
    return file.getvalue()


class _Pages:
    """Writes the pages of one sheet from top to bottom; `y` is the distance from the top in points."""

    def __init__(self, pages: Any) -> None:
        self.pages = pages
        self.figure: Any = None
        self.y = 0.0
        self.row = ROW

    def write(self, sheet: Sheet) -> None:
        self.new_page()
        self.row = FILLED_ROW if sheet.has_solution else ROW
        self.paragraph(sheet.title, size=14, bold=True)
        self.draw_text(WIDTH - MARGIN, self.y - 4, sheet.mark, size=8, anchor="right")
        self.y += 4
        self.rule(self.y, width=1.2)
        self.y += 6
        if sheet.has_name:
            self.paragraph(f"Name:  {sheet.student}")
        if not sheet.student and sheet.has_name:
            self.rule(self.y - 2, MARGIN + 36, MARGIN + 260)
        self.y += 4
        for line in sheet.statement:
            self.paragraph(line, bullet="•")
        self.tree(sheet)
        self.paragraph(f"Questions ({sheet.total} in total)", bold=True)
        for number, question in enumerate(sheet.questions, 1):
            self.paragraph(question, bullet=f"{number}.")
        if sheet.rows:
            self.y += 6
            self.table(sheet)
        for label, answer in sheet.lines:
            self.answer_line(f"{label}:", answer)
        if sheet.is_landscape:
            self.landscape_tree(sheet.scene, sheet)
        self.finish_page()

    # ---- pages ------------------------------------------------------------------------------------------------

    def new_page(self) -> None:
        """Start a new page."""
        from matplotlib.figure import Figure

        self.finish_page()
        self.figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72)
        self.y = MARGIN

    def finish_page(self) -> None:
        if self.figure is not None:
            self.pages.savefig(self.figure)
            self.figure = None

    def need(self, height: float) -> None:
        """Start a new page if less than this height is left."""
        if self.y + height > HEIGHT - MARGIN:
            self.new_page()

    # ---- elements ---------------------------------------------------------------------------------------------

    def draw_text(
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

    def paragraph(self, text: str, *, size: float = SIZE, bold: bool = False, bullet: str = "") -> None:
        """Write a wrapped paragraph, optionally with a bullet."""
        indent = 14.0 if bullet else 0.0
        for number, line in enumerate(_wrapped(text, WIDTH - 2 * MARGIN - indent, size, bold)):
            height = max(LINE, size * 1.35)
            self.need(height)
            self.y += height
            if bullet and not number:
                self.draw_text(MARGIN, self.y - 3, bullet, size=size)
            self.draw_text(MARGIN + indent, self.y - 3, line, size=size, bold=bold)

    def tree(self, sheet: Sheet) -> None:
        """Draw the tree at most as wide as the page, or refer to its landscape page."""
        if sheet.is_landscape:
            self.paragraph("The tree is on a separate page.", bullet="•")
            self.y += 6
            return
        scene = sheet.scene
        most = MAX_SCALE if sheet.is_tree else MAX_BOARD_SCALE
        scale = min(most, (WIDTH - 2 * MARGIN) / scene.width, (HEIGHT - 2 * MARGIN) / scene.height)
        self.y += 6
        self.need(scene.height * scale)
        self.draw(scene, scale, (WIDTH - scene.width * scale) / 2, self.y, WIDTH, HEIGHT)
        self.y += scene.height * scale + 6

    def landscape_tree(self, scene: Scene, sheet: Sheet) -> None:
        """Draw the tree on a landscape page of its own."""
        from matplotlib.figure import Figure

        self.finish_page()
        width, height = HEIGHT, WIDTH
        self.figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        scale = min(MAX_SCALE, (width - MARGIN) / scene.width, (height - 2 * MARGIN) / scene.height)
        heading = f"{sheet.title}   {sheet.student}   {sheet.mark}"
        self.figure.text(MARGIN / width, 1 - MARGIN / height, heading, size=8, parse_math=False)
        left, top = (width - scene.width * scale) / 2, (height - scene.height * scale) / 2
        self.draw(scene, scale, left, top, width, height)

    def draw(self, scene: Scene, scale: float, left: float, top: float, width: float, height: float) -> None:
        x, y = left / scale, top / scale
        groups = [Group(group.id, group.classes, [moved(part, x, y) for part in group.parts]) for group in scene.groups]
        page = Scene(width / scale, height / scale, "", "", groups, scene.styles)
        self.figure.add_artist(scene_artist(page, scale))

    def table(self, sheet: Sheet) -> None:
        """Draw the table in one or two columns; rows that do not fit continue on the next page."""
        gap = 16.0
        width = (WIDTH - 2 * MARGIN - gap * (sheet.columns - 1)) / sheet.columns
        rows = list(sheet.rows)
        while rows:
            fitting = int((HEIGHT - MARGIN - self.y) // self.row) - 1
            if fitting < min(3, len(rows)):
                self.new_page()
                continue
            count = min(fitting, -(-len(rows) // sheet.columns))
            for column in range(sheet.columns):
                part, rows = rows[:count], rows[count:]
                if part:
                    left = MARGIN + column * (width + gap)
                    self.grid([sheet.head, *part], left, width, bold=sheet.has_solution)
            self.y += (count + 1) * self.row + 6

    def grid(self, rows: list[list[str]], left: float, width: float, *, bold: bool) -> None:
        """Draw the lines and cells of one table; the heading and the first column are always bold."""
        weights = [1.0 if name in ("node", "player", "value") else 1.7 for name in rows[0]]
        edges = [left]
        for weight in weights:
            edges.append(edges[-1] + width * weight / sum(weights))
        bottom = self.y + len(rows) * self.row
        for number in range(len(rows) + 1):
            self.rule(self.y + number * self.row, left, left + width)
        for edge in edges:
            self.line([edge, edge], [self.y, bottom])
        for number, row in enumerate(rows):
            baseline = self.y + number * self.row + self.row * 0.66
            for column, cell in enumerate(row):
                middle, room = (edges[column] + edges[column + 1]) / 2, edges[column + 1] - edges[column] - 4
                size = min(SIZE, SIZE * room / max(text_width(cell, SIZE, bold=True), 1))
                is_bold = number == 0 or column == 0 or bold
                self.draw_text(middle, baseline, cell, size=size, bold=is_bold, anchor="center")

    def answer_line(self, label: str, answer: str) -> None:
        """Draw a labelled line to write on, or the answer in its place."""
        left = MARGIN + text_width(label, SIZE) + 8
        lines = _wrapped(answer, WIDTH - MARGIN - left, SIZE, True) if answer else [""]
        height = 16 if answer else 24
        self.need(height + LINE * (len(lines) - 1))
        self.y += height
        self.draw_text(MARGIN, self.y - 3, label)
        if not answer:
            self.rule(self.y, left, WIDTH - MARGIN)
        for number, line in enumerate(lines):
            self.y += LINE if number else 0
            self.draw_text(left, self.y - 3, line, bold=True)


def _wrapped(text: str, width: float, size: float, bold: bool) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
