"""How trees and traces show themselves in a notebook: as drawings."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ShownInNotebooks:
    """What shows itself as SVG where a notebook asks for it."""

    def _repr_svg_(self) -> str:
        # The drawings stand above this room and import it; only when one is wanted are they called in, by name.
        drawing: Any = import_module("zermelo.drawing")
        picture: str = drawing.draw(self)._repr_svg_()
        return picture
