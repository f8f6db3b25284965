"""Display of trees and traces in notebooks."""

from __future__ import annotations

from zermelo._util.notebooks import ShowsWidget


class ShowsDrawing(ShowsWidget):
    """Mixin: show the object in notebooks as a widget, or as `zermelo.drawing.draw` draws it."""

    def _repr_svg_(self) -> str:
        from zermelo.drawing.drawing import drawing_of

        return drawing_of(self)._repr_svg_()
