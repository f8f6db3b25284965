"""`page_svg`: a drawing inside a page of the server, which has the styles of all drawings in `styles/drawings.css`."""

from __future__ import annotations

from typing import Any

from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import Options
from zermelo.drawing.svg import svg


def page_svg(subject: object, prefix: str, **options: Any) -> str:
    """Draw a tree, a trace or a position as SVG without its style sheets.

    Parameters
    ----------
    subject : object
        What `zermelo.drawing.draw` draws.
    prefix : str
        Prefix of all ids, so that they are unique on the page.
    **options
        Fields of `Options`.
    """
    scene = drawing_of(subject, Options(**options)).scene()
    return svg(scene, prefix=prefix, standalone=False, has_styles=False)
