"""Write sheets as a LaTeX article for pdflatex; it needs only TikZ and packages of every TeX distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from zermelo.drawing.drawing import draw
from zermelo.drawing.tikz import escape_latex
from zermelo.teaching.exercises.sheet import Sheet


class _Tex(str):
    """LaTeX code, which is not escaped again."""

    __slots__ = ()


def tex(sheets: Sequence[Sheet]) -> str:
    """Return the sheets as one LaTeX document."""
    # Braces and percent signs are LaTeX's own, so the template has other delimiters. `finalize` escapes every value.
    environment = Environment(
        loader=PackageLoader("zermelo.teaching.exercises"),
        undefined=StrictUndefined,
        finalize=_escaped,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pairs = [(sheet, _Tex(_picture(sheet))) for sheet in sheets]
    return environment.get_template("sheet.tex").render(sheets=pairs)


def _escaped(value: Any) -> str:
    return value if isinstance(value, _Tex) else escape_latex(str(value))


def _picture(sheet: Sheet) -> str:
    return draw(sheet.drawn, **sheet.picture_options(standalone=False)).tikz().strip()
