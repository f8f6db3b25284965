"""Write sheets as one HTML page that prints well: each sheet starts on a new page, and no other file is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from zermelo.drawing.drawing import draw
from zermelo.teaching.exercises.sheet import Sheet


def html(sheets: Sequence[Sheet]) -> str:
    """Return the sheets as one HTML page."""
    environment = Environment(
        loader=PackageLoader("zermelo.teaching.exercises"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # Each picture gets its own prefix, so that ids are unique on the page.
    pairs = [(sheet, Markup(_picture(sheet, f"s{number}-"))) for number, sheet in enumerate(sheets, 1)]
    return environment.get_template("sheet.html").render(sheets=pairs, title=sheets[0].title if sheets else "Sheets")


def _picture(sheet: Sheet, prefix: str) -> str:
    return draw(sheet.drawn, **sheet.picture_options(standalone=False, prefix=prefix)).svg()
