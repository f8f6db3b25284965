"""Pictures of boards, trees and searches: SVG, HTML, PNG, PDF, TikZ, DOT and text.

Examples
--------
>>> from zermelo import drawing
>>> from zermelo.teaching import tree
>>> trace = tree.trace("[[3,12,8],[2,4,6],[14,5,2]]")
>>> picture = drawing.draw(trace, order=True)  # shows itself in a notebook
>>> picture.save("tree.pdf")  # doctest: +SKIP
"""

from zermelo.drawing.drawing import FORMATS, Drawing, draw
from zermelo.drawing.options import Options

__all__ = ["FORMATS", "Drawing", "Options", "draw"]


def __dir__() -> list[str]:
    return __all__
